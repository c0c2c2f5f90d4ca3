/* Tests of PNG files: what is written is what is read, and small pictures for reports.
 * SPDX-License-Identifier: Apache-2.0 */
#include "scratch.h"

#include "base/alloc.h"
#include "base/file.h"

static void check_round_trip(const char *type, uint32_t top) {
  struct ts_error err = {0};
  ts_auto(ts_data_unref_pointer) struct ts_data *data = scratch_pixels(type, 37, 23, top);
  const char *path = scratch_path("round.png");
  assert_true(ts_image_write_png(path, data, &err));
  ts_auto(ts_data_unref_pointer) struct ts_data *back =
      ts_image_read(path, ts_type_find(type), ts_data_region(data), &err);
  assert_non_null(back);
  assert_same_pixels(data, back);
}

static void test_round_trips(void **state) {
  (void)state;
  check_round_trip("image/rgb8", 255);
  check_round_trip("image/gray8", 255);
  check_round_trip("image/gray16", 65535);
  check_round_trip("labels", 65535);
}

static void test_mask_round_trip(void **state) {
  (void)state;
  ts_auto(ts_data_unref_pointer) struct ts_data *mask = scratch_pixels("mask", 31, 11, 1);
  unsigned char *bytes = ts_data_writable(mask);
  for (int i = 0; i < 31 * 11; i++) bytes[i] = bytes[i] ? 255 : 0;
  const char *path = scratch_path("mask.png");
  assert_true(ts_image_write_png(path, mask, NULL));
  ts_auto(ts_data_unref_pointer) struct ts_data *back =
      ts_image_read(path, ts_type_find("mask"), ts_data_region(mask), NULL);
  assert_same_pixels(mask, back);
}

static void test_refused(void **state) {
  (void)state;
  struct ts_error err = {0};
  ts_auto(ts_data_unref_pointer) struct ts_data *labels = scratch_pixels("labels", 5, 5, 3);
  ((uint32_t *)ts_data_writable(labels))[7] = 65536;
  assert_false(ts_image_write_png(scratch_path("l.png"), labels, &err));
  assert_int_equal(err.code, TS_ERR_BAD_VALUE);
  assert_non_null(strstr(err.text, "65536"));
  assert_false(ts_file_exists(scratch_path("l.png")));
  ts_error_clear(&err);
  ts_auto(ts_data_unref_pointer) struct ts_data *field = scratch_pixels("field/f32", 5, 5, 3);
  assert_false(ts_image_write_png(scratch_path("f.png"), field, &err));
  assert_int_equal(err.code, TS_ERR_PORT_TYPE);
  ts_error_clear(&err);
  const struct ts_region box = {.width = 5, .height = 5, .depth = 2};
  ts_auto(ts_data_unref_pointer) struct ts_data *volume = ts_data_create_pixels(ts_type_find("mask"), &box, NULL);
  assert_false(ts_image_write_png(scratch_path("v.png"), volume, &err));
  assert_non_null(strstr(err.text, "2 planes"));
  ts_error_clear(&err);
  ts_auto(ts_data_unref_pointer) struct ts_data *image = scratch_pixels("image/rgb8", 5, 5, 3);
  assert_null(ts_image_overlay(image, volume, TS_OUTLINE_RGB, &err));
  assert_non_null(strstr(err.text, "volume"));
  ts_error_clear(&err);
  assert_false(ts_image_write_png(scratch_path("no/such/folder.png"), image, &err));
  assert_int_not_equal(err.code, TS_ERR_OK);
}

/* Brute force: the mean of each block, rounded half up, over the pixels that are there. */
static uint32_t block_mean(const unsigned char *samples, int width, int height, int shrink, int bx, int by, int c) {
  unsigned sum = 0;
  unsigned count = 0;
  for (int y = by * shrink; y < height && y < (by + 1) * shrink; y++) {
    for (int x = bx * shrink; x < width && x < (bx + 1) * shrink; x++) {
      sum += samples[(y * width + x) * 3 + c];
      count++;
    }
  }
  return (2 * sum + count) / (2 * count);
}

static struct ts_data *encode_and_read(const struct ts_data *data, int32_t shrink, int64_t width, int64_t height) {
  ts_auto(ts_str_release) struct ts_str png = {0};
  assert_true(ts_image_encode_png(data, shrink, &png, NULL));
  const char *path = scratch_path("small.png");
  write_bytes(path, png.data, png.length);
  struct ts_image_info info;
  assert_true(ts_image_inspect(path, 0, &info, NULL));
  assert_int_equal(info.width, width);
  assert_int_equal(info.height, height);
  struct ts_region region = {.width = width, .height = height};
  return ts_image_read(path, ts_data_type(data), &region, NULL);
}

static void test_shrink_averages(void **state) {
  (void)state;
  ts_auto(ts_data_unref_pointer) struct ts_data *data = scratch_pixels("image/rgb8", 31, 22, 255);
  ts_auto(ts_data_unref_pointer) struct ts_data *small = encode_and_read(data, 4, 8, 6);
  size_t size = 0;
  const unsigned char *from = ts_data_bytes(data, &size);
  const unsigned char *to = ts_data_bytes(small, &size);
  for (int y = 0; y < 6; y++) {
    for (int x = 0; x < 8; x++) {
      for (int c = 0; c < 3; c++) assert_int_equal(to[(y * 8 + x) * 3 + c], block_mean(from, 31, 22, 4, x, y, c));
    }
  }
}

static void test_shrink_keeps_thin_masks(void **state) {
  (void)state;
  ts_auto(ts_data_unref_pointer) struct ts_data *mask = scratch_pixels("mask", 16, 16, 0);
  ((unsigned char *)ts_data_writable(mask))[5 * 16 + 9] = 255;
  ts_auto(ts_data_unref_pointer) struct ts_data *small = encode_and_read(mask, 8, 2, 2);
  size_t size = 0;
  assert_memory_equal(ts_data_bytes(small, &size), "\0\377\0\0", 4);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_round_trips),
      cmocka_unit_test(test_mask_round_trip),
      cmocka_unit_test(test_refused),
      cmocka_unit_test(test_shrink_averages),
      cmocka_unit_test(test_shrink_keeps_thin_masks),
  };
  return cmocka_run_group_tests_name("write", tests, scratch_create, scratch_remove);
}
