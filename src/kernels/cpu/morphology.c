/* Opening with a 19 x 19 octagon.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Only erosion is written out: a dilation is an erosion of the complement, and the complement is taken while rows are
 * copied in and out ("flip"). Work goes row by row through a few rows of scratch that stay in the cache; the eroded
 * rows are passed straight on to the dilation. Minima of long windows are built by doubling: the minimum over 16
 * is that of two minima over 8.
 * A band of rows reads some rows beyond its ends. One band reads a row before it writes any row at or above it, so that
 * input and output may be the same plane; several bands would disturb each other, and the input is copied first. */
#include <stdlib.h>
#include <string.h>

#include "kernels/cpu/bands.h"
#include "kernels/cpu/scratch.h"
#include "kernels/cpu/variant.h"
#include "kernels/kernels.h"

static int64_t round_up(int64_t n) { return (n + TS_CHUNK - 1) / TS_CHUNK * TS_CHUNK; }

static void copy_flipped(uint8_t *restrict to, const uint8_t *restrict from, int64_t count, uint8_t flip) {
  if (flip == 0) {
    memcpy(to, from, (size_t)count);
    return;
  }
  int64_t done = 0;
  for (; done + TS_CHUNK <= count; done += TS_CHUNK)
    for (int i = 0; i < TS_CHUNK; i++) to[done + i] = from[done + i] ^ flip;
  for (; done < count; done++) to[done] = from[done] ^ flip;
}

/* ---- A stage: rows enter one after the other, eroded rows leave some rows later ---- */

/* Half-widths 5, 6, 7, 8 of the octagon's rows 9, 8, 7, 6 away from the centre; rows nearer have 9 (RADIUS). */
enum { RADIUS = 9, SLANTED = 4, SPAN = 2 * RADIUS + 1, FLAT_RING = 16 };

struct stage {
  uint8_t *scratch;          /* owned */
  uint8_t *source;           /* an input row with RADIUS pixels from outside on the left and more on the right */
  uint8_t *window[4];        /* minima over 2, 4, 8, 16 pixels beginning at a place of source */
  uint8_t *result;           /* the row that leaves */
  uint8_t *slanted[SLANTED]; /* rings of SPAN rows: minima over half-widths 5..8 */
  uint8_t *flat[4];          /* rings of FLAT_RING rows: half-width 9 over 1, 2, 4, 8 rows beginning here */
  int64_t width;
  int64_t padded;
  int64_t stride;
};

static bool stage_init(struct stage *s, int64_t width, struct ts_error *err) {
  *s = (struct stage){.width = width, .padded = round_up(width)};
  s->stride = s->padded + (int64_t)2 * TS_CHUNK;
  const int64_t rows = 2 + 4 + SLANTED * SPAN + 4 * FLAT_RING;
  s->scratch = ts_scratch(rows * s->stride, 1, err);
  if (!s->scratch) return false;
  memset(s->scratch, 255, (size_t)(rows * s->stride));
  uint8_t *next = s->scratch;
  s->source = next;
  s->result = next + s->stride;
  next += 2 * s->stride;
  for (int i = 0; i < 4; i++, next += s->stride) s->window[i] = next;
  for (int i = 0; i < SLANTED; i++, next += SPAN * s->stride) s->slanted[i] = next;
  for (int i = 0; i < 4; i++, next += FLAT_RING * s->stride) s->flat[i] = next;
  return true;
}

/* Rows before the first have negative numbers, down to -SPAN; the rings start filled with the value of the outside. */
static uint8_t *ring_row(const struct stage *s, uint8_t *ring, int64_t length, int64_t y) {
  return ring + (y + 2 * length) % length * s->stride;
}

static uint8_t *slanted_row(const struct stage *s, int which, int64_t y) {
  return ring_row(s, s->slanted[which], SPAN, y);
}

static uint8_t *flat_row(const struct stage *s, int which, int64_t y) {
  return ring_row(s, s->flat[which], FLAT_RING, y);
}

/* Rows enter in order; NULL: a row outside the image. Behind the width the rows of scratch always hold 255. */
static void stage_enter(struct stage *s, const uint8_t *row, uint8_t flip, int64_t y) {
  const struct ts_variant *v = ts_variant_get();
  if (row) {
    copy_flipped(s->source + RADIUS, row, s->width, flip);
    int64_t longer = s->padded + TS_CHUNK;
    v->min_of_two(s->window[0], s->source, s->source + 1, longer);
    v->min_of_two(s->window[1], s->window[0], s->window[0] + 2, longer);
    v->min_of_two(s->window[2], s->window[1], s->window[1] + 4, longer);
    v->min_of_two(s->window[3], s->window[2], s->window[2] + 8, longer);
    const uint8_t *of8 = s->window[2];
    const uint8_t *of16 = s->window[3];
    v->min_of_two(slanted_row(s, 0, y), of8 + 4, of8 + 7, s->padded);
    v->min_of_two(slanted_row(s, 1, y), of8 + 3, of8 + 8, s->padded);
    v->min_of_two(slanted_row(s, 2, y), of8 + 2, of8 + 9, s->padded);
    v->min_of_two(slanted_row(s, 3, y), of16 + 1, of16 + 2, s->padded);
    v->min_of_two(flat_row(s, 0, y), of16, of16 + 3, s->padded);
  } else {
    for (int i = 0; i < SLANTED; i++) memset(slanted_row(s, i, y), 255, (size_t)s->padded);
    memset(flat_row(s, 0, y), 255, (size_t)s->padded);
  }
  v->min_of_two(flat_row(s, 1, y - 1), flat_row(s, 0, y - 1), flat_row(s, 0, y), s->padded);
  v->min_of_two(flat_row(s, 2, y - 3), flat_row(s, 1, y - 3), flat_row(s, 1, y - 1), s->padded);
  v->min_of_two(flat_row(s, 3, y - 7), flat_row(s, 2, y - 7), flat_row(s, 2, y - 3), s->padded);
}

/* The eroded row y, once row y + RADIUS has entered. */
static const uint8_t *stage_leave(const struct stage *s, int64_t y) {
  const struct ts_variant *v = ts_variant_get();
  v->min_of_two(s->result, flat_row(s, 3, y - 5), flat_row(s, 3, y - 2), s->padded); /* rows y - 5 .. y + 5 */
  for (int i = 0; i < SLANTED; i++)
    v->min_into(s->result, slanted_row(s, i, y - RADIUS + i), slanted_row(s, i, y + RADIUS - i), s->padded);
  return s->result;
}

/* ---- Bands ---- */

struct opening {
  const uint8_t *in; /* borrowed */
  uint8_t *out;      /* borrowed */
  int64_t width;
  int64_t height;
  struct stage *stages; /* owned: two per band */
};

static void open_rows(void *context, const struct ts_band *band) {
  const struct opening *o = context;
  struct stage *erosion = &o->stages[2 * band->index];
  struct stage *dilation = erosion + 1;
  const int64_t reach = (int64_t)2 * RADIUS;
  int64_t first = band->begin > reach ? band->begin - reach : 0;
  int64_t first_eroded = band->begin > RADIUS ? band->begin - RADIUS : 0;
  for (int64_t y = first; y < band->end + reach; y++) {
    stage_enter(erosion, y < o->height ? o->in + y * o->width : NULL, 0, y);
    int64_t eroded = y - RADIUS;
    if (eroded < first_eroded) continue;
    stage_enter(dilation, eroded < o->height ? stage_leave(erosion, eroded) : NULL, 255, eroded);
    int64_t ready = eroded - RADIUS;
    if (ready >= band->begin) copy_flipped(o->out + ready * o->width, stage_leave(dilation, ready), o->width, 255);
  }
}

static bool prepare_stages(struct opening *o, size_t bands, struct ts_error *err) {
  o->stages = ts_scratch_zero(2 * (int64_t)bands, sizeof *o->stages, err);
  bool ok = o->stages != NULL;
  for (size_t i = 0; ok && i < 2 * bands; i++) ok = stage_init(&o->stages[i], o->width, err);
  return ok;
}

bool ts_open(const uint8_t *in, int64_t width, int64_t height, uint8_t *out, const struct ts_kernel_threads *threads,
             struct ts_error *err) {
  if (!ts_kernels_check_size(width, height, err)) return false;
  struct opening o = {.in = in, .width = width, .height = height};
  o.out = out;
  size_t bands = ts_band_count(threads, height);
  uint8_t *copy = NULL;
  bool ok = prepare_stages(&o, bands, err);
  if (ok && bands > 1 && in == out) {
    copy = ts_scratch(width * height, 1, err);
    ok = copy != NULL;
    if (ok) o.in = memcpy(copy, in, (size_t)(width * height));
  }
  if (ok) ts_bands_run(threads, height, open_rows, &o);
  for (size_t i = 0; o.stages && i < 2 * bands; i++) ts_scratch_free(o.stages[i].scratch);
  ts_scratch_free(o.stages);
  ts_scratch_free(copy);
  return ok;
}
