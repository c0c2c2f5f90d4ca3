/* Tests of the Morris sampler: groups, radial designs, chosen trajectories, constraints, extension.
 * SPDX-License-Identifier: Apache-2.0 */
#include "design/points.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define K 5

/* Two reals, grids of 3 and 11 levels, integers 0..1. */
static struct ts_value numbers[11];
static struct ts_parameter parameters[K];
static const struct ts_parameter *list[K];
static struct ts_space space;

static int make_space(void **state) {
  (void)state;
  const char *names[] = {"x", "y", "g", "t", "b"};
  for (size_t i = 0; i < 11; i++) numbers[i] = ts_value_integer((int64_t)i);
  for (size_t i = 0; i < K; i++) {
    parameters[i] = (struct ts_parameter){
        .name = names[i], .type = TS_VALUE_REAL, .has_range = true, .range_low = 0, .range_high = 1};
    list[i] = &parameters[i];
  }
  parameters[2] = (struct ts_parameter){.name = "g", .type = TS_VALUE_INTEGER, .levels = numbers, .level_count = 3};
  parameters[3] = (struct ts_parameter){.name = "t", .type = TS_VALUE_INTEGER, .levels = numbers, .level_count = 11};
  parameters[4].type = TS_VALUE_INTEGER;
  space = (struct ts_space){.parameters = list, .count = K};
  return 0;
}

static const struct ts_sampler *sampler(void) {
  struct ts_error err = {0};
  const struct ts_sampler *found = ts_sampler_find("morris", &err);
  assert_non_null(found);
  return found;
}

static struct ts_points draw(const struct ts_space *from, struct ts_sample_options options) {
  struct ts_points points;
  struct ts_error err = {0};
  if (!sampler()->draw(&points, from, &options, &err)) fail_msg("%s", err.text);
  return points;
}

static void refused(const struct ts_space *from, struct ts_sample_options options, enum ts_error_code code,
                    const char *part) {
  struct ts_points points;
  struct ts_error err = {0};
  assert_false(sampler()->draw(&points, from, &options, &err));
  assert_int_equal(err.code, code);
  assert_true(err.help[0]);
  if (!strstr(err.text, part)) fail_msg("'%s' is not in '%s'", part, err.text);
}

static bool values_differ(size_t parameter, double u, double v) {
  struct ts_value a = ts_space_value(&parameters[parameter], u, NULL);
  struct ts_value b = ts_space_value(&parameters[parameter], v, NULL);
  return !ts_value_equal(&a, &b);
}

static bool same(const struct ts_points *a, const struct ts_points *b, size_t rows) {
  return memcmp(a->a, b->a, rows * a->column_count * sizeof *a->a) == 0;
}

static void a_design_says_how_it_is_laid_out(void **state) {
  (void)state;
  struct ts_points points = draw(&space, (struct ts_sample_options){.count = 7, .levels = 6, .seed = 3});
  assert_int_equal(points.layout, TS_LAYOUT_TRAJECTORIES);
  assert_int_equal(points.row_count, 7 * (K + 1));
  assert_int_equal(points.block_rows, K + 1);
  assert_int_equal(points.group_count, K);
  assert_null(points.note);
  ts_points_release(&points);
}

static void designs_for_a_seed_do_not_change(void **state) {
  (void)state;
  static const int places[7][6] = {{3, 2, 4, 1, 4, 2}, {3, 2, 4, 1, 1, 2}, {0, 2, 4, 1, 1, 2}, {0, 2, 1, 1, 1, 2},
                                   {0, 2, 1, 1, 1, 5}, {0, 2, 1, 4, 1, 5}, {0, 5, 1, 4, 1, 5}};
  const struct ts_parameter *six[6];
  for (size_t i = 0; i < 6; i++) six[i] = &parameters[0];
  struct ts_space wide = {.parameters = six, .count = 6};
  struct ts_points points = draw(&wide, (struct ts_sample_options){.count = 1, .levels = 6, .seed = 42});
  for (size_t i = 0; i < 42; i++) assert_true(points.a[i] == places[i / 6][i % 6] / 5.);
  ts_points_release(&points);
}

static void all_members_of_a_group_move_in_one_step(void **state) {
  (void)state;
  const size_t group_of[K] = {1, 0, 1, 2, 0};
  struct ts_points points =
      draw(&space, (struct ts_sample_options){.count = 40, .seed = 9, .group_of = group_of, .group_count = 3});
  assert_int_equal(points.row_count, 40 * 4);
  assert_int_equal(points.block_rows, 4);
  assert_int_equal(points.group_count, 3);
  bool opposite = false;
  for (size_t row = 0; row < points.row_count; row++) {
    static bool seen[3];
    if (row % 4 == 0) {
      memset(seen, 0, sizeof seen);
      continue;
    }
    const double *before = points.a + (row - 1) * K, *after = before + K;
    size_t moved = 3;
    for (size_t i = 0; i < K; i++) {
      if (before[i] == after[i]) continue;
      assert_true(moved == 3 || moved == group_of[i]);
      moved = group_of[i];
      assert_true(fabs(fabs(after[i] - before[i]) - 2. / 3) < 1e-15);
    }
    assert_true(moved < 3 && !seen[moved]);
    seen[moved] = true;
    for (size_t i = 0; i < K; i++) assert_int_equal(before[i] != after[i], group_of[i] == moved);
    if (moved == 1 && (after[0] - before[0]) * (after[2] - before[2]) < 0) opposite = true;
  }
  assert_true(opposite); /* members have directions of their own */
  ts_points_release(&points);
}

static void check_radial(const struct ts_points *points, const size_t *group_of, size_t groups) {
  assert_int_equal(points->layout, TS_LAYOUT_RADIAL);
  assert_int_equal(points->block_rows, groups + 1);
  for (size_t row = 0; row < points->row_count; row++) {
    size_t at = row % (groups + 1);
    const double *base = points->a + (row - at) * K, *here = points->a + row * K;
    for (size_t i = 0; i < K; i++) {
      assert_true(here[i] >= 0 && here[i] <= 1);
      bool moves = at > 0 && (group_of ? group_of[i] : i) == at - 1;
      if (!moves) {
        assert_true(here[i] == base[i]);
        continue;
      }
      assert_true(values_differ(i, base[i], here[i]));
      /* Middles of levels are a level apart, reals at least a hundredth. */
      static const double least[K] = {0.01, 0.01, 1. / 3, 1. / 11, 0.5};
      assert_true(fabs(here[i] - base[i]) >= least[i] - 1e-12);
    }
  }
}

static void radial_rows_step_away_from_the_first(void **state) {
  (void)state;
  struct ts_points points = draw(&space, (struct ts_sample_options){.count = 300, .seed = 4, .radial = true});
  assert_int_equal(points.row_count, 300 * (K + 1));
  check_radial(&points, NULL, K);
  /* Both directions occur, and base points fill the range of every parameter: deciles of a real hold 30 +- 12. */
  size_t up = 0, bins[10] = {0};
  for (size_t block = 0; block < 300; block++) {
    const double *base = points.a + block * (K + 1) * K;
    if (base[K] > base[0]) up++;
    bins[(size_t)(base[0] * 10)]++;
  }
  assert_in_range(up, 110, 190);
  for (size_t i = 0; i < 10; i++) assert_in_range(bins[i], 18, 42);
  ts_points_release(&points);
  const size_t group_of[K] = {0, 0, 1, 1, 1};
  points =
      draw(&space,
           (struct ts_sample_options){.count = 20, .seed = 4, .radial = true, .group_of = group_of, .group_count = 2});
  check_radial(&points, group_of, 2);
  ts_points_release(&points);
}

/* Campolongo et al. 2011: the second half of the coordinates comes from four points later. */
static void radial_points_are_shifted_by_four(void **state) {
  (void)state;
  const struct ts_parameter *two[2] = {&parameters[0], &parameters[1]};
  struct ts_space reals = {.parameters = two, .count = 2};
  struct ts_sample_options options = {.count = 16, .seed = 2, .radial = true};
  struct ts_points points = draw(&reals, options);
  double sequence[20 * 4];
  struct ts_error err = {0};
  assert_true(ts_source_fill("sobol-sequence", 4, 0, 20, &options, sequence, &err));
  for (size_t block = 0; block < 16; block++) {
    const double *rows = points.a + block * 6, *a = sequence + block * 4, *b = sequence + (block + 4) * 4 + 2;
    assert_true(rows[0] == a[0] && rows[1] == a[1]);
    if (fabs(a[0] - b[0]) >= 0.01) assert_true(rows[2] == b[0] && rows[3] == a[1]);
    if (fabs(a[1] - b[1]) >= 0.01) assert_true(rows[4] == a[0] && rows[5] == b[1]);
  }
  ts_points_release(&points);
}

/* A value with most of the weight: the second coordinate must still find another one. */
static void radial_steps_leave_a_heavy_value(void **state) {
  (void)state;
  const double shares[] = {0.0005, 0.9995, 1};
  struct ts_parameter heavy = parameters[2];
  heavy.shares = shares;
  const struct ts_parameter *only = &heavy;
  struct ts_space small = {.parameters = &only, .count = 1};
  struct ts_points points = draw(&small, (struct ts_sample_options){.count = 50, .seed = 6, .radial = true});
  for (size_t row = 0; row < 100; row += 2) {
    struct ts_value a = ts_space_value(&heavy, points.a[row], NULL),
                    b = ts_space_value(&heavy, points.a[row + 1], NULL);
    assert_false(ts_value_equal(&a, &b));
  }
  ts_points_release(&points);
  const double front[] = {0.8, 0.9, 1}; /* from 0 to 2/3 stays in the first */
  heavy.shares = front;
  points = draw(&small, (struct ts_sample_options){.count = 5, .seed = 6});
  assert_non_null(points.note);
  assert_non_null(strstr(points.note, "'g' do not change its value"));
  ts_points_release(&points);
}

static void more_keep_the_earlier_ones(void **state) {
  (void)state;
  const size_t group_of[K] = {1, 0, 1, 2, 0};
  struct ts_sample_options options[] = {{.count = 8, .seed = 1},
                                        {.count = 8, .seed = 1, .radial = true},
                                        {.count = 8, .seed = 1, .group_of = group_of, .group_count = 3}};
  for (size_t i = 0; i < 3; i++) {
    struct ts_points few = draw(&space, options[i]);
    options[i].count = 2000;
    struct ts_points many = draw(&space, options[i]);
    options[i].seed = 2;
    struct ts_points other = draw(&space, options[i]);
    assert_true(same(&few, &many, few.row_count));
    assert_false(same(&few, &other, few.row_count));
    ts_points_release(&few);
    ts_points_release(&many);
    ts_points_release(&other);
  }
}

/* The chosen ones are candidates, in their order, and farther apart than the first ones. */
static double spread(const struct ts_points *points) {
  size_t blocks = points->row_count / points->block_rows, rows = points->block_rows;
  double total = 0;
  for (size_t a = 0; a < blocks; a++) {
    for (size_t b = a + 1; b < blocks; b++) {
      double sum = 0;
      for (size_t i = a * rows; i < (a + 1) * rows; i++) {
        for (size_t j = b * rows; j < (b + 1) * rows; j++) {
          double squares = 0;
          for (size_t c = 0; c < K; c++) {
            double gap = points->a[i * K + c] - points->a[j * K + c];
            squares += gap * gap;
          }
          sum += sqrt(squares);
        }
      }
      total += sum * sum;
    }
  }
  return sqrt(total);
}

static void candidates_are_chosen_for_their_distance(void **state) {
  (void)state;
  struct ts_points all = draw(&space, (struct ts_sample_options){.count = 30, .seed = 12});
  struct ts_points plain = draw(&space, (struct ts_sample_options){.count = 4, .seed = 12});
  struct ts_sample_options options = {.count = 4, .seed = 12, .candidates = 30, .brute_force = true};
  struct ts_points exact = draw(&space, options);
  options.brute_force = false;
  options.candidates = 200;
  struct ts_points local = draw(&space, options);
  assert_int_equal(exact.row_count, 4 * (K + 1));
  assert_true(spread(&exact) > 1.05 * spread(&plain));
  assert_true(spread(&local) >= spread(&exact) * 0.99);
  size_t cells = (K + 1) * K, from = 0;
  for (size_t t = 0; t < 4; t++) {
    while (from < 30 && memcmp(exact.a + t * cells, all.a + from * cells, cells * sizeof *all.a) != 0) from++;
    assert_true(from++ < 30);
  }
  assert_non_null(strstr(exact.note, "4 of 30"));
  ts_points_release(&all);
  ts_points_release(&plain);
  ts_points_release(&exact);
  ts_points_release(&local);
}

static void constraints_hold_in_every_row(void **state) {
  (void)state;
  const struct ts_constraint less[] = {{.left = 0, .comparison = TS_LESS, .right = 1}};
  struct ts_space bound = space;
  bound.constraints = less;
  bound.constraint_count = 1;
  for (int radial = 0; radial < 2; radial++) {
    struct ts_sample_options options = {.count = 10, .seed = 5, .levels = 8, .radial = radial != 0};
    struct ts_points few = draw(&bound, options);
    options.count = 30;
    struct ts_points points = draw(&bound, options);
    for (size_t row = 0; row < points.row_count; row++) assert_true(points.a[row * K] < points.a[row * K + 1]);
    assert_true(same(&few, &points, few.row_count));
    assert_non_null(points.note);
    assert_non_null(strstr(points.note, "because of constraints"));
    ts_points_release(&few);
    ts_points_release(&points);
    const struct ts_constraint never[] = {{.left = 0, .comparison = TS_LESS, .right = 0}};
    struct ts_space empty = space;
    empty.constraints = never;
    empty.constraint_count = 1;
    refused(&empty, options, TS_ERR_CONSTRAINT, radial ? "no block in 100000 draws" : "no trajectory in 1000 draws");
  }
}

static void refuses_bad_options(void **state) {
  (void)state;
  const size_t gap[K] = {0, 0, 2, 2, 2}, beyond[K] = {0, 1, 2, 3, 9};
  struct ts_sample_options none = {0};
  refused(&space, (struct ts_sample_options){.levels = 5}, TS_ERR_BAD_VALUE,
          "even number of levels, at most 65534, not '5'");
  refused(&space, (struct ts_sample_options){.levels = 70000}, TS_ERR_BAD_VALUE, "at most 65534, not '70000'");
  refused(&space, (struct ts_sample_options){.count = SIZE_MAX / 2}, TS_ERR_BAD_VALUE, "is too large");
  refused(&space, (struct ts_sample_options){.count = SIZE_MAX / 2, .radial = true}, TS_ERR_BAD_VALUE, "is too large");
  refused(&space, (struct ts_sample_options){.count = 10, .candidates = 10}, TS_ERR_BAD_VALUE, "cannot be chosen");
  refused(&space, (struct ts_sample_options){.count = 10, .candidates = 100000}, TS_ERR_BAD_VALUE, "cannot be chosen");
  refused(&space, (struct ts_sample_options){.count = 1, .candidates = 10}, TS_ERR_BAD_VALUE, "cannot be chosen");
  refused(&space, (struct ts_sample_options){.count = 20, .candidates = 1000, .brute_force = true}, TS_ERR_BAD_VALUE,
          "too many to try them all");
  refused(&space, (struct ts_sample_options){.candidates = 100, .radial = true}, TS_ERR_BAD_VALUE, "radial");
  refused(&space, (struct ts_sample_options){.group_of = gap, .group_count = 3}, TS_ERR_BAD_VALUE,
          "group 2 has no parameter");
  refused(&space, (struct ts_sample_options){.group_of = beyond, .group_count = 5}, TS_ERR_BAD_VALUE, "only 5 groups");
  refused(&(struct ts_space){0}, none, TS_ERR_BAD_VALUE, "at least one parameter");
  struct ts_parameter single = parameters[2];
  single.level_count = 1;
  const struct ts_parameter *only = &single;
  refused(&(struct ts_space){.parameters = &only, .count = 1}, none, TS_ERR_BAD_VALUE, "only one value");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_design_says_how_it_is_laid_out),
      cmocka_unit_test(designs_for_a_seed_do_not_change),
      cmocka_unit_test(all_members_of_a_group_move_in_one_step),
      cmocka_unit_test(radial_rows_step_away_from_the_first),
      cmocka_unit_test(radial_points_are_shifted_by_four),
      cmocka_unit_test(radial_steps_leave_a_heavy_value),
      cmocka_unit_test(more_keep_the_earlier_ones),
      cmocka_unit_test(candidates_are_chosen_for_their_distance),
      cmocka_unit_test(constraints_hold_in_every_row),
      cmocka_unit_test(refuses_bad_options),
  };
  return cmocka_run_group_tests(tests, make_space, NULL);
}
