/* The result object of a study: what --json prints, what the report shows, what the store keeps.
 * SPDX-License-Identifier: Apache-2.0 */
#include "study/study_result.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/csv.h"
#include "report/result.h"

#include <math.h>
#include <string.h>

static json_t *number(double value) { return isfinite(value) ? json_real(value) : json_null(); }

static json_t *inputs_json(const struct session *s) {
  json_t *list = json_array();
  for (size_t i = 0; i < s->dataset.item_count; i++) {
    for (size_t k = 0; k < s->workflow->input_count; k++) {
      const struct ts_item_source *source = &s->dataset.items[i].sources[k];
      char hex[65];
      if (!source->path) continue;
      ts_hex_encode(source->digest.bytes, 32, hex);
      json_array_append_new(
          list, json_pack("{s:s, s:s, s:s}", "input", s->workflow->inputs[k].name, "path", source->path, "hash", hex));
    }
  }
  return list;
}

static json_t *params_json(const struct session *s, const struct study_result *r) {
  json_t *list = json_array();
  for (size_t c = 0; c < r->sets.design.column_count; c++) {
    size_t index = 0;
    ts_workflow_find_parameter(s->workflow, r->sets.design.names[c], &index);
    const struct ts_parameter *p = &s->workflow->parameters[index];
    json_t *object = json_object();
    json_object_set_new(object, "name", json_string(p->name));
    json_object_set_new(object, "type", json_string(ts_value_type_name(p->type)));
    json_object_set_new(object, "help", json_string(p->help));
    json_object_set_new(object, "default", ts_value_to_json(&p->default_value));
    if (p->levels) {
      json_object_set_new(object, "levels", json_integer((json_int_t)p->level_count));
      json_object_set_new(object, "from", ts_value_to_json(&p->levels[0]));
      json_object_set_new(object, "to", ts_value_to_json(&p->levels[p->level_count - 1]));
    } else if (p->has_range) {
      json_object_set_new(object, "range", json_pack("[f, f]", p->range_low, p->range_high));
    }
    json_array_append_new(list, object);
  }
  return list;
}

static json_t *method_json(const struct session *s, const struct study_result *r) {
  if (r->sets.is_given)
    return json_pack("{s:s, s:s, s:I}", "name", "given", "design", s->request->design, "runs",
                     (json_int_t)r->sets.count);
  size_t k = r->sets.design.column_count;
  return json_pack("{s:s, s:I, s:I, s:I, s:I, s:I, s:f}", "name", "morris", "trajectories",
                   (json_int_t)(r->sets.count / (k + 1)), "levels", (json_int_t)s->study.levels, "seed",
                   (json_int_t)(s->request->has_seed ? s->request->seed : s->study.seed), "runs",
                   (json_int_t)r->sets.count, "resamples", (json_int_t)s->study.resamples, "confidence",
                   s->study.confidence);
}

static const char *over_tiles_name(const struct study_output *output) {
  return output->over_tiles == OVER_TILES_SUM ? "sum" : "mean";
}

static json_t *outputs_json(const struct session *s, const struct study_result *r) {
  json_t *list = json_array();
  size_t k = r->sets.design.column_count;
  for (size_t o = 0; o < s->study.output_count; o++) {
    const struct study_output *output = &s->study.outputs[o];
    json_t *object = r->indices ? ts_result_morris_output(output->name, over_tiles_name(output), r->indices + o * k, k)
                                : json_pack("{s:s, s:s}", "name", output->name, "over_tiles", over_tiles_name(output));
    json_object_set_new(object, "label", json_string(output->label));
    json_array_append_new(list, object);
  }
  return list;
}

static json_t *runs_json(const struct session *s, const struct study_result *r) {
  json_t *list = json_array();
  const struct ts_design *d = &r->sets.design;
  for (size_t i = 0; i < r->sets.count; i++) {
    json_t *params = json_object();
    json_t *outputs = json_object();
    for (size_t c = 0; c < d->column_count; c++)
      json_object_set_new(params, d->names[c], ts_value_to_json(&d->values[i * d->column_count + c]));
    for (size_t o = 0; o < s->study.output_count; o++)
      json_object_set_new(outputs, s->study.outputs[o].name, number(r->outputs[o * r->sets.count + i]));
    json_array_append_new(list,
                          json_pack("{s:I, s:o, s:o}", "set", (json_int_t)i, "params", params, "outputs", outputs));
  }
  return list;
}

/* Per tile, the mean over all runs of each output that is made per tile. */
static json_t *tiles_json(const struct session *s, const struct study_result *r) {
  json_t *list = json_array();
  for (size_t t = 0; t < s->dataset.tile_count; t++) {
    const struct ts_region *core = &s->dataset.tiles[t].core;
    json_t *values = json_object();
    for (size_t o = 0; o < s->study.output_count; o++) {
      if (!ts_collector_is_per_tile(r->collector, o)) continue;
      double sum = 0;
      size_t count = 0;
      for (size_t i = 0; i < r->sets.count; i++) {
        double value = ts_collector_tile_value(r->collector, i, o, t);
        sum += isnan(value) ? 0 : value;
        count += isnan(value) ? 0 : 1;
      }
      json_object_set_new(values, s->study.outputs[o].name, number(count ? sum / (double)count : NAN));
    }
    json_array_append_new(list, json_pack("{s:s, s:I, s:I, s:I, s:I, s:o}", "file",
                                          s->dataset.items[s->dataset.tile_items[t]].name, "x", (json_int_t)core->x,
                                          "y", (json_int_t)core->y, "width", (json_int_t)core->width, "height",
                                          (json_int_t)core->height, "values", values));
  }
  return list;
}

struct level {
  uint32_t task;
  size_t distinct;
};

static int compare_levels(const void *a, const void *b) {
  const struct level *x = a;
  const struct level *y = b;
  if (x->distinct != y->distinct) return x->distinct < y->distinct ? -1 : 1;
  return x->task < y->task ? -1 : x->task > y->task;
}

/* Which node of a task a run uses, by walking back from the run's products. */
static void mark_nodes(const struct ts_plan *plan, uint32_t node, uint32_t *node_of_task) {
  if (node == TS_NO_NODE || plan->nodes[node].reference_only) return;
  if (plan->nodes[node].kind == TS_NODE_TASK) {
    if (node_of_task[plan->nodes[node].task] != TS_NO_NODE) return;
    node_of_task[plan->nodes[node].task] = node;
  }
  for (size_t i = 0; i < plan->nodes[node].input_count; i++)
    mark_nodes(plan, plan->nodes[node].inputs[i].node, node_of_task);
}

/* Boxes of one level: neighbouring runs (in the order of execution) that share the node of a task. */
static json_t *level_boxes(const struct ts_plan *plan, const uint32_t *nodes, uint32_t task) {
  json_t *boxes = json_array();
  size_t tasks = plan->workflow->task_count;
  for (size_t from = 0; from < plan->set_count;) {
    uint32_t node = nodes[plan->set_order[from] * tasks + task];
    size_t to = from + 1;
    while (to < plan->set_count && nodes[plan->set_order[to] * tasks + task] == node) to++;
    json_array_append_new(boxes, json_pack("{s:I, s:I, s:I}", "from", (json_int_t)from, "to", (json_int_t)to, "runs",
                                           (json_int_t)(to - from)));
    from = to;
  }
  return boxes;
}

static json_t *tree_json(const struct ts_plan *plan) {
  size_t tasks = plan->workflow->task_count;
  uint32_t *nodes = ts_calloc(plan->set_count * tasks + 1, sizeof *nodes);
  memset(nodes, 0xFF, (plan->set_count * tasks + 1) * sizeof *nodes);
  for (size_t i = 0; i < plan->set_count; i++) {
    for (size_t w = 0; w < plan->wanted_count; w++)
      mark_nodes(plan, plan->products[i * plan->wanted_count + w].node, nodes + i * tasks);
  }
  struct level *levels = ts_calloc(tasks + 1, sizeof *levels);
  size_t count = 0;
  for (uint32_t t = 0; t < tasks; t++) {
    if (plan->active[t]) levels[count++] = (struct level){t, plan->counts[t].distinct};
  }
  qsort(levels, count, sizeof *levels, compare_levels);
  json_t *list = json_array();
  for (size_t i = 0; i < count; i++) {
    const struct ts_task *task = &plan->workflow->tasks[levels[i].task];
    char name[128];
    snprintf(name, sizeof name, "%s.%s", plan->workflow->stages[task->stage].name, task->name);
    json_array_append_new(list, json_pack("{s:s, s:I, s:o}", "task", name, "distinct", (json_int_t)levels[i].distinct,
                                          "boxes", level_boxes(plan, nodes, levels[i].task)));
  }
  free(levels);
  free(nodes);
  return list;
}

static void add_answer(struct session *s, const struct study_result *r, json_t *object) {
  struct ts_str answer = {0};
  const struct study_output *first = &s->study.outputs[0];
  if (r->indices)
    ts_answer_morris(r->indices, r->sets.design.column_count, first->label[0] ? first->label : first->name, &answer);
  else
    ts_str_addf(&answer, "%zu given parameter sets were run; see results.csv for their outputs.", r->sets.count);
  json_object_set_new(object, "answer", json_string(ts_str_get(&answer)));
  ts_str_release(&answer);
}

static const struct ts_morris_index *index_named(const struct study_result *r, const json_t *name) {
  size_t k = r->sets.design.column_count;
  for (size_t i = 0; i < k; i++) {
    if (strcmp(r->indices[i].name, json_string_value(name)) == 0) return &r->indices[i];
  }
  TS_BUG("no index is named '%s'", json_string_value(name));
}

/* Ranks whose intervals overlap are told as a warning, with what would likely settle the first of them. */
static void warn_unsettled(struct session *s, const struct study_result *r, const json_t *outputs) {
  const json_t *pairs = json_object_get(json_array_get(outputs, 0), "unsettled");
  const json_t *first = json_array_get(pairs, 0);
  if (!first) return;
  struct ts_str text = {0};
  for (size_t i = 0; i < json_array_size(pairs) && i < 4; i++) {
    json_t *pair = json_array_get(pairs, i);
    ts_str_addf(&text, "%s%s and %s", i ? ", " : "", json_string_value(json_array_get(pair, 0)),
                json_string_value(json_array_get(pair, 1)));
  }
  size_t more =
      ts_morris_more_trajectories(index_named(r, json_array_get(first, 0)), index_named(r, json_array_get(first, 1)));
  if (more > 0)
    ts_session_warn(s,
                    "neighbouring ranks overlap (%s); about %zu more trajectories would likely separate the first two",
                    ts_str_get(&text), more);
  else
    ts_session_warn(s, "neighbouring ranks overlap (%s)", ts_str_get(&text));
  ts_str_release(&text);
}

static void add_complete(struct session *s, struct study_result *r, json_t *object) {
  json_t *outputs = outputs_json(s, r);
  add_answer(s, r, object);
  if (r->indices) {
    json_object_set_new(object, "indices", json_incref(json_object_get(json_array_get(outputs, 0), "indices")));
    warn_unsettled(s, r, outputs);
  }
  json_object_set_new(object, "outputs", outputs);
  json_object_set_new(object, "tree", tree_json(r->plan));
  json_object_set_new(object, "tiles", tiles_json(s, r));
  json_object_set_new(object, "runs", runs_json(s, r));
  json_object_set_new(object, "pictures", ts_study_pictures_json(r));
  json_object_set_new(object, "report", json_string(r->report_path));
  json_object_set_new(object, "results", json_string(r->results_path));
}

static void add_costs(struct session *s, struct study_result *r, json_t *object) {
  const struct ts_run_result *result = &r->engine.result;
  json_object_set_new(object, "reuse", ts_counts_reuse(s, r->plan, result));
  json_object_set_new(object, "reference", ts_counts_reference(s, r->plan, result));
  json_object_set_new(object, "by_task", ts_counts_by_task(s, r->plan, result, r->progress));
  json_object_set_new(object, "profile", ts_counts_profile(s, result, r->progress));
  json_object_set_new(object, "timeline", ts_progress_timeline(r->progress));
  json_object_set_new(object, "failed", ts_progress_failed(r->progress));
  json_object_set_new(object, "run_s", json_real(result->wall_s));
  json_object_set_new(object, "cpu_s", json_real(result->cpu_total_s));
  json_object_set_new(object, "threads", json_integer((json_int_t)result->threads));
  json_object_set_new(object, "peak_bytes", json_integer((json_int_t)result->peak_bytes));
}

json_t *ts_study_object(struct session *s, struct study_result *r, bool complete) {
  char started[32];
  json_t *object = ts_reply_new("tessera.study/1");
  json_object_set_new(object, "run", json_string(r->run_id));
  json_object_set_new(object, "state", json_string(r->state));
  json_object_set_new(object, "study", json_string(s->study.name));
  json_object_set_new(object, "file", json_string(s->study.path));
  json_object_set_new(object, "question", json_string(s->study.question));
  json_object_set_new(object, "command", json_string(s->request->command ? s->request->command : "tessera study"));
  json_object_set_new(object, "started", json_string(ts_clock_print_utc(r->started_unix_ns, started)));
  json_object_set_new(object, "store", json_string(s->store ? ts_store_path(s->store) : ""));
  json_object_set_new(object, "inputs", inputs_json(s));
  json_object_set_new(object, "params", params_json(s, r));
  json_object_set_new(object, "method", method_json(s, r));
  if (r->plan && r->progress) add_costs(s, r, object);
  if (complete && r->plan) add_complete(s, r, object);
  json_object_set_new(object, "wall_s", json_real((double)(ts_clock_ns() - r->start_ns) / 1e9));
  json_object_set_new(object, "warnings", json_deep_copy(s->warnings));
  json_object_set_new(object, "faults", json_array()); /* as in the reply: the report embeds the same object */
  return object;
}

void ts_study_results_csv(const struct session *s, const struct study_result *r, struct ts_str *csv) {
  const struct ts_design *d = &r->sets.design;
  for (size_t c = 0; c < d->column_count; c++) ts_csv_add_cell(csv, d->names[c], c == 0);
  for (size_t o = 0; o < s->study.output_count; o++)
    ts_csv_add_cell(csv, s->study.outputs[o].name, d->column_count + o == 0);
  ts_str_add_char(csv, '\n');
  ts_auto(ts_str_release) struct ts_str cell = {0};
  for (size_t i = 0; i < r->sets.count; i++) {
    for (size_t c = 0; c < d->column_count; c++) {
      ts_str_clear(&cell);
      ts_value_print(&d->values[i * d->column_count + c], &cell);
      ts_csv_add_cell(csv, ts_str_get(&cell), c == 0);
    }
    for (size_t o = 0; o < s->study.output_count; o++) {
      double value = r->outputs[o * r->sets.count + i];
      ts_str_clear(&cell);
      if (!isnan(value)) ts_str_add_double(&cell, value);
      ts_csv_add_cell(csv, ts_str_get(&cell), d->column_count + o == 0);
    }
    ts_str_add_char(csv, '\n');
  }
}

bool ts_study_most_different(const struct session *s, const struct study_result *r, size_t *set, size_t *tile) {
  double best = -INFINITY;
  if (s->study.output_count == 0 || !ts_collector_is_per_tile(r->collector, 0)) return false;
  for (size_t i = 0; i < r->sets.count; i++) {
    if (r->outputs[i] > best) {
      best = r->outputs[i];
      *set = i;
    }
  }
  double tile_best = -INFINITY;
  for (size_t t = 0; t < s->dataset.tile_count && isfinite(best); t++) {
    double value = ts_collector_tile_value(r->collector, *set, 0, t);
    if (value > tile_best) {
      tile_best = value;
      *tile = t;
    }
  }
  return isfinite(best) && isfinite(tile_best);
}
