/* Full rows of parameter values: those of a design with defaults in all other places, or one from the command line.
 * SPDX-License-Identifier: Apache-2.0 */
#include "study/sets.h"

#include "base/alloc.h"

void ts_sets_append(const struct ts_workflow *w, struct parameter_sets *sets, const char *const *columns,
                    size_t column_count, const struct ts_value *points, size_t count) {
  ts_auto_free size_t *places = ts_calloc(column_count + 1, sizeof *places);
  for (size_t c = 0; c < column_count; c++) {
    enum ts_engine_setting ignored;
    if (ts_study_engine_find(columns[c], &ignored))
      places[c] = TS_NONE;
    else if (!ts_workflow_find_parameter(w, columns[c], &places[c]))
      TS_BUG("the design varies the unknown parameter '%s'", columns[c]);
  }
  const size_t first = sets->count, width = w->parameter_count;
  sets->count += count;
  sets->values = ts_realloc_array(sets->values, sets->count * width + 1, sizeof *sets->values);
  for (size_t i = 0; i < count; i++) {
    struct ts_value *row = sets->values + (first + i) * width;
    for (size_t p = 0; p < width; p++) row[p] = w->parameters[p].default_value;
    for (size_t c = 0; c < column_count; c++) {
      if (places[c] != TS_NONE) row[places[c]] = points[i * column_count + c];
    }
  }
}

static bool apply_setting(const struct ts_project *project, struct parameter_sets *sets,
                          const struct tessera_setting *setting, struct ts_issues *issues) {
  const struct ts_workflow *w = project->workflow;
  struct ts_error err = {0};
  size_t index = 0;
  if (!ts_workflow_find_parameter(w, setting->name, &index)) {
    ts_auto_free const char **names = ts_calloc(w->parameter_count + 1, sizeof *names);
    for (size_t p = 0; p < w->parameter_count; p++) names[p] = w->parameters[p].name;
    const char *near = ts_nearest_word(setting->name, names, w->parameter_count);
    ts_fail(&err, TS_ERR_UNKNOWN_PARAMETER, "the workflow has no parameter '%s'", setting->name);
    if (near) ts_error_help(&err, "did you mean '%s'?", near);
  } else if (ts_value_from_text(setting->value, w->parameters[index].type, &sets->arena, &sets->values[index], &err)) {
    ts_parameter_check(&w->parameters[index], &sets->values[index], &err);
  } else {
    ts_error_context(&err, "reading -p %s=%s", setting->name, setting->value);
  }
  if (err.code != TS_ERR_OK) ts_issues_fault(issues, &err);
  return err.code == TS_ERR_OK;
}

bool ts_sets_single(const struct ts_project *project, struct parameter_sets *sets, struct ts_issues *issues) {
  const struct ts_workflow *w = project->workflow;
  *sets = (struct parameter_sets){.count = 1};
  sets->values = ts_calloc(w->parameter_count + 1, sizeof *sets->values);
  for (size_t p = 0; p < w->parameter_count; p++) sets->values[p] = w->parameters[p].default_value;
  for (size_t i = 0; i < project->request->parameter_count; i++)
    apply_setting(project, sets, &project->request->parameters[i], issues);
  struct ts_error err = {0};
  if (ts_issues_ok(issues) && !ts_workflow_check_set(w, sets->values, &err)) ts_issues_fault(issues, &err);
  return ts_issues_ok(issues);
}

void ts_sets_release(struct parameter_sets *sets) {
  free(sets->values);
  ts_arena_release(&sets->arena);
  *sets = (struct parameter_sets){0};
}
