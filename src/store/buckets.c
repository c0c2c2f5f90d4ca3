/* The queue of buckets in the front: what does not depend on the backend.
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/store_int.h"

static bool check(const struct ts_store *store, struct ts_error *err) {
  if (!store->backend->bucket_take) return ts_store_backend_refuse(store->backend, "has no queue of buckets", err);
  return ts_store_check_writable(store, err);
}

bool ts_store_buckets_add(struct ts_store *store, const char *run, const struct ts_bucket_row *rows, size_t count,
                          struct ts_error *err) {
  if (!check(store, err)) return false;
  for (size_t i = 0; i < count; i++) {
    if (rows[i].number > INT64_MAX) TS_BUG("bucket number %llu", (unsigned long long)rows[i].number);
  }
  return store->backend->buckets_add(store->state, run, rows, count, err);
}

enum ts_bucket_take ts_store_bucket_take(struct ts_store *store, const char *run, uint64_t worker,
                                         struct ts_arena *arena, struct ts_bucket_row *row, struct ts_error *err) {
  if (!check(store, err)) return TS_BUCKET_ERROR;
  return store->backend->bucket_take(store->state, run, worker, arena, row, err);
}

bool ts_store_bucket_done(struct ts_store *store, const char *run, uint64_t number, struct ts_error *err) {
  if (!check(store, err)) return false;
  struct ts_error trouble = {0};
  if (store->backend->bucket_done(store->state, run, number, &trouble)) return true;
  if (trouble.code == TS_ERR_OK) {
    ts_fail(&trouble, TS_ERR_STORE, "run '%s' has no bucket %llu", run, (unsigned long long)number);
    ts_error_help(&trouble, "end the workers of this run that are left, and continue it");
  }
  if (err && err->code == TS_ERR_OK) *err = trouble;
  return false;
}

bool ts_store_buckets_give_back(struct ts_store *store, const char *run, uint64_t worker, size_t *count,
                                struct ts_error *err) {
  *count = 0;
  return check(store, err) && store->backend->buckets_give_back(store->state, run, worker, count, err);
}

bool ts_store_buckets_drop(struct ts_store *store, const char *run, struct ts_error *err) {
  return check(store, err) && store->backend->buckets_drop(store->state, run, err);
}
