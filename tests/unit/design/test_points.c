/* Tests of design/points.c: rows of Saltelli designs put together, values and levels of rows.
 * SPDX-License-Identifier: Apache-2.0 */
#include "sample_support.h"

#include "design/sequence_int.h"

/* Two base samples of three columns: A is 0.1 0.2 0.3 | 0.4 0.5 0.6, B is A plus 0.01. */
static double block_a[] = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6}, block_b[] = {0.11, 0.21, 0.31, 0.41, 0.51, 0.61};

/* `from_b` tells per row of a block which columns come from B ("010": the second). */
static void rows_are(const struct ts_points *points, const char *const *from_b) {
  double row[3];
  for (size_t i = 0; i < points->row_count; i++) {
    ts_points_row(points, i, row);
    for (size_t column = 0; column < 3; column++) {
      size_t cell = i / points->block_rows * 3 + column;
      bool is_b = from_b[i % points->block_rows][column] == '1';
      assert_true(row[column] == (is_b ? block_b[cell] : block_a[cell]));
    }
  }
}

static void saltelli_rows_are_in_the_order_of_salib(void **state) {
  (void)state;
  struct ts_points points = {.layout = TS_LAYOUT_SALTELLI,
                             .column_count = 3,
                             .row_count = 10,
                             .block_rows = 5,
                             .a = block_a,
                             .b = block_b,
                             .group_count = 3};
  rows_are(&points, (const char *const[]){"000", "100", "010", "001", "111"});
  points.layout = TS_LAYOUT_SALTELLI_2;
  points.block_rows = 8;
  points.row_count = 16;
  rows_are(&points, (const char *const[]){"000", "100", "010", "001", "011", "101", "110", "111"});
}

static void groups_move_together(void **state) {
  (void)state;
  size_t group_of[] = {1, 0, 1};
  struct ts_points points = {.layout = TS_LAYOUT_SALTELLI,
                             .column_count = 3,
                             .row_count = 8,
                             .block_rows = 4,
                             .a = block_a,
                             .b = block_b,
                             .group_of = group_of,
                             .group_count = 2};
  rows_are(&points, (const char *const[]){"000", "010", "101", "111"});
  points.layout = TS_LAYOUT_SALTELLI_2;
  points.block_rows = 6;
  points.row_count = 12;
  rows_are(&points, (const char *const[]){"000", "010", "101", "101", "010", "111"});
}

static void values_outlive_the_space(void **state) {
  (void)state;
  struct cube cube;
  cube_init(&cube, 3);
  char slow[] = "slow", fast[] = "fast";
  struct ts_value modes[] = {ts_value_string(fast), ts_value_string(slow)};
  cube.parameters[0].range_high = 10;
  cube.parameters[1] = (struct ts_parameter){
      .name = cube.names[1], .help = "", .type = TS_VALUE_STRING, .levels = modes, .level_count = 2};
  struct ts_points points = {.column_count = 3, .row_count = 2, .block_rows = 1, .a = block_a, .group_count = 3};
  struct ts_design design;
  ts_design_of_points(&design, &cube.space, &points);
  memset(slow, '?', 4);
  memset(fast, '?', 4);
  memset(cube.names, '?', sizeof cube.names);
  assert_int_equal(design.row_count, 2);
  assert_string_equal(design.names[1], "x2");
  assert_memory_equal(design.unit, block_a, sizeof block_a);
  assert_true(design.values[0].as.real == 1 && design.values[3].as.real == 4);
  assert_string_equal(design.values[1].as.string, "fast");
  assert_string_equal(design.values[4].as.string, "slow");
  assert_int_equal(design.levels[0], -1);
  assert_int_equal(design.levels[1], 0);
  assert_int_equal(design.levels[4], 1);
  ts_design_release(&design);
}

static void every_layout_has_a_name(void **state) {
  (void)state;
  for (int a = TS_LAYOUT_FREE; a <= TS_LAYOUT_DERIVATIVE; a++) {
    assert_non_null(ts_layout_name((enum ts_layout)a));
    for (int b = 0; b < a; b++) {
      assert_string_not_equal(ts_layout_name((enum ts_layout)a), ts_layout_name((enum ts_layout)b));
    }
  }
}

static void notes_add_up(void **state) {
  (void)state;
  struct ts_points points = {0};
  ts_points_add_note(&points, "%d rows lost", 3);
  assert_string_equal(points.note, "3 rows lost");
  ts_points_add_note(&points, "more");
  assert_string_equal(points.note, "3 rows lost; more");
  ts_points_release(&points);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(saltelli_rows_are_in_the_order_of_salib),
      cmocka_unit_test(groups_move_together),
      cmocka_unit_test(values_outlive_the_space),
      cmocka_unit_test(every_layout_has_a_name),
      cmocka_unit_test(notes_add_up),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
