/* Tests of analysis/vbd*.c: reference vectors, brute force, known functions, groups, convergence, threads.
 * SPDX-License-Identifier: Apache-2.0 */
#include "analysis/method.h"
#include "analysis/vbd_int.h"

#include "base/alloc.h"
#include "base/random.h"
#include "support/vbd_oracle.h"
#include "vectors.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char *const names[] = {"x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8"};

static void near_by(double value, double reference, double limit) {
  if (fabs(value - reference) <= limit) return;
  print_error("%.17g, but the reference is %.17g\n", value, reference);
  fail();
}

static void near(double value, double reference) { near_by(value, reference, 1e-10 * fmax(1, fabs(reference))); }

static void analyse(const struct ts_runs *runs, const struct ts_analysis_options *options, struct ts_pool *pool,
                    struct ts_indices *indices) {
  struct ts_error err = {0};
  const struct ts_method *method = ts_method_find("vbd", &err);
  assert_non_null(method);
  if (ts_analyse(method, runs, options, pool, indices, &err)) return;
  print_error("%s\n", err.text);
  fail();
}

static struct ts_runs runs_of(const double *outputs, size_t n, size_t k, bool second) {
  return (struct ts_runs){.names = names,
                          .parameter_count = k,
                          .group_count = k,
                          .row_count = n * ((second ? 2 : 1) * k + 2),
                          .layout = second ? TS_LAYOUT_SALTELLI_2 : TS_LAYOUT_SALTELLI,
                          .outputs = outputs};
}

/* ---- reference vectors ---- */

static double number(const json_t *list, size_t index) {
  const json_t *value = json_array_get(list, index);
  assert_true(json_is_number(value));
  return json_number_value(value);
}

static void width_near(struct ts_index index, const json_t *list, size_t at) {
  double half_width = number(list, at);
  near_by((index.high - index.low) / 2, half_width, fmax(1e-9, 0.15 * half_width));
  near_by((index.high + index.low) / 2, index.value, 1e-12);
}

static void check_first_and_total(const struct ts_indices *indices, const json_t *record) {
  for (size_t j = 0; j < indices->name_count; j++) {
    near(indices->cells[2 * j].value, number(json_object_get(record, "S1"), j));
    near(indices->cells[2 * j + 1].value, number(json_object_get(record, "ST"), j));
  }
}

static void check_widths(const struct ts_indices *indices, const json_t *record) {
  for (size_t j = 0; j < indices->name_count; j++) {
    width_near(indices->cells[2 * j], json_object_get(record, "S1_conf95_R1000"), j);
    width_near(indices->cells[2 * j + 1], json_object_get(record, "ST_conf95_R1000"), j);
  }
}

static void check_second(const struct ts_indices *indices, const json_t *record) {
  size_t k = indices->name_count;
  assert_int_equal(indices->pair_count, k * (k - 1) / 2);
  for (size_t p = 0; p < indices->pair_count; p++) {
    const struct ts_pair_index *pair = &indices->pairs[p];
    assert_true(pair->a < pair->b);
    near(pair->index.value, number(json_array_get(json_object_get(record, "S2"), pair->a), pair->b));
    assert_true(pair->index.low <= pair->index.value && pair->index.value <= pair->index.high);
  }
}

/* Leaves out the rows BA. */
static double *without_ba(const double *outputs, size_t n, size_t k) {
  double *kept = ts_calloc(n * (k + 2), sizeof *kept);
  for (size_t i = 0; i < n; i++) {
    memcpy(kept + i * (k + 2), outputs + i * (2 * k + 2), (k + 1) * sizeof *kept);
    kept[i * (k + 2) + k + 1] = outputs[i * (2 * k + 2) + 2 * k + 1];
  }
  return kept;
}

static void check_record(const json_t *record) {
  struct ts_csv csv = vectors_csv(json_string_value(json_object_get(record, "file")));
  size_t k = (size_t)json_integer_value(json_object_get(record, "D")), n = csv.row_count / (2 * k + 2);
  double *values = ts_calloc(csv.row_count * k, sizeof *values), *outputs = ts_calloc(csv.row_count, sizeof *outputs);
  for (size_t r = 0; r < csv.row_count; r++) {
    for (size_t c = 0; c < k; c++) assert_true(ts_parse_double(csv.rows[r][c], &values[r * k + c]));
    assert_true(ts_parse_double(csv.rows[r][k], &outputs[r]));
  }
  struct ts_runs runs = runs_of(outputs, n, k, true);
  runs.names = (const char *const *)csv.header;
  runs.values = values;
  struct ts_analysis_options options = {.interval = TS_INTERVAL_NORMAL, .resamples = 1000, .seed = 3};
  struct ts_indices indices;
  analyse(&runs, &options, NULL, &indices);
  check_first_and_total(&indices, record);
  check_widths(&indices, record);
  check_second(&indices, record);
  ts_indices_release(&indices);
  const json_t *short_record = json_object_get(record, "first_and_total_only_on_rows_A_AB_B");
  if (short_record) {
    double *kept = without_ba(outputs, n, k);
    runs = runs_of(kept, n, k, false);
    runs.names = (const char *const *)csv.header;
    analyse(&runs, &options, NULL, &indices);
    check_first_and_total(&indices, short_record);
    assert_int_equal(indices.pair_count, 0);
    ts_indices_release(&indices);
    free(kept);
  }
  free(values);
  free(outputs);
  ts_csv_release(&csv);
}

static void vectors_agree(void **state) {
  (void)state;
  if (!vectors_doc.root) skip();
  const char *key;
  json_t *record;
  size_t found = 0;
  json_object_foreach(vectors_doc.root, key, record) {
    const char *kind = json_string_value(json_object_get(record, "kind"));
    if (!kind || strcmp(kind, "sobol") != 0) continue;
    check_record(record);
    found++;
  }
  assert_true(found >= 2);
}

/* ---- brute force ---- */

/* Standard deviation (ddof 1) of a statistic over resamples that are put together one by one. */
static double naive_deviation(const struct oracle_data *data, size_t resamples, uint64_t seed,
                              double (*statistic)(const struct oracle_data *, size_t, size_t, const uint32_t *, size_t),
                              size_t first, size_t second) {
  ts_auto_free uint32_t *draws = ts_calloc(data->sample_count, sizeof *draws);
  ts_auto_free double *values = ts_calloc(resamples, sizeof *values);
  double mean = 0, squares = 0;
  for (size_t r = 0; r < resamples; r++) {
    ts_bootstrap_draw(seed, r, data->sample_count, data->sample_count, draws);
    values[r] = statistic(data, first, second, draws, data->sample_count);
    mean += values[r] / (double)resamples;
  }
  for (size_t r = 0; r < resamples; r++) squares += (values[r] - mean) * (values[r] - mean);
  return sqrt(squares / (double)(resamples - 1));
}

/* `estimator` stands in the place of the second group. */
static double first_statistic(const struct oracle_data *data, size_t group, size_t estimator, const uint32_t *draws,
                              size_t count) {
  return oracle_first(data, (enum oracle_estimator)estimator, group, draws, count);
}

static double total_statistic(const struct oracle_data *data, size_t group, size_t unused, const uint32_t *draws,
                              size_t count) {
  (void)unused;
  return oracle_total(data, group, draws, count);
}

static void check_interval(struct ts_index index, double value, double deviation) {
  near(index.value, value);
  near_by(index.low, value - 1.959963984540054 * deviation, 1e-9);
  near_by(index.high, value + 1.959963984540054 * deviation, 1e-9);
}

static void check_brute_force(size_t n, enum ts_vbd_estimator estimator, bool second) {
  size_t k = 3, resamples = 37;
  double *outputs = oracle_run(oracle_ishigami, k, NULL, k, n, second, 11 + n, NULL);
  struct ts_runs runs = runs_of(outputs, n, k, second);
  struct ts_analysis_options options = {
      .interval = TS_INTERVAL_NORMAL, .resamples = resamples, .seed = 5, .estimator = estimator};
  struct ts_indices indices;
  analyse(&runs, &options, NULL, &indices);
  assert_int_equal(indices.resamples, resamples);
  struct oracle_data raw = {outputs, n, k, second}, data = raw;
  double *standard = oracle_standardise(&raw);
  data.outputs = standard;
  for (size_t j = 0; j < k; j++) {
    assert_int_equal(indices.usable[j], n);
    check_interval(indices.cells[2 * j], oracle_first(&data, (enum oracle_estimator)estimator, j, NULL, n),
                   naive_deviation(&data, resamples, 5, first_statistic, j, estimator));
    check_interval(indices.cells[2 * j + 1], oracle_total(&data, j, NULL, n),
                   naive_deviation(&data, resamples, 5, total_statistic, j, 0));
  }
  for (size_t p = 0; p < indices.pair_count; p++) {
    const struct ts_pair_index *pair = &indices.pairs[p];
    check_interval(pair->index, oracle_second(&data, pair->a, pair->b, NULL, n),
                   naive_deviation(&data, resamples, 5, oracle_second, pair->a, pair->b));
  }
  assert_int_equal(indices.pair_count, second ? 3 : 0);
  ts_indices_release(&indices);
  free(standard);
  free(outputs);
}

static void weights_equal_naive_resampling(void **state) {
  (void)state;
  static const size_t sizes[] = {9, 64, 131, 400};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    for (int estimator = TS_S1_SALTELLI; estimator <= TS_S1_MARTINEZ; estimator++) {
      check_brute_force(sizes[i], (enum ts_vbd_estimator)estimator, false);
      check_brute_force(sizes[i], (enum ts_vbd_estimator)estimator, true);
    }
  }
}

/* Every sum is exactly the one of a plain loop, whatever registers the machine has. */
static void sums_are_those_of_a_plain_loop(void **state) {
  (void)state;
  size_t n = 203, k = 3, weightings = 7;
  double *outputs = oracle_run(oracle_ishigami, k, NULL, k, n, true, 2, NULL);
  struct ts_runs runs = runs_of(outputs, n, k, true);
  struct ts_vbd vbd;
  ts_vbd_init(&vbd, &runs, TS_S1_MARTINEZ);
  assert_int_equal(vbd.apart_columns, 0);
  ts_auto_free uint8_t *counts = ts_calloc(weightings * n, 1);
  struct ts_random random;
  ts_random_init(&random, 1, 1);
  for (size_t i = 0; i < weightings * n; i++) counts[i] = (uint8_t)ts_random_below(&random, 5);
  ts_auto_free double *sums = ts_calloc(weightings * TS_VBD_SEGMENTS * vbd.shared_columns, sizeof *sums);
  ts_auto_free double *naive = ts_calloc(TS_VBD_SEGMENTS * vbd.shared_columns, sizeof *naive);
  ts_auto_free double *line = ts_calloc(vbd.shared_columns, sizeof *line);
  ts_vbd_sums(&vbd, counts, weightings, sums);
  for (size_t r = 0; r < weightings; r++) {
    memset(naive, 0, TS_VBD_SEGMENTS * vbd.shared_columns * sizeof *naive);
    for (size_t i = 0; i < n; i++) {
      double block[8];
      ts_vbd_block(&vbd, i, block);
      ts_vbd_shared(&vbd, block, line);
      size_t segment = i < n / 8 ? 0 : i < n / 4 ? 1 : i < n / 2 ? 2 : 3;
      for (size_t c = 0; c < vbd.shared_columns; c++) {
        double term = counts[r * n + i] * line[c];
        naive[segment * vbd.shared_columns + c] += term;
      }
    }
    size_t size = TS_VBD_SEGMENTS * vbd.shared_columns;
    assert_memory_equal(sums + r * size, naive, size * sizeof *naive);
  }
  ts_vbd_release(&vbd);
  free(outputs);
}

/* ---- known functions ---- */

static void estimators_find_the_known_indices(void **state) {
  (void)state;
  size_t n = 8192, k = 3;
  double *outputs = oracle_run(oracle_ishigami, k, NULL, k, n, true, 21, NULL);
  struct ts_runs runs = runs_of(outputs, n, k, true);
  for (int estimator = TS_S1_SALTELLI; estimator <= TS_S1_MARTINEZ; estimator++) {
    struct ts_analysis_options options = {.resamples = TS_NO_RESAMPLES, .estimator = (enum ts_vbd_estimator)estimator};
    struct ts_indices indices;
    analyse(&runs, &options, NULL, &indices);
    for (size_t j = 0; j < k; j++) {
      near_by(indices.cells[2 * j].value, oracle_ishigami_s1[j], 0.04);
      near_by(indices.cells[2 * j + 1].value, oracle_ishigami_st[j], 0.04);
      assert_true(isnan(indices.cells[2 * j].low) && isnan(indices.cells[2 * j + 1].high));
    }
    near_by(indices.pairs[0].index.value, 0, 0.06);
    near_by(indices.pairs[1].index.value, 0.2436836640621477, 0.06); /* x1, x3 */
    near_by(indices.pairs[2].index.value, 0, 0.06);
    assert_int_equal(indices.resamples, 0);
    ts_indices_release(&indices);
  }
  free(outputs);
}

/* x1 and x3 together: their own shares and what they do together, 0.3139 + 0.2437. */
static void groups_have_indices_of_their_own(void **state) {
  (void)state;
  static const size_t group_of[] = {0, 1, 0};
  static const char *const group_names[] = {"odd", "even"};
  size_t n = 8192, k = 3;
  double *unit = ts_calloc(n * 6 * k, sizeof *unit);
  double *outputs = oracle_run(oracle_ishigami, k, group_of, 2, n, true, 4, unit);
  struct ts_runs runs = {.names = names,
                         .parameter_count = k,
                         .group_of = group_of,
                         .group_count = 2,
                         .group_names = group_names,
                         .row_count = n * 6,
                         .layout = TS_LAYOUT_SALTELLI_2,
                         .unit = unit,
                         .outputs = outputs};
  struct ts_analysis_options options = {.resamples = 100, .seed = 1};
  struct ts_indices indices;
  analyse(&runs, &options, NULL, &indices);
  assert_int_equal(indices.name_count, 2);
  assert_string_equal(indices.names[0], "odd");
  assert_string_equal(indices.names[1], "even");
  for (size_t c = 0; c < 2; c++) {
    near_by(indices.cells[c].value, 0.5575888552099592, 0.04);
    near_by(indices.cells[2 + c].value, 0.4424111447900409, 0.04);
  }
  assert_int_equal(indices.pair_count, 1);
  near_by(indices.pairs[0].index.value, 0, 0.06);
  ts_indices_release(&indices);
  free(unit);
  free(outputs);
}

/* ---- intervals, convergence, threads ---- */

static void confidence_widens_intervals(void **state) {
  (void)state;
  size_t n = 200, k = 3;
  double *outputs = oracle_run(oracle_ishigami, k, NULL, k, n, false, 8, NULL);
  struct ts_runs runs = runs_of(outputs, n, k, false);
  static const double levels[] = {0.5, 0.9, 0.99};
  struct ts_index last[6];
  for (size_t l = 0; l < 3; l++) {
    struct ts_analysis_options options = {.confidence = levels[l], .seed = 2};
    struct ts_indices indices;
    analyse(&runs, &options, NULL, &indices);
    assert_int_equal(indices.resamples, 1000);
    for (size_t c = 0; c < 6; c++) {
      if (l > 0) assert_true(indices.cells[c].low < last[c].low && indices.cells[c].high > last[c].high);
      last[c] = indices.cells[c];
    }
    ts_indices_release(&indices);
  }
  free(outputs);
}

static void convergence_shows_prefixes(void **state) {
  (void)state;
  size_t n = 400, k = 3;
  double *outputs = oracle_run(oracle_ishigami, k, NULL, k, n, false, 9, NULL);
  struct ts_runs runs = runs_of(outputs, n, k, false);
  struct ts_analysis_options options = {.convergence = true, .resamples = 200};
  struct ts_indices indices;
  analyse(&runs, &options, NULL, &indices);
  struct oracle_data raw = {outputs, n, k, false}, data = raw;
  double *standard = oracle_standardise(&raw);
  data.outputs = standard;
  static const size_t steps[] = {50, 100, 200, 400};
  assert_int_equal(indices.convergence_count, 4);
  for (size_t s = 0; s < 4; s++) {
    const struct ts_convergence *step = &indices.convergence[s];
    assert_int_equal(step->n, steps[s]);
    for (size_t j = 0; j < k; j++) {
      near(step->cells[2 * j].value, oracle_first(&data, ORACLE_SALTELLI, j, NULL, steps[s]));
      near(step->cells[2 * j + 1].value, oracle_total(&data, j, NULL, steps[s]));
      assert_true(step->cells[2 * j].low < step->cells[2 * j].high);
    }
  }
  assert_memory_equal(indices.convergence[3].cells, indices.cells, 6 * sizeof *indices.cells);
  /* Eight times the base samples: intervals of about a third of the width. */
  double early = indices.convergence[0].cells[0].high - indices.convergence[0].cells[0].low;
  double late = indices.cells[0].high - indices.cells[0].low;
  near_by(early / late, sqrt(8), 1.2);
  ts_indices_release(&indices);
  free(standard);
  free(outputs);
}

static bool has_note(const struct ts_indices *indices, const char *part) {
  for (size_t i = 0; i < indices->note_count; i++) {
    if (strstr(indices->notes[i], part)) return true;
  }
  return false;
}

static double only_x1(const double *unit) { return unit[0]; }
static double only_x2(const double *unit) { return unit[1]; }

static void halves_that_disagree_are_noted(void **state) {
  (void)state;
  size_t n = 256, k = 3, half = n / 2 * (k + 2);
  double *outputs = oracle_run(only_x1, k, NULL, k, n, false, 1, NULL);
  double *others = oracle_run(only_x2, k, NULL, k, n, false, 2, NULL);
  struct ts_runs runs = runs_of(outputs, n, k, false);
  struct ts_analysis_options options = {.resamples = 200};
  struct ts_indices indices;
  analyse(&runs, &options, NULL, &indices);
  assert_int_equal(indices.note_count, 0);
  ts_indices_release(&indices);
  memcpy(outputs + half, others + half, half * sizeof *outputs);
  analyse(&runs, &options, NULL, &indices);
  assert_true(has_note(&indices, "halves"));
  ts_indices_release(&indices);
  free(outputs);
  free(others);
}

static void threads_change_no_bit(void **state) {
  (void)state;
  size_t n = 300, k = 8;
  double *outputs = oracle_run(oracle_sobol_g, k, NULL, k, n, true, 6, NULL);
  outputs[7] = NAN;
  struct ts_runs runs = runs_of(outputs, n, k, true);
  struct ts_analysis_options options = {.resamples = 333, .seed = 4, .convergence = true};
  struct ts_indices first, other;
  analyse(&runs, &options, NULL, &first);
  static const size_t threads[] = {1, 2, 8};
  for (size_t t = 0; t < 3; t++) {
    struct ts_error err = {0};
    struct ts_pool *pool = ts_pool_create(threads[t], &err);
    assert_non_null(pool);
    analyse(&runs, &options, pool, &other);
    ts_pool_destroy(pool);
    assert_memory_equal(first.cells, other.cells, 2 * k * sizeof *first.cells);
    for (size_t p = 0; p < first.pair_count; p++) {
      assert_memory_equal(&first.pairs[p].index, &other.pairs[p].index, sizeof first.pairs[p].index);
    }
    for (size_t s = 0; s < first.convergence_count; s++) {
      assert_memory_equal(first.convergence[s].cells, other.convergence[s].cells, 2 * k * sizeof *first.cells);
    }
    ts_indices_release(&other);
  }
  ts_indices_release(&first);
  free(outputs);
}

int main(void) {
  vectors_open("expected.json");
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(vectors_agree),
      cmocka_unit_test(weights_equal_naive_resampling),
      cmocka_unit_test(sums_are_those_of_a_plain_loop),
      cmocka_unit_test(estimators_find_the_known_indices),
      cmocka_unit_test(groups_have_indices_of_their_own),
      cmocka_unit_test(confidence_widens_intervals),
      cmocka_unit_test(convergence_shows_prefixes),
      cmocka_unit_test(halves_that_disagree_are_noted),
      cmocka_unit_test(threads_change_no_bit),
  };
  return vectors_close(cmocka_run_group_tests(tests, NULL, NULL));
}
