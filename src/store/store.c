/* The front of the store: opening, putting, finding and loading, over any backend.
 * SPDX-License-Identifier: Apache-2.0
 *
 * What was put is in the queue until the backend has it, so every question goes to the queue first. Loading verifies:
 * bytes from the backend must have the digest that was requested. Start reading at ts_store_put, then writer.c. */
#include "store/store_int.h"

#include "base/alloc.h"
#include "base/log.h"
#include "store/copy.h"

#include <stdlib.h>
#include <string.h>

#define KEEP_MOST_BYTES 1024

static bool is_traced(void) {
  const char *value = getenv("TESSERA_STORE_TRACE");
  return value && value[0] != '\0' && strcmp(value, "0") != 0;
}

bool ts_store_check_writable(const struct ts_store *store, struct ts_error *err) {
  if (!store->read_only) return true;
  ts_fail(err, TS_ERR_STORE, "the store '%s' was opened for reading", store->path);
  return ts_error_help(err, "open the store for writing");
}

/* Gives the store its way of taking puts: a writer, or a refusal. */
static bool start(struct ts_store *store, struct ts_error *err) {
  ts_store_queue_init(&store->queue);
  if (store->read_only) {
    struct ts_error reason = {0};
    ts_store_check_writable(store, &reason);
    ts_store_queue_refuse(&store->queue, &reason);
    return true;
  }
  store->writer = (struct ts_store_writer){.queue = &store->queue, .backend = store->backend, .state = store->state};
  if (ts_store_writer_start(&store->writer, err)) return true;
  ts_store_queue_release(&store->queue);
  return false;
}

struct ts_store *ts_store_open(const struct ts_store_options *options, struct ts_error *err) {
  const struct ts_store_backend *backend = ts_store_backend_choose(options, err);
  if (!backend) return NULL;
  struct ts_store *store = ts_calloc(1, sizeof *store);
  store->path = ts_strdup(backend->has_folder ? options->path : "");
  store->read_only = options->read_only;
  store->backend = is_traced() ? &ts_store_trace : backend;
  store->state = store->backend->open(options, err);
  if (store->state && start(store, err)) return store;
  if (store->state) store->backend->close(store->state);
  free(store->path);
  free(store);
  return NULL;
}

/* Without the lock, which the thread that crashed may hold; a count that is a moment old does no harm. */
void ts_store_counts(const struct ts_store *store, uint64_t *put, uint64_t *done) {
  *put = __atomic_load_n(&store->queue.put_count, __ATOMIC_RELAXED);
  *done = __atomic_load_n(&store->queue.done_count, __ATOMIC_RELAXED);
}

void ts_store_set_batch_bytes(struct ts_store *store, size_t bytes) {
  __atomic_store_n(&store->queue.batch_bytes, bytes, __ATOMIC_RELAXED);
}

bool ts_store_flush(struct ts_store *store, struct ts_error *err) { return ts_store_queue_flush(&store->queue, err); }

void ts_store_close(struct ts_store *store) {
  if (!store) return;
  struct ts_error failure = {0};
  if (!store->read_only) ts_store_writer_stop(&store->writer);
  if (!ts_store_queue_flush(&store->queue, &failure)) ts_log(TS_LOG_WARN, "results were not kept: %s", failure.text);
  ts_store_queue_release(&store->queue);
  store->backend->close(store->state);
  free(store->path);
  free(store);
}

const char *ts_store_salt(const struct ts_store *store) { return store->backend->salt(store->state); }

const char *ts_store_path(const struct ts_store *store) { return store->path; }

/* Whether a record need not go through the queue: nothing is in it that must come before, and its products are so small
 * that packing them would save nothing. */
static bool may_keep(const struct ts_store *store, const struct ts_record *record, struct ts_data *const *products) {
  if (!store->backend->keep || store->read_only || !ts_store_queue_is_empty(&store->queue)) return false;
  for (size_t i = 0; products && i < record->output_count; i++) {
    if (!products[i]) continue;
    if (ts_data_size_bytes(products[i]) > KEEP_MOST_BYTES || ts_data_type(products[i])->kind == TS_DATA_FILE)
      return false;
  }
  return true;
}

void ts_store_put(struct ts_store *store, const struct ts_record *record, struct ts_data *const *products) {
  if (may_keep(store, record, products)) {
    store->backend->keep(store->state, record, products);
    return;
  }
  ts_store_queue_put(&store->queue, ts_store_item_create_record(record, products));
}

void ts_store_put_task(struct ts_store *store, const char *run, const struct ts_task_row *row) {
  ts_store_queue_put(&store->queue, ts_store_item_create_task(run, row));
}

/* Whatever the backend is: a record is used for the key it was made under, or not at all. */
static bool find(struct ts_store *store, enum ts_store_by by, const struct ts_key *key, struct ts_arena *arena,
                 struct ts_record *record, struct ts_error *err) {
  if (ts_store_queue_find(&store->queue, by, key, arena, record)) return true;
  if (!store->backend->find(store->state, by, key, arena, record, err)) return false;
  const struct ts_key *there = by == TS_STORE_BY_KEY ? &record->key : &record->content_key;
  if (memcmp(there, key, sizeof *key) == 0) return true;
  __atomic_fetch_add(&store->damage_count, 1, __ATOMIC_RELAXED);
  return false;
}

uint64_t ts_store_damage_count(const struct ts_store *store) {
  const struct ts_store_backend *backend = store->backend;
  return __atomic_load_n(&store->damage_count, __ATOMIC_RELAXED) +
         (backend->damage_count ? backend->damage_count(store->state) : 0);
}

bool ts_store_find(struct ts_store *store, const struct ts_key *key, struct ts_arena *arena, struct ts_record *record,
                   struct ts_error *err) {
  return find(store, TS_STORE_BY_KEY, key, arena, record, err);
}

bool ts_store_find_content(struct ts_store *store, const struct ts_key *content_key, struct ts_arena *arena,
                           struct ts_record *record, struct ts_error *err) {
  return find(store, TS_STORE_BY_CONTENT_KEY, content_key, arena, record, err);
}

bool ts_store_records_of(struct ts_store *store, const char *operation, size_t limit, struct ts_arena *arena,
                         struct ts_record **records, size_t *count, struct ts_error *err) {
  ts_store_queue_drain(&store->queue);
  return store->backend->records_of(store->state, operation, limit, arena, records, count, err);
}

bool ts_store_has_product(struct ts_store *store, const struct ts_sha256 *digest) {
  struct ts_data *queued = ts_store_queue_product(&store->queue, digest);
  ts_data_unref(queued);
  return queued || store->backend->has_product(store->state, digest);
}

/* Unpacks and verifies. BAD_PRODUCT if these are not the bytes of this digest. */
static struct ts_data *unpack(const struct ts_sha256 *digest, const struct ts_str *packed, struct ts_error *err) {
  struct ts_data *data = ts_data_unpack(ts_str_get(packed), packed->length, err);
  if (!data) return NULL;
  struct ts_sha256 actual;
  ts_data_digest(data, &actual);
  if (memcmp(&actual, digest, sizeof actual) == 0) return data;
  ts_data_unref(data);
  ts_fail(err, TS_ERR_BAD_PRODUCT, "the content has another digest than its name says");
  return NULL;
}

/* Removes a damaged product and reports it as an error of the store. */
static void report_damage(struct ts_store *store, const struct ts_sha256 *digest, const struct ts_error *damage,
                          struct ts_error *err) {
  char hex[65];
  ts_hex_encode(digest->bytes, sizeof digest->bytes, hex);
  struct ts_error ignored = {0}; /* a product that cannot be removed is found damaged again, no worse */
  if (!store->read_only) store->backend->forget(store->state, digest, &ignored);
  ts_fail(err, TS_ERR_BAD_PRODUCT, "product '%.16s' of the store '%s' is damaged and will be computed again: %s", hex,
          store->path, damage->text);
  ts_error_help(err, "nothing to do; if it happens often, check the disk of the store");
}

struct ts_data *ts_store_load(struct ts_store *store, const struct ts_sha256 *digest, struct ts_error *err) {
  struct ts_data *data = ts_store_queue_product(&store->queue, digest);
  if (!data && store->backend->hold) data = store->backend->hold(store->state, digest);
  if (data) return data;
  ts_auto(ts_str_release) struct ts_str packed = {0};
  struct ts_error trouble = {0};
  if (store->backend->fetch(store->state, digest, &packed, &trouble)) data = unpack(digest, &packed, &trouble);
  if (data || trouble.code == TS_ERR_OK) return data;
  if (trouble.code == TS_ERR_BAD_PRODUCT) {
    report_damage(store, digest, &trouble, err);
  } else if (err && err->code == TS_ERR_OK) {
    *err = trouble;
  }
  return NULL;
}

bool ts_store_usage(struct ts_store *store, struct ts_store_usage *usage, struct ts_error *err) {
  ts_store_queue_drain(&store->queue);
  return store->backend->usage(store->state, usage, err);
}

bool ts_store_refresh(struct ts_store *store, struct ts_error *err) {
  return !store->backend->refresh || store->backend->refresh(store->state, err);
}
