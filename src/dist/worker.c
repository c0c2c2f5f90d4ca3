/* A worker: takes buckets from the coordinator, runs them, and reports to it.
 * SPDX-License-Identifier: Apache-2.0
 *
 * News are gathered and sent a few times a second, so that a task costs no message of its own. A bucket that was lost
 * (dist/link.h) is thrown away: nothing more of it is reported. */
#include "dist/dist.h"
#include "dist/job.h"
#include "dist/link.h"
#include "dist/messages.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/lock.h"
#include "base/log.h"

#include <pthread.h>

/* Chosen, not tuned: news reach the progress line twenty times a second. */
#define CACHE_SHARE 8 /* this part of the memory may hold products from one bucket to the next */
#define NEWS_BYTES  ((size_t)1 << 20)
#define NEWS_GAP_NS UINT64_C(50000000)
#define HELD_BYTES  ((size_t)64 << 10) /* a larger product is not held back until the store has it */
#define HELD_MOST   256                /* products held back; with the size: 16 MB */

/* A wanted product that is on its way to the store. */
struct held_product {
  uint32_t node, port;
  size_t unit;
  struct ts_data *data; /* owned: a reference */
};

struct worker {
  const struct ts_dist_worker *given; /* borrowed */
  uint64_t *wanted_ports;             /* owned: per node, a bit per port that the plan wants */
  struct ts_dist_bucket bucket;       /* the one that is worked on */
  pthread_mutex_t lock;               /* guards the rest */
  struct ts_str news;
  uint64_t sent_ns;
  struct held_product *held; /* owned */
  size_t held_count, held_capacity;
  struct ts_error trouble; /* the coordinator is gone */
};

/* The trouble ends the work at the next look; the heartbeat ends what is being done. */
static void say(struct worker *w, uint32_t kind, const struct ts_str *bytes) {
  ts_dist_link_ask(w->given->link, kind, bytes, NULL, &w->trouble);
}

/* Under the lock. */
static void send_news(struct worker *w) {
  ts_auto(ts_str_release) struct ts_str bytes = {0};
  if (w->news.length > 0) {
    ts_wire_add_u64(&bytes, w->bucket.number);
    ts_wire_add_u64(&bytes, w->bucket.token);
    ts_str_add_bytes(&bytes, w->news.data, w->news.length);
    say(w, TS_DIST_NEWS, &bytes);
  }
  ts_str_clear(&w->news);
  w->sent_ns = ts_clock_ns();
}

static void forget_products(struct worker *w) {
  for (size_t i = 0; i < w->held_count; i++) ts_data_unref(w->held[i].data);
  w->held_count = 0;
}

static void send_if_due(struct worker *w) {
  if (w->news.length >= NEWS_BYTES || ts_clock_ns() - w->sent_ns >= NEWS_GAP_NS) send_news(w);
}

static void on_start(void *user, uint32_t node) {
  struct worker *w = user;
  ts_hold(&w->lock);
  ts_dist_add_start(&w->news, node);
  send_if_due(w);
}

static void on_task(void *user, const struct ts_task_event *event) {
  struct worker *w = user;
  ts_hold(&w->lock);
  ts_dist_add_task(&w->news, event);
  send_if_due(w);
}

/* Under the lock. */
static void add_product(struct worker *w, uint32_t node, uint32_t port, size_t unit, const struct ts_data *data) {
  struct ts_error err = {0};
  if (!ts_dist_add_product(&w->news, node, port, unit, data, &err)) ts_log(TS_LOG_WARN, "%s", err.text);
}

/* Under the lock, after the store was flushed: products that it keeps are there already, and are only named. */
static void settle_products(struct worker *w, bool is_kept) {
  for (size_t i = 0; i < w->held_count; i++) {
    const struct held_product *held = &w->held[i];
    struct ts_sha256 digest;
    ts_data_digest(held->data, &digest);
    if (is_kept && ts_store_has_product(w->given->store, &digest))
      ts_dist_add_kept(&w->news, held->node, held->port, held->unit, &digest);
    else
      add_product(w, held->node, held->port, held->unit, held->data);
  }
  forget_products(w);
}

static bool flush(const struct worker *w) {
  struct ts_error loss = {0};
  if (ts_store_flush(w->given->store, &loss)) return true;
  ts_log(TS_LOG_INFO, "results were not kept: %s", loss.text);
  return false;
}

/* A small product waits until the store has it; a large one, whose memory others may need, does not wait. */
static void on_product(void *user, uint32_t node, uint32_t port, size_t unit, struct ts_data *data) {
  struct worker *w = user;
  if ((w->wanted_ports[node] >> port & 1) == 0) return; /* for another bucket, through the store */
  ts_hold(&w->lock);
  if (!w->given->run.store || ts_data_size_bytes(data) > HELD_BYTES) {
    add_product(w, node, port, unit, data);
  } else {
    w->held = ts_grow(w->held, w->held_count, &w->held_capacity, sizeof *w->held);
    w->held[w->held_count++] = (struct held_product){node, port, unit, ts_data_ref(data)};
    if (w->held_count >= HELD_MOST) settle_products(w, flush(w));
  }
  send_if_due(w);
}

static bool get_ready(struct worker *w, struct ts_error *err) {
  struct ts_sha256 fingerprint;
  ts_auto(ts_str_release) struct ts_str bytes = {0};
  ts_auto(ts_str_release) struct ts_str answer = {0};
  ts_dist_fingerprint(w->given->plan, w->given->dataset, &fingerprint);
  ts_str_add_bytes(&bytes, &fingerprint, sizeof fingerprint);
  if (!ts_dist_link_ask(w->given->link, TS_DIST_READY, &bytes, &answer, err)) return false;
  struct ts_wire wire = ts_wire_of(answer.data, answer.length);
  const char *complaint = ts_wire_text(&wire);
  ts_dist_link_set_lease(w->given->link, ts_wire_u64(&wire));
  if (*complaint == '\0' && ts_wire_is_whole(&wire)) return true;
  ts_fail(err, TS_ERR_WORKER, "%s", *complaint ? complaint : "the study's process answers in another way");
  return ts_error_help(err, "leave the program as it is while a study runs; start it again, or continue with --resume");
}

static void report_result(struct worker *w, const struct ts_run_result *result, bool is_kept) {
  const struct ts_dist_result report = {.number = w->bucket.number,
                                        .token = w->bucket.token,
                                        .stopped = result->stopped,
                                        .dropped = result->dropped,
                                        .spilled = result->spilled,
                                        .waits = result->waits,
                                        .recomputed = result->recomputed,
                                        .peak_bytes = result->peak_bytes,
                                        .parts = result->parts,
                                        .cpu_s = result->cpu_total_s};
  ts_auto(ts_str_release) struct ts_str bytes = {0};
  ts_dist_result_add(&bytes, &report);
  ts_hold(&w->lock);
  settle_products(w, is_kept);
  send_news(w);
  say(w, TS_DIST_RESULT, &bytes);
}

static bool is_lost(const struct worker *w) { return __atomic_load_n(&w->given->link->halt, __ATOMIC_RELAXED) != 0; }

/* Everything is in the store before the bucket counts as done, or other workers would not find it there: the study's
 * process reports products that the store did not take, and the worker that needs one makes it again. */
static bool run_bucket(struct worker *w, struct ts_run_options options, struct ts_error *err) {
  const struct ts_dist_worker *given = w->given;
  struct ts_job job;
  if (!ts_job_parse(w->bucket.body, w->bucket.window, given->plan, given->dataset, &job))
    return ts_fail(err, TS_ERR_WORKER, "the queue holds a bucket that makes no sense");
  ts_auto(ts_run_result_release) struct ts_run_result result = {0};
  options.part = &job.part;
  ts_dist_link_hold(given->link, w->bucket.token);
  bool ok = ts_store_refresh(given->store, err) && ts_run(given->plan, given->dataset, &options, &result, err);
  const bool is_kept = ok && flush(w);
  if (ok && !is_lost(w)) report_result(w, &result, is_kept);
  if (!ts_dist_link_drop(given->link)) ts_log(TS_LOG_INFO, "a bucket was lost: its results are thrown away");
  ts_str_clear(&w->news);
  forget_products(w);
  ts_job_release(&job);
  return ok;
}

static bool is_stopped(const struct ts_run_options *options) {
  return options->stop && __atomic_load_n(options->stop, __ATOMIC_RELAXED) != 0;
}

static bool work(struct worker *w, const struct ts_run_options *options, struct ts_error *err) {
  ts_auto(ts_str_release) struct ts_str answer = {0};
  const struct ts_str nothing = {0};
  while (!is_stopped(options)) {
    ts_str_clear(&answer);
    if (!ts_dist_link_ask(w->given->link, TS_DIST_TAKE, &nothing, &answer, err)) return false;
    struct ts_wire wire = ts_wire_of(answer.data, answer.length);
    if (ts_wire_u8(&wire) != TS_DIST_ANSWER_WORK) return true;
    w->bucket = ts_dist_read_bucket(&wire);
    if (!run_bucket(w, *options, err)) return false;
    if (w->trouble.code != TS_ERR_OK) {
      *err = w->trouble;
      return false;
    }
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
  options.halt = &given->link->halt;
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
  free(w.held);
  free(w.wanted_ports);
  pthread_mutex_destroy(&w.lock);
  return ok;
}
