/* What tuners with a model over a pool share: the plan of batches, the model, random and best candidates.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_TUNE_LEARNER_H
#define TS_TUNE_LEARNER_H

#include "base/random.h"
#include "tune/surrogate.h"
#include "tune/tuner.h"

/* Random trials, runs of components, then T guided trials in I batches; batch i has round(i T / I) - round((i - 1) T /
 * I) of them, so that none is lost. */
struct ts_batch_plan {
  size_t random;     /* m_0 */
  size_t components; /* m_R */
  size_t guided;     /* T */
  size_t batches;    /* I */
  size_t done;       /* guided batches asked for so far */
};
/* Shares of the budget where the options have none: of a tuner with `room` runs to plan for. */
struct ts_plan_defaults {
  double random_share, component_share;
  size_t batches;
};
void ts_batch_plan_init(struct ts_batch_plan *plan, const struct ts_tune_problem *problem,
                        const struct ts_tune_options *options, const struct ts_plan_defaults *defaults, size_t room);
/* Size of the next guided batch, at least 1 unless `room` is 0. When the plan is exhausted but the budget is not (a
 * budget in seconds that lasts longer than expected), the last size again. */
size_t ts_batch_plan_next(struct ts_batch_plan *plan, size_t room);

/* A surrogate of the scores over the pool. `extend` (may be NULL) computes `extra` more features of points from their
 * numbers. */
struct ts_learner {
  const struct ts_tune_problem *problem; /* borrowed */
  size_t extra;
  bool (*extend)(void *user, const double *numbers, size_t count, double *features, struct ts_error *err);
  void *user;               /* borrowed */
  double *features;         /* owned; of the pool, row by row; made with the first training, as the matrix */
  struct ts_matrix *matrix; /* owned */
  double *scores;           /* owned; per row of the pool, of the latest model */
  bool trained;
};
void ts_learner_init(struct ts_learner *learner, const struct ts_tune_problem *problem);
void ts_learner_release(struct ts_learner *learner);
/* Trains on the measured trials and predicts the pool. Without any such trial `trained` stays as it is. */
bool ts_learner_train(struct ts_learner *learner, const struct ts_tune_history *history, struct ts_error *err);
/* The least score over the pool, failed rows left out, and the least of the rows not tried. */
void ts_learner_forecast(const struct ts_learner *learner, const struct ts_tune_history *history,
                         struct ts_tune_forecast *forecast);

/* Both: what `finish` of a tuner without a further idea does. */
bool ts_learner_finish(struct ts_learner *learner, const struct ts_tune_history *history,
                       struct ts_tune_forecast *forecast, struct ts_error *err);

/* Adds up to `count` rows of the pool: in random order, or those of least score (ties: in the order of the pool). */
void ts_batch_add_random(struct ts_tune_batch *batch, const struct ts_tune_problem *problem, struct ts_random *random,
                         size_t count);
void ts_batch_add_best(struct ts_tune_batch *batch, size_t rows, const double *scores, size_t count);

#endif
