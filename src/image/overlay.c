/* Draws the outlines of objects over an image, for people to judge a segmentation.
 * SPDX-License-Identifier: Apache-2.0 */
#include "image/image.h"

#include "base/alloc.h"

#include <string.h>

/* Grey values as 8 bits; 16-bit images of microscopes rarely use their range and are stretched from least to
 * greatest. */
struct stretch {
  uint32_t least, greatest;
};

static struct stretch stretch_of(const uint16_t *samples, size_t count) {
  struct stretch stretch = {UINT32_MAX, 0};
  for (size_t i = 0; i < count; i++) {
    if (samples[i] < stretch.least) stretch.least = samples[i];
    if (samples[i] > stretch.greatest) stretch.greatest = samples[i];
  }
  return stretch;
}

static void fill_from_grey16(const uint16_t *samples, size_t count, uint8_t *rgb) {
  struct stretch stretch = stretch_of(samples, count);
  uint32_t range = stretch.greatest > stretch.least ? stretch.greatest - stretch.least : 1;
  for (size_t i = 0; i < count; i++) memset(rgb + 3 * i, (int)((samples[i] - stretch.least) * 255 / range), 3);
}

static void fill(const struct ts_data *image, uint8_t *rgb) {
  size_t size_bytes = 0;
  const void *samples = ts_data_bytes(image, &size_bytes);
  const struct ts_type *type = ts_data_type(image);
  if (type->channels == 3) {
    memcpy(rgb, samples, size_bytes);
  } else if (type->element == TS_U16) {
    fill_from_grey16(samples, size_bytes / 2, rgb);
  } else {
    for (size_t i = 0; i < size_bytes; i++) memset(rgb + 3 * i, ((const uint8_t *)samples)[i], 3);
  }
}

struct grid {
  const void *samples; /* borrowed */
  bool wide;
  int64_t width, height;
};

static uint32_t at(const struct grid *grid, int64_t x, int64_t y) {
  size_t index = (size_t)(y * grid->width + x);
  return grid->wide ? ((const uint32_t *)grid->samples)[index] : ((const uint8_t *)grid->samples)[index];
}

/* The border of the image is not an outline: an object cut by it goes on outside. */
static bool on_outline(const struct grid *grid, int64_t x, int64_t y) {
  uint32_t own = at(grid, x, y);
  if (own == 0) return false;
  return (x > 0 && at(grid, x - 1, y) != own) || (x + 1 < grid->width && at(grid, x + 1, y) != own) ||
         (y > 0 && at(grid, x, y - 1) != own) || (y + 1 < grid->height && at(grid, x, y + 1) != own);
}

static bool is_picture(const struct ts_type *type) {
  return ts_type_fits(type, "image/rgb8|image/gray8|image/gray16|mask");
}

static bool check(const struct ts_data *image, const struct ts_data *mask, struct ts_error *err) {
  if (!is_picture(ts_data_type(image)) || !ts_type_fits(ts_data_type(mask), "mask|labels")) {
    return ts_fail(err, TS_ERR_PORT_TYPE, "outlines of '%s' cannot be drawn over '%s'", ts_data_type(mask)->name,
                   ts_data_type(image)->name);
  }
  const struct ts_region *a = ts_data_region(image);
  const struct ts_region *b = ts_data_region(mask);
  if (ts_region_is_volume(a) || ts_region_is_volume(b))
    return ts_fail(err, TS_ERR_BAD_VALUE, "outlines are drawn over one plane, not over a volume");
  if (a->width == b->width && a->height == b->height) return true;
  return ts_fail(err, TS_ERR_BAD_VALUE, "an image of %lld x %lld and a mask of %lld x %lld pixels do not fit",
                 (long long)a->width, (long long)a->height, (long long)b->width, (long long)b->height);
}

struct ts_data *ts_image_overlay(const struct ts_data *image, const struct ts_data *mask, uint32_t rgb,
                                 struct ts_error *err) {
  if (!check(image, mask, err)) return NULL;
  struct ts_data *drawn = ts_data_create_pixels(ts_type_find("image/rgb8"), ts_data_region(image), err);
  if (!drawn) return NULL;
  uint8_t *out = ts_data_writable(drawn);
  fill(image, out);
  size_t size_bytes = 0;
  struct grid grid = {.samples = ts_data_bytes(mask, &size_bytes),
                      .wide = ts_data_type(mask)->element == TS_U32,
                      .width = ts_data_region(mask)->width,
                      .height = ts_data_region(mask)->height};
  for (int64_t y = 0; y < grid.height; y++) {
    for (int64_t x = 0; x < grid.width; x++) {
      if (!on_outline(&grid, x, y)) continue;
      uint8_t *pixel = out + 3 * (y * grid.width + x);
      for (int c = 0; c < 3; c++) pixel[c] = (uint8_t)(rgb >> (16 - 8 * c));
    }
  }
  return drawn;
}
