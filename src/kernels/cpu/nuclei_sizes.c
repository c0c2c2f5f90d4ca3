/* The two tasks that keep objects within an area range.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernels/cpu/bits.h"
#include "kernels/kernels.h"
#include "kernels/nuclei.h"

bool ts_nuclei_candidate_size(const uint8_t *bw1, int64_t width, int64_t height, int64_t min_size, int64_t max_size,
                              uint8_t *bw1_t, const struct ts_kernel_threads *threads, struct ts_error *err) {
  return ts_area_filter(bw1, width, height, min_size, max_size, 8, bw1_t, threads, err);
}

bool ts_nuclei_final_size(const uint8_t *seg_nonoverlap, int64_t width, int64_t height, int64_t min_size,
                          int64_t max_size, int fill_connectivity, uint8_t *mask,
                          const struct ts_kernel_threads *threads, struct ts_error *err) {
  struct ts_bits bits = {0};
  if (!ts_bits_reserve(&bits, width, height, err)) return false;
  ts_bits_from_plane(&bits, seg_nonoverlap, 0, threads);
  bool ok = ts_bits_area_filter(&bits, min_size, max_size, 4, threads, err) &&
            ts_bits_fill_holes(&bits, fill_connectivity, threads, err);
  if (ok) ts_bits_to_plane(&bits, mask, threads);
  ts_bits_release(&bits);
  return ok;
}
