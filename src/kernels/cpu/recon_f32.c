/* Reconstruction by dilation of float planes, and the removal of low domes built on it.
 * SPDX-License-Identifier: Apache-2.0
 *
 * The same two scans and queue as for 8-bit planes, pixel by pixel: it is used on small windows around objects. The
 * ring around the copies holds the lowest float, in the mask too, so that it takes nothing and gives nothing. */
#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/cpu/scratch.h"
#include "kernels/kernels.h"

struct recon {
  float *value; /* owned: J, (width + 2) x (height + 2) */
  float *mask;  /* owned: the same size */
  struct ts_fifo fifo;
  int64_t width;
  int64_t height;
  int64_t stride;
  int step_count;   /* 4 or 8 */
  int32_t steps[8]; /* to the neighbours: the first half are those before a pixel in raster order, the rest after */
};

static float lower(float a, float b) { return a < b ? a : b; }
static float higher(float a, float b) { return a > b ? a : b; }

static void recon_release(struct recon *r) {
  free(r->value);
  free(r->mask);
  ts_fifo_release(&r->fifo);
}

static void set_steps(struct recon *r, int connectivity) {
  int32_t s = (int32_t)r->stride;
  const int32_t of4[4] = {-1, -s, 1, s};
  const int32_t of8[8] = {-1, -s, -s - 1, -s + 1, 1, s, s - 1, s + 1};
  r->step_count = connectivity == 8 ? 8 : 4;
  memcpy(r->steps, connectivity == 8 ? of8 : of4, (size_t)r->step_count * sizeof r->steps[0]);
}

static bool recon_init(struct recon *r, const float *marker, const float *mask, struct ts_error *err) {
  int64_t total = r->stride * (r->height + 2);
  r->value = ts_scratch(total, sizeof *r->value, err);
  r->mask = ts_scratch(total, sizeof *r->mask, err);
  if (!r->value || !r->mask || !ts_fifo_init(&r->fifo, 1 << 10, err)) return false;
  for (int64_t i = 0; i < total; i++) r->value[i] = r->mask[i] = -FLT_MAX;
  for (int64_t y = 0; y < r->height; y++) {
    int64_t to = (y + 1) * r->stride + 1;
    int64_t from = y * r->width;
    memcpy(r->mask + to, mask + from, (size_t)r->width * sizeof *mask);
    for (int64_t x = 0; x < r->width; x++) r->value[to + x] = lower(marker[from + x], mask[from + x]);
  }
  return true;
}

static void raise(struct recon *r, int32_t p, const int32_t *steps, int count) {
  float value = r->value[p];
  if (value == r->mask[p]) return;
  for (int i = 0; i < count; i++) value = higher(value, r->value[p + steps[i]]);
  r->value[p] = lower(value, r->mask[p]);
}

static void scan_down(struct recon *r) {
  for (int64_t y = 1; y <= r->height; y++)
    for (int64_t x = 1; x <= r->width; x++) raise(r, (int32_t)(y * r->stride + x), r->steps, r->step_count / 2);
}

static bool can_give(const struct recon *r, int32_t p, const int32_t *steps, int count) {
  for (int i = 0; i < count; i++) {
    int32_t q = p + steps[i];
    if (r->value[q] < r->value[p] && r->value[q] < r->mask[q]) return true;
  }
  return false;
}

static bool scan_up(struct recon *r, struct ts_error *err) {
  int half = r->step_count / 2;
  for (int64_t y = r->height; y >= 1; y--) {
    for (int64_t x = r->width; x >= 1; x--) {
      int32_t p = (int32_t)(y * r->stride + x);
      raise(r, p, r->steps + half, half);
      if (can_give(r, p, r->steps + half, half) && !ts_fifo_push(&r->fifo, p, err)) return false;
    }
  }
  return true;
}

static bool spread(struct recon *r, struct ts_error *err) {
  while (!ts_fifo_empty(&r->fifo)) {
    int32_t p = ts_fifo_pop(&r->fifo);
    float value = r->value[p];
    for (int i = 0; i < r->step_count; i++) {
      int32_t q = p + r->steps[i];
      if (r->value[q] >= value || r->value[q] == r->mask[q]) continue;
      r->value[q] = lower(value, r->mask[q]);
      if (!ts_fifo_push(&r->fifo, q, err)) return false;
    }
  }
  return true;
}

bool ts_recon_f32(const float *marker, const float *mask, int64_t width, int64_t height, int connectivity, float *out,
                  struct ts_error *err) {
  if (!ts_kernels_check_size(width, height, err)) return false;
  struct recon r = {.width = width, .height = height, .stride = width + 2};
  set_steps(&r, connectivity);
  bool ok = recon_init(&r, marker, mask, err);
  if (ok) scan_down(&r);
  ok = ok && scan_up(&r, err) && spread(&r, err);
  for (int64_t y = 0; ok && y < height; y++)
    memcpy(out + y * width, r.value + (y + 1) * r.stride + 1, (size_t)width * sizeof *out);
  recon_release(&r);
  return ok;
}

bool ts_hmax(const float *in, int64_t width, int64_t height, float dome, float *out, struct ts_error *err) {
  if (!ts_kernels_check_size(width, height, err)) return false;
  float *marker = ts_scratch(width * height, sizeof *marker, err);
  if (!marker) return false;
  for (int64_t i = 0; i < width * height; i++) marker[i] = in[i] - dome;
  bool ok = ts_recon_f32(marker, in, width, height, 8, out, err);
  free(marker);
  return ok;
}
