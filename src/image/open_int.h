/* Opening image files without reading their pixels.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_IMAGE_OPEN_INT_H
#define TS_IMAGE_OPEN_INT_H

#include "image/image_int.h"

enum ts_image_format { TS_IMAGE_UNKNOWN, TS_IMAGE_SLIDE, TS_IMAGE_TIFF, TS_IMAGE_PNG, TS_IMAGE_JPEG };

/* Which picture of a file: page and sub-directory as libvips counts them; -1: not a sub-directory. */
struct ts_image_page {
  enum ts_image_format format;
  int page, subifd;
};

/* Loads the header of a picture; pixels follow when asked for. NULL with libvips' error. */
VipsImage *ts_image_load(VipsSource *source, const struct ts_image_page *page, VipsAccess access);
/* Of the full resolution; zero: the file does not say (pixel_size.c). */
struct ts_pixel_size ts_image_pixel_size(VipsImage *first, enum ts_image_format format);
/* From now on the image keeps tiles that it has decoded, if the file has tiles (kept_tiles.c). */
void ts_kept_tiles_attach(struct ts_open_image *open, const struct ts_tiff_facts *facts);
/* Opens a file that exists, at one level. The image holds one reference, for the caller. */
bool ts_image_open(const char *path, int32_t level, struct ts_open_image *open, struct ts_error *err);

#endif
