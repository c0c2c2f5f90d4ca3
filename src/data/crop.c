/* Cuts a box out of pixel data.
 * SPDX-License-Identifier: Apache-2.0 */
#include "data/data.h"

#include <string.h>

static bool is_inside(const struct ts_region *inner, const struct ts_region *outer) {
  return inner->x >= outer->x && inner->y >= outer->y && inner->x + inner->width <= outer->x + outer->width &&
         inner->y + inner->height <= outer->y + outer->height && inner->z >= outer->z && inner->t >= outer->t &&
         (int64_t)inner->z + inner->depth <= (int64_t)outer->z + outer->depth &&
         (int64_t)inner->t + inner->frames <= (int64_t)outer->t + outer->frames;
}

/* One plane: its rows are those of the whole plane `from` that lie in `region`. */
static void crop_plane(const struct ts_region *from, const uint8_t *source, const struct ts_region *region,
                       size_t pixel_bytes, uint8_t *target) {
  size_t row_bytes = (size_t)region->width * pixel_bytes;
  for (int64_t y = 0; y < region->height; y++) {
    int64_t first = (region->y - from->y + y) * from->width + (region->x - from->x);
    memcpy(target + (size_t)y * row_bytes, source + (size_t)first * pixel_bytes, row_bytes);
  }
}

struct ts_data *ts_data_crop(const struct ts_data *data, const struct ts_region *region, struct ts_error *err) {
  const struct ts_region *from = ts_data_region(data), box = ts_region_normal(region);
  const struct ts_type *type = ts_data_type(data);
  if (!is_inside(&box, from)) {
    ts_fail(err, TS_ERR_OPERATION_CONTRACT, "a tile of %lld x %lld pixels does not cover its core",
            (long long)from->width, (long long)from->height);
    ts_error_help(err, "an operation changed the size of its tile: give the study no halo");
    return NULL;
  }
  struct ts_data *out = ts_data_create_pixels(type, &box, err);
  if (!out) return NULL;
  const size_t pixel_bytes = ts_element_bytes(type->element) * (size_t)type->channels;
  const size_t from_plane = (size_t)(from->width * from->height) * pixel_bytes;
  const size_t to_plane = (size_t)(box.width * box.height) * pixel_bytes;
  const uint8_t *source = ts_data_bytes(data, NULL);
  uint8_t *target = ts_data_writable(out);
  for (int32_t t = 0; t < box.frames; t++) {
    for (int32_t z = 0; z < box.depth; z++, target += to_plane) {
      const int64_t plane = (int64_t)(box.t - from->t + t) * from->depth + (box.z - from->z + z);
      crop_plane(from, source + (size_t)plane * from_plane, &box, pixel_bytes, target);
    }
  }
  return out;
}
