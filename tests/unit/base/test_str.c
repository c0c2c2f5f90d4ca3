/* Byte strings, layouts for people, hexadecimal, UTF-8, and "did you mean".
 * SPDX-License-Identifier: Apache-2.0 */
#include "unit/base/testing.h"

#include "base/random.h"
#include "base/str.h"

static void strings_grow(void **state) {
  (void)state;
  struct ts_str str = {0};
  assert_string_equal(ts_str_get(&str), "");
  ts_str_add(&str, "");
  ts_str_add(&str, "tile");
  ts_str_add_char(&str, '/');
  ts_str_addf(&str, "%03d", 7);
  ts_str_add_bytes(&str, "a\0b", 3);
  assert_int_equal(str.length, 11);
  assert_memory_equal(ts_str_get(&str), "tile/007a\0b", 12);
  ts_str_clear(&str);
  assert_string_equal(ts_str_get(&str), "");
  for (int i = 0; i < 10000; i++) ts_str_addf(&str, "%d,", i % 10);
  assert_int_equal(str.length, 20000);
  assert_memory_equal(str.data + 19980, "0,1,2,3,4,5,6,7,8,9,", 21);
  ts_str_release(&str);
  assert_null(str.data);
}

static void integers_are_written_as_printf_writes_them(void **state) {
  (void)state;
  static const int64_t numbers[] = {0, 1, -1, 9, 10, -10, 99, 100, 12345, INT64_MAX, INT64_MIN, INT64_MIN + 1};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    struct ts_str str = {0};
    char expected[32];
    snprintf(expected, sizeof expected, "x%lld", (long long)numbers[i]);
    ts_str_add(&str, "x");
    ts_str_add_int64(&str, numbers[i]);
    assert_string_equal(ts_str_get(&str), expected);
    ts_str_release(&str);
  }
}

static void detaching_gives_the_memory_away(void **state) {
  (void)state;
  struct ts_str str = {0};
  char *empty = ts_str_detach(&str);
  assert_string_equal(empty, "");
  free(empty);
  ts_str_add(&str, "x");
  char *text = ts_str_detach(&str);
  assert_string_equal(text, "x");
  assert_string_equal(ts_str_get(&str), "");
  free(text);
}

static void prefixes_and_suffixes(void **state) {
  (void)state;
  assert_true(ts_str_starts_with("k1:ab", "k1:"));
  assert_true(ts_str_starts_with("x", ""));
  assert_false(ts_str_starts_with("k", "k1:"));
  assert_true(ts_str_ends_with("a.tif", ".tif"));
  assert_true(ts_str_ends_with("x", ""));
  assert_false(ts_str_ends_with("tif", ".tif"));
}

static void counts_are_grouped(void **state) {
  (void)state;
  char buffer[32];
  assert_string_equal(ts_format_count(0, buffer), "0");
  assert_string_equal(ts_format_count(999, buffer), "999");
  assert_string_equal(ts_format_count(1000, buffer), "1 000");
  assert_string_equal(ts_format_count(18400, buffer), "18 400");
  assert_string_equal(ts_format_count(UINT64_MAX, buffer), "18 446 744 073 709 551 615");
}

static void durations_are_clocks(void **state) {
  (void)state;
  char buffer[32];
  assert_string_equal(ts_format_duration(0, buffer), "00:00");
  assert_string_equal(ts_format_duration(131.2, buffer), "02:11");
  assert_string_equal(ts_format_duration(59.99, buffer), "00:59");
  assert_string_equal(ts_format_duration(3599.9, buffer), "59:59");
  assert_string_equal(ts_format_duration(3600, buffer), "1:00:00");
  assert_string_equal(ts_format_duration(3731, buffer), "1:02:11");
  assert_string_equal(ts_format_duration(100 * 3600, buffer), "100:00:00");
  assert_string_equal(ts_format_duration(-1, buffer), "00:00");
  assert_string_equal(ts_format_duration(strtod("nan", NULL), buffer), "00:00");
  assert_true(strlen(ts_format_duration(1e300, buffer)) < 32);
}

static void bytes_have_units(void **state) {
  (void)state;
  char buffer[32];
  assert_string_equal(ts_format_bytes(0, buffer), "0 B");
  assert_string_equal(ts_format_bytes(999, buffer), "999 B");
  assert_string_equal(ts_format_bytes(1000, buffer), "1.0 kB");
  assert_string_equal(ts_format_bytes(1049, buffer), "1.0 kB");
  assert_string_equal(ts_format_bytes(1050, buffer), "1.1 kB");
  assert_string_equal(ts_format_bytes(999949, buffer), "999.9 kB");
  assert_string_equal(ts_format_bytes(999950, buffer), "1.0 MB");
  assert_string_equal(ts_format_bytes(3900000000u, buffer), "3.9 GB");
  assert_string_equal(ts_format_bytes(UINT64_MAX, buffer), "18.4 EB");
}

static void hexadecimal_goes_both_ways(void **state) {
  (void)state;
  uint8_t bytes[256];
  uint8_t back[256];
  char hex[513];
  for (int i = 0; i < 256; i++) bytes[i] = (uint8_t)i;
  ts_hex_encode(bytes, 256, hex);
  assert_int_equal(strlen(hex), 512);
  assert_memory_equal(hex, "000102", 6);
  assert_string_equal(hex + 506, "fdfeff");
  assert_true(ts_hex_decode(hex, back, 256));
  assert_memory_equal(bytes, back, 256);
  assert_true(ts_hex_decode("aBCd", back, 2));
  assert_int_equal(back[1], 0xCD);
  assert_false(ts_hex_decode("abc", back, 2));
  assert_false(ts_hex_decode("abcde", back, 2));
  assert_false(ts_hex_decode("abcg", back, 2));
  assert_false(ts_hex_decode("", back, 1));
  assert_true(ts_hex_decode("", back, 0));
}

/* Unicode standard, table 3-7, and the examples of ill-formed text around it. */
static void utf8_is_checked(void **state) {
  (void)state;
  static const char *const good[] = {"",
                                     "a",
                                     "\xC2\x80",
                                     "\xDF\xBF",
                                     "\xE0\xA0\x80",
                                     "\xED\x9F\xBF",
                                     "\xEE\x80\x80",
                                     "\xEF\xBF\xBF",
                                     "\xF0\x90\x80\x80",
                                     "\xF4\x8F\xBF\xBF",
                                     "K\xC3\xB6ln \xE2\x82\xAC"};
  static const char *const bad[] = {"\x80",
                                    "\xC0\x80",
                                    "\xC1\xBF",
                                    "\xC2",
                                    "\xC2g",
                                    "\xE0\x9F\xBF",
                                    "\xE2\x82",
                                    "\xED\xA0\x80",
                                    "\xF0\x8F\xBF\xBF",
                                    "\xF4\x90\x80\x80",
                                    "\xF5\x80\x80\x80",
                                    "\xFF",
                                    "ab\xE2(\xA1",
                                    "\xF0\x90\x80"};
  for (size_t i = 0; i < COUNT_OF(good); i++) assert_true(ts_utf8_valid(good[i], strlen(good[i])));
  for (size_t i = 0; i < COUNT_OF(bad); i++) {
    if (ts_utf8_valid(bad[i], strlen(bad[i]))) fail_msg("ill-formed text %zu was accepted", i);
  }
  assert_true(ts_utf8_valid("a\0b", 3));
}

static void the_nearest_word_is_found(void **state) {
  (void)state;
  static const char *const words[] = {"minSize", "maxSize", "threshold", "T1", "T2", "G"};
  size_t count = COUNT_OF(words);
  assert_string_equal(ts_nearest_word("minsize", words, count), "minSize");
  assert_string_equal(ts_nearest_word("treshold", words, count), "threshold");
  assert_string_equal(ts_nearest_word("thershold", words, count), "threshold");
  assert_string_equal(ts_nearest_word("mxaSize", words, count), "maxSize");
  assert_string_equal(ts_nearest_word("T3", words, count), "T1");
  static const char *const short_words[] = {"G", "FH", "G1", "G2", "G30"};
  assert_string_equal(ts_nearest_word("G9", short_words, 5), "G1");
  struct ts_str several = {0};
  assert_true(ts_add_nearest_words(&several, "G9", short_words, 5));
  assert_string_equal(ts_str_get(&several), "'G1' or 'G2'");
  assert_false(ts_add_nearest_words(&several, "quite another", short_words, 5));
  ts_str_release(&several);
  assert_null(ts_nearest_word("connectivity", words, count));
  assert_null(ts_nearest_word("R", words, count));
  assert_null(ts_nearest_word("", words, count));
  assert_null(ts_nearest_word("minSize", words, 0));
}

/* The plain recursive definition of the distance, for short words. */
static int slow_distance(const char *a, int i, const char *b, int j) {
  if (i == 0 || j == 0) return i + j;
  int best = slow_distance(a, i - 1, b, j - 1) + (a[i - 1] != b[j - 1]);
  int other = slow_distance(a, i - 1, b, j) + 1;
  if (other < best) best = other;
  other = slow_distance(a, i, b, j - 1) + 1;
  if (other < best) best = other;
  if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
    other = slow_distance(a, i - 2, b, j - 2) + 1;
    if (other < best) best = other;
  }
  return best;
}

static void nearness_agrees_with_the_definition(void **state) {
  (void)state;
  struct ts_random random;
  ts_random_init(&random, 3, 0);
  int near = 0;
  for (int round = 0; round < 400; round++) {
    char words[2][7] = {{0}};
    int lengths[2];
    for (int w = 0; w < 2; w++) {
      lengths[w] = 1 + (int)ts_random_below(&random, 6);
      for (int i = 0; i < lengths[w]; i++) words[w][i] = (char)('a' + ts_random_below(&random, 3));
    }
    int longer = lengths[0] > lengths[1] ? lengths[0] : lengths[1];
    bool expected = slow_distance(words[0], lengths[0], words[1], lengths[1]) <= (longer + 1) / 3;
    const char *const candidate = words[1];
    assert_true((ts_nearest_word(words[0], &candidate, 1) != NULL) == expected);
    near += expected;
  }
  assert_true(near > 20 && near < 380);
}

static void words_are_equal_but_for_case(void **state) {
  (void)state;
  assert_true(ts_word_equal("", ""));
  assert_true(ts_word_equal("NaN", "nan"));
  assert_true(ts_word_equal("a-Z[9", "A-z[9"));
  assert_false(ts_word_equal("nan", "nan0"));
  assert_false(ts_word_equal("nan0", "nan"));
  assert_false(ts_word_equal("@", "`"));               /* the neighbours of the letters differ by the same bit */
  assert_false(ts_word_equal("\xC3\xA4", "\xC3\x84")); /* only ASCII */
  assert_int_equal(ts_char_upper('a'), 'A');
  assert_int_equal(ts_char_upper('z'), 'Z');
  assert_int_equal(ts_char_upper('{'), '{');
  assert_int_equal(ts_char_upper('`'), '`');
}

static void names_are_joined_as_far_as_there_is_room(void **state) {
  (void)state;
  static const char *const names[] = {"", "a", "split", "segmentation"};
  for (size_t i = 0; i < COUNT_OF(names); i++) {
    for (size_t j = 0; j < COUNT_OF(names); j++) {
      for (size_t size = 0; size < 32; size++) {
        char joined[40], expected[40];
        memset(joined, 'x', sizeof joined);
        memset(expected, 'x', sizeof expected);
        snprintf(expected, size, "%s.%s", names[i], names[j]);
        assert_ptr_equal(ts_join_names(names[i], names[j], joined, size), joined);
        const size_t length = size > 0 ? strlen(expected) + 1 : 0;
        assert_memory_equal(joined, expected, length);
        for (size_t k = length; k < sizeof joined; k++) assert_int_equal(joined[k], 'x');
      }
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(names_are_joined_as_far_as_there_is_room),
      cmocka_unit_test(strings_grow),
      cmocka_unit_test(integers_are_written_as_printf_writes_them),
      cmocka_unit_test(detaching_gives_the_memory_away),
      cmocka_unit_test(prefixes_and_suffixes),
      cmocka_unit_test(counts_are_grouped),
      cmocka_unit_test(durations_are_clocks),
      cmocka_unit_test(bytes_have_units),
      cmocka_unit_test(hexadecimal_goes_both_ways),
      cmocka_unit_test(utf8_is_checked),
      cmocka_unit_test(the_nearest_word_is_found),
      cmocka_unit_test(nearness_agrees_with_the_definition),
      cmocka_unit_test(words_are_equal_but_for_case),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
