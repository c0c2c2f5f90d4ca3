/* The worker processes of a run: started, replaced when they die or stand still, ended.
 * SPDX-License-Identifier: Apache-2.0
 *
 * That a worker is dead or stopped is seen by its lease. Where the kernel says that a process has ended, its bucket is
 * given back at once; a connection that ends says nothing. */
#include "dist/coordinator_int.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/lock.h"
#include "base/log.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

/* Limits for processes that crash or hang; a run without faults meets none of them, so they are not tuned. */
#define MOST_STARTS 3                    /* workers in a row that end before they can work */
#define GONE_NS     UINT64_C(2000000000) /* for a process to end once its connection has */
#define MOST_LOSSES 16                   /* at one look; more are seen at the next */

int ts_coordinator_stop_level(const struct coordinator *c) { return ts_run_stop_level(&c->options->run); }

void ts_coordinator_forget_claim(struct coordinator *c, uint64_t number, uint64_t token) {
  ts_hold(&c->lock);
  if (number < c->claim_count && c->claims[number].token == token) c->claims[number].token = 0;
}

static void name_window(const struct coordinator *c, uint32_t window, struct ts_str *out) {
  ts_dataset_name_unit(c->dataset, c->plan->coarsest, window, out);
}

/* ---- starting ---- */
static bool draw_identity(char id[TS_DIST_ID_BYTES], struct ts_error *err) {
  unsigned char bytes[(TS_DIST_ID_BYTES - 1) / 2];
  if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes) {
    ts_fail(err, TS_ERR_SYSTEM, "the system has no random numbers");
    return ts_error_help(err, "start the study again");
  }
  for (size_t i = 0; i < sizeof bytes; i++) snprintf(id + 2 * i, 3, "%02x", bytes[i]);
  return true;
}

static void start(struct coordinator *c, struct slot *slot, size_t lane) {
  struct ts_error err = {0};
  char id[TS_DIST_ID_BYTES] = "";
  bool ok = draw_identity(id, &err);
  pthread_mutex_lock(&c->lock); /* so that it cannot greet before it counts as running */
  ts_child_release(&slot->child);
  memcpy(slot->id, id, sizeof id);
  slot->lane = lane;
  slot->peer = TS_NOBODY;
  slot->gone_ns = 0;
  slot->is_ready = slot->has_bucket = slot->is_still = slot->waits = false;
  slot->is_running = ok && ts_child_start(&slot->child, c->options->program, c->socket, id, &err);
  slot->is_started = slot->is_running;
  pthread_mutex_unlock(&c->lock);
  if (!slot->is_running) ts_coordinator_end_with(c, &err);
}

void ts_coordinator_start_all(struct coordinator *c) {
  for (size_t i = 0; i < c->options->workers && c->open_buckets > 0; i++) {
    if (c->trouble.code == TS_ERR_OK) start(c, &c->slots[i], i);
  }
}

/* Processes that run and do not stand still. */
static size_t count_lively(struct coordinator *c) {
  size_t count = 0;
  ts_hold(&c->lock);
  for (size_t i = 0; i < c->slot_count; i++) count += c->slots[i].is_running && !c->slots[i].is_still;
  return count;
}

static bool may_start(struct coordinator *c) {
  return c->trouble.code == TS_ERR_OK && ts_coordinator_stop_level(c) == 0 && c->open_buckets > 0 &&
         count_lively(c) < c->options->workers;
}

/* ---- ends ---- */
static void add_end_message(const struct slot *slot, struct ts_str *out) {
  const struct ts_error *end = &slot->child.end;
  if (end->code != TS_ERR_OK) ts_str_addf(out, ", T%03d: %s", ts_error_number(end->code), end->text);
  if (slot->child.last.length == 0) return;
  ts_str_addf(out, "; it said:\n%s", ts_str_get(&slot->child.last));
  while (out->length > 0 && out->data[out->length - 1] == '\n') out->data[--out->length] = '\0';
}

/* A bucket that was set aside ends the run: its results are missing. With the error that the last process named, if it
 * named one: the same as if the operation had ended the only process of a run. */
static void end_with_poisoned(struct coordinator *c, const struct ts_error *named) {
  ts_auto(ts_arena_release) struct ts_arena arena = {0};
  ts_auto(ts_str_release) struct ts_str text = {0};
  struct ts_error err = {0};
  struct ts_bucket_row row;
  const char *log = NULL;
  if (!ts_queue_find_poisoned(c->queue, &arena, &row, &log)) return;
  name_window(c, (uint32_t)row.group, &text);
  if (named && named->code != TS_ERR_OK) {
    ts_log(TS_LOG_WARN, "%s %s", ts_str_get(&text), log);
    err = *named;
    ts_coordinator_end_with(c, &err);
    return;
  }
  ts_fail(&err, TS_ERR_WORKER, "%s %s", ts_str_get(&text), log);
  ts_error_help(&err, "finished work is kept; fix or leave out the task that ends the process, then continue with "
                      "--resume");
  ts_coordinator_end_with(c, &err);
}

/* The bucket of a process that has ended: another worker takes it, unless that has been tried often enough. */
static void give_back(struct coordinator *c, struct slot *slot) {
  ts_auto(ts_str_release) struct ts_str text = {0};
  ts_auto(ts_str_release) struct ts_str piece = {0};
  const bool hopeless = slot->attempts >= MOST_ATTEMPTS;
  if (hopeless)
    ts_str_addf(&text, "ended %u worker processes; the last one ", slot->attempts);
  else
    ts_str_add(&text, "a worker process ");
  ts_child_describe(&slot->child, &text);
  add_end_message(slot, &text);
  ts_coordinator_forget_claim(c, slot->bucket, slot->token);
  if (hopeless) {
    ts_queue_poison(c->queue, slot->token, ts_str_get(&text));
    end_with_poisoned(c, &slot->child.end);
    return;
  }
  ts_queue_release(c->queue, slot->token);
  name_window(c, slot->window, &piece);
  ts_log(TS_LOG_WARN, "%s\nit loses its work (%s); another worker process takes it", ts_str_get(&text),
         ts_str_get(&piece));
}

static void handle_death(struct coordinator *c, struct slot *slot) {
  ts_auto(ts_str_release) struct ts_str text = {0};
  struct ts_error err = {0};
  if (slot->has_bucket) {
    slot->has_bucket = false;
    give_back(c, slot);
    return;
  }
  ts_str_add(&text, "a worker process without work ");
  ts_child_describe(&slot->child, &text);
  add_end_message(slot, &text);
  if (!slot->is_still) c->start_failures++;
  if (c->start_failures < MOST_STARTS) {
    ts_log(TS_LOG_INFO, "%s", ts_str_get(&text));
    return;
  }
  ts_fail(&err, TS_ERR_WORKER, "%s", ts_str_get(&text));
  ts_error_help(&err, "finished work is kept; fix or leave out the task that ends the process, then continue with "
                      "--resume");
  ts_coordinator_end_with(c, &err);
}

/* True while it runs, or while its last messages are not read. */
static bool is_alive(struct coordinator *c, struct slot *slot) {
  if (!slot->is_running) return false;
  ts_child_listen(&slot->child);
  pthread_mutex_lock(&c->lock);
  bool connected = slot->peer != TS_NOBODY;
  bool late = slot->gone_ns != 0 && ts_clock_ns() - slot->gone_ns > GONE_NS;
  pthread_mutex_unlock(&c->lock);
  if (late) ts_child_signal(&slot->child, SIGKILL);
  if (!ts_child_has_ended(&slot->child) || connected) return true;
  ts_hold(&c->lock);
  slot->is_running = false;
  return false;
}

/* ---- leases ---- */
static struct slot *holder_of(struct coordinator *c, uint64_t token) {
  for (size_t i = 0; i < c->slot_count; i++) {
    if (c->slots[i].is_running && c->slots[i].has_bucket && c->slots[i].token == token) return &c->slots[i];
  }
  return NULL;
}

/* Another process takes the place of one that stands still. */
static void start_in_place(struct coordinator *c, size_t lane) {
  if (!may_start(c)) return;
  for (size_t i = 0; i < c->slot_count; i++) {
    if (c->slots[i].is_running) continue;
    start(c, &c->slots[i], lane);
    return;
  }
}

static void take_back(struct coordinator *c, const struct ts_queue_loss *loss) {
  ts_auto(ts_str_release) struct ts_str piece = {0};
  const uint32_t window = c->bucket_windows[loss->number];
  ts_coordinator_forget_claim(c, loss->number, loss->token);
  c->losses = ts_grow(c->losses, c->loss_count, &c->loss_capacity, sizeof *c->losses);
  c->losses[c->loss_count++] = (struct lost_claim){.token = loss->token, .window = window};
  pthread_mutex_lock(&c->lock);
  struct slot *slot = holder_of(c, loss->token);
  const size_t lane = slot ? slot->lane : 0;
  if (slot) {
    slot->is_still = true;
    slot->has_bucket = false;
  }
  pthread_mutex_unlock(&c->lock);
  name_window(c, window, &piece);
  ts_log(TS_LOG_WARN,
         "worker process %d has not answered for %s s\nit loses its work (%s); another worker process takes it",
         slot ? (int)slot->child.pid : 0, TS_SIGNIFICANT((double)c->lease_ns / 1e9, 4), ts_str_get(&piece));
  if (slot) start_in_place(c, lane);
}

/* A worker without a bucket has no lease; without its heartbeat for as long, it stands still all the same. */
static void look_for_silent(struct coordinator *c, uint64_t now_ns) {
  for (size_t i = 0; i < c->slot_count; i++) {
    struct slot *slot = &c->slots[i];
    pthread_mutex_lock(&c->lock);
    const bool is_silent = slot->is_running && slot->is_ready && !slot->has_bucket && !slot->is_still &&
                           now_ns > slot->heard_ns + c->lease_ns;
    if (is_silent) slot->is_still = true;
    pthread_mutex_unlock(&c->lock);
    if (!is_silent || c->open_buckets == 0) continue;
    ts_log(TS_LOG_WARN, "worker process %d has not answered for %s s\nanother worker process takes its place",
           (int)slot->child.pid, TS_SIGNIFICANT((double)c->lease_ns / 1e9, 4));
    start_in_place(c, slot->lane);
  }
}

/* Not if this process stood still itself: renewals may lie unread. */
static void look_at_leases(struct coordinator *c) {
  struct ts_queue_loss losses[MOST_LOSSES];
  const uint64_t now_ns = ts_clock_ns();
  const bool stood_still = now_ns - c->looked_ns > c->lease_ns / 2;
  c->looked_ns = now_ns;
  if (stood_still) return;
  const size_t count = ts_queue_expire(c->queue, losses, MOST_LOSSES);
  for (size_t i = 0; i < count; i++) take_back(c, &losses[i]);
  if (count > 0) end_with_poisoned(c, NULL);
  look_for_silent(c, now_ns);
}

void ts_coordinator_refuse(struct coordinator *c, uint64_t token) {
  ts_auto(ts_str_release) struct ts_str piece = {0};
  for (size_t i = 0; i < c->loss_count; i++) {
    if (c->losses[i].token != token || c->losses[i].is_reported) continue;
    c->losses[i].is_reported = true;
    name_window(c, c->losses[i].window, &piece);
    ts_log(TS_LOG_WARN,
           "a worker process that had not answered goes on: its results of %s are refused, because another "
           "worker process took the work",
           ts_str_get(&piece));
  }
}

/* ---- all of them ---- */
void ts_coordinator_look_after(struct coordinator *c) {
  look_at_leases(c);
  for (size_t i = 0; i < c->slot_count; i++) {
    struct slot *slot = &c->slots[i];
    if (is_alive(c, slot) || !slot->is_started) continue;
    if (c->trouble.code != TS_ERR_OK || ts_coordinator_stop_level(c) > 0 || c->open_buckets == 0) continue;
    slot->is_started = false;
    handle_death(c, slot);
    if (may_start(c)) start(c, slot, slot->lane);
  }
}

bool ts_coordinator_any_running(struct coordinator *c) {
  bool any = false;
  for (size_t i = 0; i < c->slot_count; i++) any = is_alive(c, &c->slots[i]) || any;
  return any;
}

void ts_coordinator_signal_all(const struct coordinator *c, int number) {
  for (size_t i = 0; i < c->slot_count; i++) {
    if (c->slots[i].is_running) ts_child_signal(&c->slots[i].child, number);
  }
}

void ts_coordinator_kill_still(struct coordinator *c) {
  for (size_t i = 0; i < c->slot_count; i++) {
    struct slot *slot = &c->slots[i];
    pthread_mutex_lock(&c->lock);
    const bool is_still = slot->is_running && slot->is_still;
    pthread_mutex_unlock(&c->lock);
    if (is_still) ts_child_signal(&slot->child, SIGKILL);
  }
}

/* One that ended well before, and not at the end, was not well. */
static void warn_of_bad_end(const struct coordinator *c, const struct slot *slot) {
  ts_auto(ts_str_release) struct ts_str text = {0};
  if (slot->child.pid > 0 || slot->child.status == 0 || c->trouble.code != TS_ERR_OK || c->stop_sent > 0) return;
  if (slot->is_still) return; /* killed here */
  ts_child_describe(&slot->child, &text);
  add_end_message(slot, &text);
  ts_log(TS_LOG_WARN, "a worker process %s when its work was done", ts_str_get(&text));
}

void ts_coordinator_release_processes(struct coordinator *c) {
  for (size_t i = 0; i < c->slot_count; i++) {
    ts_child_listen(&c->slots[i].child);
    warn_of_bad_end(c, &c->slots[i]);
    c->result->peak_bytes += c->slots[i].peak_bytes;
    ts_child_release(&c->slots[i].child);
  }
}
