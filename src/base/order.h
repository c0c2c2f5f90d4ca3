/* The order of numbers: for qsort, and the smaller and the larger of two.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_BASE_ORDER_H
#define TS_BASE_ORDER_H

#include <stddef.h>
#include <stdint.h>

/* Ascending doubles; there must be no NaN among them. */
static inline int ts_compare_doubles(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* A number and the place it comes from: ascending, equal ones by their places. */
struct ts_ranked {
  double value;
  size_t index;
};
static inline int ts_compare_ranked(const void *a, const void *b) {
  const struct ts_ranked *x = (const struct ts_ranked *)a, *y = (const struct ts_ranked *)b;
  if (x->value != y->value) return x->value < y->value ? -1 : 1;
  return (x->index > y->index) - (x->index < y->index);
}

static inline int64_t ts_smaller(int64_t a, int64_t b) { return a < b ? a : b; }
static inline int64_t ts_larger(int64_t a, int64_t b) { return a > b ? a : b; }
static inline size_t ts_smaller_size(size_t a, size_t b) { return a < b ? a : b; }
static inline size_t ts_larger_size(size_t a, size_t b) { return a > b ? a : b; }

#endif
