/* Damaged images: 1,000 seeded changes of small PNG, TIFF and JPEG files give pixels or an error with help, never a
 * crash.
 * SPDX-License-Identifier: Apache-2.0
 * test-timeout: 240 */
#include "scratch.h"

#include "base/alloc.h"
#include "base/file.h"
#include "support/mutate.h"

#include <vips/vips.h>

#define ROUNDS 125 /* for each of the eight files */

struct counts {
  size_t fine;
  size_t refused;
};

static void check_error(const struct ts_error *err, struct counts *counts) {
  assert_true(err->code != TS_ERR_OK && err->text[0] && err->help[0]);
  counts->refused++;
}

static void read_file(const char *path, struct counts *counts) {
  struct ts_error err = {0};
  struct ts_image_info info = {0};
  if (!ts_image_inspect(path, 0, &info, &err)) {
    check_error(&err, counts);
    return;
  }
  assert_true(info.width > 0 && info.height > 0 && info.level_count > 0);
  struct ts_region corner = {.width = info.width < 64 ? info.width : 64, .height = info.height < 64 ? info.height : 64};
  const struct ts_type *type = ts_type_find(info.channels == 3 ? "image/rgb8" : "labels");
  struct ts_data *data = ts_image_read(path, type, &corner, &err);
  if (data)
    counts->fine++;
  else
    check_error(&err, counts);
  ts_data_unref(data);
}

static void save(const char *type_name, int bands, const char *path, const char *options) {
  ts_auto(ts_data_unref_pointer) struct ts_data *data = scratch_pixels(type_name, 90, 70, 255);
  size_t size = 0;
  const void *bytes = ts_data_bytes(data, &size);
  VipsBandFormat format = ts_data_type(data)->element == TS_U16 ? VIPS_FORMAT_USHORT : VIPS_FORMAT_UCHAR;
  VipsImage *image = vips_image_new_from_memory(bytes, size, 90, 70, bands, format);
  assert_non_null(image);
  char target[256];
  snprintf(target, sizeof target, "%s%s", path, options);
  assert_int_equal(vips_image_write_to_file(image, target, NULL), 0);
  g_object_unref(image);
}

/* Most of the damage goes where the structure is: the first bytes and, in TIFF files, the last. Every file has a name
 * of its own, as the cache of open images cannot tell one that is written twice within a tick of the file system's
 * clock. */
static void damage(uint64_t seed, const char *ending, const struct ts_str *original, struct counts *counts) {
  ts_auto(ts_str_release) struct ts_str bytes = {0};
  size_t head = original->length < 300 ? original->length : 300;
  for (uint64_t round = 0; round < ROUNDS; round++) {
    struct ts_random random;
    ts_random_init(&random, seed, round);
    size_t first = round % 3 == 1 ? original->length - head : 0;
    size_t length = round % 3 == 2 ? original->length : head;
    mutate_range(&random, original->data, original->length, first, length, NULL, 0, &bytes);
    char name[64];
    snprintf(name, sizeof name, "%u-%u%s", (unsigned)seed, (unsigned)round, ending);
    const char *path = scratch_path(name);
    write_bytes(path, ts_str_get(&bytes), bytes.length);
    read_file(path, counts);
  }
}

static void test_damaged_images(void **state) {
  (void)state;
  static const struct {
    const char *type;
    int bands;
    const char *ending, *options;
  } files[] = {{"image/rgb8", 3, ".png", ""},
               {"image/gray16", 1, ".png", "[interlace]"},
               {"image/gray8", 1, ".png", "[palette]"},
               {"image/rgb8", 3, ".tif", "[compression=lzw,predictor=horizontal]"},
               {"image/gray16", 1, ".tif", "[compression=deflate,bigtiff]"},
               {"image/rgb8", 3, ".tif", "[tile,tile-width=32,tile-height=32,pyramid,compression=jpeg]"},
               {"image/gray8", 1, ".tif", "[tile,tile-width=16,tile-height=16,pyramid,subifd]"},
               {"image/rgb8", 3, ".jpg", ""}};
  assert_true(ts_image_startup(NULL));
  struct counts counts = {0};
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    char name[32];
    snprintf(name, sizeof name, "whole-%zu%s", i, files[i].ending);
    const char *path = scratch_path(name);
    save(files[i].type, files[i].bands, path, files[i].options);
    struct counts whole = {0};
    read_file(path, &whole);
    assert_int_equal(whole.fine, 1);
    ts_auto(ts_str_release) struct ts_str original = {0};
    assert_true(ts_file_read(path, 0, &original, NULL));
    damage(i, files[i].ending, &original, &counts);
  }
  print_message("images: %zu read, %zu refused\n", counts.fine, counts.refused);
  assert_int_equal(counts.fine + counts.refused, 1000);
  assert_true(counts.fine > 50 && counts.refused > 200);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_damaged_images)};
  return cmocka_run_group_tests_name("mutations", tests, scratch_create, scratch_remove);
}
