/* The groups of a study in its result object: indices over the files of each value, and over all files but those.
 * SPDX-License-Identifier: Apache-2.0 */
#include "api/api_int.h"
#include "study/stability.h"

#include "base/alloc.h"
#include "base/json.h"

#include <string.h>

/* What an analysis over some files says that the one over all files does not; borrows from the full object. */
static void add_findings(const json_t *full, json_t *object) {
  static const char *const members[] = {"indices", "order", "lost", "notes"};
  for (size_t i = 0; i < sizeof members / sizeof *members; i++)
    json_object_set(object, members[i], json_object_get(full, members[i]));
}

static const struct study_subset *subset_of(const struct study_result *r, const struct ts_phase_analysis *analysis) {
  return analysis->subset == TS_NONE ? NULL : &r->course.subsets.items[analysis->subset];
}

/* The analysis over all files but those of a value follows that over its files. */
static json_t *without_json(const struct ts_project *project, const struct study_result *r, size_t phase,
                            const struct ts_phase_analysis *next) {
  const struct study_subset *subset = subset_of(r, next);
  if (!subset || subset->kind != SUBSET_WITHOUT) return NULL;
  ts_auto(json_decrefp) json_t *full = ts_study_analysis_json(project, r, phase, next);
  json_t *object = json_pack("{s:I}", "files", (json_int_t)subset->count);
  add_findings(full, object);
  return object;
}

static json_t *group_json(const struct ts_project *project, const struct study_result *r, size_t phase,
                          const struct ts_phase_analysis *analysis) {
  const struct ts_phase *of = r->found.phases[phase];
  const struct study_subset *subset = subset_of(r, analysis);
  ts_auto(json_decrefp) json_t *full = ts_study_analysis_json(project, r, phase, analysis);
  json_t *object =
      json_pack("{s:s, s:s, s:I, s:I, s:s, s:s, s:s}", "group", subset->group, "value", subset->value, "files",
                (json_int_t)subset->count, "phase", (json_int_t)phase + 1, "method", analysis->indices.method->name,
                "output", project->study.outputs[analysis->output].name, "rank_by", analysis->indices.method->rank_by);
  add_findings(full, object);
  const bool is_last = analysis + 1 == of->analyses + of->analysis_count;
  json_t *without = is_last ? NULL : without_json(project, r, phase, analysis + 1);
  if (without) json_object_set_new(object, "without", without);
  return object;
}

json_t *ts_study_groups_json(const struct ts_project *project, const struct study_result *r) {
  json_t *list = json_array();
  for (size_t p = 0; p < r->found.phase_count; p++) {
    const struct ts_phase *phase = r->found.phases[p];
    for (size_t i = 0; i < phase->analysis_count; i++) {
      const struct study_subset *subset = subset_of(r, &phase->analyses[i]);
      if (subset && subset->kind == SUBSET_GROUP)
        json_array_append_new(list, group_json(project, r, p, &phase->analyses[i]));
    }
  }
  return list;
}

static json_t *names_json(const char *const *names, size_t count) {
  json_t *list = json_array();
  for (size_t i = 0; i < count; i++) json_array_append_new(list, json_string(names[i]));
  return list;
}

static json_t *stability_json(const struct ts_project *project, size_t phase, const struct study_stability *s) {
  json_t *changes = json_array();
  for (size_t i = 0; i < s->change_count; i++)
    json_array_append_new(changes, json_pack("{s:s, s:o}", "without", s->changes[i].value, "first",
                                             names_json(s->changes[i].first, s->first_count)));
  return json_pack("{s:s, s:I, s:s, s:s, s:I, s:o, s:b, s:b, s:o, s:s}", "group", s->group, "phase",
                   (json_int_t)phase + 1, "method", s->analysis->indices.method->name, "output",
                   project->study.outputs[s->analysis->output].name, "values", (json_int_t)s->value_count, "first",
                   names_json(s->first, s->first_count), "settled", s->is_settled, "stable", s->change_count == 0,
                   "changes", changes, "text", s->text);
}

json_t *ts_study_stability_json(const struct ts_project *project, const struct study_result *r) {
  json_t *list = json_array();
  for (size_t p = 0; p < r->found.phase_count; p++) {
    ts_auto(ts_arena_release) struct ts_arena arena = {0};
    size_t count = 0;
    const struct study_stability *all = ts_stability_of(&r->course, r->found.phases[p], &arena, &count);
    for (size_t i = 0; i < count; i++) json_array_append_new(list, stability_json(project, p, &all[i]));
  }
  return list;
}
