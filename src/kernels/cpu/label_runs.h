/* Horizontal runs of equal labels, and the 4-connected pieces that they form.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_KERNELS_CPU_LABEL_RUNS_H
#define TS_KERNELS_CPU_LABEL_RUNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "kernels/pixel_run.h"

struct ts_label_run {
  uint32_t label; /* never 0 */
  int32_t y;
  int32_t begin; /* first x */
  int32_t end;   /* last x + 1 */
  int32_t piece; /* 0.. in the order of the pieces' first pixels */
};

struct ts_label_runs {
  struct ts_label_run *items; /* owned; raster order */
  size_t count;
  size_t capacity;
};

/* Release in every case, also after an error. */
bool ts_label_runs_init(struct ts_label_runs *runs, const uint32_t *labels, int64_t width, int64_t height,
                        struct ts_error *err);
/* The same of one object, whose runs are in raster order and apart: label 1. */
bool ts_label_runs_of_object(struct ts_label_runs *runs, const struct ts_pixel_run *items, size_t count,
                             struct ts_error *err);
void ts_label_runs_release(struct ts_label_runs *runs);

#endif
