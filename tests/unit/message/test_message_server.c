/* A server of messages and its clients: answers now and later, connections that rest, end or send too much.
 * SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "message/client.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { ECHO = 1, REFUSE, FAIL, LATER, NONSENSE };

static char folder[64], path[96];
static struct ts_message_server *server;
static atomic_size_t greeted, gone, resumed;
static atomic_bool is_open; /* whether what rests may be answered */

static enum ts_served answer(struct ts_peer *peer, const char *text) {
  struct ts_error err = {0};
  ts_wire_add_text(ts_channel_begin(&peer->channel), text);
  ts_peer_answer(peer, TS_ANSWER_YES, &err);
  return TS_SERVED_ANSWERED;
}

static enum ts_served on_message(void *user, struct ts_peer *peer, const struct ts_message *message) {
  struct ts_error err = {0};
  assert_ptr_equal(user, &server);
  if (!peer->data) greeted++;
  if (!peer->data) peer->data = ts_strdup("known");
  struct ts_wire wire = ts_wire_of(message->bytes, message->count);
  switch (message->kind) {
  case ECHO: return answer(peer, ts_wire_text(&wire));
  case REFUSE: ts_peer_answer(peer, TS_ANSWER_NO, &err); return TS_SERVED_ANSWERED;
  case FAIL:
    ts_fail(&err, TS_ERR_BAD_VALUE, "no such thing");
    ts_peer_answer(peer, TS_ANSWER_FAILED, &err);
    return TS_SERVED_ANSWERED;
  case LATER: return is_open ? answer(peer, "at once") : TS_SERVED_LATER;
  default: return TS_SERVED_END;
  }
}

static enum ts_served on_resume(void *user, struct ts_peer *peer) {
  (void)user;
  resumed++;
  return is_open ? answer(peer, "later") : TS_SERVED_LATER;
}

static void on_gone(void *user, struct ts_peer *peer) {
  (void)user;
  if (peer->data) gone++;
  free(peer->data);
}

static int setup(void **state) {
  (void)state;
  struct ts_error err = {0};
  snprintf(folder, sizeof folder, "/tmp/tessera-test-XXXXXX");
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/socket", folder);
  greeted = gone = resumed = 0;
  is_open = false;
  server = ts_message_server_create(&(struct ts_message_server_options){.path = path,
                                                                        .what = "nothing is served",
                                                                        .first_bytes = 64,
                                                                        .user = &server,
                                                                        .on_message = on_message,
                                                                        .on_resume = on_resume,
                                                                        .on_gone = on_gone},
                                    &err);
  assert_non_null(server);
  return 0;
}

static int teardown(void **state) {
  (void)state;
  ts_message_server_destroy(server);
  assert_int_equal(gone, greeted);
  assert_int_not_equal(access(path, F_OK), 0);
  return rmdir(folder);
}

static void client_open(struct ts_message_client *client) {
  struct ts_error err = {0};
  ts_message_client_init(client, TS_ERR_WORKER);
  assert_true(ts_message_client_connect(client, path, &err));
}

/* The text of the answer, or that of the error. */
static const char *ask(struct ts_message_client *client, uint32_t kind, const char *text, struct ts_error *err) {
  static _Thread_local char got[2048];
  struct ts_wire wire;
  ts_error_clear(err);
  pthread_mutex_lock(&client->lock);
  ts_wire_add_text(ts_message_client_begin(client), text);
  const bool ok = ts_message_client_ask(client, kind, &wire, err);
  snprintf(got, sizeof got, "%s", ok ? ts_wire_text(&wire) : err->text);
  if (ok) assert_true(ts_message_client_is_sound(client, &wire, err));
  pthread_mutex_unlock(&client->lock);
  return got;
}

static void wait_until(atomic_size_t *count, size_t least) {
  for (int i = 0; i < 30000 && *count < least; i++) usleep(1000);
  assert_true(*count >= least);
}

static void every_kind_of_answer(void **state) {
  (void)state;
  struct ts_message_client client;
  struct ts_error err = {0};
  client_open(&client);
  assert_string_equal(ask(&client, ECHO, "hello", &err), "hello");
  assert_string_equal(ask(&client, REFUSE, "", &err), "");
  assert_int_equal(err.code, TS_ERR_OK);
  assert_string_equal(ask(&client, FAIL, "", &err), "no such thing");
  assert_int_equal(err.code, TS_ERR_BAD_VALUE);
  char *large = ts_calloc(1, 1 << 20);
  memset(large, 'x', (1 << 20) - 1);
  assert_int_equal(strlen(ask(&client, ECHO, large, &err)), 2047);
  free(large);
  assert_string_equal(ask(&client, NONSENSE, "", &err), "the study's process is gone");
  assert_int_equal(err.code, TS_ERR_WORKER);
  assert_string_equal(ask(&client, ECHO, "hello", &err), "the study's process is gone");
  ts_message_client_release(&client);
}

static void *ask_later(void *argument) {
  struct ts_error err = {0};
  return (void *)(uintptr_t)(strcmp(ask(argument, LATER, "", &err), "later") == 0);
}

/* While some rest, others are answered; those that die meanwhile are seen. */
static void those_that_rest_delay_nobody(void **state) {
  (void)state;
  struct ts_message_client resting[3], other;
  struct ts_error err = {0};
  pthread_t threads[2];
  void *is_right;
  for (size_t i = 0; i < 3; i++) client_open(&resting[i]);
  client_open(&other);
  for (size_t i = 0; i < 2; i++) assert_int_equal(pthread_create(&threads[i], NULL, ask_later, &resting[i]), 0);
  pthread_mutex_lock(&resting[2].lock);
  ts_wire_add_text(ts_message_client_begin(&resting[2]), "");
  assert_true(ts_channel_end(&resting[2].channel, LATER, &err));
  assert_int_equal(ts_channel_flush(&resting[2].channel), TS_CHANNEL_DONE);
  pthread_mutex_unlock(&resting[2].lock);
  wait_until(&greeted, 3);
  assert_string_equal(ask(&other, ECHO, "hello", &err), "hello");
  ts_message_client_release(&resting[2]); /* dies while it rests */
  wait_until(&gone, 1);
  ts_message_server_resume(server, 0); /* there is still no answer */
  wait_until(&resumed, 2);
  ts_message_server_resume(server, UINT64_C(1) << 40); /* nobody */
  is_open = true;
  ts_message_server_resume(server, 0);
  for (size_t i = 0; i < 2; i++) {
    pthread_join(threads[i], &is_right);
    assert_non_null(is_right);
    assert_string_equal(ask(&resting[i], LATER, "", &err), "at once");
    ts_message_client_release(&resting[i]);
  }
  ts_message_client_release(&other);
}

/* Whoever has sent nothing yet cannot make the server take memory. */
static void a_first_message_is_short(void **state) {
  (void)state;
  struct ts_message_client client;
  struct ts_error err = {0};
  client_open(&client);
  char text[200];
  memset(text, 'x', sizeof text);
  text[199] = '\0';
  assert_string_equal(ask(&client, ECHO, text, &err), "the study's process is gone");
  ts_message_client_release(&client);
}

static void a_place_that_is_taken(void **state) {
  (void)state;
  struct ts_error err = {0};
  assert_null(ts_message_server_create(&(struct ts_message_server_options){.path = path, .what = "x"}, &err));
  assert_int_equal(err.code, TS_ERR_SYSTEM);
  assert_int_not_equal(err.help[0], '\0');
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(every_kind_of_answer),
      TEST(those_that_rest_delay_nobody),
      TEST(a_first_message_is_short),
      TEST(a_place_that_is_taken),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
