/* The hash table for entries of a fixed size: open addressing, linear probing, at most half full.
 * SPDX-License-Identifier: Apache-2.0
 *
 * A slot of zero bytes is free. All functions are inline and the type is a constant, so that the compiler turns each
 * use into the loop one would write by hand: as functions of their own they took up to twice as long in the keys of
 * chains. Finding writes nothing: any number of threads may look while no thread changes the table. */
#ifndef TS_BASE_TABLE_H
#define TS_BASE_TABLE_H

#include "base/alloc.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define TS_TABLE_INLINE static inline __attribute__((always_inline))

/* What a user defines, once, as a static constant. `context` is what the call was given: what its entries refer to. */
struct ts_table_type {
  size_t slot_size;
  size_t first_slots; /* a power of two */
  bool (*is_free)(const void *slot);
  uint64_t (*hash)(const void *slot, const void *context); /* of a slot that is not free */
  bool (*matches)(const void *slot, const void *key, const void *context);
};

/* A zeroed struct is an empty table. */
struct ts_table {
  char *slots;       /* owned */
  size_t slot_count; /* a power of two, or 0 */
  size_t count;      /* entries; kept by the user */
};

TS_TABLE_INLINE void ts_table_release(struct ts_table *table) {
  free(table->slots);
  *table = (struct ts_table){0};
}

/* The slot of the key, or the free one where it belongs. The table has slots. */
TS_TABLE_INLINE void *ts_table_probe(const struct ts_table_type *type, const struct ts_table *table, uint64_t hash,
                                     const void *key, const void *context) {
  const size_t mask = table->slot_count - 1;
  for (size_t i = (size_t)hash & mask;; i = (i + 1) & mask) {
    char *slot = table->slots + i * type->slot_size;
    if (type->is_free(slot) || type->matches(slot, key, context)) return slot;
  }
}

/* The slot of the key, or NULL. */
TS_TABLE_INLINE void *ts_table_find(const struct ts_table_type *type, const struct ts_table *table, uint64_t hash,
                                    const void *key, const void *context) {
  if (table->count == 0) return NULL;
  void *slot = ts_table_probe(type, table, hash, key, context);
  return type->is_free(slot) ? NULL : slot;
}

TS_TABLE_INLINE void ts_table_resize(const struct ts_table_type *type, struct ts_table *table, size_t slot_count,
                                     const void *context) {
  char *slots = ts_calloc(slot_count, type->slot_size);
  for (size_t i = 0; i < table->slot_count; i++) {
    const char *from = table->slots + i * type->slot_size;
    if (type->is_free(from)) continue;
    size_t to = (size_t)type->hash(from, context) & (slot_count - 1);
    while (!type->is_free(slots + to * type->slot_size)) to = (to + 1) & (slot_count - 1);
    memcpy(slots + to * type->slot_size, from, type->slot_size);
  }
  free(table->slots);
  table->slots = slots;
  table->slot_count = slot_count;
}

/* Makes room for that many entries. Slots move. */
TS_TABLE_INLINE void ts_table_reserve(const struct ts_table_type *type, struct ts_table *table, size_t count,
                                      const void *context) {
  if (2 * count <= table->slot_count) return;
  size_t slot_count = table->slot_count ? table->slot_count : type->first_slots;
  while (slot_count < 2 * count) slot_count *= 2;
  ts_table_resize(type, table, slot_count, context);
}

/* Frees a slot: entries that collisions pushed past it move up, so there are no marks of removed ones. */
TS_TABLE_INLINE void ts_table_remove(const struct ts_table_type *type, struct ts_table *table, void *slot,
                                     const void *context) {
  const size_t mask = table->slot_count - 1, size = type->slot_size;
  size_t hole = (size_t)((char *)slot - table->slots) / size;
  for (size_t i = (hole + 1) & mask; !type->is_free(table->slots + i * size); i = (i + 1) & mask) {
    const size_t home = (size_t)type->hash(table->slots + i * size, context) & mask;
    if (((i - home) & mask) < ((i - hole) & mask)) continue; /* it already lies between its home and the hole */
    memcpy(table->slots + hole * size, table->slots + i * size, size);
    hole = i;
  }
  memset(table->slots + hole * size, 0, size);
}

#endif
