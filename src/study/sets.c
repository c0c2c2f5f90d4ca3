/* Parameter sets: from a method's design, from a CSV file, or one set from the command line.
 * SPDX-License-Identifier: Apache-2.0 */
#include "study/sets.h"
#include "model/model.h"
#include "project/check_data.h"
#include "project/study_method.h"

#include "base/alloc.h"

#include <string.h>

#define MAX_VALUES ((size_t)1 << 26)

/* Full rows: defaults, with the design's columns in their places. */
static void fill_rows(const struct ts_workflow *w, struct parameter_sets *sets) {
  const struct ts_design *d = &sets->design;
  size_t *places = ts_calloc(d->column_count + 1, sizeof *places);
  for (size_t c = 0; c < d->column_count; c++) {
    if (!ts_workflow_find_parameter(w, d->names[c], &places[c]))
      TS_BUG("the design varies the unknown parameter '%s'", d->names[c]);
  }
  sets->count = d->row_count;
  sets->values = ts_calloc(d->row_count * w->parameter_count + 1, sizeof *sets->values);
  for (size_t r = 0; r < d->row_count; r++) {
    struct ts_value *row = sets->values + r * w->parameter_count;
    for (size_t p = 0; p < w->parameter_count; p++) row[p] = w->parameters[p].default_value;
    for (size_t c = 0; c < d->column_count; c++) row[places[c]] = d->values[r * d->column_count + c];
  }
  free(places);
}

/* Values of a whole design: some gigabytes. A typing error must not claim all memory. */
static bool is_affordable(const struct study_method *method, const struct ts_space *space, size_t count,
                          struct ts_error *err) {
  size_t rows = method->kind->has_blocks ? space->count + 1 : 1;
  if (count <= MAX_VALUES / (space->count + 1) / rows) return true;
  ts_fail(err, TS_ERR_BAD_VALUE, "'%zu' %s are too many", count, method->kind->count_key);
  ts_error_help(err, "%s", method->kind->usual ? method->kind->usual : "some hundreds are usual");
  return false;
}

/* Designs whose rows belong together vary every parameter by itself. */
static bool accepts_correlation(const struct ts_project *project, const struct study_method *method,
                                const struct space_file *file, struct ts_error *err) {
  if (!file->correlation || method->kind->correlates) return true;
  ts_fail(err, TS_ERR_BAD_VALUE, "the study has correlated parameters, but %s draws each independently",
          method->kind->name);
  ts_error_help(err, "use the method lhs or mc, or remove \"correlations\"");
  ts_json_place(err, &project->doc, "/correlations", TS_JSON_KEY);
  return false;
}

static struct ts_sample_options options_of(const struct ts_project *project, const struct study_method *method,
                                           size_t count, const struct parameter_sets *sets) {
  return (struct ts_sample_options){.count = count,
                                    .seed = ts_study_seed(project),
                                    .skip = method->skip,
                                    .scramble = method->scramble,
                                    .base = method->base,
                                    .second_order = method->second_order,
                                    .levels = method->levels,
                                    .radial = method->radial,
                                    .candidates = method->candidates,
                                    .improve = method->improve,
                                    .correlation = sets->correlation,
                                    .group_of = sets->group_of,
                                    .group_count = sets->group_of ? sets->group_count : 0,
                                    .harmonics = method->harmonics,
                                    .step = method->step};
}

/* Those of the study file. */
static bool read_correlations(const struct ts_project *project, struct space_file *file, struct ts_issues *issues) {
  return ts_space_correlations_read(&project->doc, file, issues);
}

/* Names, groups and correlations of the space; the space itself goes to the sets. */
static bool open_space(const struct ts_project *project, const struct study_method *method, const char *const *only,
                       size_t only_count, struct parameter_sets *sets, struct ts_error *err, struct ts_issues *issues) {
  struct space_file file = {0};
  if (!ts_space_of_workflow(&file.space, project->workflow, only, only_count, err)) {
    if (only_count > 0 && only == project->study.varied)
      ts_json_place(err, &project->doc, "/parameters", TS_JSON_VALUE);
    return false;
  }
  ts_space_file_name(&file);
  sets->space = file.space;
  sets->group_count = file.space.count;
  if (method->kind->moves_groups && file.group_of) {
    sets->group_of = file.group_of;
    sets->group_names = file.group_names;
    sets->group_count = file.group_count;
  }
  const bool ok = project->study.is_bare_workflow || read_correlations(project, &file, issues);
  sets->arena = file.arena; /* owns the names and numbers */
  sets->correlation = file.correlation;
  if (!ok) return false;
  return project->study.is_bare_workflow || accepts_correlation(project, method, &file, err);
}

static bool draw(const struct ts_project *project, const struct study_method *method, size_t count,
                 struct parameter_sets *sets, struct ts_error *err, struct ts_issues *issues) {
  struct ts_sample_options options = options_of(project, method, count, sets);
  struct ts_points points = {0};
  const struct ts_sampler *sampler = ts_sampler_find(method->kind->sampler, err);
  if (!sampler || !is_affordable(method, &sets->space, count, err)) return false;
  if (!sampler->draw(&points, &sets->space, &options, err)) {
    if (method->pointer) ts_json_place(err, &project->doc, method->pointer, TS_JSON_VALUE);
    return false;
  }
  if (points.note) ts_issues_warn_once(issues, "%s", points.note);
  sets->layout = points.layout;
  sets->block_rows = points.block_rows;
  ts_design_of_points(&sets->design, &sets->space, &points);
  ts_points_release(&points);
  return true;
}

bool ts_sets_draw(const struct ts_project *project, const struct study_method *method, const char *const *only,
                  size_t only_count, size_t count, struct parameter_sets *sets, struct ts_issues *issues) {
  struct ts_error err = {0};
  *sets = (struct parameter_sets){0};
  if (open_space(project, method, only, only_count, sets, &err, issues) &&
      draw(project, method, count ? count : method->count, sets, &err, issues)) {
    fill_rows(project->workflow, sets);
    return true;
  }
  return err.code != TS_ERR_OK && ts_issues_fault(issues, &err);
}

bool ts_sets_of_study(const struct ts_project *project, struct parameter_sets *sets, struct ts_issues *issues) {
  *sets = (struct parameter_sets){0};
  if (!project->request->design)
    return ts_sets_draw(project, &project->study.methods[0], project->study.varied, project->study.varied_count, 0,
                        sets, issues) &&
           ts_study_check_names(project, sets, issues) && ts_until_check(project, sets, issues);
  sets->is_given = true;
  sets->block_rows = 1;
  const char *path = ts_request_path(project->request, &sets->arena, project->request->design);
  if (!ts_design_read_csv(&sets->design, project->workflow, path, &issues->faults)) return false;
  ts_warn_about_design(project->workflow, &sets->design, path, issues);
  fill_rows(project->workflow, sets);
  return true;
}

void ts_sets_append(const struct ts_project *project, struct parameter_sets *all, const struct parameter_sets *more,
                    size_t first) {
  struct ts_design *d = &all->design;
  const struct ts_workflow *w = project->workflow;
  size_t added = more->count - first, rows = all->count + added;
  if (d->column_count == 0) { /* the first ones have all columns */
    d->column_count = more->design.column_count;
    d->names = ts_arena_array(&d->arena, d->column_count + 1, sizeof *d->names);
    for (size_t c = 0; c < d->column_count; c++) d->names[c] = ts_arena_strdup(&d->arena, more->design.names[c]);
  }
  struct ts_value *values = ts_arena_array(&d->arena, rows * d->column_count + 1, sizeof *values);
  if (all->count > 0) memcpy(values, d->values, all->count * d->column_count * sizeof *values);
  d->values = values;
  all->values = ts_realloc(all->values, (rows * w->parameter_count + 1) * sizeof *all->values);
  memcpy(all->values + all->count * w->parameter_count, more->values + first * w->parameter_count,
         added * w->parameter_count * sizeof *all->values);
  for (size_t c = 0; c < d->column_count; c++) {
    size_t place = 0;
    ts_workflow_find_parameter(w, d->names[c], &place);
    for (size_t r = all->count; r < rows; r++)
      d->values[r * d->column_count + c] = all->values[r * w->parameter_count + place];
  }
  all->count = d->row_count = rows;
}

static bool apply_setting(const struct ts_project *project, struct parameter_sets *sets,
                          const struct ts_parameter_setting *setting, struct ts_issues *issues) {
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
  ts_design_release(&sets->design);
  ts_space_release(&sets->space);
}
