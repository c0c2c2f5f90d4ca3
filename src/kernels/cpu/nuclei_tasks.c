/* The tasks of the nuclei segmentation that are a few building blocks in a row.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernels/cpu/bands.h"
#include "kernels/cpu/bits.h"
#include "kernels/cpu/variant.h"
#include "kernels/kernels.h"
#include "kernels/nuclei.h"

struct inversion {
  const uint8_t *rgb; /* borrowed */
  int64_t width;
  uint8_t *rc; /* borrowed */
};

static void invert_rows(void *context, const struct ts_band *band) {
  const struct inversion *i = context;
  for (int64_t y = band->begin; y < band->end; y++)
    ts_variant_get()->take_channel(i->rgb + 3 * y * i->width, i->width, 255, i->rc + y * i->width);
}

bool ts_nuclei_background(const uint8_t *rgb, int64_t width, int64_t height, int recon_connectivity, uint8_t *rc,
                          uint8_t *rc_open, uint8_t *recon, const struct ts_kernel_threads *threads,
                          struct ts_error *err) {
  if (!ts_kernels_check_size(width, height, err)) return false;
  struct inversion inversion = {rgb, width, rc};
  ts_bands_run(threads, height, invert_rows, &inversion);
  return ts_open(rc, width, height, TS_ELEMENT_DISK19, rc_open, threads, err) &&
         ts_recon_u8(rc_open, rc, width, height, recon_connectivity, recon, threads, err);
}

struct subtraction {
  const uint8_t *rc; /* borrowed, like all below */
  const uint8_t *recon;
  uint8_t *diff;
  struct ts_bits *bits;
  uint8_t limit;
};

static void subtract_rows(void *context, const struct ts_band *band) {
  const struct subtraction *s = context;
  for (int64_t y = band->begin; y < band->end; y++) {
    int64_t at = y * s->bits->width;
    ts_variant_get()->subtract(s->rc + at, s->recon + at, s->bits->width, s->limit, s->diff + at,
                               ts_bits_row(s->bits, y));
  }
}

bool ts_nuclei_candidates(const uint8_t *rc, const uint8_t *recon, int64_t width, int64_t height, int fill_connectivity,
                          int g1, uint8_t *diff, uint8_t *bw1, const struct ts_kernel_threads *threads,
                          struct ts_error *err) {
  struct ts_bits bits = {0};
  if (!ts_bits_reserve(&bits, width, height, err)) return false;
  struct subtraction subtraction = {.rc = rc,
                                    .recon = recon,
                                    .bits = &bits,
                                    .limit = (uint8_t)(g1 < 0     ? 0
                                                       : g1 < 255 ? g1
                                                                  : 255)};
  subtraction.diff = diff;
  ts_bands_run(threads, height, subtract_rows, &subtraction);
  if (g1 < 0) ts_bits_fill(&bits);
  bool ok = ts_bits_fill_holes(&bits, fill_connectivity, threads, err);
  if (ok) ts_bits_to_plane(&bits, bw1, threads);
  ts_bits_release(&bits);
  return ok;
}

bool ts_nuclei_candidate_size(const uint8_t *bw1, int64_t width, int64_t height, int64_t min_size, int64_t max_size,
                              uint8_t *bw1_t, const struct ts_kernel_threads *threads, struct ts_error *err) {
  return ts_area_filter(bw1, width, height, min_size, max_size, 8, bw1_t, threads, err);
}

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
