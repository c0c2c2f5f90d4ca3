/* What a tuner asks for, held against budget, constraints and everything that was tried.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/alloc.h"
#include "design/points.h"
#include "tune/tune_int.h"

#include <math.h>
#include <string.h>

/* The entry of a point among those seen; its value is the trial + 1, 0 for a new one. */
static union ts_map_value *seen_entry(struct ts_tune *tune, size_t component, const double *numbers) {
  size_t columns = tune->problem.space->count;
  tune->key[0] = component == TS_NONE ? -1 : (double)component;
  for (size_t c = 0; c < columns; c++)
    tune->key[c + 1] = numbers[c] + 0.0; /* -0 is 0; the NaN of a column is one NaN */
  return ts_map_insert(&tune->seen, tune->key, (columns + 1) * sizeof *tune->key, NULL);
}

size_t ts_tune_add_recorded(struct ts_tune *tune, const double *numbers, const double *unit) {
  size_t trial = ts_history_append(tune, TS_TRIAL_RECORDED, TS_NONE, TS_NONE, numbers, unit);
  seen_entry(tune, TS_NONE, numbers)->number = trial + 1;
  return trial;
}

/* Appends the trial unless it was seen or does not fit. */
static enum ts_added append(struct ts_tune *tune, enum ts_trial_kind kind, size_t component, size_t row,
                            const double *numbers, const double *unit, size_t *trial) {
  union ts_map_value *seen = seen_entry(tune, component, numbers);
  bool is_row = component == TS_NONE && row != TS_NONE;
  if (seen->number > 0) {
    if (is_row) tune->row_tried[row] = true; /* it repeats a recorded trial */
    if (trial) *trial = (size_t)seen->number - 1;
    return TS_ADDED_BEFORE;
  }
  double charge = ts_tune_charge(tune, kind, component, unit);
  if (!ts_tune_fits(tune, charge)) return TS_ADD_NO_BUDGET;
  size_t added = ts_history_append(tune, kind, component, row, numbers, unit);
  seen->number = added + 1;
  tune->pending += charge;
  if (is_row) tune->row_tried[row] = true;
  if (trial) *trial = added;
  return TS_ADDED;
}

static size_t nearest_row(const struct ts_tune *tune, const double *unit) {
  size_t columns = tune->problem.space->count, nearest = TS_NONE;
  double least = INFINITY;
  for (size_t r = 0; r < tune->problem.pool.count; r++) {
    if (tune->row_tried[r]) continue;
    double distance = 0;
    for (size_t c = 0; c < columns; c++) {
      double step = tune->problem.pool.unit[r * columns + c] - unit[c];
      distance += step * step;
    }
    if (distance < least) {
      least = distance;
      nearest = r;
    }
  }
  return nearest;
}

size_t ts_batch_nearest(const struct ts_tune_batch *batch, const double *unit) {
  return nearest_row(batch->tune, unit);
}

static enum ts_added add_row(struct ts_tune *tune, enum ts_trial_kind kind, size_t row, size_t *trial) {
  const struct ts_tune_points *pool = &tune->problem.pool;
  size_t columns = tune->problem.space->count;
  return append(tune, kind, TS_NONE, row, &pool->numbers[row * columns], &pool->unit[row * columns], trial);
}

static enum ts_added add_nearest(struct ts_tune *tune, enum ts_trial_kind kind, const double *unit, size_t *trial) {
  for (;;) {
    size_t row = nearest_row(tune, unit);
    if (row == TS_NONE) return TS_ADD_NOTHING_LEFT;
    enum ts_added added = add_row(tune, kind, row, trial);
    if (added != TS_ADDED_BEFORE) return added;
  }
}

static enum ts_added add_point(struct ts_tune *tune, enum ts_trial_kind kind, const double *unit, size_t *trial) {
  size_t columns = tune->problem.space->count;
  ts_auto_free double *numbers = ts_calloc(2 * columns, sizeof *numbers);
  double *snapped = numbers + columns;
  ts_tune_snap(tune->problem.space, unit, numbers, snapped);
  if (!ts_space_allows(tune->problem.space, snapped)) return TS_ADD_NOT_ALLOWED;
  return append(tune, kind, TS_NONE, TS_NONE, numbers, snapped, trial);
}

enum ts_added ts_tune_add(struct ts_tune *tune, enum ts_trial_kind kind, size_t row, const double *unit,
                          size_t *trial) {
  const struct ts_tune_problem *problem = &tune->problem;
  if (row == TS_NONE && (problem->pool.count == 0 || problem->pool_is_drawn)) return add_point(tune, kind, unit, trial);
  if (row == TS_NONE) return add_nearest(tune, kind, unit, trial);
  if (row >= problem->pool.count) TS_BUG("row %zu of a pool of %zu", row, problem->pool.count);
  return add_row(tune, kind, row, trial);
}

enum ts_added ts_batch_add_row(struct ts_tune_batch *batch, size_t row, size_t *trial) {
  return ts_tune_add(batch->tune, TS_TRIAL_WORKFLOW, row, NULL, trial);
}

enum ts_added ts_batch_add_unit(struct ts_tune_batch *batch, const double *unit, size_t *trial) {
  return ts_tune_add(batch->tune, TS_TRIAL_WORKFLOW, TS_NONE, unit, trial);
}

/* A trial of a component at numbers and unit coordinates of its columns. */
static enum ts_added add_component(struct ts_tune *tune, size_t index, size_t row, const double *numbers,
                                   const double *unit) {
  const struct ts_tune_component *component = &tune->problem.components[index];
  size_t columns = tune->problem.space->count;
  ts_auto_free double *wide = ts_calloc(2 * columns, sizeof *wide);
  for (size_t c = 0; c < 2 * columns; c++) wide[c] = NAN;
  for (size_t c = 0; c < component->column_count; c++) {
    wide[component->columns[c]] = numbers[c];
    wide[columns + component->columns[c]] = unit[c];
  }
  return append(tune, TS_TRIAL_COMPONENT, index, row, wide, wide + columns, NULL);
}

enum ts_added ts_batch_add_component_row(struct ts_tune_batch *batch, size_t component, size_t row) {
  struct ts_tune *tune = batch->tune;
  const struct ts_tune_component *part = &tune->problem.components[component];
  if (!tune->problem.charges_components) return TS_ADD_NOT_ALLOWED;
  if (row >= part->pool.count && part->column_count > 0) return TS_ADD_NOTHING_LEFT;
  return add_component(tune, component, row, &part->pool.numbers[row * part->column_count],
                       &part->pool.unit[row * part->column_count]);
}

enum ts_added ts_batch_add_component_unit(struct ts_tune_batch *batch, size_t component, const double *unit) {
  struct ts_tune *tune = batch->tune;
  const struct ts_tune_component *part = &tune->problem.components[component];
  const struct ts_space *space = tune->problem.space;
  if (!tune->problem.charges_components) return TS_ADD_NOT_ALLOWED;
  ts_auto_free double *numbers = ts_calloc(4 * space->count, sizeof *numbers);
  double *snapped = numbers + space->count, *own = snapped + space->count, *own_unit = own + space->count;
  ts_tune_snap(space, unit, numbers, snapped);
  for (size_t c = 0; c < part->column_count; c++) {
    own[c] = numbers[part->columns[c]];
    own_unit[c] = snapped[part->columns[c]];
  }
  return add_component(tune, component, TS_NONE, own, own_unit);
}

size_t ts_batch_count(const struct ts_tune_batch *batch) { return batch->tune->history.count - batch->first; }

size_t ts_batch_trial(const struct ts_tune_batch *batch, size_t index) { return batch->first + index; }
