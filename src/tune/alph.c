/* ALpH: active learning whose trees also see what models of the components predict for their parts of a candidate.
 * SPDX-License-Identifier: Apache-2.0 */
#include "tune/al.h"

#include <string.h>

/* The pool may have been predicted by the caller; anything else needs models. */
static bool add_hints(void *opaque, const double *numbers, size_t count, double *features, struct ts_error *err) {
  struct ts_al *state = opaque;
  const struct ts_tune_problem *problem = state->problem;
  if (!state->models && numbers == problem->pool.numbers) {
    memcpy(features, problem->component_outputs, count * problem->component_count * sizeof *features);
    return true;
  }
  if (!state->models) state->models = ts_component_models_create(problem, NULL, err);
  return state->models && ts_component_models_predict(state->models, problem, numbers, count, features, err);
}

static void *begin(const struct ts_tune_problem *problem, const struct ts_tune_options *options, struct ts_error *err) {
  bool recorded = false;
  if (!ts_components_known(problem, "alph", &recorded, err)) return NULL;
  struct ts_al *state = ts_al_begin(problem, options, err);
  state->has_hints = true;
  state->hints_recorded = recorded;
  state->learner.extra = problem->component_count;
  state->learner.extend = add_hints;
  state->learner.user = state;
  return state;
}

const struct ts_tuner ts_tuner_alph = {
    .name = "alph",
    .title = "Active learning with hints from components",
    .help = "Active learning whose trees also see what models of the components predict.",
    .flags = TS_TUNER_CANDIDATES | TS_TUNER_PREDICTS | TS_TUNER_COMPONENTS | TS_TUNER_ONE_GOAL,
    .begin = begin,
    .next = ts_al_next,
    .finish = ts_al_finish,
    .destroy = ts_al_destroy,
};
