/* The calls that are under way, and a thread that ends the process when one of them takes too long.
 * SPDX-License-Identifier: Apache-2.0
 *
 * A call cannot be ended from outside: it may hold locks or half-changed memory. So an operation that looks at
 * host->cancelled sees when its time is over and fails like any other; one that does not look gets some more time
 * and then the process ends, once the store has the finished products. */
#include "op/watch_int.h"

#include "base/clock.h"
#include "base/lock.h"
#include "base/process/ending.h"
#include "base/str.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define NS_PER_S    1000000000.0
#define MOST_LOOK_S 0.5 /* between two looks at the calls */
#define MOST_MORE_S 5.0 /* beyond the limit, for operations that look for cancellation */

static struct {
  struct ts_watch_options options;
  atomic_bool taken; /* a run watches */
  bool has_thread;
  pthread_t thread;
  pthread_mutex_t lock; /* guards calls and stopping */
  pthread_cond_t stop;
  bool stopping;
  struct ts_watched *calls; /* borrowed list */
} watch = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Commands are killed when their time is over. */
static uint64_t limit_of(const struct ts_call_state *state) {
  return state->op->origin == TS_OP_COMMAND ? 0 : (uint64_t)(state->context->timeout_s * NS_PER_S);
}

void ts_watch_enter(struct ts_watched *watched) {
  ts_watch_current = watched;
  watched->limit_ns = limit_of(watched->state);
  if (watched->limit_ns > 0) watched->start_ns = ts_clock_ns();
  if (!atomic_load_explicit(&watch.taken, memory_order_relaxed)) return;
  ts_crash_prepare_thread();
  if (watched->limit_ns == 0) return;
  ts_hold(&watch.lock);
  watched->is_listed = true;
  watched->next = watch.calls;
  watched->link = &watch.calls;
  if (watched->next) watched->next->link = &watched->next;
  watch.calls = watched;
}

void ts_watch_leave(struct ts_watched *watched) {
  ts_watch_current = NULL;
  if (!watched->is_listed) return;
  ts_hold(&watch.lock);
  *watched->link = watched->next;
  if (watched->next) watched->next->link = watched->link;
}

bool ts_watch_is_late(void) {
  const struct ts_watched *watched = ts_watch_current;
  return watched && watched->limit_ns > 0 && ts_clock_ns() - watched->start_ns > watched->limit_ns;
}

static uint64_t more_ns(uint64_t limit_ns) {
  const uint64_t most_ns = (uint64_t)(MOST_MORE_S * NS_PER_S);
  return limit_ns < most_ns ? limit_ns : most_ns;
}

/* Under the lock, so that the call cannot end meanwhile. */
static void end_process(const struct ts_watched *watched) {
  char what[80];
  snprintf(what, sizeof what, "did not end within %s s", TS_SIGNIFICANT(watched->state->context->timeout_s, 6));
  ts_last_words(&watch.options, watched, TS_ERR_OPERATION_HANGS, what);
  ts_process_end(ts_error_exit_code(TS_ERR_OPERATION_HANGS));
}

static void look(void) {
  const uint64_t now_ns = ts_clock_ns();
  for (const struct ts_watched *watched = watch.calls; watched; watched = watched->next) {
    if (now_ns - watched->start_ns > watched->limit_ns + more_ns(watched->limit_ns)) end_process(watched);
  }
}

static void wait_a_little(void) {
  struct timespec until;
  clock_gettime(CLOCK_MONOTONIC, &until);
  double wait_s = watch.options.limit_s / 4;
  if (wait_s > MOST_LOOK_S) wait_s = MOST_LOOK_S;
  until.tv_nsec += (long)(wait_s * NS_PER_S);
  until.tv_sec += until.tv_nsec / 1000000000L;
  until.tv_nsec %= 1000000000L;
  pthread_cond_timedwait(&watch.stop, &watch.lock, &until);
}

static void *watch_main(void *unused) {
  (void)unused;
  ts_hold(&watch.lock);
  while (!watch.stopping) {
    look();
    wait_a_little();
  }
  return NULL;
}

static bool start_thread(struct ts_error *err) {
  pthread_condattr_t attributes;
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  pthread_cond_init(&watch.stop, &attributes);
  pthread_condattr_destroy(&attributes);
  /* Signals are for the threads of the program. */
  sigset_t all, mask;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &mask);
  const int number = pthread_create(&watch.thread, NULL, watch_main, NULL);
  pthread_sigmask(SIG_SETMASK, &mask, NULL);
  if (number == 0) return true;
  ts_fail(err, TS_ERR_SYSTEM, "the thread that watches operations cannot be started: %s", strerrordesc_np(number));
  return ts_error_help(err, "raise the limit of processes (ulimit -u)");
}

bool ts_watch_start(const struct ts_watch_options *options, bool *watching, struct ts_error *err) {
  *watching = !atomic_exchange(&watch.taken, true);
  if (!*watching) return true;
  watch.options = *options;
  watch.stopping = false;
  watch.has_thread = options->limit_s > 0;
  if (watch.has_thread && !start_thread(err)) {
    atomic_store(&watch.taken, false);
    return *watching = false;
  }
  ts_crash_catch(options);
  ts_early_end_catch(options);
  return true;
}

void ts_watch_stop(void) {
  ts_early_end_release();
  ts_crash_release();
  if (watch.has_thread) {
    pthread_mutex_lock(&watch.lock);
    watch.stopping = true;
    pthread_cond_signal(&watch.stop);
    pthread_mutex_unlock(&watch.lock);
    pthread_join(watch.thread, NULL);
    pthread_cond_destroy(&watch.stop);
  }
  atomic_store(&watch.taken, false);
}
