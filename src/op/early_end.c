/* Names an operation that ends the process, or the thread it was lent, as it names one that crashes.
 * SPDX-License-Identifier: Apache-2.0
 *
 * exit and quick_exit are seen by handlers of the C library. _exit has none: the program replaces all three by
 * functions of its own (cli/exits.c); another program that uses the library does not, and ends if a plugin calls
 * _exit. A thread that ends in a call unwinds its stack, where the call has left a note. A plugin that asks the
 * system directly (SYS_exit_group) is not seen at all. */
#include "op/watch_int.h"

#include "base/process/ending.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static struct ts_watch_options guarded;
static atomic_bool is_watching;
static pid_t owner; /* a child that an operation made by fork may end as it likes */

static void report(const char *what) {
  ts_last_words(&guarded, ts_watch_current, TS_ERR_OPERATION_ENDS, what);
  ts_process_end(ts_error_exit_code(TS_ERR_OPERATION_ENDS));
}

static bool is_foreign(void) {
  return atomic_load(&is_watching) && getpid() == owner && (ts_watch_current || ts_ending_is_program());
}

static void on_end(const char *function) {
  char what[64];
  if (!is_foreign()) return;
  snprintf(what, sizeof what, "ended the process (it called %s)", function);
  report(what);
}

static void on_exit_handlers(void) { on_end("exit"); }

static void on_quick_exit_handlers(void) { on_end("quick_exit"); }

static void register_handlers(void) {
  atexit(on_exit_handlers);
  at_quick_exit(on_quick_exit_handlers);
}

void ts_early_end_catch(const struct ts_watch_options *options) {
  static pthread_once_t once = PTHREAD_ONCE_INIT; /* they cannot be taken back */
  guarded = *options;
  owner = getpid();
  pthread_once(&once, register_handlers);
  ts_ending_watch(on_end);
  atomic_store(&is_watching, true);
}

void ts_early_end_release(void) {
  atomic_store(&is_watching, false);
  ts_ending_watch(NULL);
}

static void on_unwinding(void *unused) {
  (void)unused;
  if (atomic_load(&is_watching) && getpid() == owner) report("ended its thread (it called pthread_exit)");
}

int ts_early_end_run(int (*run)(struct ts_op_call *call), struct ts_op_call *call) {
  int status;
  pthread_cleanup_push(on_unwinding, NULL);
  status = run(call);
  pthread_cleanup_pop(0);
  return status;
}

void ts_early_end_run_body(void (*body)(void *argument, size_t index), void *argument, size_t index) {
  pthread_cleanup_push(on_unwinding, NULL);
  body(argument, index);
  pthread_cleanup_pop(0);
}
