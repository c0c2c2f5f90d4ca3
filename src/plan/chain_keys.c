/* Prefix keys by hash insertion: (own identity, previous key) -> a dense number, in the order of first appearance.
 * SPDX-License-Identifier: Apache-2.0 */
#include "plan/bucket.h"

#include "base/alloc.h"

#include <string.h>

#define NO_KEY UINT32_MAX

struct slot {
  uint32_t previous, own, key; /* key NO_KEY: empty */
};

struct table {
  struct slot *slots; /* owned */
  size_t slot_count;  /* a power of two */
  size_t count;
};

static size_t mix(uint32_t previous, uint32_t own) {
  uint64_t h = ((uint64_t)previous << 32 | own) * 0x9e3779b97f4a7c15u;
  h ^= h >> 29;
  h *= 0xbf58476d1ce4e5b9u;
  return (size_t)(h ^ h >> 32);
}

static struct slot *find(const struct table *table, uint32_t previous, uint32_t own) {
  size_t i = mix(previous, own);
  for (;; i++) {
    struct slot *slot = &table->slots[i & (table->slot_count - 1)];
    if (slot->key == NO_KEY || (slot->previous == previous && slot->own == own)) return slot;
  }
}

static void resize(struct table *table, size_t slot_count) {
  struct table wider = {.slots = ts_malloc(slot_count * sizeof *table->slots), .slot_count = slot_count};
  memset(wider.slots, 0xff, slot_count * sizeof *wider.slots);
  for (size_t i = 0; i < table->slot_count; i++) {
    const struct slot *slot = &table->slots[i];
    if (slot->key != NO_KEY) *find(&wider, slot->previous, slot->own) = *slot;
  }
  wider.count = table->count;
  free(table->slots);
  *table = wider;
}

size_t ts_chain_keys(const uint32_t *identities, size_t member_count, size_t task_count, uint32_t *keys) {
  struct table table = {0};
  size_t expected = member_count * task_count / 2 + 64;
  size_t slot_count = 64;
  while (slot_count < expected) slot_count *= 2;
  resize(&table, slot_count);
  for (size_t m = 0; m < member_count; m++) {
    uint32_t previous = NO_KEY;
    for (size_t t = 0; t < task_count; t++) {
      if (table.count * 3 > table.slot_count * 2) resize(&table, table.slot_count * 2);
      /* The depth is in the key: a first task has no previous key, every other one has. */
      struct slot *slot = find(&table, previous, identities[m * task_count + t]);
      if (slot->key == NO_KEY) *slot = (struct slot){previous, identities[m * task_count + t], (uint32_t)table.count++};
      previous = slot->key;
      keys[m * task_count + t] = previous;
    }
  }
  free(table.slots);
  return table.count;
}
