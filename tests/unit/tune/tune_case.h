/* Small tuning problems for the tests of the driver and of every tuner.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_TUNE_TUNE_CASE_H
#define TESTS_UNIT_TUNE_TUNE_CASE_H

#include "tune/tune.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define CASE_COLUMNS 4
#define CASE_SIDE    5 /* values of each column of the table */
#define CASE_ROWS    (CASE_SIDE * CASE_SIDE * CASE_SIDE * CASE_SIDE)
#define CASE_PARTS   (CASE_SIDE * CASE_SIDE)

/* A table of all rows of a 5 x 5 x 5 x 5 grid, with two components of two columns each, or a space of two reals and two
 * integers with a constraint. */
struct tune_case {
  struct ts_space space;
  struct ts_parameter parameters[CASE_COLUMNS];
  const struct ts_parameter *list[CASE_COLUMNS];
  struct ts_value levels[CASE_SIDE];
  struct ts_constraint constraint;
  double rows[CASE_ROWS * CASE_COLUMNS];
  double parts[CASE_PARTS * 2];
  double part_outputs[CASE_PARTS * 2]; /* of two goals at most */
  struct ts_tune_component components[2];
  struct ts_tune_goal goals[2];
  struct ts_tune_problem problem;
  double failing; /* the first column fails above this */
};

static inline double case_output(const double *numbers, size_t goal) {
  double sum = (double)goal;
  for (size_t c = 0; c < CASE_COLUMNS; c++) {
    double x = numbers[c] - 1 - (double)goal - 0.1 * (double)c;
    sum += x * x * (double)(c + 1);
  }
  return sum + 0.5 * fabs(numbers[0] - numbers[3]);
}

static inline double case_part_output(const double *numbers, size_t part) {
  double a = numbers[0] - 1 - 0.2 * (double)part, b = numbers[1] - 1.1 - 0.2 * (double)part;
  return a * a * (double)(2 * part + 1) + b * b * (double)(2 * part + 2);
}

static inline void case_init_columns(struct tune_case *box, bool is_table) {
  static const char *const names[CASE_COLUMNS] = {"a", "b", "c", "d"};
  for (size_t v = 0; v < CASE_SIDE; v++) box->levels[v] = ts_value_integer((int64_t)v);
  for (size_t c = 0; c < CASE_COLUMNS; c++) {
    struct ts_parameter *parameter = &box->parameters[c];
    *parameter = (struct ts_parameter){.name = names[c], .help = ""};
    parameter->type = is_table || c >= 2 ? TS_VALUE_INTEGER : TS_VALUE_REAL;
    if (is_table) {
      parameter->levels = box->levels;
      parameter->level_count = CASE_SIDE;
    } else {
      parameter->has_range = true;
      parameter->range_high = CASE_SIDE - 1;
    }
    box->list[c] = parameter;
  }
  box->space = (struct ts_space){.parameters = box->list, .count = CASE_COLUMNS};
  box->constraint = (struct ts_constraint){.text = "a < d", .left = 0, .right = 3, .comparison = TS_LESS};
  if (!is_table) {
    box->space.constraints = &box->constraint;
    box->space.constraint_count = 1;
  }
}

static inline void case_init_rows(struct tune_case *box) {
  for (size_t r = 0; r < CASE_ROWS; r++) {
    size_t rest = r;
    for (size_t c = 0; c < CASE_COLUMNS; c++, rest /= CASE_SIDE)
      box->rows[r * CASE_COLUMNS + c] = (double)(rest % CASE_SIDE);
  }
  for (size_t r = 0; r < CASE_PARTS; r++) {
    box->parts[2 * r] = (double)(r % CASE_SIDE);
    box->parts[2 * r + 1] = (double)(r / CASE_SIDE);
  }
}

static inline void case_init(struct tune_case *box, bool is_table, double budget, uint64_t seed) {
  static const size_t columns[2][2] = {{0, 1}, {2, 3}};
  *box = (struct tune_case){.failing = INFINITY};
  case_init_columns(box, is_table);
  case_init_rows(box);
  box->goals[0] = (struct ts_tune_goal){.name = "time", .combine = TS_COMBINE_SUM};
  box->goals[1] = (struct ts_tune_goal){.name = "error", .combine = TS_COMBINE_SUM};
  for (size_t j = 0; j < 2; j++)
    box->components[j] = (struct ts_tune_component){.name = j ? "second" : "first",
                                                    .columns = columns[j],
                                                    .column_count = 2,
                                                    .pool = {is_table ? CASE_PARTS : 0, box->parts, NULL}};
  box->problem = (struct ts_tune_problem){.space = &box->space,
                                          .goals = box->goals,
                                          .goal_count = 1,
                                          .components = box->components,
                                          .component_count = 2,
                                          .charges_components = true,
                                          .budget = budget,
                                          .seed = seed};
  if (is_table) box->problem.pool = (struct ts_tune_points){CASE_ROWS, box->rows, NULL};
}

/* Runs a trial: outputs, or NaN where it fails. */
static inline void case_run(const struct tune_case *box, const struct ts_tune_history *history, size_t trial,
                            double *outputs) {
  const double *numbers = &history->numbers[trial * CASE_COLUMNS];
  size_t part = history->components[trial];
  for (size_t g = 0; g < history->goal_count; g++) {
    outputs[g] = part == TS_NONE ? case_output(numbers, g) : case_part_output(numbers + 2 * part, part) + (double)g;
    if (part == TS_NONE && numbers[0] > box->failing) outputs[g] = NAN;
  }
}

/* Runs a tuner to its end; every trial costs what `cost` says (NULL: 1). The caller destroys it. */
static inline struct ts_tune *case_tune(const struct tune_case *box, const struct ts_tuner *tuner,
                                        const struct ts_tune_options *options) {
  struct ts_error err = {0};
  struct ts_tune *tune = ts_tune_create(tuner, &box->problem, options, &err);
  if (!tune) fail_msg("%s: %s", tuner->name, err.text);
  const struct ts_tune_history *history = ts_tune_history(tune);
  for (size_t first = 0, count = 1; count > 0;) {
    if (!ts_tune_next(tune, &first, &count, &err)) fail_msg("%s: %s", tuner->name, err.text);
    for (size_t t = first; t < first + count; t++) {
      double outputs[2], cost = 1;
      case_run(box, history, t, outputs);
      if (box->problem.cost && history->components[t] == TS_NONE)
        cost = box->problem.cost(box->problem.user, &history->unit[t * CASE_COLUMNS]);
      ts_tune_report(tune, t, outputs, cost);
    }
  }
  return tune;
}

#endif
