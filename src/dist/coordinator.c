/* The coordinator: starts workers, hands out buckets, keeps the books, and gives the work of a dead worker to another.
 * SPDX-License-Identifier: Apache-2.0 */
#include "dist/coordinator_int.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "base/pool.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

/* Limits for processes that crash or hang; a run without faults meets none of them, so they are not tuned. */
#define LOOK_MS       50                    /* between two looks at the processes and the stop level */
#define MOST_ATTEMPTS 3                     /* workers that one bucket may cost */
#define MOST_STARTS   3                     /* workers in a row that end before they can work */
#define GONE_NS       UINT64_C(2000000000)  /* for a process to end once its connection has */
#define PATIENCE_NS   UINT64_C(10000000000) /* for workers to end when there is nothing left to do */
#define NEVER_NS      (UINT64_MAX / 2)      /* leases do not end: connections tell */
#define IMPATIENCE_NS UINT64_C(1500000000)  /* the same, when everything is to end at once */

static int stop_level(const struct coordinator *c) { return ts_run_stop_level(&c->options->run); }

void ts_coordinator_end_with(struct coordinator *c, const struct ts_error *err) {
  if (c->trouble.code == TS_ERR_OK) c->trouble = *err;
}

static void close_queue(struct coordinator *c) {
  pthread_mutex_lock(&c->lock);
  c->over = true;
  pthread_cond_broadcast(&c->taken);
  pthread_mutex_unlock(&c->lock);
}

/* ---- messages of workers ---- */
static void take_product(struct coordinator *c, const struct ts_dist_news *news) {
  struct ts_error err = {0};
  if (!ts_ledger_is_wanted(&c->ledger, news->event.node, news->port, news->event.unit)) return;
  struct ts_data *data = ts_data_unpack(news->packed, news->packed_bytes, &err);
  if (data)
    ts_ledger_product(&c->ledger, news->event.node, news->port, news->event.unit, data);
  else
    ts_coordinator_end_with(c, &err);
  ts_data_unref(data);
}

static void take_news(struct coordinator *c, const struct message *message) {
  const struct ts_run_options *run = &c->options->run;
  struct ts_wire wire = ts_wire_of(message->bytes, message->count);
  struct ts_dist_news news;
  while (ts_dist_read_news(&wire, &news)) {
    switch (news.item) {
    case TS_DIST_ITEM_START:
      if (run->on_start && news.event.node < c->plan->node_count) run->on_start(run->user, news.event.node);
      break;
    case TS_DIST_ITEM_TASK: ts_ledger_task(&c->ledger, &news.event); break;
    case TS_DIST_ITEM_PRODUCT: take_product(c, &news); break;
    }
  }
}

static struct slot *slot_of(struct coordinator *c, size_t worker) {
  for (size_t i = 0; i < c->options->workers; i++) {
    if (c->slots[i].worker == worker) return &c->slots[i];
  }
  return NULL;
}

static void take_result(struct coordinator *c, const struct message *message) {
  struct ts_wire wire = ts_wire_of(message->bytes, message->count);
  struct ts_dist_result result = ts_dist_result_read(&wire);
  struct slot *slot = slot_of(c, message->worker);
  struct ts_error err = {0};
  if (!ts_wire_is_whole(&wire) || !slot || result.number >= c->next_number) return;
  c->result->dropped += result.dropped;
  c->result->spilled += result.spilled;
  c->result->waits += result.waits;
  c->result->recomputed += result.recomputed;
  c->result->parts.asked += result.parts.asked;
  c->result->parts.recalled += result.parts.recalled;
  c->result->cpu_total_s += result.cpu_s;
  c->start_failures = 0;
  pthread_mutex_lock(&c->lock);
  if (slot->bucket == result.number) slot->has_bucket = false; /* it may hold the next one already */
  slot->peak_bytes = result.peak_bytes > slot->peak_bytes ? result.peak_bytes : slot->peak_bytes;
  pthread_mutex_unlock(&c->lock);
  if (result.stopped) { /* it stays open for the process that continues the run */
    ts_queue_release(c->queue, result.token);
    return;
  }
  if (ts_queue_complete(c->queue, result.token, NULL, &err) != TS_QUEUE_DONE) return;
  if (!ts_coordinator_bucket_done(c, c->bucket_windows[result.number], &result, &err)) ts_coordinator_end_with(c, &err);
}

/* Another worker takes its buckets. */
static void handle_disconnect(struct coordinator *c, size_t worker) {
  pthread_mutex_lock(&c->lock);
  struct slot *slot = slot_of(c, worker);
  if (slot) {
    slot->worker = TS_NOBODY;
    slot->is_ready = false;
    slot->gone_ns = ts_clock_ns();
    if (slot->has_bucket) ts_queue_release(c->queue, slot->token);
  }
  pthread_mutex_unlock(&c->lock);
}

static void handle_messages(struct coordinator *c) {
  size_t count = 0;
  struct message *messages = ts_coordinator_take_messages(c, &count);
  for (size_t i = 0; i < count; i++) {
    struct message *message = &messages[i];
    struct ts_error err = {0};
    if (message->kind == 0) {
      handle_disconnect(c, message->worker);
    } else if (message->kind == TS_DIST_NEWS) {
      take_news(c, message);
    } else if (message->kind == TS_DIST_RESULT) {
      take_result(c, message);
    } else if (message->kind == TS_DIST_GIVE_UP) {
      struct ts_wire wire = ts_wire_of(message->bytes, message->count);
      ts_wire_error(&wire, TS_ERR_STORE, &err);
      ts_coordinator_end_with(c, &err);
    }
    free(message->bytes);
  }
  free(messages);
}

/* ---- processes ---- */
static void add_end_message(const struct slot *slot, struct ts_str *out) {
  if (slot->child.last.length == 0) return;
  ts_str_addf(out, "; it said:\n%s", ts_str_get(&slot->child.last));
  while (out->length > 0 && out->data[out->length - 1] == '\n') out->data[--out->length] = '\0';
}

/* A worker that ended before its time: its work is done again, unless that has been tried often enough. */
static void handle_death(struct coordinator *c, struct slot *slot) {
  ts_auto(ts_str_release) struct ts_str text = {0};
  ts_auto(ts_str_release) struct ts_str piece = {0};
  struct ts_error err = {0};
  if (slot->has_bucket) ts_dataset_name_unit(c->dataset, c->plan->coarsest, slot->window, &piece);
  if (slot->has_bucket && slot->attempts >= MOST_ATTEMPTS) {
    ts_str_addf(&text, "%s ended %u worker processes; the last one ", ts_str_get(&piece), slot->attempts);
  } else if (slot->has_bucket) {
    ts_str_add(&text, "a worker process ");
  } else {
    c->start_failures++;
    ts_str_add(&text, "a worker process without work ");
  }
  ts_child_describe(&slot->child, &text);
  add_end_message(slot, &text);
  bool hopeless = slot->has_bucket ? slot->attempts >= MOST_ATTEMPTS : c->start_failures >= MOST_STARTS;
  if (hopeless) {
    ts_fail(&err, TS_ERR_WORKER, "%s", ts_str_get(&text));
    ts_error_help(&err, "finished work is kept; fix or leave out the task that ends the process, then continue with "
                        "--resume");
    ts_coordinator_end_with(c, &err);
  } else if (slot->has_bucket) {
    ts_log(TS_LOG_WARN, "%s\nwhat it was doing (%s) is done again by another one", ts_str_get(&text),
           ts_str_get(&piece));
  } else {
    ts_log(TS_LOG_INFO, "%s", ts_str_get(&text));
  }
  slot->has_bucket = false;
}

/* The lock is held while a process starts, so that it cannot say hello before its number is known. */
static void start(struct coordinator *c, struct slot *slot) {
  struct ts_error err = {0};
  pthread_mutex_lock(&c->lock);
  ts_child_release(&slot->child);
  slot->worker = TS_NOBODY;
  slot->gone_ns = 0;
  slot->is_ready = slot->has_bucket = false;
  slot->is_running = ts_child_start(&slot->child, c->options->program, c->socket, &err);
  pthread_mutex_unlock(&c->lock);
  if (!slot->is_running) ts_coordinator_end_with(c, &err);
}

/* True while it runs, or while its last messages are not read. */
static bool look_after(struct coordinator *c, struct slot *slot) {
  if (!slot->is_running) return false;
  ts_child_listen(&slot->child);
  pthread_mutex_lock(&c->lock);
  bool connected = slot->worker != TS_NOBODY;
  bool late = slot->gone_ns != 0 && ts_clock_ns() - slot->gone_ns > GONE_NS;
  pthread_mutex_unlock(&c->lock);
  if (late) ts_child_signal(&slot->child, SIGKILL);
  pthread_mutex_lock(&c->lock);
  bool ended = ts_child_has_ended(&slot->child);
  pthread_mutex_unlock(&c->lock);
  if (!ended || connected) return true;
  slot->is_running = false;
  return false;
}

static void look_after_all(struct coordinator *c) {
  for (size_t i = 0; i < c->options->workers; i++) {
    struct slot *slot = &c->slots[i];
    if (look_after(c, slot)) continue;
    if (c->trouble.code != TS_ERR_OK || stop_level(c) > 0 || c->open_buckets == 0) continue;
    handle_death(c, slot);
    if (c->trouble.code == TS_ERR_OK) start(c, slot);
  }
}

static bool any_running(struct coordinator *c) {
  bool any = false;
  for (size_t i = 0; i < c->options->workers; i++) any = look_after(c, &c->slots[i]) || any;
  return any;
}

static void signal_all(const struct coordinator *c, int number) {
  for (size_t i = 0; i < c->options->workers; i++) {
    if (c->slots[i].is_running) ts_child_signal(&c->slots[i].child, number);
  }
}

/* Every level that the user reached is passed on once. */
static void pass_stop_on(struct coordinator *c) {
  for (int level = stop_level(c) > 2 ? 2 : stop_level(c); c->stop_told < level; c->stop_told++) {
    if (c->stop_told == 0) close_queue(c);
    signal_all(c, SIGINT);
  }
}

static void wait_for_news(struct coordinator *c) {
  size_t count = 1;
  struct pollfd *fds = ts_calloc(c->options->workers + 1, sizeof *fds);
  fds[0] = (struct pollfd){.fd = c->wake_fd, .events = POLLIN};
  for (size_t i = 0; i < c->options->workers; i++) {
    if (c->slots[i].is_running && c->slots[i].child.error_fd >= 0)
      fds[count++] = (struct pollfd){.fd = c->slots[i].child.error_fd, .events = POLLIN};
  }
  if (poll(fds, count, LOOK_MS) > 0 && fds[0].revents) {
    uint64_t ignored = 0;
    ssize_t length = read(c->wake_fd, &ignored, sizeof ignored);
    (void)length;
  }
  free(fds);
}

/* Until all buckets are done, the user stops, or it cannot go on. */
static void coordinate(struct coordinator *c) {
  for (size_t i = 0; i < c->options->workers && c->open_buckets > 0; i++) {
    if (c->trouble.code == TS_ERR_OK) start(c, &c->slots[i]);
  }
  while (c->open_buckets > 0 && c->trouble.code == TS_ERR_OK) {
    wait_for_news(c);
    handle_messages(c);
    look_after_all(c);
    pass_stop_on(c);
    if (c->stop_told > 1 || (c->stop_told > 0 && !any_running(c))) break;
  }
  handle_messages(c);
}

/* One that ended well before, and not at the end, was not well. */
static void warn_of_bad_end(const struct coordinator *c, const struct slot *slot) {
  ts_auto(ts_str_release) struct ts_str text = {0};
  if (slot->child.pid > 0 || slot->child.status == 0 || c->trouble.code != TS_ERR_OK || c->stop_told > 0) return;
  ts_child_describe(&slot->child, &text);
  add_end_message(slot, &text);
  ts_log(TS_LOG_WARN, "a worker process %s when its work was done", ts_str_get(&text));
}

/* No process is left behind: one that does not end by itself is killed. */
static void dismiss(struct coordinator *c) {
  close_queue(c);
  bool at_once = c->trouble.code != TS_ERR_OK || c->stop_told > 1;
  if (c->trouble.code != TS_ERR_OK) {
    signal_all(c, SIGINT);
    signal_all(c, SIGINT);
  }
  const uint64_t end_ns = ts_clock_ns() + (at_once ? IMPATIENCE_NS : PATIENCE_NS);
  while (any_running(c) && ts_clock_ns() < end_ns) {
    wait_for_news(c);
    handle_messages(c);
    pass_stop_on(c);
  }
  ts_server_destroy(c->server);
  handle_messages(c);
  for (size_t i = 0; i < c->options->workers; i++) {
    ts_child_listen(&c->slots[i].child);
    warn_of_bad_end(c, &c->slots[i]);
    c->result->peak_bytes += c->slots[i].peak_bytes;
    ts_child_release(&c->slots[i].child);
  }
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
      return true;
    }
    free(c->folder);
    c->folder = NULL;
  }
  ts_fail(err, TS_ERR_SYSTEM, "there is no folder for the socket of the workers: %s", strerror(errno));
  ts_error_help(err, "set TMPDIR to a folder with a short path that can be written");
  return false;
}

static bool open_all(struct coordinator *c, struct ts_error *err) {
  size_t workers = c->options->workers;
  c->slots = ts_calloc(workers + 1, sizeof *c->slots);
  for (size_t i = 0; i < workers; i++) c->slots[i] = (struct slot){.worker = TS_NOBODY, .child.error_fd = -1};
  c->open_in_window = ts_calloc(ts_run_window_count(c->plan, c->dataset) + 1, sizeof *c->open_in_window);
  c->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (c->wake_fd < 0) {
    ts_fail(err, TS_ERR_SYSTEM, "no event could be made: %s", strerror(errno));
    ts_error_help(err, "raise the limit of open files (ulimit -n)");
    return false;
  }
  ts_dist_fingerprint(c->plan, c->dataset, &c->fingerprint);
  c->queue = ts_queue_create(&(struct ts_queue_options){.lease_ns = NEVER_NS, .most_attempts = MOST_ATTEMPTS}, err);
  return c->queue && make_folder(c, err) && ts_coordinator_first_jobs(c, err) && ts_coordinator_serve(c, err);
}

static void close_all(struct coordinator *c) {
  ts_queue_destroy(c->queue);
  ts_coordinator_release_sharing(c);
  if (c->folder) rmdir(c->folder);
  if (c->wake_fd >= 0) close(c->wake_fd);
  free(c->folder);
  free(c->socket);
  free(c->slots);
  free(c->open_in_window);
  free(c->bucket_windows);
  free(c->inbox);
  pthread_cond_destroy(&c->taken);
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
                          .wake_fd = -1};
  uint64_t cpu_ns = ts_clock_process_cpu_ns();
  pthread_mutex_init(&c.lock, NULL);
  pthread_cond_init(&c.taken, NULL);
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
