/* The coordinator as workers see it: answers at once, and a box for their messages.
 * SPDX-License-Identifier: Apache-2.0 */
#include "dist/coordinator_int.h"

#include "base/alloc.h"

#include <string.h>
#include <unistd.h>

#define INBOX_BYTES ((size_t)64 << 20) /* workers wait while more is not yet looked at */

static struct slot *slot_of(struct coordinator *c, size_t worker) {
  for (size_t i = 0; i < c->options->workers; i++) {
    if (c->slots[i].worker == worker) return &c->slots[i];
  }
  return NULL;
}

static void wake(struct coordinator *c) {
  const uint64_t one = 1;
  ssize_t ignored = write(c->wake_fd, &one, sizeof one);
  (void)ignored;
}

/* Under the lock. */
static void add_message(struct coordinator *c, size_t worker, uint32_t kind, const void *bytes, size_t count) {
  c->inbox = ts_grow(c->inbox, c->inbox_count, &c->inbox_capacity, sizeof *c->inbox);
  struct message *message = &c->inbox[c->inbox_count++];
  *message = (struct message){worker, kind, ts_malloc(count + 1), count};
  if (count > 0) memcpy(message->bytes, bytes, count);
  c->inbox_bytes += count;
  wake(c);
}

struct message *ts_coordinator_take_messages(struct coordinator *c, size_t *count) {
  pthread_mutex_lock(&c->lock);
  struct message *messages = c->inbox;
  *count = c->inbox_count;
  c->inbox = NULL;
  c->inbox_count = c->inbox_capacity = c->inbox_bytes = 0;
  pthread_cond_broadcast(&c->taken);
  pthread_mutex_unlock(&c->lock);
  return messages;
}

static void on_hello(void *user, size_t worker, int64_t process_id) {
  struct coordinator *c = user;
  pthread_mutex_lock(&c->lock);
  for (size_t i = 0; i < c->options->workers; i++) {
    if (c->slots[i].child.pid == process_id && process_id > 0) {
      c->slots[i].worker = worker;
      c->slots[i].gone_ns = 0;
    }
  }
  pthread_mutex_unlock(&c->lock);
}

/* Under the lock. */
static void answer_ready(struct coordinator *c, struct slot *slot, const void *bytes, size_t count,
                         struct ts_str *answer) {
  bool same = count == sizeof c->fingerprint && memcmp(bytes, &c->fingerprint, count) == 0;
  slot->is_ready = same;
  ts_wire_add_text(answer, same ? "" : "a worker reads other files than the study's process: something was changed");
  ts_wire_add_u64(answer, c->begun_ns);
  ts_wire_add_u64(answer, (uint64_t)(slot - c->slots) * c->threads);
}

/* Under the lock. */
static void answer_take(struct coordinator *c, struct slot *slot, struct ts_str *answer) {
  ts_auto(ts_arena_release) struct ts_arena arena = {0};
  struct ts_queue_claim claim;
  size_t count = 0;
  slot->has_bucket = false;
  if (c->over || !slot->is_ready) {
    ts_wire_add_u8(answer, TS_DIST_ANSWER_END);
    return;
  }
  if (ts_queue_claim(c->queue, 1, &arena, &claim, &count) != TS_QUEUE_CLAIMED) {
    ts_wire_add_u8(answer, TS_DIST_ANSWER_WAIT); /* there may be more when other workers have finished */
    return;
  }
  slot->has_bucket = true;
  slot->bucket = claim.row.number;
  slot->token = claim.token;
  slot->window = (uint32_t)claim.row.group;
  slot->attempts = claim.row.attempts;
  ts_wire_add_u8(answer, TS_DIST_ANSWER_WORK);
  ts_wire_add_u64(answer, claim.row.number);
  ts_wire_add_u64(answer, claim.token);
  ts_wire_add_u32(answer, (uint32_t)claim.row.group);
  ts_wire_add_text(answer, claim.row.body);
}

static void on_message(void *user, size_t worker, uint32_t kind, const void *bytes, size_t count,
                       struct ts_str *answer) {
  struct coordinator *c = user;
  pthread_mutex_lock(&c->lock);
  struct slot *slot = slot_of(c, worker);
  if (slot && kind == TS_DIST_HELLO)
    ts_str_add(answer, c->options->description);
  else if (slot && kind == TS_DIST_READY)
    answer_ready(c, slot, bytes, count, answer);
  else if (slot && kind == TS_DIST_TAKE)
    answer_take(c, slot, answer);
  else if (slot)
    add_message(c, worker, kind, bytes, count);
  while (slot && c->inbox_bytes > INBOX_BYTES && !c->over) pthread_cond_wait(&c->taken, &c->lock);
  pthread_mutex_unlock(&c->lock);
}

static void on_gone(void *user, size_t worker) {
  struct coordinator *c = user;
  pthread_mutex_lock(&c->lock);
  if (slot_of(c, worker)) add_message(c, worker, 0, NULL, 0);
  pthread_mutex_unlock(&c->lock);
}

bool ts_coordinator_serve(struct coordinator *c, struct ts_error *err) {
  const struct ts_server_options options = {
      .path = c->socket, .user = c, .on_hello = on_hello, .on_message = on_message, .on_gone = on_gone};
  c->server = ts_server_create(c->options->run.store, &options, err);
  return c->server != NULL;
}
