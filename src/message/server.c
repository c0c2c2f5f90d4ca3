/* The thread that answers: connections, polling, resting.
 * SPDX-License-Identifier: Apache-2.0 */
#include "message/server.h"

#include "base/alloc.h"
#include "base/log.h"
#include "message/wire.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

enum rest { AWAKE, RESTS, IS_BORROWED };

struct connection {
  struct ts_peer peer; /* first: a peer is its connection */
  enum rest rest;
};

struct ts_message_server {
  struct ts_message_server_options options; /* its path is owned */
  char *path;                               /* owned */
  int listen_fd;
  int wake_fd; /* becomes readable when something below has changed */
  pthread_t thread;
  pthread_mutex_t lock; /* guards the next four */
  uint64_t *resumed;    /* owned: ids */
  size_t resumed_count, resumed_capacity;
  bool is_stopping;
  /* The thread's own: */
  struct connection **connections; /* owned */
  size_t count, capacity;
  uint64_t last_id;
  bool is_full; /* no file was left for another connection; tried again when one ends */
};

/* Whether the process at the other end belongs to this user. */
static bool is_ours(int fd) {
  struct ucred peer;
  socklen_t size = sizeof peer;
  return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.uid == geteuid();
}

static void accept_one(struct ts_message_server *server) {
  int fd = accept4(server->listen_fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (fd < 0) {
    server->is_full = errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS;
    if (server->is_full) ts_log(TS_LOG_WARN, "a worker cannot connect: %s", strerrordesc_np(errno));
    return;
  }
  if (!is_ours(fd)) {
    close(fd);
    return;
  }
  struct connection *connection = ts_calloc(1, sizeof *connection);
  connection->peer.server = server;
  connection->peer.id = ++server->last_id;
  ts_channel_init(&connection->peer.channel, fd);
  connection->peer.channel.most_bytes = server->options.first_bytes;
  server->connections = ts_grow(server->connections, server->count, &server->capacity, sizeof(struct connection *));
  server->connections[server->count++] = connection;
}

static void connection_destroy(struct ts_message_server *server, struct connection *connection) {
  if (server->options.on_gone) server->options.on_gone(server->options.user, &connection->peer);
  ts_channel_release(&connection->peer.channel);
  free(connection);
}

void ts_peer_answer(struct ts_peer *peer, enum ts_answer answer, struct ts_error *err) {
  struct ts_channel *channel = &peer->channel;
  if (answer == TS_ANSWER_YES && ts_channel_end(channel, TS_ANSWER_YES, err)) return;
  struct ts_str *out = ts_channel_begin(channel);
  if (answer != TS_ANSWER_NO) {
    answer = TS_ANSWER_FAILED;
    ts_wire_add_error(out, err);
  }
  ts_channel_end(channel, answer, err);
}

/* Sends the answer, or lets the connection rest. False ends it. */
static bool settle(struct connection *connection, enum ts_served served) {
  connection->rest = served == TS_SERVED_LATER ? RESTS : served == TS_SERVED_BORROWED ? IS_BORROWED : AWAKE;
  if (served == TS_SERVED_END) return false;
  return served != TS_SERVED_ANSWERED || ts_channel_flush(&connection->peer.channel) != TS_CHANNEL_GONE;
}

/* Answers the messages that arrived. A client that does not read its answers, or has some waiting, is not read from.
 * False ends the connection. */
static bool serve(struct ts_message_server *server, struct connection *connection) {
  struct ts_channel *channel = &connection->peer.channel;
  struct ts_message message;
  enum ts_channel_state state = TS_CHANNEL_DONE;
  while (connection->rest == AWAKE && !ts_channel_has_output(channel) &&
         (state = ts_channel_take(channel, &message)) == TS_CHANNEL_DONE) {
    channel->most_bytes = TS_CHANNEL_MOST_BYTES;
    if (!settle(connection, server->options.on_message(server->options.user, &connection->peer, &message)))
      return false;
  }
  return state != TS_CHANNEL_BAD;
}

static bool attend(struct ts_message_server *server, struct connection *connection, short events) {
  struct ts_channel *channel = &connection->peer.channel;
  if (connection->rest != AWAKE) return false; /* only its end is looked for */
  if (events & POLLOUT) {
    if (ts_channel_flush(channel) == TS_CHANNEL_GONE) return false;
    if (!serve(server, connection)) return false;
  }
  if (events & (POLLIN | POLLHUP | POLLERR)) {
    if (connection->rest != AWAKE) return true; /* its end is seen at the next look */
    if (ts_channel_pull(channel) == TS_CHANNEL_GONE) return false;
    return serve(server, connection);
  }
  return true;
}

static void end_connection(struct ts_message_server *server, size_t place) {
  struct connection *connection = server->connections[place];
  server->connections[place] = NULL;
  connection_destroy(server, connection);
}

static void resume(struct ts_message_server *server, uint64_t id) {
  for (size_t i = 0; i < server->count; i++) {
    struct connection *connection = server->connections[i];
    const bool is_meant = connection && (id ? connection->peer.id == id : connection->rest == RESTS);
    if (!is_meant || connection->rest == AWAKE) continue;
    if (!settle(connection, server->options.on_resume(server->options.user, &connection->peer)) ||
        !serve(server, connection))
      end_connection(server, i);
  }
}

/* False: the server is to end. */
static bool look_up(struct ts_message_server *server) {
  eventfd_t ignored;
  eventfd_read(server->wake_fd, &ignored);
  pthread_mutex_lock(&server->lock);
  uint64_t *ids = server->resumed;
  const size_t count = server->resumed_count;
  const bool goes_on = !server->is_stopping;
  server->resumed = NULL;
  server->resumed_count = server->resumed_capacity = 0;
  pthread_mutex_unlock(&server->lock);
  for (size_t i = 0; goes_on && i < count; i++) resume(server, ids[i]);
  free(ids);
  return goes_on;
}

/* Drops the connections that ended, which were marked by NULL. */
static void sweep(struct ts_message_server *server) {
  size_t kept = 0;
  for (size_t i = 0; i < server->count; i++) {
    if (server->connections[i]) server->connections[kept++] = server->connections[i];
  }
  if (kept < server->count) server->is_full = false;
  server->count = kept;
}

#define POLL_WAKE   0
#define POLL_LISTEN 1
#define POLL_FIRST  2 /* of the connections */

/* Of a connection that rests only the end is waited for; of one that is borrowed, nothing. */
static struct pollfd poll_of(const struct connection *connection) {
  const short events = ts_channel_has_output(&connection->peer.channel) ? POLLOUT : POLLIN;
  return (struct pollfd){.fd = connection->rest == IS_BORROWED ? -1 : connection->peer.channel.fd,
                         .events = connection->rest == AWAKE ? events : 0};
}

/* What to wait for; the array grows as needed. */
static struct pollfd *fill_polls(const struct ts_message_server *server, struct pollfd *polls, size_t *capacity) {
  const size_t needed = POLL_FIRST + server->count;
  if (*capacity < needed) {
    *capacity = 2 * needed;
    polls = ts_realloc_array(polls, *capacity, sizeof *polls);
  }
  polls[POLL_WAKE] = (struct pollfd){.fd = server->wake_fd, .events = POLLIN};
  polls[POLL_LISTEN] = (struct pollfd){.fd = server->is_full ? -1 : server->listen_fd, .events = POLLIN};
  for (size_t i = 0; i < server->count; i++) polls[POLL_FIRST + i] = poll_of(server->connections[i]);
  return polls;
}

static void *server_main(void *argument) {
  struct ts_message_server *server = argument;
  size_t capacity = POLL_FIRST;
  ts_auto_free struct pollfd *polls = ts_calloc(capacity, sizeof *polls);
  for (;;) {
    polls = fill_polls(server, polls, &capacity);
    const size_t count = server->count;
    if (poll(polls, POLL_FIRST + count, -1) < 0) continue; /* EINTR, or no memory for a moment */
    for (size_t i = 0; i < count; i++) {
      const short events = polls[POLL_FIRST + i].revents;
      if (events && !attend(server, server->connections[i], events)) end_connection(server, i);
    }
    if (polls[POLL_WAKE].revents && !look_up(server)) break;
    if (polls[POLL_LISTEN].revents) accept_one(server);
    sweep(server);
  }
  if (server->options.on_stop) server->options.on_stop(server->options.user);
  for (size_t i = 0; i < server->count; i++) {
    if (server->connections[i]) connection_destroy(server, server->connections[i]);
  }
  return NULL;
}

static bool start_thread(struct ts_message_server *server, struct ts_error *err) {
  sigset_t all;
  sigset_t before;
  sigfillset(&all); /* signals are for the threads of the program */
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const int number = pthread_create(&server->thread, NULL, server_main, server);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (number == 0) return true;
  unlink(server->path);
  ts_fail(err, TS_ERR_SYSTEM, "%s: no thread can be started: %s", server->options.what, strerrordesc_np(number));
  return ts_error_help(err, "raise the limit of processes (ulimit -u)");
}

static bool start(struct ts_message_server *server, struct ts_error *err) {
  server->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (server->wake_fd < 0) {
    ts_fail(err, TS_ERR_SYSTEM, "%s: %s", server->options.what, strerrordesc_np(errno));
    return ts_error_help(err, "raise the limit of open files (ulimit -n)");
  }
  server->listen_fd = ts_channel_listen(server->path, err);
  return server->listen_fd >= 0 && start_thread(server, err);
}

/* Everything but the thread. */
static void server_free(struct ts_message_server *server) {
  if (server->listen_fd >= 0) close(server->listen_fd);
  if (server->wake_fd >= 0) close(server->wake_fd);
  pthread_mutex_destroy(&server->lock);
  free(server->resumed);
  free(server->connections);
  free(server->path);
  free(server);
}

struct ts_message_server *ts_message_server_create(const struct ts_message_server_options *options,
                                                   struct ts_error *err) {
  struct ts_message_server *server = ts_calloc(1, sizeof *server);
  server->options = *options;
  server->path = ts_strdup(options->path);
  server->listen_fd = server->wake_fd = -1;
  pthread_mutex_init(&server->lock, NULL);
  if (start(server, err)) return server;
  server_free(server);
  return NULL;
}

void ts_message_server_resume(struct ts_message_server *server, uint64_t id) {
  pthread_mutex_lock(&server->lock);
  server->resumed = ts_grow(server->resumed, server->resumed_count, &server->resumed_capacity, sizeof *server->resumed);
  server->resumed[server->resumed_count++] = id;
  pthread_mutex_unlock(&server->lock);
  eventfd_write(server->wake_fd, 1);
}

void ts_message_server_destroy(struct ts_message_server *server) {
  if (!server) return;
  pthread_mutex_lock(&server->lock);
  server->is_stopping = true;
  pthread_mutex_unlock(&server->lock);
  eventfd_write(server->wake_fd, 1);
  pthread_join(server->thread, NULL);
  unlink(server->path);
  server_free(server);
}
