/* Single channels of numbers that images for people do not have: floating point, and integers of 32 bits.
 * SPDX-License-Identifier: Apache-2.0 */
#include "image/image_int.h"

#include "base/alloc.h"

#include <string.h>

static const char *const wide_help =
    "give a TIFF with one channel: of floating point for a field, of 32 bits for labels";

/* Fields are of 32-bit floating point, and labels of unsigned 32 bits. */
static VipsBandFormat format_of(const struct ts_type *type) {
  return type->element == TS_F32 ? VIPS_FORMAT_FLOAT : VIPS_FORMAT_UINT;
}

static VipsImage *open_file(const char *path, struct ts_error *err) {
  if (!ts_image_startup(err)) return NULL;
  VipsImage *image = vips_image_new_from_file(path, NULL);
  if (!image) ts_image_fail(err, path, "cannot be read");
  return image;
}

const struct ts_type *ts_image_wide_type(const char *path) {
  struct ts_error ignored = {0};
  ts_auto(ts_unref_image) VipsImage *image = open_file(path, &ignored);
  if (!image || image->Bands != 1) return NULL;
  if (image->BandFmt == VIPS_FORMAT_FLOAT || image->BandFmt == VIPS_FORMAT_DOUBLE) return ts_type_find("field/f32");
  return image->BandFmt == VIPS_FORMAT_UINT ? ts_type_find("labels") : NULL;
}

static bool check(const char *path, const VipsImage *image, const struct ts_region *region, struct ts_error *err) {
  if (image->Bands != 1)
    return ts_image_refuse(err, path, wide_help, "'%s' has %d channels, not one", path, image->Bands);
  const bool is_inside = region->x >= 0 && region->y >= 0 && region->width > 0 && region->height > 0 &&
                         region->width <= image->Xsize - region->x && region->height <= image->Ysize - region->y;
  if (is_inside) return true;
  return ts_image_refuse(err, path, "name a part that lies in the image",
                         "'%s' has %d x %d pixels; the part at %lld,%lld of %lld x %lld is not inside", path,
                         image->Xsize, image->Ysize, (long long)region->x, (long long)region->y,
                         (long long)region->width, (long long)region->height);
}

static bool read_part(VipsImage *image, const char *path, struct ts_data *data, struct ts_error *err) {
  const struct ts_region *region = ts_data_region(data);
  ts_auto(ts_unref_image) VipsImage *part = NULL;
  ts_auto(ts_unref_image) VipsImage *numbers = NULL;
  size_t length = 0, size = ts_data_size_bytes(data);
  void *bytes = NULL;
  const bool good =
      vips_crop(image, &part, (int)region->x, (int)region->y, (int)region->width, (int)region->height, NULL) == 0 &&
      vips_cast(part, &numbers, format_of(ts_data_type(data)), NULL) == 0 &&
      (bytes = vips_image_write_to_memory(numbers, &length)) != NULL && length == size;
  if (good) memcpy(ts_data_writable(data), bytes, size);
  g_free(bytes);
  return good || ts_image_fail(err, path, "cannot be read");
}

struct ts_data *ts_image_read_wide(const char *path, const struct ts_type *type, const struct ts_region *region,
                                   struct ts_error *err) {
  ts_auto(ts_unref_image) VipsImage *image = open_file(path, err);
  if (!image) return NULL;
  struct ts_region whole = {.width = image->Xsize, .height = image->Ysize};
  if (!check(path, image, region ? region : &whole, err)) return NULL;
  struct ts_data *data = ts_data_create_pixels(type, region ? region : &whole, err);
  if (data && read_part(image, path, data, err)) {
    ts_data_finish(data);
    return data;
  }
  ts_data_unref(data);
  return NULL;
}
