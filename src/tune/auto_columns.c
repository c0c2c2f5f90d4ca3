/* Coordinates in which the model of `auto` measures distances.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Numbers on a grid and integers that span a factor of 4 or more (sizes, counts of processes) count by their
 * logarithms: on synthetic workflows and kernels the gap fell by a tenth to a third against levels or plain numbers. A
 * range of reals counts by its unit coordinate, since its distribution says which scale it has. Text and booleans are
 * equal or different. */
#include "base/alloc.h"
#include "base/order.h"
#include "tune/auto_int.h"

#include <math.h>

#define LOGARITHMIC_RATIO 4

static void numbers_of_parameter(const struct ts_parameter *parameter, double *low, double *high) {
  *low = parameter->range_low;
  *high = parameter->range_high;
  for (size_t i = 0; i < parameter->level_count; i++) {
    double number = ts_space_number(parameter, &parameter->levels[i]);
    *low = i == 0 ? number : fmin(*low, number);
    *high = i == 0 ? number : fmax(*high, number);
  }
}

static struct column column_of(const struct ts_parameter *parameter, size_t index) {
  struct column column = {.parameter = index, .kind = BY_UNIT};
  size_t values = ts_space_value_count(parameter);
  if (parameter->type == TS_VALUE_STRING || parameter->type == TS_VALUE_BOOLEAN) column.kind = BY_EQUALITY;
  if (column.kind == BY_EQUALITY || values == SIZE_MAX || values < 3) return column;
  numbers_of_parameter(parameter, &column.low, &column.high);
  column.kind = BY_NUMBER;
  if (column.low <= 0 || column.high < LOGARITHMIC_RATIO * column.low) return column;
  column.kind = BY_LOGARITHM;
  column.low = log(column.low);
  column.high = log(column.high);
  return column;
}

static double combined_output(const struct ts_tune_problem *problem, size_t row) {
  const double *outputs = &problem->component_outputs[row * problem->component_count];
  enum ts_combine combine = problem->goals[0].combine;
  double combined = outputs[0];
  for (size_t j = 1; j < problem->component_count; j++) {
    if (combine == TS_COMBINE_SUM) combined += outputs[j];
    if (combine == TS_COMBINE_MAX) combined = fmax(combined, outputs[j]);
    if (combine == TS_COMBINE_MIN) combined = fmin(combined, outputs[j]);
  }
  return combined;
}

/* What recorded runs of the components say about each row of the pool, as a column of its own: on a logarithmic
 * scale, so that their unit does not matter. */
static void add_hints(struct ts_auto *state) {
  const struct ts_tune_problem *problem = state->problem;
  size_t rows = problem->pool.count;
  if (!problem->component_outputs || problem->pool_is_drawn || problem->goal_count > 1) return;
  ts_auto_free double *sorted = ts_calloc(rows, sizeof *sorted);
  state->hints = ts_calloc(rows, sizeof *state->hints);
  for (size_t r = 0; r < rows; r++) sorted[r] = state->hints[r] = combined_output(problem, r);
  qsort(sorted, rows, sizeof *sorted, ts_compare_doubles);
  double low = log(fmax(sorted[0], 1e-12)), high = log(fmax(sorted[rows - 1], 1e-12));
  double width = high > low ? high - low : 1;
  for (size_t r = 0; r < rows; r++) state->hints[r] = (log(fmax(state->hints[r], 1e-12)) - low) / width;
  state->columns[state->column_count++] = (struct column){.parameter = TS_NONE};
}

bool ts_auto_init_columns(struct ts_auto *state) {
  const struct ts_space *space = state->problem->space;
  for (size_t p = 0; p < space->count; p++) {
    if (ts_space_value_count(space->parameters[p]) < 2) continue;
    if (state->column_count + 1 >= TS_GP_MAX_COLUMNS) return false;
    state->columns[state->column_count++] = column_of(space->parameters[p], p);
  }
  add_hints(state);
  if (state->column_count == 0) state->columns[state->column_count++] = (struct column){.parameter = 0};
  for (size_t c = 0; c < state->column_count; c++) state->is_category[c] = state->columns[c].kind == BY_EQUALITY;
  return true;
}

void ts_auto_coordinates(const struct ts_auto *state, const double *numbers, const double *unit, size_t row,
                         double *coordinates) {
  for (size_t c = 0; c < state->column_count; c++) {
    const struct column *column = &state->columns[c];
    if (column->parameter == TS_NONE) {
      coordinates[c] = row != TS_NONE ? state->hints[row] : 0.5;
      continue;
    }
    double number = numbers[column->parameter];
    switch (column->kind) {
    case BY_UNIT: coordinates[c] = unit[column->parameter]; break;
    case BY_NUMBER: coordinates[c] = (number - column->low) / (column->high - column->low); break;
    case BY_LOGARITHM: coordinates[c] = (log(number) - column->low) / (column->high - column->low); break;
    case BY_EQUALITY: coordinates[c] = number; break;
    }
  }
}
