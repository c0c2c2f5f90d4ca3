/* Numbers as text: shortest round trip, strict reading, the same in a locale that writes a decimal comma.
 * SPDX-License-Identifier: Apache-2.0
 * test-label: one-thread */
#include "support/test_file.h"
#include "unit/base/comma_locale.h"
#include "unit/base/slow_decimal.h"
#include "unit/base/testing.h"

#include "base/random.h"
#include "base/str.h"

#include <math.h>

/* From Python 3.11: float.hex() and repr(), the latter without ".0". */
static const struct {
  double value;
  const char *text;
} known[] = {
    {0x0.0p+0, "0"},
    {-0x0.0p+0, "-0"},
    {0x1.4p+2, "5"},
    {0x1.479e83e425aeep+2, "5.11905"},
    {0x1.999999999999ap-4, "0.1"},
    {0x1.5555555555555p-2, "0.3333333333333333"},
    {0x1.ad7f29abcaf48p-24, "1e-07"},
    {0x1.4f8b588e368f1p-17, "1e-05"},
    {0x1.a36e2eb1c432dp-14, "0.0001"},
    {0x1.edd2f1a9fbe77p+6, "123.456"},
    {0x1.c6bf52634p+49, "1000000000000000"},
    {0x1.1c37937e08p+53, "1e+16"},
    {0x1.b69b4ba630f35p+56, "1.2345678901234568e+17"},
    {0x1.0f0cf064dd592p+73, "1e+22"},
    {0x1.52d02c7e14af6p+76, "1e+23"},
    {0x0.0000000000001p-1022, "5e-324"},
    {0x0.0000000000003p-1022, "1.5e-323"},
    {0x0.fffffffffffffp-1022, "2.225073858507201e-308"},
    {0x1p-1022, "2.2250738585072014e-308"},
    {0x1.fffffffffffffp+1023, "1.7976931348623157e+308"},
    {0x1p-44, "5.684341886080802e-14"},
    {0x1p-791, "7.678447687145631e-239"},
    {0x1p+863, "6.150157786156811e+259"},
    {0x1p+53, "9007199254740992"},
    {0x1p+63, "9.223372036854776e+18"},
    {0x1.3333333333334p-2, "0.30000000000000004"},
    {0x1.249ad2594c37dp+332, "1e+100"},
    {-0x1.4p+1, "-2.5"},
    {0x1.1666666666666p+2, "4.35"},
    {0x1.9p+6, "100"},
    {0x1.b1ae4d6e2ef5p+69, "1e+21"},
};

static uint64_t bits_of(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

static void check_known(void) {
  struct ts_str text = {0};
  for (size_t i = 0; i < COUNT_OF(known); i++) {
    ts_str_clear(&text);
    ts_str_add_double(&text, known[i].value);
    assert_string_equal(ts_str_get(&text), known[i].text);
    double value;
    assert_true(ts_parse_double(known[i].text, &value));
    assert_true(bits_of(value) == bits_of(known[i].value));
  }
  ts_str_release(&text);
}

static void known_numbers(void **state) {
  (void)state;
  check_known();
}

static size_t digit_count(const char *text) {
  char digits[64];
  size_t count = 0;
  for (const char *p = text; *p && *p != 'e'; p++) {
    if (isdigit((unsigned char)*p) && (count > 0 || *p != '0')) digits[count++] = *p;
  }
  while (count > 1 && digits[count - 1] == '0') count--;
  return count ? count : 1;
}

/* Any double: reads back bit for bit, and printf with one digit less does not. */
static void check_shortest(double value, struct ts_str *text) {
  ts_str_clear(text);
  ts_str_add_double(text, value);
  char *end;
  double back = strtod(ts_str_get(text), &end);
  assert_int_equal(*end, '\0');
  if (bits_of(back) != bits_of(value)) fail_msg("%a printed as %s", value, ts_str_get(text));
  size_t digits = digit_count(ts_str_get(text));
  assert_true(digits <= 17);
  if (digits < 2) return;
  char shorter[64];
  snprintf(shorter, sizeof shorter, "%.*e", (int)digits - 2, value);
  if (bits_of(strtod(shorter, NULL)) == bits_of(value)) fail_msg("%s is longer than %s", ts_str_get(text), shorter);
}

static void every_number_is_shortest(void **state) {
  (void)state;
  struct ts_str text = {0};
  struct ts_random random;
  ts_random_init(&random, 2, 0);
  for (int i = 0; i < 20000; i++) {
    uint64_t bits = ts_random_u64(&random);
    if (i % 4 == 1) bits &= 0x800FFFFFFFFFFFFFu; /* subnormal */
    double value;
    memcpy(&value, &bits, sizeof value);
    if (i % 4 == 2) value = (double)ts_random_below(&random, 1000000) / 1000;
    if (isfinite(value)) check_shortest(value, &text);
  }
  for (int exponent = -1074; exponent < 1024; exponent++) check_shortest(ldexp(1, exponent), &text);
  ts_str_release(&text);
}

static void odd_ones_are_named(void **state) {
  (void)state;
  struct ts_str text = {0};
  ts_str_add_double(&text, (double)NAN);
  ts_str_add_double(&text, (double)INFINITY);
  ts_str_add_double(&text, -(double)INFINITY);
  assert_string_equal(ts_str_get(&text), "naninf-inf");
  ts_str_release(&text);
}

static void doubles_are_read_strictly(void **state) {
  (void)state;
  static const char *const bad[] = {"",       " ",   "1 ",   " 1",       "1,5", "0x10", "inf",   "nan", "-inf",
                                    "1e",     "1e+", "e5",   ".",        "-",   "+",    "1.2.3", "--1", "1e999",
                                    "-1e999", "1f",  "1e5x", "infinity", "1_0", "١",    "5%"};
  static const char *const good[] = {"1",   "-1",   "+1",   ".5",     "5.",
                                     "1e5", "1E-5", "0001", "1e-999", "12345678901234567890"};
  static const double values[] = {1, -1, 1, 0.5, 5, 1e5, 1e-5, 1, 0, 12345678901234567890.0};
  double value = 42;
  for (size_t i = 0; i < COUNT_OF(bad); i++) {
    if (ts_parse_double(bad[i], &value)) fail_msg("'%s' was accepted", bad[i]);
  }
  assert_true(bits_of(value) == bits_of(42));
  for (size_t i = 0; i < COUNT_OF(good); i++) {
    assert_true(ts_parse_double(good[i], &value));
    assert_true(bits_of(value) == bits_of(values[i]));
  }
}

/* Texts of the characters that numbers have, and some that they have not: the verdict and the bits of the slow way. */
static void doubles_are_read_as_the_slow_way(void **state) {
  (void)state;
  static const char characters[] = "0123456789012345.eE+-x ";
  struct ts_random random;
  ts_random_init(&random, 11, 0);
  int accepted = 0;
  for (int i = 0; i < 300000; i++) {
    char text[32];
    size_t length = ts_random_below(&random, 9) + (i % 16 ? 0 : 12);
    for (size_t k = 0; k < length; k++) text[k] = characters[ts_random_below(&random, sizeof characters - 1)];
    text[length] = '\0';
    double expected = 42;
    double value = 42;
    bool is_number = slow_read(text, &expected);
    if (ts_parse_double(text, &value) != is_number) fail_msg("'%s' is %s", text, is_number ? "refused" : "accepted");
    if (bits_of(value) != bits_of(expected)) fail_msg("'%s' is read as %a, not %a", text, value, expected);
    accepted += is_number;
  }
  assert_true(accepted > 30000 && accepted < 200000);
}

static void integers_are_read_strictly(void **state) {
  (void)state;
  static const char *const bad[] = {"",
                                    " 1",
                                    "1 ",
                                    "1.0",
                                    "0x1",
                                    "-",
                                    "+",
                                    "1e3",
                                    "9223372036854775808",
                                    "a",
                                    "-9223372036854775809",
                                    "99999999999999999999999"};
  int64_t value = 42;
  for (size_t i = 0; i < COUNT_OF(bad); i++) {
    if (ts_parse_int64(bad[i], &value)) fail_msg("'%s' was accepted", bad[i]);
  }
  assert_true(value == 42);
  assert_true(ts_parse_int64("9223372036854775807", &value) && value == INT64_MAX);
  assert_true(ts_parse_int64("-9223372036854775808", &value) && value == INT64_MIN);
  assert_true(ts_parse_int64("+007", &value) && value == 7);
  assert_true(ts_parse_int64("-0", &value) && value == 0);
}

/* Whether the shortest text ends with a 5 right behind the digit of 10^place. */
static bool is_half(double value, int place) {
  struct slow_decimal decimal;
  slow_shortest(fabs(value), &decimal);
  return decimal.exponent - decimal.count == place - 1 && decimal.digits[decimal.count - 1] == '5';
}

/* printf rounds the exact value. Up to 15 digits that is the same, but where the shortest text is a half. */
static void texts_are_those_of_printf(void **state) {
  (void)state;
  struct ts_random random;
  ts_random_init(&random, 9, 0);
  int compared = 0;
  for (int i = 0; i < 20000; i++) {
    char expected[400];
    double value = ldexp(ts_random_unit(&random) - 0.5, (int)ts_random_below(&random, 2000) - 1000);
    int digits = (int)ts_random_below(&random, 15) + 1;
    snprintf(expected, sizeof expected, "%.*g", digits, value);
    if (!is_half(value, (int)floor(log10(fabs(value))) - digits + 1))
      assert_string_equal(TS_SIGNIFICANT(value, digits), expected);
    value = ldexp(value, -ilogb(value) + (int)ts_random_below(&random, 60) - 20);
    if (fabs(value) * pow(10, digits) >= 1e15 || is_half(value, -digits)) continue;
    compared++;
    snprintf(expected, sizeof expected, "%.*f", digits, value);
    assert_string_equal(TS_DECIMALS(value, digits), expected);
  }
  assert_true(compared > 5000);
  assert_string_equal(TS_SIGNIFICANT(NAN, 3), "nan");
  assert_string_equal(TS_SIGNIFICANT(-INFINITY, 3), "-inf");
  assert_string_equal(TS_DECIMALS(-INFINITY, 3), "-inf");
  assert_string_equal(TS_DECIMALS(NAN, 3), "nan");
  assert_string_equal(TS_DECIMALS(1e308, 30) + 309, ".000000000000000000000000000000");
}

/* Any double, and many that end in 5: the shortest text counts, not the bits behind it. */
static double number_to_round(struct ts_random *random, int kind) {
  static const double parts[] = {10, 100, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8};
  if (kind == 0) return ldexp(ts_random_unit(random) - 0.5, (int)ts_random_below(random, 2090) - 1070);
  double five = 10 * (double)ts_random_below(random, kind == 1 ? 100 : 1000000) + 5;
  return five / parts[ts_random_below(random, COUNT_OF(parts))];
}

static void decimals_are(double value, int decimals) {
  char digits[700];
  char expected[720];
  slow_round(value, -decimals, digits);
  size_t length = strlen(digits);
  size_t zeros = strspn(digits, "0");
  size_t wanted = (size_t)decimals + 1; /* digits at least: one before the point */
  const char *first = digits + zeros;
  char filled[760];
  size_t missing = length - zeros < wanted ? wanted - (length - zeros) : 0;
  memset(filled, '0', missing);
  memcpy(filled + missing, first, length - zeros + 1);
  size_t whole = strlen(filled) - (size_t)decimals;
  snprintf(expected, sizeof expected, "%s%.*s%s%s", signbit(value) ? "-" : "", (int)whole, filled,
           decimals > 0 ? "." : "", filled + whole);
  assert_string_equal(TS_DECIMALS(value, decimals), expected);
}

static void significant_is(double value, int count) {
  char digits[700];
  char number[720];
  struct slow_decimal decimal;
  slow_shortest(fabs(value), &decimal);
  slow_round(value, decimal.exponent - count, digits);
  snprintf(number, sizeof number, "%s%se%d", signbit(value) ? "-" : "", digits, decimal.exponent - count);
  const char *text = TS_SIGNIFICANT(value, count);
  if (bits_of(strtod(text, NULL)) != bits_of(strtod(number, NULL))) fail_msg("%a is %s, not %s", value, text, number);
  assert_true((int)digit_count(text) <= count);
}

static void halves_go_away_from_zero(void **state) {
  (void)state;
  struct ts_random random;
  ts_random_init(&random, 10, 0);
  for (int i = 0; i < 30000; i++) {
    double value = number_to_round(&random, i % 3);
    decimals_are(i % 2 ? -value : value, (int)ts_random_below(&random, i % 3 ? 9 : 31));
    significant_is(i % 2 ? -value : value, (int)ts_random_below(&random, 17) + 1);
  }
  assert_string_equal(TS_DECIMALS(1.005, 2), "1.01");
  assert_string_equal(TS_DECIMALS(-0.285, 2), "-0.29");
  assert_string_equal(TS_DECIMALS(0.5, 0), "1");
  assert_string_equal(TS_DECIMALS(2.5, 0), "3");
  assert_string_equal(TS_DECIMALS(0.49999999999999994, 0), "0");
  assert_string_equal(TS_DECIMALS(0.005, 2), "0.01");
  assert_string_equal(TS_DECIMALS(0.0049, 2), "0.00");
  assert_string_equal(TS_DECIMALS(5e-324, 30), "0.000000000000000000000000000000");
  assert_string_equal(TS_DECIMALS(-0.001, 2), "-0.00");
  assert_string_equal(TS_DECIMALS(999.995, 2), "1000.00");
  assert_string_equal(TS_DECIMALS(1e22, 1), "10000000000000000000000.0");
  assert_string_equal(TS_SIGNIFICANT(0.1245, 3), "0.125");
  assert_string_equal(TS_SIGNIFICANT(99950, 3), "1e+05");
  assert_string_equal(TS_SIGNIFICANT(0.00009995, 3), "0.0001");
  assert_string_equal(TS_SIGNIFICANT(0.1, 17), "0.1");
  assert_string_equal(TS_SIGNIFICANT(-0.0, 3), "-0");
}

static void a_decimal_comma_changes_nothing(void **state) {
  (void)state;
  struct comma_locale locale;
  bool entered = comma_locale_enter(&locale);
  char check[16];
  snprintf(check, sizeof check, "%.1f", 0.5);
  if (entered) {
    assert_string_equal(check, "0,5");
    check_known();
    double value;
    assert_false(ts_parse_double("0,5", &value));
    assert_true(ts_parse_double("0.5", &value));
    assert_true(bits_of(value) == bits_of(0.5));
    char buffer[32];
    assert_string_equal(ts_format_bytes(3900000000u, buffer), "3.9 GB");
    assert_string_equal(TS_SIGNIFICANT(-0.0512345, 3), "-0.0512");
    assert_string_equal(TS_SIGNIFICANT(1.25e-9, 3), "1.25e-09");
    assert_string_equal(TS_SIGNIFICANT(25, 3), "25");
    assert_string_equal(TS_DECIMALS(0.05, 2), "0.05");
    assert_string_equal(TS_DECIMALS(12, 0), "12");
    assert_string_equal(TS_SIGNIFICANT(NAN, 3), "nan");
  }
  comma_locale_leave(&locale);
  if (!entered) {
    test_skip_part("no locale with a decimal comma can be made here");
    skip();
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(known_numbers),
      cmocka_unit_test(every_number_is_shortest),
      cmocka_unit_test(odd_ones_are_named),
      cmocka_unit_test(doubles_are_read_strictly),
      cmocka_unit_test(doubles_are_read_as_the_slow_way),
      cmocka_unit_test(integers_are_read_strictly),
      cmocka_unit_test(texts_are_those_of_printf),
      cmocka_unit_test(halves_go_away_from_zero),
      cmocka_unit_test(a_decimal_comma_changes_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
