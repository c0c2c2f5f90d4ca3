/* The set is a table of 8 bytes of each key.
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/key_set.h"

#include <string.h>

static bool is_free(const void *slot) { return *(const uint64_t *)slot == 0; }

static uint64_t hash_of_slot(const void *slot, const void *context) {
  (void)context;
  return *(const uint64_t *)slot;
}

static bool matches(const void *slot, const void *key, const void *context) {
  (void)context;
  return *(const uint64_t *)slot == *(const uint64_t *)key;
}

static const struct ts_table_type type = {sizeof(uint64_t), 1024, is_free, hash_of_slot, matches};

void ts_key_set_release(struct ts_key_set *set) { ts_table_release(&set->table); }

uint64_t ts_key_set_hash(const struct ts_key *key) {
  uint64_t hash;
  memcpy(&hash, key->digest.bytes, sizeof hash);
  return hash ? hash : 1; /* 0 is a free slot */
}

bool ts_key_set_add(struct ts_key_set *set, uint64_t hash) {
  ts_table_reserve(&type, &set->table, set->table.count + 1, NULL);
  uint64_t *slot = ts_table_probe(&type, &set->table, hash, &hash, NULL);
  if (*slot) return false;
  *slot = hash;
  set->table.count++;
  return true;
}

bool ts_key_set_has(const struct ts_key_set *set, uint64_t hash) {
  return ts_table_find(&type, &set->table, hash, &hash, NULL) != NULL;
}
