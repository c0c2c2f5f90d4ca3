/* Tests of the shapes of objects: what is written comes back, equal objects are equal bytes, damage is an error.
 * SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/random.h"
#include "data/shapes.h"

enum { MOST_RUNS = 40 };

static struct ts_random dice;

static int64_t roll(int64_t below) { return (int64_t)ts_random_below(&dice, (uint64_t)below); }

/* Any object: rows that are left out, several runs in a row, places below 0. */
static size_t draw_runs(struct ts_pixel_run *runs) {
  size_t count = 1 + (size_t)roll(MOST_RUNS);
  int32_t y = (int32_t)(roll(200000) - 100000);
  int32_t x = (int32_t)(roll(200000) - 100000);
  for (size_t i = 0; i < count; i++) {
    if (i > 0 && roll(3) == 0) {
      x = runs[i - 1].end + 1 + (int32_t)roll(300);
    } else if (i > 0) {
      y += roll(8) ? 1 : 2 + (int32_t)roll(500);
      x += (int32_t)(roll(9) - 4) * (roll(20) ? 1 : 1000);
    }
    runs[i] = (struct ts_pixel_run){.y = y, .begin = x, .end = x + 1 + (int32_t)roll(roll(10) ? 30 : 100000)};
  }
  return count;
}

static void test_what_is_written_comes_back(void **state) {
  (void)state;
  enum { OBJECTS = 300 };
  static struct ts_pixel_run runs[OBJECTS][MOST_RUNS];
  static struct ts_shape shapes[OBJECTS];
  ts_random_init(&dice, 1, 1);
  uint64_t number = 0;
  struct ts_shapes_writer writer;
  ts_shapes_write_begin(&writer, 3);
  for (size_t i = 0; i < OBJECTS; i++) {
    number += 1 + (uint64_t)roll(roll(5) ? 2 : 1000);
    shapes[i] = (struct ts_shape){.number = number, .runs = runs[i], .count = draw_runs(runs[i])};
    ts_shapes_write_next(&writer, &shapes[i]);
  }
  ts_shapes_write_end(&writer);
  struct ts_shapes reader;
  struct ts_error err = {0};
  assert_true(ts_shapes_open(&reader, writer.bytes.data, writer.bytes.length, &err));
  assert_int_equal(reader.level, 3);
  assert_int_equal(reader.count, OBJECTS);
  struct ts_shape shape;
  for (size_t i = 0; i < OBJECTS; i++) {
    assert_true(ts_shapes_next(&reader, &shape, &err));
    assert_int_equal(shape.number, shapes[i].number);
    assert_int_equal(shape.count, shapes[i].count);
    assert_memory_equal(shape.runs, runs[i], shape.count * sizeof *shape.runs);
  }
  assert_false(ts_shapes_next(&reader, &shape, &err));
  assert_int_equal(err.code, TS_ERR_OK);
  ts_shapes_close(&reader);
  ts_shapes_writer_release(&writer);
}

/* The bytes of the format, as the header describes it: two objects, of 3 runs in 2 rows and of 1 run. */
static void test_the_format(void **state) {
  (void)state;
  static const struct ts_pixel_run first[] = {{5, -2, 4}, {5, 6, 7}, {6, 0, 3}};
  static const struct ts_pixel_run second[] = {{9, 100, 101}};
  static const uint8_t expected[] = {'S', 'H', 'P', '1', 2,  0, 0, 0, 2, 0, 0, 0,
                                     0,   0,   0,   0,   16, 0, 0, 0, 0, 0, 0, 0, /* the head */
                                     1,   3,   10,  3,   5,      /* number 1, 3 runs, y 5, x -2, length 6 */
                                     33,  0,   9,                /* x + 8, same row, length - 5 */
                                     22,  4,                     /* x - 6, next row, length + 2 */
                                     6,   1,   8,   204, 1,  0}; /* number 7, 1 run, y + 4, x + 102 */
  struct ts_shapes_writer writer;
  ts_shapes_write_begin(&writer, 2);
  ts_shapes_write_next(&writer, &(struct ts_shape){.number = 1, .runs = first, .count = 3});
  ts_shapes_write_next(&writer, &(struct ts_shape){.number = 7, .runs = second, .count = 1});
  ts_shapes_write_end(&writer);
  assert_int_equal(writer.bytes.length, sizeof expected);
  assert_memory_equal(writer.bytes.data, expected, sizeof expected);
  ts_shapes_writer_release(&writer);
}

/* A nucleus, a disk of 25 pixels across, takes about 50 bytes. */
static void test_a_nucleus_is_short(void **state) {
  (void)state;
  struct ts_pixel_run runs[25];
  for (int32_t y = -12; y <= 12; y++) {
    int32_t half = 0;
    while ((half + 1) * (half + 1) + y * y <= 156) half++;
    runs[y + 12] = (struct ts_pixel_run){.y = y + 1000, .begin = 2000 - half, .end = 2001 + half};
  }
  struct ts_shapes_writer writer;
  ts_shapes_write_begin(&writer, 0);
  size_t head = writer.bytes.length;
  ts_shapes_write_next(&writer, &(struct ts_shape){.number = 1, .runs = runs, .count = 25});
  assert_in_range(writer.bytes.length - head, 25, 56);
  ts_shapes_writer_release(&writer);
}

/* Reads all there is; every object must have runs in order. */
static bool read_all(const uint8_t *bytes, size_t size, struct ts_error *err) {
  struct ts_shapes reader;
  struct ts_shape shape;
  bool ok = ts_shapes_open(&reader, bytes, size, err);
  while (ok && ts_shapes_next(&reader, &shape, err)) {
    for (size_t i = 0; i < shape.count; i++) {
      assert_true(shape.runs[i].begin < shape.runs[i].end);
      if (i == 0) continue;
      const struct ts_pixel_run *a = &shape.runs[i - 1];
      assert_true(shape.runs[i].y > a->y || (shape.runs[i].y == a->y && shape.runs[i].begin > a->end));
    }
  }
  ts_shapes_close(&reader);
  return err->code == TS_ERR_OK;
}

static void test_damage_is_an_error(void **state) {
  (void)state;
  static const struct ts_pixel_run runs[] = {{5, -2, 4}, {5, 6, 7}, {6, 0, 3}};
  struct ts_shapes_writer writer;
  ts_shapes_write_begin(&writer, 0);
  ts_shapes_write_next(&writer, &(struct ts_shape){.number = 1, .runs = runs, .count = 3});
  ts_shapes_write_end(&writer);
  size_t size = writer.bytes.length;
  ts_auto_free uint8_t *bytes = ts_malloc(size);
  memcpy(bytes, writer.bytes.data, size);
  ts_shapes_writer_release(&writer);
  struct ts_error err = {0};
  assert_true(read_all(bytes, size, &err));
  for (size_t cut = 0; cut < size; cut++) {
    err = (struct ts_error){0};
    assert_false(read_all(bytes, cut, &err));
    assert_int_equal(err.code, TS_ERR_BAD_PRODUCT);
    assert_string_equal(err.text, "these shapes of objects are damaged");
  }
  ts_random_init(&dice, 2, 2);
  size_t refused = 0;
  for (int i = 0; i < 20000; i++) {
    ts_auto_free uint8_t *copy = ts_malloc(size);
    memcpy(copy, bytes, size);
    for (int64_t flips = 1 + roll(3); flips > 0; flips--) copy[roll((int64_t)size)] = (uint8_t)roll(256);
    err = (struct ts_error){0};
    refused += !read_all(copy, size, &err);
  }
  assert_in_range(refused, 10000, 20000); /* most changes break a rule */
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_what_is_written_comes_back),
      cmocka_unit_test(test_the_format),
      cmocka_unit_test(test_a_nucleus_is_short),
      cmocka_unit_test(test_damage_is_an_error),
  };
  return cmocka_run_group_tests_name("shapes", tests, NULL, NULL);
}
