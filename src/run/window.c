/* Windows: the part of a run that must be open at once, its instances and how they hang together across scopes.
 * SPDX-License-Identifier: Apache-2.0 */
#include "run/run_int.h"

#include "base/alloc.h"

size_t ts_window_unit_count(const struct window *window, enum ts_scope scope) {
  switch (scope) {
  case TS_PER_TILE: return window->tile_count;
  case TS_PER_FILE: return window->item_count;
  default: return 1;
  }
}

static size_t first_unit(const struct window *window, enum ts_scope scope) {
  switch (scope) {
  case TS_PER_TILE: return window->first_tile;
  case TS_PER_FILE: return window->first_item;
  default: return 0;
  }
}

struct instance *ts_window_instance(const struct window *window, uint32_t node, size_t local_unit) {
  return &window->instances[window->offsets[node] + local_unit];
}

struct instance *ts_window_instance_of_unit(const struct window *window, uint32_t node, size_t unit) {
  return ts_window_instance(window, node, unit - first_unit(window, window->engine->plan->nodes[node].scope));
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
  return ts_window_instance(window, producer, first - first_unit(window, scope));
}

void ts_window_each_consumer(struct window *window, const struct instance *producer,
                             void (*visit)(struct window *window, struct instance *consumer, void *user), void *user) {
  struct engine *e = window->engine;
  enum ts_scope from = e->plan->nodes[producer->node].scope;
  for (uint32_t i = e->consumer_first[producer->node]; i < e->consumer_first[producer->node + 1]; i++) {
    uint32_t node = e->consumers[i];
    enum ts_scope to = e->plan->nodes[node].scope;
    size_t first = 0;
    size_t count = 0;
    ts_dataset_related(e->dataset, from, producer->unit, to, &first, &count);
    for (size_t u = 0; u < count; u++)
      visit(window, ts_window_instance(window, node, first + u - first_unit(window, to)), user);
  }
}

static void set_range(struct window *window) {
  const struct ts_dataset *d = window->engine->dataset;
  switch (window->engine->plan->coarsest) {
  case TS_PER_TILE:
    window->first_tile = window->number;
    window->tile_count = 1;
    window->first_item = d->tile_items[window->number];
    window->item_count = 1;
    break;
  case TS_PER_FILE:
    window->first_item = window->number;
    window->item_count = 1;
    window->first_tile = d->items[window->number].first_tile;
    window->tile_count = d->items[window->number].tile_count;
    break;
  default:
    window->tile_count = d->tile_count;
    window->item_count = d->item_count;
    break;
  }
}

struct window *ts_window_create(struct engine *engine, uint32_t number, struct ts_error *err) {
  struct window *window = ts_calloc(1, sizeof *window);
  window->engine = engine;
  window->number = number;
  set_range(window);
  const struct ts_plan *plan = engine->plan;
  window->offsets = ts_calloc(plan->node_count + 1, sizeof *window->offsets);
  for (size_t n = 0; n < plan->node_count; n++)
    window->offsets[n + 1] = window->offsets[n] + ts_window_unit_count(window, plan->nodes[n].scope);
  window->instance_count = window->offsets[plan->node_count];
  window->instances = ts_calloc(window->instance_count + 1, sizeof *window->instances);
  for (uint32_t n = 0; n < plan->node_count; n++) {
    enum ts_scope scope = plan->nodes[n].scope;
    for (size_t u = 0; u < ts_window_unit_count(window, scope); u++) {
      struct instance *instance = ts_window_instance(window, n, u);
      instance->node = n;
      instance->unit = first_unit(window, scope) + u;
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
    for (size_t o = 0; o < content->output_count; o++) ts_data_unref(content->data[o]);
    free(content->message);
  }
  free(window->all);
  ts_table_release(&window->by_identity);
  ts_arena_release(&window->arena);
  free(window->instances);
  free(window->offsets);
  free(window);
}
