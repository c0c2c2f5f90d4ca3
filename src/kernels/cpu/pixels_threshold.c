/* Foreground below a value.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernels/cpu/bands.h"
#include "kernels/pixels.h"

struct thresholding {
  const uint8_t *in; /* borrowed */
  uint8_t *out;      /* borrowed */
  int64_t width;
  int below;
};

static void threshold_band(void *context, const struct ts_band *band) {
  const struct thresholding *t = context;
  const int64_t end = band->end * t->width;
  for (int64_t i = band->begin * t->width; i < end; i++) t->out[i] = t->in[i] < t->below ? 255 : 0;
}

void ts_pixels_threshold(const uint8_t *in, int64_t width, int64_t height, int below, uint8_t *out,
                         const struct ts_kernel_threads *threads) {
  struct thresholding thresholding = {.in = in, .width = width, .below = below};
  thresholding.out = out;
  ts_bands_run(threads, height, threshold_band, &thresholding);
}
