/* Tests of analysis/pawn.c: vectors, plain Kolmogorov-Smirnov distances, grids, groups, inert inputs.
 * SPDX-License-Identifier: Apache-2.0 */
#include "samples.h"

static const struct ts_analysis_options no_intervals = {.resamples = TS_NO_RESAMPLES};
static const char *const columns[] = {"minimum", "mean", "median", "maximum", "CV"};

static void vectors_agree(void **state) {
  (void)state;
  struct sample sample = vectors_sample("ishigami_lhs_N500.csv", 3);
  const json_t *record = json_object_get(vectors_record("ishigami_lhs_N500"), "pawn_S10");
  struct ts_indices indices = sample_analyse(&sample, TS_LAYOUT_FREE, "pawn", NULL);
  for (size_t c = 0; c < 5; c++) vectors_column(&indices, columns[c], json_object_get(record, columns[c]));
  for (size_t i = 0; i < 15; i++) assert_true(indices.cells[i].low < indices.cells[i].value);
  ts_indices_release(&indices);
  sample_destroy(&sample);
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double share_up_to(const double *outputs, const bool *chosen, size_t n, double limit) {
  size_t below = 0, total = 0;
  for (size_t i = 0; i < n; i++) {
    if (chosen && !chosen[i]) continue;
    total++;
    below += outputs[i] <= limit;
  }
  return (double)below / (double)total;
}

/* The definition, point by point: the largest distance between the two distributions at any output. */
static double plain_distance(const double *outputs, const bool *chosen, size_t n) {
  double distance = 0;
  for (size_t i = 0; i < n; i++) {
    double apart = share_up_to(outputs, chosen, n, outputs[i]) - share_up_to(outputs, NULL, n, outputs[i]);
    distance = fmax(distance, fabs(apart));
  }
  return distance;
}

static double plain_quantile(const double *sorted, size_t n, double share) {
  double position = share * (double)(n - 1);
  size_t below = (size_t)position;
  if (below + 1 >= n) return sorted[n - 1];
  return sorted[below] + (position - (double)below) * (sorted[below + 1] - sorted[below]);
}

/* Mean and maximum over the slices of one input. */
static void plain_pawn(const struct sample *sample, size_t j, size_t slices, double *mean, double *largest) {
  size_t n = sample->n, filled = 0;
  double *x = ts_calloc(n, sizeof *x);
  bool *chosen = ts_calloc(n, sizeof *chosen);
  for (size_t i = 0; i < n; i++) x[i] = sample->values[i * sample->k + j];
  qsort(x, n, sizeof *x, ascending);
  *mean = *largest = 0;
  for (size_t s = 0; s < slices; s++) {
    double low = plain_quantile(x, n, (double)s / (double)slices);
    double high = plain_quantile(x, n, (double)(s + 1) / (double)slices);
    bool any = false;
    for (size_t i = 0; i < n; i++) {
      double value = sample->values[i * sample->k + j];
      chosen[i] = value >= low && value < high;
      any |= chosen[i];
    }
    if (!any) continue;
    double distance = plain_distance(sample->outputs, chosen, n);
    *mean += distance;
    *largest = fmax(*largest, distance);
    filled++;
  }
  *mean /= (double)filled;
  free(x);
  free(chosen);
}

/* Inputs on a coarse grid and whole-numbered outputs: ties everywhere. */
static void ties_agree_with_the_definition(void **state) {
  (void)state;
  struct sample sample = sample_ishigami(150, 6);
  for (size_t i = 0; i < 150; i++) {
    sample.values[i * 3 + 1] = floor(2 * sample.values[i * 3 + 1]);
    sample.values[i * 3 + 2] = sample.values[i * 3 + 2] > 0;
    sample.outputs[i] = floor(sample.outputs[i]);
  }
  for (size_t slices = 1; slices <= 12; slices += 11) {
    struct ts_analysis_options options = {.slices = slices, .resamples = TS_NO_RESAMPLES};
    struct ts_indices indices = sample_analyse(&sample, TS_LAYOUT_FREE, "pawn", &options);
    for (size_t j = 0; j < 3; j++) {
      double mean, largest;
      plain_pawn(&sample, j, slices, &mean, &largest);
      near(sample_index(&indices, j, "mean").value, mean);
      near(sample_index(&indices, j, "maximum").value, largest);
    }
    ts_indices_release(&indices);
  }
  sample_destroy(&sample);
}

static void an_inert_input_shows_the_stated_noise(void **state) {
  (void)state;
  struct sample sample = sample_create(2, 5000);
  sample_draw(&sample, 0, 1, 3);
  for (size_t i = 0; i < 5000; i++) sample.outputs[i] = sample.values[i * 2];
  struct ts_indices indices = sample_analyse(&sample, TS_LAYOUT_FREE, "pawn", &no_intervals);
  double noise = sample_fact(&indices, "mean of an inert input");
  close_to(sample_index(&indices, 1, "mean").value, noise, 0.3 * noise);
  assert_true(noise < 0.04);
  /* y = x: the first slice holds the lowest tenth, so that its distance is 0.9, and so is the last one's. */
  close_to(sample_index(&indices, 0, "maximum").value, 0.9, 0.001);
  ts_indices_release(&indices);
  sample_destroy(&sample);
}

static void a_group_has_the_mean_of_its_members(void **state) {
  (void)state;
  struct sample sample = sample_ishigami(300, 6);
  const size_t group_of[] = {1, 0, 1};
  const char *const group_names[] = {"b", "a"};
  struct ts_runs runs = sample_runs(&sample, TS_LAYOUT_FREE);
  runs.group_of = group_of;
  runs.group_names = group_names;
  runs.group_count = 2;
  struct ts_error err = {0};
  struct ts_indices grouped, single = sample_analyse(&sample, TS_LAYOUT_FREE, "pawn", NULL);
  assert_true(ts_analyse(ts_method_find("pawn", &err), &runs, NULL, NULL, &grouped, &err));
  assert_int_equal(grouped.name_count, 2);
  for (size_t c = 0; c < 5; c++) {
    near(grouped.cells[c].value, single.cells[5 + c].value);
    near(grouped.cells[5 + c].value, (single.cells[c].value + single.cells[10 + c].value) / 2);
  }
  ts_indices_release(&grouped);
  ts_indices_release(&single);
  sample_destroy(&sample);
}

static void limits_have_answers(void **state) {
  (void)state;
  struct sample sample = sample_ishigami(40, 6);
  for (size_t i = 0; i < 40; i++) sample.values[i * 3] = 4;
  sample.outputs[0] = NAN;
  struct ts_indices indices = sample_analyse(&sample, TS_LAYOUT_FREE, "pawn", NULL);
  assert_true(isnan(sample_index(&indices, 0, "median").value));
  assert_int_equal(indices.usable[1], 39);
  assert_true(sample_has_note(&indices, "3.9 runs per slice are few"));
  ts_indices_release(&indices);
  for (size_t i = 0; i < 40; i++) sample.outputs[i] = 3;
  indices = sample_analyse(&sample, TS_LAYOUT_FREE, "pawn", NULL);
  near(sample_index(&indices, 1, "maximum").value, 0);
  assert_true(isnan(sample_index(&indices, 1, "CV").value));
  ts_indices_release(&indices);
  sample.n = 10;
  sample_refused(&sample, TS_LAYOUT_FREE, "pawn", NULL, "needs at least 11 usable runs here, not 10");
  sample_destroy(&sample);
}

/* The interval of an input that does nothing reaches down to the stated level, that of one with an effect does not. */
static void intervals_of_inert_inputs_reach_their_level(void **state) {
  (void)state;
  const size_t inputs = 8, samples = 12;
  size_t reaching = 0;
  for (size_t seed = 0; seed < samples; seed++) {
    struct sample sample = sample_create(inputs, 300);
    sample_draw(&sample, 0, 1, 100 + seed);
    for (size_t i = 0; i < 300; i++) sample.outputs[i] = sample.values[i * inputs];
    struct ts_indices indices = sample_analyse(&sample, TS_LAYOUT_FREE, "pawn", NULL);
    assert_string_equal(indices.method->inert_fact, indices.facts[0].name);
    double level = indices.facts[0].value;
    for (size_t j = 1; j < inputs; j++) reaching += sample_index(&indices, j, "median").low <= level;
    assert_true(sample_index(&indices, 0, "median").low > level);
    ts_indices_release(&indices);
    sample_destroy(&sample);
  }
  assert_true(reaching >= 92 * samples * (inputs - 1) / 100);
}

int main(void) {
  vectors_open("expected.json");
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(intervals_of_inert_inputs_reach_their_level),
      cmocka_unit_test(vectors_agree),
      cmocka_unit_test(ties_agree_with_the_definition),
      cmocka_unit_test(an_inert_input_shows_the_stated_noise),
      cmocka_unit_test(a_group_has_the_mean_of_its_members),
      cmocka_unit_test(limits_have_answers),
  };
  return vectors_close(cmocka_run_group_tests(tests, NULL, NULL));
}
