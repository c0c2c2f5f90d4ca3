/* Groups the stages of a plan into buckets as requested, and describes the result.
 * SPDX-License-Identifier: Apache-2.0 */
#include "work/bucketing.h"

#include "base/alloc.h"
#include "base/pool.h"

#include <math.h>
#include <string.h>

#define DEFAULT_BUCKET_SIZE 10
#define BUCKETS_PER_WORKER  3

/* Bytes of the products of a task on the largest tile: as measured, or of their pixels; other data is small. */
static const uint64_t *product_bytes(struct ts_work *work, const struct ts_task_costs *costs) {
  const struct ts_project *project = work->project;
  const struct ts_workflow *w = project->workflow;
  uint64_t *bytes = ts_arena_array(&work->arena, w->task_count + 1, sizeof *bytes);
  uint64_t pixels = 0;
  for (size_t i = 0; i < project->dataset.tile_count; i++) {
    const struct ts_region *region = &project->dataset.tiles[i].region;
    uint64_t area = (uint64_t)region->width * (uint64_t)region->height;
    pixels = area > pixels ? area : pixels;
  }
  for (size_t t = 0; t < w->task_count; t++) {
    bytes[t] = costs->bytes ? costs->bytes[t] : 0;
    if (bytes[t] > 0) continue;
    const struct ts_op_descriptor *d = w->tasks[t].op->descriptor;
    for (size_t o = 0; o < d->output_count; o++) {
      const struct ts_type *type = ts_type_find(d->outputs[o]->type);
      if (type && type->kind == TS_DATA_PIXELS)
        bytes[t] += pixels * (uint64_t)type->channels * ts_element_bytes(type->element);
    }
  }
  return bytes;
}

/* Lineage along the chain would not be lineage: its keys are those of the graph unless the request says otherwise. */
bool ts_bucketing_wants_dag(const struct ts_request *request, const struct ts_merger *merger) {
  if (request->keys) return strcmp(request->keys, "dag") == 0;
  return strcmp(merger->name, "lineage") == 0;
}

/* Lineage: one bucket per tile (file, dataset) unless the request says otherwise; more where these are few. */
void ts_bucketing_choose(struct ts_plan_bucket_options *options, const struct ts_request *request,
                         const struct ts_merger *merger) {
  options->merger = merger;
  options->dag = ts_bucketing_wants_dag(request, merger);
  options->split_few = !merger->needs_count && !merger->needs_size && request->max_buckets == 0;
}

static void set_limits(struct ts_plan_bucket_options *options, const struct ts_project *project) {
  const struct ts_request *r = project->request;
  options->workers = r->workers ? r->workers : r->threads ? r->threads : ts_cpu_count();
  options->bucket.max_bucket_size = r->max_bucket_size ? r->max_bucket_size : DEFAULT_BUCKET_SIZE;
  options->bucket.memory_limit_bytes = r->max_bucket_bytes;
  options->bucket.max_buckets = r->max_buckets ? r->max_buckets : BUCKETS_PER_WORKER * options->workers;
  for (int scope = 0; scope < TS_SCOPE_COUNT; scope++)
    options->units[scope] = ts_dataset_units(&project->dataset, (enum ts_scope)scope);
}

static bool group(struct ts_plan_bucket_options *options, const struct ts_plan *plan, struct ts_buckets *buckets,
                  const struct ts_stage_forecast **forecasts, struct ts_issues *issues) {
  struct ts_error err = {0};
  if (ts_plan_buckets(plan, options, buckets, forecasts, &err)) return true;
  ts_issues_fault(issues, &err);
  return false;
}

bool ts_bucketing_init(struct ts_bucketing *grouping, struct ts_work *work, const struct ts_plan *plan,
                       struct ts_issues *issues) {
  const struct ts_project *project = work->project;
  enum ts_merge merge = plan->options.merge;
  const struct ts_request *r = project->request;
  bool splits = r->max_buckets > 0 || (!r->compare && (r->workers > 0 || r->picture));
  *grouping = (struct ts_bucketing){.wanted = ts_merge_needs_buckets(merge) || (merge == TS_MERGE_LINEAGE && splits)};
  if (!ts_prediction_task_costs(work, plan, &grouping->costs, issues)) return false;
  grouping->forecast = r->workers > 0 && !ts_merge_shares_tasks(merge);
  if (!grouping->wanted && !grouping->forecast && !r->compare) return true;
  struct ts_plan_bucket_options *options = &grouping->options;
  set_limits(options, project);
  options->task_bytes = product_bytes(work, &grouping->costs);
  options->costs = grouping->costs.seconds;
  if (!grouping->wanted) return true;
  ts_bucketing_choose(options, project->request, ts_merger_find(ts_merge_name(merge)));
  return group(options, plan, &grouping->buckets, &grouping->forecasts, issues);
}

bool ts_bucketing_options(struct ts_plan_bucket_options *options, struct ts_work *work, const struct ts_plan *plan,
                          struct ts_issues *issues) {
  const struct ts_project *project = work->project;
  struct ts_task_costs costs;
  *options = (struct ts_plan_bucket_options){0};
  if (!ts_prediction_task_costs(work, plan, &costs, issues)) return false;
  set_limits(options, project);
  options->task_bytes = product_bytes(work, &costs);
  options->costs = costs.seconds;
  ts_bucketing_choose(options, project->request, ts_merger_find(ts_merge_name(plan->options.merge)));
  return true;
}

void ts_bucketing_release(struct ts_bucketing *grouping) { ts_buckets_release(&grouping->buckets); }

struct ts_bucketing_totals ts_bucketing_add_up(const struct ts_plan *plan, const struct ts_stage_forecast *forecasts,
                                               size_t workers) {
  struct ts_bucketing_totals sum = {0};
  double distinct = 0;
  for (size_t s = 0; s < plan->workflow->stage_count; s++) {
    const struct ts_stage_forecast *f = &forecasts[s];
    sum.imbalance = fmax(sum.imbalance, f->imbalance);
    sum.makespan += f->makespan;
    sum.lower_bound = fmax(sum.lower_bound, f->lower_bound);
    sum.buckets += f->bucket_count;
    distinct += f->distinct_cost;
  }
  sum.lower_bound = fmax(sum.lower_bound, distinct / (double)workers);
  return sum;
}

/* A stage without buckets: n pieces of work of the same cost, none of which shares anything with another. */
static struct ts_stage_forecast forecast_stage(const struct ts_plan *plan, size_t stage,
                                               const struct ts_plan_bucket_options *o) {
  const struct ts_stage *s = &plan->workflow->stages[stage];
  size_t units = o->units[s->scope], n = 0;
  double cost = 0;
  for (size_t t = s->first_task; t < s->first_task + s->task_count; t++) {
    if (!plan->active[t]) continue;
    n = plan->counts[t].distinct;
    cost += o->costs ? o->costs[t] : 1;
  }
  struct ts_bucket *items = ts_calloc(n + 1, sizeof *items);
  for (size_t i = 0; i < n; i++) items[i].cost = cost;
  double work = (double)n * (double)units * cost;
  struct ts_stage_forecast f = {.bucket_count = n, .members = n, .distinct_cost = work};
  f.makespan = ts_buckets_makespan(items, n, units, o->workers);
  f.lower_bound = n > 0 && units > 0 ? fmax(work / (double)o->workers, cost) : 0;
  free(items);
  return f;
}

struct ts_stage_forecast *ts_plan_forecast_alone(const struct ts_plan *plan,
                                                 const struct ts_plan_bucket_options *options) {
  struct ts_stage_forecast *list = ts_calloc(plan->workflow->stage_count + 1, sizeof *list);
  for (size_t s = 0; s < plan->workflow->stage_count; s++) list[s] = forecast_stage(plan, s, options);
  return list;
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

void ts_bucketing_reply(const struct ts_bucketing *grouping, struct ts_work *work, const struct ts_plan *plan,
                        json_t *object) {
  json_object_set_new(object, "buckets", list_buckets(grouping, plan->workflow));
  ts_prediction_add(work, plan, &grouping->costs, grouping->wanted, object);
  if (grouping->wanted)
    json_object_set_new(object, "grouping", describe(&grouping->options, plan, grouping->forecasts));
  if (!grouping->forecast) return;
  struct ts_stage_forecast *forecasts = ts_plan_forecast_alone(plan, &grouping->options);
  json_object_set_new(object, "grouping", describe(&grouping->options, plan, forecasts));
  free(forecasts);
}
