/* Threads that take jobs from one queue, first come, first served.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/pool.h"

#include "base/alloc.h"
#include "base/lock.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct job {
  void (*run)(void *argument, size_t thread);
  void *argument; /* borrowed */
};

struct worker {
  struct ts_pool *pool; /* borrowed */
  size_t index;
  pthread_t thread;
};

struct ts_pool {
  pthread_mutex_t lock; /* guards everything below down to `stopping`; no other lock is taken while it is held */
  pthread_cond_t work;  /* a job was queued, or stopping was set */
  pthread_cond_t idle;  /* unfinished became 0 */
  struct job *queue;    /* owned, a ring */
  size_t queue_head;
  size_t queue_count;
  size_t queue_capacity;
  size_t unfinished; /* jobs queued or running */
  bool stopping;
  struct worker *workers; /* owned; fixed after creation */
  size_t thread_count;
};

/* The pool whose worker the calling thread is, if any. */
static _Thread_local const struct ts_pool *own_pool;

static struct job take_job(struct ts_pool *pool) {
  struct job job = pool->queue[pool->queue_head];
  pool->queue_head = (pool->queue_head + 1) % pool->queue_capacity;
  pool->queue_count--;
  return job;
}

static void *work(void *argument) {
  struct worker *worker = argument;
  struct ts_pool *pool = worker->pool;
  own_pool = pool;
  pthread_mutex_lock(&pool->lock);
  for (;;) {
    while (pool->queue_count == 0 && !pool->stopping) pthread_cond_wait(&pool->work, &pool->lock);
    if (pool->queue_count == 0) break;
    struct job job = take_job(pool);
    pthread_mutex_unlock(&pool->lock);
    job.run(job.argument, worker->index);
    pthread_mutex_lock(&pool->lock);
    if (--pool->unfinished == 0) pthread_cond_broadcast(&pool->idle);
  }
  pthread_mutex_unlock(&pool->lock);
  return NULL;
}

/* Signals such as Ctrl-C go to the threads of the program that wait for them, never to a worker. Those that a fault of
 * the thread itself raises stay open. */
static int start_worker(struct worker *worker) {
  static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP};
  sigset_t blocked;
  sigset_t before;
  sigfillset(&blocked);
  for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) sigdelset(&blocked, faults[i]);
  pthread_sigmask(SIG_SETMASK, &blocked, &before);
  int number = pthread_create(&worker->thread, NULL, work, worker);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return number;
}

struct ts_pool *ts_pool_create(size_t thread_count, struct ts_error *err) {
  if (thread_count == 0) thread_count = ts_cpu_count();
  struct ts_pool *pool = ts_calloc(1, sizeof *pool);
  pthread_mutex_init(&pool->lock, NULL);
  pthread_cond_init(&pool->work, NULL);
  pthread_cond_init(&pool->idle, NULL);
  pool->workers = ts_calloc(thread_count, sizeof *pool->workers);
  for (size_t i = 0; i < thread_count; i++) {
    pool->workers[i] = (struct worker){.pool = pool, .index = i};
    int number = start_worker(&pool->workers[i]);
    if (number) {
      ts_fail(err, TS_ERR_SYSTEM, "thread %zu of %zu cannot be started: %s", i + 1, thread_count,
              strerrordesc_np(number));
      ts_error_help(err, "use fewer workers, or raise the limit on processes (ulimit -u)");
      ts_pool_destroy(pool);
      return NULL;
    }
    pool->thread_count++;
  }
  return pool;
}

void ts_pool_destroy(struct ts_pool *pool) {
  if (!pool) return;
  ts_pool_wait(pool);
  pthread_mutex_lock(&pool->lock);
  pool->stopping = true;
  pthread_cond_broadcast(&pool->work);
  pthread_mutex_unlock(&pool->lock);
  for (size_t i = 0; i < pool->thread_count; i++) pthread_join(pool->workers[i].thread, NULL);
  pthread_cond_destroy(&pool->idle);
  pthread_cond_destroy(&pool->work);
  pthread_mutex_destroy(&pool->lock);
  free(pool->queue);
  free(pool->workers);
  free(pool);
}

/* Doubles the ring and lays it out from 0. Called under the lock. */
static void grow_queue(struct ts_pool *pool) {
  size_t capacity = pool->queue_capacity ? 2 * pool->queue_capacity : 64;
  struct job *queue = ts_calloc(capacity, sizeof *queue);
  for (size_t i = 0; i < pool->queue_count; i++) {
    queue[i] = pool->queue[(pool->queue_head + i) % pool->queue_capacity];
  }
  free(pool->queue);
  pool->queue = queue;
  pool->queue_head = 0;
  pool->queue_capacity = capacity;
}

void ts_pool_submit(struct ts_pool *pool, void (*job)(void *argument, size_t thread), void *argument) {
  ts_hold(&pool->lock);
  if (pool->queue_count == pool->queue_capacity) grow_queue(pool);
  size_t tail = (pool->queue_head + pool->queue_count) % pool->queue_capacity;
  pool->queue[tail] = (struct job){.run = job, .argument = argument};
  pool->queue_count++;
  pool->unfinished++;
  pthread_cond_signal(&pool->work);
}

void ts_pool_wait(struct ts_pool *pool) {
  if (own_pool == pool) TS_BUG("a job waits for its own pool");
  ts_hold(&pool->lock);
  while (pool->unfinished > 0) pthread_cond_wait(&pool->idle, &pool->lock);
}

size_t ts_pool_thread_count(const struct ts_pool *pool) { return pool->thread_count; }

/* One ts_pool_for. Shared by the caller and its helper jobs: a helper may come to run when the loop is long over, so
 * the last one to leave frees it. */
struct loop {
  void (*body)(void *argument, size_t index);
  void *argument; /* borrowed; touched only while the caller waits */
  size_t count;
  atomic_size_t next;
  atomic_size_t done;
  atomic_size_t references;
  pthread_mutex_t lock; /* makes the change of `done` to `count` visible to a waiter */
  pthread_cond_t finished;
};

static void loop_unref(struct loop *loop) {
  if (atomic_fetch_sub(&loop->references, 1) != 1) return;
  pthread_cond_destroy(&loop->finished);
  pthread_mutex_destroy(&loop->lock);
  free(loop);
}

static void loop_run(struct loop *loop) {
  size_t index;
  while ((index = atomic_fetch_add(&loop->next, 1)) < loop->count) {
    loop->body(loop->argument, index);
    if (atomic_fetch_add(&loop->done, 1) + 1 != loop->count) continue;
    ts_hold(&loop->lock);
    pthread_cond_broadcast(&loop->finished);
  }
}

static void loop_job(void *argument, size_t thread) {
  (void)thread;
  loop_run(argument);
  loop_unref(argument);
}

static void run_loop(struct ts_pool *pool, size_t count, void (*body)(void *argument, size_t index), void *argument,
                     bool takes_part) {
  if (count == 0) return;
  size_t helpers = count < pool->thread_count ? count : pool->thread_count;
  struct loop *loop = ts_calloc(1, sizeof *loop);
  loop->body = body;
  loop->argument = argument;
  loop->count = count;
  atomic_init(&loop->next, 0);
  atomic_init(&loop->done, 0);
  atomic_init(&loop->references, helpers + 1);
  pthread_mutex_init(&loop->lock, NULL);
  pthread_cond_init(&loop->finished, NULL);
  for (size_t i = 0; i < helpers; i++) ts_pool_submit(pool, loop_job, loop);
  if (takes_part) loop_run(loop);
  pthread_mutex_lock(&loop->lock);
  while (atomic_load(&loop->done) < count) pthread_cond_wait(&loop->finished, &loop->lock);
  pthread_mutex_unlock(&loop->lock);
  loop_unref(loop);
}

void ts_pool_for(struct ts_pool *pool, size_t count, void (*body)(void *argument, size_t index), void *argument) {
  /* A job of this pool must help, or every thread might end up waiting. */
  run_loop(pool, count, body, argument, own_pool == pool);
}

void ts_pool_for_helped(struct ts_pool *pool, size_t count, void (*body)(void *argument, size_t index),
                        void *argument) {
  run_loop(pool, count, body, argument, true);
}
