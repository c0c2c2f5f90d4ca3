/* The product type "shapes": the objects of one whole file as runs of pixels, in the order of their numbers.
 * SPDX-License-Identifier: Apache-2.0
 *
 * The format: "SHP1", the resolution level (4 bytes), the number of objects and the number of bytes that follow (8
 * bytes each, all little endian); then for every object the step from the number of the one before it (from 0 at
 * first) and its runs (data/run_code.h), relative to the first run of the object before it. About 50 bytes for a
 * nucleus. Equal objects give equal bytes. */
#ifndef TS_DATA_SHAPES_H
#define TS_DATA_SHAPES_H

#include "base/error.h"
#include "base/str.h"
#include "data/run_code.h"
#include "kernels/pixel_run.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ts_shape {
  uint64_t number;                 /* at least 1, and higher than that of the object before it */
  const struct ts_pixel_run *runs; /* borrowed: in raster order, those of a row apart; pixels of the level */
  size_t count;                    /* at least 1 */
};

/* ---- Reading: bytes from anywhere; damage is an ordinary error (BAD_PRODUCT) ---- */

struct ts_shapes {
  int32_t level;
  uint64_t count; /* of objects */
  /* private */
  struct ts_cursor rest;
  struct ts_pixel_run base;
  struct ts_run_list runs; /* of the object that was read last */
  uint64_t number;         /* of that object */
  uint64_t done;           /* objects read */
};

/* The bytes are borrowed until it is closed. Close in every case, also after an error. */
bool ts_shapes_open(struct ts_shapes *shapes, const void *bytes, size_t size, struct ts_error *err);
/* The next object, valid until the next call. False after the last one, with *err as it was, or with an error set. */
bool ts_shapes_next(struct ts_shapes *shapes, struct ts_shape *shape, struct ts_error *err);
void ts_shapes_close(struct ts_shapes *shapes);

/* ---- Writing ---- */

struct ts_shapes_writer {
  struct ts_str bytes; /* owned: the product, once it is ended */
  /* private */
  struct ts_pixel_run base;
  uint64_t number;
  uint64_t count;
};

void ts_shapes_write_begin(struct ts_shapes_writer *writer, int32_t level);
void ts_shapes_write_next(struct ts_shapes_writer *writer, const struct ts_shape *shape);
void ts_shapes_write_end(struct ts_shapes_writer *writer);
void ts_shapes_writer_release(struct ts_shapes_writer *writer);

#endif
