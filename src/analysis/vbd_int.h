/* Inside the variance-based method: which base samples are there, their weighted sums, and indices from sums.
 * SPDX-License-Identifier: Apache-2.0
 *
 * All estimators are functions of sums over base samples, and a bootstrap resample only changes how often a base sample
 * counts. So a resample is a row of weights, and the sums of many resamples are one product of matrices: weights times
 * what each base sample contributes. Nothing is copied or sorted, and the weights take a byte each.
 *
 * A base sample is complete (every row has an output), incomplete (A and B have one, another row has not) or lost.
 * Complete ones share the sums that all parameters need; incomplete ones keep them per parameter and pair. */
#ifndef TS_ANALYSIS_VBD_INT_H
#define TS_ANALYSIS_VBD_INT_H

#include "analysis/method.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Base samples 0..n/8, n/8..n/4, n/4..n/2, n/2..n: sums are kept apart, for convergence and the two halves. */
#define TS_VBD_SEGMENTS 4

struct ts_vbd {
  const double *outputs; /* borrowed */
  size_t sample_count;   /* n */
  size_t group_count;    /* parameters or groups: g */
  size_t block_rows;     /* g + 2, or 2 g + 2 */
  size_t pair_count;     /* g (g - 1) / 2 with second order, else 0 */
  enum ts_vbd_estimator estimator;
  double factor, mean, inverse_deviation; /* standardised output: (y factor - mean) inverse_deviation */
  bool constant;                          /* A and B of the good base samples are all equal, or there is none */
  uint32_t *good;                         /* owned; base samples with A and B, in order */
  size_t good_count;
  uint32_t *order; /* owned; the good ones segment by segment, complete ones first */
  size_t complete_end[TS_VBD_SEGMENTS];
  size_t segment_end[TS_VBD_SEGMENTS]; /* both: places in `order` */
  /* Columns of the contributions. Shared: count, A+B, A²+B²; then per group; then per pair one product.
   * Apart (of incomplete base samples): per group the three and its own; per pair the three, the product, two
   * firsts. */
  size_t group_columns; /* the estimator's, the first-order product if pairs need it, ST's */
  size_t shared_columns, apart_columns;
};

/* Sorts out the base samples and standardises. The runs are whole blocks. */
void ts_vbd_init(struct ts_vbd *vbd, const struct ts_runs *runs, enum ts_vbd_estimator estimator);
void ts_vbd_release(struct ts_vbd *vbd);
/* How many base samples have A, B and AB of a group. */
size_t ts_vbd_usable(const struct ts_vbd *vbd, size_t group);
/* The standardised outputs of a base sample; NaN where a run failed. */
void ts_vbd_block(const struct ts_vbd *vbd, size_t sample, double *block);

/* The contribution of a base sample to each column. */
void ts_vbd_shared(const struct ts_vbd *vbd, const double *block, double *line);
void ts_vbd_apart(const struct ts_vbd *vbd, const double *block, double *line);

/* Sums of `row_count` weightings at once. counts: row by row, one weight per base sample. Weighting r, segment s:
 * shared columns, then apart ones, at sums[(r * TS_VBD_SEGMENTS + s) * (shared_columns + apart_columns)]. */
void ts_vbd_sums(const struct ts_vbd *vbd, const uint8_t *counts, size_t row_count, double *sums);

/* Indices from sums (shared columns, then apart ones): S1 and ST of each group; S2 of each pair in the order (0,1),
 * (0,2), ... NaN without variance. */
void ts_vbd_cells(const struct ts_vbd *vbd, const double *sums, double *cells);
void ts_vbd_pairs(const struct ts_vbd *vbd, const double *sums, double *pairs);

/* Whether the rows are those of a Saltelli design, as far as coordinates or values are given; names the first that is
 * not. */
bool ts_vbd_check_rows(const struct ts_runs *runs, size_t group_count, size_t block_rows, struct ts_error *err);

#endif
