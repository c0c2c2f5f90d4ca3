/* Writes a spooled image through libvips, which asks for its pixels band by band.
 * SPDX-License-Identifier: Apache-2.0 */
#include "image/image_int.h"
#include "image/spool_int.h"

#include "base/alloc.h"
#include "base/const.h"
#include "base/file.h"
#include "base/file_stream.h"
#include "base/str.h"

#include <errno.h>
#include <string.h>

#define PNG_COMPRESSION 6 /* that of write.c: a tile that is the whole image has the same bytes */
#define TIFF_TILE       512
/* Bytes of pixels above which a TIFF has offsets of 64 bits: with a third more for the levels and what Deflate may add
 * to noise, 2 GiB stay far below the 4 GiB that 32 bits reach. */
#define BIG_TIFF_BYTES (UINT64_C(2) << 30)

/* ---- Pixels for libvips ---- */

/* Labels of a PNG have 16 bits. */
static void narrow(const uint32_t *labels, uint16_t *samples, int count) {
  for (int i = 0; i < count; i++) samples[i] = (uint16_t)labels[i];
}

static int fill_row(const struct ts_spool *spool, const VipsRegion *region, int y) {
  const VipsRect *part = &region->valid;
  void *row = VIPS_REGION_ADDR(region, part->left, y);
  if (spool->type->element != TS_U32 || region->im->BandFmt == VIPS_FORMAT_UINT)
    return ts_spool_read_part(spool, part->left, y, part->width, row);
  ts_auto_free uint32_t *labels = ts_calloc((size_t)part->width, sizeof *labels);
  const int number = ts_spool_read_part(spool, part->left, y, part->width, labels);
  narrow(labels, row, part->width);
  return number;
}

// NOLINTNEXTLINE(readability-non-const-parameter): a function of libvips' type
static int generate(VipsRegion *region, void *sequence, void *spool, void *unused, gboolean *stop) {
  (void)sequence;
  (void)unused;
  (void)stop;
  for (int y = region->valid.top; y < VIPS_RECT_BOTTOM(&region->valid); y++) {
    const int number = fill_row(spool, region, y);
    if (number == 0) continue;
    vips_error_system(number, "tessera", "a temporary file cannot be read");
    return -1;
  }
  return 0;
}

static VipsBandFormat format_of(const struct ts_spool *spool, bool is_png) {
  switch (spool->type->element) {
  case TS_U8: return VIPS_FORMAT_UCHAR;
  case TS_U16: return VIPS_FORMAT_USHORT;
  case TS_U32: return is_png ? VIPS_FORMAT_USHORT : VIPS_FORMAT_UINT;
  case TS_F32: return VIPS_FORMAT_FLOAT;
  case TS_F64: return VIPS_FORMAT_DOUBLE;
  }
  return VIPS_FORMAT_NOTSET;
}

static VipsInterpretation interpretation_of(const struct ts_spool *spool, VipsBandFormat format) {
  if (spool->type->channels == 3) return VIPS_INTERPRETATION_sRGB;
  if (format == VIPS_FORMAT_USHORT) return VIPS_INTERPRETATION_GREY16;
  return VIPS_INTERPRETATION_B_W;
}

/* An image whose pixels come from the spool when somebody asks for them. */
static VipsImage *open_pixels(const struct ts_spool *spool, bool is_png) {
  VipsImage *image = vips_image_new();
  const VipsBandFormat format = format_of(spool, is_png);
  vips_image_init_fields(image, (int)spool->width, (int)spool->height, spool->type->channels, format, VIPS_CODING_NONE,
                         interpretation_of(spool, format), 1, 1);
  if (vips_image_pipelinev(image, VIPS_DEMAND_STYLE_FATSTRIP, NULL) == 0 &&
      vips_image_generate(image, NULL, generate, NULL, ts_without_const(spool), NULL) == 0)
    return image;
  g_object_unref(image);
  return NULL;
}

/* ---- OME ---- */

static const char *ome_type(VipsBandFormat format) {
  switch (format) {
  case VIPS_FORMAT_UCHAR: return "uint8";
  case VIPS_FORMAT_USHORT: return "uint16";
  case VIPS_FORMAT_UINT: return "uint32";
  case VIPS_FORMAT_FLOAT: return "float";
  default: return "double";
  }
}

/* The OME-XML of one plane in the first IFD. The name of the file is not part of it: files may be renamed. */
static void describe(const struct ts_spool *spool, VipsBandFormat format, const struct ts_pixel_size *size,
                     struct ts_str *xml) {
  const int channels = spool->type->channels;
  ts_str_addf(xml,
              "<?xml version=\"1.0\" encoding=\"UTF-8\"?>"
              "<OME xmlns=\"http://www.openmicroscopy.org/Schemas/OME/2016-06\" "
              "xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" "
              "xsi:schemaLocation=\"http://www.openmicroscopy.org/Schemas/OME/2016-06 "
              "http://www.openmicroscopy.org/Schemas/OME/2016-06/ome.xsd\" Creator=\"tessera\">"
              "<Image ID=\"Image:0\"><Pixels ID=\"Pixels:0\" DimensionOrder=\"XYCZT\" Type=\"%s\" SizeX=\"%lld\" "
              "SizeY=\"%lld\" SizeC=\"%d\" SizeZ=\"1\" SizeT=\"1\"",
              ome_type(format), (long long)spool->width, (long long)spool->height, channels);
  if (size->x_um > 0 && size->y_um > 0) {
    ts_str_add(xml, " PhysicalSizeX=\"");
    ts_str_add_double(xml, size->x_um);
    ts_str_add(xml, "\" PhysicalSizeXUnit=\"\xc2\xb5m\" PhysicalSizeY=\"");
    ts_str_add_double(xml, size->y_um);
    ts_str_add(xml, "\" PhysicalSizeYUnit=\"\xc2\xb5m\"");
  }
  ts_str_addf(xml,
              " Interleaved=\"%s\"><Channel ID=\"Channel:0:0\" SamplesPerPixel=\"%d\"/>"
              "<TiffData IFD=\"0\" PlaneCount=\"1\"/></Pixels></Image></OME>",
              channels > 1 ? "true" : "false", channels);
}

static VipsRegionShrink shrink_of(const struct ts_type *type) {
  if (type->element == TS_U32) return VIPS_REGION_SHRINK_NEAREST;
  return strcmp(type->name, "mask") == 0 ? VIPS_REGION_SHRINK_MAX : VIPS_REGION_SHRINK_MEAN;
}

/* Differences of neighbours help what changes smoothly; in masks and labels they only take time. */
static VipsForeignTiffPredictor predictor_of(const struct ts_type *type) {
  const bool is_flat = strcmp(type->name, "mask") == 0 || type->element == TS_U32;
  return is_flat ? VIPS_FOREIGN_TIFF_PREDICTOR_NONE : VIPS_FOREIGN_TIFF_PREDICTOR_HORIZONTAL;
}

/* libvips 8.14 does not say in the sub-IFDs that numbers are floating: fields have one level. */
static bool has_levels(const struct ts_type *type) { return type->element != TS_F32 && type->element != TS_F64; }

static int save_tiff(const struct ts_spool *spool, VipsImage *image, const struct ts_pixel_size *size,
                     VipsTarget *target) {
  ts_auto(ts_str_release) struct ts_str xml = {0};
  describe(spool, image->BandFmt, size, &xml);
  vips_image_set_string(image, VIPS_META_IMAGEDESCRIPTION, ts_str_get(&xml));
  const uint64_t bytes = (uint64_t)(spool->width * spool->height) * spool->pixel_bytes;
  const double per_mm_x = size->x_um > 0 ? 1000 / size->x_um : 1, per_mm_y = size->y_um > 0 ? 1000 / size->y_um : 1;
  return vips_tiffsave_target(image, target, "compression", VIPS_FOREIGN_TIFF_COMPRESSION_DEFLATE, "predictor",
                              predictor_of(spool->type), "tile", TRUE, "tile_width", TIFF_TILE, "tile_height",
                              TIFF_TILE, "pyramid", has_levels(spool->type), "subifd", has_levels(spool->type),
                              "region_shrink", shrink_of(spool->type), "bigtiff", bytes > BIG_TIFF_BYTES, "resunit",
                              VIPS_FOREIGN_TIFF_RESUNIT_CM, "xres", per_mm_x, "yres", per_mm_y, NULL);
}

/* ---- The file ---- */

static bool fail_write(struct ts_error *err, const char *path) {
  char *said = vips_error_buffer_copy();
  const char *why = said;
  for (const char *line = said; (line = strchr(line, '\n')) && line[1];) why = ++line;
  const bool is_full = strstr(said, strerror(ENOSPC)) != NULL;
  if (is_full)
    ts_file_fail(err, path, "be written", ENOSPC);
  else {
    ts_fail(err, TS_ERR_FILE_IO, "'%s' cannot be written: %.*s", path, (int)strcspn(why, "\n"), why);
    ts_error_help(err, "check the path and the file system");
    ts_error_place(err, path, 0, 0, NULL);
  }
  g_free(said);
  return false;
}

static bool fill(const struct ts_spool *spool, const char *file, bool is_png, const struct ts_pixel_size *size) {
  ts_auto(ts_unref_image) VipsImage *image = open_pixels(spool, is_png);
  VipsTarget *target = image ? vips_target_new_to_file(file) : NULL;
  const bool ok =
      target && (is_png ? vips_pngsave_target(image, target, "compression", PNG_COMPRESSION, "strip", TRUE, NULL)
                        : save_tiff(spool, image, size, target)) == 0;
  if (target) g_object_unref(target);
  return ok;
}

bool ts_spool_write(const struct ts_spool *spool, const char *path, const struct ts_pixel_size *size,
                    struct ts_error *err) {
  ts_auto(ts_file_stream_release) struct ts_file_stream stream = {0};
  if (!ts_image_startup(err)) return false;
  if (spool->width > VIPS_MAX_COORD || spool->height > VIPS_MAX_COORD)
    return ts_fail(err, TS_ERR_BAD_VALUE, "an image of %lld x %lld pixels cannot be written", (long long)spool->width,
                   (long long)spool->height);
  if (!ts_file_stream_open(&stream, path, err)) return false;
  vips_error_clear();
  if (!fill(spool, stream.temporary, strcmp(ts_spool_ending(spool), "png") == 0, size)) return fail_write(err, path);
  return ts_file_stream_commit(&stream, err);
}
