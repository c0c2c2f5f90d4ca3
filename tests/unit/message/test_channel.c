/* Messages over sockets: any size, in any pieces, with signals in between, and from whoever does not keep to the rules.
 * SPDX-License-Identifier: Apache-2.0 */
#include "unit/base/testing.h"

#include "base/alloc.h"
#include "base/random.h"
#include "message/channel.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>

#define LARGE_BYTES ((size_t)5 << 20) /* more than any socket holds */

static void connect_pair(struct ts_channel *left, struct ts_channel *right) {
  int ends[2];
  assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
  ts_channel_init(left, ends[0]);
  ts_channel_init(right, ends[1]);
}

static void put(struct ts_channel *channel, uint32_t kind, const void *bytes, size_t count) {
  struct ts_error err = {0};
  ts_str_add_bytes(ts_channel_begin(channel), bytes, count);
  assert_true(ts_channel_end(channel, kind, &err));
}

static void frame_is_as_described(void **state) {
  (void)state;
  static const unsigned char expected[] = {0x04, 0x03, 0x02, 0x01, 2, 0, 0, 0, 0, 0, 0, 0, 'h',
                                           'i',  7,    0,    0,    0, 0, 0, 0, 0, 0, 0, 0, 0};
  struct ts_channel left;
  struct ts_channel right;
  connect_pair(&left, &right);
  ts_str_add(ts_channel_begin(&left), "forgotten");
  put(&left, 0x01020304, "hi", 2);
  put(&left, 7, NULL, 0);
  assert_true(ts_channel_has_output(&left));
  assert_int_equal(ts_channel_flush(&left), TS_CHANNEL_DONE);
  assert_false(ts_channel_has_output(&left));
  unsigned char got[64];
  assert_int_equal(recv(right.fd, got, sizeof got, 0), sizeof expected);
  assert_memory_equal(got, expected, sizeof expected);
  ts_channel_release(&left);
  ts_channel_release(&right);
}

static const size_t sizes[] = {0, 1, 11, 12, 13, 65535, 65536, 65537, LARGE_BYTES, 3};

/* The bytes of message i. */
static void fill(size_t i, unsigned char *bytes) {
  for (size_t k = 0; k < sizes[i]; k++) bytes[k] = (unsigned char)(k * 7 + i + (k >> 8));
}

static void *send_all(void *argument) {
  struct ts_channel *channel = argument;
  unsigned char *bytes = malloc(LARGE_BYTES);
  for (size_t i = 0; bytes && i < COUNT_OF(sizes); i++) {
    struct ts_error err = {0};
    fill(i, bytes);
    ts_str_add_bytes(ts_channel_begin(channel), bytes, sizes[i]);
    if (!ts_channel_end(channel, (uint32_t)i, &err) || ts_channel_flush(channel) != TS_CHANNEL_DONE) break;
  }
  free(bytes);
  return NULL;
}

static void receive_all(struct ts_channel *channel) {
  unsigned char *bytes = malloc(LARGE_BYTES);
  assert_non_null(bytes);
  for (size_t i = 0; i < COUNT_OF(sizes); i++) {
    struct ts_message message;
    assert_int_equal(ts_channel_receive(channel, &message), TS_CHANNEL_DONE);
    assert_int_equal(message.kind, i);
    assert_int_equal(message.count, sizes[i]);
    fill(i, bytes);
    if (message.count) assert_int_equal(memcmp(message.bytes, bytes, message.count), 0);
  }
  free(bytes);
}

static void messages_of_all_sizes(void **state) {
  (void)state;
  struct ts_channel left;
  struct ts_channel right;
  pthread_t thread;
  connect_pair(&left, &right);
  assert_int_equal(pthread_create(&thread, NULL, send_all, &left), 0);
  receive_all(&right);
  pthread_join(thread, NULL);
  ts_channel_release(&left);
  struct ts_message message;
  assert_int_equal(ts_channel_receive(&right, &message), TS_CHANNEL_GONE);
  ts_channel_release(&right);
}

static void on_alarm(int number) { (void)number; }

/* Every call is interrupted again and again, on both sides. */
static void signals_in_between(void **state) {
  (void)state;
  struct sigaction before;
  const struct sigaction action = {.sa_handler = on_alarm}; /* no SA_RESTART */
  const struct itimerval often = {.it_interval = {.tv_usec = 50}, .it_value = {.tv_usec = 50}};
  const struct itimerval never = {0};
  assert_int_equal(sigaction(SIGALRM, &action, &before), 0);
  assert_int_equal(setitimer(ITIMER_REAL, &often, NULL), 0);
  messages_of_all_sizes(state);
  assert_int_equal(setitimer(ITIMER_REAL, &never, NULL), 0);
  assert_int_equal(sigaction(SIGALRM, &before, NULL), 0);
}

/* A poll loop sees parts only; both directions are pushed on a little at a time. */
static void without_blocking(void **state) {
  (void)state;
  struct ts_channel left;
  struct ts_channel right;
  connect_pair(&left, &right);
  assert_int_equal(fcntl(left.fd, F_SETFL, O_NONBLOCK), 0);
  assert_int_equal(fcntl(right.fd, F_SETFL, O_NONBLOCK), 0);
  unsigned char *bytes = calloc(1, LARGE_BYTES);
  assert_non_null(bytes);
  put(&left, 1, bytes, LARGE_BYTES);
  put(&left, 2, "end", 3);
  struct ts_message message;
  assert_int_equal(ts_channel_pull(&right), TS_CHANNEL_AGAIN);
  assert_int_equal(ts_channel_take(&right, &message), TS_CHANNEL_AGAIN);
  assert_int_equal(ts_channel_flush(&left), TS_CHANNEL_AGAIN);
  size_t rounds = 0;
  uint32_t seen = 0;
  while (seen < 2) {
    ts_channel_flush(&left);
    while (ts_channel_pull(&right) == TS_CHANNEL_DONE) continue;
    while (ts_channel_take(&right, &message) == TS_CHANNEL_DONE) assert_int_equal(message.kind, ++seen);
    assert_true(++rounds < 100000);
  }
  assert_int_equal(message.count, 3);
  assert_memory_equal(message.bytes, "end", 3);
  assert_true(rounds > 2);
  free(bytes);
  ts_channel_release(&left);
  ts_channel_release(&right);
}

static void a_dead_peer_raises_no_signal(void **state) {
  (void)state;
  struct ts_channel left;
  struct ts_channel right;
  connect_pair(&left, &right);
  ts_channel_release(&right);
  unsigned char bytes[100] = {0};
  put(&left, 1, bytes, sizeof bytes);
  assert_int_equal(ts_channel_flush(&left), TS_CHANNEL_GONE);
  assert_int_equal(ts_channel_pull(&left), TS_CHANNEL_GONE);
  ts_channel_release(&left);
}

/* Whoever dies in the middle of a message leaves no message. */
static void half_a_message_is_none(void **state) {
  (void)state;
  static const unsigned char frame[] = {1, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 'a', 'b', 'c'};
  for (size_t cut = 0; cut < sizeof frame; cut++) {
    struct ts_channel left;
    struct ts_channel right;
    struct ts_message message;
    connect_pair(&left, &right);
    assert_int_equal(send(left.fd, frame, cut, 0), cut);
    ts_channel_release(&left);
    assert_int_equal(ts_channel_receive(&right, &message), TS_CHANNEL_GONE);
    ts_channel_release(&right);
  }
}

static void absurd_lengths_are_refused(void **state) {
  (void)state;
  for (int bit = 33; bit < 64; bit++) {
    struct ts_channel left;
    struct ts_channel right;
    struct ts_message message;
    unsigned char frame[12] = {1};
    connect_pair(&left, &right);
    frame[4 + bit / 8] = (unsigned char)(1 << bit % 8);
    assert_int_equal(send(left.fd, frame, sizeof frame, 0), sizeof frame);
    assert_int_equal(ts_channel_receive(&right, &message), TS_CHANNEL_BAD);
    ts_channel_release(&left);
    ts_channel_release(&right);
  }
}

static void own_limit_holds(void **state) {
  (void)state;
  struct ts_channel left;
  struct ts_channel right;
  struct ts_message message;
  connect_pair(&left, &right);
  right.most_bytes = 4;
  put(&left, 1, "1234", 4);
  put(&left, 1, "12345", 5);
  assert_int_equal(ts_channel_flush(&left), TS_CHANNEL_DONE);
  assert_int_equal(ts_channel_receive(&right, &message), TS_CHANNEL_DONE);
  assert_int_equal(ts_channel_receive(&right, &message), TS_CHANNEL_BAD);
  ts_channel_release(&left);
  ts_channel_release(&right);
}

/* Random bytes give messages, or none, or are BAD: whatever comes out lies within what went in. */
static void random_bytes_do_no_harm(void **state) {
  (void)state;
  struct ts_random random;
  ts_random_init(&random, 4711, 0);
  size_t messages = 0;
  for (size_t round = 0; round < 500; round++) {
    struct ts_channel left;
    struct ts_channel right;
    unsigned char bytes[600];
    const size_t count = (size_t)ts_random_below(&random, sizeof bytes);
    for (size_t i = 0; i < count; i++) {
      bytes[i] = (unsigned char)(ts_random_below(&random, 1 + 8 * (round % 5)) ? 0 : ts_random_below(&random, 256));
    }
    connect_pair(&left, &right);
    assert_int_equal(send(left.fd, bytes, count, 0), count);
    ts_channel_release(&left);
    struct ts_message message;
    size_t taken = 0;
    enum ts_channel_state last;
    while ((last = ts_channel_receive(&right, &message)) == TS_CHANNEL_DONE) {
      taken += 12 + message.count;
      messages++;
    }
    assert_true(taken <= count);
    assert_true(last == TS_CHANNEL_GONE || last == TS_CHANNEL_BAD);
    ts_channel_release(&right);
  }
  assert_true(messages > 100);
}

static void only_this_user_may_connect(void **state) {
  (void)state;
  char folder[64];
  char path[80];
  struct ts_error err = {0};
  struct stat status;
  scratch_create(folder);
  snprintf(path, sizeof path, "%s/socket", folder);
  const mode_t before = umask(0);
  int server = ts_channel_listen(path, &err);
  umask(before);
  assert_true(server >= 0);
  assert_int_equal(stat(path, &status), 0);
  assert_true(S_ISSOCK(status.st_mode));
  assert_int_equal(status.st_mode & 0777, 0600);
  int client = ts_channel_connect(path, &err);
  assert_true(client >= 0);
  assert_true(fcntl(client, F_GETFD) & FD_CLOEXEC);
  assert_true(fcntl(server, F_GETFD) & FD_CLOEXEC);
  int again = ts_channel_listen(path, &err);
  assert_int_equal(again, -1);
  assert_error(&err, TS_ERR_SYSTEM);
  close(client);
  close(server);
  scratch_remove(folder);
}

static void wrong_paths_are_told(void **state) {
  (void)state;
  char path[sizeof(((struct sockaddr_un *)0)->sun_path) + 1];
  memset(path, 'x', sizeof path - 1);
  path[sizeof path - 1] = '\0';
  static const char *const wrong[] = {"", "/nowhere/at/all/socket"};
  for (size_t i = 0; i <= COUNT_OF(wrong); i++) {
    struct ts_error listening = {0};
    struct ts_error connecting = {0};
    const char *tried = i < COUNT_OF(wrong) ? wrong[i] : path;
    assert_int_equal(ts_channel_listen(tried, &listening), -1);
    assert_error(&listening, TS_ERR_SYSTEM);
    assert_int_equal(ts_channel_connect(tried, &connecting), -1);
    assert_error(&connecting, TS_ERR_SYSTEM);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(frame_is_as_described),        cmocka_unit_test(messages_of_all_sizes),
      cmocka_unit_test(signals_in_between),           cmocka_unit_test(without_blocking),
      cmocka_unit_test(a_dead_peer_raises_no_signal), cmocka_unit_test(half_a_message_is_none),
      cmocka_unit_test(absurd_lengths_are_refused),   cmocka_unit_test(own_limit_holds),
      cmocka_unit_test(random_bytes_do_no_harm),      cmocka_unit_test(only_this_user_may_connect),
      cmocka_unit_test(wrong_paths_are_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
