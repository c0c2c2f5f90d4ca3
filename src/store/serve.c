/* Passes each message to the code that answers it, and writes to the thread that writes.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Writing waits for the disk and is therefore done by a thread of its own (remote/write_int.h); its connection rests
 * meanwhile, so that the message stays where it was received. */
#include "store/serve.h"

#include "base/alloc.h"
#include "message/server.h"
#include "store/remote/answer_int.h"
#include "store/remote/write_int.h"

#include <stdlib.h>

struct ts_server {
  struct ts_remote_service service;
  struct ts_remote_writer writer;
  struct ts_message_server *messages; /* owned */
};

/* Of a connection, from its greeting on. */
struct client {
  struct ts_remote_job job; /* while it is writing */
};

static enum ts_served write_later(struct ts_server *server, struct ts_peer *peer, const struct ts_message *message) {
  struct client *client = peer->data;
  client->job = (struct ts_remote_job){.owner = peer, .bytes = message->bytes, .count = message->count};
  ts_remote_writer_submit(&server->writer, &client->job);
  return TS_SERVED_BORROWED;
}

static enum ts_served answer(struct ts_peer *peer, enum ts_remote_answer kind, struct ts_error *err) {
  static const enum ts_answer answers[] = {
      [TS_REMOTE_YES] = TS_ANSWER_YES, [TS_REMOTE_NO] = TS_ANSWER_NO, [TS_REMOTE_FAILED] = TS_ANSWER_FAILED};
  if (kind == TS_REMOTE_BAD) return TS_SERVED_END;
  ts_peer_answer(peer, answers[kind], err);
  return TS_SERVED_ANSWERED;
}

static enum ts_served on_message(void *user, struct ts_peer *peer, const struct ts_message *message) {
  struct ts_server *server = user;
  const bool is_hello = message->kind == TS_REMOTE_HELLO;
  if (is_hello == (peer->data != NULL)) return TS_SERVED_END;
  if (message->kind == TS_REMOTE_WRITE) return write_later(server, peer, message);
  struct ts_error err = {0};
  const enum ts_remote_answer kind = ts_remote_answer_request(&server->service, message->kind, message->bytes,
                                                              message->count, ts_channel_begin(&peer->channel), &err);
  if (is_hello && kind == TS_REMOTE_YES) peer->data = ts_calloc(1, sizeof(struct client));
  return answer(peer, kind, &err);
}

/* Answers what was written. */
static enum ts_served on_resume(void *user, struct ts_peer *peer) {
  (void)user;
  struct client *client = peer->data;
  ts_channel_begin(&peer->channel);
  return answer(peer, client->job.answer, &client->job.err);
}

static void on_gone(void *user, struct ts_peer *peer) {
  (void)user;
  free(peer->data);
}

/* In the thread that writes. */
static void on_written(struct ts_remote_job *job) {
  const struct ts_peer *peer = job->owner; /* borrowed, so it is there */
  ts_message_server_resume(peer->server, peer->id);
}

static void on_stop(void *user) {
  struct ts_server *server = user;
  ts_remote_writer_stop(&server->writer);
}

static void server_free(struct ts_server *server) {
  ts_remote_service_release(&server->service);
  free(server);
}

struct ts_server *ts_server_create(struct ts_store *store, const char *path, struct ts_error *err) {
  if (!ts_store_check_writable(store, err)) return NULL;
  if (!store->backend->keys) {
    ts_store_backend_refuse(store->backend, "cannot be served", err);
    return NULL;
  }
  struct ts_server *server = ts_calloc(1, sizeof *server);
  server->service.store = store;
  if (!ts_remote_writer_start(&server->writer, &server->service, on_written, err)) {
    server_free(server);
    return NULL;
  }
  const struct ts_message_server_options options = {.path = path,
                                                    .what = "the store cannot be served",
                                                    .first_bytes = TS_REMOTE_HELLO_BYTES,
                                                    .user = server,
                                                    .on_message = on_message,
                                                    .on_resume = on_resume,
                                                    .on_gone = on_gone,
                                                    .on_stop = on_stop};
  server->messages = ts_message_server_create(&options, err);
  if (server->messages) return server;
  ts_remote_writer_stop(&server->writer);
  server_free(server);
  return NULL;
}

void ts_server_destroy(struct ts_server *server) {
  if (!server) return;
  ts_message_server_destroy(server->messages);
  server_free(server);
}
