/* Which tasks of a window can be done now, from the products in the store; equal contents are handed out once.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Helper nodes (reading, cropping, gathering) are done by the worker that needs them, so a task is ready when the tasks
 * behind its helpers are there. */
#include "run/frontier.h"
#include "run/run_int.h"

#include "base/alloc.h"
#include "base/log.h"

#include <stdlib.h>
#include <string.h>

enum progress_state { NOT_NEEDED, NEEDED, READY, HANDED_OUT, THERE, LOST };

struct ts_frontier {
  struct engine engine;
  struct ts_run_result unused;
  struct window *window;    /* owned */
  uint8_t *states;          /* owned: enum progress_state per instance */
  struct ts_map by_content; /* identity -> struct same */
  uint32_t *ready;          /* owned: instances, in the order in which they became ready */
  size_t ready_count, ready_capacity;
  size_t out_count;  /* handed out */
  size_t open_count; /* needed and neither there nor lost */
  const bool *tasks; /* borrowed: which may be handed out; NULL: all */
  bool is_open;
  struct ts_map numbers; /* identity of a missing product -> number; see number_of */
  uint32_t *number;      /* owned: per instance; TS_NO_NODE: not asked for yet */
  bool any_failed;
  bool has_aliases; /* recorded and perhaps not yet to be found */
};

/* Tasks of one content: the first is handed out, the others wait for it. */
struct same {
  uint32_t first;    /* instance */
  uint32_t *waiting; /* owned */
  size_t count, capacity;
};

static uint32_t index_of(const struct ts_frontier *frontier, const struct instance *instance) {
  return (uint32_t)(instance - frontier->window->instances);
}

static const struct ts_node *node_of(const struct ts_frontier *frontier, const struct instance *instance) {
  return &frontier->engine.plan->nodes[instance->node];
}

static void report_outcome(struct ts_frontier *frontier, const struct instance *instance, enum ts_outcome outcome) {
  const struct ts_run_options *options = frontier->engine.options;
  struct ts_task_event event = {.node = instance->node,
                                .unit = instance->unit,
                                .outcome = outcome,
                                .key = instance->key,
                                .log = "",
                                .remark = ""};
  if (options->on_task) options->on_task(options->user, &event);
  uint64_t wanted = frontier->engine.wanted_ports[instance->node];
  for (uint32_t port = 0; options->on_product && wanted >> port != 0; port++) {
    if ((wanted >> port & 1) == 0) continue;
    struct ts_error err = {0};
    struct ts_data *data = ts_store_load(options->store, &instance->content->out.digests[port], &err);
    if (data)
      options->on_product(options->user, instance->node, port, instance->unit, data);
    else
      ts_log(TS_LOG_WARN, "a product of the store cannot be read: %s", err.text);
    ts_data_unref(data);
  }
}

/* Takes the digests from the record of a task, if the store has it with all its products. */
static bool find(struct ts_frontier *frontier, struct instance *instance) {
  ts_auto(ts_arena_release) struct ts_arena arena = {0};
  struct ts_record record;
  struct ts_error ignored = {0};
  if (!ts_instance_in_store(&frontier->engine, instance) ||
      !ts_store_find(frontier->engine.options->store, &instance->key, &arena, &record, &ignored))
    return false;
  instance->content = ts_content_create(&frontier->window->contents, instance->node, instance->unit,
                                        ts_instance_output_count(&frontier->engine, instance));
  ts_outputs_recall(&instance->content->out, &record);
  instance->content->key = record.content_key;
  instance->content->has_key = true;
  return true;
}

/* Backwards from the wanted products. */
static bool need(void *user, size_t index) {
  struct ts_frontier *frontier = user;
  struct instance *instance = &frontier->window->instances[index];
  const bool is_task = node_of(frontier, instance)->kind == TS_NODE_TASK;
  if (frontier->states[index] != NOT_NEEDED) return false;
  if (is_task && find(frontier, instance)) {
    frontier->states[index] = THERE;
    report_outcome(frontier, instance, TS_OUTCOME_STORE);
    return false;
  }
  frontier->states[index] = NEEDED;
  frontier->open_count += is_task ? 1 : 0;
  return true;
}

struct reader {
  const struct ts_frontier *frontier;
  size_t index;
  enum progress_state inputs; /* so far */
};

static bool look_at_input(void *user, size_t index) {
  struct reader *reader = user;
  const struct ts_frontier *frontier = reader->frontier;
  if (index == reader->index || node_of(frontier, &frontier->window->instances[index])->kind != TS_NODE_TASK)
    return true;
  if (frontier->states[index] == LOST || (frontier->states[index] != THERE && reader->inputs == THERE))
    reader->inputs = frontier->states[index] == LOST ? LOST : NEEDED;
  return false;
}

/* Whether the tasks it reads, directly or through helpers, are there. LOST if one of them never will be. */
static enum progress_state inputs_state(const struct ts_frontier *frontier, const struct instance *instance) {
  struct reader reader = {frontier, index_of(frontier, instance), THERE};
  ts_window_walk(frontier->window, instance, &(struct ts_walk){.enter = look_at_input, .user = &reader});
  return reader.inputs;
}

static uint32_t number_of(struct ts_frontier *frontier, const struct instance *instance);
static struct ts_xxh128 identity_of(struct ts_frontier *frontier, const struct instance *instance);

/* A task that is there is known by the digest of its product; when all that is left is numbered, another one by the
 * number of the content to come. Helpers have one product. */
static struct ts_xxh128 product_identity(void *user, const struct instance *producer, size_t port) {
  struct ts_frontier *frontier = user;
  if (frontier->states[index_of(frontier, producer)] == THERE) return producer->content->out.run_digests[port];
  if (frontier->number) return (struct ts_xxh128){.low = number_of(frontier, producer), .high = port};
  return identity_of(frontier, producer);
}

static struct ts_xxh128 identity_of(struct ts_frontier *frontier, const struct instance *instance) {
  if (frontier->engine.options->no_cutoff) /* equal to no other */
    return (struct ts_xxh128){.low = index_of(frontier, instance), .high = UINT64_MAX};
  return ts_instance_identity(&frontier->engine, frontier->window, instance, product_identity, frontier);
}

static struct same *same_as(struct ts_frontier *frontier, const struct instance *instance, bool *is_first) {
  const struct ts_xxh128 identity = identity_of(frontier, instance);
  union ts_map_value *slot = ts_map_insert(&frontier->by_content, &identity, sizeof identity, is_first);
  if (*is_first) {
    slot->pointer = ts_calloc(1, sizeof(struct same));
    *(struct same *)slot->pointer = (struct same){.first = index_of(frontier, instance)};
  }
  return slot->pointer;
}

/* The same content under another lineage: recorded, so that its readers find it. */
static void take_over(struct ts_frontier *frontier, struct instance *instance, const struct instance *from) {
  const struct ts_call_times no_times = {0};
  instance->content = from->content;
  frontier->states[index_of(frontier, instance)] = THERE;
  frontier->open_count--;
  ts_record_result(&frontier->engine, frontier->window, instance, from->content, &no_times, true);
  frontier->has_aliases = true;
  report_outcome(frontier, instance, TS_OUTCOME_CUTOFF);
}

static void lose(struct ts_frontier *frontier, uint32_t index) {
  frontier->states[index] = LOST;
  frontier->open_count--;
  frontier->any_failed = true;
}

static void make_ready(struct ts_frontier *frontier, struct instance *instance) {
  bool is_first = false;
  struct same *same = same_as(frontier, instance, &is_first);
  uint32_t index = index_of(frontier, instance);
  enum progress_state first = (enum progress_state)frontier->states[same->first];
  if (!is_first && first == THERE) {
    take_over(frontier, instance, &frontier->window->instances[same->first]);
  } else if (!is_first && first == LOST) {
    lose(frontier, index);
  } else {
    frontier->states[index] = READY;
    if (is_first) {
      frontier->ready =
          ts_grow(frontier->ready, frontier->ready_count, &frontier->ready_capacity, sizeof *frontier->ready);
      frontier->ready[frontier->ready_count++] = index;
    } else {
      same->waiting = ts_grow(same->waiting, same->count, &same->capacity, sizeof *same->waiting);
      same->waiting[same->count++] = index;
    }
  }
}

/* Nodes follow their inputs, so one pass over the instances is enough. Errors of the store are reported when the run
 * ends. */
static void look_for_ready(struct ts_frontier *frontier) {
  if (!frontier->is_open) return;
  for (size_t i = 0; i < frontier->window->instance_count; i++) {
    struct instance *instance = &frontier->window->instances[i];
    if (frontier->states[i] != NEEDED || node_of(frontier, instance)->kind != TS_NODE_TASK) continue;
    if (frontier->tasks && !frontier->tasks[node_of(frontier, instance)->task]) continue;
    enum progress_state inputs = inputs_state(frontier, instance);
    if (inputs == THERE)
      make_ready(frontier, instance);
    else if (inputs == LOST)
      lose(frontier, (uint32_t)i);
  }
  struct ts_error later = {0};
  if (frontier->has_aliases) ts_store_flush(frontier->engine.options->store, &later);
  frontier->has_aliases = false;
}

struct ts_frontier *ts_frontier_create(const struct ts_plan *plan, const struct ts_dataset *dataset,
                                       const struct ts_run_options *options, uint32_t window, struct ts_error *err) {
  struct ts_frontier *frontier = ts_calloc(1, sizeof *frontier);
  bool ok = ts_engine_init(&frontier->engine, plan, dataset, options, &frontier->unused, err);
  if (ok) frontier->window = ts_window_create(&frontier->engine, window, false, err);
  if (!frontier->window) {
    ts_frontier_destroy(frontier);
    return NULL;
  }
  frontier->states = ts_calloc(frontier->window->instance_count + 1, sizeof *frontier->states);
  ts_window_walk_wanted(frontier->window, &(struct ts_walk){.enter = need, .user = frontier});
  return frontier;
}

void ts_frontier_open(struct ts_frontier *frontier, const bool *tasks) {
  frontier->tasks = tasks;
  frontier->is_open = true;
  look_for_ready(frontier);
}

void ts_frontier_destroy(struct ts_frontier *frontier) {
  if (!frontier) return;
  for (size_t i = 0; i < ts_map_count(&frontier->by_content); i++) {
    ts_auto_free struct same *same = ts_map_value_at(&frontier->by_content, i)->pointer;
    free(same->waiting);
  }
  ts_map_release(&frontier->by_content);
  ts_window_destroy(frontier->window);
  ts_run_result_release(&frontier->unused);
  ts_engine_release(&frontier->engine);
  ts_map_release(&frontier->numbers);
  free(frontier->number);
  free(frontier->states);
  free(frontier->ready);
  free(frontier);
}

size_t ts_frontier_ready(const struct ts_frontier *frontier) { return frontier->ready_count; }

static size_t add_demands(const struct ts_frontier *frontier, const struct instance *instance,
                          struct ts_run_demand *demands) {
  uint64_t wanted = frontier->engine.wanted_ports[instance->node];
  size_t count = 0;
  for (uint32_t port = 0; wanted >> port != 0; port++) {
    if (wanted >> port & 1) demands[count++] = (struct ts_run_demand){instance->node, port, instance->unit};
  }
  if (count == 0) demands[count++] = (struct ts_run_demand){instance->node, 0, instance->unit};
  return count;
}

/* In the order in which they became ready: tasks of one kind that read the same follow each other. */
size_t ts_frontier_take(struct ts_frontier *frontier, size_t most, struct ts_run_demand *demands) {
  size_t taken = most < frontier->ready_count ? most : frontier->ready_count;
  size_t count = 0;
  for (size_t i = 0; i < taken; i++) {
    frontier->states[frontier->ready[i]] = HANDED_OUT;
    count += add_demands(frontier, &frontier->window->instances[frontier->ready[i]], demands + count);
  }
  frontier->ready_count -= taken;
  frontier->out_count += taken;
  memmove(frontier->ready, frontier->ready + taken, frontier->ready_count * sizeof *frontier->ready);
  return count;
}

static void settle_waiting(struct ts_frontier *frontier, struct instance *first, bool is_there) {
  bool is_first = false;
  struct same *same = same_as(frontier, first, &is_first);
  for (size_t i = 0; i < same->count; i++) {
    if (is_there)
      take_over(frontier, &frontier->window->instances[same->waiting[i]], first);
    else
      lose(frontier, same->waiting[i]);
  }
  same->count = 0;
}

static bool is_needed(void *user, size_t index) { return ((const uint8_t *)user)[index] == NEEDED; }

/* How many demands the marked tasks make: as add_demands counts them. */
static size_t count_demands(const struct ts_frontier *frontier, const bool *marked) {
  size_t count = 0;
  for (size_t i = 0; i < frontier->window->instance_count; i++) {
    const uint64_t wanted = frontier->engine.wanted_ports[frontier->window->instances[i].node];
    if (marked[i]) count += wanted ? (size_t)__builtin_popcountll(wanted) : 1;
  }
  return count;
}

struct ts_run_demand *ts_frontier_take_run(struct ts_frontier *frontier, size_t place, size_t *count) {
  const struct ts_plan *plan = frontier->engine.plan;
  ts_auto_free bool *marked = ts_calloc(frontier->window->instance_count + 1, sizeof *marked);
  const struct ts_walk walk = {.met = marked, .enter = is_needed, .user = frontier->states};
  for (size_t w = 0; w < plan->wanted_count; w++) {
    uint32_t node = plan->products[plan->set_order[place] * plan->wanted_count + w].node;
    for (size_t u = 0; node != TS_NO_NODE && u < frontier->window->units[plan->nodes[node].scope].count; u++)
      ts_window_walk(frontier->window, ts_window_instance(frontier->window, node, u), &walk);
  }
  struct ts_run_demand *demands = ts_calloc(count_demands(frontier, marked) + 1, sizeof *demands);
  *count = 0;
  for (size_t i = 0; i < frontier->window->instance_count; i++) {
    struct instance *instance = &frontier->window->instances[i];
    if (!marked[i] || node_of(frontier, instance)->kind != TS_NODE_TASK) continue;
    frontier->states[i] = HANDED_OUT;
    frontier->out_count++;
    *count += add_demands(frontier, instance, demands + *count);
  }
  return demands;
}

static void came(struct ts_frontier *frontier, struct instance *instance) {
  uint32_t index = index_of(frontier, instance);
  if (frontier->states[index] != HANDED_OUT) return; /* it has several demands */
  frontier->out_count--;
  bool is_there = find(frontier, instance);
  if (is_there) {
    frontier->states[index] = THERE;
    frontier->open_count--;
  } else {
    lose(frontier, index);
  }
  if (inputs_state(frontier, instance) == THERE) settle_waiting(frontier, instance, is_there);
}

void ts_frontier_came(struct ts_frontier *frontier, const struct ts_run_demand *demands, size_t count) {
  for (size_t i = 0; i < count; i++)
    came(frontier, ts_window_instance_of_unit(frontier->window, demands[i].node, demands[i].unit));
  look_for_ready(frontier);
}

bool ts_frontier_is_over(const struct ts_frontier *frontier) {
  return frontier->ready_count == 0 && frontier->out_count == 0;
}

bool ts_frontier_any_failed(const struct ts_frontier *frontier) { return frontier->any_failed; }

/* ---- tasks that are left ---- */
static uint32_t number_of(struct ts_frontier *frontier, const struct instance *instance) {
  uint32_t *number = &frontier->number[index_of(frontier, instance)];
  if (*number != TS_NO_NODE) return *number;
  const struct ts_xxh128 identity = identity_of(frontier, instance);
  bool inserted = false;
  union ts_map_value *slot = ts_map_insert(&frontier->numbers, &identity, sizeof identity, &inserted);
  if (inserted) slot->number = ts_map_count(&frontier->numbers) - 1;
  *number = (uint32_t)slot->number;
  return *number;
}

struct run_keys {
  struct ts_frontier *frontier;
  uint32_t *keys;
};

/* The tasks behind a product that are still to be done. */
static bool add_key(void *user, size_t index) {
  const struct run_keys *run = user;
  const struct instance *instance = &run->frontier->window->instances[index];
  const struct ts_node *node = node_of(run->frontier, instance);
  const enum progress_state state = (enum progress_state)run->frontier->states[index];
  if (state == THERE || state == NOT_NEEDED || node->reference_only) return false;
  if (node->kind == TS_NODE_TASK) run->keys[node->task] = number_of(run->frontier, instance);
  return true;
}

void ts_frontier_keys(struct ts_frontier *frontier, size_t run, uint32_t *keys) {
  const struct ts_plan *plan = frontier->engine.plan;
  if (!frontier->number) {
    frontier->number = ts_malloc((frontier->window->instance_count + 1) * sizeof *frontier->number);
    memset(frontier->number, 0xff, (frontier->window->instance_count + 1) * sizeof *frontier->number);
  }
  const struct ts_walk walk = {.enter = add_key, .user = &(struct run_keys){frontier, keys}};
  for (size_t t = 0; t < plan->workflow->task_count; t++) keys[t] = TS_NO_NODE;
  for (size_t w = 0; w < plan->wanted_count; w++) {
    uint32_t node = plan->products[run * plan->wanted_count + w].node;
    if (node != TS_NO_NODE) ts_window_walk(frontier->window, ts_window_instance(frontier->window, node, 0), &walk);
  }
}
