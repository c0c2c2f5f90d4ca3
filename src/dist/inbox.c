/* The coordinator as workers see it: answers at once, and a box for their messages.
 * SPDX-License-Identifier: Apache-2.0 */
#include "dist/coordinator_int.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/lock.h"

#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>

#define INBOX_BYTES ((size_t)16 << 20) /* a worker waits while more of it is not yet looked at */

/* What is known of a connection that has greeted. */
struct client {
  size_t slot;
  enum ts_dist_role role;
};

/* Under the lock. */
static void add_message(struct coordinator *c, const struct ts_peer *peer, uint32_t kind, const void *bytes,
                        size_t count) {
  const struct client *client = peer->data;
  c->inbox = ts_grow(c->inbox, c->inbox_count, &c->inbox_capacity, sizeof *c->inbox);
  struct message *message = &c->inbox[c->inbox_count++];
  *message = (struct message){client->slot, peer->id, kind, ts_malloc(count + 1), count};
  if (count > 0) memcpy(message->bytes, bytes, count);
  c->slots[client->slot].inbox_bytes += count;
  eventfd_write(c->wake_fd, 1);
}

struct message *ts_coordinator_take_messages(struct coordinator *c, size_t *count) {
  bool any_waits = false;
  pthread_mutex_lock(&c->lock);
  struct message *messages = c->inbox;
  *count = c->inbox_count;
  c->inbox = NULL;
  c->inbox_count = c->inbox_capacity = 0;
  for (size_t i = 0; i < c->slot_count; i++) {
    any_waits = any_waits || c->slots[i].inbox_bytes > INBOX_BYTES;
    c->slots[i].inbox_bytes = 0;
  }
  pthread_mutex_unlock(&c->lock);
  if (any_waits) ts_coordinator_wake_waiting(c);
  return messages;
}

void ts_coordinator_wake_waiting(void *coordinator) {
  struct coordinator *c = coordinator;
  if (c->server) ts_message_server_resume(c->server, 0);
}

/* The process that was started with this identity; NULL: none of ours. Under the lock. */
static struct slot *find_slot(struct coordinator *c, const char *id) {
  for (size_t i = 0; i < c->slot_count; i++) {
    if (c->slots[i].is_running && strcmp(c->slots[i].id, id) == 0) return &c->slots[i];
  }
  return NULL;
}

/* Under the lock. */
static enum ts_served answer_hello(struct coordinator *c, struct ts_peer *peer, const struct ts_message *message) {
  struct ts_wire wire = ts_wire_of(message->bytes, message->count);
  struct ts_error err = {0};
  enum ts_dist_role role;
  uint32_t protocol;
  const char *id;
  if (!ts_dist_read_hello(&wire, &role, &protocol, &id)) return TS_SERVED_END;
  struct slot *slot = find_slot(c, id);
  if (protocol != TS_DIST_PROTOCOL) {
    ts_fail(&err, TS_ERR_WORKER, "the worker speaks protocol %u, the study's process protocol %d", (unsigned)protocol,
            TS_DIST_PROTOCOL);
    ts_error_help(&err, "the program was replaced while it ran: start the study again");
  } else if (!slot) {
    ts_fail(&err, TS_ERR_WORKER, "the study's process did not start this worker");
    ts_error_help(&err, "use: tessera study --workers N");
  }
  if (err.code != TS_ERR_OK || !slot) {
    ts_peer_answer(peer, TS_ANSWER_FAILED, &err);
    return TS_SERVED_ANSWERED;
  }
  struct client *client = ts_calloc(1, sizeof *client);
  *client = (struct client){(size_t)(slot - c->slots), role};
  peer->data = client;
  struct ts_str *out = ts_channel_begin(&peer->channel);
  if (role == TS_DIST_ROLE_WORK) {
    slot->peer = peer->id;
    slot->gone_ns = 0;
    slot->heard_ns = ts_clock_ns();
    ts_wire_add_text(out, c->store_socket);
    ts_wire_add_text(out, c->options->description);
  }
  ts_peer_answer(peer, TS_ANSWER_YES, &err);
  return TS_SERVED_ANSWERED;
}

/* Under the lock. */
static void add_ready(struct coordinator *c, struct slot *slot, const struct ts_message *message, struct ts_str *out) {
  bool same =
      message->count == sizeof c->fingerprint && memcmp(message->bytes, &c->fingerprint, sizeof c->fingerprint) == 0;
  slot->is_ready = same;
  ts_wire_add_text(out, same ? "" : "a worker reads other files than the study's process: something was changed");
  ts_wire_add_u64(out, c->lease_ns);
}

/* Under the lock. */
static void note_claim(struct coordinator *c, struct slot *slot, const struct ts_queue_claim *claim) {
  while (c->claim_count <= claim->row.number) {
    c->claims = ts_grow(c->claims, c->claim_count, &c->claim_capacity, sizeof *c->claims);
    c->claims[c->claim_count++] = (struct claim){0};
  }
  c->claims[claim->row.number] = (struct claim){
      .token = claim->token, .attempts = claim->row.attempts, .start_s = (double)(ts_clock_ns() - c->begun_ns) / 1e9};
  slot->has_bucket = true;
  slot->bucket = claim->row.number;
  slot->token = claim->token;
  slot->window = (uint32_t)claim->row.group;
  slot->attempts = claim->row.attempts;
}

/* Under the lock: a bucket, the end, or an answer when there is one. */
static enum ts_served answer_take(struct coordinator *c, struct slot *slot, struct ts_peer *peer) {
  ts_auto(ts_arena_release) struct ts_arena arena = {0};
  struct ts_queue_claim claim;
  struct ts_error err = {0};
  size_t count = 0;
  slot->has_bucket = slot->is_still = false;
  slot->waits = !c->over && slot->is_ready;
  if (slot->waits && ts_queue_claim(c->queue, 1, &arena, &claim, &count) != TS_QUEUE_CLAIMED)
    return TS_SERVED_LATER; /* there may be more when other workers have finished */
  struct ts_str *out = ts_channel_begin(&peer->channel);
  ts_wire_add_u8(out, count > 0 ? TS_DIST_ANSWER_WORK : TS_DIST_ANSWER_END);
  if (count > 0) {
    note_claim(c, slot, &claim);
    ts_dist_add_bucket(
        out, &(struct ts_dist_bucket){claim.row.number, claim.token, (uint32_t)claim.row.group, claim.row.body});
  }
  slot->waits = false;
  ts_peer_answer(peer, TS_ANSWER_YES, &err);
  return TS_SERVED_ANSWERED;
}

/* Under the lock. A message that the caller's thread takes: an answer without bytes, unless too much is waiting. */
static enum ts_served answer_others(struct coordinator *c, const struct slot *slot, struct ts_peer *peer) {
  struct ts_error err = {0};
  if (slot->inbox_bytes > INBOX_BYTES && !c->over) return TS_SERVED_LATER;
  ts_channel_begin(&peer->channel);
  ts_peer_answer(peer, TS_ANSWER_YES, &err);
  return TS_SERVED_ANSWERED;
}

/* Under the lock. A worker whose token is stale goes on after it stood still, which the caller's thread reports. */
static void add_renewal(struct coordinator *c, const struct ts_peer *peer, const struct ts_message *message,
                        struct ts_str *out) {
  struct ts_wire wire = ts_wire_of(message->bytes, message->count);
  const uint64_t token = ts_wire_u64(&wire); /* 0: it has no bucket, and is there */
  const bool is_stale = token != 0 && ts_queue_renew(c->queue, token) != TS_QUEUE_DONE;
  if (is_stale) add_message(c, peer, TS_DIST_RENEW, message->bytes, message->count);
  ts_wire_add_u8(out, is_stale);
}

/* Under the lock. */
static enum ts_served answer_beat(struct coordinator *c, struct ts_peer *peer, const struct ts_message *message) {
  struct ts_error err = {0};
  if (message->kind != TS_DIST_RENEW && message->kind != TS_DIST_WARN) return TS_SERVED_END;
  struct ts_str *out = ts_channel_begin(&peer->channel);
  if (message->kind == TS_DIST_RENEW)
    add_renewal(c, peer, message, out);
  else
    add_message(c, peer, TS_DIST_WARN, message->bytes, message->count);
  ts_peer_answer(peer, TS_ANSWER_YES, &err);
  return TS_SERVED_ANSWERED;
}

/* Under the lock. */
static enum ts_served answer_work(struct coordinator *c, struct slot *slot, struct ts_peer *peer,
                                  const struct ts_message *message) {
  struct ts_error err = {0};
  switch (message->kind) {
  case TS_DIST_READY:
    add_ready(c, slot, message, ts_channel_begin(&peer->channel));
    ts_peer_answer(peer, TS_ANSWER_YES, &err);
    return TS_SERVED_ANSWERED;
  case TS_DIST_TAKE: return answer_take(c, slot, peer);
  case TS_DIST_NEWS:
  case TS_DIST_RESULT:
  case TS_DIST_GIVE_UP:
    add_message(c, peer, message->kind, message->bytes, message->count);
    return answer_others(c, slot, peer);
  default: return TS_SERVED_END;
  }
}

/* Under the lock: whether the slot is still that of this connection. */
static bool is_current(const struct coordinator *c, const struct ts_peer *peer) {
  const struct client *client = peer->data;
  return client && c->slots[client->slot].peer == peer->id;
}

static enum ts_served on_message(void *user, struct ts_peer *peer, const struct ts_message *message) {
  struct coordinator *c = user;
  const struct client *client = peer->data;
  enum ts_served served = TS_SERVED_END;
  ts_hold(&c->lock);
  if (client) c->slots[client->slot].heard_ns = ts_clock_ns();
  if (!client && message->kind == TS_DIST_HELLO)
    served = answer_hello(c, peer, message);
  else if (client && client->role == TS_DIST_ROLE_HEARTBEAT)
    served = answer_beat(c, peer, message);
  else if (is_current(c, peer))
    served = answer_work(c, &c->slots[client->slot], peer, message);
  return served;
}

static enum ts_served on_resume(void *user, struct ts_peer *peer) {
  struct coordinator *c = user;
  const struct client *client = peer->data;
  enum ts_served served = TS_SERVED_END;
  ts_hold(&c->lock);
  if (is_current(c, peer)) {
    struct slot *slot = &c->slots[client->slot];
    served = slot->waits ? answer_take(c, slot, peer) : answer_others(c, slot, peer);
  }
  return served;
}

static void on_gone(void *user, struct ts_peer *peer) {
  struct coordinator *c = user;
  pthread_mutex_lock(&c->lock);
  if (is_current(c, peer)) add_message(c, peer, 0, NULL, 0);
  pthread_mutex_unlock(&c->lock);
  free(peer->data);
}

bool ts_coordinator_serve(struct coordinator *c, struct ts_error *err) {
  const struct ts_message_server_options options = {.path = c->socket,
                                                    .what = "workers cannot be served",
                                                    .first_bytes = TS_DIST_HELLO_BYTES,
                                                    .user = c,
                                                    .on_message = on_message,
                                                    .on_resume = on_resume,
                                                    .on_gone = on_gone};
  c->store_server = ts_server_create(c->options->run.store, c->store_socket, err);
  if (!c->store_server) return false;
  c->server = ts_message_server_create(&options, err);
  return c->server != NULL;
}
