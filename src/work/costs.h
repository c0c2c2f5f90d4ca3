/* Costs of operations: the cost model of the store, the calls that a run adds to it, and its forecast for a plan.
 * SPDX-License-Identifier: Apache-2.0
 *
 * The size of a call is that of the piece of data it works on: the pixels of its tile, file or dataset, or, where
 * there are none, the bytes of the files. That is known before anything is run. */
#ifndef TS_WORK_COSTS_H
#define TS_WORK_COSTS_H

#include "run/run.h"
#include "sched/cost_model.h"
#include "work/work.h"

/* Operations of the store itself, measured in bytes of products. */
#define TS_COST_LOAD  "store.load"
#define TS_COST_WRITE "store.write"

struct ts_costs;
void ts_costs_destroy(struct ts_costs *costs);
/* cost_merge.c */
/* Adds calls to the rows of a store, one entry per key and bin; nothing that others add meanwhile is lost. */
bool ts_costs_add(struct ts_store *store, const struct ts_cost_entry *learnt, size_t count, struct ts_error *err);
/* Decodes rows of a store; damaged ones are left out, and counted. Bins and entries are in the arena. */
struct ts_cost_entry *ts_cost_entries(const struct ts_cost_row *rows, size_t row_count, struct ts_arena *arena,
                                      size_t *count, size_t *damaged);

struct ts_piece {
  double size;
  const char *measure; /* "px" or "bytes" */
};
/* The dataset must be open. */
struct ts_piece ts_costs_piece(struct ts_work *work, enum ts_scope scope, size_t unit);
struct ts_cost_key ts_cost_key_of(const char *operation, const struct ts_sha256 *implementation, const char *measure);
/* Operation and implementation of a node; false for nodes that have none (crop, gather). */
bool ts_costs_operation(const struct ts_project *project, const struct ts_node *node, const struct ts_op **op);

/* One call, averaged over the pieces of the dataset. */
struct ts_call_forecast {
  enum ts_cost_knowledge knowledge; /* of the piece that is known least */
  double seconds, executed_share;
  uint64_t most_bytes; /* products of the largest piece */
  size_t port_count;   /* output ports below; 0: not known for all pieces */
  double port_bytes[TS_COST_PORTS];
};
struct ts_call_forecast ts_costs_forecast(struct ts_work *work, const struct ts_op *op, enum ts_scope scope);

/* Costs of the tasks of a workflow, from the requested source: "unit", "model" or "file". */
struct ts_task_costs {
  const char *source;
  const double *seconds;                   /* per task; NULL: 1 each */
  const double *executed_shares;           /* per task; NULL: 1 each */
  const uint64_t *bytes;                   /* per task: of its products, on the largest piece; 0: not known */
  const enum ts_cost_knowledge *knowledge; /* per task; NULL: not from the model */
};
/* False: a fault. Arrays are in the arena of the work. */
bool ts_prediction_task_costs(struct ts_work *work, const struct ts_plan *plan, struct ts_task_costs *costs,
                              struct ts_issues *issues);
/* Adds `costs` and, where seconds are known and there are no buckets, `predicted`. The reply has `by_task` and
 * `reference`. */
void ts_prediction_add(struct ts_work *work, const struct ts_plan *plan, const struct ts_task_costs *costs,
                       bool buckets, json_t *object);

/* Measured speeds of loading and writing products; 0 where none were measured. */
struct ts_store_speed ts_costs_store_speed(struct ts_work *work);
struct ts_store_speed ts_costs_speed_of(struct ts_store *store); /* without a project */

/* learning.c: takes the calls of a run, and adds them to the store's rows when it ends. One event at a time. */
struct ts_learning;
struct ts_learning *ts_learning_create(struct ts_work *work);
void ts_learning_event(struct ts_learning *learning, const struct ts_node *node, const struct ts_task_event *event);
/* An error of the store is only a warning: the computed products are not lost. */
void ts_learning_save(struct ts_learning *learning, struct ts_issues *issues);
void ts_learning_destroy(struct ts_learning *learning);

#endif
