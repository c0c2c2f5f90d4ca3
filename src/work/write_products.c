/* Writes products: DIR/IMAGE/STAGE.PORT.png, .csv or .geojson, with .xX_yY before it for one of several tiles.
 * SPDX-License-Identifier: Apache-2.0 */
#include "work/write_products.h"

#include "base/alloc.h"
#include "base/file.h"
#include "image/image.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

void ts_write_products_end(struct product_writer *writer) {
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

static const char *path_of(struct product_writer *w, const char *name, const struct ts_node *node, size_t unit,
                           const char *ending) {
  const struct ts_dataset *d = &w->project->dataset;
  struct ts_arena *arena = &w->work->arena;
  if (!ts_scope_is_in_item(node->scope)) return ts_arena_printf(arena, "%s/%s.%s", w->folder, name, ending);
  const struct ts_item *item = &d->items[ts_dataset_item(d, node->scope, unit)];
  const struct ts_tile *tile = ts_dataset_tile(d, node->scope, unit);
  if (!tile || ts_grid_count(&item->grid) <= 1)
    return ts_arena_printf(arena, "%s/%s/%s.%s", w->folder, item->name, name, ending);
  return ts_arena_printf(arena, "%s/%s/%s.x%lld_y%lld.%s", w->folder, item->name, name, (long long)tile->core.x,
                         (long long)tile->core.y, ending);
}

/* Removes the files of one product from the folder of an item. */
static void remove_product(const char *folder, const char *name) {
  DIR *directory = opendir(folder);
  size_t length = strlen(name);
  for (struct dirent *entry; directory && (entry = readdir(directory));) {
    if (strncmp(entry->d_name, name, length) == 0 && entry->d_name[length] == '.')
      unlinkat(dirfd(directory), entry->d_name, 0);
  }
  if (directory) closedir(directory);
}

void ts_write_products_remove_skipped(const struct product_writer *w) {
  for (size_t i = 0; i < w->work->skipped_count; i++) {
    const char *name = w->work->skipped[i].product;
    remove_product(w->folder, name);
    for (size_t k = 0; k < w->project->dataset.item_count; k++) {
      ts_auto_free char *folder = ts_path_join(w->folder, w->project->dataset.items[k].name);
      remove_product(folder, name);
    }
  }
}

/* Makes the folders of a path below the output folder, which may be a link of the user's; below it links are
 * refused, because they could lead results elsewhere. A link in the place of the file itself is replaced. */
static bool make_place(const struct product_writer *w, const char *path, struct ts_error *err) {
  ts_auto_free char *output = ts_path_join(w->start, w->folder);
  ts_auto_free char *folder = ts_path_folder(path);
  const char *inside = strlen(folder) > strlen(output) ? folder + strlen(output) + 1 : "";
  struct stat status;
  if (!ts_folder_create(output, err) || !ts_folder_create_inside(output, inside, err)) return false;
  if (lstat(path, &status) == 0 && S_ISLNK(status.st_mode)) unlink(path);
  return true;
}

/* against: the reference of a table, named in its last column; NULL: none. */
static bool write_data(const char *path, const struct ts_data *data, const char *against, struct ts_error *err) {
  const struct ts_type *type = ts_data_type(data);
  if (type->kind == TS_DATA_PIXELS) return ts_image_write_png(path, data, err);
  if (type->kind == TS_DATA_TABLE) {
    ts_auto(ts_str_release) struct ts_str csv = {0};
    ts_table_to_csv(data, against ? "against" : NULL, against, &csv);
    return ts_file_write(path, ts_str_get(&csv), csv.length, err);
  }
  size_t size = 0;
  const void *bytes = ts_data_bytes(data, &size);
  return ts_file_write(path, bytes, size, err);
}

/* The tile's image with the outlines of a mask. */
static bool write_overlay(struct product_writer *w, const char *path, const struct ts_node *node, size_t unit,
                          const struct ts_data *mask, struct ts_error *err) {
  const struct ts_dataset *d = &w->project->dataset;
  const struct ts_item *item = &d->items[ts_dataset_item(d, node->scope, unit)];
  for (size_t i = 0; i < w->project->workflow->input_count; i++) {
    const struct ts_item_source *source = &item->sources[i];
    if (!source->path || !source->type || strcmp(source->type->name, "image/rgb8") != 0) continue;
    struct ts_data *image = ts_source_read_image(source, ts_data_region(mask), err);
    struct ts_data *overlay = image ? ts_image_overlay(image, mask, TS_OUTLINE_RGB, err) : NULL;
    bool ok = overlay && ts_image_write_png(path, overlay, err);
    ts_data_unref(image);
    ts_data_unref(overlay);
    return ok;
  }
  return true;
}

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

static void add_output(struct product_writer *w, const char *path) {
  w->outputs = ts_grow(w->outputs, w->output_count, &w->output_capacity, sizeof *w->outputs);
  w->outputs[w->output_count++] = path;
}

static void write_one(struct product_writer *w, const char *name, const struct ts_node *node, size_t unit,
                      const struct ts_data *data) {
  struct ts_error err = {0};
  const struct ts_type *type = ts_data_type(data);
  if (gave_up(w)) return;
  const char *path = path_of(w, name, node, unit, type->file_ending);
  const char *against = node->kind == TS_NODE_TASK ? w->project->against[node->task] : NULL;
  ts_auto_free char *target = ts_path_join(w->start, path);
  if (!make_place(w, target, &err) || !write_data(target, data, against, &err)) {
    complain(w, &err);
    return;
  }
  add_output(w, path);
  bool is_mask = strcmp(type->name, "mask") == 0 || strcmp(type->name, "labels") == 0;
  if (!w->project->request->overlays || !is_mask) return;
  path = path_of(w, name, node, unit, "overlay.png");
  ts_auto_free char *overlay = ts_path_join(w->start, path);
  if (make_place(w, overlay, &err) && write_overlay(w, overlay, node, unit, data, &err))
    add_output(w, path);
  else
    complain(w, &err);
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
    write_one(w, w->names[i], node, unit, core ? core : data);
    if (!told && node->kind == TS_NODE_TASK && is_quality(w, node, data))
      ts_quality_add(w->quality, w->names[i], node_index, port, unit, data);
    told = true;
  }
  ts_data_unref(core);
}
