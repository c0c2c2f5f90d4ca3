/* Writes the products of a run into its folder, joined for each image or tile by tile.
 * SPDX-License-Identifier: Apache-2.0 */
#include "work/files/write_products.h"

#include "work/files/overlay.h"
#include "work/files/shapes_file.h"

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

static const char *stage_name(const struct product_writer *w, const struct ts_node *node) {
  const struct ts_workflow *f = w->plan->workflow;
  return node->kind == TS_NODE_TASK ? f->stages[f->tasks[node->task].stage].name : "";
}

static bool has_outlines(const struct ts_type *type) { return ts_type_fits(type, "mask|labels"); }

static size_t stage_of(const struct product_writer *w, size_t wanted) {
  return w->plan->workflow->tasks[w->plan->options.wanted[wanted].index].stage;
}

static const struct ts_op_port *port_of(const struct product_writer *w, size_t wanted) {
  const struct ts_source *source = &w->plan->options.wanted[wanted];
  return w->plan->workflow->tasks[source->index].op->descriptor->outputs[source->port];
}

static struct ts_joined *joined_of(const struct product_writer *w, size_t wanted, size_t item) {
  return &w->joined[item * w->plan->wanted_count + wanted];
}

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

/* Shapes have identifiers of their own in each tile; their table is not known here. */
static bool write_unit_data(const struct product_writer *w, const char *path, const struct ts_node *node, size_t unit,
                            const struct ts_data *data, struct ts_error *err) {
  if (!ts_is_shapes(data) || !ts_scope_is_in_item(node->scope)) return write_data(path, data, against_of(w, node), err);
  const struct ts_dataset *d = &w->project->dataset;
  const struct ts_shapes_file file = {.shapes = data,
                                      .ids = &w->ids,
                                      .item = ts_dataset_item(d, node->scope, unit),
                                      .workflow = w->plan->workflow->name,
                                      .stage = stage_name(w, node),
                                      .tile = ts_dataset_tile(d, node->scope, unit)};
  return ts_shapes_file_write(&file, path, err);
}

static void write_unit(struct product_writer *w, const char *name, const struct ts_node *node, size_t unit,
                       const struct ts_data *data) {
  struct ts_error err = {0};
  const struct ts_type *type = ts_data_type(data);
  const struct ts_item *item = item_of(w, node, unit);
  const char *path =
      path_of(w, name, item, ts_dataset_tile(&w->project->dataset, node->scope, unit), type->file_ending);
  ts_auto_free char *target = make_place(w, path, &err);
  if (!target || !write_unit_data(w, target, node, unit, data, &err)) {
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

/* Of a stage that is also asked for the shapes of objects, the wanted product that they are; TS_NONE: there is none. */
static size_t shapes_of(const struct product_writer *w, size_t stage) {
  size_t i = 0;
  while (i < w->plan->wanted_count && (stage_of(w, i) != stage || strcmp(port_of(w, i)->type, "shapes") != 0)) i++;
  return i < w->plan->wanted_count ? i : TS_NONE;
}

/* The table of the stage that may have the measurements; NULL: none came. */
static const struct ts_data *table_of(const struct product_writer *w, size_t stage, size_t item) {
  for (size_t i = 0; i < w->plan->wanted_count; i++) {
    const struct ts_data *held = joined_of(w, i, item)->held;
    size_t column;
    if (held && stage_of(w, i) == stage && ts_data_type(held)->kind == TS_DATA_TABLE &&
        ts_data_find_column(held, "id", &column))
      return held;
  }
  return NULL;
}

static bool write_shapes(const struct product_writer *w, size_t wanted, size_t item, const char *path,
                         struct ts_error *err) {
  const size_t stage = stage_of(w, wanted);
  const struct ts_shapes_file file = {.shapes = joined_of(w, wanted, item)->held,
                                      .table = table_of(w, stage, item),
                                      .ids = &w->ids,
                                      .item = item,
                                      .workflow = w->plan->workflow->name,
                                      .stage = w->plan->workflow->stages[stage].name};
  return ts_shapes_file_write(&file, path, err);
}

/* Writes what came of a product of an item, and forgets it, but for a table that shapes wait for. */
static void finish(struct product_writer *w, size_t wanted, size_t item_index) {
  struct ts_joined *joined = joined_of(w, wanted, item_index);
  const struct ts_item *item = &w->project->dataset.items[item_index];
  struct ts_error err = {0};
  if (!gave_up(w)) {
    const bool is_shapes = joined->held && ts_is_shapes(joined->held);
    const char *path = path_of(w, w->names[wanted], item, NULL, is_shapes ? "geojson" : ts_joined_ending(joined));
    ts_auto_free char *target = make_place(w, path, &err);
    if (target && (is_shapes ? write_shapes(w, wanted, item_index, target, &err)
                             : ts_joined_write(joined, target, &item->pixel_size, &err)))
      add_output(w, path);
    else
      complain(w, &err);
    if (!w->gave_up && wanted == w->overlay && joined->spool) write_overlay(w, item, joined->spool);
  }
  struct ts_data *table = joined->held && !ts_is_shapes(joined->held) ? ts_steal(joined->held) : NULL;
  ts_joined_release(joined);
  joined->held = table;
  joined->is_done = true;
}

/* Writes the shapes of a stage once its tables have come, and frees these. */
static void finish_shapes(struct product_writer *w, size_t stage, size_t item, bool is_last_call) {
  const size_t shapes = shapes_of(w, stage);
  if (shapes == TS_NONE || !joined_of(w, shapes, item)->held) return;
  for (size_t i = 0; i < w->plan->wanted_count; i++)
    if (stage_of(w, i) == stage && strcmp(port_of(w, i)->type, "table") == 0 && !joined_of(w, i, item)->is_done &&
        !is_last_call)
      return;
  finish(w, shapes, item);
  for (size_t i = 0; i < w->plan->wanted_count; i++) {
    struct ts_joined *joined = joined_of(w, i, item);
    if (stage_of(w, i) != stage || !joined->held) continue;
    ts_data_unref(joined->held);
    joined->held = NULL;
  }
}

static void join_unit(struct product_writer *w, size_t wanted, const struct ts_joined_unit *unit,
                      struct ts_data *data) {
  const struct ts_dataset *d = unit->dataset;
  const size_t item = ts_dataset_item(d, unit->scope, unit->unit), stage = stage_of(w, wanted);
  struct ts_joined *joined = joined_of(w, wanted, item);
  struct ts_error err = {0};
  size_t first = 0, count = 0;
  if (!ts_joined_put(joined, unit, data, &err)) complain(w, &err);
  ts_dataset_units_in_item(d, unit->scope, item, &first, &count);
  if (count == 1 && ts_data_type(data)->kind == TS_DATA_TABLE && shapes_of(w, stage) != TS_NONE)
    joined->held = ts_data_ref(data);
  if (joined->arrived == count) finish(w, wanted, item);
  finish_shapes(w, stage, item, false);
}

static void hold_shapes(struct product_writer *w, size_t wanted, size_t item, struct ts_data *shapes) {
  joined_of(w, wanted, item)->held = ts_data_ref(shapes);
  finish_shapes(w, stage_of(w, wanted), item, false);
}

static void write_one(struct product_writer *w, size_t wanted, const struct ts_node *node, size_t unit,
                      struct ts_data *data) {
  if (gave_up(w)) return;
  const struct ts_dataset *d = &w->project->dataset;
  const struct ts_joined_unit where = {.dataset = d,
                                       .ids = &w->ids,
                                       .scope = node->scope,
                                       .unit = unit,
                                       .stage = stage_name(w, node),
                                       .against = against_of(w, node),
                                       .folder = w->folder.place};
  const bool is_file = ts_scope_is_in_item(node->scope) && !ts_dataset_tile(d, node->scope, unit);
  if (is_file && ts_is_shapes(data))
    hold_shapes(w, wanted, ts_dataset_item(d, node->scope, unit), data);
  else if ((is_file || !w->project->request->per_tile) && ts_joined_takes(&where, data))
    join_unit(w, wanted, &where, data);
  else
    write_unit(w, w->names[wanted], node, unit, data);
}

/* ---- Products ---- */

static bool reads_reference(const struct ts_workflow *f, const struct ts_task *task) {
  for (size_t i = 0; i < task->op->descriptor->input_count; i++) {
    const struct ts_source *source = &task->inputs[i];
    if (source->kind == TS_SOURCE_INPUT && ts_is_reference_input(&f->inputs[source->index])) return true;
  }
  return false;
}

/* Scores: tables of one row (none where there was nothing to score) of tasks that read a reference themselves, or join
 * what such a task found in tiles; not the tables of those tiles. */
static bool is_quality(const struct product_writer *w, const struct ts_node *node, const struct ts_data *data) {
  const struct ts_workflow *f = w->project->workflow;
  if (ts_data_type(data)->kind != TS_DATA_TABLE || ts_data_rows(data) > 1 || !w->project->against[node->task])
    return false;
  const size_t joined = ts_task_joins(f, node->task);
  if (joined != TS_NONE) return reads_reference(f, &f->tasks[joined]);
  return !ts_task_makes_pieces(f, node->task) && reads_reference(f, &f->tasks[node->task]);
}

/* A row about the objects of a whole file; those of its tiles may be cut. */
static bool has_counts(const struct product_writer *w, const struct ts_node *node, const struct ts_data *data) {
  return ts_data_type(data)->kind == TS_DATA_TABLE && ts_data_rows(data) == 1 && !w->project->against[node->task] &&
         ts_scope_is_in_item(node->scope) && !ts_scope_is_tile(node->scope);
}

/* What the reply says of a table. */
static void note_table(const struct product_writer *w, const char *product, uint32_t node_index, uint32_t port,
                       size_t unit, const struct ts_data *data) {
  const struct ts_node *node = &w->plan->nodes[node_index];
  if (node->kind != TS_NODE_TASK) return;
  if (is_quality(w, node, data))
    ts_quality_add(w->quality, product, node_index, port, unit, data);
  else if (has_counts(w, node, data))
    ts_quality_add_counts(w->quality, product, node_index, port, unit, data);
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
    if (!told) note_table(w, w->names[i], node_index, port, unit, data);
    told = true;
  }
  ts_data_unref(core);
}

/* ---- Beginning and end ---- */

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

/* How files of a product may end. */
static const char *const *endings_of(const struct product_writer *w, size_t wanted) {
  static const char *const image[] = {"png", "ome.tif", "overlay.png", NULL}, *const table[] = {"csv", NULL},
                           *const outlines[] = {"geojson", NULL}, *const other[] = {"bin", NULL};
  const struct ts_type *type = ts_type_find(port_of(w, wanted)->type);
  if (!type || type->kind == TS_DATA_PIXELS) return image; /* alternatives are kinds of pixels */
  if (type->kind == TS_DATA_TABLE) return table;
  return strcmp(type->file_ending, "geojson") == 0 ? outlines : other;
}

struct path_list {
  const char **paths; /* owned; texts in the arena of the work */
  size_t count, capacity;
};

static void add_path(struct path_list *list, const char *path) {
  list->paths = ts_grow(list->paths, list->count, &list->capacity, sizeof *list->paths);
  list->paths[list->count++] = path;
}

/* Every path that may be written, as run.json lists them until the run has ended. */
static void plan_paths(struct product_writer *w, struct path_list *list) {
  const struct ts_dataset *d = &w->project->dataset;
  for (size_t k = 0; k < d->item_count; k++) {
    const struct ts_item *item = &d->items[k];
    const size_t tiles = w->project->request->per_tile ? item->tile_count : 0;
    for (size_t i = 0; i < w->plan->wanted_count; i++) {
      for (const char *const *ending = endings_of(w, i); *ending; ending++) {
        add_path(list, path_of(w, w->names[i], item, NULL, *ending));
        for (size_t t = 0; t < tiles; t++)
          add_path(list, path_of(w, w->names[i], item, &d->tiles[item->first_tile + t], *ending));
      }
    }
    add_path(list, path_of(w, "overlay", item, NULL, "png"));
  }
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
  struct path_list planned = {0};
  plan_paths(w, &planned);
  if (!ts_run_folder_begin(&w->folder, planned.paths, planned.count, &err)) complain(w, &err);
  free(planned.paths);
}

/* Products come in the order in which tasks finish; lists of them have a stable one. */
static int compare_paths(const void *a, const void *b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

void ts_write_products_end(struct product_writer *w, const char *state, bool ran_to_end) {
  struct ts_error err = {0};
  const size_t wanted = w->plan->wanted_count, count = w->project->dataset.item_count * wanted;
  for (size_t i = 0; i < count && ran_to_end; i++) {
    ts_phase_set(w->project->phases, i, count);
    if (w->joined[i].arrived > 0) finish(w, i % wanted, i / wanted);
  }
  for (size_t i = 0; i < count && ran_to_end; i++) finish_shapes(w, stage_of(w, i % wanted), i / wanted, true);
  for (size_t i = 0; i < count; i++) ts_joined_release(&w->joined[i]);
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
