/* Pixels brought into a form that a PNG can hold.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_IMAGE_PIXELS_INT_H
#define TS_IMAGE_PIXELS_INT_H

#include "image/image.h"

/* 8 or 16 bits, 1 or 3 channels, rows without padding. */
struct ts_plain_pixels {
  int64_t width, height;
  int32_t channels;
  int32_t bits;
  const void *samples; /* borrowed from the data, or from `owned` */
  void *owned;         /* owned; may be NULL */
};

/* rgb8, gray8, gray16 and mask as they are, labels as 16 bits; anything else is an error, as are labels above 65535.
 * shrink > 1: averages (masks and labels: maxima) over blocks of shrink x shrink pixels, smaller at the far edges. */
bool ts_plain_pixels_init(struct ts_plain_pixels *plain, const struct ts_data *data, int32_t shrink,
                          struct ts_error *err);
void ts_plain_pixels_release(struct ts_plain_pixels *plain);

#endif
