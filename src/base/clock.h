/* Time: a monotonic clock, CPU time and wall-clock text; the monotonic one can be replaced by tests.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_BASE_CLOCK_H
#define TS_BASE_CLOCK_H

#include <stdint.h>

uint64_t ts_clock_ns(void); /* monotonic */
/* CPU time of the calling thread. Called twice within TS_CLOCK_THREAD_CPU_ERROR_NS, it may count time that the thread
 * was away as its own: off by no more than that, however often it is called. */
#define TS_CLOCK_THREAD_CPU_ERROR_NS 50000
uint64_t ts_clock_thread_cpu_ns(void);
uint64_t ts_clock_process_cpu_ns(void);
int64_t ts_clock_unix_ns(void);
/* "2026-01-31T12:00:00Z"; text holds at least 32 bytes. */
char *ts_clock_print_utc(int64_t unix_ns, char text[32]);
/* Tests: all later ts_clock_ns() calls return fake(); NULL restores the real clock. */
void ts_clock_set_fake(uint64_t (*fake)(void));

#endif
