/* Cuts a rectangle out of pixel data.
 * SPDX-License-Identifier: Apache-2.0 */
#include "data/data.h"

#include <string.h>

static bool is_inside(const struct ts_region *inner, const struct ts_region *outer) {
  return inner->x >= outer->x && inner->y >= outer->y && inner->x + inner->width <= outer->x + outer->width &&
         inner->y + inner->height <= outer->y + outer->height;
}

struct ts_data *ts_data_crop(const struct ts_data *data, const struct ts_region *region, struct ts_error *err) {
  const struct ts_region *from = ts_data_region(data);
  const struct ts_type *type = ts_data_type(data);
  if (!is_inside(region, from)) {
    ts_fail(err, TS_ERR_OPERATION_CONTRACT, "a tile of %lld x %lld pixels does not cover its core",
            (long long)from->width, (long long)from->height);
    ts_error_help(err, "an operation changed the size of its tile: give the study no halo");
    return NULL;
  }
  struct ts_data *out = ts_data_create_pixels(type, region, err);
  if (!out) return NULL;
  size_t pixel = ts_element_bytes(type->element) * (size_t)type->channels;
  size_t row_bytes = (size_t)region->width * pixel;
  const uint8_t *source = ts_data_bytes(data, NULL);
  uint8_t *target = ts_data_writable(out);
  for (int64_t y = 0; y < region->height; y++) {
    int64_t first = (region->y - from->y + y) * from->width + (region->x - from->x);
    memcpy(target + (size_t)y * row_bytes, source + (size_t)first * pixel, row_bytes);
  }
  return out;
}
