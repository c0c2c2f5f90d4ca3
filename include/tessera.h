/* libtessera: parameter studies over data-analysis workflows that never compute the same thing twice.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Every call takes a request (TESSERA_REQUEST_INIT; zero is the default for every field), gives back one JSON object as
 * text, and returns what the program would exit with: 0 done; 1 tasks failed; 2 usage; 3 invalid input; 4 finished, but
 * a target was not met; 5 store or worker trouble; 130 or 143 stopped by a signal, state saved. The object has a
 * "schema" ("tessera.study/2"); fields are added, never renamed. Whenever something is wrong it also has "faults":
 * [{"code": 203, "text", "file", "line", "column", "path", "help"}], all that were found; "warnings" is a list of
 * texts. Texts are UTF-8. The reply is owned by the caller: tessera_reply_free. Calls may be made from several threads.
 * */
#ifndef TESSERA_H
#define TESSERA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TS_PUBLIC __attribute__((visibility("default")))

/* How far a stage has come. Borrowed for the call. */
struct ts_stage_progress {
  size_t size_bytes; /* of this struct in the library: tessera_stage() finds the next one */
  const char *name;
  uint64_t total; /* distinct tasks to settle, reference run included */
  uint64_t done;  /* settled: executed, cut off, found in the store, failed or skipped */
  uint64_t running;
  uint64_t reused; /* requested but not executed, at any level */
  uint64_t failed;
};

struct ts_progress {
  size_t size_bytes; /* of this struct in the library; fields are added at the end */
  const char *event; /* "run_begin", "task_done", "run_end"; "progress" in sample and analyse, which have no tasks */
  const char *run;   /* 8 hex digits; "" if the run is not recorded */
  double elapsed_s;
  double left_s; /* estimate; negative: unknown */
  size_t threads;
  const struct ts_stage_progress *stages; /* see tessera_stage() */
  size_t stage_count;
  /* task_done only */
  const char *stage;
  const char *task;    /* "segment.split" */
  const char *key;     /* first digits of the key */
  const char *outcome; /* "executed", "cutoff", "store", "failed", "skipped" */
  const char *file;
  int64_t tile_x, tile_y; /* -1: the task belongs to no tile */
  double seconds;
  const char *message; /* why it failed: text, help and the output of a command, on lines of their own; "" otherwise */
  int code;            /* number of its error, such as 504; 0 otherwise */
  const char *help;    /* what to do; "" if nothing is known */
};

/* The stage of a number below stage_count, also in a library whose struct is longer than here. */
static inline const struct ts_stage_progress *tessera_stage(const struct ts_progress *progress, size_t number) {
  const char *first = (const char *)progress->stages;
  return (const struct ts_stage_progress *)(const void *)(first + number * progress->stages->size_bytes);
}

/* Has these two members for good. */
struct ts_parameter_setting {
  const char *name;
  const char *value;
};

/* One request for all calls; each call says which fields it reads. Begin with TESSERA_REQUEST_INIT. */
struct ts_request {
  size_t size_bytes;     /* sizeof(struct ts_request): fields are added at the end, and zero is their default */
  const char *folder;    /* the project; NULL: the current folder. Other paths are relative to it */
  const char *file;      /* study or workflow file; NULL: study.json, else workflow.json */
  const char *command;   /* how the user called, for the record; NULL: made up */
  const char *store;     /* folder of the store; NULL: .tessera; "memory": nothing outlives the call */
  size_t threads;        /* 0: as many as there are CPUs; with workers: of each of them, 0: their share of the CPUs */
  size_t workers;        /* processes that do the work (plan: for predictions); 0: this one's threads */
  const char *program;   /* with workers: path of the program tessera, from which they are started; needed */
  const char *has;       /* what this machine has beside cores and memory, "gpu=1,site=a"; NULL: nothing */
  size_t lease_s;        /* with workers: seconds without an answer after which one loses its work; 0: 10 */
  const char *connect;   /* work: "ID@SOCKET", what the study's process calls this one, and where it listens */
  uint64_t memory_bytes; /* budget for pixels and scratch; 0: 70 % of what the machine or cgroup has */
  /* Budget for temporary files; 0: four times memory_bytes. The process has one memory and one disk: of calls under way
   * at the same time the smallest budget holds for commands and decoders, and each run counts the pixels of all. */
  uint64_t scratch_bytes;
  /* run, study, work: an operation that crashes, hangs beyond its time limit or ends the process is named on stderr,
   * and the process ends, with the exit code of its error. For programs that do nothing else: signal handlers for
   * SIGSEGV, SIGBUS, SIGFPE, SIGILL and SIGABRT are installed during the call, and a handler of exit for good. false: a
   * crash is the host's, and an operation that hangs is waited for */
  bool watch;
  bool no_reuse;         /* every run computes everything; the store is neither read nor written */
  bool no_cutoff;        /* tasks are shared by lineage only */
  bool no_parts;         /* nothing is shared below a task, such as equal objects of one tile */
  const char *merge;     /* "lineage" (NULL), "stage", "none"; plan, workers: also "naive", "sca", "rtma", "trtma" */
  bool raw_values;       /* plan: compare values as given, not in canonical form */
  bool resume;           /* continue an unfinished run of the same file */
  const char *resume_id; /* which one; NULL: the last */
  const char *method;    /* study: overrides the file's method */
  uint64_t seed;         /* with has_seed */
  bool has_seed;
  size_t trajectories;     /* study: overrides; 0: as in the file */
  const char *until;       /* study: when to stop adding runs, "ci(mu_star) < 0.05" or "rank(3)" */
  size_t max_runs;         /* study: most runs of all rounds; 0: no limit */
  const char *keep;        /* study of two phases: the parameters of the second, separated by commas */
  const char *design;      /* CSV file of parameter sets instead of a method's */
  const char *const *data; /* files, folders or patterns instead of the file's */
  size_t data_count;
  /* Folders in which the files of a work order are searched by their digests, beside those of TESSERA_DATA and
   * TESSERA_OPERATIONS: run and study with resume, verify, work. */
  const char *const *data_roots, *const *operations;
  size_t data_root_count, operations_count;
  int64_t tile_px; /* with has_tile */
  bool has_tile;
  bool single;                                   /* plan: one run, as `run` does it, although the file is a study */
  const char *only_stage;                        /* run: one stage alone, on the data as it is */
  const struct ts_parameter_setting *parameters; /* run: -p NAME=VALUE */
  size_t parameter_count;
  /* plan, and runs with workers: buckets for `workers` (plan: or `threads`) that do not share memory. Most members of
   * one (naive, sca, rtma; 0: 10), most buckets per piece of the data (trtma, 0: three per worker; lineage, 0: one, or
   * as many as few pieces need), most bytes of products alive at once in one (trtma, lineage; 0: no limit); keys
   * "chain" (NULL; lineage: "dag") or "dag"; cost: "unit", "model" (what the store has learnt) or a JSON file of
   * seconds by "stage.task"; NULL: the model if it knows all tasks, else unit; compare: every way to merge side by
   * side; picture: file for a drawing of the buckets as SVG, NULL: none. */
  size_t max_bucket_size, max_buckets;
  uint64_t max_bucket_bytes;
  const char *keys, *cost;
  bool compare;
  const char *picture;
  const char *output; /* folder (run, study) or file (report) for results; NULL: out/NAME */
  bool overlays;      /* run: also write the image with outlines of each mask */
  const char *run;    /* status, log, explain, report: a run id; NULL: the last */
  const char *trace;  /* run, study: file for a Chrome trace of every executed task; NULL: none */
  const char *task;   /* log, explain: "segment.split", "segment/9c1e4f", or a key */
  const char *demo;   /* init: name of the demo, NULL: an empty project */
  bool recompute;     /* verify: repeat the recorded runs (of `file`, NULL: all) and compare */
  /* sample, analyse; what a method does not know it ignores, zero is its default */
  const char *space;                 /* space, workflow or study file */
  size_t count;                      /* sample, study: points, base samples, trajectories, rows per curve */
  size_t levels;                     /* morris: p; grid: points per range */
  const char *base, *scramble;       /* sample: "mc", "lhs", "sobol-sequence", "halton"; "none", "owen", "shift" */
  size_t skip, improve, candidates;  /* sample */
  size_t harmonics, slices, degree;  /* of fast and rbd-fast; of pawn, delta, given-data; of pce */
  double step;                       /* of dgsm */
  bool second_order;                 /* sample, analyse: rows and indices of pairs */
  bool radial, brute_force;          /* sample: morris */
  bool with_unit;                    /* sample: columns u_NAME too */
  bool scaled, convergence;          /* analyse: morris; vbd */
  const char *outputs;               /* analyse: CSV file with the outputs of the rows of `design` */
  const char *const *output_columns; /* analyse: which of its columns; none: all */
  size_t output_column_count;
  const char *estimator; /* analyse: "saltelli", "jansen", "janon", "martinez" */
  const char *interval;  /* analyse: "percentile", "normal" */
  double confidence;     /* analyse: 0: 0.95 */
  size_t resamples;      /* analyse: with has_resamples; 0: no intervals */
  bool has_resamples;
  /* schedule: `file` is the graph; zero or NULL is the default. Times are those of the graph */
  size_t processors, ports;        /* how many there are (needed); channels of each (1) */
  const char *throughput;          /* items per time: "0.05", "1/18", "4/s"; NULL: no demand */
  const char *throughput_fraction; /* the same as a share of the largest throughput, 0 to 1 */
  const char *latency;             /* most time of an item: "56", "2s" */
  const char *algorithm;           /* "mos" (NULL), "fcp", "fcp-e", "expert", "expert-e", "heft"; tune: see below */
  bool no_replication, no_duplication;
  bool literal;           /* MOS as in the paper, without the candidate of one cluster */
  bool fewest_processors; /* as few as the demands allow, at most `processors` */
  double refine_s;        /* CPU seconds of local search after MOS */
  double bandwidth;       /* bytes per second of a link (125e6) */
  const char *wfformat;   /* file for the graph as WfFormat; NULL: none */
  /* tune: `table` has the recorded runs; algorithm: names of tuners separated by commas, NULL: the first that can work
   * on the table. Zero or NULL is the default */
  const char *table;                              /* CSV file, may be packed with gzip */
  const char *const *objectives, *const *ignored; /* columns: the one to tune first, and other outputs; left out */
  size_t objective_count, ignored_count;
  bool maximise, minimise;                       /* minimise is the default */
  const struct ts_parameter_setting *components; /* NAME and its table */
  size_t component_count;
  const char *combine; /* "max" (NULL), "sum", "min": what components make of the workflow */
  double budget;       /* runs (50) */
  size_t seeds;        /* how many (100) */
  uint64_t first_seed; /* with has_first_seed (1) */
  bool has_first_seed;
  bool history;  /* the tables of components cost nothing */
  double expert; /* with has_expert: the objective without tuning */
  bool has_expert;
  double random_share, component_share; /* of the budget: first runs at random, runs of components; negative: none */
  size_t batches;                       /* of guided runs */
  bool no_confirmation;                 /* the last run is not kept for the predicted best */
  bool pretrain, adaptive_random;       /* ceal */
  /* sample: takes the design piece by piece when there is no `output`; false ends the call. May be NULL */
  bool (*on_text)(void *text_user, const char *text, size_t length);
  void *text_user;
  const volatile int *stop; /* set to 1 (from a signal handler, too) to pause, to 2 to give up at once; may be NULL */
  void (*on_progress)(void *user,
                      const struct ts_progress *progress); /* from worker threads, one at a time; may be NULL */
  void *user;
};

/* A request in which everything has its default. In C also with fields: struct ts_request r = {TESSERA_REQUEST_HEAD,
 * .folder = "."}. */
#ifdef __cplusplus
static inline struct ts_request tessera_request(void) {
  struct ts_request request = ts_request();
  request.size_bytes = sizeof request;
  return request;
}
#define TESSERA_REQUEST_INIT tessera_request()
#else
#define TESSERA_REQUEST_HEAD .size_bytes = sizeof(struct ts_request)
#define TESSERA_REQUEST_INIT                                                                                           \
  { TESSERA_REQUEST_HEAD }
#endif

/* Checks a workflow or study file and all it names: file, store, data, tile. Schema tessera.check/1. */
TS_PUBLIC int tessera_check(const struct ts_request *request, char **reply);
/* What `study` or `run` would do: file, design, merge and its buckets, raw_values, data, parameters. Schema
 * tessera.plan/1. */
TS_PUBLIC int tessera_plan(const struct ts_request *request, char **reply);
/* One parameter set over the data. Schema tessera.run/2. */
TS_PUBLIC int tessera_run(const struct ts_request *request, char **reply);
/* Design, plan, run, analyse, report. Schema tessera.study/2. */
TS_PUBLIC int tessera_study(const struct ts_request *request, char **reply);
/* A worker of a run or study, which starts it and tells it what to do: connect. Schema tessera.worker/1. */
TS_PUBLIC int tessera_work(const struct ts_request *request, char **reply);
/* Runs of a store, newest first; with `run` one of them in detail. Schema tessera.status/1. */
TS_PUBLIC int tessera_status(const struct ts_request *request, char **reply);
/* What tasks said, failed ones first. Schema tessera.log/1. */
TS_PUBLIC int tessera_log(const struct ts_request *request, char **reply);
/* Why a task ran or was reused: the nearest earlier key and the field that differs. Schema tessera.explain/1. */
TS_PUBLIC int tessera_explain(const struct ts_request *request, char **reply);
/* What the store has learnt about the costs of operations. Schema tessera.costs/1. */
TS_PUBLIC int tessera_costs(const struct ts_request *request, char **reply);
/* Reads everything in the store again and removes what is damaged; with recompute, compares it with what its runs
 * compute from nothing, and removes what is wrong (then returns 1). Schema tessera.store-verify/1. */
TS_PUBLIC int tessera_verify(const struct ts_request *request, char **reply);
/* Writes the HTML report of a past study. Schema tessera.report/1. */
TS_PUBLIC int tessera_report(const struct ts_request *request, char **reply);
/* Makes a project folder (folder must be absent or empty), from a demo or with the smallest workflow.
 * tessera.init/1. */
TS_PUBLIC int tessera_init(const struct ts_request *request, char **reply);
/* Operations, demos, methods of studies, samplers, analyses, algorithms for streams and tuners this
 * build knows. Schema tessera.list/1. */
TS_PUBLIC int tessera_list(const struct ts_request *request, char **reply);
/* Draws parameter sets: space, method, seed, output, and what stands below `space`. Schema tessera.sample/1. */
TS_PUBLIC int tessera_sample(const struct ts_request *request, char **reply);
/* Sensitivity indices of the runs of any model: space, method, design, outputs, threads, seed, and what stands below
 * `space`. "indices" are those of the first output, "outputs" those of each. Schema tessera.analyse/1. */
TS_PUBLIC int tessera_analyse(const struct ts_request *request, char **reply);
/* Maps the tasks of a graph to processors, for a stream of items: file, what stands below `processors`, compare,
 * picture, output, seed. Returns 4 if a demand cannot be met. Schema tessera.schedule/1. */
TS_PUBLIC int tessera_schedule(const struct ts_request *request, char **reply);
/* Replays recorded runs with tuners, many seeds each: table, what stands below it, algorithm, threads. Schema
 * tessera.tune-table/1. */
TS_PUBLIC int tessera_tune(const struct ts_request *request, char **reply);
/* CPU and wall time of each operation of a workflow on one image. Schema tessera.bench/1. */
TS_PUBLIC int tessera_bench(const struct ts_request *request, char **reply);

/* Where warnings go that come while a call is under way, such as that a worker process died; of all calls of the
 * process, from any thread, one at a time. take may not call the library. NULL, as at first: nowhere. */
TS_PUBLIC void tessera_on_warning(void (*take)(void *user, const char *text), void *user);
TS_PUBLIC void tessera_reply_free(char *reply);
TS_PUBLIC const char *tessera_version(void);

#ifdef __cplusplus
}
#endif
#endif
