/* Writes the shapes of objects as GeoJSON with their identifiers and measurements.
 * SPDX-License-Identifier: Apache-2.0 */
#include "work/files/shapes_file.h"

#include "work/files/geojson.h"

#include "base/alloc.h"
#include "base/const.h"
#include "data/shapes.h"

#include <stdio.h>
#include <string.h>

bool ts_is_shapes(const struct ts_data *data) { return strcmp(ts_data_type(data)->name, "shapes") == 0; }

static void add_id(void *user, uint64_t number, struct ts_str *out) {
  const struct ts_shapes_file *file = user;
  char name[24], id[TS_UUID_TEXT_SIZE];
  snprintf(name, sizeof name, "%llu", (unsigned long long)number);
  ts_object_id(file->ids, file->item, file->stage, file->tile, name, id);
  ts_str_add(out, id);
}

/* A table of something else of the same stage, such as the means of all objects, has no measurements of each. */
static bool has_measurements(const struct ts_shapes_file *file) {
  struct ts_shapes reader = {0};
  struct ts_error ignored = {0};
  size_t size = 0, column = 0;
  const void *bytes = ts_data_bytes(file->shapes, &size);
  const bool is_open = ts_shapes_open(&reader, bytes, size, &ignored);
  const uint64_t count = reader.count;
  ts_shapes_close(&reader);
  return is_open && file->table && ts_data_find_column(file->table, "id", &column) &&
         ts_data_rows(file->table) == count;
}

bool ts_shapes_file_write(const struct ts_shapes_file *file, const char *path, struct ts_error *err) {
  const struct ts_geojson geojson = {.shapes = file->shapes,
                                     .table = has_measurements(file) ? file->table : NULL,
                                     .class_name = file->workflow,
                                     .add_id = add_id,
                                     .user = ts_without_const(file)};
  return ts_geojson_write(path, &geojson, err);
}
