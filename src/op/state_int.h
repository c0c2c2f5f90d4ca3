/* State that calls of operations may not change: that of the thread and that of the process.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_OP_STATE_INT_H
#define TS_OP_STATE_INT_H

#include <fenv.h>
#include <locale.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

/* ---- Of the thread (thread_state.c). ---- */

struct ts_thread_state {
  fenv_t arithmetic; /* if it was not the usual one */
  locale_t locale;   /* borrowed; foreign code only, as the next */
  sigset_t signals;
  bool was_usual, is_foreign;
};
/* Remembers the state of this thread and sets the known one: rounding to nearest, small numbers kept, nothing
 * trapped; for foreign code the locale "C", too. */
void ts_thread_state_enter(struct ts_thread_state *before, bool is_foreign);
void ts_thread_state_leave(const struct ts_thread_state *before); /* restores the earlier state */

/* ---- Of the process (process_state.c): current folder, environment, locale. ---- */

/* One call that depends on it or may change it; lies on the stack of the thread that makes it. */
struct ts_shared_call {
  struct ts_shared_call *next;  /* borrowed: the list of calls under way */
  struct ts_shared_call **link; /* borrowed: what points at this one */
  uint64_t generation;          /* how often the state was restored before the call began */
  bool is_alone;                /* no other such call runs at the same time */
  bool is_disturbed;            /* the state was restored while it ran */
};

enum ts_shared_verdict {
  TS_SHARED_CALM,      /* nothing was changed while the call ran */
  TS_SHARED_DISTURBED, /* something was, perhaps by another call: the result does not count, the state is as before */
  TS_SHARED_CULPRIT    /* this call changed it: no other was under way */
};
struct ts_state_change {
  char text[240]; /* "the current folder (to '/b') and the locale (...)" */
};

/* Waits for a call that runs alone; `alone`: also for all others. */
void ts_shared_enter(struct ts_shared_call *call, bool alone);
/* Compares, and restores a changed state; `change` is filled unless the verdict is TS_SHARED_CALM. */
enum ts_shared_verdict ts_shared_leave(struct ts_shared_call *call, struct ts_state_change *change);

/* ---- The state itself (process_state.c uses it, snapshot.c reads and sets it). ---- */

struct ts_snapshot {
  int folder_fd; /* owned; -1: there is none */
  char *folder;  /* owned: its path */
  uint64_t folder_device, folder_inode;
  char **environment; /* owned array and strings, NULL-terminated */
  locale_t locale;    /* owned; only its names matter */
};
void ts_snapshot_take(struct ts_snapshot *snapshot);
void ts_snapshot_release(struct ts_snapshot *snapshot);
bool ts_snapshot_holds(const struct ts_snapshot *snapshot); /* whether the process is still in this state */
/* What differs now from the snapshot, in words. */
void ts_snapshot_describe(const struct ts_snapshot *snapshot, struct ts_state_change *change);
void ts_snapshot_put_back(const struct ts_snapshot *snapshot);

#endif
