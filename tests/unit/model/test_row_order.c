/* The order of rows: layouts are found from the rows, and the first row out of place is named.
 * SPDX-License-Identifier: Apache-2.0 */
#include "unit/base/testing.h"

#include "base/random.h"
#include "model/row_order.h"

#include <math.h>

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
  ts_row_order_add_others(&order);
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

static void assert_other(const enum ts_layout *layouts, size_t count, bool grouped, const char *rows,
                         const char *said) {
  struct outcome outcome = judge(layouts, count, grouped, rows);
  assert_false(outcome.ok);
  assert_int_equal(outcome.err.code, TS_ERR_WRONG_DESIGN);
  if (!strstr(outcome.err.text, said)) fail_msg("'%s' is not in '%s'", said, outcome.err.text);
  assert_non_null(strstr(outcome.err.help, "given-data"));
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
  assert_bad(second, 1, false, "123 423 153", TS_NONE, "has 3 rows, but 'method' needs 8");
  assert_bad(fast, 1, false, "012 210 120 201", TS_NONE, "4 rows, which 3 curves cannot share equally");
  assert_bad(derivative, 1, false, "000", TS_NONE, "has 1 rows");
}

static void designs_of_another_kind_are_named(void **state) {
  (void)state;
  const char *const independent = "012 120 201 345 453 534 678 786 867 999";
  assert_other(vbd, 2, false, independent, "this is not a Saltelli design (too few of its 10 rows differ");
  assert_other(vbd, 2, true, independent, "in one group only); row 2 of the design is not where 'method' needs it");
  assert_other(morris, 2, false, independent, "this is not a Morris design (too few");
  assert_other(second, 1, false, independent, "this is not a Saltelli design of second order (too few");
  assert_other(derivative, 1, false, independent, "this is not a design of derivatives (too few");
  assert_other(second, 1, false, "123 423 153 126 456", "(its rows are those of a plain Saltelli design)");
  assert_other(vbd, 2, false, "000 010 011 111", "(its rows are those of a Morris design)");
  assert_other(vbd, 2, false, "000 100 010 001", "(its rows are those of a design of derivatives)");
  assert_other(morris, 2, false, "123 423 153 126 456", "(its rows are those of a Saltelli design)");
}

#define ROWS 60

/* Equal in all groups but one. */
static bool is_neighbour(const double *a, const double *b, const size_t *groups, size_t group) {
  for (size_t c = 0; c < WIDTH; c++) {
    if ((groups ? groups[c] : c) != group && a[c] != b[c]) return false;
  }
  return true;
}

static void neighbours_are_those_of_brute_force(void **state) {
  (void)state;
  struct ts_random random;
  ts_random_init(&random, 5, 0);
  for (int round = 0; round < 200; round++) {
    double rows[ROWS][WIDTH];
    const size_t *groups = round % 2 ? group_of : NULL;
    size_t count = 2 + ts_random_below(&random, ROWS - 2), group_count = groups ? 2 : WIDTH, shared = 0;
    uint64_t levels = 2 + ts_random_below(&random, 12);
    struct row_neighbours neighbours = {0};
    for (size_t r = 0; r < count; r++) {
      for (size_t c = 0; c < WIDTH; c++) rows[r][c] = (double)ts_random_below(&random, levels) * -0.5;
      ts_row_neighbours_add(&neighbours, rows[r], WIDTH, groups, group_count);
    }
    for (size_t r = 0; r < count * group_count; r++) {
      size_t other = 0, row = r / group_count;
      while (other < count && (other == row || !is_neighbour(rows[row], rows[other], groups, r % group_count))) other++;
      shared += other < count ? 1 : 0;
    }
    assert_true(ts_row_neighbours_share(&neighbours) == (double)shared / (double)(count * group_count));
    ts_row_neighbours_release(&neighbours);
  }
}

/* Far more rows than are kept: pairs that differ in the first parameter alone, and as many rows without a neighbour. */
static void many_rows_need_no_more_memory(void **state) {
  (void)state;
  struct row_neighbours neighbours = {0};
  const size_t pairs = 200000;
  for (size_t i = 0; i < pairs; i++) {
    const double id = (double)i;
    ts_row_neighbours_add(&neighbours, (double[]){1, id, -id}, WIDTH, NULL, WIDTH);
    ts_row_neighbours_add(&neighbours, (double[]){id + 0.25, id + 0.25, id}, WIDTH, NULL, WIDTH);
  }
  for (size_t i = 0; i < pairs; i++)
    ts_row_neighbours_add(&neighbours, (double[]){2, (double)i, -(double)i}, WIDTH, NULL, WIDTH);
  /* Two of the nine neighbourhoods of every three rows are shared. */
  assert_true(fabs(ts_row_neighbours_share(&neighbours) - 2.0 / 9) < 0.01);
  ts_row_neighbours_release(&neighbours);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(designs_of_another_kind_are_named), cmocka_unit_test(neighbours_are_those_of_brute_force),
      cmocka_unit_test(many_rows_need_no_more_memory),     cmocka_unit_test(layouts_are_found),
      cmocka_unit_test(rows_out_of_place_are_named),       cmocka_unit_test(the_number_of_rows_must_fit),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
