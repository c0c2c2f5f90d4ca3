/* Masks of tissue: found on a slide, or read from a file, and which regions they meet.
 * SPDX-License-Identifier: Apache-2.0 */
#include "project/data/tissue.h"

#include "base/alloc.h"
#include "base/order.h"
#include "image/overview.h"
#include "kernels/tissue.h"

#include <math.h>
#include <string.h>

/* What the kernel is made for; files that do not say their pixel size are mostly of 0.25 to 0.5 micrometres. */
#define MASK_UM     8.0
#define MASK_FACTOR 16

/* Longest side of a mask that is held in memory; a larger file is reduced, and what is set anywhere stays set. */
#define FILE_SIDE_MAX 8192

/* The shape of a mask may differ by a pixel or by this share: programs that make thumbnails round, or cut an edge. */
#define SHAPE_DIFFERENCE 0.05

void ts_tissue_mask_release(struct tissue_mask *mask) {
  ts_data_unref(mask->pixels);
  *mask = (struct tissue_mask){0};
}

struct stop {
  const volatile int *flag; /* of the request; NULL */
};

static bool is_stopped(void *user) {
  const struct stop *stop = user;
  return stop->flag && *stop->flag != 0;
}

/* ---- From the slide ---- */

struct search {
  const struct ts_project *project;
  const struct ts_item *item;
  const struct ts_item_source *source;
  struct ts_overview overview; /* owned */
};

/* Reads the overview between two looks at the file (data/source_file.h). */
static bool read_overview(void *user, struct ts_error *err) {
  struct search *s = user;
  struct stop stop = {s->project->request->stop};
  const int64_t factor = ts_overview_factor(&s->item->pixel_size, MASK_UM, MASK_FACTOR);
  ts_overview_release(&s->overview);
  return ts_image_overview(s->source->path, s->source->type, s->item->grid.whole.level, factor, is_stopped, &stop,
                           &s->overview, err);
}

bool ts_tissue_mask_find(const struct ts_project *project, const struct ts_item *item, size_t input,
                         struct tissue_mask *mask, struct ts_error *err) {
  struct search s = {.project = project, .item = item, .source = &item->sources[input]};
  *mask = (struct tissue_mask){0};
  bool ok = ts_source_file_read(s.source->file, read_overview, &s, err);
  if (ok) {
    const struct ts_region *size = ts_data_region(s.overview.pixels);
    mask->pixels = ts_data_create_pixels(ts_type_find("mask"), size, err);
    ok = mask->pixels && ts_tissue_mask(ts_data_bytes(s.overview.pixels, NULL), size->width, size->height,
                                        ts_data_writable(mask->pixels), err);
    mask->step_x = s.overview.step_x;
    mask->step_y = s.overview.step_y;
  }
  ts_overview_release(&s.overview);
  if (!ok) ts_tissue_mask_release(mask);
  return ok;
}

/* ---- From a file ---- */

static bool has_shape(const struct ts_image_info *mask, const struct ts_region *whole) {
  const double height = (double)mask->width * (double)whole->height / (double)whole->width;
  const double width = (double)mask->height * (double)whole->width / (double)whole->height;
  return fabs((double)mask->height - height) <= fmax(1, SHAPE_DIFFERENCE * height) ||
         fabs((double)mask->width - width) <= fmax(1, SHAPE_DIFFERENCE * width);
}

static bool check_file(const struct ts_item *item, const char *path, const struct ts_image_info *info,
                       struct ts_error *err) {
  const struct ts_region *whole = &item->grid.whole;
  if (!ts_image_fits_type(info, ts_type_find("mask"))) {
    ts_fail(err, TS_ERR_BAD_IMAGE, "the tissue mask '%s' is %s", path, ts_image_description(info));
    return ts_error_help(err, "give a grey image in which tissue is not 0");
  }
  if (has_shape(info, whole)) return true;
  ts_fail(err, TS_ERR_BAD_IMAGE,
          "the tissue mask '%s' is %lld x %lld pixels, which is not the shape of '%s' (%lld x %lld)", path,
          (long long)info->width, (long long)info->height, item->name, (long long)whole->width,
          (long long)whole->height);
  return ts_error_help(err, "a mask may have any size, but must show the whole image");
}

bool ts_tissue_mask_read(const struct ts_project *project, const struct ts_item *item, const char *path,
                         struct tissue_mask *mask, struct ts_error *err) {
  struct ts_image_info info = {0};
  struct ts_overview overview = {0};
  struct stop stop = {project->request->stop};
  *mask = (struct tissue_mask){0};
  if (!ts_image_inspect(path, 0, &info, err) || !check_file(item, path, &info, err) ||
      !ts_image_fits_budget(path, 0, err))
    return false;
  const int64_t factor = (ts_larger(info.width, info.height) - 1) / FILE_SIDE_MAX + 1;
  if (!ts_image_overview(path, ts_type_find("mask"), 0, factor, is_stopped, &stop, &overview, err)) return false;
  mask->pixels = ts_data_ref(overview.pixels);
  mask->step_x = overview.step_x * (double)item->grid.whole.width / (double)info.width;
  mask->step_y = overview.step_y * (double)item->grid.whole.height / (double)info.height;
  ts_overview_release(&overview);
  return true;
}

/* ---- Regions ---- */

/* The pixels of the mask, of `count`, that a stretch of the image meets: from *first to before *end. The edge of an
 * image may lie beyond that of its mask by a rounded pixel: the last one then stands for it. */
static void stretch(int64_t start, int64_t length, double step, int64_t count, int64_t *first, int64_t *end) {
  *first = ts_smaller(count - 1, (int64_t)floor((double)start / step));
  *end = ts_larger(*first + 1, ts_smaller(count, (int64_t)ceil((double)(start + length) / step)));
}

bool ts_tissue_mask_meets(const struct tissue_mask *mask, const struct ts_region *region) {
  const struct ts_region *size = ts_data_region(mask->pixels);
  const uint8_t *pixels = ts_data_bytes(mask->pixels, NULL);
  int64_t left, right, top, bottom;
  stretch(region->x, region->width, mask->step_x, size->width, &left, &right);
  stretch(region->y, region->height, mask->step_y, size->height, &top, &bottom);
  for (int64_t y = top; y < bottom; y++)
    for (int64_t x = left; x < right; x++)
      if (pixels[y * size->width + x]) return true;
  return false;
}
