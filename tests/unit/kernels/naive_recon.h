/* Reconstruction by dilation as the fixed point of its definition.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_TESTS_UNIT_KERNELS_NAIVE_RECON_H
#define TS_TESTS_UNIT_KERNELS_NAIVE_RECON_H

#include "unit/kernels/planes.h"

/* The largest value around a pixel, its own included, cut at the mask. */
static inline float raised(const float *j, const float *mask, struct shape_px s, int connectivity, int64_t at) {
  int64_t beside[8];
  int count = neighbours_of(s, at, connectivity, beside);
  float v = j[at];
  for (int k = 0; k < count; k++)
    if (j[beside[k]] > v) v = j[beside[k]];
  return v > mask[at] ? mask[at] : v;
}

/* J := min(dilate(J), mask) until nothing changes, in floats; bytes are floats too. Forwards and backwards, so that
 * values that travel far need few rounds. */
static inline float *naive_recon(const float *marker, const float *mask, struct shape_px s, int connectivity) {
  float *j = plane_of(s, sizeof *j);
  int64_t pixels = s.w * s.h;
  for (int64_t i = 0; i < pixels; i++) j[i] = marker[i] < mask[i] ? marker[i] : mask[i];
  bool changed = true;
  while (changed) {
    changed = false;
    for (int64_t i = 0; i < 2 * pixels; i++) {
      int64_t at = i < pixels ? i : 2 * pixels - 1 - i;
      float v = raised(j, mask, s, connectivity, at);
      changed |= v != j[at];
      j[at] = v;
    }
  }
  return j;
}

#endif
