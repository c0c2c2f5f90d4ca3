/* Writes the products of a run into its folder, joined for each image or tile by tile.
 * SPDX-License-Identifier: Apache-2.0 */
#include "work/write_products.h"

#include "work/overlay.h"

#include "base/alloc.h"
#include "base/file.h"
#include "image/image.h"
#include "project/data/check_data.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- Faults ---- */

static void complain(struct product_writer *w, const struct ts_error *err) {
  size_t i = 0;
  while (i < w->fault_count && w->faults[i].first.code != err->code) i++;
  if (i == PRODUCT_FAULTS_MAX) i--; /* the last one counts all further codes */
  if (i == w->fault_count) w->faults[w->fault_count++] = (struct product_fault){.first = *err};
  w->faults[i].count++;
  w->gave_up = w->gave_up || err->code == TS_ERR_FILE_IO;
}

/* After a file that could not be written the others are counted, not tried: the disk is full, or the folder is gone. */
static bool gave_up(struct product_writer *w) {
  if (!w->gave_up) return false;
  complain(w, &(struct ts_error){.code = TS_ERR_FILE_IO});
  return true;
}

static void report_faults(struct product_writer *writer) {
  for (size_t i = 0; i < writer->fault_count; i++) {
    struct product_fault *fault = &writer->faults[i];
    size_t length = strlen(fault->first.text);
    char more[64] = "";
    if (fault->count > 1) snprintf(more, sizeof more, " (and %zu more like it)", fault->count - 1);
    size_t room = sizeof fault->first.text - 1 - strlen(more);
    if (length > room) length = room;
    memcpy(fault->first.text + length, more, strlen(more) + 1);
    ts_issues_fault(writer->issues, &fault->first);
  }
}

/* ---- Places ---- */

/* Below the folder: "IMAGE/STAGE.PORT.png", or without IMAGE if the product is one of the dataset. `tile`: with its
 * place before the ending; NULL: without. In the arena. */
static const char *path_of(struct product_writer *w, const char *name, const struct ts_item *item,
                           const struct ts_tile *tile, const char *ending) {
  struct ts_arena *arena = &w->work->arena;
  if (!item) return ts_arena_printf(arena, "%s.%s", name, ending);
  if (!tile || ts_grid_count(&item->grid) <= 1) return ts_arena_printf(arena, "%s/%s.%s", item->name, name, ending);
  return ts_arena_printf(arena, "%s/%s.x%lld_y%lld.%s", item->name, name, (long long)tile->core.x,
                         (long long)tile->core.y, ending);
}

/* The absolute path of a file below the folder, whose own folder is made. The folder may be a link of the user's;
 * below it links are refused, because they could lead results elsewhere. A link in the place of the file itself is
 * replaced. Owned; NULL: an error. */
static char *make_place(const struct product_writer *w, const char *path, struct ts_error *err) {
  ts_auto_free char *target = ts_path_join(w->folder.place, path);
  ts_auto_free char *inside = ts_path_folder(path);
  struct stat status;
  if (!ts_folder_create(w->folder.place, err)) return NULL;
  if (strcmp(inside, ".") != 0 && !ts_folder_create_inside(w->folder.place, inside, err)) return NULL;
  if (lstat(target, &status) == 0 && S_ISLNK(status.st_mode)) unlink(target);
  return ts_steal(target);
}

static void add_output(struct product_writer *w, const char *path) {
  w->outputs = ts_grow(w->outputs, w->output_count, &w->output_capacity, sizeof *w->outputs);
  w->outputs[w->output_count++] = path;
}

static const struct ts_item *item_of(const struct product_writer *w, const struct ts_node *node, size_t unit) {
  const struct ts_dataset *d = &w->project->dataset;
  return ts_scope_is_in_item(node->scope) ? &d->items[ts_dataset_item(d, node->scope, unit)] : NULL;
}

static const char *against_of(const struct product_writer *w, const struct ts_node *node) {
  return node->kind == TS_NODE_TASK ? w->project->against[node->task] : NULL;
}

static bool has_outlines(const struct ts_type *type) { return ts_type_fits(type, "mask|labels"); }

/* ---- A file for each unit ---- */

/* against: the reference of a table, named in its last column; NULL: none. */
static bool write_data(const char *path, const struct ts_data *data, const char *against, struct ts_error *err) {
  const struct ts_type *type = ts_data_type(data);
  if (type->kind == TS_DATA_PIXELS && type->element != TS_F32) return ts_image_write_png(path, data, err);
  if (type->kind == TS_DATA_TABLE) {
    ts_auto(ts_str_release) struct ts_str csv = {0};
    ts_table_to_csv(data, against ? "against" : NULL, against, &csv);
    return ts_file_write(path, ts_str_get(&csv), csv.length, err);
  }
  size_t size = 0;
  const void *bytes = ts_data_bytes(data, &size);
  return ts_file_write(path, bytes, size, err);
}

static void write_tile_overlay(struct product_writer *w, const char *name, const struct ts_node *node, size_t unit,
                               const struct ts_data *mask) {
  struct ts_error err = {0};
  const struct ts_item *item = item_of(w, node, unit);
  const struct ts_tile *tile = ts_dataset_tile(&w->project->dataset, node->scope, unit);
  const char *path = path_of(w, name, item, tile, "overlay.png");
  ts_auto_free char *target = make_place(w, path, &err);
  bool is_written = false;
  if (!target || !ts_overlay_write_tile(w->project, item, mask, target, &is_written, &err))
    complain(w, &err);
  else if (is_written)
    add_output(w, path);
}

static void write_unit(struct product_writer *w, const char *name, const struct ts_node *node, size_t unit,
                       const struct ts_data *data) {
  struct ts_error err = {0};
  const struct ts_type *type = ts_data_type(data);
  const struct ts_item *item = item_of(w, node, unit);
  const char *path =
      path_of(w, name, item, ts_dataset_tile(&w->project->dataset, node->scope, unit), type->file_ending);
  ts_auto_free char *target = make_place(w, path, &err);
  if (!target || !write_data(target, data, against_of(w, node), &err)) {
    complain(w, &err);
    return;
  }
  add_output(w, path);
  if (w->project->request->per_tile && w->project->request->overlays && item && has_outlines(type))
    write_tile_overlay(w, name, node, unit, data);
}

/* ---- A file for each image ---- */

static void write_overlay(struct product_writer *w, const struct ts_item *item, const struct ts_spool *mask) {
  struct ts_error err = {0};
  const char *path = path_of(w, "overlay", item, NULL, "png");
  ts_auto_free char *target = make_place(w, path, &err);
  bool is_written = false;
  if (!target || !ts_overlay_write(w->project, item, mask, target, &is_written, &err))
    complain(w, &err);
  else if (is_written)
    add_output(w, path);
}

/* Writes what came of a product of an item, and forgets it. */
static void finish(struct product_writer *w, size_t wanted, size_t item_index) {
  struct ts_joined *joined = &w->joined[item_index * w->plan->wanted_count + wanted];
  const struct ts_item *item = &w->project->dataset.items[item_index];
  struct ts_error err = {0};
  if (!gave_up(w)) {
    const char *path = path_of(w, w->names[wanted], item, NULL, ts_joined_ending(joined));
    ts_auto_free char *target = make_place(w, path, &err);
    if (target && ts_joined_write(joined, target, &item->pixel_size, &err))
      add_output(w, path);
    else
      complain(w, &err);
    if (!w->gave_up && wanted == w->overlay && joined->spool) write_overlay(w, item, joined->spool);
  }
  ts_joined_release(joined);
}

static void join_unit(struct product_writer *w, size_t wanted, const struct ts_joined_unit *unit,
                      const struct ts_data *data) {
  const struct ts_dataset *d = unit->dataset;
  const size_t item = ts_dataset_item(d, unit->scope, unit->unit);
  struct ts_joined *joined = &w->joined[item * w->plan->wanted_count + wanted];
  struct ts_error err = {0};
  size_t first = 0, count = 0;
  if (!ts_joined_put(joined, unit, data, &err)) complain(w, &err);
  ts_dataset_units_in_item(d, unit->scope, item, &first, &count);
  if (joined->arrived == count) finish(w, wanted, item);
}

static void write_one(struct product_writer *w, size_t wanted, const struct ts_node *node, size_t unit,
                      const struct ts_data *data) {
  if (gave_up(w)) return;
  const size_t stage = node->kind == TS_NODE_TASK ? w->plan->workflow->tasks[node->task].stage : 0;
  const struct ts_joined_unit where = {.dataset = &w->project->dataset,
                                       .ids = &w->ids,
                                       .scope = node->scope,
                                       .unit = unit,
                                       .stage = w->plan->workflow->stages[stage].name,
                                       .against = against_of(w, node),
                                       .folder = w->folder.place};
  if (!w->project->request->per_tile && ts_joined_takes(&where, data))
    join_unit(w, wanted, &where, data);
  else
    write_unit(w, w->names[wanted], node, unit, data);
}

/* ---- Products ---- */

/* Scores: tables of one row (none where there was nothing to score) of tasks that read a reference themselves. */
static bool is_quality(const struct product_writer *w, const struct ts_node *node, const struct ts_data *data) {
  const struct ts_workflow *f = w->project->workflow;
  const struct ts_task *task = &f->tasks[node->task];
  if (ts_data_type(data)->kind != TS_DATA_TABLE || ts_data_rows(data) > 1 || !w->project->against[node->task])
    return false;
  for (size_t i = 0; i < task->op->descriptor->input_count; i++) {
    const struct ts_source *source = &task->inputs[i];
    if (source->kind == TS_SOURCE_INPUT && ts_is_reference_input(&f->inputs[source->index])) return true;
  }
  return false;
}

void ts_write_product(void *user, uint32_t node_index, uint32_t port, size_t unit, struct ts_data *data) {
  struct product_writer *w = user;
  const struct ts_node *node = &w->plan->nodes[node_index];
  struct ts_error err = {0};
  struct ts_data *core = NULL;
  const struct ts_tile *tile = ts_dataset_tile(&w->project->dataset, node->scope, unit);
  bool has_halo = w->plan->options.crop_halo && tile && ts_data_type(data)->kind == TS_DATA_PIXELS;
  if (has_halo && !(core = ts_data_crop(data, &tile->core, &err))) {
    complain(w, &err);
    return;
  }
  bool told = false;
  for (size_t i = 0; i < w->plan->wanted_count; i++) {
    if (w->plan->products[i].node != node_index || w->plan->products[i].port != port) continue;
    write_one(w, i, node, unit, core ? core : data);
    if (!told && node->kind == TS_NODE_TASK && is_quality(w, node, data))
      ts_quality_add(w->quality, w->names[i], node_index, port, unit, data);
    told = true;
  }
  ts_data_unref(core);
}

/* ---- Beginning and end ---- */

static const struct ts_op_port *port_of(const struct product_writer *w, size_t wanted) {
  const struct ts_source *source = &w->plan->options.wanted[wanted];
  return w->plan->workflow->tasks[source->index].op->descriptor->outputs[source->port];
}

static bool may_have_outlines(const struct product_writer *w, size_t wanted) {
  const char *type = port_of(w, wanted)->type;
  return strcmp(type, "mask") == 0 || strcmp(type, "labels") == 0;
}

/* The mask that is compared with a reference, or the first mask or labels. */
static size_t overlay_of(const struct product_writer *w) {
  struct ts_source mask;
  const bool has_mask = ts_reference_mask(w->project->workflow, &mask);
  size_t first = TS_NONE;
  for (size_t i = w->plan->wanted_count; i-- > 0;) {
    const struct ts_source *source = &w->plan->options.wanted[i];
    if (!may_have_outlines(w, i)) continue;
    first = i;
    if (has_mask && source->index == mask.index && source->port == mask.port) return i;
  }
  return first;
}

/* Every path that may be written, as run.json lists them until the run has ended. */
static const char **plan_paths(struct product_writer *w, size_t *count) {
  static const char *const endings[] = {"png", "ome.tif", "csv", "geojson", "bin"};
  const struct ts_dataset *d = &w->project->dataset;
  const size_t all = sizeof endings / sizeof *endings;
  const char **paths = ts_calloc((w->plan->wanted_count * all + 1) * (d->item_count + 1), sizeof *paths);
  *count = 0;
  for (size_t item = 0; item < d->item_count; item++) {
    for (size_t i = 0; i < w->plan->wanted_count * all; i++)
      paths[(*count)++] = path_of(w, w->names[i / all], &d->items[item], NULL, endings[i % all]);
    paths[(*count)++] = path_of(w, "overlay", &d->items[item], NULL, "png");
  }
  return paths;
}

void ts_write_products_begin(struct product_writer *w) {
  struct ts_error err = {0};
  struct ts_arena *arena = &w->work->arena;
  ts_auto_free char *start = ts_path_absolute(""); /* whatever an operation does to the current folder */
  const char *path = ts_output_run_folder(w->project, w->run, arena);
  ts_auto_free char *place = ts_path_join(start, path);
  w->folder = (struct ts_run_folder){.project = w->project,
                                     .plan = w->plan,
                                     .values = w->values,
                                     .run = w->run,
                                     .path = path,
                                     .place = ts_arena_strdup(arena, place)};
  w->joined = ts_calloc(w->project->dataset.item_count * w->plan->wanted_count + 1, sizeof *w->joined);
  ts_object_ids_init(&w->ids, w->project, w->plan, w->values);
  w->overlay = overlay_of(w);
  size_t count = 0;
  ts_auto_free const char **planned = plan_paths(w, &count);
  if (!ts_run_folder_begin(&w->folder, planned, count, &err)) complain(w, &err);
}

/* Products come in the order in which tasks finish; lists of them have a stable one. */
static int compare_paths(const void *a, const void *b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

void ts_write_products_end(struct product_writer *w, const char *state, bool ran_to_end) {
  struct ts_error err = {0};
  for (size_t i = 0; i < w->project->dataset.item_count * w->plan->wanted_count; i++) {
    if (w->joined[i].arrived > 0 && ran_to_end) finish(w, i % w->plan->wanted_count, i / w->plan->wanted_count);
    ts_joined_release(&w->joined[i]);
  }
  if (w->output_count > 0) qsort(w->outputs, w->output_count, sizeof *w->outputs, compare_paths);
  if (!w->gave_up && !ts_run_folder_end(&w->folder, state, w->outputs, w->output_count, w->issues, &err))
    complain(w, &err);
  else if (!w->gave_up)
    add_output(w, TS_RUN_FOLDER_FILE);
  for (size_t i = 0; i < w->output_count; i++)
    w->outputs[i] = ts_arena_printf(&w->work->arena, "%s/%s", w->folder.path, w->outputs[i]);
  report_faults(w);
}

void ts_write_products_release(struct product_writer *w) {
  for (size_t i = 0; w->joined && i < w->project->dataset.item_count * w->plan->wanted_count; i++)
    ts_joined_release(&w->joined[i]);
  free(w->joined);
  free(w->outputs);
  ts_object_ids_release(&w->ids);
}
