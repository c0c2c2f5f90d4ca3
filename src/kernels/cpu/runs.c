/* Runs of a mask and their components by union-find.
 * SPDX-License-Identifier: Apache-2.0
 *
 * The parent of a run never comes after it, so one forward pass at the end turns parents into component numbers. */
#include "kernels/cpu/runs.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/cpu/scratch.h"
#include "kernels/kernels.h"

static int64_t find_nonzero(const uint8_t *row, int64_t x, int64_t width) {
  while (x + 8 <= width) {
    uint64_t word;
    memcpy(&word, row + x, sizeof word);
    if (word != 0) break;
    x += 8;
  }
  while (x < width && row[x] == 0) x++;
  return x;
}

static int64_t find_zero(const uint8_t *row, int64_t x, int64_t width) {
  int64_t near = x + 8 < width ? x + 8 : width;
  while (x < near && row[x] != 0) x++;
  if (x < near || x == width) return x;
  const uint8_t *zero = memchr(row + x, 0, (size_t)(width - x));
  return zero ? zero - row : width;
}

static int32_t find_root(int32_t *parent, int32_t i) {
  while (parent[i] != i) {
    parent[i] = parent[parent[i]];
    i = parent[i];
  }
  return i;
}

static void join(int32_t *parent, int32_t a, int32_t b) {
  a = find_root(parent, a);
  b = find_root(parent, b);
  if (a < b) {
    parent[b] = a;
  } else {
    parent[a] = b;
  }
}

static bool reserve_row(struct ts_runs *runs, int64_t width, struct ts_error *err) {
  int64_t needed = (int64_t)runs->count + width / 2 + 1;
  if (needed <= runs->capacity) return true;
  int64_t capacity = needed + needed / 2 + 1024;
  if (capacity > INT32_MAX) capacity = INT32_MAX; /* an image has at most 2^30 runs */
  struct ts_run *items = ts_scratch_resize(runs->items, capacity, sizeof *items, err);
  if (!items) return false;
  runs->items = items;
  int32_t *component = ts_scratch_resize(runs->component, capacity, sizeof *component, err);
  if (!component) return false;
  runs->component = component;
  runs->capacity = (int32_t)capacity;
  return true;
}

static void add_row(struct ts_runs *runs, const uint8_t *row, int64_t width, enum ts_runs_of which) {
  int64_t x = 0;
  while (x < width) {
    int64_t begin = which == TS_RUNS_OF_FOREGROUND ? find_nonzero(row, x, width) : find_zero(row, x, width);
    if (begin == width) return;
    x = which == TS_RUNS_OF_FOREGROUND ? find_zero(row, begin, width) : find_nonzero(row, begin, width);
    runs->component[runs->count] = runs->count;
    runs->items[runs->count++] = (struct ts_run){(int32_t)begin, (int32_t)x};
  }
}

/* Joins the runs of row y with those of the row above that touch them; reach is 1 if corners touch, else 0. */
static void join_rows(struct ts_runs *runs, int64_t y, int32_t reach) {
  int32_t above = runs->row_first[y - 1];
  int32_t above_end = runs->row_first[y];
  int32_t here = above_end;
  while (above < above_end && here < runs->count) {
    struct ts_run a = runs->items[above];
    struct ts_run b = runs->items[here];
    if (a.begin < b.end + reach && b.begin < a.end + reach) join(runs->component, above, here);
    if (a.end < b.end) {
      above++;
    } else {
      here++;
    }
  }
}

static void number_components(struct ts_runs *runs) {
  for (int32_t i = 0; i < runs->count; i++) {
    int32_t parent = runs->component[i];
    runs->component[i] = parent == i ? runs->component_count++ : runs->component[parent];
  }
}

bool ts_runs_init(struct ts_runs *runs, const uint8_t *mask, int64_t width, int64_t height, enum ts_runs_of which,
                  int connectivity, struct ts_error *err) {
  *runs = (struct ts_runs){.height = height};
  if (!ts_kernels_check_size(width, height, err)) return false;
  runs->row_first = ts_scratch(height + 1, sizeof *runs->row_first, err);
  if (!runs->row_first) return false;
  int32_t reach = connectivity == 8 ? 1 : 0;
  for (int64_t y = 0; y < height; y++) {
    runs->row_first[y] = runs->count;
    if (!reserve_row(runs, width, err)) return false;
    add_row(runs, mask + y * width, width, which);
    if (y > 0) join_rows(runs, y, reach);
  }
  runs->row_first[height] = runs->count;
  number_components(runs);
  return true;
}

void ts_runs_release(struct ts_runs *runs) {
  free(runs->items);
  free(runs->component);
  free(runs->row_first);
  *runs = (struct ts_runs){0};
}

void ts_runs_paint(const struct ts_runs *runs, const uint8_t *component_flags, uint8_t value, int64_t width,
                   uint8_t *out) {
  for (int64_t y = 0; y < runs->height; y++) {
    uint8_t *row = out + y * width;
    for (int32_t i = runs->row_first[y]; i < runs->row_first[y + 1]; i++) {
      if (!component_flags[runs->component[i]]) continue;
      memset(row + runs->items[i].begin, value, (size_t)(runs->items[i].end - runs->items[i].begin));
    }
  }
}
