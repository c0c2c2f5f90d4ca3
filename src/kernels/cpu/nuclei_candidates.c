/* Candidate nuclei: what exceeds the background, holes filled.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernels/cpu/bands.h"
#include "kernels/cpu/bits.h"
#include "kernels/cpu/variant.h"
#include "kernels/nuclei.h"

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
