/* The front of the queue: the table of backends, and telling that something changed.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/alloc.h"
#include "base/clock.h"
#include "queue/backend.h"

#include <stdlib.h>

struct ts_queue {
  const struct ts_queue_backend *backend; /* borrowed */
  struct ts_queue_options options;
  void *state; /* owned: the instance */
};

static const struct ts_queue_backend *const backends[] = {&ts_queue_memory};

const struct ts_queue_backend *const *ts_queue_backend_list(size_t *count) {
  *count = sizeof backends / sizeof *backends;
  return backends;
}

struct ts_queue *ts_queue_create(const struct ts_queue_options *options, struct ts_error *err) {
  struct ts_queue *queue = ts_calloc(1, sizeof *queue);
  queue->options = *options;
  if (!queue->options.now_ns) queue->options.now_ns = ts_clock_ns;
  queue->backend = options->backend ? options->backend : backends[0];
  queue->state = queue->backend->open(&queue->options, err);
  if (queue->state) return queue;
  free(queue);
  return NULL;
}

void ts_queue_destroy(struct ts_queue *queue) {
  if (!queue) return;
  queue->backend->close(queue->state);
  free(queue);
}

static void tell_change(const struct ts_queue *queue) {
  if (queue->options.on_change) queue->options.on_change(queue->options.user);
}

static enum ts_queue_outcome tell_if_done(const struct ts_queue *queue, enum ts_queue_outcome outcome) {
  if (outcome == TS_QUEUE_DONE) tell_change(queue);
  return outcome;
}

bool ts_queue_add(struct ts_queue *queue, struct ts_bucket_row *rows, size_t count, struct ts_error *err) {
  if (!queue->backend->add(queue->state, rows, count, err)) return false;
  if (count > 0) tell_change(queue);
  return true;
}

enum ts_queue_claimed ts_queue_claim(struct ts_queue *queue, size_t most, struct ts_arena *arena,
                                     struct ts_queue_claim *claims, size_t *count) {
  return queue->backend->claim(queue->state, most, arena, claims, count);
}

enum ts_queue_outcome ts_queue_renew(struct ts_queue *queue, uint64_t token) {
  return queue->backend->renew(queue->state, token);
}

enum ts_queue_outcome ts_queue_complete(struct ts_queue *queue, uint64_t token, const struct ts_batch *batch,
                                        struct ts_error *err) {
  return tell_if_done(queue, queue->backend->complete(queue->state, token, batch, err));
}

enum ts_queue_outcome ts_queue_release(struct ts_queue *queue, uint64_t token) {
  return tell_if_done(queue, queue->backend->release(queue->state, token));
}

enum ts_queue_outcome ts_queue_poison(struct ts_queue *queue, uint64_t token, const char *log) {
  return tell_if_done(queue, queue->backend->poison(queue->state, token, log));
}

size_t ts_queue_expire(struct ts_queue *queue, struct ts_queue_loss *losses, size_t most) {
  size_t count = queue->backend->expire(queue->state, losses, most);
  if (count > 0) tell_change(queue);
  return count;
}

bool ts_queue_find_poisoned(struct ts_queue *queue, struct ts_arena *arena, struct ts_bucket_row *row,
                            const char **log) {
  return queue->backend->find_poisoned(queue->state, arena, row, log);
}
