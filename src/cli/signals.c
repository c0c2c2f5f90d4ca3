/* Catches the signals that stop a run.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli/signals.h"

#include "base/process/ending.h"

#include <signal.h>
#include <stddef.h>
#include <unistd.h>

#define GIVE_UP_S 2 /* for operations that look for it, and for the store, once a second signal came */

static volatile int caught;     /* the number of the last signal; written by the handler only, like the next */
static volatile int stop_level; /* how many came: 1 pauses, 2 asks operations to give up */

/* Only calls that are safe in a handler. */
static void leave(int number) {
  ssize_t ignored = write(STDERR_FILENO, "\n", 1);
  (void)ignored;
  ts_process_end(128 + number);
}

static void on_alarm(int number) {
  (void)number;
  leave(__atomic_load_n(&caught, __ATOMIC_RELAXED));
}

static void on_signal(int number) {
  __atomic_store_n(&caught, number, __ATOMIC_RELAXED);
  const int level = __atomic_add_fetch(&stop_level, 1, __ATOMIC_RELAXED);
  if (level == 2) alarm(GIVE_UP_S);
  if (level > 2) leave(number);
}

/* Nothing has to be kept: the program ends here and now. */
static void end_on_signal(int number) {
  ssize_t ignored = write(STDERR_FILENO, "\nstopped\n", 9);
  (void)ignored;
  ts_process_end(128 + number);
}

static void on_pipe(int number) { (void)number; }

static void set_handler(int number, void (*handler)(int)) {
  struct sigaction before;
  if (sigaction(number, NULL, &before) != 0 || before.sa_handler == SIG_IGN) return;
  struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
  sigemptyset(&action.sa_mask);
  sigaction(number, &action, NULL);
}

void ts_signals_catch(void) {
  set_handler(SIGINT, on_signal);
  set_handler(SIGTERM, on_signal);
  set_handler(SIGALRM, on_alarm);
}

void ts_signals_catch_to_end(void) {
  set_handler(SIGINT, end_on_signal);
  set_handler(SIGTERM, end_on_signal);
}

const volatile int *ts_signals_stop(void) { return &stop_level; }

int ts_signals_exit_code(void) {
  int number = __atomic_load_n(&caught, __ATOMIC_RELAXED);
  return number ? 128 + number : 0;
}

/* A handler, not SIG_IGN: programs that operations start would inherit that. */
void ts_signals_survive_pipes(void) { set_handler(SIGPIPE, on_pipe); }
