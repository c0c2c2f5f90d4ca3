/* Hash map with linear probing over a table of entry numbers; entries and keys lie in order of insertion.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Nothing is ever removed, so there are no tombstones. Finding writes nothing: any number of threads may read a map
 * while no thread changes it. */
#include "base/map.h"

#include "base/alloc.h"
#include "base/error.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#define FIRST_SLOTS   16
#define KEY_ALIGNMENT 8 /* a key that is a struct may be read in place */

struct ts_map_entry {
  uint64_t hash;
  size_t key_offset; /* into key_bytes */
  size_t key_size;
  union ts_map_value value;
};

void ts_map_release(struct ts_map *map) {
  free(map->entries);
  free(map->slots);
  free(map->key_bytes);
  memset(map, 0, sizeof *map);
}

/* The slot that holds the key, or the empty one where it belongs. */
static size_t probe(const struct ts_map *map, uint64_t hash, const void *key, size_t key_size) {
  size_t mask = map->slot_count - 1;
  size_t slot = (size_t)hash & mask;
  while (map->slots[slot]) {
    const struct ts_map_entry *entry = &map->entries[map->slots[slot] - 1];
    bool same = entry->hash == hash && entry->key_size == key_size &&
                (key_size == 0 || memcmp(map->key_bytes + entry->key_offset, key, key_size) == 0);
    if (same) break;
    slot = (slot + 1) & mask;
  }
  return slot;
}

union ts_map_value *ts_map_find(const struct ts_map *map, const void *key, size_t key_size) {
  if (map->count == 0) return NULL;
  uint32_t number = map->slots[probe(map, XXH3_64bits(key, key_size), key, key_size)];
  return number ? &map->entries[number - 1].value : NULL;
}

static void grow_slots(struct ts_map *map) {
  size_t slot_count = map->slot_count ? map->slot_count * 2 : FIRST_SLOTS;
  uint32_t *slots = ts_calloc(slot_count, sizeof *slots);
  for (size_t i = 0; i < map->count; i++) {
    size_t slot = (size_t)map->entries[i].hash & (slot_count - 1);
    while (slots[slot]) slot = (slot + 1) & (slot_count - 1);
    slots[slot] = (uint32_t)(i + 1);
  }
  free(map->slots);
  map->slots = slots;
  map->slot_count = slot_count;
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
  uint64_t hash = XXH3_64bits(key, key_size);
  size_t slot = map->slot_count ? probe(map, hash, key, key_size) : 0;
  bool found = map->slot_count && map->slots[slot];
  if (inserted) *inserted = !found;
  if (found) return &map->entries[map->slots[slot] - 1].value;
  if (map->count >= UINT32_MAX - 1) TS_BUG("map of more than %zu entries", map->count);
  if ((map->count + 1) * 3 > map->slot_count * 2) {
    grow_slots(map);
    slot = probe(map, hash, key, key_size);
  }
  map->entries = ts_grow(map->entries, map->count, &map->capacity, sizeof *map->entries);
  struct ts_map_entry *entry = &map->entries[map->count++];
  *entry = (struct ts_map_entry){.hash = hash, .key_offset = add_key(map, key, key_size), .key_size = key_size};
  map->slots[slot] = (uint32_t)map->count;
  return &entry->value;
}

union ts_map_value *ts_map_find_name(const struct ts_map *map, const char *name) {
  return ts_map_find(map, name, strlen(name));
}

union ts_map_value *ts_map_insert_name(struct ts_map *map, const char *name, bool *inserted) {
  return ts_map_insert(map, name, strlen(name), inserted);
}

static struct ts_map_entry *entry_at(const struct ts_map *map, size_t index) {
  if (index >= map->count) TS_BUG("map entry %zu of %zu", index, map->count);
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
