/* Tests of analysis/pce_axis.c and pce_basis.c: orthonormality by quadrature, levels, and which terms are candidates.
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

#define NODES 40

static void near(double value, double reference, double limit) {
  if (fabs(value - reference) <= limit) return;
  print_error("%.17g, but %.17g is right\n", value, reference);
  fail();
}

/* Gauss-Legendre nodes and weights on [0, 1] by Newton's method: exact up to degree 79. */
static void gauss(double *nodes, double *weights) {
  for (int i = 0; i < NODES; i++) {
    double x = cos(3.14159265358979323846 * (i + 0.75) / (NODES + 0.5)), slope = 1;
    for (int round = 0; round < 50; round++) {
      double before = 1, now = x;
      for (int d = 2; d <= NODES; d++) {
        double next = ((2 * d - 1) * x * now - (d - 1) * before) / d;
        before = now;
        now = next;
      }
      slope = NODES * (before - x * now) / (1 - x * x);
      x -= now / slope;
    }
    nodes[i] = (1 + x) / 2;
    weights[i] = 1 / ((1 - x * x) * slope * slope);
  }
}

static void legendre_polynomials_are_orthonormal(void **state) {
  (void)state;
  double nodes[NODES], weights[NODES], values[NODES][31];
  gauss(nodes, weights);
  for (int i = 0; i < NODES; i++) ts_pce_legendre(nodes[i], 30, values[i]);
  for (int a = 0; a <= 30; a++) {
    for (int b = a; b <= 30; b++) {
      double sum = 0;
      for (int i = 0; i < NODES; i++) sum += weights[i] * values[i][a] * values[i][b];
      near(sum, a == b, 1e-12);
    }
  }
}

static void legendre_polynomials_are_the_known_ones(void **state) {
  (void)state;
  double values[4], u = 0.3, x = 2 * u - 1;
  ts_pce_legendre(u, 3, values);
  near(values[0], 1, 0);
  near(values[1], sqrt(3) * x, 1e-15);
  near(values[2], sqrt(5) * (3 * x * x - 1) / 2, 1e-15);
  near(values[3], sqrt(7) * (5 * x * x * x - 3 * x) / 2, 1e-15);
}

/* Sums over the levels with the true shares. */
static void check_levels(const struct ts_pce_axis *axis, const double *shares, size_t levels, double limit) {
  assert_int_equal(axis->level_count, levels);
  size_t degree = levels - 1 < 15 ? levels - 1 : 15;
  double *table = ts_calloc((degree + 1) * levels, sizeof *table);
  ts_pce_axis_table(axis, degree, axis->middles, levels, table);
  for (size_t a = 0; a <= degree; a++) {
    for (size_t b = a; b <= degree; b++) {
      double sum = 0;
      for (size_t i = 0; i < levels; i++) sum += shares[i] * table[a * levels + i] * table[b * levels + i];
      near(sum, a == b, limit);
    }
  }
  free(table);
}

static void polynomials_of_a_grid_are_orthonormal_over_its_levels(void **state) {
  (void)state;
  for (size_t levels = 2; levels <= 20; levels += levels < 4 ? 1 : 8) {
    double unit[400], values[400], coordinates[400], shares[20];
    struct ts_random random;
    ts_random_init(&random, 3, levels);
    for (size_t i = 0; i < 400; i++) {
      unit[i] = ts_random_unit(&random);
      values[i] = 210 + 10 * floor(unit[i] * (double)levels);
    }
    for (size_t i = 0; i < levels; i++) shares[i] = 1 / (double)levels;
    struct ts_pce_axis axis;
    ts_pce_axis_init(&axis, unit, values, 400, 1, coordinates);
    assert_int_equal(axis.degree_limit, levels - 1);
    check_levels(&axis, shares, levels, 1e-9);
    for (size_t i = 0; i < 400; i++) {
      near(coordinates[i], (floor(unit[i] * (double)levels) + 0.5) / (double)levels, 1e-12);
    }
    ts_pce_axis_release(&axis);
  }
}

/* Values out of order, shares 0.2, 0.5, 0.3: found to about 1 / runs. */
static void shares_of_weighted_levels_come_from_the_coordinates(void **state) {
  (void)state;
  double unit[1000], values[1000], coordinates[1000];
  const double shares[] = {0.2, 0.5, 0.3};
  for (size_t i = 0; i < 1000; i++) {
    unit[i] = fmod((double)i * 0.61803398874989484, 1);
    values[i] = unit[i] < 0.2 ? 7 : unit[i] < 0.7 ? -1 : 3;
  }
  struct ts_pce_axis axis;
  ts_pce_axis_init(&axis, unit, values, 1000, 1, coordinates);
  check_levels(&axis, shares, 3, 0.02);
  for (size_t i = 0; i < 3; i++) near(axis.weights[i], shares[i], 0.002);
  ts_pce_axis_release(&axis);
  /* The same levels with every run at the middle of its share: exact. */
  for (size_t i = 0; i < 1000; i++) unit[i] = values[i] == 7 ? 0.1 : values[i] == -1 ? 0.45 : 0.85;
  ts_pce_axis_init(&axis, unit, values, 1000, 1, coordinates);
  check_levels(&axis, shares, 3, 1e-12);
  ts_pce_axis_release(&axis);
}

static void a_level_without_a_run_keeps_its_share(void **state) {
  (void)state;
  double unit[60], coordinates[60], shares[10];
  for (size_t i = 0; i < 60; i++) unit[i] = ((double)(i % 10 == 4 ? 5 : i % 10) + 0.5) / 10;
  for (size_t i = 0; i < 10; i++) shares[i] = 0.1;
  struct ts_pce_axis axis;
  ts_pce_axis_init(&axis, unit, unit, 60, 1, coordinates);
  check_levels(&axis, shares, 10, 1e-10);
  assert_int_equal(axis.degree_limit, 8);
  ts_pce_axis_release(&axis);
}

static void ranges_stay_continuous(void **state) {
  (void)state;
  double unit[100], values[100], coordinates[100];
  struct ts_pce_axis axis;
  /* Four places of a Morris design, ends included: a range, but no more than cubic polynomials can be told apart. */
  for (size_t i = 0; i < 100; i++) unit[i] = values[i] = (double)(i % 4) / 3;
  ts_pce_axis_init(&axis, unit, values, 100, 1, coordinates);
  assert_int_equal(axis.level_count, 0);
  assert_int_equal(axis.degree_limit, 3);
  ts_pce_axis_release(&axis);
  /* Every run at a place of its own, in the middle of its stratum. */
  for (size_t i = 0; i < 100; i++) unit[i] = values[i] = ((double)i + 0.5) / 100;
  ts_pce_axis_init(&axis, unit, values, 100, 1, coordinates);
  assert_int_equal(axis.level_count, 0);
  ts_pce_axis_release(&axis);
  /* A value that returns is no staircase. */
  for (size_t i = 0; i < 100; i++) values[i] = floor(fabs((double)i - 50) / 10);
  ts_pce_axis_init(&axis, unit, values, 100, 1, coordinates);
  assert_int_equal(axis.level_count, 0);
  ts_pce_axis_release(&axis);
}

static void a_single_value_allows_no_polynomial(void **state) {
  (void)state;
  double unit[20], values[20], coordinates[20];
  struct ts_pce_axis axis;
  for (size_t i = 0; i < 20; i++) {
    unit[i] = 0.3;
    values[i] = 5;
  }
  ts_pce_axis_init(&axis, unit, values, 20, 1, coordinates);
  assert_int_equal(axis.degree_limit, 0);
  ts_pce_axis_release(&axis);
  for (size_t i = 0; i < 20; i++) unit[i] = (double)i / 20;
  ts_pce_axis_init(&axis, unit, values, 20, 1, coordinates);
  assert_int_equal(axis.degree_limit, 0);
  ts_pce_axis_release(&axis);
}

static bool has_term(const struct ts_pce_basis *basis, const uint32_t *degrees, size_t k) {
  for (size_t t = 0; t < basis->count; t++) {
    uint32_t found[8] = {0};
    for (size_t f = 0; f < basis->terms[t].factor_count; f++) {
      struct ts_pce_factor factor = basis->factors[basis->terms[t].first + f];
      found[factor.parameter] = factor.degree;
    }
    if (memcmp(found, degrees, k * sizeof *degrees) == 0) return true;
  }
  return false;
}

/* All combinations of degrees of three parameters, the definition applied to each. */
static void the_basis_is_the_hyperbolic_set(void **state) {
  (void)state;
  const double norms[] = {0.5, 0.75, 1};
  struct ts_pce_axis axes[3] = {{.degree_limit = 99}, {.degree_limit = 2}, {.degree_limit = 99}};
  for (size_t n = 0; n < 3; n++) {
    for (uint32_t degree = 1; degree <= 8; degree++) {
      struct ts_pce_basis basis;
      assert_true(ts_pce_basis_init(&basis, axes, 3, degree, norms[n], 10000));
      size_t count = 0;
      for (uint32_t code = 1; code < 9 * 9 * 9; code++) {
        uint32_t d[3] = {code % 9, code / 9 % 9, code / 81};
        double norm = pow(pow(d[0], norms[n]) + pow(d[1], norms[n]) + pow(d[2], norms[n]), 1 / norms[n]);
        bool wanted = norm <= degree + 1e-6 && d[1] <= 2;
        count += wanted;
        assert_int_equal(has_term(&basis, d, 3), wanted);
      }
      assert_int_equal(basis.count, count);
      for (size_t t = 1; t < basis.count; t++) assert_true(basis.terms[t - 1].degree <= basis.terms[t].degree);
      ts_pce_basis_release(&basis);
    }
  }
}

static void a_basis_over_the_limit_is_refused(void **state) {
  (void)state;
  struct ts_pce_axis axes[15];
  for (size_t i = 0; i < 15; i++) axes[i] = (struct ts_pce_axis){.degree_limit = 99};
  struct ts_pce_basis basis;
  assert_true(ts_pce_basis_init(&basis, axes, 15, 2, 1, 135)); /* (17 choose 2) - 1 */
  assert_int_equal(basis.count, 135);
  ts_pce_basis_release(&basis);
  assert_false(ts_pce_basis_init(&basis, axes, 15, 2, 1, 134));
  assert_int_equal(basis.count, 0);
  assert_false(ts_pce_basis_init(&basis, axes, 15, 30, 1, 2500));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(legendre_polynomials_are_orthonormal),
      cmocka_unit_test(legendre_polynomials_are_the_known_ones),
      cmocka_unit_test(polynomials_of_a_grid_are_orthonormal_over_its_levels),
      cmocka_unit_test(shares_of_weighted_levels_come_from_the_coordinates),
      cmocka_unit_test(a_level_without_a_run_keeps_its_share),
      cmocka_unit_test(ranges_stay_continuous),
      cmocka_unit_test(a_single_value_allows_no_polynomial),
      cmocka_unit_test(the_basis_is_the_hyperbolic_set),
      cmocka_unit_test(a_basis_over_the_limit_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
