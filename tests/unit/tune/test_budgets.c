/* Budgets in cost and seconds for every tuner: known costs, unknown ones, free trials, points that are too expensive.
 * SPDX-License-Identifier: Apache-2.0
 * test-label: one-thread */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tune_case.h"

static struct tune_case box;

/* What a trial really costs; of a component alone a third of the workflow at most. */
typedef double price(const double *unit, bool is_component);

#define GREATEST 3.5
static double uneven(const double *unit, bool is_component) {
  if (is_component) return 0.5;
  return 0.5 + unit[0] + 2 * unit[3];
}

static double nothing(const double *unit, bool is_component) {
  (void)unit, (void)is_component;
  return 0;
}

static double negative(const double *unit, bool is_component) {
  (void)unit, (void)is_component;
  return -1;
}

static double unknown(const double *unit, bool is_component) {
  (void)unit, (void)is_component;
  return NAN;
}

/* Cheap for half of the space, a fifth of the budget of 100 for the other. */
static double steep(const double *unit, bool is_component) { return is_component ? 0.1 : unit[1] > 0.5 ? 20 : 1; }

static price *current;
static double predicted(void *user, const double *unit) {
  (void)user;
  return current(unit, false);
}

/* Runs a tuner to its end; more trials than `most` say that it has none. */
static struct ts_tune *tune_at(const struct ts_tuner *tuner, size_t most) {
  const struct ts_tune_options options = {.candidates = 300};
  struct ts_error err = {0};
  struct ts_tune *tune = ts_tune_create(tuner, &box.problem, &options, &err);
  if (!tune) fail_msg("%s: %s", tuner->name, err.text);
  const struct ts_tune_history *history = ts_tune_history(tune);
  for (size_t first = 0, count = 1; count > 0;) {
    if (!ts_tune_next(tune, &first, &count, &err)) fail_msg("%s: %s", tuner->name, err.text);
    if (history->count > most) fail_msg("%s: more than %zu trials", tuner->name, most);
    for (size_t t = first; t < first + count; t++) {
      double outputs[2];
      case_run(&box, history, t, outputs);
      ts_tune_report(tune, t, outputs, current(&history->unit[t * CASE_COLUMNS], history->components[t] != TS_NONE));
    }
  }
  return tune;
}

static void begin_case(bool is_table, enum ts_budget_kind kind, double budget, uint64_t seed, price *cost) {
  case_init(&box, is_table, budget, seed);
  box.problem.budget_kind = kind;
  current = cost;
}

static double sum_of_costs(const struct ts_tune_history *history) {
  double sum = 0;
  for (size_t t = 0; t < history->count; t++) sum += history->costs[t];
  return sum;
}

static void known_costs_are_never_exceeded(void **state) {
  (void)state;
  for (size_t i = 0; ts_tuners[i]; i++) {
    if (ts_tuners[i]->flags & TS_TUNER_COMPONENTS) continue; /* nobody predicts what a component alone costs */
    for (uint64_t seed = 0; seed < 6; seed++) {
      begin_case(seed % 2 == 0, seed % 3 ? TS_BUDGET_COST : TS_BUDGET_SECONDS, 40, seed, uneven);
      box.problem.cost = predicted;
      struct ts_tune *tune = tune_at(ts_tuners[i], 200);
      double sum = sum_of_costs(ts_tune_history(tune));
      if (sum > 40 + 1e-6) fail_msg("%s, seed %d: %g of 40", ts_tuners[i]->name, (int)seed, sum);
      if (sum < 40 - 2 * GREATEST) fail_msg("%s, seed %d: only %g of 40", ts_tuners[i]->name, (int)seed, sum);
      ts_tune_destroy(tune);
    }
  }
}

/* Nobody predicts what a trial costs. The first ones are run alone, so that no batch is planned blindly; then a trial
 * is expected to cost as much as the most expensive so far, and the budget is exceeded by one trial at most. */
static void unknown_costs_exceed_a_budget_by_one_trial_at_most(void **state) {
  (void)state;
  for (size_t i = 0; ts_tuners[i]; i++) {
    for (uint64_t seed = 0; seed < 10; seed++) {
      begin_case(seed % 2 == 0, TS_BUDGET_SECONDS, seed < 5 ? 20 : 60, seed, uneven);
      struct ts_tune *tune = tune_at(ts_tuners[i], 300);
      const struct ts_tune_history *history = ts_tune_history(tune);
      double sum = sum_of_costs(history);
      if (sum > box.problem.budget + GREATEST)
        fail_msg("%s, seed %d: %g of %g", ts_tuners[i]->name, (int)seed, sum, box.problem.budget);
      if (sum < box.problem.budget - 2 * GREATEST)
        fail_msg("%s, seed %d: only %g of %g", ts_tuners[i]->name, (int)seed, sum, box.problem.budget);
      assert_true(history->batches[0] != history->batches[1]);
      ts_tune_destroy(tune);
    }
  }
}

/* A trial that costs nothing (all of it is reused) leaves the budget as it was: a search of a space without an end must
 * end all the same. Costs below 0 and NaN count as nothing. */
static void check_free(const struct ts_tuner *tuner, price *cost, bool is_predicted) {
  begin_case(false, TS_BUDGET_SECONDS, 10, 1, cost);
  if (is_predicted) box.problem.cost = predicted;
  struct ts_tune *tune = tune_at(tuner, 1000);
  struct ts_tune_result result;
  ts_tune_result(tune, &result);
  assert_true(ts_tune_history(tune)->spent == 0);
  assert_true(result.recommended != TS_NONE);
  ts_tune_destroy(tune);
}

static void free_trials_end(void **state) {
  (void)state;
  for (size_t i = 0; ts_tuners[i]; i++) {
    check_free(ts_tuners[i], nothing, true);
    if (ts_tuners[i]->flags & TS_TUNER_PREDICTS) continue; /* what follows is the driver's: those without a model do */
    check_free(ts_tuners[i], nothing, false);
    check_free(ts_tuners[i], negative, false);
    check_free(ts_tuners[i], unknown, false);
  }
}

/* A point that costs more than is left does not end a search while others still fit. */
static void expensive_points_do_not_end_a_search(void **state) {
  (void)state;
  const char *const searches[] = {"nelder-mead", "pro", "genetic", "tpe"};
  for (size_t i = 0; i < 4; i++) {
    struct ts_error err = {0};
    const struct ts_tuner *tuner = ts_tuner_find(searches[i], &err);
    for (uint64_t seed = 0; seed < 20; seed++) {
      begin_case(false, TS_BUDGET_COST, 100, seed, steep);
      box.problem.cost = predicted;
      struct ts_tune *tune = tune_at(tuner, 200);
      double sum = sum_of_costs(ts_tune_history(tune)), mean = sum / (double)ts_tune_history(tune)->count;
      assert_true(sum <= 100 + 1e-6);
      if (sum + mean + 1 < 100) fail_msg("%s, seed %d: ends with %g of 100", searches[i], (int)seed, sum);
      ts_tune_destroy(tune);
    }
  }
}

/* Every run of the first generation fails. On a table the second must not consist of the neighbours of the first. */
static void failed_first_points_are_not_tried_next_door(void **state) {
  (void)state;
  struct ts_error err = {0};
  size_t close = 0, all = 0;
  for (uint64_t seed = 0; seed < 20; seed++) {
    case_init(&box, true, 30, seed);
    box.failing = -1;
    struct ts_tune *tune = case_tune(&box, ts_tuner_find("genetic", &err), NULL);
    const struct ts_tune_history *history = ts_tune_history(tune);
    size_t first = 0;
    while (history->batches[first] == history->batches[0]) first++;
    for (size_t t = first; t < 2 * first; t++) {
      double distance = 0;
      for (size_t c = 0; c < CASE_COLUMNS; c++)
        distance += fabs(history->numbers[t * CASE_COLUMNS + c] - history->numbers[(t - first) * CASE_COLUMNS + c]);
      close += distance <= 1;
      all++;
    }
    ts_tune_destroy(tune);
  }
  /* A row has at most 8 neighbours among 624 rows: 1.3 % by chance; 10 % is more than 20 times 6 draws ever give. */
  if (10 * close > all) fail_msg("%zu of %zu are next to a failure", close, all);
}

/* Four fifths of the rows fail. Failures count among TPE's first trials because it learns from them: afterwards far
 * fewer trials fail than would at random. It asks for no run of a component, so none is among them. */
static void failures_teach_tpe(void **state) {
  (void)state;
  struct ts_error err = {0};
  size_t failed = 0, all = 0;
  for (uint64_t seed = 0; seed < 20; seed++) {
    case_init(&box, true, 40, seed);
    box.failing = 0;
    struct ts_tune *tune = case_tune(&box, ts_tuner_find("tpe", &err), NULL);
    const struct ts_tune_history *history = ts_tune_history(tune);
    for (size_t t = 0; t < history->count; t++) assert_int_equal(history->kinds[t], TS_TRIAL_WORKFLOW);
    for (size_t t = 10; t < history->count; t++, all++) failed += history->failed[t];
    ts_tune_destroy(tune);
  }
  assert_int_equal(all, 20 * 30);
  if (2 * failed > all) fail_msg("%zu of %zu trials fail", failed, all);
}

/* Nine recorded trials: one more is a first one, not ten more. */
static void recorded_trials_count_among_the_first(void **state) {
  (void)state;
  struct ts_error err = {0};
  double outputs[9];
  case_init(&box, true, 12, 1);
  for (size_t r = 0; r < 9; r++) outputs[r] = case_output(&box.rows[r * CASE_COLUMNS], 0);
  box.problem.history = (struct ts_tune_points){9, box.rows, NULL};
  box.problem.history_outputs = outputs;
  struct ts_tune *tune = case_tune(&box, ts_tuner_find("tpe", &err), NULL);
  const struct ts_tune_history *history = ts_tune_history(tune);
  assert_int_equal(history->count, 9 + 12);
  assert_true(history->batches[9] != history->batches[10] && history->batches[10] != history->batches[11]);
  ts_tune_destroy(tune);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(known_costs_are_never_exceeded),
      cmocka_unit_test(unknown_costs_exceed_a_budget_by_one_trial_at_most),
      cmocka_unit_test(free_trials_end),
      cmocka_unit_test(expensive_points_do_not_end_a_search),
      cmocka_unit_test(failed_first_points_are_not_tried_next_door),
      cmocka_unit_test(failures_teach_tpe),
      cmocka_unit_test(recorded_trials_count_among_the_first),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
