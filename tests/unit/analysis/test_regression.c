/* Tests of analysis/regression.c: vectors, closed forms, and the facts about the fit.
 * SPDX-License-Identifier: Apache-2.0
 * test-label: one-thread */
#include "samples.h"

static void vectors_agree(void **state) {
  (void)state;
  struct sample sample = vectors_sample("ishigami_lhs_N500.csv", 3);
  const json_t *record = vectors_record("ishigami_lhs_N500_correlation");
  struct ts_indices indices = sample_analyse(&sample, TS_LAYOUT_FREE, "regression", NULL);
  vectors_column(&indices, "src", json_object_get(record, "src"));
  vectors_column(&indices, "srrc", json_object_get(record, "srrc"));
  assert_true(sample_has_note(&indices, "a linear model explains 22 %"));
  ts_indices_release(&indices);
  sample_destroy(&sample);
}

/* Corners of a cube: y = 3 a - 4 b + 12 abc has coefficients 3/13, -4/13, 0 and explains 25 of 169. */
static void orthogonal_inputs_have_closed_forms(void **state) {
  (void)state;
  struct sample sample = sample_create(3, 16);
  for (size_t i = 0; i < 16; i++) {
    double *x = sample.values + i * 3;
    for (size_t j = 0; j < 3; j++) x[j] = 1e6 + (i >> j & 1 ? 1 : -1);
    double a = x[0] - 1e6, b = x[1] - 1e6, c = x[2] - 1e6;
    sample.outputs[i] = 3 * a - 4 * b + 12 * a * b * c;
  }
  struct ts_indices indices = sample_analyse(&sample, TS_LAYOUT_FREE, "regression", NULL);
  near(sample_index(&indices, 0, "src").value, 3. / 13);
  near(sample_index(&indices, 1, "src").value, -4. / 13);
  near(sample_index(&indices, 2, "src").value, 0);
  near(sample_fact(&indices, "R2"), 25. / 169);
  near(sample_fact(&indices, "adjusted R2"), 1 - (1 - 25. / 169) * 15 / 12);
  struct ts_index index = sample_index(&indices, 1, "src");
  assert_true(index.low < index.value && index.value < index.high);
  ts_indices_release(&indices);
  sample_destroy(&sample);
}

/* A rising curve is linear on ranks. */
static void ranks_straighten_a_rising_curve(void **state) {
  (void)state;
  struct sample sample = sample_create(2, 100);
  sample_draw(&sample, 0, 1, 4);
  for (size_t i = 0; i < 100; i++) sample.outputs[i] = exp(20 * sample.values[i * 2]);
  struct ts_indices indices = sample_analyse(&sample, TS_LAYOUT_FREE, "regression", NULL);
  near(sample_index(&indices, 0, "srrc").value, 1);
  near(sample_index(&indices, 1, "srrc").value, 0);
  near(sample_fact(&indices, "rank R2"), 1);
  assert_true(sample_fact(&indices, "R2") < 0.7);
  assert_false(sample_has_note(&indices, "a linear model explains"));
  ts_indices_release(&indices);
  sample_destroy(&sample);
}

/* Coefficients of independent inputs are b_j sd(x_j) / sd(y) in the population. */
static void intervals_cover_the_truth(void **state) {
  (void)state;
  int hits = 0;
  double truth = 2 / sqrt(4 + 1 + 1);
  for (uint64_t seed = 0; seed < 200; seed++) {
    struct sample sample = sample_create(3, 100);
    sample_draw(&sample, 0, 1, seed + 1000);
    for (size_t i = 0; i < 100; i++) {
      double *x = sample.values + i * 3;
      sample.outputs[i] = 2 * x[0] - x[1] + x[2];
      x[2] = 0.5; /* what the third did is noise to the regression */
    }
    struct ts_analysis_options options = {.seed = seed};
    struct ts_indices indices = sample_analyse(&sample, TS_LAYOUT_FREE, "regression", &options);
    struct ts_index index = sample_index(&indices, 0, "src");
    hits += index.low <= truth && truth <= index.high;
    ts_indices_release(&indices);
    sample_destroy(&sample);
  }
  print_message("src: %d of 200 intervals cover\n", hits);
  assert_in_range(hits, 180, 198);
}

static void too_few_rows_are_refused(void **state) {
  (void)state;
  struct sample sample = sample_ishigami(4, 1);
  sample_refused(&sample, TS_LAYOUT_FREE, "regression", NULL, "needs at least 5 usable runs here, not 4");
  sample_destroy(&sample);
}

static void a_constant_output_has_no_coefficients(void **state) {
  (void)state;
  struct sample sample = sample_ishigami(40, 1);
  for (size_t i = 0; i < 40; i++) sample.outputs[i] = 7;
  struct ts_indices indices = sample_analyse(&sample, TS_LAYOUT_FREE, "src", NULL);
  for (size_t i = 0; i < 6; i++) assert_true(isnan(indices.cells[i].value));
  assert_true(isnan(sample_fact(&indices, "R2")));
  assert_true(sample_has_note(&indices, "the output is 7 in every run"));
  ts_indices_release(&indices);
  sample_destroy(&sample);
}

int main(void) {
  vectors_open("expected.json");
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(vectors_agree),
      cmocka_unit_test(orthogonal_inputs_have_closed_forms),
      cmocka_unit_test(ranks_straighten_a_rising_curve),
      cmocka_unit_test(intervals_cover_the_truth),
      cmocka_unit_test(too_few_rows_are_refused),
      cmocka_unit_test(a_constant_output_has_no_coefficients),
  };
  return vectors_close(cmocka_run_group_tests(tests, NULL, NULL));
}
