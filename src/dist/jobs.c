/* Makes the jobs of a run that are known before it starts.
 * SPDX-License-Identifier: Apache-2.0 */
#include "dist/jobs.h"

#include "base/alloc.h"
#include "base/const.h"
#include "dist/job.h"

#include <stdlib.h>
#include <string.h>

void ts_jobs_release(struct ts_jobs *jobs) {
  for (size_t i = 0; i < jobs->count; i++) free(ts_without_const(jobs->rows[i].body));
  free(jobs->rows);
  *jobs = (struct ts_jobs){0};
}

void ts_jobs_add(struct ts_jobs *jobs, const struct ts_run_part *part, uint32_t phase) {
  struct ts_str body = {0};
  ts_job_print(part, &body);
  jobs->rows = ts_grow(jobs->rows, jobs->count, &jobs->capacity, sizeof *jobs->rows);
  jobs->rows[jobs->count++] =
      (struct ts_bucket_row){.group = part->window, .phase = phase, .body = ts_str_detach(&body)};
}

/* ---- whole windows ---- */
struct sized_window {
  uint32_t window;
  double px;
};

static int larger_first(const void *a, const void *b) {
  const struct sized_window *x = a;
  const struct sized_window *y = b;
  if (x->px != y->px) return x->px > y->px ? -1 : 1;
  return x->window < y->window ? -1 : x->window > y->window;
}

void ts_jobs_of_windows(struct ts_jobs *jobs, const struct ts_plan *plan, const struct ts_dataset *dataset) {
  size_t count = ts_run_window_count(plan, dataset);
  ts_auto_free struct sized_window *windows = ts_calloc(count + 1, sizeof *windows);
  for (size_t g = 0; g < count; g++) windows[g].window = (uint32_t)g;
  for (size_t g = 0; g < count; g++) windows[g].px = ts_dataset_px(dataset, plan->coarsest, g);
  qsort(windows, count, sizeof *windows, larger_first);
  for (size_t g = 0; g < count; g++) ts_jobs_add(jobs, &(struct ts_run_part){.window = windows[g].window}, 0);
}

/* ---- shares of the runs ---- */
struct demands {
  struct ts_run_demand *items; /* owned */
  size_t count, capacity;
  uint64_t *met; /* owned: per node, a bit per port that is among them */
};

static void demand(struct demands *demands, struct ts_node_input product, size_t unit) {
  if (product.node == TS_NO_NODE || demands->met[product.node] >> product.port & 1) return;
  demands->met[product.node] |= UINT64_C(1) << product.port;
  demands->items = ts_grow(demands->items, demands->count, &demands->capacity, sizeof *demands->items);
  demands->items[demands->count++] = (struct ts_run_demand){product.node, product.port, unit};
}

static void forget_demands(struct demands *demands) {
  for (size_t i = 0; i < demands->count; i++) demands->met[demands->items[i].node] = 0;
  demands->count = 0;
}

static int compare_demands(const void *a, const void *b) {
  const struct ts_run_demand *x = a;
  const struct ts_run_demand *y = b;
  if (x->unit != y->unit) return x->unit < y->unit ? -1 : 1;
  if (x->port != y->port) return x->port < y->port ? -1 : 1;
  return x->node < y->node ? -1 : x->node > y->node;
}

/* In an order that is short to write. Empties the demands. */
static void add_job(struct ts_jobs *jobs, struct demands *demands, struct ts_run_part part, uint32_t phase) {
  if (demands->count > 0) qsort(demands->items, demands->count, sizeof *demands->items, compare_demands);
  part.wanted = demands->items;
  part.wanted_count = demands->count;
  if (demands->count > 0) ts_jobs_add(jobs, &part, phase);
  forget_demands(demands);
}

static void release_demands(struct demands *demands) {
  free(demands->items);
  free(demands->met);
}

static void demand_everywhere(struct demands *demands, const struct ts_plan *plan, const struct ts_dataset *dataset,
                              uint32_t window, struct ts_node_input product) {
  size_t first = 0, count = 0;
  if (product.node == TS_NO_NODE || demands->met[product.node] >> product.port & 1) return;
  ts_dataset_related(dataset, plan->coarsest, window, plan->nodes[product.node].scope, &first, &count);
  for (size_t u = first; u < first + count; u++) {
    demands->met[product.node] &= ~(UINT64_C(1) << product.port);
    demand(demands, product, u);
  }
}

void ts_jobs_of_runs(struct ts_jobs *jobs, const struct ts_plan *plan, const struct ts_dataset *dataset,
                     size_t shares) {
  ts_auto(release_demands) struct demands demands = {.met = ts_calloc(plan->node_count + 1, sizeof *demands.met)};
  size_t windows = ts_run_window_count(plan, dataset);
  for (uint32_t g = 0; g < windows; g++) {
    for (size_t share = 0; share < shares; share++) {
      size_t first = share * plan->set_count / shares, end = (share + 1) * plan->set_count / shares;
      for (size_t i = 0; share == 0 && i < plan->wanted_count; i++)
        demand_everywhere(&demands, plan, dataset, g, plan->reference_products[i]);
      for (size_t r = first; r < end; r++) {
        for (size_t i = 0; i < plan->wanted_count; i++)
          demand_everywhere(&demands, plan, dataset, g, plan->products[plan->set_order[r] * plan->wanted_count + i]);
      }
      add_job(jobs, &demands, (struct ts_run_part){.window = g}, 0);
    }
  }
}

/* ---- buckets of stages ---- */
/* The products of one instance of a stage that leave it. */
static void demand_outputs(struct demands *demands, const struct ts_plan *plan, const struct ts_stage *stage,
                           const uint32_t *nodes, size_t unit) {
  for (size_t o = 0; o < stage->output_count; o++) {
    const struct ts_source *source = &stage->outputs[o].source;
    if (source->index < stage->first_task || source->index >= stage->first_task + stage->task_count) continue;
    if (plan->active[source->index])
      demand(demands, (struct ts_node_input){nodes[source->index - stage->first_task], (uint32_t)source->port}, unit);
  }
}

/* Products of the reference run alone do not belong to any bucket. */
static void demand_reference(struct demands *demands, const struct ts_plan *plan, size_t stage_index, size_t unit) {
  const struct ts_stage *stage = &plan->workflow->stages[stage_index];
  for (uint32_t n = 0; n < plan->node_count; n++) {
    const struct ts_node *node = &plan->nodes[n];
    if (node->kind != TS_NODE_TASK || !node->reference_only || plan->workflow->tasks[node->task].stage != stage_index)
      continue;
    for (size_t o = 0; o < stage->output_count; o++) {
      const struct ts_source *source = &stage->outputs[o].source;
      if (source->index == node->task) demand(demands, (struct ts_node_input){n, (uint32_t)source->port}, unit);
    }
  }
}

static const uint32_t *nodes_of_run(const struct ts_plan *plan, size_t stage, uint32_t run,
                                    const uint32_t *instance_of) {
  return plan->instances[stage].nodes + instance_of[run] * plan->workflow->stages[stage].task_count;
}

static int costlier_first(const void *a, const void *b) {
  const struct ts_bucket *x = *(const struct ts_bucket *const *)a;
  const struct ts_bucket *y = *(const struct ts_bucket *const *)b;
  if (x->cost != y->cost) return x->cost > y->cost ? -1 : 1;
  return x < y ? -1 : x > y;
}

/* The buckets of one stage over all windows, the costliest first. */
static void add_stage(struct ts_jobs *jobs, struct demands *demands, const struct ts_plan *plan,
                      const struct ts_dataset *dataset, const struct ts_buckets *buckets,
                      const struct ts_stage_forecast *forecast, size_t stage_index, uint64_t execution) {
  const struct ts_stage *stage = &plan->workflow->stages[stage_index];
  const struct ts_stage_instances *instances = &plan->instances[stage_index];
  ts_auto_free uint32_t *instance_of = ts_calloc(plan->set_count + 1, sizeof *instance_of);
  for (size_t i = 0; i < instances->count; i++) instance_of[instances->runs[i]] = (uint32_t)i;
  const struct ts_bucket **order = ts_calloc(forecast->bucket_count + 1, sizeof *order);
  for (size_t b = 0; b < forecast->bucket_count; b++) order[b] = &buckets->items[forecast->bucket_first + b];
  qsort(order, forecast->bucket_count, sizeof *order, costlier_first);
  size_t windows = ts_run_window_count(plan, dataset);
  struct ts_run_part part = {.keep = true, .execution = execution};
  for (size_t b = 0; b <= forecast->bucket_count; b++) {
    for (part.window = 0; part.window < windows; part.window++) {
      size_t first = 0, count = 0;
      ts_dataset_related(dataset, plan->coarsest, part.window, stage->scope, &first, &count);
      for (size_t u = first; u < first + count; u++) {
        if (b == 0) demand_reference(demands, plan, stage_index, u);
        for (size_t m = 0; b > 0 && m < order[b - 1]->member_count; m++)
          demand_outputs(demands, plan, stage, nodes_of_run(plan, stage_index, order[b - 1]->members[m], instance_of),
                         u);
        add_job(jobs, demands, part, (uint32_t)stage_index);
      }
    }
  }
  free(order);
}

bool ts_jobs_of_buckets(struct ts_jobs *jobs, const struct ts_plan *plan, const struct ts_dataset *dataset,
                        const struct ts_plan_bucket_options *options, uint64_t execution, uint64_t *repeated,
                        struct ts_error *err) {
  const struct ts_workflow *w = plan->workflow;
  struct ts_buckets buckets = {0};
  const struct ts_stage_forecast *forecasts = NULL;
  if (!ts_plan_buckets(plan, options, &buckets, &forecasts, err)) return false;
  ts_auto(release_demands) struct demands demands = {.met = ts_calloc(plan->node_count + 1, sizeof *demands.met)};
  for (size_t s = 0; s < w->stage_count; s++)
    add_stage(jobs, &demands, plan, dataset, &buckets, &forecasts[s], s, execution);
  for (size_t t = 0; t < w->task_count; t++) {
    size_t distinct = plan->counts[t].distinct;
    repeated[t] = buckets.executed[t] > distinct
                      ? (buckets.executed[t] - distinct) * options->units[w->stages[w->tasks[t].stage].scope]
                      : 0;
  }
  ts_buckets_release(&buckets);
  return true;
}
