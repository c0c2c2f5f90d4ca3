/* The model of `auto`: which trials it sees, what it makes of their scores, and how often it learns.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/alloc.h"
#include "base/order.h"
#include "tune/auto_int.h"

#include <math.h>
#include <string.h>

/* Rows whose marginal likelihood is evaluated, and rows that predict: 100 and 400 keep a batch below 50 ms at 200
 * measured runs and 20,000 candidates, and bound it for long histories. */
#define LEARNING_ROWS 100
#define MODEL_ROWS    400
#define FIRST_STEPS   20 /* of learning; later batches go on from there */
#define STEPS         10

static double warped(const struct warp *warp, double score) {
  if (warp->kind == WARP_LOGARITHM) return log(score);
  if (warp->kind == WARP_NEGATED_LOGARITHM) return -log(-score);
  return log(score + warp->shift);
}

double ts_auto_score_of_target(const struct ts_auto *state, double target) {
  const struct warp *warp = &state->warp;
  double plain = target * warp->spread + warp->centre;
  if (warp->kind == WARP_NEGATED_LOGARITHM) return -exp(-plain);
  return exp(plain) - (warp->kind == WARP_SHIFTED_LOGARITHM ? warp->shift : 0);
}

/* Relative differences count: what is far from the best may be rough. Scores on both sides of 0 are shifted so that the
 * median lies a factor of 2 above the best. */
static void choose_warp(struct warp *warp, const double *sorted, size_t count) {
  double low = sorted[0], high = sorted[count - 1], middle = sorted[count / 2];
  if (low > 0) {
    warp->kind = WARP_LOGARITHM;
  } else if (high < 0) {
    warp->kind = WARP_NEGATED_LOGARITHM;
  } else {
    warp->kind = WARP_SHIFTED_LOGARITHM;
    double gap = middle > low ? middle - low : high > low ? high - low : 1;
    warp->shift = gap - low;
  }
}

static void make_targets(struct ts_auto *state) {
  struct warp *warp = &state->warp;
  size_t count = state->count;
  ts_auto_free double *sorted = ts_memdup(state->targets, count * sizeof *sorted);
  qsort(sorted, count, sizeof *sorted, ts_compare_doubles);
  choose_warp(warp, sorted, count);
  double sum = 0, squares = 0;
  for (size_t i = 0; i < count; i++) sum += state->targets[i] = warped(warp, state->targets[i]);
  warp->centre = sum / (double)count;
  for (size_t i = 0; i < count; i++) squares += pow(state->targets[i] - warp->centre, 2);
  warp->spread = squares > 0 ? sqrt(squares / (double)count) : 1;
  state->best = INFINITY;
  for (size_t i = 0; i < count; i++) {
    state->targets[i] = (state->targets[i] - warp->centre) / warp->spread;
    state->best = fmin(state->best, state->targets[i]);
  }
}

struct ranked {
  double score;
  size_t index;
};

static int compare_ranked(const void *a, const void *b) {
  const struct ranked *x = a, *y = b;
  if (x->score != y->score) return x->score < y->score ? -1 : 1;
  return (x->index > y->index) - (x->index < y->index);
}

/* `wanted` of the items, in their order: the better half of the selection are the best, the rest is spread evenly over
 * the others' ranks. Returns how many. */
static size_t select_items(struct ranked *items, size_t count, size_t wanted, size_t *selected) {
  qsort(items, count, sizeof *items, compare_ranked);
  size_t kept = 0, half = wanted / 2;
  for (size_t i = 0; i < count; i++) {
    bool in_turn = count <= wanted || i < half;
    if (!in_turn) { /* rest - 1 gaps between half and count - 1 */
      size_t rest = wanted - half, from = i - half, of = count - half;
      in_turn = from * rest / of != (from + 1) * rest / of;
    }
    if (in_turn) selected[kept++] = items[i].index;
  }
  return kept;
}

/* Rows of the pool that repeat a trial from outside of it: the driver would refuse them, and after reuse they would
 * look free of cost. */
static void mark_repeated(struct ts_auto *state, const struct ts_tune_history *history) {
  const struct ts_tune_points *pool = &state->problem->pool;
  size_t width = history->column_count;
  for (; state->marked < history->count; state->marked++) {
    size_t t = state->marked;
    if (history->rows[t] != TS_NONE || history->kinds[t] == TS_TRIAL_COMPONENT) continue;
    for (size_t r = 0; r < pool->count; r++) {
      const double *a = &pool->numbers[r * width], *b = &history->numbers[t * width];
      size_t c = 0;
      while (c < width && a[c] == b[c]) c++;
      if (c == width) state->is_tried[r] = true;
    }
  }
}

static void take_trials(struct ts_auto *state, const struct ts_tune_history *history) {
  size_t columns = state->column_count, width = history->column_count, count = 0;
  ts_auto_free struct ranked *items = ts_calloc(history->count + 1, sizeof *items);
  ts_auto_free size_t *selected = ts_calloc(history->count + 1, sizeof *selected);
  state->points = ts_realloc_array(state->points, (history->count + 1) * columns, sizeof *state->points);
  state->targets = ts_realloc_array(state->targets, history->count + 1, sizeof *state->targets);
  state->failures = ts_realloc_array(state->failures, (history->count + 1) * columns, sizeof *state->failures);
  state->failure_count = 0;
  for (size_t t = 0; t < history->count; t++) {
    if (history->kinds[t] == TS_TRIAL_COMPONENT) continue;
    size_t row = history->rows[t];
    if (row != TS_NONE) state->is_tried[row] = true;
    if (ts_trials_is_measured(history, t)) {
      items[count++] = (struct ranked){history->scores[t], t};
    } else {
      ts_auto_coordinates(state, &history->numbers[t * width], &history->unit[t * width], row,
                          &state->failures[state->failure_count++ * columns]);
    }
  }
  state->count = select_items(items, count, MODEL_ROWS, selected);
  for (size_t i = 0; i < state->count; i++) {
    size_t t = selected[i];
    ts_auto_coordinates(state, &history->numbers[t * width], &history->unit[t * width], history->rows[t],
                        &state->points[i * columns]);
    state->targets[i] = history->scores[t];
  }
}

static void learn(struct ts_auto *state) {
  size_t columns = state->column_count;
  ts_auto_free struct ranked *items = ts_calloc(state->count, sizeof *items);
  ts_auto_free size_t *selected = ts_calloc(state->count, sizeof *selected);
  ts_auto_free double *points = ts_calloc(state->count * columns, sizeof *points);
  ts_auto_free double *targets = ts_calloc(state->count, sizeof *targets);
  for (size_t i = 0; i < state->count; i++) items[i] = (struct ranked){state->targets[i], i};
  size_t count = select_items(items, state->count, LEARNING_ROWS, selected);
  for (size_t i = 0; i < count; i++) {
    memcpy(&points[i * columns], &state->points[selected[i] * columns], columns * sizeof *points);
    targets[i] = state->targets[selected[i]];
  }
  ts_gp_learn(&state->gp, points, targets, count, state->has_learned ? STEPS : FIRST_STEPS);
  state->has_learned = true;
}

bool ts_auto_fit(struct ts_auto *state, const struct ts_tune_history *history) {
  state->screened = 0;
  mark_repeated(state, history);
  take_trials(state, history);
  if (state->count == 0) return false;
  make_targets(state);
  learn(state);
  ts_auto_fit_chance(state);
  return ts_gp_condition(&state->gp, state->points, state->targets, state->count);
}

bool ts_auto_believe(struct ts_auto *state, size_t candidate) {
  size_t columns = state->column_count;
  const double *point = &state->candidates[candidate * columns];
  double mean, variance;
  ts_gp_predict(&state->gp, point, &mean, &variance);
  state->points = ts_realloc_array(state->points, (state->count + 1) * columns, sizeof *state->points);
  state->targets = ts_realloc_array(state->targets, state->count + 1, sizeof *state->targets);
  memcpy(&state->points[state->count * columns], point, columns * sizeof *point);
  state->targets[state->count++] = mean;
  state->screened = 0;
  return ts_gp_condition(&state->gp, state->points, state->targets, state->count);
}
