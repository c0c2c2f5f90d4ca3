/* A genetic algorithm: parents by tournament, children by crossing and mutation, the best of both survive.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Real-coded in unit coordinates, with simulated binary crossover and polynomial mutation (K. Deb and R. B. Agrawal,
 * Complex Systems 9, 1995). Of several goals, fronts and crowding rank the trials (tune/fronts.c), as in NSGA-II. A
 * generation is a batch: its children run side by side. The survivors are the best of all trials so far, so no trial is
 * forgotten, and trials that failed are never parents. */
#include "base/alloc.h"
#include "base/order.h"
#include "tune/exact_int.h"
#include "tune/fronts_int.h"
#include "tune/search_int.h"

#include <math.h>
#include <string.h>

/* Survivors per root of the budget. 200 runs, median regret of 80 seeds on sphere, Rosenbrock and Ackley: 0.05, 4.6
 * and 4.4 with 10 survivors and 5 children, 0.26, 7, 6.5 with 20 and 10, 0.1, 4.4, 4.8 with 10 and 10. Several goals
 * need no more: with twice as many, 50 of 60 seeds beat random search on LV (execution and computer time, 100 runs, one
 * child per row) instead of 57. */
#define SURVIVORS       0.7
#define LEAST_SURVIVORS 6
#define MOST_SURVIVORS  50
#define CROSSED         0.9 /* share of the children with two parents */
/* Distribution indices: the larger, the closer children stay to their parents. 1 and 5, 10 and 40
 * made no clear difference. */
#define CROSS_SPREAD  2.0
#define MUTATE_SPREAD 20.0
#define TRIES         50 /* children that repeat a trial or break a constraint, then a random point takes their place */
/* On a pool the row nearest to a child is run. Of so many children the one nearest to its row is taken, because a row
 * far away has little of its parents. LV and GP computer time, 50 runs, 200 seeds, best / best of the table: 1.302 and
 * 1.145 with one child, 1.282 and 1.149 with 4, 1.230 and 1.112 with 10. */
#define POOL_CHILDREN 10

struct state {
  const struct ts_tune_problem *problem; /* borrowed */
  struct ts_random random;
  size_t columns, population, children;
  double *child, *nearest; /* owned; the child, and on a pool the row that is to be run */
  bool started;            /* the first points were asked for */
};

static size_t population_for(const struct ts_tune_problem *problem) {
  double wanted = SURVIVORS * sqrt((double)ts_tune_expected_runs(problem));
  return (size_t)fmin(fmax(wanted + 0.5, LEAST_SURVIVORS), MOST_SURVIVORS);
}

static void *begin(const struct ts_tune_problem *problem, const struct ts_tune_options *options, struct ts_error *err) {
  (void)err;
  struct state *state = ts_calloc(1, sizeof *state);
  state->problem = problem;
  state->columns = problem->space->count;
  state->population = population_for(problem);
  state->children = options->batch ? options->batch : state->population / 2;
  state->child = ts_calloc(state->columns, sizeof *state->child);
  state->nearest = ts_calloc(state->columns, sizeof *state->nearest);
  ts_random_init(&state->random, problem->seed, TS_STREAM_OWN);
  return state;
}

static void destroy(void *opaque) {
  struct state *state = opaque;
  if (!state) return;
  free(state->child);
  free(state->nearest);
  free(state);
}

static double power(double x, double exponent) { return x > 0 ? ts_exp(exponent * ts_ln(x)) : 0; }

/* How far a child lies from the middle of its parents, in half distances of them; 1: where a parent is. */
static double crossing(struct ts_random *random) {
  double u = ts_random_unit(random), exponent = 1 / (CROSS_SPREAD + 1);
  return u <= 0.5 ? power(2 * u, exponent) : power(1 / (2 * (1 - u)), exponent);
}

static double mutation(struct ts_random *random) {
  double u = ts_random_unit(random), exponent = 1 / (MUTATE_SPREAD + 1);
  return u < 0.5 ? power(2 * u, exponent) - 1 : 1 - power(2 * (1 - u), exponent);
}

static void cross(struct state *state, const double *one, const double *other) {
  for (size_t c = 0; c < state->columns; c++) {
    bool from_one = ts_random_below(&state->random, 2) == 1;
    state->child[c] = from_one ? one[c] : other[c];
    if (ts_search_is_unordered(state->problem->space->parameters[c])) continue;
    double middle = (one[c] + other[c]) / 2, half = fabs(one[c] - other[c]) / 2;
    double spread = half * crossing(&state->random);
    state->child[c] = ts_search_mirror(from_one == (one[c] < other[c]) ? middle - spread : middle + spread);
  }
}

/* One parameter of each child on average; of few values, at least to the next. */
static void mutate(struct state *state) {
  for (size_t c = 0; c < state->columns; c++) {
    const struct ts_parameter *parameter = state->problem->space->parameters[c];
    if (ts_random_unit(&state->random) * (double)state->columns >= 1) continue;
    double step = mutation(&state->random), value = 1 / (double)ts_space_value_count(parameter);
    if (ts_search_is_unordered(parameter))
      state->child[c] = ts_random_unit(&state->random);
    else
      state->child[c] = ts_search_mirror(state->child[c] + (step < 0 ? -1 : 1) * fmax(fabs(step), value));
  }
}

/* The better ranked of two survivors. */
static size_t tournament(struct state *state, const size_t *ranked, size_t survivors) {
  size_t a = (size_t)ts_random_below(&state->random, survivors), b = (size_t)ts_random_below(&state->random, survivors);
  return ranked[ts_smaller_size(a, b)];
}

/* The survivors, and where children of them go. */
struct parents {
  const struct ts_tune_history *history;
  const size_t *ranked;
  size_t count;
};

static void make_child(struct state *state, const struct parents *parents) {
  size_t one = tournament(state, parents->ranked, parents->count);
  size_t other = tournament(state, parents->ranked, parents->count);
  const double *unit = parents->history->unit;
  if (ts_random_unit(&state->random) >= CROSSED) other = one;
  cross(state, &unit[one * state->columns], &unit[other * state->columns]);
  mutate(state);
}

/* The child whose nearest row of the pool is the nearest becomes this row. */
static void make_pool_child(struct state *state, const struct parents *parents, const struct ts_tune_batch *batch) {
  size_t columns = state->columns;
  double least = INFINITY;
  for (size_t i = 0; i < POOL_CHILDREN; i++) {
    make_child(state, parents);
    size_t row = ts_batch_nearest(batch, state->child);
    if (row == TS_NONE) return;
    const double *unit = &state->problem->pool.unit[row * columns];
    double distance = 0;
    for (size_t c = 0; c < columns; c++) distance += (unit[c] - state->child[c]) * (unit[c] - state->child[c]);
    if (distance >= least) continue;
    least = distance;
    memcpy(state->nearest, unit, columns * sizeof *unit);
  }
  memcpy(state->child, state->nearest, columns * sizeof *state->child);
}

static enum ts_asked add_child(struct state *state, const struct parents *parents, struct ts_tune_batch *batch) {
  size_t before = ts_batch_count(batch), trial;
  for (size_t tries = 0; tries < TRIES; tries++) {
    if (state->problem->pool.count > 0)
      make_pool_child(state, parents, batch);
    else
      make_child(state, parents);
    enum ts_asked asked = ts_search_ask(state->problem, parents->history, batch, state->child, &trial);
    if (asked == TS_ASKED_END || ts_batch_count(batch) > before) return asked;
  }
  return ts_search_ask_random(state->problem, parents->history, batch, &state->random, state->child, &trial);
}

/* The first points, once: after a generation that failed, rows of a pool next to them would likely fail as well. */
static void add_first(struct state *state, const struct ts_tune_history *history, struct ts_tune_batch *batch) {
  ts_auto_free double *points = ts_search_first_points(state->problem, state->population);
  size_t trial, asked = state->started ? state->population : 0;
  for (; asked < state->population; asked++)
    ts_search_ask(state->problem, history, batch, points + asked * state->columns, &trial);
  state->started = true;
  bool goes_on = true;
  while (goes_on && ts_batch_count(batch) < state->population)
    goes_on =
        ts_search_ask_random(state->problem, history, batch, &state->random, state->child, &trial) != TS_ASKED_END;
}

static bool next(void *opaque, const struct ts_tune_history *history, struct ts_tune_batch *batch, const char **reason,
                 struct ts_error *err) {
  (void)err;
  struct state *state = opaque;
  ts_auto_free size_t *ranked = ts_calloc(history->count + 1, sizeof *ranked);
  struct parents parents = {.history = history, .ranked = ranked};
  parents.count = ts_smaller_size(ts_fronts_rank(history, ranked), state->population);
  *reason = "the budget is spent, or nothing is left to try";
  if (parents.count < 2) add_first(state, history, batch);
  bool goes_on = parents.count >= 2;
  while (goes_on && ts_batch_count(batch) < state->children)
    goes_on = add_child(state, &parents, batch) != TS_ASKED_END;
  return true;
}

const struct ts_tuner ts_tuner_genetic = {
    .name = "genetic",
    .title = "Genetic algorithm",
    .help = "Crosses and mutates the best trials; for rugged outputs, several goals (100 runs or more) and trials side "
            "by side.",
    .begin = begin,
    .next = next,
    .destroy = destroy,
};
