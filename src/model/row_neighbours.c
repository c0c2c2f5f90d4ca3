/* Counts rows that differ from another one in a single parameter or group.
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/row_neighbours.h"

#include "base/alloc.h"

#include <string.h>

/* 2 MB. The share of a design is known to about 1 / sqrt(KEPT): far finer than the factor that decides. */
#define KEPT ((size_t)1 << 18)

void ts_row_neighbours_release(struct row_neighbours *neighbours) {
  free(neighbours->hashes);
  free(neighbours->parts);
  *neighbours = (struct row_neighbours){0};
}

/* The finaliser of MurmurHash3: every bit of the value reaches every bit of the result. */
static uint64_t mix(uint64_t value) {
  value ^= value >> 33;
  value *= UINT64_C(0xff51afd7ed558ccd);
  value ^= value >> 33;
  value *= UINT64_C(0xc4ceb9fe1a85ec53);
  return value ^ (value >> 33);
}

static uint64_t hash_cell(size_t column, double value) {
  double same = value + 0.0; /* -0 is 0 */
  uint64_t bits;
  memcpy(&bits, &same, sizeof bits);
  return mix(bits + mix(column + 1));
}

static void drop_half(struct row_neighbours *neighbours) {
  size_t left = 0;
  neighbours->mask = 2 * neighbours->mask + 1;
  for (size_t i = 0; i < neighbours->count; i++) {
    if ((neighbours->hashes[i] & neighbours->mask) == 0) neighbours->hashes[left++] = neighbours->hashes[i];
  }
  neighbours->count = left;
}

static void keep(struct row_neighbours *neighbours, uint64_t hash) {
  if ((hash & neighbours->mask) != 0) return;
  neighbours->hashes[neighbours->count++] = hash;
  while (neighbours->count == KEPT && neighbours->mask != UINT64_MAX) drop_half(neighbours);
}

/* Sums of the hashes of cells: leaving one group out is a subtraction. */
void ts_row_neighbours_add(struct row_neighbours *neighbours, const double *row, size_t column_count,
                           const size_t *group_of, size_t group_count) {
  if (!neighbours->hashes) neighbours->hashes = ts_calloc(KEPT, sizeof *neighbours->hashes);
  if (!neighbours->parts) neighbours->parts = ts_calloc(group_count, sizeof *neighbours->parts);
  if (neighbours->mask == UINT64_MAX) return; /* all rows are the same: the hashes kept show it */
  uint64_t sum = 0;
  memset(neighbours->parts, 0, group_count * sizeof *neighbours->parts);
  for (size_t c = 0; c < column_count; c++) {
    uint64_t hash = hash_cell(c, row[c]);
    neighbours->parts[group_of ? group_of[c] : c] += hash;
    sum += hash;
  }
  for (size_t g = 0; g < group_count && neighbours->mask != UINT64_MAX; g++)
    keep(neighbours, mix(sum - neighbours->parts[g] + mix(g + column_count)));
}

static int compare_hashes(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return x < y ? -1 : x > y;
}

double ts_row_neighbours_share(struct row_neighbours *neighbours) {
  const uint64_t *hashes = neighbours->hashes;
  size_t count = neighbours->count, shared = 0;
  if (count == 0) return 0;
  qsort(neighbours->hashes, count, sizeof *hashes, compare_hashes);
  for (size_t i = 0; i < count; i++) {
    bool same = (i > 0 && hashes[i] == hashes[i - 1]) || (i + 1 < count && hashes[i] == hashes[i + 1]);
    shared += same ? 1 : 0;
  }
  return (double)shared / (double)count;
}
