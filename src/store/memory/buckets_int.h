/* The queue of buckets of the memory backend: the same rules as the rows of a database, in plain structures.
 * SPDX-License-Identifier: Apache-2.0
 *
 * All calls but the first and the last are thread-safe. */
#ifndef TS_STORE_MEMORY_BUCKETS_INT_H
#define TS_STORE_MEMORY_BUCKETS_INT_H

#include "base/map.h"
#include "store/store.h"

#include <pthread.h>

struct ts_memory_buckets {
  pthread_mutex_t lock; /* guards everything below; taken alone */
  struct ts_map runs;   /* name -> struct ts_bucket_queue, owned; NULL after a drop */
};

void ts_memory_buckets_init(struct ts_memory_buckets *buckets);
void ts_memory_buckets_release(struct ts_memory_buckets *buckets);
bool ts_memory_buckets_add(struct ts_memory_buckets *buckets, const char *run, const struct ts_bucket_row *rows,
                           size_t count, struct ts_error *err);
enum ts_bucket_take ts_memory_bucket_take(struct ts_memory_buckets *buckets, const char *run, uint64_t worker,
                                          struct ts_arena *arena, struct ts_bucket_row *row);
bool ts_memory_bucket_done(struct ts_memory_buckets *buckets, const char *run, uint64_t number);
size_t ts_memory_buckets_give_back(struct ts_memory_buckets *buckets, const char *run, uint64_t worker);
void ts_memory_buckets_drop(struct ts_memory_buckets *buckets, const char *run);

#endif
