/* Groups a plan into buckets as the request asks, and says what comes of it; every algorithm side by side.
 * SPDX-License-Identifier: Apache-2.0 */
#include "study/grouping.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/pool.h"

#include <math.h>
#include <string.h>

#define DEFAULT_BUCKET_SIZE 10
#define BUCKETS_PER_WORKER  3
#define MOST_CUTS           500 /* members up to which a comparison includes sca, whose time grows so fast */

/* Bytes of the products of a task on the largest tile; what is not pixels is small. */
static const uint64_t *product_bytes(struct session *s) {
  const struct ts_workflow *w = s->workflow;
  uint64_t *bytes = ts_arena_array(&s->arena, w->task_count + 1, sizeof *bytes);
  uint64_t pixels = 0;
  for (size_t i = 0; i < s->dataset.tile_count; i++) {
    const struct ts_region *region = &s->dataset.tiles[i].region;
    uint64_t area = (uint64_t)region->width * (uint64_t)region->height;
    pixels = area > pixels ? area : pixels;
  }
  for (size_t t = 0; t < w->task_count; t++) {
    const struct ts_op_descriptor *d = w->tasks[t].op->descriptor;
    for (size_t o = 0; o < d->output_count; o++) {
      const struct ts_type *type = ts_type_find(d->outputs[o].type);
      if (type && type->kind == TS_DATA_PIXELS)
        bytes[t] += pixels * (uint64_t)type->channels * ts_element_bytes(type->element);
    }
  }
  return bytes;
}

static bool set_costs(struct ts_plan_bucket_options *options, struct session *s, const struct ts_plan *plan) {
  const char *cost = s->request->cost;
  if (!cost || strcmp(cost, "unit") == 0) return true;
  options->costs = ts_session_read_costs(s, plan, ts_session_path(s, cost));
  return options->costs != NULL;
}

/* Lineage along the chain would not be lineage: its keys are those of the graph unless the request says otherwise. */
static bool wants_dag(const struct session *s, const char *merger) {
  if (s->request->keys) return strcmp(s->request->keys, "dag") == 0;
  return strcmp(merger, "lineage") == 0;
}

static void set_limits(struct ts_plan_bucket_options *options, const struct session *s) {
  const struct ts_request *r = s->request;
  options->workers = r->workers ? r->workers : r->threads ? r->threads : ts_cpu_count();
  options->bucket.max_bucket_size = r->max_bucket_size ? r->max_bucket_size : DEFAULT_BUCKET_SIZE;
  options->bucket.max_buckets = r->max_buckets ? r->max_buckets : BUCKETS_PER_WORKER * options->workers;
  for (int scope = TS_PER_TILE; scope <= TS_PER_DATASET; scope++)
    options->units[scope] = ts_session_units(s, (enum ts_scope)scope);
}

static bool group(struct ts_plan_bucket_options *options, struct session *s, const struct ts_plan *plan,
                  struct ts_buckets *buckets, const struct ts_stage_forecast **forecasts) {
  struct ts_error err = {0};
  if (ts_plan_buckets(plan, options, buckets, forecasts, &err)) return true;
  ts_session_fault(s, &err);
  return false;
}

bool ts_grouping_init(struct ts_grouping *grouping, struct session *s, const struct ts_plan *plan) {
  enum ts_merge merge = plan->options.merge;
  *grouping = (struct ts_grouping){.wanted = ts_merge_needs_buckets(merge) ||
                                             (merge == TS_MERGE_LINEAGE && s->request->max_buckets > 0)};
  if (!grouping->wanted && !s->request->compare) return true;
  struct ts_plan_bucket_options *options = &grouping->options;
  set_limits(options, s);
  options->task_bytes = product_bytes(s);
  if (!set_costs(options, s, plan)) return false;
  if (!grouping->wanted) return true;
  options->merger = ts_merger_find(ts_merge_name(merge));
  options->dag = wants_dag(s, options->merger->name);
  return group(options, s, plan, &grouping->buckets, &grouping->forecasts);
}

bool ts_grouping_options(struct ts_plan_bucket_options *options, struct session *s, const struct ts_plan *plan) {
  *options = (struct ts_plan_bucket_options){.merger = ts_merger_find(ts_merge_name(plan->options.merge))};
  set_limits(options, s);
  options->task_bytes = product_bytes(s);
  options->dag = wants_dag(s, options->merger->name);
  return set_costs(options, s, plan);
}

void ts_grouping_release(struct ts_grouping *grouping) { ts_buckets_release(&grouping->buckets); }

/* Over all stages, one after another. */
struct totals {
  double imbalance; /* the greatest of a stage */
  double makespan, lower_bound;
  size_t buckets; /* per piece of the data */
};

static struct totals add_up(const struct ts_plan *plan, const struct ts_stage_forecast *forecasts, size_t workers) {
  struct totals sum = {0};
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

static json_t *list_buckets(const struct ts_grouping *grouping, const struct ts_workflow *w) {
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

static json_t *describe(const struct ts_grouping *grouping, const struct ts_plan *plan) {
  const struct ts_plan_bucket_options *o = &grouping->options;
  struct totals sum = add_up(plan, grouping->forecasts, o->workers);
  json_t *stages = json_array();
  for (size_t s = 0; s < plan->workflow->stage_count; s++) {
    const struct ts_stage_forecast *f = &grouping->forecasts[s];
    if (f->members == 0) continue;
    json_array_append_new(stages,
                          json_pack("{s:s, s:I, s:I, s:f, s:f, s:f}", "stage", plan->workflow->stages[s].name,
                                    "members", (json_int_t)f->members, "buckets", (json_int_t)f->bucket_count,
                                    "imbalance", f->imbalance, "makespan", f->makespan, "lower_bound", f->lower_bound));
  }
  json_t *object = json_pack("{s:s, s:s, s:I, s:f, s:f, s:f, s:o}", "keys", o->dag ? "dag" : "chain", "cost",
                             o->costs ? "seconds" : "unit", "workers", (json_int_t)o->workers, "imbalance",
                             sum.imbalance, "makespan", sum.makespan, "lower_bound", sum.lower_bound, "stages", stages);
  if (o->merger->needs_size)
    json_object_set_new(object, "max_bucket_size", json_integer((json_int_t)o->bucket.max_bucket_size));
  else
    json_object_set_new(object, "max_buckets", json_integer((json_int_t)o->bucket.max_buckets));
  return object;
}

static bool takes_too_long(const struct ts_plan *plan, const struct ts_merger *merger) {
  bool many = false;
  for (size_t s = 0; s < plan->workflow->stage_count; s++) many = many || plan->instances[s].count > MOST_CUTS;
  return many && strcmp(merger->name, "sca") == 0;
}

/* A row of the comparison; what cannot be done says why. */
static json_t *compare_one(const struct ts_grouping *grouping, const struct session *s, const struct ts_plan *plan,
                           const struct ts_merger *merger, bool dag) {
  struct ts_plan_bucket_options options = grouping->options;
  struct ts_buckets buckets;
  const struct ts_stage_forecast *forecasts = NULL;
  struct ts_error err = {0};
  options.merger = merger;
  options.dag = dag;
  if (!merger->needs_count && !merger->needs_size) /* lineage: one bucket per tile, more only where tiles are few */
    options.bucket.max_buckets = ts_lineage_bucket_count(options.units[TS_PER_TILE], options.workers);
  json_t *row = json_pack("{s:s, s:s}", "merge", merger->name, "keys", dag ? "dag" : "chain");
  if (takes_too_long(plan, merger)) {
    json_object_set_new(row, "refused", json_string("takes long; ask for it with --merge sca"));
    return row;
  }
  uint64_t start_ns = ts_clock_process_cpu_ns();
  if (!ts_plan_buckets(plan, &options, &buckets, &forecasts, &err)) {
    json_object_set_new(row, "refused", json_string(err.text));
    return row;
  }
  double planning_s = (double)(ts_clock_process_cpu_ns() - start_ns) / 1e9;
  struct totals sum = add_up(plan, forecasts, options.workers);
  uint64_t executed = 0;
  for (size_t t = 0; t < s->workflow->task_count; t++)
    executed += buckets.executed[t] * ts_session_units(s, s->workflow->stages[s->workflow->tasks[t].stage].scope);
  json_t *numbers = json_pack("{s:I, s:I, s:f, s:f, s:f, s:f}", "executed", (json_int_t)executed, "buckets",
                              (json_int_t)sum.buckets, "imbalance", sum.imbalance, "makespan", sum.makespan,
                              "lower_bound", sum.lower_bound, "planning_s", planning_s);
  json_object_update(row, numbers);
  json_decref(numbers);
  ts_buckets_release(&buckets);
  return row;
}

static json_t *compare_all(const struct ts_grouping *grouping, const struct session *s, const struct ts_plan *plan) {
  json_t *list = json_array();
  size_t count = 0;
  const struct ts_merger *const *mergers = ts_merger_list(&count);
  for (size_t i = 0; i < count; i++) {
    for (int dag = 0; dag < 2; dag++) json_array_append_new(list, compare_one(grouping, s, plan, mergers[i], dag == 1));
  }
  return list;
}

bool ts_grouping_reply(const struct ts_grouping *grouping, struct session *s, const struct ts_plan *plan,
                       json_t *object) {
  json_object_set_new(object, "buckets", list_buckets(grouping, plan->workflow));
  if (grouping->wanted) json_object_set_new(object, "grouping", describe(grouping, plan));
  if (!s->request->compare) return true;
  if (!plan->instances) {
    struct ts_error err = {0};
    ts_fail(&err, TS_ERR_USAGE, "'--compare' and '--merge %s' do not go together", ts_merge_name(plan->options.merge));
    ts_error_help(&err, "leave out one of the two: the comparison starts from merged stages");
    ts_session_fault(s, &err);
    return false;
  }
  json_object_set_new(object, "workers", json_integer((json_int_t)grouping->options.workers));
  json_object_set_new(object, "compare", compare_all(grouping, s, plan));
  return true;
}
