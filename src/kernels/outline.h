/* Outlines of labelled objects as polygons along the edges of pixels.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Vertices are corners of pixels: pixel (x, y) covers the square from (x, y) to (x + 1, y + 1). Only corners where the
 * outline turns are listed; the first is repeated at the end, as GeoJSON wants it.
 * No ring touches itself: where pixels of an object meet only at a corner the outline is cut there, so an 8-connected
 * object may have several outer rings (a MultiPolygon), and a hole may touch its outer ring in one point. This makes
 * the polygons valid by the rules of simple features. Outer rings run counter-clockwise in a coordinate system whose y
 * axis points up (the area by the shoelace formula is positive), holes the other way. */
#ifndef TS_KERNELS_OUTLINE_H
#define TS_KERNELS_OUTLINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "kernels/pixel_run.h"

struct ts_vertex {
  int32_t x;
  int32_t y;
};

struct ts_ring {
  uint32_t label;
  bool hole;
  size_t outer; /* index of the outer ring of its polygon; for an outer ring its own */
  size_t first; /* index of its first vertex */
  size_t count; /* vertices, the repeated one included */
};

/* Rings ordered by label, then polygon (by their first pixel in raster order); in a polygon the outer ring comes first,
 * its holes directly after it. */
struct ts_outlines {
  struct ts_ring *rings;      /* owned */
  struct ts_vertex *vertices; /* owned */
  size_t ring_count;
  size_t vertex_count;
};

/* Release in every case, also after an error. */
bool ts_outline(const uint32_t *labels, int64_t width, int64_t height, struct ts_outlines *outlines,
                struct ts_error *err);
/* The same of one object given by its runs, in raster order and at least one: label 1, vertices where the runs lie. */
bool ts_outline_runs(const struct ts_pixel_run *runs, size_t count, struct ts_outlines *outlines, struct ts_error *err);
/* The same without a plane around the object, which may be as wide as a slide: slower, memory as for its runs. The one
 * above takes this way for large objects. */
bool ts_outline_sparse(const struct ts_pixel_run *runs, size_t count, struct ts_outlines *outlines,
                       struct ts_error *err);
void ts_outlines_release(struct ts_outlines *outlines);

#endif
