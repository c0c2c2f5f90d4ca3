/* Writes images of the dataset with outlines over them.
 * SPDX-License-Identifier: Apache-2.0 */
#include "work/files/overlay.h"

#include "base/alloc.h"

#include <string.h>

/* The first input that is an image; NULL: none is. */
static const struct ts_item_source *image_of(const struct ts_project *project, const struct ts_item *item) {
  for (size_t i = 0; i < project->workflow->input_count; i++) {
    const struct ts_item_source *source = &item->sources[i];
    if (source->path && source->type && ts_type_fits(source->type, "image/rgb8|image/gray8|image/gray16"))
      return source;
  }
  return NULL;
}

struct drawing {
  const struct ts_item_source *source;
  const struct ts_spool *mask;
  int32_t level;
  struct ts_data *rgb; /* owned */
};

/* For ts_source_file_read: once more if the file was touched meanwhile. */
static bool draw(void *user, struct ts_error *err) {
  struct drawing *drawing = user;
  ts_data_unref(drawing->rgb);
  drawing->rgb = ts_spool_overlay(drawing->mask, drawing->source->path, drawing->source->type, drawing->level, err);
  return drawing->rgb != NULL;
}

bool ts_overlay_write(const struct ts_project *project, const struct ts_item *item, const struct ts_spool *mask,
                      const char *path, bool *is_written, struct ts_error *err) {
  struct drawing drawing = {.source = image_of(project, item),
                            .mask = mask,
                            .level = item->given.has_level ? item->given.level : project->study.level};
  if (!drawing.source) return true;
  *is_written = ts_source_file_read(drawing.source->file, draw, &drawing, err);
  if (*is_written) {
    const double reduction = (double)ts_spool_width(mask) / (double)ts_data_region(drawing.rgb)->width;
    ts_image_draw_scale_bar(drawing.rgb, item->pixel_size.x_um * reduction);
    ts_data_finish(drawing.rgb);
    *is_written = ts_image_write_png(path, drawing.rgb, err);
  }
  ts_data_unref(drawing.rgb);
  return *is_written;
}

bool ts_overlay_write_tile(const struct ts_project *project, const struct ts_item *item, const struct ts_data *mask,
                           const char *path, bool *is_written, struct ts_error *err) {
  const struct ts_item_source *source = image_of(project, item);
  if (!source) return true;
  ts_auto(ts_data_unref_pointer) struct ts_data *image = ts_source_read_image(source, ts_data_region(mask), err);
  ts_auto(ts_data_unref_pointer) struct ts_data *overlay =
      image ? ts_image_overlay(image, mask, TS_OUTLINE_RGB, err) : NULL;
  if (overlay) ts_image_draw_scale_bar(overlay, item->pixel_size.x_um);
  *is_written = overlay && ts_image_write_png(path, overlay, err);
  return *is_written;
}
