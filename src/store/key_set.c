/* Open addressing over 8 bytes of each key, at most half full.
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/key_set.h"

#include "base/alloc.h"

#include <string.h>

#define FIRST_SLOTS 1024

void ts_key_set_release(struct ts_key_set *set) {
  free(set->slots);
  memset(set, 0, sizeof *set);
}

uint64_t ts_key_set_hash(const struct ts_key *key) {
  uint64_t hash;
  memcpy(&hash, key->digest.bytes, sizeof hash);
  return hash ? hash : 1; /* 0 is a free slot */
}

static size_t probe(const uint64_t *slots, size_t slot_count, uint64_t hash) {
  size_t i = (size_t)(hash >> 8) & (slot_count - 1);
  while (slots[i] && slots[i] != hash) i = (i + 1) & (slot_count - 1);
  return i;
}

static void grow(struct ts_key_set *set) {
  const size_t slot_count = set->slot_count ? 2 * set->slot_count : FIRST_SLOTS;
  uint64_t *slots = ts_calloc(slot_count, sizeof *slots);
  for (size_t i = 0; i < set->slot_count; i++) {
    if (set->slots[i]) slots[probe(slots, slot_count, set->slots[i])] = set->slots[i];
  }
  free(set->slots);
  set->slots = slots;
  set->slot_count = slot_count;
}

bool ts_key_set_add(struct ts_key_set *set, uint64_t hash) {
  if (2 * (set->count + 1) > set->slot_count) grow(set);
  uint64_t *slot = &set->slots[probe(set->slots, set->slot_count, hash)];
  if (*slot) return false;
  *slot = hash;
  set->count++;
  return true;
}

bool ts_key_set_has(const struct ts_key_set *set, uint64_t hash) {
  return set->count > 0 && set->slots[probe(set->slots, set->slot_count, hash)] != 0;
}
