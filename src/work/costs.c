/* Reads the cost model of a store and asks it about the pieces of a dataset.
 * SPDX-License-Identifier: Apache-2.0 */
#include "work/costs.h"

#include "base/alloc.h"
#include "base/machine/machine.h"

#include <math.h>
#include <string.h>
#include <sys/stat.h>

#define SPEED_AT_BYTES 1e6 /* products whose loading or writing takes noticeable time */
#define SLOWEST        1e5 /* bytes per second; speeds beyond these two are errors of a clock */
#define FASTEST        1e11

struct ts_costs {
  struct ts_cost_model *model; /* owned */
  struct ts_piece *files;      /* owned: per item of the dataset, then all of them; NULL until needed */
};

void ts_costs_destroy(struct ts_costs *costs) {
  if (!costs) return;
  ts_cost_model_destroy(costs->model);
  free(costs->files);
  free(costs);
}

/* A store whose costs cannot be read counts as one without any. */
static struct ts_cost_model *read_model(struct ts_store *store) {
  ts_auto(ts_arena_release) struct ts_arena arena = {0};
  struct ts_cost_row *rows = NULL;
  size_t row_count = 0, count = 0, damaged = 0;
  struct ts_error ignored = {0};
  if (!store || !ts_store_cost_list(store, &arena, &rows, &row_count, &ignored)) row_count = 0;
  struct ts_cost_entry *entries = ts_cost_entries(rows, row_count, &arena, &count, &damaged);
  return ts_cost_model_create(entries, count);
}

static struct ts_costs *get_costs(struct ts_work *work) {
  if (!work->costs) {
    work->costs = ts_calloc(1, sizeof *work->costs);
    work->costs->model = read_model(work->project->request->no_reuse ? NULL : work->store);
  }
  return work->costs;
}

/* Read from the store at the first call; empty without one, and where it cannot be read. Borrowed. */
static const struct ts_cost_model *cost_model(struct ts_work *work) { return get_costs(work)->model; }

static double file_bytes(const struct ts_project *project, const struct ts_item *item) {
  double sum = 0;
  for (size_t i = 0; i < project->workflow->input_count; i++) {
    struct stat status;
    if (item->sources[i].path && stat(item->sources[i].path, &status) == 0) sum += (double)status.st_size;
  }
  return sum;
}

static double tile_px(const struct ts_tile *tile) { return (double)tile->region.width * (double)tile->region.height; }

static struct ts_piece measure_file(const struct ts_project *project, const struct ts_item *item) {
  double px = 0;
  for (size_t t = 0; t < item->tile_count; t++) px += tile_px(&project->dataset.tiles[item->first_tile + t]);
  return px > 0 ? (struct ts_piece){px, "px"} : (struct ts_piece){file_bytes(project, item), "bytes"};
}

/* A dataset of images and other files is measured by its images. */
static const struct ts_piece *get_files(struct ts_work *work) {
  const struct ts_project *project = work->project;
  struct ts_costs *costs = get_costs(work);
  size_t count = project->dataset.item_count;
  if (costs->files) return costs->files;
  costs->files = ts_calloc(count + 1, sizeof *costs->files);
  struct ts_piece all = {0, "bytes"};
  for (size_t i = 0; i < count; i++) {
    struct ts_piece file = costs->files[i] = measure_file(project, &project->dataset.items[i]);
    bool first_px = file.measure[0] == 'p' && all.measure[0] != 'p';
    if (first_px) all = (struct ts_piece){0, file.measure};
    if (file.measure[0] == all.measure[0]) all.size += file.size;
  }
  costs->files[count] = all;
  return costs->files;
}

struct ts_piece ts_costs_piece(struct ts_work *work, enum ts_scope scope, size_t unit) {
  const struct ts_project *project = work->project;
  const struct ts_tile *tile = ts_dataset_tile(&project->dataset, scope, unit);
  const double px = tile ? tile_px(tile) : 0;
  if (px > 0) return (struct ts_piece){px, "px"};
  return get_files(
      work)[ts_scope_is_in_item(scope) ? ts_dataset_item(&project->dataset, scope, unit) : project->dataset.item_count];
}

struct ts_cost_key ts_cost_key_of(const char *operation, const struct ts_sha256 *implementation, const char *measure) {
  struct ts_cost_key key = {
      .operation = operation, .machine = ts_machine_class(), .measure = measure, .device = TS_DEVICE_CPU};
  if (implementation) key.implementation = *implementation;
  return key;
}

bool ts_costs_operation(const struct ts_project *project, const struct ts_node *node, const struct ts_op **op) {
  *op = NULL;
  if (node->kind == TS_NODE_TASK) *op = project->workflow->tasks[node->task].op;
  if (node->kind == TS_NODE_SOURCE) { /* of a column with images and polygons, the kind of the first item */
    const struct ts_dataset *d = &project->dataset;
    const bool polygons = d->item_count > 0 && d->items[0].sources[node->task].polygons.x > 0;
    const char *name = ts_source_operation(project->workflow->inputs[node->task].type);
    if (node->sampled_for > 0) name = TS_SAMPLE_OPERATION;
    *op = ts_registry_find(project->registry, polygons ? TS_POLYGON_OPERATION : name);
  }
  return *op != NULL;
}

/* Most pieces are of one size: the model is asked once for each that differs from the one before. */
struct ts_call_forecast ts_costs_forecast(struct ts_work *work, const struct ts_op *op, enum ts_scope scope) {
  struct ts_call_forecast forecast = {.knowledge = TS_COST_MEASURED};
  if (ts_cost_model_count(cost_model(work)) == 0) return (struct ts_call_forecast){.executed_share = 1};
  struct ts_piece before = {-1, ""};
  struct ts_cost_estimate e = {0};
  size_t units = ts_dataset_units(&work->project->dataset, scope);
  for (size_t u = 0; u < units; u++) {
    struct ts_piece piece = ts_costs_piece(work, scope, u);
    if (piece.size != before.size || strcmp(piece.measure, before.measure) != 0) {
      struct ts_cost_key key = ts_cost_key_of(op->descriptor->name, &op->implementation, piece.measure);
      e = ts_cost_model_predict(cost_model(work), &key, piece.size);
      before = piece;
    }
    if (e.knowledge < forecast.knowledge) forecast.knowledge = e.knowledge;
    forecast.seconds += e.seconds / (double)units;
    forecast.executed_share += e.executed_share / (double)units;
    if (e.bytes > (double)forecast.most_bytes) forecast.most_bytes = (uint64_t)e.bytes;
    if (u == 0 || e.port_count < forecast.port_count) forecast.port_count = e.port_count;
    for (size_t p = 0; p < e.port_count; p++) forecast.port_bytes[p] += e.port_bytes[p] / (double)units;
  }
  return forecast;
}

/* The speed at a size that was measured; 0 otherwise. */
static double speed_of(const struct ts_cost_model *model, const char *operation) {
  struct ts_cost_key key = ts_cost_key_of(operation, NULL, "bytes");
  struct ts_cost_estimate e = ts_cost_model_predict(model, &key, SPEED_AT_BYTES);
  if (e.knowledge != TS_COST_MEASURED || e.seconds <= 0) return 0;
  return fmin(fmax(SPEED_AT_BYTES / e.seconds, SLOWEST), FASTEST);
}

static struct ts_store_speed speeds_of(const struct ts_cost_model *model) {
  return (struct ts_store_speed){.load_bytes_per_s = speed_of(model, TS_COST_LOAD),
                                 .write_bytes_per_s = speed_of(model, TS_COST_WRITE)};
}

struct ts_store_speed ts_costs_store_speed(struct ts_work *work) {
  return speeds_of(cost_model(work));
}

struct ts_store_speed ts_costs_speed_of(struct ts_store *store) {
  struct ts_cost_model *model = read_model(store);
  const struct ts_store_speed speed = speeds_of(model);
  ts_cost_model_destroy(model);
  return speed;
}
