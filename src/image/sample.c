/* Lays out and reads a sample: about as many columns as rows of blocks per length, each in the middle of its share.
 * SPDX-License-Identifier: Apache-2.0 */
#include "image/sample.h"

#include "base/alloc.h"
#include "base/order.h"
#include "image/image.h"

#include <math.h>
#include <string.h>

struct ts_sample_layout ts_sample_layout_of(int64_t width, int64_t height, int64_t sample_px) {
  struct ts_sample_layout layout = {.width = width, .height = height};
  if (height == 0 || width <= sample_px / height) return layout;
  const int64_t blocks = ts_larger(sample_px / ((int64_t)TS_SAMPLE_BLOCK_PX * TS_SAMPLE_BLOCK_PX), 1);
  /* sqrt is exact to the last bit everywhere, so all machines agree on the number of columns. */
  layout.columns = (int64_t)sqrt((double)blocks * ((double)width / (double)height));
  layout.columns = ts_larger(1, ts_smaller(ts_smaller(layout.columns, blocks), width / TS_SAMPLE_BLOCK_PX));
  layout.rows = ts_larger(1, ts_smaller(blocks / layout.columns, height / TS_SAMPLE_BLOCK_PX));
  layout.width = layout.columns * ts_smaller(TS_SAMPLE_BLOCK_PX, width);
  layout.height = layout.rows * ts_smaller(TS_SAMPLE_BLOCK_PX, height);
  return layout;
}

/* The block in the middle of share i of n, moved back to a corner of the lattice of blocks, and into the image. */
static int64_t corner(int64_t extent, int64_t n, int64_t i) {
  const int64_t middle = (int64_t)(((double)i + 0.5) * ((double)extent / (double)n));
  const int64_t first = ts_larger(middle - TS_SAMPLE_BLOCK_PX / 2, 0) / TS_SAMPLE_BLOCK_PX * TS_SAMPLE_BLOCK_PX;
  return ts_larger(ts_smaller(first, extent - TS_SAMPLE_BLOCK_PX), 0);
}

void ts_sample_block(const struct ts_sample_layout *layout, int64_t width, int64_t height, int64_t column, int64_t row,
                     int64_t *x, int64_t *y) {
  *x = corner(width, layout->columns, column);
  *y = corner(height, layout->rows, row);
}

bool ts_image_read_sample(const char *path, const struct ts_type *type, const struct ts_region *whole,
                          const struct ts_sample_layout *layout, void *pixels, struct ts_error *err) {
  if (layout->columns == 0) return ts_image_read_into(path, type, whole, pixels, err);
  const size_t pixel_bytes = ts_element_bytes(type->element) * (size_t)type->channels;
  struct ts_region block = {.width = ts_smaller(TS_SAMPLE_BLOCK_PX, whole->width),
                            .height = ts_smaller(TS_SAMPLE_BLOCK_PX, whole->height),
                            .level = whole->level};
  const size_t row_bytes = (size_t)block.width * pixel_bytes;
  ts_auto_free unsigned char *room = ts_malloc((size_t)block.height * row_bytes);
  for (int64_t i = 0; i < layout->rows * layout->columns; i++) {
    const int64_t column = i % layout->columns, row = i / layout->columns;
    ts_sample_block(layout, whole->width, whole->height, column, row, &block.x, &block.y);
    if (!ts_image_read_into(path, type, &block, room, err)) return false;
    for (int64_t y = 0; y < block.height; y++) {
      const size_t at = (size_t)((row * block.height + y) * layout->width + column * block.width) * pixel_bytes;
      memcpy((unsigned char *)pixels + at, room + (size_t)y * row_bytes, row_bytes);
    }
  }
  return true;
}
