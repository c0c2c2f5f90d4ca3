/* A worker's link to the coordinator: two connections, and the heartbeat that renews its lease.
 * SPDX-License-Identifier: Apache-2.0
 *
 * The heartbeat is a thread of its own with a connection of its own: it renews the lease of the bucket at a third of
 * its length, whatever the worker is doing, and passes warnings on. If the lease is lost, or the coordinator is, the
 * stop level `halt` ends what is being done; nothing of it may be reported then. */
#ifndef TS_DIST_LINK_H
#define TS_DIST_LINK_H

#include "dist/messages.h"
#include "message/client.h"

#include <pthread.h>

struct ts_dist_link {
  struct ts_message_client work; /* for everything but the heartbeat */
  struct ts_message_client beat;
  char *store, *description; /* owned */
  pthread_t thread;
  bool has_thread;
  bool may_end; /* the process may be ended */
  int wake_fd;  /* readable when the heartbeat shall look */

  pthread_mutex_t lock;   /* guards the rest, taken last */
  struct ts_str warnings; /* to be sent: texts of ts_wire, one after another */
  uint64_t token;         /* of the bucket that is held; 0: none */
  uint64_t lease_ns;      /* 0: not known yet */
  bool is_stale;          /* the bucket was lost */
  bool is_gone;           /* the coordinator is */
  bool is_ending;
  volatile int halt; /* 0, or 2: a stop level, read by the engine without the lock */
};

/* A message of the work's connection and its answer, behind what is in *answer. */
bool ts_dist_link_ask(struct ts_dist_link *link, uint32_t kind, const struct ts_str *bytes, struct ts_str *answer,
                      struct ts_error *err);
void ts_dist_link_set_lease(struct ts_dist_link *link, uint64_t lease_ns);
/* From now on the lease of this bucket is renewed. */
void ts_dist_link_hold(struct ts_dist_link *link, uint64_t token);
/* No more; false: the bucket was lost meanwhile. */
bool ts_dist_link_drop(struct ts_dist_link *link);

#endif
