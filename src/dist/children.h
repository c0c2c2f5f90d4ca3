/* Worker processes: started, listened to, asked to stop, collected.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_DIST_CHILDREN_H
#define TS_DIST_CHILDREN_H

#include "base/error.h"
#include "base/str.h"

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct ts_child {
  pid_t pid;           /* 0: not running */
  int error_fd;        /* its standard error; -1: closed */
  struct ts_str line;  /* the beginning of a line that is not complete */
  struct ts_str last;  /* the last things it said */
  int status;          /* of waitpid, once it has ended */
  struct ts_error end; /* what it said of its end (base/process/last_words.h); TS_ERR_OK: nothing */
};

/* Starts `PROGRAM worker --connect ID@SOCKET` in a process group of its own: Ctrl-C reaches it through the coordinator
 * only. */
bool ts_child_start(struct ts_child *child, const char *program, const char *socket, const char *id,
                    struct ts_error *err);
/* Reads what it prints, which is kept for when it ends. */
void ts_child_listen(struct ts_child *child);
/* True once it has ended; then its status is set, and its messages are complete. */
bool ts_child_has_ended(struct ts_child *child);
void ts_child_signal(const struct ts_child *child, int number);
/* How it ended, in words: "was killed by signal 9 (Killed)". */
void ts_child_describe(const struct ts_child *child, struct ts_str *out);
/* Kills it if it is running. */
void ts_child_release(struct ts_child *child);

#endif
