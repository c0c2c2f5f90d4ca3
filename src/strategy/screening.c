/* The rule of a screening: which parameters a second phase varies; the others stay at their defaults.
 * SPDX-License-Identifier: Apache-2.0
 *
 * A parameter is kept if the upper end of its mu* interval reaches a share of the largest mu* of an output, for any
 * output. A parameter whose effect is not known is kept. */
#include "strategy/strategy_int.h"

#include "base/alloc.h"
#include "base/str.h"

#include <math.h>
#include <string.h>

#define RULE_COLUMN "mu_star"

static double largest_of(const struct ts_indices *indices, size_t column) {
  double largest = 0;
  for (size_t i = 0; i < indices->name_count; i++)
    largest = fmax(largest, indices->cells[i * indices->column_count + column].value);
  return largest;
}

/* The analysis of an output over all files that has the column of the rule; NULL if no analysis was asked for it. */
static const struct ts_phase_analysis *find_analysis(const struct ts_phase *phase, size_t output) {
  for (size_t i = 0; i < phase->analysis_count; i++) {
    const struct ts_phase_analysis *analysis = &phase->analyses[i];
    if (analysis->output == output && analysis->subset == TS_NONE &&
        ts_indices_column(&analysis->indices, RULE_COLUMN) != TS_NONE)
      return analysis;
  }
  return NULL;
}

/* The result of the output in which the candidate reaches most. */
static void rate(struct ts_candidate *candidate, size_t output, const struct ts_index *index, double largest) {
  double reach = isnan(index->high) ? INFINITY : largest > 0 ? index->high / largest : 0;
  if (candidate->output != TS_NONE && reach <= candidate->reach) return;
  *candidate = (struct ts_candidate){
      .name = candidate->name, .output = output, .reach = reach, .index = *index, .largest = largest};
}

static void rate_all(struct ts_phase *phase, size_t output) {
  const struct ts_phase_analysis *analysis = find_analysis(phase, output);
  const struct ts_index unknown = {NAN, NAN, NAN};
  const size_t column = analysis ? ts_indices_column(&analysis->indices, RULE_COLUMN) : 0;
  const double largest = analysis ? largest_of(&analysis->indices, column) : 0;
  for (size_t i = 0; i < phase->candidate_count; i++) {
    const struct ts_index *index = &unknown;
    if (analysis) index = &analysis->indices.cells[i * analysis->indices.column_count + column];
    rate(&phase->candidates[i], output, index, largest);
  }
}

static const char *name_of(const struct ts_phase *phase, size_t group) {
  return phase->groups.of ? phase->groups.names[group] : phase->design.names[group];
}

static struct ts_candidate *best_left(struct ts_candidate *candidates, size_t count) {
  struct ts_candidate *best = NULL;
  for (size_t i = 0; i < count; i++) {
    if (!candidates[i].kept && (!best || candidates[i].reach > best->reach)) best = &candidates[i];
  }
  return best;
}

/* The best first, at least one, until the rule or the limit ends it. */
static void keep_by_rule(struct ts_phase *phase, const struct ts_keep *keep) {
  const size_t count = phase->candidate_count, most = keep->most && keep->most < count ? keep->most : count;
  for (size_t kept = 0; kept < most; kept++) {
    struct ts_candidate *best = best_left(phase->candidates, count);
    if (kept > 0 && best->reach < keep->share) break;
    best->kept = true;
  }
}

static void keep_named(struct ts_phase *phase, const struct ts_keep *keep) {
  for (size_t n = 0; n < keep->name_count; n++) {
    for (size_t i = 0; i < phase->candidate_count; i++) {
      if (strcmp(phase->candidates[i].name, keep->names[n]) == 0) phase->candidates[i].kept = true;
    }
  }
}

void ts_screening_decide(struct ts_phase *phase, const struct ts_strategy_problem *problem,
                         const struct ts_keep *keep) {
  free(phase->candidates);
  phase->candidate_count = phase->groups.count;
  phase->candidates = ts_calloc(phase->candidate_count + 1, sizeof *phase->candidates);
  for (size_t i = 0; i < phase->candidate_count; i++)
    phase->candidates[i] = (struct ts_candidate){.name = name_of(phase, i), .output = TS_NONE};
  for (size_t o = 0; o < problem->output_count; o++) rate_all(phase, o);
  if (keep->name_count == 0)
    keep_by_rule(phase, keep);
  else
    keep_named(phase, keep);
}

static void fail_name(const struct ts_phase *phase, const struct ts_keep *keep, const char *name,
                      struct ts_faults *faults) {
  ts_auto_free const char **names = ts_calloc(phase->groups.count + 1, sizeof *names);
  for (size_t i = 0; i < phase->groups.count; i++) names[i] = name_of(phase, i);
  const char *near = ts_nearest_word(name, names, phase->groups.count);
  struct ts_error *err = ts_faults_add(faults);
  ts_fail(err, keep->place ? TS_ERR_UNKNOWN_PARAMETER : TS_ERR_USAGE, "the study does not vary '%s'", name);
  ts_error_help(err, near ? "did you mean '%s'?" : "name parameters that the screening varies%s", near ? near : "");
  if (keep->place) ts_error_place(err, "", 0, 0, keep->place);
}

bool ts_screening_check_names(const struct ts_phase *phase, const struct ts_keep *keep, struct ts_faults *faults) {
  bool all = true;
  for (size_t n = 0; n < keep->name_count; n++) {
    size_t i = 0;
    while (i < phase->groups.count && strcmp(name_of(phase, i), keep->names[n]) != 0) i++;
    if (i == phase->groups.count) fail_name(phase, keep, keep->names[n], faults);
    all = all && i < phase->groups.count;
  }
  return all;
}

size_t ts_screening_columns(const struct ts_phase *phase, size_t *columns) {
  size_t count = 0;
  for (size_t c = 0; c < phase->design.column_count; c++) {
    if (phase->candidates[phase->groups.of ? phase->groups.of[c] : c].kept) columns[count++] = c;
  }
  return count;
}
