/* Grids: how an item is divided into units, and which units a region needs.
 * SPDX-License-Identifier: Apache-2.0
 *
 * A grid divides the image in t, z, y and x; units are numbered with x fastest and t slowest. Each unit has a core,
 * which no other unit covers, and a halo around it that its operations also see. Pure arithmetic: no file is opened. */
#ifndef TS_DATASET_GRID_H
#define TS_DATASET_GRID_H

#include "data/data.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ts_tile {
  struct ts_region core;   /* the part that only this tile covers */
  struct ts_region region; /* what is read: core and halo, cut at the border of the image */
};

struct ts_grid {
  struct ts_region whole; /* the image, at the level of the grid */
  int64_t width, height;  /* of a core; the last column and row may be smaller. 0: the whole image */
  int32_t depth, frames;  /* the same in z and t */
  int64_t halo_px;        /* around a core, in y and x; may be larger than the image */
};

/* The number of units; 0 if the image has no pixels. */
size_t ts_grid_count(const struct ts_grid *grid);
void ts_grid_tile(const struct ts_grid *grid, size_t unit, struct ts_tile *tile);

/* Units of a grid that lie side by side: `count` of them from `first` on in each direction, of `of`. */
struct ts_cover {
  struct {
    int64_t first, count, of;
  } axes[4]; /* x, y, z, t */
};

/* The units that together hold a region and halo_px pixels around it, as far as these lie in the image: those whose
 * core meets the region, grown by the part of the halo that the units do not have themselves. image: the whole image at
 * the level of the region, needed where that differs from the level of the grid; NULL: it does not differ. */
struct ts_cover ts_grid_cover(const struct ts_grid *grid, const struct ts_region *region, int64_t halo_px,
                              const struct ts_region *image);
size_t ts_cover_count(const struct ts_cover *cover);
/* The i-th unit of the cover, in ascending order. */
size_t ts_cover_unit(const struct ts_cover *cover, size_t i);

#endif
