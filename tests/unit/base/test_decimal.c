/* Decimal texts: the same as those of the slow way through printf, and the same doubles as those of strtod.
 * SPDX-License-Identifier: Apache-2.0
 * test-label: one-thread */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "unit/base/slow_decimal.h"

#include "base/decimal.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A small generator of its own (xorshift), so that the texts do not depend on the code under test. */
static uint64_t next_bits(uint64_t *seed) {
  *seed ^= *seed << 13;
  *seed ^= *seed >> 7;
  *seed ^= *seed << 17;
  return *seed;
}

static void assert_text(double value, const char *expected) {
  char text[TS_DECIMAL_SIZE + 1];
  text[ts_decimal_write(value, text)] = '\0';
  if (strcmp(text, expected) != 0) fail_msg("%a is written as %s, not %s", value, text, expected);
}

static void test_known_texts(void **state) {
  (void)state;
  assert_text(0, "0");
  assert_text(-0.0, "-0");
  assert_text(5, "5");
  assert_text(-5.11905, "-5.11905");
  assert_text(0.1, "0.1");
  assert_text(0.1 + 0.2, "0.30000000000000004");
  assert_text(1e-07, "1e-07");
  assert_text(0.0001, "0.0001");
  assert_text(1e22, "1e+22");
  assert_text(123456789012345680.0, "1.2345678901234568e+17");
  assert_text(9007199254740993.0, "9007199254740992");
  assert_text(5e-324, "5e-324");
  assert_text(1.7976931348623157e308, "1.7976931348623157e+308");
  assert_text(2.2250738585072014e-308, "2.2250738585072014e-308");
  assert_text(NAN, "nan");
  assert_text(INFINITY, "inf");
  assert_text(-INFINITY, "-inf");
}

/* Doubles of every kind: any bits, shares, decimals with few digits, powers of two, subnormal ones. */
static double some_double(uint64_t bits, int kind) {
  double value;
  switch (kind) {
  case 0: memcpy(&value, &bits, sizeof value); return value;
  case 1: return (double)(bits >> 11) * 0x1p-53;
  case 2: return (double)(int64_t)(bits >> (bits & 63)) / 1000;
  case 3: return ldexp(1, (int)(bits % 2098) - 1074);
  case 4: return ldexp((double)(bits >> 12), -1074);
  default: return ((double)(bits >> 11) * 0x1p-53 - 0.5) * 2000;
  }
}

static void test_texts_of_the_slow_way(void **state) {
  (void)state;
  uint64_t seed = 88172645463325252u;
  for (int i = 0; i < 240000; i++) {
    double value = some_double(next_bits(&seed), i % 6);
    char expected[SLOW_SIZE];
    slow_write(value, expected);
    assert_text(value, expected);
  }
}

static void assert_like_the_slow_way(double value) {
  char expected[SLOW_SIZE];
  slow_write(value, expected);
  assert_text(value, expected);
}

/* Powers of ten and of two with their neighbours, and the ends of the subnormal numbers. */
static void test_edges_of_the_slow_way(void **state) {
  (void)state;
  for (int n = -324; n <= 308; n++) {
    char text[16];
    snprintf(text, sizeof text, "1e%d", n);
    double power = strtod(text, NULL);
    assert_like_the_slow_way(power);
    assert_like_the_slow_way(nextafter(power, 0));
    assert_like_the_slow_way(-nextafter(power, INFINITY));
    assert_like_the_slow_way(5 * power);
  }
  for (int n = -1074; n < 1024; n++) {
    assert_like_the_slow_way(nextafter(ldexp(1, n), 0));
    assert_like_the_slow_way(nextafter(ldexp(1, n), INFINITY));
  }
  const double edges[] = {
      0, -0.0, NAN, INFINITY, -INFINITY, 0x1p-1022, 0x0.fffffffffffffp-1022, 0x1.fffffffffffffp1023};
  for (size_t i = 0; i < sizeof edges / sizeof *edges; i++) assert_like_the_slow_way(edges[i]);
}

/* To the place of a digit, half away from zero or always away from it. */
static void test_rounding(void **state) {
  (void)state;
  static const struct {
    struct ts_decimal from;
    int place;
    bool is_up;
    struct ts_decimal to;
  } cases[] = {{{125, -2}, -1, false, {13, -1}},
               {{124, -2}, -1, false, {12, -1}},
               {{121, -2}, -1, true, {13, -1}},
               {{12, -1}, -1, true, {12, -1}},
               {{12, -1}, -5, true, {12, -1}},
               {{995, -2}, -1, false, {1, 1}},
               {{5, -1}, 0, false, {1, 0}},
               {{49, -2}, 0, false, {0, 0}},
               {{1, -300}, 0, true, {1, 0}},
               {{1, -300}, 0, false, {0, 0}},
               {{0, 0}, 3, true, {0, 0}},
               {{123456, 3}, 5, false, {1235, 5}},
               {{99999999999999999u, -17}, 0, false, {1, 0}},
               {{99999999999999999u, -18}, 0, false, {0, 0}},
               {{99999999999999999u, -19}, 0, false, {0, 0}},
               {{99999999999999999u, -20}, 0, true, {1, 0}}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct ts_decimal rounded = ts_decimal_round(cases[i].from, cases[i].place, cases[i].is_up);
    assert_int_equal(rounded.digits, cases[i].to.digits);
    assert_int_equal(rounded.exponent, cases[i].to.exponent);
  }
}

static void test_every_text_reads_back(void **state) {
  (void)state;
  uint64_t seed = 362436069;
  for (int i = 0; i < 3000000; i++) {
    double value = some_double(next_bits(&seed), i % 6);
    double found;
    char text[TS_DECIMAL_SIZE];
    size_t length = ts_decimal_write(value, text);
    if (!isfinite(value)) continue;
    assert_true(ts_decimal_read(text, text + length, &found) == text + length);
    if (memcmp(&found, &value, sizeof value) != 0) fail_msg("%a comes back as %a", value, found);
  }
}

static size_t random_text(char *text, uint64_t *seed) {
  size_t length = 0;
  size_t digits = next_bits(seed) % 24 + 1;
  size_t point = next_bits(seed) % (digits + 1);
  if (next_bits(seed) & 1) text[length++] = '-';
  for (size_t i = 0; i < digits; i++) {
    if (i == point) text[length++] = '.';
    text[length++] = (char)('0' + (next_bits(seed) >> 20) % 10);
  }
  if (next_bits(seed) % 3 == 0)
    length += (size_t)snprintf(text + length, 16, "e%d", (int)(next_bits(seed) % 720) - 360);
  text[length] = '\0';
  return length;
}

static void assert_reads(const char *text) {
  double found;
  size_t length = strlen(text);
  double expected = strtod(text, NULL);
  assert_true(ts_decimal_read(text, text + length, &found) == text + length);
  if (memcmp(&found, &expected, sizeof found) != 0) fail_msg("%s is read as %a, not %a", text, found, expected);
}

static void test_reads_as_strtod(void **state) {
  (void)state;
  static const char *const hard[] = {
      "9007199254740993",
      "9007199254740992.9999999999",
      "9007199254740993.0000000001",
      "1e23",
      "8.5e22",
      "2.2250738585072011e-308",
      "2.47e-324",
      "2.48e-324",
      "1.7976931348623158e308",
      "1.7976931348623159e308",
      "179769313486231580793e289",
      "6929495644600919.5",
      "3.2378839133029012895883524125015321748e-16",
      "0e999999999",
      "1e-999999999",
      "0.000000000000000000000000000000000000000000000000000000000000000000000000000000001",
      ("1"
       "00000000000000000000000000000000000000000000000000000000000000000000000000000000"),
      "+.5",
      "5.",
      "4.9E-324"};
  for (size_t i = 0; i < sizeof hard / sizeof *hard; i++) assert_reads(hard[i]);
  uint64_t seed = 521288629;
  char text[64];
  for (int i = 0; i < 2000000; i++) {
    random_text(text, &seed);
    assert_reads(text);
  }
}

/* Numbers half-way between two doubles: the worst case of rounding. */
static void test_reads_ties(void **state) {
  (void)state;
  uint64_t seed = 886;
  for (int i = 0; i < 20000; i++) {
    char text[1200];
    double value = ldexp((double)(next_bits(&seed) >> 11 | (uint64_t)1 << 52), (int)(next_bits(&seed) % 60) - 50);
    double half = (nextafter(value, INFINITY) - value) / 2;
    long double tie = (long double)value + half; /* 64 bits of mantissa hold it */
    snprintf(text, sizeof text, "%.80Lf", tie);
    assert_reads(text);
  }
}

static void test_stops_where_the_number_ends(void **state) {
  (void)state;
  double value = -1;
  static const struct {
    const char *text;
    size_t length;
  } texts[] = {{"1,2", 1}, {"1.5e", 3}, {"1.5e+,", 3}, {"-3x", 2}, {"1e5e5", 3}, {"1..2", 2}, {"0x10", 1}};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    const char *text = texts[i].text;
    assert_int_equal(ts_decimal_read(text, text + strlen(text), &value) - text, texts[i].length);
  }
  static const char *const none[] = {"", ".", "-", "+.", "e5", "nan", "inf", " 1", "--1", ".e1"};
  for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
    assert_null(ts_decimal_read(none[i], none[i] + strlen(none[i]), &value));
  }
  const char *cut = "12345";
  assert_true(ts_decimal_read(cut, cut + 2, &value) == cut + 2 && value == 12);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_known_texts),
      cmocka_unit_test(test_texts_of_the_slow_way),
      cmocka_unit_test(test_edges_of_the_slow_way),
      cmocka_unit_test(test_rounding),
      cmocka_unit_test(test_every_text_reads_back),
      cmocka_unit_test(test_reads_as_strtod),
      cmocka_unit_test(test_reads_ties),
      cmocka_unit_test(test_stops_where_the_number_ends),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
