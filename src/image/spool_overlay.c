/* Draws the outlines of spooled objects over a reduced image.
 * SPDX-License-Identifier: Apache-2.0 */
#include "image/spool_overlay.h"

#include "image/image.h"
#include "image/overview.h"

#include "base/alloc.h"
#include "base/order.h"

#include <string.h>

/* ---- The image ---- */

/* The factor that makes an image small enough; files round their levels, so that one more may be needed. */
static bool reduce(const char *path, const struct ts_type *type, int32_t level, int64_t side_max,
                   struct ts_overview *overview, struct ts_error *err) {
  struct ts_image_info info;
  if (!ts_image_inspect(path, level, &info, err)) return false;
  for (int64_t factor = (ts_larger(info.width, info.height) - 1) / side_max + 1;; factor++) {
    if (!ts_image_overview(path, type, level, factor, NULL, NULL, overview, err)) return false;
    const struct ts_region *size = ts_data_region(overview->pixels);
    if (size->width <= side_max && size->height <= side_max) return true;
    ts_overview_release(overview);
  }
}

/* 16-bit images of microscopes rarely use their range. */
static void stretch(const uint16_t *samples, size_t count, uint8_t *rgb) {
  uint32_t least = UINT16_MAX, greatest = 0;
  for (size_t i = 0; i < count; i++) {
    if (samples[i] < least) least = samples[i];
    if (samples[i] > greatest) greatest = samples[i];
  }
  const uint32_t range = greatest > least ? greatest - least : 1;
  for (size_t i = 0; i < count; i++) memset(rgb + 3 * i, (int)((samples[i] - least) * 255 / range), 3);
}

static void fill(const struct ts_data *pixels, uint8_t *rgb) {
  size_t size = 0;
  const uint8_t *bytes = ts_data_bytes(pixels, &size);
  const struct ts_type *type = ts_data_type(pixels);
  if (type->element == TS_U16)
    stretch((const uint16_t *)(const void *)bytes, size / 2, rgb);
  else if (type->channels == 3)
    memcpy(rgb, bytes, size);
  else
    for (size_t i = 0; i < size; i++) memset(rgb + 3 * i, bytes[i], 3);
}

/* ---- The outlines ---- */

/* Three rows of the mask around the one that is looked at, as numbers. */
struct rows {
  const struct ts_spool *mask;
  int64_t width, height;
  unsigned char *bytes;                   /* owned: one row as it is kept */
  uint32_t *before, *row, *after, *owned; /* the last is owned, the others are in it */
};

static bool read_row(struct rows *rows, int64_t y, uint32_t *numbers, struct ts_error *err) {
  if (y >= rows->height) return true;
  if (!ts_spool_read(rows->mask, y, 1, rows->bytes, err)) return false;
  const bool is_wide = ts_spool_type(rows->mask)->element == TS_U32;
  for (int64_t x = 0; x < rows->width; x++) {
    if (is_wide)
      memcpy(&numbers[x], rows->bytes + 4 * x, 4);
    else
      numbers[x] = rows->bytes[x];
  }
  return true;
}

static bool rows_open(struct rows *rows, const struct ts_spool *mask, struct ts_error *err) {
  const int64_t width = ts_spool_width(mask);
  *rows = (struct rows){.mask = mask, .width = width, .height = ts_spool_height(mask)};
  rows->bytes = ts_calloc((size_t)width, 4);
  rows->owned = ts_calloc(3 * (size_t)width, sizeof *rows->owned);
  rows->before = rows->owned;
  rows->row = rows->owned + width;
  rows->after = rows->owned + 2 * width;
  return read_row(rows, 0, rows->row, err) && read_row(rows, 1, rows->after, err);
}

/* Goes on to row y + 1. */
static bool rows_next(struct rows *rows, int64_t y, struct ts_error *err) {
  uint32_t *free_row = rows->before;
  rows->before = rows->row;
  rows->row = rows->after;
  rows->after = free_row;
  return read_row(rows, y + 2, rows->after, err);
}

static void rows_release(struct rows *rows) {
  free(rows->bytes);
  free(rows->owned);
}

/* The border of the image is not an outline: an object cut by it goes on outside. */
static bool on_outline(const struct rows *rows, int64_t x, int64_t y) {
  const uint32_t own = rows->row[x];
  return own != 0 && ((x > 0 && rows->row[x - 1] != own) || (x + 1 < rows->width && rows->row[x + 1] != own) ||
                      (y > 0 && rows->before[x] != own) || (y + 1 < rows->height && rows->after[x] != own));
}

/* How many pixels of outlines each pixel of the small image covers. */
static bool count_outlines(const struct ts_spool *mask, const struct ts_region *size, uint32_t *counts,
                           struct ts_error *err) {
  struct rows rows;
  bool ok = rows_open(&rows, mask, err);
  ts_auto_free int64_t *columns = ts_calloc((size_t)rows.width, sizeof *columns);
  for (int64_t x = 0; x < rows.width; x++) columns[x] = x * size->width / rows.width;
  for (int64_t y = 0; ok && y < rows.height; y++) {
    uint32_t *line = counts + y * size->height / rows.height * size->width;
    for (int64_t x = 0; x < rows.width; x++)
      if (rows.row[x] && on_outline(&rows, x, y)) line[columns[x]]++;
    ok = rows_next(&rows, y, err);
  }
  rows_release(&rows);
  return ok;
}

/* A line through a pixel of the small image has about `full` pixels. */
static void blend(uint8_t *rgb, const uint32_t *counts, size_t pixels, uint32_t full, uint32_t outline_rgb) {
  for (size_t i = 0; i < pixels; i++) {
    const uint32_t share = counts[i] < full ? counts[i] : full;
    for (int c = 0; c < 3 && share > 0; c++) {
      const uint32_t colour = outline_rgb >> (16 - 8 * c) & 0xff;
      rgb[3 * i + (size_t)c] = (uint8_t)((rgb[3 * i + (size_t)c] * (full - share) + colour * share + full / 2) / full);
    }
  }
}

static bool draw_outlines(const struct ts_outlined *outlined, const struct ts_region *size, uint8_t *rgb,
                          struct ts_error *err) {
  const size_t pixels = (size_t)(size->width * size->height);
  ts_auto_free uint32_t *counts = ts_calloc(pixels, sizeof *counts);
  if (!count_outlines(outlined->mask, size, counts, err)) return false;
  const uint32_t full = (uint32_t)((ts_spool_width(outlined->mask) - 1) / size->width + 1);
  blend(rgb, counts, pixels, full, outlined->rgb);
  return true;
}

struct ts_data *ts_spool_overlay_of(const struct ts_outlined *outlined, size_t count, const char *path,
                                    const struct ts_type *type, int32_t level, int64_t side_max, struct ts_error *err) {
  ts_auto(ts_overview_release) struct ts_overview overview = {0};
  if (!reduce(path, type, level, side_max, &overview, err)) return NULL;
  const struct ts_region *size = ts_data_region(overview.pixels);
  ts_auto(ts_data_unref_pointer) struct ts_data *rgb = ts_data_create_pixels(ts_type_find("image/rgb8"), size, err);
  if (!rgb) return NULL;
  fill(overview.pixels, ts_data_writable(rgb));
  for (size_t i = 0; i < count; i++)
    if (!draw_outlines(&outlined[i], size, ts_data_writable(rgb), err)) return NULL;
  return ts_steal(rgb);
}

struct ts_data *ts_spool_overlay(const struct ts_spool *mask, const char *path, const struct ts_type *type,
                                 int32_t level, struct ts_error *err) {
  const struct ts_outlined outlined = {mask, TS_OUTLINE_RGB};
  return ts_spool_overlay_of(&outlined, 1, path, type, level, TS_OVERLAY_SIDE_MAX, err);
}
