/* The objects of a plane as lists of runs: the 8-connected components of a mask, or the labels of a label plane.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_KERNELS_OBJECTS_H
#define TS_KERNELS_OBJECTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "kernels/pixel_run.h"
#include "kernels/threads.h"

struct ts_object {
  const struct ts_pixel_run *runs; /* borrowed from the list: in raster order */
  size_t count;
  uint32_t label; /* of components their number, from 1 */
};

struct ts_objects {
  struct ts_object *items; /* owned; components by their first pixel, labels by their number */
  size_t count;
  struct ts_pixel_run *runs; /* owned: object after object */
  size_t run_count;
};

/* Release in every case, also after an error. Labels: 0 is background, others need not be consecutive. */
bool ts_objects_of_mask(const uint8_t *mask, int64_t width, int64_t height, struct ts_objects *objects,
                        const struct ts_kernel_threads *threads, struct ts_error *err);
bool ts_objects_of_labels(const uint32_t *labels, int64_t width, int64_t height, struct ts_objects *objects,
                          struct ts_error *err);
void ts_objects_release(struct ts_objects *objects);

#endif
