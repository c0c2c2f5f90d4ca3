/* Conditions to stop at are read the same way in every locale, and strictly.
 * SPDX-License-Identifier: Apache-2.0 */
#include "support/test_file.h"
#include "unit/base/comma_locale.h"
#include "unit/base/testing.h"

#include "project/project.h"

static bool parse(const char *text, struct study_until *until) {
  static char column[64];
  struct ts_arena arena = {0};
  struct ts_error err = {0};
  bool ok = ts_until_parse(&arena, text, until, &err);
  if (!ok) assert_error(&err, TS_ERR_USAGE);
  snprintf(column, sizeof column, "%s", ok && until->column ? until->column : "");
  until->column = column; /* survives the arena */
  ts_arena_release(&arena);
  return ok;
}

static void check_interval(const char *text, double limit) {
  struct study_until until;
  if (!parse(text, &until)) fail_msg("'%s' was refused", text);
  assert_string_equal(until.column, "mu_star");
  assert_true(until.limit == limit);
}

static void check_all(void) {
  check_interval("ci(mu_star) < 0.05", 0.05);
  check_interval(" ci ( mu_star )<5e-2 ", 0.05);
  check_interval("ci(mu_star) < .5\n", 0.5);
  check_interval("ci(mu_star) < 2", 2);
  struct study_until until;
  assert_true(parse("rank(3) settled", &until) && until.top == 3);
  const char *const bad[] = {"ci(mu_star) < 0x1p-4",
                             "ci(mu_star) < 0X10",
                             "ci(mu_star) < 0,05",
                             "ci(mu_star) < 0",
                             "ci(mu_star) < -1",
                             "ci(mu_star) < inf",
                             "ci(mu_star) < nan",
                             "ci(mu_star) < 1e999",
                             "ci(mu_star) < 1 2",
                             "ci(mu_star) <",
                             "ci(mu_star) < 0.05x",
                             "rank(0)",
                             "rank(0x3)"};
  for (size_t i = 0; i < COUNT_OF(bad); i++) {
    if (parse(bad[i], &until)) fail_msg("'%s' was accepted", bad[i]);
  }
}

static void conditions_are_read_strictly(void **state) {
  (void)state;
  check_all();
}

static void a_decimal_comma_changes_nothing(void **state) {
  (void)state;
  struct comma_locale locale;
  bool entered = comma_locale_enter(&locale);
  if (entered) check_all();
  comma_locale_leave(&locale);
  if (!entered) {
    test_skip_part("no locale with a decimal comma can be made here");
    skip();
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(conditions_are_read_strictly),
      cmocka_unit_test(a_decimal_comma_changes_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
