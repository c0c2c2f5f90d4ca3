/* Tests of design/grid.c: all combinations in order, some without repetition, constraints, sizes that make no sense.
 * SPDX-License-Identifier: Apache-2.0 */
#include "sample_support.h"

static struct ts_value sizes[3], modes[2];
static const double shares[3] = {0.2, 0.9, 1};

/* Levels {10, 20, 30}, integers 5..8, reals -1..1, names {fast, slow}. */
static void mixed(struct cube *cube) {
  for (size_t i = 0; i < 3; i++) sizes[i] = ts_value_integer(10 * (int64_t)(i + 1));
  modes[0] = ts_value_string("fast");
  modes[1] = ts_value_string("slow");
  cube_init(cube, 4);
  cube->parameters[0].type = TS_VALUE_INTEGER;
  cube->parameters[0].has_range = false;
  cube->parameters[0].levels = sizes;
  cube->parameters[0].level_count = 3;
  cube->parameters[1].type = TS_VALUE_INTEGER;
  cube->parameters[1].range_low = 5;
  cube->parameters[1].range_high = 8;
  cube->parameters[2].range_low = -1;
  cube->parameters[3].type = TS_VALUE_STRING;
  cube->parameters[3].has_range = false;
  cube->parameters[3].levels = modes;
  cube->parameters[3].level_count = 2;
}

static void full_grids_are_the_product_in_order(void **state) {
  (void)state;
  struct cube cube;
  mixed(&cube);
  struct ts_points points;
  draw("grid", &cube.space, &(struct ts_sample_options){.levels = 5}, &points);
  assert_null(points.note);
  struct ts_design design;
  ts_design_of_points(&design, &cube.space, &points);
  assert_int_equal(design.row_count, 3 * 4 * 5 * 2);
  const struct ts_value *value = design.values;
  for (int64_t a = 0; a < 3; a++) {
    for (int64_t b = 0; b < 4; b++) {
      for (int c = 0; c < 5; c++) {
        for (size_t d = 0; d < 2; d++, value += 4) {
          assert_int_equal(value[0].as.integer, 10 * (a + 1));
          assert_int_equal(value[1].as.integer, 5 + b);
          assert_true(value[2].as.real == -1 + 0.5 * c);
          assert_string_equal(value[3].as.string, d ? "slow" : "fast");
        }
      }
    }
  }
  ts_design_release(&design);
  ts_points_release(&points);
}

static void long_integer_ranges_are_thinned_with_both_ends(void **state) {
  (void)state;
  struct cube cube;
  cube_init(&cube, 1);
  cube.parameters[0].type = TS_VALUE_INTEGER;
  cube.parameters[0].range_low = 0;
  cube.parameters[0].range_high = 100;
  struct ts_points points;
  struct ts_design design;
  draw("grid", &cube.space, &(struct ts_sample_options){.levels = 5}, &points);
  ts_design_of_points(&design, &cube.space, &points);
  assert_int_equal(design.row_count, 5);
  for (int64_t i = 0; i < 5; i++) assert_int_equal(design.values[i].as.integer, 25 * i);
  ts_design_release(&design);
  ts_points_release(&points);
}

/* A normal distribution has no ends: quantiles 1/6, 1/2 and 5/6 (from tables: 0.9674 standard deviations). */
static void distributions_without_ends_get_middles(void **state) {
  (void)state;
  struct cube cube;
  cube_init(&cube, 1);
  struct ts_distribution normal = {.kind = TS_NORMAL, .mean = 10, .sd = 2};
  assert_true(ts_distribution_settle(&normal, -INFINITY, INFINITY));
  cube.parameters[0].distribution = normal;
  cube.parameters[0].range_low = normal.from;
  cube.parameters[0].range_high = normal.to;
  struct ts_points points;
  struct ts_design design;
  draw("grid", &cube.space, &(struct ts_sample_options){.levels = 3}, &points);
  ts_design_of_points(&design, &cube.space, &points);
  assert_true(fabs(design.values[0].as.real - (10 - 2 * 0.9674216)) < 1e-6);
  assert_true(fabs(design.values[1].as.real - 10) < 1e-12);
  assert_true(fabs(design.values[2].as.real - (10 + 2 * 0.9674216)) < 1e-6);
  ts_design_release(&design);
  ts_points_release(&points);
}

static void weights_do_not_hide_levels(void **state) {
  (void)state;
  struct cube cube;
  mixed(&cube);
  cube.parameters[0].shares = shares;
  cube.space.count = 1;
  struct ts_points points;
  struct ts_design design;
  draw("grid", &cube.space, &(struct ts_sample_options){0}, &points);
  ts_design_of_points(&design, &cube.space, &points);
  assert_int_equal(design.row_count, 3);
  for (int64_t i = 0; i < 3; i++) assert_int_equal(design.levels[i], i);
  ts_design_release(&design);
  ts_points_release(&points);
}

/* Number of equal rows among the first `count`. */
static size_t repeated(const struct ts_points *points) {
  size_t equal = 0, columns = points->column_count;
  for (size_t a = 0; a < points->row_count; a++) {
    for (size_t b = 0; b < a; b++) {
      equal += memcmp(points->a + a * columns, points->a + b * columns, columns * sizeof *points->a) == 0;
    }
  }
  return equal;
}

static void partial_grids_repeat_nothing_and_can_be_extended(void **state) {
  (void)state;
  struct cube cube;
  mixed(&cube);
  struct ts_points all, some, more;
  draw("grid", &cube.space, &(struct ts_sample_options){.levels = 5}, &all);
  draw("grid", &cube.space, &(struct ts_sample_options){.levels = 5, .count = 50, .seed = 1}, &some);
  draw("grid", &cube.space, &(struct ts_sample_options){.levels = 5, .count = 119, .seed = 1}, &more);
  assert_int_equal(some.row_count, 50);
  assert_int_equal(more.row_count, 119);
  assert_int_equal(repeated(&more), 0);
  assert_memory_equal(some.a, more.a, 50 * 4 * sizeof *some.a);
  for (size_t i = 0; i < 119; i++) {
    size_t found = 0;
    for (size_t j = 0; j < 120; j++) found += memcmp(more.a + i * 4, all.a + j * 4, 4 * sizeof *all.a) == 0;
    assert_int_equal(found, 1);
  }
  assert_non_null(strstr(some.note, "at random"));
  ts_points_release(&all);
  ts_points_release(&some);
  ts_points_release(&more);
}

/* Over many seeds each of the 120 rows is drawn about equally often: chi-square with 119 degrees of freedom, sd 15.4;
 * rows of one draw exclude each other, which makes it smaller by 1 - 12/120. */
static void every_row_is_equally_likely(void **state) {
  (void)state;
  enum { SEEDS = 2000, DRAWN = 12 };
  struct cube cube;
  mixed(&cube);
  struct ts_points all, some;
  draw("grid", &cube.space, &(struct ts_sample_options){.levels = 5}, &all);
  size_t counts[120] = {0};
  for (uint64_t seed = 0; seed < SEEDS; seed++) {
    draw("grid", &cube.space, &(struct ts_sample_options){.levels = 5, .count = DRAWN, .seed = seed}, &some);
    for (size_t i = 0; i < DRAWN; i++) {
      for (size_t j = 0; j < 120; j++) counts[j] += memcmp(some.a + i * 4, all.a + j * 4, 4 * sizeof *all.a) == 0;
    }
    ts_points_release(&some);
  }
  double expected = SEEDS * DRAWN / 120.0, statistic = 0;
  for (size_t j = 0; j < 120; j++) statistic += pow((double)counts[j] - expected, 2) / expected / 0.9;
  assert_true(statistic > 119 - 5 * 15.4 && statistic < 119 + 5 * 15.4);
  ts_points_release(&all);
}

static void constraints_leave_rows_out(void **state) {
  (void)state;
  struct cube cube;
  cube_init(&cube, 2);
  cube_constrain(&cube);
  struct ts_points points;
  draw("grid", &cube.space, &(struct ts_sample_options){.levels = 7}, &points);
  assert_int_equal(points.row_count, 7 * 6 / 2); /* x1 < x2 */
  for (size_t i = 0; i < points.row_count; i++) assert_true(points.a[2 * i] < points.a[2 * i + 1]);
  assert_non_null(strstr(points.note, "28 rows"));
  ts_points_release(&points);
  draw("grid", &cube.space, &(struct ts_sample_options){.levels = 7, .count = 15}, &points);
  assert_int_equal(points.row_count, 15);
  assert_int_equal(repeated(&points), 0);
  for (size_t i = 0; i < points.row_count; i++) assert_true(points.a[2 * i] < points.a[2 * i + 1]);
  ts_points_release(&points);
  draw("grid", &cube.space, &(struct ts_sample_options){.levels = 7, .count = 40}, &points);
  assert_int_equal(points.row_count, 21);
  assert_non_null(strstr(points.note, "21 rows only"));
  ts_points_release(&points);
  cube.constraint.right = TS_NONE;
  cube.constraint.right_number = -1;
  refuse("grid", &cube.space, &(struct ts_sample_options){.levels = 7}, TS_ERR_CONSTRAINT);
  refuse("grid", &cube.space, &(struct ts_sample_options){.levels = 1000, .count = 10}, TS_ERR_CONSTRAINT);
}

static void absurd_sizes_are_refused_but_parts_of_them_are_not(void **state) {
  (void)state;
  struct cube cube;
  struct ts_points points;
  cube_init(&cube, 30);
  refuse("grid", &cube.space, &(struct ts_sample_options){.levels = 10}, TS_ERR_BAD_VALUE);
  refuse("grid", &cube.space, &(struct ts_sample_options){.levels = SIZE_MAX}, TS_ERR_BAD_VALUE);
  refuse("grid", &cube.space, &(struct ts_sample_options){.levels = 3}, TS_ERR_BAD_VALUE); /* 2 * 10^14 */
  draw("grid", &cube.space, &(struct ts_sample_options){.levels = 3, .count = 100}, &points);
  assert_int_equal(points.row_count, 100);
  assert_int_equal(repeated(&points), 0);
  ts_points_release(&points);
  draw("grid", &cube.space, &(struct ts_sample_options){.levels = 10, .count = 100}, &points);
  assert_int_equal(repeated(&points), 0);
  ts_points_release(&points);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(full_grids_are_the_product_in_order),
      cmocka_unit_test(long_integer_ranges_are_thinned_with_both_ends),
      cmocka_unit_test(distributions_without_ends_get_middles),
      cmocka_unit_test(weights_do_not_hide_levels),
      cmocka_unit_test(partial_grids_repeat_nothing_and_can_be_extended),
      cmocka_unit_test(every_row_is_equally_likely),
      cmocka_unit_test(constraints_leave_rows_out),
      cmocka_unit_test(absurd_sizes_are_refused_but_parts_of_them_are_not),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
