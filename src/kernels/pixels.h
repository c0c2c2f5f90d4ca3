/* Steps that any workflow may take on a plane: grey values, mean, threshold, components by size.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Sizes, masks, errors, threads and the rule about shared planes are as in kernels/kernels.h. All of it is exact: whole
 * numbers only. */
#ifndef TS_KERNELS_PIXELS_H
#define TS_KERNELS_PIXELS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "kernels/threads.h"

/* The luma of interleaved RGB, rounded to the nearest: (299 R + 587 G + 114 B + 500) / 1000. The planes differ. */
void ts_pixels_gray(const uint8_t *rgb, int64_t width, int64_t height, uint8_t *out,
                    const struct ts_kernel_threads *threads);

enum { TS_PIXELS_RADIUS_MAX = 64 };

/* The mean over the square of 2 radius + 1 pixels around each pixel, or over the part of it that lies in the plane;
 * rounded to the nearest, halves up. radius: 0 to TS_PIXELS_RADIUS_MAX. The planes differ. */
bool ts_pixels_smooth(const uint8_t *in, int64_t width, int64_t height, int radius, uint8_t *out,
                      const struct ts_kernel_threads *threads, struct ts_error *err);

/* 255 where the value is less than below, 0 to 256. */
void ts_pixels_threshold(const uint8_t *in, int64_t width, int64_t height, int below, uint8_t *out,
                         const struct ts_kernel_threads *threads);

struct ts_pixels_sizes {
  int64_t min_area; /* pixels */
  int64_t max_area; /* pixels, itself allowed */
  int64_t extent;   /* the largest width and height, in pixels */
};

/* Keeps the 8-connected components of these sizes. */
bool ts_pixels_select(const uint8_t *mask, int64_t width, int64_t height, const struct ts_pixels_sizes *sizes,
                      uint8_t *out, const struct ts_kernel_threads *threads, struct ts_error *err);

#endif
