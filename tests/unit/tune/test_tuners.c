/* What every tuner of the table keeps: budget, no trial twice, same seed same trials, failures remembered, an honest
 * recommendation. A tuner that is added to the table is tested here without a further line.
 * SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "design/points.h"
#include "tune_case.h"

#include <string.h>

static struct tune_case box;

static const double budgets[] = {1, 2, 3, 7, 20, 45};
#define BUDGETS (sizeof budgets / sizeof budgets[0])

static double cost_of(void *user, const double *unit) {
  (void)user;
  return 0.5 + unit[0] + 2 * unit[3];
}

static bool same_point(const struct ts_tune_history *history, size_t a, size_t b) {
  if (history->components[a] != history->components[b]) return false;
  for (size_t c = 0; c < CASE_COLUMNS; c++) {
    double x = history->numbers[a * CASE_COLUMNS + c], y = history->numbers[b * CASE_COLUMNS + c];
    if (x != y && !(isnan(x) && isnan(y))) return false;
  }
  return true;
}

static void check_no_trial_twice(const char *name, const struct ts_tune_history *history) {
  for (size_t a = 0; a < history->count; a++) {
    for (size_t b = 0; b < a; b++) {
      if (same_point(history, a, b)) fail_msg("%s: trials %zu and %zu are the same", name, b, a);
    }
  }
}

/* Charges counted here, not by the driver. */
static double charged(const struct ts_tune_history *history, bool in_runs) {
  double sum = 0;
  for (size_t t = 0; t < history->count; t++) {
    double runs = history->components[t] == TS_NONE ? 1 : 0.5; /* of two components */
    sum += in_runs ? runs : history->costs[t];
  }
  return sum;
}

static void check_recommendation(const char *name, const struct ts_tune *tune) {
  const struct ts_tune_history *history = ts_tune_history(tune);
  struct ts_tune_result result;
  ts_tune_result(tune, &result);
  double least = INFINITY;
  size_t confirmations = 0;
  for (size_t t = 0; t < history->count; t++) {
    if (history->kinds[t] == TS_TRIAL_CONFIRMATION || history->kinds[t] == TS_TRIAL_SPARE) confirmations++;
    if (history->components[t] == TS_NONE && !history->failed[t]) least = fmin(least, history->outputs[t]);
  }
  if (confirmations > 1) fail_msg("%s: %zu confirmations", name, confirmations);
  if (isinf(least)) {
    if (result.recommended != TS_NONE) fail_msg("%s recommends although every run failed", name);
    return;
  }
  assert_true(result.recommended != TS_NONE);
  if (history->outputs[result.recommended] != least) fail_msg("%s does not recommend its best trial", name);
  assert_non_null(result.reason);
}

static void check_all(const struct ts_tuner *tuner, const struct ts_tune *tune, bool in_runs) {
  const struct ts_tune_history *history = ts_tune_history(tune);
  double sum = charged(history, in_runs);
  if (sum > box.problem.budget + 1e-6) fail_msg("%s: charged %g of %g", tuner->name, sum, box.problem.budget);
  assert_true(fabs(sum - history->spent) < 1e-6);
  check_no_trial_twice(tuner->name, history);
  check_recommendation(tuner->name, tune);
}

static void table_budgets_are_kept(void **state) {
  (void)state;
  for (size_t i = 0; ts_tuners[i]; i++) {
    for (size_t b = 0; b < BUDGETS; b++) {
      case_init(&box, true, budgets[b], b);
      struct ts_tune *tune = case_tune(&box, ts_tuners[i], NULL);
      check_all(ts_tuners[i], tune, true);
      if (charged(ts_tune_history(tune), true) < box.problem.budget - 1 + 1e-6)
        fail_msg("%s leaves runs unused: %g of %g", ts_tuners[i]->name, ts_tune_history(tune)->spent, budgets[b]);
      ts_tune_destroy(tune);
    }
  }
}

static void spaces_and_constraints_are_kept(void **state) {
  (void)state;
  const struct ts_tune_options options = {.candidates = 300};
  for (size_t i = 0; ts_tuners[i]; i++) {
    case_init(&box, false, 20, 5);
    struct ts_tune *tune = case_tune(&box, ts_tuners[i], &options);
    const struct ts_tune_history *history = ts_tune_history(tune);
    check_all(ts_tuners[i], tune, true);
    for (size_t t = 0; t < history->count; t++) {
      const double *numbers = &history->numbers[t * CASE_COLUMNS];
      if (history->components[t] == TS_NONE && !(numbers[0] < numbers[3]))
        fail_msg("%s: trial %zu breaks a constraint", ts_tuners[i]->name, t);
    }
    ts_tune_destroy(tune);
  }
}

/* Seed by seed another mixture: table or space with a constraint, batches, failures, recorded trials, budgets in runs
 * and seconds. */
static void make_mixture(uint64_t seed, struct ts_tune_options *options) {
  static double outputs[5];
  case_init(&box, seed % 2 == 0, 8 + (double)(seed % 4) * 9, seed);
  *options = (struct ts_tune_options){.candidates = 150, .batch = seed % 3 == 2 ? 4 : 0};
  if (seed % 3 == 1) box.failing = (double)(seed % 5) / 2;
  if (seed % 4 == 3) {
    box.problem.budget_kind = TS_BUDGET_SECONDS;
    box.problem.cost = cost_of;
    box.problem.charges_components = false; /* what a component alone costs is not predicted */
    for (size_t j = 0; j < 2; j++) {
      for (size_t r = 0; r < CASE_PARTS; r++) box.part_outputs[r] = case_part_output(&box.parts[2 * r], 0);
      box.components[j].history = (struct ts_tune_points){CASE_PARTS, box.parts, NULL};
      box.components[j].history_outputs = box.part_outputs;
    }
  }
  if (seed % 5 == 4) {
    for (size_t r = 0; r < 5; r++) outputs[r] = r == 2 ? NAN : case_output(&box.rows[r * CASE_COLUMNS], 0);
    box.problem.history = (struct ts_tune_points){5, box.rows, NULL};
    box.problem.history_outputs = outputs;
  }
}

static void check_mixture(const struct ts_tuner *tuner, uint64_t seed) {
  struct ts_tune_options options;
  make_mixture(seed, &options);
  struct ts_tune *one = case_tune(&box, tuner, &options), *two = case_tune(&box, tuner, &options);
  const struct ts_tune_history *history = ts_tune_history(one), *again = ts_tune_history(two);
  assert_int_equal(history->count, again->count);
  assert_memory_equal(history->numbers, again->numbers, history->count * CASE_COLUMNS * sizeof *history->numbers);
  check_no_trial_twice(tuner->name, history);
  check_recommendation(tuner->name, one);
  double sum = 0;
  for (size_t t = box.problem.history.count; t < history->count; t++) {
    const double *numbers = &history->numbers[t * CASE_COLUMNS];
    bool is_workflow = history->components[t] == TS_NONE, in_runs = box.problem.budget_kind == TS_BUDGET_RUNS;
    sum += !in_runs ? history->costs[t] : is_workflow ? 1 : 0.5;
    assert_int_equal(history->failed[t], is_workflow && numbers[0] > box.failing);
    if (is_workflow && box.space.constraint_count > 0 && !(numbers[0] < numbers[3]))
      fail_msg("%s, seed %d: trial %zu breaks a constraint", tuner->name, (int)seed, t);
  }
  if (sum > box.problem.budget + 1e-6)
    fail_msg("%s, seed %d: %g of %g", tuner->name, (int)seed, sum, box.problem.budget);
  ts_tune_destroy(one);
  ts_tune_destroy(two);
}

static void mixtures_keep_all_promises(void **state) {
  (void)state;
  for (size_t i = 0; ts_tuners[i]; i++) {
    for (uint64_t seed = 0; seed < 20; seed++) check_mixture(ts_tuners[i], seed);
  }
}

/* Budgets in cost and in seconds: every trial of the workflow costs what the caller predicted. */
static void cost_budgets_are_kept(void **state) {
  (void)state;
  for (size_t i = 0; ts_tuners[i]; i++) {
    if (ts_tuners[i]->flags & TS_TUNER_COMPONENTS) continue; /* the cost of a component alone is not predicted */
    for (int kind = TS_BUDGET_COST; kind <= TS_BUDGET_SECONDS; kind++) {
      case_init(&box, true, 40, (uint64_t)kind);
      box.problem.budget_kind = (enum ts_budget_kind)kind;
      box.problem.cost = cost_of;
      struct ts_tune *tune = case_tune(&box, ts_tuners[i], NULL);
      check_all(ts_tuners[i], tune, false);
      if (ts_tune_history(tune)->spent < 30)
        fail_msg("%s spends %g of 40", ts_tuners[i]->name, ts_tune_history(tune)->spent);
      ts_tune_destroy(tune);
    }
  }
}

static void same_seed_gives_same_trials(void **state) {
  (void)state;
  for (size_t i = 0; ts_tuners[i]; i++) {
    for (int is_table = 0; is_table < 2; is_table++) {
      const struct ts_tune_options options = {.candidates = 200};
      case_init(&box, is_table, 15, 9);
      struct ts_tune *one = case_tune(&box, ts_tuners[i], &options);
      struct ts_tune *two = case_tune(&box, ts_tuners[i], &options);
      box.problem.seed = 10;
      struct ts_tune *other = case_tune(&box, ts_tuners[i], &options);
      const struct ts_tune_history *a = ts_tune_history(one), *b = ts_tune_history(two), *c = ts_tune_history(other);
      size_t bytes = a->count * CASE_COLUMNS * sizeof *a->numbers;
      assert_int_equal(a->count, b->count);
      assert_memory_equal(a->unit, b->unit, bytes);
      assert_memory_equal(a->numbers, b->numbers, bytes);
      if (c->count == a->count && memcmp(a->numbers, c->numbers, bytes) == 0)
        fail_msg("%s ignores the seed", ts_tuners[i]->name);
      ts_tune_destroy(one);
      ts_tune_destroy(two);
      ts_tune_destroy(other);
    }
  }
}

/* Rows with a > limit fail. A failed trial is charged, is never tried again and never recommended. */
static void failures_are_remembered(void **state) {
  (void)state;
  for (size_t i = 0; ts_tuners[i]; i++) {
    for (double limit = 1; limit >= -1; limit -= 2) {
      case_init(&box, true, 30, 3);
      box.failing = limit;
      struct ts_tune *tune = case_tune(&box, ts_tuners[i], NULL);
      const struct ts_tune_history *history = ts_tune_history(tune);
      size_t failed = 0;
      for (size_t t = 0; t < history->count; t++) {
        bool fails = history->components[t] == TS_NONE && history->numbers[t * CASE_COLUMNS] > limit;
        assert_int_equal(history->failed[t], fails);
        assert_int_equal(isnan(history->outputs[t]), fails);
        failed += fails;
      }
      if (failed == 0) fail_msg("%s met no failure: the case is too easy", ts_tuners[i]->name);
      check_all(ts_tuners[i], tune, true);
      ts_tune_destroy(tune);
    }
  }
}

/* With room for all rows a tuner ends, whether or not it tries them all. */
static void small_pools_are_exhausted(void **state) {
  (void)state;
  for (size_t i = 0; ts_tuners[i]; i++) {
    case_init(&box, true, 100, 1);
    box.problem.pool.count = 12;
    struct ts_tune *tune = case_tune(&box, ts_tuners[i], NULL);
    check_all(ts_tuners[i], tune, true);
    size_t workflow = 0;
    for (size_t t = 0; t < ts_tune_history(tune)->count; t++)
      workflow += ts_tune_history(tune)->components[t] == TS_NONE;
    if (workflow != 12) fail_msg("%s: %zu of 12 rows tried", ts_tuners[i]->name, workflow);
    ts_tune_destroy(tune);
  }
}

/* Two goals: the front holds exactly the trials that no other dominates. */
static void fronts_are_not_dominated(void **state) {
  (void)state;
  for (size_t i = 0; ts_tuners[i]; i++) {
    if (ts_tuners[i]->flags & TS_TUNER_ONE_GOAL) continue;
    case_init(&box, true, 30, 4);
    box.problem.goal_count = 2;
    struct ts_tune *tune = case_tune(&box, ts_tuners[i], NULL);
    const struct ts_tune_history *history = ts_tune_history(tune);
    struct ts_tune_result result;
    ts_tune_result(tune, &result);
    size_t expected = 0;
    for (size_t t = 0; t < history->count; t++) {
      bool dominated = false;
      for (size_t o = 0; o < history->count; o++) {
        const double *a = &history->outputs[2 * o], *b = &history->outputs[2 * t];
        dominated = dominated || (a[0] <= b[0] && a[1] <= b[1] && (a[0] < b[0] || a[1] < b[1]));
      }
      expected += !dominated;
      bool listed = false;
      for (size_t f = 0; f < result.front_count; f++) listed = listed || result.front[f] == t;
      assert_int_equal(listed, !dominated);
    }
    assert_int_equal(result.front_count, expected);
    check_no_trial_twice(ts_tuners[i]->name, history);
    ts_tune_destroy(tune);
  }
}

static void table_of_tuners_is_in_order(void **state) {
  (void)state;
  struct ts_error err = {0};
  for (size_t i = 0; ts_tuners[i]; i++) {
    const struct ts_tuner *tuner = ts_tuners[i];
    assert_ptr_equal(ts_tuner_find(tuner->name, &err), tuner);
    assert_true(strlen(tuner->title) > 0 && strlen(tuner->help) > 0);
    assert_int_equal(tuner->finish != NULL, (tuner->flags & TS_TUNER_PREDICTS) != 0);
  }
  assert_null(ts_tuner_find("ceel", &err));
  assert_string_equal(err.help, "did you mean 'ceal'?");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(table_budgets_are_kept),      cmocka_unit_test(spaces_and_constraints_are_kept),
      cmocka_unit_test(mixtures_keep_all_promises),  cmocka_unit_test(cost_budgets_are_kept),
      cmocka_unit_test(same_seed_gives_same_trials), cmocka_unit_test(failures_are_remembered),
      cmocka_unit_test(small_pools_are_exhausted),   cmocka_unit_test(fronts_are_not_dominated),
      cmocka_unit_test(table_of_tuners_is_in_order),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
