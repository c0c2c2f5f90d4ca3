/* The option table: every option of every command, once.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli/arguments.h"
#include "cli/commands.h"

#include <string.h>

#define FIELD(member) offsetof(struct ts_arguments, member)

#define BIT(name)    TS_COMMAND_BIT(TS_COMMAND_##name)
#define RUNNING      (BIT(RUN) | BIT(STUDY))
#define PLANNING     (BIT(PLAN) | RUNNING)
#define DESIGNING    (BIT(PLAN) | BIT(STUDY))
#define TEXT_ONLY    (BIT(COMPLETION) | BIT(HELP) | BIT(MAN) | BIT(WORDS))
#define LOOKING_BACK (BIT(STATUS) | BIT(LOG) | BIT(EXPLAIN) | BIT(REPORT))

#define MAX_THREADS      4096
#define MAX_TRAJECTORIES 1000000
#define MAX_TILE_PX      1048576
#define MAX_BUCKETS      1000000000

static const char *const color_words[] = {"auto", "always", "never", NULL};
static const char *const progress_words[] = {"auto", "plain", "json", "none", NULL};
static const char *const merge_words[] = {"none", "stage", "naive", "sca", "rtma", "trtma", "lineage", NULL};
static const char *const key_words[] = {"chain", "dag", NULL};
static const char *const switch_words[] = {"on", "off", NULL};
static const char *const method_words[] = {"morris", NULL};

/* 8 hexadecimal digits: anything else behind --resume is a file. */
static bool is_run_id(const char *word) { return strlen(word) == 8 && strspn(word, "0123456789abcdef") == 8; }

/* A plain word: what has a dot or a slash is the folder that init is to make. */
static bool is_demo_name(const char *word) {
  return *word != '\0' && *word != '-' && strspn(word, "abcdefghijklmnopqrstuvwxyz0123456789-_") == strlen(word);
}

/* In the order of the help. Common ones last. */
const struct ts_option ts_options[] = {
    {.name = "demo",
     .kind = TS_OPTION_OPTIONAL,
     .argument = "NAME",
     .help = "start from a demo with data, workflow and study (nuclei)",
     .commands = BIT(INIT),
     .field = FIELD(request.demo),
     .given = FIELD(demo_wanted),
     .completes = TS_COMPLETES_DEMO,
     .belongs = is_demo_name},
    {.name = "show-config",
     .kind = TS_OPTION_FLAG,
     .help = "show every setting and where it comes from, instead of checking",
     .commands = BIT(CHECK),
     .field = FIELD(show_config)},
    {.name = "parameter",
     .letter = 'p',
     .kind = TS_OPTION_SETTING,
     .argument = "NAME=VALUE",
     .help = "give a parameter another value than its default; may be repeated",
     .commands = BIT(RUN) | BIT(PLAN),
     .field = FIELD(settings)},
    {.name = "only",
     .kind = TS_OPTION_TEXT,
     .argument = "STAGE",
     .help = "run one stage alone, on the data as it is",
     .commands = BIT(RUN) | BIT(PLAN),
     .field = FIELD(request.only_stage)},
    {.name = "overlay",
     .kind = TS_OPTION_FLAG,
     .help = "also write each image with the outlines of its masks",
     .commands = BIT(RUN),
     .field = FIELD(request.overlays)},
    {.name = "method",
     .kind = TS_OPTION_WORD,
     .argument = "NAME",
     .help = "how parameter sets are drawn and judged (morris), instead of the study's way",
     .commands = DESIGNING,
     .field = FIELD(request.method),
     .choices = method_words,
     .completes = TS_COMPLETES_CHOICES},
    {.name = "trajectories",
     .kind = TS_OPTION_COUNT,
     .argument = "N",
     .help = "walks through the parameter space, instead of the study's number",
     .commands = DESIGNING,
     .field = FIELD(request.trajectories),
     .least = 1,
     .most = MAX_TRAJECTORIES},
    {.name = "seed",
     .kind = TS_OPTION_SEED,
     .argument = "N",
     .help = "seed of the random numbers, instead of the study's",
     .commands = DESIGNING,
     .field = FIELD(request.seed),
     .given = FIELD(request.has_seed)},
    {.name = "design",
     .kind = TS_OPTION_TEXT,
     .argument = "FILE",
     .help = "parameter sets from a CSV file (a header with names, a row per run) instead of a method's",
     .commands = DESIGNING,
     .field = FIELD(request.design),
     .completes = TS_COMPLETES_FILE},
    {.name = "data",
     .kind = TS_OPTION_LIST,
     .argument = "FILE-OR-FOLDER",
     .help = "data instead of the file's: a file, a folder or a pattern; may be repeated",
     .commands = PLANNING | BIT(CHECK),
     .field = FIELD(data),
     .completes = TS_COMPLETES_FILE},
    {.name = "image",
     .kind = TS_OPTION_LIST,
     .argument = "FILE",
     .help = "image to measure on, instead of a synthetic one",
     .commands = BIT(BENCH),
     .field = FIELD(data),
     .completes = TS_COMPLETES_FILE},
    {.name = "tile",
     .kind = TS_OPTION_PIXELS,
     .argument = "N",
     .help = "width and height of tiles in pixels; 0: whole images",
     .commands = PLANNING | BIT(CHECK),
     .field = FIELD(request.tile_px),
     .given = FIELD(request.has_tile),
     .most = MAX_TILE_PX},
    {.name = "merge",
     .kind = TS_OPTION_WORD,
     .argument = "LEVEL",
     .help =
         "what runs may share: none (nothing), stage (whole stages), lineage (every task; the default); 'plan' also "
         "groups stages for workers that do not share memory: naive, sca, rtma, trtma",
     .commands = PLANNING,
     .field = FIELD(request.merge),
     .choices = merge_words,
     .completes = TS_COMPLETES_CHOICES},
    {.name = "canonical",
     .kind = TS_OPTION_WORD,
     .argument = "on|off",
     .help = "whether values that mean the same to an operation count as equal (on), or as given (off)",
     .commands = BIT(PLAN),
     .field = FIELD(canonical),
     .choices = switch_words,
     .completes = TS_COMPLETES_CHOICES},
    {.name = "max-bucket-size",
     .kind = TS_OPTION_COUNT,
     .argument = "N",
     .help = "most runs of a stage in a bucket, for naive, sca and rtma (10)",
     .commands = BIT(PLAN),
     .field = FIELD(request.max_bucket_size),
     .least = 1,
     .most = MAX_BUCKETS},
    {.name = "max-buckets",
     .kind = TS_OPTION_COUNT,
     .argument = "N",
     .help = "most buckets of a stage in each tile, for trtma (three for each worker, see --jobs) and lineage (none)",
     .commands = BIT(PLAN),
     .field = FIELD(request.max_buckets),
     .least = 1,
     .most = MAX_BUCKETS},
    {.name = "keys",
     .kind = TS_OPTION_WORD,
     .argument = "chain|dag",
     .help = "tasks of a bucket are equal if all before them are too (chain), or if what they read is (dag)",
     .commands = BIT(PLAN),
     .field = FIELD(request.keys),
     .choices = key_words,
     .completes = TS_COMPLETES_CHOICES},
    {.name = "cost",
     .kind = TS_OPTION_TEXT,
     .argument = "unit|FILE",
     .help = "what buckets are balanced by: every task costs 1 (unit), or seconds from a JSON file {\"stage.task\": s}",
     .commands = BIT(PLAN),
     .field = FIELD(request.cost),
     .completes = TS_COMPLETES_FILE},
    {.name = "compare",
     .kind = TS_OPTION_FLAG,
     .help = "show every way to merge side by side",
     .commands = BIT(PLAN),
     .field = FIELD(request.compare)},
    {.name = "no-cutoff",
     .kind = TS_OPTION_FLAG,
     .help = "share tasks by what they were made from only, not by what came out",
     .commands = PLANNING,
     .field = FIELD(request.no_cutoff)},
    {.name = "no-reuse",
     .kind = TS_OPTION_FLAG,
     .help = "compute everything for every run; the store is neither read nor written",
     .commands = PLANNING,
     .field = FIELD(request.no_reuse)},
    {.name = "resume",
     .kind = TS_OPTION_OPTIONAL,
     .argument = "ID",
     .help = "continue an unfinished run of the same file: the last one, or the one with these 8 digits",
     .commands = RUNNING,
     .field = FIELD(request.resume_id),
     .given = FIELD(request.resume),
     .completes = TS_COMPLETES_RUN,
     .belongs = is_run_id},
    {.name = "dry-run",
     .letter = 'n',
     .kind = TS_OPTION_FLAG,
     .help = "say what would be done, as 'plan' does, and do nothing",
     .commands = RUNNING,
     .field = FIELD(dry_run)},
    {.name = "run",
     .kind = TS_OPTION_TEXT,
     .argument = "RUN",
     .help = "the run to look at, instead of the last one",
     .commands = BIT(EXPLAIN),
     .field = FIELD(request.run),
     .completes = TS_COMPLETES_RUN},
    {.name = "output",
     .letter = 'o',
     .kind = TS_OPTION_TEXT,
     .argument = "PATH",
     .help = "where results go: a folder for 'run' and 'study', a file for 'report'",
     .commands = RUNNING | BIT(REPORT),
     .field = FIELD(request.output),
     .completes = TS_COMPLETES_FILE},
    {.name = "jobs",
     .letter = 'j',
     .kind = TS_OPTION_COUNT,
     .argument = "N",
     .help = "tasks at once; 0: one for each CPU (the default)",
     .commands = PLANNING | BIT(CHECK) | BIT(BENCH),
     .field = FIELD(request.threads),
     .given = FIELD(has_jobs),
     .most = MAX_THREADS},
    {.name = "threads",
     .kind = TS_OPTION_COUNT,
     .argument = "N",
     .help = "another name for --jobs",
     .commands = BIT(BENCH),
     .field = FIELD(request.threads),
     .given = FIELD(has_jobs),
     .most = MAX_THREADS},
    {.name = "store",
     .kind = TS_OPTION_TEXT,
     .argument = "FOLDER",
     .help = "where products and records are kept (.tessera); 'memory' keeps nothing",
     .commands = PLANNING | BIT(CHECK) | LOOKING_BACK,
     .field = FIELD(request.store),
     .completes = TS_COMPLETES_FOLDER},
    {.name = "progress",
     .kind = TS_OPTION_WORD,
     .argument = "HOW",
     .help = "auto, plain (a line now and then), json (a line for each task) or none",
     .commands = RUNNING | BIT(CHECK),
     .field = FIELD(progress),
     .choices = progress_words,
     .completes = TS_COMPLETES_CHOICES},
    {.name = "memory",
     .kind = TS_OPTION_BYTES,
     .argument = "SIZE",
     .help = "most memory for pixels, such as 800M or 2G; what does not fit is written to the store or computed again "
             "(70 % of the machine)",
     .commands = RUNNING,
     .field = FIELD(request.memory_bytes)},
    {.name = "trace",
     .kind = TS_OPTION_TEXT,
     .argument = "FILE",
     .help = "write when each task ran, and on which thread, for Perfetto (ui.perfetto.dev) or chrome://tracing",
     .commands = RUNNING,
     .field = FIELD(request.trace),
     .completes = TS_COMPLETES_FILE},
    {.name = "folder",
     .letter = 'C',
     .kind = TS_OPTION_TEXT,
     .argument = "DIR",
     .help = "work in this folder; other paths are relative to it",
     .commands = TS_COMMAND_ANY_BITS,
     .field = FIELD(change_folder),
     .completes = TS_COMPLETES_FOLDER},
    {.name = "json",
     .kind = TS_OPTION_FLAG,
     .help = "write one JSON object to standard output instead of text",
     .commands = TS_COMMAND_ANY_BITS & ~TEXT_ONLY,
     .field = FIELD(json)},
    {.name = "quiet",
     .letter = 'q',
     .kind = TS_OPTION_FLAG,
     .help = "no progress, warnings or hints; results and errors only",
     .commands = TS_COMMAND_ANY_BITS,
     .field = FIELD(quiet)},
    {.name = "verbose",
     .letter = 'v',
     .kind = TS_OPTION_TALLY,
     .help = "say more, and after 'run' and 'study' where the time went; twice: say everything",
     .commands = TS_COMMAND_ANY_BITS,
     .field = FIELD(verbose)},
    {.name = "color",
     .kind = TS_OPTION_WORD,
     .argument = "WHEN",
     .help = "auto (on a terminal), always or never",
     .commands = TS_COMMAND_ANY_BITS,
     .field = FIELD(color),
     .choices = color_words,
     .completes = TS_COMPLETES_CHOICES},
    {.name = "yes",
     .kind = TS_OPTION_FLAG,
     .help = "answer questions with yes (no command of this version asks any)",
     .commands = TS_COMMAND_ANY_BITS,
     .field = FIELD(yes)},
    {.name = "help",
     .letter = 'h',
     .kind = TS_OPTION_FLAG,
     .help = "show the help of the command",
     .commands = TS_COMMAND_ANY_BITS,
     .field = FIELD(help)},
    {.name = "version",
     .kind = TS_OPTION_FLAG,
     .help = "show the version",
     .commands = TS_COMMAND_ANY_BITS,
     .field = FIELD(version)},
};
const size_t ts_option_count = sizeof ts_options / sizeof ts_options[0];

bool ts_option_applies(const struct ts_option *option, const struct ts_cli_command *command) {
  return (option->commands & TS_COMMAND_BIT(ts_cli_command_id(command))) != 0;
}

bool ts_option_is_common(const struct ts_option *option) {
  for (size_t i = 0; i < TS_COMMAND_COUNT; i++) {
    if (ts_cli_commands[i].call && !ts_option_applies(option, &ts_cli_commands[i])) return false;
  }
  return true;
}

const struct ts_option *ts_option_find(const char *name, size_t length) {
  for (size_t i = 0; i < ts_option_count; i++) {
    if (strlen(ts_options[i].name) == length && memcmp(ts_options[i].name, name, length) == 0) return &ts_options[i];
  }
  return NULL;
}

const struct ts_option *ts_option_find_letter(char letter) {
  for (size_t i = 0; i < ts_option_count; i++) {
    if (ts_options[i].letter == letter && letter != '\0') return &ts_options[i];
  }
  return NULL;
}
