/* Contents: distinct results of a window, found by what they were made from.
 * SPDX-License-Identifier: Apache-2.0 */
#include "run/run_int.h"

#include "base/alloc.h"

struct content *ts_content_create(struct contents *contents, uint32_t node, size_t unit, size_t output_count) {
  struct {
    struct ts_data *data;
    size_t size;
    struct ts_xxh128 run_digest;
    struct ts_sha256 digest;
  } * per_output;
  struct content *content = ts_arena_alloc(&contents->arena, sizeof *content + output_count * sizeof *per_output);
  content->node = node;
  content->unit = unit;
  content->out.count = output_count;
  content->out.data = (struct ts_data **)(content + 1);
  content->out.sizes = (size_t *)(content->out.data + output_count);
  content->out.run_digests = (struct ts_xxh128 *)(content->out.sizes + output_count);
  content->out.digests = (struct ts_sha256 *)(content->out.run_digests + output_count);
  contents->all = ts_grow(contents->all, contents->all_count, &contents->all_capacity, sizeof(struct content *));
  contents->all[contents->all_count++] = content;
  return content;
}

void ts_contents_release(struct contents *contents) {
  for (size_t i = 0; i < contents->all_count; i++) {
    struct content *content = contents->all[i];
    for (size_t o = 0; o < content->out.count; o++) ts_data_unref(content->out.data[o]);
    if (content->failure) ts_failure_release(content->failure);
    free(content->failure);
  }
  free(contents->all);
  ts_table_release(&contents->by_identity);
  ts_arena_release(&contents->arena);
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

struct content *ts_content_find(const struct contents *contents, const struct ts_xxh128 *identity) {
  struct content **slot = ts_table_find(&by_identity, &contents->by_identity, identity->low, identity, NULL);
  return slot ? *slot : NULL;
}

void ts_content_identify(struct contents *contents, struct content *content, const struct ts_xxh128 *identity) {
  content->identity = *identity;
  ts_table_reserve(&by_identity, &contents->by_identity, ++contents->by_identity.count, NULL);
  struct content **slot = ts_table_probe(&by_identity, &contents->by_identity, identity->low, identity, NULL);
  *slot = content;
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

static void let_go_of_oldest(struct contents *contents) {
  struct lingering *oldest = &contents->lingering[contents->linger_first];
  contents->linger_first = (contents->linger_first + 1) % LINGER_COUNT;
  contents->linger_count--;
  contents->linger_bytes -= oldest->bytes;
  oldest->content->lingers = false;
  if (is_idle(oldest->content)) drop_data(oldest->content);
}

void ts_content_drop_lingering(struct contents *contents) {
  while (contents->linger_count > 0) let_go_of_oldest(contents);
}

void ts_content_drop_idle(struct contents *contents, struct content *content) {
  if (!is_idle(content) || content->lingers) return;
  const uint64_t most = contents->most_linger_bytes;
  const uint64_t bytes = bytes_of(content);
  while (contents->linger_count > 0 &&
         (contents->linger_count == LINGER_COUNT || contents->linger_bytes + bytes > most))
    let_go_of_oldest(contents);
  if (bytes == 0 || bytes > most) {
    drop_data(content);
    return;
  }
  contents->lingering[(contents->linger_first + contents->linger_count++) % LINGER_COUNT] =
      (struct lingering){content, bytes};
  contents->linger_bytes += bytes;
  content->lingers = true;
}

/* The list is as long as there are threads. */
bool ts_content_is_running(const struct under_way *under_way, const struct ts_xxh128 *identity) {
  for (const struct content *c = under_way->first; c; c = c->next_running) {
    if (has_identity(c, identity)) return true;
  }
  return false;
}

void ts_content_start(struct under_way *under_way, struct content *content) {
  content->next_running = under_way->first;
  under_way->first = content;
}

bool ts_content_stop(struct under_way *under_way, const struct content *content, struct ts_ready *ready) {
  struct content **link = &under_way->first;
  while (*link != content) link = &(*link)->next_running;
  *link = content->next_running;
  const size_t count = under_way->parked_count;
  for (size_t i = 0; i < count; i++) ts_ready_push(ready, under_way->parked[i]);
  under_way->parked_count = 0;
  return count > 0;
}

void ts_content_park(struct under_way *under_way, const struct ts_ready_task *task) {
  under_way->parked =
      ts_grow(under_way->parked, under_way->parked_count, &under_way->parked_capacity, sizeof *under_way->parked);
  under_way->parked[under_way->parked_count++] = *task;
}
