/* The same over every registered backend: runs, and the rows of their tasks.
 * SPDX-License-Identifier: Apache-2.0 */
#include "unit/store/over_backends.h"

#include "base/clock.h"

static void runs_are_listed_newest_first(void **state) {
  (void)state;
  ts_auto(ts_arena_release) struct ts_arena arena = {0};
  struct ts_error err = {0};
  char ids[50][9];
  for (size_t i = 0; i < 50; i++) {
    assert_true(ts_store_run_begin(store, "study", "/data/study.json", "{\"seed\":1}", ids[i], &err));
    assert_int_equal(strlen(ids[i]), 8);
    assert_int_equal(strspn(ids[i], "0123456789abcdef"), 8);
  }
  struct ts_run_row *rows;
  size_t count;
  assert_true(ts_store_run_list(store, &arena, &rows, &count, &err));
  assert_int_equal(count, 50);
  for (size_t i = 0; i < 50; i++) {
    assert_string_equal(rows[i].id, ids[49 - i]);
    assert_string_equal(rows[i].command, "study");
    assert_string_equal(rows[i].file, "/data/study.json");
    assert_string_equal(rows[i].state, "running");
    assert_string_equal(rows[i].settings_json, "{\"seed\":1}");
    assert_string_equal(rows[i].result_json, "");
    assert_int_equal(rows[i].finished_unix_ns, 0);
    assert_int_equal(rows[i].process_id, getpid());
    for (size_t j = 0; j < i; j++) assert_string_not_equal(rows[i].id, rows[j].id);
  }
}

static struct ts_run_row only_run(struct ts_arena *arena) {
  struct ts_error err = {0};
  struct ts_run_row *rows;
  size_t count;
  assert_true(ts_store_run_list(store, arena, &rows, &count, &err));
  assert_int_equal(count, 1);
  return rows[0];
}

static void run_states(void **state) {
  (void)state;
  ts_auto(ts_arena_release) struct ts_arena arena = {0};
  struct ts_error err = {0};
  char id[9];
  const int64_t before_ns = ts_clock_unix_ns();
  assert_true(ts_store_run_begin(store, "run", "w.json", "{}", id, &err));
  assert_true(ts_store_run_update(store, id, "paused", NULL, &err));
  struct ts_run_row row = only_run(&arena);
  assert_string_equal(row.state, "paused");
  assert_string_equal(row.result_json, "");
  assert_int_equal(row.finished_unix_ns, 0);
  assert_true(row.started_unix_ns >= before_ns && row.started_unix_ns <= ts_clock_unix_ns());
  assert_true(ts_store_run_update(store, id, "running", NULL, &err));
  assert_string_equal(only_run(&arena).state, "running");
  assert_true(ts_store_run_update(store, id, "done", "{\"wall_s\":3}", &err));
  row = only_run(&arena);
  assert_string_equal(row.state, "done");
  assert_string_equal(row.result_json, "{\"wall_s\":3}");
  assert_true(row.finished_unix_ns >= row.started_unix_ns);
  assert_true(ts_store_run_update(store, id, "failed", NULL, &err));
  assert_string_equal(only_run(&arena).result_json, "{\"wall_s\":3}");
  assert_string_equal(only_run(&arena).settings_json, "{}");
  assert_false(ts_store_run_update(store, "ffffffff0", "done", NULL, &err));
  assert_int_equal(err.code, TS_ERR_NO_SUCH_RUN);
}

static void run_settings(void **state) {
  (void)state;
  ts_auto(ts_arena_release) struct ts_arena arena = {0};
  struct ts_error err = {0};
  char id[9];
  assert_true(ts_store_run_begin(store, "study", "s.json", "{}", id, &err));
  assert_true(ts_store_run_settings(store, id, "{\"rounds\":[]}", &err));
  struct ts_run_row row = only_run(&arena);
  assert_string_equal(row.settings_json, "{\"rounds\":[]}");
  assert_string_equal(row.state, "running");
  assert_int_equal(row.process_id, getpid());
  assert_int_equal(row.finished_unix_ns, 0);
  assert_true(ts_store_run_update(store, id, "done", "{}", &err));
  assert_string_equal(only_run(&arena).settings_json, "{\"rounds\":[]}");
  assert_false(ts_store_run_settings(store, "ffffffff0", "{}", &err));
  assert_int_equal(err.code, TS_ERR_NO_SUCH_RUN);
}

static struct ts_task_row make_task(uint64_t number) {
  return (struct ts_task_row){.task = number,
                              .stage = "segment",
                              .name = "candidates",
                              .set = (int64_t)number - 1,
                              .unit = 3,
                              .key = key_of("lineage", number),
                              .outcome = "executed",
                              .start_s = 0.5 * (double)number,
                              .seconds = 0.25,
                              .cpu_seconds = 0.125,
                              .worker = 2,
                              .message = number == 3 ? "line\n\xff raw" : ""};
}

static void tasks_of_a_run(void **state) {
  (void)state;
  ts_auto(ts_arena_release) struct ts_arena arena = {0};
  struct ts_error err = {0};
  static const uint64_t order[] = {3, 0, 2, 1, 2};
  for (size_t i = 0; i < 5; i++) {
    struct ts_task_row row = make_task(order[i]);
    if (i == 2) row.outcome = "failed"; /* told again later */
    ts_store_put_task(store, "11111111", &row);
  }
  struct ts_task_row other = make_task(7);
  ts_store_put_task(store, "22222222", &other);
  struct ts_task_row *rows;
  size_t count;
  assert_true(ts_store_task_list(store, "11111111", &arena, &rows, &count, &err));
  assert_int_equal(count, 4);
  for (uint64_t i = 0; i < 4; i++) {
    const struct ts_task_row expected = make_task(i);
    assert_int_equal(rows[i].task, i);
    assert_string_equal(rows[i].stage, expected.stage);
    assert_string_equal(rows[i].name, expected.name);
    assert_int_equal(rows[i].set, expected.set);
    assert_int_equal(rows[i].unit, 3);
    assert_keys_equal(&rows[i].key, &expected.key);
    assert_string_equal(rows[i].outcome, "executed");
    assert_true(rows[i].start_s == expected.start_s && rows[i].seconds == 0.25 && rows[i].cpu_seconds == 0.125);
    assert_int_equal(rows[i].worker, 2);
    assert_string_equal(rows[i].message, expected.message);
  }
}

/* The rows from a number on, and the number after them. */
static uint64_t read_since(uint64_t since, size_t limit, uint64_t *numbers, size_t *count) {
  ts_auto(ts_arena_release) struct ts_arena arena = {0};
  struct ts_error err = {0};
  struct ts_task_row *rows;
  assert_true(ts_store_task_rows_since(store, "44444444", since, limit, &arena, &rows, count, &err));
  assert_no_error(&err);
  for (size_t i = 0; i < *count; i++) numbers[i] = rows[i].task;
  return *count > 0 ? rows[*count - 1].task + 1 : since;
}

static void tasks_are_a_feed(void **state) {
  (void)state;
  struct ts_error err = {0};
  uint64_t numbers[8], end = 9, next = 0;
  size_t count, seen = 0;
  assert_true(ts_store_task_end(store, "44444444", &end, &err));
  assert_int_equal(end, 0);
  for (uint64_t part = 0; part < 2; part++) {
    for (uint64_t i = 0; i < 5; i++) {
      const struct ts_task_row row = make_task(end + i), other = make_task(100 + i);
      ts_store_put_task(store, "44444444", &row);
      ts_store_put_task(store, "55555555", &other);
    }
    assert_true(ts_store_task_end(store, "44444444", &end, &err));
    assert_int_equal(end, 5 * (part + 1));
    while ((next = read_since(next, 2, numbers, &count)), count > 0) {
      assert_true(count <= 2);
      for (size_t i = 0; i < count; i++) assert_int_equal(numbers[i], seen++);
    }
    assert_int_equal(seen, end);
  }
  assert_int_equal(read_since(8, 8, numbers, &count), 10);
  assert_int_equal(count, 2);
  assert_int_equal(read_since(10, 8, numbers, &count), 10);
  assert_int_equal(read_since(UINT64_MAX, 8, numbers, &count), UINT64_MAX);
  assert_int_equal(read_since(0, 0, numbers, &count), 0);
  assert_int_equal(count, 0);
}

static int run_suite(const char *name) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(runs_are_listed_newest_first, setup, teardown),
      cmocka_unit_test_setup_teardown(run_states, setup, teardown),
      cmocka_unit_test_setup_teardown(run_settings, setup, teardown),
      cmocka_unit_test_setup_teardown(tasks_of_a_run, setup, teardown),
      cmocka_unit_test_setup_teardown(tasks_are_a_feed, setup, teardown),
  };
  return cmocka_run_group_tests_name(name, tests, NULL, NULL);
}

int main(void) { return over_backends(run_suite); }
