/* Tests of tables as CSV text.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/alloc.h"
#include "data/data.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static struct ts_data *parse(const char *text, struct ts_error *err) {
  return ts_table_from_csv("t.csv", text, strlen(text), err);
}

static void test_reads_numbers_and_missing_values(void **state) {
  (void)state;
  struct ts_error err = {0};
  ts_auto(ts_data_unref_pointer) struct ts_data *table =
      parse("id,\"mean, red\",x\r\n1,2.5,\r\n2,nan,-1e-3\r\n3,NaN,inf\r\n", &err);
  assert_non_null(table);
  assert_int_equal(ts_data_rows(table), 3);
  assert_int_equal(ts_data_columns(table), 3);
  assert_string_equal(ts_data_column_names(table)[1], "mean, red");
  const double *cells = ts_data_cells(table);
  assert_true(cells[0] == 1 && cells[1] == 2.5 && isnan(cells[2]));
  assert_true(cells[3] == 2 && isnan(cells[4]) && cells[5] == -1e-3);
  assert_true(cells[6] == 3 && isnan(cells[7]) && isinf(cells[8]) && cells[8] > 0);
}

static void test_bad_cells_name_their_place(void **state) {
  (void)state;
  struct ts_error err = {0};
  assert_null(parse("a,b\n1,2\n3,four\n", &err));
  assert_int_equal(err.code, TS_ERR_CSV_SYNTAX);
  assert_non_null(strstr(err.text, "'four'"));
  assert_non_null(strstr(err.text, "'b'"));
  assert_string_equal(err.where.file, "t.csv");
  assert_int_equal(err.where.line, 3);
}

static void test_bad_headers(void **state) {
  (void)state;
  struct ts_error err = {0};
  assert_null(parse("a,b,a\n1,2,3\n", &err));
  assert_int_equal(err.code, TS_ERR_CSV_SYNTAX);
  assert_non_null(strstr(err.text, "'a'"));
  ts_error_clear(&err);
  assert_null(parse("a,b\n1,2,3\n", &err));
  assert_int_equal(err.code, TS_ERR_CSV_SYNTAX);
}

static void test_writes_what_it_reads(void **state) {
  (void)state;
  const char *text = "id,\"a, \"\"b\"\"\",c\n1,0.1,\n2,-inf,1e+300\n";
  ts_auto(ts_data_unref_pointer) struct ts_data *table = parse(text, NULL);
  ts_auto(ts_str_release) struct ts_str first = {0};
  ts_table_to_csv(table, NULL, NULL, &first);
  ts_auto(ts_data_unref_pointer) struct ts_data *again = ts_table_from_csv("t.csv", first.data, first.length, NULL);
  struct ts_sha256 digests[2];
  ts_data_digest(table, &digests[0]);
  ts_data_digest(again, &digests[1]);
  assert_memory_equal(&digests[0], &digests[1], sizeof digests[0]);
  assert_non_null(strstr(first.data, "\n1,0.1,\n"));
}

/* In a table of one column a missing value may not become an empty line, which is no row. */
static void test_one_column_keeps_its_rows(void **state) {
  (void)state;
  const char *names[] = {"a"};
  ts_auto(ts_data_unref_pointer) struct ts_data *table = ts_data_create_table(3, 1, names, NULL);
  double *cells = ts_data_writable(table);
  cells[0] = 1;
  cells[1] = NAN;
  cells[2] = 3;
  ts_auto(ts_str_release) struct ts_str text = {0};
  ts_table_to_csv(table, NULL, NULL, &text);
  assert_string_equal(text.data, "a\n1\nnan\n3\n");
  ts_auto(ts_data_unref_pointer) struct ts_data *again = ts_table_from_csv("t.csv", text.data, text.length, NULL);
  assert_int_equal(ts_data_rows(again), 3);
}

/* A last column of text, also beside a missing value and without rows. */
static void test_a_text_in_every_row(void **state) {
  (void)state;
  const char *names[] = {"a"};
  ts_auto(ts_data_unref_pointer) struct ts_data *table = ts_data_create_table(2, 1, names, NULL);
  ts_auto(ts_data_unref_pointer) struct ts_data *empty = ts_data_create_table(0, 1, names, NULL);
  double *cells = ts_data_writable(table);
  cells[0] = 1;
  cells[1] = NAN;
  ts_auto(ts_str_release) struct ts_str text = {0}, head = {0};
  ts_table_to_csv(table, "against", "truth", &text);
  assert_string_equal(text.data, "a,against\n1,truth\n,truth\n");
  ts_table_to_csv(empty, "against", "truth", &head);
  assert_string_equal(head.data, "a,against\n");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_reads_numbers_and_missing_values),
      cmocka_unit_test(test_bad_cells_name_their_place),
      cmocka_unit_test(test_bad_headers),
      cmocka_unit_test(test_writes_what_it_reads),
      cmocka_unit_test(test_one_column_keeps_its_rows),
      cmocka_unit_test(test_a_text_in_every_row),
  };
  return cmocka_run_group_tests_name("table", tests, NULL, NULL);
}
