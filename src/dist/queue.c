/* Passes the queue of buckets on to the store, and takes its place when the store fails.
 * SPDX-License-Identifier: Apache-2.0 */
#include "dist/queue.h"

#include "base/alloc.h"
#include "base/const.h"
#include "base/log.h"

#include <stdlib.h>

enum bucket_state { WAITING, HELD, DONE };

struct ts_dist_bucket {
  struct ts_bucket_row row; /* its body is owned until the bucket is done */
  enum bucket_state state;
  uint64_t worker; /* HELD */
};

/* Under the lock. Says whether the store is still to be used. */
static bool keep_to_store(struct ts_dist_queue *queue, bool ok, const struct ts_error *err) {
  if (ok) return true;
  ts_log(TS_LOG_INFO, "the queue of buckets goes on without the store: %s", err->text);
  queue->is_alone = true;
  return false;
}

void ts_dist_queue_init(struct ts_dist_queue *queue, struct ts_store *store, const char *run) {
  struct ts_error err = {0};
  *queue = (struct ts_dist_queue){.store = store, .run = run};
  pthread_mutex_init(&queue->lock, NULL);
  keep_to_store(queue, ts_store_buckets_drop(store, run, &err), &err);
}

void ts_dist_queue_release(struct ts_dist_queue *queue) {
  struct ts_error ignored = {0};
  if (!queue->store) return;
  ts_store_buckets_drop(queue->store, queue->run, &ignored);
  for (size_t i = 0; i < queue->count; i++) free(ts_without_const(queue->buckets[i].row.body));
  free(queue->buckets);
  pthread_mutex_destroy(&queue->lock);
}

void ts_dist_queue_add(struct ts_dist_queue *queue, struct ts_bucket_row *rows, size_t count) {
  struct ts_error err = {0};
  pthread_mutex_lock(&queue->lock);
  for (size_t i = 0; i < count; i++) {
    rows[i].number = queue->count;
    queue->buckets = ts_grow(queue->buckets, queue->count, &queue->capacity, sizeof *queue->buckets);
    struct ts_dist_bucket *bucket = &queue->buckets[queue->count++];
    *bucket = (struct ts_dist_bucket){.row = rows[i]};
    bucket->row.body = ts_strdup(rows[i].body);
  }
  if (!queue->is_alone && count > 0)
    keep_to_store(queue, ts_store_buckets_add(queue->store, queue->run, rows, count, &err), &err);
  pthread_mutex_unlock(&queue->lock);
}

/* Whether everything of a lower phase of its window is done. */
static bool is_open(const struct ts_dist_queue *queue, const struct ts_bucket_row *row) {
  for (size_t i = 0; row->phase > 0 && i < queue->count; i++) {
    const struct ts_dist_bucket *other = &queue->buckets[i];
    if (other->state != DONE && other->row.group == row->group && other->row.phase < row->phase) return false;
  }
  return true;
}

/* Slower than the store, but a bucket is worth it. */
static enum ts_bucket_take take_alone(struct ts_dist_queue *queue, struct ts_arena *arena, struct ts_bucket_row *row) {
  bool waits = false;
  for (size_t i = 0; i < queue->count; i++) {
    struct ts_dist_bucket *bucket = &queue->buckets[i];
    waits = waits || bucket->state != DONE;
    if (bucket->state != WAITING || !is_open(queue, &bucket->row)) continue;
    *row = bucket->row;
    row->attempts++;
    row->body = ts_arena_strdup(arena, bucket->row.body);
    return TS_BUCKET_TAKEN;
  }
  return waits ? TS_BUCKET_WAIT : TS_BUCKET_NONE;
}

enum ts_bucket_take ts_dist_queue_take(struct ts_dist_queue *queue, uint64_t worker, struct ts_arena *arena,
                                       struct ts_bucket_row *row) {
  struct ts_error err = {0};
  enum ts_bucket_take taken = TS_BUCKET_ERROR;
  pthread_mutex_lock(&queue->lock);
  if (!queue->is_alone) taken = ts_store_bucket_take(queue->store, queue->run, worker, arena, row, &err);
  if (queue->is_alone || !keep_to_store(queue, taken != TS_BUCKET_ERROR, &err)) taken = take_alone(queue, arena, row);
  if (taken == TS_BUCKET_TAKEN) {
    struct ts_dist_bucket *bucket = &queue->buckets[row->number];
    bucket->state = HELD;
    bucket->worker = worker;
    bucket->row.attempts = row->attempts;
  }
  pthread_mutex_unlock(&queue->lock);
  return taken;
}

void ts_dist_queue_done(struct ts_dist_queue *queue, uint64_t number) {
  struct ts_error err = {0};
  pthread_mutex_lock(&queue->lock);
  struct ts_dist_bucket *bucket = &queue->buckets[number];
  bucket->state = DONE;
  free(ts_without_const(bucket->row.body));
  bucket->row.body = NULL;
  if (!queue->is_alone) keep_to_store(queue, ts_store_bucket_done(queue->store, queue->run, number, &err), &err);
  pthread_mutex_unlock(&queue->lock);
}

void ts_dist_queue_give_back(struct ts_dist_queue *queue, uint64_t worker) {
  struct ts_error err = {0};
  size_t count = 0;
  pthread_mutex_lock(&queue->lock);
  for (size_t i = 0; i < queue->count; i++) {
    struct ts_dist_bucket *bucket = &queue->buckets[i];
    if (bucket->state == HELD && bucket->worker == worker) bucket->state = WAITING;
  }
  if (!queue->is_alone)
    keep_to_store(queue, ts_store_buckets_give_back(queue->store, queue->run, worker, &count, &err), &err);
  pthread_mutex_unlock(&queue->lock);
}
