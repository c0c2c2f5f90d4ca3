/* Messages to a sink or to stderr, one line at a time.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/log.h"
#include "base/lock.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

#define SINK_BYTES 4096 /* of a message for a sink; the rest is cut off */

static atomic_int current_level = TS_LOG_WARN;
static atomic_bool uses_stderr;

/* Guards the hooks and keeps messages of several threads from mixing. Nothing else is locked while it is held, except
 * by the hooks. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void (*before_message)(void *user);
static void *before_message_user; /* borrowed from the code that set the hook */
static ts_log_sink *log_sink;
static void *log_sink_user; /* borrowed likewise */

void ts_log_set_level(enum ts_log_level level) { atomic_store(&current_level, (int)level); }

enum ts_log_level ts_log_get_level(void) { return (enum ts_log_level)atomic_load(&current_level); }

void ts_log_use_stderr(void) { atomic_store(&uses_stderr, true); }

bool ts_log_uses_stderr(void) { return atomic_load(&uses_stderr); }

void ts_log_set_before_message(void (*hook)(void *user), void *user) {
  ts_hold(&lock);
  before_message = hook;
  before_message_user = user;
}

void ts_log_set_sink(ts_log_sink *sink, void *user) {
  ts_hold(&lock);
  log_sink = sink;
  log_sink_user = user;
}

static const char *prefix_of(enum ts_log_level level) {
  switch (level) {
  case TS_LOG_WARN: return "warning: ";
  case TS_LOG_DEBUG: return "debug: ";
  case TS_LOG_QUIET:
  case TS_LOG_INFO: break;
  }
  return "";
}

/* Under the lock. */
static bool TS_PRINTF(2, 0) sink_takes(enum ts_log_level level, const char *format, va_list args) {
  char text[SINK_BYTES];
  va_list copy;
  if (!log_sink) return false;
  va_copy(copy, args);
  vsnprintf(text, sizeof text, format, copy);
  va_end(copy);
  return log_sink(log_sink_user, level, text);
}

void ts_log(enum ts_log_level level, const char *format, ...) {
  if (level == TS_LOG_QUIET || level > ts_log_get_level()) return;
  va_list args;
  va_start(args, format);
  pthread_mutex_lock(&lock);
  if (!sink_takes(level, format, args) && ts_log_uses_stderr()) {
    if (before_message) before_message(before_message_user);
    fputs(prefix_of(level), stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    fflush(stderr);
  }
  pthread_mutex_unlock(&lock);
  va_end(args);
}
