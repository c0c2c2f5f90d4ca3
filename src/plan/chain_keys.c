/* Prefix keys by hash insertion: (own identity, previous key) -> a dense number, in the order of first appearance.
 * SPDX-License-Identifier: Apache-2.0 */
#include "plan/bucket.h"

#include "base/table.h"

#define NO_KEY UINT32_MAX

struct slot {
  uint32_t previous, own;
  uint32_t key_plus_1; /* 0: free */
};

static bool is_free(const void *slot) { return ((const struct slot *)slot)->key_plus_1 == 0; }

static uint64_t mix(const void *slot, const void *context) {
  (void)context;
  const struct slot *s = slot;
  uint64_t h = ((uint64_t)s->previous << 32 | s->own) * 0x9e3779b97f4a7c15u;
  h ^= h >> 29;
  h *= 0xbf58476d1ce4e5b9u;
  return h ^ h >> 32;
}

static bool matches(const void *slot, const void *key, const void *context) {
  (void)context;
  const struct slot *a = slot, *b = key;
  return a->previous == b->previous && a->own == b->own;
}

static const struct ts_table_type type = {sizeof(struct slot), 64, is_free, mix, matches};

size_t ts_chain_keys(const uint32_t *identities, size_t member_count, size_t task_count, uint32_t *keys) {
  ts_auto(ts_table_release) struct ts_table table = {0};
  ts_table_reserve(&type, &table, member_count * task_count / 4 + 32, NULL);
  for (size_t m = 0; m < member_count; m++) {
    uint32_t previous = NO_KEY;
    for (size_t t = 0; t < task_count; t++) {
      ts_table_reserve(&type, &table, table.count + 1, NULL);
      /* The depth is in the key: a first task has no previous key, every other one has. */
      const struct slot wanted = {previous, identities[m * task_count + t], (uint32_t)table.count + 1};
      struct slot *slot = ts_table_probe(&type, &table, mix(&wanted, NULL), &wanted, NULL);
      if (is_free(slot)) {
        *slot = wanted;
        table.count++;
      }
      previous = slot->key_plus_1 - 1;
      keys[m * task_count + t] = previous;
    }
  }
  return table.count;
}
