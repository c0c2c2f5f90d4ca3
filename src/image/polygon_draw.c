/* Draws polygons into pixels: for each row of centres the columns where edges cross it, then the parity along the row.
 * SPDX-License-Identifier: Apache-2.0
 *
 * An edge crosses the row of centres y if one end has a coordinate <= y and the other one > y. The crossing is computed
 * from its upper end, whichever way the ring runs, by four operations in doubles that every machine rounds alike; it
 * depends on neither tile nor neighbours. Centres at the crossing and right of it change sides. Where coordinates are
 * multiples of 1/16 below 2^20 the outcome is that of exact arithmetic: a crossing at a centre has an exact quotient,
 * and any other is further from it than the rounding. */
#include "image/polygons_int.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

#define BAND_ROWS 256 /* bounds the memory beside the pixels: a byte per column of so many rows */

/* What is drawn at once: rows of the frame, clipped to one feature. End coordinates do not belong to it. */
struct band {
  const struct ts_polygons *polygons;
  double downsample_x, downsample_y;
  int64_t left, right, top, bottom;
  unsigned char *flips; /* borrowed: 1 where the parity changes; right - left columns for each row */
};

/* The smallest whole number whose centre is at or beyond the coordinate. Whole numbers and a half are exact below
 * 2^52. */
static int64_t first_centre(double coordinate) {
  int64_t number = (int64_t)coordinate;
  while ((double)number + 0.5 < coordinate) number++;
  while ((double)number - 0.5 >= coordinate) number--;
  return number;
}

static int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }
static int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

static void flip_edge(const struct band *band, size_t from, size_t to) {
  const struct ts_polygons *p = band->polygons;
  const bool down = p->y[from] < p->y[to];
  const size_t upper = down ? from : to, lower = down ? to : from;
  const double y0 = p->y[upper] / band->downsample_y, y1 = p->y[lower] / band->downsample_y;
  const double x0 = p->x[upper] / band->downsample_x, x1 = p->x[lower] / band->downsample_x;
  const int64_t first = larger(first_centre(y0), band->top), end = smaller(first_centre(y1), band->bottom);
  const size_t columns = (size_t)(band->right - band->left);
  for (int64_t row = first; row < end; row++) {
    const double crossing = x0 + ((double)row + 0.5 - y0) * (x1 - x0) / (y1 - y0);
    const int64_t column = larger(first_centre(crossing), band->left);
    if (column < band->right) band->flips[(size_t)(row - band->top) * columns + (size_t)(column - band->left)] ^= 1;
  }
}

/* Edges that are above, below or right of the band change nothing in it; a pixel of margin covers all rounding. */
static bool is_aside(const struct band *band, const struct ts_polygon_box *run) {
  return run->y_high / band->downsample_y < (double)band->top - 1 ||
         run->y_low / band->downsample_y > (double)band->bottom + 1 ||
         run->x_low / band->downsample_x > (double)band->right + 1;
}

static void flip_ring(const struct band *band, size_t ring) {
  const struct ts_polygons *p = band->polygons;
  const size_t first = p->ring_first[ring], end = p->ring_first[ring + 1];
  for (size_t i = first; i < end;) {
    if (i % TS_EDGE_RUN == 0 && end - i >= TS_EDGE_RUN && is_aside(band, &p->runs[i / TS_EDGE_RUN])) {
      i += TS_EDGE_RUN;
      continue;
    }
    flip_edge(band, i, i + 1 < end ? i + 1 : first);
    i++;
  }
}

/* The part of the band in which a feature can have pixels. */
static bool clip(struct band *band, const struct ts_polygon_box *box) {
  band->left = larger(band->left, first_centre(box->x_low / band->downsample_x) - 1);
  band->right = smaller(band->right, first_centre(box->x_high / band->downsample_x) + 1);
  band->top = larger(band->top, first_centre(box->y_low / band->downsample_y));
  band->bottom = smaller(band->bottom, first_centre(box->y_high / band->downsample_y));
  return band->left < band->right && band->top < band->bottom;
}

static void fill_row(const unsigned char *flips, size_t count, uint32_t label, uint32_t *labels, unsigned char *mask) {
  unsigned char inside = 0;
  for (size_t i = 0; i < count; i++) {
    inside ^= flips[i];
    if (inside && labels) labels[i] = label;
    if (inside && mask) mask[i] = 255;
  }
}

static void draw_feature(struct band band, uint32_t feature, const struct ts_region *region, bool is_mask,
                         void *pixels) {
  const struct ts_polygons *p = band.polygons;
  if (!clip(&band, &p->boxes[feature])) return;
  const size_t columns = (size_t)(band.right - band.left), rows = (size_t)(band.bottom - band.top);
  memset(band.flips, 0, columns * rows);
  for (size_t r = p->feature_first[feature]; r < p->feature_first[feature + 1]; r++) flip_ring(&band, r);
  for (size_t row = 0; row < rows; row++) {
    const size_t at =
        (size_t)(band.top - region->y + (int64_t)row) * (size_t)region->width + (size_t)(band.left - region->x);
    fill_row(band.flips + row * columns, columns, feature + 1, is_mask ? NULL : (uint32_t *)pixels + at,
             is_mask ? (unsigned char *)pixels + at : NULL);
  }
}

/* In pixels of the full resolution, with a pixel of the level as margin. */
static struct ts_polygon_box window_of(const struct band *band) {
  return (struct ts_polygon_box){.x_low = (double)(band->left - 1) * band->downsample_x,
                                 .y_low = (double)(band->top - 1) * band->downsample_y,
                                 .x_high = (double)(band->right + 1) * band->downsample_x,
                                 .y_high = (double)(band->bottom + 1) * band->downsample_y};
}

void ts_polygons_draw(const struct ts_polygons *polygons, const struct ts_type *type,
                      const struct ts_polygon_frame *frame, void *pixels) {
  const struct ts_region *region = &frame->region;
  const bool is_mask = type->element == TS_U8;
  struct ts_polygon_hits hits = {0};
  struct band band = {.polygons = polygons,
                      .downsample_x = frame->downsample_x,
                      .downsample_y = frame->downsample_y,
                      .left = region->x,
                      .right = region->x + region->width};
  memset(pixels, 0, (size_t)region->width * (size_t)region->height * ts_element_bytes(type->element));
  band.flips = ts_malloc((size_t)region->width * (size_t)smaller(region->height, BAND_ROWS) + 1);
  for (int64_t top = region->y; top < region->y + region->height; top += BAND_ROWS) {
    band.top = top;
    band.bottom = smaller(top + BAND_ROWS, region->y + region->height);
    const struct ts_polygon_box window = window_of(&band);
    ts_polygons_find(polygons, &window, &hits);
    for (size_t i = 0; i < hits.count; i++) draw_feature(band, hits.items[i], region, is_mask, pixels);
  }
  free(band.flips);
  free(hits.items);
}

size_t ts_polygons_outside(const struct ts_polygons *polygons, const struct ts_polygon_frame *frame) {
  const struct ts_region *r = &frame->region;
  size_t count = 0;
  for (size_t i = 0; i < polygons->feature_count; i++) {
    const struct ts_polygon_box *box = &polygons->boxes[i];
    count += box->x_high / frame->downsample_x <= (double)r->x ||
             box->x_low / frame->downsample_x >= (double)(r->x + r->width) ||
             box->y_high / frame->downsample_y <= (double)r->y ||
             box->y_low / frame->downsample_y >= (double)(r->y + r->height);
  }
  return count;
}
