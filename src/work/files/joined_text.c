/* Tables and outlines of one tile as text that is joined with that of the others.
 * SPDX-License-Identifier: Apache-2.0 */
#include "work/files/joined_text.h"

#include "base/alloc.h"
#include "base/json.h"
#include "csv/csv.h"

#include <math.h>
#include <string.h>

/* ---- Tables ---- */

/* Columns in front of those of the table, and behind them. */
struct layout {
  bool file, place, number, against;
  size_t id; /* column of the table; SIZE_MAX: it has none */
};

static struct layout layout_of(const struct ts_joined_origin *origin, const struct ts_data *table) {
  size_t column;
  struct layout layout = {.file = !ts_data_find_column(table, "file", &column), .id = SIZE_MAX};
  layout.place = origin->tile && !ts_data_find_column(table, "x", &column) && !ts_data_find_column(table, "y", &column);
  if (ts_data_find_column(table, "id", &column)) {
    layout.id = column;
    layout.number = !ts_data_find_column(table, "number", &column);
  }
  layout.against = origin->against != NULL;
  return layout;
}

void ts_joined_header(const struct ts_joined_origin *origin, const struct ts_data *table, struct ts_str *out) {
  const struct layout layout = layout_of(origin, table);
  const size_t before = out->length;
  const char *const *names = ts_data_column_names(table);
  if (layout.file) ts_csv_add_cell(out, "file", true);
  if (layout.place) {
    ts_csv_add_cell(out, "x", out->length == before);
    ts_csv_add_cell(out, "y", false);
  }
  for (size_t c = 0; c < ts_data_columns(table); c++) ts_csv_add_cell(out, names[c], out->length == before);
  if (layout.number) ts_csv_add_cell(out, "number", false);
  if (layout.against) ts_csv_add_cell(out, "against", false);
  ts_str_add_char(out, '\n');
}

/* A missing value is an empty cell. */
static void add_number(struct ts_str *out, double number) {
  if (isinf(number))
    ts_str_add(out, number > 0 ? "inf" : "-inf");
  else if (!isnan(number))
    ts_str_add_double(out, number);
}

static void add_id(const struct ts_joined_origin *origin, double number, struct ts_str *out) {
  char id[TS_UUID_TEXT_SIZE];
  ts_auto(ts_str_release) struct ts_str name = {0};
  if (isnan(number)) return;
  add_number(&name, number);
  ts_object_id(origin->ids, origin->item, origin->stage, origin->tile, ts_str_get(&name), id);
  ts_str_add(out, id);
}

static void add_row(const struct ts_joined_origin *origin, const struct layout *layout, const double *cells,
                    size_t columns, struct ts_str *out) {
  const char *comma = "";
  if (layout->file) {
    ts_csv_add_cell(out, origin->file, true);
    comma = ",";
  }
  if (layout->place) {
    ts_str_addf(out, "%s%lld,%lld", comma, (long long)origin->tile->core.x, (long long)origin->tile->core.y);
    comma = ",";
  }
  for (size_t c = 0; c < columns; c++, comma = ",") {
    ts_str_add(out, comma);
    if (c == layout->id)
      add_id(origin, cells[c], out);
    else
      add_number(out, cells[c]);
  }
  if (layout->number) {
    ts_str_add_char(out, ',');
    add_number(out, cells[layout->id]);
  }
  if (layout->against) ts_csv_add_cell(out, origin->against, false);
  ts_str_add_char(out, '\n');
}

void ts_joined_rows(const struct ts_joined_origin *origin, const struct ts_data *table, size_t first, size_t count,
                    struct ts_str *out) {
  const struct layout layout = layout_of(origin, table);
  const size_t columns = ts_data_columns(table);
  for (size_t r = first; r < first + count; r++)
    add_row(origin, &layout, ts_data_cells(table) + r * columns, columns, out);
}

/* ---- Outlines ---- */

/* What the feature is known by within its tile: its own id, or its place. */
static void add_name(const json_t *feature, size_t place, struct ts_str *out) {
  const json_t *id = json_object_get(feature, "id");
  if (json_is_string(id))
    ts_str_add(out, json_string_value(id));
  else if (json_is_number(id))
    ts_str_add_double(out, json_number_value(id));
  else
    ts_str_add_int64(out, (int64_t)place + 1);
}

static void add_feature(const struct ts_joined_origin *origin, json_t *feature, size_t place, struct ts_str *out) {
  char id[TS_UUID_TEXT_SIZE];
  ts_auto(ts_str_release) struct ts_str name = {0};
  add_name(feature, place, &name);
  ts_object_id(origin->ids, origin->item, origin->stage, origin->tile, ts_str_get(&name), id);
  json_object_set_new(feature, "id", json_string(id));
  ts_auto_free char *text = ts_json_dump(feature, false, false);
  if (place > 0) ts_str_add(out, ",\n");
  ts_str_add(out, text);
}

static bool fail_format(const struct ts_joined_origin *origin, struct ts_error *err) {
  ts_fail(err, TS_ERR_BAD_VALUE, "the outlines that '%s' gives for '%s' are not a GeoJSON FeatureCollection",
          origin->stage, origin->file);
  return ts_error_help(err, "an operation must give outlines as GeoJSON; with --per-tile they are written as they are");
}

bool ts_joined_features(const struct ts_joined_origin *origin, const struct ts_data *objects, struct ts_str *out,
                        struct ts_error *err) {
  size_t size = 0;
  const char *bytes = ts_data_bytes(objects, &size);
  ts_auto(json_decrefp) json_t *root = json_loadb(bytes, size, 0, NULL);
  json_t *features = json_object_get(root, "features");
  if (!json_is_array(features)) return fail_format(origin, err);
  for (size_t i = 0; i < json_array_size(features); i++) {
    json_t *feature = json_array_get(features, i);
    if (!json_is_object(feature)) return fail_format(origin, err);
    add_feature(origin, feature, i, out);
  }
  return true;
}
