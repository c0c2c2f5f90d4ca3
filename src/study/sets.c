/* Full rows of parameter values: those of a design with defaults in all other places, or one from the command line.
 * SPDX-License-Identifier: Apache-2.0 */
#include "study/sets.h"

#include "base/alloc.h"

#include <string.h>

#define NAMES_SHOWN 20 /* of parameters, where none is like the one that was named */

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

/* Of a name that is none of them and like none of them. */
static void help_with_names(const struct ts_workflow *w, struct ts_error *err) {
  ts_auto(ts_str_release) struct ts_str names = {0};
  for (size_t p = 0; p < w->parameter_count && p < NAMES_SHOWN; p++)
    ts_str_addf(&names, "%s%s", p > 0 ? ", " : "", w->parameters[p].name);
  if (w->parameter_count > NAMES_SHOWN) ts_str_addf(&names, " and %zu more", w->parameter_count - NAMES_SHOWN);
  if (w->parameter_count > 0) ts_error_help(err, "its parameters are %s", ts_str_get(&names));
}

static bool apply_setting(const struct ts_project *project, struct parameter_sets *sets,
                          const struct tessera_setting *setting, struct ts_issues *issues) {
  const struct ts_workflow *w = project->workflow;
  struct ts_error err = {0};
  size_t index = 0;
  if (!ts_workflow_find_parameter(w, setting->name, &index)) {
    ts_auto_free const char **names = ts_calloc(w->parameter_count + 1, sizeof *names);
    for (size_t p = 0; p < w->parameter_count; p++) names[p] = w->parameters[p].name;
    ts_auto(ts_str_release) struct ts_str near = {0};
    ts_fail(&err, TS_ERR_UNKNOWN_PARAMETER, "the workflow has no parameter '%s'", setting->name);
    if (ts_add_nearest_words(&near, setting->name, names, w->parameter_count))
      ts_error_help(&err, "did you mean %s?", ts_str_get(&near));
    else
      help_with_names(w, &err);
  } else if (ts_value_from_text(setting->value, w->parameters[index].type, &sets->arena, &sets->values[index], &err)) {
    ts_parameter_check(&w->parameters[index], &sets->values[index], &err);
  } else {
    ts_error_context(&err, "reading -p %s=%s", setting->name, setting->value);
  }
  if (err.code != TS_ERR_OK) ts_issues_fault(issues, &err);
  return err.code == TS_ERR_OK;
}

/* "-p G1=40 -p G1=50": one of the two would go without a word. */
static void refuse_twice(const struct ts_request *request, struct ts_issues *issues) {
  for (size_t i = 0; i < request->parameter_count; i++) {
    for (size_t k = 0; k < i; k++) {
      const struct tessera_setting *a = &request->parameters[k], *b = &request->parameters[i];
      if (strcmp(a->name, b->name) != 0) continue;
      ts_issues_usage(issues, "give one value: a run has one set of values, a study tries many",
                      "parameter '%s' is set twice, to %s and to %s", a->name, a->value, b->value);
      return;
    }
  }
}

bool ts_sets_single(const struct ts_project *project, struct parameter_sets *sets, struct ts_issues *issues) {
  const struct ts_workflow *w = project->workflow;
  *sets = (struct parameter_sets){.count = 1};
  sets->values = ts_calloc(w->parameter_count + 1, sizeof *sets->values);
  for (size_t p = 0; p < w->parameter_count; p++) sets->values[p] = w->parameters[p].default_value;
  refuse_twice(project->request, issues);
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
