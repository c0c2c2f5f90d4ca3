/* Adding runs until the indices are sharp enough: ci(COLUMN) < NUMBER, or rank(K).
 * SPDX-License-Identifier: Apache-2.0
 *
 * ci(COLUMN) < x: half the width of every interval of that column is below x times the largest index, for every output.
 * rank(K): the intervals of the first K ranks overlap with none of their neighbours, for every output. */
#include "project/study_method.h"
#include "study/study_result.h"

#include "analysis/rank.h"
#include "base/alloc.h"
#include "base/str.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool has_column(const struct study_method *method, const char *column) {
  const struct ts_method *analysis = method->analyses[0];
  for (size_t i = 0; i < sizeof analysis->columns / sizeof *analysis->columns && analysis->columns[i]; i++) {
    if (strcmp(analysis->columns[i], column) == 0) return true;
  }
  return false;
}

/* A condition on a column belongs to the phase that has it, one on ranks to the last phase. */
static bool concerns(const struct ts_project *project, const struct study_method *method) {
  const struct study_until *until = &project->study.until;
  if (!until->text) return false;
  if (until->column) return has_column(method, until->column);
  return method == &project->study.methods[project->study.phase_count - 1];
}

static void fail_column(const struct ts_project *project, struct ts_issues *issues) {
  const struct ts_method *analysis = project->study.methods[project->study.phase_count - 1].analyses[0];
  ts_auto(ts_str_release) struct ts_str list = {0};
  size_t count = 0;
  for (; count < sizeof analysis->columns / sizeof *analysis->columns && analysis->columns[count]; count++)
    ts_str_addf(&list, "%s%s", count ? ", " : "", analysis->columns[count]);
  const char *near = ts_nearest_word(project->study.until.column, analysis->columns, count);
  struct ts_error err = {0};
  ts_fail(&err, project->request->until ? TS_ERR_USAGE : TS_ERR_BAD_VALUE, "%s has no index '%s'", analysis->name,
          project->study.until.column);
  ts_error_help(&err, near ? "did you mean '%s'?" : "it has: %s", near ? near : ts_str_get(&list));
  if (!project->request->until) ts_json_place(&err, &project->doc, "/method/until", TS_JSON_VALUE);
  ts_issues_fault(issues, &err);
}

bool ts_until_check(const struct ts_project *project, const struct parameter_sets *sets, struct ts_issues *issues) {
  const struct study_file *f = &project->study;
  bool found = !f->until.text;
  for (size_t p = 0; p < f->phase_count; p++) found = found || concerns(project, &f->methods[p]);
  if (!found) fail_column(project, issues);
  size_t runs = sets->count;
  if (f->max_runs && runs > f->max_runs) {
    struct ts_error err = {0};
    ts_fail(&err, project->request->max_runs ? TS_ERR_USAGE : TS_ERR_BAD_VALUE,
            "the first round has %zu runs, but at most %zu are allowed", runs, f->max_runs);
    ts_error_help(&err, "begin with fewer %s, or allow more runs", ts_study_method_count_name(&f->methods[0]));
    if (!project->request->max_runs) ts_json_place(&err, &project->doc, "/method/max_runs", TS_JSON_VALUE);
    ts_issues_fault(issues, &err);
  }
  return ts_issues_ok(issues);
}

/* The widest half interval as a share of the largest index; infinite if one is not known. */
static double widest(const struct ts_indices *indices, const char *column, const char **name) {
  size_t at = ts_indices_column(indices, column);
  double largest = 0, width = 0;
  for (size_t i = 0; i < indices->name_count; i++) {
    const struct ts_index *index = &indices->cells[i * indices->column_count + at];
    double half = isnan(index->high - index->low) ? INFINITY : (index->high - index->low) / 2;
    if (half > width) *name = indices->names[i];
    width = fmax(width, half);
    if (!isnan(index->value)) largest = fmax(largest, fabs(index->value));
  }
  if (width == 0) return 0;
  return largest > 0 ? width / largest : INFINITY;
}

static size_t open_ranks(const struct ts_indices *indices, size_t top) {
  ts_auto_free size_t *order = ts_calloc(indices->name_count + 1, sizeof *order);
  ts_auto_free bool *unsettled = ts_calloc(indices->name_count + 1, sizeof *unsettled);
  size_t open = 0;
  ts_rank(indices, NULL, order, unsettled);
  for (size_t i = 0; i < indices->name_count && i < top; i++) open += unsettled[i] ? 1 : 0;
  return open;
}

static bool is_met(struct ts_work *work, const struct study_analysis *analysis, const char **reason) {
  const struct ts_project *project = work->project;
  const struct study_until *until = &project->study.until;
  const char *output = project->study.outputs[analysis->output].name, *name = "";
  if (!analysis->is_known) {
    *reason = ts_arena_printf(&work->arena, "nothing is known about %s", output);
    return false;
  }
  if (!until->column) {
    size_t open = open_ranks(&analysis->indices, until->top);
    *reason = ts_arena_printf(&work->arena, "%zu of the first %zu ranks of %s overlap with the next", open, until->top,
                              output);
    return open == 0;
  }
  double width = widest(&analysis->indices, until->column, &name);
  if (isinf(width)) {
    *reason = ts_arena_printf(&work->arena, "the interval of %s is not known: %s of %s", until->column, name, output);
    return false;
  }
  *reason = width > 0 ? ts_arena_printf(&work->arena, "the widest interval is +-%s of the largest %s: %s of %s",
                                        TS_SIGNIFICANT(width, 3), until->column, name, output)
                      : ts_arena_printf(&work->arena, "every interval of %s of %s has width 0", until->column, output);
  return width < until->limit;
}

bool ts_until_wants_more(struct ts_work *work, struct study_result *r, const struct study_phase *phase) {
  const struct ts_project *project = work->project;
  struct study_until_state *state = &r->until;
  if (phase->sets.is_given || !concerns(project, phase->method)) return false;
  *state = (struct study_until_state){
      .is_used = true, .is_met = true, .rounds = phase->rounds, .blocks = ts_study_phase_size(phase)};
  for (size_t o = 0; o < project->study.output_count && state->is_met; o++)
    state->is_met = is_met(work, ts_study_answer_of(phase, o), &state->reason);
  return !state->is_met;
}

json_t *ts_until_json(const struct ts_project *project, const struct study_result *r) {
  return json_pack("{s:s, s:b, s:I, s:I, s:s}", "text", project->study.until.text, "met", r->until.is_met, "rounds",
                   (json_int_t)r->until.rounds, "blocks", (json_int_t)r->until.blocks, "reason",
                   r->until.reason ? r->until.reason : "");
}
