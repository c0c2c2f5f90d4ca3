/* Candidates near good trials: what a drawn pool is too coarse for.
 * SPDX-License-Identifier: Apache-2.0
 *
 * A candidate keeps some parameters of a trial and changes the others: all of them, some at random, or those from one
 * column on (or up to one). Parameters are in the order of the stages that read them, so that the last kind shares the
 * early stages of a trial that was run, which is what makes trials nearly free after reuse. */
#include "base/alloc.h"
#include "base/order.h"
#include "design/points.h"
#include "tune/auto_int.h"

#include <math.h>
#include <string.h>

#define NEAR    1000 /* candidates per batch */
#define SHARING 500  /* where costs are known: near any trial, for what it shares with that */
/* Where costs are known: the early part of one trial and the late part of another. With them 0.53 of the seconds
 * without costs, 0.57 without them (eight functions, COST_POWER); 1200 were no better than 600. */
#define JOINED  600
#define CLOSER  200 /* per call */
#define ANCHORS 5   /* best trials whose neighbourhood counts */

static double normal(struct ts_random *random) {
  double radius = sqrt(-2 * log(1 - ts_random_unit(random)));
  return radius * cos(2 * M_PI * ts_random_unit(random));
}

static double draw_reach(struct ts_auto *state) {
  static const double reaches[] = {0.3, 0.1, 0.03, 0.01}; /* of the unit range */
  return reaches[ts_random_below(&state->random, sizeof reaches / sizeof reaches[0])];
}

/* Which columns change. */
static void draw_changes(struct ts_auto *state, bool *changes, size_t width) {
  size_t kind = (size_t)ts_random_below(&state->random, 4), cut = (size_t)ts_random_below(&state->random, width);
  for (size_t c = 0; c < width; c++) {
    bool drawn = ts_random_below(&state->random, 3) == 0;
    changes[c] = kind == 0 || (kind == 1 && drawn) || (kind == 2 && c >= cut) || (kind == 3 && c <= cut);
  }
  changes[cut] = true;
}

static double moved(struct ts_auto *state, const struct ts_parameter *parameter, double unit, double reach) {
  size_t values = ts_space_value_count(parameter);
  bool is_category = parameter->type == TS_VALUE_STRING || parameter->type == TS_VALUE_BOOLEAN;
  if (is_category || values == 2) return ts_random_unit(&state->random);
  double step = values == SIZE_MAX ? reach : fmax(reach, 0.8 / (double)values); /* to the next level at least */
  double to = unit + step * normal(&state->random);
  if (to < 0) to = -to;
  if (to > 1) to = 2 - to;
  return fmin(fmax(to, 0), 1);
}

/* Whether a trial has these numbers: its repetition would be refused, and would look free of cost. */
static bool was_tried(const struct ts_tune_history *history, const double *numbers) {
  size_t width = history->column_count;
  for (size_t t = 0; t < history->count; t++) {
    const double *other = &history->numbers[t * width];
    size_t c = 0;
    while (c < width && numbers[c] == other[c]) c++;
    if (c == width && history->kinds[t] != TS_TRIAL_COMPONENT) return true;
  }
  return false;
}

/* Appends the candidate at unit coordinates unless a constraint forbids it or it was tried. */
static void append(struct ts_auto *state, const struct ts_tune_history *history, const double *unit) {
  const struct ts_space *space = state->problem->space;
  size_t width = space->count, rows = state->problem->pool.count;
  if (state->candidate_count == state->candidate_capacity || !ts_space_allows(space, unit)) return;
  ts_auto_free double *numbers = ts_calloc(width, sizeof *numbers);
  double *own = &state->near_units[(state->candidate_count - rows) * width];
  for (size_t c = 0; c < width; c++) {
    struct ts_value value = ts_space_value(space->parameters[c], unit[c], NULL);
    numbers[c] = ts_space_number(space->parameters[c], &value);
    double middle =
        ts_space_value_count(space->parameters[c]) == SIZE_MAX ? NAN : ts_space_unit(space->parameters[c], &value);
    own[c] = isnan(middle) ? unit[c] : middle;
  }
  if (was_tried(history, numbers)) return;
  state->is_tried[state->candidate_count] = false;
  ts_auto_coordinates(state, numbers, own, TS_NONE, &state->candidates[state->candidate_count++ * state->column_count]);
}

static void draw_from(struct ts_auto *state, const struct ts_tune_history *history, const double *anchor,
                      double reach) {
  const struct ts_space *space = state->problem->space;
  ts_auto_free double *unit = ts_memdup(anchor, space->count * sizeof *unit);
  ts_auto_free bool *changes = ts_calloc(space->count, sizeof *changes);
  draw_changes(state, changes, space->count);
  for (size_t c = 0; c < space->count; c++) {
    if (changes[c]) unit[c] = moved(state, space->parameters[c], anchor[c], reach);
  }
  append(state, history, unit);
}

/* The trials with the least scores, best first. */
static size_t find_anchors(const struct ts_tune_history *history, size_t anchors[ANCHORS]) {
  size_t count = 0;
  for (size_t t = 0; t < history->count; t++) {
    if (!ts_trials_is_measured(history, t)) continue;
    size_t at = count < ANCHORS ? count++ : ANCHORS;
    if (at == ANCHORS) {
      if (history->scores[t] >= history->scores[anchors[ANCHORS - 1]]) continue;
      at = ANCHORS - 1;
    }
    for (; at > 0 && history->scores[anchors[at - 1]] > history->scores[t]; at--) anchors[at] = anchors[at - 1];
    anchors[at] = t;
  }
  return count;
}

/* Keeps the parameters of one trial before a column; the others are those of another trial, or random (NULL). */
static void draw_joined(struct ts_auto *state, const struct ts_tune_history *history, const double *first,
                        const double *then) {
  size_t width = history->column_count, cut = 1 + (size_t)ts_random_below(&state->random, width - 1);
  ts_auto_free double *unit = ts_memdup(first, width * sizeof *unit);
  for (size_t c = cut; c < width; c++) unit[c] = then ? then[c] : ts_random_unit(&state->random);
  append(state, history, unit);
}

static const double *draw_trial(struct ts_auto *state, const struct ts_tune_history *history) {
  size_t trial = (size_t)ts_random_below(&state->random, history->count);
  return history->kinds[trial] == TS_TRIAL_COMPONENT ? NULL : &history->unit[trial * history->column_count];
}

/* Candidates that share the early parameters of a trial, which is what reuse makes cheap: near any trial, and any early
 * or good part of a trial joined to a later part of another, or to a random one. */
static void draw_sharing(struct ts_auto *state, const struct ts_tune_history *history, const size_t *anchors,
                         size_t count) {
  size_t width = history->column_count;
  for (size_t i = 0; i < JOINED && count > 0 && width > 1; i++) {
    const double *first = i % 2 ? &history->unit[anchors[i / 2 % count] * width] : draw_trial(state, history);
    const double *then = i % 8 > 4   ? NULL
                         : i % 4 < 2 ? &history->unit[anchors[ts_random_below(&state->random, count)] * width]
                                     : draw_trial(state, history);
    if (first && first != then) draw_joined(state, history, first, then);
  }
  for (size_t i = 0; i < SHARING; i++) {
    const double *trial = draw_trial(state, history);
    if (trial) draw_from(state, history, trial, draw_reach(state));
  }
}

void ts_auto_draw_near(struct ts_auto *state, const struct ts_tune_history *history) {
  size_t anchors[ANCHORS], width = history->column_count;
  state->candidate_count = state->problem->pool.count;
  state->screened = ts_smaller_size(state->screened, state->candidate_count);
  if (!state->problem->pool_is_drawn) return;
  size_t count = find_anchors(history, anchors);
  for (size_t i = 0; count > 0 && i < NEAR; i++)
    draw_from(state, history, &history->unit[anchors[i % count] * width], draw_reach(state));
  if (state->problem->cost) draw_sharing(state, history, anchors, count);
}

void ts_auto_draw_closer(struct ts_auto *state, const struct ts_tune_history *history, size_t candidate, double reach) {
  if (!state->problem->pool_is_drawn) return;
  size_t width = state->problem->space->count;
  ts_auto_free double *anchor = ts_memdup(ts_auto_unit(state, candidate), width * sizeof *anchor);
  for (size_t i = 0; i < CLOSER; i++) draw_from(state, history, anchor, reach);
}
