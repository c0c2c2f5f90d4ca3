/* Tests of design/derivative.c: one small step per parameter, inside the unit cube, also on grids.
 * SPDX-License-Identifier: Apache-2.0 */
#include "design/points.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define K 4

static struct ts_value numbers[40];
static struct ts_parameter parameters[K];
static const struct ts_parameter *list[K];
static struct ts_space reals, mixed;

static int make_space(void **state) {
  (void)state;
  for (size_t i = 0; i < 40; i++) numbers[i] = ts_value_integer((int64_t)i);
  for (size_t i = 0; i < K; i++) {
    parameters[i] = (struct ts_parameter){.name = "x", .type = TS_VALUE_REAL, .has_range = true, .range_high = 1};
    list[i] = &parameters[i];
  }
  parameters[2] = (struct ts_parameter){.name = "g", .type = TS_VALUE_INTEGER, .levels = numbers, .level_count = 5};
  parameters[3] = (struct ts_parameter){.name = "h", .type = TS_VALUE_INTEGER, .levels = numbers, .level_count = 40};
  reals = (struct ts_space){.parameters = list, .count = 2};
  mixed = (struct ts_space){.parameters = list, .count = K};
  return 0;
}

static struct ts_points draw(const struct ts_space *space, struct ts_sample_options options) {
  struct ts_points points;
  struct ts_error err = {0};
  const struct ts_sampler *sampler = ts_sampler_find("dgsm", &err);
  assert_non_null(sampler);
  if (!sampler->draw(&points, space, &options, &err)) fail_msg("%s", err.text);
  return points;
}

static void steps_are_small_and_stay_inside(void **state) {
  (void)state;
  static const double steps[] = {0, 0.001, 0.1, 0.5};
  for (size_t s = 0; s < 4; s++) {
    double wanted = steps[s] > 0 ? steps[s] : 0.01;
    struct ts_sample_options options = {.count = 500, .seed = 3, .step = steps[s]};
    struct ts_points points = draw(&reals, options);
    assert_int_equal(points.layout, TS_LAYOUT_DERIVATIVE);
    assert_int_equal(points.block_rows, 3);
    assert_int_equal(points.row_count, 1500);
    assert_null(points.note);
    static double sequence[1000];
    struct ts_error err = {0};
    assert_true(ts_source_fill("sobol-sequence", 2, 0, 500, &options, sequence, &err));
    size_t down = 0;
    for (size_t block = 0; block < 500; block++) {
      const double *base = points.a + block * 6;
      assert_true(base[0] == sequence[block * 2] && base[1] == sequence[block * 2 + 1]);
      assert_true(base[3] == base[1] && base[4] == base[0]);
      assert_true(fabs(fabs(base[2] - base[0]) - wanted) < 1e-12 && fabs(fabs(base[5] - base[1]) - wanted) < 1e-12);
      assert_true(base[2] >= 0 && base[2] <= 1 && base[5] >= 0 && base[5] <= 1);
      if (base[2] < base[0]) {
        assert_true(base[0] + wanted > 1); /* only where up would leave the range */
        down++;
      }
    }
    assert_true(fabs((double)down / 500 - wanted) < 0.02);
    ts_points_release(&points);
  }
}

/* Levels are taken at their middles: a step to the next one is 1/L. */
static void grids_step_to_a_neighbouring_level(void **state) {
  (void)state;
  struct ts_points points = draw(&mixed, (struct ts_sample_options){.count = 200, .seed = 3});
  assert_int_equal(points.block_rows, K + 1);
  for (size_t block = 0; block < 200; block++) {
    const double *base = points.a + block * (K + 1) * K;
    assert_true(fabs(fabs(base[3 * K + 2] - base[2]) - 1. / 5) < 1e-12);
    assert_true(fabs(fabs(base[4 * K + 3] - base[3]) - 1. / 40) < 1e-12);
    assert_true(fabs(base[2] * 5 - floor(base[2] * 5) - 0.5) < 1e-9);
  }
  assert_non_null(strstr(points.note, "'g' has single values only"));
  ts_points_release(&points);
}

static void more_keep_the_earlier_ones(void **state) {
  (void)state;
  struct ts_points few = draw(&mixed, (struct ts_sample_options){.count = 16, .seed = 3});
  struct ts_points many = draw(&mixed, (struct ts_sample_options){.count = 3000, .seed = 3});
  assert_memory_equal(few.a, many.a, few.row_count * K * sizeof *few.a);
  ts_points_release(&few);
  ts_points_release(&many);
}

static void constraints_replace_base_points(void **state) {
  (void)state;
  const struct ts_constraint less[] = {{.left = 0, .comparison = TS_LESS, .right = 1}};
  struct ts_space bound = reals;
  bound.constraints = less;
  bound.constraint_count = 1;
  struct ts_points points = draw(&bound, (struct ts_sample_options){.count = 100, .seed = 3});
  for (size_t row = 0; row < points.row_count; row++) assert_true(points.a[row * 2] < points.a[row * 2 + 1]);
  assert_non_null(strstr(points.note, "because of constraints"));
  ts_points_release(&points);
}

static void refused(const struct ts_space *space, struct ts_sample_options options, const char *part) {
  struct ts_points points;
  struct ts_error err = {0};
  assert_false(ts_sampler_find("dgsm", &err)->draw(&points, space, &options, &err));
  assert_true(err.help[0]);
  if (!strstr(err.text, part)) fail_msg("'%s' is not in '%s'", part, err.text);
}

static void refuses_bad_options(void **state) {
  (void)state;
  const size_t group_of[] = {0, 0};
  refused(&reals, (struct ts_sample_options){.step = -0.1}, "'-0.1'");
  refused(&reals, (struct ts_sample_options){.step = 0.6}, "'0.6'");
  refused(&reals, (struct ts_sample_options){.step = NAN}, "does not stay inside");
  refused(&reals, (struct ts_sample_options){.count = SIZE_MAX / 2}, "too large");
  refused(&reals, (struct ts_sample_options){.group_of = group_of, .group_count = 1}, "no groups");
  refused(&(struct ts_space){0}, (struct ts_sample_options){0}, "at least one parameter");
  const struct ts_constraint never[] = {{.left = 0, .comparison = TS_LESS, .right = 0}};
  struct ts_space empty = reals;
  empty.constraints = never;
  empty.constraint_count = 1;
  refused(&empty, (struct ts_sample_options){.count = 8}, "no base point in 100000 draws");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(steps_are_small_and_stay_inside),
      cmocka_unit_test(grids_step_to_a_neighbouring_level),
      cmocka_unit_test(more_keep_the_earlier_ones),
      cmocka_unit_test(constraints_replace_base_points),
      cmocka_unit_test(refuses_bad_options),
  };
  return cmocka_run_group_tests(tests, make_space, NULL);
}
