/* Reads one rectangle of an image file as a port type.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Pixels are asked for in bands of rows and converted into the caller's memory, so that only what covers the rectangle
 * is decoded and a second copy of it never exists. PNG, JPEG and TIFF in strips have no random access: such a file is
 * decoded whole when its first pixel is asked for (whole.c), unless all of it is wanted at once. */
#include "image/image_int.h"

#include "base/alloc.h"

#include <string.h>

/* Rows that are asked for at once: a quarter of the rectangle, so that what the decoder holds of it stays small against
 * it, within bounds that keep the number of requests and the memory of one sensible. */
#define BAND_PARTS    4
#define BAND_ROWS_MIN 32
#define BAND_ROWS_MAX 256

static const char *const inside_help = "a rectangle must lie inside the image";

static bool check_region(const char *path, const struct ts_image_info *info, const struct ts_region *region,
                         struct ts_error *err) {
  bool inside = region->x >= 0 && region->y >= 0 && region->width > 0 && region->height > 0 &&
                region->width <= info->width && region->height <= info->height &&
                region->x <= info->width - region->width && region->y <= info->height - region->height;
  if (!inside) {
    return ts_image_refuse(err, path, inside_help,
                           "%lld x %lld pixels at %lld, %lld lie outside '%s' (%lld x %lld pixels)",
                           (long long)region->width, (long long)region->height, (long long)region->x,
                           (long long)region->y, path, (long long)info->width, (long long)info->height);
  }
  if (region->z == 0 && region->t == 0 && region->depth >= 0 && region->frames >= 0 && !ts_region_is_volume(region))
    return true;
  return ts_image_refuse(err, path, "leave z and t at 0, and read one plane of one frame",
                         "'%s' can only be read at z 0 and t 0", path);
}

static bool keeps_bits(const struct ts_image_info *info, const struct ts_type *type) {
  bool mask = strcmp(type->name, "mask") == 0; /* any non-zero value counts, so no bits are lost */
  return mask || (size_t)info->bits <= 8 * ts_element_bytes(type->element);
}

bool ts_image_fits_type(const struct ts_image_info *info, const struct ts_type *type) {
  return type->kind == TS_DATA_PIXELS && type->element != TS_F32 && type->element != TS_F64 &&
         info->channels <= type->channels && keeps_bits(info, type);
}

const char *ts_image_description(const struct ts_image_info *info) {
  if (info->channels == 1)
    return info->bits > 8 ? "a grey image with 16 bits per pixel" : "a grey image with 8 bits per pixel";
  return info->bits > 8 ? "an RGB image with 16 bits per channel" : "an RGB image with 8 bits per channel";
}

/* Says why the file's pixels cannot stand for the type without loss, if so. */
static bool check_type(const char *path, const struct ts_image_info *info, const struct ts_type *type,
                       struct ts_error *err) {
  if (type->kind != TS_DATA_PIXELS || type->element == TS_F32 || type->element == TS_F64) {
    return ts_image_refuse(err, path, "read it as image/rgb8, image/gray8, image/gray16, mask or labels",
                           "'%s' cannot be read as '%s'", path, type->name);
  }
  if (info->channels > type->channels) {
    return ts_image_refuse(err, path, "convert the file to grey, or read it as image/rgb8",
                           "'%s' has %d colour channels and cannot be read as '%s'", path, (int)info->channels,
                           type->name);
  }
  if (keeps_bits(info, type)) return true;
  return ts_image_refuse(err, path, "convert the file to 8 bits, or read it as image/gray16",
                         "'%s' has %d bits per channel and cannot be read as '%s'", path, (int)info->bits, type->name);
}

static unsigned char clamp(int value) { return (unsigned char)(value < 0 ? 0 : value > 255 ? 255 : value); }

/* The conversion of the JFIF standard, in 16-bit fixed point. */
static void ycc_to_rgb(const unsigned char *ycc, unsigned char *rgb) {
  int y = ycc[0];
  int cb = ycc[1] - 128;
  int cr = ycc[2] - 128;
  rgb[0] = clamp(y + ((91881 * cr + 32768) >> 16));
  rgb[1] = clamp(y + ((-22554 * cb - 46802 * cr + 32768) >> 16));
  rgb[2] = clamp(y + ((116130 * cb + 32768) >> 16));
}

/* How one row of the file becomes one row of the type. */
struct conversion {
  size_t file_bands; /* with alpha */
  bool wide;         /* 16 bits in the file */
  bool ycc;
  bool grey; /* one colour channel in the file */
  const struct ts_type *type;
  bool mask;
};

static unsigned sample(const struct conversion *how, const unsigned char *row, size_t index) {
  if (!how->wide) return row[index];
  uint16_t value = 0;
  memcpy(&value, row + 2 * index, 2);
  return value;
}

static void convert_rgb_row(const struct conversion *how, const unsigned char *from, unsigned char *to, size_t width) {
  for (size_t x = 0; x < width; x++) {
    const unsigned char *pixel = from + x * how->file_bands;
    if (how->ycc) {
      ycc_to_rgb(pixel, to + 3 * x);
    } else {
      for (size_t c = 0; c < 3; c++) to[3 * x + c] = pixel[how->grey ? 0 : c];
    }
  }
}

static void convert_grey_row(const struct conversion *how, const unsigned char *from, unsigned char *to, size_t width) {
  size_t element_bytes = ts_element_bytes(how->type->element);
  for (size_t x = 0; x < width; x++) {
    uint32_t value = sample(how, from, x * how->file_bands);
    if (how->mask) value = value ? 255 : 0;
    memcpy(to + x * element_bytes, &value, element_bytes); /* little endian: the low bytes come first */
  }
}

static int64_t band_rows(int64_t height) {
  int64_t rows = (height + BAND_PARTS - 1) / BAND_PARTS;
  return rows < BAND_ROWS_MIN ? BAND_ROWS_MIN : rows > BAND_ROWS_MAX ? BAND_ROWS_MAX : rows;
}

static bool read_rows(VipsImage *image, const struct conversion *how, const struct ts_region *area, unsigned char *to) {
  size_t row_bytes = (size_t)area->width * ts_element_bytes(how->type->element) * (size_t)how->type->channels;
  VipsRegion *region = vips_region_new(image);
  bool good = region != NULL;
  const int64_t most = band_rows(area->height);
  for (int64_t y = 0; good && y < area->height; y += most) {
    int64_t rows = area->height - y < most ? area->height - y : most;
    VipsRect rect = {(int)area->x, (int)(area->y + y), (int)area->width, (int)rows};
    good = vips_region_prepare(region, &rect) == 0;
    for (int row = 0; good && row < (int)rows; row++) {
      const unsigned char *from = VIPS_REGION_ADDR(region, rect.left, rect.top + row);
      unsigned char *target = to + (size_t)(y + row) * row_bytes;
      if (how->type->channels == 3) {
        convert_rgb_row(how, from, target, (size_t)area->width);
      } else {
        convert_grey_row(how, from, target, (size_t)area->width);
      }
    }
  }
  if (region) g_object_unref(region);
  return good;
}

static bool read_open(const char *path, const struct ts_open_image *open, const struct ts_type *type,
                      const struct ts_region *region, void *pixels, struct ts_error *err) {
  /* All of it at once: nobody will ask for another part of what would be held decoded. */
  bool is_all = open->decoded_whole && region->width == open->info.width && region->height == open->info.height;
  ts_auto(ts_unref_image) VipsImage *image =
      is_all ? ts_whole_stream(path, open, err) : ts_whole_pixels(path, open, err);
  if (!image) return false;
  struct conversion how = {.file_bands = (size_t)open->image->Bands,
                           .wide = open->info.bits == 16,
                           .ycc = open->ycc,
                           .grey = open->info.channels == 1,
                           .type = type,
                           .mask = strcmp(type->name, "mask") == 0};
  bool good = read_rows(image, &how, region, pixels);
  if (!good) ts_image_fail(err, path, "cannot be decoded");
  if (!good || is_all) ts_open_image_forget(path);
  return good;
}

static bool open_for(const char *path, const struct ts_type *type, const struct ts_region *region,
                     struct ts_open_image *open, struct ts_error *err) {
  return ts_open_image_get(path, region->level, open, err) && check_type(path, &open->info, type, err) &&
         check_region(path, &open->info, region, err);
}

bool ts_image_check_region(const char *path, const struct ts_type *type, const struct ts_region *region,
                           struct ts_error *err) {
  ts_auto(ts_open_image_release) struct ts_open_image open = {0};
  return open_for(path, type, region, &open, err);
}

bool ts_image_read_into(const char *path, const struct ts_type *type, const struct ts_region *region, void *pixels,
                        struct ts_error *err) {
  ts_auto(ts_open_image_release) struct ts_open_image open = {0};
  return open_for(path, type, region, &open, err) && read_open(path, &open, type, region, pixels, err);
}

struct ts_data *ts_image_read(const char *path, const struct ts_type *type, const struct ts_region *region,
                              struct ts_error *err) {
  ts_auto(ts_open_image_release) struct ts_open_image open = {0};
  if (!open_for(path, type, region, &open, err)) return NULL;
  ts_auto(ts_data_unref_pointer) struct ts_data *data = ts_data_create_pixels(type, region, err);
  if (!data || !read_open(path, &open, type, region, ts_data_writable(data), err)) return NULL;
  return ts_steal(data);
}
