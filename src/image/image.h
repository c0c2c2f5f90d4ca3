/* Images on disk: facts about a file, tiles of it, and results written for people and other programs.
 * SPDX-License-Identifier: Apache-2.0
 *
 * PNG, TIFF, OME-TIFF and whole slides (OpenSlide) through libvips. Reading a tile never loads the whole image. */
#ifndef TS_IMAGE_IMAGE_H
#define TS_IMAGE_IMAGE_H

#include "base/error.h"
#include "base/str.h"
#include "data/data.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Starts libvips once; safe to call again and from several threads. */
bool ts_image_startup(struct ts_error *err);

struct ts_image_info {
  int64_t width, height; /* of the asked level */
  int32_t level_count;
  int32_t channels;                /* after decoding, alpha dropped: 1 or 3 */
  int32_t bits;                    /* per channel: 8 or 16 */
  struct ts_pixel_size pixel_size; /* of the asked level */
  /* Pixels of the full resolution per pixel of the asked level; 1 at level 0. */
  double downsampling_x, downsampling_y;
};

/* Reads the header only. BAD_IMAGE or FILE_NOT_FOUND with err->where.file set. */
bool ts_image_inspect(const char *path, int32_t level, struct ts_image_info *info, struct ts_error *err);

/* Whether the image can be read within the budget (base/budget.h): a format without random access must be decoded
 * whole, into a temporary file. IMAGE_TOO_LARGE from the header alone, before the first pixel. */
bool ts_image_fits_budget(const char *path, int32_t level, struct ts_error *err);
/* Whether pixels of a file can be read as a type without loss: no colours and no bits are dropped (a mask needs
 * none). */
bool ts_image_fits_type(const struct ts_image_info *info, const struct ts_type *type);
/* "an RGB image with 8 bits per channel"; constant text. */
const char *ts_image_description(const struct ts_image_info *info);

/* Reads one rectangle as the given type: image/rgb8, image/gray8, image/gray16, mask (non-zero becomes 255), labels.
 * Alpha is dropped; a grey file read as RGB repeats its channel; RGB read as grey is an error. */
struct ts_data *ts_image_read(const char *path, const struct ts_type *type, const struct ts_region *region,
                              struct ts_error *err);
/* The same into memory of the caller, which has the size of the rectangle in pixels of the type: no other copy of it is
 * made. What is there after a failure is undefined. */
bool ts_image_read_into(const char *path, const struct ts_type *type, const struct ts_region *region, void *pixels,
                        struct ts_error *err);
/* Whether the header of the file lets the rectangle be read as the type: for those who have to provide memory first. */
bool ts_image_check_region(const char *path, const struct ts_type *type, const struct ts_region *region,
                           struct ts_error *err);

/* The type of a file with one channel of numbers that ts_image_inspect refuses: fields (floating point) and labels of
 * 32 bits, as TIFF files have them; NULL: of no such file. */
const struct ts_type *ts_image_wide_type(const char *path);
/* Reads such a file, or a part of it (NULL: all), as one of these two types; numbers that it does not hold are the
 * nearest. The whole file is decoded: for files that one call reads, not for tiles of slides. */
struct ts_data *ts_image_read_wide(const char *path, const struct ts_type *type, const struct ts_region *region,
                                   struct ts_error *err);

/* Writes pixels as PNG: rgb8, gray8, gray16, mask as is; labels as 16-bit grey (error above 65535 labels). */
bool ts_image_write_png(const char *path, const struct ts_data *pixels, struct ts_error *err);
/* The same into memory, for reports. shrink > 1 reduces both sides by that factor (area average; masks by maximum). */
bool ts_image_encode_png(const struct ts_data *pixels, int32_t shrink, struct ts_str *out, struct ts_error *err);
/* image/rgb8 or image/gray8 as JPEG, for pages that shall not be large. */
bool ts_image_encode_jpeg(const struct ts_data *pixels, struct ts_str *out, struct ts_error *err);
#define TS_OUTLINE_RGB 0xF0E442 /* Okabe-Ito yellow: stands out from both stains */
/* The image with the outlines of a mask or label image drawn over it (Okabe-Ito colour, 1 px inside each object). */
struct ts_data *ts_image_overlay(const struct ts_data *image, const struct ts_data *mask, uint32_t rgb,
                                 struct ts_error *err);

/* Files stay open from one rectangle to the next; those that had to be decoded as a whole are held in memory. This
 * closes the latter; one that is asked for again is decoded again. */
void ts_images_close_idle(void);

#endif
