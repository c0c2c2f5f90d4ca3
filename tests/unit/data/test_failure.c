/* Failures of tasks: for people, in rows of the store, and from rows of earlier versions.
 * SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "data/failure.h"

static struct ts_error make_error(void) {
  struct ts_error err = {0};
  ts_fail(&err, TS_ERR_COMMAND, "command 'a.b' ended with \"3\"");
  ts_error_help(&err, "see\nwhy");
  ts_error_place(&err, "fit.json", 3, 14, "/command/0");
  return err;
}

static void everything_comes_back(void **state) {
  (void)state;
  const struct ts_error err = make_error();
  const char *const logs[] = {"", "line 1\nline \xc3\xa4 2\n"};
  ts_auto(json_decrefp) json_t *params = json_pack("{s:i}", "G1", 40);
  for (size_t i = 0; i < 2; i++) {
    ts_auto_free char *packed = ts_failure_pack(&err, logs[i], i ? "line 1" : "", i ? params : NULL);
    ts_auto(ts_failure_release) struct ts_failure back;
    ts_failure_unpack(packed, &back);
    assert_memory_equal(&back.error, &err, sizeof err);
    assert_string_equal(ts_str_get(&back.log), logs[i]);
    assert_string_equal(ts_str_get(&back.remark), i ? "line 1" : "");
    assert_true(i ? json_equal(back.params, params) : !back.params);
  }
}

/* A task that did not fail has no error, and may have written something. */
static void success_comes_back(void **state) {
  (void)state;
  ts_auto_free char *nothing = ts_failure_pack(NULL, "", "", NULL);
  assert_string_equal(nothing, "");
  ts_auto_free char *packed = ts_failure_pack(NULL, "all\nof it\n", "of it", NULL);
  ts_auto(ts_failure_release) struct ts_failure back;
  ts_failure_unpack(packed, &back);
  assert_int_equal(back.error.code, TS_ERR_OK);
  assert_string_equal(ts_str_get(&back.log), "all\nof it\n");
  assert_string_equal(ts_str_get(&back.remark), "of it");
  ts_auto(json_decrefp) json_t *task = json_object();
  ts_failure_add_json(task, &back.error, ts_str_get(&back.log));
  ts_auto(json_decrefp) json_t *wanted = json_pack("{s:s, s:s}", "message", "all\nof it\n", "log", "all\nof it\n");
  assert_true(json_equal(task, wanted));
}

static void people_read_lines(void **state) {
  (void)state;
  const struct ts_error err = make_error();
  ts_auto(ts_str_release) struct ts_str out = {0};
  ts_failure_print(&err, "said", &out);
  assert_string_equal(ts_str_get(&out), "command 'a.b' ended with \"3\"\nsee\nwhy\nsaid");
}

/* Rows of versions that kept text, help and log as one text, and anything else that a damaged store may hold. */
static void earlier_rows(void **state) {
  (void)state;
  const struct {
    const char *message;
    enum ts_error_code code;
    const char *text, *log;
  } rows[] = {{"operation 'a.b' failed: no\nhelp\nlog", TS_ERR_TASK_FAILED, "operation 'a.b' failed: no", "help\nlog"},
              {"T507: changed the locale\nfix it", TS_ERR_OPERATION_DISTURBS, "changed the locale", "fix it"},
              {"T999: unheard of", TS_ERR_TASK_FAILED, "unheard of", ""},
              {"T5: short", TS_ERR_TASK_FAILED, "T5: short", ""},
              {"{\"code\": 504", TS_ERR_TASK_FAILED, "{\"code\": 504", ""},
              {"{\"code\": 9999, \"text\": \"x\"}", TS_ERR_TASK_FAILED, "x", ""},
              {"{}", TS_ERR_TASK_FAILED, "{}", ""}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    ts_auto(ts_failure_release) struct ts_failure failure;
    ts_failure_unpack(rows[i].message, &failure);
    assert_int_equal(failure.error.code, rows[i].code);
    assert_string_equal(failure.error.text, rows[i].text);
    assert_string_equal(ts_str_get(&failure.log), rows[i].log);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(everything_comes_back), cmocka_unit_test(success_comes_back),
                                     cmocka_unit_test(people_read_lines), cmocka_unit_test(earlier_rows)};
  return cmocka_run_group_tests_name("failure", tests, NULL, NULL);
}
