/* CEAL: active learning that begins with a low-fidelity model, combined from models of the components.
 * SPDX-License-Identifier: Apache-2.0
 *
 * T. Shu et al., "Bootstrapping in-situ workflow auto-tuning via combining performance models of component
 * applications", SC 2021, doi:10.1145/3458817.3476197. The first batches are chosen by the low-fidelity model M_L,
 * which only ranks; once the surrogate M_H of the measured trials finds the best of a new batch as well as M_L does,
 * it takes over for good. */
#include "base/alloc.h"
#include "base/order.h"
#include "tune/components.h"
#include "tune/learner.h"

#include <math.h>
#include <string.h>

#define TEST_ROWS 3 /* new trials that a comparison of the two models needs; also the longest list that is compared */

struct state {
  const struct ts_tune_problem *problem; /* borrowed */
  const struct ts_tune_options *options; /* borrowed */
  struct ts_random random;
  struct ts_batch_plan plan;
  struct ts_learner learner; /* M_H */
  bool recorded;             /* components have recorded runs */
  double *low;               /* owned; scores of M_L over the pool */
  double *held;              /* owned; scores of M_H over the pool, as it was before the trials from `tested` on */
  bool has_held;
  size_t tested;      /* trials that were compared, or that M_H was trained on before the first comparison */
  bool switched;      /* M_H chooses */
  size_t random_end;  /* trials up to the end of the random ones of the first batch */
  size_t random_left; /* random trials that adaptive_random keeps back */
  enum { STEP_BEGIN, STEP_COMPONENTS, STEP_GUIDED } step;
};

static void *begin(const struct ts_tune_problem *problem, const struct ts_tune_options *options, struct ts_error *err) {
  bool recorded = false;
  if (!ts_components_known(problem, "ceal", &recorded, err)) return NULL;
  struct state *state = ts_calloc(1, sizeof *state);
  state->problem = problem;
  state->options = options;
  state->recorded = recorded;
  state->low = ts_calloc(problem->pool.count + 1, sizeof *state->low);
  state->held = ts_calloc(problem->pool.count + 1, sizeof *state->held);
  ts_random_init(&state->random, problem->seed, TS_STREAM_RANDOM);
  ts_learner_init(&state->learner, problem);
  return state;
}

/* ---- The low-fidelity model. ---- */

static bool make_low(struct state *state, const struct ts_tune_history *history, struct ts_error *err) {
  const struct ts_tune_problem *problem = state->problem;
  size_t rows = problem->pool.count, parts = problem->component_count;
  const double *outputs = state->plan.components == 0 && state->recorded ? problem->component_outputs : NULL;
  ts_auto_free double *made = NULL;
  if (!outputs) {
    outputs = made = ts_calloc(rows * parts + 1, sizeof *made);
    struct ts_component_models *models = ts_component_models_create(problem, history, err);
    bool done = models && ts_component_models_predict(models, problem, problem->pool.numbers, rows, made, err);
    ts_component_models_destroy(models);
    if (!done) return false;
  }
  for (size_t r = 0; r < rows; r++) state->low[r] = ts_combine_outputs(&problem->goals[0], &outputs[r * parts], parts);
  return true;
}

/* ---- Which model finds the best trials. ---- */

/* Sum over n = 1 .. of the share of the n best by `model` (scores over the pool) that are among the n best by their
 * real scores. */
static double sum_of_recalls(const struct ts_tune_history *history, const size_t *trials, size_t count,
                             const double *model) {
  ts_auto_free struct ts_ranked *real = ts_calloc(2 * count, sizeof *real);
  struct ts_ranked *predicted = real + count;
  for (size_t i = 0; i < count; i++) {
    real[i] = (struct ts_ranked){history->scores[trials[i]], trials[i]};
    predicted[i] = (struct ts_ranked){model[history->rows[trials[i]]], trials[i]};
  }
  qsort(real, count, sizeof *real, ts_compare_ranked);
  qsort(predicted, count, sizeof *predicted, ts_compare_ranked);
  double sum = 0;
  for (size_t n = 1; n <= ts_smaller_size(TEST_ROWS, count); n++) {
    size_t common = 0;
    for (size_t i = 0; i < n * n; i++) common += real[i / n].index == predicted[i % n].index;
    sum += (double)common / (double)n;
  }
  return sum;
}

/* Compares the models on the trials since the last comparison, once there are enough of them. */
static void compare_models(struct state *state, const struct ts_tune_history *history) {
  if (state->switched || !state->has_held) return;
  ts_auto_free size_t *trials = ts_calloc(history->count + 1, sizeof *trials);
  size_t count = 0;
  for (size_t t = state->tested; t < history->count; t++) {
    if (ts_trials_is_measured(history, t) && history->rows[t] != TS_NONE) trials[count++] = t;
  }
  if (count < TEST_ROWS) return;
  double high = sum_of_recalls(history, trials, count, state->held);
  state->switched = high >= sum_of_recalls(history, trials, count, state->low);
  state->has_held = false; /* the next M_H is held against what comes after it */
}

static void hold(struct state *state, const struct ts_tune_history *history) {
  if (state->has_held || !state->learner.trained) return;
  memcpy(state->held, state->learner.scores, state->problem->pool.count * sizeof *state->held);
  state->has_held = true;
  state->tested = history->count;
}

/* Whether the candidate of the latest batch that M_H liked best turned out to be in its worse half; true without
 * M_H. */
static bool favourite_failed(const struct state *state, const struct ts_tune_history *history) {
  if (!state->learner.trained) return true;
  size_t favourite = TS_NONE, count = 0, better = 0, last = history->batches[history->count - 1];
  for (size_t t = 0; t < history->count; t++) {
    if (history->batches[t] != last || !ts_trials_is_measured(history, t) || history->rows[t] == TS_NONE) continue;
    count++;
    const double *scores = state->learner.scores;
    if (favourite == TS_NONE || scores[history->rows[t]] < scores[history->rows[favourite]]) favourite = t;
  }
  for (size_t t = 0; t < history->count && favourite != TS_NONE; t++)
    better += history->batches[t] == last && history->scores[t] < history->scores[favourite];
  return 2 * better >= count;
}

/* M_H with all that was measured. With pretrain it first learns from the random trials alone, so that the guided ones
 * beside them can be held against it. */
static bool learn(struct state *state, const struct ts_tune_history *history, struct ts_error *err) {
  if (state->options->pretrain && !state->learner.trained) {
    struct ts_tune_history random_part = *history;
    random_part.count = state->random_end;
    if (!ts_learner_train(&state->learner, &random_part, err)) return false;
    hold(state, &random_part);
  }
  compare_models(state, history);
  if (!ts_learner_train(&state->learner, history, err)) return false;
  hold(state, history);
  return true;
}

/* ---- The batches. ---- */

/* Shares and batches of the specification's comparison, without and with recorded runs of components. */
static void make_plan(struct state *state, size_t room) {
  static const struct ts_plan_defaults fresh = {.random_share = 0.15, .component_share = 0.4, .batches = 5};
  static const struct ts_plan_defaults recorded = {.random_share = 0.25, .component_share = 0, .batches = 5};
  ts_batch_plan_init(&state->plan, state->problem, state->options, state->recorded ? &recorded : &fresh, room);
  if (!state->problem->charges_components) { /* recorded runs are all there is */
    state->plan.guided += state->plan.components;
    state->plan.components = 0;
  }
  if (state->options->adaptive_random) state->random_left = state->plan.random / 2;
}

static bool add_first(struct state *state, const struct ts_tune_history *history, struct ts_tune_batch *batch,
                      struct ts_error *err) {
  state->step = STEP_GUIDED;
  if (!make_low(state, history, err)) return false;
  ts_batch_add_random(batch, state->problem, &state->random, state->plan.random - state->random_left);
  state->random_end = history->count;
  size_t count = ts_batch_plan_next(&state->plan, ts_batch_room(batch));
  ts_batch_add_best(batch, state->problem->pool.count, state->low, count);
  return true;
}

static bool add_guided(struct state *state, const struct ts_tune_history *history, struct ts_tune_batch *batch,
                       struct ts_error *err) {
  bool failed = state->random_left > 0 && favourite_failed(state, history);
  if (!learn(state, history, err)) return false;
  if (failed) { /* half of what is kept back, rounded up */
    size_t more = (state->random_left + 1) / 2;
    ts_batch_add_random(batch, state->problem, &state->random, more);
    state->random_left -= more;
  }
  size_t room = ts_batch_room(batch), count = ts_batch_plan_next(&state->plan, room);
  if (state->plan.done == state->plan.batches) { /* the last one: what is kept back goes to the best predicted */
    count = ts_smaller_size(room, count + state->random_left);
    state->random_left = 0;
  }
  const double *scores = state->switched ? state->learner.scores : state->low;
  ts_batch_add_best(batch, state->problem->pool.count, scores, count);
  return true;
}

static bool next(void *opaque, const struct ts_tune_history *history, struct ts_tune_batch *batch, const char **reason,
                 struct ts_error *err) {
  struct state *state = opaque;
  size_t room = ts_batch_room(batch);
  *reason = room == 0 ? "the budget is spent" : "every candidate was tried";
  if (state->step == STEP_BEGIN) {
    make_plan(state, room);
    state->step = STEP_COMPONENTS;
    ts_batch_add_component_runs(batch, state->problem, state->plan.components);
    if (ts_batch_count(batch) > 0) return true;
  }
  if (room == 0) return true;
  return state->step == STEP_COMPONENTS ? add_first(state, history, batch, err)
                                        : add_guided(state, history, batch, err);
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
  free(state->low);
  free(state->held);
  free(state);
}

const struct ts_tuner ts_tuner_ceal = {
    .name = "ceal",
    .title = "Component-based ensemble active learning",
    .help = "Begins with models of the components, combined by max, sum or min, and ends with active learning.",
    .flags = TS_TUNER_CANDIDATES | TS_TUNER_PREDICTS | TS_TUNER_COMPONENTS | TS_TUNER_ONE_GOAL,
    .begin = begin,
    .next = next,
    .finish = finish,
    .destroy = destroy,
};
