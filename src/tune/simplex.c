/* A simplex of trials: its first vertices, their order, and when it is exhausted.
 * SPDX-License-Identifier: Apache-2.0 */
#include "tune/simplex_int.h"

#include "base/alloc.h"
#include "base/order.h"

#include <math.h>
#include <string.h>

#define COLLAPSED 1e-7 /* of the range: the simplex has no width */
/* First points per parameter. Median regret of 80 seeds with 200 runs on Ackley's function, Nelder-Mead and PRO: 3 and
 * 9 without them, 0.01 and 2.7 with 2, 0.03 and 2.5 with 4; on the sphere 2 is the best as well. */
#define FIRST       2
#define FIRST_SHARE 4  /* of the budget at most: 1 / 4 */
#define IDLE        10 /* points per vertex without a new trial, then it starts again */

void ts_simplex_init(struct ts_simplex *simplex, const struct ts_tune_problem *problem, size_t count, size_t others) {
  size_t columns = problem->space->count, all = count + others;
  *simplex = (struct ts_simplex){.problem = problem, .columns = columns, .count = count};
  ts_random_init(&simplex->random, problem->seed, TS_STREAM_OWN);
  simplex->memory = ts_calloc(all * columns, sizeof *simplex->memory);
  simplex->vertices = ts_calloc(all, sizeof *simplex->vertices);
  for (size_t v = 0; v < all; v++) simplex->vertices[v].unit = simplex->memory + v * columns;
}

void ts_simplex_release(struct ts_simplex *simplex) {
  free(simplex->memory);
  free(simplex->vertices);
}

double ts_simplex_score(const struct ts_simplex *simplex, const struct ts_vertex *vertex) {
  return ts_search_score(simplex->history, vertex->trial);
}

enum ts_asked ts_simplex_ask(struct ts_simplex *simplex, struct ts_vertex *vertex) {
  size_t before = ts_batch_count(simplex->batch);
  enum ts_asked asked = ts_search_ask(simplex->problem, simplex->history, simplex->batch, vertex->unit, &vertex->trial);
  simplex->idle = ts_batch_count(simplex->batch) > before ? 0 : simplex->idle + 1;
  return asked;
}

void ts_simplex_place(const struct ts_simplex *simplex, struct ts_vertex *vertex, const double *from, double share,
                      const double *to) {
  for (size_t c = 0; c < simplex->columns; c++) {
    vertex->unit[c] = ts_search_mirror(from[c] + share * (to[c] - from[c]));
  }
  vertex->trial = TS_NONE;
}

/* Where vertex v begins: one parameter moved from the centre, by one value at least. */
static void surround(struct ts_simplex *simplex, size_t v, double edge) {
  size_t moved = (v - 1) % simplex->columns;
  const double *centre = simplex->vertices[0].unit;
  double *unit = simplex->vertices[v].unit, from = centre[moved];
  double step = fmax(edge, 1 / (double)ts_space_value_count(simplex->problem->space->parameters[moved]));
  bool up = ts_random_below(&simplex->random, 2) == 1;
  memcpy(unit, centre, simplex->columns * sizeof *unit);
  if (v > simplex->columns)
    up = simplex->vertices[v - simplex->columns].unit[moved] < from;
  else if (from + step > 1)
    up = false;
  else if (from - step < 0)
    up = true;
  unit[moved] = ts_search_mirror(up ? from + step : from - step);
  simplex->vertices[v].trial = TS_NONE;
}

static size_t best_trial(const struct ts_tune_history *history) {
  size_t best = TS_NONE;
  for (size_t t = 0; t < history->count; t++) {
    if (ts_search_score(history, t) < ts_search_score(history, best)) best = t;
  }
  return best;
}

enum ts_asked ts_simplex_first(struct ts_simplex *simplex) {
  size_t count = ts_smaller_size(FIRST * simplex->columns, ts_tune_expected_runs(simplex->problem) / FIRST_SHARE);
  ts_auto_free double *points = ts_search_first_points(simplex->problem, count);
  enum ts_asked asked = TS_ASKED_KNOWN;
  for (size_t i = 0; i < count && asked != TS_ASKED_END; i++) {
    size_t trial;
    asked = ts_search_ask(simplex->problem, simplex->history, simplex->batch, points + i * simplex->columns, &trial);
  }
  return asked;
}

enum ts_asked ts_simplex_start(struct ts_simplex *simplex, double edge) {
  struct ts_vertex *centre = &simplex->vertices[0];
  size_t best = best_trial(simplex->history), columns = simplex->columns;
  simplex->idle = 0;
  if (best != TS_NONE && simplex->restarts++ % 2 == 0) {
    centre->trial = best;
    memcpy(centre->unit, &simplex->history->unit[best * columns], columns * sizeof *centre->unit);
  } else if (ts_search_ask_random(simplex->problem, simplex->history, simplex->batch, &simplex->random, centre->unit,
                                  &centre->trial) == TS_ASKED_END) {
    return TS_ASKED_END;
  }
  enum ts_asked asked = TS_ASKED_KNOWN;
  for (size_t v = 1; v < simplex->count; v++) surround(simplex, v, edge);
  for (size_t v = 1; v < simplex->count && asked != TS_ASKED_END; v++)
    asked = ts_simplex_ask(simplex, &simplex->vertices[v]);
  return asked;
}

void ts_simplex_sort(struct ts_simplex *simplex) {
  struct ts_vertex *vertices = simplex->vertices;
  for (size_t v = 1; v < simplex->count; v++) {
    struct ts_vertex moving = vertices[v];
    double score = ts_simplex_score(simplex, &moving);
    size_t place = v;
    for (; place > 0 && ts_simplex_score(simplex, &vertices[place - 1]) > score; place--) {
      vertices[place] = vertices[place - 1];
    }
    vertices[place] = moving;
  }
}

bool ts_simplex_is_exhausted(const struct ts_simplex *simplex) {
  double width = 0;
  for (size_t v = 1; v < simplex->count; v++) {
    for (size_t c = 0; c < simplex->columns; c++) {
      width = fmax(width, fabs(simplex->vertices[v].unit[c] - simplex->vertices[0].unit[c]));
    }
  }
  return width < COLLAPSED || simplex->idle > IDLE * simplex->count;
}

void ts_vertex_swap(struct ts_vertex *a, struct ts_vertex *b) {
  struct ts_vertex kept = *a;
  *a = *b;
  *b = kept;
}
