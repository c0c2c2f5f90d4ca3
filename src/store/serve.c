/* The server's thread: connections, greetings, and passing each message to the code that answers it.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Writing waits for the disk and is therefore done by a thread of its own (remote/write_int.h); its connection rests
 * meanwhile, so that the message stays where it was received. */
#include "store/serve.h"

#include "base/alloc.h"
#include "base/channel.h"
#include "base/const.h"
#include "base/log.h"
#include "store/remote/answer_int.h"
#include "store/remote/write_int.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

struct connection {
  struct ts_channel channel;
  int64_t process_id;
  bool has_greeted;
  bool is_worker; /* not a second connection of one */
  size_t worker;  /* if it is one */
  bool is_writing;
  struct ts_remote_job job; /* while it is writing */
};

struct ts_server {
  struct ts_server_options options; /* its path is owned */
  struct ts_remote_service service;
  struct ts_remote_writer writer;
  int listen_fd;
  int stop_fd; /* becomes readable when the thread shall end */
  pthread_t thread;
  /* The thread's own: */
  struct connection **connections; /* owned */
  size_t count, capacity;
  size_t worker_count; /* that ever greeted */
  bool is_full;        /* no file was left for another connection; tried again when one ends */
};

/* Whether the process at the other end belongs to this user; gives its number. */
static bool is_ours(int fd, int64_t *process_id) {
  struct ucred peer;
  socklen_t size = sizeof peer;
  if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0 || peer.uid != geteuid()) return false;
  *process_id = peer.pid;
  return true;
}

static void accept_one(struct ts_server *server) {
  int fd = accept4(server->listen_fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (fd < 0) {
    server->is_full = errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS;
    if (server->is_full) ts_log(TS_LOG_WARN, "a worker cannot connect: %s", strerrordesc_np(errno));
    return;
  }
  int64_t process_id = 0;
  if (!is_ours(fd, &process_id)) {
    close(fd);
    return;
  }
  struct connection *connection = ts_calloc(1, sizeof *connection);
  ts_channel_init(&connection->channel, fd);
  connection->channel.most_bytes = TS_REMOTE_HELLO_BYTES;
  connection->process_id = process_id;
  server->connections = ts_grow(server->connections, server->count, &server->capacity, sizeof(struct connection *));
  server->connections[server->count++] = connection;
}

static void connection_destroy(struct ts_server *server, struct connection *connection) {
  ts_channel_release(&connection->channel);
  if (connection->is_worker && server->options.on_gone) {
    server->options.on_gone(server->options.user, connection->worker);
  }
  free(connection);
}

static void greet(struct ts_server *server, struct connection *connection, const struct ts_message *message) {
  const unsigned char *role = (const unsigned char *)message->bytes + TS_REMOTE_HELLO_BYTES - 1;
  connection->has_greeted = true;
  connection->channel.most_bytes = TS_CHANNEL_MOST_BYTES;
  if (*role != TS_REMOTE_WORKER) return;
  connection->is_worker = true;
  connection->worker = server->worker_count++;
  if (server->options.on_hello) {
    server->options.on_hello(server->options.user, connection->worker, connection->process_id);
  }
}

/* Something that is not about the store. */
static bool pass_on(struct ts_server *server, struct connection *connection, const struct ts_message *message) {
  if (!server->options.on_message || !connection->is_worker) return false;
  ts_auto(ts_str_release) struct ts_str answer = {0};
  struct ts_error ignored = {0};
  server->options.on_message(server->options.user, connection->worker, message->kind, message->bytes, message->count,
                             &answer);
  ts_str_add_bytes(ts_channel_begin(&connection->channel), ts_str_get(&answer), answer.length);
  return ts_channel_end(&connection->channel, TS_REMOTE_YES, &ignored);
}

/* Makes the answer ready to be sent, YES with what was begun; an answer that is too long becomes an error. */
static void send_answer(struct ts_channel *channel, enum ts_remote_answer kind, struct ts_error *err) {
  if (kind == TS_REMOTE_YES && ts_channel_end(channel, TS_REMOTE_YES, err)) return;
  struct ts_str *out = ts_channel_begin(channel);
  if (kind != TS_REMOTE_NO) {
    kind = TS_REMOTE_FAILED;
    ts_wire_add_error(out, err);
  }
  ts_channel_end(channel, kind, err);
}

static void write_later(struct ts_server *server, struct connection *connection, const struct ts_message *message) {
  connection->is_writing = true;
  connection->job = (struct ts_remote_job){.owner = connection, .bytes = message->bytes, .count = message->count};
  ts_remote_writer_submit(&server->writer, &connection->job);
}

/* False ends the connection. */
static bool handle(struct ts_server *server, struct connection *connection, const struct ts_message *message) {
  const bool is_hello = message->kind == TS_REMOTE_HELLO;
  if (is_hello == connection->has_greeted) return false;
  if (message->kind >= TS_STORE_SAY_FIRST) return pass_on(server, connection, message);
  if (message->kind == TS_REMOTE_WRITE) {
    write_later(server, connection, message);
    return true;
  }
  struct ts_channel *channel = &connection->channel;
  struct ts_error err = {0};
  const enum ts_remote_answer kind = ts_remote_answer_request(&server->service, message->kind, message->bytes,
                                                              message->count, ts_channel_begin(channel), &err);
  if (kind == TS_REMOTE_BAD) return false;
  if (is_hello && kind == TS_REMOTE_YES) greet(server, connection, message);
  send_answer(channel, kind, &err);
  return true;
}

/* Answers the messages that arrived. A client that does not read its answers, or has some waiting, is not read from.
 * False ends the connection. */
static bool serve(struct ts_server *server, struct connection *connection) {
  struct ts_channel *channel = &connection->channel;
  struct ts_message message;
  enum ts_channel_state state = TS_CHANNEL_DONE;
  while (!connection->is_writing && !ts_channel_has_output(channel) &&
         (state = ts_channel_take(channel, &message)) == TS_CHANNEL_DONE) {
    if (!handle(server, connection, &message)) return false;
    if (ts_channel_flush(channel) == TS_CHANNEL_GONE) return false;
  }
  return state != TS_CHANNEL_BAD;
}

static bool attend(struct ts_server *server, struct connection *connection, short events) {
  struct ts_channel *channel = &connection->channel;
  if (events & POLLOUT) {
    if (ts_channel_flush(channel) == TS_CHANNEL_GONE) return false;
    if (!serve(server, connection)) return false;
  }
  if (events & (POLLIN | POLLHUP | POLLERR)) {
    if (ts_channel_pull(channel) == TS_CHANNEL_GONE) return false;
    return serve(server, connection);
  }
  return true;
}

/* Answers what was written. */
static bool finish_writing(struct ts_server *server, struct connection *connection) {
  connection->is_writing = false;
  if (connection->job.answer == TS_REMOTE_BAD) return false;
  ts_channel_begin(&connection->channel);
  send_answer(&connection->channel, connection->job.answer, &connection->job.err);
  return ts_channel_flush(&connection->channel) != TS_CHANNEL_GONE && serve(server, connection);
}

static void end_connection(struct ts_server *server, struct connection *connection) {
  for (size_t i = 0; i < server->count; i++) {
    if (server->connections[i] == connection) server->connections[i] = NULL;
  }
  connection_destroy(server, connection);
}

static void finish_jobs(struct ts_server *server) {
  struct ts_remote_job *job = ts_remote_writer_take_done(&server->writer);
  while (job) {
    struct ts_remote_job *next = job->next;
    struct connection *connection = job->owner;
    if (!finish_writing(server, connection)) end_connection(server, connection);
    job = next;
  }
}

/* Drops the connections that ended, which were marked by NULL. */
static void sweep(struct ts_server *server) {
  size_t kept = 0;
  for (size_t i = 0; i < server->count; i++) {
    if (server->connections[i]) server->connections[kept++] = server->connections[i];
  }
  if (kept < server->count) server->is_full = false;
  server->count = kept;
}

#define POLL_STOP   0
#define POLL_DONE   1
#define POLL_LISTEN 2
#define POLL_FIRST  3 /* of the connections */

/* What to wait for; the array grows as needed. */
static struct pollfd *fill_polls(const struct ts_server *server, struct pollfd *polls, size_t *capacity) {
  const size_t needed = POLL_FIRST + server->count;
  if (*capacity < needed) {
    *capacity = 2 * needed;
    polls = ts_realloc_array(polls, *capacity, sizeof *polls);
  }
  polls[POLL_STOP] = (struct pollfd){.fd = server->stop_fd, .events = POLLIN};
  polls[POLL_DONE] = (struct pollfd){.fd = server->writer.done_fd, .events = POLLIN};
  polls[POLL_LISTEN] = (struct pollfd){.fd = server->is_full ? -1 : server->listen_fd, .events = POLLIN};
  for (size_t i = 0; i < server->count; i++) {
    const struct connection *connection = server->connections[i];
    polls[POLL_FIRST + i] = (struct pollfd){.fd = connection->is_writing ? -1 : connection->channel.fd,
                                            .events = ts_channel_has_output(&connection->channel) ? POLLOUT : POLLIN};
  }
  return polls;
}

static void *server_main(void *argument) {
  struct ts_server *server = argument;
  size_t capacity = POLL_FIRST;
  struct pollfd *polls = ts_calloc(capacity, sizeof *polls);
  for (;;) {
    polls = fill_polls(server, polls, &capacity);
    const size_t count = server->count;
    if (poll(polls, POLL_FIRST + count, -1) < 0) continue; /* EINTR, or no memory for a moment */
    if (polls[POLL_STOP].revents) break;
    for (size_t i = 0; i < count; i++) {
      const short events = polls[POLL_FIRST + i].revents;
      if (events && !attend(server, server->connections[i], events)) end_connection(server, server->connections[i]);
    }
    if (polls[POLL_DONE].revents) finish_jobs(server);
    if (polls[POLL_LISTEN].revents) accept_one(server);
    sweep(server);
  }
  ts_remote_writer_stop(&server->writer); /* before the messages go that it writes */
  for (size_t i = 0; i < server->count; i++) connection_destroy(server, server->connections[i]);
  free(polls);
  return NULL;
}

static bool start_threads(struct ts_server *server, struct ts_error *err) {
  if (!ts_remote_writer_start(&server->writer, &server->service, err)) return false;
  const int number = pthread_create(&server->thread, NULL, server_main, server);
  if (number == 0) return true;
  ts_remote_writer_stop(&server->writer);
  ts_fail(err, TS_ERR_SYSTEM, "the thread that serves the store cannot be started: %s", strerrordesc_np(number));
  ts_error_help(err, "raise the limit of processes (ulimit -u)");
  return false;
}

static bool start(struct ts_server *server, struct ts_error *err) {
  server->stop_fd = eventfd(0, EFD_CLOEXEC);
  if (server->stop_fd < 0) {
    ts_fail(err, TS_ERR_SYSTEM, "the store cannot be served: %s", strerrordesc_np(errno));
    ts_error_help(err, "raise the limit of open files (ulimit -n)");
    return false;
  }
  server->listen_fd = ts_channel_listen(server->options.path, err);
  if (server->listen_fd < 0) return false;
  sigset_t all;
  sigset_t before;
  sigfillset(&all); /* signals are for the threads of the program */
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const bool ok = start_threads(server, err);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (!ok) unlink(server->options.path);
  return ok;
}

/* Everything but the thread. */
static void server_free(struct ts_server *server) {
  if (server->listen_fd >= 0) close(server->listen_fd);
  if (server->stop_fd >= 0) close(server->stop_fd);
  ts_remote_service_release(&server->service);
  free(server->connections);
  free(ts_without_const(server->options.path));
  free(server);
}

struct ts_server *ts_server_create(struct ts_store *store, const struct ts_server_options *options,
                                   struct ts_error *err) {
  if (!ts_store_check_writable(store, err)) return NULL;
  if (!store->backend->keys) {
    ts_store_backend_refuse(store->backend, "cannot be served", err);
    return NULL;
  }
  struct ts_server *server = ts_calloc(1, sizeof *server);
  server->options = *options;
  server->options.path = ts_strdup(options->path);
  server->service.store = store;
  server->listen_fd = server->stop_fd = server->writer.done_fd = -1;
  if (start(server, err)) return server;
  server_free(server);
  return NULL;
}

void ts_server_destroy(struct ts_server *server) {
  if (!server) return;
  const uint64_t one = 1;
  while (write(server->stop_fd, &one, sizeof one) < 0 && errno == EINTR) continue;
  pthread_join(server->thread, NULL);
  unlink(server->options.path);
  server_free(server);
}
