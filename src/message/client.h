/* Asks another process of this user over a local socket: one message and its answer at a time.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Several threads may ask; each holds the lock of the client from ts_message_client_begin until it has used the answer.
 * The counterpart is message/server.h. */
#ifndef TS_MESSAGE_CLIENT_H
#define TS_MESSAGE_CLIENT_H

#include "message/channel.h"
#include "message/server.h"
#include "message/wire.h"

#include <pthread.h>

struct ts_message_client {
  pthread_mutex_t lock; /* guards the rest */
  struct ts_channel channel;
  bool is_lost;               /* the connection is of no more use */
  enum ts_error_code trouble; /* of errors; fixed */
};

/* Connects to nobody yet. */
void ts_message_client_init(struct ts_message_client *client, enum ts_error_code trouble);
bool ts_message_client_connect(struct ts_message_client *client, const char *path, struct ts_error *err);
void ts_message_client_release(struct ts_message_client *client);

/* The next three under the lock. */
/* The message to fill. */
struct ts_str *ts_message_client_begin(struct ts_message_client *client);
/* Sends the message and waits for its answer. True for YES, with its bytes, which are there while the lock is held;
 * false without an error for NO. */
bool ts_message_client_ask(struct ts_message_client *client, uint32_t kind, struct ts_wire *answer,
                           struct ts_error *err);
/* Whether all of the answer made sense. */
bool ts_message_client_is_sound(struct ts_message_client *client, const struct ts_wire *answer, struct ts_error *err);

#endif
