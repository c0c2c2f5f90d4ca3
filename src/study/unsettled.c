/* Ranks that the runs of a study do not settle: a warning with what would likely settle the first of them.
 * SPDX-License-Identifier: Apache-2.0 */
#include "study/study_result.h"

#include "analysis/rank.h"
#include "base/alloc.h"
#include "report/findings.h"

#include <string.h>

#define PAIRS_NAMED 4 /* in the warning; the report has them all */

/* Neighbouring ranks whose intervals overlap, as far as one of the two may matter; none if the method has no
 * intervals. */
static size_t find_open(const struct ts_indices *indices, struct ts_open_rank *open) {
  ts_auto(ts_findings_release) struct ts_findings findings = {0};
  ts_findings_of_indices(&findings, indices);
  const size_t all = findings.has_intervals ? ts_rank_open(indices, open) : 0;
  size_t count = 0;
  for (size_t i = 0; i < all; i++) {
    if (ts_findings_pair_matters(&findings, indices->names[open[i].a], indices->names[open[i].b]))
      open[count++] = open[i];
  }
  return count;
}

static void add_pair(const struct ts_indices *indices, const struct ts_open_rank *open, struct ts_str *text) {
  ts_str_addf(text, "%s and %s", indices->names[open->a], indices->names[open->b]);
}

/* "12 more trajectories", "1 more base sample". */
static void add_blocks(const struct ts_strategy *strategy, size_t more, struct ts_str *text) {
  const char *name = strategy->count_key;
  const bool ies = ts_str_ends_with(name, "ies");
  if (more == 1)
    ts_str_addf(text, "1 more %.*s%s", (int)strlen(name) - (ies ? 3 : 1), name, ies ? "y" : "");
  else
    ts_str_addf(text, "%zu more %s", more, name);
}

void ts_study_warn_unsettled(const struct study_result *r, struct ts_issues *issues) {
  const struct ts_phase *last = r->found.phases[r->found.phase_count - 1];
  const struct ts_phase_analysis *analysis = ts_phase_answer(last, 0);
  if (!analysis) return;
  const struct ts_indices *indices = &analysis->indices;
  ts_auto_free struct ts_open_rank *open = ts_calloc(indices->name_count + 1, sizeof *open);
  size_t count = find_open(indices, open), named = count > PAIRS_NAMED ? PAIRS_NAMED : count;
  if (count == 0) return;
  ts_auto(ts_str_release) struct ts_str text = {0};
  for (size_t i = 0; i < named; i++) {
    if (i > 0) ts_str_add(&text, ", ");
    add_pair(indices, &open[i], &text);
  }
  if (named < count) ts_str_addf(&text, ", and %zu more", count - named);
  ts_str_add_char(&text, ')');
  if (open[0].more > 0) {
    ts_str_add(&text, "; about ");
    add_blocks(last->options->strategy, open[0].more, &text);
    ts_str_add(&text, " would likely separate ");
    add_pair(indices, &open[0], &text);
  }
  ts_issues_warn(issues, "neighbouring ranks overlap (%s", ts_str_get(&text));
}
