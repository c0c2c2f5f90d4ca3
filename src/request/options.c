/* The option table: every option of every command, once.
 * SPDX-License-Identifier: Apache-2.0 */
#include "request/table.h"

#include <string.h>

#define BIT(name)    TS_COMMAND_BIT(TS_COMMAND_##name)
#define RUNNING      (BIT(RUN) | BIT(STUDY))
#define PLANNING     (BIT(PLAN) | RUNNING)
#define DESIGNING    (BIT(PLAN) | BIT(STUDY))
#define TEXT_ONLY    (BIT(COMPLETION) | BIT(HELP) | BIT(MAN) | BIT(WORDS))
#define LOOKING_BACK (BIT(STATUS) | BIT(LOG) | BIT(EXPLAIN) | BIT(COMPARE) | BIT(REPORT) | BIT(STORE))
#define ANY_MODEL    (BIT(SAMPLE) | BIT(ANALYSE))

#define MAX_THREADS      4096
#define MAX_WORKERS      256
#define MAX_TRAJECTORIES 1000000
#define MAX_TILE_PX      1048576
#define MAX_BUCKETS      1000000000
#define MAX_POINTS       UINT64_C(1000000000)
#define MAX_LEVELS       1000000
#define MAX_SKIP         UINT64_C(1000000000000)
#define MAX_RESAMPLES    1000000
#define MAX_PROCESSORS   10000 /* of a schedule; FCP compares every copy of a task with every one of them */
#define MAX_REFINE_S     1e6   /* eleven days */
#define MAX_SETTING      1000  /* harmonics, slices, degree: more never makes sense */

static const char *const color_words[] = {"auto", "always", "never", NULL};
static const char *const progress_words[] = {"auto", "plain", "json", "none", NULL};
static const char *const merge_words[] = {"none", "stage", "naive", "sca", "rtma", "trtma", "lineage", NULL};
static const char *const switch_words[] = {"on", "off", NULL};
static const char *const tissue_words[] = {"auto", "on", "off", NULL};
static const char *const key_words[] = {"chain", "dag", NULL};
/* For completion: the sampler says why another word will not do. */
static const char *const base_words[] = {"mc", "lhs", "sobol-sequence", "halton", NULL};
static const char *const scramble_words[] = {"none", "owen", "shift", NULL};
static const char *const estimator_words[] = {"saltelli", "jansen", "janon", "martinez", NULL};
static const char *const interval_words[] = {"percentile", "normal", NULL};

/* 8 hexadecimal digits: anything else behind --resume is a file. */
static bool is_run_id(const char *word) { return strlen(word) == 8 && strspn(word, "0123456789abcdef") == 8; }

/* Not the operation, which has a dot, and not an input or parameter, which has an equals sign. */
static bool is_folder_name(const char *word) {
  const bool is_operation = !strchr(word, '/') && strchr(word, '.');
  const size_t length = strlen(word);
  const bool is_file =
      (length > 5 && strcmp(word + length - 5, ".json") == 0) || (length > 3 && strcmp(word + length - 3, ".so") == 0);
  return *word != '\0' && *word != '-' && !strchr(word, '=') && !is_operation && !is_file;
}

/* A plain word: what has a dot or a slash is the folder that init is to make. */
static bool is_demo_name(const char *word) {
  return *word != '\0' && *word != '-' && strspn(word, "abcdefghijklmnopqrstuvwxyz0123456789-_") == strlen(word);
}

/* What every entry says: name, kind, name of its argument (NULL: none), help, commands; then the field of the request
 * that it sets, and what only some need. */
#define MEMBER(member) offsetof(struct ts_request, member)
#define SETS(field)    .member = MEMBER(field), .member_name = #field
#define GIVEN(field)   .given = MEMBER(field)
#define SHOWN(name_, kind_, argument_, help_)                                                                          \
  .shown.size_bytes = sizeof(struct tessera_option), .shown.name = (name_), .shown.kind = TESSERA_OPTION_##kind_,      \
  .shown.argument = (argument_), .shown.help = (help_)
#define OPTION(name_, kind_, argument_, help_, ...)                                                                    \
  { SHOWN(name_, kind_, argument_, help_), .commands = __VA_ARGS__ }
#define PROGRAM_OPTION(name_, kind_, argument_, help_, ...)                                                            \
  { SHOWN(name_, kind_, argument_, help_), .shown.is_program = true, .commands = __VA_ARGS__ }

/* In the order of the help. Common ones last. */
const struct ts_option_row ts_option_rows[] = {
    OPTION("demo", OPTIONAL, "NAME", "start from a demo with data, workflow and study: nuclei (without NAME) or decay",
           BIT(INIT), SETS(demo), .fallback = "nuclei", .shown.completes = TESSERA_COMPLETES_DEMO,
           .belongs = is_demo_name),
    PROGRAM_OPTION("show-config", FLAG, NULL, "show every setting and where it comes from, instead of checking",
                   BIT(CHECK)),
    OPTION("parameter", SETTING, "NAME=VALUE",
           "give a parameter another value than its default ('call': an input or parameter); may be repeated",
           BIT(RUN) | BIT(PLAN) | BIT(CALL), SETS(parameters), .shown.letter = 'p', GIVEN(parameter_count),
           .part = TS_PART_OPTIONS),
    OPTION("values", TEXT, "FILE",
           "values of parameters instead of their defaults: JSON as a study writes it, or CSV with a header and one "
           "row; -p overrides them",
           BIT(RUN) | BIT(PLAN), SETS(values), .shown.completes = TESSERA_COMPLETES_FILE),
    OPTION("of", TEXT, "RUN", "with --set or --best: the study that values are taken from, instead of the last one",
           BIT(RUN) | BIT(PLAN), SETS(of), .shown.completes = TESSERA_COMPLETES_RUN),
    OPTION("set", TEXT, "N", "the values of this set of a study: its number in results.csv, default or best",
           BIT(RUN) | BIT(PLAN), SETS(set)),
    OPTION("best", FLAG, NULL, "the values of the best set of a study; the same as --set best", BIT(RUN) | BIT(PLAN),
           SETS(best)),
    OPTION("only", TEXT, "STAGE", "run one stage alone, on the data as it is", BIT(RUN) | BIT(PLAN), SETS(only_stage),
           .part = TS_PART_OPTIONS),
    OPTION("all-outputs", FLAG, NULL, "also write images that only other stages read",
           BIT(CHECK) | BIT(RUN) | BIT(PLAN), SETS(all_outputs), .part = TS_PART_SETTINGS),
    OPTION("per-tile", FLAG, NULL, "write a file for each tile and output, instead of one for each image",
           BIT(CHECK) | BIT(RUN), SETS(per_tile), .part = TS_PART_SETTINGS),
    OPTION("overlay", FLAG, NULL, "with --per-tile: also write each tile with the outlines of its masks", BIT(RUN),
           SETS(overlays), .part = TS_PART_SETTINGS),
    OPTION("method", TEXT, "NAME",
           "how parameter sets are drawn, or how the influence of parameters is judged ('study' and 'plan': instead of "
           "the study's way)",
           DESIGNING | ANY_MODEL, SETS(method), .part = TS_PART_OPTIONS, .shown.completes = TESSERA_COMPLETES_METHOD),
    OPTION("space", TEXT, "FILE",
           "the parameters and their ranges or grids: a space file (JSON), a problem of SALib (JSON), a workflow or a "
           "study; 'analyse' needs none where DESIGN.csv.json lies beside the design",
           ANY_MODEL, SETS(space), .shown.completes = TESSERA_COMPLETES_FILE),
    OPTION("count", COUNT, "N",
           "how many: points, base samples (saltelli, sobol, vbd, dgsm), trajectories (morris), rows per curve (fast)",
           BIT(SAMPLE) | DESIGNING, SETS(count), .shown.letter = 'N', .part = TS_PART_OPTIONS, .shown.least = 1,
           .shown.most = MAX_POINTS),
    OPTION("levels", COUNT, "P",
           "morris: levels of the grid the design walks on, an even number (4); grid: points per range", ANY_MODEL,
           SETS(levels), .part = TS_PART_OPTIONS, .shown.least = 2, .shown.most = MAX_LEVELS),
    OPTION("second-order", FLAG, NULL,
           "saltelli and vbd: also the rows, and the indices, of pairs of parameters; 'sample --method sobol' and "
           "'analyse' need no word for it",
           ANY_MODEL | DESIGNING, SETS(second_order), .part = TS_PART_OPTIONS),
    OPTION("base", TEXT, "SAMPLER",
           "saltelli: where the base samples come from: sobol-sequence (the default), halton, lhs or mc", BIT(SAMPLE),
           SETS(base), .part = TS_PART_OPTIONS, .shown.choices = base_words,
           .shown.completes = TESSERA_COMPLETES_CHOICES),
    OPTION("scramble", WORD, "HOW", "sequences: none, owen or shift (owen for sobol-sequence, none for halton)",
           BIT(SAMPLE), SETS(scramble), .part = TS_PART_OPTIONS, .shown.choices = scramble_words,
           .shown.completes = TESSERA_COMPLETES_CHOICES),
    OPTION("skip", COUNT, "N", "sequences: leave out the first N points", BIT(SAMPLE), SETS(skip),
           .part = TS_PART_OPTIONS, .shown.most = MAX_SKIP),
    OPTION("improve", COUNT, "N", "lhs: rounds of moving points apart (maximin); 0: none (the default)", BIT(SAMPLE),
           SETS(improve), .part = TS_PART_OPTIONS, .shown.most = MAX_RESAMPLES),
    OPTION("radial", FLAG, NULL,
           "morris: every parameter is changed from the same point, instead of one after the other", BIT(SAMPLE),
           SETS(radial), .part = TS_PART_OPTIONS),
    OPTION("candidates", COUNT, "M",
           "morris: keep the N of M trajectories that lie farthest apart; 0: no choice (the default)", BIT(SAMPLE),
           SETS(candidates), .part = TS_PART_OPTIONS, .shown.most = MAX_TRAJECTORIES),
    OPTION("brute-force", FLAG, NULL, "morris: try every choice of N of M trajectories; for small numbers only",
           BIT(SAMPLE), SETS(brute_force), .part = TS_PART_OPTIONS),
    OPTION("unit", FLAG, NULL, "also write the position of each value in its range, from 0 to 1, in columns u_NAME",
           BIT(SAMPLE), SETS(with_unit)),
    OPTION("outputs", TEXT, "FILE",
           "what came out of each run: CSV, a header and one row per row of the design; empty: the run failed",
           BIT(ANALYSE), SETS(outputs), .shown.completes = TESSERA_COMPLETES_FILE),
    OPTION("output-column", LIST, "NAME", "analyse this column of the outputs; may be repeated (all columns)",
           BIT(ANALYSE), SETS(output_columns), GIVEN(output_column_count)),
    OPTION("scaled", FLAG, NULL, "morris: effects in standard deviations of the trajectory, free of units",
           BIT(ANALYSE), SETS(scaled), .part = TS_PART_OPTIONS),
    OPTION("estimator", WORD, "NAME", "vbd: how S1 is estimated: saltelli (the default), jansen, janon or martinez",
           BIT(ANALYSE), SETS(estimator), .part = TS_PART_OPTIONS, .shown.choices = estimator_words,
           .shown.completes = TESSERA_COMPLETES_CHOICES),
    OPTION("resamples", COUNT, "R", "how often the runs are drawn again for the intervals (bootstrap); 0: no intervals",
           BIT(ANALYSE), SETS(resamples), GIVEN(has_resamples), .part = TS_PART_OPTIONS, .shown.most = MAX_RESAMPLES),
    OPTION("confidence", REAL, "SHARE", "of the intervals (0.95)", BIT(ANALYSE), SETS(confidence),
           .part = TS_PART_OPTIONS, .shown.above = 0, .shown.below = 1),
    OPTION("interval", WORD, "KIND", "percentile (of the resamples) or normal (index +- z standard deviations)",
           BIT(ANALYSE), SETS(interval), .part = TS_PART_OPTIONS, .shown.choices = interval_words,
           .shown.completes = TESSERA_COMPLETES_CHOICES),
    OPTION("convergence", FLAG, NULL, "also the indices from an eighth, a quarter and a half of the runs", BIT(ANALYSE),
           SETS(convergence), .part = TS_PART_OPTIONS),
    OPTION("harmonics", COUNT, "M", "fast, rbd-fast: how many harmonics count as the effect of a parameter", ANY_MODEL,
           SETS(harmonics), .part = TS_PART_OPTIONS, .shown.least = 1, .shown.most = MAX_SETTING),
    OPTION("slices", COUNT, "N", "pawn, delta, given-data: parts that the range of a parameter is cut into",
           BIT(ANALYSE), SETS(slices), .part = TS_PART_OPTIONS, .shown.least = 2, .shown.most = MAX_SETTING),
    OPTION("degree", COUNT, "N", "pce: largest degree of the polynomials", BIT(ANALYSE), SETS(degree),
           .part = TS_PART_OPTIONS, .shown.least = 1, .shown.most = MAX_SETTING),
    OPTION("step", REAL, "SHARE", "dgsm: size of the small step, as a share of the range (0.01)", ANY_MODEL, SETS(step),
           .part = TS_PART_OPTIONS, .shown.above = 0, .shown.below = 1),
    OPTION("processors", COUNT, "P", "how many identical processors there are", BIT(SCHEDULE), SETS(processors),
           .shown.least = 1, .shown.most = MAX_PROCESSORS),
    OPTION("ports", COUNT, "K", "transfers that a processor can do at once, sent and received together (1)",
           BIT(SCHEDULE), SETS(ports), .shown.least = 1, .shown.most = MAX_PROCESSORS),
    OPTION("throughput", TEXT, "T",
           "items per unit of time that are needed at least: 0.05, 1/18, or for a graph in seconds 4/s, 30/min",
           BIT(SCHEDULE), SETS(throughput)),
    OPTION("throughput-fraction", TEXT, "SHARE",
           "the same as a share of the largest throughput that the processors allow, from 0 to 1", BIT(SCHEDULE),
           SETS(throughput_fraction)),
    OPTION("latency", TEXT, "L",
           "most time from the arrival of an item to its result: 56, or for a graph in seconds 2s, 300ms",
           BIT(SCHEDULE), SETS(latency)),
    OPTION("algorithm", TEXT, "NAME",
           "'schedule': mos (the default), fcp, fcp-e, expert, expert-e or heft; 'tune': names of tuners, separated by "
           "commas ('tessera list' shows all)",
           BIT(SCHEDULE) | BIT(TUNE), SETS(algorithm), .shown.completes = TESSERA_COMPLETES_METHOD),
    OPTION("fewest-processors", FLAG, NULL, "use as few processors as the demands allow, at most P", BIT(SCHEDULE),
           SETS(fewest_processors)),
    OPTION("refine", REAL, "SECONDS", "go on with a local search for this much CPU time; never makes a schedule worse",
           BIT(SCHEDULE), SETS(refine_s), .shown.above = 0, .shown.below = MAX_REFINE_S),
    OPTION("no-replication", FLAG, NULL, "a cluster runs on one processor: items must be processed in order",
           BIT(SCHEDULE), SETS(no_replication)),
    OPTION("no-duplication", FLAG, NULL, "every task is computed once per item", BIT(SCHEDULE), SETS(no_duplication)),
    OPTION("literal", FLAG, NULL,
           "mos as its paper has it: every candidate of it, and not the one with all tasks in one cluster",
           BIT(SCHEDULE), SETS(literal)),
    OPTION("bandwidth", REAL, "RATE", "bytes per second of a link, where the graph has sizes instead of times (125e6)",
           BIT(SCHEDULE), SETS(bandwidth), .shown.above = 0, .shown.below = 1e300),
    OPTION("svg", TEXT, "FILE", "draw one period of the schedule, and the graph with its clusters, into an SVG file",
           BIT(SCHEDULE), SETS(picture), .shown.completes = TESSERA_COMPLETES_FILE),
    OPTION("wfformat", TEXT, "FILE", "write the graph as WfFormat 1.5", BIT(SCHEDULE), SETS(wfformat),
           .shown.completes = TESSERA_COMPLETES_FILE),
    OPTION("table", TEXT, "FILE",
           "recorded runs, .csv or .csv.gz: a column for each parameter and the objective, a row per configuration",
           BIT(TUNE), SETS(table), .shown.completes = TESSERA_COMPLETES_FILE),
    OPTION("objective", LIST, "COLUMN",
           "the column to tune; repeated: further columns that were measured and are not parameters", BIT(TUNE),
           SETS(objectives), GIVEN(objective_count)),
    OPTION("minimise", FLAG, NULL, "low is good (the default)", BIT(TUNE), SETS(minimise)),
    OPTION("maximise", FLAG, NULL, "high is good", BIT(TUNE), SETS(maximise)),
    OPTION("ignore", LIST, "COLUMN", "a column that is neither a parameter nor the objective; may be repeated",
           BIT(TUNE), SETS(ignored), GIVEN(ignored_count)),
    OPTION("component", SETTING, "NAME=FILE",
           "recorded runs of a component alone, with the same column names; may be repeated", BIT(TUNE),
           SETS(components), GIVEN(component_count), .shown.completes = TESSERA_COMPLETES_FILE),
    OPTION("combine", WORD, "HOW",
           "what components make of the workflow: max (times), sum (core-hours, energy) or min (throughputs)",
           BIT(TUNE), SETS(combine), .shown.choices = (const char *const[]){"max", "sum", "min", NULL},
           .shown.completes = TESSERA_COMPLETES_CHOICES),
    OPTION("history", FLAG, NULL,
           "the recorded runs of components cost nothing; without it, those that a tuner takes are charged", BIT(TUNE),
           SETS(history)),
    OPTION("budget", REAL, "RUNS", "runs of the workflow (50); one run of every component alone counts as one",
           BIT(TUNE), SETS(budget), .shown.above = 0, .shown.below = 1e6),
    OPTION("seeds", COUNT, "N",
           "how often to replay, each time with another seed, the same ones for every algorithm (100)", BIT(TUNE),
           SETS(seeds), .shown.least = 1, .shown.most = 1000000),
    OPTION("first-seed", SEED, "N", "the first of the seeds (1)", BIT(TUNE), SETS(first_seed), GIVEN(has_first_seed)),
    OPTION("expert", REAL, "VALUE", "the objective without tuning, to compute after how many uses tuning has paid off",
           BIT(TUNE), SETS(expert), GIVEN(has_expert), .shown.above = -1e300, .shown.below = 1e300),
    OPTION("random-share", REAL, "SHARE", "share of the budget for the first, random runs, instead of the tuner's own",
           BIT(TUNE), SETS(random_share), .shown.above = 0, .shown.below = 1),
    OPTION("component-share", REAL, "SHARE",
           "share of the budget for runs of components alone, instead of the tuner's own", BIT(TUNE),
           SETS(component_share), .shown.above = 0, .shown.below = 1),
    OPTION("batches", COUNT, "N", "how many batches the guided runs come in, instead of the tuner's own number",
           BIT(TUNE), SETS(batches), .shown.least = 1, .shown.most = 1000000),
    OPTION("no-confirmation", FLAG, NULL, "keep no run for the predicted best: the tuner chooses all of them",
           BIT(TUNE), SETS(no_confirmation)),
    OPTION("pretrain", FLAG, NULL, "ceal: train its model on the random runs before it is first compared", BIT(TUNE),
           SETS(pretrain)),
    OPTION("adaptive-random", FLAG, NULL, "ceal: half of the random runs only where its model fails on its favourite",
           BIT(TUNE), SETS(adaptive_random)),
    OPTION("trajectories", COUNT, "N", "walks through the parameter space, instead of the study's number", DESIGNING,
           SETS(trajectories), .part = TS_PART_OPTIONS, .shown.least = 1, .shown.most = MAX_TRAJECTORIES),
    OPTION("until", TEXT, "CONDITION",
           "add runs until 'ci(mu_star) < 0.05' (half widths of intervals, as a share of the largest index) or "
           "'rank(3)' (the first three ranks do not overlap)",
           DESIGNING, SETS(until), .part = TS_PART_OPTIONS),
    OPTION("max-runs", COUNT, "N", "most runs in all (with --until: 20 times those of the first round)", DESIGNING,
           SETS(max_runs), .part = TS_PART_OPTIONS, .shown.least = 1, .shown.most = MAX_POINTS),
    OPTION("keep", TEXT, "NAMES",
           "two-phase: parameters of the second phase, separated by commas, instead of those that the screening keeps",
           DESIGNING, SETS(keep), .part = TS_PART_OPTIONS),
    OPTION("seed", SEED, "N",
           "seed of the random numbers ('study' and 'plan': instead of the study's; 'schedule': of --refine)",
           DESIGNING | ANY_MODEL | BIT(SCHEDULE), SETS(seed), GIVEN(has_seed), .part = TS_PART_OPTIONS),
    OPTION(
        "design", TEXT, "FILE",
        "parameter sets in a CSV file: a header with names, a row per run ('study' and 'plan': instead of a method's)",
        DESIGNING | BIT(ANALYSE), SETS(design), .part = TS_PART_PLACES, .shown.completes = TESSERA_COMPLETES_FILE),
    OPTION("data", LIST, "FILE-OR-FOLDER",
           "data instead of the file's: images, a folder of them, a pattern or a manifest (CSV); 'init': the data that "
           "the "
           "project is for; may be repeated",
           PLANNING | BIT(CHECK) | BIT(INIT), SETS(data), GIVEN(data_count), .part = TS_PART_PLACES,
           .shown.completes = TESSERA_COMPLETES_FILE),
    OPTION("truth", TEXT, "PATTERN",
           "with --data: which files show the truth, '*' standing for the name of the image, such as '*_labels.png' or "
           "'masks/*.png'; without it the usual names are tried",
           BIT(INIT), SETS(truth), .shown.completes = TESSERA_COMPLETES_FILE),
    OPTION("image", LIST, "FILE", "image to measure on, instead of a synthetic one", BIT(BENCH), SETS(data),
           GIVEN(data_count), .part = TS_PART_PLACES, .shown.completes = TESSERA_COMPLETES_FILE),
    OPTION("tile", PIXELS, "N", "width and height of tiles in pixels; 0: whole images", PLANNING | BIT(CHECK),
           SETS(tile_px), GIVEN(has_tile), .part = TS_PART_OPTIONS, .shown.most = MAX_TILE_PX),
    OPTION("tissue", WORD, "auto|on|off",
           "leave out tiles without tissue: of large RGB images without truth (auto; the default), of all RGB images "
           "(on), of none (off); instead of the study's choice",
           PLANNING, SETS(tissue), .part = TS_PART_OPTIONS, .shown.choices = tissue_words,
           .shown.completes = TESSERA_COMPLETES_CHOICES),
    OPTION("merge", WORD, "LEVEL",
           "what runs may share: none (nothing), stage (whole stages), lineage (every task; the default); for "
           "--workers and 'plan' also groups of stages: naive, sca, rtma, trtma",
           PLANNING, SETS(merge), .part = TS_PART_SETTINGS, .shown.choices = merge_words,
           .shown.completes = TESSERA_COMPLETES_CHOICES),
    OPTION("canonical", SWITCH, "on|off",
           "whether values that mean the same to an operation count as equal (on), or as given (off)", BIT(PLAN),
           SETS(raw_values), .shown.choices = switch_words, .part = TS_PART_SETTINGS,
           .shown.completes = TESSERA_COMPLETES_CHOICES),
    OPTION("max-bucket-size", COUNT, "N", "most runs of a stage in a bucket, for naive, sca and rtma (10)", PLANNING,
           SETS(max_bucket_size), .part = TS_PART_SETTINGS, .shown.least = 1, .shown.most = MAX_BUCKETS),
    OPTION("max-buckets", COUNT, "N",
           "most buckets of a stage in each tile, for trtma (three for each worker) and lineage (one; more where tiles "
           "are few)",
           PLANNING, SETS(max_buckets), .part = TS_PART_SETTINGS, .shown.least = 1, .shown.most = MAX_BUCKETS),
    OPTION("max-bucket-memory", BYTES, "SIZE",
           "most bytes of products alive at once in a bucket, such as 800M or 2G, for trtma and lineage: more buckets "
           "where they would need more (no limit)",
           BIT(PLAN), SETS(max_bucket_bytes), .part = TS_PART_SETTINGS),
    OPTION("keys", WORD, "chain|dag",
           "tasks of a bucket are equal if all before them are too (chain), or if their inputs are (dag)", PLANNING,
           SETS(keys), .part = TS_PART_SETTINGS, .shown.choices = key_words,
           .shown.completes = TESSERA_COMPLETES_CHOICES),
    OPTION("cost", TEXT, "unit|model|FILE",
           "what tasks cost, for the balance of buckets and the predicted time: 1 each (unit), what the store has "
           "learnt (model; the default once it knows them all), or seconds from a JSON file {\"stage.task\": s}",
           PLANNING, SETS(cost), .part = TS_PART_PLACES, .shown.completes = TESSERA_COMPLETES_FILE),
    OPTION("compare", FLAG, NULL, "show every way to merge, or every algorithm, side by side",
           BIT(PLAN) | BIT(SCHEDULE), SETS(compare)),
    OPTION("picture", TEXT, "FILE",
           "draw the buckets of the most expensive stage into an SVG file; with --compare, those of every way to merge",
           BIT(PLAN), SETS(picture), .shown.completes = TESSERA_COMPLETES_FILE),
    OPTION("no-cutoff", FLAG, NULL, "share tasks by their origin only, not by equal results", PLANNING, SETS(no_cutoff),
           .part = TS_PART_SETTINGS),
    OPTION("no-parts", FLAG, NULL, "compute equal parts of a tile, such as objects, again in every task that has them",
           RUNNING, SETS(no_parts), .part = TS_PART_SETTINGS),
    OPTION("no-reuse", FLAG, NULL, "compute everything for every run; the store is neither read nor written", PLANNING,
           SETS(no_reuse), .part = TS_PART_SETTINGS),
    OPTION("resume", OPTIONAL, "ID",
           "continue an unfinished run of the same file: the last one, or the one with these 8 digits", RUNNING,
           SETS(resume_id), GIVEN(resume), .shown.completes = TESSERA_COMPLETES_RUN, .belongs = is_run_id),
    OPTION("dry-run", FLAG, NULL, "say what would be done, as 'plan' does, and do nothing", RUNNING, SETS(dry_run),
           .shown.letter = 'n'),
    OPTION("run", TEXT, "RUN", "the run to look at, instead of the last one", BIT(EXPLAIN), SETS(run),
           .shown.completes = TESSERA_COMPLETES_RUN),
    OPTION("report", TEXT, "FILE", "also write a page (HTML) with tables and pictures", BIT(COMPARE), SETS(report),
           .shown.completes = TESSERA_COMPLETES_FILE),
    OPTION("recompute", FLAG, NULL,
           "'verify': also repeat the recorded runs from their data, and remove records that come out otherwise",
           BIT(STORE), SETS(recompute)),
    OPTION("keep-runs", COUNT, "N", "'gc': keep what the last N finished runs use", BIT(STORE), SETS(keep_runs),
           GIVEN(has_keep_runs), .shown.most = MAX_POINTS),
    OPTION("older-than", TEXT, "AGE",
           "'gc': keep what finished runs use that ended within this age, such as 30d, 12h or 2w", BIT(STORE),
           SETS(older_than)),
    OPTION("to", BYTES, "SIZE",
           "'gc': remove only until the store takes this much, such as 20G: first what no run uses, then what is "
           "cheapest to compute again for its bytes",
           BIT(STORE), SETS(to_bytes)),
    OPTION("drop", LIST, "RUN", "'gc': an unfinished run that need not be continued; may be repeated", BIT(STORE),
           SETS(dropped), GIVEN(dropped_count), .shown.completes = TESSERA_COMPLETES_RUN),
    OPTION("output", TEXT, "PATH",
           "where results go: a folder for 'run', 'study', 'call' and 'new', a file for 'report', 'sample' and "
           "'schedule'; "
           "for 'analyse' a table (.csv), the reply (.json) or a page with plots (.html), by its ending",
           RUNNING | BIT(CHECK) | BIT(REPORT) | ANY_MODEL | BIT(SCHEDULE) | BIT(CALL) | BIT(NEW), SETS(output),
           .shown.letter = 'o', .part = TS_PART_PLACES, .shown.completes = TESSERA_COMPLETES_FILE),
    OPTION("jobs", COUNT, "N", "tasks at once; 0: one for each CPU (the default)",
           PLANNING | BIT(CHECK) | BIT(BENCH) | BIT(ANALYSE) | BIT(TUNE) | BIT(STORE), SETS(threads),
           .shown.letter = 'j', .part = TS_PART_SETTINGS, .shown.most = MAX_THREADS),
    OPTION("workers", COUNT, "N",
           "let N processes of this machine do the work, which share only the store; --jobs then says how many tasks "
           "each does at once (its share of the CPUs). 'plan' predicts for them",
           PLANNING, SETS(workers), .part = TS_PART_SETTINGS, .shown.least = 1, .shown.most = MAX_WORKERS),
    OPTION("data-root", LIST, "DIR", "find the data of a recorded run below this folder, by content; may be repeated",
           RUNNING | BIT(COMPARE) | BIT(STORE) | BIT(WORKER), SETS(data_roots), GIVEN(data_root_count),
           .shown.completes = TESSERA_COMPLETES_FOLDER),
    OPTION("operations", LIST, "DIR",
           "find the plugins and commands of a recorded run in this folder, by content; may be repeated",
           BIT(COMPARE) | BIT(STORE) | BIT(WORKER), SETS(operations), GIVEN(operations_count),
           .shown.completes = TESSERA_COMPLETES_FOLDER),
    OPTION("operations", LIST, "FILE", "a plugin (.so) or manifest (.json) that has the operation; may be repeated",
           BIT(CALL), SETS(operations), GIVEN(operations_count), .shown.completes = TESSERA_COMPLETES_FILE),
    OPTION("keep", OPTIONAL, "DIR",
           "leave the folder of the call to look at: this new one (a name with a dot needs ./ before it), or 'call' in "
           "that of the outputs",
           BIT(CALL), SETS(keep_folder), GIVEN(has_keep_folder), .shown.completes = TESSERA_COMPLETES_FOLDER,
           .belongs = is_folder_name),
    OPTION("has", TEXT, "LIST", "what this machine has for operations that need it, such as gpu=1,memory=8G,site=a",
           RUNNING, SETS(has), .part = TS_PART_SETTINGS),
    OPTION("lease", COUNT, "S",
           "with --workers: a process that does not answer for S seconds loses its work; 0: 10 (the default)", RUNNING,
           SETS(lease_s), .part = TS_PART_SETTINGS, .shown.most = 86400),
    OPTION("connect", TEXT, "ID@SOCKET",
           "the name that the process that started this one gave it, and where that process listens", BIT(WORKER),
           SETS(connect)),
    OPTION("threads", COUNT, "N", "another name for --jobs", BIT(BENCH), SETS(threads), .part = TS_PART_SETTINGS,
           .shown.most = MAX_THREADS),
    OPTION("store", TEXT, "FOLDER", "where products and records are kept (.tessera); 'memory' keeps nothing",
           PLANNING | BIT(CHECK) | LOOKING_BACK, SETS(store), .shown.completes = TESSERA_COMPLETES_FOLDER),
    PROGRAM_OPTION("progress", WORD, "HOW", "auto, plain (a line now and then), json (a line for each task) or none",
                   PLANNING | BIT(CHECK) | ANY_MODEL | BIT(TUNE) | BIT(STORE), .shown.choices = progress_words,
                   .shown.completes = TESSERA_COMPLETES_CHOICES),
    OPTION("memory", BYTES, "SIZE",
           "most memory for pixels, such as 800M or 2G; products that do not fit are written to the store or computed "
           "again (70 % of the machine)",
           PLANNING | BIT(CHECK) | BIT(STORE), SETS(memory_bytes), .part = TS_PART_SETTINGS),
    OPTION("scratch", BYTES, "SIZE",
           "most disk space for temporary files, such as 20G; an image that must be decoded whole and needs more is "
           "refused before it is read (4 times the memory)",
           PLANNING | BIT(CHECK), SETS(scratch_bytes), .part = TS_PART_SETTINGS),
    OPTION("trace", TEXT, "FILE",
           "write when each task ran, and on which thread, for Perfetto (ui.perfetto.dev) or chrome://tracing", RUNNING,
           SETS(trace), .shown.completes = TESSERA_COMPLETES_FILE),
    OPTION("folder", TEXT, "DIR", "work in this folder; other paths are relative to it", TS_COMMAND_ANY_BITS,
           SETS(folder), .shown.letter = 'C', .shown.completes = TESSERA_COMPLETES_FOLDER),
    PROGRAM_OPTION("json", FLAG, NULL, "write one JSON object to standard output instead of text",
                   TS_COMMAND_ANY_BITS & ~TEXT_ONLY),
    PROGRAM_OPTION("quiet", FLAG, NULL, "no progress, warnings or hints; results and errors only", TS_COMMAND_ANY_BITS,
                   .shown.letter = 'q'),
    PROGRAM_OPTION("verbose", TALLY, NULL,
                   "say more, and after 'run' and 'study' where the time went; twice: say everything",
                   TS_COMMAND_ANY_BITS, .shown.letter = 'v'),
    PROGRAM_OPTION("color", WORD, "WHEN", "auto (on a terminal), always or never", TS_COMMAND_ANY_BITS,
                   .shown.choices = color_words, .shown.completes = TESSERA_COMPLETES_CHOICES),
    OPTION("yes", FLAG, NULL, "do it: 'store gc' removes what it otherwise only lists; nothing else asks",
           TS_COMMAND_ANY_BITS, SETS(yes)),
    PROGRAM_OPTION("help", FLAG, NULL, "show the help of the command", TS_COMMAND_ANY_BITS, .shown.letter = 'h'),
    PROGRAM_OPTION("version", FLAG, NULL, "show the version", TS_COMMAND_ANY_BITS),
};
const size_t ts_option_row_count = sizeof ts_option_rows / sizeof ts_option_rows[0];
