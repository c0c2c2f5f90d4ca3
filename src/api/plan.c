/* Plans a study or run without running it: the same design and planner, and a look into the store.
 * SPDX-License-Identifier: Apache-2.0 */
#include "api/api_int.h"
#include "api/plan_int.h"
#include "project/data/check_data.h"
#include "project/data/halo.h"
#include "project/data/tissue.h"
#include "study/values.h"
#include "work/bucketing.h"
#include "work/engine.h"
#include "work/planning.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/json.h"

/* One run is planned for a bare workflow, and where the request has options of `run` alone. */
static bool is_single(const struct ts_project *project) {
  const struct ts_request *r = project->request;
  const bool has_values = r->parameter_count > 0 || r->values || r->of || r->set || r->best;
  return r->single || project->study.is_bare_workflow || has_values || r->only_stage;
}

/* The comparison and the picture, where the request asks for them. */
static bool add_more(const struct ts_bucketing *grouping, struct ts_work *work, const struct ts_plan *plan,
                     const struct parameter_sets *sets, double plan_s, json_t *object, struct ts_issues *issues) {
  const struct ts_project *project = work->project;
  struct plan_picture *picture = ts_plan_picture_create(project, plan, &grouping->options, issues);
  bool ok = ts_issues_ok(issues);
  if (ok && project->request->compare)
    ok = ts_plan_compare(grouping, project, plan, sets, plan_s, picture, object, issues);
  if (ok && picture && !project->request->compare)
    ts_plan_picture_add(picture, &grouping->options, &grouping->buckets, grouping->forecasts);
  if (ok && picture) ok = ts_plan_picture_write(picture, work, issues);
  if (ok && picture)
    json_object_set_new(object, "picture",
                        json_string(ts_request_path(project->request, &work->arena, project->request->picture)));
  ts_plan_picture_destroy(picture);
  return ok;
}

static bool forecast(struct ts_work *work, const struct parameter_sets *sets, json_t *object,
                     struct ts_issues *issues) {
  const struct ts_project *project = work->project;
  size_t wanted_count = 0;
  struct ts_source *wanted = is_single(project)
                                 ? ts_planning_all_products(work, sets->values, NULL, &wanted_count, issues)
                                 : ts_planning_study_products(work, &wanted_count);
  ts_phase_begin(project->phases, TS_PHASE_PLANNING, 0);
  uint64_t start_ns = ts_clock_process_cpu_ns();
  struct ts_plan *plan = ts_planning_make(work, sets->values, sets->count, wanted, wanted_count, false, issues);
  if (!plan) return false;
  double plan_s = (double)(ts_clock_process_cpu_ns() - start_ns) / 1e9;
  struct ts_bucketing grouping;
  if (!ts_bucketing_init(&grouping, work, plan, issues)) {
    ts_plan_destroy(plan);
    return false;
  }
  double planning_s = (double)(ts_clock_process_cpu_ns() - start_ns) / 1e9;
  struct ts_run_options options = ts_engine_options(work);
  ts_auto(ts_run_forecast_release) struct ts_run_forecast f;
  struct ts_error err = {0};
  bool ok = true;
  if (work->store && !grouping.wanted)
    ok = ts_run_forecast(plan, &project->dataset, &options, &f, &err);
  else
    ts_run_forecast_all(plan, &project->dataset, &f);
  if (ok) {
    ts_plan_describe(work, plan, &grouping, &f, planning_s, object);
    ok = add_more(&grouping, work, plan, sets, plan_s, object, issues);
  } else {
    ts_issues_fault(issues, &err);
  }
  ts_bucketing_release(&grouping);
  ts_plan_destroy(plan);
  return ok;
}

/* The second phase is known in full only where the user names its parameters. */
static json_t *second_phase(const struct ts_project *project, struct ts_issues *issues) {
  const struct ts_strategy_options *method = &project->study.methods[1];
  const struct ts_keep *keep = &project->study.keep;
  bool named = keep->name_count > 0;
  size_t count = 0;
  json_t *object =
      json_pack("{s:s, s:s, s:s}", "name", "second", "method", method->strategy->name, "depends_on", "screening");
  if (ts_course_count_sets(project, method, named ? keep->names : project->study.varied,
                           named ? keep->name_count : project->study.varied_count, &count, issues))
    json_object_set_new(object, named ? "runs" : "runs_most", ts_json_count(count));
  return object;
}

/* Describes the runs that follow those counted here. */
static void add_phases(const struct ts_project *project, const struct study_course *course, json_t *object,
                       struct ts_issues *issues) {
  const struct study_file *study = &project->study;
  const struct ts_design first = ts_course_design(course);
  json_object_set_new(object, "distinct_runs", ts_json_count(ts_design_distinct(&first, NULL)));
  const size_t further = ts_study_most_further(project, course->column_count);
  if (further > 0) json_object_set_new(object, "further_most", ts_json_count(further));
  if (study->until.text) json_object_set_new(object, "until", json_string(study->until.text));
  if (study->phase_count < 2) return;
  json_t *screening = json_pack("{s:s, s:s, s:I}", "name", "screening", "method", study->methods[0].strategy->name,
                                "runs", (json_int_t)first.row_count);
  json_object_set_new(object, "phases", json_pack("[o, o]", screening, second_phase(project, issues)));
}

/* Planning must not create a store: a missing one counts as empty. */
static bool open_existing_store(struct ts_work *work, struct ts_project *project, struct ts_issues *issues) {
  const struct ts_request *request = project->request;
  const char *path = ts_request_path(request, &work->arena, request->store ? request->store : ".tessera");
  return request->no_reuse || project->study.is_measured || !ts_folder_exists(path) ||
         ts_work_open_store(work, project, true, issues);
}

/* A plan needs the rows of a given design alone; a million of them take hundreds of megabytes in either form. Rows
 * borrow strings and lists from the design. */
static void drop_given_design(struct study_course *course) {
  const struct ts_design *given = &course->given;
  bool borrows = given->row_count == 0;
  for (size_t c = 0; !borrows && c < given->column_count; c++)
    borrows = given->values[c].type == TS_VALUE_STRING || given->values[c].type == TS_VALUE_LIST;
  if (!borrows) ts_design_release(&course->given);
}

/* The sets of the first round. */
static bool open_first(struct study_course *course, const struct ts_project *project, struct parameter_sets *sets,
                       struct ts_issues *issues) {
  ts_auto(ts_strategy_batch_release) struct ts_strategy_batch batch = {0};
  if (!ts_course_open(course, project, issues) || !ts_course_ask(course, &batch)) return false;
  ts_sets_append(project->workflow, sets, course->columns, course->column_count, batch.values, batch.count);
  if (ts_course_is_given(course))
    drop_given_design(course);
  else
    ts_history_add(&course->history, batch.values, batch.count);
  return true;
}

/* The file, the store if there is one, the data and the sets. */
static bool open_all(struct ts_work *work, struct ts_project *project, struct study_course *course,
                     struct parameter_sets *sets, struct ts_issues *issues) {
  if (!ts_project_read(project, issues) || !open_existing_store(work, project, issues)) return false;
  const struct ts_request *request = project->request;
  if (request->picture &&
      !ts_check_output_file(request, ts_request_path(request, &work->arena, request->picture), issues))
    return false;
  const bool is_study = !is_single(project);
  if (!ts_values_settle(project, work->store, issues)) return false;
  if (!ts_project_open_dataset(project, is_study, issues)) return false;
  if (!is_study && !request->design) return ts_sets_single(project, sets, issues);
  return ts_study_methods_settle(project, issues) && open_first(course, project, sets, issues);
}

int ts_plan_study(const struct ts_request *request, char **reply) {
  struct ts_issues issues = {0};
  ts_auto(ts_project_release) struct ts_project project;
  ts_auto(ts_work_release) struct ts_work work;
  ts_auto(ts_course_release) struct study_course course = {0};
  ts_auto(ts_sets_release) struct parameter_sets sets = {0};
  ts_project_init(&project, request);
  json_t *object = ts_reply_new("tessera.plan/1");
  if (ts_work_init(&work, &project, &issues) && open_all(&work, &project, &course, &sets, &issues)) {
    work.plans_buckets = true;
    json_object_set_new(object, "name", json_string(project.study.name));
    json_object_set_new(object, "file", json_string(project.study.path));
    json_object_set_new(object, "runs", ts_json_count(sets.count));
    json_object_set_new(object, "files", ts_json_count(project.dataset.item_count));
    json_object_set_new(object, "tiles", ts_json_count(project.dataset.tile_count));
    json_object_set_new(object, "tissue", ts_tissue_json(&project));
    json_object_set_new(object, "halo", ts_project_halo_json(&project));
    forecast(&work, &sets, object, &issues);
    if (!is_single(&project) && !ts_course_is_given(&course)) add_phases(&project, &course, object, &issues);
  }
  return ts_reply_finish(object, 0, reply, work.store, &issues);
}
