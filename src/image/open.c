/* Opens image files lazily, at any of their resolution levels, and tells what is in them.
 * SPDX-License-Identifier: Apache-2.0
 *
 * libvips is given a source, not a file name: in its file names a trailing "[...]" holds options. Only the formats that
 * we test are let through; libvips would open many more, some by running other programs. */
#include "image/open_int.h"

#include "base/alloc.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void unref_source(VipsSource **source) {
  if (*source) g_object_unref(*source);
}

static enum ts_image_format format_of(const char *loader) {
  if (!loader) return TS_IMAGE_UNKNOWN;
  if (strstr(loader, "Openslide")) return TS_IMAGE_SLIDE;
  if (strstr(loader, "Tiff")) return TS_IMAGE_TIFF;
  if (strstr(loader, "Png")) return TS_IMAGE_PNG;
  if (strstr(loader, "Jpeg")) return TS_IMAGE_JPEG;
  return TS_IMAGE_UNKNOWN;
}

VipsImage *ts_image_load(VipsSource *source, const struct ts_image_page *page, VipsAccess access) {
  VipsImage *image = NULL;
  const int fail_on = VIPS_FAIL_ON_ERROR;
  switch (page->format) {
  case TS_IMAGE_SLIDE:
    vips_openslideload_source(source, &image, "level", page->page, "access", access, "fail_on", fail_on, NULL);
    break;
  case TS_IMAGE_TIFF:
    vips_tiffload_source(source, &image, "page", page->page, "subifd", page->subifd, "access", access, "fail_on",
                         fail_on, NULL);
    break;
  case TS_IMAGE_PNG: vips_pngload_source(source, &image, "access", access, "fail_on", fail_on, NULL); break;
  case TS_IMAGE_JPEG: vips_jpegload_source(source, &image, "access", access, "fail_on", fail_on, NULL); break;
  case TS_IMAGE_UNKNOWN: break;
  }
  return image;
}

static VipsImage *load(VipsSource *source, enum ts_image_format format, int page, int subifd) {
  return ts_image_load(source, &(struct ts_image_page){format, page, subifd}, VIPS_ACCESS_RANDOM);
}

static int metadata_int(VipsImage *image, const char *name, int otherwise) {
  int value = 0;
  if (vips_image_get_typeof(image, name) == 0) return otherwise;
  return vips_image_get_int(image, name, &value) == 0 ? value : otherwise;
}

static double metadata_number(VipsImage *image, const char *name) {
  const char *text = NULL;
  double value = 0;
  if (vips_image_get_typeof(image, name) == 0 || vips_image_get_string(image, name, &text) != 0) return 0;
  return ts_parse_double(text, &value) ? value : 0;
}

/* A page is a lower level of the one before if it is smaller by the same factor both ways, up to rounding of a pixel.
 * */
static bool is_reduced(const VipsImage *image, const VipsImage *before) {
  if (image->Xsize >= before->Xsize || image->Ysize >= before->Ysize) return false;
  double factor = (double)before->Xsize / image->Xsize;
  double height = before->Ysize / factor;
  return height > image->Ysize - 2.0 && height < image->Ysize + 2.0;
}

/* Pages of a TIFF are levels only while they shrink; the planes of a stack do not. */
static int32_t count_pages(VipsSource *source, VipsImage *first) {
  int pages = metadata_int(first, "n-pages", 1);
  VipsImage *before = first;
  g_object_ref(before);
  int32_t count = 1;
  for (; count < pages; count++) {
    VipsImage *page = load(source, TS_IMAGE_TIFF, count, -1);
    bool reduced = page && is_reduced(page, before);
    g_object_unref(before);
    before = page;
    if (!reduced) break;
  }
  if (before) g_object_unref(before);
  vips_error_clear();
  return count;
}

static int32_t count_levels(VipsSource *source, enum ts_image_format format, VipsImage *first, bool *sub_directories) {
  *sub_directories = false;
  if (format == TS_IMAGE_SLIDE) {
    double levels = metadata_number(first, "openslide.level-count");
    return levels >= 1 && levels < 1000 ? (int32_t)levels : 1;
  }
  if (format != TS_IMAGE_TIFF) return 1;
  int below = metadata_int(first, "n-subifds", 0);
  *sub_directories = below > 0;
  return below > 0 ? below + 1 : count_pages(source, first);
}

static const char *const convert_help = "convert it to an RGB or grey PNG or TIFF with 8 or 16 bits per channel";

static bool describe(const char *path, VipsImage *image, struct ts_image_info *info, struct ts_error *err) {
  int bands = image->Bands - (vips_image_hasalpha(image) ? 1 : 0);
  bool wide = image->BandFmt == VIPS_FORMAT_USHORT;
  if (image->BandFmt != VIPS_FORMAT_UCHAR && !wide) {
    return ts_image_refuse(err, path, convert_help, "'%s' has pixels of type '%s'", path,
                           vips_enum_nick(VIPS_TYPE_BAND_FORMAT, image->BandFmt));
  }
  bool colours_known = image->Type != VIPS_INTERPRETATION_CMYK && image->Type != VIPS_INTERPRETATION_LAB &&
                       image->Type != VIPS_INTERPRETATION_LABS && image->Type != VIPS_INTERPRETATION_LABQ;
  if ((bands != 1 && bands != 3) || !colours_known) {
    return ts_image_refuse(err, path, convert_help, "'%s' has %d channels of kind '%s'", path, bands,
                           vips_enum_nick(VIPS_TYPE_INTERPRETATION, image->Type));
  }
  info->width = image->Xsize;
  info->height = image->Ysize;
  info->channels = bands;
  info->bits = wide ? 16 : 8;
  return true;
}

/* Opens one level from a source that is known to be readable. */
static bool open_level(const char *path, VipsSource *source, struct ts_image_page *at, int32_t level,
                       struct ts_open_image *open, struct ts_error *err) {
  enum ts_image_format format = at->format;
  ts_auto(ts_unref_image) VipsImage *first = load(source, format, 0, -1);
  if (!first) return ts_image_fail(err, path, "cannot be read");
  bool sub_directories = false;
  open->info.level_count = count_levels(source, format, first, &sub_directories);
  if (level < 0 || level >= open->info.level_count) {
    return ts_image_refuse(err, path, "levels count from 0, the full resolution",
                           "'%s' has %d resolution level%s, not level %d", path, (int)open->info.level_count,
                           open->info.level_count == 1 ? "" : "s", (int)level);
  }
  struct ts_pixel_size size = ts_image_pixel_size(first, format);
  open->info.downsampling_x = open->info.downsampling_y = 1;
  if (level > 0) {
    const double width = first->Xsize, height = first->Ysize;
    at->page = sub_directories ? 0 : level;
    at->subifd = sub_directories ? level - 1 : -1;
    VipsImage *lower = load(source, format, at->page, at->subifd);
    ts_unref_image(&first);
    first = lower;
    if (!first) return ts_image_fail(err, path, "cannot be read at this level");
    open->info.downsampling_x = width / first->Xsize;
    open->info.downsampling_y = height / first->Ysize;
    size.x_um *= open->info.downsampling_x;
    size.y_um *= open->info.downsampling_y;
  }
  if (!describe(path, first, &open->info, err)) return false;
  open->info.pixel_size = size;
  open->image = ts_steal(first);
  return true;
}

/* The most that a decoder has to hold at once: a tile or strip of a TIFF, all of an interlaced PNG, all coefficients
 * (16 bits each) of a progressive JPEG; 0: rows. */
static uint64_t piece_bytes(const struct ts_open_image *open, enum ts_image_format format,
                            const struct ts_tiff_facts *facts) {
  uint64_t pixel_bytes = (uint64_t)VIPS_IMAGE_SIZEOF_PEL(open->image);
  uint64_t pixels = (uint64_t)open->info.width * (uint64_t)open->info.height;
  if (facts->piece_pixels > 0)
    return facts->piece_pixels < UINT64_MAX / 64 ? facts->piece_pixels * pixel_bytes : UINT64_MAX;
  bool all = metadata_int(open->image, "interlaced", 0) != 0 || metadata_int(open->image, "jpeg-multiscan", 0) != 0;
  return !all ? 0 : format == TS_IMAGE_JPEG ? 2 * pixels * pixel_bytes : pixels * pixel_bytes;
}

bool ts_image_open(const char *path, int32_t level, struct ts_open_image *open, struct ts_error *err) {
  *open = (struct ts_open_image){0};
  ts_auto(unref_source) VipsSource *source = vips_source_new_from_file(path);
  if (!source) return ts_image_fail(err, path, "cannot be opened");
  enum ts_image_format format = format_of(vips_foreign_find_load_source(source));
  if (format == TS_IMAGE_UNKNOWN) {
    vips_error_clear();
    return ts_image_refuse(err, path, "give a PNG, TIFF, OME-TIFF, JPEG or whole-slide file",
                           "'%s' is not an image that can be read", path);
  }
  struct ts_image_page page = {.format = format, .page = 0, .subifd = -1};
  if (!open_level(path, source, &page, level, open, err)) return false;
  struct ts_tiff_facts facts = {0};
  const struct ts_image_page first = {.format = format, .page = 0, .subifd = -1}; /* levels of slides are not pages */
  if (format == TS_IMAGE_TIFF || format == TS_IMAGE_SLIDE)
    ts_tiff_inspect(path, format == TS_IMAGE_SLIDE ? &first : &page, &facts);
  open->ycc = format == TS_IMAGE_TIFF && facts.ycc_as_rgb && open->info.channels == 3 && open->info.bits == 8;
  open->decoded_whole = format != TS_IMAGE_SLIDE && !facts.tiled;
  open->piece_bytes = piece_bytes(open, format, &facts);
  if (open->decoded_whole)
    ts_whole_attach(open, path, &page);
  else
    ts_kept_tiles_attach(open, &facts);
  return true;
}
