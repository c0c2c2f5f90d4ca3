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

static inline int64_t ts_smaller(int64_t a, int64_t b) { return a < b ? a : b; }
static inline int64_t ts_larger(int64_t a, int64_t b) { return a > b ? a : b; }
static inline size_t ts_smaller_size(size_t a, size_t b) { return a < b ? a : b; }
static inline size_t ts_larger_size(size_t a, size_t b) { return a > b ? a : b; }

#endif
