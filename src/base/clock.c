/* The clocks of the system, and a seam for tests.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/clock.h"

#include "base/error.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <time.h>

#define NS_PER_SECOND 1000000000LL

static _Atomic(uint64_t (*)(void)) fake_clock;

static int64_t read_clock(clockid_t id) {
  struct timespec now;
  if (clock_gettime(id, &now) != 0) TS_BUG("clock %d cannot be read", (int)id);
  return (int64_t)now.tv_sec * NS_PER_SECOND + now.tv_nsec;
}

uint64_t ts_clock_ns(void) {
  uint64_t (*fake)(void) = atomic_load_explicit(&fake_clock, memory_order_acquire);
  return fake ? fake() : (uint64_t)read_clock(CLOCK_MONOTONIC);
}

/* Asking the kernel costs as much as a small task. While the last answer is young, the time since then counts as work:
 * who calls again so soon was hardly away. Never backwards, as the next answer may be lower than the guess. */
uint64_t ts_clock_thread_cpu_ns(void) {
  static _Thread_local struct {
    int64_t asked_ns; /* by the monotonic clock */
    int64_t cpu_ns;   /* the kernel's answer then */
    int64_t told_ns;  /* what the last caller got */
  } last;
  const int64_t now_ns = read_clock(CLOCK_MONOTONIC);
  int64_t age_ns = now_ns - last.asked_ns;
  if (last.told_ns == 0 || age_ns >= TS_CLOCK_THREAD_CPU_ERROR_NS) {
    last.cpu_ns = read_clock(CLOCK_THREAD_CPUTIME_ID);
    last.asked_ns = now_ns;
    age_ns = 0;
  }
  if (last.cpu_ns + age_ns > last.told_ns) last.told_ns = last.cpu_ns + age_ns;
  return (uint64_t)last.told_ns;
}

uint64_t ts_clock_process_cpu_ns(void) { return (uint64_t)read_clock(CLOCK_PROCESS_CPUTIME_ID); }

int64_t ts_clock_unix_ns(void) { return read_clock(CLOCK_REALTIME); }

char *ts_clock_print_utc(int64_t unix_ns, char text[32]) {
  int64_t seconds = unix_ns / NS_PER_SECOND;
  if (unix_ns % NS_PER_SECOND < 0) seconds--; /* before 1970: down, not towards zero */
  time_t when = (time_t)seconds;
  struct tm parts;
  if (!gmtime_r(&when, &parts)) TS_BUG("no date for %lld ns", (long long)unix_ns);
  if (strftime(text, 32, "%Y-%m-%dT%H:%M:%SZ", &parts) == 0) text[0] = '\0';
  return text;
}

void ts_clock_set_fake(uint64_t (*fake)(void)) { atomic_store_explicit(&fake_clock, fake, memory_order_release); }
