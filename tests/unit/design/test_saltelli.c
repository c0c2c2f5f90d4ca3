/* Tests of design/saltelli.c: rows, sources, extension, groups, constraints, refused designs, convergence.
 * SPDX-License-Identifier: Apache-2.0 */
#include "design/points.h"

#include "base/alloc.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#define MOST 15

static struct ts_parameter parameters[MOST];
static const struct ts_parameter *list[MOST];
static struct ts_space space; /* three of them */

static int make_space(void **state) {
  (void)state;
  for (size_t i = 0; i < MOST; i++) {
    parameters[i] = (struct ts_parameter){.name = "x", .type = TS_VALUE_REAL, .has_range = true, .range_high = 1};
    list[i] = &parameters[i];
  }
  space = (struct ts_space){.parameters = list, .count = 3};
  return 0;
}

static const struct ts_sampler *sampler(void) {
  struct ts_error err = {0};
  const struct ts_sampler *found = ts_sampler_find("saltelli", &err);
  assert_non_null(found);
  return found;
}

static struct ts_points draw(const struct ts_space *from, struct ts_sample_options options) {
  struct ts_points points;
  struct ts_error err = {0};
  if (!sampler()->draw(&points, from, &options, &err)) fail_msg("%s", err.text);
  return points;
}

static struct ts_error refused(const struct ts_space *from, struct ts_sample_options options, const char *part) {
  struct ts_points points;
  struct ts_error err = {0};
  assert_false(sampler()->draw(&points, from, &options, &err));
  assert_true(err.help[0]);
  if (!strstr(err.text, part)) fail_msg("'%s' is not in '%s'", part, err.text);
  return err;
}

static void check_row(const struct ts_points *points, size_t index, double x, double y, double z) {
  double row[3];
  ts_points_row(points, index, row);
  assert_true(row[0] == x && row[1] == y && row[2] == z);
}

static void rows_take_columns_from_both_blocks(void **state) {
  (void)state;
  struct ts_points points = draw(&space, (struct ts_sample_options){.count = 16, .seed = 7});
  assert_int_equal(points.layout, TS_LAYOUT_SALTELLI);
  assert_int_equal(points.block_rows, 5);
  assert_int_equal(points.row_count, 80);
  assert_null(points.note);
  for (size_t n = 0; n < 16; n++) {
    const double *a = points.a + 3 * n, *b = points.b + 3 * n;
    check_row(&points, 5 * n, a[0], a[1], a[2]);
    check_row(&points, 5 * n + 1, b[0], a[1], a[2]);
    check_row(&points, 5 * n + 2, a[0], b[1], a[2]);
    check_row(&points, 5 * n + 3, a[0], a[1], b[2]);
    check_row(&points, 5 * n + 4, b[0], b[1], b[2]);
  }
  ts_points_release(&points);
  points = draw(&space, (struct ts_sample_options){.count = 16, .seed = 7, .second_order = true});
  assert_int_equal(points.layout, TS_LAYOUT_SALTELLI_2);
  assert_int_equal(points.row_count, 16 * 8);
  const double *a = points.a + 3 * 9, *b = points.b + 3 * 9;
  check_row(&points, 72 + 3, a[0], a[1], b[2]);
  check_row(&points, 72 + 4, a[0], b[1], b[2]);
  check_row(&points, 72 + 6, b[0], b[1], a[2]);
  check_row(&points, 72 + 7, b[0], b[1], b[2]);
  ts_points_release(&points);
}

static void groups_change_together(void **state) {
  (void)state;
  const size_t group_of[] = {1, 0, 1};
  struct ts_points points =
      draw(&space, (struct ts_sample_options){.count = 4, .group_of = group_of, .group_count = 2});
  assert_int_equal(points.block_rows, 4);
  const double *a = points.a + 3, *b = points.b + 3;
  check_row(&points, 4, a[0], a[1], a[2]);
  check_row(&points, 5, a[0], b[1], a[2]);
  check_row(&points, 6, b[0], a[1], b[2]);
  check_row(&points, 7, b[0], b[1], b[2]);
  ts_points_release(&points);
  points = draw(&space,
                (struct ts_sample_options){.count = 4, .group_of = group_of, .group_count = 2, .second_order = true});
  assert_int_equal(points.block_rows, 6);
  ts_points_release(&points);
}

/* A and B are the two halves of the coordinates of one source of 2k dimensions. */
static void blocks_are_halves_of_the_coordinates(void **state) {
  (void)state;
  static const char *const bases[] = {"sobol-sequence", "halton", "lhs", "mc"};
  for (size_t i = 0; i < 4; i++) {
    struct ts_sample_options options = {
        .count = 2000, .seed = 11, .base = bases[i], .scramble = i == 0 ? TS_SCRAMBLE_NONE : TS_SCRAMBLE_DEFAULT};
    struct ts_points points = draw(&space, options);
    ts_auto_free double *source = ts_calloc(2000 * 6, sizeof *source);
    struct ts_error err = {0};
    size_t first = strcmp(bases[i], "halton") == 0 ? 1 : 0; /* not the corner of the cube */
    assert_true(ts_source_fill(bases[i], 6, first, 2000, &options, source, &err));
    for (size_t n = 0; n < 2000; n++) {
      for (size_t c = 0; c < 3; c++) {
        assert_true(points.a[n * 3 + c] == source[n * 6 + c]);
        assert_true(points.b[n * 3 + c] == source[n * 6 + 3 + c]);
      }
    }
    assert_int_equal(points.note != NULL, i == 0 || i == 2);
    ts_points_release(&points);
  }
}

/* Which coordinate of the source a column is. */
static size_t coordinate_of(const double *column, const double *source) {
  for (size_t c = 0; c < 6; c++) {
    size_t same = 0;
    while (same < 64 && column[same * 3] == source[same * 6 + c]) same++;
    if (same == 64) return c;
  }
  return TS_NONE;
}

/* Every coordinate is used once; another seed deals them otherwise. */
static void scrambled_sequences_deal_their_coordinates(void **state) {
  (void)state;
  size_t first_seen = 0;
  for (uint64_t seed = 1; seed <= 60; seed++) {
    struct ts_sample_options options = {.count = 64, .seed = seed};
    struct ts_points points = draw(&space, options);
    ts_auto_free double *source = ts_calloc(64 * 6, sizeof *source);
    struct ts_error err = {0};
    assert_true(ts_source_fill("sobol-sequence", 6, 0, 64, &options, source, &err));
    size_t seen = 0;
    for (size_t c = 0; c < 3; c++) {
      size_t a = coordinate_of(points.a + c, source), b = coordinate_of(points.b + c, source);
      assert_true(a < 6 && b < 6);
      seen |= (size_t)1 << a | (size_t)1 << b;
      if (c == 0) first_seen |= (size_t)1 << a;
    }
    assert_int_equal(seen, 63);
    ts_points_release(&points);
  }
  assert_int_equal(first_seen, 63);
}

/* By the definition of the sequence: point 1 has 1/2, 1/3, 1/5 | 1/7, 1/11, 1/13. */
static void halton_starts_at_its_second_point(void **state) {
  (void)state;
  struct ts_points points = draw(&space, (struct ts_sample_options){.count = 2, .base = "halton"});
  static const double a[] = {1. / 2, 1. / 3, 1. / 5, 1. / 4, 2. / 3, 2. / 5}, b[] = {1. / 7, 1. / 11, 1. / 13};
  for (size_t i = 0; i < 6; i++) assert_true(fabs(points.a[i] - a[i]) < 1e-15);
  for (size_t i = 0; i < 3; i++) assert_true(fabs(points.b[i] - b[i]) < 1e-15);
  ts_points_release(&points);
}

static void doubling_keeps_the_base_samples(void **state) {
  (void)state;
  static const char *const bases[] = {"sobol-sequence", "halton", "mc", NULL};
  for (size_t i = 0; i < 4; i++) {
    struct ts_points few = draw(&space, (struct ts_sample_options){.count = 1500, .seed = 3, .base = bases[i]});
    struct ts_points many = draw(&space, (struct ts_sample_options){.count = 3000, .seed = 3, .base = bases[i]});
    assert_memory_equal(few.a, many.a, 1500 * 3 * sizeof *few.a);
    assert_memory_equal(few.b, many.b, 1500 * 3 * sizeof *few.b);
    ts_points_release(&few);
    ts_points_release(&many);
  }
}

/* In every column of A and of B each of n strata holds one point. */
static void latin_hypercubes_fill_their_strata(void **state) {
  (void)state;
  struct ts_points points = draw(&space, (struct ts_sample_options){.count = 64, .seed = 3, .base = "lhs"});
  const double *blocks[] = {points.a, points.b};
  for (size_t column = 0; column < 6; column++) {
    bool seen[64] = {false};
    for (size_t n = 0; n < 64; n++) seen[(size_t)(blocks[column / 3][n * 3 + column % 3] * 64)] = true;
    for (size_t n = 0; n < 64; n++) assert_true(seen[n]);
  }
  assert_non_null(strstr(points.note, "runs cannot be added"));
  ts_points_release(&points);
}

static void odd_counts_of_sobol_points_are_noted(void **state) {
  (void)state;
  struct ts_points points = draw(&space, (struct ts_sample_options){.count = 1000});
  assert_non_null(strstr(points.note, "1024 base samples would be better than 1000"));
  ts_points_release(&points);
  points = draw(&space, (struct ts_sample_options){0});
  assert_int_equal(points.row_count, 1024 * 5);
  assert_null(points.note);
  ts_points_release(&points);
}

static void halves_are_refused_with_the_reason(void **state) {
  (void)state;
  static const char *const names[] = {"halves", "halton-halves"};
  for (size_t i = 0; i < 2; i++) {
    struct ts_error err = refused(&space, (struct ts_sample_options){.base = names[i]}, "never converge");
    assert_int_equal(err.code, TS_ERR_BAD_VALUE);
    assert_non_null(strstr(err.help, "0.64"));
    assert_non_null(strstr(err.help, "sobol-sequence"));
    assert_non_null(strstr(err.help, "0.014")); /* the last of it: it was not cut off */
  }
}

static void refuses_bad_options(void **state) {
  (void)state;
  const size_t gap[] = {0, 0, 2};
  assert_non_null(strstr(refused(&space, (struct ts_sample_options){.base = "haltn"}, "'haltn'").help, "'halton'"));
  assert_non_null(strstr(refused(&space, (struct ts_sample_options){.base = "qqqqq"}, "'qqqqq'").help, "'lhs'"));
  refused(&space, (struct ts_sample_options){.count = SIZE_MAX / 4}, "too many");
  refused(&space, (struct ts_sample_options){.group_of = gap, .group_count = 3}, "group 2 has no parameter");
  refused(&(struct ts_space){0}, (struct ts_sample_options){0}, "at least one parameter");
}

/* x < y in every row, AB rows too. */
static void constraints_replace_base_samples(void **state) {
  (void)state;
  const struct ts_constraint less[] = {{.left = 0, .comparison = TS_LESS, .right = 1}};
  struct ts_space bound = space;
  bound.constraints = less;
  bound.constraint_count = 1;
  static const char *const bases[] = {"sobol-sequence", "halton", "lhs", "mc"};
  for (size_t i = 0; i < 4; i++) {
    struct ts_points points =
        draw(&bound, (struct ts_sample_options){.count = 64, .seed = 2, .base = bases[i], .second_order = true});
    assert_int_equal(points.row_count, 64 * 8);
    for (size_t row = 0; row < points.row_count; row++) {
      double unit[3];
      ts_points_row(&points, row, unit);
      assert_true(unit[0] < unit[1]);
    }
    assert_non_null(strstr(points.note, "no longer split the variance"));
    struct ts_points more =
        draw(&bound, (struct ts_sample_options){.count = 128, .seed = 2, .base = bases[i], .second_order = true});
    if (i != 2) assert_memory_equal(points.a, more.a, 64 * 3 * sizeof *points.a);
    ts_points_release(&points);
    ts_points_release(&more);
  }
  const struct ts_constraint never[] = {{.left = 0, .comparison = TS_LESS, .right = 0}};
  bound.constraints = never;
  assert_int_equal(refused(&bound, (struct ts_sample_options){.count = 8}, "no base sample in 100000 draws").code,
                   TS_ERR_CONSTRAINT);
}

/* Sobol's g-function with a = 0, 1, 4.5, 9, 99, ...: first-order indices by its closed form, V_i = 1 / (3 (1 +
 * a_i)^2). */
static const double factors[8] = {0, 1, 4.5, 9, 99, 99, 99, 99};
static double g_function(const double *unit) {
  double product = 1;
  for (size_t i = 0; i < 8; i++) product *= (fabs(4 * unit[i] - 2) + factors[i]) / (1 + factors[i]);
  return product;
}

/* Largest error of S1 (Saltelli 2010) and ST (Jansen) over the parameters. */
static void largest_errors(const struct ts_points *points, size_t count, double *first, double *total) {
  double all = 1, sum = 0, squares = 0, part[8];
  for (size_t i = 0; i < 8; i++) {
    part[i] = 1 / (3 * (1 + factors[i]) * (1 + factors[i]));
    all *= 1 + part[i];
  }
  ts_auto_free double *outputs = ts_calloc(count * 10, sizeof *outputs);
  for (size_t row = 0; row < count * 10; row++) {
    double unit[8];
    ts_points_row(points, row, unit);
    outputs[row] = g_function(unit) - 1;
    if (row % 10 == 0 || row % 10 == 9) {
      sum += outputs[row];
      squares += outputs[row] * outputs[row];
    }
  }
  double n = (double)count, mean = sum / (2 * n), variance = squares / (2 * n) - mean * mean;
  *first = *total = 0;
  for (size_t i = 0; i < 8; i++) {
    double s1 = 0, st = 0;
    for (size_t b = 0; b < count; b++) {
      const double *y = outputs + b * 10;
      s1 += y[9] * (y[i + 1] - y[0]);
      st += (y[0] - y[i + 1]) * (y[0] - y[i + 1]);
    }
    double exact_total = part[i] * all / (1 + part[i]) / (all - 1);
    *first = fmax(*first, fabs(s1 / n / variance - part[i] / (all - 1)));
    *total = fmax(*total, fabs(st / (2 * n) / variance - exact_total));
  }
}

/* Measured elsewhere for n = 1000: Halton of 16 dimensions 0.014 and 0.001, Monte Carlo 0.030 and 0.027. */
static void indices_converge(void **state) {
  (void)state;
  struct ts_space eight = {.parameters = list, .count = 8};
  static const struct {
    const char *base;
    size_t count;
    double first, total;
  } cases[] = {{"halton", 1000, 0.02, 0.01},
               {"sobol-sequence", 1024, 0.02, 0.01},
               {"mc", 1000, 0.12, 0.12},
               {"lhs", 1000, 0.12, 0.12},
               {"halton", 8000, 0.005, 0.005}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct ts_points points =
        draw(&eight, (struct ts_sample_options){.count = cases[i].count, .seed = 1, .base = cases[i].base});
    double first, total;
    largest_errors(&points, cases[i].count, &first, &total);
    print_message("%s %zu: S1 wrong by %.4f, ST by %.4f\n", cases[i].base, cases[i].count, first, total);
    assert_true(first <= cases[i].first && total <= cases[i].total);
    ts_points_release(&points);
  }
}

/* What the refusal says is so: the first and the second n points of one Halton sequence of k dimensions. */
static void halves_of_a_sequence_do_not_converge(void **state) {
  (void)state;
  static double sequence[8000 * 8];
  for (size_t count = 1000; count <= 4000; count *= 4) {
    struct ts_error err = {0};
    assert_true(ts_source_fill("halton", 8, 1, 2 * count, &(struct ts_sample_options){0}, sequence, &err));
    struct ts_points halves = {.layout = TS_LAYOUT_SALTELLI,
                               .column_count = 8,
                               .row_count = count * 10,
                               .block_rows = 10,
                               .a = sequence,
                               .b = sequence + count * 8,
                               .group_count = 8};
    double first, total;
    largest_errors(&halves, count, &first, &total);
    print_message("halves of %zu: S1 wrong by %.2f, ST by %.2f\n", count, first, total);
    assert_true(first > 0.3);
  }
}

/* 65,536 base samples of 15 parameters, every row read once. */
static void large_designs_are_quick_and_small(void **state) {
  (void)state;
  struct ts_space wide = {.parameters = list, .count = 15};
  clock_t start = clock();
  struct ts_points points = draw(&wide, (struct ts_sample_options){.count = 65536, .seed = 1});
  double unit[15], sum = 0;
  for (size_t row = 0; row < points.row_count; row++) {
    ts_points_row(&points, row, unit);
    sum += unit[row % 15];
  }
  double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
  print_message("%.3f s\n", seconds);
  if (!getenv("TESSERA_SANITIZE")) assert_true(seconds <= 0.12 * 5); /* the bench measures; this finds disasters */
  assert_true(fabs(sum / (double)points.row_count - 0.5) < 0.001);
  assert_true(points.arena.allocated_bytes < (size_t)2 * 65536 * 15 * sizeof(double) + 100000);
  ts_points_release(&points);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_take_columns_from_both_blocks),
      cmocka_unit_test(groups_change_together),
      cmocka_unit_test(blocks_are_halves_of_the_coordinates),
      cmocka_unit_test(scrambled_sequences_deal_their_coordinates),
      cmocka_unit_test(halton_starts_at_its_second_point),
      cmocka_unit_test(doubling_keeps_the_base_samples),
      cmocka_unit_test(latin_hypercubes_fill_their_strata),
      cmocka_unit_test(odd_counts_of_sobol_points_are_noted),
      cmocka_unit_test(halves_are_refused_with_the_reason),
      cmocka_unit_test(refuses_bad_options),
      cmocka_unit_test(constraints_replace_base_samples),
      cmocka_unit_test(indices_converge),
      cmocka_unit_test(halves_of_a_sequence_do_not_converge),
      cmocka_unit_test(large_designs_are_quick_and_small),
  };
  return cmocka_run_group_tests(tests, make_space, NULL);
}
