/* Unit designs as CSV: the text is that of the design written cell by cell, for every layout and in bounded pieces.
 * SPDX-License-Identifier: Apache-2.0 */
#include "design/points.h"

#include "base/alloc.h"
#include "support/design_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { WIDTH = 5 };

static const struct ts_value words[] = {{.type = TS_VALUE_STRING, .as.string = "plain"},
                                        {.type = TS_VALUE_STRING, .as.string = "a \"b\", c"},
                                        {.type = TS_VALUE_STRING, .as.string = ""}};
static const struct ts_value steps[] = {{.type = TS_VALUE_INTEGER, .as.integer = 4},
                                        {.type = TS_VALUE_INTEGER, .as.integer = 8}};
static const struct ts_parameter parameters[WIDTH] = {
    {.name = "word", .type = TS_VALUE_STRING, .levels = words, .level_count = 3},
    {.name = "x", .type = TS_VALUE_REAL, .has_range = true, .range_low = -1, .range_high = 1},
    {.name = "n", .type = TS_VALUE_INTEGER, .has_range = true, .range_low = -3, .range_high = 3},
    {.name = "RC", .type = TS_VALUE_INTEGER, .levels = steps, .level_count = 2},
    {.name = "big", .type = TS_VALUE_INTEGER, .has_range = true, .range_low = 0x1p60, .range_high = 0x1p60 + 4096},
};
static const struct ts_parameter *pointers[WIDTH] = {&parameters[0], &parameters[1], &parameters[2], &parameters[3],
                                                     &parameters[4]};
static const struct ts_space space = {.parameters = pointers, .count = WIDTH};

/* Unit coordinates with many repetitions, so that cells are shared. */
static double *random_rows(size_t rows) {
  double *unit = ts_calloc(rows * WIDTH, sizeof *unit);
  uint64_t seed = 88172645463325252u;
  for (size_t i = 0; i < rows * WIDTH; i++) {
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    unit[i] = seed % 3 ? (double)(seed >> 61) / 8 : (double)(seed >> 11) * 0x1p-53;
  }
  return unit;
}

struct sink {
  struct ts_str text;
  size_t calls, longest;
  size_t stop_after; /* calls; 0: never */
};

static bool take(void *user, const char *text, size_t length, struct ts_error *err) {
  struct sink *sink = user;
  sink->calls++;
  if (length > sink->longest) sink->longest = length;
  ts_str_add_bytes(&sink->text, text, length);
  if (sink->calls != sink->stop_after) return true;
  ts_fail(err, TS_ERR_CANCELLED, "stopped");
  return false;
}

/* The plain way: every row, every cell. */
static void expected_text(const struct ts_points *points, bool with_unit, struct ts_str *out) {
  struct ts_design design;
  ts_design_of_points(&design, &space, points);
  struct ts_str plain = {0};
  design_write_csv(&design, &plain);
  const char *line = ts_str_get(&plain);
  for (size_t row = 0; row <= design.row_count; row++) {
    size_t length = strcspn(line, "\n");
    ts_str_add_bytes(out, line, length);
    line += length + 1;
    for (size_t c = 0; with_unit && c < WIDTH; c++) {
      ts_str_add_char(out, ',');
      if (row == 0) {
        ts_str_addf(out, "u_%s", design.names[c]);
      } else {
        ts_str_add_double(out, design.unit[(row - 1) * WIDTH + c]);
      }
    }
    ts_str_add_char(out, '\n');
  }
  ts_str_release(&plain);
  ts_design_release(&design);
}

static void assert_written(const struct ts_points *points) {
  for (int with_unit = 0; with_unit < 2; with_unit++) {
    struct sink sink = {0};
    struct ts_str expected = {0};
    struct ts_error err = {0};
    assert_true(ts_points_write_csv(points, &space, with_unit, take, &sink, &err));
    expected_text(points, with_unit, &expected);
    assert_int_equal(sink.text.length, expected.length);
    assert_string_equal(ts_str_get(&sink.text), ts_str_get(&expected));
    assert_true(sink.longest < 200000);
    ts_str_release(&sink.text);
    ts_str_release(&expected);
  }
}

static void free_layouts(void **state) {
  (void)state;
  double *rows = random_rows(300);
  static const enum ts_layout layouts[] = {TS_LAYOUT_FREE, TS_LAYOUT_TRAJECTORIES, TS_LAYOUT_RADIAL, TS_LAYOUT_FAST,
                                           TS_LAYOUT_DERIVATIVE};
  static const size_t blocks[] = {1, 6, 6, 60, 6};
  for (size_t i = 0; i < 5; i++) {
    struct ts_points points = {.layout = layouts[i],
                               .column_count = WIDTH,
                               .row_count = 300,
                               .block_rows = blocks[i],
                               .a = rows,
                               .group_count = WIDTH};
    assert_written(&points);
  }
  free(rows);
}

static void saltelli_layouts(void **state) {
  (void)state;
  double *rows = random_rows(80);
  size_t groups[] = {0, 1, 0, 2, 1};
  for (int second = 0; second < 2; second++) {
    for (int grouped = 0; grouped < 2; grouped++) {
      size_t group_count = grouped ? 3 : WIDTH;
      size_t block = second ? 2 * group_count + 2 : group_count + 2;
      struct ts_points points = {.layout = second ? TS_LAYOUT_SALTELLI_2 : TS_LAYOUT_SALTELLI,
                                 .column_count = WIDTH,
                                 .row_count = 40 * block,
                                 .block_rows = block,
                                 .a = rows,
                                 .b = rows + (size_t)40 * WIDTH,
                                 .group_of = grouped ? groups : NULL,
                                 .group_count = group_count};
      assert_written(&points);
    }
  }
  free(rows);
}

/* Pieces stay small however many rows there are, and a refusal ends the writing. */
static void pieces_are_bounded(void **state) {
  (void)state;
  enum { ROWS = 20000 };
  double *rows = random_rows(ROWS);
  struct ts_points points = {
      .layout = TS_LAYOUT_FREE, .column_count = WIDTH, .row_count = ROWS, .block_rows = 1, .a = rows};
  struct sink sink = {0};
  struct ts_error err = {0};
  assert_true(ts_points_write_csv(&points, &space, true, take, &sink, &err));
  assert_true(sink.calls > 5 && sink.longest < 200000);
  ts_str_release(&sink.text);
  sink = (struct sink){.stop_after = 3};
  assert_false(ts_points_write_csv(&points, &space, true, take, &sink, &err));
  assert_int_equal(err.code, TS_ERR_CANCELLED);
  assert_int_equal(sink.calls, 3);
  ts_str_release(&sink.text);
  free(rows);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(free_layouts),
      cmocka_unit_test(saltelli_layouts),
      cmocka_unit_test(pieces_are_bounded),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
