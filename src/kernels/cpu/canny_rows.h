/* The loops over rows of the Canny edges: a table per variant.
 * SPDX-License-Identifier: Apache-2.0
 *
 * 16 bits suffice: a 5 x 5 Sobel operator gives at most 48 * 255, and the magnitude is the sum of two. Counts are
 * multiples of TS_CHUNK, rows have room for them, and outputs overlap no input. */
#ifndef TS_KERNELS_CPU_CANNY_ROWS_H
#define TS_KERNELS_CPU_CANNY_ROWS_H

#include <stdint.h>

/* Marks of the map: nothing, above the low limit, an edge for sure. */
enum { TS_CANNY_NONE = 0, TS_CANNY_MAYBE = 1, TS_CANNY_EDGE = 255 };

struct ts_canny_rows {
  /* The two vertical filters: 1 4 6 4 1 and -1 -2 0 2 1. */
  void (*columns)(const uint8_t *const rows[5], int64_t count, int16_t *smoothed, int16_t *derived);
  /* The horizontal filters of those, and |dx| + |dy|. Two values before and behind are read. */
  void (*sobel)(const int16_t *smoothed, const int16_t *derived, int64_t count, int16_t *dx, int16_t *dy,
                int16_t *magnitude);
  /* Marks where the magnitude is the largest across the edge and above the limits. Rows of magnitudes: above, here,
   * below; one value before and behind is read. */
  void (*ridges)(const int16_t *const magnitude[3], const int16_t *dx, const int16_t *dy, int64_t count, int16_t low,
                 int16_t high, uint8_t *map);
};

/* Those of the variant in use (choice.h). */
const struct ts_canny_rows *ts_canny_rows_get(void);

extern const struct ts_canny_rows ts_canny_rows_scalar;
extern const struct ts_canny_rows ts_canny_rows_avx2; /* only where TS_KERNELS_AVX2 is defined */

#endif
