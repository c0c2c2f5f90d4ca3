/* Polygons of a GeoJSON file, and the pixels whose centres lie in them.
 * SPDX-License-Identifier: Apache-2.0
 *
 * A file has a FeatureCollection, a list of Features or one Feature, each with a Polygon or MultiPolygon in pixels of
 * the full resolution. A pixel belongs to a feature if its centre (x + 0.5, y + 0.5) is inside by the even-odd rule
 * over all rings of the feature. A centre on an edge belongs to the pixels right of and below it (half-open), so that
 * features with a common edge share no pixel and leave none out. Of several features the last in the file wins. */
#ifndef TS_IMAGE_POLYGONS_H
#define TS_IMAGE_POLYGONS_H

#include "base/error.h"
#include "data/data.h"

#include <stdbool.h>
#include <stddef.h>

#define TS_POLYGON_FAULTS_MAX     20           /* of one file; further ones are not looked for */
#define TS_POLYGON_COORDINATE_MAX 2147483648.0 /* 2^31 */

struct ts_polygons; /* read-only, shared by threads, counted */

/* Which pixels: a rectangle of a level, and by how much the level is smaller than the full resolution. */
struct ts_polygon_frame {
  struct ts_region region;
  double downsample_x, downsample_y;
};

/* Whether a name is that of a GeoJSON file: it ends in .geojson or .json. */
bool ts_polygons_named(const char *path);

/* From text; `name` replaces the file's name in messages. NULL with faults, each with its place. */
struct ts_polygons *ts_polygons_parse(const char *name, const char *text, size_t length, struct ts_faults *faults);
/* From a file, or from the cache of those that were read before (polygon_cache.c). A new reference. */
struct ts_polygons *ts_polygons_get(const char *path, struct ts_faults *faults);
void ts_polygons_unref(struct ts_polygons *polygons); /* NULL is allowed */
/* Drops what the cache holds. */
void ts_polygons_close_idle(void);

size_t ts_polygons_count(const struct ts_polygons *polygons); /* features */
/* Features that lie entirely outside the frame. */
size_t ts_polygons_outside(const struct ts_polygons *polygons, const struct ts_polygon_frame *frame);
/* Fills the pixels of the frame: labels with the number of the feature from 1, a mask with 255, the rest with 0. */
void ts_polygons_draw(const struct ts_polygons *polygons, const struct ts_type *type,
                      const struct ts_polygon_frame *frame, void *pixels);

#endif
