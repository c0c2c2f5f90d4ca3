/* Pieces that the direct searches and TPE share: asking for a point, first points, scores that can be compared.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_TUNE_SEARCH_INT_H
#define TS_TUNE_SEARCH_INT_H

#include "base/random.h"
#include "tune/tuner.h"

#include <stdbool.h>
#include <stddef.h>

enum ts_asked {
  TS_ASKED_NEW,     /* in the batch; the outcome comes with it */
  TS_ASKED_KNOWN,   /* the outcome is in the history */
  TS_ASKED_REFUSED, /* against a constraint, or too expensive: as bad as a failure, and free of charge */
  TS_ASKED_END      /* the budget is spent, or nothing is left: what is asked for next would not be run either */
};
/* Asks for a point. `unit` becomes the point that is run if the pool allows no other; values between two levels stay,
 * so that a simplex of integers does not collapse to a line. *trial is TS_NONE if the point is refused. */
enum ts_asked ts_search_ask(const struct ts_tune_problem *problem, const struct ts_tune_history *history,
                            struct ts_tune_batch *batch, double *unit, size_t *trial);
/* Asks for random points until one is new; TS_ASKED_END if none of many is. */
enum ts_asked ts_search_ask_random(const struct ts_tune_problem *problem, const struct ts_tune_history *history,
                                   struct ts_tune_batch *batch, struct ts_random *random, double *unit, size_t *trial);
/* The score of a trial; infinity if it failed, or for TS_NONE. */
double ts_search_score(const struct ts_tune_history *history, size_t trial);
/* Whether the values of a parameter have no order: words and truth values. */
bool ts_search_is_unordered(const struct ts_parameter *parameter);
/* Latin hypercube of first points, row by row, owned by the caller. */
double *ts_search_first_points(const struct ts_tune_problem *problem, size_t count);
/* Into the unit interval, mirrored at its ends: steps beyond an end do not pile up at it. */
double ts_search_mirror(double unit);
/* Trials by score, the best first, earlier ones first among equals; failures are left out. Returns how many; `order`
 * has room for all of the history. */
size_t ts_search_rank(const struct ts_tune_history *history, size_t *order);

#endif
