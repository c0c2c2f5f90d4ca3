/* Shared by the files that watch operations: the call that a thread is in, and words for the end of the process.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_OP_WATCH_INT_H
#define TS_OP_WATCH_INT_H

#include "op/op_int.h"
#include "op/watch.h"

/* A call of an operation; lies on the stack of the thread that makes it. */
struct ts_watched {
  const struct ts_call_state *state;           /* borrowed */
  const struct ts_op_value *const *parameters; /* borrowed; NULL: it is being opened */
  uint64_t start_ns, limit_ns;                 /* 0 without a time limit */
  bool is_listed;                              /* in the list of calls with a time limit */
  struct ts_watched *next;                     /* borrowed: that list */
  struct ts_watched **link;                    /* borrowed: what points at this one */
};
void ts_watch_enter(struct ts_watched *watched);
void ts_watch_leave(struct ts_watched *watched);
/* Whether the time of the call of this thread is over; operations that look for cancellation end then. Also where
 * nothing is watched. */
bool ts_watch_is_late(void);

/* crash.c */
extern _Thread_local const struct ts_watched *ts_watch_current; /* borrowed; NULL outside calls */
void ts_crash_catch(const struct ts_watch_options *options);    /* installs the handlers */
void ts_crash_release(void);                                    /* restores the earlier handlers */
void ts_crash_prepare_thread(void);                             /* a stack for the handler, once per thread */

/* early_end.c */
void ts_early_end_catch(const struct ts_watch_options *options);
void ts_early_end_release(void);
/* Runs it; should it end its thread, the operation is named and the process ends, if calls are watched. */
int ts_early_end_run(int (*run)(struct ts_op_call *call), struct ts_op_call *call);
void ts_early_end_run_body(void (*body)(void *argument, size_t index), void *argument, size_t index);

/* Names the operation (NULL: none) and what it did, its file and parameters, and how to continue, on stderr, once the
 * store has what it was given so far, or a few seconds have passed. Safe in signal handlers. Of two threads the second
 * waits for the end of the process. */
void ts_last_words(const struct ts_watch_options *options, const struct ts_watched *watched, enum ts_error_code code,
                   const char *what);

#endif
