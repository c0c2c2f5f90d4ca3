/* Tests of analysis/pce_fit.c and pce_lars.c: leave-one-out by explicit refits, and recovery of sparse polynomials.
 * SPDX-License-Identifier: Apache-2.0 */
#include "analysis/pce_int.h"

#include "base/alloc.h"
#include "base/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define MAX_COLUMNS 8
#define MAX_POINTS  30

static void near(double value, double reference, double limit) {
  if (fabs(value - reference) <= limit * fmax(1, fabs(reference))) return;
  print_error("%.17g, but %.17g is right\n", value, reference);
  fail();
}

/* Solves A x = b for `count` right-hand sides by Gauss-Jordan with pivoting; b becomes x. */
static void solve(double a[MAX_COLUMNS][MAX_COLUMNS], size_t size, double b[MAX_COLUMNS][MAX_COLUMNS], size_t count) {
  for (size_t c = 0; c < size; c++) {
    size_t pivot = c;
    for (size_t r = c; r < size; r++) {
      if (fabs(a[r][c]) > fabs(a[pivot][c])) pivot = r;
    }
    for (size_t i = 0; i < MAX_COLUMNS; i++) {
      double x = a[c][i], y = b[c][i];
      a[c][i] = a[pivot][i];
      a[pivot][i] = x;
      b[c][i] = b[pivot][i];
      b[pivot][i] = y;
    }
    for (size_t r = 0; r < size; r++) {
      double factor = r == c ? 0 : a[r][c] / a[c][c];
      for (size_t i = 0; i < size; i++) a[r][i] -= factor * a[c][i];
      for (size_t i = 0; i < count; i++) b[r][i] -= factor * b[c][i];
    }
  }
  for (size_t r = 0; r < size; r++) {
    for (size_t i = 0; i < count; i++) b[r][i] /= a[r][r];
  }
}

/* A small weighted problem: plain columns, plain outputs, weights. */
struct problem {
  size_t points, columns;
  double x[MAX_POINTS][MAX_COLUMNS], y[MAX_POINTS], weights[MAX_POINTS];
};

/* Weighted least squares by the normal equations without point `left_out` (TS_NONE: with all). */
static void reference_fit(const struct problem *problem, size_t left_out, double *coefficients) {
  double a[MAX_COLUMNS][MAX_COLUMNS] = {{0}}, b[MAX_COLUMNS][MAX_COLUMNS] = {{0}};
  for (size_t i = 0; i < problem->points; i++) {
    if (i == left_out) continue;
    for (size_t r = 0; r < problem->columns; r++) {
      b[r][0] += problem->weights[i] * problem->x[i][r] * problem->y[i];
      for (size_t c = 0; c < problem->columns; c++) {
        a[r][c] += problem->weights[i] * problem->x[i][r] * problem->x[i][c];
      }
    }
  }
  solve(a, problem->columns, b, 1);
  for (size_t r = 0; r < problem->columns; r++) coefficients[r] = b[r][0];
}

static double reference_trace(const struct problem *problem) {
  double a[MAX_COLUMNS][MAX_COLUMNS] = {{0}}, b[MAX_COLUMNS][MAX_COLUMNS] = {{0}}, trace = 0;
  for (size_t i = 0; i < problem->points; i++) {
    for (size_t r = 0; r < problem->columns; r++) {
      for (size_t c = 0; c < problem->columns; c++) {
        a[r][c] += problem->weights[i] * problem->x[i][r] * problem->x[i][c];
      }
    }
  }
  for (size_t r = 0; r < problem->columns; r++) b[r][r] = 1;
  solve(a, problem->columns, b, problem->columns);
  for (size_t r = 0; r < problem->columns; r++) trace += b[r][r];
  return trace;
}

/* Weights average 1; column 0 is the constant. */
static void draw_problem(struct problem *problem, bool weighted, uint64_t seed) {
  struct ts_random random;
  ts_random_init(&random, seed, 1);
  *problem = (struct problem){.points = 25, .columns = 6};
  double sum = 0;
  for (size_t i = 0; i < problem->points; i++) {
    double u = ts_random_unit(&random), v = ts_random_unit(&random);
    const double row[] = {1, u, v, u * v, u * u, exp(v)};
    memcpy(problem->x[i], row, sizeof row);
    problem->y[i] = 3 + sin(5 * u) * v + ts_random_unit(&random);
    problem->weights[i] = weighted ? (double)(1 + ts_random_below(&random, 4)) : 1;
    sum += problem->weights[i];
  }
  for (size_t i = 0; i < problem->points; i++) problem->weights[i] *= (double)problem->points / sum;
}

static void fit_problem(const struct problem *problem, struct ts_pce_data *data, struct ts_pce_fit *fit) {
  *data = (struct ts_pce_data){.point_count = problem->points};
  data->roots = ts_calloc(problem->points, sizeof *data->roots);
  data->outputs = ts_calloc(problem->points, sizeof *data->outputs);
  for (size_t i = 0; i < problem->points; i++) {
    data->roots[i] = sqrt(problem->weights[i]);
    data->outputs[i] = data->roots[i] * problem->y[i];
  }
  ts_pce_fit_init(fit, data, MAX_COLUMNS);
  for (size_t c = 1; c < problem->columns; c++) {
    double column[MAX_POINTS];
    for (size_t i = 0; i < problem->points; i++) column[i] = data->roots[i] * problem->x[i][c];
    assert_true(ts_pce_fit_add(fit, column));
  }
}

static void check_leave_one_out(bool weighted, uint64_t seed) {
  struct problem problem;
  struct ts_pce_data data;
  struct ts_pce_fit fit;
  draw_problem(&problem, weighted, seed);
  fit_problem(&problem, &data, &fit);
  double all[MAX_COLUMNS], found[MAX_COLUMNS], errors = 0, mean = 0, total = 0;
  reference_fit(&problem, TS_NONE, all);
  ts_pce_fit_coefficients(&fit, found);
  for (size_t c = 0; c < problem.columns; c++) near(found[c], all[c], 1e-6);
  for (size_t i = 0; i < problem.points; i++) mean += problem.weights[i] * problem.y[i] / (double)problem.points;
  for (size_t i = 0; i < problem.points; i++) {
    double coefficients[MAX_COLUMNS], error = problem.y[i];
    reference_fit(&problem, i, coefficients);
    for (size_t c = 0; c < problem.columns; c++) error -= coefficients[c] * problem.x[i][c];
    errors += problem.weights[i] * error * error;
    total += problem.weights[i] * (problem.y[i] - mean) * (problem.y[i] - mean);
  }
  double n = (double)problem.points, p = (double)problem.columns;
  near(ts_pce_fit_loo(&fit, false), errors / total, 1e-7);
  near(ts_pce_fit_loo(&fit, true), errors / total * n / (n - p) * (1 + reference_trace(&problem)), 1e-6);
  ts_pce_fit_release(&fit);
  ts_pce_data_release(&data);
}

static void leave_one_out_agrees_with_explicit_refits(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 10; seed++) {
    check_leave_one_out(false, seed);
    check_leave_one_out(true, seed);
  }
}

static void a_combination_of_columns_is_refused(void **state) {
  (void)state;
  struct problem problem;
  struct ts_pce_data data;
  struct ts_pce_fit fit;
  draw_problem(&problem, false, 1);
  fit_problem(&problem, &data, &fit);
  double column[MAX_POINTS], before = ts_pce_fit_loo(&fit, true);
  for (size_t i = 0; i < problem.points; i++) column[i] = 2 * problem.x[i][1] - problem.x[i][3] + 5;
  assert_false(ts_pce_fit_add(&fit, column));
  assert_int_equal(fit.count, problem.columns);
  near(ts_pce_fit_loo(&fit, true), before, 0);
  for (size_t i = 0; i < problem.points; i++) column[i] = 0;
  assert_false(ts_pce_fit_add(&fit, column));
  ts_pce_fit_release(&fit);
  ts_pce_data_release(&data);
}

static void as_many_columns_as_points_have_no_error(void **state) {
  (void)state;
  struct problem problem;
  struct ts_pce_data data;
  struct ts_pce_fit fit;
  draw_problem(&problem, false, 1);
  problem.points = 6;
  fit_problem(&problem, &data, &fit);
  assert_true(isinf(ts_pce_fit_loo(&fit, true)));
  ts_pce_fit_release(&fit);
  ts_pce_data_release(&data);
}

/* k parameters, `count` points, a candidate matrix and a fit with room. */
struct bench {
  struct ts_pce_data data;
  struct ts_pce_basis basis;
  struct ts_pce_matrix matrix;
  struct ts_pce_fit fit;
};

static void bench_init(struct bench *bench, size_t k, size_t count, size_t degree, double q, uint64_t seed) {
  double *unit = ts_calloc(count * k, sizeof *unit), *outputs = ts_calloc(count, sizeof *outputs);
  const char **names = ts_calloc(k, sizeof *names);
  struct ts_random random;
  struct ts_error err = {0};
  ts_random_init(&random, seed, 2);
  for (size_t i = 0; i < count * k; i++) unit[i] = ts_random_unit(&random);
  struct ts_runs runs = {.names = names, .parameter_count = k, .row_count = count, .unit = unit, .outputs = outputs};
  assert_true(ts_pce_data_init(&bench->data, &runs, 0, &err));
  assert_int_equal(bench->data.point_count, count);
  ts_pce_data_tabulate(&bench->data, degree);
  assert_true(ts_pce_basis_init(&bench->basis, bench->data.axes, k, degree, q, 5000));
  bench->matrix = (struct ts_pce_matrix){.point_count = count, .count = bench->basis.count};
  bench->matrix.columns = ts_calloc(count * bench->basis.count, sizeof *bench->matrix.columns);
  for (size_t t = 0; t < bench->basis.count; t++) {
    ts_pce_basis_column(&bench->basis, t, &bench->data, bench->matrix.columns + t * count);
  }
  free(unit);
  free(outputs);
  free(names);
}

static void bench_release(struct bench *bench) {
  ts_pce_fit_release(&bench->fit);
  ts_pce_basis_release(&bench->basis);
  free(bench->matrix.columns);
  ts_pce_data_release(&bench->data);
}

/* Outputs 2 + sum of the terms with coefficients of size 0.1 to 1. */
static void set_outputs(struct bench *bench, const size_t *support, size_t count, double noise, uint64_t seed) {
  size_t n = bench->data.point_count;
  struct ts_random random;
  ts_random_init(&random, seed, 3);
  for (size_t i = 0; i < n; i++) bench->data.outputs[i] = 2 + noise * (ts_random_unit(&random) - 0.5);
  for (size_t s = 0; s < count; s++) {
    double coefficient = (0.1 + 0.9 * ts_random_unit(&random)) * (s % 2 ? -1 : 1);
    for (size_t i = 0; i < n; i++) bench->data.outputs[i] += coefficient * bench->matrix.columns[support[s] * n + i];
  }
  ts_pce_fit_release(&bench->fit);
  ts_pce_fit_init(&bench->fit, &bench->data, n * 3 / 4);
}

static bool contains(const size_t *terms, size_t count, size_t term) {
  for (size_t i = 0; i < count; i++) {
    if (terms[i] == term) return true;
  }
  return false;
}

/* 10 of 1000 candidates from 100 points: far fewer equations than unknowns. */
static void sparse_polynomials_are_recovered(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 20; seed++) {
    struct bench bench = {0};
    size_t support[10];
    bench_init(&bench, 10, 100, 4, 1, seed);
    assert_int_equal(bench.basis.count, 1000); /* (14 choose 4) - 1 */
    struct ts_random random;
    ts_random_init(&random, seed, 4);
    for (size_t s = 0; s < 10; s++) {
      do {
        support[s] = (size_t)ts_random_below(&random, 1000);
      } while (contains(support, s, support[s]));
    }
    set_outputs(&bench, support, 10, 0, seed);
    struct ts_pce_choice choice;
    ts_pce_lars(&bench.matrix, &bench.data, &bench.fit, &choice);
    assert_int_equal(choice.count, 10);
    for (size_t s = 0; s < 10; s++) assert_true(contains(choice.terms, choice.count, support[s]));
    assert_true(choice.loo < 1e-20);
    ts_pce_choice_release(&choice);
    bench_release(&bench);
  }
}

/* With 1 % noise the support is still in the choice, and the error is that of the noise. */
static void noise_hides_no_strong_term(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 10; seed++) {
    struct bench bench = {0};
    const size_t support[] = {0, 3, 17, 40, 61};
    bench_init(&bench, 5, 200, 4, 1, seed);
    set_outputs(&bench, support, 5, 0.1, seed);
    struct ts_pce_choice choice;
    ts_pce_lars(&bench.matrix, &bench.data, &bench.fit, &choice);
    for (size_t s = 0; s < 5; s++) assert_true(contains(choice.terms, choice.count, support[s]));
    assert_in_range(choice.count, 5, 40);
    double noise = 0.1 * 0.1 / 12 / (bench.fit.total / 200);
    assert_true(choice.loo < 1.5 * noise && choice.loo > 0.4 * noise);
    ts_pce_choice_release(&choice);
    bench_release(&bench);
  }
}

/* Two identical columns: one is taken, the other reported. */
static void a_copy_of_a_column_is_taken_once(void **state) {
  (void)state;
  struct bench bench = {0};
  const size_t support[] = {0, 1, 5};
  bench_init(&bench, 3, 60, 3, 1, 1);
  memcpy(bench.matrix.columns + 7 * 60, bench.matrix.columns + 5 * 60, 60 * sizeof(double));
  set_outputs(&bench, support, 3, 0.5, 1);
  struct ts_pce_choice choice;
  ts_pce_lars(&bench.matrix, &bench.data, &bench.fit, &choice);
  assert_true(contains(choice.terms, choice.count, 5) != contains(choice.terms, choice.count, 7));
  assert_int_equal(choice.collinear, 1);
  ts_pce_choice_release(&choice);
  bench_release(&bench);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(leave_one_out_agrees_with_explicit_refits),
      cmocka_unit_test(a_combination_of_columns_is_refused),
      cmocka_unit_test(as_many_columns_as_points_have_no_error),
      cmocka_unit_test(sparse_polynomials_are_recovered),
      cmocka_unit_test(noise_hides_no_strong_term),
      cmocka_unit_test(a_copy_of_a_column_is_taken_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
