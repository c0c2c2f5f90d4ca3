/* Answers messages of other processes of this user over a local socket: one thread, many connections.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Every message (message/channel.h) has one answer. The thread never waits for anything but messages: what takes time
 * is answered LATER, and its connection rests meanwhile. A message that makes no sense ends its connection and no
 * other. The counterpart is message/client.h. */
#ifndef TS_MESSAGE_SERVER_H
#define TS_MESSAGE_SERVER_H

#include "base/error.h"
#include "message/channel.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Kinds of answers. */
enum ts_answer { TS_ANSWER_YES = 1, TS_ANSWER_NO, TS_ANSWER_FAILED };

struct ts_message_server;

/* One connection; the callbacks own it while they run. */
struct ts_peer {
  struct ts_message_server *server; /* borrowed */
  uint64_t id;                      /* from 1 on, never used again */
  struct ts_channel channel;
  void *data; /* of the callbacks; they release it in on_gone */
};

enum ts_served {
  TS_SERVED_ANSWERED, /* ts_peer_answer was called */
  TS_SERVED_LATER,    /* the connection rests until ts_message_server_resume */
  TS_SERVED_BORROWED, /* the same; another thread uses the message meanwhile, which stays where it is */
  TS_SERVED_END,      /* nonsense: the connection ends */
};

/* All callbacks run in the server's thread, one at a time, and never call the server. */
struct ts_message_server_options {
  const char *path;   /* of the socket, in a private folder; not there yet; copied */
  const char *what;   /* borrowed: of errors, as in "the store cannot be served" */
  size_t first_bytes; /* the longest message of a connection that has sent none yet */
  void *user;         /* borrowed */
  enum ts_served (*on_message)(void *user, struct ts_peer *peer, const struct ts_message *message);
  /* A connection that rests was resumed. */
  enum ts_served (*on_resume)(void *user, struct ts_peer *peer);
  /* The connection has ended, for any reason, the end of the server included. May be NULL. */
  void (*on_gone)(void *user, struct ts_peer *peer);
  /* The server ends: nothing is borrowed any more when this returns. May be NULL. */
  void (*on_stop)(void *user);
};

struct ts_message_server *ts_message_server_create(const struct ts_message_server_options *options,
                                                   struct ts_error *err);
/* Ends all connections and removes the socket. NULL is allowed. */
void ts_message_server_destroy(struct ts_message_server *server);
/* By any thread: on_resume is called soon for the connection with this id, or for all that rest LATER (id 0). Nothing
 * happens if it does not rest or is gone. */
void ts_message_server_resume(struct ts_message_server *server, uint64_t id);

/* Makes the answer ready, YES with what was added to ts_channel_begin; one that is too long becomes an error. */
void ts_peer_answer(struct ts_peer *peer, enum ts_answer answer, struct ts_error *err);

#endif
