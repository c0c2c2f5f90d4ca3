/* The default tuner: expected improvement by a Gaussian process with a quadratic trend, few random trials first.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Scores count by their logarithms (auto_model.c), numbers of wide range too (auto_columns.c). The model (gp.h) has a
 * Matern part with a length per column, a quadratic trend and a nugget, fitted by marginal likelihood with priors; the
 * next trial is the candidate of most expected improvement of the measurement, weighed with the chance to succeed and
 * the cost (auto_search.c). Where the space is free, candidates near good trials come in (auto_near.c). A batch of
 * several counts each choice as measured at its expected value. Recorded runs of components are one more column.
 *
 * Choices were made on synthetic pools, 20 to 40 seeds each; that the improvement includes the noise of a measurement
 * made no difference there and was kept because it also helped on a recorded workflow. The pools: six workflows of two
 * or three components (Amdahl, contention, whole nodes; execution time and core hours, 25 runs), four kernels
 * (occupancy steps, random pairwise effects, failures; 60 runs), and Hartmann-6, Ackley-5, Rosenbrock-4, Levy-6 and an
 * uneven quadratic-8 on grids (40 runs). Means of four members with settings drawn about the posterior, 25 % random
 * trials, ranks and plain scores were no better there. */
#include "base/alloc.h"
#include "tune/auto_int.h"
#include "tune/learner.h"

#include <math.h>
#include <string.h>

/* First trials: 15 % of the budget, at least 3, at most one per column. Each is the one of SPREAD random candidates
 * that is farthest from those before it. */
#define FIRST_SHARE 0.15
#define FIRST_LEAST 3
/* Where costs are known the model finds cheaper trials than random ones: with half of the first trials, 0.57 of the
 * seconds without costs instead of 0.60 (eight functions, COST_POWER). */
#define FIRST_OF_KNOWN_COSTS 0.5
#define SPREAD               5

#define NEAR_CAPACITY 2700 /* candidates beside the pool: those of a batch and of its refinements */
#define CHOICES       32   /* candidates that are tried in turn if the driver refuses one (tried before) */

static void destroy(void *opaque) {
  struct ts_auto *state = opaque;
  if (!state) return;
  ts_gp_release(&state->gp);
  ts_gp_release(&state->chance);
  free(state->hints);
  free(state->candidates);
  free(state->near_units);
  free(state->is_tried);
  free(state->means);
  free(state->bounds);
  free(state->chances);
  free(state->failures);
  free(state->points);
  free(state->targets);
  free(state);
}

static void take_pool(struct ts_auto *state) {
  const struct ts_tune_points *pool = &state->problem->pool;
  size_t width = state->problem->space->count;
  state->candidate_count = pool->count;
  state->candidate_capacity = pool->count + (state->problem->pool_is_drawn ? NEAR_CAPACITY : 0);
  state->candidates = ts_calloc(state->candidate_capacity * state->column_count, sizeof *state->candidates);
  state->means = ts_calloc(state->candidate_capacity, sizeof *state->means);
  state->bounds = ts_calloc(state->candidate_capacity, sizeof *state->bounds);
  state->chances = ts_calloc(state->candidate_capacity, sizeof *state->chances);
  state->is_tried = ts_calloc(state->candidate_capacity, sizeof *state->is_tried);
  state->near_units = ts_calloc((state->candidate_capacity - pool->count) * width + 1, sizeof *state->near_units);
  for (size_t r = 0; r < pool->count; r++)
    ts_auto_coordinates(state, &pool->numbers[r * width], &pool->unit[r * width], r,
                        &state->candidates[r * state->column_count]);
}

static void *begin(const struct ts_tune_problem *problem, const struct ts_tune_options *options, struct ts_error *err) {
  struct ts_auto *state = ts_calloc(1, sizeof *state);
  state->problem = problem;
  state->options = options;
  ts_random_init(&state->random, problem->seed, TS_STREAM_RANDOM);
  if (!ts_auto_init_columns(state)) {
    ts_fail(err, TS_ERR_BAD_VALUE, "tuner 'auto' takes at most %d parameters", TS_GP_MAX_COLUMNS - 1);
    destroy(state);
    return NULL;
  }
  take_pool(state);
  ts_gp_init(&state->gp, state->column_count, state->is_category);
  ts_gp_init(&state->chance, state->column_count, state->is_category);
  return state;
}

/* ---- The first trials. ---- */

static double distance(const struct ts_auto *state, size_t a, size_t b) {
  const double *p = ts_auto_unit(state, a), *q = ts_auto_unit(state, b);
  double sum = 0;
  for (size_t c = 0; c < state->problem->space->count; c++) sum += fabs(p[c] - q[c]);
  return sum;
}

static size_t draw_far(struct ts_auto *state, const size_t *rows, size_t count) {
  size_t pick = 0;
  double farthest = -1;
  for (int i = 0; i < SPREAD; i++) {
    size_t row = (size_t)ts_random_below(&state->random, state->problem->pool.count);
    double nearest = INFINITY;
    for (size_t k = 0; k < count; k++) nearest = fmin(nearest, distance(state, row, rows[k]));
    if (nearest > farthest) {
      farthest = nearest;
      pick = row;
    }
  }
  return pick;
}

static size_t first_count(const struct ts_auto *state, size_t room) {
  double runs = (double)ts_tune_expected_runs(state->problem), share = state->options->random_share;
  double count = share > 0 ? share * runs : fmin(FIRST_SHARE * runs, (double)state->column_count);
  if (share == 0 && state->problem->cost) count *= FIRST_OF_KNOWN_COSTS;
  if (share == 0) count = fmax(count, FIRST_LEAST);
  if (state->options->batch > 0) count = fmax(count, (double)state->options->batch);
  return (size_t)fmin(fmax(round(count), 1), (double)room);
}

static void add_first(struct ts_auto *state, struct ts_tune_batch *batch, size_t room) {
  size_t wanted = first_count(state, room), count = 0;
  ts_auto_free size_t *rows = ts_calloc(wanted, sizeof *rows);
  for (size_t tries = 0; tries < 20 * wanted && count < wanted; tries++) {
    rows[count] = draw_far(state, rows, count);
    count += ts_batch_add_row(batch, rows[count], NULL) == TS_ADDED;
  }
  if (count == 0) ts_batch_add_random(batch, state->problem, &state->random, wanted);
}

/* ---- The trials that the model chooses. ---- */

/* The best candidates for an aim; where the space is free, after refinements about the best. */
static size_t choose(struct ts_auto *state, const struct ts_tune_history *history, enum ts_auto_aim aim,
                     struct ts_auto_choice choices[CHOICES]) {
  static const double reaches[] = {0.05, 0.02, 0.005};
  size_t count = ts_auto_search(state, aim, 0, choices, CHOICES);
  for (size_t i = 0; state->problem->pool_is_drawn && count > 0 && i < sizeof reaches / sizeof reaches[0]; i++) {
    size_t first = state->candidate_count;
    struct ts_auto_choice closer[CHOICES];
    ts_auto_draw_closer(state, history, choices[0].candidate, reaches[i]);
    size_t found = ts_auto_search(state, aim, first, closer, CHOICES);
    if (found == 0 || closer[0].value <= choices[0].value) continue;
    memmove(&choices[1], choices, (CHOICES - 1) * sizeof *choices);
    choices[0] = closer[0];
    if (count < CHOICES) count++;
  }
  return count;
}

static enum ts_added add_candidate(struct ts_auto *state, struct ts_tune_batch *batch, size_t candidate) {
  state->is_tried[candidate] = true;
  if (candidate < state->problem->pool.count) return ts_batch_add_row(batch, candidate, NULL);
  return ts_batch_add_unit(batch, ts_auto_unit(state, candidate), NULL);
}

/* Adds the best candidate that the driver accepts; TS_NONE: none. */
static size_t add_best(struct ts_auto *state, const struct ts_tune_history *history, struct ts_tune_batch *batch) {
  struct ts_auto_choice choices[CHOICES];
  size_t count = choose(state, history, TS_AUTO_GAIN, choices);
  for (size_t i = 0; i < count; i++) {
    if (add_candidate(state, batch, choices[i].candidate) == TS_ADDED) return choices[i].candidate;
  }
  return TS_NONE;
}

static bool next(void *opaque, const struct ts_tune_history *history, struct ts_tune_batch *batch, const char **reason,
                 struct ts_error *err) {
  struct ts_auto *state = opaque;
  (void)err;
  size_t room = ts_batch_room(batch), wanted = state->options->batch ? state->options->batch : 1;
  *reason = room == 0 ? "the budget is spent" : "every candidate was tried";
  if (room == 0) return true;
  if (history->count == 0) {
    add_first(state, batch, room);
    return true;
  }
  bool fitted = ts_auto_fit(state, history);
  if (fitted) ts_auto_draw_near(state, history);
  for (size_t i = 0; fitted && i < wanted && i < room; i++) {
    size_t candidate = add_best(state, history, batch);
    fitted = candidate != TS_NONE && (i + 1 == wanted || ts_auto_believe(state, candidate));
  }
  if (ts_batch_count(batch) == 0)
    ts_batch_add_random(batch, state->problem, &state->random, wanted < room ? wanted : room);
  return true;
}

static void take_choice(const struct ts_auto *state, size_t candidate, size_t *row, double *unit) {
  memcpy(unit, ts_auto_unit(state, candidate), state->problem->space->count * sizeof *unit);
  *row = candidate < state->problem->pool.count ? candidate : TS_NONE;
}

static bool finish(void *opaque, const struct ts_tune_history *history, struct ts_tune_forecast *forecast,
                   struct ts_error *err) {
  struct ts_auto *state = opaque;
  (void)err;
  if (!ts_auto_fit(state, history)) return true;
  struct ts_auto_choice choices[CHOICES];
  size_t rows = state->problem->pool.count;
  ts_auto_draw_near(state, history);
  ts_auto_screen(state);
  for (size_t r = 0; r < rows; r++) forecast->scores[r] = ts_auto_score_of_target(state, state->means[r]);
  if (choose(state, history, TS_AUTO_MEAN, choices) > 0) {
    forecast->has_best = true;
    ts_auto_screen(state);
    forecast->best_score = ts_auto_score_of_target(state, state->means[choices[0].candidate]);
    take_choice(state, choices[0].candidate, &forecast->best_row, forecast->best_unit);
  }
  ts_auto_draw_near(state, history);
  if (choose(state, history, TS_AUTO_GAIN, choices) > 0) {
    forecast->has_spare = true;
    take_choice(state, choices[0].candidate, &forecast->spare_row, forecast->spare_unit);
  }
  return true;
}

const struct ts_tuner ts_tuner_auto = {
    .name = "auto",
    .title = "Gaussian process with trend, gain per cost",
    .help = "Models all trials smoothly and runs what promises most per cost; the best choice for few runs.",
    .flags = TS_TUNER_CANDIDATES | TS_TUNER_PREDICTS,
    .begin = begin,
    .next = next,
    .finish = finish,
    .destroy = destroy,
};
