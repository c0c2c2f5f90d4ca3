/* Which ready task comes next: a shared priority queue and one short queue per worker, pure (no threads, clock or I/O).
 * SPDX-License-Identifier: Apache-2.0
 *
 * Smaller priorities first. Depth-first execution along the reuse tree is a matter of the priorities given: see
 * ts_ready_priority. Tasks that a worker makes ready go to its own queue, mostly to one of the ends, so that putting
 * them there is cheap. Every worker takes the earliest task of all, from any queue: workers that finish their own
 * queues first drift apart in the reuse tree, and all products between them wait for readers in memory. */
#ifndef TS_SCHED_READY_H
#define TS_SCHED_READY_H

#include "sched/resources.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Ordered by urgency, then priority, then instance. */
struct ts_ready_task {
  uint64_t urgency; /* when it must be finished; 0 for all tasks where the policy has no deadlines */
  uint64_t priority;
  void *owner; /* borrowed: whatever the number below counts in */
  uint32_t instance;
  uint32_t needs; /* a number that ts_ready_restrict was given; 0 without it */
};

struct ts_ready_local;

struct ts_ready {
  struct ts_ready_task *heap; /* owned; the shared queue */
  size_t count;               /* in the shared queue */
  size_t capacity;
  struct ts_ready_local *locals; /* owned; one per worker */
  size_t worker_count;
  uint64_t stolen; /* tasks taken from another worker's queue so far */
  /* Where some workers may not run all tasks: a queue of its own for each kind of needs but the first, which has this
   * one. Otherwise NULL, and nothing is looked at twice. */
  struct ts_ready *others; /* owned */
  size_t other_count;
  uint64_t *may; /* owned: per worker, a bit per kind of needs */
};

/* A zeroed struct is an empty queue without workers. */
void ts_ready_init(struct ts_ready *ready, size_t worker_count);
void ts_ready_release(struct ts_ready *ready);
/* Gives each worker only what its class may run; before the first push. class_of has an entry per worker. A task names
 * its needs by their place in the list. */
#define TS_READY_NEEDS_MAX 64
void ts_ready_restrict(struct ts_ready *ready, const struct ts_worker_class *classes, const uint32_t *class_of,
                       const struct ts_task_needs *needs, size_t needs_count);

/* The shared queue alone. */
void ts_ready_push(struct ts_ready *ready, struct ts_ready_task task);
bool ts_ready_pop(struct ts_ready *ready, struct ts_ready_task *task); /* false: empty; not of a restricted queue */

/* Pushes to the worker's own queue. A task that belongs far from both of its ends goes to the shared one instead, so
 * that a push never moves more than a few entries. */
void ts_ready_push_local(struct ts_ready *ready, size_t worker, struct ts_ready_task task);
/* The earliest of all tasks that the worker may run; of equal ones its own. False: there is none. */
bool ts_ready_take(struct ts_ready *ready, size_t worker, struct ts_ready_task *task);

/* Earlier windows first; within a window, runs in the planned order; within a run, the task farthest along (greatest
 * depth) first, so that a started run is finished and its products can be freed. Depths beyond 65535 count as equal,
 * as do ranks beyond 16 million. */
uint64_t ts_ready_priority(uint32_t window, uint32_t run_rank, uint32_t depth);

#endif
