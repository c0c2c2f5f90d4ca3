/* An image of a slide with the outlines of its objects, small enough to look at.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_IMAGE_SPOOL_OVERLAY_H
#define TS_IMAGE_SPOOL_OVERLAY_H

#include "image/spool.h"

#define TS_OVERLAY_SIDE_MAX 2048 /* pixels */

/* Objects and the colour of their outlines. */
struct ts_outlined {
  const struct ts_spool *mask; /* borrowed; mask or labels */
  uint32_t rgb;                /* 0xRRGGBB */
};

/* The file at `level` (type: image/rgb8, image/gray8 or image/gray16; grey of 16 bits is stretched from the least to
 * the greatest), reduced until its longer side has TS_OVERLAY_SIDE_MAX pixels at most, and over it the outlines of the
 * spooled mask or labels, which cover the same image. A pixel takes the colour of outlines in proportion to how much of
 * a line crosses it: not reduced, exactly the outermost pixels of objects have it. New data, image/rgb8. */
struct ts_data *ts_spool_overlay(const struct ts_spool *mask, const char *path, const struct ts_type *type,
                                 int32_t level, struct ts_error *err);
/* The same with the outlines of several masks, the later ones over the earlier ones, and with a longer side of at most
 * `side_max` pixels. */
struct ts_data *ts_spool_overlay_of(const struct ts_outlined *outlined, size_t count, const char *path,
                                    const struct ts_type *type, int32_t level, int64_t side_max, struct ts_error *err);

/* Draws a scale bar into the lower left corner: the longest of 1, 2 or 5 times a power of ten micrometres that takes a
 * fifth of the width at most, with its length. Too small an image, or a size that is not known, stays as it is. Before
 * the data is shared. */
void ts_image_draw_scale_bar(struct ts_data *rgb, double pixel_um);

#endif
