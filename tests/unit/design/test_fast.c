/* Tests of design/fast.c: every row lies on the search curve, with the frequencies and phases of the reference vector.
 * SPDX-License-Identifier: Apache-2.0 */
#include "design/points.h"

#include "base/alloc.h"
#include "base/file.h"
#include "csv/csv.h"
#include "support/vectors.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define MOST 8

static char vector[1024];
static struct ts_parameter parameters[MOST];
static const struct ts_parameter *list[MOST];

static int make_space(void **state) {
  (void)state;
  for (size_t i = 0; i < MOST; i++) {
    parameters[i] = (struct ts_parameter){.name = "x", .type = TS_VALUE_REAL, .has_range = true, .range_high = 1};
    list[i] = &parameters[i];
  }
  return 0;
}

static struct ts_points draw(size_t k, struct ts_sample_options options) {
  struct ts_space space = {.parameters = list, .count = k};
  struct ts_points points;
  struct ts_error err = {0};
  const struct ts_sampler *sampler = ts_sampler_find("fast", &err);
  assert_non_null(sampler);
  if (!sampler->draw(&points, &space, &options, &err)) fail_msg("%s", err.text);
  return points;
}

/* The formula as it is printed. The arc sine loses digits where the sine is near 1. */
static double curve(double frequency, double row, double rows, double phase) {
  double pi = acos(-1);
  return 0.5 + asin(sin(frequency * (2 * pi / rows) * row + phase)) / pi;
}

static double worst_fit(const double *unit, size_t rows, size_t k, const double *frequencies, double phase) {
  double worst = 0;
  for (size_t row = 0; row < rows; row++) {
    for (size_t i = 0; i < k; i++) {
      double expected = curve(frequencies[i], (double)row, (double)rows, phase);
      /* An error of half a unit in the last place of the sine is this much in the arc sine. */
      double slope = fabs(cos(acos(-1) * (expected - 0.5)));
      double error = fabs(unit[row * k + i] - expected) * fmin(1, slope * 10);
      worst = fmax(worst, error);
    }
  }
  return worst;
}

/* Finds the phase of each curve from its first row (one of two) and compares all its rows. `omega`: the high frequency,
 * then those of the other parameters in their order. */
static void check_curves(const double *unit, size_t rows, size_t k, const double *omega, double *phases) {
  double pi = acos(-1);
  for (size_t c = 0; c < k; c++) {
    const double *block = unit + c * rows * k;
    double frequencies[MOST];
    for (size_t i = 0; i < k; i++) frequencies[i] = i == c ? omega[0] : omega[i < c ? i + 1 : i];
    for (size_t i = 1; i < k; i++) assert_true(fabs(block[i] - block[0]) < 1e-9); /* one phase for all */
    double rising = pi * (block[0] - 0.5), falling = pi - rising;
    double up = worst_fit(block, rows, k, frequencies, rising), down = worst_fit(block, rows, k, frequencies, falling);
    if (fmin(up, down) > 1e-12) fail_msg("curve %zu is off by %g", c + 1, fmin(up, down));
    assert_true(fmax(up, down) > 1e-3); /* the other phase does not fit: the comparison tells something */
    phases[c] = up < down ? rising : falling;
  }
}

/* Frequencies by hand: w = floor((n - 1) / 2M), the others spread over 1 .. floor(w / 2M), or repeated if too few. */
static void rows_lie_on_the_curves(void **state) {
  (void)state;
  static const struct {
    size_t rows, k, harmonics;
    double omega[MOST];
  } cases[] = {{129, 3, 4, {16, 1, 2}},
               {65, 5, 4, {8, 1, 1, 1, 1}},
               {1025, 8, 4, {128, 1, 3, 6, 8, 11, 13, 16}},
               {513, 4, 0, {64, 1, 4, 8}},
               {257, 2, 4, {32, 1}},
               {200, 6, 4, {24, 1, 2, 3, 1, 2}},
               {145, 4, 6, {12, 1, 1, 1}},
               {0, 1, 0, {32}}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    size_t rows = cases[i].rows ? cases[i].rows : 257, k = cases[i].k;
    struct ts_points points =
        draw(k, (struct ts_sample_options){.count = cases[i].rows, .seed = i, .harmonics = cases[i].harmonics});
    assert_int_equal(points.layout, TS_LAYOUT_FAST);
    assert_int_equal(points.block_rows, rows);
    assert_int_equal(points.row_count, rows * k);
    double phases[MOST];
    check_curves(points.a, rows, k, cases[i].omega, phases);
    for (size_t c = 1; c < k; c++) assert_true(fabs(phases[c] - phases[0]) > 1e-6); /* each curve has its own */
    for (size_t c = 0; c < rows * k * k; c++) assert_true(points.a[c] >= 0 && points.a[c] <= 1);
    ts_points_release(&points);
  }
}

static void the_reference_vector_has_the_same_structure(void **state) {
  (void)state;
  if (!vector[0]) skip();
  struct ts_csv csv = {0};
  struct ts_error err = {0};
  assert_true(ts_csv_read(&csv, vector, &err));
  assert_int_equal(csv.row_count, 129 * 3);
  static double unit[129 * 3 * 3];
  for (size_t row = 0; row < csv.row_count; row++) {
    for (size_t i = 0; i < 3; i++) {
      double x;
      assert_true(ts_parse_double(csv.rows[row][i], &x));
      unit[row * 3 + i] = (x + acos(-1)) / (2 * acos(-1));
    }
  }
  static const double omega[] = {16, 1, 2};
  double phases[3];
  check_curves(unit, 129, 3, omega, phases);
  ts_csv_release(&csv);
}

static void phases_follow_the_seed(void **state) {
  (void)state;
  struct ts_points one = draw(3, (struct ts_sample_options){.count = 129, .seed = 1});
  struct ts_points again = draw(3, (struct ts_sample_options){.count = 129, .seed = 1});
  struct ts_points other = draw(3, (struct ts_sample_options){.count = 129, .seed = 2});
  assert_memory_equal(one.a, again.a, one.row_count * 3 * sizeof *one.a);
  assert_false(one.a[0] == other.a[0]);
  ts_points_release(&one);
  ts_points_release(&again);
  ts_points_release(&other);
}

static void refused(const struct ts_space *space, struct ts_sample_options options, enum ts_error_code code,
                    const char *part) {
  struct ts_points points;
  struct ts_error err = {0};
  assert_false(ts_sampler_find("fast", &err)->draw(&points, space, &options, &err));
  assert_int_equal(err.code, code);
  assert_true(err.help[0]);
  if (!strstr(err.text, part)) fail_msg("'%s' is not in '%s'", part, err.text);
}

static void refuses_what_cannot_be_a_curve(void **state) {
  (void)state;
  const size_t group_of[] = {0, 0, 1};
  struct ts_space space = {.parameters = list, .count = 3};
  refused(&space, (struct ts_sample_options){.count = 64}, TS_ERR_BAD_VALUE, "too short for 4 harmonics");
  refused(&space, (struct ts_sample_options){.count = 144, .harmonics = 6}, TS_ERR_BAD_VALUE, "too short");
  refused(&space, (struct ts_sample_options){.harmonics = SIZE_MAX}, TS_ERR_BAD_VALUE, "too short");
  refused(&space, (struct ts_sample_options){.count = SIZE_MAX / 2}, TS_ERR_BAD_VALUE, "too large");
  refused(&space, (struct ts_sample_options){.group_of = group_of, .group_count = 2}, TS_ERR_BAD_VALUE, "no groups");
  refused(&(struct ts_space){0}, (struct ts_sample_options){0}, TS_ERR_BAD_VALUE, "at least one parameter");
  const struct ts_constraint less[] = {{.left = 0, .comparison = TS_LESS, .right = 1}};
  space.constraints = less;
  space.constraint_count = 1;
  refused(&space, (struct ts_sample_options){0}, TS_ERR_CONSTRAINT, "violates a constraint");
}

int main(void) {
  const char *shared = vectors_parent("sensitivity");
  if (shared) {
    snprintf(vector, sizeof vector, "%s/vectors/sensitivity/ishigami_fast_N129.csv", shared);
    if (!ts_file_exists(vector)) vector[0] = 0;
  }
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_lie_on_the_curves),
      cmocka_unit_test(the_reference_vector_has_the_same_structure),
      cmocka_unit_test(phases_follow_the_seed),
      cmocka_unit_test(refuses_what_cannot_be_a_curve),
  };
  int failed = cmocka_run_group_tests(tests, make_space, NULL);
  if (failed || vector[0]) return failed;
  printf("SKIP: there is no ../shared/vectors/sensitivity\n");
  return 77;
}
