/* Watershed on colour differences with 256 queues (Meyer's algorithm in the variant of OpenCV).
 * SPDX-License-Identifier: Apache-2.0
 *
 * A pixel waits in at most
 * one queue, once in its life, so the queues are lists through one array of followers. Behind the pixels that array has
 * an item for each queue: its first pixel. A queue is empty if that item is its last. */
#include <stdbool.h>
#include <stdlib.h>

#include "kernels/cpu/flood.h"

enum { LINE = TS_FLOOD_LINE, WAITING = TS_FLOOD_WAITING, LEVELS = TS_FLOOD_LEVELS };

static inline int distance(uint32_t a, uint32_t b) { return abs((int)(a & 255) - (int)(b & 255)); }

/* The largest difference of a channel. */
static inline int difference(const struct ts_flood *f, int32_t p, int32_t q) {
  uint32_t a = f->colour[p];
  uint32_t b = f->colour[q];
  int red = distance(a, b);
  int green = distance(a >> 8, b >> 8);
  int blue = distance(a >> 16, b >> 16);
  int largest = red > green ? red : green;
  return largest > blue ? largest : blue;
}

static inline void enqueue(struct ts_flood *f, int32_t p, int level) {
  f->label[p] = WAITING;
  f->follows[f->last[level]] = p;
  f->last[level] = p;
  f->lowest = level < f->lowest ? level : f->lowest;
}

/* Takes the next pixel of the lowest queue; false if there is none. */
static inline bool dequeue(struct ts_flood *f, int32_t *p) {
  int level = f->lowest;
  while (level < LEVELS && f->last[level] == f->total + level) level++;
  f->lowest = level;
  if (level == LEVELS) return false;
  int32_t head = f->total + level;
  *p = f->follows[head];
  f->follows[head] = f->follows[*p];
  if (*p == f->last[level]) f->last[level] = head;
  return true;
}

void ts_flood_start(struct ts_flood *f) {
  for (int i = 0; i < LEVELS; i++) f->last[i] = f->total + i;
  f->lowest = LEVELS;
}

static inline int32_t larger(int32_t a, int32_t b) { return a > b ? a : b; }
static inline uint32_t smaller(uint32_t a, uint32_t b) { return a < b ? a : b; }

static inline int32_t largest_around(const int32_t *label, int32_t stride) {
  return larger(larger(label[-1], label[1]), larger(label[-stride], label[stride]));
}

void ts_flood_offer(struct ts_flood *f, int32_t pixel) {
  const int32_t steps[4] = {-1, 1, -f->stride, f->stride};
  int level = LEVELS;
  if (largest_around(f->label + pixel, f->stride) <= 0) return;
  for (int i = 0; i < 4; i++) {
    int32_t beside = pixel + steps[i];
    if (f->label[beside] <= 0) continue;
    int d = difference(f, pixel, beside);
    if (d < level) level = d;
  }
  enqueue(f, pixel, level);
}

/* The one label around the pixel, or LINE if there are two. There is one at least. A value that is not a label, 0 and
 * below, becomes larger than any when 1 is taken from it. */
static inline int32_t label_around(const int32_t *label, int32_t stride) {
  uint32_t largest = (uint32_t)largest_around(label, stride);
  uint32_t smallest = smaller(smaller((uint32_t)label[-1] - 1, (uint32_t)label[1] - 1),
                              smaller((uint32_t)label[-stride] - 1, (uint32_t)label[stride] - 1));
  return smallest == largest - 1 ? (int32_t)largest : LINE;
}

void ts_flood_run(struct ts_flood *f) {
  const int32_t steps[4] = {-1, 1, -f->stride, f->stride}; /* left, right, up, down: part of the definition */
  for (int32_t p; dequeue(f, &p);) {
    f->label[p] = label_around(f->label + p, f->stride);
    if (f->label[p] == LINE) continue;
    for (int i = 0; i < 4; i++) {
      int32_t q = p + steps[i];
      if (f->label[q] == 0) enqueue(f, q, difference(f, p, q));
    }
  }
}
