/* A hash map from byte strings (names, keys, digests) to pointers or numbers.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Open addressing, XXH3 hashing, keys copied into the map. Iteration is in order of insertion, hence deterministic. */
#ifndef TS_BASE_MAP_H
#define TS_BASE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ts_map_entry;

struct ts_map {
  struct ts_map_entry *entries; /* owned, in order of insertion */
  uint32_t *slots;              /* owned, entry index + 1, 0 is empty */
  size_t count;
  size_t capacity;   /* of entries */
  size_t slot_count; /* a power of two, or 0 */
  char *key_bytes;   /* owned, the keys one after another */
  size_t key_length;
  size_t key_capacity;
};

union ts_map_value {
  void *pointer;
  uint64_t number;
};

/* A zeroed struct is an empty map. Values are never freed by the map. */
void ts_map_release(struct ts_map *map);
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
