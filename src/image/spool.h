/* A whole image that comes in pieces: kept in a file without a name, and written as PNG or OME-TIFF when complete.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Pieces come in any order; pixels that never came are 0. Memory does not grow with the image: the file takes its
 * bytes, less where nothing but zeros came, and is read back in bands of rows. */
#ifndef TS_IMAGE_SPOOL_H
#define TS_IMAGE_SPOOL_H

#include "data/data.h"

#define TS_PNG_SIDE_MAX 16384 /* pixels: larger images are tiled and have levels, so that viewers need not decode all */

struct ts_spool;

/* The file is made in `folder`, best the one of the results: where these have no space, no image can be written. */
struct ts_spool *ts_spool_create(const char *folder, const struct ts_type *type, int64_t width, int64_t height,
                                 struct ts_error *err);
void ts_spool_destroy(struct ts_spool *spool); /* NULL is allowed */
int64_t ts_spool_width(const struct ts_spool *spool);
int64_t ts_spool_height(const struct ts_spool *spool);
const struct ts_type *ts_spool_type(const struct ts_spool *spool);

/* Whether a plane of pixels is of the type of the image and lies in it with its corner at x, y. */
bool ts_spool_takes(const struct ts_spool *spool, const struct ts_data *pixels, int64_t x, int64_t y);
/* Puts a piece, which it takes, there. FILE_IO: no space. */
bool ts_spool_put(struct ts_spool *spool, const struct ts_data *pixels, int64_t x, int64_t y, struct ts_error *err);
/* Row after row of the image into memory of the caller. */
bool ts_spool_read(const struct ts_spool *spool, int64_t y, int64_t rows, void *pixels, struct ts_error *err);

/* "png", or "ome.tif" for what a PNG does not hold: fields, sides above TS_PNG_SIDE_MAX, labels above 65535. */
const char *ts_spool_ending(const struct ts_spool *spool);
/* In the form that the ending says, under a temporary name until it is complete. OME-TIFF: tiles of 512 x 512 with
 * Deflate, every further level half as wide and high (rounded down) in a sub-IFD, until one fits into a tile or a side
 * is a pixel. Levels take the mean of four pixels of an image, the largest of a mask, the first of labels; fields have
 * the first level alone. */
bool ts_spool_write(const struct ts_spool *spool, const char *path, const struct ts_pixel_size *size,
                    struct ts_error *err);

#endif
