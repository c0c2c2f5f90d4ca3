/* Designs for derivative-based measures (DGSM): base points, each with a small step along every parameter.
 * SPDX-License-Identifier: Apache-2.0
 *
 * I. M. Sobol' and S. Kucherenko, "Derivative based global sensitivity measures and their link with global sensitivity
 * indices", 2009, doi:10.1016/j.matcom.2009.01.023. Steps go up, and down where up would leave the unit cube. A
 * parameter with a grid is taken at the middle of its level and steps by the least number of levels that the step
 * reaches. */
#include "design/blocks_int.h"

#include "base/alloc.h"
#include "base/str.h"

#include <math.h>
#include <string.h>

static bool is_discrete(const struct ts_parameter *parameter) { return ts_space_value_count(parameter) != SIZE_MAX; }

/* The coordinate a step away from `at`; `step` at most half the range. */
static double step_from(const struct ts_parameter *parameter, double at, double step) {
  double up = at + step <= 1 ? at + step : at - step;
  if (!is_discrete(parameter)) return up;
  /* The next level, up if there is one; a longer step reaches farther. */
  for (double reach = step; reach < 1; reach += step) {
    if (at + reach <= 1 && ts_blocks_values_differ(parameter, at, at + reach))
      return ts_blocks_centre(parameter, at + reach);
    if (at - reach >= 0 && ts_blocks_values_differ(parameter, at, at - reach))
      return ts_blocks_centre(parameter, at - reach);
  }
  return ts_blocks_centre(parameter, ts_blocks_values_differ(parameter, at, 0) ? 0 : 1);
}

/* False if a row is not allowed. */
static bool write_block(const struct ts_space *space, const double *point, double step, double *rows) {
  size_t k = space->count;
  for (size_t i = 0; i < k; i++) rows[i] = ts_blocks_centre(space->parameters[i], point[i]);
  for (size_t row = 0; row <= k; row++) {
    double *unit = rows + row * k;
    if (row > 0) {
      memcpy(unit, rows, k * sizeof *unit);
      unit[row - 1] = step_from(space->parameters[row - 1], rows[row - 1], step);
    }
    if (!ts_space_allows(space, unit)) return false;
  }
  return true;
}

static bool fill(struct ts_points *points, const struct ts_space *space, struct ts_stream *stream, double step,
                 struct ts_error *err) {
  size_t cells = points->block_rows * points->column_count, refused = 0, refused_here = 0;
  for (size_t block = 0; block < points->row_count / points->block_rows;) {
    const double *point = ts_stream_next(stream, err);
    if (!point) return false;
    if (write_block(space, point, step, points->a + block * cells)) {
      block++;
      refused_here = 0;
      continue;
    }
    refused++;
    if (++refused_here >= TS_MAX_REFUSED) return ts_blocks_fail_constraint("base point", TS_MAX_REFUSED, err);
  }
  if (refused > 0) {
    ts_points_add_note(points,
                       "%zu base points were replaced because of constraints: the derivatives are those of the "
                       "allowed part of the space",
                       refused);
  }
  return true;
}

static bool check_step(double step, struct ts_error *err) {
  if (step > 0 && step <= 0.5) return true;
  ts_fail(err, TS_ERR_BAD_VALUE, "a step of '%s' of the range does not stay inside it", TS_SIGNIFICANT(step, 6));
  return ts_error_help(err, "use a small part of the range, such as 0.01, at most 0.5");
}

static void note_grids(struct ts_points *points, const struct ts_space *space) {
  for (size_t i = 0; i < space->count; i++) {
    if (!is_discrete(space->parameters[i])) continue;
    ts_points_add_note(
        points,
        "'%s' has single values only: its derivative is the difference to a neighbouring value, and the bound "
        "on ST does not hold for it",
        space->parameters[i]->name);
  }
}

static bool draw(struct ts_points *points, const struct ts_space *space, const struct ts_sample_options *options,
                 struct ts_error *err) {
  *points = (struct ts_points){0};
  double step = options->step != 0 ? options->step : 0.01;
  if (!check_step(step, err) || !ts_blocks_refuse_groups(options, "a DGSM design", err)) return false;
  if (!ts_blocks_start(points, space, options, err)) return false;
  points->layout = TS_LAYOUT_DERIVATIVE;
  size_t count = options->count ? options->count : 256;
  bool ok = ts_blocks_allocate(points, count, space->count + 1, err);
  if (ok) {
    ts_auto(ts_stream_release) struct ts_stream stream;
    ts_stream_init(&stream, "sobol-sequence", space->count, count, options);
    ok = fill(points, space, &stream, step, err);
  }
  if (ok) {
    note_grids(points, space);
  } else {
    ts_points_release(points);
  }
  return ok;
}

const struct ts_sampler ts_sampler_dgsm = {
    .name = "dgsm",
    .title = "base points with a small step along every parameter, for derivative-based measures",
    .help = "takes n (k + 1) runs; bounds ST from derivatives, for smooth models and real parameters; reads step",
    .draw = draw,
};
