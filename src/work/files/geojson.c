/* Writes the shapes of a file's objects as GeoJSON, in the form in which QuPath and others open them.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Objects and rows of the table both come in the order of their numbers, so one walk along the two finds what belongs
 * together. */
#include "work/files/geojson.h"

#include "base/alloc.h"
#include "base/file_stream.h"
#include "base/json.h"
#include "data/shapes.h"
#include "kernels/outline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The columns of the table that are written, with their names as JSON strings. */
struct measurements {
  const double *cells; /* borrowed; NULL without a table */
  size_t rows, columns;
  size_t id_column;
  char **names; /* owned: per column; NULL: not written */
  size_t next;  /* the first row that was not looked at */
};

static char *quote(const char *text) {
  json_t *string = json_string(text);
  if (!string) return ts_strdup("\"\"");
  char *quoted = json_dumps(string, JSON_ENCODE_ANY | JSON_COMPACT);
  json_decref(string);
  return quoted;
}

static bool is_written(const char *name) {
  static const char *const others[] = {"file", "id", "x", "y"};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    if (strcmp(name, others[i]) == 0) return false;
  return true;
}

static bool measurements_init(struct measurements *m, const struct ts_data *table, struct ts_error *err) {
  *m = (struct measurements){0};
  if (!table) return true;
  if (!ts_data_find_column(table, "id", &m->id_column))
    return ts_fail(err, TS_ERR_BAD_VALUE, "the table of these objects has no column 'id'");
  m->cells = ts_data_cells(table);
  m->rows = ts_data_rows(table);
  m->columns = ts_data_columns(table);
  m->names = ts_calloc(m->columns, sizeof *m->names);
  for (size_t c = 0; c < m->columns; c++) {
    const char *name = ts_data_column_names(table)[c];
    if (is_written(name)) m->names[c] = quote(name);
  }
  return true;
}

static void measurements_release(struct measurements *m) {
  for (size_t c = 0; m->names && c < m->columns; c++) free(m->names[c]);
  free(m->names);
}

/* The row of an object, or NULL. */
static const double *find_row(struct measurements *m, uint64_t number) {
  for (; m->next < m->rows; m->next++) {
    const double *row = m->cells + m->next * m->columns;
    if (row[m->id_column] >= (double)number) return row[m->id_column] == (double)number ? row : NULL;
  }
  return NULL;
}

static void add_measurements(struct ts_str *out, struct measurements *m, uint64_t number) {
  const double *row = m->cells ? find_row(m, number) : NULL;
  bool first = true;
  ts_str_add_char(out, '{');
  for (size_t c = 0; row && c < m->columns; c++) {
    if (!m->names[c] || !isfinite(row[c])) continue;
    if (!first) ts_str_add_char(out, ',');
    first = false;
    ts_str_add(out, m->names[c]);
    ts_str_add_char(out, ':');
    ts_str_add_double(out, row[c]);
  }
  ts_str_add_char(out, '}');
}

static void add_ring(struct ts_str *out, const struct ts_outlines *outlines, const struct ts_ring *ring) {
  for (size_t i = 0; i < ring->count; i++) {
    const struct ts_vertex *v = &outlines->vertices[ring->first + i];
    ts_str_add(out, i ? ",[" : "[[");
    ts_str_add_int64(out, v->x);
    ts_str_add_char(out, ',');
    ts_str_add_int64(out, v->y);
    ts_str_add_char(out, ']');
  }
  ts_str_add_char(out, ']');
}

/* A polygon is an outer ring and the holes that follow it. */
static void add_geometry(struct ts_str *out, const struct ts_outlines *outlines) {
  size_t polygons = 0;
  for (size_t i = 0; i < outlines->ring_count; i++) polygons += outlines->rings[i].hole ? 0 : 1;
  ts_str_addf(out, "{\"type\":\"%s\",\"coordinates\":", polygons > 1 ? "MultiPolygon" : "Polygon");
  ts_str_add(out, polygons > 1 ? "[[" : "[");
  for (size_t i = 0; i < outlines->ring_count; i++) {
    if (i > 0) ts_str_add(out, outlines->rings[i].hole ? "," : "],[");
    add_ring(out, outlines, &outlines->rings[i]);
  }
  ts_str_add(out, polygons > 1 ? "]]}" : "]}");
}

static bool add_feature(struct ts_str *out, const struct ts_geojson *geojson, const char *class_name,
                        struct measurements *m, const struct ts_shape *shape, struct ts_error *err) {
  struct ts_outlines outlines;
  bool ok = ts_outline_runs(shape->runs, shape->count, &outlines, err);
  if (ok) {
    ts_auto(ts_str_release) struct ts_str id = {0};
    geojson->add_id(geojson->user, shape->number, &id);
    ts_auto_free char *quoted = quote(ts_str_get(&id));
    ts_str_addf(out, "{\"type\":\"Feature\",\"id\":%s,\"geometry\":", quoted);
    add_geometry(out, &outlines);
    ts_str_addf(out, ",\"properties\":{\"objectType\":\"detection\",\"classification\":{\"name\":%s},\"measurements\":",
                class_name);
    add_measurements(out, m, shape->number);
    ts_str_add(out, "}}");
  }
  ts_outlines_release(&outlines);
  return ok;
}

static bool add_features(struct ts_file_stream *file, const struct ts_geojson *geojson, struct measurements *m,
                         struct ts_error *err) {
  ts_auto(ts_str_release) struct ts_str text = {0};
  ts_auto(ts_shapes_close) struct ts_shapes shapes = {0};
  ts_auto_free char *class_name = quote(geojson->class_name);
  struct ts_error fault = {0};
  size_t size = 0;
  const void *bytes = ts_data_bytes(geojson->shapes, &size);
  bool ok = ts_shapes_open(&shapes, bytes, size, &fault);
  ts_str_add(&text, "{\"type\":\"FeatureCollection\",\"features\":[");
  struct ts_shape shape;
  for (bool first = true; ok && ts_shapes_next(&shapes, &shape, &fault); first = false) {
    ts_str_add(&text, first ? "\n" : ",\n");
    ok = add_feature(&text, geojson, class_name, m, &shape, &fault);
    ts_file_stream_add(file, ts_str_get(&text), text.length);
    ts_str_clear(&text);
  }
  ts_str_add(&text, "\n]}\n");
  ts_file_stream_add(file, ts_str_get(&text), text.length);
  if (err && fault.code != TS_ERR_OK) *err = fault;
  return fault.code == TS_ERR_OK;
}

bool ts_geojson_write(const char *path, const struct ts_geojson *geojson, struct ts_error *err) {
  ts_auto(ts_file_stream_release) struct ts_file_stream file = {0};
  struct measurements m = {0};
  bool ok = ts_file_stream_open(&file, path, err) && measurements_init(&m, geojson->table, err) &&
            add_features(&file, geojson, &m, err);
  measurements_release(&m);
  return ok && ts_file_stream_commit(&file, err);
}
