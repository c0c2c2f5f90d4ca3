/* Counts distinct rows: on grids, many points of a design are the same run.
 * SPDX-License-Identifier: Apache-2.0 */
#include "design/design.h"

#include "base/alloc.h"
#include "base/table.h"

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

/* The first row of its values; the hash lies beside it, so that few rows have to be compared. */
struct slot {
  size_t row_plus_1; /* 0: free */
  uint64_t hash;
};

static bool is_free(const void *slot) { return ((const struct slot *)slot)->row_plus_1 == 0; }

static uint64_t hash_of_slot(const void *slot, const void *design) {
  (void)design;
  return ((const struct slot *)slot)->hash;
}

static bool matches(const void *slot, const void *key, const void *design) {
  const struct slot *a = slot, *b = key;
  return a->hash == b->hash && same_rows(design, a->row_plus_1 - 1, b->row_plus_1 - 1);
}

static const struct ts_table_type type = {sizeof(struct slot), 16, is_free, hash_of_slot, matches};

size_t ts_design_distinct(const struct ts_design *design, size_t *first_of_row) {
  ts_auto(ts_table_release) struct ts_table table = {0};
  ts_table_reserve(&type, &table, design->row_count, design);
  ts_auto_free uint64_t *scratch = ts_calloc(design->column_count + 1, sizeof *scratch);
  for (size_t row = 0; row < design->row_count; row++) {
    const struct slot wanted = {row + 1, hash_row(design, row, scratch)};
    struct slot *slot = ts_table_probe(&type, &table, wanted.hash, &wanted, design);
    if (is_free(slot)) {
      *slot = wanted;
      table.count++;
    }
    if (first_of_row) first_of_row[row] = slot->row_plus_1 - 1;
  }
  return table.count;
}
