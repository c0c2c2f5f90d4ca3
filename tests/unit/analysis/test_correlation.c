/* Tests of analysis/correlation.c and correlation_table.c: vectors, closed forms, ties, dependent inputs, intervals.
 * SPDX-License-Identifier: Apache-2.0 */
#include "samples.h"

static const struct ts_analysis_options no_intervals = {.resamples = TS_NO_RESAMPLES};

static void vectors_agree(void **state) {
  (void)state;
  struct sample sample = vectors_sample("ishigami_lhs_N500.csv", 3);
  const json_t *record = vectors_record("ishigami_lhs_N500_correlation");
  struct ts_indices indices = sample_analyse(&sample, TS_LAYOUT_FREE, "correlation", NULL);
  static const char *const columns[] = {"pearson", "spearman", "pcc", "prcc"};
  for (size_t c = 0; c < 4; c++) vectors_column(&indices, columns[c], json_object_get(record, columns[c]));
  assert_int_equal(indices.resamples, 500);
  assert_int_equal(indices.usable[0], 500);
  for (size_t i = 0; i < 12; i++) {
    assert_true(indices.cells[i].low < indices.cells[i].value && indices.cells[i].value < indices.cells[i].high);
  }
  ts_indices_release(&indices);
  sample_destroy(&sample);
}

/* All corners of a cube: the inputs and their product are orthogonal, so every coefficient has a closed form. */
static struct sample corners(double by_product) {
  struct sample sample = sample_create(3, 8);
  for (size_t i = 0; i < 8; i++) {
    double *x = sample.values + i * 3;
    for (size_t j = 0; j < 3; j++) x[j] = i >> j & 1 ? 1 : -1;
    sample.outputs[i] = 100 + 3 * x[0] - 4 * x[1] + by_product * x[0] * x[1] * x[2];
  }
  return sample;
}

static void orthogonal_inputs_have_closed_forms(void **state) {
  (void)state;
  struct sample sample = corners(12);
  struct ts_indices indices = sample_analyse(&sample, TS_LAYOUT_FREE, "correlation", &no_intervals);
  near(sample_index(&indices, 0, "pearson").value, 3. / 13);
  near(sample_index(&indices, 1, "pearson").value, -4. / 13);
  near(sample_index(&indices, 2, "pearson").value, 0);
  near(sample_index(&indices, 0, "pcc").value, 3 / sqrt(9 + 144));
  near(sample_index(&indices, 1, "pcc").value, -4 / sqrt(16 + 144));
  near(sample_index(&indices, 2, "pcc").value, 0);
  assert_true(isnan(sample_index(&indices, 0, "pcc").low));
  assert_int_equal(indices.resamples, 0);
  ts_indices_release(&indices);
  sample_destroy(&sample);
}

static void an_exact_linear_function_leaves_no_partial_correlation_for_the_rest(void **state) {
  (void)state;
  struct sample sample = corners(0);
  struct ts_indices indices = sample_analyse(&sample, TS_LAYOUT_FREE, "correlation", &no_intervals);
  near(sample_index(&indices, 0, "pearson").value, 0.6);
  near(sample_index(&indices, 0, "pcc").value, 1);
  near(sample_index(&indices, 1, "pcc").value, -1);
  assert_true(isnan(sample_index(&indices, 2, "pcc").value));
  assert_true(sample_has_note(&indices, "exact linear function"));
  ts_indices_release(&indices);
  sample_destroy(&sample);
}

static double plain_correlation(const double *a, size_t a_stride, const double *b, size_t b_stride, size_t n) {
  long double sa = 0, sb = 0, aa = 0, bb = 0, ab = 0;
  for (size_t i = 0; i < n; i++) {
    sa += a[i * a_stride];
    sb += b[i * b_stride];
  }
  for (size_t i = 0; i < n; i++) {
    long double x = a[i * a_stride] - sa / n, y = b[i * b_stride] - sb / n;
    aa += x * x;
    bb += y * y;
    ab += x * y;
  }
  return (double)(ab / sqrtl(aa * bb));
}

/* With two inputs a partial correlation follows from the three simple ones. The inputs are correlated on purpose, and
 * far from zero, which costs digits where sums of squares are used. */
static void two_correlated_inputs_follow_the_textbook(void **state) {
  (void)state;
  struct sample sample = sample_create(2, 400);
  sample_draw(&sample, 0, 1, 3);
  for (size_t i = 0; i < 400; i++) {
    double *x = sample.values + i * 2;
    x[1] = 0.99 * x[0] + 0.1 * x[1];
    sample.outputs[i] = x[0] - 2 * x[1] + sin(40 * x[0]);
    x[0] += 1e4;
  }
  double r1 = plain_correlation(sample.values, 2, sample.outputs, 1, 400);
  double r2 = plain_correlation(sample.values + 1, 2, sample.outputs, 1, 400);
  double r12 = plain_correlation(sample.values, 2, sample.values + 1, 2, 400);
  struct ts_indices indices = sample_analyse(&sample, TS_LAYOUT_FREE, "correlation", &no_intervals);
  near(sample_index(&indices, 0, "pearson").value, r1);
  near(sample_index(&indices, 0, "pcc").value, (r1 - r12 * r2) / sqrt((1 - r12 * r12) * (1 - r2 * r2)));
  near(sample_index(&indices, 1, "pcc").value, (r2 - r12 * r1) / sqrt((1 - r12 * r12) * (1 - r1 * r1)));
  assert_true(sample_has_note(&indices, "'x1' follows the other inputs"));
  ts_indices_release(&indices);
  sample_destroy(&sample);
}

/* By hand: ranks 1, 2.5, 2.5, 4 against 1, 2, 3, 4. */
static void ties_share_their_rank(void **state) {
  (void)state;
  struct sample sample = sample_create(1, 4);
  memcpy(sample.values, (double[]){-1, 7, 7, 900}, 4 * sizeof(double));
  memcpy(sample.outputs, (double[]){1, 2, 3, 4}, 4 * sizeof(double));
  struct ts_indices indices = sample_analyse(&sample, TS_LAYOUT_FREE, "correlation", &no_intervals);
  near(sample_index(&indices, 0, "spearman").value, 4.5 / sqrt(4.5 * 5));
  near(sample_index(&indices, 0, "prcc").value, 4.5 / sqrt(4.5 * 5)); /* no other input: nothing to take out */
  ts_indices_release(&indices);
  sample_destroy(&sample);
}

/* x3 = x1 - 2 x2 exactly: these three cannot be told apart, x4 can. */
static void dependent_inputs_are_named(void **state) {
  (void)state;
  struct sample sample = sample_create(4, 200);
  sample_draw(&sample, -1, 1, 8);
  for (size_t i = 0; i < 200; i++) {
    double *x = sample.values + i * 4;
    x[2] = x[0] - 2 * x[1];
    sample.outputs[i] = x[0] + x[1] + x[3] + x[0] * x[1];
  }
  struct ts_indices indices = sample_analyse(&sample, TS_LAYOUT_FREE, "correlation", NULL);
  for (size_t j = 0; j < 3; j++) {
    assert_true(isnan(sample_index(&indices, j, "pcc").value));
    assert_true(isfinite(sample_index(&indices, j, "pearson").value));
  }
  assert_true(sample_index(&indices, 3, "pcc").value > 0.8);
  assert_true(sample_index(&indices, 3, "pcc").low > 0.7);
  assert_true(sample_has_note(&indices, "the inputs 'x1', 'x2', 'x3' are tied"));
  ts_indices_release(&indices);
  /* Without the dependent one the answer for x4 is the same. */
  double partial;
  struct sample fewer = sample_create(3, 200);
  for (size_t i = 0; i < 200; i++) {
    memcpy(fewer.values + i * 3, (double[]){sample.values[i * 4], sample.values[i * 4 + 1], sample.values[i * 4 + 3]},
           3 * sizeof(double));
    fewer.outputs[i] = sample.outputs[i];
  }
  struct ts_indices with_all = sample_analyse(&sample, TS_LAYOUT_FREE, "correlation", &no_intervals);
  partial = sample_index(&with_all, 3, "pcc").value;
  indices = sample_analyse(&fewer, TS_LAYOUT_FREE, "correlation", &no_intervals);
  near(partial, sample_index(&indices, 2, "pcc").value);
  ts_indices_release(&indices);
  ts_indices_release(&with_all);
  sample_destroy(&fewer);
  sample_destroy(&sample);
}

static void failed_rows_and_rows_without_input_are_left_out(void **state) {
  (void)state;
  struct sample sample = sample_ishigami(300, 5), whole = sample_ishigami(300, 5);
  size_t kept = 0;
  for (size_t i = 0; i < 300; i++) {
    if (i % 10 == 0) sample.outputs[i] = i % 20 == 0 ? NAN : INFINITY;
    if (i % 10 == 5) sample.values[i * 3 + 1] = NAN;
    if (i % 5 == 0) continue;
    memmove(whole.values + kept * 3, whole.values + i * 3, 3 * sizeof(double));
    whole.outputs[kept++] = whole.outputs[i];
  }
  whole.n = kept;
  struct ts_indices some = sample_analyse(&sample, TS_LAYOUT_FREE, "correlation", NULL);
  struct ts_indices all = sample_analyse(&whole, TS_LAYOUT_FREE, "correlation", NULL);
  assert_memory_equal(some.cells, all.cells, 12 * sizeof *all.cells);
  assert_int_equal(some.usable[2], 240);
  assert_int_equal(some.lost_count, 60);
  assert_true(sample_has_note(&some, "30 of 300 runs (10.0 %) have no usable output"));
  assert_true(sample_has_note(&some, "30 runs are left out because an input is missing"));
  ts_indices_release(&some);
  ts_indices_release(&all);
  sample_destroy(&sample);
  sample_destroy(&whole);
}

static void constants_and_few_rows_have_answers(void **state) {
  (void)state;
  struct sample sample = sample_ishigami(50, 5);
  for (size_t i = 0; i < 50; i++) sample.values[i * 3 + 1] = 0.1;
  struct ts_indices indices = sample_analyse(&sample, TS_LAYOUT_FREE, "correlation", NULL);
  assert_true(isnan(sample_index(&indices, 1, "pearson").value) && isnan(sample_index(&indices, 1, "prcc").value));
  assert_true(isfinite(sample_index(&indices, 0, "prcc").low));
  assert_true(sample_has_note(&indices, "'x2' has the same value in every usable run"));
  ts_indices_release(&indices);
  for (size_t i = 0; i < 50; i++) sample.outputs[i] = 0.1;
  indices = sample_analyse(&sample, TS_LAYOUT_FREE, "correlation", NULL);
  for (size_t i = 0; i < 12; i++) assert_true(isnan(indices.cells[i].value) && isnan(indices.cells[i].low));
  assert_true(sample_has_note(&indices, "the output is 0.1 in every run"));
  ts_indices_release(&indices);
  sample_destroy(&sample);
  sample = sample_ishigami(4, 5);
  indices = sample_analyse(&sample, TS_LAYOUT_FREE, "correlation", NULL);
  assert_true(isfinite(sample_index(&indices, 0, "pearson").value) && isnan(sample_index(&indices, 0, "pcc").value));
  assert_true(sample_has_note(&indices, "need more than 4 usable runs, not 4"));
  ts_indices_release(&indices);
  sample.n = 2;
  sample_refused(&sample, TS_LAYOUT_FREE, "correlation", NULL, "needs at least 3 usable runs here, not 2");
  for (size_t i = 0; i < 2; i++) sample.outputs[i] = NAN;
  sample_refused(&sample, TS_LAYOUT_FREE, "correlation", NULL, "none of the 2 runs has a usable output");
  sample_destroy(&sample);
}

static void groups_and_dependent_rows_are_noted(void **state) {
  (void)state;
  struct sample sample = sample_ishigami(60, 5);
  const size_t group_of[] = {0, 0, 1};
  const char *const group_names[] = {"a", "b"};
  struct ts_runs runs = sample_runs(&sample, TS_LAYOUT_SALTELLI);
  runs.group_of = group_of;
  runs.group_names = group_names;
  runs.group_count = 2;
  struct ts_error err = {0};
  struct ts_indices indices;
  assert_true(ts_analyse(ts_method_find("correlation", &err), &runs, NULL, NULL, &indices, &err));
  assert_int_equal(indices.name_count, 3);
  assert_string_equal(indices.names[2], "x3");
  assert_true(sample_has_note(&indices, "groups are left aside"));
  assert_true(sample_has_note(&indices, "rows of a 'saltelli' design share values"));
  ts_indices_release(&indices);
  sample_destroy(&sample);
}

/* y = x1 + x2 with two independent inputs of equal spread: the correlation of each is 1 / sqrt 2, on ranks too nearly
 * so. */
static void intervals_cover_the_truth(void **state) {
  (void)state;
  int hits = 0;
  for (uint64_t seed = 0; seed < 200; seed++) {
    struct sample sample = sample_create(2, 80);
    sample_draw(&sample, 0, 1, seed);
    for (size_t i = 0; i < 80; i++) sample.outputs[i] = sample.values[i * 2] + sample.values[i * 2 + 1];
    struct ts_analysis_options options = {.seed = seed};
    struct ts_indices indices = sample_analyse(&sample, TS_LAYOUT_FREE, "correlation", &options);
    struct ts_index index = sample_index(&indices, 0, "pearson");
    hits += index.low <= sqrt(0.5) && sqrt(0.5) <= index.high;
    ts_indices_release(&indices);
    sample_destroy(&sample);
  }
  print_message("pearson: %d of 200 intervals cover\n", hits);
  assert_in_range(hits, 180, 198);
}

/* More rows than the bootstrap uses: the interval is made from a part and narrowed, so that it still covers and has the
 * width that theory gives for uniform sums: sqrt(n) sd(r) = sqrt(0.2) here (delta method, fourth moments of
 * uniforms). */
static void intervals_of_many_rows_come_from_a_part(void **state) {
  (void)state;
  size_t n = 40000;
  struct sample sample = sample_create(2, n);
  sample_draw(&sample, 0, 1, 11);
  double variance = 0;
  for (size_t i = 0; i < n; i++) {
    double u = sqrt(12) * (sample.values[i * 2] - 0.5), v = sqrt(12) * (sample.values[i * 2 + 1] - 0.5);
    double y = (u + v) / sqrt(2), influence = u * y - sqrt(0.5) * (u * u + y * y) / 2;
    variance += influence * influence / (double)n;
    sample.outputs[i] = sample.values[i * 2] + sample.values[i * 2 + 1];
  }
  struct ts_indices indices = sample_analyse(&sample, TS_LAYOUT_FREE, "correlation", NULL);
  struct ts_index index = sample_index(&indices, 0, "pearson");
  double half_width = 1.96 * sqrt(variance / (double)n);
  close_to((index.high - index.low) / 2, half_width, 0.15 * half_width);
  close_to(index.value, sqrt(0.5), 3 * half_width);
  assert_true(index.low < index.value && index.value < index.high);
  ts_indices_release(&indices);
  sample_destroy(&sample);
}

static void the_pool_does_not_change_the_answer(void **state) {
  (void)state;
  struct sample sample = sample_ishigami(200, 5);
  struct ts_runs runs = sample_runs(&sample, TS_LAYOUT_FREE);
  struct ts_error err = {0};
  struct ts_pool *pool = ts_pool_create(3, &err);
  static const char *const methods[] = {"correlation", "regression", "rbd-fast", "pawn", "delta", "given-data"};
  for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
    struct ts_indices alone = sample_analyse(&sample, TS_LAYOUT_FREE, methods[m], NULL), pooled;
    assert_true(ts_analyse(ts_method_find(methods[m], &err), &runs, NULL, pool, &pooled, &err));
    assert_memory_equal(alone.cells, pooled.cells, 3 * alone.column_count * sizeof *alone.cells);
    struct ts_analysis_options other = {.seed = 9};
    struct ts_indices seeded = sample_analyse(&sample, TS_LAYOUT_FREE, methods[m], &other);
    assert_true(seeded.cells[0].low != alone.cells[0].low);
    ts_indices_release(&alone);
    ts_indices_release(&pooled);
    ts_indices_release(&seeded);
  }
  ts_pool_destroy(pool);
  sample_destroy(&sample);
}

int main(void) {
  vectors_open("expected.json");
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(vectors_agree),
      cmocka_unit_test(orthogonal_inputs_have_closed_forms),
      cmocka_unit_test(an_exact_linear_function_leaves_no_partial_correlation_for_the_rest),
      cmocka_unit_test(two_correlated_inputs_follow_the_textbook),
      cmocka_unit_test(ties_share_their_rank),
      cmocka_unit_test(dependent_inputs_are_named),
      cmocka_unit_test(failed_rows_and_rows_without_input_are_left_out),
      cmocka_unit_test(constants_and_few_rows_have_answers),
      cmocka_unit_test(groups_and_dependent_rows_are_noted),
      cmocka_unit_test(intervals_cover_the_truth),
      cmocka_unit_test(intervals_of_many_rows_come_from_a_part),
      cmocka_unit_test(the_pool_does_not_change_the_answer),
  };
  return vectors_close(cmocka_run_group_tests(tests, NULL, NULL));
}
