/* Collects the units of one product of one image and writes them as one file.
 * SPDX-License-Identifier: Apache-2.0 */
#include "work/files/joined.h"

#include "work/files/joined_text.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

void ts_joined_release(struct ts_joined *joined) {
  ts_spool_destroy(joined->spool);
  ts_pieces_destroy(joined->pieces);
  ts_str_release(&joined->header);
  ts_data_unref(joined->held);
  *joined = (struct ts_joined){0};
}

static bool is_outlines(const struct ts_type *type) { return strcmp(type->name, "objects") == 0; }

static bool is_inside(const struct ts_region *part, const struct ts_region *whole) {
  return part->level == whole->level && part->x >= whole->x && part->y >= whole->y &&
         part->x + part->width <= whole->x + whole->width && part->y + part->height <= whole->y + whole->height;
}

/* The image that the units of a scope cover. A file may have less of it, or be an image of its own size or level. */
static struct ts_region whole_of(const struct ts_joined_unit *unit, const struct ts_data *data) {
  const size_t item = ts_dataset_item(unit->dataset, unit->scope, unit->unit);
  const struct ts_region whole = ts_dataset_grid(unit->dataset, unit->scope, item).whole, *own = ts_data_region(data);
  return ts_dataset_tile(unit->dataset, unit->scope, unit->unit) || is_inside(own, &whole) ? whole : *own;
}

/* An operation may give an image of another size, or of another place: that is not a part of the whole. */
static bool is_part(const struct ts_joined_unit *unit, const struct ts_data *data) {
  const struct ts_tile *tile = ts_dataset_tile(unit->dataset, unit->scope, unit->unit);
  const struct ts_region *own = ts_data_region(data), whole = whole_of(unit, data);
  if (ts_region_is_volume(own) || ts_region_is_volume(&whole) || own->width <= 0 || own->height <= 0) return false;
  return !tile || (own->x == tile->core.x && own->y == tile->core.y && own->width == tile->core.width &&
                   own->height == tile->core.height);
}

bool ts_joined_takes(const struct ts_joined_unit *unit, const struct ts_data *data) {
  const struct ts_type *type = ts_data_type(data);
  if (!ts_scope_is_in_item(unit->scope)) return false;
  if (type->kind == TS_DATA_PIXELS) return is_part(unit, data);
  return type->kind == TS_DATA_TABLE || is_outlines(type);
}

static bool put_pixels(struct ts_joined *joined, const struct ts_joined_unit *unit, const struct ts_data *data,
                       struct ts_error *err) {
  const struct ts_region *own = ts_data_region(data), whole = whole_of(unit, data);
  if (!joined->spool) joined->spool = ts_spool_create(unit->folder, ts_data_type(data), whole.width, whole.height, err);
  return joined->spool && ts_spool_put(joined->spool, data, own->x - whole.x, own->y - whole.y, err);
}

/* Every tile has the same columns, whichever comes first. */
static bool check_header(struct ts_joined *joined, const struct ts_joined_origin *origin, const struct ts_data *table,
                         struct ts_error *err) {
  ts_auto(ts_str_release) struct ts_str header = {0};
  ts_joined_header(origin, table, &header);
  if (joined->header.length == 0) ts_str_add_bytes(&joined->header, header.data, header.length);
  if (strcmp(ts_str_get(&joined->header), ts_str_get(&header)) == 0) return true;
  ts_fail(err, TS_ERR_BAD_VALUE, "the tables that '%s' gives for '%s' do not have the same columns in every tile",
          origin->stage, origin->file);
  return ts_error_help(err, "an operation must give the same columns for every tile");
}

static bool add_text(struct ts_joined *joined, const struct ts_joined_unit *unit, const struct ts_str *text,
                     struct ts_error *err) {
  if (!joined->pieces) joined->pieces = ts_pieces_create(unit->folder, err);
  return joined->pieces && ts_pieces_add(joined->pieces, unit->unit, ts_str_get(text), text->length, err);
}

/* Part after part: the text of a slide's table is several times as large as the table. */
static bool put_rows(struct ts_joined *joined, const struct ts_joined_unit *unit, const struct ts_joined_origin *origin,
                     const struct ts_data *table, struct ts_error *err) {
  enum { PART_ROWS = 4096 };
  ts_auto(ts_str_release) struct ts_str text = {0};
  const size_t rows = ts_data_rows(table);
  for (size_t first = 0; first == 0 || first < rows; first += PART_ROWS) {
    ts_str_clear(&text);
    ts_joined_rows(origin, table, first, rows - first < PART_ROWS ? rows - first : PART_ROWS, &text);
    if (!add_text(joined, unit, &text, err)) return false;
  }
  return true;
}

static bool put_text(struct ts_joined *joined, const struct ts_joined_unit *unit, const struct ts_data *data,
                     struct ts_error *err) {
  const size_t item = ts_dataset_item(unit->dataset, unit->scope, unit->unit);
  const struct ts_joined_origin origin = {.ids = unit->ids,
                                          .item = item,
                                          .file = unit->dataset->items[item].name,
                                          .stage = unit->stage,
                                          .tile = ts_dataset_tile(unit->dataset, unit->scope, unit->unit),
                                          .against = unit->against};
  ts_auto(ts_str_release) struct ts_str text = {0};
  if (is_outlines(ts_data_type(data)))
    return ts_joined_features(&origin, data, &text, err) && add_text(joined, unit, &text, err);
  return check_header(joined, &origin, data, err) && put_rows(joined, unit, &origin, data, err);
}

bool ts_joined_put(struct ts_joined *joined, const struct ts_joined_unit *unit, const struct ts_data *data,
                   struct ts_error *err) {
  const bool is_pixels = ts_data_type(data)->kind == TS_DATA_PIXELS;
  if (!(is_pixels ? put_pixels : put_text)(joined, unit, data, err)) return false;
  joined->arrived++;
  return true;
}

const char *ts_joined_ending(const struct ts_joined *joined) {
  if (joined->spool) return ts_spool_ending(joined->spool);
  return joined->header.length > 0 ? "csv" : "geojson";
}

bool ts_joined_write(struct ts_joined *joined, const char *path, const struct ts_pixel_size *size,
                     struct ts_error *err) {
  static const char head[] = "{\"type\":\"FeatureCollection\",\"features\":[\n", tail[] = "\n]}\n";
  if (joined->spool) return ts_spool_write(joined->spool, path, size, err);
  ts_auto(ts_file_stream_release) struct ts_file_stream stream = {0};
  if (!ts_file_stream_open(&stream, path, err)) return false;
  if (joined->header.length > 0) {
    ts_file_stream_add(&stream, joined->header.data, joined->header.length);
    ts_pieces_write(joined->pieces, "", &stream);
  } else {
    ts_file_stream_add(&stream, head, sizeof head - 1);
    ts_pieces_write(joined->pieces, ",\n", &stream);
    ts_file_stream_add(&stream, tail, sizeof tail - 1);
  }
  return ts_file_stream_commit(&stream, err);
}
