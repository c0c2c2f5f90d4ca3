/* Predicts the time of a plan: seconds per task from the requested source, and the time of the whole run.
 * SPDX-License-Identifier: Apache-2.0 */
#include "work/bucketing.h"
#include "work/costs.h"

#include "base/alloc.h"
#include "base/pool.h"

#include <math.h>
#include <string.h>

/* The first task that the model knows nothing about; TS_NONE if there is none. */
static size_t read_model(struct ts_work *work, const struct ts_plan *plan, struct ts_task_costs *costs) {
  const struct ts_workflow *w = work->project->workflow;
  double *seconds = ts_arena_array(&work->arena, w->task_count + 1, sizeof *seconds);
  double *shares = ts_arena_array(&work->arena, w->task_count + 1, sizeof *shares);
  uint64_t *bytes = ts_arena_array(&work->arena, w->task_count + 1, sizeof *bytes);
  enum ts_cost_knowledge *knowledge = ts_arena_array(&work->arena, w->task_count + 1, sizeof *knowledge);
  size_t unknown = TS_NONE;
  for (size_t t = 0; t < w->task_count; t++) {
    if (!plan->active[t]) continue;
    struct ts_call_forecast call = ts_costs_forecast(work, w->tasks[t].op, w->stages[w->tasks[t].stage].scope);
    seconds[t] = call.seconds;
    shares[t] = call.executed_share;
    bytes[t] = call.most_bytes;
    knowledge[t] = call.knowledge;
    if (call.knowledge == TS_COST_UNKNOWN && unknown == TS_NONE) unknown = t;
  }
  *costs = (struct ts_task_costs){
      .source = "model", .seconds = seconds, .executed_shares = shares, .bytes = bytes, .knowledge = knowledge};
  return unknown;
}

static bool fail_unknown(const struct ts_project *project, size_t task, struct ts_issues *issues) {
  struct ts_error err = {0};
  char name[160];
  ts_fail(&err, TS_ERR_USAGE, "the store does not know what '%s' costs",
          ts_task_name(project->workflow, task, name, sizeof name));
  ts_error_help(&err, "run the workflow or study once, or leave out '--cost model'");
  return ts_issues_fault(issues, &err);
}

bool ts_prediction_task_costs(struct ts_work *work, const struct ts_plan *plan, struct ts_task_costs *costs,
                              struct ts_issues *issues) {
  const struct ts_project *project = work->project;
  const char *asked = project->request->cost;
  bool wants_model = asked && strcmp(asked, "model") == 0;
  *costs = (struct ts_task_costs){.source = "unit"};
  if (asked && strcmp(asked, "unit") == 0) return true;
  if (asked && !wants_model) {
    costs->source = "file";
    costs->seconds = ts_cost_file_read(work, plan, ts_request_path(project->request, &work->arena, asked), issues);
    return costs->seconds != NULL;
  }
  size_t unknown = read_model(work, plan, costs);
  if (unknown == TS_NONE) return true;
  if (wants_model) return fail_unknown(project, unknown, issues);
  *costs = (struct ts_task_costs){.source = "unit"};
  return true;
}

static void add_task(struct ts_prediction *sum, const struct ts_request *request, const struct ts_task_costs *costs,
                     size_t task, double calls) {
  bool cutoff = costs->executed_shares && !request->no_cutoff && !request->no_reuse;
  sum->cpu_s_most += calls * costs->seconds[task];
  sum->cpu_s += calls * costs->seconds[task] * (cutoff ? costs->executed_shares[task] : 1);
}

static void add_up_tasks(const struct ts_project *project, const struct ts_plan *plan,
                         const struct ts_task_costs *costs, const struct ts_run_forecast *forecast,
                         struct ts_prediction *sum) {
  const struct ts_workflow *w = project->workflow;
  const double execute = (double)forecast->reference_execute;
  const double requested = execute + (double)forecast->reference_stored,
               share = requested > 0 ? execute / requested : 0;
  for (size_t t = 0; t < w->task_count; t++) {
    if (!plan->active[t]) continue;
    double units = (double)ts_project_task_units(project, t);
    double calls = (double)forecast->execute[t] + share * units * (double)plan->counts[t].reference_distinct;
    add_task(sum, project->request, costs, t, calls);
  }
}

/* Reading of the data, if anything is to be computed from it. */
static double reading_seconds(struct ts_work *work, const struct ts_plan *plan) {
  const struct ts_project *project = work->project;
  double sum = 0;
  for (size_t n = 0; n < plan->node_count; n++) {
    const struct ts_node *node = &plan->nodes[n];
    const struct ts_op *op = NULL;
    if (node->kind != TS_NODE_SOURCE || !ts_costs_operation(project, node, &op)) continue;
    sum += ts_costs_forecast(work, op, node->scope).seconds * (double)ts_dataset_units(&project->dataset, node->scope);
  }
  return sum;
}

/* The longest way through the graph: no number of threads is faster. */
static double longest_seconds(const struct ts_plan *plan, const struct ts_task_costs *costs) {
  ts_auto_free double *end = ts_calloc(plan->node_count + 1, sizeof *end);
  double longest = 0;
  for (size_t n = 0; n < plan->node_count; n++) {
    const struct ts_node *node = &plan->nodes[n];
    for (size_t i = 0; i < node->input_count; i++) {
      if (node->inputs[i].node != TS_NO_NODE) end[n] = fmax(end[n], end[node->inputs[i].node]);
    }
    if (node->kind == TS_NODE_TASK) end[n] += costs->seconds[node->task];
    longest = fmax(longest, end[n]);
  }
  return longest;
}

/* The output of a stage that a task's port is; NULL: none. */
static const char *output_name(const struct ts_workflow *w, const struct ts_source *source, char *name, size_t size) {
  const struct ts_stage *stage = &w->stages[w->tasks[source->index].stage];
  for (size_t o = 0; o < stage->output_count; o++) {
    if (stage->outputs[o].source.index == source->index && stage->outputs[o].source.port == source->port)
      return ts_join_names(stage->name, stage->outputs[o].name, name, size);
  }
  return NULL;
}

static size_t distinct_products(const struct ts_plan *plan, size_t wanted) {
  ts_auto_free bool *met = ts_calloc(plan->node_count + 1, sizeof *met);
  size_t count = 0;
  for (size_t s = 0; s < plan->set_count; s++) {
    const uint32_t node = plan->products[s * plan->wanted_count + wanted].node;
    if (node == TS_NO_NODE || met[node]) continue;
    met[node] = true;
    count++;
  }
  return count;
}

/* How large the outputs of all sets will be, where the bytes of their ports are known. */
static void predict_outputs(struct ts_work *work, const struct ts_plan *plan, struct ts_prediction *prediction) {
  const struct ts_project *project = work->project;
  const struct ts_workflow *w = project->workflow;
  char text[160];
  prediction->outputs = ts_arena_array(&work->arena, plan->wanted_count + 1, sizeof *prediction->outputs);
  for (size_t i = 0; i < plan->wanted_count; i++) {
    const struct ts_source *source = &plan->options.wanted[i];
    const char *name = source->kind == TS_SOURCE_TASK ? output_name(w, source, text, sizeof text) : NULL;
    if (!name) continue;
    const enum ts_scope scope = w->stages[w->tasks[source->index].stage].scope;
    const struct ts_call_forecast call = ts_costs_forecast(work, w->tasks[source->index].op, scope);
    const double products = (double)distinct_products(plan, i) * (double)ts_dataset_units(&project->dataset, scope);
    if (source->port >= call.port_count) continue;
    prediction->outputs[prediction->output_count++] = (struct ts_output_prediction){
        ts_arena_strdup(&work->arena, name), products, products * call.port_bytes[source->port]};
  }
}

void ts_prediction_make(struct ts_work *work, const struct ts_plan *plan, const struct ts_task_costs *costs,
                        const struct ts_run_forecast *forecast, struct ts_prediction *prediction) {
  const size_t threads = work->project->request->threads;
  *prediction = (struct ts_prediction){.threads = threads ? threads : ts_cpu_count()};
  add_up_tasks(work->project, plan, costs, forecast, prediction);
  double reading = prediction->cpu_s_most > 0 && costs->knowledge ? reading_seconds(work, plan) : 0;
  double least = prediction->cpu_s > 0 ? fmin(longest_seconds(plan, costs), prediction->cpu_s) : 0;
  prediction->cpu_s += reading;
  prediction->cpu_s_most += reading;
  prediction->wall_s = fmax(prediction->cpu_s / (double)prediction->threads, least);
  if (costs->knowledge) predict_outputs(work, plan, prediction);
}
