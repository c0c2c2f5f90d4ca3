/* Watches operations that run in this process, if the program asks for it: one that crashes or hangs is named, and the
 * process ends.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_OP_WATCH_H
#define TS_OP_WATCH_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

struct ts_watch_options {
  const char *resume; /* borrowed until ts_watch_stop: the command line that continues the run; "" if there is none */
  double limit_s;     /* the time limit of most calls (ts_op_context), so how often to look; 0: no call has one */
  bool is_worker;     /* the last words are for a process (base/process/last_words.h), not for people */
  void *user;         /* borrowed, for the functions below */
  /* How much was given to the store and how much of it is kept. Called from a signal handler; may be NULL. */
  void (*progress)(const void *user, uint64_t *given, uint64_t *kept);
};

/* Installs signal handlers. One watch at a time: where there is one already (two runs in one process) *watching is
 * false, and the calls of the second run belong to the watch of the first. Without a time limit no thread is started.
 * */
bool ts_watch_start(const struct ts_watch_options *options, bool *watching, struct ts_error *err);
void ts_watch_stop(void); /* only if watching */

#endif
