/* Brings pixels of any port type into 8 or 16 bits per channel, smaller if asked.
 * SPDX-License-Identifier: Apache-2.0 */
#include "image/pixels_int.h"

#include "base/alloc.h"
#include "base/order.h"

#include <string.h>

#define LABEL_MAX 65535U

static bool keeps_maximum(const struct ts_type *type) {
  return type->element == TS_U32 || strcmp(type->name, "mask") == 0;
}

static uint32_t sample(enum ts_element element, const void *samples, size_t index) {
  switch (element) {
  case TS_U8: return ((const uint8_t *)samples)[index];
  case TS_U16: return ((const uint16_t *)samples)[index];
  case TS_U32: return ((const uint32_t *)samples)[index];
  case TS_F32:
  case TS_F64: break;
  }
  return 0;
}

static void store(int32_t bits, void *samples, size_t index, uint32_t value) {
  if (bits == 8) {
    ((uint8_t *)samples)[index] = (uint8_t)value;
  } else {
    ((uint16_t *)samples)[index] = (uint16_t)value;
  }
}

/* One channel of one block: its maximum, or its mean rounded half up. */
static uint32_t block_value(const struct ts_data *data, const struct ts_region *block, int32_t channel) {
  size_t size_bytes = 0;
  const void *samples = ts_data_bytes(data, &size_bytes);
  const struct ts_type *type = ts_data_type(data);
  int64_t width = ts_data_region(data)->width;
  uint64_t sum = 0;
  uint32_t maximum = 0;
  for (int64_t y = block->y; y < block->y + block->height; y++) {
    for (int64_t x = block->x; x < block->x + block->width; x++) {
      uint32_t value = sample(type->element, samples, (size_t)((y * width + x) * type->channels + channel));
      sum += value;
      if (value > maximum) maximum = value;
    }
  }
  uint64_t count = (uint64_t)(block->width * block->height);
  return keeps_maximum(type) ? maximum : (uint32_t)((sum + count / 2) / count);
}

static bool shrink_pixels(struct ts_plain_pixels *plain, const struct ts_data *data, int64_t shrink,
                          struct ts_error *err) {
  const struct ts_region *all = ts_data_region(data);
  plain->width = (all->width - 1) / shrink + 1;
  plain->height = (all->height - 1) / shrink + 1;
  size_t count = (size_t)(plain->width * plain->height * plain->channels);
  plain->owned = malloc(count * (size_t)(plain->bits / 8));
  if (!plain->owned) return ts_fail(err, TS_ERR_NO_MEMORY, "no memory for a picture of %zu values", count);
  plain->samples = plain->owned;
  for (size_t i = 0; i < count; i++) {
    int32_t channel = (int32_t)(i % (size_t)plain->channels);
    int64_t pixel = (int64_t)(i / (size_t)plain->channels);
    struct ts_region block = {.x = pixel % plain->width * shrink, .y = pixel / plain->width * shrink};
    block.width = ts_smaller(shrink, all->width - block.x);
    block.height = ts_smaller(shrink, all->height - block.y);
    uint32_t value = block_value(data, &block, channel);
    if (value > LABEL_MAX) {
      ts_fail(err, TS_ERR_BAD_VALUE, "label %u does not fit into a 16-bit PNG", (unsigned)value);
      return ts_error_help(err, "use smaller tiles, so that a tile has at most %u labels", LABEL_MAX);
    }
    store(plain->bits, plain->owned, i, value);
  }
  return true;
}

bool ts_plain_pixels_init(struct ts_plain_pixels *plain, const struct ts_data *data, int32_t shrink,
                          struct ts_error *err) {
  *plain = (struct ts_plain_pixels){0};
  const struct ts_type *type = ts_data_type(data);
  if (type->kind != TS_DATA_PIXELS || type->element == TS_F32 || type->element == TS_F64) {
    ts_fail(err, TS_ERR_PORT_TYPE, "'%s' cannot be written as PNG", type->name);
    return ts_error_help(err, "only images, masks and labels have a PNG form");
  }
  const struct ts_region *region = ts_data_region(data);
  if (ts_region_is_volume(region)) {
    ts_fail(err, TS_ERR_BAD_VALUE, "%d planes of %d frames cannot be written as one PNG", (int)region->depth,
            (int)region->frames);
    return ts_error_help(err, "let an operation choose a plane, or project them onto one");
  }
  plain->width = region->width;
  plain->height = region->height;
  plain->channels = type->channels;
  plain->bits = type->element == TS_U8 ? 8 : 16;
  if (shrink <= 1 && type->element != TS_U32) {
    size_t size_bytes = 0;
    plain->samples = ts_data_bytes(data, &size_bytes);
    return true;
  }
  if (shrink_pixels(plain, data, shrink < 1 ? 1 : shrink, err)) return true;
  ts_plain_pixels_release(plain);
  return false;
}

void ts_plain_pixels_release(struct ts_plain_pixels *plain) {
  free(plain->owned);
  *plain = (struct ts_plain_pixels){0};
}
