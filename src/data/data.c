/* Typed, counted data: making it, sharing it, and looking at it.
 * SPDX-License-Identifier: Apache-2.0 */
#include "data/data_int.h"

#include "base/alloc.h"
#include "base/block.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

bool ts_pixels_size(const struct ts_type *type, const struct ts_region *region, size_t *size_bytes) {
  const struct ts_region normal = ts_region_normal(region);
  if (normal.width <= 0 || normal.height <= 0 || normal.depth <= 0 || normal.frames <= 0) return false;
  int64_t end = 0;
  int32_t plane_end = 0;
  if (__builtin_add_overflow(normal.x, normal.width, &end) || __builtin_add_overflow(normal.y, normal.height, &end) ||
      __builtin_add_overflow(normal.z, normal.depth, &plane_end) ||
      __builtin_add_overflow(normal.t, normal.frames, &plane_end)) {
    return false;
  }
  const int64_t factors[] = {normal.height, normal.depth, normal.frames,
                             (int64_t)ts_element_bytes(type->element) * type->channels};
  int64_t size = normal.width;
  for (size_t i = 0; i < sizeof factors / sizeof *factors; i++)
    if (__builtin_mul_overflow(size, factors[i], &size)) return false;
  *size_bytes = (size_t)size;
  return true;
}

bool ts_table_size(size_t rows, size_t columns, size_t *size_bytes) {
  if (rows > 0 && columns == 0) return false;
  size_t cells = 0;
  return !__builtin_mul_overflow(rows, columns, &cells) && cells <= (size_t)PTRDIFF_MAX / sizeof(double) &&
         !__builtin_mul_overflow(cells, sizeof(double), size_bytes);
}

static struct ts_data *create(const struct ts_type *type) {
  struct ts_data *data = ts_calloc(1, sizeof *data);
  atomic_init(&data->references, 1);
  data->type = type;
  return data;
}

/* Takes the data; gives it back with a buffer, or destroys it. */
static struct ts_data *with_buffer(struct ts_data *data, size_t size_bytes, struct ts_error *err) {
  data->buffer = ts_buffer_create(size_bytes, err);
  if (data->buffer) return data;
  ts_data_unref(data);
  return NULL;
}

static void refuse_shape(const struct ts_type *type, const struct ts_region *region, struct ts_error *err) {
  const struct ts_region normal = ts_region_normal(region);
  char planes[64] = "";
  if (normal.depth != 1 || normal.frames != 1)
    snprintf(planes, sizeof planes, " in %d planes of %d frames", (int)normal.depth, (int)normal.frames);
  ts_fail(err, TS_ERR_BAD_VALUE, "no %s can have %lld x %lld pixels%s at %lld, %lld", type->name,
          (long long)normal.width, (long long)normal.height, planes, (long long)normal.x, (long long)normal.y);
  ts_error_help(err, "give a width and a height of at least 1");
}

struct ts_data *ts_data_create_pixels(const struct ts_type *type, const struct ts_region *region,
                                      struct ts_error *err) {
  if (type->kind != TS_DATA_PIXELS) TS_BUG("'%s' has no pixels", type->name);
  size_t size_bytes = 0;
  if (!ts_pixels_size(type, region, &size_bytes)) {
    refuse_shape(type, region, err);
    return NULL;
  }
  struct ts_data *data = create(type);
  data->region = ts_region_normal(region);
  return with_buffer(data, size_bytes, err);
}

/* The names and their text in one block. */
static char **copy_names(size_t count, const char *const *names) {
  if (count == 0) return NULL;
  size_t size = count * sizeof(char *);
  for (size_t i = 0; i < count; i++) size += strlen(names[i]) + 1;
  char **copy = ts_malloc(size);
  char *text = (char *)(copy + count);
  for (size_t i = 0; i < count; i++) {
    size_t length = strlen(names[i]) + 1;
    memcpy(text, names[i], length);
    copy[i] = text;
    text += length;
  }
  return copy;
}

struct ts_data *ts_data_create_table(size_t rows, size_t columns, const char *const *names, struct ts_error *err) {
  size_t size_bytes = 0;
  if (!ts_table_size(rows, columns, &size_bytes)) {
    ts_fail(err, TS_ERR_BAD_VALUE, "no table can have %zu rows of %zu columns", rows, columns);
    return NULL;
  }
  struct ts_data *data = create(ts_type_find("table"));
  data->rows = rows;
  data->columns = columns;
  data->names = copy_names(columns, names);
  return with_buffer(data, size_bytes, err);
}

struct ts_data *ts_data_create_bytes(const struct ts_type *type, size_t size_bytes, struct ts_error *err) {
  if (type->kind != TS_DATA_BYTES) TS_BUG("'%s' does not hold bytes", type->name);
  return with_buffer(create(type), size_bytes, err);
}

struct ts_data *ts_data_create_file(const char *path, const struct ts_sha256 *digest) {
  struct ts_data *data = create(ts_type_find("file"));
  data->path = ts_strdup(path);
  data->digest = *digest;
  return data;
}

struct ts_data *ts_data_ref(struct ts_data *data) {
  atomic_fetch_add_explicit(&data->references, 1, memory_order_relaxed);
  return data;
}

void ts_data_unref(struct ts_data *data) {
  if (!data || atomic_fetch_sub_explicit(&data->references, 1, memory_order_acq_rel) != 1) return;
  ts_buffer_free(data->buffer);
  ts_block_give(atomic_load_explicit(&data->bits, memory_order_relaxed));
  free(data->names);
  free(data->path);
  free(data);
}

void ts_data_unref_pointer(struct ts_data **data) {
  ts_data_unref(*data);
  *data = NULL;
}

void *ts_data_writable(struct ts_data *data) {
  if (!data->buffer) TS_BUG("a file has no memory to write to");
  ts_block_give(atomic_exchange(&data->bits, NULL)); /* they may not be true much longer */
  return ts_buffer_writable(data->buffer);
}

void ts_data_guard(struct ts_data *data) {
  if (data->buffer) ts_buffer_guard(data->buffer);
}

bool ts_data_is_intact(const struct ts_data *data) { return !data->buffer || ts_buffer_is_intact(data->buffer); }

static void canonical_doubles(double *numbers, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (isnan(numbers[i])) numbers[i] = NAN;
  }
}

static void canonical_floats(float *numbers, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (isnan(numbers[i])) numbers[i] = NAN;
  }
}

/* Processors differ in the bits of the NaN they make (sign and payload). */
void ts_data_finish(struct ts_data *data) {
  if (!data->buffer) return;
  bool pixels = data->type->kind == TS_DATA_PIXELS;
  size_t size_bytes = ts_buffer_size(data->buffer);
  if (data->type->kind == TS_DATA_TABLE || (pixels && data->type->element == TS_F64)) {
    canonical_doubles(ts_buffer_writable(data->buffer), size_bytes / sizeof(double));
  } else if (pixels && data->type->element == TS_F32) {
    canonical_floats(ts_buffer_writable(data->buffer), size_bytes / sizeof(float));
  }
}

const struct ts_type *ts_data_type(const struct ts_data *data) { return data->type; }

void ts_data_set_type(struct ts_data *data, const struct ts_type *type) {
  if (type->kind != data->type->kind || type->element != data->type->element ||
      type->channels != data->type->channels) {
    TS_BUG("'%s' cannot become '%s'", data->type->name, type->name);
  }
  data->type = type;
}

const struct ts_region *ts_data_region(const struct ts_data *data) {
  if (data->type->kind != TS_DATA_PIXELS) TS_BUG("'%s' has no region", data->type->name);
  return &data->region;
}

void ts_data_set_place(struct ts_data *data, const struct ts_region *place) {
  if (data->type->kind != TS_DATA_PIXELS) TS_BUG("'%s' has no region", data->type->name);
  data->region.x = place->x;
  data->region.y = place->y;
  data->region.z = place->z;
  data->region.t = place->t;
  data->region.level = place->level;
}

const void *ts_data_bytes(const struct ts_data *data, size_t *size_bytes) {
  if (size_bytes) *size_bytes = ts_data_size_bytes(data);
  return data->buffer ? ts_buffer_data(data->buffer) : NULL;
}

size_t ts_data_size_bytes(const struct ts_data *data) { return data->buffer ? ts_buffer_size(data->buffer) : 0; }

static const struct ts_data *require_table(const struct ts_data *data) {
  if (data->type->kind != TS_DATA_TABLE) TS_BUG("'%s' is not a table", data->type->name);
  return data;
}

size_t ts_data_rows(const struct ts_data *data) { return require_table(data)->rows; }

size_t ts_data_columns(const struct ts_data *data) { return require_table(data)->columns; }

const char *const *ts_data_column_names(const struct ts_data *data) {
  return (const char *const *)require_table(data)->names;
}

const double *ts_data_cells(const struct ts_data *data) { return ts_buffer_data(require_table(data)->buffer); }

bool ts_data_find_column(const struct ts_data *data, const char *name, size_t *column) {
  for (size_t i = 0; i < ts_data_columns(data); i++) {
    if (strcmp(data->names[i], name) != 0) continue;
    *column = i;
    return true;
  }
  return false;
}

const char *ts_data_path(const struct ts_data *data) {
  if (data->type->kind != TS_DATA_FILE) TS_BUG("'%s' is not a file", data->type->name);
  return data->path;
}
