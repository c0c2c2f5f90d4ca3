/* Connects a worker, and keeps its lease.
 * SPDX-License-Identifier: Apache-2.0 */
#include "dist/link.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/lock.h"
#include "base/log.h"
#include "base/process/ending.h"
#include "dist/dist.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define BEATS    3    /* per lease: two may be late */
#define GRACE_MS 3000 /* to end by itself once the coordinator is gone; operations that do not look take longer */

static void wake(struct ts_dist_link *link) { eventfd_write(link->wake_fd, 1); }

/* ---- the heartbeat ---- */
static bool beat(struct ts_dist_link *link, uint32_t kind, const void *bytes, size_t count, uint8_t *answer) {
  struct ts_error ignored = {0};
  struct ts_wire wire;
  ts_hold(&link->beat.lock);
  ts_str_add_bytes(ts_message_client_begin(&link->beat), bytes, count);
  const bool ok = ts_message_client_ask(&link->beat, kind, &wire, &ignored);
  if (ok && answer) *answer = ts_wire_u8(&wire);
  return ok;
}

static bool send_warnings(struct ts_dist_link *link) {
  ts_auto(ts_str_release) struct ts_str warnings = {0};
  pthread_mutex_lock(&link->lock);
  warnings = link->warnings;
  link->warnings = (struct ts_str){0};
  pthread_mutex_unlock(&link->lock);
  return warnings.length == 0 || beat(link, TS_DIST_WARN, warnings.data, warnings.length, NULL);
}

/* False: the coordinator is gone. */
static bool renew(struct ts_dist_link *link) {
  ts_auto(ts_str_release) struct ts_str bytes = {0};
  uint8_t is_stale = 0;
  pthread_mutex_lock(&link->lock);
  const uint64_t token = link->token;
  pthread_mutex_unlock(&link->lock);
  ts_wire_add_u64(&bytes, token); /* 0: nothing to renew, but it is there */
  if (!beat(link, TS_DIST_RENEW, bytes.data, bytes.length, &is_stale)) return false;
  ts_hold(&link->lock);
  if (is_stale && link->token == token) {
    link->is_stale = true;
    __atomic_store_n(&link->halt, 2, __ATOMIC_RELAXED);
  }
  return true;
}

/* Ends what is being done; a worker that cannot end it in time is ended, if it is a process of its own:
 * nobody waits for it any more. */
static void leave(struct ts_dist_link *link) {
  struct pollfd fd = {.fd = link->wake_fd, .events = POLLIN};
  const uint64_t end_ns = ts_clock_ns() + GRACE_MS * UINT64_C(1000000);
  bool is_ending = false;
  pthread_mutex_lock(&link->lock);
  link->is_gone = true;
  __atomic_store_n(&link->halt, 2, __ATOMIC_RELAXED);
  pthread_mutex_unlock(&link->lock);
  while (!is_ending) {
    eventfd_t ignored;
    const uint64_t now_ns = ts_clock_ns();
    if (now_ns >= end_ns && link->may_end) ts_process_end(ts_error_exit_code(TS_ERR_WORKER));
    poll(&fd, 1, now_ns < end_ns ? (int)((end_ns - now_ns) / 1000000) + 1 : -1);
    eventfd_read(link->wake_fd, &ignored);
    ts_hold(&link->lock);
    is_ending = link->is_ending;
  }
}

/* Waits for the next beat, something to do, or the end of the connection (false). */
static bool rest(struct ts_dist_link *link, uint64_t next_ns) {
  struct pollfd fds[2] = {{.fd = link->wake_fd, .events = POLLIN}, {.fd = link->beat.channel.fd}};
  const uint64_t now_ns = ts_clock_ns();
  const int wait_ms = next_ns == UINT64_MAX ? -1 : next_ns <= now_ns ? 0 : (int)((next_ns - now_ns) / 1000000) + 1;
  eventfd_t ignored;
  if (poll(fds, 2, wait_ms) > 0 && fds[0].revents) eventfd_read(link->wake_fd, &ignored);
  return fds[1].revents == 0;
}

static void *heartbeat_main(void *argument) {
  struct ts_dist_link *link = argument;
  uint64_t next_ns = UINT64_MAX;
  for (;;) {
    bool goes_on = rest(link, next_ns) && send_warnings(link);
    pthread_mutex_lock(&link->lock);
    const bool is_ending = link->is_ending;
    const uint64_t beat_ns = link->lease_ns / BEATS;
    pthread_mutex_unlock(&link->lock);
    if (is_ending) return NULL;
    const uint64_t now_ns = ts_clock_ns();
    if (goes_on && beat_ns > 0 && (next_ns == UINT64_MAX || now_ns >= next_ns)) {
      goes_on = renew(link);
      next_ns = now_ns + beat_ns;
    }
    if (goes_on) continue;
    leave(link);
    return NULL;
  }
}

/* Warnings are for the people who read what the coordinator says; the rest is kept with the process. */
static bool take_warning(void *user, enum ts_log_level level, const char *text) {
  struct ts_dist_link *link = user;
  if (level != TS_LOG_WARN) return false;
  pthread_mutex_lock(&link->lock);
  ts_wire_add_text(&link->warnings, text);
  pthread_mutex_unlock(&link->lock);
  wake(link);
  return true;
}

static bool start_heartbeat(struct ts_dist_link *link, struct ts_error *err) {
  sigset_t all;
  sigset_t before;
  link->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (link->wake_fd < 0) return ts_fail(err, TS_ERR_SYSTEM, "no event could be made: %s", strerrordesc_np(errno));
  sigfillset(&all); /* signals are for the threads of the program */
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const int number = pthread_create(&link->thread, NULL, heartbeat_main, link);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  link->has_thread = number == 0;
  if (link->has_thread) ts_log_set_sink(take_warning, link);
  return link->has_thread ||
         ts_fail(err, TS_ERR_SYSTEM, "the heartbeat of a worker cannot be started: %s", strerrordesc_np(number));
}

/* ---- the link ---- */
static bool greet(struct ts_message_client *client, const char *socket, enum ts_dist_role role, const char *id,
                  char **store, char **description, struct ts_error *err) {
  struct ts_wire answer;
  if (!ts_message_client_connect(client, socket, err)) return false;
  ts_hold(&client->lock);
  ts_dist_add_hello(ts_message_client_begin(client), role, id);
  bool ok = ts_message_client_ask(client, TS_DIST_HELLO, &answer, err);
  if (ok && store) {
    *store = ts_strdup(ts_wire_text(&answer));
    *description = ts_strdup(ts_wire_text(&answer));
    ok = ts_message_client_is_sound(client, &answer, err);
  }
  return ok;
}

struct ts_dist_link *ts_dist_connect(const char *place, bool may_end, struct ts_error *err) {
  const size_t length = strcspn(place, "@");
  char id[TS_DIST_ID_BYTES] = "";
  if (place[length] != '@' || length >= sizeof id) {
    ts_fail(err, TS_ERR_USAGE, "'%s' is not the place of a study's process", place);
    ts_error_help(err, "use: tessera study --workers N");
    return NULL;
  }
  memcpy(id, place, length);
  const char *socket = place + length + 1;
  struct ts_dist_link *link = ts_calloc(1, sizeof *link);
  link->wake_fd = -1;
  link->may_end = may_end;
  pthread_mutex_init(&link->lock, NULL);
  ts_message_client_init(&link->work, TS_ERR_WORKER);
  ts_message_client_init(&link->beat, TS_ERR_WORKER);
  if (greet(&link->work, socket, TS_DIST_ROLE_WORK, id, &link->store, &link->description, err) &&
      greet(&link->beat, socket, TS_DIST_ROLE_HEARTBEAT, id, NULL, NULL, err) && start_heartbeat(link, err))
    return link;
  ts_dist_disconnect(link);
  return NULL;
}

void ts_dist_disconnect(struct ts_dist_link *link) {
  if (!link) return;
  if (link->has_thread) {
    ts_log_set_sink(NULL, NULL);
    pthread_mutex_lock(&link->lock);
    link->is_ending = true;
    pthread_mutex_unlock(&link->lock);
    wake(link);
    pthread_join(link->thread, NULL);
  }
  if (link->wake_fd >= 0) close(link->wake_fd);
  ts_message_client_release(&link->work);
  ts_message_client_release(&link->beat);
  ts_str_release(&link->warnings);
  pthread_mutex_destroy(&link->lock);
  free(link->store);
  free(link->description);
  free(link);
}

const char *ts_dist_description(const struct ts_dist_link *link) { return link->description; }

const char *ts_dist_store(const struct ts_dist_link *link) { return link->store; }

bool ts_dist_link_ask(struct ts_dist_link *link, uint32_t kind, const struct ts_str *bytes, struct ts_str *answer,
                      struct ts_error *err) {
  struct ts_wire wire;
  ts_hold(&link->work.lock);
  ts_str_add_bytes(ts_message_client_begin(&link->work), bytes->data, bytes->length);
  const bool ok = ts_message_client_ask(&link->work, kind, &wire, err);
  if (ok && answer) ts_str_add_bytes(answer, wire.next, wire.left);
  return ok;
}

void ts_dist_give_up(struct ts_dist_link *link, const struct ts_faults *faults) {
  ts_auto(ts_str_release) struct ts_str bytes = {0};
  struct ts_error ignored = {0};
  ts_wire_add_u64(&bytes, faults->count);
  for (size_t i = 0; i < faults->count; i++) ts_wire_add_error(&bytes, &faults->items[i]);
  ts_dist_link_ask(link, TS_DIST_GIVE_UP, &bytes, NULL, &ignored);
}

void ts_dist_link_set_lease(struct ts_dist_link *link, uint64_t lease_ns) {
  pthread_mutex_lock(&link->lock);
  link->lease_ns = lease_ns;
  pthread_mutex_unlock(&link->lock);
  wake(link);
}

void ts_dist_link_hold(struct ts_dist_link *link, uint64_t token) {
  ts_hold(&link->lock);
  link->token = token;
  link->is_stale = false;
  if (!link->is_gone) __atomic_store_n(&link->halt, 0, __ATOMIC_RELAXED);
}

bool ts_dist_link_drop(struct ts_dist_link *link) {
  ts_hold(&link->lock);
  const bool is_ours = !link->is_stale && !link->is_gone;
  link->token = 0;
  return is_ours;
}
