/* Keeps an image that comes in pieces in a file without a name.
 * SPDX-License-Identifier: Apache-2.0 */
#include "image/spool_int.h"

#include "base/alloc.h"
#include "base/file.h"
#include "base/file_stream.h"

#include <string.h>
#include <unistd.h>

#define LABEL_MAX 65535 /* of a 16-bit PNG */

struct ts_spool *ts_spool_create(const char *folder, const struct ts_type *type, int64_t width, int64_t height,
                                 struct ts_error *err) {
  if (type->kind != TS_DATA_PIXELS || width <= 0 || height <= 0)
    TS_BUG("'%s' of %lld x %lld pixels", type->name, (long long)width, (long long)height);
  const int file = ts_file_create_nameless(folder, err);
  if (file < 0) return NULL;
  struct ts_spool *spool = ts_calloc(1, sizeof *spool);
  *spool = (struct ts_spool){.type = type,
                             .width = width,
                             .height = height,
                             .pixel_bytes = ts_element_bytes(type->element) * (size_t)type->channels,
                             .folder = ts_strdup(folder),
                             .file = file};
  return spool;
}

void ts_spool_destroy(struct ts_spool *spool) {
  if (!spool) return;
  close(spool->file);
  free(spool->folder);
  free(spool);
}

int64_t ts_spool_width(const struct ts_spool *spool) { return spool->width; }
int64_t ts_spool_height(const struct ts_spool *spool) { return spool->height; }
const struct ts_type *ts_spool_type(const struct ts_spool *spool) { return spool->type; }

bool ts_spool_takes(const struct ts_spool *spool, const struct ts_data *pixels, int64_t x, int64_t y) {
  if (ts_data_type(pixels) != spool->type) return false;
  const struct ts_region *region = ts_data_region(pixels);
  return !ts_region_is_volume(region) && x >= 0 && y >= 0 && region->width <= spool->width - x &&
         region->height <= spool->height - y;
}

static bool is_zero(const unsigned char *bytes, size_t size) {
  return size == 0 || (bytes[0] == 0 && memcmp(bytes, bytes + 1, size - 1) == 0);
}

static uint64_t place_of(const struct ts_spool *spool, int64_t x, int64_t y) {
  return (uint64_t)(y * spool->width + x) * spool->pixel_bytes;
}

static void note_labels(struct ts_spool *spool, const void *samples, size_t count) {
  const uint32_t *labels = samples;
  for (size_t i = 0; i < count; i++)
    if (labels[i] > spool->label_max) spool->label_max = labels[i];
}

/* Rows of zeros are not written: the file then has a hole, which takes no space. */
bool ts_spool_put(struct ts_spool *spool, const struct ts_data *pixels, int64_t x, int64_t y, struct ts_error *err) {
  if (!ts_spool_takes(spool, pixels, x, y)) TS_BUG("a piece that does not fit into its image");
  const struct ts_region *region = ts_data_region(pixels);
  const unsigned char *row = ts_data_bytes(pixels, NULL);
  const size_t row_bytes = (size_t)region->width * spool->pixel_bytes;
  if (spool->type->element == TS_U32) note_labels(spool, row, (size_t)(region->width * region->height));
  for (int64_t i = 0; i < region->height; i++, row += row_bytes) {
    if (is_zero(row, row_bytes)) continue;
    const int number = ts_file_write_at(spool->file, place_of(spool, x, y + i), row, row_bytes);
    if (number) return ts_file_fail(err, spool->folder, "hold a temporary file", number);
  }
  return true;
}

bool ts_spool_read(const struct ts_spool *spool, int64_t y, int64_t rows, void *pixels, struct ts_error *err) {
  const size_t size = (size_t)(rows * spool->width) * spool->pixel_bytes;
  const int number = ts_file_read_at(spool->file, place_of(spool, 0, y), pixels, size);
  return number == 0 || ts_file_fail(err, spool->folder, "be read", number);
}

int ts_spool_read_part(const struct ts_spool *spool, int64_t x, int64_t y, int64_t width, void *pixels) {
  return ts_file_read_at(spool->file, place_of(spool, x, y), pixels, (size_t)width * spool->pixel_bytes);
}

const char *ts_spool_ending(const struct ts_spool *spool) {
  const bool is_large = spool->width > TS_PNG_SIDE_MAX || spool->height > TS_PNG_SIDE_MAX;
  const bool is_field = spool->type->element == TS_F32 || spool->type->element == TS_F64;
  return is_large || is_field || spool->label_max > LABEL_MAX ? "ome.tif" : "png";
}
