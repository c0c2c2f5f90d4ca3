/* Reconstruction by dilation of 8-bit planes: scans, then a queue (Vincent 1993, doi:10.1109/83.217222).
 * SPDX-License-Identifier: Apache-2.0
 *
 * Works on copies with a ring of zeros around them, so that no step asks where the image ends: a zero in the mask takes
 * nothing and gives nothing. Two pairs of scans instead of one: on tissue the second costs less than the queue it
 * saves. In a scan the three pixels of the neighbouring row are taken together for the whole row
 * first; only the step along the row depends on the pixel before. */
#include <stdlib.h>
#include <string.h>

#include "kernels/cpu/scratch.h"
#include "kernels/kernels.h"

enum { CHUNK = 64 };

struct recon {
  uint8_t *value; /* owned: J, (width + 2) x (height + 2) */
  uint8_t *mask;  /* owned: the same size */
  uint8_t *above; /* owned: one row, (width + 2): what the neighbouring row offers */
  struct ts_fifo fifo;
  int64_t width;
  int64_t height;
  int64_t stride;
  int reach; /* 1 if corners touch, else 0 */
};

static uint8_t lower(uint8_t a, uint8_t b) { return a < b ? a : b; }
static uint8_t higher(uint8_t a, uint8_t b) { return a > b ? a : b; }

static void recon_release(struct recon *r) {
  free(r->value);
  free(r->mask);
  free(r->above);
  ts_fifo_release(&r->fifo);
}

static bool recon_init(struct recon *r, const uint8_t *marker, const uint8_t *mask, struct ts_error *err) {
  int64_t total = r->stride * (r->height + 2);
  r->value = ts_scratch(total, 1, err);
  r->mask = ts_scratch(total, 1, err);
  r->above = ts_scratch(r->stride, 1, err);
  if (!r->value || !r->mask || !r->above || !ts_fifo_init(&r->fifo, 1 << 14, err)) return false;
  memset(r->mask, 0, (size_t)r->stride);
  memset(r->value, 0, (size_t)r->stride);
  for (int64_t y = 0; y < r->height; y++) {
    uint8_t *restrict to_mask = r->mask + (y + 1) * r->stride;
    uint8_t *restrict to_value = r->value + (y + 1) * r->stride;
    memcpy(to_mask + 1, mask + y * r->width, (size_t)r->width);
    const uint8_t *from = marker + y * r->width;
    int64_t x = 0;
    for (; x + CHUNK <= r->width; x += CHUNK)
      for (int64_t i = x; i < x + CHUNK; i++) to_value[i + 1] = lower(from[i], to_mask[i + 1]);
    for (; x < r->width; x++) to_value[x + 1] = lower(from[x], to_mask[x + 1]);
    to_mask[0] = to_mask[r->width + 1] = 0;
    to_value[0] = to_value[r->width + 1] = 0;
  }
  memset(r->mask + total - r->stride, 0, (size_t)r->stride);
  memset(r->value + total - r->stride, 0, (size_t)r->stride);
  return true;
}

/* above[x] = the largest of the row's own value and what the neighbouring row offers. In stretches of fixed length,
 * which the compiler turns into vector instructions at every optimisation level, and the rest one by one. */
static void gather8(uint8_t *restrict above, const uint8_t *row, const uint8_t *next, int64_t count) {
  for (int64_t i = 0; i < count; i++) above[i] = higher(higher(row[i], next[i]), higher(next[i - 1], next[i + 1]));
}

static void gather4(uint8_t *restrict above, const uint8_t *row, const uint8_t *next, int64_t count) {
  for (int64_t i = 0; i < count; i++) above[i] = higher(row[i], next[i]);
}

static void gather(const struct recon *r, const uint8_t *row, const uint8_t *next) {
  int64_t x = 1;
  for (; x + CHUNK <= r->width + 1; x += CHUNK) {
    if (r->reach) {
      gather8(r->above + x, row + x, next + x, CHUNK);
    } else {
      gather4(r->above + x, row + x, next + x, CHUNK);
    }
  }
  if (r->reach) {
    gather8(r->above + x, row + x, next + x, r->width + 1 - x);
  } else {
    gather4(r->above + x, row + x, next + x, r->width + 1 - x);
  }
}

static void scan_down(struct recon *r) {
  for (int64_t y = 1; y <= r->height; y++) {
    uint8_t *row = r->value + y * r->stride;
    const uint8_t *mask = r->mask + y * r->stride;
    gather(r, row, row - r->stride);
    uint8_t value = 0;
    for (int64_t x = 1; x <= r->width; x++) row[x] = value = lower(higher(r->above[x], value), mask[x]);
  }
}

static void scan_row_up(struct recon *r, int64_t y) {
  uint8_t *row = r->value + y * r->stride;
  const uint8_t *mask = r->mask + y * r->stride;
  gather(r, row, row + r->stride);
  uint8_t value = 0;
  for (int64_t x = r->width; x >= 1; x--) row[x] = value = lower(higher(r->above[x], value), mask[x]);
}

/* Whether a pixel of value v can raise a neighbour: it is lower, and may still grow. */
static uint8_t can_raise(uint8_t v, uint8_t neighbour, uint8_t neighbour_mask) {
  return (uint8_t)((neighbour < v) & (neighbour < neighbour_mask));
}

static void givers4(uint8_t *restrict gives, const uint8_t *row, const uint8_t *mask, int64_t stride, int64_t count) {
  const uint8_t *below = row + stride;
  const uint8_t *below_mask = mask + stride;
  for (int64_t i = 0; i < count; i++)
    gives[i] = can_raise(row[i], row[i + 1], mask[i + 1]) | can_raise(row[i], below[i], below_mask[i]);
}

static void givers_at_corners(uint8_t *restrict gives, const uint8_t *row, const uint8_t *mask, int64_t stride,
                              int64_t count) {
  const uint8_t *below = row + stride;
  const uint8_t *below_mask = mask + stride;
  for (int64_t i = 0; i < count; i++)
    gives[i] |= can_raise(row[i], below[i - 1], below_mask[i - 1]) | can_raise(row[i], below[i + 1], below_mask[i + 1]);
}

/* above[x] = non-zero if pixel x of the row can still raise one of the neighbours that the upward scan has passed. */
static void find_givers(const struct recon *r, int64_t y) {
  const uint8_t *row = r->value + y * r->stride;
  const uint8_t *mask = r->mask + y * r->stride;
  int64_t x = 1;
  for (; x + CHUNK <= r->width + 1; x += CHUNK) {
    givers4(r->above + x, row + x, mask + x, r->stride, CHUNK);
    if (r->reach) givers_at_corners(r->above + x, row + x, mask + x, r->stride, CHUNK);
  }
  givers4(r->above + x, row + x, mask + x, r->stride, r->width + 1 - x);
  if (r->reach) givers_at_corners(r->above + x, row + x, mask + x, r->stride, r->width + 1 - x);
}

static bool queue_givers(struct recon *r, int64_t y, struct ts_error *err) {
  for (int64_t x = 1; x <= r->width; x++) {
    uint64_t eight;
    if (x + 8 <= r->width && (memcpy(&eight, r->above + x, sizeof eight), eight == 0)) {
      x += 7;
    } else if (r->above[x] && !ts_fifo_push(&r->fifo, (int32_t)(y * r->stride + x), err)) {
      return false;
    }
  }
  return true;
}

/* Without a queue: the scan that comes before another pair of scans. */
static void scan_up(struct recon *r) {
  for (int64_t y = r->height; y >= 1; y--) scan_row_up(r, y);
}

static bool scan_up_and_queue(struct recon *r, struct ts_error *err) {
  for (int64_t y = r->height; y >= 1; y--) {
    scan_row_up(r, y);
    find_givers(r, y);
    if (!queue_givers(r, y, err)) return false;
  }
  return true;
}

static bool spread(struct recon *r, struct ts_error *err) {
  int32_t s = (int32_t)r->stride;
  const int32_t steps[8] = {-1, 1, -s, s, -s - 1, -s + 1, s - 1, s + 1};
  int step_count = r->reach ? 8 : 4;
  while (!ts_fifo_empty(&r->fifo)) {
    int32_t p = ts_fifo_pop(&r->fifo);
    uint8_t value = r->value[p];
    for (int i = 0; i < step_count; i++) {
      int32_t q = p + steps[i];
      if (r->value[q] >= value || r->value[q] == r->mask[q]) continue;
      r->value[q] = lower(value, r->mask[q]);
      if (!ts_fifo_push(&r->fifo, q, err)) return false;
    }
  }
  return true;
}

bool ts_recon_u8(const uint8_t *marker, const uint8_t *mask, int64_t width, int64_t height, int connectivity,
                 uint8_t *out, struct ts_error *err) {
  if (!ts_kernels_check_size(width, height, err)) return false;
  struct recon r = {.width = width, .height = height, .stride = width + 2, .reach = connectivity == 8};
  bool ok = recon_init(&r, marker, mask, err);
  if (ok) {
    scan_down(&r);
    scan_up(&r);
    scan_down(&r);
  }
  ok = ok && scan_up_and_queue(&r, err) && spread(&r, err);
  for (int64_t y = 0; ok && y < height; y++) memcpy(out + y * width, r.value + (y + 1) * r.stride + 1, (size_t)width);
  recon_release(&r);
  return ok;
}
