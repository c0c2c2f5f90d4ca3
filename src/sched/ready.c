/* The ready queue: a binary heap, ties broken by instance number so that one thread always runs in the same order.
 * SPDX-License-Identifier: Apache-2.0 */
#include "sched/ready.h"

#include "base/alloc.h"

void ts_ready_release(struct ts_ready *ready) {
  free(ready->heap);
  *ready = (struct ts_ready){0};
}

static bool before(const struct ts_ready_task *a, const struct ts_ready_task *b) {
  if (a->priority != b->priority) return a->priority < b->priority;
  return a->instance < b->instance;
}

static void swap(struct ts_ready_task *a, struct ts_ready_task *b) {
  struct ts_ready_task t = *a;
  *a = *b;
  *b = t;
}

void ts_ready_push(struct ts_ready *ready, struct ts_ready_task task) {
  ready->heap = ts_grow(ready->heap, ready->count, &ready->capacity, sizeof *ready->heap);
  size_t i = ready->count++;
  ready->heap[i] = task;
  while (i > 0 && before(&ready->heap[i], &ready->heap[(i - 1) / 2])) {
    swap(&ready->heap[i], &ready->heap[(i - 1) / 2]);
    i = (i - 1) / 2;
  }
}

bool ts_ready_pop(struct ts_ready *ready, struct ts_ready_task *task) {
  if (ready->count == 0) return false;
  *task = ready->heap[0];
  ready->heap[0] = ready->heap[--ready->count];
  for (size_t i = 0;;) {
    size_t least = i;
    for (size_t child = 2 * i + 1; child <= 2 * i + 2 && child < ready->count; child++) {
      if (before(&ready->heap[child], &ready->heap[least])) least = child;
    }
    if (least == i) return true;
    swap(&ready->heap[i], &ready->heap[least]);
    i = least;
  }
}

uint64_t ts_ready_priority(uint32_t group, uint32_t run_rank, uint32_t depth) {
  uint64_t rank = run_rank > 0xFFFFFF ? 0xFFFFFF : run_rank;
  uint64_t left = depth > 0xFFFF ? 0 : 0xFFFF - depth;
  return (uint64_t)group << 40 | rank << 16 | left;
}
