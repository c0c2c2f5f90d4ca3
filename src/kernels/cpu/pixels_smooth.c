/* Mean over a square, by running sums: first of columns, then along the row.
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "kernels/cpu/bands.h"
#include "kernels/cpu/scratch.h"
#include "kernels/kernels.h"
#include "kernels/pixels.h"

enum { SIDE_MAX = 2 * TS_PIXELS_RADIUS_MAX + 1, SHIFT = 40 };

struct smoothing {
  const uint8_t *in; /* borrowed */
  uint8_t *out;      /* borrowed */
  uint32_t *columns; /* owned; for each band the sum of every column over the rows of the window */
  int64_t width;
  int64_t height;
  int radius;
};

static int64_t at_least(int64_t a, int64_t b) { return a > b ? a : b; }
static int64_t at_most(int64_t a, int64_t b) { return a < b ? a : b; }

static void add_row(const struct smoothing *s, int64_t y, uint32_t *columns) {
  const uint8_t *row = s->in + y * s->width;
  for (int64_t x = 0; x < s->width; x++) columns[x] += row[x];
}

static void subtract_row(const struct smoothing *s, int64_t y, uint32_t *columns) {
  const uint8_t *row = s->in + y * s->width;
  for (int64_t x = 0; x < s->width; x++) columns[x] -= row[x];
}

/* A quotient is a product with the inverse, shifted. The inverse is too large by at most 2^-40, a sum is less than 2^23
 * and a count less than 2^15: the error stays below 2^-17, and the next whole number is 2^-15 away at least. */
static void write_row(const struct smoothing *s, const uint32_t *columns, int64_t rows, uint8_t *out) {
  uint64_t inverse[SIDE_MAX + 1] = {0};
  const int64_t widest = at_most(s->width, 2 * s->radius + 1);
  for (int64_t n = 1; n <= widest; n++) inverse[n] = (UINT64_C(1) << SHIFT) / (uint64_t)(n * rows) + 1;
  uint32_t sum = 0;
  for (int64_t x = 0; x < at_most(s->radius, s->width); x++) sum += columns[x];
  for (int64_t x = 0; x < s->width; x++) {
    if (x + s->radius < s->width) sum += columns[x + s->radius];
    if (x - s->radius > 0) sum -= columns[x - s->radius - 1];
    const int64_t n = at_most(x + s->radius, s->width - 1) - at_least(x - s->radius, 0) + 1;
    out[x] = (uint8_t)((sum + (uint32_t)(n * rows) / 2) * inverse[n] >> SHIFT);
  }
}

static void smooth_band(void *context, const struct ts_band *band) {
  const struct smoothing *s = context;
  uint32_t *columns = s->columns + (int64_t)band->index * s->width;
  memset(columns, 0, (size_t)s->width * sizeof *columns);
  int64_t first = at_least(band->begin - s->radius, 0); /* rows [first, end) are in the sums */
  int64_t end = first;
  for (int64_t y = band->begin; y < band->end; y++) {
    while (end < s->height && end <= y + s->radius) add_row(s, end++, columns);
    while (first < y - s->radius) subtract_row(s, first++, columns);
    write_row(s, columns, at_least(end - first, 1), s->out + y * s->width); /* row y itself at least */
  }
}

bool ts_pixels_smooth(const uint8_t *in, int64_t width, int64_t height, int radius, uint8_t *out,
                      const struct ts_kernel_threads *threads, struct ts_error *err) {
  struct smoothing smoothing = {.in = in, .width = width, .height = height, .radius = radius};
  if (!ts_kernels_check_size(width, height, err)) return false;
  smoothing.out = out;
  smoothing.columns = ts_scratch((int64_t)ts_band_count(threads, height) * width, sizeof *smoothing.columns, err);
  if (!smoothing.columns) return false;
  ts_bands_run(threads, height, smooth_band, &smoothing);
  ts_scratch_free(smoothing.columns);
  return true;
}
