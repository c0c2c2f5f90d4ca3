/* Judging indices: what can be said of each parameter, and the numbers that sentences quote.
 * SPDX-License-Identifier: Apache-2.0 */
#include "report/findings.h"

#include "analysis/rank.h"
#include "base/alloc.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *ts_column_name(const char *column) {
  static const char *const names[][2] = {{"mu_star", "mu*"}, {"vi", "mean squared slope"}};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (strcmp(names[i][0], column) == 0) return names[i][1];
  }
  return column;
}

struct ts_measure ts_measure_of(const struct ts_method *method, const char *column, double inert) {
  return (struct ts_measure){.name = ts_column_name(column),
                             .has_sign = method && method->rank_by_size,
                             .is_first_order = strcmp(column, "S1") == 0,
                             .adds_up = method && strcmp(column, "mu_star") == 0,
                             .zero_is_exact = method && method->zero_is_exact,
                             .inert = isfinite(inert) && inert > 0 ? inert : 0};
}

/* ---- numbers of a row ---- */

static double size_of(const struct ts_measure *measure, double value) {
  return measure->has_sign ? fabs(value) : value;
}

/* One end alone is not an interval. */
static bool has_interval(const struct ts_index *index) { return isfinite(index->low) && isfinite(index->high); }

/* The end of the interval that is farther from an inert input; the index itself where there is none. */
static double reach_of(const struct ts_measure *measure, const struct ts_index *index) {
  if (!has_interval(index)) return size_of(measure, index->value);
  return measure->has_sign ? fmax(fabs(index->low), fabs(index->high)) : index->high;
}

/* Whether the lower end stays above the level of an inert input. */
static bool is_measurable(const struct ts_measure *measure, const struct ts_index *index) {
  if (!has_interval(index)) return size_of(measure, index->value) > measure->inert;
  return measure->has_sign ? index->low > 0 || index->high < 0 : index->low > measure->inert;
}

/* ---- judging ---- */

static enum ts_finding judge_unmeasurable(const struct ts_findings *findings, const struct ts_finding_row *row) {
  const struct ts_measure *measure = &findings->measure;
  double range = findings->largest - measure->inert, excess = size_of(measure, row->index.value) - measure->inert;
  /* A single run that showed nothing is not enough to say that there is nothing. */
  if (!has_interval(&row->index)) return row->usable > 1 ? TS_FINDING_NONE : TS_FINDING_UNCLEAR;
  if (row->index.value == measure->inert && row->index.high <= measure->inert) return TS_FINDING_NONE;
  bool is_small = measure->zero_is_exact ? reach_of(measure, &row->index) - measure->inert < TS_NEGLIGIBLE_SHARE * range
                                         : range <= 0 || excess < TS_DECIDING_SHARE * range;
  return is_small ? TS_FINDING_NONE : TS_FINDING_UNCLEAR;
}

static enum ts_finding judge(const struct ts_findings *findings, const struct ts_finding_row *row) {
  const struct ts_measure *measure = &findings->measure;
  if (!isfinite(row->index.value)) return TS_FINDING_UNKNOWN;
  if (!is_measurable(measure, &row->index)) return judge_unmeasurable(findings, row);
  double range = findings->largest - measure->inert, excess = size_of(measure, row->index.value) - measure->inert;
  bool is_below =
      has_interval(&row->index) && reach_of(measure, &row->index) - measure->inert < TS_NEGLIGIBLE_SHARE * range;
  if (is_below) return TS_FINDING_BELOW_SHARE;
  return excess > 0 && excess >= TS_DECIDING_SHARE * range ? TS_FINDING_DECIDING : TS_FINDING_SMALLER;
}

void ts_findings_judge(struct ts_findings *findings, struct ts_measure measure, struct ts_finding_row *rows,
                       size_t count) {
  *findings = (struct ts_findings){.measure = measure, .rows = rows, .count = count};
  double sum = 0, deciding_sum = 0;
  for (size_t i = 0; i < count; i++) {
    double size = size_of(&measure, rows[i].index.value);
    if (isfinite(size)) findings->largest = fmax(findings->largest, size);
  }
  for (size_t i = 0; i < count; i++) {
    enum ts_finding finding = judge(findings, &rows[i]);
    rows[i].finding = finding;
    findings->counts[finding]++;
    if (finding == TS_FINDING_UNKNOWN) continue;
    double size = size_of(&measure, rows[i].index.value);
    findings->estimate[finding] = fmax(findings->estimate[finding], size);
    findings->reach[finding] = fmax(findings->reach[finding], reach_of(&measure, &rows[i].index));
    findings->has_intervals = findings->has_intervals || has_interval(&rows[i].index);
    sum += fmax(size, 0);
    if (finding == TS_FINDING_DECIDING) deciding_sum += size;
  }
  findings->deciding_share = sum > 0 ? deciding_sum / sum : 0;
}

/* The level that a method stated among its facts. */
static double stated_level(const struct ts_indices *indices) {
  const char *fact = indices->method->inert_fact;
  for (size_t i = 0; fact && i < indices->fact_count; i++) {
    if (strcmp(indices->facts[i].name, fact) == 0) return indices->facts[i].value;
  }
  return NAN;
}

void ts_findings_of_indices(struct ts_findings *findings, const struct ts_indices *indices) {
  size_t count = indices->name_count, column = ts_indices_column(indices, indices->method->rank_by);
  ts_auto_free size_t *order = ts_calloc(count + 1, sizeof *order);
  ts_auto_free bool *unsettled = ts_calloc(count + 1, sizeof *unsettled);
  struct ts_finding_row *rows = ts_calloc(count + 1, sizeof *rows);
  ts_rank(indices, NULL, order, unsettled);
  for (size_t i = 0; i < count; i++) {
    rows[i] = (struct ts_finding_row){.name = indices->names[order[i]],
                                      .index = indices->cells[order[i] * indices->column_count + column],
                                      .usable = (double)indices->usable[order[i]],
                                      .is_open = unsettled[i]};
  }
  ts_findings_judge(findings, ts_measure_of(indices->method, indices->method->rank_by, stated_level(indices)), rows,
                    count);
}

void ts_findings_of_morris(struct ts_findings *findings, const struct ts_morris_index *indices, size_t count) {
  struct ts_error err = {0};
  ts_auto_free size_t *order = ts_calloc(count + 1, sizeof *order);
  ts_auto_free bool *unsettled = ts_calloc(count + 1, sizeof *unsettled);
  struct ts_finding_row *rows = ts_calloc(count + 1, sizeof *rows);
  ts_morris_rank(indices, count, order, unsettled);
  for (size_t i = 0; i < count; i++) {
    const struct ts_morris_index *index = &indices[order[i]];
    rows[i] = (struct ts_finding_row){.name = index->name,
                                      .index = {index->mu_star, index->mu_star_low, index->mu_star_high},
                                      .usable = (double)index->effect_count,
                                      .is_open = unsettled[i]};
  }
  ts_findings_judge(findings, ts_measure_of(ts_method_find("morris", &err), "mu_star", NAN), rows, count);
}

void ts_findings_release(struct ts_findings *findings) {
  free(findings->rows);
  *findings = (struct ts_findings){0};
}

/* ---- asking ---- */

enum ts_finding ts_findings_of_name(const struct ts_findings *findings, const char *name) {
  for (size_t i = 0; i < findings->count; i++) {
    if (strcmp(findings->rows[i].name, name) == 0) return findings->rows[i].finding;
  }
  return TS_FINDING_UNKNOWN;
}

size_t ts_findings_measurable(const struct ts_findings *findings) {
  return findings->counts[TS_FINDING_DECIDING] + findings->counts[TS_FINDING_SMALLER] +
         findings->counts[TS_FINDING_BELOW_SHARE];
}

static bool may_matter(enum ts_finding finding) {
  return finding == TS_FINDING_DECIDING || finding == TS_FINDING_SMALLER || finding == TS_FINDING_UNCLEAR;
}

bool ts_findings_pair_matters(const struct ts_findings *findings, const char *a, const char *b) {
  return may_matter(ts_findings_of_name(findings, a)) || may_matter(ts_findings_of_name(findings, b));
}

const char *ts_finding_name(enum ts_finding finding) {
  static const char *const names[TS_FINDING_COUNT] = {"deciding", "smaller", "below_share",
                                                      "none",     "unclear", "unknown"};
  return names[finding];
}
