/* The coordinator: hands out buckets, keeps the books, and ends when all is done, stopped or hopeless.
 * SPDX-License-Identifier: Apache-2.0 */
#include "dist/coordinator_int.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/lock.h"
#include "base/log.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

/* Limits for processes that crash or hang; a run without faults meets none of them, so they are not tuned. */
#define LOOK_MS       50                    /* between two looks at the processes and the stop level */
#define PATIENCE_NS   UINT64_C(10000000000) /* for workers to end when there is nothing left to do */
#define IMPATIENCE_NS UINT64_C(1500000000)  /* the same, when everything is to end at once */

void ts_coordinator_end_with(struct coordinator *c, const struct ts_error *err) {
  if (c->trouble.code == TS_ERR_OK) c->trouble = *err;
}

static void close_queue(struct coordinator *c) {
  pthread_mutex_lock(&c->lock);
  c->over = true;
  pthread_mutex_unlock(&c->lock);
  ts_coordinator_wake_waiting(c);
}

/* ---- messages of workers ---- */
/* One that cannot be loaded is damaged, and is computed again: the bucket is not done. */
static struct ts_data *load_kept(struct coordinator *c, uint64_t number, const struct ts_sha256 *digest) {
  struct ts_error err = {0};
  struct ts_data *data = ts_store_load(c->options->run.store, digest, &err);
  if (data) return data;
  ts_log(TS_LOG_WARN, "a product cannot be loaded, and is computed again: %s",
         err.code == TS_ERR_OK ? "it is not in the store" : err.text);
  ts_hold(&c->lock);
  c->claims[number].is_incomplete = true;
  return NULL;
}

static void take_product(struct coordinator *c, uint64_t number, const struct ts_dist_news *news) {
  struct ts_error err = {0};
  if (!ts_ledger_is_wanted(&c->ledger, news->event.node, news->port, news->event.unit)) return;
  struct ts_data *data = news->item == TS_DIST_ITEM_KEPT ? load_kept(c, number, &news->digest)
                                                         : ts_data_unpack(news->packed, news->packed_bytes, &err);
  if (data) ts_ledger_product(&c->ledger, news->event.node, news->port, news->event.unit, data);
  if (err.code != TS_ERR_OK) ts_coordinator_end_with(c, &err);
  ts_data_unref(data);
}

/* Whether the bucket is held under this token; when it began. */
static bool is_held(struct coordinator *c, uint64_t number, uint64_t token, double *start_s) {
  ts_hold(&c->lock);
  const bool is_held = number < c->claim_count && token != 0 && c->claims[number].token == token;
  *start_s = is_held ? c->claims[number].start_s : 0;
  return is_held;
}

static void take_news(struct coordinator *c, const struct message *message) {
  const struct ts_run_options *run = &c->options->run;
  struct ts_wire wire = ts_wire_of(message->bytes, message->count);
  struct ts_dist_news news;
  const uint64_t number = ts_wire_u64(&wire), token = ts_wire_u64(&wire);
  double start_s = 0;
  if (!is_held(c, number, token, &start_s)) {
    ts_coordinator_refuse(c, token);
    return;
  }
  while (ts_dist_read_news(&wire, &news)) {
    news.event.start_s += start_s;
    news.event.worker += c->slots[message->slot].lane * c->threads;
    switch (news.item) {
    case TS_DIST_ITEM_START:
      if (run->on_start && news.event.node < c->plan->node_count) run->on_start(run->user, news.event.node);
      break;
    case TS_DIST_ITEM_TASK: ts_ledger_task(&c->ledger, &news.event); break;
    case TS_DIST_ITEM_PRODUCT:
    case TS_DIST_ITEM_KEPT: take_product(c, number, &news); break;
    }
  }
}

static void add_up(struct ts_run_result *sum, const struct ts_dist_result *result) {
  sum->dropped += result->dropped;
  sum->spilled += result->spilled;
  sum->waits += result->waits;
  sum->recomputed += result->recomputed;
  sum->parts.asked += result->parts.asked;
  sum->parts.recalled += result->parts.recalled;
  sum->cpu_total_s += result->cpu_s;
}

/* Whether the bucket is to be done again, unless that has been tried often enough. */
static bool lacks_product(struct coordinator *c, const struct ts_dist_result *result) {
  struct ts_error err = {0};
  pthread_mutex_lock(&c->lock);
  const struct claim claim = result->number < c->claim_count ? c->claims[result->number] : (struct claim){0};
  pthread_mutex_unlock(&c->lock);
  if (claim.token != result->token || !claim.is_incomplete) return false;
  if (claim.attempts >= MOST_ATTEMPTS) {
    ts_fail(&err, TS_ERR_STORE, "products that were just written cannot be loaded from the store");
    ts_error_help(&err, "check the disk of the store and run 'tessera store verify', then continue with --resume");
    ts_coordinator_end_with(c, &err);
  }
  return true;
}

static void take_result(struct coordinator *c, const struct message *message) {
  struct ts_wire wire = ts_wire_of(message->bytes, message->count);
  struct ts_dist_result result = ts_dist_result_read(&wire);
  struct slot *slot = &c->slots[message->slot];
  struct ts_error err = {0};
  if (!ts_wire_is_whole(&wire) || result.number >= c->next_number) return;
  c->start_failures = 0;
  pthread_mutex_lock(&c->lock);
  if (slot->token == result.token) slot->has_bucket = false; /* it may hold the next one already */
  slot->peak_bytes = result.peak_bytes > slot->peak_bytes ? result.peak_bytes : slot->peak_bytes;
  pthread_mutex_unlock(&c->lock);
  /* One that was stopped stays open for the process that continues the run. */
  const bool is_open = result.stopped || lacks_product(c, &result);
  const enum ts_queue_outcome outcome =
      is_open ? ts_queue_release(c->queue, result.token) : ts_queue_complete(c->queue, result.token, NULL, &err);
  if (outcome != TS_QUEUE_DONE) {
    ts_coordinator_refuse(c, result.token);
    return;
  }
  ts_coordinator_forget_claim(c, result.number, result.token);
  add_up(c->result, &result);
  if (!is_open && !ts_coordinator_bucket_done(c, c->bucket_windows[result.number], &result, &err))
    ts_coordinator_end_with(c, &err);
}

/* Whether its process is gone, too, the kernel says; its lease ends in any case. */
static void handle_disconnect(struct coordinator *c, const struct message *message) {
  struct slot *slot = &c->slots[message->slot];
  ts_hold(&c->lock);
  if (slot->peer == message->peer) {
    slot->peer = TS_NOBODY;
    slot->is_ready = slot->waits = false;
    slot->gone_ns = ts_clock_ns();
  }
}

/* The first fault is the error of the run. */
static void take_faults(struct coordinator *c, const struct message *message) {
  struct ts_wire wire = ts_wire_of(message->bytes, message->count);
  const bool is_first = c->trouble.code == TS_ERR_OK;
  const size_t count = ts_wire_count(&wire, 1);
  for (size_t i = 0; i < (count ? count : 1); i++) {
    struct ts_error err = {0};
    ts_wire_error(&wire, TS_ERR_WORKER, &err);
    if (i > 0 && is_first && c->options->on_fault) c->options->on_fault(c->options->run.user, &err);
    ts_coordinator_end_with(c, &err);
  }
}

static void take_warnings(const struct message *message) {
  struct ts_wire wire = ts_wire_of(message->bytes, message->count);
  while (wire.left > 0 && !wire.failed) {
    const char *text = ts_wire_text(&wire);
    if (!wire.failed) ts_log(TS_LOG_WARN, "%s", text);
  }
}

static void handle_message(struct coordinator *c, const struct message *message) {
  struct ts_wire wire = ts_wire_of(message->bytes, message->count);
  switch (message->kind) {
  case TS_DIST_NEWS: take_news(c, message); break;
  case TS_DIST_RESULT: take_result(c, message); break;
  case TS_DIST_GIVE_UP: take_faults(c, message); break;
  case TS_DIST_WARN: take_warnings(message); break;
  case TS_DIST_RENEW: ts_coordinator_refuse(c, ts_wire_u64(&wire)); break; /* only stale ones come here */
  default: handle_disconnect(c, message); break;
  }
}

static void handle_messages(struct coordinator *c) {
  size_t count = 0;
  ts_auto_free struct message *messages = ts_coordinator_take_messages(c, &count);
  for (size_t i = 0; i < count; i++) {
    handle_message(c, &messages[i]);
    free(messages[i].bytes);
  }
}

/* ---- the run ---- */
/* Every level that the user reached is passed on once. */
static void pass_stop_on(struct coordinator *c) {
  const int reached = ts_coordinator_stop_level(c);
  for (int level = reached > 2 ? 2 : reached; c->stop_sent < level; c->stop_sent++) {
    if (c->stop_sent == 0) close_queue(c);
    ts_coordinator_signal_all(c, SIGINT);
  }
}

static void wait_for_news(struct coordinator *c) {
  size_t count = 1;
  ts_auto_free struct pollfd *fds = ts_calloc(c->slot_count + 1, sizeof *fds);
  fds[0] = (struct pollfd){.fd = c->wake_fd, .events = POLLIN};
  for (size_t i = 0; i < c->slot_count; i++) {
    if (c->slots[i].is_running && c->slots[i].child.error_fd >= 0)
      fds[count++] = (struct pollfd){.fd = c->slots[i].child.error_fd, .events = POLLIN};
  }
  if (poll(fds, count, LOOK_MS) > 0 && fds[0].revents) {
    uint64_t ignored = 0;
    ssize_t length = read(c->wake_fd, &ignored, sizeof ignored);
    (void)length;
  }
}

/* Until all buckets are done, the user stops, or it cannot go on. */
static void coordinate(struct coordinator *c) {
  c->looked_ns = ts_clock_ns();
  ts_coordinator_start_all(c);
  while (c->open_buckets > 0 && c->trouble.code == TS_ERR_OK) {
    wait_for_news(c);
    handle_messages(c);
    ts_coordinator_look_after(c);
    pass_stop_on(c);
    if (c->stop_sent > 1 || (c->stop_sent > 0 && !ts_coordinator_any_running(c))) break;
  }
  handle_messages(c);
}

/* No process is left behind: one that does not end by itself is killed. */
static void dismiss(struct coordinator *c) {
  close_queue(c);
  bool at_once = c->trouble.code != TS_ERR_OK || c->stop_sent > 1;
  if (c->trouble.code != TS_ERR_OK) {
    ts_coordinator_signal_all(c, SIGINT);
    ts_coordinator_signal_all(c, SIGINT);
  }
  ts_coordinator_kill_still(c);
  const uint64_t end_ns = ts_clock_ns() + (at_once ? IMPATIENCE_NS : PATIENCE_NS);
  while (ts_coordinator_any_running(c) && ts_clock_ns() < end_ns) {
    wait_for_news(c);
    handle_messages(c);
    pass_stop_on(c);
  }
  ts_message_server_destroy(c->server);
  c->server = NULL;
  handle_messages(c);
  ts_coordinator_release_processes(c);
}

/* A number that is missing must not look like one that could not be computed. */
static void check_complete(struct coordinator *c) {
  uint32_t node = 0;
  size_t unit = 0;
  char name[128];
  struct ts_error err = {0};
  if (c->open_buckets > 0 || c->trouble.code != TS_ERR_OK || !ts_ledger_lacks_product(&c->ledger, &node, &unit)) return;
  ts_fail(&err, TS_ERR_WORKER, "the workers are done, but a product of '%s' is missing",
          ts_plan_node_name(c->plan, node, name, sizeof name));
  ts_error_help(&err, "this should not happen; finished work is kept: continue with --resume");
  ts_coordinator_end_with(c, &err);
}

/* ---- the place to meet ---- */
static bool make_folder(struct coordinator *c, struct ts_error *err) {
  const char *places[] = {getenv("XDG_RUNTIME_DIR"), getenv("TMPDIR"), "/tmp"};
  for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
    if (!places[i] || places[i][0] != '/' || strlen(places[i]) > 60) continue; /* paths of sockets are short */
    struct ts_str path = {0};
    ts_str_addf(&path, "%s/tessera-XXXXXX", places[i]);
    c->folder = ts_str_detach(&path);
    if (mkdtemp(c->folder)) {
      ts_str_addf(&path, "%s/socket", c->folder);
      c->socket = ts_str_detach(&path);
      ts_str_addf(&path, "%s/store", c->folder);
      c->store_socket = ts_str_detach(&path);
      return true;
    }
    free(c->folder);
    c->folder = NULL;
  }
  ts_fail(err, TS_ERR_SYSTEM, "there is no folder for the socket of the workers: %s", strerror(errno));
  return ts_error_help(err, "set TMPDIR to a folder with a short path that can be written");
}

static bool open_queue(struct coordinator *c, struct ts_error *err) {
  const struct ts_queue_options options = {
      .lease_ns = c->lease_ns, .most_attempts = MOST_ATTEMPTS, .user = c, .on_change = ts_coordinator_wake_waiting};
  c->queue = ts_queue_create(&options, err);
  return c->queue != NULL;
}

static bool open_all(struct coordinator *c, struct ts_error *err) {
  c->slot_count = 2 * c->options->workers;
  c->slots = ts_calloc(c->slot_count + 1, sizeof *c->slots);
  for (size_t i = 0; i < c->slot_count; i++) c->slots[i] = (struct slot){.peer = TS_NOBODY, .child.error_fd = -1};
  c->open_in_window = ts_calloc(ts_run_window_count(c->plan, c->dataset) + 1, sizeof *c->open_in_window);
  c->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (c->wake_fd < 0) {
    ts_fail(err, TS_ERR_SYSTEM, "no event could be made: %s", strerror(errno));
    return ts_error_help(err, "raise the limit of open files (ulimit -n)");
  }
  ts_dist_fingerprint(c->plan, c->dataset, &c->fingerprint);
  return open_queue(c, err) && make_folder(c, err) && ts_coordinator_first_jobs(c, err) && ts_coordinator_serve(c, err);
}

static void close_all(struct coordinator *c) {
  ts_server_destroy(c->store_server);
  ts_queue_destroy(c->queue);
  ts_coordinator_release_sharing(c);
  if (c->folder) rmdir(c->folder);
  if (c->wake_fd >= 0) close(c->wake_fd);
  free(c->folder);
  free(c->socket);
  free(c->store_socket);
  free(c->slots);
  free(c->claims);
  free(c->losses);
  free(c->open_in_window);
  free(c->bucket_windows);
  free(c->inbox);
  pthread_mutex_destroy(&c->lock);
  ts_ledger_release(&c->ledger);
}

bool ts_dist_run(const struct ts_plan *plan, const struct ts_dataset *dataset, const struct ts_dist_options *options,
                 struct ts_run_result *result, struct ts_error *err) {
  struct coordinator c = {.plan = plan,
                          .dataset = dataset,
                          .options = options,
                          .result = result,
                          .begun_ns = ts_clock_ns(),
                          .threads = options->run.threads ? options->run.threads : 1,
                          .lease_ns = (uint64_t)((options->lease_s > 0 ? options->lease_s : TS_DIST_LEASE_S) * 1e9),
                          .wake_fd = -1};
  uint64_t cpu_ns = ts_clock_process_cpu_ns();
  pthread_mutex_init(&c.lock, NULL);
  ts_ledger_init(&c.ledger, plan, dataset, options, result);
  bool ok = open_all(&c, &c.trouble);
  if (ok) {
    coordinate(&c);
    dismiss(&c);
    check_complete(&c);
  }
  result->workers = options->workers;
  result->threads = options->workers * c.threads;
  result->stopped = c.trouble.code == TS_ERR_OK && c.open_buckets > 0;
  result->wall_s = (double)(ts_clock_ns() - c.begun_ns) / 1e9;
  result->cpu_total_s += (double)(ts_clock_process_cpu_ns() - cpu_ns) / 1e9;
  if (c.trouble.code != TS_ERR_OK) *err = c.trouble;
  ok = c.trouble.code == TS_ERR_OK;
  close_all(&c);
  return ok;
}
