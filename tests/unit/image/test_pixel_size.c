/* The pixel size of image files: from OME-TIFF, at every level, and nowhere that does not say it.
 * SPDX-License-Identifier: Apache-2.0 */
#include "scratch.h"

#include "base/alloc.h"

#include <vips/vips.h>

#define OME(attributes) "<?xml version=\"1.0\"?><OME><Image><Pixels ID=\"P\" " attributes "/></Image></OME>"

/* A pyramid of three levels: 256, 128 and 64 pixels. */
static const char *write_tiff(const char *description) {
  const char *path = scratch_path("size.tif");
  VipsImage *black = NULL, *image = NULL;
  assert_int_equal(vips_black(&black, 256, 256, "bands", 3, NULL), 0);
  assert_int_equal(vips_copy(black, &image, "interpretation", VIPS_INTERPRETATION_sRGB, NULL), 0);
  if (description) vips_image_set_string(image, VIPS_META_IMAGEDESCRIPTION, description);
  assert_int_equal(vips_tiffsave(image, path, "tile", TRUE, "tile_width", 64, "tile_height", 64, "pyramid", TRUE, NULL),
                   0);
  g_object_unref(image);
  g_object_unref(black);
  return path;
}

static void test_sizes_of_tiff(void **state) {
  (void)state;
  static const struct {
    const char *description;
    double x_um, y_um;
  } rows[] = {
      {OME("PhysicalSizeX=\"0.5\" PhysicalSizeY=\"0.25\""), 0.5, 0.25},
      {OME("PhysicalSizeX=\"0.5\" PhysicalSizeXUnit=\"\xc2\xb5m\" PhysicalSizeY=\"0.25\" "
           "PhysicalSizeYUnit=\"\xc2\xb5m\""),
       0.5, 0.25},
      {OME("PhysicalSizeX=\"500\" PhysicalSizeXUnit=\"nm\" PhysicalSizeY=\"250\" PhysicalSizeYUnit=\"nm\""), 0, 0},
      {OME("PhysicalSizeX=\"0.5\""), 0, 0},
      {OME("PhysicalSizeX=\"-1\" PhysicalSizeY=\"0.25\""), 0, 0},
      {OME("PhysicalSizeX=\"nan\" PhysicalSizeY=\"0.25\""), 0, 0},
      {OME("PhysicalSizeX=\"1e300\" PhysicalSizeY=\"0.25\""), 0, 0},
      {OME("PhysicalSizeX=\"0.5000000000000000000000000000000000\" PhysicalSizeY=\"0.25\""), 0, 0},
      {OME("PhysicalSizeX=\"0.5"), 0, 0},
      {"PhysicalSizeX=\"0.5\" PhysicalSizeY=\"0.25\" without OME", 0, 0},
      {NULL, 0, 0},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const char *path = write_tiff(rows[i].description);
    for (int32_t level = 0; level < 3; level++) {
      struct ts_image_info info;
      assert_true(ts_image_inspect(path, level, &info, NULL));
      assert_true(info.pixel_size.x_um == rows[i].x_um * (1 << level));
      assert_true(info.pixel_size.y_um == rows[i].y_um * (1 << level));
      assert_true(info.downsampling_x == 1 << level && info.downsampling_y == 1 << level);
    }
  }
}

static void test_other_files_do_not_say(void **state) {
  (void)state;
  ts_auto(ts_data_unref_pointer) struct ts_data *data = scratch_pixels("image/rgb8", 9, 9, 255);
  const char *path = scratch_path("plain.png");
  struct ts_image_info info;
  assert_true(ts_image_write_png(path, data, NULL));
  assert_true(ts_image_inspect(path, 0, &info, NULL));
  assert_true(info.pixel_size.x_um == 0 && info.pixel_size.y_um == 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_sizes_of_tiff),
      cmocka_unit_test(test_other_files_do_not_say),
  };
  return cmocka_run_group_tests_name("pixel_size", tests, scratch_create, scratch_remove);
}
