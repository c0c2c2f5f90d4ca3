/* Fronts of trials that do not dominate each other, and the crowding distance on them.
 * SPDX-License-Identifier: Apache-2.0 */
#include "tune/fronts_int.h"

#include "base/alloc.h"
#include "tune/search_int.h"

#include <math.h>
#include <string.h>

bool ts_dominates(const double *a, const double *b, size_t goals) {
  bool better = false;
  for (size_t g = 0; g < goals; g++) {
    if (a[g] > b[g]) return false;
    better = better || a[g] < b[g];
  }
  return better;
}

struct ranking {
  const struct ts_tune_history *history;
  size_t *front;    /* per trial, 0 is the best */
  double *crowding; /* per trial: how far its neighbours on the front are; infinite at its ends */
};

static double output(const struct ranking *ranking, size_t trial, size_t goal) {
  return ranking->history->outputs[trial * ranking->history->goal_count + goal];
}

static bool is_before(const struct ranking *ranking, size_t a, size_t b) {
  if (ranking->front[a] != ranking->front[b]) return ranking->front[a] < ranking->front[b];
  return ranking->crowding[a] > ranking->crowding[b];
}

static bool is_less(const struct ranking *ranking, size_t a, size_t b, size_t goal) {
  return output(ranking, a, goal) < output(ranking, b, goal);
}

/* Insertion: stable, and populations are small. By rank if `goal` is TS_NONE. */
static void sort(const struct ranking *ranking, size_t *trials, size_t count, size_t goal) {
  for (size_t i = 1; i < count; i++) {
    size_t moving = trials[i], place = i;
    while (place > 0 && (goal == TS_NONE ? is_before(ranking, moving, trials[place - 1])
                                         : is_less(ranking, moving, trials[place - 1], goal))) {
      trials[place] = trials[place - 1];
      place--;
    }
    trials[place] = moving;
  }
}

/* The front of each trial: peels off those that no remaining one dominates. */
static void find_fronts(struct ranking *ranking, const size_t *trials, size_t count) {
  const struct ts_tune_history *history = ranking->history;
  size_t goals = history->goal_count, left = count;
  for (size_t i = 0; i < count; i++) ranking->front[trials[i]] = TS_NONE;
  for (size_t front = 0; left > 0; front++) {
    for (size_t i = 0; i < count; i++) {
      size_t t = trials[i];
      bool dominated = ranking->front[t] != TS_NONE;
      for (size_t j = 0; j < count && !dominated; j++) {
        bool counts = ranking->front[trials[j]] == TS_NONE || ranking->front[trials[j]] == front;
        dominated = counts && ts_dominates(&history->outputs[trials[j] * goals], &history->outputs[t * goals], goals);
      }
      if (dominated) continue;
      ranking->front[t] = front;
      left--;
    }
  }
}

/* Adds the distance between the neighbours of each trial of one front, goal by goal, in widths of the front. */
static void find_crowding(struct ranking *ranking, size_t *trials, size_t count) {
  for (size_t g = 0; g < ranking->history->goal_count; g++) {
    sort(ranking, trials, count, g);
    double width = output(ranking, trials[count - 1], g) - output(ranking, trials[0], g);
    ranking->crowding[trials[0]] = ranking->crowding[trials[count - 1]] = INFINITY;
    for (size_t i = 1; i + 1 < count && width > 0; i++) {
      double gap = output(ranking, trials[i + 1], g) - output(ranking, trials[i - 1], g);
      ranking->crowding[trials[i]] += gap / width;
    }
  }
}

size_t ts_fronts_rank(const struct ts_tune_history *history, size_t *ranked) {
  if (history->goal_count == 1) return ts_search_rank(history, ranked);
  size_t count = 0;
  for (size_t t = 0; t < history->count; t++) {
    if (ts_history_is_measured(history, t)) ranked[count++] = t;
  }
  struct ranking ranking = {.history = history};
  ts_auto_free size_t *front = ranking.front = ts_calloc(history->count + 1, sizeof *front);
  ts_auto_free double *crowding = ranking.crowding = ts_calloc(history->count + 1, sizeof *crowding);
  find_fronts(&ranking, ranked, count);
  sort(&ranking, ranked, count, TS_NONE);
  for (size_t first = 0, last; first < count; first = last) {
    for (last = first; last < count && front[ranked[last]] == front[ranked[first]];) last++;
    find_crowding(&ranking, ranked + first, last - first);
  }
  sort(&ranking, ranked, count, TS_NONE);
  return count;
}
