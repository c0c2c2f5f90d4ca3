/* Where on a slide tissue is: kernels on a small picture of the whole slide.
 * SPDX-License-Identifier: Apache-2.0
 *
 * The rules of kernels.h hold for planes, determinism and errors. */
#ifndef TS_KERNELS_TISSUE_H
#define TS_KERNELS_TISSUE_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

/* The largest minus the smallest of the three channels of each pixel: 0 for greys. */
void ts_saturation(const uint8_t *rgb, int64_t count, uint8_t *out);

/* Otsu's threshold: of all levels t, the smallest for which the variance between the values up to t and those above is
 * largest; -1 if fewer than two levels have values. */
int ts_otsu(const uint64_t histogram[256]);

/* The level above which saturation is tissue: Otsu's, within bounds that hold for slides of nothing but tissue or
 * nothing but glass. */
int ts_tissue_threshold(const uint64_t histogram[256]);

/* The tissue of a slide of about 8 micrometres per pixel: pixels above the threshold, without specks, with small holes
 * closed, grown by a margin. All 0 on glass alone, all 255 on a picture of greys, which has no stain. The mask may not
 * overlap the picture. */
bool ts_tissue_mask(const uint8_t *rgb, int64_t width, int64_t height, uint8_t *mask, struct ts_error *err);

#endif
