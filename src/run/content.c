/* Contents: distinct results of a group, found by what they were made from.
 * SPDX-License-Identifier: Apache-2.0 */
#include "run/run_int.h"

#include "base/alloc.h"

#define FIRST_SLOTS 64

struct content *ts_content_create(struct group *group, struct instance *origin) {
  struct {
    struct ts_data *data;
    size_t size;
    struct ts_xxh128 run_digest;
    struct ts_sha256 digest;
  } * per_output;
  const size_t count = ts_instance_output_count(group->engine, origin);
  struct content *content = ts_arena_alloc(&group->arena, sizeof *content + count * sizeof *per_output);
  content->origin = origin;
  content->output_count = count;
  content->data = (struct ts_data **)(content + 1);
  content->sizes = (size_t *)(content->data + count);
  content->run_digests = (struct ts_xxh128 *)(content->sizes + count);
  content->digests = (struct ts_sha256 *)(content->run_digests + count);
  group->all = ts_grow(group->all, group->all_count, &group->all_capacity, sizeof(struct content *));
  group->all[group->all_count++] = content;
  return content;
}

static bool has_identity(const struct content *content, const struct ts_xxh128 *identity) {
  return content->identity.low == identity->low && content->identity.high == identity->high;
}

/* The slot of the identity in the group's table, or the free one where it belongs. Linear probing; nothing is removed. */
static struct content **probe(const struct group *group, const struct ts_xxh128 *identity) {
  size_t i = (size_t)identity->low & (group->identity_slots - 1);
  while (group->by_identity[i] && !has_identity(group->by_identity[i], identity))
    i = (i + 1) & (group->identity_slots - 1);
  return &group->by_identity[i];
}

static void grow_table(struct group *group) {
  struct content **old = group->by_identity;
  const size_t old_slots = group->identity_slots;
  group->identity_slots = old_slots ? 2 * old_slots : FIRST_SLOTS;
  group->by_identity = ts_calloc(group->identity_slots, sizeof(struct content *));
  for (size_t i = 0; i < old_slots; i++) {
    if (old[i]) *probe(group, &old[i]->identity) = old[i];
  }
  free(old);
}

struct content *ts_content_find(const struct group *group, const struct ts_xxh128 *identity) {
  return group->identity_count ? *probe(group, identity) : NULL;
}

struct content *ts_content_add(struct group *group, struct instance *origin, const struct ts_xxh128 *identity) {
  struct content *content = ts_content_create(group, origin);
  content->identity = *identity;
  if (2 * ++group->identity_count > group->identity_slots) grow_table(group);
  *probe(group, identity) = content;
  return content;
}

static void drop_data(struct content *content) {
  for (size_t i = 0; i < content->output_count; i++) {
    ts_data_unref(content->data[i]);
    content->data[i] = NULL;
  }
}

static bool is_idle(const struct content *content) {
  return content->holders == 0 && content->state != CONTENT_RUNNING;
}

static uint64_t bytes_of(const struct content *content) {
  uint64_t bytes = 0;
  for (size_t i = 0; i < content->output_count; i++) bytes += content->data[i] ? content->sizes[i] : 0;
  return bytes;
}

static void let_go_of_oldest(struct group *group) {
  struct lingering *oldest = &group->lingering[group->linger_first];
  group->linger_first = (group->linger_first + 1) % LINGER_COUNT;
  group->linger_count--;
  group->linger_bytes -= oldest->bytes;
  oldest->content->lingers = false;
  if (is_idle(oldest->content)) drop_data(oldest->content);
}

void ts_content_drop_lingering(struct group *group) {
  while (group->linger_count > 0) let_go_of_oldest(group);
}

void ts_content_drop_idle(struct group *group, struct content *content) {
  if (!is_idle(content) || content->lingers) return;
  const uint64_t most = group->engine->options->linger_bytes;
  const uint64_t bytes = bytes_of(content);
  while (group->linger_count > 0 && (group->linger_count == LINGER_COUNT || group->linger_bytes + bytes > most))
    let_go_of_oldest(group);
  if (bytes == 0 || bytes > most) {
    drop_data(content);
    return;
  }
  group->lingering[(group->linger_first + group->linger_count++) % LINGER_COUNT] = (struct lingering){content, bytes};
  group->linger_bytes += bytes;
  content->lingers = true;
}

/* The list is as long as there are threads. */
bool ts_content_is_running(const struct engine *engine, const struct ts_xxh128 *identity) {
  for (const struct content *c = engine->first_running; c; c = c->next_running) {
    if (has_identity(c, identity)) return true;
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
  if (engine->parked_count > 0) pthread_cond_broadcast(&engine->changed);
  engine->parked_count = 0;
}

void ts_content_park(struct engine *engine, const struct ts_ready_task *task) {
  engine->parked = ts_grow(engine->parked, engine->parked_count, &engine->parked_capacity, sizeof *engine->parked);
  engine->parked[engine->parked_count++] = *task;
}
