/* One object of a mask in a window of its own: distances, seeds and the lines that separate its touching parts.
 * SPDX-License-Identifier: Apache-2.0
 *
 * The part of nuclei_split.c that works on one object. A window is one pixel larger than its object where the image
 * goes on; everything in it but the object counts as background. Its memory grows to the largest object and is used for
 * all. */
#ifndef TS_KERNELS_CPU_WINDOW_H
#define TS_KERNELS_CPU_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "kernels/cpu/bits.h"
#include "kernels/cpu/relax.h"
#include "kernels/cpu/runs.h"

/* A run of the object, in the coordinates of the image. */
struct ts_window_run {
  int32_t y;
  int32_t begin;
  int32_t end;
};

struct ts_window_object {
  const struct ts_window_run *runs; /* borrowed: raster order */
  int32_t run_count;
  int32_t left, top, right, bottom; /* the window; right and bottom are one past the end */
};

struct ts_window {
  int64_t width;
  int64_t height;
  int64_t blocks;   /* of floats per row, see relax.h */
  int64_t capacity; /* items of each plane */
  void *planes[3];  /* owned: 4 bytes per item, used for one thing after the other */
  int16_t *row;     /* owned: squared distances along a row, with margins */
  int64_t row_capacity;
  struct ts_relax relax;
  struct ts_bits seeds;
  struct ts_runs seed_runs;
};

/* Sets out to 0 at the lines in the object. Start with a window of zeros; release in the end, also after an error. */
bool ts_window_split(struct ts_window *w, const struct ts_window_object *object, const uint8_t *rgb,
                     int64_t image_width, int connectivity, uint8_t *out, struct ts_error *err);
void ts_window_release(struct ts_window *w);

#endif
