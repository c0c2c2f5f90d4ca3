/* Erosion, dilation and opening with a 3 x 3 cross and a 19 x 19 octagon.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Only erosion is written out: a dilation is an erosion of the complement, and the complement is taken while rows are
 * copied in and out ("flip"). Work goes row by row through a few rows of scratch that stay in the cache; a row is read
 * before any row at or above it is written, so input and output may be the same plane.
 * Minima of long windows are built by doubling: the minimum over 16 is that of two minima over 8. Rows of scratch are
 * whole multiples of CHUNK bytes, which lets the compiler use vector instructions at every optimisation level. */
#include <stdlib.h>
#include <string.h>

#include "kernels/cpu/scratch.h"
#include "kernels/kernels.h"

enum { CHUNK = 64 };

static int64_t round_up(int64_t n) { return (n + CHUNK - 1) / CHUNK * CHUNK; }

/* to[i] = min(a[i], b[i]); count is a multiple of CHUNK. */
static void min_rows(uint8_t *restrict to, const uint8_t *a, const uint8_t *b, int64_t count) {
  for (int64_t done = 0; done < count; done += CHUNK)
    for (int i = 0; i < CHUNK; i++) {
      uint8_t p = a[done + i];
      uint8_t q = b[done + i];
      to[done + i] = p < q ? p : q;
    }
}

/* to = min(to, a, b), rowwise. */
static void min_into(uint8_t *restrict to, const uint8_t *a, const uint8_t *b, int64_t count) {
  for (int64_t done = 0; done < count; done += CHUNK)
    for (int i = 0; i < CHUNK; i++) {
      uint8_t p = a[done + i];
      uint8_t q = b[done + i];
      uint8_t low = p < q ? p : q;
      uint8_t old = to[done + i];
      to[done + i] = low < old ? low : old;
    }
}

static void copy_flipped(uint8_t *restrict to, const uint8_t *restrict from, int64_t count, uint8_t flip) {
  int64_t done = 0;
  for (; done + CHUNK <= count; done += CHUNK)
    for (int i = 0; i < CHUNK; i++) to[done + i] = from[done + i] ^ flip;
  for (; done < count; done++) to[done] = from[done] ^ flip;
}

/* ---- Cross ---- */

static bool erode_cross(const uint8_t *in, int64_t width, int64_t height, uint8_t flip, uint8_t *out,
                        struct ts_error *err) {
  int64_t padded = round_up(width);
  int64_t stride = padded + CHUNK; /* one pixel from outside before the row, the rest behind it */
  uint8_t *scratch = ts_scratch(4 * stride, 1, err);
  if (!scratch) return false;
  memset(scratch, 255, (size_t)(4 * stride));
  uint8_t *rows[3] = {scratch, scratch + stride, scratch + 2 * stride}; /* above, here, below */
  uint8_t *result = scratch + 3 * stride;
  copy_flipped(rows[2] + 1, in, width, flip);
  for (int64_t y = 0; y < height; y++) {
    uint8_t *next = rows[0];
    rows[0] = rows[1];
    rows[1] = rows[2];
    rows[2] = next;
    if (y + 1 < height) {
      copy_flipped(next + 1, in + (y + 1) * width, width, flip);
    } else {
      memset(next, 255, (size_t)stride);
    }
    min_rows(result, rows[0] + 1, rows[2] + 1, padded);
    min_into(result, rows[1], rows[1] + 2, padded);
    min_into(result, rows[1] + 1, rows[1] + 1, padded);
    copy_flipped(out + y * width, result, width, flip);
  }
  free(scratch);
  return true;
}

/* ---- Octagon ---- */

/* Half-widths 5, 6, 7, 8 of the rows 9, 8, 7, 6 away from the centre; rows nearer have 9 (RADIUS). */
enum { RADIUS = 9, SLANTED = 4, SPAN = 2 * RADIUS + 1, FLAT_RING = 16 };

struct octagon {
  uint8_t *scratch;          /* owned */
  uint8_t *source;           /* the input row with RADIUS pixels from outside on the left and more on the right */
  uint8_t *window[5];        /* minima over 2, 4, 8, 16 pixels beginning at a place of source; [4]: result */
  uint8_t *slanted[SLANTED]; /* rings of SPAN rows: minima over half-widths 5..8 */
  uint8_t *flat[4];          /* rings of FLAT_RING rows: half-width 9 over 1, 2, 4, 8 rows beginning here */
  int64_t padded;
  int64_t stride;
};

static bool octagon_init(struct octagon *o, int64_t width, struct ts_error *err) {
  o->padded = round_up(width);
  o->stride = o->padded + (int64_t)2 * CHUNK;
  int64_t rows = 1 + 5 + SLANTED * SPAN + 4 * FLAT_RING;
  o->scratch = ts_scratch(rows * o->stride, 1, err);
  if (!o->scratch) return false;
  memset(o->scratch, 255, (size_t)(rows * o->stride));
  uint8_t *next = o->scratch;
  o->source = next;
  next += o->stride;
  for (int i = 0; i < 5; i++, next += o->stride) o->window[i] = next;
  for (int i = 0; i < SLANTED; i++, next += SPAN * o->stride) o->slanted[i] = next;
  for (int i = 0; i < 4; i++, next += FLAT_RING * o->stride) o->flat[i] = next;
  return true;
}

/* Rows before the image have negative numbers, down to -SPAN; the rings start filled with the value of the outside. */
static uint8_t *slanted_row(const struct octagon *o, int which, int64_t y) {
  return o->slanted[which] + (y + SPAN) % SPAN * o->stride;
}

static uint8_t *flat_row(const struct octagon *o, int which, int64_t y) {
  return o->flat[which] + (y + (int64_t)2 * FLAT_RING) % FLAT_RING * o->stride;
}

/* Row y of the image, or 255s below its end, enters the rings. */
static void octagon_enter(struct octagon *o, const uint8_t *row, int64_t width, int64_t y, uint8_t flip) {
  if (row) {
    copy_flipped(o->source + RADIUS, row, width, flip);
    int64_t longer = o->padded + CHUNK;
    min_rows(o->window[0], o->source, o->source + 1, longer);
    min_rows(o->window[1], o->window[0], o->window[0] + 2, longer);
    min_rows(o->window[2], o->window[1], o->window[1] + 4, longer);
    min_rows(o->window[3], o->window[2], o->window[2] + 8, longer);
    const uint8_t *of8 = o->window[2];
    const uint8_t *of16 = o->window[3];
    min_rows(slanted_row(o, 0, y), of8 + 4, of8 + 7, o->padded);
    min_rows(slanted_row(o, 1, y), of8 + 3, of8 + 8, o->padded);
    min_rows(slanted_row(o, 2, y), of8 + 2, of8 + 9, o->padded);
    min_rows(slanted_row(o, 3, y), of16 + 1, of16 + 2, o->padded);
    min_rows(flat_row(o, 0, y), of16, of16 + 3, o->padded);
  } else {
    for (int i = 0; i < SLANTED; i++) memset(slanted_row(o, i, y), 255, (size_t)o->padded);
    memset(flat_row(o, 0, y), 255, (size_t)o->padded);
  }
  min_rows(flat_row(o, 1, y - 1), flat_row(o, 0, y - 1), flat_row(o, 0, y), o->padded);
  min_rows(flat_row(o, 2, y - 3), flat_row(o, 1, y - 3), flat_row(o, 1, y - 1), o->padded);
  min_rows(flat_row(o, 3, y - 7), flat_row(o, 2, y - 7), flat_row(o, 2, y - 3), o->padded);
}

/* The result of row y, once row y + RADIUS has entered. */
static const uint8_t *octagon_leave(const struct octagon *o, int64_t y) {
  uint8_t *result = o->window[4];
  min_rows(result, flat_row(o, 3, y - 5), flat_row(o, 3, y - 2), o->padded); /* rows y - 5 .. y + 5 */
  for (int i = 0; i < SLANTED; i++)
    min_into(result, slanted_row(o, i, y - RADIUS + i), slanted_row(o, i, y + RADIUS - i), o->padded);
  return result;
}

static bool erode_disk(const uint8_t *in, int64_t width, int64_t height, uint8_t flip, uint8_t *out,
                       struct ts_error *err) {
  struct octagon o;
  if (!octagon_init(&o, width, err)) return false;
  for (int64_t y = 0; y < height + RADIUS; y++) {
    octagon_enter(&o, y < height ? in + y * width : NULL, width, y, flip);
    if (y >= RADIUS) copy_flipped(out + (y - RADIUS) * width, octagon_leave(&o, y - RADIUS), width, flip);
  }
  free(o.scratch);
  return true;
}

static bool erode_flipped(const uint8_t *in, int64_t width, int64_t height, enum ts_structuring_element element,
                          uint8_t flip, uint8_t *out, struct ts_error *err) {
  if (!ts_kernels_check_size(width, height, err)) return false;
  return element == TS_ELEMENT_CROSS3 ? erode_cross(in, width, height, flip, out, err)
                                      : erode_disk(in, width, height, flip, out, err);
}

bool ts_erode(const uint8_t *in, int64_t width, int64_t height, enum ts_structuring_element element, uint8_t *out,
              struct ts_error *err) {
  return erode_flipped(in, width, height, element, 0, out, err);
}

bool ts_dilate(const uint8_t *in, int64_t width, int64_t height, enum ts_structuring_element element, uint8_t *out,
               struct ts_error *err) {
  return erode_flipped(in, width, height, element, 255, out, err);
}

bool ts_open(const uint8_t *in, int64_t width, int64_t height, enum ts_structuring_element element, uint8_t *out,
             struct ts_error *err) {
  return ts_erode(in, width, height, element, out, err) && ts_dilate(out, width, height, element, out, err);
}
