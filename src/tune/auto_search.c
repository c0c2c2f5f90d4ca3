/* Which candidate promises most: expected improvement, times the chance to succeed, per cost.
 * SPDX-License-Identifier: Apache-2.0
 *
 * D. R. Jones, M. Schonlau and W. J. Welch, "Efficient global optimization of expensive black-box functions", J. Global
 * Optim. 13 (1998), doi:10.1023/A:1008306431147. Bounds of the variances bound the improvement, so only candidates
 * whose bound exceeds the best exact value need an exact one. */
#include "base/alloc.h"
#include "tune/auto_int.h"

#include <math.h>

/* Exact predictions at most: each costs count^2. With this limit a batch at 200 rows and 20,000 candidates took 34 to
 * 40 ms (bench_tuning). */
#define EXACT 500

/* Logarithm of E max(best - z, 0), z normal; far below the best by the tail's expansion, where the plain form is 0. */
static double log_improvement(double best, double mean, double variance) {
  double deviation = sqrt(variance), u = (best - mean) / deviation;
  double density = exp(-u * u / 2) / sqrt(2 * M_PI);
  if (u > -5) return log(deviation * (u * erfc(-u / sqrt(2)) / 2 + density));
  return log(deviation) - u * u / 2 - log(sqrt(2 * M_PI) * u * u);
}

/* Logarithm of what a trial counts as costing. Less than its cost: a new value of an early stage also makes the trials
 * after it cheap. Measured on eight functions of 6 and 8 columns in three stages of 10, 3 and 1 s (Ackley twice, Levy,
 * Rastrigin, Rosenbrock, Griewank, Hartmann, a quadratic; 6 to 8 seeds), in seconds over those without costs, as a
 * geometric mean: 0.64 for a power of 1, 0.60 for 0.6, 0.65 for 0.4; with half of the first trials 0.58 for 0.75 and
 * 0.57 for 0.6. */
#define COST_POWER 0.6

static double log_cost(const struct ts_auto *state, size_t candidate) {
  const struct ts_tune_problem *problem = state->problem;
  if (!problem->cost) return 0;
  double cost = problem->cost(problem->user, ts_auto_unit(state, candidate));
  return cost > 0 ? COST_POWER * log(cost) : 0;
}

const double *ts_auto_unit(const struct ts_auto *state, size_t candidate) {
  size_t width = state->problem->space->count, rows = state->problem->pool.count;
  if (candidate < rows) return &state->problem->pool.unit[candidate * width];
  return &state->near_units[(candidate - rows) * width];
}

static int compare_choices(const void *a, const void *b) {
  const struct ts_auto_choice *x = a, *y = b;
  if (x->value != y->value) return x->value > y->value ? -1 : 1;
  return (x->candidate > y->candidate) - (x->candidate < y->candidate);
}

static bool has_failed(const struct ts_auto *state, size_t candidate) {
  size_t columns = state->column_count;
  for (size_t i = 0; i < state->failure_count; i++) {
    bool same = true;
    for (size_t c = 0; same && c < columns; c++)
      same = state->failures[i * columns + c] == state->candidates[candidate * columns + c];
    if (same) return true;
  }
  return false;
}

/* What a mean loses where a trial would likely fail. */
static double unlikely(double log_chance) { return log_chance < -TS_AUTO_UNLIKELY ? TS_AUTO_UNLIKELY : 0; }

static double exact_value(struct ts_auto *state, enum ts_auto_aim aim, size_t candidate) {
  const double *point = &state->candidates[candidate * state->column_count];
  double mean, variance;
  ts_gp_predict(&state->gp, point, &mean, &variance);
  if (aim == TS_AUTO_MEAN) return -mean - unlikely(ts_auto_log_chance(state, point));
  return log_improvement(state->best, mean, variance) + ts_auto_log_chance(state, point) - log_cost(state, candidate);
}

void ts_auto_screen(struct ts_auto *state) {
  size_t first = state->screened;
  if (first >= state->candidate_count) return;
  ts_gp_screen(&state->gp, &state->candidates[first * state->column_count], state->candidate_count - first,
               &state->means[first], &state->bounds[first]);
  ts_auto_screen_chances(state, first);
  state->screened = state->candidate_count;
}

/* Candidates and their bounds, highest first. */
static size_t rank(struct ts_auto *state, enum ts_auto_aim aim, size_t first, struct ts_auto_choice *ranked) {
  size_t kept = 0;
  ts_auto_screen(state);
  for (size_t i = first; i < state->candidate_count; i++) {
    if (aim == TS_AUTO_MEAN ? has_failed(state, i) : state->is_tried[i]) continue;
    double value = -state->means[i] - unlikely(state->chances[i]);
    if (aim == TS_AUTO_GAIN)
      value = log_improvement(state->best, state->means[i], state->bounds[i]) + state->chances[i] - log_cost(state, i);
    ranked[kept++] = (struct ts_auto_choice){value, i};
  }
  qsort(ranked, kept, sizeof *ranked, compare_choices);
  return kept;
}

size_t ts_auto_search(struct ts_auto *state, enum ts_auto_aim aim, size_t first, struct ts_auto_choice *choices,
                      size_t most) {
  if (state->candidate_count <= first) return 0;
  ts_auto_free struct ts_auto_choice *ranked = ts_calloc(state->candidate_count - first, sizeof *ranked);
  size_t count = rank(state, aim, first, ranked), exact = 0;
  double best = -INFINITY;
  for (; exact < count && exact < EXACT && (exact < most || ranked[exact].value > best); exact++) {
    ranked[exact].value = exact_value(state, aim, ranked[exact].candidate);
    best = fmax(best, ranked[exact].value);
  }
  qsort(ranked, exact, sizeof *ranked, compare_choices);
  size_t found = exact < most ? exact : most;
  for (size_t i = 0; i < found; i++) choices[i] = ranked[i];
  return found;
}
