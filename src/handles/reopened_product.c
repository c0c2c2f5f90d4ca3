/* One product of a recorded run: a plan of one set with one wanted product, and the engine in the window of its unit.
 * SPDX-License-Identifier: Apache-2.0 */
#include "handles/reopened.h"

#include "base/alloc.h"
#include "run/run.h"
#include "work/engine.h"
#include "work/failures.h"
#include "work/planning.h"

#include <string.h>

/* The product that is waited for. */
struct awaited {
  struct ts_run_demand demand;
  struct ts_data *data; /* owned reference */
};

static void keep_product(void *user, uint32_t node, uint32_t port, size_t unit, struct ts_data *data) {
  struct awaited *awaited = user;
  const struct ts_run_demand *demand = &awaited->demand;
  if (node == demand->node && port == demand->port && unit == demand->unit && !awaited->data)
    awaited->data = ts_data_ref(data);
}

/* ---- what may be asked for ---- */

static const struct ts_stage *stage_of(const struct ts_project *project, const struct ts_source *source) {
  return &project->workflow->stages[project->workflow->tasks[source->index].stage];
}

static bool was_left_out(const struct ts_project *project, const struct ts_source *source, const char *output,
                         struct ts_error *err) {
  const char *only = project->request->only_stage;
  if (only && strcmp(only, stage_of(project, source)->name) != 0) {
    ts_fail(err, TS_ERR_BAD_VALUE, "the run made the stage '%s' alone, not '%s'", only, output);
    ts_error_help(err, "ask for an output of that stage, or for a run of all stages");
    return true;
  }
  if (only || ts_plan_can_make(project->workflow, project->supplied, source)) return false;
  const size_t missing = ts_reference_missing(project, source->index);
  ts_auto(ts_arena_release) struct ts_arena arena = {0};
  ts_fail(err, TS_ERR_NO_PRODUCER, "'%s' needs the input '%s', for which the data has no files", output,
          missing == TS_NONE ? "?" : project->workflow->inputs[missing].name);
  if (missing != TS_NONE) ts_error_help(err, "%s", ts_reference_advice(&arena, project->workflow, missing));
  return true;
}

static bool find_source(const struct ts_project *project, const struct ts_reopened_wish *wish, struct ts_source *source,
                        struct ts_error *err) {
  if (!ts_workflow_find_output(project->workflow, wish->output, source, err)) return false;
  if (was_left_out(project, source, wish->output, err)) return false;
  const enum ts_scope scope = stage_of(project, source)->scope;
  const size_t units = ts_dataset_units(&project->dataset, scope);
  if (wish->unit < units) return true;
  ts_fail(err, TS_ERR_BAD_VALUE, "'%s' has no unit %zu", wish->output, wish->unit);
  ts_error_help(err, "its stage runs per %s: units are 0 to %zu", ts_scope_name(scope), units > 0 ? units - 1 : 0);
  return false;
}

/* ---- computing it ---- */

/* Why there is no product: the first task that failed. */
static void report_failure(const struct progress *progress, const struct ts_reopened_wish *wish,
                           struct ts_issues *issues) {
  size_t count = 0;
  const struct ts_failed_task *failed = ts_failures_list(ts_progress_failures(progress), &count);
  struct ts_error err = {0};
  if (count > 0) {
    err = failed[0].error;
    ts_error_context(&err, "making '%s' in task %s", wish->output, failed[0].task);
  } else {
    ts_fail(&err, TS_ERR_TASK_FAILED, "'%s' was not made", wish->output);
  }
  ts_issues_fault(issues, &err);
}

static void execute(struct ts_work *work, const struct ts_plan *plan, const struct ts_reopened_wish *wish,
                    struct awaited *awaited, struct ts_issues *issues) {
  const struct ts_project *project = work->project;
  const enum ts_scope scope = plan->nodes[awaited->demand.node].scope;
  const struct ts_run_part part = {.window = ts_run_window_of(plan, &project->dataset, scope, wish->unit),
                                   .wanted = &awaited->demand,
                                   .wanted_count = 1,
                                   .keep = true}; /* who asks once often asks again */
  struct progress *progress = ts_progress_create(work, project, plan, "", 1);
  struct engine_run run = {.work = work,
                           .issues = issues,
                           .plan = plan,
                           .part = &part,
                           .run_id = "",
                           .progress = progress,
                           .quiet_store = true,
                           .user = awaited,
                           .on_product = keep_product};
  if (ts_engine_run(&run) && !awaited->data) report_failure(progress, wish, issues);
  ts_run_result_release(&run.result);
  ts_progress_destroy(progress);
}

static void make(struct ts_work *work, const struct ts_value *values, const struct ts_source *source,
                 const struct ts_reopened_wish *wish, struct awaited *awaited, struct ts_issues *issues) {
  struct ts_plan *plan = ts_planning_make(work, values, 1, source, 1, false, issues);
  if (!plan) return;
  awaited->demand =
      (struct ts_run_demand){.node = plan->products[0].node, .port = plan->products[0].port, .unit = wish->unit};
  execute(work, plan, wish, awaited, issues);
  ts_plan_destroy(plan);
}

struct ts_data *ts_reopened_product(const struct ts_reopened *reopened, const struct ts_reopened_place *place,
                                    const struct ts_reopened_wish *wish, struct ts_issues *issues) {
  const struct ts_project *project = &reopened->project;
  struct ts_work work;
  struct ts_source source;
  struct ts_error err = {0};
  struct awaited awaited = {.data = NULL};
  if (!find_source(project, wish, &source, &err)) {
    ts_issues_fault(issues, &err);
    return NULL;
  }
  if (ts_work_init(&work, project, issues)) {
    work.store = place->store;
    const struct ts_value *values = ts_reopened_set(reopened, place, wish->set, &work.arena, issues);
    if (values) make(&work, values, &source, wish, &awaited, issues);
  }
  work.has_lent_store = true;
  ts_work_release(&work);
  struct ts_error ignored = {0}; /* what was computed is not kept, and need not be */
  if (place->read_only) ts_store_flush(place->store, &ignored);
  return awaited.data;
}
