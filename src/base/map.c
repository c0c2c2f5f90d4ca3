/* Hash map over a table of entry numbers; entries and keys lie in order of insertion.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/map.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#define KEY_ALIGNMENT 8 /* a key that is a struct may be read in place */

struct ts_map_entry {
  uint64_t hash;
  size_t key_offset; /* into key_bytes */
  size_t key_size;
  union ts_map_value value;
};

void ts_map_release(struct ts_map *map) {
  free(map->entries);
  ts_table_release(&map->slots);
  free(map->key_bytes);
  memset(map, 0, sizeof *map);
}

/* ---- The slots: a table of entry numbers; the context is the map. ---- */

struct key {
  uint64_t hash;
  const void *bytes;
  size_t size;
};

static const struct ts_map_entry *entry_of(const void *slot, const struct ts_map *map) {
  return &map->entries[*(const uint32_t *)slot - 1];
}

static bool is_free(const void *slot) { return *(const uint32_t *)slot == 0; }

static uint64_t hash_of_slot(const void *slot, const void *map) { return entry_of(slot, map)->hash; }

static bool matches(const void *slot, const void *key, const void *map) {
  const struct ts_map_entry *entry = entry_of(slot, map);
  const struct key *k = key;
  return entry->hash == k->hash && entry->key_size == k->size &&
         (k->size == 0 || memcmp(((const struct ts_map *)map)->key_bytes + entry->key_offset, k->bytes, k->size) == 0);
}

static const struct ts_table_type type = {sizeof(uint32_t), 32, is_free, hash_of_slot, matches};

union ts_map_value *ts_map_find(const struct ts_map *map, const void *key, size_t key_size) {
  if (map->slots.count == 0) return NULL;
  const struct key wanted = {XXH3_64bits(key, key_size), key, key_size};
  const uint32_t *slot = ts_table_find(&type, &map->slots, wanted.hash, &wanted, map);
  return slot ? &map->entries[*slot - 1].value : NULL;
}

/* Copies a key and a NUL behind it, so that names can be read as strings. Returns its offset. */
static size_t add_key(struct ts_map *map, const void *key, size_t key_size) {
  size_t offset = map->key_length;
  size_t room = (key_size + 1 + KEY_ALIGNMENT - 1) / KEY_ALIGNMENT * KEY_ALIGNMENT;
  if (room < key_size || room > SIZE_MAX / 4 - offset) TS_BUG("map key of %zu bytes", key_size);
  if (offset + room > map->key_capacity) {
    size_t capacity = map->key_capacity ? map->key_capacity : 256;
    while (capacity < offset + room) capacity *= 2;
    map->key_bytes = ts_realloc(map->key_bytes, capacity);
    map->key_capacity = capacity;
  }
  if (key_size) memcpy(map->key_bytes + offset, key, key_size);
  memset(map->key_bytes + offset + key_size, 0, room - key_size);
  map->key_length += room;
  return offset;
}

union ts_map_value *ts_map_insert(struct ts_map *map, const void *key, size_t key_size, bool *inserted) {
  const struct key wanted = {XXH3_64bits(key, key_size), key, key_size};
  ts_table_reserve(&type, &map->slots, map->slots.count + 1, map);
  uint32_t *slot = ts_table_probe(&type, &map->slots, wanted.hash, &wanted, map);
  if (inserted) *inserted = is_free(slot);
  if (!is_free(slot)) return &map->entries[*slot - 1].value;
  if (map->slots.count >= UINT32_MAX - 1) TS_BUG("map of more than %zu entries", map->slots.count);
  map->entries = ts_grow(map->entries, map->slots.count, &map->capacity, sizeof *map->entries);
  struct ts_map_entry *entry = &map->entries[map->slots.count++];
  *entry = (struct ts_map_entry){.hash = wanted.hash, .key_offset = add_key(map, key, key_size), .key_size = key_size};
  *slot = (uint32_t)map->slots.count;
  return &entry->value;
}

union ts_map_value *ts_map_find_name(const struct ts_map *map, const char *name) {
  return ts_map_find(map, name, strlen(name));
}

union ts_map_value *ts_map_insert_name(struct ts_map *map, const char *name, bool *inserted) {
  return ts_map_insert(map, name, strlen(name), inserted);
}

static struct ts_map_entry *entry_at(const struct ts_map *map, size_t index) {
  if (index >= map->slots.count) TS_BUG("map entry %zu of %zu", index, map->slots.count);
  return &map->entries[index];
}

const void *ts_map_key_at(const struct ts_map *map, size_t index, size_t *key_size) {
  const struct ts_map_entry *entry = entry_at(map, index);
  if (key_size) *key_size = entry->key_size;
  return map->key_bytes + entry->key_offset;
}

union ts_map_value *ts_map_value_at(const struct ts_map *map, size_t index) {
  return &entry_at(map, index)->value;
}
