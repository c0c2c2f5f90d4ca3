/* Open addressing with the hash beside the pointer: a digest that is not there costs one look into the table.
 * SPDX-License-Identifier: Apache-2.0
 *
 * A slot leads to the newest node of a digest, that to the older ones. A removed node leaves no mark: the slots behind
 * it move up. The table doubles when half of it is taken, and never shrinks. */
#include "store/digest_index.h"

#include "base/alloc.h"

#include <string.h>

#define FIRST_SLOTS 256

struct ts_digest_slot {
  uint64_t hash;
  struct ts_digest_node *newest; /* borrowed; NULL: free */
};

static uint64_t hash_of(const struct ts_sha256 *digest) {
  uint64_t hash;
  memcpy(&hash, digest->bytes, sizeof hash);
  return hash;
}

static bool is_equal(const struct ts_sha256 *a, const struct ts_sha256 *b) {
  return memcmp(a->bytes, b->bytes, sizeof a->bytes) == 0;
}

void ts_digest_index_release(struct ts_digest_index *index) {
  free(index->slots);
  memset(index, 0, sizeof *index);
}

/* The slot of the digest, or the free one where it belongs. */
static struct ts_digest_slot *probe(const struct ts_digest_index *index, const struct ts_sha256 *digest) {
  const uint64_t hash = hash_of(digest);
  const size_t mask = index->slot_count - 1;
  size_t i = (size_t)hash & mask;
  while (index->slots[i].newest) {
    if (index->slots[i].hash == hash && is_equal(index->slots[i].newest->digest, digest)) break;
    i = (i + 1) & mask;
  }
  return &index->slots[i];
}

static void grow(struct ts_digest_index *index) {
  const size_t slot_count = index->slot_count ? index->slot_count * 2 : FIRST_SLOTS;
  struct ts_digest_slot *slots = ts_calloc(slot_count, sizeof *slots);
  for (size_t i = 0; i < index->slot_count; i++) {
    if (!index->slots[i].newest) continue;
    size_t place = (size_t)index->slots[i].hash & (slot_count - 1);
    while (slots[place].newest) place = (place + 1) & (slot_count - 1);
    slots[place] = index->slots[i];
  }
  free(index->slots);
  index->slots = slots;
  index->slot_count = slot_count;
}

void ts_digest_index_insert(struct ts_digest_index *index, struct ts_digest_node *node, const struct ts_sha256 *digest,
                            void *owner) {
  if (index->count * 2 >= index->slot_count) grow(index);
  struct ts_digest_slot *slot = probe(index, digest);
  *node = (struct ts_digest_node){.next = slot->newest, .digest = digest, .owner = owner};
  *slot = (struct ts_digest_slot){.hash = hash_of(digest), .newest = node};
  index->count++;
}

/* Frees a slot: nodes that collisions pushed past it move up. */
static void free_slot(struct ts_digest_index *index, size_t hole) {
  const size_t mask = index->slot_count - 1;
  for (size_t i = (hole + 1) & mask; index->slots[i].newest; i = (i + 1) & mask) {
    const size_t home = (size_t)index->slots[i].hash & mask;
    if (((i - home) & mask) < ((i - hole) & mask)) continue;
    index->slots[hole] = index->slots[i];
    hole = i;
  }
  index->slots[hole].newest = NULL;
}

void ts_digest_index_remove(struct ts_digest_index *index, struct ts_digest_node *node) {
  struct ts_digest_slot *slot = probe(index, node->digest);
  struct ts_digest_node **place = &slot->newest;
  while (*place != node) {
    if (!*place) TS_BUG("node is not in the index");
    place = &(*place)->next;
  }
  *place = node->next;
  node->next = NULL;
  index->count--;
  if (!slot->newest) free_slot(index, (size_t)(slot - index->slots));
}

void *ts_digest_index_find(const struct ts_digest_index *index, const struct ts_sha256 *digest) {
  if (index->count == 0) return NULL;
  const struct ts_digest_node *node = probe(index, digest)->newest;
  return node ? node->owner : NULL;
}
