/* Errors: first wins, places and help, context, the code table, sorting of faults, bugs abort.
 * SPDX-License-Identifier: Apache-2.0 */
#include "unit/base/testing.h"

#include "base/str.h"

static void first_error_wins(void **state) {
  (void)state;
  struct ts_error err = {0};
  assert_false(ts_fail(&err, TS_ERR_BAD_VALUE, "value '%d' is odd", 3));
  assert_false(ts_fail(&err, TS_ERR_CYCLE, "another"));
  assert_int_equal(err.code, TS_ERR_BAD_VALUE);
  assert_string_equal(err.text, "value '3' is odd");
  assert_false(ts_fail(NULL, TS_ERR_CYCLE, "nobody listens"));
  ts_error_clear(&err);
  assert_int_equal(err.code, TS_ERR_OK);
  assert_string_equal(err.text, "");
}

static void help_and_place_are_kept(void **state) {
  (void)state;
  struct ts_error err = {0};
  ts_error_help(&err, "nothing to help with");
  ts_error_place(&err, "f", 1, 1, NULL);
  assert_string_equal(err.help, "");
  assert_string_equal(err.where.file, "");
  ts_fail(&err, TS_ERR_BAD_VALUE, "x");
  ts_error_help(&err, "do %s", "this");
  ts_error_help(&err, "do that");
  ts_error_place(&err, "a.json", 4, 7, "/a/0");
  ts_error_place(&err, "b.json", 5, 8, "/b");
  assert_string_equal(err.help, "do this");
  assert_place(&err, "a.json", 4, 7);
  assert_string_equal(err.where.path, "/a/0");
}

static void a_reused_error_forgets_the_past(void **state) {
  (void)state;
  struct ts_error err = {0};
  ts_fail(&err, TS_ERR_BAD_VALUE, "x");
  ts_error_help(&err, "old help");
  ts_error_place(&err, "old.json", 1, 1, "/old");
  err.code = TS_ERR_OK;
  ts_fail(&err, TS_ERR_CYCLE, "y");
  assert_string_equal(err.help, "");
  assert_place(&err, "", 0, 0);
  assert_string_equal(err.where.path, "");
}

static void context_stands_before_the_text(void **state) {
  (void)state;
  struct ts_error err = {0};
  ts_error_context(&err, "planning");
  assert_string_equal(err.text, "");
  ts_fail(&err, TS_ERR_CYCLE, "stage 'a' needs itself");
  ts_error_context(&err, "planning study '%s'", "x");
  assert_string_equal(err.text, "while planning study 'x': stage 'a' needs itself");
}

static void long_texts_are_cut_between_characters(void **state) {
  (void)state;
  char text[2000];
  for (int shift = 0; shift < 4; shift++) {
    memset(text, 'a', sizeof text);
    for (size_t i = (size_t)shift; i + 3 < sizeof text; i += 3) memcpy(text + i, "\xE2\x82\xAC", 3);
    text[sizeof text - 1] = '\0';
    struct ts_error err = {0};
    ts_fail(&err, TS_ERR_BAD_VALUE, "%s", text);
    ts_error_help(&err, "%s", text);
    ts_error_place(&err, text, 0, 0, text);
    ts_error_context(&err, "%s", "reading");
    assert_true(strlen(err.text) >= sizeof err.text - 4);
    assert_true(strlen(err.help) >= sizeof err.help - 4);
    assert_true(ts_utf8_valid(err.text, strlen(err.text)));
    assert_true(ts_utf8_valid(err.help, strlen(err.help)));
    assert_true(ts_utf8_valid(err.where.file, strlen(err.where.file)));
    assert_true(ts_utf8_valid(err.where.path, strlen(err.where.path)));
  }
}

static void bytes_that_are_not_utf8_are_replaced(void **state) {
  (void)state;
  struct ts_error err = {0};
  ts_fail(&err, TS_ERR_BAD_VALUE, "%s",
          "a\xFF"
          "b \xC3\xA9 \xE2\x82 \xC3");
  ts_error_help(&err, "%s", "\xC3\xA9\x80");
  ts_error_place(&err, "\xF0\x9F\x92.json", 1, 1, "/\xC3");
  assert_string_equal(err.text, "a?b \xC3\xA9 ?? ?");
  assert_string_equal(err.help, "\xC3\xA9?");
  assert_string_equal(err.where.file, "???.json");
  assert_string_equal(err.where.path, "/?");
}

static void the_code_table_is_sound(void **state) {
  (void)state;
  assert_int_equal(ts_error_number(TS_ERR_PORT_TYPE), 203);
  assert_int_equal(ts_error_exit_code(TS_ERR_USAGE), 2);
  assert_int_equal(ts_error_exit_code(TS_ERR_JSON_SYNTAX), 3);
  assert_int_equal(ts_error_exit_code(TS_ERR_TASK_FAILED), 1);
  assert_int_equal(ts_error_exit_code(TS_ERR_STORE), 5);
  assert_int_equal(ts_error_exit_code(TS_ERR_CANCELLED), 130);
  for (int i = 1; i < TS_ERR_COUNT; i++) {
    int number = ts_error_number((enum ts_error_code)i);
    assert_true(number >= 100 && number <= 999);
    assert_true(number > ts_error_number((enum ts_error_code)(i - 1)));
    assert_int_not_equal(ts_error_exit_code((enum ts_error_code)i), 0);
  }
}

static void add_fault(struct ts_faults *faults, const char *file, int line, int column, const char *text) {
  struct ts_error *fault = ts_faults_add(faults);
  ts_fail(fault, TS_ERR_BAD_VALUE, "%s", text);
  ts_error_place(fault, file, line, column, NULL);
}

static void faults_sort_by_place(void **state) {
  (void)state;
  struct ts_faults faults = {0};
  ts_faults_sort(&faults);
  add_fault(&faults, "b", 1, 1, "f");
  add_fault(&faults, "a", 10, 1, "e");
  add_fault(&faults, "a", 2, 30, "d");
  add_fault(&faults, "a", 2, 4, "c");
  add_fault(&faults, "a", 2, 4, "b");
  add_fault(&faults, "a", 0, 0, "a");
  ts_faults_sort(&faults);
  assert_int_equal(faults.count, 6);
  for (size_t i = 0; i < 6; i++) assert_int_equal(faults.items[i].text[0], 'a' + (int)i);
  for (int i = 0; i < 100; i++) add_fault(&faults, "z", i, 0, "more");
  assert_int_equal(faults.count, 106);
  ts_faults_release(&faults);
  assert_int_equal(faults.count, 0);
  assert_null(faults.items);
}

static void make_a_bug(void) { TS_BUG("expected %d", 1); }

static void set_ok_as_error(void) {
  struct ts_error err = {0};
  ts_fail(&err, TS_ERR_OK, "no error is no error");
}

static void bugs_abort(void **state) {
  (void)state;
  assert_true(aborts(make_a_bug));
  assert_true(aborts(set_ok_as_error));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(first_error_wins),
      cmocka_unit_test(help_and_place_are_kept),
      cmocka_unit_test(a_reused_error_forgets_the_past),
      cmocka_unit_test(context_stands_before_the_text),
      cmocka_unit_test(long_texts_are_cut_between_characters),
      cmocka_unit_test(bytes_that_are_not_utf8_are_replaced),
      cmocka_unit_test(the_code_table_is_sound),
      cmocka_unit_test(faults_sort_by_place),
      cmocka_unit_test(bugs_abort),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
