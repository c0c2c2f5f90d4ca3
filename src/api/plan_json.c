/* A plan as the reply of `plan` describes it: tasks, buckets, costs and predicted time.
 * SPDX-License-Identifier: Apache-2.0 */
#include "api/plan_int.h"

#include "base/alloc.h"
#include "base/json.h"
#include "base/machine/machine.h"

#include <math.h>
#include <stdlib.h>

/* With buckets, the tasks that they execute; the store is not looked at then. */
static void add_by_task(const struct ts_project *project, const struct ts_plan *plan, const struct ts_run_forecast *f,
                        const struct ts_bucketing *grouping, json_t *object) {
  json_t *list = json_array();
  uint64_t sum[5] = {0};
  for (size_t t = 0; t < project->workflow->task_count; t++) {
    const struct ts_task *task = &project->workflow->tasks[t];
    const struct ts_stage *stage = &project->workflow->stages[task->stage];
    if (!plan->active[t]) continue;
    uint64_t units = ts_dataset_units(&project->dataset, stage->scope);
    uint64_t row[5] = {plan->counts[t].requested * units, plan->counts[t].stage_reused * units,
                       plan->counts[t].task_reused * units, f->stored[t], f->execute[t]};
    if (grouping->wanted) {
      row[3] = 0;
      row[4] = grouping->buckets.executed[t] * units;
      row[2] = row[0] - row[1] - row[4];
    }
    for (size_t i = 0; i < 5; i++) sum[i] += row[i];
    json_array_append_new(list,
                          json_pack("{s:s, s:s, s:I, s:I, s:I, s:I, s:I}", "stage", stage->name, "task", task->name,
                                    "requested", (json_int_t)row[0], "stage_reused", (json_int_t)row[1], "task_reused",
                                    (json_int_t)row[2], "store", (json_int_t)row[3], "executed", (json_int_t)row[4]));
  }
  json_object_set_new(object, "requested", ts_json_count(sum[0]));
  json_object_set_new(object, "executed", ts_json_count(sum[4]));
  json_object_set_new(object, "reuse",
                      json_pack("{s:I, s:I, s:n, s:I}", "stage", (json_int_t)sum[1], "task", (json_int_t)sum[2],
                                "cutoff", "store", (json_int_t)sum[3]));
  json_object_set_new(object, "by_task", list);
}

static json_t *list_buckets(const struct ts_bucketing *grouping, const struct ts_workflow *w) {
  json_t *list = json_array();
  for (size_t b = 0; b < grouping->buckets.count; b++) {
    const struct ts_bucket *bucket = &grouping->buckets.items[b];
    json_t *members = json_array();
    for (size_t i = 0; i < bucket->member_count; i++)
      json_array_append_new(members, json_integer((json_int_t)bucket->members[i]));
    json_array_append_new(list, json_pack("{s:s, s:o, s:I, s:f, s:I}", "stage", w->stages[bucket->stage].name,
                                          "members", members, "tasks", (json_int_t)bucket->tasks, "cost", bucket->cost,
                                          "peak_bytes", (json_int_t)bucket->peak_bytes));
  }
  return list;
}

static json_t *describe(const struct ts_plan_bucket_options *o, const struct ts_plan *plan,
                        const struct ts_stage_forecast *forecasts) {
  struct ts_bucketing_totals sum = ts_bucketing_add_up(plan, forecasts, o->workers);
  json_t *stages = json_array();
  for (size_t s = 0; s < plan->workflow->stage_count; s++) {
    const struct ts_stage_forecast *f = &forecasts[s];
    if (f->members == 0) continue;
    json_array_append_new(stages,
                          json_pack("{s:s, s:I, s:I, s:f, s:f, s:f}", "stage", plan->workflow->stages[s].name,
                                    "members", (json_int_t)f->members, "buckets", (json_int_t)f->bucket_count,
                                    "imbalance", f->imbalance, "makespan", f->makespan, "lower_bound", f->lower_bound));
  }
  const char *keys = !o->merger ? NULL : o->dag ? "dag" : "chain";
  json_t *object = json_pack("{s:s*, s:s, s:I, s:f, s:f, s:f, s:o}", "keys", keys, "cost",
                             o->costs ? "seconds" : "unit", "workers", (json_int_t)o->workers, "imbalance",
                             sum.imbalance, "makespan", sum.makespan, "lower_bound", sum.lower_bound, "stages", stages);
  if (o->merger && o->merger->needs_size)
    json_object_set_new(object, "max_bucket_size", json_integer((json_int_t)o->bucket.max_bucket_size));
  else if (o->merger && !o->split_few)
    json_object_set_new(object, "max_buckets", json_integer((json_int_t)o->bucket.max_buckets));
  return object;
}

/* Tasks whose cost is only a guess. */
static json_t *guessed_tasks(const struct ts_project *project, const struct ts_plan *plan,
                             const struct ts_task_costs *costs) {
  json_t *list = json_array();
  char name[160];
  for (size_t t = 0; costs->knowledge && t < project->workflow->task_count; t++) {
    if (plan->active[t] && costs->knowledge[t] == TS_COST_GUESS)
      json_array_append_new(list, json_string(ts_task_name(project->workflow, t, name, sizeof name)));
  }
  return list;
}

static json_t *prediction_json(const struct ts_prediction *p) {
  json_t *outputs = json_array();
  for (size_t i = 0; i < p->output_count; i++)
    json_array_append_new(outputs, json_pack("{s:s, s:I, s:I}", "output", p->outputs[i].name, "products",
                                             (json_int_t)p->outputs[i].products, "bytes",
                                             (json_int_t)llround(p->outputs[i].bytes)));
  return json_pack("{s:f, s:f, s:f, s:I, s:o}", "cpu_s", p->cpu_s, "cpu_s_most", p->cpu_s_most, "wall_s", p->wall_s,
                   "threads", (json_int_t)p->threads, "outputs", outputs);
}

static void add_costs(struct ts_work *work, const struct ts_plan *plan, const struct ts_bucketing *grouping,
                      const struct ts_run_forecast *f, json_t *object) {
  const struct ts_task_costs *costs = &grouping->costs;
  struct ts_prediction prediction;
  json_object_set_new(object, "costs",
                      json_pack("{s:s, s:s, s:o}", "source", costs->source, "machine", ts_machine_class(), "guessed",
                                guessed_tasks(work->project, plan, costs)));
  if (!costs->seconds || grouping->wanted) return;
  ts_prediction_make(work, plan, costs, f, &prediction);
  json_object_set_new(object, "predicted", prediction_json(&prediction));
}

void ts_plan_describe(struct ts_work *work, const struct ts_plan *plan, const struct ts_bucketing *grouping,
                      const struct ts_run_forecast *f, double planning_s, json_t *object) {
  const json_int_t execute = (json_int_t)f->reference_execute, stored = (json_int_t)f->reference_stored;
  add_by_task(work->project, plan, f, grouping, object);
  json_object_set_new(object, "merge", json_string(ts_merge_name(plan->options.merge)));
  json_object_set_new(
      object, "reference",
      json_pack("{s:I, s:I, s:I}", "requested", execute + stored, "executed", execute, "store", stored));
  json_object_set_new(object, "planning_s", json_real(planning_s));
  json_object_set_new(object, "buckets", list_buckets(grouping, plan->workflow));
  add_costs(work, plan, grouping, f, object);
  if (grouping->wanted)
    json_object_set_new(object, "grouping", describe(&grouping->options, plan, grouping->forecasts));
  if (!grouping->forecast) return;
  ts_auto_free struct ts_stage_forecast *forecasts = ts_plan_forecast_alone(plan, &grouping->options);
  json_object_set_new(object, "grouping", describe(&grouping->options, plan, forecasts));
}
