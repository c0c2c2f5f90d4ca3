/* Ends the process, and reports to the observer that other code is about to end it.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/process/ending.h"

#include <stdatomic.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

static void (*_Atomic watcher)(const char *function);
static atomic_bool is_program;

_Noreturn void ts_process_end(int status) {
  for (;;) syscall(SYS_exit_group, status);
}

void ts_ending_watch(void (*on_end)(const char *function)) { atomic_store(&watcher, on_end); }

void ts_ending_notice(const char *function) {
  void (*on_end)(const char *) = atomic_load(&watcher);
  if (on_end) on_end(function);
}

void ts_ending_set_program(void) { atomic_store(&is_program, true); }

bool ts_ending_is_program(void) { return atomic_load(&is_program); }
