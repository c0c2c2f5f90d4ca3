/* Contents: distinct results of a group, found by what they were made from.
 * SPDX-License-Identifier: Apache-2.0 */
#include "run/run_int.h"

#include "base/alloc.h"

struct content *ts_content_create(struct group *group, struct instance *origin) {
  struct ts_arena *arena = &group->arena;
  struct content *content = ts_arena_alloc(arena, sizeof *content);
  content->origin = origin;
  content->output_count = ts_instance_output_count(group->engine, origin);
  content->data = ts_arena_array(arena, content->output_count, sizeof *content->data);
  content->run_digests = ts_arena_array(arena, content->output_count, sizeof *content->run_digests);
  content->sizes = ts_arena_array(arena, content->output_count, sizeof *content->sizes);
  content->digests = ts_arena_array(arena, content->output_count, sizeof *content->digests);
  group->all = ts_grow(group->all, group->all_count, &group->all_capacity, sizeof(struct content *));
  group->all[group->all_count++] = content;
  return content;
}

struct content *ts_content_find(const struct group *group, const struct ts_xxh128 *identity) {
  const union ts_map_value *value = ts_map_find(&group->contents, identity, sizeof *identity);
  return value ? value->pointer : NULL;
}

struct content *ts_content_add(struct group *group, struct instance *origin, const struct ts_xxh128 *identity) {
  struct content *content = ts_content_create(group, origin);
  content->identity = *identity;
  ts_map_insert(&group->contents, identity, sizeof *identity, NULL)->pointer = content;
  return content;
}

void ts_content_drop_idle(struct content *content) {
  if (content->holders > 0 || content->state == CONTENT_RUNNING) return;
  for (size_t i = 0; i < content->output_count; i++) {
    ts_data_unref(content->data[i]);
    content->data[i] = NULL;
  }
}

/* The list is as long as there are threads. */
bool ts_content_is_running(const struct engine *engine, const struct ts_xxh128 *identity) {
  for (const struct content *c = engine->first_running; c; c = c->next_running) {
    if (c->identity.low == identity->low && c->identity.high == identity->high) return true;
  }
  return false;
}

void ts_content_start(struct engine *engine, struct content *content) {
  content->next_running = engine->first_running;
  engine->first_running = content;
}

void ts_content_stop(struct engine *engine, const struct content *content) {
  struct content **link = &engine->first_running;
  while (*link != content) link = &(*link)->next_running;
  *link = content->next_running;
  for (size_t i = 0; i < engine->parked_count; i++) ts_ready_push(&engine->ready, engine->parked[i]);
  engine->parked_count = 0;
}

void ts_content_park(struct engine *engine, const struct ts_ready_task *task) {
  engine->parked = ts_grow(engine->parked, engine->parked_count, &engine->parked_capacity, sizeof *engine->parked);
  engine->parked[engine->parked_count++] = *task;
}
