/* What the tasks of a run need and when they must be done, turned into places in the ready queue and room to start.
 * SPDX-License-Identifier: Apache-2.0
 *
 * The threads of a run are workers of one class, which has their number as cores. A task that needs several cores takes
 * as many of the threads' places, one that is exclusive all of them. Tasks that wait for room do so in the order in
 * which they were taken, so that a large one is not overtaken for ever. Runs without needs look at none of this. */
#include "run/run_int.h"

#include "base/alloc.h"
#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>

static const struct ts_task_needs *needs_of(const struct engine *engine, uint32_t number) {
  const struct ts_node *node = &engine->plan->nodes[number];
  return &engine->setup->needs[node->kind == TS_NODE_TASK ? engine->setup->needs_of_task[node->task] : 0];
}

/* The first entry is for tasks that need nothing. */
bool ts_run_setup_set_needs(struct ts_run_setup *setup, size_t task, const struct ts_task_needs *needs,
                            struct ts_error *err) {
  if (!setup->needs) {
    setup->needs = ts_calloc(TS_READY_NEEDS_MAX, sizeof *setup->needs);
    setup->needs_of_task = ts_calloc(setup->plan->workflow->task_count + 1, sizeof *setup->needs_of_task);
    setup->needs_count = 1;
  }
  uint32_t kind = 0;
  while (kind < setup->needs_count && !ts_task_needs_equal(&setup->needs[kind], needs)) kind++;
  if (kind == TS_READY_NEEDS_MAX) {
    ts_fail(err, TS_ERR_NO_WORKER, "the tasks of a workflow have more than %d different needs", TS_READY_NEEDS_MAX - 1);
    return ts_error_help(err, "give operations that need about the same the same needs");
  }
  setup->needs[kind] = *needs;
  if (kind == setup->needs_count) setup->needs_count++;
  setup->needs_of_task[task] = kind;
  return true;
}

/* The same in the words of the scheduler. */
static struct ts_task_needs needs_of_op(const struct ts_op_needs *declared) {
  struct ts_task_needs needs = {.cores = declared->cores,
                                .gpus = declared->gpus,
                                .gang = declared->gang,
                                .exclusive = declared->exclusive != 0,
                                .memory_bytes = declared->memory_bytes};
  if (declared->site) snprintf(needs.site, sizeof needs.site, "%s", declared->site);
  return needs;
}

bool ts_schedule_needs(struct ts_run_setup *setup, struct ts_error *err) {
  const struct ts_workflow *w = setup->plan->workflow;
  const struct ts_task_needs nothing = {0};
  for (size_t t = 0; t < w->task_count; t++) {
    const struct ts_task_needs needs = needs_of_op(&w->tasks[t].op->needs);
    if (!ts_task_needs_equal(&needs, &nothing) && !ts_run_setup_set_needs(setup, t, &needs, err)) return false;
  }
  return true;
}

static bool fail_needs(const struct engine *engine, size_t task, struct ts_error *err) {
  const struct ts_workflow *w = engine->plan->workflow;
  ts_auto(ts_str_release) struct ts_str needs = {0}, has = {0};
  char name[160];
  ts_task_needs_add(&needs, &engine->setup->needs[engine->setup->needs_of_task[task]]);
  ts_worker_class_add(&has, &engine->worker);
  ts_fail(err, TS_ERR_NO_WORKER, "the operation '%s' of the task '%s' needs %s, but this run has %s",
          w->tasks[task].op->descriptor->name,
          ts_join_names(w->stages[w->tasks[task].stage].name, w->tasks[task].name, name, sizeof name),
          ts_str_get(&needs), ts_str_get(&has));
  return ts_error_help(
      err, "run it on a machine that has what is missing and say so with --has, or with more threads (-j) if "
           "cores are; nothing was computed");
}

static bool is_needed(const struct engine *engine, uint32_t node) {
  return engine->plan->nodes[node].kind == TS_NODE_TASK && (!engine->needed || engine->needed[node]);
}

bool ts_schedule_check(const struct engine *engine, struct ts_error *err) {
  if (!engine->setup->needs) return true;
  for (uint32_t n = 0; n < engine->plan->node_count; n++) {
    const size_t task = engine->plan->nodes[n].task;
    if (is_needed(engine, n) &&
        !ts_worker_may_run(&engine->worker, &engine->setup->needs[engine->setup->needs_of_task[task]]))
      return fail_needs(engine, task, err);
  }
  return true;
}

/* Seconds from the end of a node to that of the last one that needs it; a node comes after its inputs. */
static void measure_after(struct engine *engine) {
  const struct ts_plan *plan = engine->plan;
  const double *seconds = engine->options->deadlines->task_seconds;
  engine->after_ns = ts_calloc(plan->node_count + 1, sizeof *engine->after_ns);
  for (size_t n = plan->node_count; n-- > 0;) {
    const struct ts_node *node = &plan->nodes[n];
    const double own_ns = seconds && node->kind == TS_NODE_TASK ? seconds[node->task] * 1e9 : 0;
    const uint64_t from_start = engine->after_ns[n] + (uint64_t)own_ns;
    for (size_t i = 0; i < node->input_count; i++) {
      const uint32_t input = node->inputs[i].node;
      if (input != TS_NO_NODE && engine->after_ns[input] < from_start) engine->after_ns[input] = from_start;
    }
  }
}

struct dated_window {
  uint64_t deadline_ns;
  uint32_t number;
};

static int compare_windows(const void *a, const void *b) {
  const struct dated_window *x = a, *y = b;
  if (x->deadline_ns != y->deadline_ns) return x->deadline_ns < y->deadline_ns ? -1 : 1;
  return (x->number > y->number) - (x->number < y->number);
}

/* A window is opened when threads run out of work: what is urgent must be opened first. */
static void order_windows(struct engine *engine) {
  const size_t count = engine->supply.window_count;
  ts_auto_free struct dated_window *windows = ts_calloc(count + 1, sizeof *windows);
  for (uint32_t i = 0; i < count; i++) windows[i] = (struct dated_window){engine->options->deadlines->window_ns[i], i};
  qsort(windows, count, sizeof *windows, compare_windows);
  engine->window_order = ts_calloc(count + 1, sizeof *engine->window_order);
  for (size_t i = 0; i < count; i++) engine->window_order[i] = windows[i].number;
}

uint32_t ts_schedule_window(const struct engine *engine, size_t place) {
  return engine->window_order ? engine->window_order[place] : (uint32_t)place;
}

void ts_schedule_init(struct engine *engine) {
  const struct ts_run_options *options = engine->options;
  engine->policy = options->policy ? options->policy : ts_policies[0];
  if (options->deadlines) measure_after(engine);
  if (options->deadlines && !options->part) order_windows(engine);
  if (!engine->setup->needs) return;
  const size_t threads = engine->result->threads;
  engine->worker = options->worker ? *options->worker : (struct ts_worker_class){0};
  engine->worker.cores = (uint32_t)threads;
  if (engine->worker.memory_bytes == 0)
    engine->worker.memory_bytes = options->memory_bytes ? options->memory_bytes : ts_memory_available();
  ts_auto_free uint32_t *class_of = ts_calloc(threads, sizeof *class_of);
  ts_ready_restrict(&engine->ready, &engine->worker, class_of, engine->setup->needs, engine->setup->needs_count);
}

void ts_schedule_place(const struct engine *engine, uint32_t window, uint32_t node, struct ts_ready_task *task) {
  const struct ts_node *of_plan = &engine->plan->nodes[node];
  const bool is_dated = engine->after_ns != NULL;
  const struct ts_task_facts facts = {.window = window,
                                      .rank = of_plan->first_set,
                                      .depth = engine->setup->depths[node],
                                      .deadline_ns =
                                          is_dated ? engine->options->deadlines->window_ns[window] : TS_NO_DEADLINE,
                                      .after_ns = is_dated ? engine->after_ns[node] : 0};
  if (engine->setup->needs && of_plan->kind == TS_NODE_TASK) task->needs = engine->setup->needs_of_task[of_plan->task];
  engine->policy->place(&facts, task);
}

void ts_schedule_enter(struct engine *engine, uint32_t node) {
  if (!engine->setup->needs) return;
  const struct ts_task_needs *needs = needs_of(engine, node);
  const uint64_t turn = engine->next_turn++;
  while (turn != engine->turn || !ts_places_fit(&engine->places, &engine->worker, needs)) ts_engine_wait(engine);
  engine->turn++;
  ts_places_take(&engine->places, needs);
  if (engine->turn != engine->next_turn) pthread_cond_broadcast(&engine->changed);
}

void ts_schedule_leave(struct engine *engine, uint32_t node) {
  if (engine->setup->needs) ts_places_leave(&engine->places, needs_of(engine, node));
}
