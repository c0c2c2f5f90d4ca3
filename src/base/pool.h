/* A fixed pool of threads that run jobs in the order they were submitted.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_BASE_POOL_H
#define TS_BASE_POOL_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

struct ts_pool;

/* thread_count 0: as many as the process may use (ts_cpu_count). */
struct ts_pool *ts_pool_create(size_t thread_count, struct ts_error *err);
/* Waits for all jobs, then ends the threads. NULL is allowed. */
void ts_pool_destroy(struct ts_pool *pool);
/* The job runs without any lock of the pool held. `thread` is the index of the thread, from 0. */
void ts_pool_submit(struct ts_pool *pool, void (*job)(void *argument, size_t thread), void *argument);
void ts_pool_wait(struct ts_pool *pool); /* until every submitted job has finished */
size_t ts_pool_thread_count(const struct ts_pool *pool);
/* Calls body(argument, i) for i in [0, count) on the pool and waits; results must not depend on the order. May be
 * called from a job of the same pool, which then takes part; ts_pool_wait may not. */
void ts_pool_for(struct ts_pool *pool, size_t count, void (*body)(void *argument, size_t index), void *argument);
/* The same, but the caller takes part wherever it comes from: one thread more than the pool has. */
void ts_pool_for_helped(struct ts_pool *pool, size_t count, void (*body)(void *argument, size_t index), void *argument);

/* CPUs this process may use (affinity and cgroup quota), at least 1. */
size_t ts_cpu_count(void);

#endif
