/* Active learning, shared by the tuners with and without hints from components.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_TUNE_AL_H
#define TS_TUNE_AL_H

#include "tune/components.h"
#include "tune/learner.h"

/* The state of one tuner. Hints are the further features of ALpH. */
struct ts_al {
  const struct ts_tune_problem *problem; /* borrowed */
  const struct ts_tune_options *options; /* borrowed */
  struct ts_random random;
  struct ts_batch_plan plan;
  struct ts_learner learner;
  bool has_hints;
  bool hints_recorded;                /* from recorded runs, not from the budget */
  struct ts_component_models *models; /* owned; NULL: not trained yet, or borrowed from the problem */
  bool started;
};

/* The members of struct ts_tuner. */
void *ts_al_begin(const struct ts_tune_problem *problem, const struct ts_tune_options *options, struct ts_error *err);
bool ts_al_next(void *opaque, const struct ts_tune_history *history, struct ts_tune_batch *batch, const char **reason,
                struct ts_error *err);
bool ts_al_finish(void *opaque, const struct ts_tune_history *history, struct ts_tune_forecast *forecast,
                  struct ts_error *err);
void ts_al_destroy(void *opaque);

#endif
