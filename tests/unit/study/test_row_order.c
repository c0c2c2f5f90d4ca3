/* The order of rows: layouts are found from the rows, and the first row out of place is named.
 * SPDX-License-Identifier: Apache-2.0 */
#include "unit/base/testing.h"

#include "study/row_order.h"

#define WIDTH 3

static const char *const names[] = {"a", "b", "c"};
static const char *const group_names[] = {"ab", "c"};
static const size_t group_of[] = {0, 0, 1};

struct outcome {
  bool ok;
  enum ts_layout layout;
  size_t row;
  struct ts_error err;
};

/* Rows as digits: "012" is a = 0, b = 1, c = 2. */
static struct outcome judge(const enum ts_layout *layouts, size_t layout_count, bool grouped, const char *rows) {
  struct row_order order;
  struct outcome outcome = {0};
  ts_row_order_init(&order, names, WIDTH, grouped ? group_of : NULL, group_names, grouped ? 2 : WIDTH);
  for (size_t i = 0; i < layout_count; i++) ts_row_order_add(&order, layouts[i]);
  for (; *rows; rows += rows[WIDTH] ? WIDTH + 1 : WIDTH) {
    double row[WIDTH];
    for (size_t c = 0; c < WIDTH; c++) row[c] = rows[c] - '0';
    ts_row_order_row(&order, row);
  }
  outcome.ok = ts_row_order_find(&order, "method", &outcome.layout, &outcome.row, &outcome.err);
  assert_int_equal(outcome.ok, outcome.err.code == TS_ERR_OK);
  ts_row_order_release(&order);
  return outcome;
}

static const enum ts_layout morris[] = {TS_LAYOUT_TRAJECTORIES, TS_LAYOUT_RADIAL};
static const enum ts_layout vbd[] = {TS_LAYOUT_SALTELLI, TS_LAYOUT_SALTELLI_2};
static const enum ts_layout second[] = {TS_LAYOUT_SALTELLI_2};
static const enum ts_layout derivative[] = {TS_LAYOUT_DERIVATIVE};
static const enum ts_layout fast[] = {TS_LAYOUT_FAST};

static void assert_layout(const enum ts_layout *layouts, size_t count, bool grouped, const char *rows,
                          enum ts_layout layout) {
  struct outcome outcome = judge(layouts, count, grouped, rows);
  if (!outcome.ok) fail_msg("'%s': %s", rows, outcome.err.text);
  assert_int_equal(outcome.layout, layout);
}

static void assert_bad(const enum ts_layout *layouts, size_t count, bool grouped, const char *rows, size_t row,
                       const char *said) {
  struct outcome outcome = judge(layouts, count, grouped, rows);
  assert_false(outcome.ok);
  assert_int_equal(outcome.err.code, TS_ERR_BAD_VALUE);
  assert_int_equal(outcome.row, row);
  if (!strstr(outcome.err.text, said)) fail_msg("'%s' is not in '%s'", said, outcome.err.text);
  assert_true(outcome.err.help[0] != '\0');
}

static void layouts_are_found(void **state) {
  (void)state;
  assert_layout(NULL, 0, false, "012 120", TS_LAYOUT_FREE);
  assert_layout(morris, 2, false, "000 010 011 111", TS_LAYOUT_TRAJECTORIES);
  assert_layout(morris, 2, false, "000 010 001 100 111 211 131 110", TS_LAYOUT_RADIAL);
  assert_layout(morris, 2, false, "000 000 001 101", TS_LAYOUT_TRAJECTORIES); /* two coordinates on one grid level */
  assert_layout(morris, 2, true, "000 110 112 333 334 554", TS_LAYOUT_TRAJECTORIES);
  assert_layout(vbd, 2, false, "123 423 153 126 456", TS_LAYOUT_SALTELLI);
  assert_layout(vbd, 2, false, "123 423 153 126 156 426 453 456", TS_LAYOUT_SALTELLI_2);
  assert_layout(vbd, 2, true, "123 453 126 456", TS_LAYOUT_SALTELLI);
  assert_layout(vbd, 2, true, "123 453 126 126 453 456", TS_LAYOUT_SALTELLI_2);
  assert_layout(derivative, 1, false, "000 100 010 001 222 322 232 223", TS_LAYOUT_DERIVATIVE);
  assert_layout(fast, 1, false, "012 210 120 201 102 021", TS_LAYOUT_FAST);
}

static void rows_out_of_place_are_named(void **state) {
  (void)state;
  assert_bad(morris, 2, false, "000 010 011 111 000 010 111 111", 6, "in both 'a' and 'c'");
  assert_bad(morris, 2, false, "000 010 020 120", 2, "'b' changes twice");
  assert_bad(morris, 2, true, "000 111 112", 1, "in both 'ab' and 'c'");
  assert_bad(vbd, 2, false, "123 423 153 126 456 123 153 423 126 456", 6, "its 'a' is not that of row B");
  assert_bad(vbd, 1, false, "456 423 153 126 123", 1, "its 'a'"); /* A and B changed places */
  assert_bad(second, 1, false, "123 423 153 126 426 156 453 456", 4, "its 'a' is not that of row A");
  assert_bad(derivative, 1, false, "000 010 100 001", 1, "the turn of 'a'");
}

static void the_number_of_rows_must_fit(void **state) {
  (void)state;
  assert_bad(morris, 2, false, "000 010 011", TS_NONE, "has 3 rows, but 'method' needs 4 for every trajectory");
  assert_bad(vbd, 1, false, "123 423 153 126 456 123", TS_NONE,
             "has 6 rows, but 'method' needs 5 for every base sample");
  assert_bad(second, 1, false, "123 423 153 126 456", TS_NONE, "has 5 rows, but 'method' needs 8");
  assert_bad(fast, 1, false, "012 210 120 201", TS_NONE, "4 rows, which 3 curves cannot share equally");
  assert_bad(derivative, 1, false, "000", TS_NONE, "has 1 rows");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(layouts_are_found),
      cmocka_unit_test(rows_out_of_place_are_named),
      cmocka_unit_test(the_number_of_rows_must_fit),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
