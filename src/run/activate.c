/* Which instances are needed: from the wanted products backwards, stopping wherever the store has the product already.
 * SPDX-License-Identifier: Apache-2.0 */
#include "run/run_int.h"

#include "base/alloc.h"

void ts_make_ready(struct window *window, struct instance *instance, size_t worker) {
  struct engine *e = window->engine;
  instance->state = QUEUED;
  uint32_t rank = e->plan->nodes[instance->node].first_set;
  struct ts_ready_task task = {.priority = ts_ready_priority(window->number, rank, e->depths[instance->node]),
                               .owner = window,
                               .instance = (uint32_t)(instance - window->instances)};
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
  return !engine->options->stages_only || (node->kind == TS_NODE_TASK && engine->is_stage_output[node->task]);
}

/* Wanted products may have to be made although another part has made the same in the meantime. */
static bool is_too_new(const struct engine *engine, const struct instance *instance, const struct ts_record *record) {
  const struct ts_run_part *part = engine->options->part;
  return part && part->found_before_unix_ns != 0 && engine->wanted_ports[instance->node] != 0 &&
         record->made_unix_ns >= part->found_before_unix_ns;
}

/* Whether the store has a record of the instance and the bytes of all its products. */
bool ts_instance_in_store(struct engine *engine, const struct instance *instance) {
  if (!engine->options->store || instance->not_in_store || !ts_instance_is_kept(engine, instance)) return false;
  ts_auto(ts_arena_release) struct ts_arena arena = {0};
  struct ts_record record;
  struct ts_error ignored = {0};
  if (!ts_store_find(engine->options->store, &instance->key, &arena, &record, &ignored)) return false;
  if (is_too_new(engine, instance, &record)) return false;
  for (size_t i = 0; i < record.output_count; i++) {
    if (!ts_store_has_product(engine->options->store, &record.outputs[i].digest)) return false;
  }
  return record.output_count == ts_instance_output_count(engine, instance) &&
         ts_worth_loading(engine, instance, &record, false);
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

static void activate(struct window *window, struct instance *instance);

/* Makes the producers needed and registers the instance with them. Two passes: activating one producer may finish
 * another. */
void ts_need_inputs(struct window *window, struct instance *instance) {
  const struct ts_node *node = &window->engine->plan->nodes[instance->node];
  instance->state = REGISTERING;
  instance->waiting_inputs = 0;
  instance->registered = true;
  bool broken = false;
  for (int pass = 0; pass < 2; pass++) {
    for (size_t i = 0; i < node->input_count; i++) {
      size_t count = 0;
      struct instance *producers = ts_window_producers(window, instance, i, &count);
      for (size_t p = 0; p < count; p++) {
        if (pass == 0) {
          activate(window, &producers[p]);
          continue;
        }
        register_reader(instance, &producers[p]);
        broken = broken || producers[p].state == FAILED || producers[p].state == SKIPPED;
      }
    }
  }
  instance->state = WAITING;
  if (broken)
    ts_finish(window, instance, NULL, TS_OUTCOME_SKIPPED, NULL);
  else if (instance->waiting_inputs == 0)
    ts_make_ready(window, instance, TS_ANY_WORKER);
}

static void activate(struct window *window, struct instance *instance) {
  if (instance->state != UNNEEDED) return;
  window->open_count++;
  if (instance->looked_up ? instance->in_store : ts_instance_in_store(window->engine, instance)) {
    ts_make_ready(window, instance, TS_ANY_WORKER);
    instance->state = LOADABLE;
    return;
  }
  ts_need_inputs(window, instance);
}

/* The same walk as activate, before anybody else knows the window. */
static void look_up(struct window *window, struct instance *instance) {
  const struct ts_node *node = &window->engine->plan->nodes[instance->node];
  if (instance->looked_up) return;
  instance->looked_up = true;
  instance->in_store = ts_instance_in_store(window->engine, instance);
  for (size_t i = 0; !instance->in_store && i < node->input_count; i++) {
    size_t count = 0;
    struct instance *producers = ts_window_producers(window, instance, i, &count);
    for (size_t p = 0; p < count; p++) look_up(window, &producers[p]);
  }
}

/* Every instance that is wanted by itself; some may come twice. */
static void each_wanted(struct window *window, void (*visit)(struct window *window, struct instance *instance)) {
  const struct ts_run_part *part = window->engine->options->part;
  for (size_t i = 0; part && i < part->wanted_count; i++)
    visit(window, ts_window_instance_of_unit(window, part->wanted[i].node, part->wanted[i].unit));
  for (size_t i = 0; (!part || !part->wanted) && i < window->instance_count; i++) {
    if (window->engine->wanted_ports[window->instances[i].node] != 0) visit(window, &window->instances[i]);
  }
}

void ts_look_up_wanted(struct window *window) {
  if (window->engine->options->store) each_wanted(window, look_up);
}

void ts_activate_wanted(struct window *window) { each_wanted(window, activate); }
