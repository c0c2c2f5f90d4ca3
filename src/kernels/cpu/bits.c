/* Masks with one bit per pixel.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernels/cpu/bits.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/cpu/bands.h"
#include "kernels/cpu/scratch.h"
#include "kernels/cpu/variant.h"
#include "kernels/kernels.h"

bool ts_bits_reserve(struct ts_bits *bits, int64_t width, int64_t height, struct ts_error *err) {
  if (!ts_kernels_check_size(width, height, err)) return false;
  int64_t stride = (width + TS_BITS_WORD - 1) / TS_BITS_WORD;
  if (stride * height > bits->capacity) {
    ts_bits_release(bits);
    bits->words = ts_scratch(stride * height, sizeof *bits->words, err);
    if (!bits->words) return false;
    bits->capacity = stride * height;
  }
  bits->width = width;
  bits->height = height;
  bits->stride = stride;
  return true;
}

void ts_bits_release(struct ts_bits *bits) {
  ts_scratch_free(bits->words);
  *bits = (struct ts_bits){0};
}

void ts_bits_fill(struct ts_bits *bits) {
  memset(bits->words, 255, (size_t)(bits->stride * bits->height) * sizeof *bits->words);
  for (int64_t y = 0; y < bits->height; y++) ts_bits_row(bits, y)[bits->stride - 1] = ts_bits_tail(bits->width);
}

/* ---- Planes of bytes ---- */

struct conversion {
  const struct ts_bits *bits; /* borrowed; written by pack_rows */
  const uint8_t *from;        /* borrowed */
  uint8_t *to;                /* borrowed */
  uint8_t limit;
};

static void pack_rows(void *context, const struct ts_band *band) {
  const struct conversion *c = context;
  int64_t width = c->bits->width;
  for (int64_t y = band->begin; y < band->end; y++)
    ts_variant_get()->pack(c->from + y * width, width, c->limit, ts_bits_row(c->bits, y));
}

void ts_bits_from_plane(struct ts_bits *bits, const uint8_t *plane, int limit,
                        const struct ts_kernel_threads *threads) {
  if (limit < 0) {
    ts_bits_fill(bits);
    return;
  }
  struct conversion c = {.bits = bits, .from = plane, .limit = (uint8_t)(limit < 255 ? limit : 255)};
  ts_bands_run(threads, bits->height, pack_rows, &c);
}

static void unpack_rows(void *context, const struct ts_band *band) {
  const struct conversion *c = context;
  int64_t width = c->bits->width;
  for (int64_t y = band->begin; y < band->end; y++)
    ts_variant_get()->unpack(ts_bits_row(c->bits, y), width, c->to + y * width);
}

void ts_bits_to_plane(const struct ts_bits *bits, uint8_t *plane, const struct ts_kernel_threads *threads) {
  struct conversion c = {.bits = bits};
  c.to = plane;
  ts_bands_run(threads, bits->height, unpack_rows, &c);
}

/* ---- Ranges ---- */

void ts_bits_set_range(uint64_t *row, int64_t begin, int64_t end) {
  int64_t first = begin / TS_BITS_WORD;
  int64_t last = (end - 1) / TS_BITS_WORD;
  uint64_t from_begin = ~UINT64_C(0) << begin % TS_BITS_WORD;
  uint64_t to_end = ts_bits_tail(end);
  if (first == last) {
    row[first] |= from_begin & to_end;
    return;
  }
  row[first] |= from_begin;
  for (int64_t i = first + 1; i < last; i++) row[i] = ~UINT64_C(0);
  row[last] |= to_end;
}

bool ts_bits_any_in_range(const uint64_t *row, int64_t begin, int64_t end) {
  int64_t first = begin / TS_BITS_WORD;
  int64_t last = (end - 1) / TS_BITS_WORD;
  uint64_t from_begin = ~UINT64_C(0) << begin % TS_BITS_WORD;
  uint64_t to_end = ts_bits_tail(end);
  if (first == last) return (row[first] & from_begin & to_end) != 0;
  if (row[first] & from_begin) return true;
  for (int64_t i = first + 1; i < last; i++)
    if (row[i]) return true;
  return (row[last] & to_end) != 0;
}

/* ---- Cross ----
 * Both are unions of shifted copies: a dilation of the bits, and an erosion as the dilation of their complement. Rows
 * outside the image add nothing. */

/* out = row, its neighbours to the left and right, and the rows above and below (NULL: outside), all of them flipped
 * first. */
static void spread_row(const uint64_t *above, const uint64_t *row, const uint64_t *below, int64_t stride, int64_t width,
                       uint64_t flip, uint64_t *out) {
  uint64_t tail = ts_bits_tail(width);
  uint64_t before = 0;
  uint64_t here = (row[0] ^ flip) & (stride == 1 ? tail : ~UINT64_C(0));
  for (int64_t i = 0; i < stride; i++) {
    uint64_t inside = i == stride - 1 ? tail : ~UINT64_C(0);
    uint64_t after = 0;
    if (i + 1 < stride) after = (row[i + 1] ^ flip) & (i + 2 == stride ? tail : ~UINT64_C(0));
    uint64_t all = here | here << 1 | before >> 63 | here >> 1 | after << 63;
    if (above) all |= above[i] ^ flip;
    if (below) all |= below[i] ^ flip;
    out[i] = (all ^ flip) & inside;
    before = here;
    here = after;
  }
}

struct cross {
  const struct ts_bits *in; /* borrowed */
  struct ts_bits *out;      /* borrowed */
};

static const uint64_t *row_or_outside(const struct ts_bits *bits, int64_t y) {
  return y >= 0 && y < bits->height ? ts_bits_row(bits, y) : NULL;
}

static void dilate_rows(void *context, const struct ts_band *band) {
  const struct cross *c = context;
  for (int64_t y = band->begin; y < band->end; y++)
    spread_row(row_or_outside(c->in, y - 1), ts_bits_row(c->in, y), row_or_outside(c->in, y + 1), c->in->stride,
               c->in->width, 0, ts_bits_row(c->out, y));
}

static void erode_rows(void *context, const struct ts_band *band) {
  const struct cross *c = context;
  for (int64_t y = band->begin; y < band->end; y++)
    spread_row(row_or_outside(c->in, y - 1), ts_bits_row(c->in, y), row_or_outside(c->in, y + 1), c->in->stride,
               c->in->width, ~UINT64_C(0), ts_bits_row(c->out, y));
}

void ts_bits_dilate_cross(const struct ts_bits *in, struct ts_bits *out, const struct ts_kernel_threads *threads) {
  struct cross cross = {in, out};
  ts_bands_run(threads, in->height, dilate_rows, &cross);
}

void ts_bits_erode_cross(const struct ts_bits *in, struct ts_bits *out, const struct ts_kernel_threads *threads) {
  struct cross cross = {in, out};
  ts_bands_run(threads, in->height, erode_rows, &cross);
}
