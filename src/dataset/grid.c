/* The arithmetic of grids: counting and cutting units, and finding those that a region needs.
 * SPDX-License-Identifier: Apache-2.0 */
#include "dataset/grid.h"

#include "base/error.h"
#include "base/order.h"

__extension__ typedef __int128 wide;

enum { X, Y, Z, T, AXES };

/* One direction of a grid: the image begins at `start` and is `total` long; cores are `step` long. */
struct axis {
  int64_t start, total, step, halo;
};

/* Extents in z and t: 0 counts as 1. */
static int64_t extent_of(int32_t count) { return count > 0 ? count : 1; }

static struct axis axis_of(const struct ts_grid *grid, int direction) {
  const struct ts_region *w = &grid->whole;
  const int64_t halo = ts_larger(0, grid->halo_px);
  const struct axis axes[AXES] = {[X] = {w->x, w->width, grid->width, halo},
                                  [Y] = {w->y, w->height, grid->height, halo},
                                  [Z] = {w->z, extent_of(w->depth), grid->depth, 0},
                                  [T] = {w->t, extent_of(w->frames), grid->frames, 0}};
  struct axis axis = axes[direction];
  if (axis.step <= 0) axis.step = axis.total;
  return axis;
}

static int64_t steps_of(const struct axis *axis) { return axis->total <= 0 ? 0 : (axis->total - 1) / axis->step + 1; }

size_t ts_grid_count(const struct ts_grid *grid) {
  size_t count = 1;
  for (int d = 0; d < AXES; d++) {
    const struct axis axis = axis_of(grid, d);
    count *= (size_t)steps_of(&axis);
  }
  return count;
}

/* Where unit `index` of a direction starts and how long it is, without and with halo. */
struct span {
  int64_t start, length;
  int64_t halo_start, halo_length;
};

static struct span span_of(const struct axis *axis, int64_t index) {
  struct span span = {.start = index * axis->step};
  span.length = ts_smaller(axis->step, axis->total - span.start);
  span.halo_start = ts_larger(0, span.start - axis->halo);
  /* Compared before adding: a halo may be larger than any image. */
  const int64_t after = ts_smaller(axis->halo, axis->total - span.start - span.length);
  span.halo_length = span.start + span.length + after - span.halo_start;
  span.start += axis->start;
  span.halo_start += axis->start;
  return span;
}

void ts_grid_tile(const struct ts_grid *grid, size_t unit, struct ts_tile *tile) {
  struct span spans[AXES];
  for (int d = 0; d < AXES; d++) {
    const struct axis axis = axis_of(grid, d);
    const size_t steps = (size_t)steps_of(&axis);
    if (steps == 0) TS_BUG("an image without pixels has no tiles");
    spans[d] = span_of(&axis, (int64_t)(unit % steps));
    unit /= steps;
  }
  tile->core = (struct ts_region){.x = spans[X].start,
                                  .y = spans[Y].start,
                                  .width = spans[X].length,
                                  .height = spans[Y].length,
                                  .level = grid->whole.level,
                                  .z = (int32_t)spans[Z].start,
                                  .t = (int32_t)spans[T].start,
                                  .depth = grid->whole.depth > 0 ? (int32_t)spans[Z].length : 0,
                                  .frames = grid->whole.frames > 0 ? (int32_t)spans[T].length : 0};
  tile->region = tile->core;
  tile->region.x = spans[X].halo_start;
  tile->region.y = spans[Y].halo_start;
  tile->region.width = spans[X].halo_length;
  tile->region.height = spans[Y].halo_length;
}

/* ---- Which units a region needs. ---- */

/* From first to before end. Wide: a region or a halo may be larger than any image. */
struct range {
  wide first, end;
};

/* A range of an image that is `from` long in an image that is `to` long: outwards to whole pixels. */
static struct range rescale(struct range range, int64_t from, int64_t to) {
  const wide first = range.first * to, end = range.end * to;
  return (struct range){first / from - (first % from < 0), end / from + (end % from > 0)};
}

/* Counted from the beginning of the image, at the level of the grid. */
static struct range range_of(const struct axis *axis, const struct ts_region *region, int direction,
                             const struct ts_region *image) {
  const struct axis asked[AXES] = {[X] = {.start = region->x, .total = region->width},
                                   [Y] = {.start = region->y, .total = region->height},
                                   [Z] = {.start = region->z, .total = extent_of(region->depth)},
                                   [T] = {.start = region->t, .total = extent_of(region->frames)}};
  const int64_t start = image && direction <= Y ? (direction == X ? image->x : image->y) : axis->start;
  const wide first = (wide)asked[direction].start - start;
  const struct range range = {first, first + asked[direction].total};
  if (!image || direction > Y || range.first >= range.end) return range;
  return rescale(range, ts_larger(1, direction == X ? image->width : image->height), axis->total);
}

/* The steps of one direction that meet a range, grown by the halo that they lack and cut at the border of the image. */
static void cover_axis(const struct axis *axis, struct range range, int64_t lacking, int64_t *first, int64_t *count) {
  *first = *count = 0;
  if (range.first >= range.end) return;
  range.first -= lacking;
  range.end += lacking;
  if (range.first < 0) range.first = 0;
  if (range.end > axis->total) range.end = axis->total;
  if (range.first >= range.end) return;
  *first = (int64_t)range.first / axis->step;
  *count = ((int64_t)range.end - 1) / axis->step - *first + 1;
}

struct ts_cover ts_grid_cover(const struct ts_grid *grid, const struct ts_region *region, int64_t halo_px,
                              const struct ts_region *image) {
  struct ts_cover cover = {0};
  for (int d = 0; d < AXES; d++) {
    const struct axis axis = axis_of(grid, d);
    const int64_t lacking = d > Y ? 0 : ts_larger(0, ts_larger(0, halo_px) - axis.halo);
    cover.axes[d].of = steps_of(&axis);
    cover_axis(&axis, range_of(&axis, region, d, image), lacking, &cover.axes[d].first, &cover.axes[d].count);
  }
  return cover;
}

size_t ts_cover_count(const struct ts_cover *cover) {
  size_t count = 1;
  for (int d = 0; d < AXES; d++) count *= (size_t)cover->axes[d].count;
  return count;
}

size_t ts_cover_unit(const struct ts_cover *cover, size_t i) {
  size_t unit = 0, stride = 1;
  for (int d = 0; d < AXES; d++) {
    unit += ((size_t)cover->axes[d].first + i % (size_t)cover->axes[d].count) * stride;
    i /= (size_t)cover->axes[d].count;
    stride *= (size_t)cover->axes[d].of;
  }
  return unit;
}
