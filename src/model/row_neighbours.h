/* How many rows of a design differ from another one in a single parameter: so do those of Saltelli and Morris designs.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Every row has a neighbourhood per parameter (or group): itself without the values of that one. Rows that differ in it
 * alone share the neighbourhood. Of the neighbourhoods a fixed number is kept, chosen by their hash, so that either all
 * or none of the rows of one are counted and memory does not grow with the rows. */
#ifndef TS_MODEL_ROW_NEIGHBOURS_H
#define TS_MODEL_ROW_NEIGHBOURS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct row_neighbours {
  uint64_t *hashes; /* owned; of the neighbourhoods that are kept */
  uint64_t *parts;  /* owned; per group, for the row at hand */
  size_t count;
  uint64_t mask; /* kept are hashes without these bits */
};

void ts_row_neighbours_release(struct row_neighbours *neighbours);
/* `group_of` may be NULL: every column is a group of its own. */
void ts_row_neighbours_add(struct row_neighbours *neighbours, const double *row, size_t column_count,
                           const size_t *group_of, size_t group_count);
/* The share of neighbourhoods that another row has too. Of n base samples with g groups 2 / (g + 2), of trajectories
 * 2 / (g + 1), of independent rows 0 (as far as they do not meet on coarse grids). Sorts the kept hashes. */
double ts_row_neighbours_share(struct row_neighbours *neighbours);

#endif
