/* Runs a plan on the threads of one machine: every distinct task once, with early cutoff and reuse from a store.
 * SPDX-License-Identifier: Apache-2.0
 *
 * The plan is read-only and shared; the state of a run lives in windows (a tile, a file or the dataset, whatever must
 * be open at once), opened in order and freed when done. Counts are taken where operations are called, never from the
 * plan. Each distinct content is executed once, whatever the timing of threads: among all windows if a store can pass
 * its products on, otherwise within each window. */
#ifndef TS_RUN_RUN_H
#define TS_RUN_RUN_H

#include "base/error.h"
#include "base/key.h"
#include "data/data.h"
#include "dataset/dataset.h"
#include "dataset/feed.h"
#include "op/op.h"
#include "plan/plan.h"
#include "sched/policy.h"
#include "store/store.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The operation that reads a workflow input of a type (NULL: alternatives, which are pixels). */
const char *ts_source_operation(const struct ts_type *type);
#define TS_POLYGON_OPERATION "polygons.read" /* in its place for items whose file has polygons */
#define TS_SAMPLE_OPERATION  "image.sample"  /* in its place for stages that see a sample of an image */

enum ts_outcome {
  TS_OUTCOME_EXECUTED,
  TS_OUTCOME_CUTOFF, /* its inputs have the content of another task's: took that one's product */
  TS_OUTCOME_STORE,  /* in the store, or not needed because its consumers' products are */
  TS_OUTCOME_FAILED,
  TS_OUTCOME_SKIPPED, /* something it needs failed */
  TS_OUTCOME_COUNT
};
const char *ts_outcome_name(enum ts_outcome outcome);

/* Reported once per distinct task and unit, from worker threads, one at a time. Pointers are borrowed for the call. */
struct ts_task_event {
  uint32_t node;
  size_t unit; /* tile, item, or 0 */
  enum ts_outcome outcome;
  struct ts_key key;
  double start_s; /* since the run began */
  double wall_s, cpu_s;
  size_t worker;
  const struct ts_error *error; /* FAILED: why; NULL otherwise */
  const char *log;              /* FAILED and EXECUTED: what the operation wrote; "" if nothing */
  const char *remark;           /* the line of its error output that people should see; "" */
  uint64_t output_bytes;        /* of all its products, where they are known */
  size_t port_count;            /* of output ports whose bytes are known one by one */
  const size_t *port_bytes;
  uint64_t peak_bytes; /* EXECUTED: most pixels and scratch it took meanwhile, its products included */
};

/* Measured speeds of the store; 0: not known. */
struct ts_store_speed {
  double load_bytes_per_s;  /* wall time; of products as they lie in memory */
  double write_bytes_per_s; /* CPU time; of products in their encoded form */
};

/* A part of the work on a plan, done at once by a worker process. Only the tasks that the wanted products need are
 * looked at, reported and counted; a task that turns out not to be needed is not reported. */
struct ts_run_demand {
  uint32_t node, port;
  size_t unit; /* tile, item or 0; of the window */
};
struct ts_run_part {
  uint32_t window;                    /* tile, file or 0: the units that the plan opens together */
  const struct ts_run_demand *wanted; /* borrowed; NULL: all that the plan wants */
  size_t wanted_count;
  bool keep; /* wanted products are kept in the store, also cheap ones: another part will ask for them */
  /* A random number that names this execution of the run in the records it makes: wanted products that it has made
   * itself are not taken from the store. 0: whoever made them. */
  uint64_t execution;
};

/* Common to all runs of one plan: made once where many parts of it are run, one after another. Threads, and what was
 * learnt about the memory of tasks, last from one part to the next. */
struct ts_run_setup; /* owned by its maker */
struct ts_run_setup *ts_run_setup_create(const struct ts_plan *plan, struct ts_registry *registry,
                                         struct ts_store *store, struct ts_error *err);
/* Keeps products in memory from one part to the next, up to so many bytes; once, before the first part. */
void ts_run_setup_keep(struct ts_run_setup *setup, uint64_t bytes);
/* What a task of the workflow needs of its worker; before the first run. False: there are too many different needs. */
bool ts_run_setup_set_needs(struct ts_run_setup *setup, size_t task, const struct ts_task_needs *needs,
                            struct ts_error *err);
void ts_run_setup_destroy(struct ts_run_setup *setup);

/* When windows must be finished. */
struct ts_run_deadlines {
  const uint64_t *window_ns;  /* borrowed: per window, since the run began; TS_NO_DEADLINE: whenever */
  const double *task_seconds; /* borrowed: per task, as the cost model knows them; NULL: nothing is known */
};

struct ts_run_options {
  size_t threads; /* 0: ts_cpu_count */
  struct ts_registry *registry;
  struct ts_store *store; /* borrowed; NULL: nothing is looked up or kept */
  const char *run_id;     /* "" if none */
  uint64_t memory_bytes;  /* budget for pixels and scratch; 0: none */
  uint64_t linger_bytes;  /* per window, of products without a reader: a task of the same content may need them yet */
  bool no_cutoff;
  struct ts_memo *memo; /* borrowed: values of parts of calls, also from earlier runs; NULL: none are recalled */
  bool stages_only; /* the store knows products of whole stages only: nothing inside a stage is looked up or recorded */
  const struct ts_run_part *part; /* borrowed; NULL: the whole plan over the whole dataset */
  struct ts_run_setup *setup;     /* borrowed; of the same plan and store; NULL: made for this run */
  const struct ts_feed *feed;     /* borrowed: items that come while the run goes on; NULL: the dataset is complete */
  double task_limit_s;            /* for one call of an operation; 0: none */
  bool shares_process;            /* see ts_op_context */
  size_t inner_threads; /* threads each operation may use, whatever else runs; 0: those that no task keeps busy */
  bool keep_all; /* products of all tasks are kept in the store, also cheap ones: another plan will ask for them */
  /* Borrowed, may be NULL, may be set by a signal handler. 1: no new task is started. More: running operations are
   * asked to give up as well; those that do are neither done nor failed. */
  const volatile int *stop;
  const volatile int
      *halt; /* the same, set by the code that looks at the products: going on is pointless; may be NULL */
  const struct ts_policy *policy;           /* the order of ready tasks; NULL: the default */
  const struct ts_run_deadlines *deadlines; /* borrowed; NULL: none */
  const struct ts_worker_class *worker; /* borrowed: what this machine has, for tasks with needs; NULL: its memory */
  const char *scratch_folder;
  struct ts_store_speed store_speed; /* which intermediate products are worth keeping, and loading */
  void *user;
  /* An operation is about to be called; from several worker threads at once. May be NULL. */
  void (*on_start)(void *user, uint32_t node);
  void (*on_task)(void *user, const struct ts_task_event *event); /* may be NULL */
  /* A wanted product is there (borrowed). Called once per node and unit that is wanted, one at a time; may be NULL. */
  void (*on_product)(void *user, uint32_t node, uint32_t port, size_t unit, struct ts_data *data);
};

/* The greater of the two stop levels: 0 go on, 1 start no new task, more: running operations shall give up, too. */
static inline int ts_run_stop_level(const struct ts_run_options *options) {
  const int stop = options->stop ? __atomic_load_n(options->stop, __ATOMIC_RELAXED) : 0;
  const int halt = options->halt ? __atomic_load_n(options->halt, __ATOMIC_RELAXED) : 0;
  return stop > halt ? stop : halt;
}

struct ts_run_counts {
  uint64_t by_outcome[TS_OUTCOME_COUNT];
  uint64_t repeated; /* of the executed: beyond the first of a task and unit, by other worker processes */
};

struct ts_run_result {
  struct ts_run_counts *tasks;    /* per task of the workflow, units added up; owned */
  struct ts_run_counts reference; /* needed by the reference run alone, apart from the above */
  double *cpu_s;                  /* per task; owned */
  uint64_t dropped;               /* products dropped before their last use, to stay within the budget */
  uint64_t spilled;               /* of these, how many the store keeps */
  uint64_t waits;                 /* times a task waited for memory */
  uint64_t recomputed;            /* executions beyond the first, because a product was no longer in memory */
  uint64_t repeated;              /* sum of those of the tasks */
  uint64_t reads;                 /* source tasks executed */
  struct ts_memo_counts parts;    /* of calls: asked for, and recalled; depends on timing */
  double wall_s, cpu_total_s;
  uint64_t peak_bytes;
  size_t peak_instances; /* most instances that were open at once */
  size_t threads;
  size_t workers, buckets; /* processes and their jobs; 0: the run was done by threads of this process */
  bool stopped;            /* not finished: stopped on request */
};
void ts_run_result_release(struct ts_run_result *result);

/* False only when the run as a whole could not go on (an error of the store, no threads); failed tasks are in the
 * result. */
bool ts_run(const struct ts_plan *plan, const struct ts_dataset *dataset, const struct ts_run_options *options,
            struct ts_run_result *result, struct ts_error *err);

/* How many windows the plan divides the dataset into. */
size_t ts_run_window_count(const struct ts_plan *plan, const struct ts_dataset *dataset);
/* The window that a unit of a scope belongs to. */
uint32_t ts_run_window_of(const struct ts_plan *plan, const struct ts_dataset *dataset, enum ts_scope scope,
                          size_t unit);

/* Forecasts ts_run from the store: per task, how many instances would be executed; same rules, nothing is run. */
struct ts_run_forecast {
  uint64_t *execute; /* per task, units added up; owned */
  uint64_t *stored;
  uint64_t reference_execute, reference_stored;
};
bool ts_run_forecast(const struct ts_plan *plan, const struct ts_dataset *dataset, const struct ts_run_options *options,
                     struct ts_run_forecast *forecast, struct ts_error *err);
/* The same where nothing is in a store: everything would be executed. */
void ts_run_forecast_all(const struct ts_plan *plan, const struct ts_dataset *dataset,
                         struct ts_run_forecast *forecast);
void ts_run_forecast_release(struct ts_run_forecast *forecast);

#endif
