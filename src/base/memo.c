/* A bounded table from digests to short byte strings.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Keys are digests, so their bits choose shard and slot as they are. Each shard has a mutex and two generations; a
 * generation is one block: heads of chains, then the entries, one behind the other. Offsets count from the start of the
 * block, where the heads lie, so 0 ends a chain. */
#include "base/memo.h"

#include "base/alloc.h"
#include "base/block.h"
#include "base/lock.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum {
  SHARDS = 16,
  SHARD_SHIFT = 60,      /* the highest bits of a key choose the shard */
  ENTRY_BYTES = 128,     /* expected size of an entry; decides how many slots there are */
  LEAST_BYTES = 1 << 13, /* of a generation */
  LARGEST_SHARE = 8      /* an entry takes at most this part of a generation */
};
#define MOST_BYTES ((uint64_t)1 << 31) /* of a generation: offsets have 32 bits */

struct entry {
  struct ts_xxh128 key;
  uint32_t next; /* offset of the next entry of the slot, or 0 */
  uint32_t size;
  unsigned char value[];
};

struct generation {
  uint32_t *heads; /* owned: the block; NULL until something is put here */
  uint32_t used;   /* bytes of the block */
};

struct shard {
  pthread_mutex_t lock; /* guards all of it; no other lock is taken meanwhile, but that of the blocks */
  struct generation young, old;
  struct ts_memo_counts counts;
};

struct ts_memo {
  uint32_t generation_bytes;
  uint32_t slot_mask;
  struct shard shards[SHARDS];
};

struct ts_memo *ts_memo_create(uint64_t limit_bytes) {
  uint64_t bytes = limit_bytes / SHARDS / 2;
  if (bytes < LEAST_BYTES) return NULL;
  struct ts_memo *memo = ts_calloc(1, sizeof *memo);
  memo->generation_bytes = (uint32_t)(bytes < MOST_BYTES ? bytes : MOST_BYTES);
  uint32_t slots = 1;
  while (slots <= memo->generation_bytes / ENTRY_BYTES / 2) slots *= 2;
  memo->slot_mask = slots - 1;
  for (size_t i = 0; i < SHARDS; i++) pthread_mutex_init(&memo->shards[i].lock, NULL);
  return memo;
}

void ts_memo_destroy(struct ts_memo *memo) {
  if (!memo) return;
  for (size_t i = 0; i < SHARDS; i++) {
    ts_block_give(memo->shards[i].young.heads);
    ts_block_give(memo->shards[i].old.heads);
    pthread_mutex_destroy(&memo->shards[i].lock);
  }
  free(memo);
}

static struct shard *shard_of(struct ts_memo *memo, const struct ts_xxh128 *key) {
  return &memo->shards[key->high >> SHARD_SHIFT];
}

static struct entry *entry_at(const struct generation *g, uint32_t offset) {
  return (struct entry *)((unsigned char *)g->heads + offset);
}

static const struct entry *find(const struct ts_memo *memo, const struct generation *g, const struct ts_xxh128 *key) {
  uint32_t offset = g->heads ? g->heads[key->low & memo->slot_mask] : 0;
  for (; offset != 0; offset = entry_at(g, offset)->next) {
    const struct entry *entry = entry_at(g, offset);
    if (entry->key.low == key->low && entry->key.high == key->high) return entry;
  }
  return NULL;
}

/* An empty generation. The memory is the memo's, not that of the task that happens to come first. */
static bool start(const struct ts_memo *memo, struct generation *g) {
  if (!g->heads) {
    struct ts_block_watch *watch = ts_block_watch_set(NULL);
    g->heads = ts_block_take(memo->generation_bytes);
    ts_block_watch_set(watch);
  }
  if (!g->heads) return false;
  g->used = (memo->slot_mask + 1) * (uint32_t)sizeof *g->heads;
  g->used = (g->used + 7) & ~UINT32_C(7);
  memset(g->heads, 0, g->used);
  return true;
}

/* A place for an entry in the young generation, which may become the old one for that; NULL: none. */
static struct entry *place(const struct ts_memo *memo, struct shard *shard, size_t size) {
  if (size > memo->generation_bytes / LARGEST_SHARE) return NULL;
  uint32_t bytes = (uint32_t)((sizeof(struct entry) + size + 7) & ~(size_t)7);
  if (shard->young.heads && bytes > memo->generation_bytes - shard->young.used) {
    struct generation full = shard->young;
    shard->young = shard->old;
    shard->old = full;
    if (!start(memo, &shard->young)) return NULL;
  }
  if (!shard->young.heads && !start(memo, &shard->young)) return NULL;
  struct entry *entry = entry_at(&shard->young, shard->young.used);
  shard->young.used += bytes;
  return entry;
}

/* `value` does not lie in the memo. */
static void add(const struct ts_memo *memo, struct shard *shard, const struct ts_xxh128 *key, const void *value,
                size_t size) {
  struct entry *entry = place(memo, shard, size);
  if (!entry) return;
  uint32_t *head = &shard->young.heads[key->low & memo->slot_mask];
  entry->key = *key;
  entry->next = *head;
  entry->size = (uint32_t)size;
  if (size > 0) memcpy(entry->value, value, size);
  *head = (uint32_t)((unsigned char *)entry - (unsigned char *)shard->young.heads);
}

size_t ts_memo_get(struct ts_memo *memo, const struct ts_xxh128 *key, void *value, size_t capacity) {
  struct shard *shard = shard_of(memo, key);
  size_t size = TS_MEMO_UNKNOWN;
  ts_hold(&shard->lock);
  shard->counts.asked++;
  const struct entry *entry = find(memo, &shard->young, key);
  bool is_old = !entry && (entry = find(memo, &shard->old, key)) != NULL;
  if (entry && entry->size <= capacity) {
    shard->counts.recalled++;
    size = entry->size;
    if (size > 0) memcpy(value, entry->value, size);
    if (is_old) add(memo, shard, key, value, size);
  }
  return size;
}

void ts_memo_put(struct ts_memo *memo, const struct ts_xxh128 *key, const void *value, size_t size) {
  struct shard *shard = shard_of(memo, key);
  ts_hold(&shard->lock);
  if (!find(memo, &shard->young, key)) add(memo, shard, key, value, size);
}

struct ts_memo_counts ts_memo_counts(struct ts_memo *memo) {
  struct ts_memo_counts sum = {0};
  for (size_t i = 0; memo && i < SHARDS; i++) {
    ts_hold(&memo->shards[i].lock);
    sum.asked += memo->shards[i].counts.asked;
    sum.recalled += memo->shards[i].counts.recalled;
  }
  return sum;
}

uint64_t ts_memo_bytes(struct ts_memo *memo) {
  uint64_t sum = sizeof *memo;
  for (size_t i = 0; i < SHARDS; i++) {
    ts_hold(&memo->shards[i].lock);
    sum += ((memo->shards[i].young.heads != NULL) + (memo->shards[i].old.heads != NULL)) *
           (uint64_t)memo->generation_bytes;
  }
  return sum;
}
