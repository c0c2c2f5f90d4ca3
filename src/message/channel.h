/* Messages between processes of this machine: a kind, a length and bytes, one after another over a local socket.
 * SPDX-License-Identifier: Apache-2.0
 *
 * A frame is the kind (u32), the number of bytes (u64), little endian, and the bytes. The same calls serve both ends:
 * one that waits (a socket that blocks: ts_channel_flush and ts_channel_receive) and one that serves many (a socket
 * that does not: AGAIN means poll). The other end may die, stop in the middle or send anything; that never raises a
 * signal. Memory is taken as bytes arrive, not as a length promises. Not thread-safe: one channel has one owner at a
 * time. */
#ifndef TS_MESSAGE_CHANNEL_H
#define TS_MESSAGE_CHANNEL_H

#include "base/error.h"
#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TS_CHANNEL_MOST_BYTES (UINT64_C(1) << 32) /* of one message */

struct ts_channel {
  int fd;              /* owned; -1: none */
  uint64_t most_bytes; /* a longer message that comes in is BAD */
  struct ts_str in;    /* received */
  size_t in_taken;     /* bytes of it that were taken */
  struct ts_str out;   /* to be sent */
  size_t out_sent;     /* bytes of it that were sent */
  size_t frame;        /* where in out the message begins that is being made */
};

struct ts_message {
  uint32_t kind;
  const void *bytes; /* borrowed from the channel until the next ts_channel_pull */
  size_t count;
};

enum ts_channel_state {
  TS_CHANNEL_DONE,
  TS_CHANNEL_AGAIN, /* more must arrive, or there is no room to send: poll */
  TS_CHANNEL_GONE,  /* the other end closed, died or is broken */
  TS_CHANNEL_BAD,   /* a message that is too long; nothing behind it can be read */
};

/* A socket at a path, for this user alone, that does not block; -1 with an error. The file is the caller's to
 * remove. */
int ts_channel_listen(const char *path, struct ts_error *err);
/* A connection that blocks; -1 with an error. */
int ts_channel_connect(const char *path, struct ts_error *err);

void ts_channel_init(struct ts_channel *channel, int fd); /* takes the socket */
void ts_channel_release(struct ts_channel *channel);

/* Begins a message behind those that are still to be sent; its bytes are to be added to the string that is returned.
 * Called again before ts_channel_end it forgets what was added. */
struct ts_str *ts_channel_begin(struct ts_channel *channel);
/* Makes it ready to be sent; false, and forgotten, if it is too long. */
bool ts_channel_end(struct ts_channel *channel, uint32_t kind, struct ts_error *err);
/* Sends what is ready. */
enum ts_channel_state ts_channel_flush(struct ts_channel *channel);
bool ts_channel_has_output(const struct ts_channel *channel);

/* Receives some bytes. */
enum ts_channel_state ts_channel_pull(struct ts_channel *channel);
/* Takes the next whole message out of what was received; AGAIN if there is none. */
enum ts_channel_state ts_channel_take(struct ts_channel *channel, struct ts_message *message);
/* Both, until there is a message; never AGAIN on a socket that blocks. */
enum ts_channel_state ts_channel_receive(struct ts_channel *channel, struct ts_message *message);

#endif
