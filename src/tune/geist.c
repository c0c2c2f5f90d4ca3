/* GEIST: measures the candidates that a graph of nearest candidates believes to be among the best.
 * SPDX-License-Identifier: Apache-2.0
 *
 * J. J. Thiagarajan et al., "Bootstrapping parameter space exploration for fast tuning", ICS 2018,
 * doi:10.1145/3205289.3205321. Its graph joins neighbours on the grid of parameters; among candidates drawn from a
 * large space there are none, so ours joins the nearest. */
#include "base/alloc.h"
#include "base/order.h"
#include "tune/camlp.h"
#include "tune/learner.h"

#include <math.h>

#define NEIGHBOURS 10 /* k of the specification's comparison, as the four below */
#define BETA       0.1
#define SWEEPS     30
#define OPTIMAL    0.05 /* share of the measured trials that count as optimal */

struct state {
  const struct ts_tune_problem *problem; /* borrowed */
  const struct ts_tune_options *options; /* borrowed */
  struct ts_random random;
  struct ts_batch_plan plan;
  struct ts_learner learner;
  struct ts_near_graph graph;
  bool started;
};

static void *begin(const struct ts_tune_problem *problem, const struct ts_tune_options *options, struct ts_error *err) {
  (void)err;
  struct state *state = ts_calloc(1, sizeof *state);
  state->problem = problem;
  state->options = options;
  ts_random_init(&state->random, problem->seed, TS_STREAM_RANDOM);
  ts_learner_init(&state->learner, problem);
  ts_near_graph_init(&state->graph, problem->pool.numbers, problem->pool.count, problem->space->count, NEIGHBOURS);
  return state;
}

/* The score up to which a trial counts as optimal: the 5 % quantile of those measured, so at least the best of them. */
static double optimal_score(const struct ts_tune_history *history) {
  ts_auto_free double *scores = ts_calloc(history->count + 1, sizeof *scores);
  size_t count = 0;
  for (size_t t = 0; t < history->count; t++) {
    if (ts_trials_is_measured(history, t)) scores[count++] = history->scores[t];
  }
  if (count == 0) return -INFINITY;
  qsort(scores, count, sizeof *scores, ts_compare_doubles);
  return scores[(size_t)floor(OPTIMAL * (double)(count - 1))];
}

static void add_guided(struct state *state, const struct ts_tune_history *history, struct ts_tune_batch *batch) {
  size_t count = ts_batch_plan_next(&state->plan, ts_batch_room(batch)), rows = state->problem->pool.count;
  ts_auto_free enum ts_label *labels = ts_calloc(rows + 1, sizeof *labels);
  ts_auto_free double *belief = ts_calloc(rows + 1, sizeof *belief);
  double limit = optimal_score(history);
  for (size_t t = 0; t < history->count; t++) {
    if (history->rows[t] == TS_NONE || history->kinds[t] == TS_TRIAL_COMPONENT) continue;
    bool is_optimal = !history->failed[t] && history->scores[t] <= limit;
    labels[history->rows[t]] = is_optimal ? TS_LABEL_OPTIMAL : TS_LABEL_ORDINARY;
  }
  ts_camlp(&state->graph, labels, BETA, SWEEPS, belief);
  for (size_t r = 0; r < rows; r++) belief[r] = -belief[r];
  ts_batch_add_best(batch, rows, belief, count);
}

static bool next(void *opaque, const struct ts_tune_history *history, struct ts_tune_batch *batch, const char **reason,
                 struct ts_error *err) {
  struct state *state = opaque;
  (void)err;
  size_t room = ts_batch_room(batch);
  *reason = room == 0 ? "the budget is spent" : "every candidate was tried";
  if (!state->started) {
    const struct ts_plan_defaults defaults = {.random_share = 0.3, .batches = 6};
    state->started = true;
    ts_batch_plan_init(&state->plan, state->problem, state->options, &defaults, room);
    ts_batch_add_random(batch, state->problem, &state->random, state->plan.random);
    if (ts_batch_count(batch) > 0) return true;
  }
  add_guided(state, history, batch);
  return true;
}

static bool finish(void *opaque, const struct ts_tune_history *history, struct ts_tune_forecast *forecast,
                   struct ts_error *err) {
  struct state *state = opaque;
  return ts_learner_finish(&state->learner, history, forecast, err);
}

static void destroy(void *opaque) {
  struct state *state = opaque;
  if (!state) return;
  ts_learner_release(&state->learner);
  ts_near_graph_release(&state->graph);
  free(state);
}

const struct ts_tuner ts_tuner_geist = {
    .name = "geist",
    .title = "GEIST: labels spread over a graph of candidates",
    .help = "Measures the candidates next to good ones; needs no model of the output.",
    .flags = TS_TUNER_CANDIDATES | TS_TUNER_PREDICTS,
    .begin = begin,
    .next = next,
    .finish = finish,
    .destroy = destroy,
};
