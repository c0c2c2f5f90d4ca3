/* Finishes an instance: counts, the data of its producers, its consumers, and the caller's callbacks.
 * SPDX-License-Identifier: Apache-2.0 */
#include "run/run_int.h"

#include "base/alloc.h"
#include "base/clock.h"

#include <stdlib.h>

static const char *const outcome_names[] = {"executed", "cutoff", "store", "failed", "skipped"};

const char *ts_outcome_name(enum ts_outcome outcome) { return outcome_names[outcome]; }

static void count(struct engine *engine, const struct instance *instance, enum ts_outcome outcome, double cpu_s) {
  const struct ts_node *node = &engine->plan->nodes[instance->node];
  if (node->kind == TS_NODE_SOURCE && outcome == TS_OUTCOME_EXECUTED) engine->result->reads++;
  if (node->kind != TS_NODE_TASK) return;
  struct ts_run_counts *counts = node->reference_only ? &engine->result->reference : &engine->result->tasks[node->task];
  counts->by_outcome[outcome]++;
  engine->result->cpu_s[node->task] += cpu_s;
}

void ts_release_reader(struct window *window, struct instance *producer) {
  if (--producer->readers > 0 || producer->state != DONE) return;
  producer->content->holders--;
  ts_content_drop_idle(&window->contents, producer->content);
}

/* A finished reader no longer needs its inputs. */
static void release_producers(struct window *window, struct instance *instance) {
  const struct ts_node *node = &window->engine->plan->nodes[instance->node];
  if (!instance->registered) return;
  for (size_t i = 0; i < node->input_count; i++) {
    size_t producer_count = 0;
    struct instance *producers = ts_window_producers(window, instance, i, &producer_count);
    for (size_t p = 0; p < producer_count; p++) {
      ts_release_reader(window, &producers[p]);
    }
  }
}

/* Events carry keys, so one that has no key yet is skipped when it has. */
void ts_skip(struct window *window, struct instance *instance) {
  if (instance->lacks_key)
    instance->is_broken = true;
  else
    ts_finish(window, instance, NULL, TS_OUTCOME_SKIPPED, NULL);
}

static void tell_consumer(struct window *window, struct instance *consumer, void *user) {
  const struct instance *producer = user;
  if (consumer->state != WAITING) return;
  if (producer->state != DONE)
    ts_skip(window, consumer);
  else if (--consumer->waiting_inputs == 0)
    ts_make_ready(window, consumer, ts_engine_worker());
}

static void add_event(struct engine *engine, struct event event) {
  engine->events = ts_grow(engine->events, engine->event_count, &engine->event_capacity, sizeof *engine->events);
  engine->events[engine->event_count++] = event;
}

/* References to the wanted outputs, so that they outlive the content's own until they are delivered. */
static struct ts_data **hold_wanted(const struct window *window, const struct instance *instance) {
  if (window->engine->wanted_ports[instance->node] == 0 || instance->state != DONE) return NULL;
  struct ts_data **held = ts_calloc(instance->content->out.count + 1, sizeof *held);
  for (size_t i = 0; i < instance->content->out.count; i++) {
    if (instance->content->out.data[i]) held[i] = ts_data_ref(instance->content->out.data[i]);
  }
  return held;
}

void ts_finish_window(struct window *window) { add_event(window->engine, (struct event){.window = window}); }

void ts_finish_one(struct window *window, struct pane *pane) {
  if (pane && --pane->open_count == 0) add_event(window->engine, (struct event){.window = window, .pane = pane});
  if (--window->open_count == 0) ts_finish_window(window);
}

void ts_finish(struct window *window, struct instance *instance, struct content *content, enum ts_outcome outcome,
               const struct ts_call_times *times) {
  static const struct ts_call_times no_times = {0};
  instance->content = content;
  instance->state = outcome == TS_OUTCOME_FAILED ? FAILED : outcome == TS_OUTCOME_SKIPPED ? SKIPPED : DONE;
  if (instance->state == DONE && instance->readers > 0) content->holders++;
  count(window->engine, instance, outcome, times ? times->cpu_s : 0);
  add_event(window->engine,
            (struct event){window, instance, outcome, times ? *times : no_times, hold_wanted(window, instance), NULL});
  release_producers(window, instance);
  ts_window_each_consumer(window, instance, tell_consumer, instance);
  ts_finish_one(window, ts_pane_of(window, instance));
}

static void deliver(struct engine *engine, struct event *event) {
  const struct content *content = event->instance->content;
  uint64_t wanted = engine->wanted_ports[event->instance->node];
  for (size_t port = 0; event->data && content && port < content->out.count; port++) {
    struct ts_data *data = event->data[port];
    if (wanted >> port & 1 && engine->options->on_product) {
      if (!data) data = ts_materialise(engine, event->window, event->instance->content, port, NULL);
      if (data)
        engine->options->on_product(engine->options->user, event->instance->node, (uint32_t)port, event->instance->unit,
                                    data);
    }
    ts_data_unref(data);
  }
  free(event->data);
}

/* What the instance is to report: all that share a content failed with it, but only the one that was called wrote. */
static const struct ts_failure *failure_of(const struct instance *instance, enum ts_outcome outcome) {
  const bool tells = outcome == TS_OUTCOME_FAILED || outcome == TS_OUTCOME_EXECUTED;
  return tells && instance->content ? instance->content->failure : NULL;
}

/* What a call wrote that went well is told once. */
static void forget_log(const struct instance *instance, enum ts_outcome outcome) {
  if (outcome != TS_OUTCOME_EXECUTED || !instance->content || !instance->content->failure) return;
  ts_failure_release(instance->content->failure);
  free(instance->content->failure);
  instance->content->failure = NULL;
}

static void tell_task(struct engine *engine, const struct instance *instance, enum ts_outcome outcome,
                      const struct ts_call_times *times) {
  if (!engine->options->on_task) return;
  const struct ts_failure *failure = failure_of(instance, outcome);
  uint64_t bytes = 0;
  const struct content *content = instance->state == DONE ? instance->content : NULL;
  for (size_t i = 0; content && i < content->out.count; i++) bytes += content->out.sizes[i];
  const struct ts_task_event told = {.node = instance->node,
                                     .unit = instance->unit,
                                     .outcome = outcome,
                                     .key = instance->key,
                                     .start_s = times->start_s,
                                     .wall_s = times->wall_s,
                                     .cpu_s = times->cpu_s,
                                     .worker = times->worker,
                                     .error = failure && outcome == TS_OUTCOME_FAILED ? &failure->error : NULL,
                                     .log = failure ? ts_str_get(&failure->log) : "",
                                     .remark = failure ? ts_str_get(&failure->remark) : "",
                                     .output_bytes = bytes,
                                     .port_count = content ? content->out.count : 0,
                                     .port_bytes = content ? content->out.sizes : NULL,
                                     .peak_bytes = times->peak_bytes};
  engine->options->on_task(engine->options->user, &told);
  forget_log(instance, outcome);
}

/* Instances that were not needed, because the store has their consumers' products, are reported and counted as
 * found. */
static void tell_unneeded(struct engine *engine, const struct instance *instances, size_t instance_count) {
  const struct ts_call_times times = {.start_s = (double)(ts_clock_ns() - engine->env.start_ns) / 1e9};
  for (size_t i = 0; i < instance_count; i++) {
    if (instances[i].state == UNNEEDED) tell_task(engine, &instances[i], TS_OUTCOME_STORE, &times);
  }
}

/* Under engine.lock. */
static void count_unneeded(struct engine *engine, const struct instance *instances, size_t instance_count) {
  for (size_t i = 0; i < instance_count; i++) {
    if (instances[i].state == UNNEEDED) count(engine, &instances[i], TS_OUTCOME_STORE, 0);
  }
  engine->instances -= instance_count;
}

static void close_pane(struct engine *engine, struct window *window, struct pane *pane) {
  const size_t instance_count = engine->setup->layout.inner_count;
  tell_unneeded(engine, pane->instances, instance_count);
  pthread_mutex_lock(&engine->lock);
  count_unneeded(engine, pane->instances, instance_count);
  ts_pane_close(window, pane);
  pthread_cond_signal(&engine->changed);
  pthread_mutex_unlock(&engine->lock);
}

static void close_window(struct engine *engine, struct window *window) {
  const bool whole = !engine->needed; /* otherwise another part may need instances that this one did not */
  if (whole) tell_unneeded(engine, window->instances, window->instance_count);
  pthread_mutex_lock(&engine->lock);
  if (whole) count_unneeded(engine, window->instances, window->instance_count);
  ts_engine_forget_window(engine, window);
  pthread_cond_broadcast(&engine->changed);
  pthread_mutex_unlock(&engine->lock);
  ts_window_destroy(window);
}

static void report_event(struct engine *engine, struct event *event) {
  struct instance *instance = event->instance;
  if (!instance) {
    if (event->pane)
      close_pane(engine, event->window, event->pane);
    else
      close_window(engine, event->window);
    return;
  }
  if (event->outcome == TS_OUTCOME_CUTOFF)
    ts_record_result(engine, event->window, instance, instance->content, &event->times, true);
  tell_task(engine, instance, event->outcome, &event->times);
  deliver(engine, event);
}

void ts_tell_events(struct engine *engine) {
  pthread_mutex_lock(&engine->tell);
  pthread_mutex_lock(&engine->lock);
  struct event *events = engine->events;
  size_t event_count = engine->event_count;
  size_t capacity = engine->event_capacity;
  engine->events = engine->told;
  engine->event_count = 0;
  engine->event_capacity = engine->told_capacity;
  pthread_mutex_unlock(&engine->lock);
  for (size_t i = 0; i < event_count; i++) report_event(engine, &events[i]);
  engine->told = events;
  engine->told_capacity = capacity;
  pthread_mutex_unlock(&engine->tell);
}
