/* Tests of analysis/vbd*.c on what goes wrong: failed runs, constant outputs, huge numbers, rows that are no design.
 * SPDX-License-Identifier: Apache-2.0
 * test-label: one-thread */
#include "analysis/method.h"

#include "base/alloc.h"
#include "base/random.h"
#include "support/vbd_oracle.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char *const names[] = {"x1", "x2", "x3"};
#define K 3

static void near(double value, double reference) {
  if (fabs(value - reference) <= 1e-10 * fmax(1, fabs(reference))) return;
  print_error("%.17g, but the reference is %.17g\n", value, reference);
  fail();
}

static struct ts_runs runs_of(const double *outputs, size_t rows, bool second) {
  return (struct ts_runs){.names = names,
                          .parameter_count = K,
                          .group_count = K,
                          .row_count = rows,
                          .layout = second ? TS_LAYOUT_SALTELLI_2 : TS_LAYOUT_SALTELLI,
                          .outputs = outputs};
}

static void analyse(const struct ts_runs *runs, const struct ts_analysis_options *options, struct ts_indices *indices) {
  struct ts_error err = {0};
  if (ts_analyse(ts_method_find("sobol", &err), runs, options, NULL, indices, &err)) return;
  print_error("%s\n", err.text);
  fail();
}

static bool has_note(const struct ts_indices *indices, const char *part) {
  for (size_t i = 0; i < indices->note_count; i++) {
    if (strstr(indices->notes[i], part)) return true;
  }
  return false;
}

static void refused(const struct ts_runs *runs, const char *part) {
  struct ts_error err = {0};
  struct ts_indices indices;
  assert_false(ts_analyse(ts_method_find("vbd", &err), runs, NULL, NULL, &indices, &err));
  assert_int_equal(err.code, TS_ERR_BAD_VALUE);
  assert_true(err.help[0]);
  assert_null(indices.names);
  if (strstr(err.text, part)) return;
  print_error("'%s' does not say '%s'\n", err.text, part);
  fail();
}

/* Losing A or B of a base sample is the same as never having drawn it: indices, pairs and intervals. */
static void lost_base_samples_are_as_never_drawn(void **state) {
  (void)state;
  size_t n = 150, rows = 2 * K + 2, kept = 0;
  double *outputs = oracle_run(oracle_ishigami, K, NULL, K, n, true, 3, NULL);
  double *reduced = ts_calloc(n * rows, sizeof *reduced);
  for (size_t i = 0; i < n; i++) {
    if (i % 10 == 4) {
      outputs[i * rows] = i % 20 == 4 ? NAN : INFINITY;
    } else if (i % 25 == 7) {
      outputs[i * rows + rows - 1] = -INFINITY;
    } else {
      memcpy(reduced + kept++ * rows, outputs + i * rows, rows * sizeof *reduced);
    }
  }
  assert_int_equal(kept, n - 15 - 6);
  struct ts_analysis_options options = {.resamples = 50, .seed = 8};
  struct ts_runs runs = runs_of(outputs, n * rows, true), reduced_runs = runs_of(reduced, kept * rows, true);
  struct ts_indices with, without;
  analyse(&runs, &options, &with);
  analyse(&reduced_runs, &options, &without);
  for (size_t c = 0; c < 2 * K; c++) {
    near(with.cells[c].value, without.cells[c].value);
    near(with.cells[c].low, without.cells[c].low);
    near(with.cells[c].high, without.cells[c].high);
  }
  for (size_t p = 0; p < K; p++) {
    near(with.pairs[p].index.value, without.pairs[p].index.value);
    near(with.pairs[p].index.low, without.pairs[p].index.low);
  }
  assert_int_equal(with.usable[0], kept);
  assert_int_equal(with.lost_count, 21);
  assert_true(has_note(&with, "base samples")); /* 14 % of them, though 1.75 % of the runs */
  assert_int_equal(without.note_count, 0);
  ts_indices_release(&with);
  ts_indices_release(&without);
  free(outputs);
  free(reduced);
}

/* Runs lost here and there cost only the indices that need them. */
static void check_scattered_losses(enum ts_vbd_estimator estimator, double share) {
  size_t n = 210, rows = 2 * K + 2, lost = 0;
  double *outputs = oracle_run(oracle_ishigami, K, NULL, K, n, true, 13, NULL);
  struct ts_random random;
  ts_random_init(&random, 5, 5);
  for (size_t i = 0; i < n * rows; i++) {
    if (ts_random_unit(&random) >= share) continue;
    outputs[i] = NAN;
    lost++;
  }
  struct oracle_data raw = {outputs, n, K, true}, data = raw;
  double *standard = oracle_standardise(&raw);
  data.outputs = standard;
  struct ts_runs runs = runs_of(outputs, n * rows, true);
  struct ts_analysis_options options = {.resamples = 30, .estimator = estimator};
  struct ts_indices indices;
  analyse(&runs, &options, &indices);
  assert_int_equal(indices.lost_count, lost);
  for (size_t j = 0; j < K; j++) {
    size_t usable = 0;
    for (size_t i = 0; i < n; i++) {
      usable += isfinite(outputs[i * rows]) && isfinite(outputs[i * rows + 1 + j]) && isfinite(outputs[i * rows + 7]);
    }
    assert_int_equal(indices.usable[j], usable);
    near(indices.cells[2 * j].value, oracle_first(&data, (enum oracle_estimator)estimator, j, NULL, n));
    near(indices.cells[2 * j + 1].value, oracle_total(&data, j, NULL, n));
    assert_true(indices.cells[2 * j].low < indices.cells[2 * j].value);
    assert_true(indices.cells[2 * j].high > indices.cells[2 * j].value);
  }
  for (size_t p = 0; p < indices.pair_count; p++) {
    near(indices.pairs[p].index.value, oracle_second(&data, indices.pairs[p].a, indices.pairs[p].b, NULL, n));
  }
  assert_int_equal(has_note(&indices, "no usable output"), share > 0.05);
  ts_indices_release(&indices);
  free(standard);
  free(outputs);
}

static void scattered_losses_cost_only_what_needs_them(void **state) {
  (void)state;
  for (int estimator = TS_S1_SALTELLI; estimator <= TS_S1_MARTINEZ; estimator++) {
    check_scattered_losses((enum ts_vbd_estimator)estimator, 0.01);
    check_scattered_losses((enum ts_vbd_estimator)estimator, 0.2);
  }
}

static void a_parameter_without_runs_leaves_the_others_alone(void **state) {
  (void)state;
  size_t n = 40, rows = K + 2;
  double *outputs = oracle_run(oracle_ishigami, K, NULL, K, n, false, 1, NULL);
  for (size_t i = 0; i < n; i++) outputs[i * rows + 2] = NAN;
  struct ts_runs runs = runs_of(outputs, n * rows, false);
  struct ts_indices indices;
  analyse(&runs, NULL, &indices);
  assert_int_equal(indices.usable[1], 0);
  assert_true(isnan(indices.cells[2].value) && isnan(indices.cells[3].value) && isnan(indices.cells[2].low));
  assert_true(isfinite(indices.cells[0].value) && isfinite(indices.cells[5].high));
  ts_indices_release(&indices);
  free(outputs);
}

static void without_a_usable_output_there_is_an_error(void **state) {
  (void)state;
  double outputs[2 * (K + 2)];
  for (size_t i = 0; i < 2 * (K + 2); i++) outputs[i] = i % 2 ? NAN : INFINITY;
  struct ts_runs runs = runs_of(outputs, 2 * (K + 2), false);
  refused(&runs, "none of the 10 runs");
}

static void constant_outputs_have_no_shares(void **state) {
  (void)state;
  double outputs[8 * (2 * K + 2)];
  for (size_t i = 0; i < 64; i++) outputs[i] = 0.1; /* whose mean is not 0.1 in binary */
  for (int estimator = TS_S1_SALTELLI; estimator <= TS_S1_MARTINEZ; estimator++) {
    struct ts_runs runs = runs_of(outputs, 64, true);
    struct ts_analysis_options options = {.estimator = (enum ts_vbd_estimator)estimator, .convergence = true};
    struct ts_indices indices;
    analyse(&runs, &options, &indices);
    for (size_t c = 0; c < 2 * K; c++) assert_true(isnan(indices.cells[c].value) && isnan(indices.cells[c].low));
    assert_true(isnan(indices.pairs[0].index.value));
    assert_int_equal(indices.note_count, 1);
    assert_true(has_note(&indices, "0.1 in every run"));
    ts_indices_release(&indices);
  }
  outputs[1] = 5; /* A and B still do not vary */
  outputs[2] = NAN;
  for (int estimator = TS_S1_SALTELLI; estimator <= TS_S1_MARTINEZ; estimator++) {
    struct ts_runs runs = runs_of(outputs, 64, true);
    struct ts_analysis_options options = {.estimator = (enum ts_vbd_estimator)estimator};
    struct ts_indices indices;
    analyse(&runs, &options, &indices);
    for (size_t c = 0; c < 2 * K; c++) assert_true(isnan(indices.cells[c].value));
    assert_true(has_note(&indices, "no variance"));
    ts_indices_release(&indices);
  }
}

/* One base sample makes all the variance of A and B: a third of the resamples miss it and say nothing. Divided by the
 * rounding error of a variance of 0 they would say 1e15. */
static void resamples_without_variance_are_left_out(void **state) {
  (void)state;
  double outputs[10 * (K + 2)];
  for (size_t i = 0; i < 50; i++) outputs[i] = 0.1;
  outputs[0] = 1.1;
  outputs[26] = 0.7;
  struct ts_runs runs = runs_of(outputs, 50, false);
  struct ts_indices indices;
  analyse(&runs, NULL, &indices);
  /* V = 1/20 - 1/400; mean of squared differences: A_0 - AB_0 (1) and A_5 - AB_5 (0.36), over 10. */
  near(indices.cells[1].value, 0.136 / (2 * (0.05 - 0.0025)));
  assert_true(indices.cells[1].low >= 0 && indices.cells[1].high < 100);
  assert_true(indices.cells[1].high > indices.cells[1].value);
  ts_indices_release(&indices);
}

/* Some outputs are there, but no base sample has both A and B. */
static void without_a_base_sample_nothing_is_known(void **state) {
  (void)state;
  double outputs[4 * (K + 2)];
  for (size_t i = 0; i < 20; i++) outputs[i] = i % 5 == 0 ? NAN : (double)i;
  struct ts_runs runs = runs_of(outputs, 20, false);
  struct ts_indices indices;
  analyse(&runs, NULL, &indices);
  for (size_t c = 0; c < 2 * K; c++) assert_true(isnan(indices.cells[c].value));
  assert_int_equal(indices.usable[0], 0);
  assert_true(has_note(&indices, "rests on 0 of 4"));
  assert_false(has_note(&indices, "no variance"));
  ts_indices_release(&indices);
}

/* y = 15 x1 + 14 x2 + .. + x15: shares are squares of the factors. */
static void ten_million_rows(void **state) {
  (void)state;
  enum { MANY = 588236, COLUMNS = 15 };
  static const char *const many_names[COLUMNS] = {"a", "b", "c", "d", "e", "f", "g", "h",
                                                  "i", "j", "k", "l", "m", "n", "o"};
  size_t rows = COLUMNS + 2;
  double *outputs = ts_calloc(MANY * rows, sizeof *outputs);
  struct ts_random random;
  ts_random_init(&random, 1, 2);
  for (size_t i = 0; i < MANY; i++) {
    double a[COLUMNS], b[COLUMNS], sum_a = 0, sum_b = 0, *block = outputs + i * rows;
    for (int c = 0; c < COLUMNS; c++) {
      a[c] = (COLUMNS - c) * ts_random_unit(&random);
      b[c] = (COLUMNS - c) * ts_random_unit(&random);
      sum_a += a[c];
      sum_b += b[c];
    }
    block[0] = sum_a;
    for (int c = 0; c < COLUMNS; c++) block[1 + c] = sum_a - a[c] + b[c];
    block[COLUMNS + 1] = sum_b;
  }
  struct ts_runs runs = {.names = many_names,
                         .parameter_count = COLUMNS,
                         .group_count = COLUMNS,
                         .row_count = MANY * rows,
                         .layout = TS_LAYOUT_SALTELLI,
                         .outputs = outputs};
  struct ts_analysis_options options = {.resamples = 7};
  struct ts_indices indices;
  analyse(&runs, &options, &indices);
  assert_int_equal(indices.row_count, 10000012);
  for (int c = 0; c < COLUMNS; c++) {
    double share = (double)((COLUMNS - c) * (COLUMNS - c)) / 1240;
    assert_true(fabs(indices.cells[2 * c].value - share) < 0.005);
    assert_true(fabs(indices.cells[2 * c + 1].value - share) < 0.005);
  }
  ts_indices_release(&indices);
  free(outputs);
}

/* Shares of variance depend neither on the unit of the output nor on its zero. */
static void units_do_not_matter(void **state) {
  (void)state;
  size_t n = 64, rows = 2 * K + 2;
  double *outputs = oracle_run(oracle_ishigami, K, NULL, K, n, true, 2, NULL);
  double *scaled = ts_calloc(n * rows, sizeof *scaled);
  static const double factors[] = {1e300, 1e-300, -1e-7, 0x1p-1070};
  struct ts_analysis_options options = {.resamples = 20};
  struct ts_indices plain, other;
  struct ts_runs runs = runs_of(outputs, n * rows, true);
  analyse(&runs, &options, &plain);
  for (size_t f = 0; f < 4; f++) {
    for (size_t i = 0; i < n * rows; i++) scaled[i] = outputs[i] * factors[f];
    runs = runs_of(scaled, n * rows, true);
    analyse(&runs, &options, &other);
    for (size_t c = 0; c < 2 * K; c++) {
      double limit = f == 3 ? 0.1 : 1e-9; /* the last leaves a few bits of each output */
      assert_true(fabs(other.cells[c].value - plain.cells[c].value) <= limit);
      assert_true(fabs(other.cells[c].high - plain.cells[c].high) <= limit);
    }
    ts_indices_release(&other);
  }
  for (size_t i = 0; i < n * rows; i++) scaled[i] = outputs[i] + 1e9;
  runs = runs_of(scaled, n * rows, true);
  analyse(&runs, &options, &other);
  for (size_t c = 0; c < 2 * K; c++) assert_true(fabs(other.cells[c].value - plain.cells[c].value) <= 1e-6);
  ts_indices_release(&other);
  ts_indices_release(&plain);
  free(outputs);
  free(scaled);
}

static void one_base_sample_has_no_interval(void **state) {
  (void)state;
  const double outputs[] = {1, 2, 3, 4, 5};
  struct ts_runs runs = runs_of(outputs, 5, false);
  struct ts_indices indices;
  analyse(&runs, NULL, &indices);
  /* Standardised: -2, -1, 0, 1, 2 over sqrt 2; V = 2. S1 of x1: 2 (-1 + 2) / 2 / 2. */
  near(indices.cells[0].value, 0.5);
  near(indices.cells[1].value, 0.125);
  assert_true(isnan(indices.cells[0].low) && isnan(indices.cells[0].high));
  ts_indices_release(&indices);
}

static void incomplete_blocks_are_refused(void **state) {
  (void)state;
  double outputs[32] = {0};
  struct ts_runs runs = runs_of(outputs, 4, false);
  refused(&runs, "4 rows are fewer than the 5");
  runs = runs_of(outputs, 12, false);
  refused(&runs, "12 rows are 2 base samples of 5 (3 parameters) and 2 rows over");
  runs = runs_of(outputs, 30, true);
  refused(&runs, "30 rows are 3 base samples of 8 (3 parameters, second order) and 6 rows over");
  runs.row_count = 0;
  refused(&runs, "no runs");
}

/* Rows out of order would give indices that look fine. */
static void shuffled_rows_are_refused(void **state) {
  (void)state;
  size_t n = 10, rows = 2 * K + 2;
  double *unit = ts_calloc(n * rows * K, sizeof *unit), saved[K];
  double *outputs = oracle_run(oracle_ishigami, K, NULL, K, n, true, 2, unit);
  struct ts_runs runs = runs_of(outputs, n * rows, true);
  struct ts_indices indices;
  runs.unit = unit;
  analyse(&runs, NULL, &indices);
  ts_indices_release(&indices);
  memcpy(saved, unit + 18 * K, sizeof saved); /* rows 19 and 20 are AB_2 and AB_3 of base sample 3 */
  memcpy(unit + 18 * K, unit + 19 * K, sizeof saved);
  memcpy(unit + 19 * K, saved, sizeof saved);
  refused(&runs, "row 19 should be row AB_2 of base sample 3");
  runs.values = unit;
  runs.unit = NULL;
  refused(&runs, "row 19");
  free(unit);
  free(outputs);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lost_base_samples_are_as_never_drawn),
      cmocka_unit_test(scattered_losses_cost_only_what_needs_them),
      cmocka_unit_test(a_parameter_without_runs_leaves_the_others_alone),
      cmocka_unit_test(without_a_usable_output_there_is_an_error),
      cmocka_unit_test(constant_outputs_have_no_shares),
      cmocka_unit_test(resamples_without_variance_are_left_out),
      cmocka_unit_test(without_a_base_sample_nothing_is_known),
      cmocka_unit_test(ten_million_rows),
      cmocka_unit_test(units_do_not_matter),
      cmocka_unit_test(one_base_sample_has_no_interval),
      cmocka_unit_test(incomplete_blocks_are_refused),
      cmocka_unit_test(shuffled_rows_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
