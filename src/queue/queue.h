/* The queue of a run's buckets: workers claim them under a lease, and complete each together with what it made.
 * SPDX-License-Identifier: Apache-2.0
 *
 * A claim gives a token, a number that no other claim of the queue has. A holder renews its lease; a lease that ended
 * gives the bucket to others (ts_queue_expire), and from then on the old token is stale: renewing, completing and
 * releasing with it change nothing and say so. A worker that stood still can therefore do no harm. All times are those
 * of the queue's own clock. All calls are thread-safe. */
#ifndef TS_QUEUE_QUEUE_H
#define TS_QUEUE_QUEUE_H

#include "base/arena.h"
#include "base/error.h"
#include "data/batch.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ts_bucket_row {
  uint64_t
      number; /* unique in the queue, which numbers them in the order they are added; the lowest is claimed first */
  uint64_t group;
  uint32_t phase; /* claimed only when no bucket of its group with a lower phase is unfinished */
  const char *body;
  uint32_t attempts; /* how often it was claimed */
};

struct ts_queue_claim {
  struct ts_bucket_row row; /* its body is owned by the arena of the claim */
  uint64_t token;
};

enum ts_queue_claimed {
  TS_QUEUE_CLAIMED,
  TS_QUEUE_WAIT, /* some are held by others, or wait for a lower phase */
  TS_QUEUE_OVER, /* all are done or set aside */
};

enum ts_queue_outcome {
  TS_QUEUE_DONE,
  TS_QUEUE_STALE,  /* the token is not that of the last claim: somebody else has the bucket, or had it */
  TS_QUEUE_FAILED, /* with an error; the bucket is held as before */
};

/* A bucket whose lease ended. */
struct ts_queue_loss {
  uint64_t number, token;
  uint32_t attempts;
  bool is_poisoned; /* it was claimed too often: set aside */
};

struct ts_queue_options {
  const struct ts_queue_backend *backend; /* borrowed; NULL: memory */
  uint64_t lease_ns;
  uint32_t most_attempts;   /* a bucket whose lease ends after so many claims is poisoned */
  uint64_t (*now_ns)(void); /* a clock that never goes back; NULL: ts_clock_ns */
  void *user;               /* borrowed */
  /* Keeps the batch of a bucket that is being completed; false with an error: it is not completed. Called without a
   * lock of the queue. A backend that writes batches itself does not call it. NULL: batches are not kept. */
  bool (*commit)(void *user, uint64_t number, const struct ts_batch *batch, struct ts_error *err);
  /* A claim may find something that it did not find before, or the queue is over. Called by the thread that changed
   * it, without a lock of the queue. May be NULL. */
  void (*on_change)(void *user);
};

struct ts_queue;

struct ts_queue *ts_queue_create(const struct ts_queue_options *options, struct ts_error *err);
void ts_queue_destroy(struct ts_queue *queue);

/* Adds buckets, all or none, and sets their numbers. */
bool ts_queue_add(struct ts_queue *queue, struct ts_bucket_row *rows, size_t count, struct ts_error *err);
/* Claims up to `most` of those that may be claimed, lowest numbers first; *count says how many. */
enum ts_queue_claimed ts_queue_claim(struct ts_queue *queue, size_t most, struct ts_arena *arena,
                                     struct ts_queue_claim *claims, size_t *count);
/* The lease begins anew. */
enum ts_queue_outcome ts_queue_renew(struct ts_queue *queue, uint64_t token);
/* The bucket is done, and the batch is kept; both or none. batch NULL: all that belongs to the bucket is kept
 * already. */
enum ts_queue_outcome ts_queue_complete(struct ts_queue *queue, uint64_t token, const struct ts_batch *batch,
                                        struct ts_error *err);
/* The bucket can be claimed by others at once. */
enum ts_queue_outcome ts_queue_release(struct ts_queue *queue, uint64_t token);
/* The bucket is set aside: nobody claims it again, and higher phases of its group wait for ever. `log` says why. */
enum ts_queue_outcome ts_queue_poison(struct ts_queue *queue, uint64_t token, const char *log);
/* Takes back the buckets whose leases ended, at most `most`; returns how many. */
size_t ts_queue_expire(struct ts_queue *queue, struct ts_queue_loss *losses, size_t most);
/* The first bucket that was set aside, and its log (owned by the arena). False: there is none. */
bool ts_queue_find_poisoned(struct ts_queue *queue, struct ts_arena *arena, struct ts_bucket_row *row,
                            const char **log);

#endif
