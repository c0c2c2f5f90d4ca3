/* Numbers, selects and filters the connected components of a mask, and fills holes.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "kernels/cpu/bands.h"
#include "kernels/cpu/bits.h"
#include "kernels/cpu/runs.h"
#include "kernels/cpu/scratch.h"
#include "kernels/kernels.h"

/* ---- On bits ---- */

static void clear(struct ts_bits *bits) {
  memset(bits->words, 0, (size_t)(bits->stride * bits->height) * sizeof *bits->words);
}

static void flag_seeded(const struct ts_runs *runs, const struct ts_bits *seed, uint8_t *flags) {
  for (int64_t y = 0; y < runs->height; y++) {
    const uint64_t *row = ts_bits_row(seed, y);
    for (int32_t i = runs->row_first[y]; i < runs->row_first[y + 1]; i++) {
      uint8_t *flag = &flags[runs->component[i]];
      if (!*flag && ts_bits_any_in_range(row, runs->items[i].begin, runs->items[i].end)) *flag = 1;
    }
  }
}

bool ts_bits_select(struct ts_bits *bits, const struct ts_bits *seed, int connectivity,
                    const struct ts_kernel_threads *threads, struct ts_error *err) {
  struct ts_runs runs = {0};
  uint8_t *flags = NULL;
  bool ok = ts_runs_find(&runs, bits, TS_RUNS_OF_FOREGROUND, connectivity, threads, err) &&
            (flags = ts_scratch_zero(runs.component_count, 1, err));
  if (ok) {
    flag_seeded(&runs, seed, flags);
    clear(bits);
    ts_runs_paint(&runs, flags, bits, threads);
  }
  ts_scratch_free(flags);
  ts_runs_release(&runs);
  return ok;
}

/* Clears the flags of the components that reach the edge of the image. */
static void unflag_open_to_outside(const struct ts_runs *runs, int64_t width, uint8_t *flags) {
  for (int64_t y = 0; y < runs->height; y++) {
    bool edge_row = y == 0 || y == runs->height - 1;
    int32_t first = runs->row_first[y];
    int32_t end = runs->row_first[y + 1];
    if (first == end) continue;
    for (int32_t i = first; edge_row && i < end; i++) flags[runs->component[i]] = 0;
    if (runs->items[first].begin == 0) flags[runs->component[first]] = 0;
    if (runs->items[end - 1].end == width) flags[runs->component[end - 1]] = 0;
  }
}

bool ts_bits_fill_holes(struct ts_bits *bits, int connectivity, const struct ts_kernel_threads *threads,
                        struct ts_error *err) {
  struct ts_runs runs = {0};
  uint8_t *flags = NULL;
  bool ok = ts_runs_find(&runs, bits, TS_RUNS_OF_BACKGROUND, connectivity, threads, err) &&
            (flags = ts_scratch(runs.component_count, 1, err));
  if (ok) {
    memset(flags, 1, (size_t)runs.component_count);
    unflag_open_to_outside(&runs, bits->width, flags);
    ts_runs_paint(&runs, flags, bits, threads);
  }
  ts_scratch_free(flags);
  ts_runs_release(&runs);
  return ok;
}

static void flag_by_area(const struct ts_runs *runs, int64_t low, int64_t high, int32_t *area, uint8_t *flags) {
  for (int32_t i = 0; i < runs->count; i++) area[runs->component[i]] += runs->items[i].end - runs->items[i].begin;
  for (int32_t c = 0; c < runs->component_count; c++) flags[c] = low <= area[c] && area[c] < high;
}

bool ts_bits_area_filter(struct ts_bits *bits, int64_t low, int64_t high, int connectivity,
                         const struct ts_kernel_threads *threads, struct ts_error *err) {
  struct ts_runs runs = {0};
  uint8_t *flags = NULL;
  int32_t *area = NULL;
  bool ok = ts_runs_find(&runs, bits, TS_RUNS_OF_FOREGROUND, connectivity, threads, err) &&
            (flags = ts_scratch(runs.component_count, 1, err)) &&
            (area = ts_scratch_zero(runs.component_count, sizeof *area, err));
  if (ok) {
    flag_by_area(&runs, low, high, area, flags);
    clear(bits);
    ts_runs_paint(&runs, flags, bits, threads);
  }
  ts_scratch_free(area);
  ts_scratch_free(flags);
  ts_runs_release(&runs);
  return ok;
}

/* ---- On planes of bytes ---- */

struct labelling {
  const struct ts_runs *runs; /* borrowed */
  int64_t width;
  uint32_t *labels; /* borrowed */
};

static void write_labels(void *context, const struct ts_band *band) {
  const struct labelling *l = context;
  for (int64_t y = band->begin; y < band->end; y++) {
    uint32_t *row = l->labels + y * l->width;
    memset(row, 0, (size_t)l->width * sizeof *row);
    for (int32_t i = l->runs->row_first[y]; i < l->runs->row_first[y + 1]; i++) {
      uint32_t label = (uint32_t)l->runs->component[i] + 1;
      for (int32_t x = l->runs->items[i].begin; x < l->runs->items[i].end; x++) row[x] = label;
    }
  }
}

bool ts_label(const uint8_t *mask, int64_t width, int64_t height, int connectivity, uint32_t *labels, uint32_t *count,
              const struct ts_kernel_threads *threads, struct ts_error *err) {
  struct ts_bits bits = {0};
  struct ts_runs runs = {0};
  bool ok = ts_bits_reserve(&bits, width, height, err);
  if (ok) ts_bits_from_plane(&bits, mask, 0, threads);
  ok = ok && ts_runs_find(&runs, &bits, TS_RUNS_OF_FOREGROUND, connectivity, threads, err);
  if (ok) {
    struct labelling labelling = {.runs = &runs, .width = width};
    labelling.labels = labels;
    ts_bands_run(threads, height, write_labels, &labelling);
    *count = (uint32_t)runs.component_count;
  }
  ts_runs_release(&runs);
  ts_bits_release(&bits);
  return ok;
}

bool ts_area_filter(const uint8_t *mask, int64_t width, int64_t height, int64_t low, int64_t high, int connectivity,
                    uint8_t *out, const struct ts_kernel_threads *threads, struct ts_error *err) {
  struct ts_bits bits = {0};
  bool ok = ts_bits_reserve(&bits, width, height, err);
  if (ok) ts_bits_from_plane(&bits, mask, 0, threads);
  ok = ok && ts_bits_area_filter(&bits, low, high, connectivity, threads, err);
  if (ok) ts_bits_to_plane(&bits, out, threads);
  ts_bits_release(&bits);
  return ok;
}
