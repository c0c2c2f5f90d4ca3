/* Choice of the trajectories that are farthest from each other (Campolongo, Ruano).
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_DESIGN_OPTIMAL_INT_H
#define TS_DESIGN_OPTIMAL_INT_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Trajectories on a grid of equal places, trajectory after trajectory, row by row. */
struct ts_candidates {
  size_t count;
  size_t rows;            /* of one trajectory */
  size_t columns;         /* parameters */
  size_t levels;          /* p; coordinate = place / (p - 1) */
  const uint16_t *places; /* borrowed */
};

#define TS_MAX_CANDIDATES ((size_t)4096) /* the distances take 8 bytes per pair */

/* Squared distances between trajectories, count x count, owned by the caller. The distance is the sum of the Euclidean
 * distances of all pairs of points, 0 for equal trajectories. */
double *ts_optimal_distances(const struct ts_candidates *candidates);
/* sqrt of the sum of the squared distances of all pairs among the chosen. */
double ts_optimal_score(const double *squares, size_t count, const size_t *chosen, size_t choose);
/* How many sets there are to choose from; infinite if more than a double can count. */
double ts_optimal_set_count(size_t count, size_t choose);
/* The best set of all; the first in lexical order among equals. */
void ts_optimal_brute_force(const double *squares, size_t count, size_t choose, size_t *chosen);
/* M. V. Ruano et al., 2012, doi:10.1016/j.envsoft.2012.03.008: sets grown from the farthest neighbours of every
 * trajectory; the best of them is then improved by exchanging single trajectories until no exchange helps. */
void ts_optimal_local(const double *squares, size_t count, size_t choose, size_t *chosen);

#endif
