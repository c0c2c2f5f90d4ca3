/* Tests of overviews: averages against brute force, the choice of a level, edges, errors and a real slide.
 * SPDX-License-Identifier: Apache-2.0 */
#include "scratch.h"

#include "base/alloc.h"
#include "base/file.h"
#include "image/overview.h"

#include <vips/vips.h>

/* Saves with libvips; options as in its file names. */
static const char *save(const struct ts_data *data, const char *name, const char *options) {
  assert_true(ts_image_startup(NULL));
  size_t size = 0;
  const void *bytes = ts_data_bytes(data, &size);
  const struct ts_region *region = ts_data_region(data);
  const struct ts_type *type = ts_data_type(data);
  const bool wide = type->element == TS_U16;
  VipsImage *raw = vips_image_new_from_memory(bytes, size, (int)region->width, (int)region->height, type->channels,
                                              wide ? VIPS_FORMAT_USHORT : VIPS_FORMAT_UCHAR);
  VipsImage *image = NULL;
  const VipsInterpretation narrow = type->channels == 3 ? VIPS_INTERPRETATION_sRGB : VIPS_INTERPRETATION_B_W;
  assert_int_equal(vips_copy(raw, &image, "interpretation", wide ? VIPS_INTERPRETATION_GREY16 : narrow, NULL), 0);
  const char *path = scratch_path(name);
  char target[256];
  snprintf(target, sizeof target, "%s%s", path, options);
  assert_int_equal(vips_image_write_to_file(image, target, NULL), 0);
  g_object_unref(image);
  g_object_unref(raw);
  return path;
}

static unsigned sample(const struct ts_data *data, int64_t x, int64_t y, int c) {
  const struct ts_type *type = ts_data_type(data);
  const size_t at = (size_t)((y * ts_data_region(data)->width + x) * type->channels + c);
  const void *bytes = ts_data_bytes(data, NULL);
  return type->element == TS_U16 ? ((const uint16_t *)bytes)[at] : ((const uint8_t *)bytes)[at];
}

/* The mean of a square, rounded half up, or the maximum, straight from the definition. */
static unsigned expected(const struct ts_data *data, int64_t box, int64_t x, int64_t y, int c) {
  const struct ts_region *all = ts_data_region(data);
  const bool is_mask = strcmp(ts_data_type(data)->name, "mask") == 0;
  double sum = 0, count = 0;
  unsigned most = 0;
  for (int64_t j = y * box; j < (y + 1) * box && j < all->height; j++) {
    for (int64_t i = x * box; i < (x + 1) * box && i < all->width; i++) {
      const unsigned value = sample(data, i, j, c);
      sum += value;
      count += 1;
      most = value > most ? value : most;
    }
  }
  return is_mask ? most : (unsigned)(sum / count + 0.5);
}

static void assert_is_reduced(const struct ts_overview *overview, const struct ts_data *data, int64_t box) {
  const struct ts_region *size = ts_data_region(overview->pixels), *all = ts_data_region(data);
  assert_ptr_equal(ts_data_type(overview->pixels), ts_data_type(data));
  assert_int_equal(size->width, (all->width + box - 1) / box);
  assert_int_equal(size->height, (all->height + box - 1) / box);
  for (int64_t y = 0; y < size->height; y++)
    for (int64_t x = 0; x < size->width; x++)
      for (int c = 0; c < ts_data_type(data)->channels; c++)
        assert_int_equal(sample(overview->pixels, x, y, c), expected(data, box, x, y, c));
}

static struct ts_overview overview_of(const char *path, const char *type, int32_t level, int64_t factor) {
  struct ts_overview overview;
  struct ts_error err = {0};
  if (!ts_image_overview(path, ts_type_find(type), level, factor, NULL, NULL, &overview, &err))
    fail_msg("%s", err.text);
  return overview;
}

static void test_squares_are_averaged(void **state) {
  (void)state;
  static const struct {
    const char *type, *name, *options;
    int64_t width, height;
  } cases[] = {{"image/rgb8", "a.png", "", 201, 157},
               {"image/rgb8", "a.tif", "[tile,tile-width=64,tile-height=32]", 201, 700},
               {"image/gray8", "b.tif", "[compression=deflate]", 64, 64},
               {"image/gray16", "c.tif", "[tile,tile-width=16,tile-height=16]", 100, 333},
               {"image/rgb8", "d.png", "", 1, 1}};
  static const int64_t factors[] = {1, 2, 7, 16, 300, 65536};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const uint32_t top = strcmp(cases[i].type, "image/gray16") == 0 ? 65535 : 255;
    ts_auto(ts_data_unref_pointer) struct ts_data *data =
        scratch_pixels(cases[i].type, cases[i].width, cases[i].height, top);
    const char *path = save(data, cases[i].name, cases[i].options);
    for (size_t f = 0; f < sizeof factors / sizeof *factors; f++) {
      ts_auto(ts_overview_release) struct ts_overview overview = overview_of(path, cases[i].type, 0, factors[f]);
      assert_is_reduced(&overview, data, factors[f]);
      assert_true(overview.step_x == (double)factors[f] && overview.step_y == (double)factors[f]);
      assert_int_equal(overview.level, 0);
      assert_int_equal(overview.box_px, factors[f]);
    }
  }
}

/* One pixel that is set must not vanish among many that are not. */
static void test_masks_keep_their_maximum(void **state) {
  (void)state;
  ts_auto(ts_data_unref_pointer) struct ts_data *mask = scratch_pixels("mask", 50, 40, 0);
  ((uint8_t *)ts_data_writable(mask))[13 * 50 + 27] = 255;
  const char *path = save(mask, "mask.png", "");
  ts_auto(ts_overview_release) struct ts_overview overview = overview_of(path, "mask", 0, 10);
  assert_is_reduced(&overview, mask, 10);
  assert_int_equal(sample(overview.pixels, 2, 1, 0), 255);
}

static struct ts_data *read_level(const char *path, int32_t level) {
  struct ts_image_info info;
  assert_true(ts_image_inspect(path, level, &info, NULL));
  const struct ts_region all = {.width = info.width, .height = info.height, .level = level};
  struct ts_data *data = ts_image_read(path, ts_type_find("image/rgb8"), &all, NULL);
  assert_non_null(data);
  return data;
}

/* A pyramid of 800 x 600, 400 x 300, 200 x 150 and 100 x 75 pixels. */
static void test_coarsest_level_that_is_fine_enough(void **state) {
  (void)state;
  static const struct {
    int32_t level;
    int64_t factor;
    int32_t from;
    int64_t box;
  } cases[] = {{0, 1, 0, 1},  {0, 2, 1, 1}, {0, 3, 1, 2}, {0, 4, 2, 1},  {0, 8, 3, 1},
               {0, 16, 3, 2}, {1, 1, 1, 1}, {1, 2, 2, 1}, {1, 16, 3, 4}, {3, 5, 3, 5}};
  ts_auto(ts_data_unref_pointer) struct ts_data *data = scratch_pixels("image/rgb8", 800, 600, 255);
  const char *path = save(data, "pyramid.tif", "[tile,pyramid,tile-width=128,tile-height=128]");
  struct ts_image_info info;
  assert_true(ts_image_inspect(path, 0, &info, NULL));
  assert_int_equal(info.level_count, 4);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    ts_auto(ts_overview_release) struct ts_overview overview =
        overview_of(path, "image/rgb8", cases[i].level, cases[i].factor);
    ts_auto(ts_data_unref_pointer) struct ts_data *level = read_level(path, cases[i].from);
    assert_int_equal(overview.level, cases[i].from);
    assert_int_equal(overview.box_px, cases[i].box);
    assert_is_reduced(&overview, level, cases[i].box);
    const double step = (double)cases[i].box * (1 << (cases[i].from - cases[i].level));
    assert_true(overview.step_x == step && overview.step_y == step);
  }
}

/* 801 pixels become 400: the level is 0.1 % coarser than a half, which is rounding. */
static void test_rounded_levels_count(void **state) {
  (void)state;
  ts_auto(ts_data_unref_pointer) struct ts_data *data = scratch_pixels("image/rgb8", 801, 603, 255);
  const char *path = save(data, "odd.tif", "[tile,pyramid,tile-width=128,tile-height=128]");
  ts_auto(ts_overview_release) struct ts_overview overview = overview_of(path, "image/rgb8", 0, 4);
  assert_int_equal(overview.level, 2);
  assert_int_equal(overview.box_px, 1);
  assert_true(overview.step_x == 801.0 / 200 && overview.step_y == 603.0 / 150);
}

static void test_factor_of_micrometres(void **state) {
  (void)state;
  const struct ts_pixel_size quarter = {0.25, 0.25}, half = {0.499, 0.501}, none = {0}, large = {20, 20};
  assert_int_equal(ts_overview_factor(&quarter, 8, 16), 32);
  assert_int_equal(ts_overview_factor(&half, 8, 16), 15); /* 8 / 0.501 is 15.97: no coarser than asked */
  assert_int_equal(ts_overview_factor(&none, 8, 16), 16);
  assert_int_equal(ts_overview_factor(&large, 8, 16), 1);
}

static bool count_down(void *user) { return (*(int *)user)-- == 0; }

static void test_errors(void **state) {
  (void)state;
  struct ts_overview overview;
  struct ts_error err = {0};
  assert_false(ts_image_overview("/nowhere.tif", ts_type_find("image/rgb8"), 0, 4, NULL, NULL, &overview, &err));
  assert_int_equal(err.code, TS_ERR_FILE_NOT_FOUND);
  ts_auto(ts_data_unref_pointer) struct ts_data *data = scratch_pixels("image/rgb8", 60, 40, 255);
  const char *path = save(data, "e.png", "");
  err = (struct ts_error){0};
  assert_false(ts_image_overview(path, ts_type_find("labels"), 0, 4, NULL, NULL, &overview, &err));
  assert_non_null(strstr(err.text, "cannot be reduced as 'labels'"));
  err = (struct ts_error){0};
  assert_false(ts_image_overview(path, ts_type_find("image/gray8"), 0, 4, NULL, NULL, &overview, &err));
  assert_non_null(strstr(err.text, "has 3 colour channels and cannot be read as 'image/gray8'"));
  err = (struct ts_error){0};
  assert_false(ts_image_overview(path, ts_type_find("image/rgb8"), 1, 4, NULL, NULL, &overview, &err));
  assert_non_null(strstr(err.text, "has 1 resolution level, not level 1"));
  int bands_left = 0;
  err = (struct ts_error){0};
  assert_false(ts_image_overview(path, ts_type_find("image/rgb8"), 0, 4, count_down, &bands_left, &overview, &err));
  assert_int_equal(err.code, TS_ERR_CANCELLED);
  assert_null(overview.pixels);
  ts_auto(ts_data_unref_pointer) struct ts_data *high = scratch_pixels("image/rgb8", 40, 700, 255);
  path = save(high, "high.tif", "[tile]");
  bands_left = 2; /* of three bands of 256 rows */
  err = (struct ts_error){0};
  assert_false(ts_image_overview(path, ts_type_find("image/rgb8"), 0, 4, count_down, &bands_left, &overview, &err));
  assert_int_equal(err.code, TS_ERR_CANCELLED);
}

static void test_real_slide(void **state) {
  (void)state;
  const char *shared = getenv("TESSERA_SHARED");
  if (!shared || !ts_folder_exists(shared)) skip();
  ts_auto_free char *path = ts_path_join(shared, "data/histology/aperio/CMU-1-Small-Region.svs");
  ts_auto(ts_data_unref_pointer) struct ts_data *all = read_level(path, 0);
  ts_auto(ts_overview_release) struct ts_overview overview = overview_of(path, "image/rgb8", 0, 16);
  assert_is_reduced(&overview, all, 16);
  ts_auto(ts_overview_release) struct ts_overview again = overview_of(path, "image/rgb8", 0, 16);
  assert_same_pixels(overview.pixels, again.pixels);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_squares_are_averaged),
      cmocka_unit_test(test_masks_keep_their_maximum),
      cmocka_unit_test(test_coarsest_level_that_is_fine_enough),
      cmocka_unit_test(test_rounded_levels_count),
      cmocka_unit_test(test_factor_of_micrometres),
      cmocka_unit_test(test_errors),
      cmocka_unit_test(test_real_slide),
  };
  return cmocka_run_group_tests_name("overview", tests, scratch_create, scratch_remove);
}
