/* Tests of Nelder-Mead, PRO, the genetic algorithm and TPE: regret beside scipy's, densities.
 * SPDX-License-Identifier: Apache-2.0
 * test-label: one-thread
 *
 * With the word "regret" it prints the median regrets as JSON instead, for bench/tuners_against_scipy.py. */
#include "functions.h"

#include "base/json.h"
#include "base/order.h"
#include "support/vectors.h"
#include "tune/parzen_int.h"

#include <stdio.h>

#define RUNS       200
#define SEEDS      40
#define FIRST_SEED 1001 /* settings were chosen with seeds below 1000 */

/* Each tuner and the method of scipy that it must keep up with. */
static const struct {
  const char *tuner, *method;
  size_t seeds; /* TPE takes a millisecond per trial: fewer here */
} pairs[] = {
    {"nelder-mead", "nelder-mead", SEEDS},
    {"pro", "differential-evolution", SEEDS},
    {"genetic", "differential-evolution", SEEDS},
    {"tpe", "differential-evolution", 8},
};
#define PAIR_COUNT (sizeof pairs / sizeof *pairs)

static double median_regret(const struct function *function, const char *tuner, size_t seeds) {
  double regrets[SEEDS];
  for (size_t s = 0; s < seeds; s++) regrets[s] = function_regret(function, tuner, RUNS, FIRST_SEED + s);
  qsort(regrets, seeds, sizeof *regrets, ts_compare_doubles);
  return (regrets[(seeds - 1) / 2] + regrets[seeds / 2]) / 2;
}

static void regret_is_at_most_that_of_scipy(void **state) {
  (void)state;
  const char *parent = vectors_parent("tuning/scipy_regret.json");
  assert_non_null(parent);
  char path[600];
  struct ts_json_doc doc = {0};
  struct ts_error err = {0};
  snprintf(path, sizeof path, "%s/vectors/tuning/scipy_regret.json", parent);
  if (!ts_json_doc_open(&doc, path, &err)) fail_msg("%s", err.text);
  for (size_t f = 0; f < FUNCTION_COUNT; f++) {
    for (size_t p = 0; p < PAIR_COUNT; p++) {
      const json_t *methods = json_object_get(doc.root, functions[f].name);
      double theirs = json_number_value(json_object_get(methods, pairs[p].method));
      double ours = median_regret(&functions[f], pairs[p].tuner, pairs[p].seeds);
      assert_true(theirs > 0);
      if (!(ours <= 1.5 * theirs)) fail_msg("%s on %s: %g, scipy %g", pairs[p].tuner, functions[f].name, ours, theirs);
      assert_true(ours >= 0);
    }
  }
  ts_json_doc_close(&doc);
}

static const struct ts_value three_words[] = {
    {.type = TS_VALUE_STRING, .as.string = "a"},
    {.type = TS_VALUE_STRING, .as.string = "b"},
    {.type = TS_VALUE_STRING, .as.string = "c"},
};

/* A real, an integer of five values and a word of three: sums over the values and a fine grid of the real make 1. */
static void densities_add_up_to_one(void **state) {
  (void)state;
  const struct ts_parameter parameters[] = {
      {.name = "x", .type = TS_VALUE_REAL, .has_range = true, .range_low = 0, .range_high = 1},
      {.name = "n", .type = TS_VALUE_INTEGER, .has_range = true, .range_low = 1, .range_high = 5},
      {.name = "w", .type = TS_VALUE_STRING, .levels = three_words, .level_count = 3},
  };
  const struct ts_parameter *pointers[] = {&parameters[0], &parameters[1], &parameters[2]};
  struct ts_space space = {.parameters = pointers, .count = 3};
  const double unit[] = {0.1, 0.1, 0.5, 0.13, 0.5, 0.5, 0.98, 0.9, 1. / 6};
  const size_t trials[] = {0, 1, 2};
  for (size_t count = 0; count <= 3; count++) {
    struct ts_parzen parzen;
    ts_parzen_init(&parzen, &space, unit, trials, count);
    double sum = 0;
    for (size_t i = 0; i < 2000 * 15; i++) {
      const double at[] = {((double)(i / 15) + 0.5) / 2000, ((double)(i % 5) + 0.5) / 5,
                           ((double)(i / 5 % 3) + 0.5) / 3};
      sum += exp(ts_parzen_log_density(&parzen, at)) / 2000;
    }
    assert_true(fabs(sum - 1) < 1e-5);
    ts_parzen_release(&parzen);
  }
}

/* Draws follow the density: the share below a place on the real axis, against the sum of the density. */
static void draws_follow_the_density(void **state) {
  (void)state;
  const struct ts_parameter parameter = {
      .name = "x", .type = TS_VALUE_REAL, .has_range = true, .range_low = 0, .range_high = 1};
  const struct ts_parameter *pointer = &parameter;
  struct ts_space space = {.parameters = &pointer, .count = 1};
  const double unit[] = {0.1, 0.15, 0.7};
  const size_t trials[] = {0, 1, 2};
  struct ts_parzen parzen;
  ts_parzen_init(&parzen, &space, unit, trials, 3);
  double expected = 0;
  for (size_t i = 0; i < 1000; i++)
    expected += exp(ts_parzen_log_density(&parzen, &(double){((double)i + 0.5) / 4000})) / 4000;
  struct ts_random random;
  ts_random_init(&random, 5, 0);
  size_t below = 0;
  for (size_t i = 0; i < 20000; i++) {
    double drawn;
    ts_parzen_draw(&parzen, &random, &drawn);
    below += drawn < 0.25;
  }
  /* Four standard deviations of the share. */
  assert_true(fabs((double)below / 20000 - expected) < 4 * sqrt(0.25 / 20000));
  ts_parzen_release(&parzen);
}

static int print_regrets(void) {
  printf("{");
  for (size_t f = 0; f < FUNCTION_COUNT; f++) {
    printf("%s\n \"%s\": {", f > 0 ? "," : "", functions[f].name);
    for (size_t p = 0; p < PAIR_COUNT; p++) {
      double regret = median_regret(&functions[f], pairs[p].tuner, SEEDS);
      printf("%s\"%s\": %.6g", p > 0 ? ", " : "", pairs[p].tuner, regret);
    }
    printf("}");
  }
  printf("\n}\n");
  return 0;
}

int main(int count, char **words) {
  if (count > 1 && strcmp(words[count - 1], "regret") == 0) return print_regrets();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(regret_is_at_most_that_of_scipy),
      cmocka_unit_test(densities_add_up_to_one),
      cmocka_unit_test(draws_follow_the_density),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
