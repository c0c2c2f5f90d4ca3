/* Which instances are needed: from the wanted products backwards, stopping wherever the store has the product already.
 * SPDX-License-Identifier: Apache-2.0 */
#include "run/run_int.h"

#include "base/alloc.h"

void ts_make_ready(struct window *window, struct instance *instance, size_t worker) {
  struct engine *e = window->engine;
  instance->state = QUEUED;
  struct ts_ready_task task = {.owner = window, .instance = (uint32_t)ts_window_index(window, instance)};
  ts_schedule_place(e, window->number, instance->node, &task);
  if (worker == TS_ANY_WORKER)
    ts_ready_push(&e->ready, task);
  else
    ts_ready_push_local(&e->ready, worker, task);
  if (e->entering > 0)
    pthread_cond_broadcast(&e->changed); /* one signal might reach a worker that waits for memory */
  else
    pthread_cond_signal(&e->changed);
}

/* With stages_only the store is for products that leave a stage. */
bool ts_instance_is_kept(const struct engine *engine, const struct instance *instance) {
  const struct ts_node *node = &engine->plan->nodes[instance->node];
  return !engine->options->stages_only || (node->kind == TS_NODE_TASK && engine->setup->is_stage_output[node->task]);
}

/* Wanted products may have to be made although another part of the same execution has made them. */
static bool is_own(const struct engine *engine, const struct instance *instance, const struct ts_record *record) {
  const struct ts_run_part *part = engine->options->part;
  return part && part->execution != 0 && engine->wanted_ports[instance->node] != 0 &&
         ts_str_ends_with(record->producer, engine->execution);
}

/* Whether the store has a record of the instance and the bytes of all its products. */
bool ts_instance_in_store(struct engine *engine, const struct instance *instance) {
  if (!engine->options->store || !ts_instance_is_kept(engine, instance)) return false;
  ts_auto(ts_arena_release) struct ts_arena arena = {0};
  struct ts_record record;
  struct ts_error ignored = {0};
  if (!ts_store_find(engine->options->store, &instance->key, &arena, &record, &ignored)) return false;
  if (is_own(engine, instance, &record)) return false;
  for (size_t i = 0; i < record.output_count; i++) {
    if (!ts_store_has_product(engine->options->store, &record.outputs[i].digest)) return false;
  }
  const struct ts_call call = ts_instance_call(engine, instance);
  return record.output_count == ts_instance_output_count(engine, instance) &&
         ts_call_worth_loading(&call, &record, false);
}

static bool is_finished(const struct instance *instance) {
  return instance->state == DONE || instance->state == FAILED || instance->state == SKIPPED;
}

/* A producer that is finished already gets one more reader: its data must be there again until that one is done. */
static void register_reader(struct instance *instance, struct instance *producer) {
  producer->readers++;
  if (!is_finished(producer))
    instance->waiting_inputs++;
  else if (producer->state == DONE && producer->readers == 1)
    producer->content->holders++;
}

/* After all producers were activated: activating one may finish another. */
static void await_inputs(void *user, size_t index) {
  struct window *window = user;
  struct instance *instance = ts_window_at(window, index);
  const struct ts_node *node = &window->engine->plan->nodes[instance->node];
  bool broken = false;
  for (size_t i = 0; i < node->input_count; i++) {
    size_t count = 0;
    struct instance *producers = ts_window_producers(window, instance, i, &count);
    const bool crossed = count > 0 && ts_pane_is_crossed(window, instance, producers->node);
    for (size_t p = 0; p < count; p++) {
      if (crossed) producers[p].awaited = true;
      register_reader(instance, &producers[p]);
      broken = broken || producers[p].state == FAILED || producers[p].state == SKIPPED;
    }
  }
  instance->state = WAITING;
  if (broken)
    ts_skip(window, instance);
  else if (instance->waiting_inputs == 0)
    ts_make_ready(window, instance, TS_ANY_WORKER);
}

/* One instance more, or less, to be finished in its window and pane. */
static void open_one(struct window *window, const struct instance *instance, int more) {
  struct pane *pane = ts_pane_of(window, instance);
  window->open_count += (size_t)more;
  if (pane) pane->open_count += (size_t)more;
}

static bool activate(void *user, size_t index) {
  struct window *window = user;
  struct instance *instance = ts_window_at(window, index);
  if (instance->state != UNNEEDED) return false;
  open_one(window, instance, 1);
  if (instance->looked_up ? instance->in_store : ts_instance_in_store(window->engine, instance)) {
    ts_make_ready(window, instance, TS_ANY_WORKER);
    instance->state = LOADABLE;
    if (window->engine->setup->layout.is_fed[instance->node]) window->loading++;
    return false;
  }
  instance->state = REGISTERING;
  instance->waiting_inputs = 0;
  instance->registered = true;
  return true;
}

struct ts_walk ts_activation(struct window *window) {
  return (struct ts_walk){.enter = activate, .leave = await_inputs, .user = window};
}

void ts_activate_damaged(struct window *window, struct instance *instance) {
  instance->looked_up = true;
  instance->in_store = false;
  instance->state = UNNEEDED;
  open_one(window, instance, -1);
  const struct ts_walk activation = ts_activation(window);
  ts_window_walk(window, instance, &activation);
}

bool ts_look_up(void *user, size_t index) {
  const struct window *window = user;
  struct instance *instance = ts_window_at(window, index);
  if (instance->looked_up) return false;
  instance->looked_up = true;
  instance->in_store = ts_instance_in_store(window->engine, instance);
  return !instance->in_store;
}

void ts_look_up_wanted(struct window *window) {
  if (window->engine->options->store)
    ts_window_walk_wanted(window, &(struct ts_walk){.enter = ts_look_up, .user = window});
}

void ts_activate_wanted(struct window *window) {
  const struct ts_walk activation = ts_activation(window);
  ts_window_walk_wanted(window, &activation);
}
