/* What is done with the connected components of a mask: numbering, selecting, filling holes, filtering by area.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "kernels/cpu/runs.h"
#include "kernels/cpu/scratch.h"
#include "kernels/kernels.h"

static void write_labels(const struct ts_runs *runs, int64_t width, uint32_t *labels) {
  memset(labels, 0, (size_t)(width * runs->height) * sizeof *labels);
  for (int64_t y = 0; y < runs->height; y++) {
    uint32_t *row = labels + y * width;
    for (int32_t i = runs->row_first[y]; i < runs->row_first[y + 1]; i++) {
      uint32_t label = (uint32_t)runs->component[i] + 1;
      for (int32_t x = runs->items[i].begin; x < runs->items[i].end; x++) row[x] = label;
    }
  }
}

bool ts_label(const uint8_t *mask, int64_t width, int64_t height, int connectivity, uint32_t *labels, uint32_t *count,
              struct ts_error *err) {
  struct ts_runs runs;
  bool ok = ts_runs_init(&runs, mask, width, height, TS_RUNS_OF_FOREGROUND, connectivity, err);
  if (ok) {
    write_labels(&runs, width, labels);
    *count = (uint32_t)runs.component_count;
  }
  ts_runs_release(&runs);
  return ok;
}

static bool any_nonzero(const uint8_t *bytes, int32_t count) {
  for (int32_t i = 0; i < count; i++)
    if (bytes[i]) return true;
  return false;
}

static void flag_seeded(const struct ts_runs *runs, const uint8_t *seed, int64_t width, uint8_t *flags) {
  for (int64_t y = 0; y < runs->height; y++) {
    for (int32_t i = runs->row_first[y]; i < runs->row_first[y + 1]; i++) {
      uint8_t *flag = &flags[runs->component[i]];
      struct ts_run run = runs->items[i];
      if (!*flag && any_nonzero(seed + y * width + run.begin, run.end - run.begin)) *flag = 1;
    }
  }
}

bool ts_select(const uint8_t *mask, const uint8_t *seed, int64_t width, int64_t height, int connectivity, uint8_t *out,
               struct ts_error *err) {
  struct ts_runs runs;
  uint8_t *flags = NULL;
  bool ok = ts_runs_init(&runs, mask, width, height, TS_RUNS_OF_FOREGROUND, connectivity, err) &&
            (flags = ts_scratch_zero(runs.component_count, 1, err));
  if (ok) {
    flag_seeded(&runs, seed, width, flags);
    memset(out, 0, (size_t)(width * height));
    ts_runs_paint(&runs, flags, 255, width, out);
  }
  free(flags);
  ts_runs_release(&runs);
  return ok;
}

static void flag_open_to_outside(const struct ts_runs *runs, int64_t width, uint8_t *flags) {
  for (int64_t y = 0; y < runs->height; y++) {
    bool edge_row = y == 0 || y == runs->height - 1;
    for (int32_t i = runs->row_first[y]; i < runs->row_first[y + 1]; i++) {
      struct ts_run run = runs->items[i];
      if (edge_row || run.begin == 0 || run.end == width) flags[runs->component[i]] = 1;
    }
  }
}

bool ts_fill_holes(const uint8_t *mask, int64_t width, int64_t height, int connectivity, uint8_t *out,
                   struct ts_error *err) {
  struct ts_runs runs;
  uint8_t *flags = NULL;
  bool ok = ts_runs_init(&runs, mask, width, height, TS_RUNS_OF_BACKGROUND, connectivity, err) &&
            (flags = ts_scratch_zero(runs.component_count, 1, err));
  if (ok) {
    flag_open_to_outside(&runs, width, flags);
    memset(out, 255, (size_t)(width * height));
    ts_runs_paint(&runs, flags, 0, width, out);
  }
  free(flags);
  ts_runs_release(&runs);
  return ok;
}

static void flag_by_area(const struct ts_runs *runs, int64_t low, int64_t high, int32_t *area, uint8_t *flags) {
  for (int32_t i = 0; i < runs->count; i++) area[runs->component[i]] += runs->items[i].end - runs->items[i].begin;
  for (int32_t c = 0; c < runs->component_count; c++) flags[c] = low <= area[c] && area[c] < high;
}

bool ts_area_filter(const uint8_t *mask, int64_t width, int64_t height, int64_t low, int64_t high, int connectivity,
                    uint8_t *out, struct ts_error *err) {
  struct ts_runs runs;
  uint8_t *flags = NULL;
  int32_t *area = NULL;
  bool ok = ts_runs_init(&runs, mask, width, height, TS_RUNS_OF_FOREGROUND, connectivity, err) &&
            (flags = ts_scratch_zero(runs.component_count, 1, err)) &&
            (area = ts_scratch_zero(runs.component_count, sizeof *area, err));
  if (ok) {
    flag_by_area(&runs, low, high, area, flags);
    memset(out, 0, (size_t)(width * height));
    ts_runs_paint(&runs, flags, 255, width, out);
  }
  free(area);
  free(flags);
  ts_runs_release(&runs);
  return ok;
}
