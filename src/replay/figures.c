/* The figures of one replay: how good the configurations are that a tuner found, and how good its model is.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/alloc.h"
#include "base/order.h"
#include "replay/replay_int.h"

#include <math.h>

#define TOP_SHARE 0.02 /* of the pool: the configurations that matter, for the errors of a model */

/* How far an output is from the best, as a ratio of 1 or above. */
static double ratio_of(const struct yardstick *yard, size_t row) {
  double output = row == TS_NONE ? NAN : yard->outputs[row];
  return yard->maximise ? yard->best / output : output / yard->best;
}

static double ratio_of_trial(const struct yardstick *yard, const struct ts_tune_history *history, size_t trial) {
  return trial == TS_NONE ? NAN : ratio_of(yard, history->rows[trial]);
}

/* Share of the n best rows by the model that are among the n best by what was measured, n = 1 .. count. Per cent. */
void ts_yardstick_recall(const struct yardstick *yard, const double *scores, size_t count, double *recall) {
  ts_auto_free struct ts_ranked *ranked = ts_calloc(yard->pool + 1, sizeof *ranked);
  for (size_t i = 0; i < yard->pool; i++)
    ranked[i] = (struct ts_ranked){scores[yard->by_output[i]], yard->by_output[i]};
  qsort(ranked, yard->pool, sizeof *ranked, ts_compare_ranked);
  for (size_t n = 1; n <= count; n++) {
    size_t listed = ts_smaller_size(n, yard->pool), common = 0;
    for (size_t i = 0; i < listed * listed; i++) common += ranked[i / listed].index == yard->by_output[i % listed];
    recall[n - 1] = 100 * (double)common / (double)listed;
  }
}

/* Median of |y - prediction| / |y| over the first `count` rows of by_output, those in `skipped` left out. Per cent. */
static double median_error(const struct yardstick *yard, const double *scores, size_t count, const bool *skipped) {
  ts_auto_free double *errors = ts_calloc(count + 1, sizeof *errors);
  size_t kept = 0;
  for (size_t i = 0; i < count; i++) {
    size_t row = yard->by_output[i];
    if (skipped && skipped[row]) continue;
    double output = yard->outputs[row], predicted = yard->maximise ? -scores[row] : scores[row];
    errors[kept++] = 100 * fabs((output - predicted) / output);
  }
  if (kept == 0) return NAN;
  qsort(errors, kept, sizeof *errors, ts_compare_doubles);
  return (errors[(kept - 1) / 2] + errors[kept / 2]) / 2;
}

static void measure_model(const struct yardstick *yard, const struct ts_tune_history *history, const double *scores,
                          struct replayed *out) {
  ts_auto_free bool *seen = ts_calloc(yard->row_count + 1, sizeof *seen);
  for (size_t t = 0; t < history->count; t++) { /* the model was made before the last run */
    if (history->kinds[t] == TS_TRIAL_WORKFLOW) seen[history->rows[t]] = true;
  }
  size_t top = ts_larger_size(1, (size_t)floor(TOP_SHARE * (double)yard->pool));
  ts_yardstick_recall(yard, scores, TUNE_RECALLS, out->recall);
  out->mdape[0] = median_error(yard, scores, yard->pool, NULL);
  out->mdape[1] = median_error(yard, scores, yard->pool, seen);
  out->mdape[2] = median_error(yard, scores, top, NULL);
  out->mdape[3] = median_error(yard, scores, top, seen);
}

/* Sums of the objective over all runs; what a failed run cost is not in the table and counts nothing. */
static void measure_cost(const struct ts_tune_history *history, struct replayed *out) {
  for (size_t t = 0; t < history->count; t++) {
    size_t component = history->components[t];
    bool is_component = component != TS_NONE;
    double output = fabs(history->outputs[t]);
    out->failed_runs += history->failed[t];
    out->workflow_runs += !is_component;
    out->component_runs += is_component;
    if (history->failed[t]) continue;
    if (is_component) {
      out->component_cost += output;
    } else {
      out->workflow_cost += output;
    }
  }
}

/* How often the tuned workflow must run until what it saves has paid for the tuning. */
static double least_uses(const struct yardstick *yard, const struct ts_tune_history *history, size_t recommended,
                         double cost) {
  if (isnan(yard->expert) || recommended == TS_NONE) return NAN;
  double output = yard->outputs[history->rows[recommended]];
  double saved = yard->maximise ? output - yard->expert : yard->expert - output;
  return saved > 0 ? cost / saved : INFINITY;
}

void ts_replayed_measure(const struct yardstick *yard, const struct ts_tune *tune, struct replayed *out) {
  const struct ts_tune_history *history = ts_tune_history(tune);
  struct ts_tune_result result;
  ts_tune_result(tune, &result);
  *out = (struct replayed){.charged = result.spent, .confirmed = result.predicted != TS_NONE};
  for (size_t n = 0; n < TUNE_RECALLS; n++) out->recall[n] = NAN;
  for (size_t i = 0; i < 4; i++) out->mdape[i] = NAN;
  out->predicted = ratio_of(yard, result.has_predicted ? result.predicted_row : TS_NONE);
  out->measured = ratio_of_trial(yard, history, result.measured);
  out->recommended = ratio_of_trial(yard, history, result.recommended);
  if (result.has_predicted && result.scores && !isnan(result.scores[0]))
    measure_model(yard, history, result.scores, out);
  measure_cost(history, out);
  out->least_uses = least_uses(yard, history, result.recommended, out->workflow_cost + out->component_cost);
}
