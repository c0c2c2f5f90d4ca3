/* The tasks of the nuclei segmentation that are a few building blocks in a row.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "kernels/cpu/scratch.h"
#include "kernels/kernels.h"
#include "kernels/nuclei.h"

bool ts_nuclei_background(const uint8_t *rgb, int64_t width, int64_t height, int recon_connectivity, uint8_t *rc,
                          uint8_t *rc_open, uint8_t *recon, struct ts_error *err) {
  if (!ts_kernels_check_size(width, height, err)) return false;
  for (int64_t i = 0; i < width * height; i++) rc[i] = (uint8_t)(255 - rgb[3 * i]);
  return ts_open(rc, width, height, TS_ELEMENT_DISK19, rc_open, err) &&
         ts_recon_u8(rc_open, rc, width, height, recon_connectivity, recon, err);
}

/* 255 where the value exceeds the limit. */
static void exceeds(const uint8_t *in, int64_t pixels, int limit, uint8_t *out) {
  for (int64_t i = 0; i < pixels; i++) out[i] = (uint8_t) - (in[i] > limit);
}

bool ts_nuclei_candidates(const uint8_t *rc, const uint8_t *recon, int64_t width, int64_t height, int fill_connectivity,
                          int g1, uint8_t *diff, uint8_t *bw1, struct ts_error *err) {
  if (!ts_kernels_check_size(width, height, err)) return false;
  for (int64_t i = 0; i < width * height; i++) diff[i] = (uint8_t)(rc[i] - recon[i]);
  exceeds(diff, width * height, g1, bw1);
  return ts_fill_holes(bw1, width, height, fill_connectivity, bw1, err);
}

bool ts_nuclei_candidate_size(const uint8_t *bw1, int64_t width, int64_t height, int64_t min_size, int64_t max_size,
                              uint8_t *bw1_t, struct ts_error *err) {
  return ts_area_filter(bw1, width, height, min_size, max_size, 8, bw1_t, err);
}

static void remove_red_cells(const uint8_t *rbc, int64_t pixels, uint8_t *mask) {
  for (int64_t i = 0; i < pixels; i++) mask[i] &= (uint8_t) - (rbc[i] == 0);
}

bool ts_nuclei_refine(const uint8_t *diff, const uint8_t *bw1_t, const uint8_t *rbc, int64_t width, int64_t height,
                      int g2, uint8_t *seg_open, struct ts_error *err) {
  if (!ts_kernels_check_size(width, height, err)) return false;
  uint8_t *grown = ts_scratch(width * height, 1, err);
  if (!grown) return false;
  exceeds(diff, width * height, g2, grown);
  bool ok = ts_select(grown, bw1_t, width, height, 8, grown, err);
  if (ok) remove_red_cells(rbc, width * height, grown);
  ok = ok && ts_fill_holes(grown, width, height, 4, grown, err) &&
       ts_open(grown, width, height, TS_ELEMENT_CROSS3, seg_open, err);
  free(grown);
  return ok;
}

bool ts_nuclei_final_size(const uint8_t *seg_nonoverlap, int64_t width, int64_t height, int64_t min_size,
                          int64_t max_size, int fill_connectivity, uint8_t *mask, struct ts_error *err) {
  return ts_area_filter(seg_nonoverlap, width, height, min_size, max_size, 4, mask, err) &&
         ts_fill_holes(mask, width, height, fill_connectivity, mask, err);
}
