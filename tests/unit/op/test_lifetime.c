/* Open and close of operations: once, by whichever thread, with failures that stay and the guards of calls.
 * SPDX-License-Identifier: Apache-2.0 */
#include "unit/op/helpers.h"

#include "op/watch.h"

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#define THREADS 8

struct fixture {
  char *folder, *log; /* owned */
  struct ts_registry *registry;
};

static int set_up(void **state) {
  struct fixture *fixture = ts_calloc(1, sizeof *fixture);
  fixture->folder = make_folder();
  fixture->log = ts_path_join(fixture->folder, "log");
  setenv("OPENS_LOG", fixture->log, 1);
  fixture->registry = registry_with_plugin("opens");
  *state = fixture;
  return 0;
}

static int tear_down(void **state) {
  struct fixture *fixture = *state;
  ts_registry_destroy(fixture->registry);
  unsetenv("OPENS_LOG");
  ts_folder_remove(fixture->folder);
  free(fixture->folder);
  free(fixture->log);
  free(fixture);
  return 0;
}

static void assert_log(const struct fixture *fixture, const char *expected) {
  struct ts_str text = {0};
  struct ts_error err = {0};
  if (ts_file_exists(fixture->log)) ts_file_read(fixture->log, 0, &text, &err);
  assert_string_equal(ts_str_get(&text), expected);
  ts_str_release(&text);
}

/* The length that the operation found in its state; -1: it failed. */
static double call_operation(const struct fixture *fixture, const char *name, struct ts_error *err) {
  struct ts_data *out = ts_registry_find(fixture->registry, name)->descriptor->user; /* garbage that must not stay */
  *err = (struct ts_error){0};
  if (!ts_op_execute(ts_registry_find(fixture->registry, name), NULL, NULL, &out, NULL, err)) {
    assert_null(out);
    return -1;
  }
  const double length = table_cell(out, 0, "length");
  ts_data_unref(out);
  return length;
}

static void opened_once_closed_at_the_end(void **state) {
  struct fixture *fixture = *state;
  struct ts_error err;
  assert_log(fixture, ""); /* nothing is opened that nobody calls */
  for (int i = 0; i < 3; i++) assert_true(call_operation(fixture, "opens.well", &err) == 4);
  assert_log(fixture, "open well\n");
  ts_registry_destroy(fixture->registry);
  assert_log(fixture, "open well\nclose well\n");
  fixture->registry = registry_with_plugin("opens"); /* a life of its own */
  assert_true(call_operation(fixture, "opens.well", &err) == 4);
  assert_log(fixture, "open well\nclose well\nopen well\n");
}

static void *call_well(void *user) {
  struct ts_error err;
  return call_operation(user, "opens.well", &err) == 4 ? user : NULL;
}

static void threads_share_one_opening(void **state) {
  struct fixture *fixture = *state;
  pthread_t threads[THREADS];
  for (size_t i = 0; i < THREADS; i++) assert_int_equal(pthread_create(&threads[i], NULL, call_well, fixture), 0);
  for (size_t i = 0; i < THREADS; i++) {
    void *ok = NULL;
    pthread_join(threads[i], &ok);
    assert_non_null(ok);
  }
  assert_log(fixture, "open well\n");
}

/* A failure is final: the same text for every call, one attempt. What was opened before is closed. */
static void a_failure_stays(void **state) {
  struct fixture *fixture = *state;
  static const struct {
    const char *operation, *text;
    enum ts_error_code code;
  } rows[] = {{"opens.badly", "operation 'opens.badly' could not be opened: no model in 'nowhere'", TS_ERR_TASK_FAILED},
              {"opens.silently", "could not be opened: status 3, and no reason given", TS_ERR_TASK_FAILED},
              {"opens.both_ways", "could not be opened: told but not returned", TS_ERR_TASK_FAILED},
              {"opens.elsewhere", "'opens.elsewhere' changed the current folder (to '/') while it was opened",
               TS_ERR_OPERATION_DISTURBS}};
  char before[4096], after[4096];
  assert_non_null(getcwd(before, sizeof before));
  for (size_t i = 0; i < 2 * COUNT(rows); i++) {
    struct ts_error err;
    struct ts_op *op = ts_registry_find(fixture->registry, rows[i / 2].operation);
    assert_true(call_operation(fixture, rows[i / 2].operation, &err) == -1);
    assert_error(&err, rows[i / 2].code, rows[i / 2].text);
    assert_int_equal(op->executions, 0);
  }
  assert_non_null(getcwd(after, sizeof after));
  assert_string_equal(after, before);
  assert_log(fixture, "open badly\nopen both_ways\nclose both_ways\nopen elsewhere\nclose elsewhere\n");
}

static void a_call_that_is_cancelled_opens_nothing(void **state) {
  struct fixture *fixture = *state;
  const atomic_bool cancelled = true;
  const struct ts_op_context context = {.cancelled = &cancelled};
  struct ts_error err = {0};
  struct ts_data *out = NULL;
  assert_false(ts_op_execute(ts_registry_find(fixture->registry, "opens.well"), NULL, NULL, &out, &context, &err));
  assert_int_equal(err.code, TS_ERR_CANCELLED);
  assert_log(fixture, "");
}

/* In a child: what its process says at its end. */
static void run_to_the_end(const struct fixture *fixture, const char *name, const char *last_words) {
  const struct ts_watch_options options = {.resume = "", .limit_s = 0.2};
  const struct ts_op_context context = {.task = "t", .timeout_s = 0.2};
  struct ts_error err = {0};
  struct ts_data *out = NULL;
  bool watching = false;
  alarm(60);
  if (!freopen(last_words, "w", stderr) || !ts_watch_start(&options, &watching, &err)) _exit(99);
  ts_op_execute(ts_registry_find(fixture->registry, name), NULL, NULL, &out, &context, &err);
  _exit(98);
}

static void crash_end_and_hang_are_named(void **state) {
  struct fixture *fixture = *state;
  static const struct {
    const char *operation, *text;
  } rows[] = {{"opens.crash", "operation 'opens.crash' crashed (it called abort) in task 't'"},
              {"opens.exit", "operation 'opens.exit' ended the process (it called exit) in task 't'"},
              {"opens.hang", "operation 'opens.hang' did not end within 0.2 s in task 't'"}};
  for (size_t i = 0; i < COUNT(rows); i++) {
    char *last_words = ts_path_join(fixture->folder, "stderr");
    struct ts_str text = {0};
    struct ts_error err = {0};
    int status = 0;
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) run_to_the_end(fixture, rows[i].operation, last_words);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(ts_file_read(last_words, 0, &text, &err));
    assert_contains(ts_str_get(&text), rows[i].text);
    assert_contains(ts_str_get(&text), "while it was opened");
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 1);
    ts_str_release(&text);
    free(last_words);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(crash_end_and_hang_are_named, set_up, tear_down),
      cmocka_unit_test_setup_teardown(opened_once_closed_at_the_end, set_up, tear_down),
      cmocka_unit_test_setup_teardown(threads_share_one_opening, set_up, tear_down),
      cmocka_unit_test_setup_teardown(a_failure_stays, set_up, tear_down),
      cmocka_unit_test_setup_teardown(a_call_that_is_cancelled_opens_nothing, set_up, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
