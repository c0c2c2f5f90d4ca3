/* The driver, with a tuner whose every step is fixed here: confirmations, recorded trials, budgets, weights of goals.
 * SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "tune_case.h"

#include <string.h>

static struct tune_case box;

/* ---- A tuner that asks for rows 0, 1, 2, ... and predicts the rows below. ---- */

static size_t best_row, spare_row;

static void *begin(const struct ts_tune_problem *problem, const struct ts_tune_options *options, struct ts_error *err) {
  (void)problem, (void)options, (void)err;
  return ts_calloc(1, 1);
}

static bool next(void *state, const struct ts_tune_history *history, struct ts_tune_batch *batch, const char **reason,
                 struct ts_error *err) {
  (void)state, (void)err, (void)history;
  *reason = "as the test says";
  for (size_t row = 0; ts_batch_room(batch) > 0; row++) {
    size_t trial = TS_NONE;
    enum ts_added added = ts_batch_add_row(batch, row, &trial);
    assert_true(added == TS_ADDED || added == TS_ADDED_BEFORE);
    assert_int_equal(ts_batch_add_row(batch, row, &trial), TS_ADDED_BEFORE);
    assert_true(history->numbers[trial * CASE_COLUMNS] == box.rows[row * CASE_COLUMNS]);
  }
  assert_int_equal(ts_batch_add_row(batch, 500, NULL), TS_ADD_NO_BUDGET);
  return true;
}

static bool finish(void *state, const struct ts_tune_history *history, struct ts_tune_forecast *forecast,
                   struct ts_error *err) {
  (void)state, (void)err, (void)history;
  forecast->has_best = forecast->has_spare = true;
  forecast->best_row = best_row;
  forecast->spare_row = spare_row;
  return true;
}

static const struct ts_tuner puppet = {.name = "puppet",
                                       .title = "a puppet",
                                       .help = "",
                                       .flags = TS_TUNER_PREDICTS,
                                       .begin = begin,
                                       .next = next,
                                       .finish = finish,
                                       .destroy = free};

static void last_run_confirms_the_forecast(void **state) {
  (void)state;
  case_init(&box, true, 10, 1);
  best_row = 300;
  spare_row = 301;
  struct ts_tune *tune = case_tune(&box, &puppet, NULL);
  const struct ts_tune_history *history = ts_tune_history(tune);
  struct ts_tune_result result;
  ts_tune_result(tune, &result);
  assert_int_equal(history->count, 10);
  assert_int_equal(history->kinds[9], TS_TRIAL_CONFIRMATION);
  assert_int_equal(history->rows[9], 300);
  assert_int_equal(result.predicted, 9);
  assert_true(result.measured < 9);
  assert_string_equal(result.reason, "as the test says");
  ts_tune_destroy(tune);
}

/* A forecast that was measured already needs no confirmation: the run goes where the tuner would go next. */
static void measured_forecast_frees_the_run(void **state) {
  (void)state;
  case_init(&box, true, 10, 1);
  best_row = 4;
  spare_row = 301;
  struct ts_tune *tune = case_tune(&box, &puppet, NULL);
  const struct ts_tune_history *history = ts_tune_history(tune);
  struct ts_tune_result result;
  ts_tune_result(tune, &result);
  assert_int_equal(history->count, 10);
  assert_int_equal(history->kinds[9], TS_TRIAL_SPARE);
  assert_int_equal(history->rows[9], 301);
  assert_int_equal(result.predicted, 4);
  ts_tune_destroy(tune);
}

static void confirmation_can_be_left_out(void **state) {
  (void)state;
  const struct ts_tune_options options = {.no_confirmation = true};
  case_init(&box, true, 10, 1);
  best_row = 300;
  struct ts_tune *tune = case_tune(&box, &puppet, &options);
  struct ts_tune_result result;
  ts_tune_result(tune, &result);
  assert_int_equal(ts_tune_history(tune)->rows[9], 9);
  assert_int_equal(result.predicted, TS_NONE);
  assert_int_equal(result.recommended, result.measured);
  ts_tune_destroy(tune);
}

/* Recorded trials come first, cost nothing, and are neither run again nor forgotten. */
static void recorded_trials_are_free(void **state) {
  (void)state;
  static const double outputs[] = {0.25, NAN};
  case_init(&box, true, 5, 1);
  best_row = 300;
  box.problem.history = (struct ts_tune_points){2, &box.rows[CASE_COLUMNS], NULL}; /* rows 1 and 2 */
  box.problem.history_outputs = outputs;
  struct ts_tune *tune = case_tune(&box, &puppet, NULL);
  const struct ts_tune_history *history = ts_tune_history(tune);
  struct ts_tune_result result;
  ts_tune_result(tune, &result);
  assert_int_equal(history->count, 7);
  assert_int_equal(history->kinds[0], TS_TRIAL_RECORDED);
  assert_true(history->failed[1]);
  for (size_t t = 2; t < 7; t++) assert_true(history->rows[t] != 1 && history->rows[t] != 2);
  assert_true(history->spent == 5);
  assert_int_equal(result.recommended, 0);
  ts_tune_destroy(tune);
}

static void foolish_problems_are_refused(void **state) {
  (void)state;
  struct ts_error err = {0};
  case_init(&box, true, 0, 1);
  assert_null(ts_tune_create(&puppet, &box.problem, NULL, &err));
  assert_string_equal(err.text, "the budget must be above 0");
  err = (struct ts_error){0};
  case_init(&box, true, 5, 1);
  box.rows[0] = 17;
  assert_null(ts_tune_create(&puppet, &box.problem, NULL, &err));
  assert_string_equal(err.text, "row 1 of the pool: parameter 'a' cannot be 17");
  err = (struct ts_error){0};
  case_init(&box, true, 5, 1);
  box.problem.goal_count = 0;
  assert_null(ts_tune_create(&puppet, &box.problem, NULL, &err));
  assert_non_null(strstr(err.text, "no goal"));
}

/* Mean cost of points drawn from the space: 16 random points of a cost between 1 and 3. */
static double cost_of(void *user, const double *unit) {
  (void)user;
  return 1 + 2 * unit[0];
}

static double free_of_charge(void *user, const double *unit) {
  (void)user, (void)unit;
  return 0;
}

static void budgets_are_worth_runs(void **state) {
  (void)state;
  case_init(&box, true, 50, 1);
  assert_int_equal(ts_tune_expected_runs(&box.problem), 50);
  box.problem.budget_kind = TS_BUDGET_SECONDS;
  assert_int_equal(ts_tune_expected_runs(&box.problem), TS_TUNE_GUESSED_RUNS);
  box.problem.cost = cost_of;
  box.problem.budget = 200;
  size_t runs = ts_tune_expected_runs(&box.problem);
  assert_true(runs > 200 / 3 && runs < 200);
  box.problem.cost = free_of_charge; /* a quotient of 0 would be worth any number of runs */
  assert_int_equal(ts_tune_expected_runs(&box.problem), TS_TUNE_GUESSED_RUNS);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(last_run_confirms_the_forecast), cmocka_unit_test(measured_forecast_frees_the_run),
      cmocka_unit_test(confirmation_can_be_left_out),   cmocka_unit_test(recorded_trials_are_free),
      cmocka_unit_test(foolish_problems_are_refused),   cmocka_unit_test(budgets_are_worth_runs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
