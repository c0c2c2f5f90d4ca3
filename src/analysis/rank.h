/* Ranks in a table of indices, and how much more it would take to settle them; for every method.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_ANALYSIS_RANK_H
#define TS_ANALYSIS_RANK_H

#include "analysis/method.h"

/* Order of the names by a column (NULL: the method's own), largest first (stable by index, NaN last); unsettled[i] is
 * set when the intervals of ranks i and i+1 overlap or are not known, unless both are zero with intervals of no width.
 * order and unsettled hold name_count entries; the last of unsettled is false. An unknown column is a bug. */
void ts_rank(const struct ts_indices *indices, const char *column, size_t *order, bool *unsettled);
/* Neighbouring ranks that the runs cannot distinguish. */
struct ts_open_rank {
  size_t rank; /* of `a`, from 0 */
  size_t a, b; /* names */
  /* Further blocks (effects, base samples, runs: what `usable` counts) that would separate them; 0: not known, or so
   * many that the number is not useful advice. */
  size_t more;
};
/* Those of the method's own column, in the order of ranks; `open` has room for name_count. */
size_t ts_rank_open(const struct ts_indices *indices, struct ts_open_rank *open);

#endif
