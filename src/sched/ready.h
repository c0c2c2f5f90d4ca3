/* Which ready task comes next: a shared priority queue and one short queue per worker, pure (no threads, clock or I/O).
 * SPDX-License-Identifier: Apache-2.0
 *
 * Smaller priorities first. Depth-first execution along the reuse tree is a matter of the priorities given: see
 * ts_ready_priority. Tasks that a worker makes ready go to its own queue, mostly to one of the ends, so that putting
 * them there is cheap. Every worker takes the earliest task of all, from any queue: workers that finish their own
 * queues first drift apart in the reuse tree, and all products between them wait for readers in memory. */
#ifndef TS_SCHED_READY_H
#define TS_SCHED_READY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ts_ready_task {
  uint64_t priority;
  void *owner; /* borrowed: whatever the number below counts in */
  uint32_t instance;
};

struct ts_ready_local;

struct ts_ready {
  struct ts_ready_task *heap; /* owned; the shared queue */
  size_t count;               /* in the shared queue */
  size_t capacity;
  struct ts_ready_local *locals; /* owned; one per worker */
  size_t worker_count;
  uint64_t stolen; /* tasks taken from another worker's queue so far */
};

/* A zeroed struct is an empty queue without workers. */
void ts_ready_init(struct ts_ready *ready, size_t worker_count);
void ts_ready_release(struct ts_ready *ready);

/* The shared queue alone. */
void ts_ready_push(struct ts_ready *ready, struct ts_ready_task task);
bool ts_ready_pop(struct ts_ready *ready, struct ts_ready_task *task); /* false: empty */

/* Pushes to the worker's own queue. A task that belongs far from both of its ends goes to the shared one instead, so
 * that a push never moves more than a few entries. */
void ts_ready_push_local(struct ts_ready *ready, size_t worker, struct ts_ready_task task);
/* The earliest of all tasks; of equal ones the worker's own. False: there is nothing. */
bool ts_ready_take(struct ts_ready *ready, size_t worker, struct ts_ready_task *task);

/* Earlier windows first; within a window, runs in the planned order; within a run, the task farthest along (greatest
 * depth) first, so that a started run is finished and its products can be freed. Depths beyond 65535 count as equal,
 * as do ranks beyond 16 million. */
uint64_t ts_ready_priority(uint32_t window, uint32_t run_rank, uint32_t depth);

#endif
