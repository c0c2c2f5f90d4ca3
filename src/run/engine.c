/* The engine: worker threads that take ready instances and open windows as they run dry, until all is done or stopped.
 * SPDX-License-Identifier: Apache-2.0
 *
 * A worker holds engine.lock only to take and to finish an instance; operations, hashing, the store, the making of
 * windows and callbacks run without it. Instances that another makes ready go to the queue of the worker that finished
 * it. Each distinct content runs exactly once: an instance whose content is being computed waits for it, so the
 * executed counts do not depend on the timing of threads. */
#include "run/run_int.h"

#include "base/alloc.h"
#include "base/block.h"
#include "base/clock.h"
#include "base/machine/machine.h"
#include "base/pool.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define STOP_POLL_NS 50000000L /* how often idle workers look whether the user wants to stop */

static _Thread_local size_t worker_number = TS_ANY_WORKER;

size_t ts_engine_worker(void) { return worker_number; }

static int stop_level(const struct engine *engine) { return ts_run_stop_level(engine->options); }

static bool stop_requested(const struct engine *engine) { return stop_level(engine) != 0; }

static bool is_cancelled(const struct engine *engine) {
  return atomic_load_explicit(&engine->cancelled, memory_order_relaxed);
}

void ts_engine_end(struct engine *engine, const struct ts_error *err) {
  if (engine->trouble.code == TS_ERR_OK) engine->trouble = *err;
  engine->over = true;
  pthread_cond_broadcast(&engine->changed);
}

static void count_instances(struct engine *engine, size_t more) {
  engine->instances += more;
  if (engine->instances > engine->result->peak_instances) engine->result->peak_instances = engine->instances;
}

/* The earliest window of which a pane can be opened; NULL: none. */
static struct window *window_with_panes(const struct engine *engine) {
  struct window *earliest = NULL;
  for (struct window *w = engine->unopened_panes > 0 ? engine->first_open : NULL; w; w = w->next_open) {
    if (ts_pane_may_open(w) && (!earliest || w->number < earliest->number)) earliest = w;
  }
  return earliest;
}

static void open_next_pane(struct engine *engine, struct window *window) {
  struct ts_error err = {0};
  engine->unopened_panes--;
  engine->opening++;
  const bool ok = ts_pane_open_next(window, &err);
  engine->opening--;
  if (ok)
    count_instances(engine, engine->setup->layout.inner_count);
  else
    ts_engine_end(engine, &err);
}

/* Under engine.lock, which is released while keys are hashed and the store is asked. */
static void open_next_window(struct engine *engine) {
  struct ts_error err = {0};
  const uint32_t number = ts_schedule_window(engine, engine->next_window++);
  engine->opening++;
  pthread_mutex_unlock(&engine->lock);
  struct window *window = ts_window_create(engine, number, !engine->needed, &err);
  if (window) ts_look_up_wanted(window);
  pthread_mutex_lock(&engine->lock);
  engine->opening--;
  if (!window) {
    ts_engine_end(engine, &err);
    return;
  }
  engine->open_windows++;
  engine->unopened_panes += window->pane_count;
  count_instances(engine, window->instance_count);
  window->next_open = engine->first_open;
  engine->first_open = window;
  ts_activate_wanted(window);
  if (window->open_count == 0) ts_finish_window(window); /* none of its products are wanted */
}

void ts_engine_forget_window(struct engine *engine, struct window *window) {
  struct window **link = &engine->first_open;
  while (*link != window) link = &(*link)->next_open;
  *link = window->next_open;
  engine->open_windows--;
}

static void wait_a_little(struct engine *engine, pthread_cond_t *condition) {
  struct timespec until;
  clock_gettime(CLOCK_MONOTONIC, &until);
  until.tv_nsec += STOP_POLL_NS;
  if (until.tv_nsec >= 1000000000L) {
    until.tv_sec++;
    until.tv_nsec -= 1000000000L;
  }
  pthread_cond_timedwait(condition, &engine->lock, &until);
}

void ts_engine_wait(struct engine *engine) { wait_a_little(engine, &engine->changed); }

/* Opens a pane or a window, or asks for an item. False: nothing can be opened now. An error ends the run. */
static bool open_something(struct engine *engine) {
  struct window *window = window_with_panes(engine);
  if (window) {
    open_next_pane(engine, window);
    return true;
  }
  if (engine->next_window >= engine->supply.window_count) {
    if (!ts_supply_ask(&engine->supply, &engine->lock)) return false;
    pthread_cond_broadcast(&engine->changed);
    return true;
  }
  if (engine->open_windows + engine->opening > engine->result->threads) return false;
  open_next_window(engine);
  return true;
}

static bool is_all_done(const struct engine *engine) {
  const bool no_more = engine->next_window >= engine->supply.window_count && engine->supply.has_ended;
  const size_t under_way = engine->unopened_panes + engine->opening + engine->running + engine->entering;
  return no_more && under_way == 0 && engine->event_count == 0;
}

/* Under engine.lock: the next instance to work on; false when the run is over for this worker. */
static bool take_task(struct engine *engine, size_t worker, struct ts_ready_task *task) {
  for (;;) {
    if (engine->over || stop_requested(engine)) return false;
    if (ts_ready_take(&engine->ready, worker, task)) return true;
    if (open_something(engine)) continue;
    if (is_all_done(engine)) {
      engine->over = true;
      pthread_cond_broadcast(&engine->changed);
      return false;
    }
    if (engine->event_count > 0) { /* a finished window makes room only once it was reported */
      pthread_mutex_unlock(&engine->lock);
      ts_tell_events(engine);
      pthread_mutex_lock(&engine->lock);
      continue;
    }
    ts_engine_wait(engine);
  }
}

/* Under engine.lock, when a task has ended: a worker that waits for memory may have it now. Workers without work are
 * woken one by one as tasks become ready: waking all of them for every task would cost more than the task. */
static void wake_waiting(struct engine *engine) {
  if (engine->entering > 0) pthread_cond_broadcast(&engine->changed);
}

/* Under engine.lock: the instance and all that waited for the same content. */
static void finish_content(struct window *window, struct instance *instance, struct content *content,
                           enum ts_outcome outcome, const struct ts_call_times *times) {
  ts_finish(window, instance, content, outcome, times);
  struct instance *waiter = content->waiters;
  content->waiters = NULL;
  while (waiter) {
    struct instance *next = waiter->next_waiter;
    ts_finish(window, waiter, content, outcome == TS_OUTCOME_FAILED ? outcome : TS_OUTCOME_CUTOFF, NULL);
    waiter = next;
  }
  ts_content_drop_idle(&window->contents, content);
}

/* Whether an earlier run made the same content from other ancestors; then its products are loaded. */
static bool load_by_content(struct engine *engine, struct window *window, struct instance *instance,
                            struct content *content) {
  const struct ts_call call = ts_instance_call(engine, instance);
  struct ts_error ignored = {0};
  if (!engine->options->store || engine->options->no_cutoff || call.kind == TS_NODE_SOURCE) return false;
  content->has_key = ts_instance_content_key(engine, window, instance, &content->key, &ignored);
  return content->has_key && ts_call_find(&call, &content->key, &content->out);
}

static bool compute(struct engine *engine, struct window *window, struct instance *instance, struct ts_data **outputs,
                    struct ts_call_times *times, struct ts_failure *failure) {
  size_t input_count = 0;
  struct ts_data **inputs = ts_collect_inputs(engine, window, instance, &input_count, failure);
  if (!inputs) return false;
  if (engine->options->on_start) engine->options->on_start(engine->options->user, instance->node);
  bool ok = ts_execute(engine, window, instance, inputs, input_count, outputs, times, failure);
  ts_release_inputs(inputs, input_count);
  return ok;
}

static bool wanted_later(const struct engine *engine) { return engine->options->part && engine->options->part->keep; }

static struct ts_failure *detach(struct ts_failure *failure) {
  struct ts_failure *copy = ts_malloc(sizeof *copy);
  *copy = *failure;
  *failure = (struct ts_failure){0};
  return copy;
}

/* Without engine.lock: makes the content, one way or another. */
static void produce(struct engine *engine, struct window *window, struct instance *instance, struct content *content,
                    size_t worker) {
  struct ts_call_times times = {.worker = worker};
  ts_auto(ts_failure_release) struct ts_failure failure = {0};
  struct ts_data **outputs = content->out.data; /* nobody else looks at them before it is done */
  enum ts_outcome outcome = TS_OUTCOME_CUTOFF;
  bool durable = true; /* it comes from the store */
  if (!load_by_content(engine, window, instance, content))
    outcome = compute(engine, window, instance, outputs, &times, &failure) ? TS_OUTCOME_EXECUTED : TS_OUTCOME_FAILED;
  if (outcome == TS_OUTCOME_EXECUTED) {
    ts_call_digest(&engine->env, &content->out);
    durable = ts_record_result(engine, window, instance, content, &times, false);
  }
  for (size_t i = 0; outcome == TS_OUTCOME_EXECUTED && wanted_later(engine) && i < content->out.count; i++)
    ts_cache_put(engine->env.cache, &content->out.digests[i], outputs[i]);
  pthread_mutex_lock(&engine->lock);
  engine->running--;
  ts_memory_leave(engine, instance);
  ts_schedule_leave(engine, instance->node);
  if (ts_content_stop(&engine->under_way, content, &engine->ready)) pthread_cond_broadcast(&engine->changed);
  if (outcome == TS_OUTCOME_FAILED && (is_cancelled(engine) || engine->trouble.code != TS_ERR_OK)) {
    /* It gave up because it was asked to, or the run ends with this error: as if it had never been started. */
    wake_waiting(engine);
    pthread_mutex_unlock(&engine->lock);
    return;
  }
  if (outcome == TS_OUTCOME_FAILED || failure.log.length > 0) content->failure = detach(&failure);
  if (outcome == TS_OUTCOME_FAILED) {
    content->state = CONTENT_FAILED;
  } else {
    content->cpu_s = times.cpu_s;
    content->is_durable = durable;
    content->state = CONTENT_DONE;
    ts_memory_learn(engine, window, instance);
  }
  finish_content(window, instance, content, outcome, &times);
  wake_waiting(engine);
  pthread_mutex_unlock(&engine->lock);
}

/* Without engine.lock: an instance whose record is in the store. A damaged product sends it back to be computed. */
static void load(struct engine *engine, struct window *window, struct instance *instance, struct content *content,
                 size_t worker) {
  struct ts_call_times times = {.worker = worker, .start_s = (double)(ts_clock_ns() - engine->env.start_ns) / 1e9};
  const struct ts_call call = ts_instance_call(engine, instance);
  bool ok = ts_call_find(&call, NULL, &content->out);
  times.wall_s = (double)(ts_clock_ns() - engine->env.start_ns) / 1e9 - times.start_s;
  pthread_mutex_lock(&engine->lock);
  engine->running--;
  if (engine->setup->layout.is_fed[instance->node]) window->loading--;
  if (ok) {
    content->is_durable = true;
    content->state = CONTENT_DONE;
    finish_content(window, instance, content, TS_OUTCOME_STORE, &times);
  } else {
    ts_activate_damaged(window, instance);
  }
  wake_waiting(engine);
  pthread_mutex_unlock(&engine->lock);
}

static struct ts_xxh128 digest_of(void *user, const struct instance *producer, size_t port) {
  (void)user;
  return producer->content->out.run_digests[port];
}

static struct content *create_content(struct engine *engine, struct window *window, const struct instance *origin) {
  return ts_content_create(&window->contents, origin->node, origin->unit, ts_instance_output_count(engine, origin));
}

/* Under engine.lock: true if the instance must be produced; false if it could take, or now waits for, another's
 * content. */
static bool claim_content(struct engine *engine, const struct ts_ready_task *task, struct instance *instance,
                          struct content **content) {
  struct window *window = task->owner;
  if (engine->options->no_cutoff) {
    *content = create_content(engine, window, instance);
    return true;
  }
  struct ts_xxh128 identity = ts_instance_identity(engine, window, instance, digest_of, NULL);
  struct content *found = ts_content_find(&window->contents, &identity);
  bool is_task =
      engine->plan->nodes[instance->node].kind == TS_NODE_TASK; /* other products are not kept in the store */
  if (!found && is_task && engine->options->store && ts_content_is_running(&engine->under_way, &identity)) {
    ts_content_park(&engine->under_way, task);
  } else if (!found) {
    *content = create_content(engine, window, instance);
    ts_content_identify(&window->contents, *content, &identity);
    return true;
  } else if (found->state == CONTENT_RUNNING) {
    instance->state = PENDING;
    instance->next_waiter = found->waiters;
    found->waiters = instance;
  } else {
    ts_finish(window, instance, found, found->state == CONTENT_DONE ? TS_OUTCOME_CUTOFF : TS_OUTCOME_FAILED, NULL);
  }
  return false;
}

static void work_on(struct engine *engine, const struct ts_ready_task *task, size_t worker) {
  struct window *window = task->owner;
  struct instance *instance = ts_window_at(window, task->instance);
  bool loadable = instance->state == LOADABLE;
  struct content *content = NULL;
  if (loadable)
    content = create_content(engine, window, instance);
  else if (!claim_content(engine, task, instance, &content))
    return;
  else
    ts_content_start(&engine->under_way, content);
  instance->state = RUNNING;
  engine->entering++;
  if (!loadable) {
    ts_schedule_enter(engine, instance->node);
    ts_memory_enter(engine, window, instance);
  }
  engine->entering--;
  engine->running++;
  pthread_mutex_unlock(&engine->lock);
  if (loadable)
    load(engine, window, instance, content, worker);
  else
    produce(engine, window, instance, content, worker);
  ts_tell_events(engine);
  pthread_mutex_lock(&engine->lock);
}

static void worker_loop(void *argument, size_t worker) {
  struct engine *engine = argument;
  struct ts_ready_task task;
  worker_number = worker;
  pthread_mutex_lock(&engine->lock);
  while (take_task(engine, worker, &task)) work_on(engine, &task, worker);
  engine->workers--;
  pthread_cond_signal(&engine->left);
  pthread_mutex_unlock(&engine->lock);
  worker_number = TS_ANY_WORKER;
}

size_t ts_run_window_count(const struct ts_plan *plan, const struct ts_dataset *dataset) {
  return plan->node_count == 0 ? 0 : ts_dataset_units(dataset, plan->coarsest);
}

uint32_t ts_run_window_of(const struct ts_plan *plan, const struct ts_dataset *dataset, enum ts_scope scope,
                          size_t unit) {
  size_t window = 0, count = 0;
  ts_dataset_related(dataset, scope, unit, plan->coarsest, &window, &count);
  return (uint32_t)window;
}

/* One window, and the nodes that the wanted products of the part need. */
static void take_part(struct engine *engine, const struct ts_run_part *part) {
  engine->next_window = part->window;
  if (engine->supply.window_count > 0) engine->supply.window_count = part->window + (size_t)1;
  if (!part->wanted) return;
  engine->needed = ts_calloc(engine->plan->node_count + 1, sizeof *engine->needed);
  for (size_t i = 0; i < part->wanted_count; i++) {
    engine->wanted_ports[part->wanted[i].node] |= UINT64_C(1) << part->wanted[i].port;
    ts_plan_walk(engine->plan, part->wanted[i].node, engine->needed, NULL, NULL);
  }
}

/* This machine and program, and which execution of the run. */
static const char *name_producer(struct engine *engine) {
  const struct ts_run_part *part = engine->options->part;
  if (!part || part->execution == 0) return engine->setup->producer;
  struct ts_str text = {0};
  snprintf(engine->execution, sizeof engine->execution, " #%016" PRIx64, part->execution);
  ts_str_addf(&text, "%s%s", engine->setup->producer, engine->execution);
  return engine->own_producer = ts_str_detach(&text);
}

static void init_locks(struct engine *engine) {
  pthread_mutexattr_t spinning; /* it is held for less than a microsecond: going to sleep costs more */
  pthread_mutexattr_init(&spinning);
  pthread_mutexattr_settype(&spinning, PTHREAD_MUTEX_ADAPTIVE_NP);
  pthread_mutex_init(&engine->lock, &spinning);
  pthread_mutexattr_destroy(&spinning);
  pthread_mutex_init(&engine->tell, NULL);
  pthread_condattr_t monotonic;
  pthread_condattr_init(&monotonic);
  pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC); /* the wall clock may jump */
  pthread_cond_init(&engine->changed, &monotonic);
  pthread_cond_init(&engine->left, &monotonic);
  pthread_condattr_destroy(&monotonic);
}

bool ts_engine_init(struct engine *engine, const struct ts_plan *plan, const struct ts_dataset *dataset,
                    const struct ts_run_options *options, struct ts_run_result *result, struct ts_error *err) {
  *engine = (struct engine){.plan = plan, .dataset = dataset, .options = options, .result = result};
  *result = (struct ts_run_result){0};
  result->tasks = ts_calloc(plan->workflow->task_count + 1, sizeof *result->tasks);
  result->cpu_s = ts_calloc(plan->workflow->task_count + 1, sizeof *result->cpu_s);
  result->threads = options->threads ? options->threads : ts_cpu_count();
  ts_ready_init(&engine->ready, result->threads);
  engine->env = (struct ts_call_env){.options = options,
                                     .cancelled = &engine->cancelled,
                                     .start_ns = ts_clock_ns(),
                                     .lend = ts_engine_lend,
                                     .user = engine};
  engine->wanted_ports = ts_calloc(plan->node_count + 1, sizeof *engine->wanted_ports);
  const bool lists_demands = options->part && options->part->wanted;
  if (!lists_demands) ts_plan_mark_wanted(plan, engine->wanted_ports);
  engine->supply =
      (struct supply){.plan = plan, .dataset = dataset, .window_count = ts_run_window_count(plan, dataset)};
  if (options->part) take_part(engine, options->part);
  init_locks(engine);
  if (!options->setup) engine->own_setup = ts_run_setup_create(plan, options->registry, options->store, err);
  if (!options->setup && !engine->own_setup) return false;
  engine->setup = options->setup ? options->setup : engine->own_setup;
  engine->env.source_ops = engine->setup->source_ops;
  engine->env.source_count = plan->workflow->input_count + EXTRA_SOURCES;
  engine->env.producer = name_producer(engine);
  engine->env.cache = engine->setup->cache;
  ts_schedule_init(engine);
  return true;
}

void ts_engine_release(struct engine *engine) {
  while (engine->first_open) { /* only when the run was stopped */
    struct window *window = engine->first_open;
    engine->first_open = window->next_open;
    ts_window_destroy(window);
  }
  ts_run_setup_destroy(engine->own_setup);
  free(engine->own_producer);
  free(engine->wanted_ports);
  free(engine->needed);
  free(engine->after_ns);
  free(engine->window_order);
  free(engine->under_way.parked);
  free(engine->events);
  free(engine->told);
  ts_str_release(&engine->identity);
  ts_ready_release(&engine->ready);
  pthread_cond_destroy(&engine->changed);
  pthread_cond_destroy(&engine->left);
  pthread_mutex_destroy(&engine->tell);
  pthread_mutex_destroy(&engine->lock);
}

/* Workers inside an operation do not look whether the user wants to stop at once: this thread does it for them. */
static void wait_for_workers(struct engine *engine) {
  pthread_mutex_lock(&engine->lock);
  while (engine->workers > 0) {
    if (stop_level(engine) > 1) atomic_store_explicit(&engine->cancelled, true, memory_order_relaxed);
    if (engine->options->stop || engine->options->halt)
      wait_a_little(engine, &engine->left);
    else
      pthread_cond_wait(&engine->left, &engine->lock);
  }
  pthread_mutex_unlock(&engine->lock);
}

bool ts_run(const struct ts_plan *plan, const struct ts_dataset *dataset, const struct ts_run_options *options,
            struct ts_run_result *result, struct ts_error *err) {
  struct engine engine;
  if (!ts_engine_init(&engine, plan, dataset, options, result, err) || !ts_schedule_check(&engine, err)) {
    ts_engine_release(&engine);
    return false;
  }
  uint64_t cpu_ns = ts_clock_process_cpu_ns();
  struct ts_memo_counts parts = ts_memo_counts(options->memo);
  ts_buffer_reset_peak();
  ts_memory_limit_blocks(&engine);
  ts_supply_begin(&engine.supply, options);
  struct ts_pool *pool = ts_run_setup_pool(&engine.setup->pool, result->threads, err);
  engine.workers = pool ? result->threads : 0;
  for (size_t i = 0; pool && i < result->threads; i++) ts_pool_submit(pool, worker_loop, &engine);
  wait_for_workers(&engine);
  if (pool) ts_pool_wait(pool);
  ts_blocks_set_limit(&engine.block_limit, 0);
  ts_tell_events(&engine);
  const bool is_left =
      engine.open_windows > 0 || engine.next_window < engine.supply.window_count || !engine.supply.has_ended;
  result->stopped = stop_requested(&engine) && is_left;
  if (!result->stopped && engine.trouble.code == TS_ERR_OK && engine.open_windows > 0)
    TS_BUG("the run ended with %zu windows unfinished", engine.open_windows);
  result->wall_s = (double)(ts_clock_ns() - engine.env.start_ns) / 1e9;
  result->cpu_total_s = (double)(ts_clock_process_cpu_ns() - cpu_ns) / 1e9;
  result->peak_bytes = ts_buffer_peak_bytes();
  result->parts = ts_memo_counts(options->memo);
  result->parts.asked -= parts.asked;
  result->parts.recalled -= parts.recalled;
  bool ok = pool && engine.trouble.code == TS_ERR_OK;
  if (engine.trouble.code != TS_ERR_OK && err) *err = engine.trouble;
  ts_engine_release(&engine);
  return ok;
}

void ts_run_result_release(struct ts_run_result *result) {
  free(result->tasks);
  free(result->cpu_s);
  *result = (struct ts_run_result){0};
}
