/* Joins the pieces of one product: tables row after row, pixels into the box that covers them, bytes in a chain.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Pixels that no piece covers are 0; where pieces overlap the later one wins. Label numbers are taken as they are. */
#include "data/data_int.h"

#include "base/alloc.h"
#include "base/const.h"
#include "base/order.h"

#include <string.h>

static bool same_columns(const struct ts_data *a, const struct ts_data *b) {
  if (a->columns != b->columns) return false;
  for (size_t i = 0; i < a->columns; i++) {
    if (strcmp(a->names[i], b->names[i]) != 0) return false;
  }
  return true;
}

static bool check_pieces(const struct ts_data *const *pieces, size_t count, struct ts_error *err) {
  for (size_t i = 1; i < count; i++) {
    if (pieces[i]->type != pieces[0]->type) {
      return ts_fail(err, TS_ERR_PORT_TYPE, "cannot join '%s' and '%s'", pieces[0]->type->name, pieces[i]->type->name);
    }
    if (pieces[i]->type->kind == TS_DATA_TABLE && !same_columns(pieces[0], pieces[i])) {
      ts_fail(err, TS_ERR_BAD_VALUE, "piece %zu of the table has other columns than the first", i + 1);
      return ts_error_help(err, "an operation must give the same columns for every tile");
    }
  }
  return true;
}

static void copy_contents(struct ts_data *all, const struct ts_data *const *pieces, size_t count) {
  unsigned char *next = ts_data_writable(all);
  for (size_t i = 0; i < count; i++) {
    size_t size_bytes = 0;
    const void *content = ts_data_bytes(pieces[i], &size_bytes);
    if (size_bytes > 0) memcpy(next, content, size_bytes);
    next += size_bytes;
  }
}

static struct ts_data *gather_tables(const struct ts_data *const *pieces, size_t count, struct ts_error *err) {
  size_t rows = 0;
  for (size_t i = 0; i < count; i++) rows += pieces[i]->rows;
  struct ts_data *all = ts_data_create_table(rows, pieces[0]->columns, (const char *const *)pieces[0]->names, err);
  if (all) copy_contents(all, pieces, count);
  return all;
}

static struct ts_data *gather_chain(const struct ts_data *const *pieces, size_t count, struct ts_error *err) {
  size_t size_bytes = 0;
  for (size_t i = 0; i < count; i++) size_bytes += ts_data_size_bytes(pieces[i]);
  struct ts_data *all = ts_data_create_bytes(pieces[0]->type, size_bytes, err);
  if (all) copy_contents(all, pieces, count);
  return all;
}

/* Where a box begins and ends along x, y, z and t. */
enum { AXES = 4 };
struct ends {
  int64_t first[AXES], end[AXES];
};

static bool ends_of(const struct ts_region *region, struct ends *ends) {
  const int64_t first[AXES] = {region->x, region->y, region->z, region->t};
  const int64_t extent[AXES] = {region->width, region->height, region->depth, region->frames};
  for (size_t a = 0; a < AXES; a++) {
    ends->first[a] = first[a];
    if (__builtin_add_overflow(first[a], extent[a], &ends->end[a])) return false;
  }
  return true;
}

/* The box between the ends; false if it is wider than numbers reach. */
static bool box_of(const struct ends *ends, struct ts_region *box) {
  int64_t extent[AXES];
  for (size_t a = 0; a < AXES; a++)
    if (__builtin_sub_overflow(ends->end[a], ends->first[a], &extent[a])) return false;
  if (extent[2] > INT32_MAX || extent[3] > INT32_MAX) return false;
  box->x = ends->first[0];
  box->y = ends->first[1];
  box->z = (int32_t)ends->first[2];
  box->t = (int32_t)ends->first[3];
  box->width = extent[0];
  box->height = extent[1];
  box->depth = (int32_t)extent[2];
  box->frames = (int32_t)extent[3];
  return true;
}

/* The smallest box with all pieces; false if they are of different levels or lie where no number reaches. */
static bool cover(const struct ts_data *const *pieces, size_t count, struct ts_region *all) {
  struct ends whole, piece;
  *all = pieces[0]->region;
  if (!ends_of(all, &whole)) return false;
  for (size_t i = 1; i < count; i++) {
    if (pieces[i]->region.level != all->level || !ends_of(&pieces[i]->region, &piece)) return false;
    for (size_t a = 0; a < AXES; a++) {
      whole.first[a] = ts_smaller(whole.first[a], piece.first[a]);
      whole.end[a] = ts_larger(whole.end[a], piece.end[a]);
    }
  }
  return box_of(&whole, all);
}

static void copy_plane(unsigned char *target, const struct ts_region *all, const struct ts_region *piece,
                       const unsigned char *source, size_t pixel_bytes) {
  size_t row_bytes = (size_t)piece->width * pixel_bytes;
  for (int64_t y = 0; y < piece->height; y++) {
    size_t row = (size_t)(piece->y - all->y + y);
    size_t pixel = row * (size_t)all->width + (size_t)(piece->x - all->x);
    memcpy(target + pixel * pixel_bytes, source + (size_t)y * row_bytes, row_bytes);
  }
}

static void copy_piece(unsigned char *target, const struct ts_region *all, const struct ts_data *piece) {
  const struct ts_region *own = &piece->region;
  size_t pixel_bytes = ts_element_bytes(piece->type->element) * (size_t)piece->type->channels;
  const unsigned char *source = ts_buffer_data(piece->buffer);
  for (int32_t t = 0; t < own->frames; t++) {
    for (int32_t z = 0; z < own->depth; z++, source += (size_t)(own->width * own->height) * pixel_bytes) {
      size_t plane = (size_t)(own->t - all->t + t) * (size_t)all->depth + (size_t)(own->z - all->z + z);
      copy_plane(target + plane * (size_t)(all->width * all->height) * pixel_bytes, all, own, source, pixel_bytes);
    }
  }
}

/* Widens a box to a rectangle in which it lies; planes and frames stay. A box elsewhere stays as it is: operations may
 * change the size of their tiles. */
static void widen(struct ts_region *box, const struct ts_region *rectangle) {
  struct ends inner, outer;
  struct ts_region wide = *box;
  wide.x = rectangle->x;
  wide.y = rectangle->y;
  wide.width = rectangle->width;
  wide.height = rectangle->height;
  if (box->level != rectangle->level || !ends_of(box, &inner) || !ends_of(&wide, &outer)) return;
  for (size_t a = 0; a < AXES; a++)
    if (inner.first[a] < outer.first[a] || inner.end[a] > outer.end[a]) return;
  *box = wide;
}

static struct ts_data *gather_pixels(const struct ts_data *const *pieces, size_t count,
                                     const struct ts_region *rectangle, struct ts_error *err) {
  struct ts_region region;
  if (!cover(pieces, count, &region)) {
    ts_fail(err, TS_ERR_BAD_VALUE, "cannot join '%s' of different resolution levels, or of places too far apart",
            pieces[0]->type->name);
    return NULL;
  }
  if (rectangle) widen(&region, rectangle);
  struct ts_data *all = ts_data_create_pixels(pieces[0]->type, &region, err);
  if (!all) return NULL;
  memset(ts_data_writable(all), 0, ts_data_size_bytes(all));
  for (size_t i = 0; i < count; i++) copy_piece(ts_data_writable(all), &region, pieces[i]);
  return all;
}

struct ts_data *ts_data_gather(const struct ts_data *const *pieces, size_t count, struct ts_error *err) {
  return ts_data_gather_in(pieces, count, NULL, err);
}

struct ts_data *ts_data_gather_in(const struct ts_data *const *pieces, size_t count, const struct ts_region *rectangle,
                                  struct ts_error *err) {
  if (count == 0) TS_BUG("nothing to join");
  if (!check_pieces(pieces, count, err)) return NULL;
  switch (pieces[0]->type->kind) {
  case TS_DATA_TABLE: return gather_tables(pieces, count, err);
  case TS_DATA_PIXELS: return gather_pixels(pieces, count, rectangle, err);
  case TS_DATA_BYTES:
  case TS_DATA_FILE: break;
  }
  if (pieces[0]->type->chains) return gather_chain(pieces, count, err);
  if (count == 1) return ts_data_ref(ts_without_const(pieces[0])); /* the count of references is not its content */
  ts_fail(err, TS_ERR_PORT_TYPE, "several pieces of '%s' cannot be joined into one", pieces[0]->type->name);
  ts_error_help(err, "let the stage run once per image, or give each tile its own output");
  return NULL;
}
