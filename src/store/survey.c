/* The front's part of surveys: every product and record of the backend, and the removal of products.
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/survey.h"

#include "base/alloc.h"
#include "base/map.h"
#include "store/store_int.h"
#include "store/verify.h"

#include <string.h>

/* Keys may come more than once, and so may those of records that were replaced. */
static void add_key(void *user, const struct ts_key *key, const struct ts_key *content_key) {
  (void)content_key;
  ts_map_insert(user, key, sizeof *key, NULL);
}

/* A record that is damaged counts as not there, as everywhere. */
static bool visit_records(struct ts_store *store, const struct ts_map *keys, const struct ts_store_visitor *visitor,
                          struct ts_error *err) {
  ts_auto(ts_arena_release) struct ts_arena arena = {0};
  for (size_t i = 0; i < ts_map_count(keys); i++) {
    struct ts_record record;
    struct ts_error trouble = {0};
    size_t size = 0;
    const struct ts_key *key = ts_map_key_at(keys, i, &size);
    ts_arena_release(&arena);
    if (ts_store_find(store, key, &arena, &record, &trouble)) {
      visitor->on_record(visitor->user, &record);
    } else if (trouble.code != TS_ERR_OK) {
      if (err && err->code == TS_ERR_OK) *err = trouble;
      return false;
    }
  }
  return true;
}

bool ts_store_survey(struct ts_store *store, const struct ts_store_visitor *visitor, struct ts_error *err) {
  const struct ts_store_backend *backend = store->backend;
  struct ts_map keys = {0};
  uint64_t mark = 0;
  if (!backend->product_list || !backend->keys) return ts_store_backend_refuse(backend, "cannot be surveyed", err);
  ts_store_queue_drain(&store->queue);
  const bool ok = backend->product_list(store->state, visitor->on_product, visitor->user, err) &&
                  backend->keys(store->state, &mark, add_key, &keys, err) && visit_records(store, &keys, visitor, err);
  ts_map_release(&keys);
  return ok;
}

bool ts_store_footprint(struct ts_store *store, struct ts_store_footprint *footprint, struct ts_error *err) {
  memset(footprint, 0, sizeof *footprint);
  return !store->backend->footprint || store->backend->footprint(store->state, footprint, err);
}

bool ts_store_evict(struct ts_store *store, const struct ts_sha256 *digests, size_t count, const volatile int *stop,
                    size_t *evicted, struct ts_error *err) {
  *evicted = 0;
  if (!ts_store_check_writable(store, err) || !ts_store_flush(store, err)) return false;
  for (; *evicted < count; ++*evicted) {
    if (stop && *stop) return ts_fail(err, TS_ERR_CANCELLED, "stopped on request");
    if (!store->backend->forget(store->state, &digests[*evicted], err)) return false;
  }
  return true;
}

bool ts_store_sweep(struct ts_store *store, uint64_t *removed, struct ts_error *err) {
  struct ts_store_verification found = {0};
  *removed = 0;
  if (!ts_store_check_writable(store, err)) return false;
  if (store->backend->sweep && !store->backend->sweep(store->state, &found, err)) return false;
  *removed = found.removed_files;
  return true;
}

bool ts_store_compact(struct ts_store *store, bool even_little, struct ts_error *err) {
  return ts_store_check_writable(store, err) &&
         (!store->backend->compact || store->backend->compact(store->state, even_little, err));
}
