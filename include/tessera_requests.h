/* The requests of the calls in tessera.h: one struct each.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Begin every request with TESSERA_INIT(struct ...): it sets the size and leaves zero, the default, everywhere else.
 * Fields are added at the end. A field of one name means the same in every request; texts and lists are borrowed until
 * the call returns. */
#ifndef TESSERA_REQUESTS_H
#define TESSERA_REQUESTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tessera_observer;

#ifdef __cplusplus
template <class Request> inline Request tessera_init() {
  Request request = Request();
  request.size_bytes = sizeof request;
  return request;
}
#define TESSERA_INIT(type) tessera_init<type>()
#else
#define TESSERA_INIT(type) ((type){.size_bytes = sizeof(type)})
/* In C also with fields: struct tessera_study_request r = {TESSERA_HEAD(struct tessera_study_request), .count = 8}. */
#define TESSERA_HEAD(type) .size_bytes = sizeof(type)
#endif

/* Has these two members for good. */
struct tessera_setting {
  const char *name;
  const char *value;
};

/* Fields that several requests have:
 *   folder         the project; NULL: the current folder. Other paths are relative to it
 *   file           study or workflow file; NULL: study.json, else workflow.json
 *   store          folder of the store; NULL: .tessera; "memory": nothing outlives the call
 *   command        how the user called, for the record; NULL: made up
 *   data           files, folders or patterns instead of the file's
 *   tile_px        width and height of tiles, with has_tile; 0: whole images
 *   output         where results go; NULL: out/NAME for folders, no file for the others
 *   threads        0: as many as there are CPUs; with workers: of each of them, 0: their share of the CPUs
 *   workers        processes that do the work (plan: for predictions); 0: this one's threads
 *   program        with workers: path of the program tessera, from which they are started; needed
 *   memory_bytes   budget for pixels and scratch; 0: 70 % of what the machine or cgroup has
 *   scratch_bytes  budget for temporary files; 0: four times memory_bytes
 *   watch          what an operation does to the process is reported on stderr and ends it: see docs/embedding.md
 *   data_roots, operations  folders in which the files of a work order are searched by their digests, beside those of
 *                  TESSERA_DATA and TESSERA_OPERATIONS
 *   run            8 hex digits that name a run; NULL: the last
 *   stop           set to 1 (from a signal handler, too) to pause, to 2 to give up at once; may be NULL
 *   observer       what is reported meanwhile; may be NULL */

/* tessera_check */
struct tessera_check_request {
  size_t size_bytes;
  const char *folder, *file, *store;
  const char *const *data;
  size_t data_count;
  int64_t tile_px;
  bool has_tile;
  const char *output;
  size_t threads;
  uint64_t memory_bytes, scratch_bytes;
  bool all_outputs, per_tile; /* as of a run, whose files are counted */
};

/* tessera_list: with `file`, its plugins and commands too */
struct tessera_list_request {
  size_t size_bytes;
  const char *folder, *file;
};

/* tessera_init_project: folder must be absent or empty; with `data`, only the files that are written must be absent */
struct tessera_init_request {
  size_t size_bytes;
  const char *folder;
  const char *demo; /* NULL: the smallest project, or one for `data` */
  /* files, folders or patterns, relative to the current folder: images, and beside them what shows their truth */
  const char *const *data;
  size_t data_count;
  const char *truth; /* "*_labels.png", '*' for the name of the image; NULL: the usual names */
};

/* tessera_project_open (tessera_handles.h); what changes a study, such as its method, belongs to requests of runs */
struct tessera_project_request {
  size_t size_bytes;
  const char *folder, *file;
  const char *const *data;
  size_t data_count;
  int64_t tile_px;
  bool has_tile;
  const char *const *data_roots, *const *operations;
  size_t data_root_count, operations_count;
  uint64_t memory_bytes, scratch_bytes; /* while it is read */
};

/* tessera_plan */
struct tessera_plan_request {
  size_t size_bytes;
  const char *folder, *file, *store;
  size_t threads, workers;
  uint64_t memory_bytes, scratch_bytes;
  const char *const *data;
  size_t data_count;
  int64_t tile_px;
  bool has_tile;
  bool single;            /* one run, as tessera_run does it, although the file is a study */
  const char *only_stage; /* as in tessera_run_request */
  const struct tessera_setting *parameters;
  size_t parameter_count;
  const char *method; /* from here to design as in tessera_study_request */
  size_t count;
  bool second_order;
  size_t trajectories;
  const char *until;
  size_t max_runs;
  const char *keep;
  uint64_t seed;
  bool has_seed;
  const char *design;
  bool no_reuse, no_cutoff;
  bool raw_values; /* compare values as given, not in canonical form */
  const char *merge;
  size_t max_bucket_size, max_buckets;
  uint64_t max_bucket_bytes; /* most bytes of products alive at once in a bucket (trtma, lineage); 0: no limit */
  const char *keys, *cost;
  bool compare;                  /* every way to merge side by side */
  const char *picture;           /* file for a drawing of the buckets as SVG; NULL: none */
  bool all_outputs;              /* of a single run: also images that only other stages read */
  const char *tissue;            /* as in tessera_run_request */
  const char *values, *of, *set; /* of a single run, as in tessera_run_request */
  bool best;
};

/* tessera_run */
struct tessera_run_request {
  size_t size_bytes;
  const char *folder, *file, *store, *command;
  size_t threads, workers;
  const char *program;
  uint64_t memory_bytes, scratch_bytes;
  const char *const *data;
  size_t data_count;
  int64_t tile_px;
  bool has_tile;
  const char *only_stage;                   /* one stage alone, on the data as it is */
  const struct tessera_setting *parameters; /* values instead of the defaults */
  size_t parameter_count;
  const char *output;
  bool overlays;   /* with per_tile: also write each tile with the outlines of its masks */
  bool dry_run;    /* the reply is that of tessera_plan, and nothing is done */
  const char *has; /* what this machine has beside cores and memory, "gpu=1,site=a"; NULL: nothing */
  size_t lease_s;  /* with workers: seconds without an answer after which one loses its work; 0: 10 */
  bool watch;
  bool no_reuse;         /* every run computes everything; the store is neither read nor written */
  bool no_cutoff;        /* tasks are shared by lineage only */
  bool no_parts;         /* nothing is shared below a task, such as equal objects of one tile */
  bool resume;           /* continue an unfinished run of the same file */
  const char *resume_id; /* which one; NULL: the last */
  const char *const *data_roots, *const *operations;
  size_t data_root_count, operations_count;
  const char *trace; /* file for a Chrome trace of every executed task; NULL: none */
  const char *merge; /* "lineage" (NULL), "stage", "none"; with workers also "naive", "sca", "rtma", "trtma" */
  /* Buckets for workers: most members of one (naive, sca, rtma; 0: 10), most of them per piece of the data (trtma, 0:
   * three per worker; lineage, 0: one, or as many as few pieces need). */
  size_t max_bucket_size, max_buckets;
  const char *keys; /* "chain" (NULL; lineage: "dag") or "dag" */
  const char *cost; /* "unit", "model" (what the store has learnt), a JSON file of seconds by "stage.task"; NULL: the
                     * model if it knows all tasks, else unit */
  const volatile int *stop;
  const struct tessera_observer *observer;
  bool all_outputs;   /* also write images that only other stages read */
  bool per_tile;      /* write a file for each tile and output, instead of one for each image */
  const char *tissue; /* "auto", "on", "off": tiles without tissue are left out; NULL: as in the file */
  const char *values; /* file of values instead of the defaults; those of `parameters` override them */
  const char *of;     /* the same from a study, a run id; NULL with `set` or `best`: the last one of the project */
  const char *set;    /* "37", "default", "best": which of its sets */
  bool best;          /* the best one */
};

/* tessera_study */
struct tessera_study_request {
  size_t size_bytes;
  const char *folder, *file, *store, *command;
  size_t threads, workers;
  const char *program;
  uint64_t memory_bytes, scratch_bytes;
  const char *const *data;
  size_t data_count;
  int64_t tile_px;
  bool has_tile;
  const char *method; /* instead of the file's, as are those that follow */
  size_t count;       /* points, base samples, trajectories, rows per curve; 0: as in the file */
  bool second_order;  /* rows and indices of pairs */
  size_t trajectories;
  const char *until; /* when to stop adding runs, "ci(mu_star) < 0.05" or "rank(3)" */
  size_t max_runs;   /* of all rounds; 0: no limit */
  const char *keep;  /* two phases: the parameters of the second, separated by commas */
  uint64_t seed;     /* with has_seed */
  bool has_seed;
  const char *design; /* CSV file of parameter sets instead of a method's */
  const char *output;
  bool dry_run; /* from here on as in tessera_run_request */
  const char *has;
  size_t lease_s;
  bool watch;
  bool no_reuse, no_cutoff, no_parts;
  bool resume;
  const char *resume_id;
  const char *const *data_roots, *const *operations;
  size_t data_root_count, operations_count;
  const char *trace, *merge;
  size_t max_bucket_size, max_buckets;
  const char *keys, *cost;
  const volatile int *stop;
  const struct tessera_observer *observer;
  const char *tissue;
};

/* tessera_work: a worker of a run or study */
struct tessera_work_request {
  size_t size_bytes;
  const char *folder;
  const char *connect; /* "ID@SOCKET", what the study's process calls this one, and where it listens */
  bool watch;
  const char *const *data_roots, *const *operations;
  size_t data_root_count, operations_count;
  const volatile int *stop;
};

/* tessera_status */
struct tessera_status_request {
  size_t size_bytes;
  const char *folder, *store;
  const char *run; /* NULL: all */
};

/* tessera_log, tessera_explain */
struct tessera_task_request {
  size_t size_bytes;
  const char *folder, *store, *run;
  const char *task; /* "segment.split", "segment/9c1e4f", or a key */
};

/* tessera_costs */
struct tessera_costs_request {
  size_t size_bytes;
  const char *folder, *store;
};

/* tessera_verify */
struct tessera_verify_request {
  size_t size_bytes;
  const char *folder, *store;
  bool recompute;   /* repeat the recorded runs and compare */
  const char *file; /* of this file; NULL: all */
  size_t threads;
  uint64_t memory_bytes;
  const char *const *data_roots, *const *operations;
  size_t data_root_count, operations_count;
  bool watch;
  const volatile int *stop;
  const struct tessera_observer *observer;
};

/* tessera_store_usage */
struct tessera_usage_request {
  size_t size_bytes;
  const char *folder, *store;
};

/* tessera_store_gc: without the three about finished runs and size, only what no run uses is meant */
struct tessera_gc_request {
  size_t size_bytes;
  const char *folder, *store;
  size_t keep_runs; /* with has_keep_runs: keep what so many of the newest finished runs use */
  bool has_keep_runs;
  const char *older_than;     /* keep what finished runs use that ended within this age: "30d", "12h" */
  uint64_t to_bytes;          /* remove only until the files of the store take so much; 0: all that is meant */
  const char *const *dropped; /* ids of unfinished runs that need not be continued */
  size_t dropped_count;
  bool yes; /* remove; otherwise only say what would be removed */
  const volatile int *stop;
};

/* tessera_compare */
struct tessera_compare_request {
  size_t size_bytes;
  const char *folder, *store;
  const char *const *runs; /* ids of two finished runs or more; the others are compared with the first */
  size_t run_count;
  const char *report; /* file for a page with tables and pictures; NULL: none */
  const char *const *data_roots, *const *operations;
  size_t data_root_count, operations_count;
};

/* tessera_report */
struct tessera_report_request {
  size_t size_bytes;
  const char *folder, *store, *run, *output;
};

/* tessera_sample; what a method does not know it ignores */
struct tessera_sample_request {
  size_t size_bytes;
  const char *folder;
  const char *space;           /* space, workflow or study file */
  const char *method;          /* of sampling; NULL is refused */
  size_t count, levels;        /* points, base samples, trajectories; morris: p, grid: points per range */
  bool second_order;           /* rows of pairs */
  const char *base, *scramble; /* "mc", "lhs", "sobol-sequence", "halton"; "none", "owen", "shift" */
  size_t skip, improve, candidates, harmonics;
  double step;              /* of dgsm */
  bool radial, brute_force; /* morris */
  bool with_unit;           /* columns u_NAME too */
  uint64_t seed;
  bool has_seed;
  const char *output;
  /* Takes the design piece by piece when there is no `output`; false ends the call. May be NULL. */
  bool (*on_text)(void *text_user, const char *text, size_t length);
  void *text_user;
  const volatile int *stop;
  const struct tessera_observer *observer;
};

/* tessera_analyse; what a method does not know it ignores */
struct tessera_analyse_request {
  size_t size_bytes;
  const char *folder;
  const char *space, *method;
  const char *design, *outputs;      /* CSV files: parameter sets, and what came out of each */
  const char *const *output_columns; /* which of its columns; none: all */
  size_t output_column_count;
  size_t levels; /* morris: p */
  bool second_order, scaled, convergence;
  const char *estimator; /* "saltelli", "jansen", "janon", "martinez" */
  const char *interval;  /* "percentile", "normal" */
  double confidence;     /* 0: 0.95 */
  size_t resamples;      /* with has_resamples; 0: no intervals */
  bool has_resamples;
  size_t harmonics, slices, degree; /* of fast and rbd-fast; of pawn, delta, given-data; of pce */
  double step;                      /* of dgsm */
  uint64_t seed;
  bool has_seed;
  size_t threads;
  const volatile int *stop;
  const struct tessera_observer *observer;
  const char *output; /* a file for the indices; by its ending .csv, .json (the reply) or .html; NULL: none */
};

/* tessera_schedule: `file` is the graph. Times are those of the graph */
struct tessera_schedule_request {
  size_t size_bytes;
  const char *folder, *file;
  size_t processors, ports;        /* how many there are (needed); channels of each (1) */
  const char *throughput;          /* items per time: "0.05", "1/18", "4/s"; NULL: no demand */
  const char *throughput_fraction; /* the same as a share of the largest throughput, 0 to 1 */
  const char *latency;             /* most time of an item: "56", "2s" */
  const char *algorithm;           /* "mos" (NULL), "fcp", "fcp-e", "expert", "expert-e", "heft" */
  bool no_replication, no_duplication;
  bool literal;           /* MOS as in the paper, without the candidate of one cluster */
  bool fewest_processors; /* as few as the demands allow, at most `processors` */
  double refine_s;        /* CPU seconds of local search after MOS */
  double bandwidth;       /* bytes per second of a link (125e6) */
  uint64_t seed;
  bool has_seed;
  bool compare;                   /* every algorithm side by side */
  const char *picture, *wfformat; /* files for a drawing as SVG, for the graph as WfFormat; NULL: none */
  const char *output;
  const volatile int *stop;
};

/* tessera_tune */
struct tessera_tune_request {
  size_t size_bytes;
  const char *folder;
  const char *table; /* CSV file of the recorded runs, may be packed with gzip */
  /* Columns: the one to tune first, and other outputs; left out. */
  const char *const *objectives, *const *ignored;
  size_t objective_count, ignored_count;
  bool maximise, minimise;                  /* minimise is the default */
  const struct tessera_setting *components; /* NAME and its table */
  size_t component_count;
  const char *combine;   /* "max" (NULL), "sum", "min": what components make of the workflow */
  const char *algorithm; /* tuners, separated by commas; NULL: the first that can work on the table */
  double budget;         /* runs (50) */
  size_t seeds;          /* how many (100) */
  uint64_t first_seed;   /* with has_first_seed (1) */
  bool has_first_seed;
  bool history;  /* the tables of components cost nothing */
  double expert; /* with has_expert: the objective without tuning */
  bool has_expert;
  double random_share, component_share; /* of the budget: first runs at random, runs of components; negative: none */
  size_t batches;                       /* of guided runs */
  bool no_confirmation;                 /* the last run is not kept for the predicted best */
  bool pretrain, adaptive_random;       /* ceal */
  size_t threads;
  const volatile int *stop;
  const struct tessera_observer *observer;
};

/* tessera_bench */
struct tessera_bench_request {
  size_t size_bytes;
  const char *folder;
  const char *file;        /* name of a demo, or a workflow file */
  const char *const *data; /* an image instead of a synthetic one */
  size_t data_count, threads;
};

/* tessera_call_operation */
struct tessera_operation_request {
  size_t size_bytes;
  const char *folder;
  const char *operation;                    /* its name, a manifest, or a plugin that has one operation */
  const struct tessera_setting *parameters; /* inputs, whose values are files, and parameters */
  size_t parameter_count;
  const char *const *operations; /* plugins and manifests that have operations */
  size_t operations_count;
  const char *keep_folder; /* with has_keep_folder: where the call is left to look at; NULL: "call" in the output */
  bool has_keep_folder;
  const char *output; /* folder, absent or empty; NULL: call-OPERATION */
  bool watch;
};

/* tessera_new_operation: `file` is the descriptor */
struct tessera_new_request {
  size_t size_bytes;
  const char *folder, *file;
  const char *output; /* the folder to make, absent or empty; NULL: the operation's name */
};

#endif
