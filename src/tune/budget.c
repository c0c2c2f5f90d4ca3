/* Budgets: what a trial is charged, and what is left.
 * SPDX-License-Identifier: Apache-2.0
 *
 * In runs, a trial of the workflow counts 1. One run of every component alone counts 1 as well; constants are run with
 * the first of these and never again, so the components that have parameters carry the charge between them. In cost or
 * seconds a trial counts what was reported, and before that what problem->cost expects. Where nobody expects anything,
 * the first trials are run one by one (tune.c), and further ones are taken to cost as much as the most expensive so
 * far: means would exceed the budget in half of all cases. */
#include "tune/tune_int.h"

#include <math.h>

/* Thirds and other fractions of runs add up with rounding errors; budgets themselves are not known to 1e-9. */
#define SLACK 1e-9

static double component_charge(const struct ts_tune_problem *problem, size_t component) {
  size_t varied = 0;
  for (size_t j = 0; j < problem->component_count; j++) varied += problem->components[j].column_count > 0;
  if (varied == 0) return 1.0 / (double)problem->component_count;
  return problem->components[component].column_count > 0 ? 1.0 / (double)varied : 0;
}

/* What trials of the workflow, or of one component, cost so far; all 0 before the first. */
struct costs {
  double mean, greatest;
  size_t count;
};

static struct costs costs_of(const struct ts_tune *tune, size_t component) {
  const struct ts_tune_history *history = &tune->history;
  struct costs costs = {0};
  double sum = 0;
  for (size_t t = 0; t < tune->reported; t++) {
    if (history->components[t] != component || history->kinds[t] == TS_TRIAL_RECORDED) continue;
    sum += history->costs[t];
    costs.greatest = fmax(costs.greatest, history->costs[t]);
    costs.count++;
  }
  if (costs.count > 0) costs.mean = sum / (double)costs.count;
  return costs;
}

/* A component alone is taken to cost no more than the workflow, until it was run. */
static double greatest_cost(const struct ts_tune *tune, size_t component) {
  struct costs own = costs_of(tune, component);
  return own.count > 0 ? own.greatest : costs_of(tune, TS_NONE).greatest;
}

/* The greatest of so many costs is below their mean in one of 2^7 cases if that is their median, and a large batch then
 * exceeds the budget. */
#define PILOTS      7
#define PILOT_SHARE 0.1 /* of the runs that seem to fit: a small budget is not spent on pilots */

bool ts_tune_lacks_costs(const struct ts_tune *tune) {
  const struct ts_tune_problem *problem = &tune->problem;
  if (problem->budget_kind == TS_BUDGET_RUNS || problem->cost) return false;
  struct costs costs = costs_of(tune, TS_NONE);
  return costs.count < PILOTS && (double)costs.count * costs.mean <= PILOT_SHARE * ts_tune_left(tune);
}

double ts_tune_charge(const struct ts_tune *tune, enum ts_trial_kind kind, size_t component, const double *unit) {
  const struct ts_tune_problem *problem = &tune->problem;
  if (problem->budget_kind == TS_BUDGET_RUNS)
    return kind == TS_TRIAL_COMPONENT ? component_charge(problem, component) : 1;
  if (kind == TS_TRIAL_COMPONENT || !problem->cost) return greatest_cost(tune, component);
  return problem->cost(problem->user, unit);
}

double ts_tune_left(const struct ts_tune *tune) {
  return tune->problem.budget - tune->history.spent - tune->pending - tune->reserve;
}

/* Free trials in a row, then a tune ends: a search of a space without an end would go on for ever. */
#define MOST_FREE 200

void ts_tune_spend(struct ts_tune *tune, double charge) {
  tune->history.spent += charge;
  tune->free_count = charge > 0 ? 0 : tune->free_count + 1;
}

bool ts_tune_fits(const struct ts_tune *tune, double charge) {
  double slack = SLACK * tune->problem.budget, left = ts_tune_left(tune);
  if (tune->problem.budget_kind != TS_BUDGET_RUNS && tune->free_count >= MOST_FREE) return false;
  if (charge <= 0 && tune->problem.budget_kind != TS_BUDGET_RUNS) return left > slack;
  return charge <= left + slack;
}

double ts_tune_reserve(const struct ts_tune *tune) {
  if (tune->options.no_confirmation || !(tune->tuner->flags & TS_TUNER_PREDICTS)) return 0;
  if (tune->problem.budget_kind == TS_BUDGET_RUNS) return tune->problem.budget >= 2 ? 1 : 0;
  struct costs costs = costs_of(tune, TS_NONE);
  return tune->problem.cost ? costs.mean : costs.greatest;
}

size_t ts_batch_room(const struct ts_tune_batch *batch) {
  const struct ts_tune *tune = batch->tune;
  double left = ts_tune_left(tune);
  if (tune->problem.budget_kind != TS_BUDGET_RUNS) {
    double mean = costs_of(tune, TS_NONE).mean;
    if (mean <= 0) mean = tune->problem.budget / (double)ts_tune_expected_runs(&tune->problem);
    left /= mean;
  }
  left = floor(left + SLACK * (1 + tune->problem.budget));
  return left > 0 ? (size_t)left : 0;
}

#define COST_PROBES 16 /* points whose mean cost stands for that of the space; only a first guess depends on it */

size_t ts_tune_expected_runs(const struct ts_tune_problem *problem) {
  if (problem->budget_kind == TS_BUDGET_RUNS) return (size_t)fmax(1, floor(problem->budget + SLACK));
  if (!problem->cost) return TS_TUNE_GUESSED_RUNS;
  struct ts_random random;
  ts_random_init(&random, problem->seed, TS_STREAM_POOL);
  double unit[64], sum = 0;
  for (size_t i = 0; i < COST_PROBES; i++) {
    size_t columns = problem->space->count;
    if (columns > 64) return TS_TUNE_GUESSED_RUNS;
    for (size_t c = 0; c < columns; c++) unit[c] = ts_random_unit(&random);
    sum += problem->cost(problem->user, unit);
  }
  if (!(sum > 0)) return TS_TUNE_GUESSED_RUNS; /* free, as far as the probes show: any number fits */
  double runs = problem->budget / (sum / COST_PROBES);
  return runs >= 1 ? (size_t)fmin(runs, 1e6) : 1;
}
