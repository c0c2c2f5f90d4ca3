/* Checks files without running anything.
 * SPDX-License-Identifier: Apache-2.0 */
#include "api/api_int.h"
#include "project/data/check_data.h"
#include "project/data/halo.h"
#include "project/units.h"
#include "study/course.h"
#include "work/planning.h"

#include "base/alloc.h"

#include <string.h>

static size_t varied_count(const struct ts_workflow *w) {
  size_t count = 0;
  for (size_t p = 0; p < w->parameter_count; p++)
    count += w->parameters[p].levels || w->parameters[p].has_range ? 1 : 0;
  return count;
}

static void add_summary(struct ts_project *project, json_t *object, struct ts_issues *issues) {
  const struct ts_workflow *w = project->workflow;
  json_t *summary =
      json_pack("{s:I, s:I, s:I, s:I}", "stages", (json_int_t)w->stage_count, "tasks", (json_int_t)w->task_count,
                "parameters", (json_int_t)w->parameter_count, "varied", (json_int_t)varied_count(w));
  if (project->dataset.item_count > 0) {
    json_object_set_new(summary, "files", json_integer((json_int_t)project->dataset.item_count));
    json_object_set_new(summary, "tiles", json_integer((json_int_t)project->dataset.tile_count));
  }
  if (!project->study.is_bare_workflow) {
    ts_auto(ts_course_release) struct study_course course = {0};
    ts_auto(ts_strategy_batch_release) struct ts_strategy_batch batch = {0};
    if (ts_study_methods_settle(project, issues) && ts_course_open(&course, project, issues) &&
        ts_course_ask(&course, &batch))
      json_object_set_new(summary, "runs", json_integer((json_int_t)batch.count));
  }
  json_object_set_new(object, "summary", summary);
}

/* Where results would go, without leaving anything there. */
static void check_outputs(const struct ts_project *project, struct ts_arena *arena, struct ts_issues *issues) {
  const struct ts_request *request = project->request;
  if (project->study.is_bare_workflow ||
      ts_check_output_folder(request, ts_output_study_folder(project, arena), issues))
    ts_check_output_folder(request, ts_output_run_folder(project, NULL, arena), issues);
}

static void warn(struct ts_work *work, struct ts_issues *issues) {
  const struct ts_project *project = work->project;
  size_t count = 0;
  ts_warn_about_defaults(project->workflow, issues);
  if (project->dataset.tile_count == 0) return;
  struct ts_source *wanted = ts_planning_all_products(work, NULL, NULL, &count, issues);
  ts_warn_about_files(project, wanted, count, issues);
  ts_study_outputs_warn_tiling(project, issues);
}

void ts_check_project(struct ts_work *work, struct ts_project *project, json_t *object, struct ts_issues *issues) {
  const struct study_file *study = &project->study;
  const char *named = project->request->file;
  bool read = ts_work_init(work, project, issues) && ts_project_read(project, issues);
  /* The data of a study is looked at even if another part of it is wrong: all faults at once. */
  if (project->workflow && (!study->is_bare_workflow || project->request->data_count > 0))
    ts_project_open_dataset(project, !study->is_bare_workflow, issues);
  if (project->workflow && project->dataset.tile_count > 0) ts_units_check_space(project, issues);
  if (read) check_outputs(project, &work->arena, issues);
  json_object_set_new(object, "file", json_string(study->path ? study->path : named ? named : ""));
  json_object_set_new(object, "kind", json_string(study->is_bare_workflow ? "workflow" : "study"));
  json_object_set_new(object, "halo", ts_project_halo_json(project));
  if (read && project->workflow) add_summary(project, object, issues);
  if (read && ts_issues_ok(issues)) warn(work, issues);
  json_object_set_new(object, "ok", json_boolean(ts_issues_ok(issues)));
}

int ts_check(const struct ts_request *request, char **reply) {
  struct ts_issues issues = {0};
  ts_auto(ts_project_release) struct ts_project project;
  ts_auto(ts_work_release) struct ts_work work;
  json_t *object = ts_reply_new("tessera.check/1");
  ts_project_init(&project, request);
  ts_check_project(&work, &project, object, &issues);
  return ts_reply_finish(object, 0, reply, NULL, &issues);
}
