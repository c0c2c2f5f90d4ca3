/* Luma of colours.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernels/cpu/bands.h"
#include "kernels/pixels.h"

struct graying {
  const uint8_t *rgb; /* borrowed */
  uint8_t *out;       /* borrowed */
  int64_t width;
};

static void gray_band(void *context, const struct ts_band *band) {
  const struct graying *g = context;
  const int64_t end = band->end * g->width;
  for (int64_t i = band->begin * g->width; i < end; i++) {
    const uint8_t *pixel = g->rgb + 3 * i;
    g->out[i] = (uint8_t)((299u * pixel[0] + 587u * pixel[1] + 114u * pixel[2] + 500u) / 1000u);
  }
}

void ts_pixels_gray(const uint8_t *rgb, int64_t width, int64_t height, uint8_t *out,
                    const struct ts_kernel_threads *threads) {
  struct graying graying = {.rgb = rgb, .width = width};
  graying.out = out;
  ts_bands_run(threads, height, gray_band, &graying);
}
