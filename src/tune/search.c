/* What the direct searches and TPE share.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/alloc.h"
#include "design/points.h"
#include "tune/search_int.h"

#include <math.h>
#include <string.h>

#define RANDOM_TRIES 1000 /* random points before a space counts as exhausted */

enum ts_asked ts_search_ask(const struct ts_tune_problem *problem, const struct ts_tune_history *history,
                            struct ts_tune_batch *batch, double *unit, size_t *trial) {
  *trial = TS_NONE;
  size_t first = ts_batch_trial(batch, 0), columns = history->column_count;
  enum ts_added added = ts_batch_add_unit(batch, unit, trial);
  if (added == TS_ADD_NOT_ALLOWED) return TS_ASKED_REFUSED;
  if (added == TS_ADD_NO_BUDGET && ts_batch_room(batch) > 0) return TS_ASKED_REFUSED; /* a usual one still fits */
  if (added != TS_ADDED && added != TS_ADDED_BEFORE) return TS_ASKED_END;
  if (problem->pool.count > 0) memcpy(unit, &history->unit[*trial * columns], columns * sizeof *unit);
  return *trial < first ? TS_ASKED_KNOWN : TS_ASKED_NEW;
}

enum ts_asked ts_search_ask_random(const struct ts_tune_problem *problem, const struct ts_tune_history *history,
                                   struct ts_tune_batch *batch, struct ts_random *random, double *unit, size_t *trial) {
  for (size_t tries = 0; tries < RANDOM_TRIES; tries++) {
    size_t count = ts_batch_count(batch);
    for (size_t c = 0; c < history->column_count; c++) unit[c] = ts_random_unit(random);
    enum ts_asked asked = ts_search_ask(problem, history, batch, unit, trial);
    if (asked == TS_ASKED_END || ts_batch_count(batch) > count) return asked;
  }
  return TS_ASKED_END;
}

double ts_search_score(const struct ts_tune_history *history, size_t trial) {
  if (trial == TS_NONE || isnan(history->scores[trial])) return INFINITY;
  return history->scores[trial];
}

bool ts_search_is_unordered(const struct ts_parameter *parameter) {
  return parameter->type == TS_VALUE_STRING || parameter->type == TS_VALUE_BOOLEAN;
}

double *ts_search_first_points(const struct ts_tune_problem *problem, size_t count) {
  size_t columns = problem->space->count;
  double *points = ts_calloc(count * columns + 1, sizeof *points);
  struct ts_sample_options options = {.count = count, .seed = problem->seed};
  struct ts_error err = {0};
  if (!ts_source_fill("lhs", columns, 0, count, &options, points, &err)) TS_BUG("%s", err.text);
  return points;
}

double ts_search_mirror(double unit) {
  double position = fabs(unit) - 2 * floor(fabs(unit) / 2);
  return position > 1 ? 2 - position : position;
}

size_t ts_search_rank(const struct ts_tune_history *history, size_t *order) {
  size_t count = 0;
  for (size_t t = 0; t < history->count; t++) {
    if (!ts_trials_is_measured(history, t) || isnan(history->scores[t])) continue;
    size_t low = 0, high = count++; /* behind all that are as good */
    while (low < high) {
      size_t middle = (low + high) / 2;
      if (history->scores[order[middle]] <= history->scores[t])
        low = middle + 1;
      else
        high = middle;
    }
    memmove(order + low + 1, order + low, (count - 1 - low) * sizeof *order);
    order[low] = t;
  }
  return count;
}
