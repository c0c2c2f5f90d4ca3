/* Shares the tasks of one window between processes: which can be done now, each distinct content once.
 * SPDX-License-Identifier: Apache-2.0
 *
 * The same walk as that of a run, but nothing is computed here: tasks whose inputs the store has are handed out, and
 * products that others put into the store make more of them ready. Two tasks of equal operation, parameters and input
 * contents are one: the second is recorded as an alias as soon as the first is there. So the split costs no task twice.
 * Used by one thread at a time. */
#ifndef TS_RUN_FRONTIER_H
#define TS_RUN_FRONTIER_H

#include "run/run.h"

struct ts_frontier; /* owned by its maker */

/* options: registry, store (needed), setup, run_id, no_cutoff, user and the callbacks: on_task reports tasks that are
 * settled here (found in the store, or cut off), on_product their wanted products. */
struct ts_frontier *ts_frontier_create(const struct ts_plan *plan, const struct ts_dataset *dataset,
                                       const struct ts_run_options *options, uint32_t window, struct ts_error *err);
void ts_frontier_destroy(struct ts_frontier *frontier);

/* From now on only these tasks of the workflow are handed out (NULL: all); borrowed until the next call. */
void ts_frontier_open(struct ts_frontier *frontier, const bool *tasks);
/* Tasks that can be handed out. None before ts_frontier_open. */
size_t ts_frontier_ready(const struct ts_frontier *frontier);
/* Hands out at most `most` of them, those of one kind and with common inputs together; demands has room for
 * most * TS_OP_MAX_PORTS. Returns the number of demands. */
size_t ts_frontier_take(struct ts_frontier *frontier, size_t most, struct ts_run_demand *demands);
/* Hands out all that a run needs and that is not handed out yet; the run by its place in plan->set_order. The list is
 * the caller's. Before ts_frontier_open. */
struct ts_run_demand *ts_frontier_take_run(struct ts_frontier *frontier, size_t place, size_t *count);
/* Tasks that were handed out have ended: looks for their products in the store. Those that are missing failed. */
void ts_frontier_came(struct ts_frontier *frontier, const struct ts_run_demand *demands, size_t count);
/* Nothing more is needed, or all that is left needs a task that failed. */
bool ts_frontier_is_over(const struct ts_frontier *frontier);
bool ts_frontier_any_failed(const struct ts_frontier *frontier);

/* The contents from which missing products of a run will be made: fills keys[task] of the tasks of the workflow with
 * numbers that are equal for equal contents to come (TS_NO_NODE: there already, or not needed). */
void ts_frontier_keys(struct ts_frontier *frontier, size_t run, uint32_t *keys);

#endif
