/* Costs of operations, at the front of the store.
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/store_int.h"

bool ts_store_cost_list(struct ts_store *store, struct ts_arena *arena, struct ts_cost_row **rows, size_t *count,
                        struct ts_error *err) {
  *rows = NULL;
  *count = 0;
  return !store->backend->cost_list || store->backend->cost_list(store->state, arena, rows, count, err);
}

bool ts_store_cost_put(struct ts_store *store, const struct ts_cost_row *rows, size_t count, bool *outdated,
                       struct ts_error *err) {
  *outdated = false;
  return ts_store_check_writable(store, err) && (count == 0 || !store->backend->cost_put ||
                                                 store->backend->cost_put(store->state, rows, count, outdated, err));
}

struct ts_write_cost ts_store_write_cost(const struct ts_store *store) {
  const struct ts_store_writer *writer = &store->writer;
  if (store->read_only) return (struct ts_write_cost){0};
  return (struct ts_write_cost){.products = atomic_load(&writer->products),
                                .bytes = atomic_load(&writer->product_bytes),
                                .cpu_s = (double)atomic_load(&writer->cpu_ns) / 1e9};
}
