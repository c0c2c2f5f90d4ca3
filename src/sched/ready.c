/* The ready queue: a binary heap for all and a queue per worker; ties are broken by instance number, so that one thread
 * always runs in the same order.
 * SPDX-License-Identifier: Apache-2.0 */
#include "sched/ready_int.h"

#include "base/alloc.h"

void ts_ready_init(struct ts_ready *ready, size_t worker_count) {
  *ready = (struct ts_ready){.worker_count = worker_count};
  ready->locals = ts_calloc(worker_count, sizeof *ready->locals);
}

void ts_ready_release(struct ts_ready *ready) {
  for (size_t i = 0; i < ready->worker_count; i++) free(ready->locals[i].ring);
  free(ready->locals);
  free(ready->heap);
  *ready = (struct ts_ready){0};
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
  while (i > 0 && ts_ready_before(&ready->heap[i], &ready->heap[(i - 1) / 2])) {
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
      if (ts_ready_before(&ready->heap[child], &ready->heap[least])) least = child;
    }
    if (least == i) return true;
    swap(&ready->heap[i], &ready->heap[least]);
    i = least;
  }
}

void ts_ready_push_local(struct ts_ready *ready, size_t worker, struct ts_ready_task task) {
  if (!ts_ready_local_insert(&ready->locals[worker], &task)) ts_ready_push(ready, task);
}

/* The queue whose first task is the earliest of all; the worker's own if there is a tie. NULL: all are empty. */
static struct ts_ready_local *earliest(const struct ts_ready *ready, size_t worker) {
  struct ts_ready_local *best = &ready->locals[worker];
  const struct ts_ready_task *first = ts_ready_local_first(best);
  for (size_t i = 0; i < ready->worker_count; i++) {
    const struct ts_ready_task *other = ts_ready_local_first(&ready->locals[i]);
    if (!other || (first && !ts_ready_before(other, first))) continue;
    best = &ready->locals[i];
    first = other;
  }
  return first ? best : NULL;
}

bool ts_ready_take(struct ts_ready *ready, size_t worker, struct ts_ready_task *task) {
  struct ts_ready_local *from = earliest(ready, worker);
  if (!from || (ready->count > 0 && ts_ready_before(&ready->heap[0], ts_ready_local_first(from))))
    return ts_ready_pop(ready, task);
  ready->stolen += from != &ready->locals[worker];
  ts_ready_local_take_first(from, task);
  return true;
}

uint64_t ts_ready_priority(uint32_t window, uint32_t run_rank, uint32_t depth) {
  uint64_t rank = run_rank > 0xFFFFFF ? 0xFFFFFF : run_rank;
  uint64_t left = depth > 0xFFFF ? 0 : 0xFFFF - depth;
  return (uint64_t)window << 40 | rank << 16 | left;
}
