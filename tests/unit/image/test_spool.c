/* Tests of spooled images: pieces in any order, and the files that they become, read again level by level.
 * SPDX-License-Identifier: Apache-2.0 */
#include "scratch.h"

#include "base/alloc.h"
#include "base/file.h"
#include "image/spool.h"

#include <math.h>
#include <vips/vips.h>

#define TILE 512

/* Any value: what it is for depends on the place alone. */
static uint32_t value_at(const struct ts_type *type, int64_t x, int64_t y, int c) {
  const uint32_t mixed = (uint32_t)(x * 7919 + y * 104729 + c * 31) * 2654435761U;
  if (strcmp(type->name, "mask") == 0) return mixed >> 30 == 0 ? 255 : 0;
  return type->element == TS_U8 ? mixed >> 24 : type->element == TS_U16 ? mixed >> 16 : mixed >> 12;
}

static void set(const struct ts_type *type, void *samples, size_t index, uint32_t value) {
  switch (type->element) {
  case TS_U8: ((uint8_t *)samples)[index] = (uint8_t)value; break;
  case TS_U16: ((uint16_t *)samples)[index] = (uint16_t)value; break;
  case TS_U32: ((uint32_t *)samples)[index] = value; break;
  case TS_F32: ((float *)samples)[index] = (float)value; break;
  case TS_F64: break;
  }
}

static struct ts_data *piece_of(const struct ts_type *type, int64_t x, int64_t y, int64_t width, int64_t height) {
  const struct ts_region region = {.x = x, .y = y, .width = width, .height = height};
  struct ts_data *piece = ts_data_create_pixels(type, &region, NULL);
  for (int64_t i = 0; i < width * height * type->channels; i++) {
    const int64_t pixel = i / type->channels;
    set(type, ts_data_writable(piece), (size_t)i,
        value_at(type, x + pixel % width, y + pixel / width, (int)(i % type->channels)));
  }
  ts_data_finish(piece);
  return piece;
}

/* In an order that is neither by rows nor by columns; the tile `left_out` never comes. */
static struct ts_spool *spool_of(const char *name, int64_t width, int64_t height, int64_t left_out) {
  const struct ts_type *type = ts_type_find(name);
  struct ts_error err = {0};
  struct ts_spool *spool = ts_spool_create(scratch_folder, type, width, height, &err);
  if (!spool) fail_msg("%s", err.text);
  const int64_t across = (width - 1) / TILE + 1, count = across * ((height - 1) / TILE + 1);
  for (int64_t i = 0; i < count; i++) {
    const int64_t tile = (i * 7 + 3) % count, x = tile % across * TILE, y = tile / across * TILE;
    if (tile == left_out) continue;
    struct ts_data *piece =
        piece_of(type, x, y, x + TILE < width ? TILE : width - x, y + TILE < height ? TILE : height - y);
    assert_true(ts_spool_takes(spool, piece, x, y));
    if (!ts_spool_put(spool, piece, x, y, &err)) fail_msg("%s", err.text);
    ts_data_unref(piece);
  }
  return spool;
}

static uint32_t expected_at(const struct ts_type *type, int64_t x, int64_t y, int c, int64_t across, int64_t left_out) {
  return y / TILE * across + x / TILE == left_out ? 0 : value_at(type, x, y, c);
}

static const char *write_spool(const struct ts_spool *spool, const char *name, const struct ts_pixel_size *size) {
  const char *path = scratch_path(name);
  struct ts_error err = {0};
  if (!ts_spool_write(spool, path, size, &err)) fail_msg("%s", err.text);
  return path;
}

/* ---- PNG ---- */

static void assert_png(const char *type_name, int64_t width, int64_t height, int64_t left_out) {
  const struct ts_type *type = ts_type_find(type_name);
  struct ts_spool *spool = spool_of(type_name, width, height, left_out);
  assert_string_equal(ts_spool_ending(spool), "png");
  const char *path = write_spool(spool, "whole.png", &(struct ts_pixel_size){0});
  const struct ts_region all = {.width = width, .height = height};
  struct ts_error err = {0};
  struct ts_data *read = ts_image_read(path, type, &all, &err);
  if (!read) fail_msg("%s", err.text);
  struct ts_data *wanted = ts_data_create_pixels(type, &all, NULL);
  for (int64_t i = 0; i < width * height * type->channels; i++) {
    const int64_t pixel = i / type->channels;
    set(type, ts_data_writable(wanted), (size_t)i,
        expected_at(type, pixel % width, pixel / width, (int)(i % type->channels), (width - 1) / TILE + 1, left_out));
  }
  ts_data_finish(wanted);
  assert_memory_equal(ts_data_bytes(read, NULL), ts_data_bytes(wanted, NULL), ts_data_size_bytes(wanted));
  /* The same pixels in one piece give the same bytes. */
  const char *once = scratch_path("once.png");
  assert_true(ts_image_write_png(once, wanted, NULL));
  ts_auto(ts_str_release) struct ts_str a = {0}, b = {0};
  assert_true(ts_file_read(path, 0, &a, NULL) && ts_file_read(once, 0, &b, NULL));
  assert_int_equal(a.length, b.length);
  assert_memory_equal(a.data, b.data, a.length);
  ts_data_unref(wanted);
  ts_data_unref(read);
  ts_spool_destroy(spool);
}

static void small_images_are_pngs(void **state) {
  (void)state;
  assert_png("mask", 1200, 700, -1);
  assert_png("mask", 1200, 700, 4);
  assert_png("image/rgb8", 513, 1025, 0);
  assert_png("image/gray16", 600, 31, -1);
}

static void labels_have_16_bits_where_they_suffice(void **state) {
  (void)state;
  const struct ts_type *type = ts_type_find("labels");
  const struct ts_region region = {.width = 3, .height = 2};
  static const uint32_t numbers[] = {0, 1, 65535, 7, 300, 2};
  struct ts_data *piece = ts_data_create_pixels(type, &region, NULL);
  memcpy(ts_data_writable(piece), numbers, sizeof numbers);
  ts_data_finish(piece);
  struct ts_spool *spool = ts_spool_create(scratch_folder, type, 5, 4, NULL);
  assert_true(ts_spool_put(spool, piece, 2, 1, NULL));
  assert_string_equal(ts_spool_ending(spool), "png");
  const char *path = write_spool(spool, "labels.png", &(struct ts_pixel_size){0});
  const struct ts_region whole = {.width = 5, .height = 4};
  struct ts_data *read = ts_image_read(path, type, &whole, NULL);
  static const uint32_t wanted[] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 65535, 0, 0, 7, 300, 2, 0, 0, 0, 0, 0};
  assert_memory_equal(ts_data_bytes(read, NULL), wanted, sizeof wanted);
  ts_data_unref(read);
  ts_data_unref(piece);
  ts_spool_destroy(spool);
}

/* ---- OME-TIFF ---- */

/* Value of a level by its definition from the level before: mean, largest or first of four. */
static double reduced(const struct ts_type *type, const double *finer, int64_t width, int64_t x, int64_t y, int c) {
  const int64_t n = type->channels;
  const double four[] = {finer[(2 * y * width + 2 * x) * n + c], finer[(2 * y * width + 2 * x + 1) * n + c],
                         finer[((2 * y + 1) * width + 2 * x) * n + c],
                         finer[((2 * y + 1) * width + 2 * x + 1) * n + c]};
  if (type->element == TS_U32) return four[0];
  double most = 0;
  for (int i = 0; i < 4; i++) most = four[i] > most ? four[i] : most;
  if (strcmp(type->name, "mask") == 0) return most;
  const double mean = (four[0] + four[1] + four[2] + four[3]) / 4;
  return floor(mean + 0.5);
}

static double *read_level(const char *path, int level, int64_t *width, int64_t *height) {
  VipsImage *image = NULL, *numbers = NULL;
  assert_int_equal(vips_tiffload(path, &image, "subifd", level - 1, NULL), 0); /* -1: the image itself */
  *width = image->Xsize;
  *height = image->Ysize;
  assert_int_equal(vips_cast(image, &numbers, VIPS_FORMAT_DOUBLE, NULL), 0);
  size_t size = 0;
  double *all = vips_image_write_to_memory(numbers, &size);
  assert_non_null(all);
  g_object_unref(numbers);
  g_object_unref(image);
  return all;
}

static void assert_levels(const char *path, const struct ts_type *type, int64_t width, int64_t height,
                          int64_t left_out) {
  int64_t found_width = 0, found_height = 0;
  double *finer = read_level(path, 0, &found_width, &found_height);
  assert_true(found_width == width && found_height == height);
  for (int64_t i = 0; i < width * height * type->channels; i++) {
    const int64_t pixel = i / type->channels, x = pixel % width, y = pixel / width;
    const uint32_t wanted = expected_at(type, x, y, (int)(i % type->channels), (width - 1) / TILE + 1, left_out);
    if (finer[i] != wanted) fail_msg("level 0, %lld", (long long)i);
  }
  int levels = 1;
  const bool has_levels = type->element != TS_F32;
  for (; has_levels && (width > TILE || height > TILE) && width > 1 && height > 1; levels++) {
    double *coarser = read_level(path, levels, &found_width, &found_height);
    assert_true(found_width == width / 2 && found_height == height / 2);
    for (int64_t i = 0; i < found_width * found_height * type->channels; i++) {
      const int64_t pixel = i / type->channels, x = pixel % found_width, y = pixel / found_width;
      const double wanted = reduced(type, finer, width, x, y, (int)(i % type->channels));
      if (coarser[i] != wanted)
        fail_msg("%s, level %d, %lld,%lld: %g, not %g", type->name, levels, (long long)x, (long long)y, coarser[i],
                 wanted);
    }
    g_free(finer);
    finer = coarser;
    width = found_width;
    height = found_height;
  }
  g_free(finer);
  VipsImage *none = NULL;
  assert_int_not_equal(vips_tiffload(path, &none, "subifd", levels - 1, NULL), 0);
}

static void assert_tiff(const char *type_name, int64_t width, int64_t height, int64_t left_out) {
  struct ts_spool *spool = spool_of(type_name, width, height, left_out);
  assert_string_equal(ts_spool_ending(spool), "ome.tif");
  const char *path = write_spool(spool, "whole.ome.tif", &(struct ts_pixel_size){0.25, 0.5});
  assert_levels(path, ts_type_find(type_name), width, height, left_out);
  VipsImage *image = NULL;
  const char *xml = NULL;
  assert_int_equal(vips_tiffload(path, &image, NULL), 0);
  assert_int_equal(vips_image_get_string(image, VIPS_META_IMAGEDESCRIPTION, &xml), 0);
  assert_non_null(strstr(xml, "PhysicalSizeX=\"0.25\" PhysicalSizeXUnit=\"\xc2\xb5m\" PhysicalSizeY=\"0.5\""));
  assert_true(fabs(image->Xres - 4000) < 1e-3 && fabs(image->Yres - 2000) < 1e-3); /* pixels per mm */
  g_object_unref(image);
  ts_spool_destroy(spool);
}

static void wide_images_are_tiffs_with_levels(void **state) {
  (void)state;
  assert_tiff("mask", 16385, 700, 3);
  assert_tiff("mask", 301, 16999, -1);
  assert_tiff("image/rgb8", 16391, 40, -1);
  assert_tiff("image/gray16", 17000, 20, 2);
}

static void many_labels_and_fields_are_tiffs(void **state) {
  (void)state;
  assert_tiff("labels", 1100, 600, 1);
  assert_tiff("field/f32", 700, 1030, 0);
}

static void a_side_of_16384_is_a_png(void **state) {
  (void)state;
  struct ts_spool *spool = ts_spool_create(scratch_folder, ts_type_find("mask"), 16384, 2, NULL);
  assert_string_equal(ts_spool_ending(spool), "png");
  ts_spool_destroy(spool);
}

/* ---- Pieces and faults ---- */

static void pieces_outside_are_refused(void **state) {
  (void)state;
  const struct ts_type *mask = ts_type_find("mask");
  struct ts_spool *spool = ts_spool_create(scratch_folder, mask, 100, 50, NULL);
  struct ts_data *piece = piece_of(mask, 0, 0, 60, 50), *other = piece_of(ts_type_find("image/gray8"), 0, 0, 9, 9);
  assert_true(ts_spool_takes(spool, piece, 40, 0));
  assert_false(ts_spool_takes(spool, piece, 41, 0));
  assert_false(ts_spool_takes(spool, piece, 0, 1));
  assert_false(ts_spool_takes(spool, piece, -1, 0));
  assert_false(ts_spool_takes(spool, other, 0, 0));
  ts_data_unref(piece);
  ts_data_unref(other);
  ts_spool_destroy(spool);
}

/* The spool of a large image without objects takes no space. */
static void zeros_take_no_space(void **state) {
  (void)state;
  const struct ts_type *mask = ts_type_find("mask");
  struct ts_spool *spool = ts_spool_create(scratch_folder, mask, 2000000, 2000000, NULL);
  assert_non_null(spool);
  const struct ts_region region = {.width = 4096, .height = 16};
  struct ts_data *piece = ts_data_create_pixels(mask, &region, NULL);
  memset(ts_data_writable(piece), 0, ts_data_size_bytes(piece));
  ts_data_finish(piece);
  const uint64_t before = ts_folder_used_bytes(scratch_folder);
  assert_true(ts_spool_put(spool, piece, 1000000, 1000000, NULL));
  assert_int_equal(ts_folder_used_bytes(scratch_folder), before);
  ts_data_unref(piece);
  ts_spool_destroy(spool);
}

static void a_folder_that_is_missing_is_named(void **state) {
  (void)state;
  struct ts_error err = {0};
  const char *folder = scratch_path("nowhere");
  assert_null(ts_spool_create(folder, ts_type_find("mask"), 10, 10, &err));
  assert_int_equal(err.code, TS_ERR_FILE_IO);
  assert_non_null(strstr(err.text, "cannot hold a temporary file: No such file or directory"));
  struct ts_spool *spool = spool_of("mask", 40, 40, -1);
  err = (struct ts_error){0};
  ts_auto_free char *path = ts_path_join(folder, "mask.png");
  assert_false(ts_spool_write(spool, path, &(struct ts_pixel_size){0}, &err));
  assert_int_equal(err.code, TS_ERR_FILE_IO);
  assert_non_null(strstr(err.text, "mask.png' cannot be written: No such file or directory"));
  ts_spool_destroy(spool);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(small_images_are_pngs),
      cmocka_unit_test(labels_have_16_bits_where_they_suffice),
      cmocka_unit_test(wide_images_are_tiffs_with_levels),
      cmocka_unit_test(many_labels_and_fields_are_tiffs),
      cmocka_unit_test(a_side_of_16384_is_a_png),
      cmocka_unit_test(pieces_outside_are_refused),
      cmocka_unit_test(zeros_take_no_space),
      cmocka_unit_test(a_folder_that_is_missing_is_named),
  };
  return cmocka_run_group_tests_name("spool", tests, scratch_create, scratch_remove);
}
