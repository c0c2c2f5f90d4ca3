/* What a call is asked, whichever call it is: the fields of all requests of tessera_requests.h together.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Zero is the default of every field. Texts and lists are borrowed from the caller. A new field is a line here, in the
 * request of each call that reads it (tessera_requests.h, typed.c), and an option of these commands (options.c); tests
 * compare them. */
#ifndef TS_REQUEST_REQUEST_H
#define TS_REQUEST_REQUEST_H

#include "tessera.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ts_request {
  const char *folder;    /* the project; NULL: the current folder. Other paths are relative to it */
  const char *file;      /* study or workflow file; NULL: study.json, else workflow.json; new: the descriptor */
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
  const char *tissue;     /* "auto", "on", "off": tiles without tissue are left out; NULL: as in the file */
  bool dry_run;           /* run, study: what they would do, as plan */
  bool single;            /* plan: one run, as `run` does it, although the file is a study */
  const char *only_stage; /* run: one stage alone, on the data as it is */
  const struct tessera_setting *parameters; /* run: -p NAME=VALUE */
  size_t parameter_count;
  /* run: values that those of `parameters` override: of a file, or of a set ("37", "default", "best") of a study
   * (NULL: the last one of the project); best: its best set */
  const char *values, *of, *set;
  bool best;
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
  const char *output;      /* folder (run, study) or file (report) for results; NULL: out/NAME */
  bool all_outputs;        /* check, run, plan: also images that only other stages read */
  bool per_tile;           /* check, run: a file for each tile and output, instead of one for each image */
  bool overlays;           /* run, with per_tile: also write each tile with the outlines of its masks */
  const char *run;         /* status, log, explain, report: a run id; NULL: the last */
  const char *const *runs; /* compare: run ids, the first is what the others are compared with */
  size_t run_count;
  const char *report; /* compare: file for a page; NULL: none */
  const char *trace;  /* run, study: file for a Chrome trace of every executed task; NULL: none */
  const char *task;   /* log, explain: "segment.split", "segment/9c1e4f", or a key */
  const char *demo;   /* init: name of the demo, NULL: an empty project, or one for `data` */
  const char *truth;  /* init, with data: which files show the truth, "*_labels.png"; NULL: those that are usual */
  /* call: name of an operation, or a file that has one; `parameters` are inputs and parameters, `operations` files */
  const char *operation;
  const char *keep_folder; /* call: with has_keep_folder, where its exchange is left; NULL: in the output folder */
  bool has_keep_folder;
  /* gc: finished runs whose products stay: the newest so many (with has_keep_runs), those that ended within an age such
   * as "30d" (NULL: no such); most bytes of the store (0: no such); unfinished runs that need not go on; and whether
   * products are removed, not only listed. */
  size_t keep_runs;
  bool has_keep_runs;
  const char *older_than;
  uint64_t to_bytes;
  const char *const *dropped;
  size_t dropped_count;
  bool yes;
  bool recompute; /* verify: repeat the recorded runs (of `file`, NULL: all) and compare */
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
  bool maximise, minimise;                  /* minimise is the default */
  const struct tessera_setting *components; /* NAME and its table */
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
  const struct tessera_observer *observer; /* may be NULL */
};

#endif
