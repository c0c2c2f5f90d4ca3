/* The loops over rows of the Canny edges: included by the variants, which differ in what their compiler may use.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Stretches of fixed length without branches, which the compiler turns into vector instructions. */
#ifndef TS_KERNELS_CPU_CANNY_ROWS_BODY_H
#define TS_KERNELS_CPU_CANNY_ROWS_BODY_H

#include <stddef.h>

#include "kernels/cpu/canny_rows.h"

enum { PART = 64, SHIFT = 15, TAN_22_5 = 13573 /* tan(22.5 degrees) * 2^15 */ };

static inline int16_t smooth(int a, int b, int c, int d, int e) { return (int16_t)(a + 4 * b + 6 * c + 4 * d + e); }
static inline int16_t derive(int a, int b, int d, int e) { return (int16_t)(e + 2 * d - 2 * b - a); }
static inline int16_t size_of(int16_t x) { return (int16_t)(x < 0 ? -x : x); }

static void columns_part(const uint8_t *a, const uint8_t *b, const uint8_t *c, const uint8_t *d, const uint8_t *e,
                         int16_t *restrict smoothed, int16_t *restrict derived) {
  for (int i = 0; i < PART; i++) {
    smoothed[i] = smooth(a[i], b[i], c[i], d[i], e[i]);
    derived[i] = derive(a[i], b[i], d[i], e[i]);
  }
}

static void columns(const uint8_t *const rows[5], int64_t count, int16_t *smoothed, int16_t *derived) {
  for (int64_t x = 0; x < count; x += PART)
    columns_part(rows[0] + x, rows[1] + x, rows[2] + x, rows[3] + x, rows[4] + x, smoothed + x, derived + x);
}

static void sobel_part(const int16_t *s, const int16_t *d, int16_t *restrict dx, int16_t *restrict dy,
                       int16_t *restrict magnitude) {
  for (int i = 0; i < PART; i++) {
    dx[i] = derive(s[i - 2], s[i - 1], s[i + 1], s[i + 2]);
    dy[i] = smooth(d[i - 2], d[i - 1], d[i], d[i + 1], d[i + 2]);
  }
  for (int i = 0; i < PART; i++) magnitude[i] = (int16_t)(size_of(dx[i]) + size_of(dy[i]));
}

static void sobel(const int16_t *smoothed, const int16_t *derived, int64_t count, int16_t *dx, int16_t *dy,
                  int16_t *magnitude) {
  for (int64_t x = 0; x < count; x += PART) sobel_part(smoothed + x, derived + x, dx + x, dy + x, magnitude + x);
}

/* By direction: -1 if the edge's normal is nearer to the x axis than 22.5 degrees, 1 if nearer to the y axis, else
 * 0. */
static void directions_part(const int16_t *dx, const int16_t *dy, int16_t *restrict direction) {
  for (int i = 0; i < PART; i++) {
    int x = dx[i] < 0 ? -dx[i] : dx[i];
    int y = (dy[i] < 0 ? -dy[i] : dy[i]) * (1 << SHIFT);
    int tan22 = x * TAN_22_5;
    direction[i] = (int16_t)((y > tan22 + x * (1 << (SHIFT + 1))) - (y < tan22));
  }
}

/* Of two equal magnitudes in a row or column the first is taken. */
static void ridges_part(const int16_t *above, const int16_t *here, const int16_t *below, const int16_t *direction,
                        const int16_t *dx, const int16_t *dy, int16_t low, int16_t high, int16_t *restrict map) {
  for (int i = 0; i < PART; i++) {
    int16_t m = here[i];
    int16_t in_row = (int16_t)((m > here[i - 1]) & (m >= here[i + 1]) & (direction[i] < 0));
    int16_t in_column = (int16_t)((m > above[i]) & (m >= below[i]) & (direction[i] > 0));
    int16_t falling = (int16_t)((m > above[i - 1]) & (m > below[i + 1]) & ((dx[i] ^ dy[i]) >= 0));
    int16_t rising = (int16_t)((m > above[i + 1]) & (m > below[i - 1]) & ((dx[i] ^ dy[i]) < 0));
    int16_t diagonal = (int16_t)((falling | rising) & (direction[i] == 0));
    int16_t ridge = (int16_t)((in_row | in_column | diagonal) & (m > low));
    map[i] = (int16_t)(ridge * ((m > high) * (TS_CANNY_EDGE - TS_CANNY_MAYBE) + TS_CANNY_MAYBE));
  }
}

static void ridges(const int16_t *const magnitude[3], const int16_t *dx, const int16_t *dy, int64_t count, int16_t low,
                   int16_t high, uint8_t *map) {
  for (int64_t x = 0; x < count; x += PART) {
    int16_t direction[PART];
    int16_t marks[PART];
    directions_part(dx + x, dy + x, direction);
    ridges_part(magnitude[0] + x, magnitude[1] + x, magnitude[2] + x, direction, dx + x, dy + x, low, high, marks);
    for (int i = 0; i < PART; i++) map[x + i] = (uint8_t)marks[i];
  }
}

#endif
