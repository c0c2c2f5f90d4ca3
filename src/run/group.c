/* Groups: the part of a run that must be open at once, its instances and how they hang together across scopes.
 * SPDX-License-Identifier: Apache-2.0 */
#include "run/run_int.h"

#include "base/alloc.h"

size_t ts_group_unit_count(const struct group *group, enum ts_scope scope) {
  switch (scope) {
  case TS_PER_TILE: return group->tile_count;
  case TS_PER_FILE: return group->item_count;
  default: return 1;
  }
}

static size_t first_unit(const struct group *group, enum ts_scope scope) {
  switch (scope) {
  case TS_PER_TILE: return group->first_tile;
  case TS_PER_FILE: return group->first_item;
  default: return 0;
  }
}

struct instance *ts_group_instance(const struct group *group, uint32_t node, size_t local_unit) {
  return &group->instances[group->offsets[node] + local_unit];
}

struct instance *ts_group_instance_of_unit(const struct group *group, uint32_t node, size_t unit) {
  return ts_group_instance(group, node, unit - first_unit(group, group->engine->plan->nodes[node].scope));
}

/* The units of scope `to` that belong to, or contain, one unit of scope `from`. Units are global numbers. */
static void related_units(const struct ts_dataset *dataset, enum ts_scope from, size_t unit, enum ts_scope to,
                          size_t *first, size_t *count) {
  *first = unit;
  *count = 1;
  if (from == to) return;
  if (to == TS_PER_DATASET) {
    *first = 0;
  } else if (from == TS_PER_TILE) {
    *first = dataset->tile_items[unit];
  } else if (from == TS_PER_FILE) {
    *first = dataset->items[unit].first_tile;
    *count = dataset->items[unit].tile_count;
  } else {
    *first = 0;
    *count = to == TS_PER_TILE ? dataset->tile_count : dataset->item_count;
  }
}

struct instance *ts_group_producers(const struct group *group, const struct instance *consumer, size_t input,
                                    size_t *count) {
  const struct ts_plan *plan = group->engine->plan;
  const struct ts_node *node = &plan->nodes[consumer->node];
  uint32_t producer = node->inputs[input].node;
  *count = 0;
  if (producer == TS_NO_NODE) return NULL;
  enum ts_scope scope = plan->nodes[producer].scope;
  size_t first = 0;
  related_units(group->engine->dataset, node->scope, consumer->unit, scope, &first, count);
  return ts_group_instance(group, producer, first - first_unit(group, scope));
}

void ts_group_each_consumer(struct group *group, const struct instance *producer,
                            void (*visit)(struct group *group, struct instance *consumer, void *user), void *user) {
  struct engine *e = group->engine;
  enum ts_scope from = e->plan->nodes[producer->node].scope;
  for (uint32_t i = e->consumer_first[producer->node]; i < e->consumer_first[producer->node + 1]; i++) {
    uint32_t node = e->consumers[i];
    enum ts_scope to = e->plan->nodes[node].scope;
    size_t first = 0;
    size_t count = 0;
    related_units(e->dataset, from, producer->unit, to, &first, &count);
    for (size_t u = 0; u < count; u++)
      visit(group, ts_group_instance(group, node, first + u - first_unit(group, to)), user);
  }
}

static void set_range(struct group *group) {
  const struct ts_dataset *d = group->engine->dataset;
  switch (group->engine->plan->coarsest) {
  case TS_PER_TILE:
    group->first_tile = group->number;
    group->tile_count = 1;
    group->first_item = d->tile_items[group->number];
    group->item_count = 1;
    break;
  case TS_PER_FILE:
    group->first_item = group->number;
    group->item_count = 1;
    group->first_tile = d->items[group->number].first_tile;
    group->tile_count = d->items[group->number].tile_count;
    break;
  default:
    group->tile_count = d->tile_count;
    group->item_count = d->item_count;
    break;
  }
}

struct group *ts_group_create(struct engine *engine, uint32_t number, struct ts_error *err) {
  struct group *group = ts_calloc(1, sizeof *group);
  group->engine = engine;
  group->number = number;
  set_range(group);
  const struct ts_plan *plan = engine->plan;
  group->offsets = ts_calloc(plan->node_count + 1, sizeof *group->offsets);
  for (size_t n = 0; n < plan->node_count; n++)
    group->offsets[n + 1] = group->offsets[n] + ts_group_unit_count(group, plan->nodes[n].scope);
  group->instance_count = group->offsets[plan->node_count];
  group->instances = ts_calloc(group->instance_count + 1, sizeof *group->instances);
  for (uint32_t n = 0; n < plan->node_count; n++) {
    enum ts_scope scope = plan->nodes[n].scope;
    for (size_t u = 0; u < ts_group_unit_count(group, scope); u++) {
      struct instance *instance = ts_group_instance(group, n, u);
      instance->node = n;
      instance->unit = first_unit(group, scope) + u;
      if (engine->needed && !engine->needed[n]) continue;
      if (!ts_instance_key(engine, group, instance, err)) {
        ts_group_destroy(group);
        return NULL;
      }
    }
  }
  return group;
}

void ts_group_destroy(struct group *group) {
  if (!group) return;
  for (size_t i = 0; i < group->all_count; i++) {
    struct content *content = group->all[i];
    for (size_t o = 0; o < content->output_count; o++) ts_data_unref(content->data[o]);
    free(content->message);
  }
  free(group->all);
  free(group->by_identity);
  ts_arena_release(&group->arena);
  free(group->instances);
  free(group->offsets);
  free(group);
}
