/* The file of the shapes of objects: GeoJSON with their identifiers and the measurements of the table beside them.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_WORK_SHAPES_FILE_H
#define TS_WORK_SHAPES_FILE_H

#include "work/files/object_ids.h"

struct ts_shapes_file {
  const struct ts_data *shapes; /* borrowed, as all */
  const struct ts_data *table;  /* measurements, if it has a column "id" and a row for each object; NULL: none */
  const struct ts_object_ids *ids;
  size_t item;
  const char *workflow;       /* its name: the class of the features */
  const char *stage;          /* that made them */
  const struct ts_tile *tile; /* NULL: the whole file */
};

/* Whether data is of the type. */
bool ts_is_shapes(const struct ts_data *data);
bool ts_shapes_file_write(const struct ts_shapes_file *file, const char *path, struct ts_error *err);

#endif
