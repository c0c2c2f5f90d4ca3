/* The thread pool: every job once, in order on one thread, jobs that submit jobs, loops within loops, refusals.
 * SPDX-License-Identifier: Apache-2.0 */
#include "unit/base/testing.h"

#include "base/pool.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/resource.h>

#define JOBS 2000

static struct ts_pool *create(size_t threads) {
  struct ts_error err = {0};
  struct ts_pool *pool = ts_pool_create(threads, &err);
  if (!pool) fail_msg("%s", err.text);
  return pool;
}

static atomic_int runs[JOBS];
static atomic_size_t largest_thread;

static void run_once(void *argument, size_t thread) {
  atomic_fetch_add((atomic_int *)argument, 1);
  size_t largest = atomic_load(&largest_thread);
  while (thread > largest && !atomic_compare_exchange_weak(&largest_thread, &largest, thread)) {
  }
}

static void every_job_runs_once(void **state) {
  (void)state;
  for (size_t threads = 1; threads <= 8; threads *= 2) {
    struct ts_pool *pool = create(threads);
    assert_int_equal(ts_pool_thread_count(pool), threads);
    ts_pool_wait(pool); /* nothing to wait for */
    atomic_store(&largest_thread, 0);
    for (size_t i = 0; i < JOBS; i++) atomic_store(&runs[i], 0);
    for (size_t i = 0; i < JOBS; i++) ts_pool_submit(pool, run_once, &runs[i]);
    ts_pool_wait(pool);
    for (size_t i = 0; i < JOBS; i++) assert_int_equal(atomic_load(&runs[i]), 1);
    assert_true(atomic_load(&largest_thread) < threads);
    ts_pool_destroy(pool);
  }
  ts_pool_destroy(NULL);
}

static void destroying_finishes_the_jobs(void **state) {
  (void)state;
  struct ts_pool *pool = create(3);
  for (size_t i = 0; i < JOBS; i++) atomic_store(&runs[i], 0);
  for (size_t i = 0; i < JOBS; i++) ts_pool_submit(pool, run_once, &runs[i]);
  ts_pool_destroy(pool);
  for (size_t i = 0; i < JOBS; i++) assert_int_equal(atomic_load(&runs[i]), 1);
}

static int order[JOBS]; /* written by the single thread of the pool only */
static int order_count;

static void note_order(void *argument, size_t thread) {
  (void)thread;
  order[order_count++] = *(int *)argument;
}

static void one_thread_keeps_the_order(void **state) {
  (void)state;
  static int numbers[JOBS];
  struct ts_pool *pool = create(1);
  for (int i = 0; i < JOBS; i++) {
    numbers[i] = i;
    ts_pool_submit(pool, note_order, &numbers[i]);
  }
  ts_pool_wait(pool);
  assert_int_equal(order_count, JOBS);
  for (int i = 0; i < JOBS; i++) assert_int_equal(order[i], i);
  ts_pool_destroy(pool);
}

struct splitter {
  struct ts_pool *pool; /* borrowed */
  atomic_int leaves;
};

struct split {
  struct splitter *splitter; /* borrowed */
  int depth;
};

static struct split splits[12];

static void split(void *argument, size_t thread) {
  (void)thread;
  struct split *mine = argument;
  if (mine->depth == 0) {
    atomic_fetch_add(&mine->splitter->leaves, 1);
    return;
  }
  for (int i = 0; i < 2; i++) ts_pool_submit(mine->splitter->pool, split, &splits[mine->depth - 1]);
}

static void jobs_may_submit_jobs(void **state) {
  (void)state;
  struct splitter splitter = {.pool = create(4)};
  for (int depth = 0; depth < 12; depth++) splits[depth] = (struct split){&splitter, depth};
  ts_pool_submit(splitter.pool, split, &splits[11]);
  ts_pool_wait(splitter.pool); /* must not return between a parent's end and its children's start */
  assert_int_equal(atomic_load(&splitter.leaves), 2048);
  ts_pool_destroy(splitter.pool);
}

static void square(void *argument, size_t index) { ((uint64_t *)argument)[index] += (uint64_t)index * index; }

static void loops_visit_every_index(void **state) {
  (void)state;
  static uint64_t squares[JOBS];
  for (size_t threads = 1; threads <= 4; threads++) {
    struct ts_pool *pool = create(threads);
    static const size_t counts[] = {0, 1, 2, 3, 5, JOBS};
    for (size_t c = 0; c < COUNT_OF(counts); c++) {
      memset(squares, 0, sizeof squares);
      ts_pool_for(pool, counts[c], square, squares); /* after it, the caller reads without further ado */
      for (size_t i = 0; i < JOBS; i++) assert_true(squares[i] == (i < counts[c] ? (uint64_t)i * i : 0));
    }
    ts_pool_destroy(pool);
  }
}

struct nest {
  struct ts_pool *pool; /* borrowed */
  atomic_int visits;
};

static void inner(void *argument, size_t index) {
  (void)index;
  atomic_fetch_add(&((struct nest *)argument)->visits, 1);
}

static void outer(void *argument, size_t index) {
  (void)index;
  struct nest *nest = argument;
  ts_pool_for(nest->pool, 20, inner, nest);
}

static void loops_within_loops_do_not_block(void **state) {
  (void)state;
  for (size_t threads = 1; threads <= 3; threads++) {
    struct nest nest = {.pool = create(threads)};
    for (int i = 0; i < 10; i++) ts_pool_for(nest.pool, 30, outer, &nest);
    assert_int_equal(atomic_load(&nest.visits), 10 * 30 * 20);
    ts_pool_destroy(nest.pool);
  }
}

static void *loop_from_thread(void *argument) {
  uint64_t sums[200] = {0};
  ts_pool_for(argument, 200, square, sums);
  uint64_t total = 0;
  for (size_t i = 0; i < 200; i++) total += sums[i];
  return total == 199ull * 200 * 399 / 6 ? NULL : argument;
}

static void several_callers_share_a_pool(void **state) {
  (void)state;
  struct ts_pool *pool = create(3);
  pthread_t threads[4];
  for (size_t i = 0; i < COUNT_OF(threads); i++)
    assert_int_equal(pthread_create(&threads[i], NULL, loop_from_thread, pool), 0);
  for (size_t i = 0; i < COUNT_OF(threads); i++) {
    void *failed = pool;
    pthread_join(threads[i], &failed);
    assert_null(failed);
  }
  ts_pool_destroy(pool);
}

static void note_blocked(void *argument, size_t thread) {
  (void)thread;
  sigset_t mask;
  pthread_sigmask(SIG_SETMASK, NULL, &mask);
  *(int *)argument = sigismember(&mask, SIGINT) * 2 + sigismember(&mask, SIGSEGV);
}

static void signals_stay_with_the_program(void **state) {
  (void)state;
  struct ts_pool *pool = create(1);
  int seen = -1;
  ts_pool_submit(pool, note_blocked, &seen);
  ts_pool_wait(pool);
  assert_int_equal(seen, 2);
  sigset_t mask;
  pthread_sigmask(SIG_SETMASK, NULL, &mask);
  assert_int_equal(sigismember(&mask, SIGINT), 0);
  ts_pool_destroy(pool);
}

static void wait_for_self(void *argument, size_t thread) {
  (void)thread;
  ts_pool_wait(argument);
}

static void wait_inside(void) {
  struct ts_pool *pool = ts_pool_create(1, NULL);
  ts_pool_submit(pool, wait_for_self, pool);
  ts_pool_destroy(pool);
}

static void waiting_inside_a_job_is_a_bug(void **state) {
  (void)state;
  assert_true(aborts(wait_inside));
}

/* Stacks of 1 TiB fit nowhere. The size of new stacks is taken from the limit when a program starts, hence the
 * attribute. */
static void threads_that_cannot_start_are_an_error(void **state) {
  (void)state;
  pthread_attr_t normal, huge;
  pthread_getattr_default_np(&normal);
  pthread_attr_init(&huge);
  if (pthread_attr_setstacksize(&huge, (size_t)1 << 46) != 0 || pthread_setattr_default_np(&huge) != 0) {
    print_message("the default stack size cannot be changed here\n");
    skip();
  }
  struct ts_error err = {0};
  struct ts_pool *pool = ts_pool_create(4, &err);
  pthread_setattr_default_np(&normal);
  pthread_attr_destroy(&normal);
  pthread_attr_destroy(&huge);
  assert_null(pool);
  assert_error(&err, TS_ERR_SYSTEM);
}

static void zero_means_every_cpu(void **state) {
  (void)state;
  assert_true(ts_cpu_count() >= 1);
  struct ts_pool *pool = create(0);
  assert_int_equal(ts_pool_thread_count(pool), ts_cpu_count());
  ts_pool_destroy(pool);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_job_runs_once),           cmocka_unit_test(destroying_finishes_the_jobs),
      cmocka_unit_test(one_thread_keeps_the_order),    cmocka_unit_test(jobs_may_submit_jobs),
      cmocka_unit_test(loops_visit_every_index),       cmocka_unit_test(loops_within_loops_do_not_block),
      cmocka_unit_test(several_callers_share_a_pool),  cmocka_unit_test(signals_stay_with_the_program),
      cmocka_unit_test(waiting_inside_a_job_is_a_bug), cmocka_unit_test(threads_that_cannot_start_are_an_error),
      cmocka_unit_test(zero_means_every_cpu),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
