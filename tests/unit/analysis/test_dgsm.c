/* Tests of analysis/dgsm.c: closed forms, failed runs, grids, rows out of order.
 * SPDX-License-Identifier: Apache-2.0 */
#include "samples.h"

/* Base points with one small step per parameter: forwards, or backwards at the upper end. */
static struct sample steps(size_t k, size_t bases, double low, double high, double step, uint64_t seed) {
  struct sample base = sample_create(k, bases), sample = sample_create(k, bases * (k + 1));
  sample_draw(&base, 0, 1, seed);
  for (size_t b = 0; b < bases; b++) {
    for (size_t r = 0; r <= k; r++) {
      double *unit = sample.unit + (b * (k + 1) + r) * k;
      memcpy(unit, base.unit + b * k, k * sizeof *unit);
      if (r > 0) unit[r - 1] += unit[r - 1] + step > 1 ? -step : step;
      for (size_t j = 0; j < k; j++) sample.values[(b * (k + 1) + r) * k + j] = low + (high - low) * unit[j];
    }
  }
  sample_destroy(&base);
  return sample;
}

/* E (dy/dx)^2: x1: (1 + 0.2 pi^4/5 + 0.01 pi^8/9) / 2; x2: 49/2; x3: 0.16 pi^6/7 / 2. The range is 2 pi, so that dgsm
 * is 4 vi / V. */
static void ishigami_has_closed_forms(void **state) {
  (void)state;
  struct sample sample = steps(3, 20000, -PI, PI, 1e-4, 4);
  for (size_t i = 0; i < sample.n; i++) sample.outputs[i] = ishigami(sample.values + i * 3);
  struct ts_indices indices = sample_analyse(&sample, TS_LAYOUT_DERIVATIVE, "dgsm", NULL);
  double vi[] = {(1 + 0.2 * pow(PI, 4) / 5 + 0.01 * pow(PI, 8) / 9) / 2, 24.5, 0.08 * pow(PI, 6) / 7};
  for (size_t j = 0; j < 3; j++) {
    struct ts_index index = sample_index(&indices, j, "vi"), bound = sample_index(&indices, j, "dgsm");
    close_to(index.value, vi[j], 0.03 * vi[j]);
    assert_true(index.low < vi[j] && vi[j] < index.high);
    close_to(bound.value, 4 * vi[j] / ISHIGAMI_VARIANCE, 0.03 * bound.value);
    assert_true(bound.low < bound.value && bound.value < bound.high);
  }
  assert_int_equal(indices.usable[2], 20000);
  ts_indices_release(&indices);
  sample_destroy(&sample);
}

/* A linear function has the same slope everywhere: vi is exact, its spread 0, dgsm a multiple of 1 / variance. */
static void linear_function_by_hand(void **state) {
  (void)state;
  struct sample sample = steps(2, 10, 10, 30, 0.25, 4);
  double mean = 0, variance = 0;
  for (size_t i = 0; i < sample.n; i++) {
    sample.outputs[i] = 2 * sample.values[i * 2] - 3 * sample.values[i * 2 + 1];
    if (i % 3 == 0) mean += sample.outputs[i] / 10;
  }
  for (size_t b = 0; b < 10; b++) variance += pow(sample.outputs[b * 3] - mean, 2) / 10;
  struct ts_indices indices = sample_analyse(&sample, TS_LAYOUT_DERIVATIVE, "dgsm", NULL);
  near(sample_index(&indices, 0, "vi").value, 4);
  near(sample_index(&indices, 1, "vi").value, 9);
  near(sample_index(&indices, 1, "vi_std").value, 0);
  near(sample_index(&indices, 0, "dgsm").value, 4 * 400 / (PI * PI * variance));
  near(sample_index(&indices, 1, "dgsm").value, 9 * 400 / (PI * PI * variance));
  ts_indices_release(&indices);
  sample_destroy(&sample);
}

/* What SALib prints as confidence (normal): 1.96 standard deviations of the bootstrap means of the squared slopes. */
static void normal_interval_has_the_standard_error(void **state) {
  (void)state;
  struct sample sample = steps(3, 500, -PI, PI, 1e-4, 4);
  for (size_t i = 0; i < sample.n; i++) sample.outputs[i] = ishigami(sample.values + i * 3);
  struct ts_analysis_options options = {.interval = TS_INTERVAL_NORMAL, .resamples = 1000};
  struct ts_indices indices = sample_analyse(&sample, TS_LAYOUT_DERIVATIVE, "dgsm", &options);
  for (size_t j = 0; j < 3; j++) {
    struct ts_index index = sample_index(&indices, j, "vi");
    double expected = 1.96 * sample_index(&indices, j, "vi_std").value / sqrt(500);
    close_to(index.high - index.value, expected, 0.15 * expected);
  }
  ts_indices_release(&indices);
  sample_destroy(&sample);
}

static void failed_runs_cost_what_they_touch(void **state) {
  (void)state;
  struct sample sample = steps(2, 10, 0, 1, 0.01, 4);
  for (size_t i = 0; i < sample.n; i++) sample.outputs[i] = 2 * sample.values[i * 2] - 3 * sample.values[i * 2 + 1];
  sample.outputs[0] = NAN;      /* base point: both slopes */
  sample.outputs[5] = INFINITY; /* second parameter of the second block */
  struct ts_indices indices = sample_analyse(&sample, TS_LAYOUT_DERIVATIVE, "dgsm", NULL);
  assert_int_equal(indices.usable[0], 9);
  assert_int_equal(indices.usable[1], 8);
  near(sample_index(&indices, 0, "vi").value, 4);
  near(sample_index(&indices, 1, "vi").value, 9);
  assert_true(isfinite(sample_index(&indices, 1, "dgsm").high));
  ts_indices_release(&indices);
  sample_destroy(&sample);
}

static void grids_constants_and_disorder_have_answers(void **state) {
  (void)state;
  struct sample sample = steps(2, 10, 0, 1, 0.01, 4);
  for (size_t i = 0; i < sample.n; i++) {
    sample.values[i * 2] = floor(2 * sample.values[i * 2]);
    sample.outputs[i] = 5;
  }
  struct ts_indices indices = sample_analyse(&sample, TS_LAYOUT_DERIVATIVE, "dgsm", NULL);
  assert_true(sample_has_note(&indices, "the step of 'x1' did not change its value in"));
  near(sample_index(&indices, 1, "vi").value, 0);
  near(sample_index(&indices, 1, "dgsm").value, 0);
  ts_indices_release(&indices);
  double swap = sample.unit[0];
  sample.unit[0] = sample.unit[6];
  sample.unit[6] = swap;
  sample_refused(&sample, TS_LAYOUT_DERIVATIVE, "dgsm", NULL, "row 3 of the derivative design does not differ");
  sample.unit[0] = NAN;
  sample_refused(&sample, TS_LAYOUT_DERIVATIVE, "dgsm", NULL, "the rows have no unit coordinates");
  sample.n = 29;
  sample_refused(&sample, TS_LAYOUT_DERIVATIVE, "dgsm", NULL, "a multiple of 3 rows, not 29");
  sample_refused(&sample, TS_LAYOUT_FREE, "dgsm", NULL, "needs the rows of a 'derivative' design");
  sample_destroy(&sample);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ishigami_has_closed_forms),
      cmocka_unit_test(linear_function_by_hand),
      cmocka_unit_test(normal_interval_has_the_standard_error),
      cmocka_unit_test(failed_runs_cost_what_they_touch),
      cmocka_unit_test(grids_constants_and_disorder_have_answers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
