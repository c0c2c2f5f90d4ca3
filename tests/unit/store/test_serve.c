/* A store served to other processes: workers that write, refresh, die in the middle or send nonsense; a lost
 * server.
 * SPDX-License-Identifier: Apache-2.0 */
#include "unit/store/support.h"

#include "message/channel.h"
#include "message/wire.h"
#include "store/backend.h"
#include "store/serve.h"

#include <pthread.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <sys/wait.h>

#define PER_CHILD 150
#define HELLO     1 /* as in the protocol: the tests speak it by hand */
#define PROTOCOL  3

static char folder[SCRATCH_SIZE];
static char path[SCRATCH_SIZE + 16];
static struct ts_store *store; /* the served one */
static struct ts_server *server;

static void serve_store(void) {
  struct ts_error err = {0};
  server = ts_server_create(store, path, &err);
  assert_no_error(&err);
  assert_non_null(server);
}

static int setup_folder(void **state) {
  (void)state;
  scratch_create(folder);
  snprintf(path, sizeof path, "%s/socket", folder);
  return 0;
}

static void start_server(void) {
  store = open_store(folder);
  serve_store();
}

static int setup(void **state) {
  setup_folder(state);
  start_server();
  return 0;
}

static int teardown(void **state) {
  (void)state;
  ts_server_destroy(server);
  ts_store_close(store);
  assert_int_not_equal(access(path, F_OK), 0);
  scratch_remove(folder);
  return 0;
}

/* Children are made before there are threads, and wait until the server is there; true in the child. */
static bool make_child(pid_t *child, const int gate[2]) {
  fflush(NULL);
  *child = fork();
  assert_true(*child >= 0);
  if (*child != 0) return false;
  char byte;
  close(gate[1]);
  if (read(gate[0], &byte, 1) != 0) _exit(9); /* it is closed when the server is there */
  return true;
}

static void open_gate(const int gate[2]) {
  close(gate[0]);
  close(gate[1]);
}

static struct ts_store *open_worker(void) {
  struct ts_error err = {0};
  struct ts_store *worker = ts_store_open(&(struct ts_store_options){.path = path, .backend = "remote"}, &err);
  assert_no_error(&err);
  assert_non_null(worker);
  return worker;
}

static void refresh(struct ts_store *worker) {
  struct ts_error err = {0};
  assert_true(ts_store_refresh(worker, &err));
}

/* Without a refresh every question is asked; after one only those for keys that were there. */
static void a_refresh_shows_what_was_there(void **state) {
  (void)state;
  struct ts_store *worker = open_worker();
  assert_false(has_record(worker, 1));
  put_sample(store, 1, 100);
  flush(store);
  assert_sample_whole(worker, 1, 100);
  refresh(worker);
  put_sample(store, 2, 100); /* queued only: a refresh commits it */
  put_sample(store, 3, 100000);
  assert_false(has_record(worker, 2));
  refresh(worker);
  for (uint64_t i = 1; i <= 3; i++) assert_sample_whole(worker, i, i == 3 ? 100000 : 100);
  flush(store);
  put_sample(store, 4, 100);
  flush(store);
  assert_false(has_record(worker, 4)); /* not asked for */
  put_sample(worker, 5, 100);
  assert_sample_whole(worker, 5, 100);
  flush(worker);
  assert_sample_whole(worker, 5, 100);
  assert_sample_whole(store, 5, 100);
  refresh(worker);
  for (uint64_t i = 1; i <= 5; i++) assert_true(has_record(worker, i));
  ts_store_close(worker);
}

/* By both keys, however the records came: before the server, by the owner, by another worker; many refreshes. */
static void nothing_is_hidden(void **state) {
  (void)state;
  ts_auto(ts_arena_release) struct ts_arena arena = {0};
  struct ts_error err = {0};
  struct ts_store *writer = open_worker();
  struct ts_store *reader = open_worker();
  for (uint64_t round = 0; round < 20; round++) {
    for (uint64_t i = 0; i < 30; i++) put_sample(round % 2 ? store : writer, round * 30 + i, 20);
    flush(writer);
    refresh(reader);
    for (uint64_t i = 0; i < (round + 2) * 30; i++) {
      struct ts_record record;
      const struct ts_key content = key_of("content", i);
      assert_int_equal(has_record(reader, i), i < (round + 1) * 30);
      assert_int_equal(ts_store_find_content(reader, &content, &arena, &record, &err), i < (round + 1) * 30);
    }
  }
  assert_no_error(&err);
  ts_store_close(reader);
  reader = open_worker(); /* gets everything at once */
  refresh(reader);
  for (uint64_t i = 0; i < 630; i++) assert_int_equal(has_record(reader, i), i < 600);
  ts_store_close(reader);
  ts_store_close(writer);
}

/* A record that takes the place of the newest one, whose product is gone, comes under a new content key. */
static void replaced_records_are_seen(void **state) {
  (void)state;
  ts_auto(ts_arena_release) struct ts_arena arena = {0};
  struct ts_error err = {0};
  struct ts_store *worker = open_worker();
  struct sample sample;
  sample_init(&sample, 1, 100);
  ts_store_put(store, &sample.record, NULL);
  refresh(worker);
  assert_true(has_record(worker, 1));
  ts_data_unref(sample.data);
  sample.data = make_bytes(100, 999);
  ts_data_digest(sample.data, &sample.output.digest);
  sample.record.content_key = key_of("other content", 1);
  ts_store_put(store, &sample.record, &sample.data);
  refresh(worker);
  struct ts_record record;
  assert_true(ts_store_find_content(worker, &sample.record.content_key, &arena, &record, &err));
  sample_release(&sample);
  ts_store_close(worker);
}

/* That a product is there comes with the record: one question, not two, until the next refresh. */
static void presence_comes_with_the_record(void **state) {
  (void)state;
  struct ts_error err = {0};
  put_sample(store, 1, 100000);
  flush(store);
  struct ts_store *worker = open_worker();
  struct ts_store *other = open_worker();
  struct sample sample;
  sample_init(&sample, 1, 100000);
  assert_true(has_record(worker, 1));
  ts_auto_free char *object = NULL;
  char hex[65];
  ts_hex_encode(sample.output.digest.bytes, 32, hex);
  struct ts_str file = {0};
  ts_str_addf(&file, "%s/objects/%.2s/%s", folder, hex, hex + 2);
  object = ts_str_detach(&file);
  assert_int_equal(truncate(object, 10), 0);
  assert_null(ts_store_load(other, &sample.output.digest, &err)); /* finds it damaged, and has it forgotten */
  assert_int_equal(err.code, TS_ERR_BAD_PRODUCT);
  assert_false(ts_store_has_product(other, &sample.output.digest));
  assert_true(ts_store_has_product(worker, &sample.output.digest)); /* as of when it was found */
  ts_error_clear(&err);
  assert_null(ts_store_load(worker, &sample.output.digest, &err));
  assert_no_error(&err);
  assert_false(ts_store_has_product(worker, &sample.output.digest));
  sample_release(&sample);
  ts_store_close(other);
  ts_store_close(worker);
}

/* In a child: opens the store as a worker, writes its own records and some that all write. */
_Noreturn static void write_as_worker(uint64_t first) {
  struct ts_error err = {0};
  struct ts_store *worker = ts_store_open(&(struct ts_store_options){.path = path, .backend = "remote"}, &err);
  if (!worker || !ts_store_refresh(worker, &err)) _exit(1);
  for (uint64_t i = 0; i < PER_CHILD; i++) {
    put_sample(worker, i % 3 ? first + i : i, i % 20 ? 300 : 100000);
    struct ts_task_row row = {.task = first + i, .stage = "s", .name = "n", .outcome = "executed", .message = ""};
    ts_store_put_task(worker, "44444444", &row);
    if (i % 50 == 49 && !ts_store_flush(worker, &err)) _exit(2);
  }
  if (!ts_store_flush(worker, &err) || !has_record(worker, first + 1)) _exit(3);
  ts_store_close(worker);
  _exit(0);
}

static void processes_write_at_once(void **state) {
  (void)state;
  enum { CHILDREN = 3 };
  pid_t children[CHILDREN];
  int gate[2];
  assert_int_equal(pipe(gate), 0);
  for (uint64_t i = 0; i < CHILDREN; i++) {
    if (make_child(&children[i], gate)) write_as_worker((i + 1) * 1000);
  }
  start_server();
  open_gate(gate);
  /* The owner of the store writes, too. */
  for (uint64_t i = 0; i < PER_CHILD; i++) put_sample(store, 9000 + i, 300);
  for (size_t i = 0; i < CHILDREN; i++) {
    int status;
    assert_int_equal(waitpid(children[i], &status, 0), children[i]);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
  }
  flush(store);
  for (uint64_t i = 0; i < PER_CHILD; i++) {
    const size_t size_bytes = i % 20 ? 300 : 100000;
    assert_sample_whole(store, 9000 + i, 300);
    for (uint64_t child = 1; child <= CHILDREN; child++) {
      assert_sample_whole(store, i % 3 ? child * 1000 + i : i, size_bytes);
    }
  }
  ts_auto(ts_arena_release) struct ts_arena arena = {0};
  struct ts_error err = {0};
  struct ts_task_row *rows;
  size_t count;
  assert_true(ts_store_task_list(store, "44444444", &arena, &rows, &count, &err));
  assert_int_equal(count, CHILDREN * PER_CHILD);
}

/* A connection that says hello by hand; its bytes after that are the test's. */
static void greet_by_hand(struct ts_channel *channel) {
  struct ts_error err = {0};
  struct ts_message message;
  ts_channel_init(channel, ts_channel_connect(path, &err));
  assert_no_error(&err);
  struct ts_str *out = ts_channel_begin(channel);
  ts_str_add_bytes(out, "\1tessera", 8);
  ts_wire_add_u32(out, PROTOCOL);
  assert_true(ts_channel_end(channel, HELLO, &err));
  assert_int_equal(ts_channel_flush(channel), TS_CHANNEL_DONE);
  assert_int_equal(ts_channel_receive(channel, &message), TS_CHANNEL_DONE);
  assert_int_equal(message.kind, 1);
}

/* Sends the beginning of a large message and dies: by closing, or killed. */
static void death_in_the_middle(void **state) {
  (void)state;
  static const unsigned char head[12] = {2, 0, 0, 0, 0, 0, 1}; /* a write of 65536 bytes */
  int gate[2];
  int ends[2];
  pid_t child;
  assert_int_equal(pipe(gate), 0);
  assert_int_equal(pipe(ends), 0);
  if (make_child(&child, gate)) {
    struct ts_channel channel;
    greet_by_hand(&channel);
    if (send(channel.fd, head, sizeof head, MSG_NOSIGNAL) != sizeof head || write(ends[1], "x", 1) != 1) _exit(1);
    for (;;) pause();
  }
  start_server();
  open_gate(gate);
  struct ts_store *worker = open_worker();
  for (size_t cut = 1; cut < 5000; cut = cut * 2 + 5) {
    unsigned char bytes[5000] = {0};
    struct ts_channel channel;
    greet_by_hand(&channel);
    memcpy(bytes, head, sizeof head);
    assert_int_equal(send(channel.fd, bytes, cut, MSG_NOSIGNAL), cut);
    ts_channel_release(&channel);
  }
  char byte;
  assert_int_equal(read(ends[0], &byte, 1), 1);
  assert_int_equal(kill(child, SIGKILL), 0);
  assert_int_equal(waitpid(child, NULL, 0), child);
  close(ends[0]);
  close(ends[1]);
  put_sample(worker, 1, 100); /* the others go on */
  flush(worker);
  assert_sample_whole(store, 1, 100);
  ts_store_close(worker);
}

/* Whether the server has ended this connection: everything it still sends is read first. */
static bool is_ended(struct ts_channel *channel) {
  struct ts_message message;
  enum ts_channel_state last;
  while ((last = ts_channel_receive(channel, &message)) == TS_CHANNEL_DONE) continue;
  return last == TS_CHANNEL_GONE;
}

static void nonsense_ends_its_connection_only(void **state) {
  (void)state;
  struct ts_store *worker = open_worker();
  struct ts_random random;
  ts_random_init(&random, 99, 0);
  for (size_t round = 0; round < 400; round++) {
    unsigned char bytes[400];
    size_t count = (size_t)ts_random_below(&random, sizeof bytes - 12);
    for (size_t i = 0; i < sizeof bytes; i++) {
      bytes[i] = (unsigned char)(ts_random_below(&random, 1 + round % 4) ? 0 : ts_random_below(&random, 256));
    }
    struct ts_channel channel;
    if (round % 8 == 0) { /* without a greeting */
      struct ts_error err = {0};
      ts_channel_init(&channel, ts_channel_connect(path, &err));
      assert_no_error(&err);
    } else {
      greet_by_hand(&channel);
    }
    if (round % 4) { /* a sound frame around it, of a kind that there is or is not */
      memset(bytes, 0, 12);
      bytes[0] = (unsigned char)(2 + round % 20);
      bytes[4] = (unsigned char)count;
      bytes[5] = (unsigned char)(count >> 8);
      count += 12;
    }
    send(channel.fd, bytes, count, MSG_NOSIGNAL);
    shutdown(channel.fd, SHUT_WR);
    assert_true(is_ended(&channel));
    ts_channel_release(&channel);
    if (round % 50 == 0) assert_false(has_record(worker, round));
  }
  put_sample(worker, 1, 100);
  flush(worker);
  assert_sample_whole(store, 1, 100);
  ts_store_close(worker);
}

/* A greeting must be one, and is enough once. */
static void greetings(void **state) {
  (void)state;
  static const struct {
    const char *magic;
    uint32_t protocol;
    bool is_answered;
  } cases[] = {{"\1tessera", PROTOCOL, true}, {"\1tessera", PROTOCOL + 1, true}, {"\1tesserA", PROTOCOL, false}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    struct ts_error err = {0};
    struct ts_channel channel;
    struct ts_message message;
    ts_channel_init(&channel, ts_channel_connect(path, &err));
    struct ts_str *out = ts_channel_begin(&channel);
    ts_str_add_bytes(out, cases[i].magic, 8);
    ts_wire_add_u32(out, cases[i].protocol);
    assert_true(ts_channel_end(&channel, HELLO, &err));
    assert_int_equal(ts_channel_flush(&channel), TS_CHANNEL_DONE);
    assert_int_equal(ts_channel_receive(&channel, &message) == TS_CHANNEL_DONE, cases[i].is_answered);
    if (cases[i].is_answered) assert_int_equal(message.kind, cases[i].protocol == PROTOCOL ? 1 : 3);
    ts_channel_release(&channel);
  }
  struct ts_channel channel;
  greet_by_hand(&channel);
  static const unsigned char again[24] = {HELLO, 0, 0, 0, 12};
  assert_int_equal(send(channel.fd, again, sizeof again, MSG_NOSIGNAL), sizeof again);
  assert_true(is_ended(&channel));
  ts_channel_release(&channel);
}

static void assert_says_gone(const struct ts_error *err) {
  assert_int_equal(err->code, TS_ERR_STORE);
  assert_string_equal(err->text, "the study's process is gone");
  assert_int_not_equal(err->help[0], '\0');
}

static void a_lost_server_is_told(void **state) {
  (void)state;
  ts_auto(ts_arena_release) struct ts_arena arena = {0};
  struct ts_store *worker = open_worker();
  put_sample(worker, 1, 100);
  flush(worker);
  ts_server_destroy(server);
  for (int again = 0; again < 2; again++) {
    struct ts_error err = {0};
    struct ts_record record;
    const struct ts_key key = key_of("lineage", 1);
    assert_false(ts_store_find(worker, &key, &arena, &record, &err));
    assert_says_gone(&err);
    ts_error_clear(&err);
    assert_false(ts_store_refresh(worker, &err));
    assert_says_gone(&err);
    ts_error_clear(&err);
    assert_null(ts_store_load(worker, &key.digest, &err));
    assert_says_gone(&err);
    assert_false(ts_store_has_product(worker, &key.digest));
  }
  struct ts_error err = {0};
  put_sample(worker, 2, 100);
  assert_false(ts_store_flush(worker, &err));
  assert_says_gone(&err);
  ts_store_close(worker);
  ts_error_clear(&err);
  assert_null(ts_store_open(&(struct ts_store_options){.path = path, .backend = "remote"}, &err));
  assert_int_not_equal(err.code, TS_ERR_OK);
  assert_int_not_equal(err.help[0], '\0');
  serve_store(); /* what teardown takes down; the path is free again */
}

static atomic_bool thread_failed;

static void *talk(void *argument) {
  struct ts_store *worker = argument;
  struct ts_error err = {0};
  for (uint64_t i = 0; i < 60; i++) {
    if (i % 10 == 0 && !ts_store_refresh(worker, &err)) thread_failed = true;
    put_sample(worker, i, 5000);
    if (!has_record(worker, i)) thread_failed = true;
  }
  return NULL;
}

static void threads_of_one_worker(void **state) {
  (void)state;
  struct ts_store *worker = open_worker();
  pthread_t threads[4];
  thread_failed = false;
  for (size_t i = 0; i < 4; i++) assert_int_equal(pthread_create(&threads[i], NULL, talk, worker), 0);
  for (size_t i = 0; i < 4; i++) pthread_join(threads[i], NULL);
  assert_false(thread_failed);
  flush(worker);
  for (uint64_t i = 0; i < 60; i++) assert_sample_whole(store, i, 5000);
  ts_store_close(worker);
}

static void *flush_worker(void *argument) {
  struct ts_error err = {0};
  if (!ts_store_flush(argument, &err)) thread_failed = true;
  return NULL;
}

/* While the database is locked by another program a write waits, and nothing else: it would wait for the unlocking
 * below. */
static void nobody_waits_for_a_write(void **state) {
  (void)state;
  char database[SCRATCH_SIZE + 16];
  sqlite3 *db;
  pthread_t thread;
  snprintf(database, sizeof database, "%s/store.db", folder);
  put_sample(store, 0, 100);
  flush(store);
  struct ts_store *worker = open_worker();
  struct ts_store *other = open_worker();
  assert_int_equal(sqlite3_open(database, &db), SQLITE_OK);
  assert_int_equal(sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
  put_sample(worker, 1, 100);
  thread_failed = false;
  assert_int_equal(pthread_create(&thread, NULL, flush_worker, worker), 0);
  for (size_t i = 0; i < 300; i++) {
    assert_true(has_record(i % 2 ? worker : other, 0));
    if (i == 200) refresh(worker);
  }
  assert_false(has_record(other, 1));
  assert_int_equal(sqlite3_exec(db, "COMMIT", NULL, NULL, NULL), SQLITE_OK);
  sqlite3_close(db);
  pthread_join(thread, NULL);
  assert_false(thread_failed);
  assert_sample_whole(store, 1, 100);
  ts_store_close(other);
  ts_store_close(worker);
}

/* What cannot be served, or not there, is told at once. */
static void refusals(void **state) {
  (void)state;
  struct ts_error err = {0};
  struct ts_store *worker = open_worker();
  char other[SCRATCH_SIZE + 16];
  snprintf(other, sizeof other, "%s/other", folder);
  assert_null(ts_server_create(worker, other, &err));
  assert_int_equal(err.code, TS_ERR_STORE);
  ts_error_clear(&err);
  assert_null(ts_server_create(store, path, &err));
  assert_int_equal(err.code, TS_ERR_SYSTEM);
  ts_error_clear(&err);
  struct ts_store *reader = open_to_read(folder);
  assert_null(ts_server_create(reader, other, &err));
  assert_int_equal(err.code, TS_ERR_STORE);
  ts_store_close(reader);
  ts_store_close(worker);
  ts_error_clear(&err);
  assert_null(ts_store_open(&(struct ts_store_options){.backend = "remote"}, &err));
  assert_int_equal(err.code, TS_ERR_USAGE);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(a_refresh_shows_what_was_there),
      TEST(nothing_is_hidden),
      TEST(replaced_records_are_seen),
      TEST(presence_comes_with_the_record),
      cmocka_unit_test_setup_teardown(processes_write_at_once, setup_folder, teardown),
      cmocka_unit_test_setup_teardown(death_in_the_middle, setup_folder, teardown),
      TEST(nonsense_ends_its_connection_only),
      TEST(greetings),
      TEST(a_lost_server_is_told),
      TEST(threads_of_one_worker),
      TEST(nobody_waits_for_a_write),
      TEST(refusals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
