/* Components by area and extent.
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "kernels/cpu/bits.h"
#include "kernels/cpu/runs.h"
#include "kernels/cpu/scratch.h"
#include "kernels/pixels.h"

/* Of a component; ends are one more than the last. */
struct size_px {
  int64_t area;
  int32_t begin_x;
  int32_t end_x;
  int32_t begin_y;
  int32_t end_y;
};

static void measure(const struct ts_runs *runs, struct size_px *sizes) {
  for (int32_t y = 0; y < (int32_t)runs->height; y++) {
    for (int32_t i = runs->row_first[y]; i < runs->row_first[y + 1]; i++) {
      const struct ts_run *run = &runs->items[i];
      struct size_px *size = &sizes[runs->component[i]];
      if (size->area == 0) *size = (struct size_px){0, run->begin, run->end, y, y};
      size->area += run->end - run->begin;
      if (run->begin < size->begin_x) size->begin_x = run->begin;
      if (run->end > size->end_x) size->end_x = run->end;
      size->end_y = y + 1;
    }
  }
}

static bool fits(const struct size_px *size, const struct ts_pixels_sizes *wanted) {
  return wanted->min_area <= size->area && size->area <= wanted->max_area &&
         size->end_x - size->begin_x <= wanted->extent && size->end_y - size->begin_y <= wanted->extent;
}

/* Keeps the bits of the components that fit. */
static bool select_bits(struct ts_bits *bits, struct ts_runs *runs, const struct ts_pixels_sizes *wanted,
                        const struct ts_kernel_threads *threads, struct ts_error *err) {
  if (!ts_runs_find(runs, bits, TS_RUNS_OF_FOREGROUND, 8, threads, err)) return false;
  struct size_px *sizes = ts_scratch_zero(runs->component_count, sizeof *sizes, err);
  uint8_t *flags = sizes ? ts_scratch(runs->component_count, 1, err) : NULL;
  if (flags) {
    measure(runs, sizes);
    for (int32_t c = 0; c < runs->component_count; c++) flags[c] = fits(&sizes[c], wanted);
    memset(bits->words, 0, (size_t)(bits->stride * bits->height) * sizeof *bits->words);
    ts_runs_paint(runs, flags, bits, threads);
  }
  ts_scratch_free(sizes);
  ts_scratch_free(flags);
  return flags != NULL;
}

bool ts_pixels_select(const uint8_t *mask, int64_t width, int64_t height, const struct ts_pixels_sizes *sizes,
                      uint8_t *out, const struct ts_kernel_threads *threads, struct ts_error *err) {
  struct ts_bits bits = {0};
  struct ts_runs runs = {0};
  bool ok = ts_bits_reserve(&bits, width, height, err);
  if (ok) ts_bits_from_plane(&bits, mask, 0, threads);
  ok = ok && select_bits(&bits, &runs, sizes, threads, err);
  if (ok) ts_bits_to_plane(&bits, out, threads);
  ts_runs_release(&runs);
  ts_bits_release(&bits);
  return ok;
}
