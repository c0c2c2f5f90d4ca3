/* Settles the halo of tiles, and says what depends on it.
 * SPDX-License-Identifier: Apache-2.0 */
#include "project/data/halo.h"
#include "project/units.h"

#include "base/alloc.h"
#include "base/order.h"

#include <math.h>
#include <string.h>
#include <sys/stat.h>

#define FAR_PX 0x1p40 /* beyond any image */

/* ---- The largest values. ---- */

static void raise_to(struct ts_value *largest, const struct ts_value *value) {
  double now = 0, other = 0;
  if (ts_value_number(value, &other) && (!ts_value_number(largest, &now) || other > now)) *largest = *value;
}

/* Whether a study draws values of the parameter: as its space is made, see study/course.c. */
static bool is_varied(const struct study_file *study, const struct ts_parameter *parameter) {
  if (study->varied_count == 0) return study->engine_count == 0;
  for (size_t i = 0; i < study->varied_count; i++)
    if (strcmp(study->varied[i], parameter->name) == 0) return true;
  return false;
}

static void raise_to_space(const struct ts_project *project, struct ts_value *largest) {
  for (size_t p = 0; p < project->workflow->parameter_count; p++) {
    const struct ts_parameter *parameter = &project->workflow->parameters[p];
    if (!is_varied(&project->study, parameter)) continue;
    for (size_t l = 0; l < parameter->level_count; l++) raise_to(&largest[p], &parameter->levels[l]);
    if (parameter->level_count > 0 || !parameter->has_range) continue;
    const struct ts_value top = ts_space_value(parameter, 1, NULL);
    raise_to(&largest[p], &top);
  }
}

/* Of a design that can be read only once, and that is by those who run its sets: the ends of the domains. */
static void raise_to_domains(const struct ts_workflow *w, struct ts_value *largest) {
  for (size_t p = 0; p < w->parameter_count; p++) {
    const double end = fmin(w->parameters[p].domain_high, FAR_PX);
    const bool is_whole = w->parameters[p].type == TS_VALUE_INTEGER;
    const struct ts_value value = is_whole ? ts_value_integer((int64_t)end) : ts_value_real(end);
    if (w->parameters[p].has_domain) raise_to(&largest[p], &value);
  }
}

/* Faults of the file are reported by those who run its sets. */
static void raise_to_design(struct ts_project *project, struct ts_value *largest) {
  const struct ts_workflow *w = project->workflow;
  const char *path = ts_request_path(project->request, &project->arena, project->request->design);
  ts_auto(ts_design_release) struct ts_design design = {0};
  ts_auto(ts_faults_release) struct ts_faults ignored = {0};
  struct stat status;
  if (stat(path, &status) == 0 && !S_ISREG(status.st_mode)) {
    raise_to_domains(w, largest);
    return;
  }
  if (!ts_design_read_csv(&design, w, path, &ignored)) return;
  for (size_t c = 0; c < design.column_count; c++) {
    size_t p = 0;
    if (!ts_workflow_find_parameter(w, design.names[c], &p)) continue;
    for (size_t r = 0; r < design.row_count; r++) raise_to(&largest[p], &design.values[r * design.column_count + c]);
  }
}

/* Of -p NAME=VALUE; a setting that is wrong is reported by those who run its set. */
static void raise_to_settings(struct ts_project *project, struct ts_value *largest) {
  const struct ts_request *request = project->request;
  for (size_t i = 0; i < request->parameter_count; i++) {
    const struct tessera_setting *setting = &request->parameters[i];
    struct ts_value value;
    struct ts_error ignored = {0};
    size_t p = 0;
    if (ts_workflow_find_parameter(project->workflow, setting->name, &p) &&
        ts_value_from_text(setting->value, project->workflow->parameters[p].type, &project->arena, &value, &ignored))
      raise_to(&largest[p], &value);
  }
}

/* Whether how far a task looks depends on a parameter of the workflow. */
static bool has_values(const struct ts_workflow *w) {
  for (size_t t = 0; t < w->task_count; t++) {
    const struct ts_task *task = &w->tasks[t];
    const char *name = task->op->descriptor->radius_parameter;
    size_t index = 0;
    if (name && ts_op_find_parameter(task->op, name, &index) && task->parameters[index].parameter != TS_NONE)
      return true;
  }
  return false;
}

/* Per parameter: of its default, a setting, what the study draws and what a given design has. All calls on one study
 * get one halo from this, whichever of its sets they run, and share their products. */
static const struct ts_value *find_largest(struct ts_project *project) {
  const struct ts_workflow *w = project->workflow;
  struct ts_value *largest = ts_arena_array(&project->arena, w->parameter_count + 1, sizeof *largest);
  for (size_t p = 0; p < w->parameter_count; p++) largest[p] = w->parameters[p].default_value;
  if (!has_values(w)) return largest;
  raise_to_settings(project, largest);
  if (!project->study.is_bare_workflow) raise_to_space(project, largest);
  if (project->request->design) raise_to_design(project, largest);
  return largest;
}

/* ---- The halo. ---- */

static bool is_cut(const struct ts_dataset *dataset) {
  for (size_t i = 0; i < dataset->item_count; i++)
    if (ts_grid_count(&dataset->items[i].grid) > 1) return true;
  return false;
}

static int64_t tile_of(const struct ts_project *project) {
  return project->request->has_tile ? project->request->tile_px : project->study.tile_px;
}

static void find_needed(struct ts_project *project, struct ts_project_halo *halo) {
  const struct ts_workflow *w = project->workflow;
  const struct ts_value *largest = find_largest(project);
  const struct ts_pixel_size finest = ts_units_finest(&project->dataset);
  struct ts_task_reach *reaches = ts_arena_array(&project->arena, w->task_count + 1, sizeof *reaches);
  for (size_t t = 0; t < w->task_count; t++) reaches[t] = ts_task_reach(w, t, largest, &finest);
  ts_halo_find(w, reaches, &project->arena, &halo->needed);
  halo->reaches = reaches;
}

/* That of a work order, if it cut the images into the same tiles. The order of a project that was not run has none. */
static bool find_ordered(const struct ts_project *project, int64_t *px) {
  const struct ts_order *order = project->order ? project->order : project->begun;
  const json_t *grid = order ? project->order_reader->grid(order) : NULL;
  const json_t *halo = json_object_get(grid, "halo");
  *px = json_integer_value(halo);
  return json_is_integer(halo) && json_integer_value(json_object_get(grid, "tile")) == tile_of(project);
}

void ts_project_halo_settle(struct ts_project *project) {
  struct ts_project_halo halo = {.is_given = project->study.has_halo, .is_cut = is_cut(&project->dataset)};
  if (halo.is_cut) find_needed(project, &halo);
  if (halo.is_given)
    halo.px = project->study.halo_px;
  else if (!find_ordered(project, &halo.px))
    halo.px = halo.needed.needed_px;
  project->halo = halo;
}

/* ---- Warnings. ---- */

#define TASKS_NAMED 3
#define STEPS_NAMED 6

/* Wider than most nuclei; larger ones, and tissue that a task looks at as a whole, are still cut. */
#define USUAL_HALO_PX 128

static const char *whole_images(const struct ts_project *project) {
  return project->study.is_bare_workflow ? "--tile 0" : "\"tile\": 0 (or --tile 0)";
}

/* "segment.smooth 5, segment.select 21" */
static void add_path(const struct ts_project *project, struct ts_str *text) {
  const struct ts_halo *needed = &project->halo.needed;
  char name[128];
  for (size_t i = 0; i < needed->path_count && i < STEPS_NAMED; i++)
    ts_str_addf(text, "%s%s %lld", i > 0 ? ", " : "",
                ts_task_name(project->workflow, needed->path[i], name, sizeof name),
                (long long)project->halo.reaches[needed->path[i]].px);
  if (needed->path_count > STEPS_NAMED) ts_str_addf(text, " and %zu more", needed->path_count - STEPS_NAMED);
}

static void warn_small(const struct ts_project *project, struct ts_issues *issues) {
  const struct ts_project_halo *halo = &project->halo;
  ts_auto(ts_str_release) struct ts_str path = {0}, advice = {0};
  if (halo->px >= halo->needed.needed_px) return;
  add_path(project, &path);
  if (halo->is_given)
    ts_str_addf(&advice, "set \"halo\": %lld in the study's data, or leave it out to have it computed",
                (long long)halo->needed.needed_px);
  else
    ts_str_add(&advice, "the run was begun with it; a new run computes its own");
  ts_issues_warn_once(issues,
                      "the halo of %lld px is smaller than the %lld px that tasks look at, one after another (%s): "
                      "results near tile edges depend on the tiling; %s",
                      (long long)halo->px, (long long)halo->needed.needed_px, ts_str_get(&path), ts_str_get(&advice));
}

/* The user did not choose it, and may not expect what it costs. */
static void warn_large(const struct ts_project *project, struct ts_issues *issues) {
  const struct ts_project_halo *halo = &project->halo;
  if (halo->is_given || halo->px <= tile_of(project)) return;
  ts_auto(ts_str_release) struct ts_str path = {0};
  add_path(project, &path);
  ts_issues_warn_once(
      issues,
      "the halo of %lld px (%s) is larger than the tiles of %lld px: most pixels are computed more than "
      "nine times; larger tiles need less work",
      (long long)halo->px, ts_str_get(&path), (long long)tile_of(project));
}

static void warn_tile(const struct ts_project *project, struct ts_issues *issues) {
  const struct ts_project_halo *halo = &project->halo;
  const struct ts_halo *needed = &halo->needed;
  const int64_t usual = ts_larger(USUAL_HALO_PX, needed->needed_px);
  ts_auto(ts_str_release) struct ts_str names = {0}, advice = {0};
  char name[128];
  if (needed->tile_count == 0) return;
  for (size_t i = 0; i < needed->tile_count && i < TASKS_NAMED; i++)
    ts_str_addf(&names, "%s'%s' (%s)", i > 0 ? ", " : "",
                ts_task_name(project->workflow, needed->tile_tasks[i], name, sizeof name),
                project->workflow->tasks[needed->tile_tasks[i]].op->descriptor->name);
  if (needed->tile_count > TASKS_NAMED) ts_str_addf(&names, " and %zu more", needed->tile_count - TASKS_NAMED);
  if (halo->px >= usual)
    ts_str_add(&advice, "a larger halo lowers the effect");
  else
    ts_str_addf(&advice, "%s\"halo\": %lld in %s data lowers the effect",
                project->study.is_bare_workflow ? "a study with " : "", (long long)usual,
                project->study.is_bare_workflow ? "its" : "the study's");
  ts_issues_warn_once(issues,
                      "%s look%s at the whole tile: results near tile edges depend on the tiling, whatever the halo; "
                      "%s, %s for whole images avoids it",
                      ts_str_get(&names), needed->tile_count == 1 ? "s" : "", ts_str_get(&advice),
                      whole_images(project));
}

void ts_project_halo_warn(const struct ts_project *project, struct ts_issues *issues) {
  if (!project->halo.is_cut) return;
  warn_small(project, issues);
  warn_large(project, issues);
  warn_tile(project, issues);
}

/* ---- JSON ---- */

static json_t *name_of(const struct ts_project *project, size_t task) {
  char name[128];
  return json_string(ts_task_name(project->workflow, task, name, sizeof name));
}

json_t *ts_project_halo_json(const struct ts_project *project) {
  const struct ts_project_halo *halo = &project->halo;
  if (!halo->is_cut) return json_null();
  json_t *path = json_array(), *tile_tasks = json_array();
  for (size_t i = 0; i < halo->needed.path_count; i++)
    json_array_append_new(path, json_pack("{s:o, s:I}", "task", name_of(project, halo->needed.path[i]), "px",
                                          (json_int_t)halo->reaches[halo->needed.path[i]].px));
  for (size_t i = 0; i < halo->needed.tile_count; i++)
    json_array_append_new(tile_tasks, name_of(project, halo->needed.tile_tasks[i]));
  return json_pack("{s:I, s:I, s:b, s:o, s:o}", "px", (json_int_t)halo->px, "needed_px",
                   (json_int_t)halo->needed.needed_px, "given", halo->is_given, "path", path, "tile_tasks", tile_tasks);
}
