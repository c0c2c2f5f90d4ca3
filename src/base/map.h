/* A hash map from byte strings (names, keys, digests) to pointers or numbers.
 * SPDX-License-Identifier: Apache-2.0
 *
 * A table (base/table.h) with XXH3 hashes, keys copied into the map. Iteration is in order of insertion, hence
 * deterministic. */
#ifndef TS_BASE_MAP_H
#define TS_BASE_MAP_H

#include "base/table.h"

struct ts_map_entry;

struct ts_map {
  struct ts_map_entry *entries; /* owned, in order of insertion */
  struct ts_table slots;        /* of uint32_t: entry number + 1 */
  size_t capacity;              /* of entries */
  char *key_bytes;              /* owned, the keys one after another */
  size_t key_length;
  size_t key_capacity;
};

union ts_map_value {
  void *pointer;
  uint64_t number;
};

/* A zeroed struct is an empty map. Values are never freed by the map. */
void ts_map_release(struct ts_map *map);
static inline size_t ts_map_count(const struct ts_map *map) { return map->slots.count; }
/* Finds the value of a key, or NULL. The pointer is valid until the next insertion. */
union ts_map_value *ts_map_find(const struct ts_map *map, const void *key, size_t key_size);
/* Finds or inserts (value zeroed); *inserted says which (may be NULL). */
union ts_map_value *ts_map_insert(struct ts_map *map, const void *key, size_t key_size, bool *inserted);
/* Names as keys. */
union ts_map_value *ts_map_find_name(const struct ts_map *map, const char *name);
union ts_map_value *ts_map_insert_name(struct ts_map *map, const char *name, bool *inserted);
/* Entry i in order of insertion: its key (borrowed) and value. */
const void *ts_map_key_at(const struct ts_map *map, size_t index, size_t *key_size);
union ts_map_value *ts_map_value_at(const struct ts_map *map, size_t index);

#endif
