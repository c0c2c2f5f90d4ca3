/* Functions with a known minimum, spaces for them, and a loop that lets a tuner minimise one.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_TUNE_FUNCTIONS_H
#define TESTS_UNIT_TUNE_FUNCTIONS_H

#include "tune/tune.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define PI           3.14159265358979323846
#define MOST_COLUMNS 30
#define MOST_GOALS   2

struct function {
  const char *name;
  size_t columns, goals;
  enum ts_value_type type;
  double low, high; /* of every column */
  size_t ordered;   /* constraints: the first columns must not fall */
  double least;     /* of all values that are allowed */
  void (*at)(const double *x, size_t columns, double *outputs);
};

/* A space, made by hand, that the function points to. */
struct function_space {
  struct ts_parameter parameters[MOST_COLUMNS];
  const struct ts_parameter *pointers[MOST_COLUMNS];
  struct ts_constraint constraints[MOST_COLUMNS];
  struct ts_space space;
};

static const char *const function_column_names[MOST_COLUMNS] = {
    "x0",  "x1",  "x2",  "x3",  "x4",  "x5",  "x6",  "x7",  "x8",  "x9",  "x10", "x11", "x12", "x13", "x14",
    "x15", "x16", "x17", "x18", "x19", "x20", "x21", "x22", "x23", "x24", "x25", "x26", "x27", "x28", "x29"};

static inline void function_space_make(struct function_space *made, const struct function *function) {
  memset(made, 0, sizeof *made);
  for (size_t c = 0; c < function->columns; c++) {
    made->parameters[c] = (struct ts_parameter){.name = function_column_names[c],
                                                .help = "",
                                                .type = function->type,
                                                .has_range = true,
                                                .range_low = function->low,
                                                .range_high = function->high};
    made->pointers[c] = &made->parameters[c];
  }
  for (size_t c = 0; c + 1 < function->ordered; c++) {
    made->constraints[c] =
        (struct ts_constraint){.text = "x <= y", .left = c, .right = c + 1, .comparison = TS_LESS_EQUAL};
  }
  made->space.parameters = made->pointers;
  made->space.count = function->columns;
  made->space.constraints = made->constraints;
  made->space.constraint_count = function->ordered > 0 ? function->ordered - 1 : 0;
}

/* Minima are not in the middle of the ranges: no search that begins there has an advantage. */
static inline void sphere_at(const double *x, size_t columns, double *outputs) {
  outputs[0] = 0;
  for (size_t c = 0; c < columns; c++) outputs[0] += x[c] * x[c];
}

static inline void rosenbrock_at(const double *x, size_t columns, double *outputs) {
  outputs[0] = 0;
  for (size_t c = 0; c + 1 < columns; c++) {
    double bend = x[c + 1] - x[c] * x[c];
    outputs[0] += 100 * bend * bend + (1 - x[c]) * (1 - x[c]);
  }
}

static inline void ackley_at(const double *x, size_t columns, double *outputs) {
  double squares = 0, waves = 0;
  for (size_t c = 0; c < columns; c++) {
    squares += x[c] * x[c] / (double)columns;
    waves += cos(2 * PI * x[c]) / (double)columns;
  }
  outputs[0] = 20 + exp(1) - 20 * exp(-0.2 * sqrt(squares)) - exp(waves);
}

/* Integers from 0 to 40 with x0 <= x1 <= x2. The free minimum, (25, 12, 30, 7, 33), breaks the first constraint; the
 * best allowed has x0 = x1 = 16, next to (25 + 2 * 12) / 3: 81 + 2 * 16 = 113. */
static inline void integers_at(const double *x, size_t columns, double *outputs) {
  static const double centre[] = {25, 12, 30, 7, 33}, weight[] = {1, 2, 3, 4, 5};
  outputs[0] = 0;
  for (size_t c = 0; c < columns; c++) outputs[0] += weight[c] * (x[c] - centre[c]) * (x[c] - centre[c]);
}

/* E. Zitzler, K. Deb and L. Thiele, Evol. Comput. 8 (2000), doi:10.1162/106365600568202. */
static inline void zdt1_at(const double *x, size_t columns, double *outputs) {
  double g = 1;
  for (size_t c = 1; c < columns; c++) g += 9 * x[c] / (double)(columns - 1);
  outputs[0] = x[0];
  outputs[1] = g * (1 - sqrt(x[0] / g));
}

static const struct function functions[] = {
    {"sphere", 5, 1, TS_VALUE_REAL, -3.5, 6.5, 0, 0, sphere_at},
    {"rosenbrock", 5, 1, TS_VALUE_REAL, -2.048, 2.048, 0, 0, rosenbrock_at},
    {"ackley", 5, 1, TS_VALUE_REAL, -20, 44, 0, 0, ackley_at},
    {"integers", 5, 1, TS_VALUE_INTEGER, 0, 40, 3, 113, integers_at},
};
#define FUNCTION_COUNT (sizeof functions / sizeof *functions)
static const struct function zdt1 = {"zdt1", 30, 2, TS_VALUE_REAL, 0, 1, 0, 0, zdt1_at};

/* A tune of the function; the caller destroys it. The problem's members may be set before (budget, seed). */
static inline struct ts_tune *function_tune(const struct function *function, const struct function_space *space,
                                            const char *tuner, size_t runs, uint64_t seed) {
  static const struct ts_tune_goal goals[MOST_GOALS] = {{.name = "y"}, {.name = "z"}};
  struct ts_tune_problem problem = {
      .space = &space->space, .goals = goals, .goal_count = function->goals, .budget = (double)runs, .seed = seed};
  struct ts_error err = {0};
  const struct ts_tuner *found = ts_tuner_find(tuner, &err);
  if (!found) fail_msg("%s", err.text);
  struct ts_tune *tune = ts_tune_create(found, &problem, NULL, &err);
  if (!tune) fail_msg("%s", err.text);
  size_t first, count;
  for (;;) {
    if (!ts_tune_next(tune, &first, &count, &err)) fail_msg("%s", err.text);
    if (count == 0) return tune;
    for (size_t t = first; t < first + count; t++) {
      double outputs[MOST_GOALS];
      function->at(&ts_tune_history(tune)->numbers[t * function->columns], function->columns, outputs);
      ts_tune_report(tune, t, outputs, 1);
    }
  }
}

/* Least output - the least there is, after so many runs. */
static inline double function_regret(const struct function *function, const char *tuner, size_t runs, uint64_t seed) {
  struct function_space space;
  function_space_make(&space, function);
  struct ts_tune *tune = function_tune(function, &space, tuner, runs, seed);
  struct ts_tune_result result;
  ts_tune_result(tune, &result);
  double least = ts_tune_history(tune)->outputs[result.recommended];
  ts_tune_destroy(tune);
  return least - function->least;
}

#endif
