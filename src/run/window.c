/* Windows: the part of a run that must be open at once, its instances and how they hang together across scopes.
 * SPDX-License-Identifier: Apache-2.0 */
#include "run/run_int.h"

#include "base/alloc.h"

struct instance *ts_window_instance(const struct window *window, uint32_t node, size_t local_unit) {
  return &window->instances[window->offsets[node] + local_unit];
}

struct instance *ts_window_instance_of_unit(const struct window *window, uint32_t node, size_t unit) {
  return ts_window_instance(window, node, unit - window->units[window->engine->plan->nodes[node].scope].first);
}

struct instance *ts_window_producers(const struct window *window, const struct instance *consumer, size_t input,
                                     size_t *count) {
  const struct ts_plan *plan = window->engine->plan;
  const struct ts_node *node = &plan->nodes[consumer->node];
  uint32_t producer = node->inputs[input].node;
  *count = 0;
  if (producer == TS_NO_NODE) return NULL;
  enum ts_scope scope = plan->nodes[producer].scope;
  size_t first = 0;
  ts_dataset_related(window->engine->dataset, node->scope, consumer->unit, scope, &first, count);
  return ts_window_instance(window, producer, first - window->units[scope].first);
}

static bool instance_input(const void *graph, size_t vertex, size_t input, size_t *first, size_t *count) {
  const struct window *window = graph;
  const struct instance *consumer = &window->instances[vertex];
  if (input == window->engine->plan->nodes[consumer->node].input_count) return false;
  const struct instance *producers = ts_window_producers(window, consumer, input, count);
  if (producers) *first = (size_t)(producers - window->instances);
  return true;
}

void ts_window_walk(const struct window *window, const struct instance *from, const struct ts_walk *walk) {
  struct ts_walk over = *walk;
  over.input = instance_input;
  over.graph = window;
  ts_walk_back(&over, (size_t)(from - window->instances));
}

void ts_window_walk_wanted(const struct window *window, const struct ts_walk *walk) {
  const struct ts_run_part *part = window->engine->options->part;
  for (size_t i = 0; part && i < part->wanted_count; i++)
    ts_window_walk(window, ts_window_instance_of_unit(window, part->wanted[i].node, part->wanted[i].unit), walk);
  for (size_t i = 0; (!part || !part->wanted) && i < window->instance_count; i++) {
    if (window->engine->wanted_ports[window->instances[i].node] != 0)
      ts_window_walk(window, &window->instances[i], walk);
  }
}

void ts_window_each_consumer(struct window *window, const struct instance *producer,
                             void (*visit)(struct window *window, struct instance *consumer, void *user), void *user) {
  struct engine *e = window->engine;
  enum ts_scope from = e->plan->nodes[producer->node].scope;
  for (uint32_t i = e->setup->consumer_first[producer->node]; i < e->setup->consumer_first[producer->node + 1]; i++) {
    uint32_t node = e->setup->consumers[i];
    enum ts_scope to = e->plan->nodes[node].scope;
    size_t first = 0;
    size_t count = 0;
    ts_dataset_related(e->dataset, from, producer->unit, to, &first, &count);
    for (size_t u = 0; u < count; u++)
      visit(window, ts_window_instance(window, node, first + u - window->units[to].first), user);
  }
}

struct window *ts_window_create(struct engine *engine, uint32_t number, struct ts_error *err) {
  struct window *window = ts_calloc(1, sizeof *window);
  window->engine = engine;
  window->number = number;
  const struct ts_plan *plan = engine->plan;
  for (int scope = 0; scope < TS_SCOPE_COUNT; scope++)
    ts_dataset_related(engine->dataset, plan->coarsest, number, (enum ts_scope)scope, &window->units[scope].first,
                       &window->units[scope].count);
  window->offsets = ts_calloc(plan->node_count + 1, sizeof *window->offsets);
  for (size_t n = 0; n < plan->node_count; n++)
    window->offsets[n + 1] = window->offsets[n] + window->units[plan->nodes[n].scope].count;
  window->instance_count = window->offsets[plan->node_count];
  window->instances = ts_calloc(window->instance_count + 1, sizeof *window->instances);
  for (uint32_t n = 0; n < plan->node_count; n++) {
    enum ts_scope scope = plan->nodes[n].scope;
    for (size_t u = 0; u < window->units[scope].count; u++) {
      struct instance *instance = ts_window_instance(window, n, u);
      instance->node = n;
      instance->unit = window->units[scope].first + u;
      if (engine->needed && !engine->needed[n]) continue;
      if (!ts_instance_key(engine, window, instance, err)) {
        ts_window_destroy(window);
        return NULL;
      }
    }
  }
  return window;
}

void ts_window_destroy(struct window *window) {
  if (!window) return;
  for (size_t i = 0; i < window->all_count; i++) {
    struct content *content = window->all[i];
    for (size_t o = 0; o < content->out.count; o++) ts_data_unref(content->out.data[o]);
    free(content->message);
  }
  free(window->all);
  ts_table_release(&window->by_identity);
  ts_arena_release(&window->arena);
  free(window->instances);
  free(window->offsets);
  free(window);
}
