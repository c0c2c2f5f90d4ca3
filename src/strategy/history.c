/* The arrays of a history grow round by round.
 * SPDX-License-Identifier: Apache-2.0 */
#include "strategy/history.h"

#include "base/alloc.h"

#include <math.h>
#include <string.h>

void ts_history_init(struct ts_history *history, size_t column_count, size_t series_count) {
  *history = (struct ts_history){.column_count = column_count, .series_count = series_count};
}

size_t ts_history_add(struct ts_history *history, const struct ts_value *points, size_t count) {
  const size_t first = history->count, rows = first + count, columns = history->column_count,
               series = history->series_count;
  history->points = ts_realloc_array(history->points, rows * columns + 1, sizeof *history->points);
  history->outputs = ts_realloc_array(history->outputs, rows * series + 1, sizeof *history->outputs);
  history->seconds = ts_realloc_array(history->seconds, rows + 1, sizeof *history->seconds);
  history->failed = ts_realloc_array(history->failed, rows + 1, sizeof *history->failed);
  memcpy(history->points + first * columns, points, count * columns * sizeof *points);
  for (size_t i = first * series; i < rows * series; i++) history->outputs[i] = NAN;
  for (size_t i = first; i < rows; i++) {
    history->seconds[i] = NAN;
    history->failed[i] = false;
  }
  history->count = rows;
  history->rounds = ts_grow(history->rounds, history->round_count, &history->round_capacity, sizeof *history->rounds);
  history->rounds[history->round_count] = (struct ts_history_round){first, count};
  return history->round_count++;
}

void ts_history_release(struct ts_history *history) {
  free(history->points);
  free(history->outputs);
  free(history->seconds);
  free(history->failed);
  free(history->rounds);
  *history = (struct ts_history){0};
}

double ts_history_output(const struct ts_history *history, size_t set, size_t series) {
  return history->failed[set] ? NAN : history->outputs[set * history->series_count + series];
}
