/* Killing a writing process at any moment: what was flushed is there, and everything that is visible is whole.
 * SPDX-License-Identifier: Apache-2.0 */
#include "unit/store/support.h"

#include "base/clock.h"

#include <poll.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/wait.h>

#define ROUNDS       6
#define PER_ROUND    100000 /* numbers reserved for a round; none comes that far */
#define WAIT_SECONDS 30

static char folder[SCRATCH_SIZE];

static int setup(void **state) {
  (void)state;
  scratch_create(folder);
  return 0;
}

static int teardown(void **state) {
  (void)state;
  scratch_remove(folder);
  return 0;
}

static size_t size_of(uint64_t number) { return number % 8 == 0 ? 80000 : 50 + number % 1000; }

/* Every second round flushes so seldom that full batches are committed in between. */
static uint64_t flush_every(uint64_t round) { return round % 2 ? 1200 : 40; }

/* Puts records until it is killed; tells through the pipe how many are flushed. */
_Noreturn static void write_until_killed(uint64_t round, int pipe_fd) {
  struct ts_error err = {0};
  struct ts_store *store = ts_store_open(&(struct ts_store_options){.path = folder}, &err);
  if (!store) _exit(1);
  for (uint64_t i = 0; i < PER_ROUND; i++) {
    if (i % flush_every(round) == 0) {
      if (!ts_store_flush(store, &err) || write(pipe_fd, &i, sizeof i) != (ssize_t)sizeof i) _exit(1);
    }
    put_sample(store, round * PER_ROUND + i, size_of(i));
  }
  _exit(1);
}

/* Lets a child write until it has told `reports` flushes and a little more, kills it and returns what was flushed. */
static uint64_t write_and_kill(uint64_t round, uint64_t reports, int more_ms) {
  int ends[2];
  assert_int_equal(pipe(ends), 0);
  pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) write_until_killed(round, ends[1]);
  close(ends[1]);
  uint64_t flushed = 0;
  for (uint64_t i = 0; i < reports; i++) assert_int_equal(read(ends[0], &flushed, sizeof flushed), sizeof flushed);
  struct pollfd next = {.fd = ends[0], .events = POLLIN};
  poll(&next, 1, more_ms); /* the child may get on for a while, or until its next flush */
  assert_int_equal(kill(child, SIGKILL), 0);
  int status;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_true(WIFSIGNALED(status));
  uint64_t later;
  while (read(ends[0], &later, sizeof later) == (ssize_t)sizeof later) flushed = later;
  close(ends[0]);
  return flushed;
}

static void assert_database_sound(void) {
  char path[SCRATCH_SIZE + 16];
  sqlite3 *db;
  sqlite3_stmt *statement;
  snprintf(path, sizeof path, "%s/store.db", folder);
  assert_int_equal(sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
  assert_int_equal(sqlite3_prepare_v2(db, "PRAGMA integrity_check", -1, &statement, NULL), SQLITE_OK);
  assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
  assert_string_equal((const char *)sqlite3_column_text(statement, 0), "ok");
  sqlite3_finalize(statement);
  sqlite3_close(db);
}

/* invariant 7: a record is visible only with all its products. */
static void killed_writers_leave_whole_records(void **state) {
  (void)state;
  struct ts_random random;
  ts_random_init(&random, 20240601, 0);
  uint64_t unflushed_seen = 0;
  for (uint64_t round = 0; round < ROUNDS; round++) {
    const uint64_t first = round * PER_ROUND;
    const uint64_t reports = 1 + ts_random_below(&random, round % 2 ? 2 : 5);
    const uint64_t flushed = write_and_kill(round, reports, (int)ts_random_below(&random, round % 2 ? 600 : 20));
    struct ts_store *store = open_store(folder);
    for (uint64_t i = 0; i < flushed + 2 * flush_every(round); i++) {
      if (i >= flushed && !has_record(store, first + i)) continue;
      unflushed_seen += i >= flushed;
      assert_sample_whole(store, first + i, size_of(i));
    }
    ts_store_close(store);
    assert_database_sound();
  }
  print_message("%llu records that were not flushed had arrived\n", (unsigned long long)unflushed_seen);
}

/* Nobody flushes here: the writer commits by itself, soon enough that a reader sees it while the work goes on. */
static void records_arrive_without_a_flush(void **state) {
  (void)state;
  int ends[2];
  assert_int_equal(pipe(ends), 0);
  pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    struct ts_store *store = ts_store_open(&(struct ts_store_options){.path = folder}, NULL);
    if (!store) _exit(1);
    put_sample(store, 1, 100);
    if (write(ends[1], "x", 1) != 1) _exit(1);
    for (;;) pause();
  }
  char byte;
  assert_int_equal(read(ends[0], &byte, 1), 1);
  const uint64_t start_ns = ts_clock_ns();
  struct ts_store *reader = open_to_read(folder);
  while (!has_record(reader, 1)) assert_true(ts_clock_ns() - start_ns < WAIT_SECONDS * UINT64_C(1000000000));
  assert_int_equal(kill(child, SIGKILL), 0);
  assert_int_equal(waitpid(child, NULL, 0), child);
  assert_sample_whole(reader, 1, 100);
  ts_store_close(reader);
  close(ends[0]);
  close(ends[1]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(killed_writers_leave_whole_records, setup, teardown),
      cmocka_unit_test_setup_teardown(records_arrive_without_a_flush, setup, teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
