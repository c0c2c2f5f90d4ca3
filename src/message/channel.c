/* Local sockets and the frames that go over them.
 * SPDX-License-Identifier: Apache-2.0 */
#include "message/channel.h"

#include "message/wire.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define HEAD_BYTES 12
#define PULL_BYTES 65536
/* Memory above this is given back as soon as it is empty. */
#define KEEP_BYTES ((size_t)1 << 20)

static bool make_address(const char *path, struct sockaddr_un *address, struct ts_error *err) {
  memset(address, 0, sizeof *address);
  address->sun_family = AF_UNIX;
  const size_t length = strlen(path);
  if (length > 0 && length < sizeof address->sun_path) {
    memcpy(address->sun_path, path, length);
    return true;
  }
  ts_fail(err, TS_ERR_SYSTEM, "the path '%s' of a socket is empty or longer than %zu bytes", path,
          sizeof address->sun_path - 1);
  return ts_error_help(err, "set TMPDIR to a folder with a shorter path");
}

static int fail_socket(int fd, const char *path, const char *action, struct ts_error *err) {
  ts_fail(err, TS_ERR_SYSTEM, "the socket '%s' cannot be %s: %s", path, action, strerrordesc_np(errno));
  ts_error_help(err, "check that its folder is there and can be written, and the limit of open files (ulimit -n)");
  if (fd >= 0) close(fd);
  return -1;
}

int ts_channel_listen(const char *path, struct ts_error *err) {
  struct sockaddr_un address;
  if (!make_address(path, &address, err)) return -1;
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  /* Before bind: the file gets the socket's mode, and there is no moment in which others may connect. */
  if (fd < 0 || fchmod(fd, S_IRUSR | S_IWUSR) != 0 || bind(fd, (struct sockaddr *)&address, sizeof address) != 0 ||
      listen(fd, SOMAXCONN) != 0) {
    return fail_socket(fd, path, "made", err);
  }
  return fd;
}

int ts_channel_connect(const char *path, struct ts_error *err) {
  struct sockaddr_un address;
  if (!make_address(path, &address, err)) return -1;
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  int outcome = fd < 0 ? -1 : connect(fd, (struct sockaddr *)&address, sizeof address);
  while (fd >= 0 && outcome != 0 && errno == EINTR) outcome = connect(fd, (struct sockaddr *)&address, sizeof address);
  if (fd < 0 || outcome != 0) return fail_socket(fd, path, "reached", err);
  return fd;
}

void ts_channel_init(struct ts_channel *channel, int fd) {
  memset(channel, 0, sizeof *channel);
  channel->fd = fd;
  channel->most_bytes = TS_CHANNEL_MOST_BYTES;
}

void ts_channel_release(struct ts_channel *channel) {
  if (channel->fd >= 0) close(channel->fd);
  ts_str_release(&channel->in);
  ts_str_release(&channel->out);
  ts_channel_init(channel, -1);
}

static void empty(struct ts_str *str) {
  if (str->capacity > KEEP_BYTES) {
    ts_str_release(str);
  } else {
    ts_str_clear(str);
  }
}

static void cut(struct ts_str *str, size_t length) {
  if (str->data) str->data[length] = '\0';
  str->length = length;
}

struct ts_str *ts_channel_begin(struct ts_channel *channel) {
  static const char head[HEAD_BYTES];
  cut(&channel->out, channel->frame);
  ts_str_add_bytes(&channel->out, head, sizeof head);
  return &channel->out;
}

bool ts_channel_end(struct ts_channel *channel, uint32_t kind, struct ts_error *err) {
  const uint64_t count = channel->out.length - channel->frame - HEAD_BYTES;
  if (count > TS_CHANNEL_MOST_BYTES) {
    cut(&channel->out, channel->frame);
    ts_fail(err, TS_ERR_SYSTEM, "a message of %llu bytes is too long", (unsigned long long)count);
    return ts_error_help(err, "run without --workers: products of this size cannot go from process to process");
  }
  unsigned char *head = (unsigned char *)channel->out.data + channel->frame;
  for (size_t i = 0; i < 4; i++) head[i] = (unsigned char)(kind >> (8 * i));
  for (size_t i = 0; i < 8; i++) head[4 + i] = (unsigned char)(count >> (8 * i));
  channel->frame = channel->out.length;
  return true;
}

bool ts_channel_has_output(const struct ts_channel *channel) { return channel->out_sent < channel->frame; }

/* The state of the channel after a call that failed. */
static enum ts_channel_state state_of(int number) {
  return number == EAGAIN ? TS_CHANNEL_AGAIN : TS_CHANNEL_GONE; /* EWOULDBLOCK is the same number on Linux */
}

enum ts_channel_state ts_channel_flush(struct ts_channel *channel) {
  while (ts_channel_has_output(channel)) {
    const char *next = ts_str_get(&channel->out) + channel->out_sent;
    const ssize_t sent = send(channel->fd, next, channel->frame - channel->out_sent, MSG_NOSIGNAL);
    if (sent > 0) channel->out_sent += (size_t)sent;
    if (sent < 0 && errno != EINTR) return state_of(errno);
  }
  empty(&channel->out);
  channel->out_sent = channel->frame = 0;
  return TS_CHANNEL_DONE;
}

/* Drops the messages that were taken. */
static void compact(struct ts_channel *channel) {
  struct ts_str *in = &channel->in;
  const size_t left = in->length - channel->in_taken;
  if (left == 0) {
    empty(in);
  } else if (channel->in_taken > 0) {
    memmove(in->data, in->data + channel->in_taken, left);
    cut(in, left);
  }
  channel->in_taken = 0;
}

enum ts_channel_state ts_channel_pull(struct ts_channel *channel) {
  char bytes[PULL_BYTES];
  compact(channel);
  ssize_t count = recv(channel->fd, bytes, sizeof bytes, 0);
  while (count < 0 && errno == EINTR) count = recv(channel->fd, bytes, sizeof bytes, 0);
  if (count < 0) return state_of(errno);
  if (count == 0) return TS_CHANNEL_GONE;
  ts_str_add_bytes(&channel->in, bytes, (size_t)count);
  return TS_CHANNEL_DONE;
}

enum ts_channel_state ts_channel_take(struct ts_channel *channel, struct ts_message *message) {
  const size_t there = channel->in.length - channel->in_taken;
  if (there < HEAD_BYTES) return TS_CHANNEL_AGAIN;
  const char *head = ts_str_get(&channel->in) + channel->in_taken;
  struct ts_wire wire = ts_wire_of(head, HEAD_BYTES);
  const uint32_t kind = ts_wire_u32(&wire);
  const uint64_t count = ts_wire_u64(&wire);
  if (count > channel->most_bytes) return TS_CHANNEL_BAD;
  if (count > there - HEAD_BYTES) return TS_CHANNEL_AGAIN;
  *message = (struct ts_message){.kind = kind, .bytes = head + HEAD_BYTES, .count = (size_t)count};
  channel->in_taken += HEAD_BYTES + (size_t)count;
  return TS_CHANNEL_DONE;
}

enum ts_channel_state ts_channel_receive(struct ts_channel *channel, struct ts_message *message) {
  enum ts_channel_state state;
  while ((state = ts_channel_take(channel, message)) == TS_CHANNEL_AGAIN) {
    state = ts_channel_pull(channel);
    if (state != TS_CHANNEL_DONE) return state;
  }
  return state;
}
