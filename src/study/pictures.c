/* Pictures for the report: one tile with the outlines of the default run beside those of the best run and the truth, or
 * without them of the run that differs most.
 * SPDX-License-Identifier: Apache-2.0
 *
 * The masks are products like any other: a small plan of two runs finds them in the store. */
#include "study/study_result.h"
#include "work/planning.h"

#include "base/alloc.h"
#include "base/file.h"
#include "image/image.h"
#include "image/spool_overlay.h"
#include "report/report.h"

#include <math.h>
#include <string.h>

#define WINDOW_PX      224 /* part of the tile that is shown, so that outlines can be seen */
#define PICTURES_MAX   4
#define NAMED_CHANGES  6 /* in a caption */
#define WINDOW_STEP_PX 16

struct masks {
  const struct ts_plan *plan;
  struct ts_data *normal;    /* owned reference */
  struct ts_data *different; /* owned reference */
};

/* The mask that is compared, and the image it is drawn on. */
static bool find_mask(const struct ts_project *project, struct ts_source *source, size_t *image_input) {
  const struct ts_workflow *w = project->workflow;
  *image_input = TS_NONE;
  for (size_t i = 0; i < w->input_count; i++) {
    if (!ts_is_reference_input(&w->inputs[i]) && w->inputs[i].type &&
        strcmp(w->inputs[i].type->name, "image/rgb8") == 0)
      *image_input = i;
  }
  return *image_input != TS_NONE && ts_reference_mask(w, source);
}

static void keep_mask(void *user, uint32_t node, uint32_t port, size_t unit, struct ts_data *data) {
  struct masks *masks = user;
  (void)unit;
  const struct ts_node_input *normal = &masks->plan->reference_products[0];
  const struct ts_node_input *different = &masks->plan->products[0];
  if (node == normal->node && port == normal->port && !masks->normal) masks->normal = ts_data_ref(data);
  if (node == different->node && port == different->port && !masks->different) masks->different = ts_data_ref(data);
}

static bool get_masks(struct ts_work *work, const struct study_result *r, size_t set, size_t tile,
                      struct ts_source source, struct masks *masks, struct ts_issues *issues) {
  const struct ts_project *project = work->project;
  struct ts_item item = project->dataset.items[project->dataset.tile_items[tile]];
  item.first_tile = 0;
  item.tile_count = 1;
  size_t zero = 0;
  struct ts_dataset one = {
      .items = &item, .item_count = 1, .tiles = &project->dataset.tiles[tile], .tile_items = &zero, .tile_count = 1};
  const struct ts_value *values = r->sets.values + set * project->workflow->parameter_count;
  struct ts_plan *plan = ts_planning_make(work, values, 1, &source, 1, true, issues);
  if (!plan) return false;
  masks->plan = plan;
  struct engine_run run = {.work = work,
                           .issues = issues,
                           .plan = plan,
                           .dataset = &one,
                           .run_id = "",
                           .quiet_store = true,
                           .user = masks,
                           .on_product = keep_mask};
  bool ok = ts_engine_run(&run);
  ts_run_result_release(&run.result);
  ts_plan_destroy(plan);
  return ok && masks->normal && masks->different;
}

/* Whether a pixel is foreground, in a mask or a label image. */
static bool is_set(const struct ts_data *mask, size_t pixel) {
  const uint8_t *bytes = ts_data_bytes(mask, NULL);
  if (ts_data_type(mask)->element == TS_U8) return bytes[pixel] != 0;
  return ((const uint32_t *)(const void *)bytes)[pixel] != 0;
}

/* Differing pixels per cell of WINDOW_STEP_PX, summed over all above and to the left: (columns + 1) x (rows + 1). */
struct difference_sums {
  uint64_t *sums; /* owned */
  int64_t columns, rows;
};

static void count_row(const struct masks *masks, int64_t y, struct difference_sums *d) {
  const struct ts_region *tile = ts_data_region(masks->normal);
  uint64_t *row = d->sums + (y / WINDOW_STEP_PX + 1) * (d->columns + 1) + 1;
  for (int64_t x = 0; x < d->columns * WINDOW_STEP_PX; x++) {
    size_t pixel = (size_t)(y * tile->width + x);
    row[x / WINDOW_STEP_PX] += is_set(masks->normal, pixel) != is_set(masks->different, pixel) ? 1 : 0;
  }
}

static struct difference_sums sum_differences(const struct masks *masks) {
  const struct ts_region *tile = ts_data_region(masks->normal);
  struct difference_sums d = {.columns = tile->width / WINDOW_STEP_PX, .rows = tile->height / WINDOW_STEP_PX};
  d.sums = ts_calloc((size_t)((d.columns + 1) * (d.rows + 1)), sizeof *d.sums);
  for (int64_t y = 0; y < d.rows * WINDOW_STEP_PX; y++) count_row(masks, y, &d);
  for (int64_t r = 1; r <= d.rows; r++) {
    for (int64_t c = 1; c <= d.columns; c++) {
      uint64_t *at = d.sums + r * (d.columns + 1) + c;
      *at += at[-1] + at[-(d.columns + 1)] - at[-(d.columns + 1) - 1];
    }
  }
  return d;
}

static uint64_t sum_of(const struct difference_sums *d, int64_t column, int64_t row, int64_t columns, int64_t rows) {
  const uint64_t *top = d->sums + row * (d->columns + 1) + column, *bottom = top + rows * (d->columns + 1);
  return bottom[columns] - bottom[0] - top[columns] + top[0];
}

/* The window of the tile in which the two masks differ most; of equals the first. */
static struct ts_region choose_window(const struct masks *masks) {
  const struct ts_region *tile = ts_data_region(masks->normal);
  struct ts_region best = *tile;
  struct difference_sums d = sum_differences(masks);
  int64_t cells = WINDOW_PX / WINDOW_STEP_PX;
  int64_t columns = d.columns < cells ? d.columns : cells, rows = d.rows < cells ? d.rows : cells;
  uint64_t most = 0;
  best.width = tile->width < WINDOW_PX ? tile->width : WINDOW_PX;
  best.height = tile->height < WINDOW_PX ? tile->height : WINDOW_PX;
  for (int64_t r = 0; r + rows <= d.rows; r++) {
    for (int64_t c = 0; c + columns <= d.columns; c++) {
      uint64_t count = sum_of(&d, c, r, columns, rows);
      if (count <= most) continue;
      most = count;
      best.x = tile->x + c * WINDOW_STEP_PX;
      best.y = tile->y + r * WINDOW_STEP_PX;
    }
  }
  free(d.sums);
  return best;
}

/* pixel_um: the width of a pixel; 0: not known, then there is no scale bar. */
static bool encode(const struct ts_data *image, const struct ts_data *mask, double pixel_um, struct ts_str *png,
                   struct ts_error *err) {
  struct ts_data *part = ts_data_crop(mask, ts_data_region(image), err);
  struct ts_data *overlay = part ? ts_image_overlay(image, part, TS_OUTLINE_RGB, err) : NULL;
  if (overlay) ts_image_draw_scale_bar(overlay, pixel_um);
  bool ok = overlay && ts_image_encode_png(overlay, 1, png, err);
  ts_data_unref(overlay);
  ts_data_unref(part);
  return ok;
}

static bool is_step(const struct study_result *r, size_t parameter) {
  size_t i = 0;
  while (i < r->best.step_count && r->best.steps[i].parameter != parameter) i++;
  return i < r->best.step_count;
}

/* The parameters that a set changes, those of the shortest change first. */
static void describe_changes(const struct ts_project *project, const struct study_result *r, size_t set,
                             struct ts_str *text) {
  const size_t count = project->workflow->parameter_count;
  const struct ts_value *row = r->sets.values + set * count;
  size_t shown = 0;
  for (int first = 1; first >= 0; first--) {
    for (size_t p = 0; p < count && shown < NAMED_CHANGES; p++) {
      const struct ts_parameter *parameter = &project->workflow->parameters[p];
      if (is_step(r, p) != first || ts_value_equal(&row[p], &parameter->default_value)) continue;
      ts_str_addf(text, "%s%s=", shown++ ? ", " : "", parameter->name);
      ts_value_print(&row[p], text);
    }
  }
  if (shown == NAMED_CHANGES) ts_str_add(text, ", and more");
}

/* ---- What is drawn. ---- */

/* A set beside the defaults, on one tile of a file. */
struct scene {
  size_t set, tile;
  struct ts_source source; /* of the mask */
  size_t image_input;
  size_t truth_input; /* a mask that both are compared with; TS_NONE: none is drawn */
};

static struct study_picture *add_picture(struct study_result *r, const char *role, const char *file) {
  struct study_picture *picture = &r->pictures[r->picture_count++];
  *picture = (struct study_picture){.role = role, .file = file};
  return picture;
}

/* The masks of the truth are read as every input is. */
static bool draw_truth(const struct scene *scene, const struct ts_item *item, const struct ts_data *image,
                       struct study_picture *picture, struct ts_error *err) {
  const struct ts_item_source *source = &item->sources[scene->truth_input];
  struct ts_data *truth = ts_source_read_image(source, ts_data_region(image), err);
  const bool ok = truth && encode(image, truth, item->pixel_size.x_um, &picture->png, err);
  ts_data_unref(truth);
  return ok;
}

static bool draw_scene(struct ts_work *work, struct study_result *r, const struct scene *scene, struct ts_error *err,
                       struct ts_issues *issues) {
  const struct ts_project *project = work->project;
  struct masks masks = {0};
  const struct ts_item *item = &project->dataset.items[project->dataset.tile_items[scene->tile]];
  const double pixel_um = item->pixel_size.x_um;
  bool ok = get_masks(work, r, scene->set, scene->tile, scene->source, &masks, issues);
  struct ts_region window = ok ? choose_window(&masks) : (struct ts_region){0};
  struct ts_data *image = ok ? ts_source_read_image(&item->sources[scene->image_input], &window, err) : NULL;
  ok = image && encode(image, masks.normal, pixel_um, &r->pictures[0].png, err) &&
       encode(image, masks.different, pixel_um, &r->pictures[1].png, err) &&
       (scene->truth_input == TS_NONE || draw_truth(scene, item, image, &r->pictures[2], err));
  if (!ok) r->picture_count = 0;
  ts_data_unref(image);
  ts_data_unref(masks.normal);
  ts_data_unref(masks.different);
  return ok;
}

static bool write_pictures(const struct study_result *r, struct ts_error *err) {
  for (size_t i = 0; i < r->picture_count; i++) {
    char *path = ts_path_join(r->folder, r->pictures[i].file);
    bool ok = ts_file_write(path, ts_str_get(&r->pictures[i].png), r->pictures[i].png.length, err);
    free(path);
    if (!ok) return false;
  }
  return true;
}

/* The run that differs most in the first output, and the tile where it does; false if there is none. */
static bool find_most_different(const struct ts_project *project, const struct study_result *r, struct scene *scene) {
  double best = -INFINITY;
  if (project->study.output_count == 0 || !ts_study_is_per_tile(r, 0)) return false;
  for (size_t i = 0; i < ts_study_set_count(r); i++) {
    if (r->outputs[i] > best) {
      best = r->outputs[i];
      scene->set = i;
    }
  }
  double tile_best = -INFINITY;
  for (size_t t = 0; t < project->dataset.tile_count && isfinite(best); t++) {
    double value = ts_study_tile_value(r, scene->set, 0, t);
    if (value > tile_best) {
      tile_best = value;
      scene->tile = t;
    }
  }
  return isfinite(best) && isfinite(tile_best);
}

/* The truth of a tile's file, if it has one that is drawn as a mask. */
static size_t find_truth(const struct ts_project *project, size_t tile) {
  const size_t input = ts_reference_input(project->workflow);
  if (input == TS_NONE) return TS_NONE;
  const struct ts_item_source *source = &project->dataset.items[project->dataset.tile_items[tile]].sources[input];
  return source->path && source->type && ts_type_fits(source->type, "mask|labels") ? input : TS_NONE;
}

/* The best set, and the tile where it gains most over the defaults: what a tile gains counts as often as there is
 * something to compare on it, so that a tile with a single object does not win. False if no set gains anything, or it
 * is not known where. */
static bool find_best(const struct ts_project *project, const struct study_result *r, struct scene *scene) {
  const struct study_best *best = &r->best;
  if (best->goal == TS_NONE || best->defaults == TS_NONE || best->best == TS_NONE || best->best == best->defaults)
    return false;
  const char *against = project->study.outputs[best->goal].against;
  if (!against || strcmp(against, "default") == 0 || !ts_study_is_per_tile(r, best->goal)) return false;
  const double sign = ts_goal_sign(&project->study, best->goal);
  double most = 0;
  for (size_t t = 0; t < project->dataset.tile_count; t++) {
    const struct ts_total before = ts_study_tile_total(r, best->defaults, best->goal, t),
                          after = ts_study_tile_total(r, best->best, best->goal, t);
    const double weight = isnan(after.denominator) ? 1 : after.denominator + before.denominator;
    const double gain = sign * (after.value - before.value) * weight;
    if (!(gain > most)) continue;
    most = gain;
    scene->tile = t;
  }
  scene->set = best->best;
  scene->truth_input = most > 0 ? find_truth(project, scene->tile) : TS_NONE;
  return most > 0;
}

static const char *file_of(const struct ts_project *project, const struct scene *scene) {
  return project->dataset.items[project->dataset.tile_items[scene->tile]].name;
}

static void name_best(const struct ts_project *project, struct study_result *r, const struct scene *scene) {
  const char *file = file_of(project, scene);
  ts_str_addf(&add_picture(r, "default", "default.png")->caption, "%s: default parameters", file);
  struct ts_str *text = &add_picture(r, "best", "best.png")->caption;
  ts_str_addf(text, "%s: run %zu, the best: ", file, scene->set);
  describe_changes(project, r, scene->set, text);
  if (scene->truth_input != TS_NONE) ts_str_addf(&add_picture(r, "truth", "truth.png")->caption, "%s: the truth", file);
}

static void name_most_different(const struct ts_project *project, struct study_result *r, const struct scene *scene) {
  ts_str_add(&add_picture(r, "default", "default.png")->caption, "default parameters");
  struct ts_str *text = &add_picture(r, "different", "different.png")->caption;
  ts_str_addf(text, "run %zu, with the largest %s: ", scene->set, project->study.outputs[0].name);
  describe_changes(project, r, scene->set, text);
}

bool ts_study_draw(struct ts_work *work, struct study_result *r, struct ts_issues *issues) {
  const struct ts_project *project = work->project;
  struct scene scene = {.truth_input = TS_NONE};
  struct ts_error err = {0};
  if (!find_mask(project, &scene.source, &scene.image_input)) return true;
  ts_phase_begin(project->phases, TS_PHASE_PICTURES, 0);
  if (find_best(project, r, &scene))
    name_best(project, r, &scene);
  else if (find_most_different(project, r, &scene))
    name_most_different(project, r, &scene);
  else
    return true;
  if (draw_scene(work, r, &scene, &err, issues) && write_pictures(r, &err)) return true;
  return err.code != TS_ERR_OK && ts_issues_fault(issues, &err);
}

void ts_study_pictures_release(struct study_result *r) {
  for (size_t i = 0; i < sizeof r->pictures / sizeof *r->pictures; i++) {
    ts_str_release(&r->pictures[i].caption);
    ts_str_release(&r->pictures[i].png);
  }
}

bool ts_study_report(const json_t *object, const char *folder, struct ts_str *html, struct ts_error *err) {
  struct ts_report_picture pictures[PICTURES_MAX];
  struct ts_str png[PICTURES_MAX] = {{0}};
  const json_t *list = json_object_get(object, "pictures");
  size_t count = 0;
  for (size_t i = 0; i < json_array_size(list) && i < PICTURES_MAX; i++) {
    const json_t *picture = json_array_get(list, i);
    const char *file = json_string_value(json_object_get(picture, "file"));
    struct ts_error missing = {0};
    char *path = ts_path_join(folder, file ? file : "");
    if (ts_file_read(path, 0, &png[count], &missing)) { /* the report is written without pictures that are missing */
      pictures[count] = (struct ts_report_picture){json_string_value(json_object_get(picture, "role")),
                                                   json_string_value(json_object_get(picture, "caption")),
                                                   (const uint8_t *)png[count].data, png[count].length};
      count++;
    }
    free(path);
  }
  bool ok = ts_report_write(object, pictures, count, html, err);
  for (size_t i = 0; i < PICTURES_MAX; i++) ts_str_release(&png[i]);
  return ok;
}
