/* How the masks of runs differ, file by file: counts for the reply and pictures for the page.
 * SPDX-License-Identifier: Apache-2.0 */
#include "api/compare/comparison.h"
#include "api/compare/mask_pair.h"

#include "image/image.h"
#include "image/spool_overlay.h"

#include "base/alloc.h"
#include "base/json.h"

#include <string.h>

#define PICTURE_SIDE_MAX 1024 /* pixels: two side by side fill a wide screen */
#define PICTURED_MOST    12   /* pairs of masks: a page of some megabytes */

/* A mask that runs have for a file. */
struct subject {
  const char *file, *product;
  struct ts_spool **masks; /* owned, each of them too: per run; NULL: it is nowhere */
};

static bool is_mask(const struct ts_workflow *w, const struct ts_source *source) {
  const struct ts_type *type = ts_type_find(w->tasks[source->index].op->descriptor->outputs[source->port]->type);
  return type && ts_type_fits(type, "mask|labels") && !ts_task_makes_pieces(w, source->index);
}

static json_t *pair_json(const struct comparison *c, size_t r, const struct ts_mask_pair *pair) {
  const char *first = c->runs[0].row.id;
  const struct ts_mask_side *a = &pair->sides[0], *b = &pair->sides[1];
  const double both = (double)pair->both_px, either = both + (double)a->only_px + (double)b->only_px;
  char dice[32], jaccard[32];
  snprintf(dice, sizeof dice, "dice_vs_%s", first);
  snprintf(jaccard, sizeof jaccard, "jaccard_vs_%s", first);
  return json_pack("{s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:f, s:f}", "first", first, "second",
                   c->runs[r].row.id, "both_px", ts_json_count(pair->both_px), "only_first_px",
                   ts_json_count(a->only_px), "only_second_px", ts_json_count(b->only_px), "objects_first",
                   ts_json_count(a->objects), "objects_second", ts_json_count(b->objects), "only_first_objects",
                   ts_json_count(a->alone), "only_second_objects", ts_json_count(b->alone), dice,
                   either > 0 ? 2 * both / (both + either) : 1.0, jaccard, either > 0 ? both / either : 1.0);
}

/* ---- pictures ---- */

static struct comparison_picture *add_picture(struct comparison *c, size_t number, const char *caption) {
  struct ts_str role = {0};
  c->pictures = ts_grow(c->pictures, c->picture_count, &c->picture_capacity, sizeof *c->pictures);
  struct comparison_picture *picture = &c->pictures[c->picture_count++];
  ts_str_addf(&role, "pair %zu", number);
  *picture = (struct comparison_picture){.role = ts_str_detach(&role), .caption = ts_strdup(caption)};
  return picture;
}

/* The first input that is an image. */
static const struct ts_item_source *image_of(const struct ts_project *project, const struct ts_item *item) {
  for (size_t i = 0; i < project->workflow->input_count; i++) {
    const struct ts_item_source *source = &item->sources[i];
    if (source->path && source->type && ts_type_fits(source->type, "image/rgb8|image/gray8|image/gray16"))
      return source;
  }
  return NULL;
}

static bool draw_outlines(struct comparison *c, size_t number, const struct ts_item *item, int32_t level,
                          const struct ts_outlined *outlined, size_t count, const char *caption, struct ts_error *err) {
  const struct ts_item_source *source = image_of(&c->runs[0].project, item);
  if (!source) return true;
  ts_auto(ts_data_unref_pointer) struct ts_data *rgb =
      ts_spool_overlay_of(outlined, count, source->path, source->type, level, PICTURE_SIDE_MAX, err);
  if (!rgb) return false;
  const double reduction = (double)ts_spool_width(outlined->mask) / (double)ts_data_region(rgb)->width;
  ts_image_draw_scale_bar(rgb, item->pixel_size.x_um * reduction);
  ts_data_finish(rgb);
  return ts_image_encode_jpeg(rgb, &add_picture(c, number, caption)->bytes, err);
}

static bool draw_pair(struct comparison *c, const struct subject *subject, size_t r, const struct ts_mask_map *map,
                      struct ts_error *err) {
  const struct ts_project *project = &c->runs[0].project;
  const struct ts_item *item = &project->dataset.items[ts_compared_run_item(&c->runs[0], subject->file)];
  const int32_t level = item->given.has_level ? item->given.level : project->study.level;
  const struct ts_outlined both[] = {{subject->masks[0], TS_FIRST_RGB}, {subject->masks[r], TS_SECOND_RGB}};
  const char *first = c->runs[0].row.id, *second = c->runs[r].row.id;
  const size_t number = c->pictured++;
  char captions[4][160];
  snprintf(captions[0], sizeof captions[0], "Run %s: outlines of its objects (blue)", first);
  snprintf(captions[1], sizeof captions[1], "Run %s: outlines of its objects (orange)", second);
  snprintf(captions[2], sizeof captions[2], "Both: %s blue, %s orange on top", first, second);
  snprintf(captions[3], sizeof captions[3], "Difference: only %s blue, only %s orange, both grey", first, second);
  ts_auto(ts_data_unref_pointer) struct ts_data *difference =
      ts_mask_map_draw(map, ts_spool_width(subject->masks[0]), ts_spool_height(subject->masks[0]), err);
  return difference && draw_outlines(c, number, item, level, &both[0], 1, captions[0], err) &&
         draw_outlines(c, number, item, level, &both[1], 1, captions[1], err) &&
         draw_outlines(c, number, item, level, both, 2, captions[2], err) &&
         ts_image_encode_png(difference, 1, &add_picture(c, number, captions[3])->bytes, err);
}

/* ---- files ---- */

static bool has_same_size(const struct ts_spool *a, const struct ts_spool *b) {
  return ts_spool_width(a) == ts_spool_width(b) && ts_spool_height(a) == ts_spool_height(b);
}

static bool compare_pair(struct comparison *c, const struct subject *subject, size_t r, json_t *pairs,
                         struct ts_error *err) {
  const bool is_drawn = c->request->report && c->pictured < PICTURED_MOST;
  ts_auto(ts_mask_map_release) struct ts_mask_map map = {0};
  struct ts_mask_pair pair;
  if (is_drawn) ts_mask_map_init(&map, subject->masks[0], PICTURE_SIDE_MAX);
  if (!ts_mask_pair_compare(subject->masks[0], subject->masks[r], &pair, is_drawn ? &map : NULL, err)) return false;
  json_t *object = pair_json(c, r, &pair);
  json_array_append_new(pairs, object);
  if (!is_drawn) return true;
  json_object_set_new(object, "pictures", ts_json_count(c->pictured + 1));
  return draw_pair(c, subject, r, &map, err);
}

static void warn_missing(struct comparison *c, const struct subject *subject, size_t r) {
  const char *command = ts_order_row_text(c->runs[r].order.row, "command");
  ts_issues_warn(c->issues,
                 "the '%s' of '%s' of run %s is neither in the store nor in its folder; run it again with: %s",
                 subject->product, subject->file, c->runs[r].row.id, command && command[0] ? command : "tessera run");
}

static bool load_masks(struct comparison *c, struct subject *subject, struct ts_error *err) {
  for (size_t r = 0; r < c->count; r++) {
    struct ts_compared_run *run = &c->runs[r];
    struct ts_source source;
    struct ts_error none = {0};
    const size_t item = run->is_open ? ts_compared_run_item(run, subject->file) : TS_NONE;
    if (item == TS_NONE || !ts_workflow_find_output(run->project.workflow, subject->product, &source, &none)) continue;
    subject->masks[r] = ts_compared_run_mask(run, c->store, item, subject->product, &source, err);
    if (err->code != TS_ERR_OK) return false;
    if (!subject->masks[r]) warn_missing(c, subject, r);
  }
  return true;
}

static bool compare_subject(struct comparison *c, struct subject *subject, json_t *pairs, struct ts_error *err) {
  if (!load_masks(c, subject, err)) return false;
  for (size_t r = 1; r < c->count; r++) {
    if (!subject->masks[0] || !subject->masks[r]) continue;
    if (!has_same_size(subject->masks[0], subject->masks[r]))
      ts_issues_warn(c->issues, "the '%s' of '%s' have other sizes in runs %s and %s, and are not compared",
                     subject->product, subject->file, c->runs[0].row.id, c->runs[r].row.id);
    else if (!compare_pair(c, subject, r, pairs, err))
      return false;
  }
  return true;
}

static void add_subject(struct comparison *c, const char *file, const char *product, json_t *list) {
  struct subject subject = {.file = file, .product = product, .masks = ts_calloc(c->count, sizeof(struct ts_spool *))};
  struct ts_error err = {0};
  json_t *pairs = json_array();
  if (!compare_subject(c, &subject, pairs, &err))
    ts_issues_warn(c->issues, "the '%s' of '%s' could not be compared: %s", product, file, err.text);
  for (size_t r = 0; r < c->count; r++) ts_spool_destroy(subject.masks[r]);
  free(subject.masks);
  json_array_append_new(list, json_pack("{s:s, s:s, s:o, s:o}", "file", file, "product", product, "measures",
                                        ts_comparison_measures(c, file), "pairs", pairs));
}

json_t *ts_comparison_files(struct comparison *c) {
  json_t *list = json_array();
  const struct ts_compared_run *first = &c->runs[0];
  if (!first->is_open) return list;
  const struct ts_workflow *w = first->project.workflow;
  for (size_t i = 0; i < first->project.dataset.item_count; i++) {
    for (size_t s = 0; s < w->stage_count; s++) {
      for (size_t o = 0; o < w->stages[s].output_count; o++) {
        char product[160];
        if (!is_mask(w, &w->stages[s].outputs[o].source)) continue;
        ts_join_names(w->stages[s].name, w->stages[s].outputs[o].name, product, sizeof product);
        add_subject(c, first->project.dataset.items[i].name, product, list);
      }
    }
  }
  return list;
}
