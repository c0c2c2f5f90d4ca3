/* The columns of scores, which those of a tile and those of a file share, and the row of them.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_OPS_OBJECTS_SCORES_H
#define TS_OPS_OBJECTS_SCORES_H

#include "kernels/compare.h"
#include "tessera_op.h"

enum { TS_SCORES_COLUMNS = 19, TS_SCORES_RATIOS = 9, TS_SCORES_COUNTS = 1, TS_SCORES_OBJECTS = 11 };
extern const struct ts_op_column *const ts_scores_columns[TS_SCORES_COLUMNS];
extern const struct ts_op_column *const ts_scores_counts[TS_SCORES_COUNTS];
extern const struct ts_op_column *const ts_scores_objects[TS_SCORES_OBJECTS];
extern const struct ts_op_ratio *const ts_scores_ratios[TS_SCORES_RATIOS];

/* What descriptors say of a port "table". */
#define TS_SCORES_DESCRIPTION                                                                                          \
  .columns = ts_scores_columns, .column_count = TS_SCORES_COLUMNS, .ratios = ts_scores_ratios,                         \
  .ratio_count = TS_SCORES_RATIOS, .counts = ts_scores_counts, .counts_count = TS_SCORES_COUNTS

/* Makes the output; the result of the operation. */
int ts_scores_write(struct ts_op_call *call, size_t port, const struct ts_tally *tally);

#endif
