/* Random planes of all shapes for the tests of the kernels, and naive components to compare with.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_TESTS_UNIT_KERNELS_PLANES_H
#define TS_TESTS_UNIT_KERNELS_PLANES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct shape_px {
  int64_t w;
  int64_t h;
};

static uint64_t random_state = 0x853c49e6748fea9bu;

static inline uint32_t random_below(uint32_t n) {
  random_state ^= random_state << 13;
  random_state ^= random_state >> 7;
  random_state ^= random_state << 17;
  return (uint32_t)((random_state >> 20) % n);
}

/* Degenerate shapes first, then random ones up to the given side. */
static inline struct shape_px shape_for(int round, uint32_t side) {
  static const struct shape_px odd[] = {{1, 1}, {1, 2}, {2, 1}, {1, 23}, {23, 1}, {2, 2}, {3, 3}, {2, 31}, {64, 3}};
  int count = (int)(sizeof odd / sizeof odd[0]);
  if (round < count) return odd[round];
  return (struct shape_px){1 + random_below(side), 1 + random_below(side)};
}

static inline void *plane_of(struct shape_px s, size_t pixel_bytes) {
  void *plane = malloc((size_t)(s.w * s.h) * pixel_bytes);
  assert_non_null(plane);
  return plane;
}

static inline uint8_t *zero_plane(struct shape_px s) {
  uint8_t *plane = calloc((size_t)(s.w * s.h), 1);
  assert_non_null(plane);
  return plane;
}

/* 255 where more of the up to nine pixels around are set than not. */
static inline uint8_t vote_at(const uint8_t *mask, struct shape_px s, int64_t x, int64_t y) {
  int votes = 0;
  for (int64_t ny = y > 0 ? y - 1 : 0; ny < s.h && ny <= y + 1; ny++)
    for (int64_t nx = x > 0 ? x - 1 : 0; nx < s.w && nx <= x + 1; nx++) votes += mask[ny * s.w + nx] ? 1 : -1;
  return votes > 0 ? 255 : 0;
}

/* A mask by round: empty, full, then noise of all densities and blobs (noise smoothed by voting). Values 0, 1, 7, 255:
 * any non-zero byte is foreground. */
static inline uint8_t *random_mask(struct shape_px s, int round) {
  static const uint8_t on[3] = {1, 7, 255};
  uint8_t *mask = plane_of(s, 1);
  uint32_t density = 50 + random_below(900);
  if (round % 11 < 2) density = round % 11 == 0 ? 0 : 1000;
  for (int64_t i = 0; i < s.w * s.h; i++) mask[i] = random_below(1000) < density ? on[random_below(3)] : 0;
  if (round % 3 != 0) return mask;
  uint8_t *smooth = plane_of(s, 1);
  for (int64_t i = 0; i < s.w * s.h; i++) smooth[i] = vote_at(mask, s, i % s.w, i / s.w);
  free(mask);
  return smooth;
}

static inline uint8_t *random_bytes(struct shape_px s, int64_t bytes_per_pixel, uint32_t levels) {
  uint8_t *plane = plane_of(s, (size_t)bytes_per_pixel);
  for (int64_t i = 0; i < s.w * s.h * bytes_per_pixel; i++)
    plane[i] = (uint8_t)(random_below(levels) * 255 / (levels > 1 ? levels - 1 : 1));
  return plane;
}

/* The neighbours of a pixel inside the plane; returns how many. */
static inline int neighbours_of(struct shape_px s, int64_t at, int connectivity, int64_t out[8]) {
  int count = 0;
  for (int64_t dy = -1; dy <= 1; dy++)
    for (int64_t dx = -1; dx <= 1; dx++) {
      int64_t x = at % s.w + dx;
      int64_t y = at / s.w + dy;
      if ((dx == 0 && dy == 0) || (connectivity != 8 && dx != 0 && dy != 0)) continue;
      if (x >= 0 && x < s.w && y >= 0 && y < s.h) out[count++] = y * s.w + x;
    }
  return count;
}

/* Naive components of the pixels whose flag is set: the smallest pixel number + 1 spreads until nothing changes. */
static inline uint32_t *naive_components(const uint8_t *mask, struct shape_px s, int connectivity) {
  uint32_t *label = plane_of(s, sizeof *label);
  for (int64_t i = 0; i < s.w * s.h; i++) label[i] = mask[i] ? (uint32_t)i + 1 : 0;
  bool changed = true;
  while (changed) {
    changed = false;
    for (int64_t i = 0; i < s.w * s.h; i++) {
      int64_t beside[8];
      int count = label[i] ? neighbours_of(s, i, connectivity, beside) : 0;
      for (int k = 0; k < count; k++)
        if (label[beside[k]] && label[beside[k]] < label[i]) {
          label[i] = label[beside[k]];
          changed = true;
        }
    }
  }
  return label;
}

#endif
