/* From a plan to buckets: the distinct instances of each stage, their keys along the chain or the graph of tasks.
 * SPDX-License-Identifier: Apache-2.0
 *
 * A node of the plan is (task, parameters, inputs), so two instances share a task of the graph exactly when they
 * have the same node. Along the chain a task is shared only if all earlier ones are: (node, previous key). */
#include "plan/bucket.h"
#include "plan/plan_int.h"

#include "base/alloc.h"

#include <string.h>

void ts_plan_keep_instances(struct builder *b) {
  struct ts_plan *plan = b->plan;
  const struct ts_workflow *w = plan->workflow;
  plan->instances = ts_arena_array(&plan->arena, w->stage_count + 1, sizeof *plan->instances);
  for (size_t i = 0; i < ts_map_count(&b->stage_map); i++) {
    const struct known_stage *known = ts_map_value_at(&b->stage_map, i)->pointer;
    plan->instances[known->stage].count++;
  }
  uint32_t **nodes = ts_arena_array(&b->scratch, w->stage_count + 1, sizeof *nodes);
  uint32_t **runs = ts_arena_array(&b->scratch, w->stage_count + 1, sizeof *runs);
  for (size_t s = 0; s < w->stage_count; s++) {
    struct ts_stage_instances *instances = &plan->instances[s];
    nodes[s] = ts_arena_array(&plan->arena, instances->count * w->stages[s].task_count + 1, sizeof **nodes);
    runs[s] = ts_arena_array(&plan->arena, instances->count + 1, sizeof **runs);
    *instances = (struct ts_stage_instances){.count = instances->count, .nodes = nodes[s], .runs = runs[s]};
  }
  for (size_t i = 0; i < ts_map_count(&b->stage_map); i++) {
    const struct known_stage *known = ts_map_value_at(&b->stage_map, i)->pointer;
    const struct ts_stage *stage = &w->stages[known->stage];
    *runs[known->stage]++ = known->run;
    for (size_t t = 0; t < stage->task_count; t++)
      *nodes[known->stage]++ = plan->active[stage->first_task + t] ? known->nodes[t] : TS_NO_NODE;
  }
}

/* The input of one stage; arrays owned. */
struct stage_input {
  struct ts_bucket_input input;
  uint32_t *keys;
  size_t *tasks; /* the active tasks of the stage, as indices in the workflow */
  double *costs;
  uint64_t *bytes;
  bool *reads;
};

static void stage_input_release(struct stage_input *in) {
  free(in->keys);
  free(in->tasks);
  free(in->costs);
  free(in->bytes);
  free(in->reads);
}

/* Numbers the keys from 0 in the order of first appearance; all are below `bound`. */
static size_t make_dense(uint32_t *keys, size_t count, size_t bound) {
  ts_auto_free uint32_t *number = ts_malloc((bound + 1) * sizeof *number);
  memset(number, 0xff, (bound + 1) * sizeof *number);
  size_t used = 0;
  for (size_t i = 0; i < count; i++) {
    if (number[keys[i]] == UINT32_MAX) number[keys[i]] = (uint32_t)used++;
    keys[i] = number[keys[i]];
  }
  return used;
}

static void fill_keys(struct stage_input *in, const struct ts_plan *plan, size_t stage_index, bool dag) {
  const struct ts_stage *stage = &plan->workflow->stages[stage_index];
  const struct ts_stage_instances *instances = &plan->instances[stage_index];
  size_t tasks = in->input.task_count;
  in->keys = ts_malloc((instances->count * tasks + 1) * sizeof *in->keys);
  for (size_t m = 0; m < instances->count; m++) {
    const uint32_t *nodes = instances->nodes + m * stage->task_count;
    for (size_t t = 0; t < tasks; t++) in->keys[m * tasks + t] = nodes[in->tasks[t] - stage->first_task];
  }
  in->input.key_count = dag ? make_dense(in->keys, instances->count * tasks, plan->node_count)
                            : ts_chain_keys(in->keys, instances->count, tasks, in->keys);
  in->input.chain = !dag;
  in->input.keys = in->keys;
}

static void fill_reads(struct stage_input *in, const struct ts_workflow *w) {
  size_t tasks = in->input.task_count;
  in->reads = ts_calloc(tasks * tasks + 1, sizeof *in->reads);
  for (size_t t = 0; t < tasks; t++) {
    const struct ts_task *task = &w->tasks[in->tasks[t]];
    for (size_t i = 0; i < task->op->descriptor->input_count; i++) {
      for (size_t u = 0; u < t; u++)
        in->reads[t * tasks + u] |= task->inputs[i].kind == TS_SOURCE_TASK && task->inputs[i].index == in->tasks[u];
    }
  }
  in->input.reads = in->reads;
}

static void stage_input_init(struct stage_input *in, const struct ts_plan *plan, size_t stage_index,
                             const struct ts_plan_bucket_options *options) {
  const struct ts_stage *stage = &plan->workflow->stages[stage_index];
  *in = (struct stage_input){.input.member_count = plan->instances[stage_index].count};
  in->tasks = ts_calloc(stage->task_count + 1, sizeof *in->tasks);
  in->costs = ts_calloc(stage->task_count + 1, sizeof *in->costs);
  in->bytes = ts_calloc(stage->task_count + 1, sizeof *in->bytes);
  for (size_t t = stage->first_task; t < stage->first_task + stage->task_count; t++) {
    if (!plan->active[t]) continue;
    size_t at = in->input.task_count++;
    in->tasks[at] = t;
    in->costs[at] = options->costs ? options->costs[t] : 1;
    in->bytes[at] = options->task_bytes ? options->task_bytes[t] : 0;
  }
  if (in->input.task_count == 0) in->input.member_count = 0; /* no product of this stage is wanted */
  if (options->costs) in->input.costs = in->costs;
  if (options->task_bytes) in->input.bytes = in->bytes;
  if (in->input.member_count == 0) return;
  fill_keys(in, plan, stage_index, options->dag);
  fill_reads(in, plan->workflow);
}

void ts_stage_keys_init(struct ts_stage_keys *keys, const struct ts_plan *plan, size_t stage, bool dag) {
  const struct ts_plan_bucket_options options = {.dag = dag};
  ts_auto(stage_input_release) struct stage_input in;
  stage_input_init(&in, plan, stage, &options);
  *keys = (struct ts_stage_keys){.member_count = in.input.member_count,
                                 .task_count = in.input.task_count,
                                 .key_count = in.input.key_count,
                                 .keys = in.keys,
                                 .tasks = in.tasks};
  in.keys = NULL;
  in.tasks = NULL;
}

void ts_stage_keys_release(struct ts_stage_keys *keys) {
  free(keys->keys);
  free(keys->tasks);
  *keys = (struct ts_stage_keys){0};
}

/* Appends the buckets of one stage: run numbers instead of member numbers, tasks of the workflow instead of the
 * stage. */
static void append(struct ts_buckets *all, size_t *capacity, const struct ts_buckets *of_stage,
                   const struct stage_input *in, const struct ts_plan *plan, size_t stage) {
  for (size_t b = 0; b < of_stage->count; b++) {
    struct ts_bucket bucket = of_stage->items[b];
    uint32_t *runs = ts_arena_array(&all->arena, bucket.member_count, sizeof *runs);
    for (size_t i = 0; i < bucket.member_count; i++) runs[i] = plan->instances[stage].runs[bucket.members[i]];
    bucket.members = runs;
    bucket.stage = stage;
    all->items = ts_grow(all->items, all->count, capacity, sizeof *all->items);
    all->items[all->count++] = bucket;
  }
  for (size_t t = 0; t < in->input.task_count; t++) all->executed[in->tasks[t]] = of_stage->executed[t];
}

static bool add_stage(struct ts_buckets *all, size_t *capacity, struct ts_stage_forecast *forecast,
                      const struct ts_plan *plan, size_t stage, const struct ts_plan_bucket_options *options,
                      struct ts_error *err) {
  size_t units = options->units[plan->workflow->stages[stage].scope];
  size_t workers = options->workers ? options->workers : 1;
  ts_auto(stage_input_release) struct stage_input in;
  ts_auto(ts_buckets_release) struct ts_buckets buckets = {0};
  struct ts_bucket_options limits = options->bucket;
  if (options->split_few) limits.max_buckets = ts_lineage_bucket_count(units, workers);
  stage_input_init(&in, plan, stage, options);
  bool ok = in.input.member_count == 0 || ts_buckets_make(&buckets, options->merger, &in.input, &limits, err);
  if (!ok) ts_error_context(err, "grouping stage '%s'", plan->workflow->stages[stage].name);
  if (ok) {
    forecast->members = in.input.member_count;
    forecast->bucket_first = all->count;
    forecast->bucket_count = buckets.count;
    forecast->imbalance = ts_buckets_imbalance(buckets.items, buckets.count);
    forecast->makespan = ts_buckets_makespan(buckets.items, buckets.count, units, workers);
    ts_bucket_distinct(&in.input, &forecast->distinct_cost);
    forecast->distinct_cost *= (double)units;
    forecast->lower_bound = ts_bucket_lower_bound(&in.input, units, workers);
    if (in.input.member_count > 0) append(all, capacity, &buckets, &in, plan, stage);
  }
  return ok;
}

bool ts_plan_buckets(const struct ts_plan *plan, const struct ts_plan_bucket_options *options,
                     struct ts_buckets *buckets, const struct ts_stage_forecast **forecasts, struct ts_error *err) {
  const struct ts_workflow *w = plan->workflow;
  if (!plan->instances) TS_BUG("buckets of a plan without instances");
  *buckets = (struct ts_buckets){0};
  buckets->executed = ts_arena_array(&buckets->arena, w->task_count + 1, sizeof *buckets->executed);
  struct ts_stage_forecast *list = ts_arena_array(&buckets->arena, w->stage_count + 1, sizeof *list);
  size_t capacity = 0;
  bool ok = true;
  for (size_t s = 0; ok && s < w->stage_count; s++) ok = add_stage(buckets, &capacity, &list[s], plan, s, options, err);
  struct ts_bucket *items = buckets->items;
  buckets->items = ts_arena_memdup(&buckets->arena, items, buckets->count * sizeof *items);
  free(items);
  if (forecasts) *forecasts = list;
  if (!ok) ts_buckets_release(buckets);
  return ok;
}
