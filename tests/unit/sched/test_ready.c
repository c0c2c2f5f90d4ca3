/* The ready queue against a list that is searched from end to end, and the order that priorities stand for.
 * SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"
#include "sched/ready.h"

#define CASES      400
#define OPERATIONS 300

static bool is_before(const struct ts_ready_task *a, const struct ts_ready_task *b) {
  return a->priority < b->priority || (a->priority == b->priority && a->instance < b->instance);
}

static size_t find_first(const struct ts_ready_task *list, size_t count) {
  size_t first = 0;
  for (size_t i = 1; i < count; i++) {
    if (is_before(&list[i], &list[first])) first = i;
  }
  return first;
}

static bool same_task(const struct ts_ready_task *a, const struct ts_ready_task *b) {
  return a->priority == b->priority && a->owner == b->owner && a->instance == b->instance;
}

static void compare_pop(struct ts_ready *ready, struct ts_ready_task *list, size_t *count, uint64_t seed) {
  struct ts_ready_task task = {0};
  bool popped = ts_ready_pop(ready, &task);
  if (popped != (*count > 0)) fail_msg("seed %llu: %zu tasks should be left", (unsigned long long)seed, *count);
  if (*count == 0) return;
  struct ts_ready_task first = list[find_first(list, *count)];
  if (task.priority != first.priority || task.instance != first.instance)
    fail_msg("seed %llu: task %u came before task %u", (unsigned long long)seed, task.instance, first.instance);
  /* Tasks of different windows may have the same number and priority; each must come once. */
  size_t same = 0;
  while (same < *count && !same_task(&list[same], &task)) same++;
  if (same == *count) fail_msg("seed %llu: task %u was never pushed", (unsigned long long)seed, task.instance);
  list[same] = list[--*count];
}

static void agrees_with_a_searched_list(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < CASES; seed++) {
    struct ts_random random;
    ts_random_init(&random, seed, 1);
    struct ts_ready ready = {0};
    struct ts_ready_task list[OPERATIONS] = {0};
    char owners[3];
    size_t count = 0;
    uint64_t priorities = 1 + ts_random_below(&random, seed % 2 ? 5 : UINT64_C(1) << 60);
    for (size_t i = 0; i < OPERATIONS; i++) {
      if (ts_random_below(&random, 100) < 60) {
        struct ts_ready_task task = {.priority = ts_random_below(&random, priorities),
                                     .owner = &owners[ts_random_below(&random, 3)],
                                     .instance = (uint32_t)ts_random_below(&random, 50)};
        list[count++] = task;
        ts_ready_push(&ready, task);
      } else {
        compare_pop(&ready, list, &count, seed);
      }
      assert_int_equal(ready.count, count);
    }
    while (count > 0) compare_pop(&ready, list, &count, seed);
    struct ts_ready_task task;
    assert_false(ts_ready_pop(&ready, &task));
    ts_ready_release(&ready);
    assert_int_equal(ready.capacity, 0);
  }
}

static void ties_come_in_order_of_instances(void **state) {
  (void)state;
  struct ts_ready ready = {0};
  for (uint32_t i = 0; i < 1000; i++)
    ts_ready_push(&ready, (struct ts_ready_task){.priority = 4, .instance = i * 7 % 1000});
  for (uint32_t i = 0; i < 1000; i++) {
    struct ts_ready_task task;
    assert_true(ts_ready_pop(&ready, &task));
    assert_int_equal(task.instance, i);
  }
  ts_ready_release(&ready);
}

/* ---- Workers with queues of their own. ---- */

struct pushed {
  struct ts_ready_task task;
  size_t worker; /* SIZE_MAX: for all */
};

static size_t first_of_all(const struct pushed *list, size_t count) {
  size_t first = SIZE_MAX;
  for (size_t i = 0; i < count; i++) {
    if (first == SIZE_MAX || is_before(&list[i].task, &list[first].task)) first = i;
  }
  return first;
}

/* Few tasks, so that none is sent from a worker's queue to the shared one. */
static void workers_take_the_earliest_of_all(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < CASES; seed++) {
    struct ts_random random;
    ts_random_init(&random, seed, 2);
    const size_t workers = 1 + (size_t)(seed % 4);
    struct ts_ready ready;
    struct pushed list[OPERATIONS];
    size_t count = 0;
    uint64_t stolen = 0;
    ts_ready_init(&ready, workers);
    for (uint32_t i = 0; i < OPERATIONS; i++) {
      const size_t worker = (size_t)ts_random_below(&random, workers);
      if (count < 30 && ts_random_below(&random, 100) < 60) {
        const bool shared = ts_random_below(&random, 3) == 0;
        list[count++] =
            (struct pushed){{.priority = ts_random_below(&random, 20), .instance = i}, shared ? SIZE_MAX : worker};
        if (shared)
          ts_ready_push(&ready, list[count - 1].task);
        else
          ts_ready_push_local(&ready, worker, list[count - 1].task);
        continue;
      }
      struct ts_ready_task task;
      size_t expected = first_of_all(list, count);
      if (count > 0) stolen += list[expected].worker != worker && list[expected].worker != SIZE_MAX;
      if (ts_ready_take(&ready, worker, &task) != (count > 0))
        fail_msg("seed %llu: empty or not", (unsigned long long)seed);
      if (count == 0) continue;
      if (!same_task(&task, &list[expected].task))
        fail_msg("seed %llu: worker %zu took task %u", (unsigned long long)seed, worker, task.instance);
      list[expected] = list[--count];
    }
    assert_int_equal(ready.stolen, stolen);
    ts_ready_release(&ready);
  }
}

/* However many there are and wherever they were pushed, one worker gets all of them in order. */
static void one_worker_takes_all_in_order(void **state) {
  (void)state;
  enum { TASKS = 20000 };
  for (int pattern = 0; pattern < 4; pattern++) {
    struct ts_random random;
    ts_random_init(&random, (uint64_t)pattern, 3);
    struct ts_ready ready;
    ts_ready_init(&ready, 1);
    for (uint32_t i = 0; i < TASKS; i++) {
      const uint64_t priorities[] = {i, TASKS - i, ts_random_below(&random, 500), i % 2 ? i : TASKS - i};
      ts_ready_push_local(&ready, 0, (struct ts_ready_task){.priority = priorities[pattern], .instance = i});
    }
    struct ts_ready_task before = {0};
    for (uint32_t i = 0; i < TASKS; i++) {
      struct ts_ready_task task;
      assert_true(ts_ready_take(&ready, 0, &task));
      if (i > 0) assert_true(is_before(&before, &task));
      before = task;
    }
    struct ts_ready_task none;
    assert_false(ts_ready_take(&ready, 0, &none));
    assert_int_equal(ready.stolen, 0);
    ts_ready_release(&ready);
  }
}

struct place {
  uint32_t window, rank, depth;
};

/* Group, then run, then the task farthest along. */
static int compare_places(const struct place *a, const struct place *b) {
  if (a->window != b->window) return a->window < b->window ? -1 : 1;
  if (a->rank != b->rank) return a->rank < b->rank ? -1 : 1;
  return a->depth > b->depth ? -1 : a->depth < b->depth;
}

static struct place draw_place(struct ts_random *random, size_t i) {
  return (struct place){.window = (uint32_t)ts_random_below(random, i % 2 ? 3 : 5000000),
                        .rank = (uint32_t)ts_random_below(random, i % 5 ? 3 : 1000000),
                        .depth = (uint32_t)ts_random_below(random, i % 3 ? 40 : 65536)};
}

static void priorities_order_windows_runs_and_depth(void **state) {
  (void)state;
  struct ts_random random;
  ts_random_init(&random, 5, 1);
  for (size_t i = 0; i < 200000; i++) {
    struct place x = draw_place(&random, i);
    struct place y = draw_place(&random, i);
    uint64_t a = ts_ready_priority(x.window, x.rank, x.depth);
    uint64_t b = ts_ready_priority(y.window, y.rank, y.depth);
    assert_int_equal(a < b ? -1 : a > b, compare_places(&x, &y));
  }
}

/* Beyond what the fields hold, later windows and runs still never come before earlier ones. */
static void overflowing_fields_stay_in_their_place(void **state) {
  (void)state;
  assert_true(ts_ready_priority(0, UINT32_MAX, 0) < ts_ready_priority(1, 0, UINT32_MAX));
  assert_true(ts_ready_priority(3, 7, 0) < ts_ready_priority(3, 8, UINT32_MAX));
  assert_true(ts_ready_priority(3, 7, 70000) <= ts_ready_priority(3, 7, 65535));
  assert_true(ts_ready_priority(3, 7, 70000) < ts_ready_priority(3, 7, 65534));
  assert_true(ts_ready_priority(3, 0xFFFFFE, 0) < ts_ready_priority(3, 0xFFFFFF, 5));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(agrees_with_a_searched_list),
      cmocka_unit_test(ties_come_in_order_of_instances),
      cmocka_unit_test(workers_take_the_earliest_of_all),
      cmocka_unit_test(one_worker_takes_all_in_order),
      cmocka_unit_test(priorities_order_windows_runs_and_depth),
      cmocka_unit_test(overflowing_fields_stay_in_their_place),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
