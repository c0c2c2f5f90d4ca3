/* Text for people: numbers, shares, times, safe strings, bars, wrapping and tables.
 * SPDX-License-Identifier: Apache-2.0 */
#include "unit/cli/fake_tessera.h"

#include "cli/text.h"

#include <math.h>

static void assert_text(struct ts_str *text, const char *expected) {
  assert_string_equal(ts_str_get(text), expected);
  ts_str_release(text);
}

static void numbers_have_three_digits(void **state) {
  (void)state;
  static const struct {
    double value;
    const char *text;
  } cases[] = {{0, "0"},
               {5, "5"},
               {0.91234, "0.912"},
               {12.345, "12.3"},
               {99.94, "99.9"},
               {99.96, "100"},
               {123.4, "123"},
               {12345.6, "12 346"},
               {-0.5, "-0.5"},
               {-1234567, "-1 234 567"},
               {0.0123456, "0.0123"},
               {3.14159e-5, "3.14e-05"},
               {(double)NAN, "-"},
               {0.8, "0.8"},
               {0.1245, "0.125"}};
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    struct ts_str text = {0};
    ts_cli_text_add_number(&text, cases[i].value);
    assert_text(&text, cases[i].text);
  }
}

static void fixed_numbers(void **state) {
  (void)state;
  static const struct {
    double value;
    int decimals;
    const char *text;
  } cases[] = {{0.4, 3, "0.400"}, {-0.0004, 2, "0.00"}, {64417.4, 0, "64 417"}, {-999.6, 0, "-1 000"},
               {-0.2, 0, "0"},    {1.005, 1, "1.0"},    {1.005, 2, "1.01"},     {(double)INFINITY, 2, "-"}};
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    struct ts_str text = {0};
    ts_cli_text_add_fixed(&text, cases[i].value, cases[i].decimals);
    assert_text(&text, cases[i].text);
  }
}

/* "0 %" and "100 %" are promises. */
static void shares(void **state) {
  (void)state;
  static const struct {
    uint64_t part, whole;
    const char *text;
  } cases[] = {{8400, 12000, "70 %"},     {0, 5, "0 %"},    {0, 0, "0 %"}, {5, 5, "100 %"}, {1, 100000, "0.1 %"},
               {99999, 100000, "99.9 %"}, {1, 30, "3.3 %"}, {2, 3, "67 %"}};
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    struct ts_str text = {0};
    ts_cli_text_add_share(&text, cases[i].part, cases[i].whole);
    assert_text(&text, cases[i].text);
  }
}

static void times(void **state) {
  (void)state;
  static const struct {
    double seconds;
    const char *text;
  } cases[] = {{0, "0.0 s"},          {0.0042, "4.2 ms"}, {0.4, "0.4 s"},        {9.94, "9.9 s"},
               {9.96, "10 s"},        {14.2, "14 s"},     {59.6, "1 min 00 s"},  {131, "2 min 11 s"},
               {11100, "3 h 05 min"}, {-1, "0.0 s"},      {(double)NAN, "0.0 s"}};
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    struct ts_str text = {0};
    ts_cli_text_add_time(&text, cases[i].seconds);
    assert_text(&text, cases[i].text);
  }
}

static void counts(void **state) {
  (void)state;
  struct ts_str text = {0};
  ts_cli_text_add_count(&text, 12000, "task");
  ts_str_add(&text, ", ");
  ts_cli_text_add_count(&text, 1, "task");
  assert_text(&text, "12 000 tasks, 1 task");
}

static void nothing_drives_the_terminal(void **state) {
  (void)state;
  struct ts_str text = {0};
  /* ESC, line end, DEL, the C1 control U+009B, no-break spaces, and an ordinary letter. */
  ts_cli_text_add_safe(&text, "a\x1b[2J\nb\x7f\xC2\x9B"
                              "1 2\xC2\xA0"
                              "3\xE2\x80\xAF"
                              "4 \xC3\xA9");
  assert_text(&text, "a?[2J b??1 2 3 4 \xC3\xA9");
  ts_cli_text_add_lines(&text, "one\ntwo\x1b\n", "> ");
  assert_text(&text, "> one\n> two?\n");
}

static void widths_count_characters(void **state) {
  (void)state;
  assert_int_equal(ts_cli_text_width("\xC3\xA9t\xC3\xA9"), 3);
  assert_int_equal(ts_cli_text_cut("\xC3\xA9t\xC3\xA9", 2), 3);
  assert_int_equal(ts_cli_text_cut("abc", 9), 3);
  assert_int_equal(ts_cli_text_cut("abc", 0), 0);
}

static void bars(void **state) {
  (void)state;
  struct ts_str text = {0};
  ts_cli_text_add_bar(&text, 0.5, 4, true);
  assert_text(&text, "\xE2\x96\x88\xE2\x96\x88");
  ts_cli_text_add_bar(&text, 0.375, 4, true); /* one and a half: full block and U+258C */
  assert_text(&text, "\xE2\x96\x88\xE2\x96\x8C");
  ts_cli_text_add_bar(&text, 0.6, 10, false);
  assert_text(&text, "######");
  ts_cli_text_add_bar(&text, 7, 3, false);
  assert_text(&text, "###");
  ts_cli_text_add_bar(&text, (double)NAN, 3, false);
  assert_text(&text, "");
}

static void wrapping(void **state) {
  (void)state;
  struct ts_str text = {0};
  ts_cli_text_add_wrapped(&text, "one two three four", 9, 0, "  ");
  assert_text(&text, "one two\n  three\n  four");
  ts_cli_text_add_wrapped(&text, "one two three", 0, 0, "  ");
  assert_text(&text, "one two three");
  ts_cli_text_add_wrapped(&text, "extraordinarily long", 5, 3, "");
  assert_text(&text, "extraordinarily\nlong");
}

static void tables_are_aligned(void **state) {
  (void)state;
  struct ts_cli_table table;
  struct ts_str text = {0};
  ts_cli_table_init(&table, "lrlr");
  const char *cells[] = {"name", "n", "empty", "last", "\xC3\xA9", "1", "", "22", "long name", "12 345", "", ""};
  for (size_t i = 0; i < COUNT_OF(cells); i++) ts_cli_table_add(&table, cells[i]);
  ts_cli_table_print(&table, "> ", &text);
  ts_cli_table_release(&table);
  assert_text(&text, "> name            n  last\n"
                     "> \xC3\xA9               1    22\n"
                     "> long name  12 345\n");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(numbers_have_three_digits),
      cmocka_unit_test(fixed_numbers),
      cmocka_unit_test(shares),
      cmocka_unit_test(times),
      cmocka_unit_test(counts),
      cmocka_unit_test(nothing_drives_the_terminal),
      cmocka_unit_test(widths_count_characters),
      cmocka_unit_test(bars),
      cmocka_unit_test(wrapping),
      cmocka_unit_test(tables_are_aligned),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
