/* A worker: takes buckets from the coordinator, runs them, and reports to it.
 * SPDX-License-Identifier: Apache-2.0
 *
 * News are gathered and sent a few times a second, so that a task costs no message of its own. Without a
 * coordinator there is nothing to do: the process ends at once. */
#include "dist/dist.h"
#include "dist/job.h"
#include "dist/messages.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/ending.h"
#include "base/log.h"

#include <pthread.h>
#include <time.h>
#include <unistd.h>

/* Chosen, not tuned: news reach the progress line twenty times a second, and a worker without work asks soon again. */
#define CACHE_SHARE   8 /* this part of the memory may hold products from one bucket to the next */
#define NEWS_BYTES    ((size_t)1 << 20)
#define NEWS_GAP_NS   UINT64_C(50000000)
#define WAIT_LEAST_NS 1000000L /* between two questions for work */
#define WAIT_MOST_NS  10000000L

struct worker {
  const struct ts_dist_worker *given; /* borrowed */
  uint64_t begun_ns;                  /* when the coordinator's run began */
  size_t first_thread;                /* number of this process's first thread among those of all */
  uint64_t *wanted_ports;             /* owned: per node, a bit per port that the plan wants */
  double bucket_s;                    /* when the bucket began, since the run did */
  pthread_mutex_t lock;               /* guards the news */
  struct ts_str news;
  uint64_t sent_ns;
};

struct bucket {
  uint64_t number, token;
  uint32_t window;
  const char *body; /* borrowed */
};

bool ts_dist_hello(struct ts_store *store, struct ts_str *description, struct ts_error *err) {
  return ts_store_say(store, TS_DIST_HELLO, NULL, 0, description, err);
}

void ts_dist_give_up(struct ts_store *store, const struct ts_error *why) {
  ts_auto(ts_str_release) struct ts_str text = {0};
  ts_auto(ts_str_release) struct ts_str answer = {0};
  struct ts_error ignored = {0};
  ts_wire_add_error(&text, why);
  ts_store_say(store, TS_DIST_GIVE_UP, text.data, text.length, &answer, &ignored);
}

/* A coordinator that does not answer is dead: further work could not be reported or kept. */
static void say(const struct worker *w, uint32_t kind, const struct ts_str *bytes, struct ts_str *answer) {
  struct ts_error err = {0};
  ts_str_clear(answer);
  if (ts_store_say(w->given->store, kind, bytes->data, bytes->length, answer, &err)) return;
  ts_log(TS_LOG_INFO, "the study's process is gone: %s", err.text);
  ts_process_end(ts_error_exit_code(TS_ERR_WORKER));
}

/* Under the lock. */
static void send_news(struct worker *w) {
  ts_auto(ts_str_release) struct ts_str answer = {0};
  if (w->news.length > 0) say(w, TS_DIST_NEWS, &w->news, &answer);
  ts_str_clear(&w->news);
  w->sent_ns = ts_clock_ns();
}

static void send_if_due(struct worker *w) {
  if (w->news.length >= NEWS_BYTES || ts_clock_ns() - w->sent_ns >= NEWS_GAP_NS) send_news(w);
}

static void on_start(void *user, uint32_t node) {
  struct worker *w = user;
  pthread_mutex_lock(&w->lock);
  ts_dist_add_start(&w->news, node);
  send_if_due(w);
  pthread_mutex_unlock(&w->lock);
}

static void on_task(void *user, const struct ts_task_event *event) {
  struct worker *w = user;
  struct ts_task_event moved = *event;
  moved.start_s += w->bucket_s;
  moved.worker += w->first_thread;
  pthread_mutex_lock(&w->lock);
  ts_dist_add_task(&w->news, &moved);
  send_if_due(w);
  pthread_mutex_unlock(&w->lock);
}

static void on_product(void *user, uint32_t node, uint32_t port, size_t unit, struct ts_data *data) {
  struct worker *w = user;
  struct ts_error err = {0};
  if ((w->wanted_ports[node] >> port & 1) == 0) return; /* for another bucket, through the store */
  pthread_mutex_lock(&w->lock);
  if (!ts_dist_add_product(&w->news, node, port, unit, data, &err)) ts_log(TS_LOG_WARN, "%s", err.text);
  send_if_due(w);
  pthread_mutex_unlock(&w->lock);
}

static bool get_ready(struct worker *w, struct ts_error *err) {
  struct ts_sha256 fingerprint;
  ts_auto(ts_str_release) struct ts_str bytes = {0};
  ts_auto(ts_str_release) struct ts_str answer = {0};
  ts_dist_fingerprint(w->given->plan, w->given->dataset, &fingerprint);
  ts_str_add_bytes(&bytes, &fingerprint, sizeof fingerprint);
  say(w, TS_DIST_READY, &bytes, &answer);
  struct ts_wire wire = ts_wire_of(answer.data, answer.length);
  const char *complaint = ts_wire_text(&wire);
  w->begun_ns = ts_wire_u64(&wire);
  w->first_thread = (size_t)ts_wire_u64(&wire);
  if (*complaint == '\0' && ts_wire_is_whole(&wire)) return true;
  ts_fail(err, TS_ERR_WORKER, "%s", *complaint ? complaint : "the study's process answers in another way");
  ts_error_help(err,
                "leave the workflow, the plugins, the program and the data as they are while a study runs; start it "
                "again, or continue with --resume");
  return false;
}

static void tell_result(struct worker *w, const struct bucket *bucket, const struct ts_run_result *result) {
  const struct ts_dist_result told = {.number = bucket->number,
                                      .token = bucket->token,
                                      .stopped = result->stopped,
                                      .dropped = result->dropped,
                                      .spilled = result->spilled,
                                      .waits = result->waits,
                                      .recomputed = result->recomputed,
                                      .peak_bytes = result->peak_bytes,
                                      .parts = result->parts,
                                      .cpu_s = result->cpu_total_s};
  ts_auto(ts_str_release) struct ts_str bytes = {0};
  ts_auto(ts_str_release) struct ts_str answer = {0};
  ts_dist_result_add(&bytes, &told);
  pthread_mutex_lock(&w->lock);
  send_news(w);
  pthread_mutex_unlock(&w->lock);
  say(w, TS_DIST_RESULT, &bytes, &answer);
}

/* Everything is in the store before the bucket counts as done, or other workers would not find it there: the study's
 * process reports products that the store did not take, and the worker that needs one makes it again. */
static bool run_bucket(struct worker *w, struct ts_run_options options, const struct bucket *bucket,
                       struct ts_error *err) {
  const struct ts_dist_worker *given = w->given;
  struct ts_job job;
  if (!ts_job_parse(bucket->body, bucket->window, given->plan, given->dataset, &job))
    return ts_fail(err, TS_ERR_WORKER, "the queue holds a bucket that makes no sense");
  struct ts_run_result result = {0};
  options.part = &job.part;
  w->bucket_s = (double)(ts_clock_ns() - w->begun_ns) / 1e9;
  struct ts_error loss = {0};
  bool ok = ts_store_refresh(given->store, err) && ts_run(given->plan, given->dataset, &options, &result, err);
  if (ok && !ts_store_flush(given->store, &loss)) ts_log(TS_LOG_INFO, "results were not kept: %s", loss.text);
  if (ok) tell_result(w, bucket, &result);
  ts_run_result_release(&result);
  ts_job_release(&job);
  return ok;
}

static bool is_stopped(const struct ts_run_options *options) {
  return options->stop && __atomic_load_n(options->stop, __ATOMIC_RELAXED) != 0;
}

static bool work(struct worker *w, const struct ts_run_options *options, struct ts_error *err) {
  ts_auto(ts_str_release) struct ts_str answer = {0};
  const struct ts_str nothing = {0};
  long wait_ns = WAIT_LEAST_NS;
  while (!is_stopped(options)) {
    say(w, TS_DIST_TAKE, &nothing, &answer);
    struct ts_wire wire = ts_wire_of(answer.data, answer.length);
    uint8_t verdict = ts_wire_u8(&wire);
    if (verdict == TS_DIST_ANSWER_END) return true;
    if (verdict == TS_DIST_ANSWER_WAIT) {
      nanosleep(&(struct timespec){.tv_nsec = wait_ns}, NULL);
      wait_ns = 2 * wait_ns < WAIT_MOST_NS ? 2 * wait_ns : WAIT_MOST_NS;
      continue;
    }
    wait_ns = WAIT_LEAST_NS;
    struct bucket bucket = {.number = ts_wire_u64(&wire), .token = ts_wire_u64(&wire)};
    bucket.window = ts_wire_u32(&wire);
    bucket.body = ts_wire_text(&wire);
    if (!run_bucket(w, *options, &bucket, err)) return false;
  }
  return true;
}

bool ts_dist_work(const struct ts_dist_worker *given, struct ts_error *err) {
  struct worker w = {.given = given};
  pthread_mutex_init(&w.lock, NULL);
  w.wanted_ports = ts_calloc(given->plan->node_count + 1, sizeof *w.wanted_ports);
  ts_plan_mark_wanted(given->plan, w.wanted_ports);
  struct ts_run_options options = given->run;
  options.user = &w;
  options.on_start = on_start;
  options.on_task = on_task;
  options.on_product = on_product;
  bool ok = get_ready(&w, err);
  struct ts_run_setup *setup = ok ? ts_run_setup_create(given->plan, options.registry, options.store, err) : NULL;
  options.setup = setup;
  if (setup && options.store) ts_run_setup_keep(setup, options.memory_bytes / CACHE_SHARE);
  ok = setup && work(&w, &options, err);
  ts_run_setup_destroy(setup);
  ts_str_release(&w.news);
  free(w.wanted_ports);
  pthread_mutex_destroy(&w.lock);
  return ok;
}
