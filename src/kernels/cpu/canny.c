/* Gradient magnitude and Canny edges of one channel, in integers.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Canny as OpenCV defines it for a 5 x 5 Sobel operator without the Euclidean norm: outside the image pixels repeat,
 * the magnitude is |dx| + |dy|, directions are split at 22.5 and 67.5 degrees in fixed point, and edges above the low
 * limit count if they hang together (8-connected) with one above the high limit. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/cpu/scratch.h"
#include "kernels/features.h"
#include "kernels/kernels.h"

/* ---- Gradient magnitude ---- */

/* Twice the derivative along a line of count pixels, step apart. */
static int doubled_derivative(const uint8_t *line, int64_t at, int64_t count, int64_t step) {
  if (count == 1) return 0;
  if (at == 0) return 2 * (line[step] - line[0]);
  if (at == count - 1) return 2 * (line[at * step] - line[(at - 1) * step]);
  return line[(at + 1) * step] - line[(at - 1) * step];
}

/* sqrt(n) / 2 rounded half up; n <= 2 * 510^2 is exact in float, and so is the integer part of its root. */
static uint8_t rounded_half_root(int n) {
  int half = ((int)sqrtf((float)n) + 1) / 2;
  return (uint8_t)(half < 255 ? half : 255);
}

bool ts_gradient_magnitude(const uint8_t *in, int64_t width, int64_t height, uint8_t *out, struct ts_error *err) {
  if (!ts_kernels_check_size(width, height, err)) return false;
  for (int64_t y = 0; y < height; y++) {
    for (int64_t x = 0; x < width; x++) {
      int dx = doubled_derivative(in + y * width, x, width, 1);
      int dy = doubled_derivative(in + x, y, height, width);
      out[y * width + x] = rounded_half_root(dx * dx + dy * dy);
    }
  }
  return true;
}

/* ---- Canny ---- */

enum { OUTSIDE = 2, SHIFT = 15, TAN_22_5 = 13573 /* tan(22.5 degrees) * 2^15 */ };

/* Marks of the map: nothing, above the low limit, an edge for sure. */
enum { NO_EDGE = 0, MAYBE_EDGE = 1, EDGE = 255 };

struct canny {
  int16_t *dx;        /* owned */
  int16_t *dy;        /* owned */
  int32_t *magnitude; /* owned: with a ring of zeros, stride width + 2 */
  uint8_t *map;       /* owned: with the same ring */
  struct ts_fifo fifo;
  int64_t width;
  int64_t height;
  int64_t stride;
};

static void canny_release(struct canny *c) {
  free(c->dx);
  free(c->dy);
  free(c->magnitude);
  free(c->map);
  ts_fifo_release(&c->fifo);
}

static bool canny_init(struct canny *c, struct ts_error *err) {
  int64_t ringed = c->stride * (c->height + 2);
  c->dx = ts_scratch(c->width * c->height, sizeof *c->dx, err);
  c->dy = ts_scratch(c->width * c->height, sizeof *c->dy, err);
  c->magnitude = ts_scratch_zero(ringed, sizeof *c->magnitude, err);
  c->map = ts_scratch_zero(ringed, 1, err);
  return c->dx && c->dy && c->magnitude && c->map && ts_fifo_init(&c->fifo, 1 << 10, err);
}

static int64_t clamp(int64_t at, int64_t count) { return at < 0 ? 0 : at >= count ? count - 1 : at; }

/* Smooths five pixels by 1 4 6 4 1, or differentiates them by -1 -2 0 2 1. */
static int smooth(const int *v) { return v[0] + 4 * v[1] + 6 * v[2] + 4 * v[3] + v[4]; }
static int derive(const int *v) { return v[4] + 2 * v[3] - 2 * v[1] - v[0]; }

/* The two vertical filters of row y, with two repeated columns on each side. */
static void filter_columns(const uint8_t *in, int64_t width, int64_t height, int64_t y, int *smoothed, int *derived) {
  for (int64_t x = 0; x < width; x++) {
    int v[5];
    for (int i = 0; i < 5; i++) v[i] = in[clamp(y + i - 2, height) * width + x];
    smoothed[x + OUTSIDE] = smooth(v);
    derived[x + OUTSIDE] = derive(v);
  }
  for (int i = 0; i < OUTSIDE; i++) {
    smoothed[i] = smoothed[OUTSIDE];
    derived[i] = derived[OUTSIDE];
    smoothed[width + OUTSIDE + i] = smoothed[width + OUTSIDE - 1];
    derived[width + OUTSIDE + i] = derived[width + OUTSIDE - 1];
  }
}

static bool sobel(struct canny *c, const uint8_t *in, struct ts_error *err) {
  int64_t longer = c->width + (int64_t)2 * OUTSIDE;
  int *smoothed = ts_scratch(2 * longer, sizeof *smoothed, err);
  if (!smoothed) return false;
  int *derived = smoothed + longer;
  for (int64_t y = 0; y < c->height; y++) {
    filter_columns(in, c->width, c->height, y, smoothed, derived);
    for (int64_t x = 0; x < c->width; x++) {
      int dx = derive(smoothed + x);
      int dy = smooth(derived + x);
      c->dx[y * c->width + x] = (int16_t)dx; /* at most 48 * 255 */
      c->dy[y * c->width + x] = (int16_t)dy;
      c->magnitude[(y + 1) * c->stride + x + 1] = abs(dx) + abs(dy);
    }
  }
  free(smoothed);
  return true;
}

/* Whether a magnitude m is the largest across the edge; of two equal ones in a row or column the first is taken. */
static bool is_ridge(const int32_t *m, int64_t stride, int dx, int dy) {
  int x = abs(dx);
  int y = abs(dy) << SHIFT;
  int tan22 = x * TAN_22_5;
  if (y < tan22) return *m > m[-1] && *m >= m[1];
  if (y > tan22 + (x << (SHIFT + 1))) return *m > m[-stride] && *m >= m[stride];
  int64_t side = (dx ^ dy) < 0 ? -1 : 1;
  return *m > m[-stride - side] && *m > m[stride + side];
}

static bool mark_ridges(struct canny *c, int low, int high, struct ts_error *err) {
  for (int64_t y = 0; y < c->height; y++) {
    for (int64_t x = 0; x < c->width; x++) {
      int64_t at = (y + 1) * c->stride + x + 1;
      int64_t flat = y * c->width + x;
      if (c->magnitude[at] <= low || !is_ridge(c->magnitude + at, c->stride, c->dx[flat], c->dy[flat])) continue;
      c->map[at] = c->magnitude[at] > high ? EDGE : MAYBE_EDGE;
      if (c->map[at] == EDGE && !ts_fifo_push(&c->fifo, (int32_t)at, err)) return false;
    }
  }
  return true;
}

static bool follow_edges(struct canny *c, struct ts_error *err) {
  int32_t s = (int32_t)c->stride;
  const int32_t steps[8] = {-s - 1, -s, -s + 1, -1, 1, s - 1, s, s + 1};
  while (!ts_fifo_empty(&c->fifo)) {
    int32_t p = ts_fifo_pop(&c->fifo);
    for (int i = 0; i < 8; i++) {
      int32_t q = p + steps[i];
      if (c->map[q] != MAYBE_EDGE) continue;
      c->map[q] = EDGE;
      if (!ts_fifo_push(&c->fifo, q, err)) return false;
    }
  }
  return true;
}

bool ts_canny(const uint8_t *in, int64_t width, int64_t height, int low, int high, uint8_t *edges,
              struct ts_error *err) {
  if (!ts_kernels_check_size(width, height, err)) return false;
  struct canny c = {.width = width, .height = height, .stride = width + 2};
  bool ok = canny_init(&c, err) && sobel(&c, in, err) && mark_ridges(&c, low, high, err) && follow_edges(&c, err);
  for (int64_t y = 0; ok && y < height; y++)
    for (int64_t x = 0; x < width; x++) edges[y * width + x] = c.map[(y + 1) * c.stride + x + 1] == EDGE ? EDGE : 0;
  canny_release(&c);
  return ok;
}
