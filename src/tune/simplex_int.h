/* A simplex of trials in unit coordinates: what Nelder-Mead and PRO move.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Coordinates mirror at the ends of the range. Values between two integers or levels are kept, and points that were
 * measured already cost nothing. A point against a constraint counts as infinitely bad. */
#ifndef TS_TUNE_SIMPLEX_INT_H
#define TS_TUNE_SIMPLEX_INT_H

#include "base/random.h"
#include "tune/search_int.h"
#include "tune/tuner.h"

struct ts_vertex {
  double *unit; /* owned by the simplex */
  size_t trial; /* TS_NONE: refused */
};

struct ts_simplex {
  const struct ts_tune_problem *problem; /* borrowed */
  /* Of the call of `next` that is going on; borrowed. */
  const struct ts_tune_history *history;
  struct ts_tune_batch *batch;
  struct ts_random random;
  size_t columns;
  size_t count;               /* of the vertices that make it up; the best is the first once sorted */
  struct ts_vertex *vertices; /* owned; those, and then others for the tuner's own use */
  double *memory;             /* owned; coordinates of all of them */
  size_t restarts;
  size_t idle; /* points that were asked for since the last new trial */
};
void ts_simplex_init(struct ts_simplex *simplex, const struct ts_tune_problem *problem, size_t count, size_t others);
void ts_simplex_release(struct ts_simplex *simplex);
double ts_simplex_score(const struct ts_simplex *simplex, const struct ts_vertex *vertex);
enum ts_asked ts_simplex_ask(struct ts_simplex *simplex, struct ts_vertex *vertex);
/* Coordinates at from + share (to - from). */
void ts_simplex_place(const struct ts_simplex *simplex, struct ts_vertex *vertex, const double *from, double share,
                      const double *to);
/* Asks for points spread over the space, to find a good place to begin. */
enum ts_asked ts_simplex_first(struct ts_simplex *simplex);
/* Asks for a new simplex: at a random point if nothing was measured, then around the best and at random by turns.
 * Vertices move one parameter each by `edge` of its range, a second round of them to the other side. */
enum ts_asked ts_simplex_start(struct ts_simplex *simplex, double edge);
/* Vertices by score, the best first; those with an earlier place first among equals. */
void ts_simplex_sort(struct ts_simplex *simplex);
/* Whether nothing new can come of it: no width, or only points that were measured before for a long time. */
bool ts_simplex_is_exhausted(const struct ts_simplex *simplex);
void ts_vertex_swap(struct ts_vertex *a, struct ts_vertex *b);

#endif
