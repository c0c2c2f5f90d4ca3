/* The watershed written down as its definition reads: padded planes, 256 queues, one pixel after the other.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_TESTS_UNIT_KERNELS_NAIVE_WATERSHED_H
#define TS_TESTS_UNIT_KERNELS_NAIVE_WATERSHED_H

#include "unit/kernels/planes.h"

struct naive_queue {
  int64_t *items;
  int64_t head;
  int64_t tail;
};

/* Planes with a ring, (w + 2) x (h + 2). */
struct naive_flood {
  int *colour;
  int *label;
  int64_t pixels;
  int64_t steps[4]; /* left, right, up, down */
  struct naive_queue queue[256];
};

static inline int naive_difference(const int *colour, int64_t p, int64_t q) {
  int largest = 0;
  for (int c = 0; c < 3; c++) {
    int d = abs(colour[3 * p + c] - colour[3 * q + c]);
    if (d > largest) largest = d;
  }
  return largest;
}

static inline void naive_flood_init(struct naive_flood *f, const uint8_t *rgb, const uint32_t *seeds,
                                    struct shape_px s) {
  int64_t w = s.w + 2;
  f->pixels = w * (s.h + 2);
  f->colour = calloc((size_t)f->pixels * 3, sizeof *f->colour);
  f->label = calloc((size_t)f->pixels, sizeof *f->label);
  const int64_t steps[4] = {-1, 1, -w, w};
  memcpy(f->steps, steps, sizeof steps);
  for (int i = 0; i < 256; i++) f->queue[i] = (struct naive_queue){malloc((size_t)f->pixels * sizeof(int64_t)), 0, 0};
  for (int64_t p = 0; p < f->pixels; p++) f->label[p] = -1;
  for (int64_t i = 0; i < s.w * s.h; i++) {
    int64_t p = (i / s.w + 1) * w + i % s.w + 1;
    f->label[p] = (int)seeds[i];
    for (int c = 0; c < 3; c++) f->colour[3 * p + c] = rgb[3 * i + c];
  }
}

static inline void naive_append(struct naive_flood *f, int level, int64_t p) {
  f->queue[level].items[f->queue[level].tail++] = p;
  f->label[p] = -2;
}

static inline void naive_start(struct naive_flood *f) {
  for (int64_t p = 0; p < f->pixels; p++) {
    if (f->label[p] != 0) continue;
    int lowest = 256;
    for (int i = 0; i < 4; i++) {
      int64_t q = p + f->steps[i];
      int d = f->label[q] > 0 ? naive_difference(f->colour, p, q) : 256;
      lowest = d < lowest ? d : lowest;
    }
    if (lowest < 256) naive_append(f, lowest, p);
  }
}

static inline void naive_settle(struct naive_flood *f, int64_t p) {
  int found = 0;
  bool line = false;
  for (int i = 0; i < 4; i++) {
    int beside = f->label[p + f->steps[i]];
    if (beside <= 0) continue;
    line |= found != 0 && found != beside;
    found = beside;
  }
  f->label[p] = line ? -1 : found;
  for (int i = 0; !line && i < 4; i++) {
    int64_t q = p + f->steps[i];
    if (f->label[q] == 0) naive_append(f, naive_difference(f->colour, p, q), q);
  }
}

/* Returns the padded labels after flooding, to be freed. */
static inline int *naive_flood(const uint8_t *rgb, const uint32_t *seeds, struct shape_px s) {
  struct naive_flood f;
  naive_flood_init(&f, rgb, seeds, s);
  naive_start(&f);
  for (int level = 0; level < 256;) {
    struct naive_queue *queue = &f.queue[level];
    if (queue->head == queue->tail) {
      level++;
      continue;
    }
    naive_settle(&f, queue->items[queue->head++]);
    level = 0; /* look at the lowest again */
  }
  for (int i = 0; i < 256; i++) free(f.queue[i].items);
  free(f.colour);
  return f.label;
}

/* The gap fix on padded labels, reading only the labels given. */
static inline int *naive_close(const int *label, struct shape_px s) {
  int64_t w = s.w + 2;
  int *out = calloc((size_t)(w * (s.h + 2)), sizeof *out);
  memcpy(out, label, (size_t)(w * (s.h + 2)) * sizeof *out);
  for (int64_t y = 1; y <= s.h; y++)
    for (int64_t x = 1; x <= s.w; x++) {
      const int *p = label + y * w + x;
      if (p[-w] == -1 && p[0] != -1 && ((p[-w - 1] != -1 && p[-1] == -1) || (p[-w + 1] != -1 && p[1] == -1)))
        out[y * w + x] = -1;
    }
  return out;
}

#endif
