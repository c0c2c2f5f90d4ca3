/* Reduces a whole image: chooses a level of the file, reads it in bands of rows and averages squares of pixels.
 * SPDX-License-Identifier: Apache-2.0
 *
 * The pixels of a band are read as those of a tile are (read.c), so that conversions, errors and images without random
 * access are the same. */
#include "image/overview.h"

#include "image/image_int.h"

#include "base/alloc.h"
#include "base/order.h"

#include <math.h>
#include <string.h>

/* Rows that are read at once: a row of the usual tiles of a file, so that none is decoded twice; fewer where a band
 * would take more memory than this. */
#define BAND_ROWS  256
#define BAND_BYTES (INT64_C(64) << 20)
#define FACTOR_MAX 65536 /* squares of 16-bit pixels then have sums below 2^48 */

void ts_overview_release(struct ts_overview *overview) {
  ts_data_unref(overview->pixels);
  *overview = (struct ts_overview){0};
}

int64_t ts_overview_factor(const struct ts_pixel_size *size, double um, int64_t otherwise) {
  const double pixel_um = fmax(size->x_um, size->y_um);
  if (pixel_um <= 0) return otherwise;
  const double factor = floor(um / pixel_um * (1 + 1e-9)); /* 8 / 0.5 shall be 16 however it is rounded */
  return factor < 1 ? 1 : factor > FACTOR_MAX ? FACTOR_MAX : (int64_t)factor;
}

/* ---- The level ---- */

struct choice {
  struct ts_image_info asked; /* the level that is worked on */
  struct ts_image_info info;  /* the level that is read */
  int32_t level;
  int64_t box; /* pixels of the level along one of the overview */
};

/* A level has about asked / factor pixels or more; rounding of a pixel does not count. */
static bool is_fine_enough(const struct ts_image_info *info, const struct ts_image_info *asked, int64_t factor) {
  return info->width >= ts_larger(1, asked->width / factor) && info->height >= ts_larger(1, asked->height / factor);
}

/* How many pixels of the level come nearest to `factor` of the level that is worked on, across its longer side. */
static int64_t box_of(const struct ts_image_info *info, const struct ts_image_info *asked, int64_t factor) {
  const bool wide = asked->width >= asked->height;
  const int64_t have = wide ? info->width : info->height, of = wide ? asked->width : asked->height;
  return ts_larger(1, (factor * have + of / 2) / of);
}

static bool choose_level(const char *path, int32_t level, int64_t factor, struct choice *choice, struct ts_error *err) {
  if (!ts_image_inspect(path, level, &choice->asked, err)) return false;
  choice->info = choice->asked;
  choice->level = level;
  for (int32_t i = level + 1; i < choice->asked.level_count; i++) {
    struct ts_image_info info = {0};
    if (!ts_image_inspect(path, i, &info, err)) return false;
    if (!is_fine_enough(&info, &choice->asked, factor)) break;
    choice->info = info;
    choice->level = i;
  }
  choice->box = box_of(&choice->info, &choice->asked, factor);
  return true;
}

/* ---- Averages ---- */

struct reduction {
  const struct ts_type *type;
  int64_t width, box; /* of the level, and of a square */
  int64_t out_width;
  bool keeps_maximum;
  uint64_t *sums; /* owned: per channel of a row of squares */
};

static void add_value(const struct reduction *r, uint64_t *sum, uint64_t value) {
  if (!r->keeps_maximum)
    *sum += value;
  else if (value > *sum)
    *sum = value;
}

/* Adds one row of pixels to the sums of its row of squares. */
static void add_row(const struct reduction *r, const unsigned char *row) {
  const int64_t channels = r->type->channels;
  const bool wide = r->type->element == TS_U16;
  for (int64_t x = 0; x < r->width; x++) {
    uint64_t *sums = r->sums + x / r->box * channels;
    for (int64_t c = 0; c < channels; c++) {
      uint16_t value = 0;
      if (wide)
        memcpy(&value, row + 2 * (x * channels + c), 2);
      else
        value = row[x * channels + c];
      add_value(r, &sums[c], value);
    }
  }
}

/* Makes one row of the overview from the sums of `rows` rows, and empties them. */
static void take_row(const struct reduction *r, int64_t rows, unsigned char *out) {
  const int64_t channels = r->type->channels;
  const bool wide = r->type->element == TS_U16;
  for (int64_t i = 0; i < r->out_width * channels; i++) {
    const int64_t columns = ts_smaller(r->box, r->width - i / channels * r->box);
    const uint64_t count = (uint64_t)(columns * rows);
    const uint16_t value = (uint16_t)(r->keeps_maximum ? r->sums[i] : (r->sums[i] + count / 2) / count);
    if (wide)
      memcpy(out + 2 * i, &value, 2);
    else
      out[i] = (unsigned char)value;
    r->sums[i] = 0;
  }
}

/* Reads some rows of the level and adds them; each row of squares that is complete becomes one of the overview. */
static bool reduce_band(const char *path, const struct choice *choice, const struct reduction *r,
                        const struct ts_region *band, unsigned char *out, struct ts_error *err) {
  ts_auto(ts_data_unref_pointer) struct ts_data *pixels = ts_image_read(path, r->type, band, err);
  if (!pixels) return false;
  const unsigned char *bytes = ts_data_bytes(pixels, NULL);
  const size_t pixel_bytes = (size_t)r->type->channels * ts_element_bytes(r->type->element);
  for (int64_t y = band->y; y < band->y + band->height; y++) {
    add_row(r, bytes + (size_t)((y - band->y) * r->width) * pixel_bytes);
    if ((y + 1) % r->box == 0 || y + 1 == choice->info.height)
      take_row(r, y % r->box + 1, out + (size_t)(y / r->box * r->out_width) * pixel_bytes);
  }
  return true;
}

/* Asked between bands. */
struct stop {
  bool (*is_stopped)(void *user); /* NULL: never */
  void *user;
};

static bool reduce(const char *path, const struct choice *choice, const struct reduction *r, const struct stop *stop,
                   unsigned char *out, struct ts_error *err) {
  const int64_t row_bytes = r->width * r->type->channels * (int64_t)ts_element_bytes(r->type->element);
  const int64_t step = ts_larger(1, ts_smaller(BAND_ROWS, BAND_BYTES / row_bytes));
  for (int64_t y = 0; y < choice->info.height; y += step) {
    const struct ts_region band = {
        .y = y, .width = r->width, .height = ts_smaller(step, choice->info.height - y), .level = choice->level};
    if (stop->is_stopped && stop->is_stopped(stop->user)) return ts_fail(err, TS_ERR_CANCELLED, "stopped on request");
    if (!reduce_band(path, choice, r, &band, out, err)) return false;
  }
  return true;
}

static bool can_be_averaged(const struct ts_type *type) {
  return type->kind == TS_DATA_PIXELS && (type->element == TS_U8 || type->element == TS_U16);
}

bool ts_image_overview(const char *path, const struct ts_type *type, int32_t level, int64_t factor,
                       bool (*is_stopped)(void *user), void *user, struct ts_overview *overview, struct ts_error *err) {
  *overview = (struct ts_overview){0};
  if (!can_be_averaged(type))
    return ts_image_refuse(err, path, "read it as image/rgb8, image/gray8, image/gray16 or mask",
                           "'%s' cannot be reduced as '%s'", path, type->name);
  if (factor < 1 || factor > FACTOR_MAX) TS_BUG("an image cannot be reduced by %lld", (long long)factor);
  struct choice choice = {0};
  if (!choose_level(path, level, factor, &choice, err)) return false;
  struct reduction r = {.type = type,
                        .width = choice.info.width,
                        .box = choice.box,
                        .out_width = (choice.info.width - 1) / choice.box + 1,
                        .keeps_maximum = strcmp(type->name, "mask") == 0};
  const struct ts_region size = {.width = r.out_width, .height = (choice.info.height - 1) / choice.box + 1};
  ts_auto(ts_data_unref_pointer) struct ts_data *pixels = ts_data_create_pixels(type, &size, err);
  if (!pixels) return false;
  r.sums = ts_calloc((size_t)(r.out_width * type->channels), sizeof *r.sums);
  const bool ok = reduce(path, &choice, &r, &(struct stop){is_stopped, user}, ts_data_writable(pixels), err);
  free(r.sums);
  if (!ok) return false;
  ts_data_finish(pixels);
  *overview =
      (struct ts_overview){.pixels = ts_steal(pixels),
                           .step_x = (double)choice.box * (double)choice.asked.width / (double)choice.info.width,
                           .step_y = (double)choice.box * (double)choice.asked.height / (double)choice.info.height,
                           .level = choice.level,
                           .box_px = choice.box};
  return true;
}
