/* The points of a problem: unit coordinates of given rows, and candidates drawn from a space.
 * SPDX-License-Identifier: Apache-2.0 */
#include "design/points.h"
#include "base/alloc.h"
#include "tune/tune_int.h"

#include <math.h>
#include <string.h>

void ts_tune_snap(const struct ts_space *space, const double *unit, double *numbers, double *snapped) {
  for (size_t c = 0; c < space->count; c++) {
    const struct ts_parameter *parameter = space->parameters[c];
    double u = fmin(fmax(unit[c], 0), 1);
    struct ts_value value = ts_space_value(parameter, u, NULL);
    numbers[c] = ts_space_number(parameter, &value) + 0.0; /* -0 becomes 0: equal values have equal bits */
    double middle = ts_space_value_count(parameter) == SIZE_MAX ? u : ts_space_unit(parameter, &value);
    snapped[c] = isnan(middle) ? u : middle;
  }
}

/* Fills in the unit coordinates of points whose columns are `columns` (NULL: all of the space). */
static bool take_unit(struct ts_tune *tune, struct ts_tune_points *points, const size_t *columns, size_t column_count,
                      const char *what, struct ts_error *err) {
  const struct ts_space *space = tune->problem.space;
  if (points->unit) return true;
  double *unit = ts_arena_array(&tune->arena, points->count * column_count + 1, sizeof *unit);
  for (size_t r = 0; r < points->count; r++) {
    for (size_t c = 0; c < column_count; c++) {
      const struct ts_parameter *parameter = space->parameters[columns ? columns[c] : c];
      double number = points->numbers[r * column_count + c];
      unit[r * column_count + c] = ts_space_unit_of_number(parameter, number);
      if (isnan(unit[r * column_count + c]))
        return ts_fail(err, TS_ERR_BAD_VALUE, "row %zu of %s: parameter '%s' cannot be %s", r + 1, what,
                       parameter->name, TS_SIGNIFICANT(number, 6));
    }
  }
  points->unit = unit;
  return true;
}

static bool take_components(struct ts_tune *tune, struct ts_error *err) {
  struct ts_tune_problem *problem = &tune->problem;
  struct ts_tune_component *components = ts_arena_array(&tune->arena, problem->component_count + 1, sizeof *components);
  for (size_t j = 0; j < problem->component_count; j++) {
    struct ts_tune_component *component = &components[j];
    *component = problem->components[j];
    for (size_t c = 0; c < component->column_count; c++) {
      if (component->columns[c] >= problem->space->count)
        return ts_fail(err, TS_ERR_BAD_VALUE, "component '%s' has a column that the space lacks", component->name);
    }
    if (!take_unit(tune, &component->pool, component->columns, component->column_count, component->name, err) ||
        !take_unit(tune, &component->history, component->columns, component->column_count, component->name, err))
      return false;
  }
  problem->components = components;
  return true;
}

/* Tries per wanted candidate: of a constraint that 1 % of the space satisfies, nearly all are found. */
#define TRIES 200

/* Candidates drawn by rejection from the uniform product, each once: fewer than asked for if the space has not more. */
static bool draw_pool(struct ts_tune *tune, struct ts_error *err) {
  struct ts_tune_problem *problem = &tune->problem;
  size_t wanted = tune->options.candidates ? tune->options.candidates : TS_TUNE_CANDIDATES;
  size_t columns = problem->space->count, count = 0;
  double *numbers = ts_arena_array(&tune->arena, (wanted + 1) * columns, sizeof *numbers);
  double *unit = ts_arena_array(&tune->arena, (wanted + 1) * columns, sizeof *unit);
  ts_auto(ts_map_release) struct ts_map seen = {0};
  ts_auto_free double *drawn = ts_calloc(columns, sizeof *drawn);
  struct ts_random random;
  ts_random_init(&random, problem->seed, TS_STREAM_POOL);
  for (size_t tries = 0; tries < TRIES * wanted && count < wanted; tries++) {
    for (size_t c = 0; c < columns; c++) drawn[c] = ts_random_unit(&random);
    if (!ts_space_allows(problem->space, drawn)) continue;
    ts_tune_snap(problem->space, drawn, &numbers[count * columns], &unit[count * columns]);
    bool is_new = false;
    ts_map_insert(&seen, &numbers[count * columns], columns * sizeof *numbers, &is_new);
    if (is_new) count++;
  }
  if (count == 0) return ts_fail(err, TS_ERR_CONSTRAINT, "no drawn point satisfies the constraints of the space");
  problem->pool = (struct ts_tune_points){.count = count, .numbers = numbers, .unit = unit};
  problem->pool_is_drawn = true;
  return true;
}

static bool take_history(struct ts_tune *tune, struct ts_error *err) {
  struct ts_tune_problem *problem = &tune->problem;
  size_t columns = problem->space->count, goals = problem->goal_count;
  if (!take_unit(tune, &problem->history, NULL, columns, "the recorded trials", err)) return false;
  for (size_t r = 0; r < problem->history.count; r++) {
    size_t trial =
        ts_tune_add_recorded(tune, &problem->history.numbers[r * columns], &problem->history.unit[r * columns]);
    ts_tune_report(tune, trial, &problem->history_outputs[r * goals], 0);
  }
  return true;
}

bool ts_tune_take_points(struct ts_tune *tune, struct ts_error *err) {
  struct ts_tune_problem *problem = &tune->problem;
  size_t columns = problem->space->count;
  tune->key = ts_arena_array(&tune->arena, columns + 1, sizeof *tune->key);
  if (problem->pool.count > 0) {
    if (!take_unit(tune, &problem->pool, NULL, columns, "the pool", err)) return false;
  } else if ((tune->tuner->flags & TS_TUNER_CANDIDATES) && !draw_pool(tune, err)) {
    return false;
  }
  tune->row_tried = ts_arena_array(&tune->arena, problem->pool.count + 1, sizeof *tune->row_tried);
  return take_components(tune, err) && take_history(tune, err);
}
