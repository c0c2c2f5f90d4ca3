/* Simple, partial and regression coefficients of all inputs with the output, on values and on ranks.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Shared by the methods "correlation" and "regression", which show different columns of the same least-squares solution. */
#ifndef TS_ANALYSIS_CORRELATION_TABLE_H
#define TS_ANALYSIS_CORRELATION_TABLE_H

#include "analysis/given_data_rows.h"
#include "analysis/linear.h"

/* NaN where a coefficient does not exist: constant columns, inputs that cannot be told apart. */
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

struct ts_relation_settings {
  bool regression;             /* statistics per input: src, srrc instead of pearson, spearman, pcc, prcc */
  const bool *values_left_out; /* borrowed */
  const bool *rank_left_out;   /* borrowed */
};
/* For ts_given_bootstrap; settings are the struct above. Ranks are found anew for every resample. */
extern const struct ts_estimator ts_relation_estimator;

/* Notes on inputs that move together. */
void ts_relations_note(const struct ts_relations *relations, struct ts_indices *indices);

/* Default number of resamples: 500, fewer from 31 inputs on, since a resample costs their square. */
size_t ts_relation_resamples(size_t input_count);
/* Rows from which a part is enough to see the spread. */
#define TS_RELATION_ROWS 4000

#endif
