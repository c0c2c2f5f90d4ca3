/* Tests of analysis/rbd_fast.c: vectors, known indices, ties, limits, coverage.
 * SPDX-License-Identifier: Apache-2.0
 * test-label: one-thread */
#include "samples.h"

static const struct ts_analysis_options no_intervals = {.resamples = TS_NO_RESAMPLES};

static void vectors_agree(void **state) {
  (void)state;
  struct sample sample = vectors_sample("ishigami_lhs_N500.csv", 3);
  const json_t *record = vectors_record("ishigami_lhs_N500");
  struct ts_indices indices = sample_analyse(&sample, TS_LAYOUT_FREE, "rbd-fast", NULL);
  vectors_column(&indices, "S1", json_object_get(record, "rbd_fast_M10_S1"));
  ts_indices_release(&indices);
  sample_destroy(&sample);
}

static void ishigami_is_near_the_analytic_indices(void **state) {
  (void)state;
  struct sample sample = sample_ishigami(5000, 2);
  struct ts_indices indices = sample_analyse(&sample, TS_LAYOUT_FREE, "rbd-fast", NULL);
  close_to(sample_index(&indices, 0, "S1").value, 0.3139, 0.03);
  close_to(sample_index(&indices, 1, "S1").value, 0.4424, 0.03);
  close_to(sample_index(&indices, 2, "S1").value, 0, 0.02);
  ts_indices_release(&indices);
  sample_destroy(&sample);
}

/* One harmonic by hand: y is the cosine of the place on the folded curve, so that S1 is 1 before the bias correction
 * and after it. Rows in any order. */
static void a_single_harmonic_is_found_whole(void **state) {
  (void)state;
  size_t n = 101;
  struct sample sample = sample_create(1, n);
  for (size_t i = 0; i < n; i++) {
    size_t sorted = i * 7 % n; /* place of row i when sorted */
    double place = sorted % 2 == 0 ? (double)(sorted / 2) : (double)(n - 1 - sorted / 2);
    sample.values[i] = (double)sorted;
    sample.outputs[i] = 5 + cos(2 * PI * 3 * place / (double)n);
  }
  struct ts_indices indices = sample_analyse(&sample, TS_LAYOUT_FREE, "rbd-fast", &no_intervals);
  near(sample_index(&indices, 0, "S1").value, 1);
  ts_indices_release(&indices);
  /* Harmonic 3 is beyond M = 2: nothing is left but the correction, 4/101 / (1 - 4/101). */
  struct ts_analysis_options two = {.harmonics = 2, .resamples = TS_NO_RESAMPLES};
  indices = sample_analyse(&sample, TS_LAYOUT_FREE, "rbd-fast", &two);
  near(sample_index(&indices, 0, "S1").value, -4. / 97);
  ts_indices_release(&indices);
  sample_destroy(&sample);
}

static void limits_have_answers(void **state) {
  (void)state;
  struct sample sample = sample_ishigami(21, 2);
  struct ts_indices indices = sample_analyse(&sample, TS_LAYOUT_FREE, "rbd-fast", NULL);
  assert_true(isfinite(sample_index(&indices, 0, "S1").value));
  ts_indices_release(&indices);
  for (size_t i = 0; i < 21; i++) sample.values[i * 3] = 1;
  for (size_t i = 0; i < 21; i++) sample.outputs[i] = 0.1;
  indices = sample_analyse(&sample, TS_LAYOUT_FREE, "rbd-fast", NULL);
  assert_true(isnan(sample_index(&indices, 0, "S1").value));
  near(sample_index(&indices, 1, "S1").value, 0);
  ts_indices_release(&indices);
  sample.outputs[3] = NAN;
  sample_refused(&sample, TS_LAYOUT_FREE, "rbd-fast", NULL, "needs at least 21 usable runs here, not 20");
  sample_destroy(&sample);
}

static void intervals_cover_the_truth(void **state) {
  (void)state;
  int hits[2] = {0, 0};
  for (uint64_t seed = 0; seed < 200; seed++) {
    struct sample sample = sample_ishigami(400, seed + 50);
    struct ts_analysis_options options = {.seed = seed};
    struct ts_indices indices = sample_analyse(&sample, TS_LAYOUT_FREE, "rbd-fast", &options);
    double truth[] = {0.3139, 0.4424};
    for (size_t j = 0; j < 2; j++) {
      struct ts_index index = sample_index(&indices, j, "S1");
      hits[j] += index.low <= truth[j] && truth[j] <= index.high;
    }
    ts_indices_release(&indices);
    sample_destroy(&sample);
  }
  print_message("rbd-fast: %d and %d of 200 intervals cover\n", hits[0], hits[1]);
  assert_in_range(hits[0], 180, 200);
  assert_in_range(hits[1], 180, 200);
}

/* Asked for normal intervals, half of the rows are drawn, as SALib does: wider by about sqrt 2. */
static void normal_intervals_are_those_of_half_the_rows(void **state) {
  (void)state;
  struct sample sample = sample_ishigami(600, 2);
  struct ts_analysis_options options = {.interval = TS_INTERVAL_NORMAL};
  struct ts_indices plain = sample_analyse(&sample, TS_LAYOUT_FREE, "rbd-fast", NULL);
  struct ts_indices half = sample_analyse(&sample, TS_LAYOUT_FREE, "rbd-fast", &options);
  for (size_t j = 0; j < 3; j++) {
    double ratio = (half.cells[j].high - half.cells[j].low) / (plain.cells[j].high - plain.cells[j].low);
    assert_true(ratio > 1.2 && ratio < 2.2);
  }
  ts_indices_release(&plain);
  ts_indices_release(&half);
  sample_destroy(&sample);
}

int main(void) {
  vectors_open("expected.json");
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(vectors_agree),
      cmocka_unit_test(ishigami_is_near_the_analytic_indices),
      cmocka_unit_test(a_single_harmonic_is_found_whole),
      cmocka_unit_test(limits_have_answers),
      cmocka_unit_test(intervals_cover_the_truth),
      cmocka_unit_test(normal_intervals_are_those_of_half_the_rows),
  };
  return vectors_close(cmocka_run_group_tests(tests, NULL, NULL));
}
