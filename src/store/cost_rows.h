/* Rows of costs held in memory, one per key, in order.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_STORE_COST_ROWS_H
#define TS_STORE_COST_ROWS_H

#include "store/store.h"

/* A zeroed struct is an empty list. */
struct ts_cost_rows {
  struct ts_cost_row *rows; /* owned, with their texts and samples; ordered */
  size_t count, capacity;
};
void ts_cost_rows_release(struct ts_cost_rows *rows);
/* Copies the row; replaces the one of the same key. */
void ts_cost_rows_put(struct ts_cost_rows *rows, const struct ts_cost_row *row);
/* Whether the row knows the one that it would replace, if there is one. */
bool ts_cost_rows_has_seen(const struct ts_cost_rows *rows, const struct ts_cost_row *row);
/* Copies of all rows, owned by the arena. */
struct ts_cost_row *ts_cost_rows_copy(const struct ts_cost_rows *rows, struct ts_arena *arena);

#endif
