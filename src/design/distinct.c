/* Counts distinct rows: on grids, many points of a design are the same run.
 * SPDX-License-Identifier: Apache-2.0 */
#include "design/design.h"

#include "base/alloc.h"

#include <string.h>
#include <xxhash.h>

/* The bits that represent a value in the hash: equal values have equal bits here, different ones need not differ. */
static uint64_t bits_of_value(const struct ts_value *value) {
  uint64_t bits = 0;
  switch (value->type) {
  case TS_VALUE_INTEGER: return (uint64_t)value->as.integer;
  case TS_VALUE_REAL: memcpy(&bits, &value->as.real, sizeof bits); break;
  case TS_VALUE_BOOLEAN: return value->as.boolean;
  case TS_VALUE_STRING: return XXH3_64bits(value->as.string, strlen(value->as.string));
  case TS_VALUE_LIST: return value->as.list->count;
  }
  return bits;
}

static uint64_t hash_row(const struct ts_design *design, size_t row, uint64_t *scratch) {
  size_t start = row * design->column_count;
  for (size_t c = 0; c < design->column_count; c++) scratch[c] = bits_of_value(&design->values[start + c]);
  return XXH3_64bits(scratch, design->column_count * sizeof *scratch);
}

static bool same_rows(const struct ts_design *design, size_t a, size_t b) {
  a *= design->column_count;
  b *= design->column_count;
  for (size_t c = 0; c < design->column_count; c++) {
    if (!ts_value_equal(&design->values[a + c], &design->values[b + c])) return false;
  }
  return true;
}

/* An open table of the first rows, by hash; at most half full. */
struct table {
  size_t *slots;    /* owned; row + 1, 0 is empty */
  uint64_t *hashes; /* owned; beside the slots, so that few rows have to be compared */
  size_t mask;
};

/* The first row with these values: this one if there was none before. */
static size_t find_first(const struct ts_design *design, struct table *table, size_t row, uint64_t hash) {
  size_t slot = (size_t)hash & table->mask;
  while (table->slots[slot] > 0) {
    size_t other = table->slots[slot] - 1;
    if (table->hashes[slot] == hash && same_rows(design, other, row)) return other;
    slot = (slot + 1) & table->mask;
  }
  table->slots[slot] = row + 1;
  table->hashes[slot] = hash;
  return row;
}

size_t ts_design_distinct(const struct ts_design *design, size_t *first_of_row) {
  size_t slot_count = 16;
  while (slot_count < 2 * design->row_count) slot_count *= 2;
  struct table table = {.mask = slot_count - 1};
  table.slots = ts_calloc(slot_count, sizeof *table.slots);
  table.hashes = ts_calloc(slot_count, sizeof *table.hashes);
  ts_auto_free uint64_t *scratch = ts_calloc(design->column_count + 1, sizeof *scratch);
  size_t count = 0;
  for (size_t row = 0; row < design->row_count; row++) {
    size_t first = find_first(design, &table, row, hash_row(design, row, scratch));
    if (first_of_row) first_of_row[row] = first;
    count += first == row ? 1 : 0;
  }
  free(table.slots);
  free(table.hashes);
  return count;
}
