/* Costs of operations, at the front of the store.
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/store_int.h"

bool ts_store_cost_list(struct ts_store *store, struct ts_arena *arena, struct ts_cost_row **rows, size_t *count,
                        struct ts_error *err) {
  *rows = NULL;
  *count = 0;
  return store->backend->cost_list(store->state, arena, rows, count, err);
}

bool ts_store_cost_put(struct ts_store *store, const struct ts_cost_row *rows, size_t count, struct ts_error *err) {
  return ts_store_check_writable(store, err) &&
         (count == 0 || store->backend->cost_put(store->state, rows, count, err));
}
