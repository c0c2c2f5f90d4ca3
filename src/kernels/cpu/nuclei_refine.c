/* Candidates grown to their full extent, without red blood cells.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernels/cpu/bits.h"
#include "kernels/nuclei.h"

bool ts_nuclei_refine(const uint8_t *diff, const uint8_t *bw1_t, const uint8_t *rbc, int64_t width, int64_t height,
                      int g2, uint8_t *seg_open, const struct ts_kernel_threads *threads, struct ts_error *err) {
  struct ts_bits grown = {0};
  struct ts_bits other = {0};
  bool ok = ts_bits_reserve(&grown, width, height, err) && ts_bits_reserve(&other, width, height, err);
  if (ok) {
    ts_bits_from_plane(&grown, diff, g2, threads);
    ts_bits_from_plane(&other, bw1_t, 0, threads);
    ok = ts_bits_select(&grown, &other, 8, threads, err);
  }
  if (ok) {
    ts_bits_from_plane(&other, rbc, 0, threads);
    for (int64_t i = 0; i < grown.stride * height; i++) grown.words[i] &= ~other.words[i];
    ok = ts_bits_fill_holes(&grown, 4, threads, err);
  }
  if (ok) {
    ts_bits_erode_cross(&grown, &other, threads);
    ts_bits_dilate_cross(&other, &grown, threads);
    ts_bits_to_plane(&grown, seg_open, threads);
  }
  ts_bits_release(&other);
  ts_bits_release(&grown);
  return ok;
}
