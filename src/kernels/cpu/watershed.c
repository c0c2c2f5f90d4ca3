/* Watershed on colour differences with 256 queues (Meyer's algorithm in the variant of OpenCV).
 * SPDX-License-Identifier: Apache-2.0
 *
 * The image and the labels are copied into planes with a ring of one pixel: black, and line. A pixel waits in at most
 * one queue, once in its life, so the queues are lists through one array of followers. */
#include <stdlib.h>
#include <string.h>

#include "kernels/cpu/scratch.h"
#include "kernels/kernels.h"

enum { LINE = -1, WAITING = -2, LEVELS = 256, NOBODY = -1 };

struct flood {
  uint8_t *colour;  /* owned: 4 bytes a pixel, the last unused */
  int32_t *label;   /* owned */
  int32_t *follows; /* owned: the next pixel in the same queue */
  int32_t first[LEVELS];
  int32_t last[LEVELS];
  int64_t width;
  int64_t height;
  int64_t stride;
  int32_t steps[4]; /* left, right, up, down: the order is part of the definition */
  int lowest;       /* no queue below this level has anybody in it */
};

static void flood_release(struct flood *f) {
  free(f->colour);
  free(f->label);
  free(f->follows);
}

static bool flood_init(struct flood *f, const uint8_t *rgb, const uint32_t *seeds, struct ts_error *err) {
  int64_t total = f->stride * (f->height + 2);
  f->colour = ts_scratch_zero(total, 4, err);
  f->label = ts_scratch(total, sizeof *f->label, err);
  f->follows = ts_scratch(total, sizeof *f->follows, err);
  if (!f->colour || !f->label || !f->follows) return false;
  for (int64_t i = 0; i < total; i++) f->label[i] = LINE;
  for (int64_t y = 0; y < f->height; y++) {
    for (int64_t x = 0; x < f->width; x++) {
      int64_t to = (y + 1) * f->stride + x + 1;
      int64_t from = y * f->width + x;
      memcpy(f->colour + 4 * to, rgb + 3 * from, 3);
      f->label[to] = (int32_t)seeds[from];
    }
  }
  for (int i = 0; i < LEVELS; i++) f->first[i] = f->last[i] = NOBODY;
  f->lowest = LEVELS;
  return true;
}

static int difference(const struct flood *f, int32_t p, int32_t q) {
  const uint8_t *a = f->colour + 4 * (int64_t)p;
  const uint8_t *b = f->colour + 4 * (int64_t)q;
  int largest = 0;
  for (int i = 0; i < 3; i++) {
    int d = abs(a[i] - b[i]);
    if (d > largest) largest = d;
  }
  return largest;
}

static void enqueue(struct flood *f, int32_t p, int level) {
  f->label[p] = WAITING;
  f->follows[p] = NOBODY;
  if (f->last[level] == NOBODY) {
    f->first[level] = p;
  } else {
    f->follows[f->last[level]] = p;
  }
  f->last[level] = p;
  if (level < f->lowest) f->lowest = level;
}

/* The next pixel of the lowest queue, or NOBODY. */
static int32_t dequeue(struct flood *f) {
  while (f->lowest < LEVELS && f->first[f->lowest] == NOBODY) f->lowest++;
  if (f->lowest == LEVELS) return NOBODY;
  int32_t p = f->first[f->lowest];
  f->first[f->lowest] = f->follows[p];
  if (f->first[f->lowest] == NOBODY) f->last[f->lowest] = NOBODY;
  return p;
}

static void enqueue_beside_seed(struct flood *f, int32_t p) {
  int level = LEVELS;
  for (int i = 0; i < 4; i++) {
    int32_t q = p + f->steps[i];
    if (f->label[q] <= 0) continue;
    int d = difference(f, p, q);
    if (d < level) level = d;
  }
  if (level < LEVELS) enqueue(f, p, level);
}

static void enqueue_beside_seeds(struct flood *f) {
  for (int64_t y = 1; y <= f->height; y++) {
    for (int64_t x = 1; x <= f->width; x++) {
      int32_t p = (int32_t)(y * f->stride + x);
      if (f->label[p] == 0) enqueue_beside_seed(f, p);
    }
  }
}

/* The one label around the pixel, or LINE if there are two. */
static int32_t label_around(const struct flood *f, int32_t p) {
  int32_t label = 0;
  for (int i = 0; i < 4; i++) {
    int32_t beside = f->label[p + f->steps[i]];
    if (beside <= 0 || beside == label) continue;
    if (label != 0) return LINE;
    label = beside;
  }
  return label;
}

static void run_flood(struct flood *f) {
  for (int32_t p = dequeue(f); p != NOBODY; p = dequeue(f)) {
    f->label[p] = label_around(f, p);
    if (f->label[p] == LINE) continue;
    for (int i = 0; i < 4; i++) {
      int32_t q = p + f->steps[i];
      if (f->label[q] == 0) enqueue(f, q, difference(f, p, q));
    }
  }
}

bool ts_watershed(const uint8_t *rgb, const uint32_t *seeds, int64_t width, int64_t height, int32_t *labels,
                  struct ts_error *err) {
  if (!ts_kernels_check_size(width, height, err)) return false;
  int32_t stride = (int32_t)width + 2;
  struct flood f = {.width = width, .height = height, .stride = stride, .steps = {-1, 1, -stride, stride}};
  bool ok = flood_init(&f, rgb, seeds, err);
  if (ok) {
    enqueue_beside_seeds(&f);
    run_flood(&f);
    for (int64_t y = 0; y < height; y++)
      memcpy(labels + y * width, f.label + (y + 1) * f.stride + 1, (size_t)width * sizeof *labels);
  }
  flood_release(&f);
  return ok;
}

/* Outside the image everything is line, so a first or last column never closes a gap towards the outside. */
static bool closes_gap(const int32_t *here, const int32_t *above, int64_t x, int64_t width) {
  if (above[x] != LINE || here[x] == LINE) return false;
  bool left = x > 0 && above[x - 1] != LINE && here[x - 1] == LINE;
  bool right = x + 1 < width && above[x + 1] != LINE && here[x + 1] == LINE;
  return left || right;
}

bool ts_watershed_close_gaps(const int32_t *labels, int64_t width, int64_t height, int32_t *out, struct ts_error *err) {
  if (!ts_kernels_check_size(width, height, err)) return false;
  memcpy(out, labels, (size_t)(width * height) * sizeof *out);
  for (int64_t y = 1; y < height; y++) {
    const int32_t *here = labels + y * width;
    for (int64_t x = 0; x < width; x++)
      if (closes_gap(here, here - width, x, width)) out[y * width + x] = LINE;
  }
  return true;
}
