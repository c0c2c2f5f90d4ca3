/* Files of polygons in the dataset: which inputs take them, their faults, and their scale.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Polygons have no size of their own: they are drawn into pixels of the images of their item. */
#include "project/data/polygon_files.h"

#include "base/alloc.h"
#include "image/polygons.h"
#include "project/data/check_data.h"
#include "project/data/manifest.h"

#include <string.h>

/* A file of an item, and what is known of the item's images; all borrowed. */
struct polygon_file {
  const struct ts_workflow_input *input;
  const char *path;
  const char *image;                   /* of the same item; NULL: it has none */
  const struct ts_image_info *size;    /* of that image, at the level */
  const struct ts_item_source *opened; /* found by digest; NULL: to be opened */
  int32_t level;
  bool is_unused; /* checked, but not read */
};

/* Labels where the input takes them: they say more. NULL: the input needs other pixels. */
static const struct ts_type *type_for(const struct ts_workflow_input *input) {
  static const char *const names[] = {"labels", "mask"};
  const char *declared = input->type ? input->type->name : input->declaration;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    const struct ts_type *type = ts_type_find(names[i]);
    if (ts_type_fits(type, declared)) return type;
  }
  return NULL;
}

bool ts_takes_polygons(const struct ts_workflow_input *input, const char *path) {
  return path && ts_input_is_image(input) && type_for(input) && ts_polygons_named(path);
}

static bool refuse_without_image(const struct polygon_file *file, struct ts_issues *issues) {
  struct ts_error err = {0};
  ts_fail(&err, TS_ERR_BAD_IMAGE, "'%s' has polygons, which have no size: there is no image beside it", file->path);
  ts_error_help(&err, "name an image for another input of the workflow");
  ts_error_place(&err, file->path, 0, 0, NULL);
  return ts_issues_fault(issues, &err);
}

static void warn_outside(const struct polygon_file *file, const struct ts_polygons *polygons,
                         const struct ts_polygon_scale *scale, struct ts_issues *issues) {
  const struct ts_polygon_frame frame = {.region = {.width = file->size->width, .height = file->size->height},
                                         .downsample_x = scale->x,
                                         .downsample_y = scale->y};
  const size_t outside = ts_polygons_outside(polygons, &frame);
  if (outside == 0) return;
  ts_issues_warn(issues,
                 "%zu of the %zu features of '%s' lie%s outside '%s'; coordinates are in pixels of the full resolution",
                 outside, ts_polygons_count(polygons), file->path, outside == 1 ? "s" : "", file->image);
}

static bool check_content(const struct polygon_file *file, const struct ts_polygon_scale *scale,
                          struct ts_issues *issues) {
  struct ts_polygons *polygons = ts_polygons_get(file->path, &issues->faults);
  if (!polygons) return false;
  warn_outside(file, polygons, scale, issues);
  ts_polygons_unref(polygons);
  return true;
}

static bool open_file(struct ts_project *project, const struct polygon_file *file, struct ts_item_source *source,
                      struct ts_issues *issues) {
  const struct ts_type *type = type_for(file->input);
  struct ts_error err = {0};
  if (!file->image) return refuse_without_image(file, issues);
  const struct ts_polygon_scale scale = {
      .x = file->size->downsampling_x, .y = file->size->downsampling_y, .level = file->level};
  if (file->opened) *source = *file->opened; /* its digest is that of a file that was checked */
  if (!file->opened && !check_content(file, &scale, issues)) return false;
  if (!file->opened && !file->is_unused && !ts_source_open(project->store, &project->arena, file->path, source, &err))
    return ts_issues_fault(issues, &err);
  source->path = file->path;
  source->type = type;
  source->polygons = scale;
  return true;
}

void ts_open_item_polygons(struct ts_project *project, const struct paths *files, size_t index, int32_t level,
                           const char *image, const struct ts_image_info *pixels, struct ts_item_source *sources,
                           struct ts_issues *issues) {
  const struct ts_workflow *w = project->workflow;
  for (size_t i = 0; i < w->input_count; i++) {
    const char *path = files[i].count > 0 ? files[i].items[index] : NULL;
    if (!ts_takes_polygons(&w->inputs[i], path)) continue;
    const struct polygon_file file = {.input = &w->inputs[i],
                                      .path = path,
                                      .image = image,
                                      .size = pixels,
                                      .opened = project->opened ? &project->opened[index * w->input_count + i] : NULL,
                                      .level = level,
                                      .is_unused = ts_input_is_unused(project, i)};
    open_file(project, &file, &sources[i], issues);
  }
}

struct ts_data *ts_polygons_excerpt(const struct ts_item_source *source, const struct ts_region *region,
                                    struct ts_error *err) {
  const struct ts_polygon_scale *scale = &source->polygons;
  const bool is_full = region->level == 0;
  struct ts_faults faults = {0};
  if (!is_full && region->level != scale->level) {
    ts_fail(err, TS_ERR_BAD_VALUE, "the polygons of '%s' cannot be read at level %d", source->path, (int)region->level);
    ts_error_help(err, "read them at level 0 or at level %d of the study", (int)scale->level);
    return NULL;
  }
  struct ts_polygons *polygons = ts_polygons_get(source->path, &faults);
  if (!polygons && err) *err = faults.items[0];
  ts_faults_release(&faults);
  const struct ts_polygon_frame frame = {
      .region = *region, .downsample_x = is_full ? 1 : scale->x, .downsample_y = is_full ? 1 : scale->y};
  struct ts_data *data = polygons ? ts_data_create_pixels(source->type, region, err) : NULL;
  if (data) ts_polygons_draw(polygons, source->type, &frame, ts_data_writable(data));
  ts_polygons_unref(polygons);
  return data;
}
