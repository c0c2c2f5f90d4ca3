/* The outputs of a call by hand: a file for each, in the form in which a run writes them, and a few words about it.
 * SPDX-License-Identifier: Apache-2.0 */
#include "api/call/hand_call.h"
#include "image/spool.h"
#include "work/files/geojson.h"

#include "base/alloc.h"
#include "base/file.h"

#include <math.h>
#include <string.h>
#include <sys/stat.h>

/* ---- Files ---- */

static char *path_of(const struct hand_call *call, const char *port, const char *ending) {
  ts_auto(ts_str_release) struct ts_str name = {0};
  ts_str_addf(&name, "%s.%s", port, ending);
  return ts_path_join(call->folder, ts_str_get(&name));
}

/* PNG, or OME-TIFF for what a PNG does not hold. */
static char *write_pixels(const struct hand_call *call, const char *port, const struct ts_data *data,
                          struct ts_error *err) {
  const struct ts_region *region = ts_data_region(data);
  if (ts_region_is_volume(region)) {
    ts_fail(err, TS_ERR_BAD_VALUE, "output '%s' has %d planes of %d frames, for which there is no file format", port,
            (int)region->depth, (int)region->frames);
    ts_error_help(err, "use the operation in a workflow, before one that chooses a plane");
    return NULL;
  }
  struct ts_spool *spool = ts_spool_create(call->folder, ts_data_type(data), region->width, region->height, err);
  ts_auto_free char *path = NULL;
  bool good = spool && ts_spool_put(spool, data, 0, 0, err);
  if (good) {
    path = path_of(call, port, ts_spool_ending(spool));
    good = ts_spool_write(spool, path, &call->pixel_size, err);
  }
  ts_spool_destroy(spool);
  return good ? ts_steal(path) : NULL;
}

/* Objects are named by their numbers, as in the column 'id' of a table beside them. */
static void add_number(void *user, uint64_t number, struct ts_str *id) {
  (void)user;
  ts_str_addf(id, "%llu", (unsigned long long)number);
}

static bool write_other(const struct hand_call *call, const char *path, const struct ts_data *data,
                        struct ts_error *err) {
  const struct ts_type *type = ts_data_type(data);
  if (type->kind == TS_DATA_TABLE) {
    ts_auto(ts_str_release) struct ts_str csv = {0};
    ts_table_to_csv(data, NULL, NULL, &csv);
    return ts_file_write(path, ts_str_get(&csv), csv.length, err);
  }
  if (strcmp(type->name, "shapes") == 0) {
    const struct ts_geojson geojson = {.shapes = data, .class_name = call->op->descriptor->name, .add_id = add_number};
    return ts_geojson_write(path, &geojson, err);
  }
  size_t size = 0;
  const void *bytes = ts_data_bytes(data, &size);
  return ts_file_write(path, bytes, size, err);
}

/* Owned; NULL with the error set. */
static char *write_file(const struct hand_call *call, const char *port, const struct ts_data *data,
                        struct ts_error *err) {
  const struct ts_type *type = ts_data_type(data);
  if (type->kind == TS_DATA_PIXELS) return write_pixels(call, port, data, err);
  ts_auto_free char *path = path_of(call, port, type->file_ending);
  return write_other(call, path, data, err) ? ts_steal(path) : NULL;
}

/* ---- Words ---- */

static double element_at(const void *bytes, enum ts_element element, size_t index) {
  switch (element) {
  case TS_U8: return ((const uint8_t *)bytes)[index];
  case TS_U16: return ((const uint16_t *)bytes)[index];
  case TS_U32: return ((const uint32_t *)bytes)[index];
  case TS_F32: return ((const float *)bytes)[index];
  case TS_F64: return ((const double *)bytes)[index];
  }
  return 0;
}

/* Numbers that are not finite are left out; null where there is none. */
static void describe_pixels(const struct ts_data *data, json_t *entry) {
  const struct ts_region *region = ts_data_region(data);
  const struct ts_type *type = ts_data_type(data);
  const size_t count = (size_t)region->width * (size_t)region->height * (size_t)type->channels;
  const void *bytes = ts_data_bytes(data, NULL);
  double least = INFINITY, most = -INFINITY;
  for (size_t i = 0; i < count; i++) {
    const double value = element_at(bytes, type->element, i);
    if (!isfinite(value)) continue;
    least = fmin(least, value);
    most = fmax(most, value);
  }
  json_object_set_new(entry, "x", json_integer(region->x));
  json_object_set_new(entry, "y", json_integer(region->y));
  json_object_set_new(entry, "width", json_integer(region->width));
  json_object_set_new(entry, "height", json_integer(region->height));
  json_object_set_new(entry, "min", ts_json_real(least));
  json_object_set_new(entry, "max", ts_json_real(most));
}

static void describe_table(const struct ts_data *data, json_t *entry) {
  json_t *columns = json_array();
  for (size_t i = 0; i < ts_data_columns(data); i++)
    json_array_append_new(columns, json_string(ts_data_column_names(data)[i]));
  json_object_set_new(entry, "rows", ts_json_count(ts_data_rows(data)));
  json_object_set_new(entry, "columns", columns);
}

static json_t *describe(const char *port, const struct ts_data *data, const char *path) {
  const struct ts_type *type = ts_data_type(data);
  struct stat state = {0};
  json_t *entry = json_pack("{s:s, s:s, s:s}", "port", port, "type", type->name, "file", path);
  if (stat(path, &state) == 0) json_object_set_new(entry, "bytes", json_integer((json_int_t)state.st_size));
  if (type->kind == TS_DATA_PIXELS) describe_pixels(data, entry);
  if (type->kind == TS_DATA_TABLE) describe_table(data, entry);
  return entry;
}

bool ts_hand_call_write(struct hand_call *call, json_t *list) {
  const struct ts_op_descriptor *d = call->op->descriptor;
  struct ts_error err = {0};
  bool good = ts_folder_create(call->folder, &err);
  for (size_t i = 0; good && i < d->output_count; i++) {
    ts_auto_free char *path = write_file(call, d->outputs[i]->name, call->outputs[i], &err);
    good = path != NULL;
    if (good) json_array_append_new(list, describe(d->outputs[i]->name, call->outputs[i], path));
  }
  return good || ts_issues_fault(call->issues, &err);
}
