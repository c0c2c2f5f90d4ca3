/* Tables of numbers as CSV: what is read, what is missing, and the line and column of every fault.
 * SPDX-License-Identifier: Apache-2.0 */
#include "design/read_table.h"

#include "base/alloc.h"
#include "base/file.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char path[64];

static const char *file_of(const char *text, size_t length) {
  snprintf(path, sizeof path, "%s", P_tmpdir "/tessera-table-XXXXXX");
  int descriptor = mkstemp(path);
  assert_true(descriptor >= 0);
  close(descriptor);
  struct ts_error err = {0};
  assert_true(ts_file_write(path, text, length, &err));
  return path;
}

static void open_text(struct ts_table_reader *reader, const char *text) {
  struct ts_error err = {0};
  if (!ts_table_reader_open(reader, file_of(text, strlen(text)), &err)) fail_msg("%s", err.text);
  unlink(path);
}

/* The next row is this one. */
static void assert_row(struct ts_table_reader *reader, const double *expected) {
  double row[16];
  bool has_row;
  struct ts_error err = {0};
  if (!ts_table_reader_next(reader, row, &has_row, &err)) fail_msg("line %d: %s", err.where.line, err.text);
  assert_true(has_row);
  for (size_t i = 0; i < reader->chosen_count; i++) {
    bool same = isnan(expected[i]) ? isnan(row[i]) : row[i] == expected[i];
    if (!same) fail_msg("line %zu, number %zu: %.17g, not %.17g", reader->line, i, row[i], expected[i]);
  }
}

static void assert_end(struct ts_table_reader *reader) {
  double row[16];
  bool has_row;
  struct ts_error err = {0};
  assert_true(ts_table_reader_next(reader, row, &has_row, &err));
  assert_false(has_row);
  assert_true(ts_table_reader_next(reader, row, &has_row, &err));
  assert_false(has_row);
}

static void reads_all_columns(void **state) {
  (void)state;
  struct ts_table_reader reader;
  open_text(&reader, "\xef\xbb\xbf"
                     "a,\"b, \"\"c\"\"\", d \r\n1,2.5,-3e-2\r\n\r\n \"x\" ,2,3\r\n");
  assert_int_equal(reader.column_count, 3);
  assert_string_equal(reader.names[0], "a");
  assert_string_equal(reader.names[1], "b, \"c\"");
  assert_string_equal(reader.names[2], "d");
  assert_row(&reader, (double[]){1, 2.5, -3e-2});
  assert_int_equal(reader.line, 2);
  double row[3];
  bool has_row;
  struct ts_error err = {0};
  assert_false(ts_table_reader_next(&reader, row, &has_row, &err));
  assert_int_equal(err.where.line, 4); /* the empty line counts */
  ts_table_reader_close(&reader);
}

static void chooses_columns_in_any_order(void **state) {
  (void)state;
  struct ts_table_reader reader;
  const char *names[] = {"c", "a"};
  struct ts_error err = {0};
  open_text(&reader, "a,b,c\n1,not looked at,3\n4,\"a, \"\"b\"\"\nc\",6\n7,,9");
  assert_true(ts_table_reader_choose(&reader, names, 2, &err));
  assert_int_equal(ts_table_reader_find(&reader, "b"), 1);
  assert_true(ts_table_reader_find(&reader, "z") == TS_NONE);
  assert_row(&reader, (double[]){3, 1});
  assert_row(&reader, (double[]){6, 4});
  assert_int_equal(reader.line, 3);
  assert_row(&reader, (double[]){9, 7});
  assert_int_equal(reader.line, 5); /* the row before has a line end in a cell */
  assert_end(&reader);
  ts_table_reader_close(&reader);
}

static void missing_values(void **state) {
  (void)state;
  struct ts_table_reader reader;
  open_text(&reader, "a,b,c,d\n,NaN,nan,NA\n inf ,-Inf,Infinity,\"\"\n\"1.5\", 2\t,+3,4.\n,,,\n");
  assert_row(&reader, (double[]){NAN, NAN, NAN, NAN});
  assert_row(&reader, (double[]){INFINITY, -INFINITY, INFINITY, NAN});
  assert_row(&reader, (double[]){1.5, 2, 3, 4});
  assert_row(&reader, (double[]){NAN, NAN, NAN, NAN});
  assert_end(&reader);
  ts_table_reader_close(&reader);
}

/* With one column an empty line is a run without a result: skipping it would move all later results by one run. */
static void empty_lines_of_one_column(void **state) {
  (void)state;
  struct ts_table_reader reader;
  open_text(&reader, "y\n1\n\n\r\n4\n");
  assert_row(&reader, (double[]){1});
  assert_row(&reader, (double[]){NAN});
  assert_row(&reader, (double[]){NAN});
  assert_row(&reader, (double[]){4});
  assert_end(&reader);
  ts_table_reader_close(&reader);
}

static void row_numbers_without_a_name(void **state) {
  (void)state;
  struct ts_table_reader reader;
  open_text(&reader, ",x,y\n0,1,2\n1,3,4\n");
  assert_int_equal(reader.chosen_count, 2);
  assert_row(&reader, (double[]){1, 2});
  assert_row(&reader, (double[]){3, 4});
  assert_end(&reader);
  ts_table_reader_close(&reader);
}

static const struct ts_value words[] = {{.type = TS_VALUE_STRING, .as.string = "slow"},
                                        {.type = TS_VALUE_STRING, .as.string = "3"},
                                        {.type = TS_VALUE_STRING, .as.string = "a,b"}};
static const struct ts_parameter mode = {.name = "mode", .type = TS_VALUE_STRING, .levels = words, .level_count = 3};
static const struct ts_parameter flag = {.name = "flag", .type = TS_VALUE_BOOLEAN};

static void words_become_levels(void **state) {
  (void)state;
  struct ts_table_reader reader;
  open_text(&reader, "x,mode,flag\n1,3,true\n2,slow,False\n3,\"a,b\",1\n4,,\n5,slwo,true\n");
  ts_table_reader_set_parameter(&reader, 1, &mode);
  ts_table_reader_set_parameter(&reader, 2, &flag);
  assert_row(&reader, (double[]){1, 1, 1});
  assert_row(&reader, (double[]){2, 0, 0});
  assert_row(&reader, (double[]){3, 2, 1});
  assert_row(&reader, (double[]){4, NAN, NAN});
  double row[3];
  bool has_row;
  struct ts_error err = {0};
  assert_false(ts_table_reader_next(&reader, row, &has_row, &err));
  assert_int_equal(err.code, TS_ERR_BAD_VALUE);
  assert_non_null(strstr(err.text, "has no value 'slwo'"));
  assert_non_null(strstr(err.help, "did you mean 'slow'"));
  ts_table_reader_close(&reader);
}

/* Reads everything; returns the fault. */
static struct ts_error fault_of(const char *text) {
  struct ts_table_reader reader;
  struct ts_error err = {0};
  bool has_row = true;
  double row[16];
  if (ts_table_reader_open(&reader, file_of(text, strlen(text)), &err)) {
    while (has_row && ts_table_reader_next(&reader, row, &has_row, &err)) continue;
    ts_table_reader_close(&reader);
  }
  unlink(path);
  return err;
}

static void names_line_and_column_of_faults(void **state) {
  (void)state;
  static const struct {
    const char *text;
    enum ts_error_code code;
    int line, column;
    const char *part;
  } faults[] = {
      {"a,b\n1,2\n3,x4\n", TS_ERR_BAD_VALUE, 3, 3, "'x4' in column 'b' is not a number"},
      {"a,b\n1,2\n3, 4 5\n", TS_ERR_BAD_VALUE, 3, 3, "'4 5'"},
      {"a,b\n1,2e\n", TS_ERR_BAD_VALUE, 2, 3, "'2e'"},
      {"a,b\n0x10,2\n", TS_ERR_BAD_VALUE, 2, 1, "'0x10'"},
      {"a,b\n1;5,2\n", TS_ERR_BAD_VALUE, 2, 1, "'1;5'"},
      {"\xc3\xa4,b\n\"\n\",\xc3\xa4\n", TS_ERR_BAD_VALUE, 2, 1, "is not a number"},
      {"a,b\n1\n", TS_ERR_CSV_SYNTAX, 2, 1, "1 cell where the header has 2"},
      {"a,b\n1,2\n1,2,3\n", TS_ERR_CSV_SYNTAX, 3, 1, "3 cells where the header has 2"},
      {"a,b\n1,\"2\n", TS_ERR_CSV_SYNTAX, 2, 3, "never closed"},
      {"a,b\n1,\"2\"3\n", TS_ERR_CSV_SYNTAX, 2, 6, "after a closing quotation mark"},
      {"", TS_ERR_CSV_SYNTAX, 1, 1, "is empty"},
      {"\n\n", TS_ERR_CSV_SYNTAX, 1, 1, "is empty"},
      {"1,2\n3,4\n", TS_ERR_CSV_SYNTAX, 1, 1, "numbers where the names"},
      {"a;b\n1;2\n", TS_ERR_CSV_SYNTAX, 1, 1, "not separated by commas"},
      {"a,b,a\n", TS_ERR_DUPLICATE_NAME, 1, 5, "column 'a' occurs twice"},
  };
  for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
    struct ts_error err = fault_of(faults[i].text);
    if (err.code != faults[i].code || !strstr(err.text, faults[i].part)) {
      fail_msg("fault %zu: T%d %s", i, ts_error_number(err.code), err.text);
    }
    assert_true(err.help[0] != '\0');
    assert_string_equal(err.where.file, path);
    if (err.where.line != faults[i].line || err.where.column != faults[i].column) {
      fail_msg("fault %zu is at %d:%d", i, err.where.line, err.where.column);
    }
  }
}

static void places_for_callers(void **state) {
  (void)state;
  struct ts_table_reader reader;
  const char *names[] = {"c", "b"};
  struct ts_error err = {0};
  open_text(&reader, "a,b,c\n\"x, y\",2,3\n");
  assert_true(ts_table_reader_choose(&reader, names, 2, &err));
  assert_row(&reader, (double[]){3, 2});
  ts_fail(&err, TS_ERR_BAD_VALUE, "too small");
  ts_table_reader_place(&reader, 1, &err);
  assert_int_equal(err.where.line, 2);
  assert_int_equal(err.where.column, 8);
  ts_table_reader_close(&reader);
}

static void columns_that_are_not_there(void **state) {
  (void)state;
  struct ts_table_reader reader;
  const char *wrong[] = {"minsize"}, *twice[] = {"b", "b"};
  struct ts_error err = {0};
  open_text(&reader, "minSize,b\n1,2\n");
  assert_false(ts_table_reader_choose(&reader, wrong, 1, &err));
  assert_int_equal(err.code, TS_ERR_MISSING_KEY);
  assert_non_null(strstr(err.help, "did you mean 'minSize'"));
  err = (struct ts_error){0};
  assert_false(ts_table_reader_choose(&reader, twice, 2, &err));
  assert_int_equal(err.code, TS_ERR_DUPLICATE_NAME);
  ts_table_reader_close(&reader);
  err = (struct ts_error){0};
  assert_false(ts_table_reader_open(&reader, "/nowhere/table.csv", &err));
  assert_int_equal(err.code, TS_ERR_FILE_NOT_FOUND);
  err = (struct ts_error){0};
  assert_false(ts_table_reader_open(&reader, "/", &err));
  assert_int_equal(err.code, TS_ERR_FILE_IO);
}

/* Rows across the borders of the buffer (1 MB), of very different lengths; and one that is longer than it. */
static void rows_across_buffers(void **state) {
  (void)state;
  enum { ROWS = 120000 };
  struct ts_str text = {0};
  ts_str_add(&text, "a,word,b\n");
  for (int i = 0; i < ROWS; i++) {
    ts_str_addf(&text, "%d,%s,%.10f\n", i, i % 7 ? "" : "\"a \n\"\"long\"\" word\"", i / 7.0);
    if (i != 777) continue;
    ts_str_add(&text, "-1,\"");
    for (size_t j = 0; j < 3000000; j++) ts_str_add_char(&text, j % 80 ? 'x' : '\n');
    ts_str_add(&text, "\",0.5\n");
  }
  const char *names[] = {"b", "a"};
  struct ts_table_reader reader;
  struct ts_error err = {0};
  assert_true(ts_table_reader_open(&reader, file_of(ts_str_get(&text), text.length), &err));
  unlink(path);
  assert_true(ts_table_reader_choose(&reader, names, 2, &err));
  for (size_t r = 0; r <= ROWS; r++) {
    int i = r <= 777 ? (int)r : (int)r - 1;
    double row[2];
    bool has_row = false;
    if (!ts_table_reader_next(&reader, row, &has_row, &err)) fail_msg("line %d: %s", err.where.line, err.text);
    assert_true(has_row);
    char number[32];
    snprintf(number, sizeof number, "%.10f", r == 778 ? 0.5 : i / 7.0);
    if (row[0] != strtod(number, NULL)) fail_msg("row %zu: %.17g", r, row[0]);
    assert_true(row[1] == (r == 778 ? -1 : i));
  }
  bool has_row = true;
  assert_true(ts_table_reader_next(&reader, (double[2]){0}, &has_row, &err) && !has_row);
  ts_table_reader_close(&reader);
  ts_str_release(&text);
}

/* Wherever the border of the buffer falls, a carriage return and its line feed are one line end. */
static void line_ends_across_buffers(void **state) {
  (void)state;
  enum { ROWS = 800000 };
  for (int shift = 0; shift < 3; shift++) {
    struct ts_str text = {0};
    ts_str_addf(&text, "%.*s\r\n", 1 + shift, "yyy");
    for (int i = 0; i < ROWS; i++) ts_str_add(&text, "1\r\n");
    struct ts_table_reader reader;
    struct ts_error err = {0};
    assert_true(ts_table_reader_open(&reader, file_of(ts_str_get(&text), text.length), &err));
    unlink(path);
    double number = 0;
    bool has_row = true;
    while (has_row && ts_table_reader_next(&reader, &number, &has_row, &err)) assert_true(number == 1);
    assert_int_equal(err.code, TS_ERR_OK);
    assert_int_equal(reader.row_count, ROWS);
    assert_int_equal(reader.line, ROWS + 1);
    ts_table_reader_close(&reader);
    ts_str_release(&text);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(reads_all_columns),
      cmocka_unit_test(chooses_columns_in_any_order),
      cmocka_unit_test(missing_values),
      cmocka_unit_test(empty_lines_of_one_column),
      cmocka_unit_test(row_numbers_without_a_name),
      cmocka_unit_test(words_become_levels),
      cmocka_unit_test(names_line_and_column_of_faults),
      cmocka_unit_test(places_for_callers),
      cmocka_unit_test(columns_that_are_not_there),
      cmocka_unit_test(rows_across_buffers),
      cmocka_unit_test(line_ends_across_buffers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
