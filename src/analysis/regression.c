/* Standardised regression coefficients on values and on ranks, with the share of variance a linear model explains.
 * SPDX-License-Identifier: Apache-2.0
 *
 * A. Saltelli et al., "Sensitivity Analysis in Practice", 2004, 1.2.5 (standardised regression coefficients). */
#include "analysis/correlation_table.h"

#include <math.h>

enum { SRC, SRRC, COLUMNS };

#define POOR_FIT 0.7 /* R2 below which coefficients leave too much unsaid to rank by */

static void add_fact(struct ts_indices *indices, const char *name, double value) {
  indices->facts[indices->fact_count].name = name;
  indices->facts[indices->fact_count++].value = value;
}

static void tell_fit(struct ts_indices *indices, const struct ts_given *given, const struct ts_relations *values,
                     const struct ts_relations *ranks) {
  size_t used = 0;
  for (size_t j = 0; j < values->count; j++) used += !values->left_out[j];
  double n = (double)given->count, rest = n - (double)used - 1;
  add_fact(indices, "R2", values->r2);
  add_fact(indices, "adjusted R2", rest > 0 ? 1 - (1 - values->r2) * (n - 1) / rest : NAN);
  add_fact(indices, "rank R2", ranks->r2);
  if (values->r2 < POOR_FIT && ranks->r2 < POOR_FIT) {
    ts_indices_note(indices,
                    "a linear model explains %.0f %% of the variance (%.0f %% on ranks): the coefficients say little "
                    "about the rest",
                    100 * values->r2, 100 * ranks->r2);
  }
}

static bool analyse(const struct ts_runs *runs, const struct ts_analysis_options *options, struct ts_pool *pool,
                    struct ts_indices *indices, struct ts_error *err) {
  struct ts_given given;
  size_t k = runs->parameter_count;
  if (!ts_given_init(&given, runs, options, k + 2, false, indices, err)) return false;
  struct ts_relations values, ranks;
  ts_relations_of_values(&values, &given);
  ts_relations_of_ranks(&ranks, &given);
  for (size_t j = 0; j < k; j++) {
    indices->cells[j * COLUMNS + SRC].value = values.standardised[j];
    indices->cells[j * COLUMNS + SRRC].value = ranks.standardised[j];
  }
  tell_fit(indices, &given, &values, &ranks);
  values.exhausted = false; /* is about partial correlations */
  ts_relations_note(&values, indices);
  ts_relations_intervals(&values, &ranks, true, &given, options, pool, indices);
  ts_relations_release(&values);
  ts_relations_release(&ranks);
  ts_given_release(&given);
  return true;
}

const struct ts_method ts_method_regression = {
    .name = "regression",
    .alias = "src",
    .title = "Standardised regression coefficients on values and ranks",
    .assumes = "the output is close to a sum of straight lines in the inputs (src; see R2) or of rising and falling "
               "curves (srrc; see rank R2)",
    .interval = TS_RELATION_INTERVAL,
    .columns = {"src", "srrc"},
    .rank_by = "src",
    .rank_by_size = true,
    .needs = TS_NEEDS_VALUES,
    .analyse = analyse,
};
