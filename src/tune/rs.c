/* Random search: as many random candidates as the budget allows, and a model of them at the end.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/alloc.h"
#include "tune/learner.h"

struct state {
  const struct ts_tune_problem *problem; /* borrowed */
  struct ts_random random;
  struct ts_learner learner;
};

static void *begin(const struct ts_tune_problem *problem, const struct ts_tune_options *options, struct ts_error *err) {
  (void)options;
  (void)err;
  struct state *state = ts_calloc(1, sizeof *state);
  state->problem = problem;
  ts_random_init(&state->random, problem->seed, TS_STREAM_RANDOM);
  ts_learner_init(&state->learner, problem);
  return state;
}

static bool next(void *opaque, const struct ts_tune_history *history, struct ts_tune_batch *batch, const char **reason,
                 struct ts_error *err) {
  struct state *state = opaque;
  (void)history;
  (void)err;
  size_t room = ts_batch_room(batch);
  *reason = room == 0 ? "the budget is spent" : "every candidate was tried";
  ts_batch_add_random(batch, state->problem, &state->random, room);
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
  free(state);
}

const struct ts_tuner ts_tuner_rs = {
    .name = "rs",
    .title = "Random search",
    .help = "Draws candidates at random; what every other tuner must beat.",
    .flags = TS_TUNER_CANDIDATES | TS_TUNER_PREDICTS,
    .begin = begin,
    .next = next,
    .finish = finish,
    .destroy = destroy,
};
