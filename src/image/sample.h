/* A sample of a large image: blocks of it on a lattice, side by side, for statistics of the whole.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Statistics of a slide need pixels of the resolution that is worked on: at a coarser level neighbouring pixels are
 * averaged, and spreads come out too small. A sample of some hundred blocks takes in every part of the slide, and
 * decodes one tile of the file for each. */
#ifndef TS_IMAGE_SAMPLE_H
#define TS_IMAGE_SAMPLE_H

#include "base/error.h"
#include "data/data.h"

#include <stdbool.h>
#include <stdint.h>

/* Edge of a block, and what its corner is a multiple of: file tiles have 256 or 512 pixels as a rule. */
#define TS_SAMPLE_BLOCK_PX 256

/* columns x rows blocks; 0 columns: the image has no more pixels than the sample may have and is taken as it is. */
struct ts_sample_layout {
  int64_t columns, rows;
  int64_t width, height; /* of the sample in pixels */
};

/* sample_px: the most pixels that the sample may have; at least those of one block. */
struct ts_sample_layout ts_sample_layout_of(int64_t width, int64_t height, int64_t sample_px);
/* Upper left corner of a block in the image. */
void ts_sample_block(const struct ts_sample_layout *layout, int64_t width, int64_t height, int64_t column, int64_t row,
                     int64_t *x, int64_t *y);
/* Reads the sample of an image, all of which is `whole`, into memory of the caller: layout.width x layout.height pixels
 * of the type. */
bool ts_image_read_sample(const char *path, const struct ts_type *type, const struct ts_region *whole,
                          const struct ts_sample_layout *layout, void *pixels, struct ts_error *err);

#endif
