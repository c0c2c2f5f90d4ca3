/* Predicts the time of a plan: seconds per task from the requested source, and the time of the whole run.
 * SPDX-License-Identifier: Apache-2.0 */
#include "work/bucketing.h"
#include "work/costs.h"

#include "base/alloc.h"
#include "base/machine.h"
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
  ts_issues_fault(issues, &err);
  return false;
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

struct sums {
  double cpu_s;      /* with as much early cutoff as there was so far */
  double cpu_s_most; /* without any */
};

static void add_task(struct sums *sums, const struct ts_request *request, const struct ts_task_costs *costs,
                     size_t task, double calls) {
  bool cutoff = costs->executed_shares && !request->no_cutoff && !request->no_reuse;
  sums->cpu_s_most += calls * costs->seconds[task];
  sums->cpu_s += calls * costs->seconds[task] * (cutoff ? costs->executed_shares[task] : 1);
}

static double number_of(const json_t *object, const char *name) {
  return json_number_value(json_object_get(object, name));
}

/* Rows of `by_task` are the active tasks in their order. */
static struct sums add_up_tasks(const struct ts_project *project, const struct ts_plan *plan,
                                const struct ts_task_costs *costs, const json_t *object) {
  const json_t *rows = json_object_get(object, "by_task");
  const json_t *reference = json_object_get(object, "reference");
  double requested = number_of(reference, "requested");
  double share = requested > 0 ? number_of(reference, "executed") / requested : 0;
  struct sums sums = {0};
  size_t row = 0;
  for (size_t t = 0; t < project->workflow->task_count; t++) {
    if (!plan->active[t]) continue;
    double units =
        (double)ts_dataset_units(&project->dataset, project->workflow->stages[project->workflow->tasks[t].stage].scope);
    double calls = number_of(json_array_get(rows, row++), "executed");
    add_task(&sums, project->request, costs, t, calls + share * units * (double)plan->counts[t].reference_distinct);
  }
  return sums;
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
static json_t *predict_outputs(struct ts_work *work, const struct ts_plan *plan) {
  const struct ts_project *project = work->project;
  const struct ts_workflow *w = project->workflow;
  json_t *list = json_array();
  char text[160];
  for (size_t i = 0; i < plan->wanted_count; i++) {
    const struct ts_source *source = &plan->options.wanted[i];
    const char *name = source->kind == TS_SOURCE_TASK ? output_name(w, source, text, sizeof text) : NULL;
    if (!name) continue;
    const enum ts_scope scope = w->stages[w->tasks[source->index].stage].scope;
    const struct ts_call_forecast call = ts_costs_forecast(work, w->tasks[source->index].op, scope);
    const double products = (double)distinct_products(plan, i) * (double)ts_dataset_units(&project->dataset, scope);
    if (source->port >= call.port_count) continue;
    json_array_append_new(list, json_pack("{s:s, s:I, s:I}", "output", name, "products", (json_int_t)products, "bytes",
                                          (json_int_t)llround(products * call.port_bytes[source->port])));
  }
  return list;
}

void ts_prediction_add(struct ts_work *work, const struct ts_plan *plan, const struct ts_task_costs *costs,
                       bool buckets, json_t *object) {
  const struct ts_project *project = work->project;
  json_object_set_new(object, "costs",
                      json_pack("{s:s, s:s, s:o}", "source", costs->source, "machine", ts_machine_class(), "guessed",
                                guessed_tasks(project, plan, costs)));
  if (!costs->seconds || buckets) return;
  size_t threads = project->request->threads ? project->request->threads : ts_cpu_count();
  struct sums sums = add_up_tasks(project, plan, costs, object);
  double reading = sums.cpu_s_most > 0 && costs->knowledge ? reading_seconds(work, plan) : 0;
  double least = sums.cpu_s > 0 ? fmin(longest_seconds(plan, costs), sums.cpu_s) : 0;
  sums.cpu_s += reading;
  sums.cpu_s_most += reading;
  json_object_set_new(object, "predicted",
                      json_pack("{s:f, s:f, s:f, s:I, s:o}", "cpu_s", sums.cpu_s, "cpu_s_most", sums.cpu_s_most,
                                "wall_s", fmax(sums.cpu_s / (double)threads, least), "threads", (json_int_t)threads,
                                "outputs", costs->knowledge ? predict_outputs(work, plan) : json_array()));
}
