/* Simulated times for the tests of the one-parameter tuner: families of curves, noise, and a loop that measures.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_TUNE_CURVES_H
#define TESTS_UNIT_TUNE_CURVES_H

#include "base/random.h"
#include "tune/one_parameter.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#define TAU 6.28318530717958647692

/* A curve to measure. Four numbers draw it, noise of a relative standard deviation blurs it. */
struct curve {
  double (*at)(const struct curve *curve, double x);
  double p[4];
  double noise;
  int64_t works_from, works_to; /* values outside fail; both 0: all work */
  struct ts_random random;
  size_t runs;
};

static inline double curve_normal(struct ts_random *random) {
  double u = 1 - ts_random_unit(random), v = ts_random_unit(random);
  return sqrt(-2 * log(u)) * cos(TAU * v);
}

static inline double curve_measure(struct curve *curve, int64_t x) {
  curve->runs++;
  bool has_limits = curve->works_from != 0 || curve->works_to != 0;
  if (has_limits && (x < curve->works_from || x > curve->works_to)) return INFINITY;
  double seconds = curve->at(curve, (double)x);
  return curve->noise > 0 ? seconds * (1 + curve->noise * curve_normal(&curve->random)) : seconds;
}

static inline double falling_and_rising(const struct curve *curve, double x) {
  return curve->p[0] * exp(curve->p[1] * x) + curve->p[2] * exp(curve->p[3] * x);
}

/* The best value of a range by looking at all of it. */
static inline int64_t curve_best(const struct curve *curve, int64_t low, int64_t high) {
  int64_t best = low;
  for (int64_t x = low; x <= high; x++) {
    if (curve->at(curve, (double)x) < curve->at(curve, (double)best)) best = x;
  }
  return best;
}

/* Measures until there is a result; the tuner is the caller's. */
static inline struct ts_one_parameter *curve_tune(struct curve *curve, const struct ts_one_parameter_options *options) {
  struct ts_error err = {0};
  struct ts_one_parameter *tuner = ts_one_parameter_create(options, &err);
  assert_non_null(tuner);
  int64_t value = 0;
  while (ts_one_parameter_next(tuner, &value)) {
    ts_one_parameter_give(tuner, curve_measure(curve, value));
    assert_true(curve->runs < 400);
  }
  return tuner;
}

#endif
