/* Radial Morris designs: each row moves one parameter or group away from the first row of its block.
 * SPDX-License-Identifier: Apache-2.0
 *
 * F. Campolongo, A. Saltelli and J. Cariboni, "From screening to quantitative sensitivity analysis. A unified
 * approach", 2011, doi:10.1016/j.cpc.2010.12.039: base point and second point are the two halves of a 2k-dimensional
 * Sobol' point, the second half taken four points later, since the halves of one point are often close to each other.
 * Values on grids are taken at the middle of their share of the unit range: a step is then as large as the levels are
 * apart. A second coordinate that would not change the value, or hardly move a real, is moved on by half the range. */
#include "design/morris_int.h"

#include "base/alloc.h"
#include "design/blocks_int.h"

#include <math.h>
#include <string.h>

#define SHIFT 4
/* Of the unit range. An effect is a change divided by its step: a tiny one would turn a small jump into a huge
 * effect. */
#define MIN_STEP 0.01

static bool is_far(const struct ts_parameter *parameter, double a, double b) {
  return fabs(b - a) >= MIN_STEP && ts_blocks_values_differ(parameter, a, b);
}

/* Where parameter i goes from a. */
static double second_place(const struct ts_parameter *parameter, double a, double b) {
  double tries[] = {b, b < 0.5 ? b + 0.5 : b - 0.5, 0};
  for (size_t i = 0; i < sizeof tries / sizeof *tries; i++) {
    double place = ts_blocks_centre(parameter, tries[i]);
    if (is_far(parameter, a, place)) return place;
  }
  /* The first value or the last is another one than that at a. */
  return ts_blocks_centre(parameter, ts_blocks_values_differ(parameter, a, 0) ? 0 : 1);
}

/* Block of base point a and second point b (k coordinates each); false if a row is not allowed. */
static bool write_block(const struct ts_points *points, const struct ts_space *space, const double *a, const double *b,
                        double *rows) {
  size_t k = points->column_count;
  for (size_t i = 0; i < k; i++) rows[i] = ts_blocks_centre(space->parameters[i], a[i]);
  for (size_t g = 0; g <= points->group_count; g++) {
    double *row = rows + g * k;
    if (g > 0) {
      memcpy(row, rows, k * sizeof *row);
      for (size_t i = 0; i < k; i++) {
        if (ts_blocks_group(points, i) == g - 1) row[i] = second_place(space->parameters[i], rows[i], b[i]);
      }
    }
    if (!ts_space_allows(space, row)) return false;
  }
  return true;
}

/* The points are drawn one after another; `window` keeps the first halves of the last SHIFT of them. */
static bool fill(struct ts_points *points, const struct ts_space *space, struct ts_stream *stream, double *window,
                 struct ts_error *err) {
  size_t k = points->column_count, cells = points->block_rows * k, refused = 0, refused_here = 0;
  size_t blocks = points->row_count / points->block_rows;
  for (size_t drawn = 0, block = 0; block < blocks; drawn++) {
    const double *point = ts_stream_next(stream, err);
    if (!point) return false;
    double *base = window + drawn % SHIFT * k;
    if (drawn >= SHIFT) {
      if (write_block(points, space, base, point + k, points->a + block * cells)) {
        block++;
        refused_here = 0;
      } else {
        refused++;
        if (++refused_here >= TS_MAX_REFUSED) return ts_blocks_fail_constraint("block", TS_MAX_REFUSED, err);
      }
    }
    memcpy(base, point, k * sizeof *base);
  }
  if (refused > 0) {
    ts_points_add_note(points,
                       "%zu blocks were drawn again because of constraints: the effects are those of the allowed "
                       "part of the space",
                       refused);
  }
  return true;
}

bool ts_morris_radial(struct ts_points *points, const struct ts_space *space, const struct ts_sample_options *options,
                      struct ts_error *err) {
  *points = (struct ts_points){0};
  if (options->candidates > 0) {
    ts_fail(err, TS_ERR_BAD_VALUE, "a radial design is not chosen from candidates");
    return ts_error_help(err, "leave out the candidates: its points fill the space already; or use trajectories");
  }
  const char *source = ts_base_find(options->base, err);
  if (!source || !ts_blocks_start(points, space, options, err)) return false;
  points->layout = TS_LAYOUT_RADIAL;
  size_t count = options->count ? options->count : 10;
  if (!ts_blocks_allocate(points, count, points->group_count + 1, err)) {
    ts_points_release(points);
    return false;
  }
  struct ts_stream stream;
  ts_stream_init(&stream, source, 2 * space->count, count + SHIFT, options);
  double *window = ts_calloc(SHIFT * space->count, sizeof *window);
  bool ok = fill(points, space, &stream, window, err);
  free(window);
  ts_stream_release(&stream);
  if (!ok) ts_points_release(points);
  return ok;
}
