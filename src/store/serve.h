/* Serves an open store to other processes of this user over a local socket: the counterpart of the backend "remote".
 * SPDX-License-Identifier: Apache-2.0
 *
 * One thread answers everybody, one message at a time; another one writes. A message that makes no sense ends its
 * connection and no other. Each process that opens the store this way is a worker with a number, counted from 0. */
#ifndef TS_STORE_SERVE_H
#define TS_STORE_SERVE_H

#include "base/str.h"
#include "store/store.h"

#include <stddef.h>
#include <stdint.h>

/* The callbacks run in the server's thread, one at a time; each may be NULL. They may call the store, never the
 * server. */
struct ts_server_options {
  const char *path; /* of the socket, in a private folder; not there yet */
  void *user;       /* borrowed */
  /* A worker has connected; which process it is, the kernel says. */
  void (*on_hello)(void *user, size_t worker, int64_t process_id);
  /* ts_store_say of a worker, which waits until this returns and gets what is in *answer then. */
  void (*on_message)(void *user, size_t worker, uint32_t kind, const void *bytes, size_t count, struct ts_str *answer);
  /* A worker that on_hello reported is gone, for any reason, the end of the server included. */
  void (*on_gone)(void *user, size_t worker);
};

struct ts_server;

/* The store must be open for writing and outlive the server. */
struct ts_server *ts_server_create(struct ts_store *store, const struct ts_server_options *options,
                                   struct ts_error *err);
/* Ends all connections and removes the socket. */
void ts_server_destroy(struct ts_server *server);

#endif
