/* The Gaussian process predicts what its formulas say (solved here by elimination), and learns which column matters.
 * SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"
#include "tune/gp.h"

#include <math.h>
#include <string.h>

#define ROWS    7
#define COLUMNS 3

static const bool is_category[COLUMNS] = {false, false, true};

static void draw(struct ts_random *random, double *points, size_t count) {
  for (size_t i = 0; i < count * COLUMNS; i++)
    points[i] = i % COLUMNS == 2 ? (double)ts_random_below(random, 3) : ts_random_unit(random);
}

static double target_of(const double *point) { return sin(5 * point[0]) + point[1] * point[1] + (point[2] == 1); }

/* The covariance of gp.h, written out: Matern 5/2 with lengths l, trend t (linear s, and 3 s^2). */
static double covariance(const double *a, const double *b, const double *lengths, double trend) {
  double distance = 0, s = 0;
  for (size_t c = 0; c < COLUMNS; c++) {
    double step = c == 2 ? (a[c] == b[c] ? 0 : 1) : a[c] - b[c];
    distance += pow(step / lengths[c], 2);
    s += (c == 2 ? (a[c] == b[c] ? 0.5 : -0.5) : (2 * a[c] - 1) * (2 * b[c] - 1)) / COLUMNS;
  }
  double r = sqrt(distance);
  return (1 + sqrt(5) * r + 5 * distance / 3) * exp(-sqrt(5) * r) + trend * (s + 3 * s * s);
}

/* Solves m x = b by elimination; m is positive definite. */
static void eliminate(double m[ROWS][ROWS], double *b) {
  for (size_t k = 0; k < ROWS; k++) {
    for (size_t i = k + 1; i < ROWS; i++) {
      double f = m[i][k] / m[k][k];
      for (size_t j = k; j < ROWS; j++) m[i][j] -= f * m[k][j];
      b[i] -= f * b[k];
    }
  }
  for (size_t i = ROWS; i-- > 0;) {
    for (size_t j = i + 1; j < ROWS; j++) b[i] -= m[i][j] * b[j];
    b[i] /= m[i][i];
  }
}

static void solve(double k[ROWS][ROWS], double *b) {
  double copy[ROWS][ROWS];
  memcpy(copy, k, sizeof copy);
  eliminate(copy, b);
}

static double dot(const double *a, const double *b) {
  double sum = 0;
  for (size_t i = 0; i < ROWS; i++) sum += a[i] * b[i];
  return sum;
}

static void predictions_are_those_of_the_formulas(void **state) {
  (void)state;
  const double lengths[COLUMNS] = {0.3, 0.8, 1.5}, nugget = 0.01, trend = 0.7;
  struct ts_random random;
  ts_random_init(&random, 3, 1);
  double points[ROWS * COLUMNS], targets[ROWS], point[COLUMNS], k[ROWS][ROWS], mean, variance;
  draw(&random, points, ROWS);
  draw(&random, point, 1);
  struct ts_gp gp;
  ts_gp_init(&gp, COLUMNS, is_category);
  for (size_t c = 0; c < COLUMNS; c++) gp.settings.lengths[c] = log(lengths[c]);
  gp.settings.nugget = log(nugget);
  gp.settings.trend = log(trend);
  double ones[ROWS], cross[ROWS], solved_ones[ROWS], solved[ROWS], solved_cross[ROWS];
  for (size_t i = 0; i < ROWS; i++) {
    targets[i] = target_of(&points[i * COLUMNS]);
    ones[i] = solved_ones[i] = 1;
    cross[i] = solved_cross[i] = covariance(&points[i * COLUMNS], point, lengths, trend);
    for (size_t j = 0; j < ROWS; j++)
      k[i][j] = covariance(&points[i * COLUMNS], &points[j * COLUMNS], lengths, trend) + (i == j ? nugget : 0);
  }
  solve(k, solved_ones);
  solve(k, solved_cross);
  double centre = dot(solved_ones, targets) / dot(solved_ones, ones), residuals[ROWS];
  for (size_t i = 0; i < ROWS; i++) residuals[i] = solved[i] = targets[i] - centre;
  solve(k, solved);
  double scale = (dot(residuals, solved) + 2) / (ROWS + 2); /* two targets of the prior */
  assert_true(ts_gp_condition(&gp, points, targets, ROWS));
  ts_gp_predict(&gp, point, &mean, &variance);
  double expected = scale * (covariance(point, point, lengths, trend) - dot(cross, solved_cross) + nugget);
  assert_true(fabs(mean - (centre + dot(cross, solved))) < 1e-6);
  assert_true(fabs(variance - expected) < 1e-6);
  ts_gp_release(&gp);
}

#define MANY 300 /* more than a block, and not a multiple of it */

static void screening_agrees_and_bounds(void **state) {
  (void)state;
  static double points[40 * COLUMNS], targets[40], many[MANY * COLUMNS], means[MANY], bounds[MANY];
  struct ts_random random;
  ts_random_init(&random, 4, 1);
  draw(&random, points, 40);
  draw(&random, many, MANY);
  for (size_t i = 0; i < 40; i++) targets[i] = target_of(&points[i * COLUMNS]);
  struct ts_gp gp;
  ts_gp_init(&gp, COLUMNS, is_category);
  assert_true(ts_gp_condition(&gp, points, targets, 40));
  ts_gp_screen(&gp, many, MANY, means, bounds);
  double tightest = INFINITY;
  for (size_t i = 0; i < MANY; i++) {
    double mean, variance;
    ts_gp_predict(&gp, &many[i * COLUMNS], &mean, &variance);
    if (fabs(mean - means[i]) > 5e-3) fail_msg("point %zu: mean %g, screened %g", i, mean, means[i]);
    if (bounds[i] < variance - 1e-4) fail_msg("point %zu: variance %g, bound %g", i, variance, bounds[i]);
    tightest = fmin(tightest, bounds[i]);
  }
  assert_true(tightest < 0.5 * gp.variance); /* a bound that says nothing would pass otherwise */
  ts_gp_release(&gp);
}

static void learning_finds_the_column_that_matters(void **state) {
  (void)state;
  double points[40 * COLUMNS], targets[40];
  struct ts_random random;
  ts_random_init(&random, 5, 1);
  draw(&random, points, 40);
  for (size_t i = 0; i < 40; i++) targets[i] = sin(9 * points[i * COLUMNS]);
  struct ts_gp gp, before;
  ts_gp_init(&gp, COLUMNS, is_category);
  ts_gp_init(&before, COLUMNS, is_category);
  ts_gp_learn(&gp, points, targets, 40, 40);
  assert_true(gp.settings.lengths[0] < before.settings.lengths[0]);
  assert_true(gp.settings.lengths[1] > before.settings.lengths[1] + 0.3);
  assert_true(gp.settings.lengths[2] > before.settings.lengths[2] + 0.3);
  double after[2], error[2] = {0, 0};
  for (size_t i = 0; i < 50; i++) { /* and predicts better than with the prior's settings */
    double point[COLUMNS], variance;
    draw(&random, point, 1);
    assert_true(ts_gp_condition(&gp, points, targets, 40) && ts_gp_condition(&before, points, targets, 40));
    ts_gp_predict(&gp, point, &after[0], &variance);
    ts_gp_predict(&before, point, &after[1], &variance);
    for (size_t m = 0; m < 2; m++) error[m] += pow(after[m] - sin(9 * point[0]), 2);
  }
  assert_true(error[0] < 0.5 * error[1]);
  ts_gp_release(&gp);
  ts_gp_release(&before);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(predictions_are_those_of_the_formulas),
      cmocka_unit_test(screening_agrees_and_bounds),
      cmocka_unit_test(learning_finds_the_column_that_matters),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
