/* Tests of design/morris_trajectories.c: every property that the Morris design must have.
 * SPDX-License-Identifier: Apache-2.0 */
#include "design/points.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define K 6

/* Grids of 2, 3, 4, 11 and 20 levels and one range: L = p and L != p. */
static struct ts_value numbers[20];
static const struct ts_value words[] = {{.type = TS_VALUE_STRING, .as.string = "slow"},
                                        {.type = TS_VALUE_STRING, .as.string = "fast"},
                                        {.type = TS_VALUE_STRING, .as.string = "both"}};
static struct ts_parameter parameters[K];
static const struct ts_parameter *list[K];
static struct ts_space space;

static int make_space(void **state) {
  (void)state;
  for (size_t i = 0; i < 20; i++) numbers[i] = ts_value_integer(5 * (int64_t)i);
  const size_t levels[] = {2, 0, 4, 11, 20};
  const char *names[] = {"RC", "mode", "B", "T1", "G2", "x"};
  for (size_t i = 0; i < 5; i++) {
    parameters[i] =
        (struct ts_parameter){.name = names[i], .type = TS_VALUE_INTEGER, .levels = numbers, .level_count = levels[i]};
  }
  parameters[1] = (struct ts_parameter){.name = "mode", .type = TS_VALUE_STRING, .levels = words, .level_count = 3};
  parameters[5] =
      (struct ts_parameter){.name = "x", .type = TS_VALUE_REAL, .has_range = true, .range_low = -1, .range_high = 1};
  for (size_t i = 0; i < K; i++) list[i] = &parameters[i];
  space = (struct ts_space){.parameters = list, .count = K};
  return 0;
}

static bool draw(struct ts_points *points, const struct ts_space *from, const struct ts_sample_options *options,
                 struct ts_error *err) {
  const struct ts_sampler *sampler = ts_sampler_find("morris", err);
  assert_non_null(sampler);
  return sampler->draw(points, from, options, err);
}

static struct ts_design make_for(const struct ts_space *from, size_t trajectories, size_t levels, uint64_t seed) {
  struct ts_design design;
  struct ts_points points;
  struct ts_error err = {0};
  struct ts_sample_options options = {.count = trajectories, .levels = levels, .seed = seed};
  assert_true(draw(&points, from, &options, &err));
  ts_design_of_points(&design, from, &points);
  ts_points_release(&points);
  return design;
}

static struct ts_design make(size_t trajectories, size_t levels, uint64_t seed) {
  return make_for(&space, trajectories, levels, seed);
}

static size_t changed_parameter(const struct ts_design *design, size_t row, double *step) {
  size_t changed = K, count = 0;
  for (size_t i = 0; i < K; i++) {
    double difference = design->unit[(row + 1) * K + i] - design->unit[row * K + i];
    if (difference == 0) continue;
    changed = i;
    *step = difference;
    count++;
  }
  assert_int_equal(count, 1);
  return changed;
}

static void each_step_changes_one_parameter_by_delta(void **state) {
  (void)state;
  const size_t levels[] = {2, 4, 6, 20, 22};
  for (size_t n = 0; n < sizeof levels / sizeof *levels; n++) {
    double p = (double)levels[n], delta = p / (2 * (p - 1));
    struct ts_design design = make(25, levels[n], 7);
    assert_int_equal(design.row_count, 25 * (K + 1));
    assert_int_equal(design.column_count, K);
    for (size_t t = 0; t < 25; t++) {
      bool seen[K] = {false};
      for (size_t row = t * (K + 1); row < t * (K + 1) + K; row++) {
        double step = 0;
        size_t changed = changed_parameter(&design, row, &step);
        assert_true(fabs(fabs(step) - delta) < 1e-15);
        assert_false(seen[changed]);
        seen[changed] = true;
      }
    }
    ts_design_release(&design);
  }
}

/* Every coordinate is j / (p-1); in one trajectory a parameter takes two of them, p/2 apart. */
static void coordinates_are_two_places_half_a_grid_apart(void **state) {
  (void)state;
  size_t p = 8;
  struct ts_design design = make(40, p, 3);
  for (size_t t = 0; t < 40; t++) {
    for (size_t i = 0; i < K; i++) {
      long low = (long)p, high = -1;
      for (size_t row = t * (K + 1); row <= t * (K + 1) + K; row++) {
        double place = design.unit[row * K + i] * (double)(p - 1);
        long nearest = lround(place);
        assert_true(fabs(place - (double)nearest) < 1e-12);
        assert_true(nearest >= 0 && nearest < (long)p);
        low = nearest < low ? nearest : low;
        high = nearest > high ? nearest : high;
      }
      assert_int_equal(high - low, p / 2);
      for (size_t row = t * (K + 1); row <= t * (K + 1) + K; row++) {
        long place = lround(design.unit[row * K + i] * (double)(p - 1));
        assert_true(place == low || place == high);
      }
    }
  }
  ts_design_release(&design);
}

static void values_follow_from_the_coordinates(void **state) {
  (void)state;
  struct ts_design design = make(30, 20, 11);
  for (size_t cell = 0; cell < design.row_count * K; cell++) {
    const struct ts_parameter *parameter = &parameters[cell % K];
    double unit = design.unit[cell];
    if (parameter->has_range) {
      assert_int_equal(design.levels[cell], -1);
      assert_true(fabs(design.values[cell].as.real - (2 * unit - 1)) < 1e-15);
      continue;
    }
    double level = floor(unit * (double)parameter->level_count);
    if (level > (double)(parameter->level_count - 1)) level = (double)(parameter->level_count - 1);
    assert_int_equal(design.levels[cell], (int64_t)level);
    assert_true(ts_value_equal(&design.values[cell], &parameter->levels[(size_t)level]));
  }
  ts_design_release(&design);
}

/* Spec 2: delta > 1/2, so the two values of a parameter differ for every L >= 2. */
static void both_values_of_a_parameter_differ(void **state) {
  (void)state;
  const size_t levels[] = {4, 20, 50};
  for (size_t n = 0; n < 3; n++) {
    struct ts_design design = make(50, levels[n], 5);
    for (size_t row = 0; row + 1 < design.row_count; row++) {
      if (row % (K + 1) == K) continue;
      double step = 0;
      size_t changed = changed_parameter(&design, row, &step);
      assert_false(ts_value_equal(&design.values[row * K + changed], &design.values[(row + 1) * K + changed]));
    }
    ts_design_release(&design);
  }
}

/* 4000 draws of a fair coin lie within 5 standard deviations (158) of 2000, of a p/2-sided die likewise. */
static void directions_bases_and_orders_are_balanced(void **state) {
  (void)state;
  const size_t trajectories = 4000, p = 8;
  struct ts_design design = make(trajectories, p, 99);
  size_t up[K] = {0}, base[K][4] = {{0}}, first[K] = {0};
  for (size_t t = 0; t < trajectories; t++) {
    for (size_t s = 0; s < K; s++) {
      double step = 0;
      size_t row = t * (K + 1) + s, changed = changed_parameter(&design, row, &step);
      if (step > 0) up[changed]++;
      if (s == 0) first[changed]++;
      double low = design.unit[(row + (step < 0)) * K + changed];
      base[changed][lround(low * (double)(p - 1))]++;
    }
  }
  for (size_t i = 0; i < K; i++) {
    assert_in_range(up[i], 2000 - 158, 2000 + 158);
    assert_in_range(first[i], 666 - 118, 667 + 118);
    for (size_t b = 0; b < 4; b++) assert_in_range(base[i][b], 1000 - 137, 1000 + 137);
  }
  ts_design_release(&design);
}

static bool same_rows(const struct ts_design *a, const struct ts_design *b, size_t rows) {
  for (size_t cell = 0; cell < rows * K; cell++) {
    if (a->unit[cell] != b->unit[cell] || a->levels[cell] != b->levels[cell]) return false;
    if (!ts_value_equal(&a->values[cell], &b->values[cell])) return false;
  }
  return true;
}

static void more_trajectories_keep_the_earlier_ones(void **state) {
  (void)state;
  struct ts_design few = make(5, 4, 42), many = make(12, 4, 42), other = make(5, 4, 43);
  assert_true(same_rows(&few, &many, few.row_count));
  assert_false(same_rows(&few, &other, few.row_count));
  assert_false(memcmp(many.unit, many.unit + (K + 1) * K, (K + 1) * K * sizeof *many.unit) == 0);
  ts_design_release(&few);
  ts_design_release(&many);
  ts_design_release(&other);
}

static void zero_options_mean_ten_trajectories_of_four_levels(void **state) {
  (void)state;
  struct ts_design plain = make(0, 0, 1), explicit = make(10, 4, 1);
  assert_int_equal(plain.row_count, 10 * (K + 1));
  assert_true(same_rows(&plain, &explicit, plain.row_count));
  ts_design_release(&plain);
  ts_design_release(&explicit);
}

/* B < G2: 0, 5, 10 or 15 below one of 0, 5 ... 95. Half of all trajectories start or end with a G2 that is too low. */
static void forbidden_rows_are_drawn_again(void **state) {
  (void)state;
  const struct ts_constraint less = {.left = 2, .right = 4, .comparison = TS_LESS};
  struct ts_space bound = space;
  bound.constraints = &less;
  bound.constraint_count = 1;
  struct ts_design design = make_for(&bound, 30, 0, 8), longer = make_for(&bound, 45, 0, 8), free_of = make(30, 0, 8);
  for (size_t row = 0; row < longer.row_count; row++) {
    assert_true(longer.values[row * K + 2].as.integer < longer.values[row * K + 4].as.integer);
  }
  assert_true(same_rows(&design, &longer, design.row_count));
  assert_false(same_rows(&design, &free_of, design.row_count));
  ts_design_release(&design);
  ts_design_release(&longer);
  ts_design_release(&free_of);
}

static void gives_up_after_a_thousand_draws(void **state) {
  (void)state;
  const struct ts_constraint never = {.left = 2, .right = 2, .comparison = TS_LESS};
  struct ts_space empty = space;
  empty.constraints = &never;
  empty.constraint_count = 1;
  struct ts_points points;
  struct ts_error err = {0};
  assert_false(draw(&points, &empty, &(struct ts_sample_options){.count = 1}, &err));
  assert_int_equal(err.code, TS_ERR_CONSTRAINT);
  assert_string_equal(err.text, "no trajectory in 1000 draws satisfies the constraints");
}

static void strings_outlive_the_space(void **state) {
  (void)state;
  char name[] = "mode", slow[] = "slow", fast[] = "fast";
  struct ts_value own_words[] = {ts_value_string(slow), ts_value_string(fast)};
  struct ts_parameter own = {.name = name, .type = TS_VALUE_STRING, .levels = own_words, .level_count = 2};
  const struct ts_parameter *only = &own;
  struct ts_space small = {.parameters = &only, .count = 1};
  struct ts_design design = make_for(&small, 1, 0, 0);
  name[0] = slow[0] = fast[0] = '?';
  assert_string_equal(design.names[0], "mode");
  for (size_t row = 0; row < 2; row++) {
    assert_string_equal(design.values[row].as.string, design.levels[row] == 0 ? "slow" : "fast");
  }
  ts_design_release(&design);
}

static void refuses_bad_options(void **state) {
  (void)state;
  static const struct ts_sample_options bad[] = {{.levels = 5}, {.levels = 1}, {.count = SIZE_MAX / 2}};
  for (size_t i = 0; i < 3; i++) {
    struct ts_points points;
    struct ts_error err = {0};
    assert_false(draw(&points, &space, &bad[i], &err));
    assert_int_equal(err.code, TS_ERR_BAD_VALUE);
    assert_true(err.help[0]);
  }
  struct ts_parameter single = {.name = "one", .type = TS_VALUE_INTEGER, .levels = numbers, .level_count = 1};
  const struct ts_parameter *only = &single;
  struct ts_space narrow = {.parameters = &only, .count = 1}, empty = {0};
  struct ts_points points;
  struct ts_error err = {0};
  assert_false(draw(&points, &narrow, &(struct ts_sample_options){0}, &err));
  assert_non_null(strstr(err.text, "'one' has only one value"));
  ts_error_clear(&err);
  assert_false(draw(&points, &empty, &(struct ts_sample_options){0}, &err));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_step_changes_one_parameter_by_delta),
      cmocka_unit_test(coordinates_are_two_places_half_a_grid_apart),
      cmocka_unit_test(values_follow_from_the_coordinates),
      cmocka_unit_test(both_values_of_a_parameter_differ),
      cmocka_unit_test(directions_bases_and_orders_are_balanced),
      cmocka_unit_test(more_trajectories_keep_the_earlier_ones),
      cmocka_unit_test(zero_options_mean_ten_trajectories_of_four_levels),
      cmocka_unit_test(forbidden_rows_are_drawn_again),
      cmocka_unit_test(gives_up_after_a_thousand_draws),
      cmocka_unit_test(strings_outlive_the_space),
      cmocka_unit_test(refuses_bad_options),
  };
  return cmocka_run_group_tests(tests, make_space, NULL);
}
