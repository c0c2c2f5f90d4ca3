/* Functions that end the process, in place of those of the C library: plugins find the program's own ones first.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli/exits.h"

#include "base/process/ending.h"
#include "base/sanitizers.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

#if !TS_HAS_ADDRESS_SANITIZER && !defined(__SANITIZE_THREAD__) /* which catch them themselves */
#define SEEN_BY_PLUGINS __attribute__((visibility("default")))

/* Handlers of exit see it as well, but only the first of two threads that end the process at once. */
static _Noreturn void go_on(const char *name, int status) {
  void (*end)(int) = NULL;
  *(void **)&end = dlsym(RTLD_NEXT, name);
  if (end) end(status);
  ts_process_end(status);
}

SEEN_BY_PLUGINS _Noreturn void exit(int status) {
  ts_ending_notice("exit");
  go_on("exit", status);
}

SEEN_BY_PLUGINS _Noreturn void quick_exit(int status) {
  ts_ending_notice("quick_exit");
  go_on("quick_exit", status);
}

SEEN_BY_PLUGINS _Noreturn void _exit(int status) { // NOLINT(bugprone-reserved-identifier): the name is the point
  ts_ending_notice("_exit");
  ts_process_end(status);
}

SEEN_BY_PLUGINS _Noreturn void _Exit(int status) { // NOLINT(bugprone-reserved-identifier)
  ts_ending_notice("_Exit");
  ts_process_end(status);
}
#endif

void ts_exits_own(void) { ts_ending_set_program(); }
