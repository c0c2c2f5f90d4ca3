/* The store's queue: a list in order of putting, three indexes to search it, and counts of puts and of finished ones.
 * SPDX-License-Identifier: Apache-2.0
 *
 * The writer is woken only when the queue stops being empty, when a batch becomes full and when somebody waits: a put
 * costs a copy and a short lock. */
#include "store/queue.h"

#include "base/alloc.h"
#include "base/lock.h"
#include "store/copy.h"

#include <string.h>
#include <time.h>

/* Not ts_clock_ns: the condition variable waits by the real clock, also when a test replaced the other one. */
static uint64_t now_ns(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * UINT64_C(1000000000) + (uint64_t)time.tv_nsec;
}

void ts_store_queue_init(struct ts_store_queue *queue) {
  memset(queue, 0, sizeof *queue);
  queue->batch_bytes = TS_STORE_BATCH_BYTES;
  pthread_mutex_init(&queue->lock, NULL);
  pthread_condattr_t attributes;
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  pthread_cond_init(&queue->due, &attributes);
  pthread_cond_init(&queue->progress, NULL);
  pthread_condattr_destroy(&attributes);
}

void ts_store_queue_release(struct ts_store_queue *queue) {
  ts_store_item_destroy_list(queue->first);
  ts_digest_index_release(&queue->by_key);
  ts_digest_index_release(&queue->by_content);
  ts_digest_index_release(&queue->by_product);
  pthread_cond_destroy(&queue->progress);
  pthread_cond_destroy(&queue->due);
  pthread_mutex_destroy(&queue->lock);
}

static bool is_whole(const struct ts_store_item *item) {
  for (size_t i = 0; i < item->as.record.output_count; i++) {
    if (!item->products[i].data) return false;
  }
  return true;
}

/* The first result wins as it does in the backends: a whole record hides later ones of the same key. */
static void index_record(struct ts_digest_index *index, struct ts_digest_node *node, const struct ts_key *key,
                         struct ts_store_item *item) {
  const struct ts_store_item *older = ts_digest_index_find(index, &key->digest);
  if (!older || !is_whole(older)) ts_digest_index_insert(index, node, &key->digest, item);
}

static void index_item(struct ts_store_queue *queue, struct ts_store_item *item) {
  if (!item->entry.record) return;
  const struct ts_record *record = &item->as.record;
  index_record(&queue->by_key, &item->by_key, &record->key, item);
  index_record(&queue->by_content, &item->by_content, &record->content_key, item);
  for (size_t i = 0; i < record->output_count; i++) {
    struct ts_store_item_product *product = &item->products[i];
    if (product->data) {
      ts_digest_index_insert(&queue->by_product, &product->node, &record->outputs[i].digest, product);
    }
  }
}

static void unindex_item(struct ts_store_queue *queue, struct ts_store_item *item) {
  if (!item->entry.record) return;
  if (item->by_key.owner) ts_digest_index_remove(&queue->by_key, &item->by_key);
  if (item->by_content.owner) ts_digest_index_remove(&queue->by_content, &item->by_content);
  for (size_t i = 0; i < item->as.record.output_count; i++) {
    if (item->products[i].data) ts_digest_index_remove(&queue->by_product, &item->products[i].node);
  }
}

static bool is_full(const struct ts_store_queue *queue) {
  return queue->waiting_bytes >= __atomic_load_n(&queue->batch_bytes, __ATOMIC_RELAXED) ||
         queue->waiting_count >= TS_STORE_BATCH_ENTRIES;
}

static void append(struct ts_store_queue *queue, struct ts_store_item *item) {
  item->put_ns = now_ns();
  if (queue->last) {
    queue->last->next = item;
  } else {
    queue->first = item;
  }
  queue->last = item;
  queue->waiting_bytes += item->bytes;
  queue->waiting_count++;
  queue->held_bytes += item->bytes;
  __atomic_fetch_add(&queue->put_count, 1, __ATOMIC_RELAXED); /* also read without the lock: ts_store_counts */
  index_item(queue, item);
}

void ts_store_queue_put(struct ts_store_queue *queue, struct ts_store_item *item) {
  pthread_mutex_lock(&queue->lock);
  /* One item alone may be larger than the limit. */
  while (!queue->failed && queue->held_bytes > 0 && queue->held_bytes + item->bytes > TS_STORE_QUEUE_BYTES) {
    pthread_cond_wait(&queue->progress, &queue->lock);
  }
  const bool dropped = queue->failed;
  if (dropped) {
    queue->unreported = true;
  } else {
    const bool was_empty = !queue->first;
    const bool was_full = is_full(queue);
    append(queue, item);
    if (was_empty || (!was_full && is_full(queue))) pthread_cond_signal(&queue->due);
  }
  pthread_mutex_unlock(&queue->lock);
  if (dropped) ts_store_item_destroy_list(item);
}

/* Whether a batch is due; if not, *wait_ns is when it will be (0: when something is put). */
static bool is_due(const struct ts_store_queue *queue, uint64_t *wait_ns) {
  *wait_ns = 0;
  if (!queue->first) return queue->stopping;
  if (queue->stopping || is_full(queue) || queue->wanted_count > queue->done_count) return true;
  *wait_ns = queue->first->put_ns + TS_STORE_BATCH_NS;
  return now_ns() >= *wait_ns;
}

/* Cuts a batch off the front of the list. */
static struct ts_store_item *cut_batch(struct ts_store_queue *queue) {
  struct ts_store_item *batch = queue->first;
  struct ts_store_item *last = NULL;
  size_t bytes = 0;
  size_t count = 0;
  for (struct ts_store_item *item = batch; item; item = item->next) {
    if (bytes >= __atomic_load_n(&queue->batch_bytes, __ATOMIC_RELAXED) || count >= TS_STORE_BATCH_ENTRIES) break;
    bytes += item->bytes;
    count++;
    last = item;
  }
  if (!last) return NULL;
  queue->first = last->next;
  if (!queue->first) queue->last = NULL;
  last->next = NULL;
  queue->waiting_bytes -= bytes;
  queue->waiting_count -= count;
  return batch;
}

struct ts_store_item *ts_store_queue_take(struct ts_store_queue *queue) {
  ts_hold(&queue->lock);
  uint64_t wait_ns;
  while (!is_due(queue, &wait_ns)) {
    if (wait_ns == 0) {
      pthread_cond_wait(&queue->due, &queue->lock);
    } else {
      const struct timespec until = {.tv_sec = (time_t)(wait_ns / UINT64_C(1000000000)),
                                     .tv_nsec = (long)(wait_ns % UINT64_C(1000000000))};
      pthread_cond_timedwait(&queue->due, &queue->lock, &until);
    }
  }
  return cut_batch(queue);
}

/* Takes items out of the indexes and counts. */
static void settle(struct ts_store_queue *queue, struct ts_store_item *items) {
  for (struct ts_store_item *item = items; item; item = item->next) {
    unindex_item(queue, item);
    queue->held_bytes -= item->bytes;
    __atomic_fetch_add(&queue->done_count, 1, __ATOMIC_RELEASE);
  }
}

void ts_store_queue_done(struct ts_store_queue *queue, struct ts_store_item *items, const struct ts_error *failure) {
  struct ts_store_item *dropped = NULL;
  pthread_mutex_lock(&queue->lock);
  settle(queue, items);
  if (failure) {
    if (!queue->failed) queue->failure = *failure;
    queue->failed = queue->unreported = true;
    dropped = queue->first;
    settle(queue, dropped);
    queue->first = queue->last = NULL;
    queue->waiting_bytes = queue->waiting_count = 0;
  }
  pthread_cond_broadcast(&queue->progress);
  pthread_mutex_unlock(&queue->lock);
  ts_store_item_destroy_list(items);
  ts_store_item_destroy_list(dropped);
}

void ts_store_queue_stop(struct ts_store_queue *queue) {
  ts_hold(&queue->lock);
  queue->stopping = true;
  pthread_cond_signal(&queue->due);
}

void ts_store_queue_refuse(struct ts_store_queue *queue, const struct ts_error *reason) {
  ts_hold(&queue->lock);
  if (!queue->failed) queue->failure = *reason;
  queue->failed = true;
}

static void drain(struct ts_store_queue *queue) {
  const uint64_t target = queue->put_count;
  if (queue->wanted_count < target) {
    queue->wanted_count = target;
    pthread_cond_signal(&queue->due);
  }
  while (queue->done_count < target) pthread_cond_wait(&queue->progress, &queue->lock);
}

void ts_store_queue_drain(struct ts_store_queue *queue) {
  ts_hold(&queue->lock);
  drain(queue);
}

void ts_store_queue_drain_records(struct ts_store_queue *queue) {
  ts_hold(&queue->lock);
  if (queue->by_key.table.count > 0) drain(queue);
}

bool ts_store_queue_flush(struct ts_store_queue *queue, struct ts_error *err) {
  ts_hold(&queue->lock);
  drain(queue);
  const bool lost = queue->unreported;
  queue->unreported = false;
  if (lost && err && err->code == TS_ERR_OK) *err = queue->failure;
  return !lost;
}

/* done first: it never exceeds put, so if put is no more a moment later, nothing was between them. */
bool ts_store_queue_is_empty(const struct ts_store_queue *queue) {
  const uint64_t done = __atomic_load_n(&queue->done_count, __ATOMIC_ACQUIRE);
  return __atomic_load_n(&queue->put_count, __ATOMIC_ACQUIRE) == done;
}

bool ts_store_queue_find(struct ts_store_queue *queue, enum ts_store_by by, const struct ts_key *key,
                         struct ts_arena *arena, struct ts_record *record) {
  if (ts_store_queue_is_empty(queue)) return false;
  pthread_mutex_lock(&queue->lock);
  const struct ts_digest_index *index = by == TS_STORE_BY_KEY ? &queue->by_key : &queue->by_content;
  const struct ts_store_item *item = ts_digest_index_find(index, &key->digest);
  if (item) ts_record_copy(&item->as.record, arena, record);
  pthread_mutex_unlock(&queue->lock);
  return item != NULL;
}

struct ts_data *ts_store_queue_product(struct ts_store_queue *queue, const struct ts_sha256 *digest) {
  if (ts_store_queue_is_empty(queue)) return NULL;
  ts_hold(&queue->lock);
  const struct ts_store_item_product *product = ts_digest_index_find(&queue->by_product, digest);
  return product ? ts_data_ref(product->data) : NULL;
}
