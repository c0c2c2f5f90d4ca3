/* Starts another program: no shell, a process group of its own, no input, no open file but its output.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_BASE_SPAWN_H
#define TS_BASE_SPAWN_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* All pointers are borrowed for the call. */
struct ts_spawn {
  const char *program;            /* its path: PATH is not searched */
  const char *const *words;       /* its name and arguments, NULL-terminated */
  const char *const *environment; /* NULL-terminated; NULL: that of this process */
  const char *folder;             /* where it runs; NULL: where this process runs */
  int output_fd, error_fd;        /* where its output and its errors go; -1: nowhere */
  uint64_t most_bytes;            /* of one file that it writes; 0: no limit but those that are set already */
  const int *signals;             /* given their default meaning; ended by 0; NULL: all */
  bool ends_with_thread;          /* the kernel kills it when the thread that started it ends */
};

/* Starts the program, with no signal blocked; 0, or the errno, in which case there is no child. */
int ts_spawn(const struct ts_spawn *options, pid_t *child);

#endif
