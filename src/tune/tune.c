/* The driver of tuners: one loop with the same promises for every algorithm.
 * SPDX-License-Identifier: Apache-2.0 */
#include "tune/tune.h"

#include "base/alloc.h"
#include "tune/tune_int.h"

#include <math.h>

static bool check(const struct ts_tuner *tuner, const struct ts_tune_problem *problem, struct ts_error *err) {
  if (problem->space->count == 0) return ts_fail(err, TS_ERR_BAD_VALUE, "there is no parameter to tune");
  if (problem->goal_count == 0) return ts_fail(err, TS_ERR_BAD_VALUE, "there is no goal to tune for");
  if (!(problem->budget > 0)) return ts_fail(err, TS_ERR_BAD_VALUE, "the budget must be above 0");
  if (problem->budget_kind == TS_BUDGET_RUNS && problem->budget < 1)
    return ts_fail(err, TS_ERR_BAD_VALUE, "the budget must be at least one run");
  if ((tuner->flags & TS_TUNER_ONE_GOAL) && problem->goal_count > 1)
    return ts_fail(err, TS_ERR_BAD_VALUE, "tuner '%s' tunes for one goal, not for %zu", tuner->name,
                   problem->goal_count);
  if ((tuner->flags & TS_TUNER_COMPONENTS) && problem->component_count == 0)
    return ts_fail(err, TS_ERR_BAD_VALUE, "tuner '%s' needs components of the workflow", tuner->name);
  return true;
}

struct ts_tune *ts_tune_create(const struct ts_tuner *tuner, const struct ts_tune_problem *problem,
                               const struct ts_tune_options *options, struct ts_error *err) {
  if (!check(tuner, problem, err)) return NULL;
  struct ts_tune *tune = ts_calloc(1, sizeof *tune);
  tune->tuner = tuner;
  tune->problem = *problem;
  if (options) tune->options = *options;
  tune->current.tune = tune;
  tune->history.column_count = problem->space->count;
  tune->history.goal_count = problem->goal_count;
  ts_random_init(&tune->weights, problem->seed, TS_STREAM_WEIGHTS);
  if (!ts_tune_take_points(tune, err) || !(tune->state = tuner->begin(&tune->problem, &tune->options, err))) {
    ts_tune_destroy(tune);
    return NULL;
  }
  return tune;
}

void ts_tune_destroy(struct ts_tune *tune) {
  if (!tune) return;
  tune->tuner->destroy(tune->state);
  ts_trials_release(&tune->history);
  ts_map_release(&tune->seen);
  ts_arena_release(&tune->arena);
  free(tune);
}

const struct ts_tune_history *ts_tune_history(const struct ts_tune *tune) { return &tune->history; }

const struct ts_tune_problem *ts_tune_problem(const struct ts_tune *tune) { return &tune->problem; }

void ts_tune_report(struct ts_tune *tune, size_t trial, const double *outputs, double cost) {
  struct ts_tune_history *history = &tune->history;
  if (trial >= history->count) TS_BUG("trial %zu of %zu", trial, history->count);
  for (size_t g = 0; g < history->goal_count; g++) {
    history->outputs[trial * history->goal_count + g] = outputs[g];
    if (!isfinite(outputs[g])) history->failed[trial] = true;
  }
  for (size_t g = 0; history->failed[trial] && g < history->goal_count; g++)
    history->outputs[trial * history->goal_count + g] = NAN;
  history->costs[trial] = fmax(0, cost); /* NaN too: nothing is known of it */
  tune->reported++;
}

/* What the batch that is now reported was charged. */
static void settle(struct ts_tune *tune) {
  struct ts_tune_history *history = &tune->history;
  if (tune->reported != history->count) TS_BUG("%zu of %zu trials are reported", tune->reported, history->count);
  for (size_t t = tune->current.first; t < history->count; t++) {
    if (history->kinds[t] == TS_TRIAL_RECORDED) continue;
    bool counts_runs = tune->problem.budget_kind == TS_BUDGET_RUNS;
    ts_tune_spend(tune, counts_runs ? ts_tune_charge(tune, history->kinds[t], history->components[t], NULL)
                                    : history->costs[t]);
  }
  tune->pending = 0;
  tune->current.first = history->count;
  tune->batch++;
}

/* Weights of the goals. Every other batch is for one goal alone, each in turn: random weights hardly ever reach the
 * ends of the front. On synthetic workflows of two components (time and core hours, 50 runs, 80 seeds) the fronts of
 * `auto`, `al` and `geist` dominated more than random search with 76, 69 and 61 seeds; with random weights only with
 * 73, 61 and 56. The others are uniform among all weights that add up to 1: the gaps between sorted random numbers. */
static void draw_weights(struct ts_tune *tune, double *weights) {
  size_t goals = tune->problem.goal_count;
  if (tune->batch % 2 == 0) {
    weights[tune->batch / 2 % goals] = 1;
    return;
  }
  for (size_t g = 0; g + 1 < goals; g++) {
    double cut = ts_random_unit(&tune->weights);
    size_t at = g;
    for (; at > 0 && weights[at - 1] > cut; at--) weights[at] = weights[at - 1];
    weights[at] = cut;
  }
  weights[goals - 1] = 1;
  for (size_t g = goals - 1; g > 0; g--) weights[g] -= weights[g - 1];
}

static void score(struct ts_tune *tune, bool equal_weights) {
  size_t goals = tune->problem.goal_count;
  ts_auto_free double *weights = ts_calloc(goals, sizeof *weights);
  if (equal_weights) {
    for (size_t g = 0; g < goals; g++) weights[g] = 1 / (double)goals;
  } else {
    draw_weights(tune, weights);
  }
  ts_trials_score(&tune->history, weights);
}

static bool make_forecast(struct ts_tune *tune, struct ts_error *err) {
  if (!tune->tuner->finish) return true;
  struct ts_tune_forecast *forecast = &tune->forecast;
  size_t columns = tune->problem.space->count, rows = tune->problem.pool.count;
  forecast->best_row = forecast->spare_row = TS_NONE;
  forecast->best_unit = ts_arena_array(&tune->arena, columns, sizeof *forecast->best_unit);
  forecast->spare_unit = ts_arena_array(&tune->arena, columns, sizeof *forecast->spare_unit);
  forecast->scores = ts_arena_array(&tune->arena, rows + 1, sizeof *forecast->scores);
  for (size_t r = 0; r < rows; r++) forecast->scores[r] = NAN;
  return tune->tuner->finish(tune->state, &tune->history, forecast, err);
}

/* The run that was kept: at the predicted best, or where the tuner would go next if that was measured already. */
static void add_confirmation(struct ts_tune *tune) {
  const struct ts_tune_forecast *forecast = &tune->forecast;
  if (tune->options.no_confirmation || !forecast->has_best) return;
  enum ts_added added = ts_tune_add(tune, TS_TRIAL_CONFIRMATION, forecast->best_row, forecast->best_unit, NULL);
  if (added == TS_ADDED_BEFORE && forecast->has_spare)
    ts_tune_add(tune, TS_TRIAL_SPARE, forecast->spare_row, forecast->spare_unit, NULL);
}

#define PILOT_TRIES 1000 /* random points of a space until one is allowed and new */

/* One random trial, alone: it says what trials cost before a batch of them is planned. The stream goes on with the
 * number of the batch. */
static void add_pilot(struct ts_tune *tune) {
  const struct ts_tune_problem *problem = &tune->problem;
  size_t columns = problem->space->count, rows = problem->pool.count;
  struct ts_random random;
  ts_random_init(&random, problem->seed, TS_STREAM_PILOT + tune->batch);
  ts_auto_free double *unit = ts_calloc(columns, sizeof *unit);
  enum ts_added added = TS_ADD_NOT_ALLOWED;
  for (size_t tries = 0; added != TS_ADDED && tries < PILOT_TRIES; tries++) {
    for (size_t c = 0; c < columns; c++) unit[c] = ts_random_unit(&random);
    size_t row = rows > 0 ? (size_t)ts_random_below(&random, rows) : TS_NONE;
    added = ts_tune_add(tune, TS_TRIAL_WORKFLOW, row, unit, NULL);
  }
}

static bool choose(struct ts_tune *tune, struct ts_error *err) {
  const char *reason = "nothing is left to try";
  tune->reserve = ts_tune_reserve(tune);
  score(tune, false);
  if (ts_tune_lacks_costs(tune)) add_pilot(tune);
  if (tune->history.count > tune->current.first) return true;
  if (!tune->tuner->next(tune->state, &tune->history, &tune->current, &reason, err)) return false;
  if (tune->history.count > tune->current.first) return true;
  tune->reason = reason;
  tune->reserve = 0;
  tune->phase = TS_PHASE_CONFIRM;
  score(tune, true);
  if (!make_forecast(tune, err)) return false;
  add_confirmation(tune);
  return true;
}

bool ts_tune_next(struct ts_tune *tune, size_t *first, size_t *count, struct ts_error *err) {
  settle(tune);
  if (tune->phase == TS_PHASE_CHOOSE && !choose(tune, err)) return false;
  *first = tune->current.first;
  *count = tune->history.count - tune->current.first;
  if (*count == 0 && tune->phase != TS_PHASE_DONE) {
    tune->phase = TS_PHASE_DONE;
    score(tune, true);
    ts_tune_make_front(tune);
  }
  return true;
}
