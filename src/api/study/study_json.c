/* The result object of a study: printed by --json, shown by the report, kept by the store.
 * SPDX-License-Identifier: Apache-2.0 */
#include "api/api_int.h"
#include "api/study/best_text.h"
#include "model/model.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/json.h"
#include "project/data/halo.h"
#include "project/data/resolution.h"
#include "project/data/split.h"
#include "project/data/tissue.h"
#include "report/result.h"

#include <math.h>
#include <string.h>

static json_t *inputs_json(const struct ts_project *project) {
  json_t *list = json_array();
  const struct ts_dataset *all = ts_project_all(project);
  for (size_t i = 0; i < all->item_count; i++) {
    const struct ts_item *item = &all->items[i];
    for (size_t k = 0; k < project->workflow->input_count; k++) {
      const struct ts_item_source *source = &item->sources[k];
      char hex[65];
      if (!source->path) continue;
      ts_hex_encode(source->digest.bytes, 32, hex);
      json_t *object =
          json_pack("{s:s, s:s, s:s}", "input", project->workflow->inputs[k].name, "path", source->path, "hash", hex);
      if (item->groups) json_object_set_new(object, "groups", ts_project_groups_json(project, item));
      ts_resolution_write(&item->given, object);
      ts_split_write(project, item, object);
      json_array_append_new(list, object);
    }
  }
  return list;
}

static json_t *params_json(const struct study_result *r) {
  json_t *list = json_array();
  for (size_t c = 0; c < r->course.column_count; c++) {
    const struct ts_parameter *p = ts_course_parameter(&r->course, c);
    json_t *object = json_object();
    json_object_set_new(object, "name", json_string(p->name));
    json_object_set_new(object, "type", json_string(ts_value_type_name(p->type)));
    if (p->unit != TS_UNIT_NONE) json_object_set_new(object, "unit", json_string(ts_unit_name(p->unit)));
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

/* The settings of a phase as the study file would give them. */
static json_t *settings_json(const struct ts_phase *phase, json_t *object) {
  const struct ts_strategy_options *method = phase->options;
  json_object_set_new(object, "name", json_string(method->strategy->name));
  if (method->strategy->count_key)
    json_object_set_new(object, method->strategy->count_key, json_integer((json_int_t)ts_phase_size(phase)));
  if (method->levels) json_object_set_new(object, "levels", json_integer((json_int_t)method->levels));
  if (method->radial) json_object_set_new(object, "radial", json_true());
  if (method->second_order) json_object_set_new(object, "second_order", json_true());
  if (method->candidates) json_object_set_new(object, "candidates", json_integer((json_int_t)method->candidates));
  if (method->base) json_object_set_new(object, "base", json_string(method->base));
  return object;
}

static json_t *method_json(const struct ts_project *project, const struct study_result *r) {
  if (ts_course_is_given(&r->course))
    return json_pack("{s:s, s:s, s:I}", "name", "given", "design",
                     project->request->design ? project->request->design : "", "runs",
                     (json_int_t)ts_study_set_count(r));
  json_t *object = json_object();
  if (r->found.phase_count == 0) { /* it failed before anything could be analysed */
    const struct ts_strategy *whole = project->study.whole;
    json_object_set_new(object, "name", json_string((whole ? whole : project->study.methods[0].strategy)->name));
  } else if (!project->study.whole) {
    settings_json(r->found.phases[0], object);
  } else {
    json_object_set_new(object, "name", json_string(project->study.whole->name));
    for (size_t p = 0; p < r->found.phase_count; p++)
      json_object_set_new(object, project->study.whole->parts[p].key, settings_json(r->found.phases[p], json_object()));
  }
  json_object_set_new(object, "seed", json_integer((json_int_t)ts_study_seed(project)));
  json_object_set_new(object, "runs", json_integer((json_int_t)ts_study_set_count(r)));
  json_object_set_new(object, "resamples", json_integer((json_int_t)project->study.resamples));
  json_object_set_new(object, "confidence", json_real(project->study.confidence));
  return object;
}

/* The phase whose indices answer the question. */
static size_t last_phase(const struct study_result *r) { return r->found.phase_count - 1; }

static const struct ts_phase_analysis *answer_of(const struct study_result *r, size_t output) {
  return ts_phase_answer(r->found.phases[last_phase(r)], output);
}

/* Neighbouring ranks that overlap, as pairs of names. */
static json_t *pairs_of(const json_t *unsettled) {
  json_t *pairs = json_array();
  for (size_t i = 0; i < json_array_size(unsettled); i++) {
    const json_t *pair = json_array_get(unsettled, i);
    json_array_append_new(pairs, json_pack("[O, O]", json_object_get(pair, "a"), json_object_get(pair, "b")));
  }
  return pairs;
}

static json_t *output_json(const struct ts_project *project, const struct study_result *r, size_t o) {
  const struct study_output *output = &project->study.outputs[o];
  const struct ts_phase_analysis *analysis = answer_of(r, o);
  if (!analysis)
    return json_pack("{s:s, s:s}", "name", output->name, "over_tiles", ts_study_over_tiles(project, output));
  if (analysis->indices.method->has_classes) {
    ts_auto_free struct ts_morris_index *morris = ts_morris_of_indices(&analysis->indices);
    return ts_result_morris_output(output->name, ts_study_over_tiles(project, output), morris,
                                   analysis->indices.name_count);
  }
  ts_auto(json_decrefp) json_t *full = ts_study_analysis_json(project, r, last_phase(r), analysis);
  return json_pack("{s:s, s:s, s:O, s:O, s:O, s:o}", "name", output->name, "over_tiles",
                   ts_study_over_tiles(project, output), "method", json_object_get(full, "method"), "rank_by",
                   json_object_get(full, "rank_by"), "indices", json_object_get(full, "indices"), "unsettled",
                   pairs_of(json_object_get(full, "unsettled")));
}

static json_t *outputs_json(const struct ts_project *project, const struct study_result *r) {
  json_t *list = json_array();
  for (size_t o = 0; o < project->study.output_count; o++) {
    json_t *object = output_json(project, r, o);
    const struct study_output *output = &project->study.outputs[o];
    json_object_set_new(object, "label", json_string(output->label));
    if (output->better) json_object_set_new(object, "better", json_string(output->better));
    if (output->against) json_object_set_new(object, "against", json_string(output->against));
    json_object_set_new(object, "over_files", json_string(ts_study_over_files(project, output)));
    json_object_set_new(object, "notes", ts_study_output_notes(project, o));
    json_array_append_new(list, object);
  }
  return list;
}

/* Of outputs that some files have no value for: how many files have one; NULL if all have. */
static json_t *incomplete_json(const struct ts_project *project, const struct study_result *r, size_t set) {
  json_t *object = NULL;
  for (size_t o = 0; o < project->study.output_count; o++) {
    const struct ts_total total = ts_study_total(r, set, o);
    if (total.failed || total.n >= ts_study_file_count(project, o)) continue;
    if (!object) object = json_object();
    json_object_set_new(object, project->study.outputs[o].name, json_integer((json_int_t)total.n));
  }
  return object;
}

static json_t *runs_json(const struct ts_project *project, const struct study_result *r) {
  json_t *list = json_array();
  const struct ts_design all = ts_course_design(&r->course), *d = &all;
  for (size_t i = 0; i < ts_study_set_count(r); i++) {
    json_t *params = json_object();
    json_t *outputs = json_object();
    for (size_t c = 0; c < d->column_count; c++)
      json_object_set_new(params, d->names[c], ts_value_to_json(&d->values[i * d->column_count + c]));
    for (size_t o = 0; o < project->study.output_count; o++)
      json_object_set_new(outputs, project->study.outputs[o].name,
                          ts_json_real(r->outputs[o * ts_study_set_count(r) + i]));
    json_array_append_new(list, json_pack("{s:I, s:o, s:o, s:o*}", "set", (json_int_t)i, "params", params, "outputs",
                                          outputs, "n", incomplete_json(project, r, i)));
  }
  return list;
}

/* Per tile, the mean over all runs of each output that is made per tile. */
static json_t *tiles_json(const struct ts_project *project, const struct study_result *r) {
  json_t *list = json_array();
  for (size_t t = 0; t < project->dataset.tile_count; t++) {
    const struct ts_region *core = &project->dataset.tiles[t].core;
    json_t *values = json_object();
    for (size_t o = 0; o < project->study.output_count; o++) {
      if (!ts_study_is_per_tile(r, o)) continue;
      double sum = 0;
      size_t count = 0;
      for (size_t i = 0; i < ts_study_set_count(r); i++) {
        double value = ts_study_tile_value(r, i, o, t);
        sum += isnan(value) ? 0 : value;
        count += isnan(value) ? 0 : 1;
      }
      json_object_set_new(values, project->study.outputs[o].name, ts_json_real(count ? sum / (double)count : NAN));
    }
    json_array_append_new(list,
                          json_pack("{s:s, s:I, s:I, s:I, s:I, s:o}", "file",
                                    project->dataset.items[project->dataset.tile_items[t]].name, "x",
                                    (json_int_t)core->x, "y", (json_int_t)core->y, "width", (json_int_t)core->width,
                                    "height", (json_int_t)core->height, "values", values));
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

struct nodes_of_run {
  const struct ts_plan *plan; /* borrowed */
  uint32_t *by_task;          /* borrowed */
};

/* Which node of a task a run uses, by walking back from the run's products. */
static bool mark_node(void *user, size_t index) {
  const struct nodes_of_run *run = user;
  const struct ts_node *node = &run->plan->nodes[index];
  if (node->reference_only) return false;
  if (node->kind != TS_NODE_TASK) return true;
  const bool is_new = run->by_task[node->task] == TS_NO_NODE;
  if (is_new) run->by_task[node->task] = (uint32_t)index;
  return is_new;
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
  ts_auto_free uint32_t *nodes = ts_calloc(plan->set_count * tasks + 1, sizeof *nodes);
  memset(nodes, 0xFF, (plan->set_count * tasks + 1) * sizeof *nodes);
  for (size_t i = 0; i < plan->set_count * plan->wanted_count; i++)
    ts_plan_walk(plan, plan->products[i].node, NULL, mark_node,
                 &(struct nodes_of_run){plan, nodes + i / plan->wanted_count * tasks});
  ts_auto_free struct level *levels = ts_calloc(tasks + 1, sizeof *levels);
  size_t count = 0;
  for (uint32_t t = 0; t < tasks; t++) {
    if (plan->active[t]) levels[count++] = (struct level){t, plan->counts[t].distinct};
  }
  qsort(levels, count, sizeof *levels, compare_levels);
  json_t *list = json_array();
  for (size_t i = 0; i < count; i++) {
    char name[128];
    ts_task_name(plan->workflow, levels[i].task, name, sizeof name);
    json_array_append_new(list, json_pack("{s:s, s:I, s:o}", "task", name, "distinct", (json_int_t)levels[i].distinct,
                                          "boxes", level_boxes(plan, nodes, levels[i].task)));
  }
  return list;
}

/* Of two phases, the parameters that the first one left to the second. */
static void add_screening(const struct study_result *r, struct ts_str *answer) {
  const struct ts_phase *screening = r->found.phases[0];
  if (r->found.phase_count < 2) return;
  size_t kept = 0;
  for (size_t i = 0; i < screening->candidate_count; i++) kept += screening->candidates[i].kept ? 1 : 0;
  ts_str_addf(answer, "Screening kept %zu of %zu parameters. ", kept, screening->candidate_count);
}

/* `outputs` are those of the result: the first one names its reference. */
static void add_answer(const struct ts_project *project, const struct study_result *r, const json_t *outputs,
                       json_t *object) {
  ts_auto(ts_str_release) struct ts_str answer = {0}, what = {0};
  const struct study_output *first = &project->study.outputs[0];
  const struct ts_phase_analysis *analysis = answer_of(r, 0);
  const json_t *against = json_object_get(json_array_get(outputs, 0), "against");
  ts_answer_add_what(first->label[0] ? first->label : first->name, json_string_value(against), &what);
  add_screening(r, &answer);
  if (!analysis) {
    ts_str_addf(&answer, "%zu given parameter sets were run; see results.csv for their outputs.",
                ts_study_set_count(r));
  } else {
    ts_auto(ts_findings_release) struct ts_findings findings = {0};
    ts_findings_of_indices(&findings, &analysis->indices);
    ts_answer(&findings, ts_str_get(&what), &answer);
  }
  ts_best_add_answer(r, &answer);
  json_object_set_new(object, "answer", json_string(ts_str_get(&answer)));
}

static json_t *pictures_json(const struct study_result *r) {
  json_t *list = json_array();
  for (size_t i = 0; i < r->picture_count; i++)
    json_array_append_new(list, json_pack("{s:s, s:s, s:s}", "role", r->pictures[i].role, "caption",
                                          ts_str_get(&r->pictures[i].caption), "file", r->pictures[i].file));
  return list;
}

static void add_complete(const struct ts_project *project, struct study_result *r, json_t *object) {
  const struct ts_design all = ts_course_design(&r->course);
  json_t *outputs = outputs_json(project, r);
  add_answer(project, r, outputs, object);
  if (!ts_course_is_given(&r->course)) {
    json_object_set_new(object, "indices", json_incref(json_object_get(json_array_get(outputs, 0), "indices")));
    json_object_set_new(object, "analyses", ts_study_analyses_json(project, r));
    json_object_set_new(object, "by_group", ts_study_groups_json(project, r));
    json_object_set_new(object, "group_stability", ts_study_stability_json(project, r));
  }
  json_object_set_new(object, "outputs", outputs);
  ts_study_best_json(r, object);
  json_t *held_out = ts_study_held_out_json(project, r);
  if (held_out) json_object_set_new(object, "held_out", held_out);
  json_object_set_new(object, "phases", ts_study_phases_json(project, r));
  if (r->found.until.is_used) json_object_set_new(object, "until", ts_study_until_json(project, &r->found.until));
  json_object_set_new(object, "distinct_runs", json_integer((json_int_t)ts_design_distinct(&all, NULL)));
  json_object_set_new(object, "tree", tree_json(r->plan));
  json_object_set_new(object, "tiles", tiles_json(project, r));
  json_object_set_new(object, "runs", runs_json(project, r));
  json_object_set_new(object, "pictures", pictures_json(r));
  json_object_set_new(object, "report", json_string(r->report_path));
  json_object_set_new(object, "results", json_string(r->results_path));
  json_object_set_new(object, "results_by_file", json_string(r->by_file_path));
  if (r->by_group_path) json_object_set_new(object, "results_by_group", json_string(r->by_group_path));
}

static void add_costs(const struct ts_project *project, struct study_result *r, json_t *object) {
  const struct ts_run_result *result = &r->result;
  json_object_set_new(object, "reuse", ts_counts_reuse(project, r->plan, result));
  json_object_set_new(object, "reference", ts_counts_reference(project, r->plan, result));
  json_object_set_new(object, "by_task", ts_counts_by_task(project, r->plan, result, r->progress));
  json_object_set_new(object, "profile", ts_counts_profile(project, result, r->progress));
  json_object_set_new(object, "timeline", ts_counts_timeline(r->progress));
  json_object_set_new(object, "failed", ts_counts_failed(r->progress));
  json_object_set_new(object, "failures", ts_counts_failures(r->progress));
  json_object_set_new(object, "run_s", json_real(result->wall_s));
  json_object_set_new(object, "cpu_s", json_real(result->cpu_total_s));
  json_object_set_new(object, "threads", json_integer((json_int_t)result->threads));
  if (result->workers > 0) {
    json_object_set_new(object, "workers", json_integer((json_int_t)result->workers));
    json_object_set_new(object, "buckets", json_integer((json_int_t)result->buckets));
  }
  json_object_set_new(object, "peak_bytes", json_integer((json_int_t)result->peak_bytes));
}

void ts_study_object(const struct ts_work *work, struct study_result *r, bool complete, json_t *object) {
  const struct ts_project *project = work->project;
  char started[32];
  json_object_set_new(object, "run", json_string(r->run.id));
  json_object_set_new(object, "state", json_string(r->state));
  json_object_set_new(object, "study", json_string(project->study.name));
  json_object_set_new(object, "file", json_string(project->study.path));
  json_object_set_new(object, "question", json_string(project->study.question));
  json_object_set_new(object, "command",
                      json_string(project->request->command ? project->request->command : "tessera study"));
  json_object_set_new(object, "started", json_string(ts_clock_print_utc(r->started_unix_ns, started)));
  json_object_set_new(object, "store", json_string(work->store ? ts_store_path(work->store) : ""));
  json_object_set_new(object, "inputs", inputs_json(project));
  json_object_set_new(object, "tissue", ts_tissue_json(project));
  json_object_set_new(object, "halo", ts_project_halo_json(project));
  json_object_set_new(object, "params", params_json(r));
  json_object_set_new(object, "method", method_json(project, r));
  if (r->plan && r->progress) add_costs(project, r, object);
  if (complete && r->plan) add_complete(project, r, object);
  json_object_set_new(object, "wall_s", json_real((double)(ts_clock_ns() - r->start_ns) / 1e9));
}
