/* A crash inside an operation: names the operation and its values, lets the store finish, and ends the process.
 * SPDX-License-Identifier: Apache-2.0
 *
 * After a crash the memory of the process cannot be trusted, so it ends; the store's thread only gets the time to
 * write its queue. A crash outside operations is reported, too, and then has its usual effect (a core file). */
#include "op/watch_int.h"

#include "base/alloc.h"
#include "base/process/ending.h"

#include <signal.h>
#include <string.h>

#define HANDLER_STACK_BYTES 65536

static const struct {
  int number;
  const char *what;
} signals[] = {{SIGSEGV, "crashed (segmentation fault)"},
               {SIGBUS, "crashed (bus error)"},
               {SIGFPE, "crashed (arithmetic exception)"},
               {SIGILL, "crashed (illegal instruction)"},
               {SIGABRT, "crashed (it called abort)"}};
#define SIGNAL_COUNT (sizeof signals / sizeof *signals)

_Thread_local const struct ts_watched *ts_watch_current;
static _Thread_local bool is_prepared;
static _Thread_local char handler_stack[HANDLER_STACK_BYTES]; /* a stack that ran over cannot be used */
static struct ts_watch_options guarded;
static struct sigaction before[SIGNAL_COUNT];

static size_t index_of(int number) {
  size_t i = 0;
  while (i + 1 < SIGNAL_COUNT && signals[i].number != number) i++;
  return i;
}

static void on_crash(int number) {
  const size_t index = index_of(number);
  const struct ts_watched *watched = ts_watch_current;
  const bool hungry = number == SIGABRT && ts_memory_is_exhausted();
  const enum ts_error_code code = hungry ? TS_ERR_NO_MEMORY : TS_ERR_OPERATION_CRASHED;
  ts_last_words(&guarded, watched, code, hungry ? "ran out of memory" : signals[index].what);
  if (watched || hungry) ts_process_end(ts_error_exit_code(code));
  /* Raised again as soon as this handler ends. */
  sigaction(number, &before[index], NULL);
  raise(number);
}

void ts_crash_catch(const struct ts_watch_options *options) {
  guarded = *options;
  for (size_t i = 0; i < SIGNAL_COUNT; i++) {
    struct sigaction action = {.sa_handler = on_crash, .sa_flags = SA_ONSTACK};
    sigemptyset(&action.sa_mask);
    sigaction(signals[i].number, &action, &before[i]);
  }
}

void ts_crash_release(void) {
  for (size_t i = 0; i < SIGNAL_COUNT; i++) sigaction(signals[i].number, &before[i], NULL);
}

/* Lets the signals through: a crash whose signal is blocked ends the process silently. A stack that is already set
 * up (by a sanitizer) serves as well. */
void ts_crash_prepare_thread(void) {
  if (is_prepared) return;
  is_prepared = true;
  sigset_t wanted;
  stack_t present;
  sigemptyset(&wanted);
  for (size_t i = 0; i < SIGNAL_COUNT; i++) sigaddset(&wanted, signals[i].number);
  pthread_sigmask(SIG_UNBLOCK, &wanted, NULL);
  if (sigaltstack(NULL, &present) != 0 || !(present.ss_flags & SS_DISABLE)) return;
  const stack_t mine = {.ss_sp = handler_stack, .ss_size = sizeof handler_stack};
  sigaltstack(&mine, NULL);
}
