/* What flows between operations: typed, immutable, counted regions of pixels, tables, bytes, or a file by name.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_DATA_DATA_H
#define TS_DATA_DATA_H

#include "base/buffer.h"
#include "base/digest.h"
#include "base/error.h"
#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum ts_data_kind { TS_DATA_PIXELS = 1, TS_DATA_TABLE, TS_DATA_BYTES, TS_DATA_FILE };
enum ts_element { TS_U8 = 1, TS_U16, TS_U32, TS_F32, TS_F64 };

size_t ts_element_bytes(enum ts_element element);

/* A port type. All types are listed in data/type.c; compare by pointer. */
struct ts_type {
  const char *name;    /* "image/rgb8" */
  const char *article; /* "an RGB tile", for sentences */
  enum ts_data_kind kind;
  enum ts_element element; /* pixels only */
  int32_t channels;        /* pixels only */
  const char *file_ending; /* how results of this type are written: "png", "csv", "geojson", "bin" */
  bool internal;           /* of use to operations only: not a result unless a user asks for it */
  bool chains;             /* bytes that say themselves how long they are: several are joined one after the other */
};

const struct ts_type *ts_type_find(const char *name); /* NULL if unknown */
const struct ts_type *const *ts_type_list(size_t *count);
/* Whether a declaration names images, as "image/rgb8" does: pixels that are neither masks nor labels nor fields. */
bool ts_type_is_image(const char *declaration);
/* Whether `type` is one of the alternatives in a port declaration such as "mask|labels". */
bool ts_type_fits(const struct ts_type *type, const char *declaration);

/* A box of an image in pixels of one resolution level: a rectangle in planes z to z + depth - 1 of frames t to t +
 * frames - 1. A depth or a number of frames of 0 counts as 1. */
struct ts_region {
  int64_t x, y, width, height;
  int32_t level;
  int32_t z, t;
  int32_t depth, frames;
};

/* The same box with depth and frames of at least 1, unless one is negative, which no data has. */
static inline struct ts_region ts_region_normal(const struct ts_region *region) {
  struct ts_region normal = *region;
  if (normal.depth == 0) normal.depth = 1;
  if (normal.frames == 0) normal.frames = 1;
  return normal;
}

/* More than one plane. */
static inline bool ts_region_is_volume(const struct ts_region *region) {
  return region->depth > 1 || region->frames > 1;
}

/* The size of a pixel in micrometres; zero: not known. No part of data, whose digests would change with it: it goes
 * with the place where data is used. */
struct ts_pixel_size {
  double x_um, y_um;
};

struct ts_data; /* shared; immutable once finished */

/* New data with one reference. The writable memory is filled before the data is shared with anyone. */
struct ts_data *ts_data_create_pixels(const struct ts_type *type, const struct ts_region *region, struct ts_error *err);
struct ts_data *ts_data_create_table(size_t rows, size_t columns, const char *const *names, struct ts_error *err);
struct ts_data *ts_data_create_bytes(const struct ts_type *type, size_t size_bytes, struct ts_error *err);
/* A file by name; its digest is the SHA-256 of its bytes, given by the caller. */
struct ts_data *ts_data_create_file(const char *path, const struct ts_sha256 *digest);
/* Guard zones around the bytes (base/buffer.h); a file has none and is intact. */
void ts_data_guard(struct ts_data *data);
bool ts_data_is_intact(const struct ts_data *data);
void *ts_data_writable(struct ts_data *data);
/* Ends the writing, once, before sharing: every NaN gets the same bits, so that equal data have equal digests
 * anywhere. */
void ts_data_finish(struct ts_data *data);
struct ts_data *ts_data_ref(struct ts_data *data);
void ts_data_unref(struct ts_data *data);          /* NULL is allowed */
void ts_data_unref_pointer(struct ts_data **data); /* for ts_auto */

const struct ts_type *ts_data_type(const struct ts_data *data);
void ts_data_set_type(struct ts_data *data,
                      const struct ts_type *type); /* before sharing: same kind, element, channels */
/* Pixels only. In memory: frame by frame, in these plane by plane, row by row without padding, channels interleaved.
 * Depth and frames are at least 1. */
const struct ts_region *ts_data_region(const struct ts_data *data);
/* Before sharing: takes x, y, z, t and level; the extents stay. */
void ts_data_set_place(struct ts_data *data, const struct ts_region *place);
const void *ts_data_bytes(const struct ts_data *data,
                          size_t *size_bytes); /* pixels, table cells, bytes; size may be NULL */
size_t ts_data_size_bytes(const struct ts_data *data);
/* Tables. */
size_t ts_data_rows(const struct ts_data *data);
size_t ts_data_columns(const struct ts_data *data);
const char *const *ts_data_column_names(const struct ts_data *data);
const double *ts_data_cells(const struct ts_data *data); /* row by row */
bool ts_data_find_column(const struct ts_data *data, const char *name, size_t *column);
const char *ts_data_path(const struct ts_data *data); /* files */

/* Digest for use within a run: covers type, shape, place, names and content. Computed once, when the data is
 * finished. */
struct ts_xxh128 ts_data_run_digest(const struct ts_data *data);
/* Digest that may outlive the run: SHA-256 of the encoded form, of masks in a shorter one; for files the digest of the
 * file. */
void ts_data_digest(const struct ts_data *data, struct ts_sha256 *digest);

/* Whether a mask holds nothing but 0 and 255. The bits that this makes serve the digest, too. */
bool ts_data_check_mask(const struct ts_data *data);

/* About what the encoded form takes before compression: masks are bits there. */
size_t ts_data_coded_bytes(const struct ts_data *data);
/* The canonical encoded form (format "TSD2", of volumes "TSD3"): equal data give equal bytes on every machine (little
 * endian). For tests, as is decoding: the store packs. */
void ts_data_encode(const struct ts_data *data, struct ts_str *out);
/* Reads the whole encoded form; damaged input is an ordinary error (BAD_PRODUCT). */
struct ts_data *ts_data_decode(const void *bytes, size_t size, struct ts_error *err);
/* Encoded and compressed (zstd) for the store, and back. */
bool ts_data_pack(const struct ts_data *data, struct ts_str *out, struct ts_error *err);
struct ts_data *ts_data_unpack(const void *bytes, size_t size, struct ts_error *err);

/* Tables as CSV text and back. A cell that is empty or "nan" is a missing value; a cell that is not a number is an
 * error with its place. */
void ts_table_to_csv(const struct ts_data *data, const char *name, const char *text, struct ts_str *out);
void ts_table_to_raw_csv(const struct ts_data *data, struct ts_str *out); /* names of columns literally, for programs */
struct ts_data *ts_table_from_csv(const char *name, const char *text, size_t length, struct ts_error *err);

/* Joins the pieces of one product: tables row after row (same columns), pixels into the box that covers them, bytes
 * of a type that chains one after the other. */
struct ts_data *ts_data_gather(const struct ts_data *const *pieces, size_t count, struct ts_error *err);
/* The same, but pixels that lie in a rectangle of their level into all of it: what no piece covers is 0. NULL: there is
 * none. */
struct ts_data *ts_data_gather_in(const struct ts_data *const *pieces, size_t count, const struct ts_region *rectangle,
                                  struct ts_error *err);

/* The part of pixel data that lies in a box, which must lie inside it; new data. */
struct ts_data *ts_data_crop(const struct ts_data *data, const struct ts_region *region, struct ts_error *err);

#endif
