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
  content->digests = ts_arena_array(arena, content->output_count, sizeof *content->digests);
  group->all = ts_grow(group->all, group->all_count, &group->all_capacity, sizeof(struct content *));
  group->all[group->all_count++] = content;
  return content;
}

struct content *ts_content_of(struct group *group, struct instance *instance, bool *is_new) {
  struct ts_xxh128 identity = ts_instance_run_identity(group->engine, group, instance);
  union ts_map_value *slot = ts_map_insert(&group->contents, &identity, sizeof identity, is_new);
  if (*is_new) slot->pointer = ts_content_create(group, instance);
  return slot->pointer;
}

void ts_content_drop_idle(struct content *content) {
  if (content->holders > 0 || content->state == CONTENT_RUNNING) return;
  for (size_t i = 0; i < content->output_count; i++) {
    ts_data_unref(content->data[i]);
    content->data[i] = NULL;
  }
}
