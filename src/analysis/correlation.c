/* Correlation of every input with the output: simple and partial, on values and on ranks.
 * SPDX-License-Identifier: Apache-2.0
 *
 * J. C. Helton and F. J. Davis, "Latin hypercube sampling and the propagation of uncertainty in analyses of complex
 * systems", 2003, doi:10.1016/S0951-8320(03)00058-9. */
#include "analysis/correlation_table.h"

enum { PEARSON, SPEARMAN, PCC, PRCC, COLUMNS };

static bool analyse(const struct ts_runs *runs, const struct ts_analysis_options *options, struct ts_pool *pool,
                    struct ts_indices *indices, struct ts_error *err) {
  struct ts_given given;
  if (!ts_given_init(&given, runs, options, 3, false, indices, err)) return false;
  size_t k = given.parameter_count;
  struct ts_relations values, ranks;
  ts_relations_of_values(&values, &given);
  ts_relations_of_ranks(&ranks, &given);
  bool enough = given.count > k + 1; /* otherwise any output can be fitted exactly */
  for (size_t j = 0; j < k; j++) {
    struct ts_index *cells = indices->cells + j * COLUMNS;
    cells[PEARSON].value = values.simple[j];
    cells[SPEARMAN].value = ranks.simple[j];
    if (!enough) continue;
    cells[PCC].value = values.partial[j];
    cells[PRCC].value = ranks.partial[j];
  }
  if (enough) {
    ts_relations_note(&values, indices);
  } else {
    ts_indices_note(indices, "partial correlations of %zu inputs need more than %zu usable runs, not %zu", k, k + 1,
                    given.count);
  }
  ts_relations_intervals(&values, &ranks, false, &given, options, pool, indices);
  ts_relations_release(&values);
  ts_relations_release(&ranks);
  ts_given_release(&given);
  return true;
}

const struct ts_method ts_method_correlation = {
    .name = "correlation",
    .title = "Correlation: Pearson, Spearman, partial and partial rank",
    .assumes =
        "pearson and pcc see straight-line effects only, spearman and prcc rising or falling ones; an effect that "
        "goes up and down again may show as zero",
    .interval = TS_RELATION_INTERVAL,
    .columns = {"pearson", "spearman", "pcc", "prcc"},
    .rank_by = "prcc",
    .rank_by_size = true,
    .needs = TS_NEEDS_VALUES,
    .analyse = analyse,
};
