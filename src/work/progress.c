/* Counts while a plan runs: stages for the display, rows for the store, the timeline for the report, the trace.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Called by the engine one event at a time, so nothing here needs a lock. */
#include "work/progress.h"
#include "work/costs.h"
#include "work/failures.h"
#include "work/trace.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "data/failure.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#define TIMELINE_MAX 4000  /* bars; a longer run keeps its first ones, its counts stay complete */
#define BAR_GAP_S    0.002 /* tasks of one kind that follow each other closer than this share a bar */
#define NODE_KINDS   (TS_NODE_GATHER + 1)
#define PRIOR_TASKS  8 /* the cost model's forecast weighs as much as this many measured tasks of a stage */

struct progress {
  struct ts_work *work;             /* borrowed */
  const struct ts_project *project; /* borrowed: that of the work, or of the present plan */
  const struct ts_plan *plan;
  const char *run_id;
  size_t threads;
  uint64_t start_ns;
  uint64_t number;               /* of the next task row */
  struct tessera_stage *stages;  /* owned */
  double *stage_seconds;         /* owned: wall seconds of executed tasks */
  uint64_t *stage_executed;      /* owned */
  uint64_t *stage_cut;           /* owned: saved by early cutoff */
  atomic_uint_fast64_t *started; /* owned: executions begun per stage; the only part touched by several threads */
  struct ts_arena arena;         /* owns the texts of the timeline */
  struct ts_bar *timeline;       /* owned: TIMELINE_MAX of them */
  size_t bar_count;
  struct ts_failures *failures; /* owned */
  struct ts_bar **last_bar;     /* owned array of borrowed bars: per worker */
  struct call_cost *costs;      /* owned: per task of the workflow */
  struct call_cost node_costs[NODE_KINDS];
  struct ts_learning *learning;        /* owned; NULL if the store is not used */
  double *expected_s;                  /* owned: per stage, of a task that the store does not have; NaN: not known */
  uint64_t outcomes[TS_OUTCOME_COUNT]; /* of tasks */
  double latest_s;                     /* end of the latest call, on the clock below */
  double begun_s;                      /* when the present plan began; the engine counts from there */
  size_t first_set;                    /* of the present plan, among those of the run */
};

/* Distinct tasks per stage over all units; those of the reference run are among them. */
static void count_totals(struct progress *p, const struct ts_project *project, const struct ts_plan *plan) {
  const struct ts_workflow *w = project->workflow;
  for (size_t n = 0; n < plan->node_count; n++) {
    const struct ts_node *node = &plan->nodes[n];
    if (node->kind == TS_NODE_TASK)
      p->stages[w->tasks[node->task].stage].total += ts_dataset_units(&project->dataset, node->scope);
  }
  for (size_t t = 0; t < w->task_count; t++) {
    size_t stage = w->tasks[t].stage;
    size_t units = ts_dataset_units(&project->dataset, w->stages[stage].scope);
    p->stages[stage].reused += (plan->counts[t].stage_reused + plan->counts[t].task_reused) * units;
  }
}

/* The cost model's forecast for a stage's tasks, including those that early cutoff will save. */
static void expect(struct progress *p) {
  const struct ts_workflow *w = p->project->workflow;
  for (size_t i = 0; i < w->stage_count; i++) {
    const struct ts_stage *stage = &w->stages[i];
    double seconds = 0, tasks = 0;
    for (size_t t = stage->first_task; t < stage->first_task + stage->task_count; t++) {
      double count = (double)(p->plan->counts[t].distinct + p->plan->counts[t].reference_distinct);
      if (count == 0) continue;
      struct ts_call_forecast call = ts_costs_forecast(p->work, w->tasks[t].op, stage->scope);
      bool cutoff = !p->project->request->no_cutoff && !p->project->request->no_reuse;
      seconds += call.knowledge == TS_COST_UNKNOWN ? NAN : count * call.seconds * (cutoff ? call.executed_share : 1);
      tasks += count;
    }
    p->expected_s[i] = tasks > 0 ? seconds / tasks : NAN;
  }
}

struct progress *ts_progress_create(struct ts_work *work, const struct ts_project *project, const struct ts_plan *plan,
                                    const char *run_id, size_t threads) {
  struct progress *p = ts_calloc(1, sizeof *p);
  size_t stages = project->workflow->stage_count;
  p->work = work;
  p->project = project;
  p->plan = plan;
  p->run_id = run_id;
  p->threads = threads;
  p->start_ns = ts_clock_ns();
  p->stages = ts_calloc(stages + 1, sizeof *p->stages);
  p->stage_seconds = ts_calloc(stages + 1, sizeof *p->stage_seconds);
  p->stage_executed = ts_calloc(stages + 1, sizeof *p->stage_executed);
  p->stage_cut = ts_calloc(stages + 1, sizeof *p->stage_cut);
  p->expected_s = ts_calloc(stages + 1, sizeof *p->expected_s);
  if (work->store && !project->request->no_reuse && run_id[0]) p->learning = ts_learning_create(work);
  for (size_t i = 0; i < stages; i++)
    p->stages[i] = (struct tessera_stage){.size_bytes = sizeof *p->stages, .name = project->workflow->stages[i].name};
  p->started = ts_calloc(stages + 1, sizeof *p->started);
  p->last_bar = ts_calloc(threads + 1, sizeof *p->last_bar);
  p->timeline = ts_calloc(TIMELINE_MAX, sizeof *p->timeline);
  p->failures = ts_failures_create();
  p->costs = ts_calloc(project->workflow->task_count + 1, sizeof *p->costs);
  count_totals(p, project, plan);
  expect(p);
  return p;
}

void ts_progress_number_tasks(struct progress *p, uint64_t first) { p->number = first; }

void ts_progress_destroy(struct progress *p) {
  if (!p) return;
  free(p->stages);
  free(p->stage_seconds);
  free(p->stage_executed);
  free(p->stage_cut);
  free(p->expected_s);
  ts_learning_destroy(p->learning);
  free(p->started);
  free(p->last_bar);
  free(p->costs);
  free(p->timeline);
  ts_failures_destroy(p->failures);
  ts_arena_release(&p->arena);
  free(p);
}

void ts_progress_expect(struct progress *p, size_t stage, int64_t more) {
  p->stages[stage].total = (uint64_t)((int64_t)p->stages[stage].total + more);
}

/* Mean seconds of the tasks that were not in the store, times the tasks that are left, shared by the threads. The
 * cost model's forecast counts until enough is measured. */
static double seconds_left(const struct progress *p) {
  double left = 0;
  bool known = false;
  for (size_t i = 0; i < p->project->workflow->stage_count; i++) {
    double prior = isnan(p->expected_s[i]) ? 0 : PRIOR_TASKS;
    double tasks = prior + (double)(p->stage_executed[i] + p->stage_cut[i]);
    if (tasks == 0) continue;
    double seconds = p->stage_seconds[i] + (prior > 0 ? prior * p->expected_s[i] : 0);
    known = true;
    left += seconds / tasks * (double)(p->stages[i].total - p->stages[i].done);
  }
  return known ? left / (double)p->threads : -1;
}

static struct tessera_event snapshot(const struct progress *p, enum tessera_event_kind kind) {
  for (size_t i = 0; i < p->project->workflow->stage_count; i++) {
    uint64_t started = atomic_load(&p->started[i]), ended = p->stage_executed[i] + p->stages[i].failed;
    p->stages[i].running = started > ended ? started - ended : 0;
  }
  return (struct tessera_event){.kind = kind,
                                .run = p->run_id,
                                .left_s = seconds_left(p),
                                .threads = p->threads,
                                .stages = p->stages,
                                .stage_count = p->project->workflow->stage_count,
                                .stage = "",
                                .task = "",
                                .key = "",
                                .outcome = "",
                                .file = "",
                                .message = "",
                                .help = ""};
}

static void report(const struct progress *p, struct tessera_event *event) { ts_phases_tell(p->project->phases, event); }

void ts_progress_add(struct progress *p, const struct ts_project *project, const struct ts_plan *plan) {
  count_totals(p, project, plan);
}

void ts_progress_continue(struct progress *p, const struct ts_project *project, const struct ts_plan *plan,
                          size_t first_set) {
  p->project = project;
  p->plan = plan;
  p->first_set = first_set;
  p->begun_s = (double)(ts_clock_ns() - p->start_ns) / 1e9;
  expect(p);
  ts_phase_end(p->project->phases);
  struct tessera_event event = snapshot(p, TESSERA_PROGRESS);
  report(p, &event);
}

static struct ts_trace_counts trace_counts(const struct progress *p) {
  return (struct ts_trace_counts){.executed = p->outcomes[TS_OUTCOME_EXECUTED],
                                  .cutoff = p->outcomes[TS_OUTCOME_CUTOFF],
                                  .store = p->outcomes[TS_OUTCOME_STORE],
                                  .failed = p->outcomes[TS_OUTCOME_FAILED]};
}

static void begin_trace(struct progress *p) {
  if (!p->work->trace) return;
  if (p->project->request->workers > 0) ts_trace_split(p->work->trace, p->threads / p->project->request->workers);
  ts_trace_name(p->work->trace, p->project->study.name ? p->project->study.name : "tessera", p->run_id, p->threads);
}

/* The trace is a by-product: a full disk ends the trace, not the run. */
static void end_trace(struct progress *p, struct ts_issues *issues) {
  struct ts_error err = {0};
  if (!ts_trace_close(p->work->trace, &err)) ts_issues_warn(issues, "%s; %s", err.text, err.help);
  p->work->trace = NULL;
}

void ts_progress_begin(struct progress *p) {
  begin_trace(p);
  ts_phase_end(p->project->phases);
  struct tessera_event event = snapshot(p, TESSERA_RUN_BEGIN);
  report(p, &event);
}

/* What a command said without failing is in the log, which nobody opens unasked: its line that says most is shown. */
static void warn_of_remarks(const struct progress *p, struct ts_issues *issues) {
  size_t count = 0;
  const struct ts_remark *remarks = ts_failures_remarks(p->failures, &count);
  for (size_t i = 0; i < count; i++) {
    char calls[48] = "", number[32];
    if (remarks[i].count > 1)
      snprintf(calls, sizeof calls, ", or like it in %s calls", ts_format_count(remarks[i].count, number));
    if (p->run_id[0])
      ts_issues_warn(issues, "the command of task '%s' said: %s%s; see all with: tessera log %s %s", remarks[i].task,
                     remarks[i].text, calls, p->run_id, remarks[i].task);
    else
      ts_issues_warn(issues, "the command of task '%s' said: %s%s", remarks[i].task, remarks[i].text, calls);
  }
}

void ts_progress_end(struct progress *p, struct ts_issues *issues) {
  ts_phase_end(p->project->phases);
  end_trace(p, issues);
  warn_of_remarks(p, issues);
  if (p->learning) ts_learning_save(p->learning, issues);
  struct tessera_event event = snapshot(p, TESSERA_RUN_END);
  report(p, &event);
}

static int64_t set_of(const struct progress *p, const struct ts_node *node) {
  bool has_set = !node->reference_only && node->first_set < p->plan->set_count;
  return has_set ? (int64_t)(p->first_set + p->plan->set_order[node->first_set]) : -1;
}

static bool was_called(const struct ts_task_event *event) {
  return event->outcome == TS_OUTCOME_EXECUTED || (event->outcome == TS_OUTCOME_FAILED && event->wall_s > 0);
}

static double tile_px(const struct progress *p, const struct ts_node *node, size_t unit) {
  return ts_scope_is_tile(node->scope) ? ts_dataset_px(&p->project->dataset, node->scope, unit) : 0;
}

static void add_cost(struct progress *p, const struct ts_node *node, const struct ts_task_event *event) {
  struct call_cost *cost = node->kind == TS_NODE_TASK ? &p->costs[node->task] : &p->node_costs[node->kind];
  if (!was_called(event)) return;
  cost->calls++;
  cost->cpu_s += event->cpu_s;
  cost->wall_s += event->wall_s;
  cost->px += tile_px(p, node, event->unit);
}

static void trace_call(struct progress *p, const struct ts_node *node, const struct ts_task_event *event,
                       const char *name, const char *file) {
  char key[TS_KEY_TEXT_SIZE];
  const struct ts_tile *tile = ts_dataset_tile(&p->project->dataset, node->scope, event->unit);
  ts_key_print(&event->key, key);
  struct ts_trace_call call = {.name = name,
                               .is_task = node->kind == TS_NODE_TASK,
                               .worker = event->worker,
                               .start_s = event->start_s,
                               .wall_s = event->wall_s,
                               .cpu_s = event->cpu_s,
                               .key = key,
                               .set = set_of(p, node),
                               .file = file,
                               .has_tile = tile != NULL,
                               .outcome = ts_outcome_name(event->outcome)};
  if (tile) {
    call.tile_x = tile->core.x;
    call.tile_y = tile->core.y;
  }
  ts_trace_call(p->work->trace, &call);
}

static void keep_trace(struct progress *p, const struct ts_node *node, const struct ts_task_event *event,
                       const char *name, const char *file) {
  if (!p->work->trace) return;
  p->latest_s = fmax(p->latest_s, event->start_s + event->wall_s);
  if (was_called(event)) trace_call(p, node, event, name, file);
  struct ts_trace_counts counts = trace_counts(p);
  ts_trace_count(p->work->trace, p->latest_s, &counts);
}

static void keep_row(struct progress *p, const struct ts_node *node, const struct ts_task_event *event) {
  if (!p->work->store || !p->run_id[0]) return;
  const struct ts_task *task = &p->project->workflow->tasks[node->task];
  const bool has_message = event->error || event->log[0];
  ts_auto(json_decrefp) json_t *params = has_message ? ts_node_parameters(p->plan, node) : NULL;
  ts_auto_free char *message = ts_failure_pack(event->error, event->log, event->remark, params);
  struct ts_task_row row = {.task = p->number++,
                            .stage = p->project->workflow->stages[task->stage].name,
                            .name = task->name,
                            .set = set_of(p, node),
                            .unit = (int64_t)event->unit,
                            .key = event->key,
                            .outcome = ts_outcome_name(event->outcome),
                            .start_s = event->start_s,
                            .seconds = event->wall_s,
                            .cpu_seconds = event->cpu_s,
                            .worker = (int32_t)event->worker,
                            .message = message};
  ts_store_put_task(p->work->store, p->run_id, &row);
}

/* Times to a tenth of a millisecond: more digits only make the report longer. */
static double rounded(double seconds) { return floor(seconds * 1e4 + 0.5) / 1e4; }

/* One bar, or a longer last one where a worker goes on with the same kind of task. */
static void add_bar(struct progress *p, const struct ts_task_event *event, const char *name) {
  double start = rounded(event->start_s), end = rounded(event->start_s + event->wall_s);
  struct ts_bar *last = event->worker < p->threads ? p->last_bar[event->worker] : NULL;
  if (last && strcmp(last->task, name) == 0 && start - last->end_s < BAR_GAP_S) {
    last->end_s = end;
    return;
  }
  if (p->bar_count == TIMELINE_MAX) return;
  struct ts_bar *bar = &p->timeline[p->bar_count++];
  *bar = (struct ts_bar){event->worker, start, end, ts_arena_strdup(&p->arena, name)};
  if (event->worker < p->threads) p->last_bar[event->worker] = bar;
}

static void count(struct progress *p, size_t stage, const struct ts_task_event *event) {
  struct tessera_stage *progress = &p->stages[stage];
  progress->done++;
  if (event->outcome == TS_OUTCOME_EXECUTED) {
    p->stage_executed[stage]++;
    p->stage_seconds[stage] += event->wall_s;
  } else if (event->outcome == TS_OUTCOME_FAILED) {
    progress->failed++;
  } else if (event->outcome != TS_OUTCOME_SKIPPED) {
    progress->reused++;
    if (event->outcome == TS_OUTCOME_CUTOFF) p->stage_cut[stage]++;
  }
}

void ts_progress_start(struct progress *p, uint32_t node) {
  if (p->plan->nodes[node].kind == TS_NODE_TASK)
    atomic_fetch_add(&p->started[p->project->workflow->tasks[p->plan->nodes[node].task].stage], 1);
}

/* Costs are learnt by the numbers of the files that the work began with; held-out ones have the same numbers. */
static bool is_of_work(const struct progress *p) {
  return p->project->dataset.items == p->work->project->dataset.items;
}

/* An event on the engine's clock, moved to that of the run. */
static void record_event(struct progress *p, const struct ts_task_event *event) {
  const struct ts_node *node = &p->plan->nodes[event->node];
  char name[128];
  char key[TS_KEY_TEXT_SIZE] = "";
  const char *file = p->project->dataset.items[ts_dataset_item(&p->project->dataset, node->scope, event->unit)].name;
  ts_plan_node_name(p->plan, event->node, name, sizeof name);
  if (node->kind == TS_NODE_TASK) p->outcomes[event->outcome]++;
  add_cost(p, node, event);
  if (p->learning && is_of_work(p)) ts_learning_event(p->learning, node, event);
  keep_trace(p, node, event, name, file);
  if (node->kind == TS_NODE_TASK) ts_key_print(&event->key, key);
  ts_failures_event(p->failures, p->project, p->plan, event, name, key);
  if (node->kind != TS_NODE_TASK) return;
  size_t stage = p->project->workflow->tasks[node->task].stage;
  count(p, stage, event);
  keep_row(p, node, event);
  if (event->outcome == TS_OUTCOME_EXECUTED) add_bar(p, event, name);
  struct tessera_event done = snapshot(p, TESSERA_TASK_DONE);
  done.stage = p->stages[stage].name;
  done.task = name;
  done.key = key;
  done.outcome = ts_outcome_name(event->outcome);
  done.file = file;
  done.seconds = event->wall_s;
  ts_auto(ts_str_release) struct ts_str message = {0};
  if (event->error) {
    ts_failure_print(event->error, event->log, &message);
    done.message = ts_str_get(&message);
    done.code = ts_error_number(event->error->code);
    done.help = event->error->help;
  }
  const struct ts_tile *tile = ts_dataset_tile(&p->project->dataset, node->scope, event->unit);
  done.tile_x = tile ? tile->core.x : -1;
  done.tile_y = tile ? tile->core.y : -1;
  report(p, &done);
}

void ts_progress_task(struct progress *p, const struct ts_task_event *event) {
  struct ts_task_event moved = *event;
  moved.start_s += p->begun_s;
  record_event(p, &moved);
}

const struct ts_bar *ts_progress_timeline(const struct progress *p, size_t *count) {
  *count = p->bar_count;
  return p->timeline;
}

const struct ts_failures *ts_progress_failures(const struct progress *p) { return p->failures; }

bool ts_progress_any_failed(const struct progress *p) {
  size_t count = 0;
  ts_failures_list(p->failures, &count);
  return count > 0;
}

const struct call_cost *ts_progress_task_cost(const struct progress *p, size_t task) { return &p->costs[task]; }

const struct call_cost *ts_progress_node_cost(const struct progress *p, enum ts_node_kind kind) {
  return &p->node_costs[kind];
}
