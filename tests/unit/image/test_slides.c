/* Tests on real files: a slide against OpenSlide itself, big-endian TIFF, and JPEG tiles that lie about their colours.
 * SPDX-License-Identifier: Apache-2.0 */
#include "scratch.h"

#include "base/alloc.h"
#include "base/file.h"

#include <openslide.h>
#include <vips/vips.h>

static const char *shared_folder;

static char *shared_path(const char *name) { return ts_path_join(shared_folder, name); }

static struct ts_data *read_region(const char *path, const char *type, int64_t x, int64_t y, int64_t width,
                                   int64_t height) {
  struct ts_error err = {0};
  struct ts_region region = {.x = x, .y = y, .width = width, .height = height};
  struct ts_data *data = ts_image_read(path, ts_type_find(type), &region, &err);
  if (!data) fail_msg("%s", err.text);
  return data;
}

static void test_slide_equals_openslide(void **state) {
  (void)state;
  ts_auto_free char *path = shared_path("data/histology/aperio/CMU-1-Small-Region.svs");
  ts_auto(ts_data_unref_pointer) struct ts_data *data = read_region(path, "image/rgb8", 600, 900, 1024, 1024);
  size_t size = 0;
  const unsigned char *rgb = ts_data_bytes(data, &size);
  uint32_t *argb = ts_calloc((size_t)1024 * 1024, sizeof *argb);
  openslide_t *slide = openslide_open(path);
  assert_non_null(slide);
  openslide_read_region(slide, argb, 600, 900, 0, 1024, 1024);
  assert_null(openslide_get_error(slide));
  openslide_close(slide);
  for (size_t i = 0; i < (size_t)1024 * 1024; i++) {
    assert_int_equal(argb[i] >> 24, 255);
    uint32_t ours = (uint32_t)rgb[3 * i] << 16 | (uint32_t)rgb[3 * i + 1] << 8 | rgb[3 * i + 2];
    if (ours != (argb[i] & 0xffffff)) fail_msg("pixel %zu is %06x, not %06x", i, ours, argb[i] & 0xffffff);
  }
  free(argb);
}

static void test_slide_facts(void **state) {
  (void)state;
  ts_auto_free char *path = shared_path("data/histology/aperio/CMU-1-Small-Region.svs");
  struct ts_image_info info;
  assert_true(ts_image_inspect(path, 0, &info, NULL));
  assert_int_equal(info.width, 2220);
  assert_int_equal(info.height, 2967);
  assert_int_equal(info.level_count, 1);
  assert_int_equal(info.channels, 3);
  assert_int_equal(info.bits, 8);
  struct ts_error err = {0};
  assert_false(ts_image_inspect(path, 1, &info, &err));
  assert_int_equal(err.code, TS_ERR_BAD_IMAGE);
}

static void test_slide_tiles_joined(void **state) {
  (void)state;
  ts_auto_free char *path = shared_path("data/histology/aperio/CMU-1-Small-Region.svs");
  ts_auto(ts_data_unref_pointer) struct ts_data *whole = read_region(path, "image/rgb8", 500, 500, 700, 500);
  struct ts_data *pieces[4];
  for (int i = 0; i < 4; i++) {
    int64_t x = i % 2 * 350;
    int64_t y = i / 2 * 250;
    pieces[i] = read_region(path, "image/rgb8", 500 + x, 500 + y, 350, 250);
  }
  ts_auto(ts_data_unref_pointer) struct ts_data *all = ts_data_gather((const struct ts_data *const *)pieces, 4, NULL);
  assert_same_pixels(whole, all);
  for (int i = 0; i < 4; i++) ts_data_unref(pieces[i]);
}

/* Numbers of a classic big-endian TIFF, read here by hand. */
static uint32_t big(const char *bytes, size_t size) {
  uint32_t number = 0;
  for (size_t i = 0; i < size; i++) number = number << 8 | (unsigned char)bytes[i];
  return number;
}

/* Value field of a tag in the first directory. */
static const char *find_tag(const struct ts_str *file, uint32_t wanted) {
  const char *directory = file->data + big(file->data + 4, 4);
  for (uint32_t i = 0; i < big(directory, 2); i++) {
    const char *entry = directory + 2 + 12 * i;
    if (big(entry, 2) == wanted) return entry + 8;
  }
  fail_msg("no tag %u", wanted);
  return NULL;
}

static void test_big_endian_grey16(void **state) {
  (void)state;
  ts_auto_free char *path = shared_path("data/microscopy/brain_planes/ch00012.tif");
  ts_auto(ts_str_release) struct ts_str file = {0};
  assert_true(ts_file_read(path, 0, &file, NULL));
  assert_memory_equal(file.data, "MM\0*", 4);
  const char *samples = file.data + big(find_tag(&file, 273), 4); /* one uncompressed strip */
  ts_auto(ts_data_unref_pointer) struct ts_data *data = read_region(path, "image/gray16", 0, 0, 667, 510);
  size_t size = 0;
  const uint16_t *pixels = ts_data_bytes(data, &size);
  for (size_t i = 0; i < (size_t)667 * 510; i++) assert_int_equal(pixels[i], big(samples + 2 * i, 2));
  struct ts_image_info info;
  assert_true(ts_image_inspect(path, 0, &info, NULL));
  assert_int_equal(info.bits, 16);
  assert_int_equal(info.channels, 1);
}

/* Each tile of this file is a whole JPEG that says by its JFIF marker that it holds YCbCr. libjpeg decodes tile 7
 * alone. */
static void test_jpeg_tiles_that_say_rgb_but_hold_ycc(void **state) {
  (void)state;
  ts_auto_free char *path = shared_path("data/histology/openslide-os/OS-2-ndpi.ome.tif");
  ts_auto(ts_str_release) struct ts_str file = {0};
  assert_true(ts_file_read(path, 0, &file, NULL));
  const size_t tile = 7; /* 5 tiles in a row: column 2, row 1 */
  const char *offsets = file.data + big(find_tag(&file, 324), 4);
  const char *sizes = file.data + big(find_tag(&file, 325), 4);
  VipsImage *jpeg = NULL;
  assert_int_equal(vips_jpegload_buffer(file.data + big(offsets + 4 * tile, 4), big(sizes + 4 * tile, 4), &jpeg, NULL),
                   0);
  size_t size = 0;
  unsigned char *expected = vips_image_write_to_memory(jpeg, &size);
  assert_int_equal(size, 512 * 512 * 3);
  ts_auto(ts_data_unref_pointer) struct ts_data *data = read_region(path, "image/rgb8", 1024, 512, 512, 512);
  const unsigned char *rgb = ts_data_bytes(data, &size);
  size_t different = 0;
  for (size_t i = 0; i < size; i++) {
    int difference = abs(rgb[i] - expected[i]);
    if (difference > 2) fail_msg("sample %zu is %d, not %d", i, rgb[i], expected[i]);
    different += difference > 0;
  }
  assert_true(different < size / 100);
  g_free(expected);
  g_object_unref(jpeg);
}

/* A bright-field slide is light: with the wrong colours green is far above blue (means 149, 187, 135 as stored). */
static void test_colours_are_plausible(void **state) {
  (void)state;
  ts_auto_free char *path = shared_path("data/histology/openslide-os/OS-2-ndpi.ome.tif");
  ts_auto(ts_data_unref_pointer) struct ts_data *data = read_region(path, "image/rgb8", 0, 0, 2202, 2202);
  size_t size = 0;
  const unsigned char *rgb = ts_data_bytes(data, &size);
  double sums[3] = {0};
  for (size_t i = 0; i < size; i++) sums[i % 3] += rgb[i];
  for (int c = 0; c < 3; c++) sums[c] /= (double)size / 3;
  assert_true(sums[0] > 150 && sums[1] > 150 && sums[2] > 150);
  assert_true(sums[1] - sums[0] < 15 && sums[1] - sums[2] < 15);
}

static void test_labels_and_alpha_of_a_public_set(void **state) {
  (void)state;
  ts_auto_free char *image = shared_path("data/histology/dsb2018/he01.png");
  ts_auto_free char *labels = shared_path("data/histology/dsb2018/he01_labels.png");
  ts_auto(ts_data_unref_pointer) struct ts_data *rgb = read_region(image, "image/rgb8", 0, 0, 320, 256);
  ts_auto(ts_data_unref_pointer) struct ts_data *ids = read_region(labels, "labels", 0, 0, 320, 256);
  size_t size = 0;
  const uint32_t *pixels = ts_data_bytes(ids, &size);
  uint32_t most = 0;
  for (size_t i = 0; i < size / 4; i++) most = pixels[i] > most ? pixels[i] : most;
  assert_true(most > 1 && most < 1000);
  assert_int_equal(ts_data_size_bytes(rgb), 320 * 256 * 3);
}

int main(void) {
  shared_folder = getenv("TESSERA_SHARED");
  if (!shared_folder || !ts_folder_exists(shared_folder)) {
    printf("SKIP: TESSERA_SHARED names no folder with the shared data\n");
    return 77;
  }
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_slide_equals_openslide),
      cmocka_unit_test(test_slide_facts),
      cmocka_unit_test(test_slide_tiles_joined),
      cmocka_unit_test(test_big_endian_grey16),
      cmocka_unit_test(test_jpeg_tiles_that_say_rgb_but_hold_ycc),
      cmocka_unit_test(test_colours_are_plausible),
      cmocka_unit_test(test_labels_and_alpha_of_a_public_set),
  };
  return cmocka_run_group_tests_name("slides", tests, scratch_create, scratch_remove);
}
