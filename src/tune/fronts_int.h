/* The order of trials for several goals: by front, then by how lonely they are on it.
 * SPDX-License-Identifier: Apache-2.0
 *
 * K. Deb et al., "A fast and elitist multiobjective genetic algorithm: NSGA-II", IEEE Trans. Evol. Comput. 6 (2002),
 * doi:10.1109/4235.996017. */
#ifndef TS_TUNE_FRONTS_INT_H
#define TS_TUNE_FRONTS_INT_H

#include "tune/tuner.h"

/* The trials of the whole workflow that succeeded, the best first; returns how many. `ranked` has room for all of the
 * history. With one goal they are ordered by it. */
size_t ts_fronts_rank(const struct ts_tune_history *history, size_t *ranked);
/* Whether outputs `a` are at least as good as `b` in every goal, and better in one. */
bool ts_dominates(const double *a, const double *b, size_t goals);

#endif
