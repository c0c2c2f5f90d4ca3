/* Watches operations that run in this process: one that crashes or hangs is named, and the process ends.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_OP_WATCH_H
#define TS_OP_WATCH_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

struct ts_watch_options {
  const char *resume; /* borrowed until ts_watch_stop: the command line that continues the run; "" if there is none */
  double limit_s;     /* for one call of an operation; 0: none */
  void *user;         /* borrowed, for the functions below */
  /* How much was given to the store and how much of it is kept. Called from a signal handler; may be NULL. */
  void (*progress)(const void *user, uint64_t *given, uint64_t *kept);
};

/* One watch at a time: where there is one already (two runs in one process) *watching is false, and the second run goes
 * without. Without a time limit no thread is started. */
bool ts_watch_start(const struct ts_watch_options *options, bool *watching, struct ts_error *err);
void ts_watch_stop(void);      /* only if watching */
double ts_watch_limit_s(void); /* 0: none */

#endif
