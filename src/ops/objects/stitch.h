/* Joins objects across the edges of tiles: which pieces of different tiles are one object.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Pieces are numbered from 0 as they come, in any order of tiles; the objects that result do not depend on that order.
 * Only pixels along the edges of tiles are kept. */
#ifndef TS_OPS_OBJECTS_STITCH_H
#define TS_OPS_OBJECTS_STITCH_H

#include "kernels/pixel_run.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Components: pieces whose pixels touch across an edge, also at a corner. Labels: numbers that an operation gave in
 * each tile, so two pieces are one only if they overlap by more than half of the shorter of their contacts with the
 * edge. Values: numbers of the whole file; equal ones are one object, wherever they are. None: every piece is an
 * object. */
enum ts_stitch { TS_STITCH_COMPONENTS, TS_STITCH_LABELS, TS_STITCH_VALUES, TS_STITCH_NONE };
enum { TS_STITCH_WAYS = 4 };

/* The core of a tile, in pixels of the file. */
struct ts_tile_box {
  int32_t left, top, right, bottom; /* right and bottom are one past the end */
};

/* Whether an object of the tile may go on in another one. */
bool ts_stitch_is_open(enum ts_stitch how, const struct ts_tile_box *box, const struct ts_pixel_run *runs,
                       size_t count);
/* Whether a run of the tile has a pixel at its edge. */
bool ts_stitch_is_at_edge(const struct ts_tile_box *box, const struct ts_pixel_run *run);

struct ts_stitcher; /* private */
struct ts_stitcher *ts_stitcher_create(void);
void ts_stitcher_destroy(struct ts_stitcher *stitcher);
/* Adds a piece and returns its number. Runs: at least those at the edges of the tile. Value: its label. */
uint32_t ts_stitcher_add(struct ts_stitcher *stitcher, const struct ts_tile_box *box, uint64_t value,
                         const struct ts_pixel_run *runs, size_t count);
/* After the last piece. */
void ts_stitcher_join(struct ts_stitcher *stitcher, enum ts_stitch how);
/* After joining: the lowest number of a piece of the same object. */
uint32_t ts_stitcher_first(struct ts_stitcher *stitcher, uint32_t piece);

#endif
