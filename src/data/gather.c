/* Joins the pieces of one product into one: tables row after row, pixels into the rectangle that covers them.
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
      ts_error_help(err, "an operation must give the same columns for every tile");
      return false;
    }
  }
  return true;
}

static struct ts_data *gather_tables(const struct ts_data *const *pieces, size_t count, struct ts_error *err) {
  size_t rows = 0;
  for (size_t i = 0; i < count; i++) rows += pieces[i]->rows;
  struct ts_data *all = ts_data_create_table(rows, pieces[0]->columns, (const char *const *)pieces[0]->names, err);
  if (!all) return NULL;
  unsigned char *next = ts_data_writable(all);
  for (size_t i = 0; i < count; i++) {
    size_t size_bytes = 0;
    const void *cells = ts_data_bytes(pieces[i], &size_bytes);
    if (size_bytes > 0) memcpy(next, cells, size_bytes);
    next += size_bytes;
  }
  return all;
}

static bool end_of(const struct ts_region *region, int64_t *right, int64_t *bottom) {
  return !__builtin_add_overflow(region->x, region->width, right) &&
         !__builtin_add_overflow(region->y, region->height, bottom);
}

/* The smallest rectangle with all pieces; false if they are of different planes or lie where no number reaches. */
static bool cover(const struct ts_data *const *pieces, size_t count, struct ts_region *all) {
  *all = pieces[0]->region;
  int64_t right = all->x;
  int64_t bottom = all->y;
  for (size_t i = 0; i < count; i++) {
    const struct ts_region *piece = &pieces[i]->region;
    if (piece->level != all->level || piece->z != all->z || piece->t != all->t) return false;
    int64_t piece_right = 0;
    int64_t piece_bottom = 0;
    if (!end_of(piece, &piece_right, &piece_bottom)) return false;
    all->x = ts_smaller(all->x, piece->x);
    all->y = ts_smaller(all->y, piece->y);
    right = ts_larger(right, piece_right);
    bottom = ts_larger(bottom, piece_bottom);
  }
  return !__builtin_sub_overflow(right, all->x, &all->width) && !__builtin_sub_overflow(bottom, all->y, &all->height);
}

static void copy_piece(unsigned char *target, const struct ts_region *all, const struct ts_data *piece) {
  size_t pixel_bytes = ts_element_bytes(piece->type->element) * (size_t)piece->type->channels;
  size_t row_bytes = (size_t)piece->region.width * pixel_bytes;
  const unsigned char *source = ts_buffer_data(piece->buffer);
  for (int64_t y = 0; y < piece->region.height; y++) {
    size_t row = (size_t)(piece->region.y - all->y + y);
    size_t pixel = row * (size_t)all->width + (size_t)(piece->region.x - all->x);
    memcpy(target + pixel * pixel_bytes, source + (size_t)y * row_bytes, row_bytes);
  }
}

static struct ts_data *gather_pixels(const struct ts_data *const *pieces, size_t count, struct ts_error *err) {
  struct ts_region region;
  if (!cover(pieces, count, &region)) {
    ts_fail(err, TS_ERR_BAD_VALUE, "cannot join '%s' of different resolution levels, planes or places",
            pieces[0]->type->name);
    return NULL;
  }
  struct ts_data *all = ts_data_create_pixels(pieces[0]->type, &region, err);
  if (!all) return NULL;
  memset(ts_data_writable(all), 0, ts_data_size_bytes(all));
  for (size_t i = 0; i < count; i++) copy_piece(ts_data_writable(all), &region, pieces[i]);
  return all;
}

struct ts_data *ts_data_gather(const struct ts_data *const *pieces, size_t count, struct ts_error *err) {
  if (count == 0) TS_BUG("nothing to join");
  if (!check_pieces(pieces, count, err)) return NULL;
  switch (pieces[0]->type->kind) {
  case TS_DATA_TABLE: return gather_tables(pieces, count, err);
  case TS_DATA_PIXELS: return gather_pixels(pieces, count, err);
  case TS_DATA_BYTES:
  case TS_DATA_FILE: break;
  }
  if (count == 1) return ts_data_ref(ts_without_const(pieces[0])); /* the count of references is not its content */
  ts_fail(err, TS_ERR_PORT_TYPE, "several pieces of '%s' cannot be joined into one", pieces[0]->type->name);
  ts_error_help(err, "let the stage run once per image, or give each tile its own output");
  return NULL;
}
