/* Windows: the part of a run that must be open at once, its instances and how they hang together across scopes.
 * SPDX-License-Identifier: Apache-2.0 */
#include "run/run_int.h"

#include "base/alloc.h"

struct instance *ts_window_instance_of_unit(const struct window *window, uint32_t node, size_t unit) {
  return ts_window_instance(window, node, unit - window->units[window->engine->plan->nodes[node].scope].first);
}

size_t ts_pane_index(const struct window *window, const struct instance *instance) {
  const struct pane_layout *layout = &window->engine->setup->layout;
  const size_t place = instance->unit - window->units[layout->scope].first;
  return window->instance_count + place * layout->inner_count + layout->inner[instance->node];
}

struct instance *ts_pane_at(const struct window *window, size_t index) {
  const size_t inner_count = window->engine->setup->layout.inner_count;
  index -= window->instance_count;
  return &window->panes[index / inner_count]->instances[index % inner_count];
}

/* Apart from the common case below, so that it costs nothing there. */
__attribute__((noinline)) static struct instance *producers_of_other_scope(const struct window *window,
                                                                           enum ts_scope from, size_t unit,
                                                                           uint32_t producer, size_t *count) {
  const enum ts_scope scope = window->engine->plan->nodes[producer].scope;
  size_t first = 0;
  ts_dataset_related(window->engine->dataset, from, unit, scope, &first, count);
  return ts_window_instance(window, producer, first - window->units[scope].first);
}

struct instance *ts_window_producers(const struct window *window, const struct instance *consumer, size_t input,
                                     size_t *count) {
  const struct ts_plan *plan = window->engine->plan;
  const struct ts_node *node = &plan->nodes[consumer->node];
  uint32_t producer = node->inputs[input].node;
  *count = 0;
  if (producer == TS_NO_NODE) return NULL;
  if (plan->nodes[producer].scope != node->scope)
    return producers_of_other_scope(window, node->scope, consumer->unit, producer, count);
  *count = 1;
  return ts_window_instance(window, producer, consumer->unit - window->units[node->scope].first);
}

static bool instance_input(const void *graph, size_t vertex, size_t input, size_t *first, size_t *count) {
  const struct window *window = graph;
  const struct instance *consumer = ts_window_at(window, vertex);
  if (input == window->engine->plan->nodes[consumer->node].input_count) return false;
  const struct instance *producers = ts_window_producers(window, consumer, input, count);
  if (!producers) return true;
  *first = (size_t)(producers - window->instances);
  if (!window->panes) return true;
  *first = ts_window_index(window, producers);
  if (ts_pane_is_crossed(window, consumer, producers->node)) *count = 0;
  return true;
}

void ts_window_walk(const struct window *window, const struct instance *from, const struct ts_walk *walk) {
  struct ts_walk over = *walk;
  over.input = instance_input;
  over.graph = window;
  ts_walk_back(&over, ts_window_index(window, from));
}

void ts_window_walk_wanted(const struct window *window, const struct ts_walk *walk) {
  const struct ts_run_part *part = window->engine->options->part;
  for (size_t i = 0; part && i < part->wanted_count; i++)
    ts_window_walk(window, ts_window_instance_of_unit(window, part->wanted[i].node, part->wanted[i].unit), walk);
  for (size_t i = 0; (!part || !part->wanted) && i < window->instance_count; i++) {
    const struct instance *instance = &window->instances[i];
    if (window->engine->wanted_ports[instance->node] == 0) continue;
    if (!window->panes || window->engine->plan->nodes[instance->node].scope != window->engine->setup->layout.scope)
      ts_window_walk(window, instance, walk);
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
    for (size_t u = first - window->units[to].first; count > 0; u++, count--) {
      if (ts_inner_place(window, node) != TS_NO_NODE && !window->panes[u]) continue; /* not open yet, or finished */
      visit(window, ts_window_instance(window, node, u), user);
    }
  }
}

static void divide(struct window *window, bool by_panes) {
  const struct engine *engine = window->engine;
  const struct ts_plan *plan = engine->plan;
  for (int scope = 0; scope < TS_SCOPE_COUNT; scope++)
    ts_dataset_related(engine->dataset, plan->coarsest, window->number, (enum ts_scope)scope,
                       &window->units[scope].first, &window->units[scope].count);
  const size_t finest = window->units[engine->setup->layout.scope].count;
  if (by_panes && engine->setup->layout.is_usable && finest > 1) {
    window->pane_count = finest;
    window->panes = ts_calloc(finest, sizeof *window->panes);
  }
  window->offsets = ts_calloc(plan->node_count + 1, sizeof *window->offsets);
  for (uint32_t n = 0; n < plan->node_count; n++) {
    const bool is_kept = ts_inner_place(window, n) == TS_NO_NODE;
    window->offsets[n + 1] = window->offsets[n] + (is_kept ? window->units[plan->nodes[n].scope].count : 0);
  }
  window->instance_count = window->offsets[plan->node_count];
  window->instances = ts_calloc(window->instance_count + 1, sizeof *window->instances);
}

/* In a window with panes, keys of what they make, and of all that reads it, come with them. */
static bool has_key_at_once(const struct window *window, uint32_t node) {
  const struct engine *engine = window->engine;
  const struct pane_layout *layout = &engine->setup->layout;
  if (engine->needed && !engine->needed[node]) return false;
  return !window->panes || (engine->plan->nodes[node].scope != layout->scope && !layout->is_fed[node]);
}

struct window *ts_window_create(struct engine *engine, uint32_t number, bool by_panes, struct ts_error *err) {
  struct window *window = ts_calloc(1, sizeof *window);
  window->engine = engine;
  window->number = number;
  window->contents.most_linger_bytes = engine->options->linger_bytes;
  divide(window, by_panes);
  bool ok = true;
  for (uint32_t n = 0; n < engine->plan->node_count; n++) {
    const bool with_key = has_key_at_once(window, n);
    for (size_t i = window->offsets[n]; ok && i < window->offsets[n + 1]; i++) {
      window->instances[i].node = n;
      window->instances[i].unit = window->units[engine->plan->nodes[n].scope].first + i - window->offsets[n];
      ok = !with_key || ts_instance_key(engine, window, &window->instances[i], err);
    }
  }
  if (ok && window->panes) ok = ts_panes_begin(window, err);
  if (ok) return window;
  ts_window_destroy(window);
  return NULL;
}

void ts_window_destroy(struct window *window) {
  if (!window) return;
  ts_contents_release(&window->contents);
  for (size_t p = 0; p < window->pane_count; p++) free(window->panes[p]);
  free(window->panes);
  free(window->found);
  free(window->instances);
  free(window->offsets);
  free(window);
}
