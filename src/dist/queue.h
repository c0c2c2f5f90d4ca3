/* The queue of a run's buckets: in the store as long as that takes them, in this process alone from then on.
 * SPDX-License-Identifier: Apache-2.0
 *
 * A disk that is full must not end a run that can go on without it. Whatever is not done is therefore held here as
 * well; when the store refuses a change, its rows are not looked at any more. May be used by several threads. */
#ifndef TS_DIST_QUEUE_H
#define TS_DIST_QUEUE_H

#include "store/store.h"

#include <pthread.h>

struct ts_dist_bucket; /* of queue.c */

struct ts_dist_queue {
  struct ts_store *store;         /* borrowed */
  const char *run;                /* borrowed */
  pthread_mutex_t lock;           /* guards the rest */
  struct ts_dist_bucket *buckets; /* owned: by number */
  size_t count, capacity;
  bool is_alone; /* the store takes no more */
};

/* Drops the rows that an earlier process left of the run. */
void ts_dist_queue_init(struct ts_dist_queue *queue, struct ts_store *store, const char *run);
/* Empties the queue in the store, too. */
void ts_dist_queue_release(struct ts_dist_queue *queue);

/* As the functions of store.h. Buckets are numbered by the queue: 0, 1, 2, ... in the order they are added. */
void ts_dist_queue_add(struct ts_dist_queue *queue, struct ts_bucket_row *rows, size_t count);
enum ts_bucket_take ts_dist_queue_take(struct ts_dist_queue *queue, uint64_t worker, struct ts_arena *arena,
                                       struct ts_bucket_row *row);
void ts_dist_queue_done(struct ts_dist_queue *queue, uint64_t number);
void ts_dist_queue_give_back(struct ts_dist_queue *queue, uint64_t worker);

#endif
