/* The elementary effects behind the Morris indices.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_ANALYSIS_MORRIS_INT_H
#define TS_ANALYSIS_MORRIS_INT_H

#include "analysis/analysis.h"

/* The elementary effects, block by block: values[block * count + i], NaN where a run failed. */
struct ts_effects {
  size_t blocks;          /* trajectories */
  size_t count;           /* parameters, or groups */
  double *values;         /* owned */
  bool *unsigned_effects; /* owned; per parameter or group: moved together, so that only sizes are known */
};
/* BAD_VALUE if the rows are not blocks of steps: which row, and why. */
bool ts_morris_effects(const struct ts_morris_input *input, struct ts_effects *effects, struct ts_error *err);
void ts_morris_effects_release(struct ts_effects *effects);
/* How many parameters or groups there are, and rows per block. */
size_t ts_morris_name_count(const struct ts_morris_input *input);
/* Whether the rows of the first block step away from its first row, not from the row before. */
bool ts_morris_looks_radial(const struct ts_morris_input *input);

#endif
