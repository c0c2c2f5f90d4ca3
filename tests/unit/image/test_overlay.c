/* Tests of outlines drawn over images.
 * SPDX-License-Identifier: Apache-2.0 */
#include "scratch.h"

#include "base/alloc.h"

#define COLOUR 0x0072b2U

static struct ts_data *from_text(const char *type_name, int64_t width, int64_t height, const char *text) {
  ts_auto(ts_data_unref_pointer) struct ts_data *data = scratch_pixels(type_name, width, height, 0);
  bool wide = ts_data_type(data)->element == TS_U32;
  for (int64_t i = 0; i < width * height; i++) {
    if (text[i] == '.') continue;
    if (wide) {
      ((uint32_t *)ts_data_writable(data))[i] = (uint32_t)(text[i] - '0');
    } else {
      ((uint8_t *)ts_data_writable(data))[i] = 255;
    }
  }
  return ts_steal(data);
}

/* 'o' marks the pixels that must have the colour; all others must be as in the image. */
static void check(const struct ts_data *image, const struct ts_data *mask, const char *expected) {
  ts_auto(ts_data_unref_pointer) struct ts_data *drawn = ts_image_overlay(image, mask, COLOUR, NULL);
  assert_non_null(drawn);
  assert_string_equal(ts_data_type(drawn)->name, "image/rgb8");
  size_t size = 0;
  const unsigned char *rgb = ts_data_bytes(drawn, &size);
  const unsigned char *from = ts_data_bytes(image, &size);
  for (size_t i = 0; expected[i]; i++) {
    if (expected[i] == 'o') {
      assert_memory_equal(rgb + 3 * i, "\x00\x72\xb2", 3);
    } else {
      assert_memory_equal(rgb + 3 * i, from + 3 * i, 3);
    }
  }
}

static void test_outlines_lie_inside(void **state) {
  (void)state;
  ts_auto(ts_data_unref_pointer) struct ts_data *image = scratch_pixels("image/rgb8", 6, 5, 255);
  ts_auto(ts_data_unref_pointer) struct ts_data *mask = from_text("mask", 6, 5,
                                                                  "......"
                                                                  ".xxx.x"
                                                                  ".xxx.."
                                                                  ".xxx.."
                                                                  "......");
  check(image, mask,
        "......"
        ".ooo.o"
        ".o.o.."
        ".ooo.."
        "......");
  ts_auto(ts_data_unref_pointer) struct ts_data *labels = from_text("labels", 6, 5,
                                                                    "111222"
                                                                    "111222"
                                                                    "111222"
                                                                    "......"
                                                                    "......");
  check(image, labels,
        "..oo.."
        "..oo.."
        "oooooo"
        "......"
        "......");
}

static void test_grey_is_repeated_and_stretched(void **state) {
  (void)state;
  ts_auto(ts_data_unref_pointer) struct ts_data *mask = from_text("mask", 3, 1, "...");
  ts_auto(ts_data_unref_pointer) struct ts_data *grey = scratch_pixels("image/gray8", 3, 1, 255);
  ts_auto(ts_data_unref_pointer) struct ts_data *drawn = ts_image_overlay(grey, mask, COLOUR, NULL);
  size_t size = 0;
  const unsigned char *rgb = ts_data_bytes(drawn, &size);
  const unsigned char *from = ts_data_bytes(grey, &size);
  for (int i = 0; i < 9; i++) assert_int_equal(rgb[i], from[i / 3]);
  ts_auto(ts_data_unref_pointer) struct ts_data *wide = scratch_pixels("image/gray16", 3, 1, 0);
  uint16_t values[] = {100, 300, 1100};
  memcpy(ts_data_writable(wide), values, sizeof values);
  ts_auto(ts_data_unref_pointer) struct ts_data *stretched = ts_image_overlay(wide, mask, COLOUR, NULL);
  rgb = ts_data_bytes(stretched, &size);
  assert_int_equal(rgb[0], 0);
  assert_int_equal(rgb[3], 51); /* (300 - 100) * 255 / 1000 */
  assert_int_equal(rgb[8], 255);
}

static void test_refused(void **state) {
  (void)state;
  struct ts_error err = {0};
  ts_auto(ts_data_unref_pointer) struct ts_data *image = scratch_pixels("image/rgb8", 6, 5, 255);
  ts_auto(ts_data_unref_pointer) struct ts_data *small = scratch_pixels("mask", 5, 5, 0);
  assert_null(ts_image_overlay(image, small, COLOUR, &err));
  assert_int_equal(err.code, TS_ERR_BAD_VALUE);
  ts_error_clear(&err);
  assert_null(ts_image_overlay(image, image, COLOUR, &err));
  assert_int_equal(err.code, TS_ERR_PORT_TYPE);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_outlines_lie_inside),
      cmocka_unit_test(test_grey_is_repeated_and_stretched),
      cmocka_unit_test(test_refused),
  };
  return cmocka_run_group_tests_name("overlay", tests, NULL, NULL);
}
