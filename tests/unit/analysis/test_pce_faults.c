/* Tests of analysis/pce.c: failed runs, odd outputs and designs, limits, determinism.
 * SPDX-License-Identifier: Apache-2.0 */
#include "analysis/pce_int.h"

#include "base/alloc.h"
#include "base/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define K 3

extern const struct ts_method ts_method_pce;

static const char *const names[] = {"a", "b", "c"};
/* y = exp(a) + b^2 (1 + c): the variances of its parts by hand. */
static double model(const double *u) { return exp(u[0]) + u[1] * u[1] * (1 + u[2]); }

struct sample {
  struct ts_runs runs;
  double *unit, *outputs; /* owned */
};

static void sample_init(struct sample *sample, size_t count, uint64_t seed) {
  *sample = (struct sample){0};
  struct ts_random random;
  ts_random_init(&random, seed, 21);
  sample->unit = ts_calloc(count * K, sizeof *sample->unit);
  sample->outputs = ts_calloc(count, sizeof *sample->outputs);
  for (size_t i = 0; i < count * K; i++) sample->unit[i] = ts_random_unit(&random);
  for (size_t i = 0; i < count; i++) sample->outputs[i] = model(sample->unit + i * K);
  sample->runs = (struct ts_runs){.names = names,
                                  .parameter_count = K,
                                  .row_count = count,
                                  .unit = sample->unit,
                                  .values = sample->unit,
                                  .outputs = sample->outputs,
                                  .group_count = K};
}

static void sample_release(struct sample *sample) {
  free(sample->unit);
  free(sample->outputs);
}

static void analyse(const struct ts_runs *runs, const struct ts_analysis_options *options, struct ts_indices *indices) {
  struct ts_error err = {0};
  if (ts_analyse(&ts_method_pce, runs, options, NULL, indices, &err)) return;
  print_error("%s\n", err.text);
  fail();
}

static void refused(const struct ts_runs *runs, const struct ts_analysis_options *options, const char *text) {
  struct ts_indices indices;
  struct ts_error err = {0};
  assert_false(ts_analyse(&ts_method_pce, runs, options, NULL, &indices, &err));
  assert_int_equal(err.code, TS_ERR_BAD_VALUE);
  if (!strstr(err.text, text)) {
    print_error("'%s' has no '%s'\n", err.text, text);
    fail();
  }
  assert_true(strlen(err.help) > 0);
}

static bool has_note(const struct ts_indices *indices, const char *text) {
  for (size_t i = 0; i < indices->note_count; i++) {
    if (strstr(indices->notes[i], text)) return true;
  }
  return false;
}

static double fact(const struct ts_indices *indices, const char *name) {
  for (size_t i = 0; i < indices->fact_count; i++) {
    if (strcmp(indices->facts[i].name, name) == 0) return indices->facts[i].value;
  }
  return NAN;
}

/* Var exp(a) = (e^2 - 1) / 2 - (e - 1)^2; Var of the rest from the moments of b^2 and 1 + c. */
static void check_model(const struct ts_indices *indices, double limit) {
  double e = exp(1), va = (e * e - 1) / 2 - (e - 1) * (e - 1);
  double vb = 2.25 * (1.0 / 5 - 1.0 / 9), vc = 1.0 / 9 / 12, vbc = (1.0 / 5 - 1.0 / 9) / 12, v = va + vb + vc + vbc;
  const double truth[] = {va / v, va / v, vb / v, (vb + vbc) / v, vc / v, (vc + vbc) / v};
  for (size_t c = 0; c < 6; c++) {
    if (fabs(indices->cells[c].value - truth[c]) <= limit) continue;
    print_error("index %zu is %g, not %g\n", c, indices->cells[c].value, truth[c]);
    fail();
  }
}

static void failed_runs_are_left_out(void **state) {
  (void)state;
  struct sample sample;
  struct ts_indices indices;
  sample_init(&sample, 120, 1);
  for (size_t i = 0; i < 20; i++) sample.outputs[i * 5] = i % 3 == 0 ? NAN : i % 3 == 1 ? INFINITY : -INFINITY;
  sample.unit[0] = NAN; /* of a failed run: nobody looks */
  analyse(&sample.runs, &(struct ts_analysis_options){0}, &indices);
  check_model(&indices, 1e-5);
  assert_int_equal(indices.lost_count, 20);
  assert_int_equal(indices.usable[1], 100);
  assert_true(has_note(&indices, "20 of 120 runs"));
  ts_indices_release(&indices);
  sample_release(&sample);
}

static void facts_tell_about_the_expansion(void **state) {
  (void)state;
  struct sample sample;
  struct ts_indices indices;
  sample_init(&sample, 100, 2);
  analyse(&sample.runs, &(struct ts_analysis_options){.degree = 3}, &indices);
  assert_true(fact(&indices, "degree") <= 3);
  assert_true(fact(&indices, "terms") >= 6);
  double rough = fact(&indices, "LOO error");
  assert_true(rough > 0 && rough < 1e-3);
  ts_indices_release(&indices);
  analyse(&sample.runs, &(struct ts_analysis_options){0}, &indices);
  assert_true(fact(&indices, "degree") > 3);
  assert_true(fact(&indices, "LOO error") < rough / 100);
  assert_int_equal(indices.note_count, 0);
  ts_indices_release(&indices);
  sample_release(&sample);
}

static void outputs_without_an_answer(void **state) {
  (void)state;
  struct sample sample;
  struct ts_indices indices;
  sample_init(&sample, 60, 3);
  for (size_t i = 0; i < 60; i++) sample.outputs[i] = 0.1;
  analyse(&sample.runs, &(struct ts_analysis_options){0}, &indices);
  for (size_t c = 0; c < 6; c++) assert_true(isnan(indices.cells[c].value) && isnan(indices.cells[c].low));
  assert_true(has_note(&indices, "in every run"));
  ts_indices_release(&indices);
  struct ts_random random;
  ts_random_init(&random, 9, 9);
  for (size_t i = 0; i < 60; i++) sample.outputs[i] = ts_random_unit(&random);
  analyse(&sample.runs, &(struct ts_analysis_options){0}, &indices);
  for (size_t c = 0; c < 6; c++) assert_true(isnan(indices.cells[c].value));
  assert_true(has_note(&indices, "no polynomial predicts"));
  ts_indices_release(&indices);
  sample_release(&sample);
}

static void noise_widens_the_intervals(void **state) {
  (void)state;
  struct sample sample;
  struct ts_indices indices;
  struct ts_random random;
  sample_init(&sample, 200, 4);
  ts_random_init(&random, 4, 4);
  for (size_t i = 0; i < 200; i++) sample.outputs[i] += 1.5 * (ts_random_unit(&random) - 0.5);
  analyse(&sample.runs, &(struct ts_analysis_options){0}, &indices);
  assert_true(has_note(&indices, "of the variance of held-out runs"));
  assert_true(indices.cells[0].high - indices.cells[0].low > fact(&indices, "LOO error"));
  ts_indices_release(&indices);
  sample_release(&sample);
}

static void refuses_what_it_cannot_use(void **state) {
  (void)state;
  struct sample sample;
  const struct ts_analysis_options plain = {0};
  sample_init(&sample, 30, 5);
  struct ts_runs runs = sample.runs;
  runs.row_count = 9;
  refused(&runs, &plain, "9 usable runs are too few");
  refused(&sample.runs, &(struct ts_analysis_options){.degree = 31}, "a degree of 31");
  sample.unit[4] = NAN;
  refused(&sample.runs, &plain, "run 2 has no unit coordinate of 'b'");
  sample.unit[4] = 1.5;
  refused(&sample.runs, &plain, "run 2 has no unit coordinate of 'b'");
  for (size_t i = 0; i < 30; i++) sample.outputs[i] = NAN;
  refused(&sample.runs, &plain, "none of the 30 runs");
  sample_release(&sample);
}

static void too_many_parameters_are_refused(void **state) {
  (void)state;
  size_t k = TS_PCE_MAX_BASIS + 1;
  const char **many = ts_calloc(k, sizeof *many);
  double *unit = ts_calloc(k * 20, sizeof *unit), outputs[20];
  for (size_t i = 0; i < k; i++) many[i] = "p";
  for (size_t i = 0; i < 20; i++) outputs[i] = (double)i;
  struct ts_runs runs = {
      .names = many, .parameter_count = k, .row_count = 20, .unit = unit, .values = unit, .outputs = outputs};
  refused(&runs, &(struct ts_analysis_options){0}, "parameters are too many");
  free(many);
  free(unit);
}

static void dependent_and_still_parameters_are_named(void **state) {
  (void)state;
  struct sample sample;
  struct ts_indices indices;
  sample_init(&sample, 100, 6);
  for (size_t i = 0; i < 100; i++) sample.unit[i * K + 2] = sample.unit[i * K];
  analyse(&sample.runs, &(struct ts_analysis_options){0}, &indices);
  assert_true(has_note(&indices, "'a' and 'c' are correlated in the runs (1.00)"));
  assert_true(has_note(&indices, "cannot be distinguished"));
  ts_indices_release(&indices);
  for (size_t i = 0; i < 100; i++) sample.unit[i * K + 2] = 0.25;
  analyse(&sample.runs, &(struct ts_analysis_options){0}, &indices);
  assert_true(has_note(&indices, "'c' has one value in all runs"));
  assert_true(isnan(indices.cells[4].value) && isnan(indices.cells[5].high));
  assert_false(isnan(indices.cells[0].value));
  ts_indices_release(&indices);
  sample_release(&sample);
}

static void same_cells(const struct ts_indices *a, const struct ts_indices *b) {
  assert_int_equal(a->name_count, b->name_count);
  assert_memory_equal(a->cells, b->cells, 2 * a->name_count * sizeof *a->cells);
  assert_memory_equal(a->pairs, b->pairs, a->pair_count * sizeof *a->pairs);
}

static void threads_do_not_change_a_byte(void **state) {
  (void)state;
  struct sample sample;
  struct ts_indices alone, pooled;
  struct ts_error err = {0};
  const struct ts_analysis_options options = {.seed = 7, .resamples = 100};
  sample_init(&sample, 60, 7);
  sample.outputs[3] += 0.2;
  analyse(&sample.runs, &options, &alone);
  for (size_t threads = 1; threads <= 3; threads += 2) {
    struct ts_pool *pool = ts_pool_create(threads, &err);
    assert_non_null(pool);
    assert_true(ts_analyse(&ts_method_pce, &sample.runs, &options, pool, &pooled, &err));
    same_cells(&alone, &pooled);
    ts_indices_release(&pooled);
    ts_pool_destroy(pool);
  }
  assert_true(alone.cells[0].high > alone.cells[0].low);
  ts_indices_release(&alone);
  sample_release(&sample);
}

static void the_order_of_the_runs_does_not_matter(void **state) {
  (void)state;
  struct sample sample, shuffled;
  struct ts_indices a, b;
  const struct ts_analysis_options options = {.seed = 7, .resamples = 50};
  size_t order[80];
  sample_init(&sample, 80, 8);
  sample_init(&shuffled, 80, 8);
  struct ts_random random;
  ts_random_init(&random, 1, 1);
  for (size_t i = 0; i < 80; i++) order[i] = i;
  ts_random_shuffle(&random, order, 80);
  for (size_t i = 0; i < 80; i++) {
    memcpy(shuffled.unit + i * K, sample.unit + order[i] * K, K * sizeof(double));
    shuffled.outputs[i] = sample.outputs[order[i]];
  }
  analyse(&sample.runs, &options, &a);
  analyse(&shuffled.runs, &options, &b);
  same_cells(&a, &b);
  ts_indices_release(&a);
  ts_indices_release(&b);
  sample_release(&sample);
  sample_release(&shuffled);
}

/* Three copies of each run say no more than one: leaving one out must leave out all three. */
static void copies_of_runs_do_not_feign_certainty(void **state) {
  (void)state;
  struct sample once, thrice;
  struct ts_indices a, b;
  sample_init(&once, 50, 9);
  sample_init(&thrice, 150, 9);
  once.outputs[7] += 0.1;
  for (size_t i = 0; i < 150; i++) {
    memcpy(thrice.unit + i * K, once.unit + i % 50 * K, K * sizeof(double));
    thrice.outputs[i] = once.outputs[i % 50];
  }
  analyse(&once.runs, &(struct ts_analysis_options){0}, &a);
  analyse(&thrice.runs, &(struct ts_analysis_options){0}, &b);
  assert_true(fabs(fact(&a, "LOO error") - fact(&b, "LOO error")) < 1e-6 * fact(&a, "LOO error"));
  assert_true(fabs(a.cells[1].value - b.cells[1].value) < 1e-9);
  assert_int_equal(b.usable[0], 150);
  ts_indices_release(&a);
  ts_indices_release(&b);
  sample_release(&once);
  sample_release(&thrice);
}

static void many_runs_are_thinned(void **state) {
  (void)state;
  struct sample sample;
  struct ts_indices indices;
  sample_init(&sample, TS_PCE_MAX_RUNS + 500, 10);
  analyse(&sample.runs, &(struct ts_analysis_options){.degree = 4, .resamples = 20}, &indices);
  check_model(&indices, 1e-3);
  assert_int_equal(indices.usable[0], TS_PCE_MAX_RUNS);
  assert_true(has_note(&indices, "10000 of 10500 runs"));
  ts_indices_release(&indices);
  sample_release(&sample);
}

/* 200 parameters, 3 of which matter: the pairs of all would be more terms than are tried. */
static void the_few_that_matter_are_found_among_many(void **state) {
  (void)state;
  enum { MANY = 200, RUNS = 200 };
  const char **many = ts_calloc(MANY, sizeof *many);
  double *unit = ts_calloc((size_t)MANY * RUNS, sizeof *unit), outputs[RUNS];
  struct ts_random random;
  ts_random_init(&random, 12, 12);
  for (size_t i = 0; i < MANY; i++) many[i] = "p";
  for (size_t i = 0; i < (size_t)MANY * RUNS; i++) unit[i] = ts_random_unit(&random);
  for (size_t i = 0; i < RUNS; i++) outputs[i] = model(unit + i * MANY + 50);
  struct ts_runs runs = {
      .names = many, .parameter_count = MANY, .row_count = RUNS, .unit = unit, .values = unit, .outputs = outputs};
  struct ts_indices indices;
  analyse(&runs, &(struct ts_analysis_options){0}, &indices);
  struct ts_indices part = {.cells = indices.cells + 100};
  check_model(&part, 1e-3);
  assert_true(indices.cells[0].value < 1e-3 && indices.cells[1].value < 1e-3);
  assert_true(indices.pair_count < 200);
  ts_indices_release(&indices);
  free(many);
  free(unit);
}

static void intervals_can_be_left_out_and_chosen(void **state) {
  (void)state;
  struct sample sample;
  struct ts_indices none, narrow, wide, normal;
  sample_init(&sample, 60, 13);
  sample.outputs[9] += 0.3;
  analyse(&sample.runs, &(struct ts_analysis_options){.resamples = TS_NO_RESAMPLES}, &none);
  analyse(&sample.runs, &(struct ts_analysis_options){.confidence = 0.5}, &narrow);
  analyse(&sample.runs, &(struct ts_analysis_options){.confidence = 0.99}, &wide);
  analyse(&sample.runs, &(struct ts_analysis_options){.interval = TS_INTERVAL_NORMAL}, &normal);
  assert_true(isnan(none.cells[0].low) && none.resamples == 0);
  assert_true(none.cells[0].value == wide.cells[0].value);
  assert_true(narrow.cells[0].high - narrow.cells[0].low < wide.cells[0].high - wide.cells[0].low);
  assert_true(normal.cells[0].low < normal.cells[0].value && normal.cells[0].value < normal.cells[0].high);
  ts_indices_release(&none);
  ts_indices_release(&narrow);
  ts_indices_release(&wide);
  ts_indices_release(&normal);
  sample_release(&sample);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(failed_runs_are_left_out),
      cmocka_unit_test(facts_tell_about_the_expansion),
      cmocka_unit_test(outputs_without_an_answer),
      cmocka_unit_test(noise_widens_the_intervals),
      cmocka_unit_test(refuses_what_it_cannot_use),
      cmocka_unit_test(too_many_parameters_are_refused),
      cmocka_unit_test(dependent_and_still_parameters_are_named),
      cmocka_unit_test(threads_do_not_change_a_byte),
      cmocka_unit_test(the_order_of_the_runs_does_not_matter),
      cmocka_unit_test(copies_of_runs_do_not_feign_certainty),
      cmocka_unit_test(many_runs_are_thinned),
      cmocka_unit_test(the_few_that_matter_are_found_among_many),
      cmocka_unit_test(intervals_can_be_left_out_and_chosen),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
