/* Writing of a batch: the files of large products first, then all rows in one transaction that makes them visible.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/alloc.h"
#include "base/lock.h"
#include "store/lock.h"
#include "store/sqlite/sqlite_int.h"

/* Products of the batch that become files. Owned array of borrowed products. */
struct large {
  const struct ts_batch_product **products;
  bool *is_new; /* owned; files that this batch made */
  size_t count;
};

static bool is_inline(const struct ts_batch_product *product) { return product->packed_bytes <= TS_STORE_INLINE_BYTES; }

static void find_large(const struct ts_batch *batch, struct large *large) {
  size_t capacity = 0;
  for (size_t i = 0; i < batch->product_count; i++) {
    if (is_inline(&batch->products[i])) continue;
    large->products = ts_grow(large->products, large->count, &capacity, sizeof *large->products);
    large->products[large->count++] = &batch->products[i];
  }
  large->is_new = ts_calloc(large->count + 1, sizeof *large->is_new);
}

static bool write_entry(struct ts_sqlite_connection *connection, const struct ts_batch_entry *entry,
                        struct ts_error *err) {
  if (entry->record) return ts_sqlite_insert_record(connection, entry->record, err);
  return ts_sqlite_insert_task(connection, entry->run, entry->task, err);
}

static bool write_rows(struct ts_sqlite_connection *connection, const struct ts_batch *batch, struct ts_error *err) {
  for (size_t i = 0; i < batch->product_count; i++) {
    const struct ts_batch_product *product = &batch->products[i];
    if (!ts_sqlite_insert_product(connection, product, is_inline(product), err)) return false;
  }
  for (size_t i = 0; i < batch->entry_count; i++) {
    if (!write_entry(connection, &batch->entries[i], err)) return false;
  }
  return true;
}

/* A store that was taken away in the middle fails in many ways; that it is gone says more than any of them. */
static void blame_loss(const struct ts_sqlite_store *store, struct ts_error *err) {
  struct ts_error gone = {0};
  if (err && !ts_store_lock_check(store->lock_fd, store->folder, &gone)) *err = gone;
}

bool ts_sqlite_write(void *state, const struct ts_batch *batch, struct ts_error *err) {
  struct ts_sqlite_store *store = state;
  struct large large = {0};
  find_large(batch, &large);
  bool ok = ts_store_lock_check(store->lock_fd, store->folder, err) &&
            ts_objects_write(&store->objects, large.products, large.count, large.is_new, err);
  if (ok) {
    ts_hold(&store->write_lock);
    for (size_t i = 0; i < batch->entry_count; i++) {
      if (batch->entries[i].record) ts_sqlite_filter_add(&store->filter, batch->entries[i].record);
    }
    ok = ts_sqlite_begin(&store->writer, TS_SQL_BEGIN_WRITE, err);
    if (ok) ok = ts_sqlite_end(&store->writer, write_rows(&store->writer, batch, err), err);
    /* Files without a row would only take space; those that were there may have one. */
    if (!ok) ts_objects_remove_new(&store->objects, large.products, large.count, large.is_new);
  }
  free(large.is_new);
  free(large.products);
  if (!ok) blame_loss(store, err);
  return ok;
}
