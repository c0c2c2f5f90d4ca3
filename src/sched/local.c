/* A worker's own queue: a sorted ring, in which tasks are put near one of its ends.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Tasks that a worker makes ready mostly belong to one of the ends: behind the task it has just done comes the next one
 * of the same run (the near end), and tasks that fan out come in the order of their runs (the far end). */
#include "sched/ready_int.h"

#include "base/alloc.h"

#define FIRST_CAPACITY 16
#define MOST_MOVES     32 /* no difference in CPU time seen between 16 and 64 (`bench/constants threads`) */

static struct ts_ready_task *at(const struct ts_ready_local *local, size_t i) {
  return &local->ring[(local->first + i) & (local->capacity - 1)];
}

static void grow(struct ts_ready_local *local) {
  const size_t capacity = local->capacity ? 2 * local->capacity : FIRST_CAPACITY;
  struct ts_ready_task *ring = ts_calloc(capacity, sizeof *ring);
  for (size_t i = 0; i < local->count; i++) ring[i] = *at(local, i);
  free(local->ring);
  *local = (struct ts_ready_local){.ring = ring, .capacity = capacity, .count = local->count};
}

bool ts_ready_local_insert(struct ts_ready_local *local, const struct ts_ready_task *task) {
  if (local->count == local->capacity) grow(local);
  size_t near = 0;
  while (near < local->count && near <= MOST_MOVES && ts_ready_before(at(local, near), task)) near++;
  if (near <= MOST_MOVES) {
    local->first = (local->first + local->capacity - 1) & (local->capacity - 1);
    local->count++;
    for (size_t i = 0; i < near; i++) *at(local, i) = *at(local, i + 1);
    *at(local, near) = *task;
    return true;
  }
  size_t far = 0; /* as many come after it */
  while (far <= MOST_MOVES && ts_ready_before(task, at(local, local->count - 1 - far))) far++;
  if (far > MOST_MOVES) return false;
  const size_t place = local->count - far;
  for (size_t i = local->count; i > place; i--) *at(local, i) = *at(local, i - 1);
  *at(local, place) = *task;
  local->count++;
  return true;
}

const struct ts_ready_task *ts_ready_local_first(const struct ts_ready_local *local) {
  return local->count > 0 ? at(local, 0) : NULL;
}

void ts_ready_local_take_first(struct ts_ready_local *local, struct ts_ready_task *task) {
  *task = *at(local, 0);
  local->first = (local->first + 1) & (local->capacity - 1);
  local->count--;
}
