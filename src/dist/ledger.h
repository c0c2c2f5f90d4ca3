/* Keeps the books of a run by several processes: every task and unit is settled once, repetitions are counted apart.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_DIST_LEDGER_H
#define TS_DIST_LEDGER_H

#include "dist/dist.h"

struct ts_ledger {
  const struct ts_plan *plan;            /* borrowed */
  const struct ts_dataset *dataset;      /* borrowed */
  const struct ts_dist_options *options; /* borrowed */
  struct ts_run_result *result;          /* borrowed: being filled */
  size_t *offsets;                       /* owned: units of node n start there */
  uint8_t *settled;                      /* owned: outcome + 1 per node and unit; 0: open */
  uint64_t *wanted_ports;                /* owned: per node, a bit per port that the plan wants */
  size_t *product_offsets;               /* owned: as offsets, per port that is wanted */
  double *least_s; /* owned: per task of the workflow, CPU seconds of its cheapest execution; 0: none yet */
  bool *delivered; /* owned */
};
void ts_ledger_init(struct ts_ledger *ledger, const struct ts_plan *plan, const struct ts_dataset *dataset,
                    const struct ts_dist_options *options, struct ts_run_result *result);
void ts_ledger_release(struct ts_ledger *ledger);
/* Events with numbers that the plan does not have are ignored. */
void ts_ledger_task(struct ts_ledger *ledger, const struct ts_task_event *event);
/* Once per product; later ones are ignored. */
void ts_ledger_product(struct ts_ledger *ledger, uint32_t node, uint32_t port, size_t unit, struct ts_data *data);
bool ts_ledger_is_wanted(const struct ts_ledger *ledger, uint32_t node, uint32_t port, size_t unit);
/* Whether a product was not delivered although its task is done: never, if all buckets are. */
bool ts_ledger_lacks_product(const struct ts_ledger *ledger, uint32_t *node, size_t *unit);
/* Reports tasks that were not needed, because they or their consumers were in the store, when a window is finished. */
void ts_ledger_close_window(struct ts_ledger *ledger, uint32_t window);

#endif
