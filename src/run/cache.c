/* Products that were read or made a short while ago, for the next part of the same plan: found by their digest.
 * SPDX-License-Identifier: Apache-2.0
 *
 * A few hundred at most, so they are looked for one by one. The least recently used product is evicted first. Masks are
 * not kept: reading them again costs no more than the fresh memory that other products would need instead. */
#include "run/run_int.h"

#include "base/alloc.h"

#include <string.h>

struct cached {
  struct ts_sha256 digest;
  struct ts_data *data; /* owned: one reference */
  size_t bytes;
  uint64_t used; /* when, counted in uses */
};

struct ts_cache {
  pthread_mutex_t lock;
  struct cached *items; /* owned */
  size_t count, capacity;
  uint64_t bytes, most_bytes, uses;
};

struct ts_cache *ts_cache_create(uint64_t most_bytes) {
  struct ts_cache *cache = ts_calloc(1, sizeof *cache);
  cache->most_bytes = most_bytes;
  pthread_mutex_init(&cache->lock, NULL);
  return cache;
}

void ts_cache_destroy(struct ts_cache *cache) {
  if (!cache) return;
  for (size_t i = 0; i < cache->count; i++) ts_data_unref(cache->items[i].data);
  free(cache->items);
  pthread_mutex_destroy(&cache->lock);
  free(cache);
}

static struct cached *find(struct ts_cache *cache, const struct ts_sha256 *digest) {
  for (size_t i = 0; i < cache->count; i++) {
    if (memcmp(&cache->items[i].digest, digest, sizeof *digest) == 0) return &cache->items[i];
  }
  return NULL;
}

struct ts_data *ts_cache_get(struct ts_cache *cache, const struct ts_sha256 *digest) {
  if (!cache) return NULL;
  pthread_mutex_lock(&cache->lock);
  struct cached *item = find(cache, digest);
  if (item) item->used = ++cache->uses;
  struct ts_data *data = item ? ts_data_ref(item->data) : NULL;
  pthread_mutex_unlock(&cache->lock);
  return data;
}

static void drop_oldest(struct ts_cache *cache) {
  size_t oldest = 0;
  for (size_t i = 1; i < cache->count; i++) {
    if (cache->items[i].used < cache->items[oldest].used) oldest = i;
  }
  cache->bytes -= cache->items[oldest].bytes;
  ts_data_unref(cache->items[oldest].data);
  cache->items[oldest] = cache->items[--cache->count];
}

void ts_cache_put(struct ts_cache *cache, const struct ts_sha256 *digest, struct ts_data *data) {
  size_t bytes = ts_data_size_bytes(data);
  if (!cache || bytes > cache->most_bytes / 2 || ts_data_coded_bytes(data) < bytes / 2) return;
  pthread_mutex_lock(&cache->lock);
  if (!find(cache, digest)) {
    while (cache->bytes + bytes > cache->most_bytes) drop_oldest(cache);
    cache->items = ts_grow(cache->items, cache->count, &cache->capacity, sizeof *cache->items);
    cache->items[cache->count++] = (struct cached){*digest, ts_data_ref(data), bytes, ++cache->uses};
    cache->bytes += bytes;
  }
  pthread_mutex_unlock(&cache->lock);
}
