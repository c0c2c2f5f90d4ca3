/* Writes the shapes of a file's objects as GeoJSON, object by object: the text is never in memory as a whole.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_WORK_GEOJSON_H
#define TS_WORK_GEOJSON_H

#include "base/error.h"
#include "base/str.h"
#include "data/data.h"

#include <stdbool.h>
#include <stdint.h>

struct ts_geojson {
  const struct ts_data *shapes; /* borrowed, as all: a product of type "shapes" */
  /* Measurements: a table with a column `id` in rising order, or NULL. A row belongs to the object of that number; all
   * its columns but `file`, `id`, `x` and `y` are written, missing cells are left out. */
  const struct ts_data *table;
  const char *class_name;
  /* Appends the id of an object, plain text. */
  void (*add_id)(void *user, uint64_t number, struct ts_str *id);
  void *user;
};

/* A FeatureCollection with one Feature per object, a Polygon or MultiPolygon in pixels of the image at the level of the
 * shapes. The file is there whole or not at all. Damaged shapes are an error (BAD_PRODUCT). */
bool ts_geojson_write(const char *path, const struct ts_geojson *geojson, struct ts_error *err);

#endif
