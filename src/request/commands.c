/* The command table: name, purpose, operands, examples and exit codes of every command.
 * SPDX-License-Identifier: Apache-2.0 */
#include "request/table.h"

#include <string.h>

#define SIZE .size_bytes = sizeof(struct tessera_command)
#define OPERANDS(...)                                                                                                  \
  (const struct tessera_operand[]) {                                                                                   \
    __VA_ARGS__, { 0 }                                                                                                 \
  }
#define EXAMPLES(...)                                                                                                  \
  (const struct tessera_example[]) {                                                                                   \
    __VA_ARGS__, { 0 }                                                                                                 \
  }

#define START     "Start"
#define WORK      "Work"
#define ANY_MODEL "Any other model"
#define LOOK_BACK "Look back"
#define MORE      "More"

/* What signals.c does. */
#define STOPPING_TEXT                                                                                                  \
  "Ctrl-C pauses: running tasks are finished and kept, and --resume goes on from there. A second Ctrl-C asks "         \
  "running operations to give up and ends the program within two seconds; a third ends it at once. --resume goes on "  \
  "after either."

/* What project/built_in.c does. */
#define DATA_TEXT                                                                                                      \
  "Given data instead of a file, takes the study or workflow of the folder with this data. Where there is none, the "  \
  "built-in workflow that fits is used and named: 'nuclei' for RGB images with 8 bits per channel."

static const struct tessera_exit_code exit_codes[] = {
    {"0", "done"},
    {"1", "some tasks failed; all others were finished"},
    {"2", "the command line is wrong"},
    {"3", "a file or value is wrong, or something was not found"},
    {"4", "finished, but a target was not met"},
    {"5", "trouble with the store, a file or the system"},
    {"130, 143", "stopped by a signal (Ctrl-C, SIGTERM); 'run' and 'study' keep finished tasks"},
};

enum {
  EXIT_DONE = 1,
  EXIT_FAILED = 2,
  EXIT_USAGE = 4,
  EXIT_INVALID = 8,
  EXIT_TARGET = 16,
  EXIT_TROUBLE = 32,
  EXIT_SIGNAL = 64
};
#define EXITS_PLAIN   (EXIT_DONE | EXIT_USAGE)
#define EXITS_LOOKING (EXITS_PLAIN | EXIT_INVALID | EXIT_TROUBLE)
#define EXITS_RUNNING (EXITS_LOOKING | EXIT_FAILED | EXIT_TARGET | EXIT_SIGNAL)

#define FILE_OPERAND(text)                                                                                             \
  { .name = "FILE", .optional = true, .sets = "file", .help = (text), .completes = TESSERA_COMPLETES_FILE }
/* What ts_operand_settle takes. */
#define OR_DATA "; or data: an image, a folder of images, a manifest (CSV)"
#define DATA_OPERAND                                                                                                   \
  {                                                                                                                    \
    .name = "DATA", .optional = true, .sets = "data", .help = "further data, as with --data; may be repeated",         \
    .completes = TESSERA_COMPLETES_FILE                                                                                \
  }
#define RUN_OPERAND(is_optional, text)                                                                                 \
  { .name = "RUN", .optional = (is_optional), .sets = "run", .help = (text), .completes = TESSERA_COMPLETES_RUN }

static const char *const store_words[] = {"costs", "verify", "du", "gc", NULL};
static const char *const new_words[] = {"operation", NULL};
static const char *const shells[] = {"bash", "zsh", "fish", NULL};
static const char *const word_kinds[] = {"commands", "topics", "pages",   "runs",     "demos", "plan",
                                         "study",    "sample", "analyse", "schedule", "tune",  NULL};

static const struct tessera_operand no_operands[] = {{0}};
static const struct tessera_example no_examples[] = {{0}};

const struct tessera_command ts_commands[TS_COMMAND_COUNT] = {
    [TS_COMMAND_INIT] =
        {SIZE, .name = "init", .group = START,
         .summary = "make a project: for your images, from a demo, or to build on",
         .description =
             "With --data, looks at images or a folder of them, pairs them with their truths (X_labels.png, "
             "X_mask.png, "
             "X.geojson beside X.png, or files of the same name in masks/ or labels/), and writes workflow.json, "
             "data.csv "
             "and study.json, with comments that explain each choice; says what it guessed and what it left out. Files "
             "that it would write must not be there yet.\n\n"
             "Otherwise makes a folder with the smallest workflow and study that run, or with a demo: data that is "
             "drawn "
             "locally, a workflow, a study and a README. A folder that is not empty is refused.\n\n"
             "Without DIR the project goes into the current folder, a demo into a new folder of its name. --data and "
             "--truth are relative to the current folder.",
         .operands = OPERANDS({.name = "DIR",
                               .optional = true,
                               .sets = "folder",
                               .help = "the folder to make",
                               .completes = TESSERA_COMPLETES_FOLDER}),
         .examples = EXAMPLES({"tessera init --demo nuclei && cd nuclei && tessera study", "from nothing to a report"},
                              {"tessera init project --data slides/ --truth '*_labels.png'", "a study of your images"},
                              {"tessera init project", "start a workflow of your own"}),
         .exit_codes = EXITS_LOOKING},
    [TS_COMMAND_CHECK] =
        {SIZE, .name = "check", .group = START, .summary = "check a workflow or study and everything it names",
         .description = "Reports all faults of a file at once, each with its line and column, what is wrong and what "
                        "to do: types, names, files, ranges, missing tools, images of another size or kind than an "
                        "input needs, a folder for results that cannot be written. Warns about defaults outside their "
                        "grid and about tiles so small that a run would write more than 10 000 files. Of images only "
                        "the headers are read; nothing is run, and nothing is left behind.\n\n"
                        "With --show-config, names every setting and where it comes from. In order: the option; the "
                        "environment (TESSERA_JOBS, TESSERA_STORE, TESSERA_COLOR, TESSERA_PROGRESS, TESSERA_SCRATCH; "
                        "NO_COLOR); "
                        "tessera.json in the project; tessera/config.json in $XDG_CONFIG_HOME; the default.",
         .operands = OPERANDS(FILE_OPERAND("study or workflow; without it study.json, or else workflow.json" OR_DATA),
                              DATA_OPERAND),
         .examples = EXAMPLES({"tessera check", "is study.json fine?"}, {"tessera check slides/", "are these images?"},
                              {"tessera check --show-config", "which settings are in force, and why?"}),
         .exit_codes = EXITS_LOOKING},
    [TS_COMMAND_LIST] = {SIZE, .name = "list", .group = START,
                         .summary = "list the operations, demos and methods of this build",
                         .description = "Shows every operation that a workflow may name, with its inputs, outputs and "
                                        "parameters, and the demos and methods that are built in.",
                         .operands =
                             OPERANDS(FILE_OPERAND("study or workflow whose plugins and commands are listed too")),
                         .examples = EXAMPLES({"tessera list", "what can a workflow be made of?"}),
                         .exit_codes = EXITS_LOOKING},
    [TS_COMMAND_PLAN] =
        {SIZE, .name = "plan", .group = WORK, .summary = "say what 'run' or 'study' would do, without doing it",
         .description =
             "Counts the tasks that are requested, those avoided at each level of reuse (whole stages, "
             "tasks, the store) and those left to run. The same planner makes the plan of 'run' and "
             "'study', so the numbers agree; early cutoff, which is known only while running, can save more.\n\n"
             "Workers that do not share memory get the work in buckets. With --workers the plan says how they would be "
             "made, how evenly, and how long it would take; --compare puts every way to merge side by side, --picture "
             "draws it.",
         .operands = OPERANDS(FILE_OPERAND("study or workflow; without it study.json, or else workflow.json" OR_DATA),
                              DATA_OPERAND),
         .examples = EXAMPLES({"tessera plan", "what would 'tessera study' cost?"},
                              {"tessera plan study.json --design sets.csv --merge stage --json", "for another program"},
                              {"tessera plan --compare --workers 8", "which grouping suits 8 workers?"},
                              {"tessera plan --compare --picture buckets.svg", "the same as a picture"}),
         .exit_codes = EXITS_LOOKING, .methods = "methods"},
    [TS_COMMAND_RUN] =
        {SIZE, .name = "run", .group = WORK, .summary = "run a workflow once, with one set of parameter values",
         .description = "Runs every stage over the data with default values, or those given with -p, and writes every "
                        "output of the workflow as a file. Where the data comes with a reference, the quality of the "
                        "result is reported too. What an earlier run computed is not computed again.\n\n" DATA_TEXT
                        "\n\n" STOPPING_TEXT,
         .operands = OPERANDS(FILE_OPERAND("workflow or study; without it study.json, or else workflow.json" OR_DATA),
                              DATA_OPERAND),
         .examples = EXAMPLES({"tessera run slide.svs", "find the nuclei of a slide, without a project"},
                              {"tessera run -p G1=40", "the default values, but G1 = 40"},
                              {"tessera run --best", "the best values of the last study"},
                              {"tessera run workflow.json --data slides/ -o results", "another folder of images"},
                              {"tessera run --only segment --data tile.png", "one stage alone"}),
         .exit_codes = EXITS_RUNNING},
    [TS_COMMAND_STUDY] =
        {SIZE, .name = "study", .group = WORK, .summary = "find out which parameters matter",
         .description = "Draws parameter sets, runs the workflow for each of them without computing anything twice, "
                        "judges the influence of every parameter, and writes a report (HTML) and the results (CSV).\n\n"
                        "With --method two-phase a screening (morris) finds the parameters that matter, and a second "
                        "phase (vbd) says how much of the variance each of them explains; it reuses the results "
                        "of the first. With --until runs are added until the indices are sharp "
                        "enough.\n\n" DATA_TEXT "\n\n" STOPPING_TEXT,
         .operands = OPERANDS(FILE_OPERAND("study; without it study.json" OR_DATA), DATA_OPERAND),
         .examples = EXAMPLES({"tessera study", "the study of this folder"}, {"tessera study -n", "what would it do?"},
                              {"tessera study --trajectories 20 --seed 7", "more runs, other random numbers"},
                              {"tessera study --method two-phase --until 'ci(ST) < 0.05'",
                               "screen, then explain the variance, as sharply as that"},
                              {"tessera study --resume", "continue after Ctrl-C or a crash"}),
         .exit_codes = EXITS_RUNNING, .methods = "methods"},
    [TS_COMMAND_BENCH] =
        {SIZE, .name = "bench", .group = WORK, .summary = "time the operations of a workflow on one image",
         .description = "Measures CPU time, wall time and peak memory of each operation, in the order of the workflow, "
                        "and says which variant of the code was chosen for this machine.",
         .operands = OPERANDS({.name = "NAME",
                               .optional = true,
                               .sets = "file",
                               .help = "a demo (nuclei) or a workflow file",
                               .completes = TESSERA_COMPLETES_FILE}),
         .examples = EXAMPLES({"tessera bench nuclei --image slide.png --threads 1", "on an image of your own"}),
         .exit_codes = EXITS_LOOKING | EXIT_FAILED},
    [TS_COMMAND_CALL] =
        {SIZE, .name = "call", .group = WORK, .summary = "run one operation by hand",
         .description =
             "Reads the inputs from files, runs the operation once and writes each of its outputs into a new folder, "
             "call-OPERATION unless -o names another, in the form in which 'run' writes them. There is no workflow, no "
             "store, and nothing is reused.\n\n"
             "OPERATION is a built-in operation ('tessera list' shows them), one of a file that --operations names, or "
             "such a file itself: a manifest, or a plugin with one operation. Every input that is not optional and "
             "every "
             "parameter is given as NAME=VALUE. The value of an input is a file; of an image also a part of it: "
             "NAME=FILE@X,Y,WIDTH,HEIGHT, or with the resolution level as a fifth number.\n\n"
             "With --keep the folder through which a command gets its call is left to look at. Other operations have "
             "no "
             "such folder; the same files are written for them.",
         .operands = OPERANDS({.name = "OPERATION",
                               .sets = "operation",
                               .help = "a name such as pixels.smooth, a manifest (.json) or a plugin (.so)",
                               .completes = TESSERA_COMPLETES_FILE},
                              {.name = "NAME=VALUE",
                               .optional = true,
                               .sets = "parameter",
                               .help = "inputs, which are files, and parameters",
                               .completes = TESSERA_COMPLETES_FILE}),
         .examples = EXAMPLES({"tessera call pixels.smooth gray=tile.png radius=3", "one step on one image"},
                              {"tessera call pixels.gray image=slide.svs@2048,4096,1024,1024", "a part of a slide"},
                              {"tessera call fit.json series=north.csv model=plain floor=0 iterations=30 --keep",
                               "a command, and what it was given"}),
         .exit_codes = EXITS_LOOKING | EXIT_FAILED | EXIT_SIGNAL},
    [TS_COMMAND_NEW] =
        {SIZE, .name = "new", .group = START, .summary = "write an operation around a library function or a program",
         .description =
             "Makes a folder with a complete operation from a short description of it: for a function of a C library "
             "the "
             "source of a plugin and a Makefile, for a program or lines of Python a script and its manifest; with a "
             "workflow and a study that run on example data, a test that tries all of it, and a README.\n\n"
             "The description is a JSON file: docs/new-operation.md. All its faults are listed at once. Nothing is "
             "overwritten: the folder must be absent or empty.",
         .operands = OPERANDS({.name = "WHAT",
                               .sets = "topic",
                               .help = "operation",
                               .completes = TESSERA_COMPLETES_CHOICES,
                               .choices = new_words},
                              {.name = "DESCRIPTOR",
                               .sets = "file",
                               .help = "the JSON file that describes the operation",
                               .completes = TESSERA_COMPLETES_FILE},
                              {.name = "DIR",
                               .optional = true,
                               .sets = "output",
                               .help = "the folder to make; without it one of the operation's name",
                               .completes = TESSERA_COMPLETES_FOLDER}),
         .examples = EXAMPLES({"tessera new operation crc.json && make -C zlib-crc test", "from nothing to a study"}),
         .exit_codes = EXITS_LOOKING},
    [TS_COMMAND_SAMPLE] =
        {SIZE, .operands = no_operands, .name = "sample", .group = ANY_MODEL,
         .summary = "draw parameter sets for a model of your own",
         .description =
             "Writes a design: a CSV file with a column per parameter and a row per run. Run your model once per row, "
             "in any language, write what comes out into another CSV file, one row per row of the design and in its "
             "order, and give both to 'tessera analyse'.\n\n"
             "The space file says what is varied: {\"parameters\": [{\"name\": \"x\", \"type\": \"real\", \"range\": "
             "[0, "
             "1]}, {\"name\": \"k\", \"type\": \"integer\", \"grid\": [1, 2, 4]}]}. Parameters that name the same "
             "\"group\" move together. A workflow, a study or the problem of SALib as JSON ({\"names\", \"bounds\", "
             "\"dists\", \"groups\"}) will do as well.\n\n"
             "With -o the file DESIGN.csv.json beside the design says how it was made, for 'tessera analyse'; a design "
             "that "
             "was there is replaced. Without -o the design goes to standard output. The same seed gives the same "
             "design "
             "on every machine.",
         .examples = EXAMPLES({"tessera sample --method morris --space space.json -N 20 -o design.csv",
                               "which of many parameters matter at all?"},
                              {"tessera sample --method sobol --space space.json -N 1024 -o design.csv",
                               "how much of the variance does each explain, and each pair? Rows as in SALib"},
                              {"tessera sample --method lhs --space space.json -N 500 -o design.csv",
                               "runs for methods that take any design"}),
         .exit_codes = EXITS_LOOKING | EXIT_SIGNAL, .methods = "samplers"},
    [TS_COMMAND_ANALYSE] =
        {SIZE, .operands = no_operands, .name = "analyse", .group = ANY_MODEL,
         .summary = "judge the influence of parameters from runs of any model",
         .description =
             "Takes a design and the outputs of its runs, and says how much each parameter matters, with intervals. "
             "Rows of both files belong together in their order; an output that is empty or not finite is a run that "
             "failed, and costs only what depends on it. Ranks that the runs do not settle are called unsettled.\n\n"
             "'morris', 'vbd', 'fast' and 'dgsm' need the design that 'tessera sample' makes for them, in its order. "
             "The other methods take any runs. With several columns of outputs each is analysed.\n\n"
             "Method and space may be left out where 'tessera sample -o' wrote DESIGN.csv.json beside the design. With "
             "-o "
             "the indices also go to a file, which is replaced if it is there: a table (.csv), the reply (.json), or a "
             "page with plots (.html).",
         .examples =
             EXAMPLES({"tessera analyse --design design.csv --outputs y.csv -o indices.html",
                       "after 'sample -o design.csv': numbers here, plots in a page"},
                      {"tessera analyse --method vbd --space space.json --design design.csv --outputs y.csv --json",
                       "after 'sample --method sobol', for another program"},
                      {"tessera analyse --method correlation --space space.json --design runs.csv --outputs runs.csv",
                       "runs that were there before"}),
         .exit_codes = EXITS_LOOKING | EXIT_SIGNAL, .methods = "analyses"},
    [TS_COMMAND_SCHEDULE] =
        {SIZE, .name = "schedule", .group = ANY_MODEL,
         .summary = "map the tasks of a graph to processors, for a stream of items",
         .description =
             "Finds a mapping with the least latency at a throughput (--throughput, --throughput-fraction), or with "
             "the "
             "highest throughput within a latency (--latency); given both, one that meets both. Tasks are grouped into "
             "clusters; a cluster runs on one processor or on several that take turns with the items (replicas), and a "
             "task may be computed in several clusters instead of being sent (duplicates). A processor has --ports "
             "channels.\n\n"
             "GRAPH is {\"tasks\": [{\"id\": \"a\", \"time\": 2}], \"edges\": [{\"from\": \"a\", \"to\": "
             "\"b\", \"time\": 1}]}, a WfFormat 1.x file, a Pegasus DAX file or an STG file. Sizes in bytes become "
             "times with --bandwidth. A demand that cannot be met ends with 4, and with what can.",
         .operands = OPERANDS({.name = "GRAPH",
                               .sets = "file",
                               .help = "the tasks, their times and their edges",
                               .completes = TESSERA_COMPLETES_FILE}),
         .examples = EXAMPLES(
             {"tessera schedule graph.json --processors 32 --ports 4 --throughput-fraction 0.5",
              "least latency at half of the largest throughput"},
             {"tessera schedule graph.json --processors 8 --latency 2s", "highest throughput within 2 seconds"},
             {"tessera schedule graph.json --processors 32 --throughput 4/s --compare", "every algorithm side by side"},
             {"tessera schedule graph.json --processors 32 --throughput 4/s --refine 5 --svg schedule.svg",
              "search for 5 seconds, and draw the result"}),
         .exit_codes = EXITS_LOOKING | EXIT_TARGET | EXIT_SIGNAL, .methods = "schedulers"},
    [TS_COMMAND_TUNE] =
        {SIZE, .operands = no_operands, .name = "tune", .group = ANY_MODEL,
         .summary = "find the best configuration of recorded runs, with few of them",
         .description =
             "Replays a table of recorded runs: a tuner asks for runs, gets what the table says and recommends a "
             "configuration. Repeated with many seeds, that shows how near to the best each tuner comes within a "
             "budget, how well its model predicts, and what the runs cost.\n\n"
             "The table has a header; every column but the objective, 'valid' and those of --ignore is a parameter. A "
             "run failed if its objective is empty or inf, or if 'valid' is 0. The last run of the budget confirms the "
             "predicted best; the recommendation is the better of it and the best run before.",
         .examples =
             EXAMPLES({"tessera tune --table runs.csv --objective seconds --algorithm al,geist,rs",
                       "three tuners with the same seeds"},
                      {"tessera tune --table runs.csv.gz --objective gflops --maximise --budget 100 --ignore valid_ms",
                       "high is good, 100 runs"},
                      {"tessera tune --table workflow.csv --objective core_h --ignore exec_s --combine sum "
                       "--component sim=sim.csv --component viz=viz.csv --algorithm ceal",
                       "with runs of the components alone"}),
         .exit_codes = EXITS_LOOKING | EXIT_SIGNAL, .methods = "tuners"},
    [TS_COMMAND_STATUS] =
        {SIZE, .name = "status", .group = LOOK_BACK,
         .summary = "list the runs of this project, or one of them in detail",
         .description = "Lists runs, newest first: state, time, tasks that were run and requested, and the answer. "
                        "With RUN, shows what became of the tasks of that run.",
         .operands = OPERANDS(RUN_OPERAND(true, "8 digits that name a run")),
         .examples = EXAMPLES({"tessera status", "all runs"}, {"tessera status 7f3a91bc", "one run, task by task"}),
         .exit_codes = EXITS_LOOKING},
    [TS_COMMAND_LOG] = {SIZE, .name = "log", .group = LOOK_BACK,
                        .summary = "show what the tasks of a run said, failed ones first",
                        .description =
                            "Shows the outcome of tasks and all that they wrote, failed ones first. Without RUN "
                            "it is the last run; without TASK all tasks that have something to say.",
                        .operands = OPERANDS(RUN_OPERAND(true, "8 digits that name a run"),
                                             {.name = "TASK",
                                              .optional = true,
                                              .sets = "task",
                                              .help = "such as segment.split, segment/9c1e4f, or the digits of a key"}),
                        .examples = EXAMPLES({"tessera log", "what went wrong in the last run?"},
                                             {"tessera log segment.split", "what did this task say there?"},
                                             {"tessera log 7f3a91bc segment/9c1e4f", "one task"}),
                        .exit_codes = EXITS_LOOKING},
    [TS_COMMAND_EXPLAIN] =
        {SIZE, .name = "explain", .group = LOOK_BACK, .summary = "say why a task was run or reused",
         .description =
             "Says what made the task run: a value, a file or code that is not what it was in the earlier "
             "run, or that the earlier run did not keep its product. For a stage it says so of each task. With "
             "-v also keys, the nearest earlier task and what its record differs in.",
         .operands = OPERANDS(
             {.name = "TASK", .sets = "task", .help = "such as segment.split, segment/9c1e4f, or the digits of a key"}),
         .examples = EXAMPLES({"tessera explain segment.split", "in the last run"},
                              {"tessera explain segment", "all tasks of a stage"},
                              {"tessera explain segment/9c1e4f --run 7f3a91bc", "in an earlier one"}),
         .exit_codes = EXITS_LOOKING},
    [TS_COMMAND_COMPARE] =
        {SIZE, .name = "compare", .group = LOOK_BACK, .summary = "compare runs: parameters, measures and masks",
         .description =
             "Says in which parameters, data, workflow and operations finished runs differ, puts their measures side "
             "by side, and counts for every image the pixels and objects that one run found and another did not. The "
             "first run is the one that the others are compared with.\n\n"
             "Masks are taken from the store, or from the folder of the run. With --report a page shows the outlines "
             "on every image and where they differ; it is one file that opens without a network.",
         .operands = OPERANDS({.name = "RUN",
                               .sets = "runs",
                               .help = "8 digits that name a run of 'tessera run'; two or more",
                               .completes = TESSERA_COMPLETES_RUN}),
         .examples = EXAMPLES({"tessera compare 7f3a91bc ea160978", "what did the other values change?"},
                              {"tessera compare 7f3a91bc ea160978 --report compare.html", "the same with pictures"}),
         .exit_codes = EXITS_LOOKING},
    [TS_COMMAND_REPORT] = {SIZE, .name = "report", .group = LOOK_BACK,
                           .summary = "write the HTML report of a past study again",
                           .description = "Writes one self-contained HTML file that opens without a network.",
                           .operands =
                               OPERANDS(RUN_OPERAND(true, "8 digits that name a run; without it the last study")),
                           .examples = EXAMPLES({"tessera report 7f3a91bc -o report.html", "an earlier study"}),
                           .exit_codes = EXITS_LOOKING},
    [TS_COMMAND_STORE] =
        {SIZE, .name = "store", .group = LOOK_BACK, .summary = "show what the store takes and costs, clean or check it",
         .description =
             "'costs' lists the cost of every operation for each class of machine: calls seen, sizes of their pieces "
             "of the "
             "data, CPU seconds per megapixel and per call, bytes of its products, peak memory, and how often early "
             "cutoff saved it. Runs and studies measure it; 'plan', the time left that is shown while running, and the "
             "choice between loading and computing use it.\n\n"
             "'verify' reads every row and every product again, rewrites the database with its indexes if anything in "
             "it is wrong, and removes damaged rows and products, and files that belong to nothing. They are computed "
             "again when they are needed. With --recompute it also repeats the recorded runs (those of FILE, or all) "
             "from "
             "their data, in an empty store beside the products, and removes every record whose result differs; "
             "then it exits with 1. Records of runs that cannot be repeated, and of operations that are not exact, are "
             "not compared.\n\n"
             "'du' says what takes how much, by stage and by run, and what no run uses. 'gc' lists what it would "
             "remove, and how long computing that again would take; with --yes it removes it. Without other options "
             "that is what no run uses; --keep-runs, --older-than and --to say more. What an unfinished run uses "
             "stays, "
             "as does, until it is finished, what other runs of its file use; --drop says that such a run need not go "
             "on. Records "
             "stay in any case: a product that is needed again is computed again, and is the same. With --to it exits "
             "with 4 if the size cannot be reached.",
         .operands = OPERANDS({.name = "WHAT",
                               .sets = "topic",
                               .help = "costs, verify, du or gc",
                               .completes = TESSERA_COMPLETES_CHOICES,
                               .choices = store_words},
                              FILE_OPERAND("with 'verify --recompute': the study or workflow whose runs are meant")),
         .examples = EXAMPLES(
             {"tessera store costs", "what takes the time?"}, {"tessera store costs --json", "for another program"},
             {"tessera store verify", "is everything as it was written?"},
             {"tessera store verify --recompute", "is everything right?"}, {"tessera store du", "what takes how much?"},
             {"tessera store gc --keep-runs 3", "what would go, and what would that cost?"},
             {"tessera store gc --keep-runs 3 --yes", "remove it"}),
         .exit_codes = EXITS_LOOKING | EXIT_FAILED | EXIT_TARGET | EXIT_SIGNAL},
    [TS_COMMAND_COMPLETION] = {SIZE, .is_program = true, .name = "completion", .group = MORE,
                               .summary = "print the completion script of a shell",
                               .description =
                                   "The script completes commands, options, their values, and the runs of the project.",
                               .operands = OPERANDS({.name = "SHELL",
                                                     .sets = "topic",
                                                     .help = "bash, zsh or fish",
                                                     .completes = TESSERA_COMPLETES_CHOICES,
                                                     .choices = shells}),
                               .examples = EXAMPLES(
                                   {"source <(tessera completion bash)", "for this bash"},
                                   {"tessera completion zsh > ~/.zfunc/_tessera", "for zsh, in a folder of $fpath"},
                                   {"tessera completion fish > ~/.config/fish/completions/tessera.fish", "for fish"}),
                               .exit_codes = EXITS_PLAIN},
    [TS_COMMAND_HELP] = {SIZE, .is_program = true, .name = "help", .group = MORE,
                         .summary = "show the help of a command, or what a file can say",
                         .description =
                             "Without WHAT, lists commands and pages of help. The pages say what a workflow, "
                             "a study and a manifest can say, and list operations and methods; installed, "
                             "they are tessera-workflow(5), tessera-study(5), tessera-manifest(5), "
                             "tessera-operations(7) and tessera-methods(7).",
                         .operands = OPERANDS({.name = "WHAT",
                                               .optional = true,
                                               .sets = "topic",
                                               .help = "a command, or workflow, study, manifest, operations or methods",
                                               .completes = TESSERA_COMPLETES_COMMAND}),
                         .examples = EXAMPLES({"tessera help study", "the command 'study', and the study file"},
                                              {"tessera help manifest", "what a manifest of images can say"}),
                         .exit_codes = EXITS_PLAIN},
    [TS_COMMAND_VERSION] = {SIZE, .examples = no_examples, .operands = no_operands, .is_program = true,
                            .name = "version", .group = MORE, .summary = "show the version",
                            .description = "Prints the name and the version of the program.",
                            .exit_codes = EXITS_PLAIN},
    [TS_COMMAND_MAN] = {SIZE, .examples = no_examples, .is_program = true, .name = "man", .summary = "print a man page",
                        .description = "Prints the man page of the program, of a command or of a page of help in roff, "
                                       "for installing. 'study' is the command, 'study.5' the file.",
                        .operands = OPERANDS({.name = "WHAT",
                                              .optional = true,
                                              .sets = "topic",
                                              .help = "a command, or a page of help such as study.5",
                                              .completes = TESSERA_COMPLETES_COMMAND}),
                        .exit_codes = EXITS_PLAIN},
    [TS_COMMAND_WORDS] = {SIZE, .examples = no_examples, .is_program = true, .name = "words",
                          .summary = "print words for completion",
                          .description = "Prints one word per line; the completion scripts call it.",
                          .operands = OPERANDS({.name = "KIND",
                                                .sets = "topic",
                                                .help = "commands, topics, pages, runs, demos, or a command that takes "
                                                        "--method",
                                                .completes = TESSERA_COMPLETES_CHOICES,
                                                .choices = word_kinds}),
                          .exit_codes = EXITS_PLAIN},
    [TS_COMMAND_WORKER] = {SIZE, .examples = no_examples, .operands = no_operands, .name = "worker", .group = MORE,
                           .summary = "do a part of the work of a 'run' or 'study'; started by these",
                           .description = "With --workers N, 'run' and 'study' start this command N times. It "
                                          "receives its work over a local socket, through which it also reaches the "
                                          "store, and ends with the process that started it. You need not call it.",
                           .exit_codes = EXITS_LOOKING},
};

const struct tessera_command *tessera_command_at(size_t number) {
  return number < TS_COMMAND_COUNT ? &ts_commands[number] : NULL;
}

const struct tessera_exit_code *tessera_exit_code_at(size_t number) {
  return number < sizeof exit_codes / sizeof exit_codes[0] ? &exit_codes[number] : NULL;
}

const struct tessera_command *ts_command_find(const char *name) {
  for (size_t i = 0; i < TS_COMMAND_COUNT; i++) {
    if (strcmp(ts_commands[i].name, name) == 0) return &ts_commands[i];
  }
  return NULL;
}

enum ts_command_id ts_command_id(const struct tessera_command *command) {
  return (enum ts_command_id)(command - ts_commands);
}
