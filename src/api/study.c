/* The whole walk: file, data, design, plan, run, indices, report; phases and rounds where a study has several.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Start reading at ts_study: each step takes the result of the one before it. */
#include "api/api_int.h"
#include "order/order.h"
#include "project/data/check_data.h"
#include "study/study_result.h"
#include "study/values.h"
#include "work/progress.h"

#include "base/clock.h"

#include <string.h>

static bool is_study(const struct ts_project *project, struct ts_issues *issues) {
  if (!project->study.is_bare_workflow) return true;
  struct ts_error *fault = ts_faults_add(&issues->faults);
  ts_fail(fault, TS_ERR_MISSING_KEY, "'%s' is a workflow, not a study", project->study.path);
  return ts_error_help(fault,
                       "write a study.json that names it, its data, a method and outputs; or use: tessera run %s",
                       project->study.path);
}

/* A refused request leaves no run behind. Also without reuse: the run itself is recorded. */
static bool open_all(struct ts_work *work, struct ts_project *project, struct ts_resumed *resumed,
                     struct study_result *r, struct ts_issues *issues) {
  bool done = false;
  return ts_project_read(project, issues) && is_study(project, issues) &&
         ts_work_open_store(work, project, false, issues) && ts_run_resume(resumed, project, "study", issues) &&
         ts_project_open_dataset(project, true, issues) && ts_study_methods_settle(project, issues) &&
         ts_course_open(&r->course, project, issues) && ts_study_plan_round(work, r, &done, issues) &&
         ts_check_output_folder(project->request, ts_output_study_folder(project, &work->arena), issues) &&
         ts_work_open_trace(work, issues) &&
         ts_run_open(project, resumed, r->plan, r->sets.values, r->sets.count, &r->run, issues);
}

/* What comes after the tasks. */
static const char *const following[] = {TS_PHASE_ANALYSIS, TS_PHASE_TABLES, TS_PHASE_PICTURES, TS_PHASE_REPORT};

static int exit_code(const struct study_result *r) {
  if (strcmp(r->state, "paused") == 0) return 130;
  if (strcmp(r->state, "failed") == 0) return 1;
  return r->found.until.is_used && !r->found.until.is_met ? 4 : 0;
}

int ts_study(const struct ts_request *request, char **reply) { return ts_study_of(request, NULL, NULL, reply); }

int ts_study_of(const struct ts_request *request, const struct ts_order *order, const struct ts_lent_store *lent,
                char **reply) {
  struct ts_issues issues = {0};
  struct ts_project project;
  struct ts_work work;
  struct ts_resumed resumed = {0};
  struct study_result r = {.state = "failed", .started_unix_ns = ts_clock_unix_ns(), .start_ns = ts_clock_ns()};
  json_t *object = ts_reply_new("tessera.study/2");
  ts_project_init(&project, request);
  project.order = order;
  project.order_reader = &ts_order_reader;
  project.lent = lent;
  if (ts_work_init(&work, &project, &issues) && open_all(&work, &project, &resumed, &r, &issues)) {
    ts_study_outputs_warn_tiling(&project, &issues);
    ts_study_name_files(&work, &r);
    /* The results are in the reply and in the store even if files cannot be written. */
    ts_phases_follow(project.phases, following, sizeof following / sizeof *following);
    bool complete = ts_study_run(&work, &r, &issues);
    bool written = complete && ts_study_write_results(&project, &r, &issues) && ts_values_write(&r, &issues) &&
                   ts_study_draw(&work, &r, &issues);
    if (complete && !ts_course_is_given(&r.course)) ts_study_warn_unsettled(&r, &issues);
    ts_study_object(&work, &r, complete, object);
    json_object_set_new(object, "warnings", ts_reply_warnings(&issues));
    json_object_set_new(object, "faults", json_array()); /* as in the reply: the report embeds the same object */
    written = written && ts_study_write_report(&project, &r, object, &issues);
    ts_run_close(work.store, r.run.id, ts_issues_ok(&issues) ? r.state : "failed", object, &issues);
    ts_phase_end(project.phases);
    if (complete && !written) json_object_set_new(object, "report", json_string(""));
  }
  int code = ts_reply_finish(object, exit_code(&r), reply, work.store, &issues);
  ts_study_result_release(&r);
  ts_work_release(&work);
  ts_order_release(&resumed.order);
  ts_project_release(&project);
  return code;
}
