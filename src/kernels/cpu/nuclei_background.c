/* The background of the inverted red channel: an opening and a reconstruction.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernels/cpu/bands.h"
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
  return ts_open(rc, width, height, rc_open, threads, err) &&
         ts_recon_u8(rc_open, rc, width, height, recon_connectivity, recon, threads, err);
}
