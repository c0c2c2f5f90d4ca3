/* Tests of joining pieces, checked pixel by pixel.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/alloc.h"
#include "data/data.h"
#include "support/regions.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* A pixel that tells where it is. */
static uint32_t pattern(int64_t x, int64_t y) { return (uint32_t)(1 + x * 7 + y * 1000); }

static struct ts_data *piece(int64_t x, int64_t y, int64_t width, int64_t height) {
  struct ts_region region = {.x = x, .y = y, .width = width, .height = height};
  struct ts_data *data = ts_data_create_pixels(ts_type_find("labels"), &region, NULL);
  uint32_t *pixels = ts_data_writable(data);
  for (int64_t row = 0; row < height; row++) {
    for (int64_t column = 0; column < width; column++) pixels[row * width + column] = pattern(x + column, y + row);
  }
  return data;
}

static void release(struct ts_data **pieces, size_t count) {
  for (size_t i = 0; i < count; i++) ts_data_unref(pieces[i]);
}

static void test_pixels_in_any_order(void **state) {
  (void)state;
  struct ts_data *pieces[] = {piece(14, 25, 3, 6), piece(10, 20, 4, 5), piece(10, 25, 4, 6), piece(14, 20, 3, 5)};
  ts_auto(ts_data_unref_pointer) struct ts_data *all = ts_data_gather((const struct ts_data *const *)pieces, 4, NULL);
  assert_non_null(all);
  const struct ts_region *region = ts_data_region(all);
  assert_int_equal(region->x, 10);
  assert_int_equal(region->y, 20);
  assert_int_equal(region->width, 7);
  assert_int_equal(region->height, 11);
  size_t size = 0;
  const uint32_t *pixels = ts_data_bytes(all, &size);
  for (int64_t y = 0; y < 11; y++) {
    for (int64_t x = 0; x < 7; x++) assert_int_equal(pixels[y * 7 + x], pattern(10 + x, 20 + y));
  }
  release(pieces, 4);
}

static void test_gaps_are_zero(void **state) {
  (void)state;
  struct ts_data *pieces[] = {piece(0, 0, 2, 2), piece(4, 1, 1, 3)};
  ts_auto(ts_data_unref_pointer) struct ts_data *all = ts_data_gather((const struct ts_data *const *)pieces, 2, NULL);
  size_t size = 0;
  const uint32_t *pixels = ts_data_bytes(all, &size);
  for (int64_t y = 0; y < 4; y++) {
    for (int64_t x = 0; x < 5; x++) {
      bool covered = (x < 2 && y < 2) || (x == 4 && y >= 1);
      assert_int_equal(pixels[y * 5 + x], covered ? pattern(x, y) : 0);
    }
  }
  release(pieces, 2);
}

/* Pixels that tell where they are in a box. */
static struct ts_data *volume(const struct ts_region *given) {
  struct ts_data *data = ts_data_create_pixels(ts_type_find("labels"), given, NULL);
  const struct ts_region *r = ts_data_region(data);
  uint32_t *pixel = ts_data_writable(data);
  for (int32_t t = 0; t < r->frames; t++)
    for (int32_t z = 0; z < r->depth; z++)
      for (int64_t y = 0; y < r->height; y++)
        for (int64_t x = 0; x < r->width; x++)
          *pixel++ = pattern(r->x + x, r->y + y) + 100000 * (uint32_t)(r->z + z) + 10000000 * (uint32_t)(r->t + t);
  return data;
}

static void assert_volume(const struct ts_data *data, const struct ts_region *expected) {
  assert_true(same_region(ts_data_region(data), expected));
  ts_auto(ts_data_unref_pointer) struct ts_data *wanted = volume(expected);
  size_t size = 0;
  const void *bytes = ts_data_bytes(data, &size);
  assert_int_equal(size, ts_data_size_bytes(wanted));
  assert_memory_equal(bytes, ts_data_bytes(wanted, NULL), size);
}

/* Planes become a volume, boxes a larger box; a part of it is what was there. */
static void test_volumes(void **state) {
  (void)state;
  static const struct ts_region box = {
      .x = 1, .y = 2, .width = 5, .height = 4, .z = 1, .t = 0, .depth = 3, .frames = 2};
  struct ts_data *pieces[2 * 3 * 2];
  size_t count = 0;
  for (int32_t t = 0; t < 2; t++)
    for (int32_t z = 3; z >= 1; z--)
      for (int64_t x = 1; x < 6; x += 3)
        pieces[count++] =
            volume(&(struct ts_region){.x = x, .y = 2, .width = x == 1 ? 3 : 2, .height = 4, .z = z, .t = t});
  ts_auto(ts_data_unref_pointer) struct ts_data *all =
      ts_data_gather((const struct ts_data *const *)pieces, count, NULL);
  assert_volume(all, &box);
  static const struct ts_region inner = {
      .x = 2, .y = 3, .width = 2, .height = 3, .z = 2, .t = 0, .depth = 2, .frames = 2};
  ts_auto(ts_data_unref_pointer) struct ts_data *part = ts_data_crop(all, &inner, NULL);
  assert_volume(part, &inner);
  static const struct ts_region plane = {.x = 2, .y = 3, .width = 2, .height = 3, .z = 3, .t = 1};
  ts_auto(ts_data_unref_pointer) struct ts_data *one = ts_data_crop(all, &plane, NULL);
  assert_volume(one, &plane);
  struct ts_data *halves[] = {one, part};
  ts_auto(ts_data_unref_pointer) struct ts_data *again = ts_data_gather((const struct ts_data *const *)halves, 2, NULL);
  assert_volume(again, &inner);
  static const struct ts_region outside[] = {{2, 3, 1, 1, 0, 0, 0, 1, 1},
                                             {2, 3, 1, 1, 0, 3, 0, 2, 1},
                                             {2, 3, 1, 1, 0, 1, 2, 1, 1},
                                             {2, 3, 1, 1, 0, 1, 1, 1, 2}};
  for (size_t i = 0; i < 4; i++) assert_null(ts_data_crop(all, &outside[i], NULL));
  release(pieces, count);
}

static void test_tables_row_after_row(void **state) {
  (void)state;
  const char *text[] = {"a,b\n1,2\n", "a,b\n", "a,b\n3,4\n5,6\n"};
  struct ts_data *pieces[3];
  for (int i = 0; i < 3; i++) pieces[i] = ts_table_from_csv("t", text[i], strlen(text[i]), NULL);
  ts_auto(ts_data_unref_pointer) struct ts_data *all = ts_data_gather((const struct ts_data *const *)pieces, 3, NULL);
  assert_int_equal(ts_data_rows(all), 3);
  for (int i = 0; i < 6; i++) assert_true(ts_data_cells(all)[i] == i + 1);
  release(pieces, 3);
}

static void expect_refusal(struct ts_data *a, struct ts_data *b, enum ts_error_code code) {
  struct ts_error err = {0};
  const struct ts_data *pieces[] = {a, b};
  assert_null(ts_data_gather(pieces, 2, &err));
  assert_int_equal(err.code, code);
  ts_data_unref(a);
  ts_data_unref(b);
}

static void test_pieces_that_do_not_belong_together(void **state) {
  (void)state;
  expect_refusal(ts_table_from_csv("t", "a\n1\n", 4, NULL), ts_table_from_csv("t", "b\n1\n", 4, NULL),
                 TS_ERR_BAD_VALUE);
  expect_refusal(ts_table_from_csv("t", "a\n1\n", 4, NULL), piece(0, 0, 1, 1), TS_ERR_PORT_TYPE);
  struct ts_data *lower = piece(0, 0, 1, 1);
  ts_data_set_place(lower, &(struct ts_region){.x = 0, .y = 0, .level = 1});
  expect_refusal(piece(1, 0, 1, 1), lower, TS_ERR_BAD_VALUE);
  struct ts_data *far = piece(0, 0, 1, 1);
  ts_data_set_place(far, &(struct ts_region){.x = INT64_MAX, .y = 0, .level = 0});
  expect_refusal(piece(1, 0, 1, 1), far, TS_ERR_BAD_VALUE);
  struct ts_region first = {.width = 1, .height = 1, .z = INT32_MIN},
                   last = {.width = 1, .height = 1, .z = INT32_MAX - 1};
  expect_refusal(volume(&first), volume(&last), TS_ERR_BAD_VALUE);
  expect_refusal(ts_data_create_bytes(ts_type_find("bytes"), 1, NULL),
                 ts_data_create_bytes(ts_type_find("bytes"), 1, NULL), TS_ERR_PORT_TYPE);
}

static void test_one_piece_of_bytes_is_itself(void **state) {
  (void)state;
  ts_auto(ts_data_unref_pointer) struct ts_data *bytes = ts_data_create_bytes(ts_type_find("bytes"), 1, NULL);
  const struct ts_data *pieces[] = {bytes};
  ts_auto(ts_data_unref_pointer) struct ts_data *all = ts_data_gather(pieces, 1, NULL);
  assert_ptr_equal(all, bytes);
}

/* Two of the tiles of an image of 12 x 9 pixels: the others are 0. A rectangle in which they do not lie says nothing.
 */
static void test_pixels_into_a_rectangle(void **state) {
  (void)state;
  struct ts_data *pieces[] = {piece(4, 3, 4, 3), piece(0, 6, 4, 3)};
  const struct ts_region image = {.width = 12, .height = 9};
  ts_auto(ts_data_unref_pointer) struct ts_data *all =
      ts_data_gather_in((const struct ts_data *const *)pieces, 2, &image, NULL);
  assert_non_null(all);
  const uint32_t *pixels = ts_data_bytes(all, NULL);
  assert_int_equal(ts_data_size_bytes(all), 12 * 9 * 4);
  for (int64_t y = 0; y < 9; y++)
    for (int64_t x = 0; x < 12; x++) {
      const bool is_covered = (x >= 4 && x < 8 && y >= 3 && y < 6) || (x < 4 && y >= 6);
      assert_int_equal(pixels[y * 12 + x], is_covered ? pattern(x, y) : 0);
    }
  static const struct ts_region others[] = {{.width = 12, .height = 8}, {.width = 12, .height = 9, .level = 1}};
  for (size_t i = 0; i < 2; i++) {
    ts_auto(ts_data_unref_pointer) struct ts_data *box =
        ts_data_gather_in((const struct ts_data *const *)pieces, 2, &others[i], NULL);
    assert_true(ts_data_region(box)->y == 3 && ts_data_region(box)->width == 8 && ts_data_region(box)->height == 6);
  }
  release(pieces, 2);
}

/* Products of a type that chains follow each other in the order given; an empty one adds nothing. */
static void test_chains_of_bytes(void **state) {
  (void)state;
  static const char *const parts[] = {"ab", "", "cde"};
  struct ts_data *pieces[3];
  for (size_t i = 0; i < 3; i++) {
    pieces[i] = ts_data_create_bytes(ts_type_find("pieces"), strlen(parts[i]), NULL);
    memcpy(ts_data_writable(pieces[i]), parts[i], strlen(parts[i]));
  }
  ts_auto(ts_data_unref_pointer) struct ts_data *all = ts_data_gather((const struct ts_data *const *)pieces, 3, NULL);
  size_t size = 0;
  const char *bytes = ts_data_bytes(all, &size);
  assert_int_equal(size, 5);
  assert_memory_equal(bytes, "abcde", 5);
  assert_ptr_equal(ts_data_type(all), ts_type_find("pieces"));
  release(pieces, 3);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_pixels_into_a_rectangle),
      cmocka_unit_test(test_pixels_in_any_order),
      cmocka_unit_test(test_gaps_are_zero),
      cmocka_unit_test(test_tables_row_after_row),
      cmocka_unit_test(test_pieces_that_do_not_belong_together),
      cmocka_unit_test(test_one_piece_of_bytes_is_itself),
      cmocka_unit_test(test_volumes),
      cmocka_unit_test(test_chains_of_bytes),
  };
  return cmocka_run_group_tests_name("gather", tests, NULL, NULL);
}
