/* Runs of a mask and their components by union-find.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Bands of rows count their runs, then find and join them; what remains to be done by one thread is to join the bands
 * along their borders and to number the components. The parent of a run never comes after it, so one forward pass
 * turns parents into numbers. */
#include "kernels/cpu/runs.h"

#include <stdlib.h>

#include "kernels/cpu/bands.h"
#include "kernels/cpu/scratch.h"
#include "kernels/cpu/variant.h"
#include "kernels/kernels.h"

struct search {
  struct ts_runs *runs;       /* borrowed */
  const struct ts_bits *bits; /* borrowed */
  uint64_t flip;              /* all bits for the background */
  int32_t reach;              /* 1 if corners touch, else 0 */
};

/* Word i of a row with the wanted pixels set. */
static inline uint64_t word_at(const struct search *s, const uint64_t *row, int64_t i) {
  uint64_t word = row[i] ^ s->flip;
  return i + 1 < s->bits->stride ? word : word & ts_bits_tail(s->bits->width);
}

static void count_rows(void *context, const struct ts_band *band) {
  const struct search *s = context;
  const struct ts_variant *variant = ts_variant_get();
  uint64_t tail = ts_bits_tail(s->bits->width);
  for (int64_t y = band->begin; y < band->end; y++)
    s->runs->row_first[y] = variant->count_runs(ts_bits_row(s->bits, y), s->bits->stride, s->flip, tail);
}

/* Begins and ends alternate, as the members of a run do: each change of the bits is the next number. */
static void find_row(const struct search *s, const uint64_t *row, struct ts_run *items) {
  int32_t *next = (int32_t *)items;
  uint64_t before = 0;
  for (int64_t i = 0; i < s->bits->stride; i++) {
    uint64_t word = word_at(s, row, i);
    int32_t x = (int32_t)(i * TS_BITS_WORD);
    for (uint64_t changes = word ^ (word << 1 | before); changes; changes &= changes - 1)
      *next++ = x + __builtin_ctzll(changes);
    before = word >> 63;
  }
  if (before) *next = (int32_t)s->bits->width;
}

/* Most runs lie right below their root: one look at it is enough. */
static int32_t find_root(int32_t *parent, int32_t i) {
  int32_t up = parent[i];
  int32_t top = parent[up];
  while (up != top) {
    parent[i] = top;
    i = top;
    up = parent[i];
    top = parent[up];
  }
  return up;
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

/* Joins the runs of row y, which have components, with those of the row above that touch them: where bands meet. */
static void join_rows(struct ts_runs *runs, int64_t y, int32_t reach) {
  int32_t above = runs->row_first[y - 1];
  int32_t above_end = runs->row_first[y];
  int32_t here = above_end;
  int32_t here_end = runs->row_first[y + 1];
  while (above < above_end && here < here_end) {
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

/* Joins the runs of row y, which are in no component yet, with those of the row above that touch them. Most touch one:
 * branches that a processor can foresee. */
static void add_row(struct ts_runs *runs, int64_t y, int32_t reach) {
  int32_t above = runs->row_first[y - 1];
  int32_t above_end = runs->row_first[y];
  for (int32_t here = above_end; here < runs->row_first[y + 1]; here++) {
    const int32_t first = runs->items[here].begin - reach;
    const int32_t last = runs->items[here].end + reach;
    while (above < above_end && runs->items[above].end <= first) above++;
    if (above == above_end || runs->items[above].begin >= last) {
      runs->component[here] = here;
      continue;
    }
    runs->component[here] = find_root(runs->component, above);
    while (above + 1 < above_end && runs->items[above + 1].begin < last) join(runs->component, ++above, here);
  }
}

static void find_rows(void *context, const struct ts_band *band) {
  const struct search *s = context;
  struct ts_runs *runs = s->runs;
  for (int64_t y = band->begin; y < band->end; y++) {
    find_row(s, ts_bits_row(s->bits, y), runs->items + runs->row_first[y]);
    if (y > band->begin) {
      add_row(runs, y, s->reach);
      continue;
    }
    for (int32_t i = runs->row_first[y]; i < runs->row_first[y + 1]; i++) runs->component[i] = i;
  }
}

static void number_components(struct ts_runs *runs) {
  runs->component_count = 0;
  for (int32_t i = 0; i < runs->count; i++) {
    int32_t parent = runs->component[i];
    runs->component[i] = parent == i ? runs->component_count++ : runs->component[parent];
  }
}

static bool reserve_rows(struct ts_runs *runs, int64_t height, struct ts_error *err) {
  if (height + 1 > runs->row_capacity) {
    int32_t *row_first = ts_scratch_resize(runs->row_first, height + 1, sizeof *row_first, err);
    if (!row_first) return false;
    runs->row_first = row_first;
    runs->row_capacity = height + 1;
  }
  runs->height = height;
  return true;
}

/* Turns the numbers of runs per row into the first run of each, and makes room for all. */
static bool reserve_runs(struct ts_runs *runs, struct ts_error *err) {
  runs->count = 0; /* an image has at most 2^30 runs */
  for (int64_t y = 0; y < runs->height; y++) {
    int32_t row_count = runs->row_first[y];
    runs->row_first[y] = runs->count;
    runs->count += row_count;
  }
  runs->row_first[runs->height] = runs->count;
  if (runs->count <= runs->capacity && runs->items) return true;
  ts_scratch_free(runs->items);
  ts_scratch_free(runs->component);
  runs->capacity = 0;
  runs->items = ts_scratch(runs->count, sizeof *runs->items, err);
  runs->component = ts_scratch(runs->count, sizeof *runs->component, err);
  if (!runs->items || !runs->component) return false;
  runs->capacity = runs->count;
  return true;
}

bool ts_runs_find(struct ts_runs *runs, const struct ts_bits *bits, enum ts_runs_of which, int connectivity,
                  const struct ts_kernel_threads *threads, struct ts_error *err) {
  struct search s = {.runs = runs,
                     .bits = bits,
                     .flip = which == TS_RUNS_OF_BACKGROUND ? ~UINT64_C(0) : 0,
                     .reach = connectivity == 8 ? 1 : 0};
  if (!reserve_rows(runs, bits->height, err)) return false;
  ts_bands_run(threads, bits->height, count_rows, &s);
  if (!reserve_runs(runs, err)) return false;
  ts_bands_run(threads, bits->height, find_rows, &s);
  size_t bands = ts_band_count(threads, bits->height);
  for (size_t i = 1; i < bands; i++) join_rows(runs, ts_band_at(i, bands, bits->height).begin, s.reach);
  number_components(runs);
  return true;
}

void ts_runs_release(struct ts_runs *runs) {
  ts_scratch_free(runs->items);
  ts_scratch_free(runs->component);
  ts_scratch_free(runs->row_first);
  *runs = (struct ts_runs){0};
}

struct painting {
  const struct ts_runs *runs; /* borrowed */
  const uint8_t *flags;       /* borrowed */
  struct ts_bits *bits;       /* borrowed */
};

static void paint_rows(void *context, const struct ts_band *band) {
  const struct painting *p = context;
  for (int64_t y = band->begin; y < band->end; y++) {
    uint64_t *row = ts_bits_row(p->bits, y);
    for (int32_t i = p->runs->row_first[y]; i < p->runs->row_first[y + 1]; i++)
      if (p->flags[p->runs->component[i]]) ts_bits_set_range(row, p->runs->items[i].begin, p->runs->items[i].end);
  }
}

void ts_runs_paint(const struct ts_runs *runs, const uint8_t *component_flags, struct ts_bits *bits,
                   const struct ts_kernel_threads *threads) {
  struct painting painting = {runs, component_flags, bits};
  ts_bands_run(threads, runs->height, paint_rows, &painting);
}
