/* The masks of a recorded run: parts from the store, or the file in the folder of the run.
 * SPDX-License-Identifier: Apache-2.0 */
#include "api/compare/compared_run.h"

#include "image/image.h"
#include "work/files/run_folder.h"

#include "base/alloc.h"
#include "base/file.h"
#include "base/order.h"

#include <stdlib.h>
#include <string.h>

#define BAND_ROWS 512 /* read at once from a file */

/* Files without a name; the folder of results may be gone. */
static struct ts_spool *new_spool(const struct ts_type *type, int64_t width, int64_t height, struct ts_error *err) {
  const char *folder = getenv("TMPDIR");
  return ts_spool_create(folder && folder[0] ? folder : "/tmp", type, width, height, err);
}

/* ---- from the store ---- */

/* A product whose type is known only from its data. */
struct gathering {
  const struct ts_compared_run *run; /* borrowed, as all here */
  struct ts_store *store;
  enum ts_scope scope;
  const char *stage, *task, *port;
  struct ts_region whole;
  size_t first, count;             /* units of the item */
  const struct ts_task_row **rows; /* owned: of these units; NULL: there is none */
  struct ts_spool *spool;          /* owned until it is handed out */
};

/* The last row of the task in each unit: a run that was continued has several. */
static void find_rows(struct gathering *g) {
  g->rows = ts_calloc(g->count + 1, sizeof(struct ts_task_row *));
  for (size_t i = 0; i < g->run->row_count; i++) {
    const struct ts_task_row *row = &g->run->rows[i];
    if (row->unit < (int64_t)g->first || row->unit >= (int64_t)(g->first + g->count)) continue;
    if (strcmp(row->name, g->task) == 0 && strcmp(row->stage, g->stage) == 0)
      g->rows[row->unit - (int64_t)g->first] = row;
  }
}

/* NULL without an error: it is not there. */
static struct ts_data *load(const struct gathering *g, size_t unit, struct ts_error *err) {
  ts_auto(ts_arena_release) struct ts_arena arena = {0};
  const struct ts_task_row *row = g->rows[unit - g->first];
  struct ts_record record;
  struct ts_error damaged = {0};
  if (!row || !ts_store_find(g->store, &row->key, &arena, &record, err)) return NULL;
  for (size_t i = 0; i < record.output_count; i++)
    if (strcmp(record.outputs[i].port, g->port) == 0)
      return ts_store_load(g->store, &record.outputs[i].digest, &damaged);
  return NULL;
}

static bool put(struct gathering *g, const struct ts_data *data, const struct ts_region *part, struct ts_error *err) {
  ts_auto(ts_data_unref_pointer) struct ts_data *core = ts_data_crop(data, part, err);
  const int64_t x = part->x - g->whole.x, y = part->y - g->whole.y;
  if (!core) return false;
  if (!g->spool) g->spool = new_spool(ts_data_type(core), g->whole.width, g->whole.height, err);
  return g->spool && ts_spool_takes(g->spool, core, x, y) && ts_spool_put(g->spool, core, x, y, err);
}

/* Units that are left out (no tissue) have no objects. */
static bool gather(struct gathering *g, size_t item, struct ts_error *err) {
  const struct ts_dataset *dataset = &g->run->project.dataset;
  ts_dataset_units_in_item(dataset, g->scope, item, &g->first, &g->count);
  find_rows(g);
  for (size_t unit = g->first; unit < g->first + g->count; unit++) {
    const struct ts_tile *tile = ts_dataset_tile(dataset, g->scope, unit);
    ts_auto(ts_data_unref_pointer) struct ts_data *data = load(g, unit, err);
    if (!data || ts_data_type(data)->kind != TS_DATA_PIXELS) return false;
    const struct ts_region part = tile ? tile->core : *ts_data_region(data);
    if (!put(g, data, &part, err)) return false;
  }
  return g->spool != NULL;
}

static struct ts_spool *from_store(const struct ts_compared_run *run, struct ts_store *store, size_t item,
                                   const struct ts_source *source) {
  const struct ts_workflow *w = run->project.workflow;
  const struct ts_task *task = &w->tasks[source->index];
  struct gathering g = {.run = run,
                        .store = store,
                        .scope = w->stages[task->stage].scope,
                        .stage = w->stages[task->stage].name,
                        .task = task->name,
                        .port = task->op->descriptor->outputs[source->port]->name,
                        .whole = run->project.dataset.items[item].grid.whole};
  struct ts_error ignored = {0}; /* then it comes from the folder */
  if (!ts_scope_is_in_item(g.scope) || g.whole.width <= 0) return NULL;
  const bool ok = gather(&g, item, &ignored);
  free(g.rows);
  if (!ok) ts_spool_destroy(ts_steal(g.spool));
  return g.spool;
}

/* ---- from the folder ---- */

/* Whether a folder is that of the run: a later one with -o may have replaced its files. */
static bool is_folder_of(const struct ts_compared_run *run, const char *folder) {
  ts_auto_free char *path = ts_path_join(folder, TS_RUN_FOLDER_FILE);
  ts_auto(json_decrefp) json_t *object = json_load_file(path, 0, NULL);
  const char *id = json_string_value(json_object_get(object, "run"));
  return id && strcmp(id, run->row.id) == 0;
}

/* Where the run wrote it, or in the same folder of a project that was moved; NULL: it is not there. */
static const char *find_folder(const struct ts_compared_run *run, struct ts_arena *arena) {
  const char *name = ts_path_name(run->folder);
  const char *places[] = {run->folder, ts_arena_printf(arena, "out/%s", name)};
  for (size_t i = 0; name[0] && i < sizeof places / sizeof *places; i++) {
    const char *folder = ts_request_path(&run->request, arena, places[i]);
    if (is_folder_of(run, folder)) return folder;
  }
  return NULL;
}

/* Whether a file of the run is that of this product of this item. */
static bool is_file_of(const char *path, const char *item, const char *product) {
  const char *name = ts_path_name(path);
  const size_t length = strlen(product);
  if (strncmp(name, product, length) != 0) return false;
  if (strcmp(name + length, ".png") != 0 && strcmp(name + length, ".ome.tif") != 0) return false;
  ts_auto_free char *folder = ts_path_folder(path);
  return strcmp(ts_path_name(folder), item) == 0;
}

static const char *find_file(const struct ts_compared_run *run, struct ts_arena *arena, const char *item,
                             const char *product) {
  const json_t *outputs = json_object_get(run->result, "outputs");
  const char *folder = find_folder(run, arena);
  const size_t length = strlen(run->folder);
  for (size_t i = 0; folder && i < json_array_size(outputs); i++) {
    const char *path = json_string_value(json_array_get(outputs, i));
    if (path && strncmp(path, run->folder, length) == 0 && is_file_of(path, item, product))
      return ts_arena_printf(arena, "%s%s", folder, path + length);
  }
  return NULL;
}

static bool read_bands(struct ts_spool *spool, const char *path, const struct ts_image_info *info,
                       struct ts_error *err) {
  for (int64_t y = 0; y < info->height; y += BAND_ROWS) {
    const struct ts_region band = {
        .y = y, .width = info->width, .height = ts_smaller(BAND_ROWS, info->height - y), .depth = 1, .frames = 1};
    ts_auto(ts_data_unref_pointer) struct ts_data *data = ts_image_read(path, ts_spool_type(spool), &band, err);
    if (!data || !ts_spool_put(spool, data, 0, y, err)) return false;
  }
  return true;
}

static struct ts_spool *from_file(const char *path, const struct ts_type *type, struct ts_error *err) {
  struct ts_image_info info;
  if (!ts_image_inspect(path, 0, &info, err)) return NULL;
  struct ts_spool *spool = new_spool(type, info.width, info.height, err);
  if (spool && read_bands(spool, path, &info, err)) return spool;
  ts_spool_destroy(spool);
  return NULL;
}

struct ts_spool *ts_compared_run_mask(const struct ts_compared_run *run, struct ts_store *store, size_t item,
                                      const char *product, const struct ts_source *source, struct ts_error *err) {
  ts_auto(ts_arena_release) struct ts_arena arena = {0};
  const struct ts_workflow *w = run->project.workflow;
  struct ts_spool *spool = from_store(run, store, item, source);
  if (spool) return spool;
  const char *path = find_file(run, &arena, run->project.dataset.items[item].name, product);
  if (!path || !ts_file_exists(path)) return NULL;
  const char *type = w->tasks[source->index].op->descriptor->outputs[source->port]->type;
  return from_file(path, ts_type_find(type), err);
}
