/* What tuners with a model over a pool share.
 * SPDX-License-Identifier: Apache-2.0 */
#include "tune/learner.h"

#include "base/alloc.h"
#include "base/order.h"

#include <math.h>
#include <string.h>

/* ---- The plan of batches. ---- */

static size_t share_of(double runs, double asked, double otherwise) {
  double share = asked != 0 ? asked : otherwise;
  return share > 0 ? (size_t)lround(fmin(share, 1) * runs) : 0;
}

void ts_batch_plan_init(struct ts_batch_plan *plan, const struct ts_tune_problem *problem,
                        const struct ts_tune_options *options, const struct ts_plan_defaults *defaults, size_t room) {
  bool counts_runs = problem->budget_kind == TS_BUDGET_RUNS;
  double runs = counts_runs ? (double)ts_tune_expected_runs(problem) : (double)room;
  *plan = (struct ts_batch_plan){.batches = options->batches ? options->batches : defaults->batches};
  plan->components = share_of(runs, options->component_share, defaults->component_share);
  plan->components = ts_smaller_size(plan->components, room ? room - 1 : 0); /* one run is for the workflow */
  plan->random = share_of(runs, options->random_share, defaults->random_share);
  plan->random = ts_smaller_size(plan->random, room - plan->components);
  plan->guided = room - plan->components - plan->random;
}

static size_t planned_until(const struct ts_batch_plan *plan, size_t batch) {
  return (size_t)lround((double)(batch * plan->guided) / (double)plan->batches);
}

size_t ts_batch_plan_next(struct ts_batch_plan *plan, size_t room) {
  size_t size = 0;
  while (plan->done < plan->batches && size == 0) {
    plan->done++;
    size = planned_until(plan, plan->done) - planned_until(plan, plan->done - 1);
  }
  if (size == 0) size = ts_larger_size(1, plan->guided / plan->batches);
  return ts_smaller_size(size, room);
}

/* ---- The model. ---- */

void ts_learner_init(struct ts_learner *learner, const struct ts_tune_problem *problem) {
  *learner = (struct ts_learner){.problem = problem};
  learner->scores = ts_calloc(problem->pool.count + 1, sizeof *learner->scores);
}

void ts_learner_release(struct ts_learner *learner) {
  ts_matrix_destroy(learner->matrix);
  free(learner->features);
  free(learner->scores);
}

/* Numbers and further features of points, row by row. NULL and an error if they cannot be had. */
static double *features_of(const struct ts_learner *learner, const double *numbers, size_t count,
                           struct ts_error *err) {
  size_t columns = learner->problem->space->count, extra = learner->extra, width = columns + extra;
  double *features = ts_calloc(count * width + 1, sizeof *features);
  ts_auto_free double *more = ts_calloc(count * extra + 1, sizeof *more);
  if (extra > 0 && !learner->extend(learner->user, numbers, count, more, err)) {
    free(features);
    return NULL;
  }
  for (size_t i = 0; i < count; i++) {
    memcpy(&features[i * width], &numbers[i * columns], columns * sizeof *features);
    memcpy(&features[i * width + columns], &more[i * extra], extra * sizeof *features);
  }
  return features;
}

static bool make_matrix(struct ts_learner *learner, struct ts_error *err) {
  if (learner->matrix) return true;
  const struct ts_tune_points *pool = &learner->problem->pool;
  learner->features = features_of(learner, pool->numbers, pool->count, err);
  if (!learner->features) return false;
  learner->matrix =
      ts_matrix_create(learner->features, pool->count, learner->problem->space->count + learner->extra, err);
  return learner->matrix != NULL;
}

/* The features of a trial: those of its row of the pool, or computed. */
static bool copy_features(const struct ts_learner *learner, const struct ts_tune_history *history, size_t trial,
                          double *features, struct ts_error *err) {
  size_t width = history->column_count + learner->extra, row = history->rows[trial];
  if (row != TS_NONE) {
    memcpy(features, &learner->features[row * width], width * sizeof *features);
    return true;
  }
  ts_auto_free double *computed = features_of(learner, &history->numbers[trial * history->column_count], 1, err);
  if (computed) memcpy(features, computed, width * sizeof *features);
  return computed != NULL;
}

bool ts_learner_train(struct ts_learner *learner, const struct ts_tune_history *history, struct ts_error *err) {
  size_t width = history->column_count + learner->extra, count = 0;
  if (!make_matrix(learner, err)) return false;
  ts_auto_free double *features = ts_calloc(history->count * width + 1, sizeof *features);
  ts_auto_free double *targets = ts_calloc(history->count + 1, sizeof *targets);
  for (size_t t = 0; t < history->count; t++) {
    if (!ts_trials_is_measured(history, t)) continue;
    if (!copy_features(learner, history, t, &features[count * width], err)) return false;
    targets[count++] = history->scores[t];
  }
  if (count == 0) return true;
  struct ts_surrogate *surrogate = ts_surrogate_train(NULL, features, count, width, targets, err);
  bool made = surrogate && ts_surrogate_predict(surrogate, learner->matrix, learner->scores, err);
  ts_surrogate_destroy(surrogate);
  learner->trained = learner->trained || made;
  return made;
}

/* What became of each row of the pool. */
enum row_state { ROW_FREE, ROW_MEASURED, ROW_FAILED };

void ts_learner_forecast(const struct ts_learner *learner, const struct ts_tune_history *history,
                         struct ts_tune_forecast *forecast) {
  if (!learner->trained) return;
  size_t rows = learner->problem->pool.count;
  const double *scores = learner->scores;
  ts_auto_free enum row_state *states = ts_calloc(rows + 1, sizeof *states);
  for (size_t t = 0; t < history->count; t++) {
    if (history->kinds[t] == TS_TRIAL_COMPONENT || history->rows[t] == TS_NONE) continue;
    states[history->rows[t]] = history->failed[t] ? ROW_FAILED : ROW_MEASURED;
  }
  for (size_t r = 0; r < rows; r++) {
    forecast->scores[r] = scores[r];
    if (states[r] == ROW_FAILED) continue;
    if (forecast->best_row == TS_NONE || scores[r] < scores[forecast->best_row]) forecast->best_row = r;
    if (states[r] != ROW_FREE) continue;
    if (forecast->spare_row == TS_NONE || scores[r] < scores[forecast->spare_row]) forecast->spare_row = r;
  }
  forecast->has_best = forecast->best_row != TS_NONE;
  forecast->has_spare = forecast->spare_row != TS_NONE;
  if (forecast->has_best) forecast->best_score = scores[forecast->best_row];
}

bool ts_learner_finish(struct ts_learner *learner, const struct ts_tune_history *history,
                       struct ts_tune_forecast *forecast, struct ts_error *err) {
  if (!ts_learner_train(learner, history, err)) return false;
  ts_learner_forecast(learner, history, forecast);
  return true;
}

/* ---- Candidates. ---- */

void ts_batch_add_random(struct ts_tune_batch *batch, const struct ts_tune_problem *problem, struct ts_random *random,
                         size_t count) {
  size_t rows = problem->pool.count, added = 0;
  ts_auto_free size_t *order = ts_calloc(rows + 1, sizeof *order);
  for (size_t r = 0; r < rows; r++) order[r] = r;
  ts_random_shuffle(random, order, rows);
  for (size_t r = 0; r < rows && added < count; r++) added += ts_batch_add_row(batch, order[r], NULL) == TS_ADDED;
}

void ts_batch_add_best(struct ts_tune_batch *batch, size_t rows, const double *scores, size_t count) {
  ts_auto_free struct ts_ranked *ranked = ts_calloc(rows + 1, sizeof *ranked);
  for (size_t r = 0; r < rows; r++) ranked[r] = (struct ts_ranked){scores[r], r};
  qsort(ranked, rows, sizeof *ranked, ts_compare_ranked);
  size_t added = 0;
  for (size_t r = 0; r < rows && added < count; r++)
    added += ts_batch_add_row(batch, ranked[r].index, NULL) == TS_ADDED;
}
