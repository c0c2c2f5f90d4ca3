/* Sorting orders by radix sort, and ranks with ties shared.
 * SPDX-License-Identifier: Apache-2.0 */
#include "analysis/ranks.h"

#include "base/alloc.h"

#include <string.h>

#define DIGIT_BITS 8
#define DIGITS     (64 / DIGIT_BITS)
#define BUCKETS    (1 << DIGIT_BITS)

struct entry {
  uint64_t key;
  uint32_t index;
};

/* Whole numbers in the order of the doubles: negative ones have all bits turned, the others the sign. -0 equals 0. */
static uint64_t key_of(double value) {
  value += 0.0;
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits >> 63 ? ~bits : bits | UINT64_C(1) << 63;
}

static size_t digit_of(uint64_t key, size_t digit) { return (size_t)(key >> (digit * DIGIT_BITS)) & (BUCKETS - 1); }

/* Moves the entries by one digit, keeping the order within a digit. */
static void scatter(const struct entry *from, struct entry *to, size_t count, size_t digit, const size_t *sizes) {
  size_t starts[BUCKETS], sum = 0;
  for (size_t b = 0; b < BUCKETS; b++) {
    starts[b] = sum;
    sum += sizes[b];
  }
  for (size_t i = 0; i < count; i++) to[starts[digit_of(from[i].key, digit)]++] = from[i];
}

void ts_sort_order(const double *values, size_t count, uint32_t *order) {
  if (count == 0) return;
  ts_auto_free struct entry *entries = ts_calloc(count, sizeof *entries), *other = ts_calloc(count, sizeof *other);
  size_t(*sizes)[BUCKETS] = ts_calloc(DIGITS, sizeof *sizes);
  for (size_t i = 0; i < count; i++) {
    entries[i] = (struct entry){key_of(values[i]), (uint32_t)i};
    for (size_t d = 0; d < DIGITS; d++) sizes[d][digit_of(entries[i].key, d)]++;
  }
  for (size_t d = 0; d < DIGITS; d++) {
    if (sizes[d][digit_of(entries[0].key, d)] == count) continue; /* all the same: nothing moves */
    scatter(entries, other, count, d, sizes[d]);
    struct entry *swap = entries;
    entries = other;
    other = swap;
  }
  for (size_t i = 0; i < count; i++) order[i] = entries[i].index;
  free(sizes);
}

/* The end of the run of equal values that starts at position `first`. */
static size_t tie_end(const double *values, const uint32_t *order, size_t count, size_t first) {
  size_t end = first + 1;
  while (end < count && values[order[end]] == values[order[first]]) end++;
  return end;
}

void ts_twice_ranks(const double *values, const uint32_t *order, size_t count, uint32_t *ranks) {
  for (size_t first = 0; first < count;) {
    size_t end = tie_end(values, order, count, first);
    for (size_t i = first; i < end; i++) ranks[order[i]] = (uint32_t)(first + end + 1);
    first = end;
  }
}

void ts_weighted_ranks(const double *values, const uint32_t *order, size_t count, const uint32_t *counts, double *ranks,
                       size_t stride) {
  size_t before = 0;
  for (size_t first = 0; first < count;) {
    size_t end = tie_end(values, order, count, first), copies = 0;
    for (size_t i = first; i < end; i++) copies += counts[order[i]];
    double rank = (double)before + ((double)copies + 1) / 2;
    for (size_t i = first; i < end; i++) ranks[(size_t)order[i] * stride] = rank;
    before += copies;
    first = end;
  }
}
