/* The dataset: which files, what they hold, and the tiles they are cut into.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Files come from the request (--data), from the study's list of patterns, or from a manifest (CSV whose columns are
 * named like the workflow's inputs). Only headers are read here; a tile's pixels are read when a task needs them. */
#include "project/data/check_data.h"
#include "project/data/data_list.h"
#include "project/data/halo.h"
#include "project/data/item_names.h"
#include "project/data/polygon_files.h"
#include "project/data/resolution.h"
#include "project/data/split.h"
#include "project/data/tissue.h"
#include "project/units.h"

#include "base/alloc.h"
#include "base/budget.h"
#include "base/file.h"
#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A slide of 100,000 x 100,000 pixels has this many tiles of 100 pixels: a tile size that makes more is a mistake.
 * The list of all tiles is in memory, about 100 bytes each. */
#define MAX_TILES_PER_FILE 1000000
#define MAX_TILES          10000000
/* Nobody means more of such tiles, which take longer to manage than to work on: --tile 7 was to be 700. */
#define SMALL_TILE_PX   64
#define MAX_SMALL_TILES 10000

/* Tiles of all items so far, and the item of each. */
struct tile_list {
  struct ts_tile *tiles; /* owned */
  size_t *items;         /* owned */
  size_t capacity;
};

static void make_room(struct tile_list *list, size_t count) {
  if (count <= list->capacity && list->tiles) return;
  while (list->capacity < count || list->capacity == 0) list->capacity = list->capacity ? list->capacity * 2 : 64;
  list->tiles = ts_realloc_array(list->tiles, list->capacity, sizeof *list->tiles);
  list->items = ts_realloc_array(list->items, list->capacity, sizeof *list->items);
}

static void too_many_tiles(struct ts_project *project, const char *what, double count, size_t most, int64_t tile_px,
                           struct ts_issues *issues) {
  char number[32], limit[32];
  struct ts_error err = {0};
  ts_fail(&err, TS_ERR_BAD_VALUE, "tiles of %lld x %lld pixels cut %s into %s, more than the %s that are allowed",
          (long long)tile_px, (long long)tile_px, what, ts_format_count((uint64_t)fmin(count, 1e18), number),
          ts_format_count(most, limit));
  /* The edge that just fits, with room for tiles that the edge of an image cuts. */
  ts_error_help(&err, "make the tiles larger, for example %.0f pixels",
                100 * ceil((double)tile_px * sqrt(count / (double)most) * 1.05 / 100));
  if (!project->request->has_tile && project->doc.root) ts_json_place(&err, &project->doc, "/data/tile", TS_JSON_VALUE);
  ts_issues_fault(issues, &err);
}

static void too_small_tiles(const struct ts_project *project, const char *item, double count, int64_t tile_px,
                            struct ts_issues *issues) {
  char number[32];
  struct ts_error err = {0};
  ts_fail(&err, TS_ERR_BAD_VALUE, "tiles of %lld x %lld pixels cut '%s' into %s, and every task runs in each of them",
          (long long)tile_px, (long long)tile_px, item, ts_format_count((uint64_t)fmin(count, 1e18), number));
  ts_error_help(&err, "make the tiles larger: 512 is usual, 0 takes images whole; more than %s need at least %d pixels",
                ts_format_count(MAX_SMALL_TILES, number), SMALL_TILE_PX);
  if (!project->request->has_tile && project->doc.root) ts_json_place(&err, &project->doc, "/data/tile", TS_JSON_VALUE);
  ts_issues_fault(issues, &err);
}

static bool fits_limits(struct ts_project *project, const struct ts_item *item, struct ts_issues *issues) {
  const struct ts_grid *grid = &item->grid;
  if (grid->width <= 0 || grid->whole.width <= 0) return true;
  double count =
      ceil((double)grid->whole.width / (double)grid->width) * ceil((double)grid->whole.height / (double)grid->height);
  double all = (double)project->dataset.tile_count + count;
  if (count > MAX_TILES_PER_FILE)
    too_many_tiles(project, ts_arena_printf(&project->arena, "'%s'", item->name), count, MAX_TILES_PER_FILE,
                   grid->width, issues);
  else if (all > MAX_TILES)
    too_many_tiles(project, "the dataset", all, MAX_TILES, grid->width, issues);
  else if (grid->width < SMALL_TILE_PX && count > MAX_SMALL_TILES)
    too_small_tiles(project, item->name, count, grid->width, issues);
  return ts_issues_ok(issues);
}

/* How an image is cut, without a halo; an item without pixels has no grid. */
static void set_grid(const struct ts_project *project, struct ts_item *item, int64_t width, int64_t height) {
  const int64_t tile = project->request->has_tile ? project->request->tile_px : project->study.tile_px;
  item->grid = (struct ts_grid){0};
  if (width <= 0) return;
  item->grid.width = item->grid.height = tile;
  item->grid.whole = (struct ts_region){.width = width, .height = height, .level = ts_resolution_level(project, item)};
}

/* How tiles without tissue are left out. */
struct selection {
  const struct item_facts *facts; /* borrowed; NULL: the images are cut again */
  struct tissue_notes notes;
};

static void add_tiles(struct ts_project *project, struct ts_item *item, struct tile_list *list, size_t item_index,
                      struct selection *selection, struct ts_issues *issues) {
  struct ts_dataset *d = &project->dataset;
  const bool has_pixels = item->grid.whole.width > 0;
  if (!fits_limits(project, item, issues)) return;
  size_t count = has_pixels ? ts_grid_count(&item->grid) : 1;
  make_room(list, d->tile_count + count);
  struct ts_tile *tiles = list->tiles + d->tile_count;
  if (!has_pixels) *tiles = (struct ts_tile){0};
  for (size_t i = 0; has_pixels && i < count; i++) ts_grid_tile(&item->grid, i, &tiles[i]);
  if (has_pixels)
    count = ts_tissue_select(project, item, selection->facts, item_index, !selection->facts, tiles, count,
                             &selection->notes, issues);
  for (size_t i = 0; i < count; i++) list->items[d->tile_count + i] = item_index;
  item->first_tile = d->tile_count;
  item->tile_count = count;
  d->tile_count += count;
}

/* A file that is not an image is refused before it is digested; afterwards the header is read again, so that it
 * belongs to the digest. */
static bool open_source(struct ts_project *project, size_t item, size_t input, int32_t level, const char *path,
                        struct ts_item_source *source, struct ts_image_info *info, struct ts_error *err) {
  bool has_pixels = ts_input_is_image(&project->workflow->inputs[input]);
  if (has_pixels && !(ts_image_inspect(path, level, info, err) && ts_image_fits_budget(path, level, err))) return false;
  if (project->opened) *source = project->opened[item * project->workflow->input_count + input];
  if (!ts_input_is_unused(project, input) &&
      ((!project->opened && !ts_source_open(project->store, &project->arena, path, source, err)) ||
       (has_pixels && !ts_source_inspect(source, level, info, err))))
    return false;
  source->path = path;
  source->type = ts_input_file_type(&project->workflow->inputs[input], info);
  return true;
}

static void refuse_size(const char *path, const struct ts_image_info *info, const char *first,
                        const struct ts_image_info *pixels, struct ts_issues *issues) {
  struct ts_error err = {0};
  ts_fail(&err, TS_ERR_BAD_IMAGE, "'%s' is %lld x %lld pixels, but '%s' is %lld x %lld", path, (long long)info->width,
          (long long)info->height, first, (long long)pixels->width, (long long)pixels->height);
  ts_error_help(&err, "files that belong together must have one size");
  ts_issues_fault(issues, &err);
}

/* Inspects the files of one item; *pixels is set if any of them is an image. */
static bool open_sources(struct ts_project *project, const struct paths *files, size_t index, int32_t level,
                         struct ts_item_source *sources, struct ts_image_info *pixels, bool *has_pixels,
                         struct grey_images *grey, struct ts_issues *issues) {
  const char *first = NULL; /* image of the item */
  const size_t before = issues->faults.count;
  struct ts_image_info *infos = ts_arena_array(&project->arena, project->workflow->input_count, sizeof *infos);
  *has_pixels = false;
  for (size_t i = 0; i < project->workflow->input_count; i++) {
    struct ts_error err = {0};
    const char *path = files[i].count > 0 ? files[i].items[index] : NULL;
    if (!path || ts_takes_polygons(&project->workflow->inputs[i], path)) continue;
    if (!open_source(project, index, i, level, path, &sources[i], &infos[i], &err)) {
      ts_issues_fault(issues, &err);
    } else if (ts_input_is_image(&project->workflow->inputs[i]) && *has_pixels &&
               (infos[i].width != pixels->width || infos[i].height != pixels->height)) {
      refuse_size(path, &infos[i], first, pixels, issues);
    } else if (ts_input_is_image(&project->workflow->inputs[i]) && *has_pixels) {
      /* A mask beside its slide often does not say. */
      if (pixels->pixel_size.x_um <= 0) pixels->pixel_size = infos[i].pixel_size;
    } else if (ts_input_is_image(&project->workflow->inputs[i])) {
      *pixels = infos[i];
      *has_pixels = true;
      first = path;
    }
  }
  ts_check_item_types(project, sources, infos, grey, issues);
  if (issues->faults.count == before)
    ts_open_item_polygons(project, files, index, level, first, pixels, sources, issues);
  for (size_t i = 0; i < project->workflow->input_count; i++)
    if (ts_input_is_unused(project, i)) sources[i] = (struct ts_item_source){0};
  return ts_issues_ok(issues);
}

static bool no_tiles(const struct ts_project *project, struct ts_issues *issues) {
  struct ts_error *fault = ts_faults_add(&issues->faults);
  ts_fail(fault, TS_ERR_NO_TILES, "the dataset has no tiles");
  ts_error_help(fault, "name at least one file in the study's data, or give --data FILE-OR-FOLDER");
  if (project->doc.root && !project->study.is_bare_workflow)
    ts_json_place(fault, &project->doc, "/data", TS_JSON_VALUE);
  return false;
}

static bool same_counts(const struct ts_project *project, const struct paths *files, size_t item_count,
                        struct ts_issues *issues) {
  for (size_t i = 0; i < project->workflow->input_count; i++) {
    if (files[i].count == 0 || files[i].count == item_count) continue;
    struct ts_error *fault = ts_faults_add(&issues->faults);
    ts_fail(fault, TS_ERR_NO_TILES, "there are %zu files, but %zu for the input '%s'", item_count, files[i].count,
            project->workflow->inputs[i].name);
    ts_error_help(fault, "name one file per item for each input");
  }
  return ts_issues_ok(issues);
}

/* A tile is in memory as a whole: a warning beyond the budget, a fault beyond the machine's memory. */
static void check_tile_memory(const struct ts_project *project, const struct ts_item *item,
                              const struct tile_list *list, struct ts_issues *issues) {
  uint64_t pixels = 0, pixel_bytes = 0, budget = ts_budget_memory_bytes();
  for (size_t i = 0; i < project->workflow->input_count; i++) {
    const struct ts_type *type = item->sources[i].type;
    if (type && type->kind == TS_DATA_PIXELS) pixel_bytes += ts_element_bytes(type->element) * (uint64_t)type->channels;
  }
  for (size_t t = item->first_tile; list->tiles && t < item->first_tile + item->tile_count; t++) {
    const struct ts_region *region = &list->tiles[t].region;
    uint64_t count = (uint64_t)region->width * (uint64_t)region->height;
    if (count > pixels) pixels = count;
  }
  if (pixel_bytes == 0 || pixels <= budget / pixel_bytes) return;
  char needed[32], limit[32];
  ts_format_bytes(pixels * pixel_bytes, needed);
  if (pixels <= ts_memory_available() / pixel_bytes) {
    ts_issues_warn(issues,
                   "a tile of '%s' takes about %s, more than the %s of --memory: the run will need more than that; "
                   "smaller tiles need less, for example --tile 1024",
                   item->name, needed, ts_format_bytes(budget, limit));
    return;
  }
  struct ts_error err = {0};
  ts_fail(&err, TS_ERR_IMAGE_TOO_LARGE, "a tile of '%s' takes %s, more memory than this machine has (%s)", item->name,
          needed, ts_format_bytes(ts_memory_available(), limit));
  ts_error_help(&err, "use smaller tiles, for example --tile 1024");
  ts_issues_fault(issues, &err);
}

/* Takes over the tiles that were listed. */
static void keep_tiles(struct ts_project *project, struct tile_list *list) {
  struct ts_dataset *d = &project->dataset;
  d->tiles = ts_arena_memdup(&project->arena, list->tiles, d->tile_count * sizeof *list->tiles);
  d->tile_items = ts_arena_memdup(&project->arena, list->items, d->tile_count * sizeof *list->items);
  free(list->tiles);
  free(list->items);
}

/* What is known about an item before its images are cut. */
static struct ts_item describe_item(const struct ts_project *project, size_t index, const struct item_facts *facts) {
  const size_t group_count = facts->groups ? project->study.group_count : 0;
  struct ts_item item = {.groups = group_count > 0 ? facts->groups + index * group_count : NULL,
                         .is_held_out = facts->held_out && facts->held_out[index]};
  if (facts->given) item.given = facts->given[index];
  if (facts->tissue) item.given_tissue = facts->tissue[index];
  return item;
}

/* Opens the files of all items; is_open: per item. */
static void open_items(struct ts_project *project, const struct paths *files, size_t primary,
                       const struct item_facts *facts, struct ts_item *items, bool *is_open, struct ts_issues *issues) {
  struct size_conflicts conflicts = {0};
  struct grey_images grey = {0};
  const char *const *names =
      project->item_names ? project->item_names : ts_item_names(&project->arena, &files[primary]);
  for (size_t i = 0; i < files[primary].count; i++) {
    struct ts_item_source *sources = ts_arena_array(&project->arena, project->workflow->input_count, sizeof *sources);
    struct ts_image_info pixels = {0};
    bool has_pixels = false;
    items[i] = describe_item(project, i, facts);
    items[i].name = names[i];
    items[i].sources = sources;
    const int32_t level = ts_resolution_level(project, &items[i]);
    ts_phase_set(project->phases, i, files[primary].count);
    is_open[i] = open_sources(project, files, i, level, sources, &pixels, &has_pixels, &grey, issues);
    if (!is_open[i]) continue;
    ts_resolution_settle(&items[i], &pixels, &conflicts);
    set_grid(project, &items[i], has_pixels ? pixels.width : 0, pixels.height);
  }
  ts_resolution_warn(&conflicts, issues);
  if (ts_issues_ok(issues)) ts_grey_images_warn(&grey, issues);
}

/* Cuts the images of all items that are open (NULL: all are). */
static void cut_items(struct ts_project *project, struct ts_item *items, const bool *is_open,
                      struct selection *selection, struct ts_issues *issues) {
  struct tile_list list = {0};
  for (size_t i = 0; i < project->dataset.item_count; i++) {
    if (is_open && !is_open[i]) continue;
    if (items[i].grid.whole.width > 0) items[i].grid.halo_px = project->halo.px;
    add_tiles(project, &items[i], &list, i, selection, issues);
    check_tile_memory(project, &items[i], &list, issues);
  }
  keep_tiles(project, &list);
}

static bool fill_items(struct ts_project *project, const struct paths *files, size_t primary,
                       const struct item_facts *facts, struct ts_issues *issues) {
  const size_t count = files[primary].count;
  struct selection selection = {.facts = facts};
  ts_auto_free bool *is_open = ts_calloc(count, sizeof *is_open);
  struct ts_item *items = ts_arena_array(&project->arena, count, sizeof *items);
  project->dataset = (struct ts_dataset){.items = items, .item_count = count};
  open_items(project, files, primary, facts, items, is_open, issues);
  ts_project_halo_settle(project);
  cut_items(project, items, is_open, &selection, issues);
  ts_tissue_warn(&selection.notes, issues);
  return ts_issues_ok(issues);
}

bool ts_project_cut_again(struct ts_project *copy, struct ts_issues *issues) {
  const struct ts_dataset before = copy->dataset;
  struct ts_item *items = ts_arena_memdup(&copy->arena, before.items, before.item_count * sizeof *items);
  struct selection selection = {0};
  copy->dataset = (struct ts_dataset){.items = items, .item_count = before.item_count};
  for (size_t i = 0; i < before.item_count; i++)
    set_grid(copy, &items[i], items[i].grid.whole.width, items[i].grid.whole.height);
  ts_project_halo_settle(copy);
  cut_items(copy, items, NULL, &selection, issues);
  return ts_issues_ok(issues);
}

/* Worker processes share the budgets; images that do not fit into a share are refused before they start. */
static void set_budget(struct ts_project *project) {
  const struct ts_request *r = project->request;
  if (!r->memory_bytes && !r->scratch_bytes && !r->workers) return;
  uint64_t share = r->workers > 0 ? r->workers : 1;
  uint64_t memory = r->memory_bytes ? r->memory_bytes : ts_memory_default();
  uint64_t scratch = r->scratch_bytes ? r->scratch_bytes : ts_budget_scratch_default(memory);
  ts_budget_set(&project->budget, memory / share, scratch / share);
}

bool ts_project_open_dataset(struct ts_project *project, bool is_study, struct ts_issues *issues) {
  struct ts_error err = {0};
  ts_phase_begin(project->phases, TS_PHASE_READING, 0);
  set_budget(project);
  size_t inputs = project->workflow->input_count;
  struct item_facts facts = {0};
  project->is_study = is_study;
  struct paths *files = ts_calloc(inputs + 1, sizeof *files);
  size_t primary = ts_data_primary_input(project->workflow);
  bool ok = ts_image_startup(&err);
  if (!ok) ts_issues_fault(issues, &err);
  ok = ok && ts_data_list(project, files, &facts, issues);
  size_t count = primary == TS_NONE ? 0 : files[primary].count;
  if (ok && count == 0) ok = no_tiles(project, issues);
  ok = ok && same_counts(project, files, count, issues) && fill_items(project, files, primary, &facts, issues) &&
       ts_split_settle(project, &facts, issues);
  project->supplied = ts_arena_array(&project->arena, inputs + 1, sizeof *project->supplied);
  for (size_t i = 0; i < inputs; i++) {
    project->supplied[i] = files[i].count > 0 && !ts_input_is_unused(project, i);
    free(files[i].items);
  }
  free(files);
  if (ok && project->dataset.tile_count == 0) ok = no_tiles(project, issues);
  return ok && ts_units_check_files(project, issues) && ts_reference_settle(project, issues);
}

size_t ts_project_task_units(const struct ts_project *project, size_t task) {
  const struct ts_workflow *w = project->workflow;
  return ts_dataset_units(&project->dataset, w->stages[w->tasks[task].stage].scope);
}

json_t *ts_project_groups_json(const struct ts_project *project, const struct ts_item *item) {
  json_t *object = json_object();
  for (size_t g = 0; g < project->study.group_count; g++)
    json_object_set_new(object, project->study.groups[g], json_string(item->groups[g]));
  return object;
}
