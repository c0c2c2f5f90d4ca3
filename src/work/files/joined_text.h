/* The texts that one tile or file contributes to the tables and outlines of an image.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_WORK_JOINED_TEXT_H
#define TS_WORK_JOINED_TEXT_H

#include "work/files/object_ids.h"

/* Where a table or outlines come from. */
struct ts_joined_origin {
  const struct ts_object_ids *ids;
  size_t item;
  const char *file;           /* name of the item */
  const char *stage;          /* that made it */
  const struct ts_tile *tile; /* NULL: the whole file */
  const char *against;        /* the reference of scores, named in the last column; NULL: none */
};

/* The line of names: "file", of a tile "x" and "y" of its core (what the table itself has is not repeated), the
 * columns of the table, "number" where it has "id", "against". */
void ts_joined_header(const struct ts_joined_origin *origin, const struct ts_data *table, struct ts_str *out);
/* Some of the rows below it. "id" is the identifier of the object, "number" what the table has as "id". */
void ts_joined_rows(const struct ts_joined_origin *origin, const struct ts_data *table, size_t first, size_t count,
                    struct ts_str *out);

/* The features of a GeoJSON FeatureCollection, separated by ",\n", each with its identifier as "id": made from the id
 * that it had, or from its place among them. BAD_VALUE: the bytes are something else. */
bool ts_joined_features(const struct ts_joined_origin *origin, const struct ts_data *objects, struct ts_str *out,
                        struct ts_error *err);

#endif
