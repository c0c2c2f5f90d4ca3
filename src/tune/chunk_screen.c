/* Screens sizes of chunks: which widths and heights are worth a measurement, by nine that were measured.
 * SPDX-License-Identifier: Apache-2.0 */
#include "tune/one_parameter_several.h"

#include "base/alloc.h"
#include "base/order.h"
#include "tune/exact_int.h"

#include <math.h>
#include <stdlib.h>

#define SIDE TS_CHUNK_SIDE

/* The parabola through three points, at x (Lagrange). */
static double parabola(const double at[SIDE], const double values[SIDE], double x) {
  double sum = 0;
  for (size_t i = 0; i < SIDE; i++) {
    double term = values[i];
    for (size_t j = 0; j < SIDE; j++) {
      if (j != i) term *= (x - at[j]) / (at[i] - at[j]);
    }
    sum += term;
  }
  return sum;
}

/* Logarithms of the times: their means over the heights for each width, and the other way round. */
struct model {
  double width_at[SIDE], height_at[SIDE], by_width[SIDE], by_height[SIDE];
};

static bool make_model(struct model *model, const int64_t widths[SIDE], const int64_t heights[SIDE],
                       const double *seconds) {
  *model = (struct model){0};
  for (size_t i = 0; i < SIDE; i++) {
    if (widths[i] <= 0 || heights[i] <= 0) return false;
    model->width_at[i] = ts_ln((double)widths[i]);
    model->height_at[i] = ts_ln((double)heights[i]);
    for (size_t j = 0; j < i; j++) {
      if (widths[i] == widths[j] || heights[i] == heights[j]) return false;
    }
  }
  for (size_t i = 0; i < (size_t)SIDE * SIDE; i++) {
    if (!(seconds[i] > 0) || !isfinite(seconds[i])) return false;
    double share = ts_ln(seconds[i]) / SIDE;
    model->by_width[i % SIDE] += share;
    model->by_height[i / SIDE] += share;
  }
  return true;
}

size_t ts_chunk_screen(const int64_t design_widths[SIDE], const int64_t design_heights[SIDE],
                       const double seconds[SIDE * SIDE], const int64_t *widths, size_t width_count,
                       const int64_t *heights, size_t height_count, struct ts_chunk_size *chosen, size_t count) {
  struct model model;
  if (!make_model(&model, design_widths, design_heights, seconds)) return 0;
  size_t all = width_count * height_count, found = ts_smaller_size(all, count);
  ts_auto_free struct ts_ranked *ranked = ts_calloc(all + 1, sizeof *ranked);
  for (size_t i = 0; i < all; i++) {
    size_t column = i % width_count, row = i / width_count;
    double width = ts_ln((double)widths[column]), height = ts_ln((double)heights[row]);
    double time = parabola(model.width_at, model.by_width, width) + parabola(model.height_at, model.by_height, height);
    ranked[i] = (struct ts_ranked){time, i};
  }
  qsort(ranked, all, sizeof *ranked, ts_compare_ranked);
  for (size_t i = 0; i < found; i++) {
    size_t index = ranked[i].index;
    chosen[i] = (struct ts_chunk_size){widths[index % width_count], heights[index / width_count]};
  }
  return found;
}
