/* How errors look: with and without place, help and colour, and with text that tries to drive the terminal.
 * SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/error_format.h"

static void assert_format(const struct ts_error *err, bool color, const char *expected) {
  struct ts_str text = {0};
  ts_error_format(err, color, &text);
  assert_string_equal(ts_str_get(&text), expected);
  ts_str_release(&text);
}

static void test_parts(void **state) {
  (void)state;
  struct ts_error err = {0};
  ts_fail(&err, TS_ERR_PORT_TYPE, "'a' needs a mask");
  assert_format(&err, false, "error[T203]: 'a' needs a mask\n");
  ts_error_place(&err, "workflow.json", 41, 17, "/stages/0");
  assert_format(&err, false, "error[T203]: 'a' needs a mask\n  --> workflow.json:41:17\n");
  ts_error_help(&err, "connect 'b'");
  assert_format(&err, false, "error[T203]: 'a' needs a mask\n  --> workflow.json:41:17\nhelp: connect 'b'\n");
  err.where.column = 0;
  assert_format(&err, false, "error[T203]: 'a' needs a mask\n  --> workflow.json:41\nhelp: connect 'b'\n");
  err.where.line = 0;
  assert_format(&err, false, "error[T203]: 'a' needs a mask\n  --> workflow.json\nhelp: connect 'b'\n");
}

static void test_color(void **state) {
  (void)state;
  struct ts_error err = {0};
  ts_fail(&err, TS_ERR_USAGE, "x");
  ts_error_place(&err, "f", 1, 2, "");
  ts_error_help(&err, "h");
  assert_format(&err, true, "\x1b[1;31merror[T901]\x1b[0m: x\n  \x1b[34m-->\x1b[0m f:1:2\n\x1b[32mhelp:\x1b[0m h\n");
}

static void test_control_characters(void **state) {
  (void)state;
  struct ts_error err = {0};
  ts_fail(&err, TS_ERR_BAD_NAME, "'\x1b[2Ja\nb\x7f\xc3\xa4' is no name");
  assert_format(&err, true, "\x1b[1;31merror[T212]\x1b[0m: '?[2Ja\n  b?\xc3\xa4' is no name\n");
}

/* What a program said, with its line ends: every line is seen, none can pose as an error of its own. */
static void test_lines(void **state) {
  (void)state;
  struct ts_error err = {0};
  ts_fail(&err, TS_ERR_TASK_FAILED, "task a.b failed: Traceback:\r\n\n  line 3\nerror[T901]: x\n");
  ts_error_help(&err, "one\ntwo");
  assert_format(&err, false,
                "error[T501]: task a.b failed: Traceback:\n    line 3\n  error[T901]: x\nhelp: one\n  two\n");
  memset(&err, 0, sizeof err);
  ts_fail(&err, TS_ERR_USAGE, "%s", "");
  ts_error_place(&err, "a\nb", 1, 2, "");
  assert_format(&err, false, "error[T901]: \n  --> a?b:1:2\n");
}

static void test_lists(void **state) {
  (void)state;
  struct ts_faults faults = {0};
  struct ts_str text = {0};
  ts_faults_format(&faults, false, &text);
  assert_string_equal(ts_str_get(&text), "");
  ts_fail(ts_faults_add(&faults), TS_ERR_CYCLE, "a -> a");
  ts_fail(ts_faults_add(&faults), TS_ERR_USAGE, "x");
  ts_faults_format(&faults, false, &text);
  assert_string_equal(ts_str_get(&text), "error[T208]: a -> a\n\nerror[T901]: x\n");
  ts_str_release(&text);
  ts_faults_release(&faults);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_parts), cmocka_unit_test(test_color), cmocka_unit_test(test_control_characters),
      cmocka_unit_test(test_lines), cmocka_unit_test(test_lists),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
