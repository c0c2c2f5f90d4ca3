/* The ready queue: a binary heap for all and a queue per worker; ties are broken by instance number, so that one thread
 * always runs in the same order. Where not every worker may run every task, there is such a queue for each kind of
 * needs, and a worker compares the first tasks of those that are for it.
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
  for (size_t i = 0; i < ready->other_count; i++) ts_ready_release(&ready->others[i]);
  free(ready->others);
  free(ready->may);
  *ready = (struct ts_ready){0};
}

/* A bit per kind of needs. */
static uint64_t may_run_of(const struct ts_worker_class *worker, const struct ts_task_needs *needs,
                           size_t needs_count) {
  uint64_t may = 0;
  for (size_t i = 0; i < needs_count; i++) may |= (uint64_t)ts_worker_may_run(worker, &needs[i]) << i;
  return may;
}

void ts_ready_restrict(struct ts_ready *ready, const struct ts_worker_class *classes, const uint32_t *class_of,
                       const struct ts_task_needs *needs, size_t needs_count) {
  if (needs_count > TS_READY_NEEDS_MAX) TS_BUG("%zu kinds of needs", needs_count);
  const uint64_t all = needs_count == TS_READY_NEEDS_MAX ? UINT64_MAX : (UINT64_C(1) << needs_count) - 1;
  bool is_free = true;
  ready->may = ts_calloc(ready->worker_count, sizeof *ready->may);
  for (size_t w = 0; w < ready->worker_count; w++) {
    ready->may[w] = may_run_of(&classes[class_of[w]], needs, needs_count);
    is_free = is_free && ready->may[w] == all;
  }
  if (is_free || needs_count == 0) return;
  ready->other_count = needs_count - 1;
  ready->others = ts_calloc(needs_count, sizeof *ready->others);
  for (size_t i = 0; i < ready->other_count; i++) ts_ready_init(&ready->others[i], ready->worker_count);
}

/* The queue for tasks of these needs. */
static struct ts_ready *queue_of(struct ts_ready *ready, uint32_t needs) {
  return ready->others && needs > 0 ? &ready->others[needs - 1] : ready;
}

static void swap(struct ts_ready_task *a, struct ts_ready_task *b) {
  struct ts_ready_task t = *a;
  *a = *b;
  *b = t;
}

void ts_ready_push(struct ts_ready *ready, struct ts_ready_task task) {
  struct ts_ready *queue = queue_of(ready, task.needs);
  queue->heap = ts_grow(queue->heap, queue->count, &queue->capacity, sizeof *queue->heap);
  size_t i = queue->count++;
  queue->heap[i] = task;
  while (i > 0 && ts_ready_before(&queue->heap[i], &queue->heap[(i - 1) / 2])) {
    swap(&queue->heap[i], &queue->heap[(i - 1) / 2]);
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
  if (!ts_ready_local_insert(&queue_of(ready, task.needs)->locals[worker], &task)) ts_ready_push(ready, task);
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

/* The earliest task of one queue, still in it; NULL: empty. `from` becomes the worker's queue that has it, or NULL. */
static const struct ts_ready_task *first_of(const struct ts_ready *ready, size_t worker, struct ts_ready_local **from) {
  *from = earliest(ready, worker);
  const struct ts_ready_task *first = *from ? ts_ready_local_first(*from) : NULL;
  if (ready->count == 0 || (first && !ts_ready_before(&ready->heap[0], first))) return first;
  *from = NULL;
  return &ready->heap[0];
}

/* The queue whose first task is the earliest that the worker may run; NULL: there is none. */
static struct ts_ready *choose(struct ts_ready *ready, size_t worker, struct ts_ready_local **from) {
  const struct ts_ready_task *best = NULL;
  struct ts_ready *chosen = NULL;
  for (uint32_t needs = 0; needs <= ready->other_count; needs++) {
    struct ts_ready_local *local = NULL;
    struct ts_ready *queue = queue_of(ready, needs);
    if ((ready->may[worker] >> needs & 1) == 0) continue;
    const struct ts_ready_task *first = first_of(queue, worker, &local);
    if (!first || (best && !ts_ready_before(first, best))) continue;
    best = first;
    chosen = queue;
    *from = local;
  }
  return chosen;
}

bool ts_ready_take(struct ts_ready *ready, size_t worker, struct ts_ready_task *task) {
  struct ts_ready_local *from = NULL;
  struct ts_ready *queue = ready;
  if (ready->others)
    queue = choose(ready, worker, &from);
  else if (!first_of(ready, worker, &from))
    return false;
  if (!queue) return false;
  if (!from) return ts_ready_pop(queue, task);
  ready->stolen += from != &queue->locals[worker];
  ts_ready_local_take_first(from, task);
  return true;
}

uint64_t ts_ready_priority(uint32_t window, uint32_t run_rank, uint32_t depth) {
  uint64_t rank = run_rank > 0xFFFFFF ? 0xFFFFFF : run_rank;
  uint64_t left = depth > 0xFFFF ? 0 : 0xFFFF - depth;
  return (uint64_t)window << 40 | rank << 16 | left;
}
