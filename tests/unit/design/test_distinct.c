/* Distinct rows against a comparison of every row with every other.
 * SPDX-License-Identifier: Apache-2.0 */
#include "design/design_int.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static uint64_t next_bits(uint64_t *seed) {
  *seed ^= *seed << 13;
  *seed ^= *seed >> 7;
  *seed ^= *seed << 17;
  return *seed;
}

static void numbers_as_by_brute_force(void **state) {
  (void)state;
  enum { ROWS = 2000, COLUMNS = 3 };
  static double rows[ROWS * COLUMNS];
  static size_t first[ROWS];
  uint64_t seed = 12345;
  for (size_t i = 0; i < ROWS * COLUMNS; i++) rows[i] = (double)(next_bits(&seed) % 9) / 9;
  struct ts_design design;
  ts_design_init(&design, ROWS, COLUMNS);
  for (size_t i = 0; i < ROWS * COLUMNS; i++) design.values[i] = ts_value_real(rows[i]);
  size_t count = ts_design_distinct(&design, first);
  size_t expected = 0;
  for (size_t r = 0; r < ROWS; r++) {
    size_t other = 0;
    while (memcmp(&rows[other * COLUMNS], &rows[r * COLUMNS], COLUMNS * sizeof *rows) != 0) other++;
    assert_int_equal(first[r], other);
    expected += other == r ? 1 : 0;
  }
  assert_true(expected < ROWS && expected > 500);
  assert_int_equal(count, expected);
  assert_int_equal(ts_design_distinct(&design, NULL), expected);
  design.row_count = 0;
  assert_int_equal(ts_design_distinct(&design, NULL), 0);
  ts_design_release(&design);
}

static void values_of_every_type(void **state) {
  (void)state;
  char mode[] = "fast"; /* another address than the literal */
  const struct ts_value rows[][4] = {
      {ts_value_integer(4), ts_value_real(0.5), ts_value_boolean(true), ts_value_string("fast")},
      {ts_value_integer(4), ts_value_real(0.5), ts_value_boolean(false), ts_value_string("fast")},
      {ts_value_integer(4), ts_value_real(0.5), ts_value_boolean(true), ts_value_string(mode)},
      {ts_value_integer(4), ts_value_real(0.5), ts_value_boolean(true), ts_value_string("slow")},
      {ts_value_integer(4), ts_value_real(-0.0), ts_value_boolean(true), ts_value_string("slow")},
      {ts_value_integer(4), ts_value_real(0), ts_value_boolean(true), ts_value_string("slow")},
      {ts_value_integer(8), ts_value_real(0.5), ts_value_boolean(true), ts_value_string("fast")},
  };
  const size_t expected[] = {0, 1, 0, 3, 4, 4, 6};
  struct ts_design design;
  ts_design_init(&design, 7, 4);
  memcpy(design.values, rows, sizeof rows);
  size_t first[7];
  assert_int_equal(ts_design_distinct(&design, first), 5);
  for (size_t r = 0; r < 7; r++) assert_int_equal(first[r], expected[r]);
  ts_design_release(&design);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(numbers_as_by_brute_force),
      cmocka_unit_test(values_of_every_type),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
