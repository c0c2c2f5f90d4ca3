/* Tests of tune/one_parameter_several.c and tune/chunk_screen.c: parameters alone, together and against each other.
 * SPDX-License-Identifier: Apache-2.0
 * test-label: one-thread */
#include "tune/one_parameter_several.h"

#include "base/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define PARAMETERS 3

/* A program with three parameters. */
struct program {
  double (*seconds)(const int64_t *values);
  size_t runs, count;
  int64_t sets[400][PARAMETERS];
};

static struct ts_one_parameter_options range(int64_t low, int64_t high, int64_t value) {
  return (struct ts_one_parameter_options){.low = low, .high = high, .default_value = value};
}

static struct ts_several *run(struct program *program, const struct ts_several_options *options) {
  struct ts_error err = {0};
  struct ts_several *several = ts_several_create(options, &err);
  if (!several) fail_msg("%s", err.text);
  int64_t values[PARAMETERS] = {0}, again[PARAMETERS] = {0};
  while (ts_several_next(several, values)) {
    assert_true(ts_several_next(several, again)); /* asking twice is asking once */
    assert_memory_equal(values, again, sizeof values);
    assert_true(program->runs < 400);
    memcpy(program->sets[program->runs++], values, sizeof values);
    ts_several_give(several, program->seconds(values));
  }
  assert_int_equal(ts_several_result(several)->runs, program->runs);
  return several;
}

static double bowl(double x, double least, double width) { return exp((x - least) / width) + exp((least - x) / width); }

/* Factors multiply, so each gains alone what it gains among the others: the minimum is where that of each factor is.
 * The second matters most, the third least. */
static double factors(const int64_t *values) {
  return 0.1 * bowl((double)values[0], 60, 40) * bowl((double)values[1], 30, 20) * bowl((double)values[2], 5, 20);
}

static void parameters_alone_add_up(void **state) {
  (void)state;
  const struct ts_one_parameter_options parameters[] = {range(2, 100, 10), range(2, 100, 90), range(2, 20, 20)};
  const struct ts_several_options options = {.parameters = parameters, .count = 3};
  struct program program = {.seconds = factors};
  struct ts_several *several = run(&program, &options);
  const struct ts_several_result *result = ts_several_result(several);
  const size_t order[] = {1, 0, 2};
  assert_memory_equal(result->order, order, sizeof order);
  assert_true(result->sensitivity[1] > result->sensitivity[0] && result->sensitivity[0] > result->sensitivity[2]);
  const int64_t best[] = {60, 30, 5};
  assert_true(result->seconds <= 1.02 * factors(best));
  assert_true(fabs(result->predicted_gain / result->measured_gain - 1) < 1e-9 && !result->swept_again);
  assert_true(fabs(result->measured_gain - result->default_seconds / result->seconds) < 1e-9);
  assert_true(result->seconds == factors(result->values));
  /* A run to warm up, the defaults, three values of each parameter. All but one parameter stay at their defaults. */
  for (size_t i = 0; i < 4; i++)
    assert_memory_equal(program.sets[i], ((int64_t[]){10, 90, 20}), sizeof program.sets[i]);
  for (size_t i = 4; i < 13; i++) {
    size_t moved = (i - 4) / 3;
    for (size_t p = 0; p < 3; p++) {
      if (p != moved) assert_int_equal(program.sets[i][p], parameters[p].default_value);
    }
  }
  assert_int_equal(program.sets[4][0], 2);
  assert_int_equal(program.sets[5][0], 51);
  assert_int_equal(program.sets[6][0], 100);
  ts_several_destroy(several);
}

/* Two parameters share a memory: what counts is their sum, 100 at best. Each alone would take all of it. */
static double shared(const int64_t *values) {
  double sum = (double)(values[0] + values[1]) - 100;
  return 10 + 0.01 * sum * sum;
}

static void parameters_that_interact_are_tuned_again(void **state) {
  (void)state;
  const struct ts_one_parameter_options parameters[] = {range(2, 100, 10), range(2, 100, 10)};
  struct ts_several_options options = {.parameters = parameters, .count = 2, .is_warm = true, .in_order = true};
  struct program program = {.seconds = shared};
  struct ts_several *several = run(&program, &options);
  const struct ts_several_result *result = ts_several_result(several);
  assert_true(result->swept_again);
  assert_true(result->predicted_gain > 2 * result->measured_gain);
  assert_true(result->default_seconds == 74);
  assert_true(result->seconds < 10.2 && shared(result->values) == result->seconds);
  assert_true(isnan(result->sensitivity[0]) && result->order[0] == 0 && result->order[1] == 1);
  /* In the order given: three runs of the defaults, then samples of the first parameter at once. */
  assert_true(program.sets[3][1] == 10 && program.sets[4][1] == 10 && program.sets[5][1] == 10);
  ts_several_destroy(several);
}

/* Together the values need more memory than there is. */
static double limited(const int64_t *values) {
  if (values[0] * values[1] > 4000) return INFINITY;
  return 100 * exp(-(double)values[0] / 30) + 100 * exp(-(double)values[1] / 30) + 5;
}

static void values_that_fail_together_are_not_recommended(void **state) {
  (void)state;
  const struct ts_one_parameter_options parameters[] = {range(2, 100, 20), range(2, 100, 20)};
  const struct ts_several_options options = {.parameters = parameters, .count = 2};
  struct program program = {.seconds = limited};
  struct ts_several *several = run(&program, &options);
  const struct ts_several_result *result = ts_several_result(several);
  assert_true(result->swept_again && result->measured_gain == 0);
  assert_true(isfinite(result->seconds) && result->seconds == limited(result->values));
  assert_true(result->seconds < 0.7 * result->default_seconds);
  ts_several_destroy(several);
}

static double nothing_works(const int64_t *values) {
  (void)values;
  return NAN;
}

static void without_a_run_that_works_the_defaults_stay(void **state) {
  (void)state;
  const struct ts_one_parameter_options parameters[] = {range(2, 100, 20), range(3, 9, 4)};
  const struct ts_several_options options = {.parameters = parameters, .count = 2};
  struct program program = {.seconds = nothing_works};
  struct ts_several *several = run(&program, &options);
  const struct ts_several_result *result = ts_several_result(several);
  assert_true(isnan(result->seconds) && isinf(result->default_seconds));
  assert_true(result->values[0] == 20 && result->values[1] == 4);
  ts_several_destroy(several);
}

/* Noise, and hills that no curve describes: never slower than the defaults were measured, whatever the program does. */
static struct ts_random noise;
static double rough(const int64_t *values) {
  double wave = 3 + sin((double)values[0] / 5) + cos((double)(values[1] * values[2]) / 90);
  return wave * (1 + 0.03 * (ts_random_unit(&noise) - 0.5));
}

static void the_result_is_the_fastest_that_was_measured(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 30; seed++) {
    struct ts_one_parameter_options parameters[] = {range(1, 60, 1 + (int64_t)(2 * seed)), range(1, 80, 40),
                                                    range(-3, 3, 1)};
    for (size_t i = 0; i < 3; i++) parameters[i].seed = seed;
    const struct ts_several_options options = {.parameters = parameters, .count = 3};
    struct program one = {.seconds = rough}, two = {.seconds = rough};
    ts_random_init(&noise, seed, 0);
    struct ts_several *first = run(&one, &options);
    ts_random_init(&noise, seed, 0);
    struct ts_several *second = run(&two, &options);
    const struct ts_several_result *result = ts_several_result(first);
    assert_true(result->seconds <= result->default_seconds);
    assert_int_equal(one.runs, two.runs); /* the same seed and times: the same sets */
    assert_memory_equal(one.sets, two.sets, sizeof one.sets);
    for (size_t i = 0; i < one.runs; i++) {
      for (size_t p = 0; p < 3; p++)
        assert_true(one.sets[i][p] >= parameters[p].low && one.sets[i][p] <= parameters[p].high);
    }
    ts_several_destroy(first);
    ts_several_destroy(second);
  }
}

static void impossible_options_are_refused(void **state) {
  (void)state;
  struct ts_error err = {0};
  const struct ts_one_parameter_options parameters[] = {range(2, 100, 20), range(3, 9, 40)};
  struct ts_several_options options = {.parameters = parameters};
  assert_null(ts_several_create(&options, &err));
  assert_string_equal(err.text, "there is no parameter to tune");
  err = (struct ts_error){0};
  options.count = 2;
  assert_null(ts_several_create(&options, &err));
  assert_non_null(strstr(err.text, "the default 40 is not in the range from 3 to 9"));
}

/* 10 % on three runs in a row; a run that is as predicted between them, or fewer, is not a reason. */
static void a_stored_result_holds_until_three_runs_differ(void **state) {
  (void)state;
  const double as_predicted[] = {10, 10.9, 9.1, 11}, slower[] = {10, 11.2, 11.2, 11.2}, two[] = {10, 8, 8};
  const double between[] = {12, 12, 10, 12, 12}, later[] = {12, 12, 10, 12, 8.9, 12}, fails[] = {10, NAN, INFINITY, 0};
  assert_true(ts_one_parameter_holds(10, as_predicted, 4));
  assert_true(ts_one_parameter_holds(10, NULL, 0));
  assert_true(ts_one_parameter_holds(10, two, 3));
  assert_true(ts_one_parameter_holds(10, slower, 3));
  assert_false(ts_one_parameter_holds(10, slower, 4));
  assert_true(ts_one_parameter_holds(10, between, 5));
  assert_false(ts_one_parameter_holds(10, later, 6));
  assert_false(ts_one_parameter_holds(10, fails, 4));
}

static double chunk_seconds(int64_t width, int64_t height) {
  double w = log((double)width / 700), h = log((double)height / 300);
  return 20 * exp(0.3 * w * w + 0.1 * h * h);
}

/* A truth of the model's kind: the best three of all sizes, found by looking at every one. */
static void the_best_chunks_are_screened(void **state) {
  (void)state;
  const int64_t sides[] = {128, 256, 512, 1024, 2048, 4096}, design[] = {128, 1024, 4096};
  double seconds[9], found[3];
  for (size_t i = 0; i < 9; i++) seconds[i] = chunk_seconds(design[i % 3], design[i / 3]);
  struct ts_chunk_size chosen[3];
  assert_int_equal(ts_chunk_screen(design, design, seconds, sides, 6, sides, 6, chosen, 3), 3);
  for (size_t i = 0; i < 3; i++) found[i] = chunk_seconds(chosen[i].width, chosen[i].height);
  assert_true(found[0] < found[1] && found[1] < found[2]);
  size_t faster = 0;
  for (size_t i = 0; i < 36; i++) faster += chunk_seconds(sides[i % 6], sides[i / 6]) < found[2] * (1 - 1e-12);
  assert_int_equal(faster, 2);
  assert_int_equal(ts_chunk_screen(design, design, seconds, sides, 2, sides, 1, chosen, 3), 2);
  seconds[4] = INFINITY; /* a design with a hole says too little */
  assert_int_equal(ts_chunk_screen(design, design, seconds, sides, 6, sides, 6, chosen, 3), 0);
  const int64_t twice[] = {128, 128, 4096};
  seconds[4] = 1;
  assert_int_equal(ts_chunk_screen(twice, design, seconds, sides, 6, sides, 6, chosen, 3), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(parameters_alone_add_up),
      cmocka_unit_test(parameters_that_interact_are_tuned_again),
      cmocka_unit_test(values_that_fail_together_are_not_recommended),
      cmocka_unit_test(without_a_run_that_works_the_defaults_stay),
      cmocka_unit_test(the_result_is_the_fastest_that_was_measured),
      cmocka_unit_test(impossible_options_are_refused),
      cmocka_unit_test(a_stored_result_holds_until_three_runs_differ),
      cmocka_unit_test(the_best_chunks_are_screened),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
