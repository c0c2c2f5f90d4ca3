/* Reuse as reported: tasks requested, avoided at each level, executed; plan and run add up the same way.
 * SPDX-License-Identifier: Apache-2.0
 *
 * requested = stage + task + cutoff + store + executed + failed + skipped, in total and for every task. */
#include "api/api_int.h"

#include "base/json.h"
#include "data/failure.h"

#include <sys/resource.h>

struct row {
  uint64_t requested, stage, task;
  const struct ts_run_counts *run;
};

/* Sets that are measured share nothing, and each may have tiles of its own: what came of it was requested. */
static struct row measured_row(const struct ts_run_result *result, size_t task) {
  struct row row = {.run = &result->tasks[task]};
  for (size_t o = 0; o < TS_OUTCOME_COUNT; o++) row.requested += row.run->by_outcome[o];
  return row;
}

static struct row row_of(const struct ts_project *project, const struct ts_plan *plan,
                         const struct ts_run_result *result, size_t task) {
  const struct ts_task_count *count = &plan->counts[task];
  if (project->is_study && project->study.is_measured) return measured_row(result, task);
  uint64_t units = ts_project_task_units(project, task);
  return (struct row){count->requested * units, count->stage_reused * units, count->task_reused * units,
                      &result->tasks[task]};
}

static void add_outcomes(json_t *object, const struct ts_run_counts *counts) {
  for (size_t o = 0; o < TS_OUTCOME_COUNT; o++)
    json_object_set_new(object, ts_outcome_name((enum ts_outcome)o), ts_json_count(counts->by_outcome[o]));
}

json_t *ts_counts_reuse(const struct ts_project *project, const struct ts_plan *plan,
                        const struct ts_run_result *result) {
  uint64_t requested = 0;
  uint64_t stage = 0;
  uint64_t task = 0;
  struct ts_run_counts sum = {0};
  for (size_t t = 0; t < project->workflow->task_count; t++) {
    struct row row = row_of(project, plan, result, t);
    requested += row.requested;
    stage += row.stage;
    task += row.task;
    for (size_t o = 0; o < TS_OUTCOME_COUNT; o++) sum.by_outcome[o] += row.run->by_outcome[o];
  }
  json_t *object = json_object();
  json_object_set_new(object, "requested", ts_json_count(requested));
  json_object_set_new(object, "stage", ts_json_count(stage));
  json_object_set_new(object, "task", ts_json_count(task));
  add_outcomes(object, &sum);
  if (result->workers > 0) json_object_set_new(object, "repeated", ts_json_count(result->repeated));
  json_object_set_new(object, "recomputed", ts_json_count(result->recomputed));
  json_object_set_new(object, "dropped", ts_json_count(result->dropped));
  json_object_set_new(object, "spilled", ts_json_count(result->spilled));
  json_object_set_new(object, "waits", ts_json_count(result->waits));
  json_object_set_new(object, "reads", ts_json_count(result->reads));
  return object;
}

static bool is_external(const struct ts_task *task) { return task->op->origin == TS_OP_COMMAND; }

static void add_cost(json_t *object, const struct call_cost *cost) {
  json_object_set_new(object, "calls", ts_json_count(cost->calls));
  json_object_set_new(object, "wall_s", json_real(cost->wall_s));
  if (cost->px > 0) json_object_set_new(object, "px", json_real(cost->px));
}

json_t *ts_counts_by_task(const struct ts_project *project, const struct ts_plan *plan,
                          const struct ts_run_result *result, const struct progress *progress) {
  json_t *list = json_array();
  for (size_t t = 0; t < project->workflow->task_count; t++) {
    const struct ts_task *task = &project->workflow->tasks[t];
    if (!plan->active[t]) continue;
    struct row row = row_of(project, plan, result, t);
    json_t *object = json_object();
    json_object_set_new(object, "stage", json_string(project->workflow->stages[task->stage].name));
    json_object_set_new(object, "task", json_string(task->name));
    json_object_set_new(object, "op", json_string(task->op->descriptor->name));
    json_object_set_new(object, "requested", ts_json_count(row.requested));
    json_object_set_new(object, "stage_reused", ts_json_count(row.stage));
    json_object_set_new(object, "task_reused", ts_json_count(row.task));
    add_outcomes(object, row.run);
    json_object_set_new(object, "cpu_s", json_real(result->cpu_s[t]));
    add_cost(object, ts_progress_task_cost(progress, t));
    if (is_external(task)) json_object_set_new(object, "external", json_true());
    json_array_append_new(list, object);
  }
  return list;
}

json_t *ts_counts_reference(const struct ts_project *project, const struct ts_plan *plan,
                            const struct ts_run_result *result) {
  uint64_t requested = 0;
  for (size_t t = 0; t < project->workflow->task_count; t++)
    requested += plan->counts[t].reference_distinct * ts_project_task_units(project, t);
  json_t *object = json_object();
  json_object_set_new(object, "requested", ts_json_count(requested));
  add_outcomes(object, &result->reference);
  return object;
}

static json_t *node_cost(const struct call_cost *cost) {
  json_t *object = json_object();
  json_object_set_new(object, "cpu_s", json_real(cost->cpu_s));
  add_cost(object, cost);
  return object;
}

static uint64_t process_peak_bytes(void) {
  struct rusage usage;
  return getrusage(RUSAGE_SELF, &usage) == 0 ? (uint64_t)usage.ru_maxrss * 1024 : 0;
}

/* A command's task is measured in wall time: the CPU time of its process is not in this one's. */
json_t *ts_counts_profile(const struct ts_project *project, const struct ts_run_result *result,
                          const struct progress *progress) {
  const struct call_cost *read = ts_progress_node_cost(progress, TS_NODE_SOURCE);
  const struct call_cost *crop = ts_progress_node_cost(progress, TS_NODE_CROP);
  const struct call_cost *gather = ts_progress_node_cost(progress, TS_NODE_GATHER);
  double tasks_s = 0;
  double external_s = 0;
  for (size_t t = 0; t < project->workflow->task_count; t++)
    *(is_external(&project->workflow->tasks[t]) ? &external_s : &tasks_s) += result->cpu_s[t];
  json_t *object = json_object();
  json_object_set_new(object, "run_s", json_real(result->wall_s));
  json_object_set_new(object, "process_cpu_s", json_real(result->cpu_total_s));
  json_object_set_new(object, "tasks_cpu_s", json_real(tasks_s));
  json_object_set_new(object, "external_s", json_real(external_s));
  json_object_set_new(object, "read", node_cost(read));
  json_object_set_new(object, "crop", node_cost(crop));
  json_object_set_new(object, "gather", node_cost(gather));
  json_object_set_new(object, "engine_cpu_s",
                      json_real(result->cpu_total_s - tasks_s - read->cpu_s - crop->cpu_s - gather->cpu_s));
  json_object_set_new(object, "parts",
                      json_pack("{s:o, s:o}", "asked", ts_json_count(result->parts.asked), "recalled",
                                ts_json_count(result->parts.recalled)));
  json_object_set_new(object, "process_peak_bytes", ts_json_count(process_peak_bytes()));
  if (project->request->trace) json_object_set_new(object, "trace", json_string(project->request->trace));
  return object;
}

json_t *ts_counts_timeline(const struct progress *progress) {
  size_t count = 0;
  const struct ts_bar *bars = ts_progress_timeline(progress, &count);
  json_t *list = json_array();
  for (size_t i = 0; i < count; i++)
    json_array_append_new(list, json_pack("{s:I, s:f, s:f, s:s}", "worker", (json_int_t)bars[i].worker, "start",
                                          bars[i].start_s, "end", bars[i].end_s, "task", bars[i].task));
  return list;
}

static json_t *failed_json(const struct ts_failed_task *f) {
  json_t *object = json_pack("{s:s, s:s, s:s}", "task", f->task, "key", f->key, "file", f->file);
  ts_failure_add_json(object, &f->error, f->log);
  json_object_set_new(object, "params", json_deep_copy(f->parameters));
  if (f->has_tile)
    json_object_set_new(object, "tile", json_pack("[I, I]", (json_int_t)f->tile_x, (json_int_t)f->tile_y));
  return object;
}

json_t *ts_counts_failed(const struct progress *progress) {
  size_t count = 0;
  const struct ts_failed_task *failed = ts_failures_list(ts_progress_failures(progress), &count);
  json_t *list = json_array();
  for (size_t i = 0; i < count; i++) json_array_append_new(list, failed_json(&failed[i]));
  return list;
}

json_t *ts_counts_failures(const struct progress *progress) {
  size_t count = 0;
  const struct ts_failure_kind *kinds = ts_failures_kinds(ts_progress_failures(progress), &count);
  json_t *list = json_array();
  for (size_t i = 0; i < count; i++) {
    json_t *object = failed_json(&kinds[i].first);
    json_object_set_new(object, "count", ts_json_count(kinds[i].count));
    json_object_set_new(object, "units", ts_json_count(kinds[i].units));
    json_object_set_new(object, "per", json_string(ts_scope_name(kinds[i].scope)));
    json_array_append_new(list, object);
  }
  return list;
}
