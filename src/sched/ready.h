/* Which ready task comes next: a priority queue, pure (no threads, clock or I/O).
 * SPDX-License-Identifier: Apache-2.0
 *
 * Smaller priorities first. Depth-first execution along the reuse tree is a matter of the priorities given: see
 * ts_ready_priority. */
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

struct ts_ready {
  struct ts_ready_task *heap; /* owned */
  size_t count;
  size_t capacity;
};

/* A zeroed struct is an empty queue. */
void ts_ready_release(struct ts_ready *ready);
void ts_ready_push(struct ts_ready *ready, struct ts_ready_task task);
bool ts_ready_pop(struct ts_ready *ready, struct ts_ready_task *task); /* false: empty */

/* Earlier groups first; within a group, runs in the planned order; within a run, the task farthest along (greatest
 * depth) first, so that a started run is finished and its products can be let go. Depths beyond 65535 count as equal,
 * as do ranks beyond 16 million. */
uint64_t ts_ready_priority(uint32_t group, uint32_t run_rank, uint32_t depth);

#endif
