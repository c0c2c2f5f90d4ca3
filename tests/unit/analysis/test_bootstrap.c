/* Tests of analysis/bootstrap.c: draws, percentile and normal intervals.
 * SPDX-License-Identifier: Apache-2.0 */
#include "analysis/method.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void near(double value, double reference) {
  if (fabs(value - reference) <= 1e-12 * fmax(1, fabs(reference))) return;
  print_error("%.17g, but the reference is %.17g\n", value, reference);
  fail();
}

/* Chi-squared of the counts of 7 values over 70,000 draws: above 22.5 (0.1 %) in one of a thousand seeds. */
static void draws_are_even(void **state) {
  (void)state;
  enum { COUNT = 70000 };
  static uint32_t draws[COUNT];
  size_t counts[7] = {0};
  ts_bootstrap_draw(12, 3, 7, COUNT, draws);
  for (size_t i = 0; i < COUNT; i++) {
    assert_true(draws[i] < 7);
    counts[draws[i]]++;
  }
  double chi = 0;
  for (size_t i = 0; i < 7; i++) chi += pow((double)counts[i] - 10000, 2) / 10000;
  assert_true(chi < 22.5);
}

static void draws_depend_on_seed_and_resample_alone(void **state) {
  (void)state;
  uint32_t first[50], again[50], longer[60];
  ts_bootstrap_draw(1, 0, 1000, 50, first);
  ts_bootstrap_draw(1, 0, 1000, 50, again);
  assert_memory_equal(first, again, sizeof first);
  ts_bootstrap_draw(1, 0, 1000, 60, longer);
  assert_memory_equal(first, longer, sizeof first);
  ts_bootstrap_draw(1, 1, 1000, 50, again);
  assert_memory_not_equal(first, again, sizeof first);
  ts_bootstrap_draw(2, 0, 1000, 50, again);
  assert_memory_not_equal(first, again, sizeof first);
  ts_bootstrap_draw(1, 0, 1, 50, again);
  for (size_t i = 0; i < 50; i++) assert_int_equal(again[i], 0);
}

/* Two statistics side by side: 1..99 in some order, and 1000 minus that. Places 5 and 95 of 99 hold 90 %. */
static void percentiles_are_places_of_sorted_values(void **state) {
  (void)state;
  double samples[99][2];
  for (size_t i = 0; i < 99; i++) {
    samples[i][0] = (double)(i * 37 % 99 + 1);
    samples[i][1] = 1000 - samples[i][0];
  }
  struct ts_index indices[2] = {{50, 0, 0}, {950, 0, 0}};
  ts_interval_of(samples[0], 99, 2, 0.9, TS_INTERVAL_DEFAULT, indices);
  near(indices[0].low, 5);
  near(indices[0].high, 95);
  near(indices[1].low, 905);
  near(indices[1].high, 995);
  ts_interval_of(samples[0], 99, 2, 0.91, TS_INTERVAL_PERCENTILE, indices);
  near(indices[0].low, 4.5); /* between two values */
  ts_interval_of(samples[0], 99, 2, 0.9999, TS_INTERVAL_PERCENTILE, indices);
  near(indices[0].low, 1); /* as far as the resamples go */
  near(indices[0].high, 99);
}

/* 1..5: standard deviation sqrt(2.5); the normal quantiles are from tables. */
static void normal_intervals_are_standard_deviations(void **state) {
  (void)state;
  const double samples[] = {3, 1, NAN, 5, 2, 4};
  struct ts_index index = {10, 0, 0};
  ts_interval_of(samples, 6, 1, 0.95, TS_INTERVAL_NORMAL, &index);
  near(index.low, 10 - 1.959963984540054 * sqrt(2.5));
  near(index.high, 10 + 1.959963984540054 * sqrt(2.5));
  ts_interval_of(samples, 6, 1, 0.99, TS_INTERVAL_NORMAL, &index);
  near(index.high, 10 + 2.5758293035489004 * sqrt(2.5));
}

static void what_is_unknown_stays_unknown(void **state) {
  (void)state;
  const double samples[] = {NAN, NAN, 1, NAN};
  struct ts_index index = {1, 0, 0};
  ts_interval_of(samples, 4, 1, 0.95, TS_INTERVAL_PERCENTILE, &index);
  assert_true(isnan(index.low) && isnan(index.high));
  const double known[] = {1, 2, 3, 4};
  index.value = NAN;
  ts_interval_of(known, 4, 1, 0.95, TS_INTERVAL_PERCENTILE, &index);
  assert_true(isnan(index.low) && isnan(index.high));
  index.value = 2;
  ts_interval_of(known, 0, 1, 0.95, TS_INTERVAL_PERCENTILE, &index);
  assert_true(isnan(index.low) && isnan(index.high));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(draws_are_even),
      cmocka_unit_test(draws_depend_on_seed_and_resample_alone),
      cmocka_unit_test(percentiles_are_places_of_sorted_values),
      cmocka_unit_test(normal_intervals_are_standard_deviations),
      cmocka_unit_test(what_is_unknown_stays_unknown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
