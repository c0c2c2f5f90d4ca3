/* The recommendation: the best trials, and the front of several goals.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/alloc.h"
#include "tune/fronts_int.h"
#include "tune/tune_int.h"

size_t ts_tune_best(const struct ts_tune *tune, bool (*wanted)(const struct ts_tune_history *, size_t)) {
  const struct ts_tune_history *history = &tune->history;
  size_t best = TS_NONE;
  for (size_t t = 0; t < history->count; t++) {
    if (!ts_history_is_measured(history, t) || (wanted && !wanted(history, t))) continue;
    if (best == TS_NONE || history->scores[t] < history->scores[best]) best = t;
  }
  return best;
}

static bool is_dominated(const struct ts_tune_history *history, size_t trial) {
  size_t goals = history->goal_count;
  for (size_t t = 0; t < history->count; t++) {
    if (ts_history_is_measured(history, t) &&
        ts_dominates(&history->outputs[t * goals], &history->outputs[trial * goals], goals))
      return true;
  }
  return false;
}

void ts_tune_make_front(struct ts_tune *tune) {
  const struct ts_tune_history *history = &tune->history;
  size_t goals = history->goal_count, count = 0;
  tune->front = ts_arena_array(&tune->arena, history->count + 1, sizeof *tune->front);
  for (size_t t = 0; t < history->count; t++) {
    if (!ts_history_is_measured(history, t) || is_dominated(history, t)) continue;
    size_t at = count++; /* insertion: by the first goal, earlier trials first among equals */
    for (; at > 0 && history->outputs[tune->front[at - 1] * goals] > history->outputs[t * goals]; at--)
      tune->front[at] = tune->front[at - 1];
    tune->front[at] = t;
  }
  tune->front_count = count;
}

static bool is_own_choice(const struct ts_tune_history *history, size_t trial) {
  return history->kinds[trial] != TS_TRIAL_CONFIRMATION;
}

static bool is_confirmation(const struct ts_tune_history *history, size_t trial) {
  return history->kinds[trial] == TS_TRIAL_CONFIRMATION;
}

/* The trial at the predicted best: one of the pool's rows, or the confirmation. */
static size_t predicted_trial(const struct ts_tune *tune) {
  const struct ts_tune_history *history = &tune->history;
  size_t row = tune->forecast.best_row;
  for (size_t t = 0; t < history->count && row != TS_NONE; t++) {
    if (history->kinds[t] != TS_TRIAL_COMPONENT && history->rows[t] == row) return t;
  }
  return ts_tune_best(tune, is_confirmation);
}

void ts_tune_result(const struct ts_tune *tune, struct ts_tune_result *result) {
  const struct ts_tune_forecast *forecast = &tune->forecast;
  *result = (struct ts_tune_result){
      .recommended = ts_tune_best(tune, NULL),
      .measured = ts_tune_best(tune, is_own_choice),
      .has_predicted = forecast->has_best,
      .predicted_row = forecast->has_best ? forecast->best_row : TS_NONE,
      .predicted = forecast->has_best ? predicted_trial(tune) : TS_NONE,
      .predicted_score = forecast->best_score,
      .scores = forecast->scores,
      .front = tune->front,
      .front_count = tune->front_count,
      .reason = tune->reason,
      .spent = tune->history.spent,
  };
}
