/* Serves an open store to other processes of this user over a local socket: the counterpart of the backend "remote".
 * SPDX-License-Identifier: Apache-2.0
 *
 * One thread answers everybody, one message at a time (message/server.h); another one writes. */
#ifndef TS_STORE_SERVE_H
#define TS_STORE_SERVE_H

#include "store/store.h"

struct ts_server;

/* The store must be open for writing and outlive the server. The socket's path lies in a private folder and is not
 * there yet. */
struct ts_server *ts_server_create(struct ts_store *store, const char *path, struct ts_error *err);
/* Ends all connections and removes the socket. NULL is allowed. */
void ts_server_destroy(struct ts_server *server);

#endif
