/* Tests of analysis/morris.c: reference vectors, failed runs, intervals, and designs that are none.
 * SPDX-License-Identifier: Apache-2.0 */
#include "analysis/analysis.h"

#include "base/alloc.h"
#include "base/file.h"
#include "base/random.h"
#include "vectors.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define MAX_K 15

static double cell(const struct ts_csv *csv, size_t row, size_t column) {
  double number;
  assert_true(ts_parse_double(csv->rows[row][column], &number));
  return number;
}

static void near(double value, double reference) {
  double limit = 1e-10 * fmax(1, fabs(reference));
  if (fabs(value - reference) <= limit) return;
  print_error("%.17g, but the reference is %.17g\n", value, reference);
  fail();
}

static double reference(const json_t *record, const char *name, size_t index) {
  const json_t *number = json_array_get(json_object_get(record, name), index);
  assert_true(json_is_number(number));
  return json_number_value(number);
}

/* The vectors allow 15 % for intervals made like theirs (normal). Percentiles of few, skewed effects differ a bit
 * more. */
static void width_near(const struct ts_morris_index *index, double half_width, double share) {
  double width = (index->mu_star_high - index->mu_star_low) / 2;
  assert_true(index->mu_star_low <= index->mu_star && index->mu_star <= index->mu_star_high);
  if (fabs(width - half_width) <= fmax(1e-9, share * half_width)) return;
  print_error("half width %g, but the reference is %g\n", width, half_width);
  fail();
}

/* `first`: column of the unit design, or of x in (-pi, pi). levels 0: delta comes from the design. */
static void check_vector(const char *name, size_t first, bool scaled, bool use_levels) {
  const json_t *record = json_object_get(vectors_doc.root, name);
  assert_non_null(record);
  size_t k = (size_t)json_integer_value(json_object_get(record, "D"));
  char file[256];
  snprintf(file, sizeof file, "%s.csv", name);
  struct ts_csv csv = vectors_csv(file);
  struct ts_error err = {0};
  double *unit = ts_calloc(csv.row_count * k, sizeof *unit), *outputs = ts_calloc(csv.row_count, sizeof *outputs);
  for (size_t r = 0; r < csv.row_count; r++) {
    for (size_t i = 0; i < k; i++) {
      double x = cell(&csv, r, first + i);
      unit[r * k + i] = scaled ? (x + acos(-1)) / (2 * acos(-1)) : x;
    }
    outputs[r] = cell(&csv, r, csv.column_count - 1);
  }
  struct ts_morris_input input = {.names = (const char *const *)csv.header,
                                  .parameter_count = k,
                                  .row_count = csv.row_count,
                                  .unit = unit,
                                  .outputs = outputs,
                                  .seed = 1};
  if (use_levels) input.levels = (size_t)json_integer_value(json_object_get(record, "levels"));
  struct ts_morris_index indices[MAX_K];
  assert_true(ts_analysis_morris(&input, NULL, indices, &err));
  for (size_t i = 0; i < k; i++) {
    assert_string_equal(indices[i].name, csv.header[i]);
    assert_int_equal(indices[i].effect_count, json_integer_value(json_object_get(record, "r")));
    near(indices[i].mu, reference(record, "mu", i));
    near(indices[i].mu_star, reference(record, "mu_star", i));
    near(indices[i].sigma, reference(record, "sigma", i));
    width_near(&indices[i], reference(record, "mu_star_conf95_R1000", i), 0.2);
  }
  input.normal_intervals = true;
  assert_true(ts_analysis_morris(&input, NULL, indices, &err));
  for (size_t i = 0; i < k; i++) width_near(&indices[i], reference(record, "mu_star_conf95_R1000", i), 0.15);
  free(unit);
  free(outputs);
  ts_csv_release(&csv);
}

static void ishigami_agrees(void **state) {
  (void)state;
  if (!vectors_doc.root) skip();
  check_vector("ishigami_morris_p4_r10", 0, true, true);
  check_vector("ishigami_morris_p20_r8", 0, true, true);
  check_vector("ishigami_morris_p4_r10", 0, true, false);
}

static void segmentation_grid_agrees(void **state) {
  (void)state;
  if (!vectors_doc.root) skip();
  check_vector("seggrid15_morris_p4_r10", 15, false, true);
  check_vector("seggrid15_morris_p20_r8", 15, false, true);
  check_vector("seggrid15_morris_p20_r8", 15, false, false);
}

/* Two parameters, three trajectories of p = 4; y = 3 a + 0 b but where noted. delta = 2/3. */
static const char *const names[] = {"a", "b"};
static const double unit[] = {0, 0, 2. / 3, 0,      2. / 3, 2. / 3, /* a up, b up */
                              1, 1, 1,      1. / 3, 1. / 3, 1. / 3, /* b down, a down */
                              0, 1, 2. / 3, 1,      2. / 3, 1. / 3 /* a up, b down */};
static struct ts_morris_input small_input(const double *outputs) {
  return (struct ts_morris_input){
      .names = names, .parameter_count = 2, .row_count = 9, .unit = unit, .outputs = outputs, .levels = 4, .seed = 5};
}

static void effects_point_in_the_increasing_direction(void **state) {
  (void)state;
  const double outputs[] = {0, 2, 2, 3, 3, 1, 0, 2, 2};
  struct ts_morris_input input = small_input(outputs);
  struct ts_morris_index indices[2];
  struct ts_error err = {0};
  assert_true(ts_analysis_morris(&input, NULL, indices, &err));
  near(indices[0].mu, 3);
  near(indices[0].mu_star, 3);
  near(indices[0].sigma, 0);
  near(indices[0].mu_star_low, 3);
  near(indices[0].mu_star_high, 3);
  near(indices[1].mu_star, 0);
}

/* Effects of a: 3, 3, 6; by hand mu 4, sigma sqrt(3). */
static void sigma_divides_by_n_minus_one(void **state) {
  (void)state;
  const double outputs[] = {0, 2, 2, 3, 3, 1, 0, 4, 4};
  struct ts_morris_input input = small_input(outputs);
  struct ts_morris_index indices[2];
  struct ts_error err = {0};
  assert_true(ts_analysis_morris(&input, NULL, indices, &err));
  near(indices[0].mu, 4);
  near(indices[0].sigma, sqrt(3));
  near(indices[0].mu_low, 3);
  near(indices[0].mu_high, 6); /* one resample in 27 draws the third trajectory thrice: beyond 2.5 % */
}

/* Row 1 (the second) touches a's effect of trajectory 0 and b's; row 3 touches b's of trajectory 1 alone. */
static void failed_runs_drop_the_effects_that_touch_them(void **state) {
  (void)state;
  const double outputs[] = {0, NAN, 2, NAN, 3, 1, 0, 4, 4};
  struct ts_morris_input input = small_input(outputs);
  struct ts_morris_index indices[2];
  struct ts_error err = {0};
  assert_true(ts_analysis_morris(&input, NULL, indices, &err));
  assert_int_equal(indices[0].effect_count, 2);
  near(indices[0].mu_star, (3 + 6) / 2.);
  assert_int_equal(indices[1].effect_count, 1);
  near(indices[1].mu_star, 0);
  assert_true(isnan(indices[1].sigma));
  assert_true(isnan(indices[1].mu_star_low) && isnan(indices[1].mu_star_high));
  const double all_failed[] = {NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
  input.outputs = all_failed;
  assert_true(ts_analysis_morris(&input, NULL, indices, &err));
  assert_int_equal(indices[0].effect_count, 0);
  assert_true(isnan(indices[0].mu) && isnan(indices[0].mu_star));
}

/* A design of 20 trajectories with noise, to have something to resample. */
static void fill_noisy(double *noisy_unit, double *outputs) {
  struct ts_random random;
  ts_random_init(&random, 1234, 0);
  for (size_t t = 0; t < 20; t++) {
    for (size_t step = 0; step < 3; step++) {
      double *row = noisy_unit + (t * 3 + step) * 2;
      row[0] = step >= 1 ? 1 : 1. / 3;
      row[1] = step >= 2 ? 2. / 3 : 0;
      outputs[t * 3 + step] = row[0] + ts_random_unit(&random);
    }
  }
}

static void the_pool_does_not_change_the_intervals(void **state) {
  (void)state;
  double noisy_unit[120], outputs[60];
  fill_noisy(noisy_unit, outputs);
  struct ts_morris_input input = {.names = names,
                                  .parameter_count = 2,
                                  .row_count = 60,
                                  .unit = noisy_unit,
                                  .outputs = outputs,
                                  .levels = 4,
                                  .seed = 5};
  struct ts_morris_index alone[2], pooled[2], other_seed[2], narrow[2];
  struct ts_error err = {0};
  struct ts_pool *pool = ts_pool_create(3, &err);
  assert_non_null(pool);
  assert_true(ts_analysis_morris(&input, NULL, alone, &err));
  assert_true(ts_analysis_morris(&input, pool, pooled, &err));
  assert_memory_equal(alone, pooled, sizeof alone);
  input.seed = 6;
  assert_true(ts_analysis_morris(&input, NULL, other_seed, &err));
  assert_false(other_seed[0].mu_star_low == alone[0].mu_star_low);
  input.confidence = 0.5;
  assert_true(ts_analysis_morris(&input, NULL, narrow, &err));
  assert_true(narrow[0].mu_star_high - narrow[0].mu_star_low < 0.6 * (alone[0].mu_star_high - alone[0].mu_star_low));
  ts_pool_destroy(pool);
}

static void refused(struct ts_morris_input input, const char *part) {
  struct ts_morris_index indices[MAX_K];
  struct ts_error err = {0};
  assert_false(ts_analysis_morris(&input, NULL, indices, &err));
  assert_int_equal(err.code, TS_ERR_BAD_VALUE);
  assert_true(err.help[0]);
  if (!strstr(err.text, part)) fail_msg("'%s' is not in '%s'", part, err.text);
}

static void refuses_what_is_no_morris_design(void **state) {
  (void)state;
  const double outputs[9] = {0}, two[] = {0, 0, 1, 1, 1, 0}, same[] = {0, 0, 0, 0, 1, 0}, twice[] = {0, 0, 1, 0, 0, 0};
  struct ts_morris_input input = small_input(outputs);
  input.row_count = 8;
  refused(input, "a multiple of 3 rows, not 8");
  input.row_count = 3;
  input.unit = two;
  refused(input, "rows 1 and 2 of the Morris design differ in 2 parameters");
  input.unit = same;
  refused(input, "differ in 0 parameters");
  input.unit = twice;
  refused(input, "'a' changes twice");
  input = small_input(outputs);
  input.levels = 5;
  refused(input, "even number of levels");
  input.levels = 4;
  input.confidence = 95;
  refused(input, "between 0 and 1");
}

int main(void) {
  vectors_open("expected.json");
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ishigami_agrees),
      cmocka_unit_test(segmentation_grid_agrees),
      cmocka_unit_test(effects_point_in_the_increasing_direction),
      cmocka_unit_test(sigma_divides_by_n_minus_one),
      cmocka_unit_test(failed_runs_drop_the_effects_that_touch_them),
      cmocka_unit_test(the_pool_does_not_change_the_intervals),
      cmocka_unit_test(refuses_what_is_no_morris_design),
  };
  return vectors_close(cmocka_run_group_tests(tests, NULL, NULL));
}
