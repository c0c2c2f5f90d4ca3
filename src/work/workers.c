/* Runs a plan by worker processes: describes it to them, and counts their messages as a run by threads would.
 * SPDX-License-Identifier: Apache-2.0 */
#include "work/workers.h"
#include "order/order.h"

#include "base/alloc.h"
#include "base/budget.h"
#include "base/log.h"
#include "base/pool.h"
#include "dist/dist.h"
#include "work/bucketing.h"

#include <stdlib.h>

size_t ts_workers_threads(const struct ts_request *r) {
  if (r->workers == 0) return r->threads ? r->threads : ts_cpu_count();
  size_t share = ts_cpu_count() / r->workers;
  return r->workers * (r->threads ? r->threads : share ? share : 1);
}

/* What a worker needs: the order of the plan, where this machine has its files, and its own share of the machine. */
static char *describe(const struct engine_run *run, const struct ts_run_options *options) {
  const struct ts_project *project = run->work->project;
  const size_t workers = project->request->workers;
  ts_auto_free char *resume = ts_engine_resume_line(run);
  json_t *object = json_object();
  json_object_set_new(object, "order", ts_order_write(project, run->plan, run->values, run->plan->set_count));
  json_object_set_new(object, "locations", ts_order_locations(project, true));
  json_object_set_new(object, "run", json_string(run->run_id));
  json_object_set_new(object, "threads", json_integer((json_int_t)(ts_workers_threads(project->request) / workers)));
  json_object_set_new(object, "memory_bytes", json_integer((json_int_t)(options->memory_bytes / workers)));
  json_object_set_new(object, "scratch_bytes", json_integer((json_int_t)ts_budget_scratch_bytes()));
  json_object_set_new(object, "keep_all", json_boolean(options->keep_all));
  json_object_set_new(object, "resume", json_string(resume));
  json_object_set_new(object, "log_level", json_integer(ts_log_get_level()));
  char *text = ts_json_dump(object, true, false);
  json_decref(object);
  return text;
}

static size_t stage_of(const struct engine_run *run, size_t task) {
  return run->work->project->workflow->tasks[task].stage;
}

static void on_planned(void *user, size_t task, uint64_t repeated) {
  struct engine_run *run = user;
  run->planned_repeated += repeated;
  if (run->progress) ts_progress_expect(run->progress, stage_of(run, task), (int64_t)repeated);
}

/* An unplanned repetition makes the work longer. */
static void on_repeated(void *user, const struct ts_task_event *event) {
  struct engine_run *run = user;
  if (!run->progress) return;
  size_t stage = stage_of(run, run->plan->nodes[event->node].task);
  if (run->planned_repeated > 0)
    run->planned_repeated--;
  else
    ts_progress_expect(run->progress, stage, 1);
  ts_progress_task(run->progress, event);
}

/* A worker finds all faults at once, as this process would. */
static void on_fault(void *user, const struct ts_error *fault) {
  const struct engine_run *run = user;
  ts_issues_fault(run->issues, fault);
}

/* This process may be any program: what it was started from is not asked. */
static bool has_program(const struct ts_request *request, struct ts_issues *issues) {
  struct ts_error err = {0};
  if (request->program) return true;
  ts_fail(&err, TS_ERR_USAGE, "worker processes need the path of the program tessera, and the request has none");
  ts_error_help(&err, "set 'program' in the request, or leave 'workers' at 0");
  ts_issues_fault(issues, &err);
  return false;
}

bool ts_workers_check(struct ts_work *work, const struct ts_plan *plan, struct ts_issues *issues) {
  struct ts_task_costs costs;
  struct ts_plan_bucket_options options;
  struct ts_buckets buckets = {0};
  const struct ts_stage_forecast *forecasts = NULL;
  struct ts_error err = {0};
  if (work->project->request->workers == 0) return true;
  if (!has_program(work->project->request, issues)) return false;
  if (!ts_merge_needs_buckets(plan->options.merge)) return ts_prediction_task_costs(work, plan, &costs, issues);
  if (!ts_bucketing_options(&options, work, plan, issues)) return false;
  bool ok = ts_plan_buckets(plan, &options, &buckets, &forecasts, &err);
  if (ok)
    ts_buckets_release(&buckets);
  else
    ts_issues_fault(issues, &err);
  return ok;
}

/* Seconds per task if the request gives them, or the store has measured all of them here; NULL otherwise. */
static const double *known_costs(struct ts_work *work, const struct ts_plan *plan, struct ts_issues *issues) {
  const struct ts_project *project = work->project;
  struct ts_task_costs costs;
  size_t task_count = project->workflow->task_count;
  if (!ts_prediction_task_costs(work, plan, &costs, issues)) return NULL;
  if (!costs.seconds && project->request->cost) {
    double *ones = ts_arena_array(&work->arena, task_count + 1, sizeof *ones);
    for (size_t t = 0; t < task_count; t++) ones[t] = 1;
    return ones;
  }
  for (size_t t = 0; costs.knowledge && t < task_count; t++) {
    if (plan->active[t] && costs.knowledge[t] != TS_COST_MEASURED) return NULL;
  }
  return costs.seconds;
}

void ts_workers_bucket_options(struct ts_run_options *options) { options->no_cutoff = options->stages_only = true; }

bool ts_workers_run(struct engine_run *run, const struct ts_run_options *options, struct ts_error *err) {
  struct ts_work *work = run->work;
  const struct ts_project *project = work->project;
  const bool buckets = ts_merge_needs_buckets(run->plan->options.merge);
  struct ts_run_options changed = *options;
  struct ts_plan_bucket_options grouping = {0};
  changed.store = work->store;
  changed.threads = ts_workers_threads(project->request) / project->request->workers;
  if (buckets) ts_workers_bucket_options(&changed);
  if (buckets && !ts_bucketing_options(&grouping, work, run->plan, run->issues)) return false;
  ts_auto_free char *description = describe(run, &changed);
  const struct ts_dist_options dist = {.workers = project->request->workers,
                                       .program = project->request->program,
                                       .description = description,
                                       .grouping = buckets ? &grouping : NULL,
                                       .run = changed,
                                       .costs = buckets ? NULL : known_costs(work, run->plan, run->issues),
                                       .no_store = project->request->no_reuse,
                                       .lease_s = (double)project->request->lease_s,
                                       .on_fault = on_fault,
                                       .on_repeated = on_repeated,
                                       .on_planned = on_planned};
  return ts_dist_run(run->plan, &project->dataset, &dist, &run->result, err);
}
