/* What a backend of the queue must offer: the contract between the front (queue.h) and what holds the buckets.
 * SPDX-License-Identifier: Apache-2.0
 *
 * The static description is struct ts_queue_backend, one const object per backend, listed in queue/queue.c; the live
 * instance is the `state` that its open returns. Every member may be called by any thread at any time between open and
 * close. The front passes calls on, and calls `on_change` of the options when a member says that something changed. */
#ifndef TS_QUEUE_BACKEND_H
#define TS_QUEUE_BACKEND_H

#include "queue/queue.h"

struct ts_queue_backend {
  const char *name;

  /* Returns the instance, or NULL with an error. The options are those of ts_queue_create, with a clock; they are the
   * instance's until close. */
  void *(*open)(const struct ts_queue_options *options, struct ts_error *err);
  void (*close)(void *state);
  /* All rows or none; sets their numbers, which go up by one from 0. Bodies are copied. */
  bool (*add)(void *state, struct ts_bucket_row *rows, size_t count, struct ts_error *err);
  /* Marks the lowest numbers that wait and may be claimed as held, each with a new token and a lease from now on, and
   * counts the attempt. Two claims never get the same bucket. */
  enum ts_queue_claimed (*claim)(void *state, size_t most, struct ts_arena *arena, struct ts_queue_claim *claims,
                                 size_t *count);
  /* The lease of the bucket that was claimed with this token begins anew, also if it had ended and nobody took the
   * bucket back yet. */
  enum ts_queue_outcome (*renew)(void *state, uint64_t token);
  /* Keeps the batch (if there is one) and marks the bucket as done in one step that survives or fails as a whole. A
   * stale token keeps nothing. */
  enum ts_queue_outcome (*complete)(void *state, uint64_t token, const struct ts_batch *batch, struct ts_error *err);
  /* The bucket waits again; its attempts stay counted. */
  enum ts_queue_outcome (*release)(void *state, uint64_t token);
  /* The bucket stays where it is, with its log, until close. */
  enum ts_queue_outcome (*poison)(void *state, uint64_t token, const char *log);
  /* Buckets whose leases ended wait again, or are poisoned if they had too many attempts; their tokens are stale. */
  size_t (*expire)(void *state, struct ts_queue_loss *losses, size_t most);
  /* The lowest number that is poisoned. */
  bool (*find_poisoned)(void *state, struct ts_arena *arena, struct ts_bucket_row *row, const char **log);
};

/* In the memory of the process that owns the run. */
extern const struct ts_queue_backend ts_queue_memory;

/* All backends. */
const struct ts_queue_backend *const *ts_queue_backend_list(size_t *count);

#endif
