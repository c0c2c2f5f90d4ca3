/* Tests of report/text.c: numbers, times and escaping.
 * SPDX-License-Identifier: Apache-2.0 */
#include "report/text.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "support/test_file.h"
#include "unit/base/comma_locale.h"

#define SPACE "\xc2\xa0"
#define MINUS "\xe2\x88\x92"

static void number_is(double value, int digits, const char *expected) {
  char buffer[TS_NUMBER_SIZE];
  assert_string_equal(ts_format_number(value, digits, buffer), expected);
}

static void numbers_are_short(void **state) {
  (void)state;
  number_is(0, 3, "0");
  number_is(0.42, 3, "0.42");
  number_is(0.4249, 3, "0.425");
  number_is(5.11905, 3, "5.12");
  number_is(9.999, 3, "10");
  number_is(1234, 3, "1234");
  number_is(12345.6, 3, "12" SPACE "346");
  number_is(1234567, 3, "1" SPACE "234" SPACE "567");
  number_is(-0.5, 3, MINUS "0.5");
  number_is(-12345, 3, MINUS "12" SPACE "345");
  number_is(0.00012345, 3, "0.000123");
  number_is(0.000031, 2, "3.1e-5");
  number_is(0.0000999, 2, "1e-4");
  number_is(6.02214e23, 3, "6.02e23");
  number_is(123456789012345, 3, "123" SPACE "456" SPACE "789" SPACE "012" SPACE "345");
  number_is(1234567890123456, 3, "1.23e15");
  number_is(-0.0, 3, "0");
  number_is(0.1245, 3, "0.125"); /* half away from zero, as on the terminal */
  number_is(NAN, 3, "\xe2\x80\x93");
}

static void limits_are_rounded_up(void **state) {
  (void)state;
  char buffer[TS_NUMBER_SIZE];
  assert_string_equal(ts_format_number_up(0.0512, 2, buffer), "0.052");
  assert_string_equal(ts_format_number_up(0.06, 2, buffer), "0.06"); /* and not 0.061, for 0.06 is no exact double */
  assert_string_equal(ts_format_number_up(0.1 + 0.2, 2, buffer), "0.3"); /* which is 0.30000000000000004 */
  assert_string_equal(ts_format_number_up(33.9, 2, buffer), "34");
  assert_string_equal(ts_format_number_up(0.0000311, 2, buffer), "3.2e-5");
}

static void ticks_keep_their_digits(void **state) {
  (void)state;
  char buffer[TS_NUMBER_SIZE];
  assert_string_equal(ts_format_fixed(0.5, 2, buffer), "0.50");
  assert_string_equal(ts_format_fixed(0, 2, buffer), "0.00");
  assert_string_equal(ts_format_fixed(15000, 0, buffer), "15" SPACE "000");
  assert_string_equal(ts_format_fixed(-0.25, 2, buffer), MINUS "0.25");
  assert_string_equal(ts_format_fixed(-0.0001, 2, buffer), "0.00");
  assert_string_equal(ts_format_fixed(1.005, 2, buffer), "1.01");
  assert_string_equal(ts_format_fixed(2e15, 0, buffer), "2e15");
}

static void percent_is(double share, const char *expected) {
  char buffer[TS_NUMBER_SIZE];
  assert_string_equal(ts_format_percent(share, buffer), expected);
}

static void shares_are_honest_at_both_ends(void **state) {
  (void)state;
  percent_is(0.704, "70" SPACE "%");
  percent_is(0.0512, "5.1" SPACE "%");
  percent_is(0, "0" SPACE "%");
  percent_is(1, "100" SPACE "%");
  percent_is(0.9999, ">" SPACE "99.9" SPACE "%");
  percent_is(0.998, "99.8" SPACE "%");
  percent_is(0.00001, "<" SPACE "0.1" SPACE "%");
}

static void time_is(double seconds, const char *expected) {
  char buffer[TS_NUMBER_SIZE];
  assert_string_equal(ts_format_time(seconds, buffer), expected);
}

static void times_read_well(void **state) {
  (void)state;
  time_is(0.0034, "0.0034" SPACE "s");
  time_is(3.25, "3.3" SPACE "s");
  time_is(14.4, "14" SPACE "s");
  time_is(59.4, "59" SPACE "s");
  time_is(59.9, "1" SPACE "min" SPACE "0" SPACE "s");
  time_is(131.2, "2" SPACE "min" SPACE "11" SPACE "s");
  time_is(3600 * 3 + 300, "3" SPACE "h" SPACE "05" SPACE "min");
  time_is(NAN, "\xe2\x80\x93");
}

static void markup_is_escaped(void **state) {
  (void)state;
  struct ts_str out = {0};
  ts_html_add(&out, "<a href=\"x\" o='y'>&\x01\n\xc3\xa4");
  assert_string_equal(ts_str_get(&out), "&lt;a href=&quot;x&quot; o=&#39;y&#39;&gt;&amp;\xef\xbf\xbd\n\xc3\xa4");
  ts_str_release(&out);
}

/* RFC 4648, section 10. */
static void base64_agrees_with_the_standard(void **state) {
  (void)state;
  static const char *const vectors[][2] = {{"", ""},
                                           {"f", "Zg=="},
                                           {"fo", "Zm8="},
                                           {"foo", "Zm9v"},
                                           {"foob", "Zm9vYg=="},
                                           {"fooba", "Zm9vYmE="},
                                           {"foobar", "Zm9vYmFy"}};
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
    struct ts_str out = {0};
    ts_base64_add(&out, (const unsigned char *)vectors[i][0], i);
    assert_string_equal(ts_str_get(&out), vectors[i][1]);
    ts_str_release(&out);
  }
}

static void the_locale_plays_no_part(void **state) {
  (void)state;
  struct comma_locale locale;
  bool entered = comma_locale_enter(&locale);
  if (entered) numbers_are_short(NULL);
  comma_locale_leave(&locale);
  if (!entered) {
    test_skip_part("no locale with a decimal comma can be made here");
    skip();
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(numbers_are_short),
      cmocka_unit_test(limits_are_rounded_up),
      cmocka_unit_test(ticks_keep_their_digits),
      cmocka_unit_test(shares_are_honest_at_both_ends),
      cmocka_unit_test(times_read_well),
      cmocka_unit_test(markup_is_escaped),
      cmocka_unit_test(base64_agrees_with_the_standard),
      cmocka_unit_test(the_locale_plays_no_part),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
