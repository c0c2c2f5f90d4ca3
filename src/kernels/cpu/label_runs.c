/* Horizontal runs of equal labels and their pieces, by union-find over neighbouring rows.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernels/cpu/label_runs.h"

#include <stdlib.h>

#include "kernels/cpu/scratch.h"

static bool add_run(struct ts_label_runs *runs, struct ts_label_run run, struct ts_error *err) {
  if (runs->count == runs->capacity) {
    size_t capacity = runs->capacity ? runs->capacity * 2 : 1024;
    struct ts_label_run *items = ts_scratch_resize(runs->items, (int64_t)capacity, sizeof *items, err);
    if (!items) return false;
    runs->items = items;
    runs->capacity = capacity;
  }
  run.piece = (int32_t)runs->count; /* its own parent, until joined */
  runs->items[runs->count++] = run;
  return true;
}

static bool add_row(struct ts_label_runs *runs, const uint32_t *row, int64_t width, int64_t y, struct ts_error *err) {
  for (int64_t x = 0; x < width;) {
    int64_t begin = x;
    do x++;
    while (x < width && row[x] == row[begin]);
    if (row[begin] == 0) continue;
    struct ts_label_run run = {.label = row[begin], .y = (int32_t)y, .begin = (int32_t)begin, .end = (int32_t)x};
    if (!add_run(runs, run, err)) return false;
  }
  return true;
}

static int32_t find_root(struct ts_label_run *items, int32_t i) {
  while (items[i].piece != i) {
    items[i].piece = items[items[i].piece].piece;
    i = items[i].piece;
  }
  return i;
}

static void join(struct ts_label_run *items, int32_t a, int32_t b) {
  a = find_root(items, a);
  b = find_root(items, b);
  if (a < b) {
    items[b].piece = a;
  } else {
    items[a].piece = b;
  }
}

/* Joins the runs of two rows: [above, here) and [here, count). */
static void join_rows(struct ts_label_runs *runs, size_t above, size_t here) {
  size_t above_end = here;
  while (above < above_end && here < runs->count) {
    const struct ts_label_run *a = &runs->items[above];
    const struct ts_label_run *b = &runs->items[here];
    if (a->label == b->label && a->begin < b->end && b->begin < a->end)
      join(runs->items, (int32_t)above, (int32_t)here);
    if (a->end < b->end) {
      above++;
    } else {
      here++;
    }
  }
}

static void number_pieces(struct ts_label_runs *runs) {
  int32_t next = 0;
  for (size_t i = 0; i < runs->count; i++) {
    int32_t parent = runs->items[i].piece;
    runs->items[i].piece = parent == (int32_t)i ? next++ : runs->items[parent].piece;
  }
}

bool ts_label_runs_init(struct ts_label_runs *runs, const uint32_t *labels, int64_t width, int64_t height,
                        struct ts_error *err) {
  *runs = (struct ts_label_runs){0};
  size_t above = 0;
  for (int64_t y = 0; y < height; y++) {
    size_t here = runs->count;
    if (!add_row(runs, labels + y * width, width, y, err)) return false;
    join_rows(runs, above, here);
    above = here;
  }
  number_pieces(runs);
  return true;
}

bool ts_label_runs_of_object(struct ts_label_runs *runs, const struct ts_pixel_run *items, size_t count,
                             struct ts_error *err) {
  *runs = (struct ts_label_runs){0};
  for (size_t i = 0, above = 0; i < count;) {
    const size_t here = runs->count;
    const int32_t y = items[i].y;
    for (; i < count && items[i].y == y; i++) {
      const struct ts_label_run run = {.label = 1, .y = y, .begin = items[i].begin, .end = items[i].end};
      if (!add_run(runs, run, err)) return false;
    }
    if (here > 0 && (int64_t)runs->items[here - 1].y + 1 == y) join_rows(runs, above, here);
    above = here;
  }
  number_pieces(runs);
  return true;
}

void ts_label_runs_release(struct ts_label_runs *runs) {
  ts_scratch_free(runs->items);
  *runs = (struct ts_label_runs){0};
}
