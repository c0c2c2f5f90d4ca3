/* Reads polygons from GeoJSON (RFC 7946, with pixels in place of degrees), as QuPath exports it.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Only the geometry of a Feature is read; ids, classifications and measurements may be there. QuPath writes NaN and
 * Infinity as bare words among its measurements, which JSON does not have: they are taken as text. */
#include "image/polygons_int.h"

#include "base/alloc.h"
#include "base/json.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum container { ONE_FEATURE, LIST_OF_FEATURES, COLLECTION };

/* Where the reader is: in which feature, and at which of its coordinates. */
struct reader {
  const struct ts_json_doc *doc; /* borrowed */
  struct ts_faults *faults;      /* borrowed */
  size_t before;                 /* faults of other files */
  struct ts_polygons *polygons;  /* borrowed: what was read so far */
  enum container container;
  size_t feature;
  const char *key; /* below the feature: "", "/geometry", "/geometry/coordinates" */
  size_t index[4]; /* below coordinates: polygon of a MultiPolygon, ring, point, x or y */
  size_t depth;    /* how many of them hold */
};

static const char *const export_help =
    "export objects from QuPath with File > Export objects as GeoJSON, or give a label image";

static bool is_full(const struct reader *r) { return r->faults->count - r->before >= TS_POLYGON_FAULTS_MAX; }

/* Adds a fault at the place of the reader; the text begins with the feature, counted from 1 as labels are. */
static bool complain(const struct reader *r, enum ts_error_code code, const char *help, const char *format, ...)
    TS_PRINTF(4, 5);
static bool complain(const struct reader *r, enum ts_error_code code, const char *help, const char *format, ...) {
  ts_auto(ts_str_release) struct ts_str pointer = {0};
  char text[256];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  if (r->container == COLLECTION) ts_str_add(&pointer, "/features");
  if (r->container != ONE_FEATURE) ts_json_pointer_add_index(&pointer, r->feature);
  ts_str_add(&pointer, r->key);
  for (size_t i = 0; i < r->depth; i++) ts_json_pointer_add_index(&pointer, r->index[i]);
  struct ts_error *fault = ts_faults_add(r->faults);
  ts_fail(fault, code, "feature %zu: %s", r->feature + 1, text);
  ts_error_help(fault, "%s", help);
  ts_json_place(fault, r->doc, ts_str_get(&pointer), TS_JSON_VALUE);
  return false;
}

/* A fault of the file as a whole. */
static bool refuse(const struct reader *r, const char *pointer, const char *help, const char *what) {
  struct ts_error *fault = ts_faults_add(r->faults);
  ts_fail(fault, TS_ERR_BAD_VALUE, "%s", what);
  ts_error_help(fault, "%s", help);
  ts_json_place(fault, r->doc, pointer, TS_JSON_VALUE);
  return false;
}

/* ---- Coordinates ---- */

static bool read_coordinate(struct reader *r, const json_t *point, size_t axis, double *number) {
  const json_t *value = json_array_get(point, axis);
  r->index[r->depth++] = axis;
  if (!json_is_number(value))
    return complain(r, TS_ERR_WRONG_TYPE, "a point is [x, y], in pixels of the full resolution",
                    "a coordinate must be a finite number, not %s", ts_json_kind(value));
  *number = json_number_value(value);
  if (*number >= -TS_POLYGON_COORDINATE_MAX && *number <= TS_POLYGON_COORDINATE_MAX) {
    r->depth--;
    return true;
  }
  return complain(r, TS_ERR_BAD_VALUE, "coordinates are in pixels of the full resolution",
                  "a coordinate lies beyond 2^31");
}

static bool read_point(struct reader *r, const json_t *value) {
  struct ts_polygons *p = r->polygons;
  double x = 0, y = 0;
  if (json_array_size(value) < 2)
    return complain(r, TS_ERR_WRONG_TYPE, "a point is [x, y], in pixels of the full resolution",
                    "a point must be a list of two numbers%s%s", json_is_array(value) ? "" : ", not ",
                    json_is_array(value) ? "" : ts_json_kind(value));
  if (!read_coordinate(r, value, 0, &x) || !read_coordinate(r, value, 1, &y)) return false;
  p->x = ts_grow(p->x, p->point_count, &p->point_capacity, sizeof *p->x);
  p->y = ts_grow(p->y, p->point_count, &p->y_capacity, sizeof *p->y);
  p->x[p->point_count] = x;
  p->y[p->point_count++] = y;
  return true;
}

static bool same_point(const struct ts_polygons *p, size_t a, size_t b) {
  return p->x[a] == p->x[b] && p->y[a] == p->y[b];
}

static size_t distinct_points(const struct ts_polygons *p, size_t first) {
  size_t second = first;
  while (second < p->point_count && same_point(p, first, second)) second++;
  if (second == p->point_count) return 1;
  size_t third = second;
  while (third < p->point_count && (same_point(p, first, third) || same_point(p, second, third))) third++;
  return third == p->point_count ? 2 : 3;
}

/* ---- Holes ---- */

/* Inside the ring [first, end) or on one of its edges. */
static bool is_in_ring(const struct ts_polygons *p, size_t first, size_t end, double x, double y) {
  bool inside = false;
  for (size_t i = first, before = end - 1; i < end; before = i++) {
    const double x0 = p->x[before] - x, y0 = p->y[before] - y, x1 = p->x[i] - x, y1 = p->y[i] - y;
    const double turn = x0 * y1 - x1 * y0;
    if (turn == 0 && x0 * x1 <= 0 && y0 * y1 <= 0) return true;
    if ((y0 <= 0) != (y1 <= 0) && (turn > 0) == (y1 > y0)) inside = !inside;
  }
  return inside;
}

/* By the even-odd rule a hole outside would be an object. A few of its points are enough to see that it is a hole;
 * more would let a hostile file take quadratic time. */
#define HOLE_POINTS 16
static bool is_hole_inside(const struct ts_polygons *p, size_t outer, size_t outer_end, size_t hole) {
  const size_t count = p->point_count - hole, step = count / HOLE_POINTS + 1;
  for (size_t i = hole; i < p->point_count; i += step)
    if (is_in_ring(p, outer, outer_end, p->x[i], p->y[i])) return true;
  return false;
}

/* ---- Rings, polygons, features ---- */

static bool read_ring(struct reader *r, const json_t *value) {
  struct ts_polygons *p = r->polygons;
  const size_t first = p->point_count, depth = r->depth;
  if (!json_is_array(value))
    return complain(r, TS_ERR_WRONG_TYPE, "a ring is a list of points", "a ring must be a list, not %s",
                    ts_json_kind(value));
  r->depth++;
  for (size_t i = 0; i < json_array_size(value); i++) {
    r->index[depth] = i;
    if (!read_point(r, json_array_get(value, i))) return false;
  }
  r->depth = depth;
  if (p->point_count > first + 1 && same_point(p, first, p->point_count - 1)) p->point_count--;
  if (p->point_count == first || distinct_points(p, first) < 3)
    return complain(r, TS_ERR_BAD_VALUE, "remove the feature, or draw its outline again",
                    "a ring has fewer than 3 distinct points");
  p->ring_first = ts_grow(p->ring_first, p->ring_count + 1, &p->ring_capacity, sizeof *p->ring_first);
  p->ring_first[++p->ring_count] = p->point_count;
  return true;
}

static bool read_polygon(struct reader *r, const json_t *value) {
  struct ts_polygons *p = r->polygons;
  const size_t outer = p->point_count, depth = r->depth;
  size_t outer_end = 0;
  if (json_array_size(value) == 0)
    return complain(r, TS_ERR_BAD_VALUE, "a polygon is a list of rings: its outline, then its holes",
                    "a polygon has no ring");
  for (size_t i = 0; i < json_array_size(value); i++) {
    const size_t hole = p->point_count;
    r->index[depth] = i;
    r->depth = depth + 1;
    if (!read_ring(r, json_array_get(value, i))) return false;
    if (i == 0) outer_end = p->point_count;
    if (i > 0 && !is_hole_inside(p, outer, outer_end, hole))
      return complain(r, TS_ERR_BAD_VALUE, "make it a polygon of its own, in a MultiPolygon or a feature",
                      "a hole lies outside the outline of its polygon");
  }
  r->depth = depth;
  return true;
}

static bool read_multipolygon(struct reader *r, const json_t *value) {
  if (json_array_size(value) == 0)
    return complain(r, TS_ERR_BAD_VALUE, "remove the feature", "a MultiPolygon has no polygon");
  for (size_t i = 0; i < json_array_size(value); i++) {
    r->index[0] = i;
    r->depth = 1;
    if (!read_polygon(r, json_array_get(value, i))) return false;
  }
  return true;
}

static bool read_geometry(struct reader *r, const json_t *geometry) {
  const json_t *type = json_object_get(geometry, "type");
  const json_t *coordinates = json_object_get(geometry, "coordinates");
  r->key = "/geometry";
  if (!json_is_object(geometry) || !json_is_string(type))
    return complain(r, TS_ERR_WRONG_TYPE, export_help, "it has no geometry with a type");
  const bool multiple = strcmp(json_string_value(type), "MultiPolygon") == 0;
  if (!multiple && strcmp(json_string_value(type), "Polygon") != 0)
    return complain(r, TS_ERR_BAD_VALUE, "leave the feature out when you export, or draw an area",
                    "its geometry is of type '%.40s'; only Polygon and MultiPolygon have pixels",
                    json_string_value(type));
  if (!json_is_array(coordinates))
    return complain(r, TS_ERR_WRONG_TYPE, export_help, "its geometry has no list of coordinates");
  r->key = "/geometry/coordinates";
  return multiple ? read_multipolygon(r, coordinates) : read_polygon(r, coordinates);
}

static bool is_of_type(const json_t *object, const char *type) {
  const char *found = json_string_value(json_object_get(object, "type"));
  return found && strcmp(found, type) == 0;
}

/* After a fault the next feature is read all the same: all faults of a file are reported at once. */
static void read_feature(struct reader *r, const json_t *feature) {
  struct ts_polygons *p = r->polygons;
  r->key = "";
  r->depth = 0;
  if (!is_of_type(feature, "Feature"))
    complain(r, TS_ERR_BAD_VALUE, export_help, "it is not an object with the type \"Feature\"");
  else
    read_geometry(r, json_object_get(feature, "geometry"));
  p->feature_first = ts_grow(p->feature_first, p->feature_count + 1, &p->feature_capacity, sizeof *p->feature_first);
  p->feature_first[++p->feature_count] = p->ring_count;
}

static bool read_features(struct reader *r, const json_t *list, const char *pointer) {
  if (!json_is_array(list)) return refuse(r, pointer, export_help, "a FeatureCollection needs a list of features");
  if (json_array_size(list) == 0)
    return refuse(r, pointer, "a slide without objects can have a label image or mask that is 0 everywhere",
                  "there are no features");
  if (json_array_size(list) > INT32_MAX)
    return refuse(r, pointer, "divide the file", "there are more than 2^31 - 1 features");
  for (r->feature = 0; r->feature < json_array_size(list) && !is_full(r); r->feature++)
    read_feature(r, json_array_get(list, r->feature));
  return r->faults->count == r->before;
}

static bool read_document(struct reader *r) {
  const json_t *root = r->doc->root;
  if (json_is_array(root)) {
    r->container = LIST_OF_FEATURES;
    return read_features(r, root, "");
  }
  if (is_of_type(root, "FeatureCollection")) {
    r->container = COLLECTION;
    return read_features(r, json_object_get(root, "features"), "/features");
  }
  if (!is_of_type(root, "Feature"))
    return refuse(r, "", export_help,
                  "this is JSON, but not GeoJSON: a FeatureCollection, a list of Features or a Feature is needed");
  read_feature(r, root);
  return r->faults->count == r->before;
}

/* ---- Text ---- */

/* Bare words that JSON does not have become strings of the same length, so that places stay right. */
static void quote_words(char *text, size_t length) {
  static const char *const words[] = {"NaN", "Infinity", "-Infinity"};
  bool in_string = false;
  for (size_t i = 0; i < length; i++) {
    if (in_string && text[i] == '\\')
      i++;
    else if (text[i] == '"')
      in_string = !in_string;
    for (size_t w = 0; !in_string && i < length && w < 3; w++) {
      const size_t size = strlen(words[w]);
      if (length - i < size || memcmp(text + i, words[w], size) != 0) continue;
      text[i] = text[i + size - 1] = '"';
      i += size - 1;
      break;
    }
  }
}

/* A picture or an archive under the name of a GeoJSON file gets plainer words than a syntax error. */
static bool begins_as_json(const char *name, const char *text, size_t length, struct ts_faults *faults) {
  size_t at = length >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
  while (at < length && strchr(" \t\r\n", text[at]) && text[at]) at++;
  if (at < length && (text[at] == '{' || text[at] == '[')) return true;
  const bool picture = length >= 8 && (memcmp(text, "\x89PNG", 4) == 0 || memcmp(text, "II*", 3) == 0 ||
                                       memcmp(text, "MM\0*", 4) == 0 || memcmp(text, "\xFF\xD8\xFF", 3) == 0);
  struct ts_error *fault = ts_faults_add(faults);
  ts_fail(fault, TS_ERR_JSON_SYNTAX, "'%s' is not GeoJSON%s", name,
          picture        ? ": it is an image"
          : at >= length ? ": it is empty"
                         : "");
  ts_error_help(fault, "%s", picture ? "give the file the ending of its format" : export_help);
  ts_error_place(fault, name, 1, 1, NULL);
  return false;
}

struct ts_polygons *ts_polygons_parse(const char *name, const char *text, size_t length, struct ts_faults *faults) {
  if (!begins_as_json(name, text, length, faults)) return NULL;
  ts_auto_free char *copy = ts_memdup(text, length);
  struct ts_json_doc doc;
  struct ts_error err = {0};
  quote_words(copy, length);
  if (!ts_json_doc_parse(&doc, name, copy, length, &err)) {
    *ts_faults_add(faults) = err;
    return NULL;
  }
  struct ts_polygons *polygons = ts_calloc(1, sizeof *polygons);
  polygons->references = 1;
  polygons->ring_first = ts_grow(NULL, 0, &polygons->ring_capacity, sizeof *polygons->ring_first);
  polygons->feature_first = ts_grow(NULL, 0, &polygons->feature_capacity, sizeof *polygons->feature_first);
  polygons->ring_first[0] = polygons->feature_first[0] = 0;
  struct reader reader = {.doc = &doc, .faults = faults, .before = faults->count, .polygons = polygons, .key = ""};
  const bool ok = read_document(&reader);
  ts_json_doc_close(&doc);
  if (ok) {
    ts_polygons_index(polygons);
    return polygons;
  }
  ts_polygons_unref(polygons);
  return NULL;
}

void ts_polygons_unref(struct ts_polygons *polygons) {
  if (!polygons || atomic_fetch_sub(&polygons->references, 1) > 1) return;
  free(polygons->x);
  free(polygons->y);
  free(polygons->ring_first);
  free(polygons->feature_first);
  free(polygons->boxes);
  free(polygons->runs);
  ts_polygon_tree_release(&polygons->tree);
  free(polygons);
}

size_t ts_polygons_count(const struct ts_polygons *polygons) { return polygons->feature_count; }
