/* One parameter set over the data: every output of the workflow as files.
 * SPDX-License-Identifier: Apache-2.0 */
#include "api/api_int.h"
#include "order/order.h"
#include "project/data/check_data.h"
#include "project/data/halo.h"
#include "project/data/tissue.h"
#include "study/sets.h"
#include "study/values.h"
#include "work/engine.h"
#include "work/files/write_products.h"
#include "work/planning.h"
#include "work/progress.h"
#include "work/quality.h"
#include "work/workers.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/file.h"

#include <stdlib.h>
#include <string.h>

struct run_state {
  struct ts_resumed resumed;
  struct ts_recorded run;
  const char *state;
  struct parameter_sets sets;
  struct ts_plan *plan;
  const char **names; /* of the products; in the arena of the work */
  struct progress *progress;
  struct engine_run engine;
  struct product_writer writer;
  struct quality *quality; /* owned */
};

static json_t *outputs_json(const struct product_writer *writer) {
  json_t *list = json_array();
  for (size_t i = 0; i < writer->output_count; i++) json_array_append_new(list, json_string(writer->outputs[i]));
  return list;
}

static json_t *skipped_json(const struct ts_work *work) {
  json_t *list = json_array();
  for (size_t i = 0; i < work->skipped_count; i++)
    json_array_append_new(
        list, json_pack("{s:s, s:s}", "output", work->skipped[i].product, "reason", work->skipped[i].reason));
  return list;
}

static bool make_plan(struct ts_work *work, struct run_state *r, struct ts_issues *issues) {
  const struct ts_project *project = work->project;
  size_t total = 0;
  ts_phase_begin(project->phases, TS_PHASE_PLANNING, 0);
  for (size_t i = 0; i < project->workflow->stage_count; i++) total += project->workflow->stages[i].output_count;
  r->names = ts_arena_array(&work->arena, total + 1, sizeof *r->names);
  size_t count = 0;
  struct ts_source *wanted = ts_planning_all_products(work, r->sets.values, r->names, &count, issues);
  if (ts_issues_ok(issues)) ts_warn_about_files(project, wanted, count, issues);
  if (ts_issues_ok(issues))
    r->plan = ts_planning_make(work, r->sets.values, r->sets.count, wanted, count, false, issues);
  return r->plan && ts_workers_check(work, r->plan, issues);
}

static bool execute(struct ts_work *work, struct run_state *r, struct ts_issues *issues) {
  const struct ts_project *project = work->project;
  r->quality = ts_quality_create(project, r->plan);
  r->writer = (struct product_writer){.work = work,
                                      .project = project,
                                      .issues = issues,
                                      .plan = r->plan,
                                      .values = r->sets.values,
                                      .run = r->run.id,
                                      .names = r->names,
                                      .quality = r->quality};
  r->progress = ts_progress_create(work, project, r->plan, r->run.id, ts_workers_threads(project->request));
  ts_progress_number_tasks(r->progress, r->run.next_task);
  r->engine = (struct engine_run){.work = work,
                                  .issues = issues,
                                  .plan = r->plan,
                                  .values = r->sets.values,
                                  .run_id = r->run.id,
                                  .command = "run",
                                  .progress = r->progress,
                                  .user = &r->writer,
                                  .on_product = ts_write_product};
  static const char *const following[] = {TS_PHASE_WRITING};
  ts_phases_follow(project->phases, following, 1);
  ts_write_products_begin(&r->writer);
  ts_progress_begin(r->progress);
  bool ok = ts_engine_run(&r->engine);
  r->state = r->engine.result.stopped ? "paused" : ts_progress_any_failed(r->progress) ? "failed" : "done";
  ts_progress_end(r->progress, issues);
  ts_phase_begin(project->phases, TS_PHASE_WRITING, 0);
  ts_write_products_end(&r->writer, ok ? r->state : "failed", ok && !r->engine.result.stopped);
  return ok;
}

static void describe(struct ts_work *work, struct run_state *r, json_t *object) {
  const struct ts_project *project = work->project;
  const struct ts_run_result *result = &r->engine.result;
  json_object_set_new(object, "run", json_string(r->run.id));
  json_object_set_new(object, "state", json_string(r->state));
  json_object_set_new(object, "name", json_string(project->study.name));
  json_object_set_new(object, "file", json_string(project->study.path));
  json_object_set_new(object, "params", ts_reply_values(r->sets.values, project->workflow));
  if (project->values_from) json_object_set_new(object, "values_from", json_string(project->values_from));
  json_object_set_new(object, "tissue", ts_tissue_json(project));
  json_object_set_new(object, "halo", ts_project_halo_json(project));
  json_object_set_new(object, "outputs", outputs_json(&r->writer));
  json_object_set_new(object, "skipped", skipped_json(work));
  ts_quality_json(r->quality, object);
  json_object_set_new(object, "reuse", ts_counts_reuse(project, r->plan, result));
  json_object_set_new(object, "reference", ts_counts_reference(project, r->plan, result));
  json_object_set_new(object, "by_task", ts_counts_by_task(project, r->plan, result, r->progress));
  json_object_set_new(object, "profile", ts_counts_profile(project, result, r->progress));
  json_object_set_new(object, "failed", ts_counts_failed(r->progress));
  json_object_set_new(object, "failures", ts_counts_failures(r->progress));
  json_object_set_new(object, "threads", json_integer((json_int_t)result->threads));
  if (result->workers > 0) {
    json_object_set_new(object, "workers", json_integer((json_int_t)result->workers));
    json_object_set_new(object, "buckets", json_integer((json_int_t)result->buckets));
  }
  json_object_set_new(object, "peak_bytes", json_integer((json_int_t)result->peak_bytes));
  json_object_set_new(object, "wall_s", json_real(result->wall_s));
  json_object_set_new(object, "cpu_s", json_real(result->cpu_total_s));
}

static int exit_code(const struct run_state *r) {
  if (strcmp(r->state, "paused") == 0) return 130;
  return strcmp(r->state, "failed") == 0 ? 1 : 0;
}

int ts_run_workflow(const struct ts_request *request, char **reply) { return ts_run_of(request, NULL, NULL, reply); }

/* Requests that cannot be met are refused here, before a run is recorded. */
static bool open_all(struct ts_work *work, struct ts_project *project, struct run_state *r, struct ts_issues *issues) {
  return ts_project_read(project, issues) && ts_work_open_store(work, project, false, issues) &&
         ts_run_resume(&r->resumed, project, "run", issues) && ts_values_settle(project, work->store, issues) &&
         ts_project_open_dataset(project, false, issues) && ts_sets_single(project, &r->sets, issues) &&
         make_plan(work, r, issues) && ts_run_folder_check(project, &work->arena, issues) &&
         ts_work_open_trace(work, issues) &&
         ts_run_open(project, &r->resumed, r->plan, r->sets.values, r->sets.count, &r->run, issues);
}

int ts_run_of(const struct ts_request *request, const struct ts_order *order, const struct ts_lent_store *lent,
              char **reply) {
  struct ts_issues issues = {0};
  struct ts_project project;
  struct ts_work work;
  struct run_state r = {.state = "failed"};
  ts_project_init(&project, request);
  project.order = order;
  project.order_reader = &ts_order_reader;
  project.lent = lent;
  json_t *object = ts_reply_new("tessera.run/2");
  if (ts_work_init(&work, &project, &issues) && open_all(&work, &project, &r, &issues)) {
    ts_study_outputs_warn_tiling(&project, &issues);
    execute(&work, &r, &issues);
    describe(&work, &r, object);
    ts_run_close(work.store, r.run.id, ts_issues_ok(&issues) ? r.state : "failed", object, &issues);
    ts_phase_end(project.phases);
  }
  int code = ts_reply_finish(object, exit_code(&r), reply, work.store, &issues);
  ts_run_result_release(&r.engine.result);
  ts_progress_destroy(r.progress);
  ts_write_products_release(&r.writer);
  ts_plan_destroy(r.plan);
  ts_sets_release(&r.sets);
  ts_quality_destroy(r.quality);
  ts_recorded_release(&r.run);
  ts_work_release(&work);
  ts_order_release(&r.resumed.order);
  ts_project_release(&project);
  return code;
}
