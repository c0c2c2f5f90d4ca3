/* What the files of the image module share: libvips handles, open images and facts about TIFF files.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_IMAGE_IMAGE_INT_H
#define TS_IMAGE_IMAGE_INT_H

#include "image/image.h"

#include <vips/vips.h>

/* An image file opened at one resolution level. */
struct ts_open_image {
  VipsImage *image; /* shared: counted by GObject */
  struct ts_image_info info;
  bool ycc;             /* the three channels hold YCbCr although the file says RGB */
  bool decoded_whole;   /* the format has no random access: all pixels are decoded once one is asked for (whole.c) */
  uint64_t piece_bytes; /* the decoder holds this many at once */
  int64_t kept_bytes;   /* tiles that were decoded before (kept_tiles.c) hold at most this many */
};

/* Opens an image or takes it from the cache of open ones; the caller releases it. Safe from several threads. */
bool ts_open_image_get(const char *path, int32_t level, struct ts_open_image *open, struct ts_error *err);
void ts_open_image_release(struct ts_open_image *open);
/* Forgets all cached images of a file, so that a failed one is not used again. */
void ts_open_image_forget(const char *path);

struct ts_image_page;

/* ---- Images without random access (whole.c). ---- */

/* Notes how all pixels of the image can be decoded; it lives as long as the image. */
void ts_whole_attach(struct ts_open_image *open, const char *path, const struct ts_image_page *page);
/* The image with pixels that can be asked for in any order: itself, or what was decoded from it (now, if nobody
 * has). */
VipsImage *ts_whole_pixels(const char *path, const struct ts_open_image *open, struct ts_error *err);
/* The image with pixels that are decoded from top to bottom, once: nothing is kept. */
VipsImage *ts_whole_stream(const char *path, const struct ts_open_image *open, struct ts_error *err);
/* Bytes of memory that decoded pixels of the image, or tiles of it, may hold between two reads. */
int64_t ts_whole_memory_bytes(const struct ts_open_image *open);
int64_t ts_whole_memory_bytes_max(void); /* of all images together */

/* Facts about a TIFF file that libvips does not report; all false for files of other kinds. */
struct ts_tiff_facts {
  bool tiled;
  bool ycc_as_rgb;                  /* see tiff.c */
  uint64_t tile_width, tile_height; /* 0: not tiled */
  uint64_t piece_pixels;            /* of a tile; 0: not tiled */
};
void ts_tiff_inspect(const char *path, const struct ts_image_page *page, struct ts_tiff_facts *facts);

/* Sets BAD_IMAGE with what libvips said last, and the file as place. Returns false. */
bool ts_image_fail(struct ts_error *err, const char *path, const char *what);
/* BAD_IMAGE with text and help of our own. Returns false. */
bool ts_image_refuse(struct ts_error *err, const char *path, const char *help, const char *format, ...) TS_PRINTF(4, 5);

void ts_unref_image(VipsImage **image); /* for ts_auto */

#endif
