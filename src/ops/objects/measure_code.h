/* The bytes of measured objects of a tile, behind the head of chain.h.
 * SPDX-License-Identifier: Apache-2.0
 *
 * First the number of finished objects, then of each its runs and its row without the id (doubles); then the number of
 * those that may go on in other tiles, and of each its label, its runs and how often values occur: for every channel,
 * of intensity and then of gradient, how many values occur, and of each the step from the value before it and its
 * count. */
#ifndef TS_OPS_OBJECTS_MEASURE_CODE_H
#define TS_OPS_OBJECTS_MEASURE_CODE_H

#include "kernels/features.h"
#include "ops/objects/chain.h"
#include "ops/objects/measured.h"

#define TS_MEASURE_LETTERS                                                                                             \
  { 'O', 'B', 'M', '1' }
enum { TS_MEASURE_ROW_BYTES = (TS_MEASURED_COLUMNS - 1) * 8 };

void ts_measure_code_counts(struct ts_str *out, const struct ts_feature_counts *counts);
/* Adds to the counts, `pixels` for every histogram; NULL: passes over them. False: damaged. */
bool ts_measure_read_counts(struct ts_cursor *cursor, int64_t pixels, struct ts_feature_counts *counts);

#endif
