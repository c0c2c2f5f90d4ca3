/* Canny edges of one channel of an interleaved image.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_KERNELS_CPU_CANNY_H
#define TS_KERNELS_CPU_CANNY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "kernels/threads.h"

/* A channel of an image: pixel (x, y) is at[(y * width + x) * step]. */
struct ts_channel {
  const uint8_t *at; /* borrowed */
  int64_t width;
  int64_t height;
  int64_t step; /* 1 or 3 */
};

/* A map with a ring of one pixel around it: 255 is an edge. */
struct ts_edges {
  uint8_t *map; /* owned */
  int64_t stride;
};

/* edges is 0 or from an earlier call with the same size; release in the end, also after an error. */
bool ts_edges_find(struct ts_edges *edges, const struct ts_channel *channel, int low, int high,
                   const struct ts_kernel_threads *threads, struct ts_error *err);
void ts_edges_release(struct ts_edges *edges);

static inline const uint8_t *ts_edges_row(const struct ts_edges *edges, int64_t y) {
  return edges->map + (y + 1) * edges->stride + 1;
}

/* Gradient magnitudes of the pixels [begin, end) of row y. */
void ts_gradient_row(const struct ts_channel *channel, int64_t y, int64_t begin, int64_t end, uint8_t *out);

#endif
