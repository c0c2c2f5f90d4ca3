/* Parallel rank order: reflects all vertices of a simplex through the best at once, so that trials run side by side.
 * SPDX-License-Identifier: Apache-2.0
 *
 * V. Tabatabaee, A. Tiwari and J. K. Hollingsworth, "Parallel parameter tuning for applications with performance
 * variability", SC 2005, doi:10.1109/SC.2005.52. One step: reflect all; if one of them beats the best, look whether
 * twice as far is better still, and if so expand all; if none does, shrink all towards the best. A simplex that has
 * collapsed starts again. */
#include "base/alloc.h"
#include "tune/simplex_int.h"

/* From the best vertex, in distances of the vertex that moves; negative: on the other side. */
#define REFLECT (-1.0)
#define EXPAND  (-2.0)
#define SHRINK  0.5
#define EDGE    0.3 /* of the range; as in Nelder-Mead; 0.2 and 0.4 made no clear difference here */

enum step { STEP_FIRST, STEP_START, STEP_SIMPLEX, STEP_REFLECTED, STEP_CHECKED, STEP_EXPANDED };

struct state {
  struct ts_simplex simplex;
  enum step step;
  struct ts_vertex *reflected, *expanded; /* one per vertex; borrowed from the simplex */
  size_t leader;                          /* the vertex with the best reflection */
};

static void *begin(const struct ts_tune_problem *problem, const struct ts_tune_options *options, struct ts_error *err) {
  (void)err;
  (void)options;
  struct state *state = ts_calloc(1, sizeof *state);
  size_t count = problem->space->count + 1;
  ts_simplex_init(&state->simplex, problem, count, 2 * count);
  state->reflected = state->simplex.vertices + count;
  state->expanded = state->reflected + count;
  return state;
}

static void destroy(void *opaque) {
  struct state *state = opaque;
  if (!state) return;
  ts_simplex_release(&state->simplex);
  free(state);
}

static enum ts_asked begin_search(struct state *state) {
  state->step = STEP_START;
  return ts_simplex_first(&state->simplex);
}

static enum ts_asked start(struct state *state) {
  state->step = STEP_SIMPLEX;
  return ts_simplex_start(&state->simplex, EDGE);
}

/* Asks for all vertices but the best, moved; `but` was asked for before. */
static enum ts_asked move_all(struct state *state, struct ts_vertex *moved, double share, size_t but) {
  struct ts_simplex *simplex = &state->simplex;
  enum ts_asked asked = TS_ASKED_KNOWN;
  for (size_t v = 1; v < simplex->count && asked != TS_ASKED_END; v++) {
    if (v == but) continue;
    ts_simplex_place(simplex, &moved[v], simplex->vertices[0].unit, share, simplex->vertices[v].unit);
    asked = ts_simplex_ask(simplex, &moved[v]);
  }
  return asked;
}

static void accept(struct state *state, struct ts_vertex *moved) {
  for (size_t v = 1; v < state->simplex.count; v++) ts_vertex_swap(&state->simplex.vertices[v], &moved[v]);
  state->step = STEP_SIMPLEX;
}

static enum ts_asked reflect(struct state *state) {
  ts_simplex_sort(&state->simplex);
  if (ts_simplex_is_exhausted(&state->simplex)) return start(state);
  state->step = STEP_REFLECTED;
  return move_all(state, state->reflected, REFLECT, 0);
}

/* Looks at the expansion of the best reflection, or shrinks if none is better than the best vertex. */
static enum ts_asked check(struct state *state) {
  struct ts_simplex *simplex = &state->simplex;
  size_t leader = 1;
  for (size_t v = 2; v < simplex->count; v++) {
    if (ts_simplex_score(simplex, &state->reflected[v]) < ts_simplex_score(simplex, &state->reflected[leader]))
      leader = v;
  }
  state->leader = leader;
  if (ts_simplex_score(simplex, &state->reflected[leader]) < ts_simplex_score(simplex, &simplex->vertices[0])) {
    state->step = STEP_CHECKED;
    ts_simplex_place(simplex, &state->expanded[leader], simplex->vertices[0].unit, EXPAND,
                     simplex->vertices[leader].unit);
    return ts_simplex_ask(simplex, &state->expanded[leader]);
  }
  state->step = STEP_SIMPLEX;
  return move_all(state, simplex->vertices, SHRINK, 0);
}

static enum ts_asked expand(struct state *state) {
  const struct ts_simplex *simplex = &state->simplex;
  size_t leader = state->leader;
  if (ts_simplex_score(simplex, &state->expanded[leader]) < ts_simplex_score(simplex, &state->reflected[leader])) {
    state->step = STEP_EXPANDED;
    return move_all(state, state->expanded, EXPAND, leader);
  }
  accept(state, state->reflected);
  return TS_ASKED_KNOWN;
}

static enum ts_asked advance(struct state *state) {
  switch (state->step) {
  case STEP_FIRST: return begin_search(state);
  case STEP_START: return start(state);
  case STEP_SIMPLEX: return reflect(state);
  case STEP_REFLECTED: return check(state);
  case STEP_CHECKED: return expand(state);
  case STEP_EXPANDED: accept(state, state->expanded); return TS_ASKED_KNOWN;
  }
  return TS_ASKED_END;
}

static bool next(void *opaque, const struct ts_tune_history *history, struct ts_tune_batch *batch, const char **reason,
                 struct ts_error *err) {
  (void)err;
  struct state *state = opaque;
  state->simplex.history = history;
  state->simplex.batch = batch;
  *reason = "the budget is spent, or nothing is left to try";
  while (advance(state) != TS_ASKED_END && ts_batch_count(batch) == 0) continue;
  return true;
}

const struct ts_tuner ts_tuner_pro = {
    .name = "pro",
    .title = "Parallel rank order",
    .help = "Moves a whole simplex at once; for trials that can run side by side.",
    .flags = TS_TUNER_ONE_GOAL, /* with weighted goals 5 of 20 seeds beat random search on ZDT1 (100 runs) */
    .begin = begin,
    .next = next,
    .destroy = destroy,
};
