/* The driver of tuners: asks for batches, takes results, and makes the recommendation.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Legal order: ts_tune_create, then ts_tune_next and ts_tune_report for every trial of the batch until a batch is
 * empty, then ts_tune_result. The same for every tuner: never above the budget (one in cost or seconds may be exceeded
 * by the last trial if nobody predicts costs), no trial twice, a failed run spends budget and is remembered, the last
 * run confirms the predicted best unless that was measured already, the recommendation is the better of the two. */
#ifndef TS_TUNE_TUNE_H
#define TS_TUNE_TUNE_H

#include "tune/tuner.h"

struct ts_tune;

/* Copies the problem; what it points to is borrowed until the end. NULL and an error if the problem makes no sense or
 * the tuner cannot work on it. */
struct ts_tune *ts_tune_create(const struct ts_tuner *tuner, const struct ts_tune_problem *problem,
                               const struct ts_tune_options *options, struct ts_error *err);
void ts_tune_destroy(struct ts_tune *tune);

/* The trials to run now: numbers first .. first + count - 1 of the history. count 0: done. All of them must be reported
 * before the next call. */
bool ts_tune_next(struct ts_tune *tune, size_t *first, size_t *count, struct ts_error *err);
/* The outcome of a trial: goal_count outputs (any NaN or infinity: failed) and its cost (in the unit of the budget; of
 * no effect on budgets in runs). */
void ts_tune_report(struct ts_tune *tune, size_t trial, const double *outputs, double cost);
const struct ts_tune_history *ts_tune_history(const struct ts_tune *tune);
/* The problem as the tuner sees it: with unit coordinates, and a pool where one was drawn. */
const struct ts_tune_problem *ts_tune_problem(const struct ts_tune *tune);

struct ts_tune_result {
  size_t recommended;   /* trial; TS_NONE: no run succeeded. Of several goals: the best by equal weights */
  size_t measured;      /* best trial that the tuner chose itself, without the confirmation */
  bool has_predicted;   /* the tuner has a forecast */
  size_t predicted_row; /* of the pool; TS_NONE: not in it */
  size_t predicted;     /* trial at the predicted best; TS_NONE: never run */
  double predicted_score;
  const double *scores; /* owned by the tune; the final model over the pool; NULL: none */
  const size_t *front;  /* owned by the tune; trials that no other dominates, by the first goal */
  size_t front_count;
  const char *reason; /* why it ended */
  double spent;
};
/* After the last batch. */
void ts_tune_result(const struct ts_tune *tune, struct ts_tune_result *result);

#endif
