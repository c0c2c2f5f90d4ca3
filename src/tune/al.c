/* Active learning: a random start, then batches of the candidates that the surrogate likes best.
 * SPDX-License-Identifier: Apache-2.0 */
#include "tune/al.h"

#include "base/alloc.h"

void *ts_al_begin(const struct ts_tune_problem *problem, const struct ts_tune_options *options, struct ts_error *err) {
  (void)err;
  struct ts_al *state = ts_calloc(1, sizeof *state);
  state->problem = problem;
  state->options = options;
  ts_random_init(&state->random, problem->seed, TS_STREAM_RANDOM);
  ts_learner_init(&state->learner, problem);
  return state;
}

/* m_0 and I of the specification's comparison: fixed for all cases, not chosen on any of them. Hints without recorded
 * runs cost what CEAL spends on components. */
static struct ts_plan_defaults defaults_of(const struct ts_al *state) {
  bool runs_components = state->has_hints && !state->hints_recorded;
  return (struct ts_plan_defaults){.random_share = 0.3, .component_share = runs_components ? 0.4 : 0, .batches = 8};
}

static bool make_models(struct ts_al *state, const struct ts_tune_history *history, struct ts_error *err) {
  if (!state->has_hints || state->models || (state->hints_recorded && state->problem->component_outputs)) return true;
  state->models = ts_component_models_create(state->problem, history, err);
  return state->models != NULL;
}

static bool add_guided(struct ts_al *state, const struct ts_tune_history *history, struct ts_tune_batch *batch,
                       struct ts_error *err) {
  size_t count = ts_batch_plan_next(&state->plan, ts_batch_room(batch));
  if (count == 0) return true;
  if (!make_models(state, history, err) || !ts_learner_train(&state->learner, history, err)) return false;
  if (state->learner.trained) {
    ts_batch_add_best(batch, state->problem->pool.count, state->learner.scores, count);
  } else { /* every run failed so far */
    ts_batch_add_random(batch, state->problem, &state->random, count);
  }
  return true;
}

bool ts_al_next(void *opaque, const struct ts_tune_history *history, struct ts_tune_batch *batch, const char **reason,
                struct ts_error *err) {
  struct ts_al *state = opaque;
  size_t room = ts_batch_room(batch);
  *reason = room == 0 ? "the budget is spent" : "every candidate was tried";
  if (!state->started) {
    state->started = true;
    struct ts_plan_defaults defaults = defaults_of(state);
    ts_batch_plan_init(&state->plan, state->problem, state->options, &defaults, room);
    ts_batch_add_component_runs(batch, state->problem, state->plan.components);
    ts_batch_add_random(batch, state->problem, &state->random, state->plan.random);
    if (ts_batch_count(batch) > 0) return true;
  }
  return add_guided(state, history, batch, err);
}

bool ts_al_finish(void *opaque, const struct ts_tune_history *history, struct ts_tune_forecast *forecast,
                  struct ts_error *err) {
  struct ts_al *state = opaque;
  return make_models(state, history, err) && ts_learner_finish(&state->learner, history, forecast, err);
}

void ts_al_destroy(void *opaque) {
  struct ts_al *state = opaque;
  if (!state) return;
  ts_learner_release(&state->learner);
  ts_component_models_destroy(state->models);
  free(state);
}

const struct ts_tuner ts_tuner_al = {
    .name = "al",
    .title = "Active learning",
    .help = "Trains boosted trees on what was measured and measures what they like best, batch by batch.",
    .flags = TS_TUNER_CANDIDATES | TS_TUNER_PREDICTS,
    .begin = ts_al_begin,
    .next = ts_al_next,
    .finish = ts_al_finish,
    .destroy = ts_al_destroy,
};
