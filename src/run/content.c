/* Contents: distinct results of a window, found by what they were made from.
 * SPDX-License-Identifier: Apache-2.0 */
#include "run/run_int.h"

#include "base/alloc.h"

struct content *ts_content_create(struct window *window, struct instance *origin) {
  struct {
    struct ts_data *data;
    size_t size;
    struct ts_xxh128 run_digest;
    struct ts_sha256 digest;
  } * per_output;
  const size_t count = ts_instance_output_count(window->engine, origin);
  struct content *content = ts_arena_alloc(&window->arena, sizeof *content + count * sizeof *per_output);
  content->node = origin->node;
  content->unit = origin->unit;
  content->out.count = count;
  content->out.data = (struct ts_data **)(content + 1);
  content->out.sizes = (size_t *)(content->out.data + count);
  content->out.run_digests = (struct ts_xxh128 *)(content->out.sizes + count);
  content->out.digests = (struct ts_sha256 *)(content->out.run_digests + count);
  window->all = ts_grow(window->all, window->all_count, &window->all_capacity, sizeof(struct content *));
  window->all[window->all_count++] = content;
  return content;
}

static bool has_identity(const struct content *content, const struct ts_xxh128 *identity) {
  return content->identity.low == identity->low && content->identity.high == identity->high;
}

/* ---- By identity: a table of pointers; nothing is removed. ---- */

static bool is_free(const void *slot) { return *(struct content *const *)slot == NULL; }

static uint64_t hash_of_slot(const void *slot, const void *context) {
  (void)context;
  return (*(struct content *const *)slot)->identity.low;
}

static bool matches(const void *slot, const void *identity, const void *context) {
  (void)context;
  return has_identity(*(struct content *const *)slot, identity);
}

static const struct ts_table_type by_identity = {sizeof(struct content *), 64, is_free, hash_of_slot, matches};

struct content *ts_content_find(const struct window *window, const struct ts_xxh128 *identity) {
  struct content **slot = ts_table_find(&by_identity, &window->by_identity, identity->low, identity, NULL);
  return slot ? *slot : NULL;
}

struct content *ts_content_add(struct window *window, struct instance *origin, const struct ts_xxh128 *identity) {
  struct content *content = ts_content_create(window, origin);
  content->identity = *identity;
  ts_table_reserve(&by_identity, &window->by_identity, ++window->by_identity.count, NULL);
  struct content **slot = ts_table_probe(&by_identity, &window->by_identity, identity->low, identity, NULL);
  *slot = content;
  return content;
}

static void drop_data(struct content *content) {
  for (size_t i = 0; i < content->out.count; i++) {
    ts_data_unref(content->out.data[i]);
    content->out.data[i] = NULL;
  }
}

static bool is_idle(const struct content *content) {
  return content->holders == 0 && content->state != CONTENT_RUNNING;
}

static uint64_t bytes_of(const struct content *content) {
  uint64_t bytes = 0;
  for (size_t i = 0; i < content->out.count; i++) bytes += content->out.data[i] ? content->out.sizes[i] : 0;
  return bytes;
}

static void let_go_of_oldest(struct window *window) {
  struct lingering *oldest = &window->lingering[window->linger_first];
  window->linger_first = (window->linger_first + 1) % LINGER_COUNT;
  window->linger_count--;
  window->linger_bytes -= oldest->bytes;
  oldest->content->lingers = false;
  if (is_idle(oldest->content)) drop_data(oldest->content);
}

void ts_content_drop_lingering(struct window *window) {
  while (window->linger_count > 0) let_go_of_oldest(window);
}

void ts_content_drop_idle(struct window *window, struct content *content) {
  if (!is_idle(content) || content->lingers) return;
  const uint64_t most = window->engine->options->linger_bytes;
  const uint64_t bytes = bytes_of(content);
  while (window->linger_count > 0 && (window->linger_count == LINGER_COUNT || window->linger_bytes + bytes > most))
    let_go_of_oldest(window);
  if (bytes == 0 || bytes > most) {
    drop_data(content);
    return;
  }
  window->lingering[(window->linger_first + window->linger_count++) % LINGER_COUNT] =
      (struct lingering){content, bytes};
  window->linger_bytes += bytes;
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
