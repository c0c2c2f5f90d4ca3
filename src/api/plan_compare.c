/* Every way to merge side by side: tasks left to run, buckets, balance, predicted time, planning time.
 * SPDX-License-Identifier: Apache-2.0
 *
 * 'none' and 'stage' have no buckets: each run of a stage, or each distinct one, goes to a worker by itself. */
#include "api/plan_int.h"

#include "base/alloc.h"
#include "base/clock.h"

#include <math.h>
#include <string.h>

#define MOST_CUTS 500 /* members up to which a comparison includes sca on a graph, whose time grows fast */

struct comparison {
  const struct ts_project *project; /* borrowed, as is everything here */
  struct ts_issues *issues;
  const struct ts_bucketing *grouping; /* for limits and costs */
  const struct ts_plan *plan;          /* merged by lineage, with instances */
  const struct parameter_sets *sets;   /* of the plan */
  struct plan_picture *picture;        /* NULL: none */
  json_t *rows;
  double plan_s;
};

static double seconds_since(uint64_t start_ns) { return (double)(ts_clock_process_cpu_ns() - start_ns) / 1e9; }

static void add_row(struct comparison *c, const char *merge, const char *keys, uint64_t executed,
                    const struct ts_bucketing_totals *sum, double planning_s) {
  json_array_append_new(c->rows, json_pack("{s:s, s:s*, s:I, s:I, s:f, s:f, s:f, s:f}", "merge", merge, "keys", keys,
                                           "executed", (json_int_t)executed, "buckets", (json_int_t)sum->buckets,
                                           "imbalance", sum->imbalance, "makespan", sum->makespan, "lower_bound",
                                           sum->lower_bound, "planning_s", planning_s));
}

/* Without sharing of tasks: a plan of its own, every instance of a stage for itself. */
static bool add_level(struct comparison *c, enum ts_merge merge) {
  const struct ts_workflow *w = c->project->workflow;
  const struct ts_plan_bucket_options *o = &c->grouping->options;
  struct ts_plan_options options = c->plan->options;
  struct ts_error err = {0};
  options.merge = merge;
  options.keep_instances = false;
  uint64_t start_ns = ts_clock_process_cpu_ns();
  struct ts_plan *plan = ts_plan_create(w, c->sets->values, c->sets->count, &options, false, &err);
  if (!plan) return ts_issues_fault(c->issues, &err);
  double planning_s = seconds_since(start_ns);
  ts_auto_free struct ts_stage_forecast *forecasts = ts_plan_forecast_alone(plan, o);
  struct ts_bucketing_totals sum = ts_bucketing_add_up(plan, forecasts, o->workers);
  uint64_t executed = 0;
  for (size_t t = 0; t < w->task_count; t++)
    executed += plan->counts[t].distinct * o->units[w->stages[w->tasks[t].stage].scope];
  add_row(c, ts_merge_name(merge), NULL, executed, &sum, planning_s);
  ts_plan_destroy(plan);
  return true;
}

/* A way that fails or would take too long gives the reason; the others continue. */
static void refuse(struct comparison *c, const struct ts_merger *merger, bool dag, const char *why) {
  json_array_append_new(
      c->rows, json_pack("{s:s, s:s, s:s}", "merge", merger->name, "keys", dag ? "dag" : "chain", "refused", why));
  if (c->picture && dag == ts_bucketing_wants_dag(c->project->request, merger))
    ts_plan_picture_refuse(c->picture, merger->name, why);
}

static size_t most_members(const struct ts_plan *plan) {
  size_t most = 0;
  for (size_t s = 0; s < plan->workflow->stage_count; s++)
    most = plan->instances[s].count > most ? plan->instances[s].count : most;
  return most;
}

static void add_merger(struct comparison *c, const struct ts_merger *merger, bool dag) {
  struct ts_plan_bucket_options options = c->grouping->options;
  struct ts_buckets buckets;
  const struct ts_stage_forecast *forecasts = NULL;
  struct ts_error err = {0};
  ts_bucketing_choose(&options, c->project->request, merger);
  options.dag = dag;
  if (dag && strcmp(merger->name, "sca") == 0 && most_members(c->plan) > MOST_CUTS) {
    refuse(c, merger, dag, "takes long; ask for it with --merge sca --keys dag");
    return;
  }
  uint64_t start_ns = ts_clock_process_cpu_ns();
  if (!ts_plan_buckets(c->plan, &options, &buckets, &forecasts, &err)) {
    refuse(c, merger, dag, err.text);
    return;
  }
  double planning_s = c->plan_s + seconds_since(start_ns);
  struct ts_bucketing_totals sum = ts_bucketing_add_up(c->plan, forecasts, options.workers);
  const struct ts_workflow *w = c->project->workflow;
  uint64_t executed = 0;
  for (size_t t = 0; t < w->task_count; t++)
    executed += buckets.executed[t] * options.units[w->stages[w->tasks[t].stage].scope];
  add_row(c, merger->name, dag ? "dag" : "chain", executed, &sum, planning_s);
  if (c->picture && dag == ts_bucketing_wants_dag(c->project->request, merger))
    ts_plan_picture_add(c->picture, &options, &buckets, forecasts);
  ts_buckets_release(&buckets);
}

bool ts_plan_compare(const struct ts_bucketing *grouping, const struct ts_project *project, const struct ts_plan *plan,
                     const struct parameter_sets *sets, double plan_s, struct plan_picture *picture, json_t *object,
                     struct ts_issues *issues) {
  if (!plan->instances)
    return ts_issues_usage(issues, "leave out '--merge': the comparison has every way to merge",
                           "'--compare' and '--merge %s' do not go together", ts_merge_name(plan->options.merge));
  struct comparison c = {project, issues, grouping, plan, sets, picture, json_array(), plan_s};
  bool ok = add_level(&c, TS_MERGE_NONE) && add_level(&c, TS_MERGE_STAGE);
  size_t count = 0;
  const struct ts_merger *const *mergers = ts_merger_list(&count);
  for (size_t i = 0; ok && i < 2 * count; i++) {
    bool dag = i % 2 == 1;
    if (project->request->keys && dag != ts_bucketing_wants_dag(project->request, mergers[i / 2])) continue;
    add_merger(&c, mergers[i / 2], dag);
  }
  json_object_set_new(object, "workers", json_integer((json_int_t)grouping->options.workers));
  json_object_set_new(object, "cost", json_string(grouping->options.costs ? "seconds" : "unit"));
  json_object_set_new(object, "compare", c.rows);
  return ok;
}
