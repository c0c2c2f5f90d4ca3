/* Shared by the files of the sched module: the order of tasks and a worker's own queue.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_SCHED_READY_INT_H
#define TS_SCHED_READY_INT_H

#include "sched/ready.h"

/* Sorted from `first` on. A zeroed struct is an empty queue. */
struct ts_ready_local {
  struct ts_ready_task *ring; /* owned */
  size_t first, count;
  size_t capacity; /* a power of two, or 0 */
};

static inline bool ts_ready_before(const struct ts_ready_task *a, const struct ts_ready_task *b) {
  if (a->urgency != b->urgency) return a->urgency < b->urgency;
  if (a->priority != b->priority) return a->priority < b->priority;
  return a->instance < b->instance;
}

/* local.c */
/* False if that would move too many others; then nothing is changed. */
bool ts_ready_local_insert(struct ts_ready_local *local, const struct ts_ready_task *task);
const struct ts_ready_task *ts_ready_local_first(const struct ts_ready_local *local); /* NULL: empty */
/* Of a queue that is not empty. */
void ts_ready_local_take_first(struct ts_ready_local *local, struct ts_ready_task *task);

#endif
