/* The grid of tiles that covers an image.
 * SPDX-License-Identifier: Apache-2.0 */
#include "image/image.h"

#include "base/order.h"

/* One direction: where tile `index` starts and how long it is, without and with halo. */
struct span {
  int64_t start, length;
  int64_t halo_start, halo_length;
};

static struct span span_of(int64_t index, int64_t tile_px, int64_t halo_px, int64_t total) {
  struct span span = {.start = index * tile_px};
  span.length = ts_smaller(tile_px, total - span.start);
  span.halo_start = ts_larger(0, span.start - halo_px);
  /* Compared before adding: a halo may be larger than any image. */
  int64_t after = ts_smaller(halo_px, total - span.start - span.length);
  span.halo_length = span.start + span.length + after - span.halo_start;
  return span;
}

size_t ts_image_tiles(int64_t width, int64_t height, int32_t level, int64_t tile_px, int64_t halo_px,
                      struct ts_tile *tiles, size_t capacity) {
  if (width <= 0 || height <= 0) return 0;
  int64_t tile_width = tile_px > 0 ? tile_px : width;
  int64_t tile_height = tile_px > 0 ? tile_px : height;
  int64_t halo = ts_larger(0, halo_px);
  int64_t columns = (width - 1) / tile_width + 1;
  int64_t rows = (height - 1) / tile_height + 1;
  size_t count = (size_t)columns * (size_t)rows;
  for (size_t i = 0; i < count && i < capacity; i++) {
    struct span x = span_of((int64_t)i % columns, tile_width, halo, width);
    struct span y = span_of((int64_t)i / columns, tile_height, halo, height);
    tiles[i].core =
        (struct ts_region){.x = x.start, .y = y.start, .width = x.length, .height = y.length, .level = level};
    tiles[i].region = (struct ts_region){
        .x = x.halo_start, .y = y.halo_start, .width = x.halo_length, .height = y.halo_length, .level = level};
  }
  return count;
}
