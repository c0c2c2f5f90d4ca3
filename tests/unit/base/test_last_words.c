/* The line that a worker process leaves at its end, read as an error.
 * SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/process/last_words.h"

static void whole_lines(void **state) {
  (void)state;
  struct ts_error err = {0};
  assert_true(ts_last_words_read("\036505\037operation 'a.b' crashed\035with x=1\037lib.so\037fix it", &err));
  assert_int_equal(err.code, TS_ERR_OPERATION_CRASHED);
  assert_string_equal(err.text, "operation 'a.b' crashed\nwith x=1");
  assert_string_equal(err.where.file, "lib.so");
  assert_string_equal(err.help, "fix it");
}

/* A process may end while it writes. */
static void cut_lines(void **state) {
  (void)state;
  struct ts_error err = {0};
  assert_true(ts_last_words_read("\036506\037it han", &err));
  assert_int_equal(err.code, TS_ERR_OPERATION_HANGS);
  assert_string_equal(err.text, "it han");
  assert_string_equal(err.help, "");
}

static void other_lines(void **state) {
  (void)state;
  const char *const lines[] = {"", "error[T505]: x", "\036", "\036505", "\036999\037no such error"};
  for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
    struct ts_error err = {0};
    assert_false(ts_last_words_read(lines[i], &err));
    assert_int_equal(err.code, TS_ERR_OK);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(whole_lines), cmocka_unit_test(cut_lines),
                                     cmocka_unit_test(other_lines)};
  return cmocka_run_group_tests_name("last_words", tests, NULL, NULL);
}
