/* Simple, partial and regression coefficients of all inputs with the output, on values and on ranks.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Shared by the methods "correlation" and "regression", which show different columns of the same least-squares
 * solution. */
#ifndef TS_ANALYSIS_CORRELATION_TABLE_H
#define TS_ANALYSIS_CORRELATION_TABLE_H

#include "analysis/given_data_rows.h"
#include "analysis/linear.h"

/* NaN where a coefficient does not exist: constant columns, inputs that cannot be distinguished. */
struct ts_relations {
  size_t count;         /* inputs */
  double *simple;       /* owned; correlation with the output */
  double *partial;      /* owned; correlation with the output once the other inputs are taken out of both */
  double *standardised; /* owned; coefficient of the regression on standardised columns */
  double *unexplained;  /* owned; share of the input's variance that the other inputs do not explain; 0: entangled */
  bool *left_out;       /* owned; constant, or dependent on earlier inputs: not in the regression */
  bool *entangled;      /* owned; takes part in a linear dependence between inputs */
  double r2;            /* share of the output's variance that the regression explains */
  bool exhausted;       /* without some input the others explain the output to the last digit */
};
void ts_relations_release(struct ts_relations *relations);
/* From the factor of the centred columns: inputs, then output. */
void ts_relations_init(struct ts_relations *relations, const struct ts_triangle *triangle);

/* All usable rows, on values or on ranks (ties share the mean rank). */
void ts_relations_of_values(struct ts_relations *relations, const struct ts_given *given);
void ts_relations_of_ranks(struct ts_relations *relations, const struct ts_given *given);

/* Notes on inputs that move together. */
void ts_relations_note(const struct ts_relations *relations, struct ts_indices *indices);

/* Bootstrap intervals of all cells, whose values are known: per input pearson, spearman, pcc, prcc, or for `regression`
 * src, srrc. Ranks are found again for every resample; an input that was left out stays so. */
void ts_relations_intervals(const struct ts_relations *values, const struct ts_relations *ranks, bool regression,
                            const struct ts_given *given, const struct ts_analysis_options *options,
                            struct ts_pool *pool, struct ts_indices *indices);

/* How the intervals of both methods are made, for people. */
#define TS_RELATION_INTERVAL                                                                                           \
  "range of the middle share (95 %) of the values that bootstrap resamples of the runs give, ranks found again each "  \
  "time; it covers the chance of which runs were drawn"

#endif
