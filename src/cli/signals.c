/* Catches the signals that stop a run.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli/signals.h"

#include <signal.h>
#include <stddef.h>
#include <unistd.h>

static volatile int caught; /* the number of the signal; written by the handler only */

/* Only calls that are safe in a handler. */
static void on_signal(int number) {
  if (__atomic_exchange_n(&caught, number, __ATOMIC_RELAXED) == 0) return;
  ssize_t ignored = write(STDERR_FILENO, "\n", 1);
  (void)ignored;
  _exit(128 + number);
}

/* Nothing has to be kept: the program ends here and now. */
static void end_on_signal(int number) {
  ssize_t ignored = write(STDERR_FILENO, "\nstopped\n", 9);
  (void)ignored;
  _exit(128 + number);
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
}

void ts_signals_catch_to_end(void) {
  set_handler(SIGINT, end_on_signal);
  set_handler(SIGTERM, end_on_signal);
}

const volatile int *ts_signals_stop(void) { return &caught; }

int ts_signals_exit_code(void) {
  int number = __atomic_load_n(&caught, __ATOMIC_RELAXED);
  return number ? 128 + number : 0;
}

/* A handler, not SIG_IGN: programs that operations start would inherit that. */
void ts_signals_survive_pipes(void) { set_handler(SIGPIPE, on_pipe); }
