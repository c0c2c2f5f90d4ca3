/* Tests of analysis/given_data.c: hand-computed slices, known indices, grids, coverage.
 * SPDX-License-Identifier: Apache-2.0
 * test-label: one-thread */
#include "samples.h"

static const struct ts_analysis_options no_intervals = {.resamples = TS_NO_RESAMPLES};

/* By hand: sorted outputs 1 3 5 | 7 2 6. The first slice is a line; in the second, squares of 14 around the mean less
 * 0.5 that the slope follows leave 13.5, with 6 - 4 degrees of freedom; in all 28 with 5. */
static void slices_by_hand(void **state) {
  (void)state;
  struct sample sample = sample_create(1, 6);
  memcpy(sample.values, (double[]){6, 1, 3, 5, 2, 4}, 6 * sizeof(double));
  memcpy(sample.outputs, (double[]){6, 1, 5, 2, 3, 7}, 6 * sizeof(double));
  struct ts_analysis_options options = {.slices = 2, .resamples = TS_NO_RESAMPLES};
  struct ts_indices indices = sample_analyse(&sample, TS_LAYOUT_FREE, "given-data", &options);
  near(sample_index(&indices, 0, "S1").value, 1 - (13.5 / 2) / (28. / 5));
  ts_indices_release(&indices);
  sample_destroy(&sample);
}

/* A line follows the means of two levels exactly: 1, 3 | 5, 7, 9. */
static void levels_are_never_parted(void **state) {
  (void)state;
  struct sample sample = sample_create(1, 5);
  memcpy(sample.values, (double[]){8, 4, 8, 4, 8}, 5 * sizeof(double));
  memcpy(sample.outputs, (double[]){5, 1, 7, 3, 9}, 5 * sizeof(double));
  struct ts_indices indices = sample_analyse(&sample, TS_LAYOUT_FREE, "given-data", &no_intervals);
  near(sample_index(&indices, 0, "S1").value, 1 - ((2. + 8) / 3) / (40. / 4));
  ts_indices_release(&indices);
  sample_destroy(&sample);
}

static void ishigami_is_near_the_analytic_indices(void **state) {
  (void)state;
  struct sample sample = sample_ishigami(5000, 2);
  struct ts_indices indices = sample_analyse(&sample, TS_LAYOUT_FREE, "given-data", NULL);
  close_to(sample_index(&indices, 0, "S1").value, 0.3139, 0.03);
  close_to(sample_index(&indices, 1, "S1").value, 0.4424, 0.03);
  close_to(sample_index(&indices, 2, "S1").value, 0, 0.02);
  ts_indices_release(&indices);
  sample_destroy(&sample);
}

/* No bias: the mean over many samples of an inert input is 0, of the others nearly the analytic value. */
static void means_and_intervals_agree_with_the_truth(void **state) {
  (void)state;
  double truth[] = {0.3139, 0.4424, 0}, sums[3] = {0};
  int hits[3] = {0};
  for (uint64_t seed = 0; seed < 200; seed++) {
    struct sample sample = sample_ishigami(400, seed + 50);
    struct ts_analysis_options options = {.seed = seed};
    struct ts_indices indices = sample_analyse(&sample, TS_LAYOUT_FREE, "given-data", &options);
    for (size_t j = 0; j < 3; j++) {
      struct ts_index index = sample_index(&indices, j, "S1");
      hits[j] += index.low <= truth[j] && truth[j] <= index.high;
      sums[j] += index.value / 200;
    }
    ts_indices_release(&indices);
    sample_destroy(&sample);
  }
  print_message("given-data: %d, %d, %d of 200 intervals cover; means %.4f %.4f %.4f\n", hits[0], hits[1], hits[2],
                sums[0], sums[1], sums[2]);
  for (size_t j = 0; j < 3; j++) {
    assert_in_range(hits[j], 180, 200);
    close_to(sums[j], truth[j], 0.015);
  }
}

static void limits_have_answers(void **state) {
  (void)state;
  struct sample sample = sample_ishigami(40, 6);
  for (size_t i = 0; i < 40; i++) sample.values[i * 3] = 4;
  sample.outputs[0] = NAN;
  struct ts_indices indices = sample_analyse(&sample, TS_LAYOUT_FREE, "given-data", NULL);
  assert_true(isnan(sample_index(&indices, 0, "S1").value));
  assert_int_equal(indices.usable[1], 39);
  ts_indices_release(&indices);
  for (size_t i = 0; i < 40; i++) sample.outputs[i] = 3;
  indices = sample_analyse(&sample, TS_LAYOUT_FREE, "given-data", NULL);
  near(sample_index(&indices, 1, "S1").value, 0);
  ts_indices_release(&indices);
  struct ts_analysis_options many = {.slices = 30};
  sample_refused(&sample, TS_LAYOUT_FREE, "given-data", &many, "needs at least 90 usable runs here, not 40");
  sample_destroy(&sample);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(slices_by_hand),
      cmocka_unit_test(levels_are_never_parted),
      cmocka_unit_test(ishigami_is_near_the_analytic_indices),
      cmocka_unit_test(means_and_intervals_agree_with_the_truth),
      cmocka_unit_test(limits_have_answers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
