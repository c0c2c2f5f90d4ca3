/* Writes pixels as PNG or JPEG, into a file or into memory.
 * SPDX-License-Identifier: Apache-2.0 */
#include "image/image_int.h"
#include "image/pixels_int.h"

#include "base/alloc.h"
#include "base/file.h"

#include <limits.h>

#define COMPRESSION  6
#define JPEG_QUALITY 85 /* outlines of one pixel stay sharp; a quarter of the bytes of a PNG. Looked at, not measured */

static VipsInterpretation interpretation(const struct ts_plain_pixels *plain) {
  if (plain->channels == 3) return VIPS_INTERPRETATION_sRGB;
  return plain->bits == 16 ? VIPS_INTERPRETATION_GREY16 : VIPS_INTERPRETATION_B_W;
}

enum form { FORM_PNG, FORM_JPEG };

static bool save(VipsImage *image, enum form form, void **bytes, size_t *length) {
  if (form == FORM_JPEG)
    return vips_jpegsave_buffer(image, bytes, length, "Q", JPEG_QUALITY, "subsample_mode", VIPS_FOREIGN_SUBSAMPLE_OFF,
                                "strip", TRUE, NULL) == 0;
  return vips_pngsave_buffer(image, bytes, length, "compression", COMPRESSION, "strip", TRUE, NULL) == 0;
}

static bool encode(const struct ts_plain_pixels *plain, enum form form, struct ts_str *out, struct ts_error *err) {
  if (plain->width > VIPS_MAX_COORD || plain->height > VIPS_MAX_COORD) {
    return ts_fail(err, TS_ERR_BAD_VALUE, "a PNG cannot have %lld x %lld pixels", (long long)plain->width,
                   (long long)plain->height);
  }
  size_t size = (size_t)(plain->width * plain->height) * (size_t)plain->channels * (size_t)(plain->bits / 8);
  ts_auto(ts_unref_image) VipsImage *raw =
      vips_image_new_from_memory(plain->samples, size, (int)plain->width, (int)plain->height, plain->channels,
                                 plain->bits == 16 ? VIPS_FORMAT_USHORT : VIPS_FORMAT_UCHAR);
  ts_auto(ts_unref_image) VipsImage *image = NULL;
  void *bytes = NULL;
  size_t length = 0;
  bool good = raw && vips_copy(raw, &image, "interpretation", interpretation(plain), NULL) == 0 &&
              save(image, form, &bytes, &length);
  if (good) {
    ts_str_add_bytes(out, bytes, length);
  } else {
    char *said = vips_error_buffer_copy();
    ts_fail(err, TS_ERR_FILE_IO, "the %s could not be made: %s", form == FORM_JPEG ? "JPEG" : "PNG", said);
    g_free(said);
  }
  g_free(bytes);
  return good;
}

bool ts_image_encode_png(const struct ts_data *pixels, int32_t shrink, struct ts_str *out, struct ts_error *err) {
  ts_auto(ts_plain_pixels_release) struct ts_plain_pixels plain = {0};
  return ts_image_startup(err) && ts_plain_pixels_init(&plain, pixels, shrink, err) &&
         encode(&plain, FORM_PNG, out, err);
}

bool ts_image_encode_jpeg(const struct ts_data *pixels, struct ts_str *out, struct ts_error *err) {
  ts_auto(ts_plain_pixels_release) struct ts_plain_pixels plain = {0};
  return ts_image_startup(err) && ts_plain_pixels_init(&plain, pixels, 1, err) && encode(&plain, FORM_JPEG, out, err);
}

bool ts_image_write_png(const char *path, const struct ts_data *pixels, struct ts_error *err) {
  ts_auto(ts_str_release) struct ts_str bytes = {0};
  if (!ts_image_encode_png(pixels, 1, &bytes, err)) {
    return ts_error_place(err, path, 0, 0, NULL);
  }
  return ts_file_write(path, bytes.data, bytes.length, err);
}
