/* Gradient magnitude and Canny edges of one channel, in integers.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Canny as OpenCV defines it for a 5 x 5 Sobel operator without the Euclidean norm: outside the image pixels repeat,
 * the magnitude is |dx| + |dy|, directions are split at 22.5 and 67.5 degrees in fixed point, and edges above the low
 * limit count if they hang together (8-connected) with one above the high limit.
 * Bands of rows go through a few rows of scratch and leave a map of marks; then the edges that are not sure look for
 * sure ones beside them. They are few, which makes that cheaper than asking around every sure one. */
#include "kernels/cpu/canny.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/cpu/bands.h"
#include "kernels/cpu/canny_rows.h"
#include "kernels/cpu/scratch.h"
#include "kernels/cpu/variant.h"
#include "kernels/kernels.h"

/* ---- Gradient magnitude ---- */

/* Twice the derivative along a line of count pixels, step apart. */
static inline int doubled_derivative(const uint8_t *line, int64_t at, int64_t count, int64_t step) {
  if (count == 1) return 0;
  if (at == 0) return 2 * (line[step] - line[0]);
  if (at == count - 1) return 2 * (line[at * step] - line[(at - 1) * step]);
  return line[(at + 1) * step] - line[(at - 1) * step];
}

/* sqrt(n) / 2 rounded half up; n <= 2 * 510^2 is exact in float, and so is the integer part of its root. */
static inline uint8_t rounded_half_root(int n) {
  int half = ((int)sqrtf((float)n) + 1) / 2;
  return (uint8_t)(half < 255 ? half : 255);
}

void ts_gradient_row(const struct ts_channel *channel, int64_t y, int64_t begin, int64_t end, uint8_t *out) {
  int64_t step = channel->step;
  int64_t down = channel->width * step;
  for (int64_t x = begin; x < end; x++) {
    int dx = doubled_derivative(channel->at + y * down, x, channel->width, step);
    int dy = doubled_derivative(channel->at + x * step, y, channel->height, down);
    *out++ = rounded_half_root(dx * dx + dy * dy);
  }
}

/* ---- Marks, band by band ---- */

enum { OUTSIDE = 2, TAPS = 5, MARGIN = TS_CHUNK };

struct marking {
  const struct ts_channel *channel; /* borrowed */
  struct ts_edges *edges;           /* borrowed */
  int16_t low;
  int16_t high;
  int64_t padded;
  struct mark_rows *bands; /* owned: one each */
};

/* The scratch rows of a band; all have margins of MARGIN items. */
struct mark_rows {
  uint8_t *bytes;        /* owned */
  int16_t *shorts;       /* owned */
  uint8_t *source[TAPS]; /* a ring of input rows */
  uint8_t *marks;
  int16_t *smoothed;
  int16_t *derived;
  int16_t *magnitude[3]; /* rings, like the two below */
  int16_t *dx[3];
  int16_t *dy[3];
};

static bool mark_rows_init(struct mark_rows *r, int64_t padded, struct ts_error *err) {
  int64_t stride = padded + (int64_t)2 * MARGIN;
  r->bytes = ts_scratch_zero((TAPS + 1) * stride, sizeof *r->bytes, err);
  r->shorts = ts_scratch_zero(11 * stride, sizeof *r->shorts, err);
  if (!r->bytes || !r->shorts) return false;
  for (int i = 0; i < TAPS; i++) r->source[i] = r->bytes + i * stride + MARGIN;
  r->marks = r->bytes + TAPS * stride + MARGIN;
  int16_t *next = r->shorts + MARGIN;
  r->smoothed = next;
  r->derived = next + stride;
  for (int i = 0; i < 3; i++) {
    next += 3 * stride - (i ? 0 : stride);
    r->magnitude[i] = next;
    r->dx[i] = next + stride;
    r->dy[i] = next + 2 * stride;
  }
  return true;
}

static int64_t clamp(int64_t at, int64_t count) { return at < 0 ? 0 : at >= count ? count - 1 : at; }

static void load_row(const struct marking *m, struct mark_rows *r, int64_t y) {
  const struct ts_channel *c = m->channel;
  const uint8_t *from = c->at + y * c->width * c->step;
  uint8_t *to = r->source[y % TAPS];
  if (c->step == 1) {
    memcpy(to, from, (size_t)c->width);
  } else {
    ts_variant_get()->take_channel(from, c->width, 0, to);
  }
}

/* Repeats the first and the last value outside. */
static void repeat_ends(int16_t *row, int64_t width) {
  for (int i = 0; i < OUTSIDE; i++) {
    row[-1 - i] = row[0];
    row[width + i] = row[width - 1];
  }
}

/* Sobel of row y, whose neighbours have been loaded; rows outside have no magnitude. */
static void filter_row(const struct marking *m, struct mark_rows *r, int64_t y) {
  const struct ts_channel *c = m->channel;
  int slot = (int)((y + 3) % 3);
  if (y < 0 || y >= c->height) {
    memset(r->magnitude[slot], 0, (size_t)m->padded * sizeof *r->magnitude[slot]);
    return;
  }
  const uint8_t *rows[TAPS];
  for (int i = 0; i < TAPS; i++) rows[i] = r->source[clamp(y + i - OUTSIDE, c->height) % TAPS];
  const struct ts_canny_rows *loops = ts_canny_rows_get();
  loops->columns(rows, m->padded, r->smoothed, r->derived);
  repeat_ends(r->smoothed, c->width);
  repeat_ends(r->derived, c->width);
  loops->sobel(r->smoothed, r->derived, m->padded, r->dx[slot], r->dy[slot], r->magnitude[slot]);
  memset(r->magnitude[slot] + c->width, 0, (size_t)(m->padded - c->width) * sizeof(int16_t));
}

static void mark_row(const struct marking *m, struct mark_rows *r, int64_t y) {
  const int16_t *magnitude[3];
  for (int i = 0; i < 3; i++) magnitude[i] = r->magnitude[(y + 2 + i) % 3];
  int slot = (int)(y % 3);
  ts_canny_rows_get()->ridges(magnitude, r->dx[slot], r->dy[slot], m->padded, m->low, m->high, r->marks);
  memcpy(m->edges->map + (y + 1) * m->edges->stride + 1, r->marks, (size_t)m->channel->width);
}

static void mark_band(void *context, const struct ts_band *band) {
  const struct marking *m = context;
  struct mark_rows *r = &m->bands[band->index];
  int64_t height = m->channel->height;
  int64_t loaded = band->begin - 1 - OUTSIDE > 0 ? band->begin - 1 - OUTSIDE : 0;
  for (int64_t y = band->begin - 1; y <= band->end; y++) {
    while (loaded < height && loaded <= y + OUTSIDE) load_row(m, r, loaded++);
    filter_row(m, r, y);
    if (y > band->begin) mark_row(m, r, y - 1);
  }
}

static int16_t limit_of(int limit) { return (int16_t)(limit < -1 ? -1 : limit < INT16_MAX ? limit : INT16_MAX); }

static bool mark(const struct ts_channel *channel, int low, int high, struct ts_edges *edges,
                 const struct ts_kernel_threads *threads, struct ts_error *err) {
  struct marking m = {.channel = channel,
                      .edges = edges,
                      .low = limit_of(low),
                      .high = limit_of(high),
                      .padded = (channel->width + TS_CHUNK - 1) / TS_CHUNK * TS_CHUNK};
  size_t bands = ts_band_count(threads, channel->height);
  m.bands = ts_scratch_zero((int64_t)bands, sizeof *m.bands, err);
  bool ok = m.bands != NULL;
  for (size_t i = 0; ok && i < bands; i++) ok = mark_rows_init(&m.bands[i], m.padded, err);
  if (ok) ts_bands_run(threads, channel->height, mark_band, &m);
  for (size_t i = 0; m.bands && i < bands; i++) {
    ts_scratch_free(m.bands[i].bytes);
    ts_scratch_free(m.bands[i].shorts);
  }
  ts_scratch_free(m.bands);
  return ok;
}

/* ---- Edges that hang together ---- */

struct following {
  uint8_t *map; /* borrowed */
  struct ts_fifo fifo;
  int32_t steps[8];
};

static bool has_edge_beside(const struct following *f, int32_t p) {
  for (int i = 0; i < 8; i++)
    if (f->map[p + f->steps[i]] == TS_CANNY_EDGE) return true;
  return false;
}

/* Makes a pixel an edge, and all that hang together with it. */
static bool follow(struct following *f, int32_t start, struct ts_error *err) {
  f->map[start] = TS_CANNY_EDGE;
  if (!ts_fifo_push(&f->fifo, start, err)) return false;
  while (!ts_fifo_empty(&f->fifo)) {
    int32_t p = ts_fifo_pop(&f->fifo);
    for (int i = 0; i < 8; i++) {
      int32_t q = p + f->steps[i];
      if (f->map[q] != TS_CANNY_MAYBE) continue;
      f->map[q] = TS_CANNY_EDGE;
      if (!ts_fifo_push(&f->fifo, q, err)) return false;
    }
  }
  return true;
}

/* Every chain of doubtful pixels is found at the first of them that lies beside a sure one. */
static bool follow_edges(struct ts_edges *edges, int64_t width, int64_t height, struct ts_error *err) {
  int32_t s = (int32_t)edges->stride;
  struct following f = {.map = edges->map, .steps = {-s - 1, -s, -s + 1, -1, 1, s - 1, s, s + 1}};
  bool ok = ts_fifo_init(&f.fifo, 1 << 10, err);
  for (int64_t y = 0; ok && y < height; y++) {
    uint8_t *row = edges->map + (y + 1) * s + 1;
    uint8_t *end = row + width;
    for (uint8_t *at = row; ok && (at = memchr(at, TS_CANNY_MAYBE, (size_t)(end - at))); at++) {
      int32_t p = (int32_t)(at - edges->map);
      if (has_edge_beside(&f, p)) ok = follow(&f, p, err);
    }
  }
  ts_fifo_release(&f.fifo);
  return ok;
}

bool ts_edges_find(struct ts_edges *edges, const struct ts_channel *channel, int low, int high,
                   const struct ts_kernel_threads *threads, struct ts_error *err) {
  if (!ts_kernels_check_size(channel->width, channel->height, err)) return false;
  edges->stride = channel->width + 2;
  if (!edges->map)
    edges->map = ts_scratch_zero(edges->stride * (channel->height + 2), 1, err); /* no edge in the ring */
  if (!edges->map) return false;
  return mark(channel, low, high, edges, threads, err) && follow_edges(edges, channel->width, channel->height, err);
}

void ts_edges_release(struct ts_edges *edges) {
  ts_scratch_free(edges->map);
  edges->map = NULL;
}
