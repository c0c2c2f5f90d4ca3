/* Faults and warnings of a call: which are reported once, how long texts are cut, and where paths of a request begin.
 * SPDX-License-Identifier: Apache-2.0 */
#include "unit/base/testing.h"

#include "project/request.h"

static void a_changed_file_is_reported_once(void **state) {
  (void)state;
  struct ts_issues issues = {0};
  struct ts_error one = {0}, other = {0}, plain = {0};
  ts_fail(&one, TS_ERR_DATA_CHANGED, "'a.png' has changed");
  ts_fail(&other, TS_ERR_DATA_CHANGED, "'b.png' has changed");
  ts_fail(&plain, TS_ERR_BAD_VALUE, "'a.png' has changed");
  assert_true(ts_issues_ok(&issues));
  const struct ts_error *const all[] = {&one, &other, &one, &plain, &plain, &other};
  for (size_t i = 0; i < COUNT_OF(all); i++) assert_false(ts_issues_fault(&issues, all[i]));
  assert_false(ts_issues_ok(&issues));
  assert_int_equal(issues.faults.count, 4); /* other faults are reported as often as they are met */
  assert_string_equal(issues.faults.items[1].text, other.text);
  ts_issues_release(&issues);
  assert_true(ts_issues_ok(&issues));
}

static void warnings_keep_their_order(void **state) {
  (void)state;
  struct ts_issues issues = {0};
  ts_issues_warn(&issues, "%d tiles", 3);
  ts_issues_warn_once(&issues, "%d tiles", 3);
  ts_issues_warn_once(&issues, "%d tiles", 4);
  ts_issues_warn(&issues, "%d tiles", 4);
  assert_int_equal(issues.warning_count, 3);
  assert_string_equal(issues.warnings[0], "3 tiles");
  assert_string_equal(issues.warnings[1], "4 tiles");
  assert_string_equal(issues.warnings[2], "4 tiles");
  assert_true(ts_issues_ok(&issues)); /* warnings end nothing */
  char longest[1000];
  memset(longest, 'x', sizeof longest);
  longest[sizeof longest - 1] = '\0';
  ts_issues_warn(&issues, "%s", longest);
  assert_int_equal(strlen(issues.warnings[3]), 511);
  ts_issues_release(&issues);
}

static void mistakes_of_the_command_line_have_help(void **state) {
  (void)state;
  struct ts_issues issues = {0};
  assert_false(ts_issues_usage(&issues, "add --processors 8", "no number of %s was given", "processors"));
  assert_int_equal(issues.faults.count, 1);
  assert_int_equal(issues.faults.items[0].code, TS_ERR_USAGE);
  assert_string_equal(issues.faults.items[0].text, "no number of processors was given");
  assert_string_equal(issues.faults.items[0].help, "add --processors 8");
  ts_issues_release(&issues);
}

static void paths_begin_at_the_project(void **state) {
  (void)state;
  struct ts_arena arena = {0};
  const struct ts_request here = {0}, dot = {.folder = "."}, there = {.folder = "some/where"};
  assert_string_equal(ts_request_folder(&here), ".");
  assert_string_equal(ts_request_path(&here, &arena, "a.png"), "a.png");
  assert_string_equal(ts_request_path(&dot, &arena, "a.png"), "a.png");
  assert_string_equal(ts_request_path(&there, &arena, "a.png"), "some/where/a.png");
  assert_string_equal(ts_request_path(&there, &arena, "/a.png"), "/a.png");
  ts_arena_release(&arena);
}

static void a_missing_store_is_a_fault_where_one_is_needed(void **state) {
  (void)state;
  char folder[64];
  struct ts_issues issues = {0};
  struct ts_request request = {.folder = scratch_create(folder)};
  assert_null(ts_request_open_store(&request, true, true, &issues));
  assert_int_equal(issues.faults.items[0].code, TS_ERR_NO_SUCH_RUN);
  request.store = "memory"; /* has no earlier runs */
  assert_null(ts_request_open_store(&request, true, true, &issues));
  assert_int_equal(issues.faults.count, 2);
  struct ts_store *store = ts_request_open_store(&request, false, false, &issues);
  assert_non_null(store);
  assert_string_equal(ts_store_path(store), "");
  assert_int_equal(issues.faults.count, 2);
  ts_store_close(store);
  ts_issues_release(&issues);
  scratch_remove(folder);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_changed_file_is_reported_once),
      cmocka_unit_test(warnings_keep_their_order),
      cmocka_unit_test(mistakes_of_the_command_line_have_help),
      cmocka_unit_test(paths_begin_at_the_project),
      cmocka_unit_test(a_missing_store_is_a_fault_where_one_is_needed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
