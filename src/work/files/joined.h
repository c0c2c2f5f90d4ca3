/* Outputs with one file for each image: what came of them so far, and the file when all of it is there.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_WORK_JOINED_H
#define TS_WORK_JOINED_H

#include "image/spool.h"
#include "work/files/object_ids.h"
#include "work/files/pieces.h"

/* One product of one item; all zero before its first unit. */
struct ts_joined {
  struct ts_spool *spool;   /* owned: pixels; NULL: it has none */
  struct ts_pieces *pieces; /* owned: rows or features; NULL: it has none */
  struct ts_str header;     /* of a table */
  size_t arrived;           /* units */
  struct ts_data *held;     /* shared: shapes, or the table with their measurements, until both are there; NULL */
  bool is_done;             /* the file was written, or could not be */
};
void ts_joined_release(struct ts_joined *joined);

/* Where a unit of a product comes from. */
struct ts_joined_unit {
  const struct ts_dataset *dataset;
  const struct ts_object_ids *ids;
  enum ts_scope scope;
  size_t unit;
  const char *stage;
  const char *against; /* NULL: compares nothing */
  const char *folder;  /* for temporary files */
};

/* Whether the files of such data can be one: a plane of pixels that belongs to the unit, a table, outlines. */
bool ts_joined_takes(const struct ts_joined_unit *unit, const struct ts_data *data);
/* Adds the data of a unit; pixels without their halo. FILE_IO: no space; BAD_VALUE: it does not fit to the others. */
bool ts_joined_put(struct ts_joined *joined, const struct ts_joined_unit *unit, const struct ts_data *data,
                   struct ts_error *err);
/* "png", "ome.tif", "csv", "geojson". */
const char *ts_joined_ending(const struct ts_joined *joined);
/* Writes the file; units that never came are missing in it. `size`: of pixels. */
bool ts_joined_write(struct ts_joined *joined, const char *path, const struct ts_pixel_size *size,
                     struct ts_error *err);

#endif
