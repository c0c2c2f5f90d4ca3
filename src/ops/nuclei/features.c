/* nuclei.features: what is measured at every nucleus, and the means, as tables.
 * SPDX-License-Identifier: Apache-2.0 */
#include "ops/nuclei/nuclei_int.h"

#include "base/block.h"
#include "kernels/features.h"

#include <math.h>
#include <string.h>

static const struct ts_op_port *const features_in[] = {
    TS_OP_PORT(.name = "image", .type = "image/rgb8", .help = "normalised tissue"),
    TS_OP_PORT(.name = "mask", .type = "mask|labels", .help = "nuclei")};
static const struct ts_op_port *const features_out[] = {
    TS_OP_PORT(.name = "objects", .type = "table",
               .help = "one row per nucleus: place, shape, intensity, gradient, edges"),
    TS_OP_PORT(.name = "summary", .type = "table",
               .help = "one row: number of nuclei and the means of their features")};

#define OBJECTS_COLUMN(column, feature) TS_OP_COLUMN("objects", (feature))
#define SUMMARY_COLUMN(column, feature) TS_OP_COLUMN("summary", (feature))
/* All of them depend on where tiles cut nuclei. */
static const struct ts_op_column *const features_columns[] = {
    TS_FEATURE_LIST(OBJECTS_COLUMN), TS_OP_COLUMN("summary", "count"), TS_OP_COLUMN("summary", "area"),
    TS_FEATURE_LIST_OF_FORM(SUMMARY_COLUMN), TS_FEATURE_LIST_OF_CHANNELS(SUMMARY_COLUMN)};
static const struct ts_op_column *const features_counts[] = {TS_OP_COLUMN("summary", "count")};

/* Coordinates are in pixels of the image, not of the tile. */
static void move_to_image(struct ts_feature_table *table, const struct ts_op_view *image) {
  for (size_t c = 0; c < TS_FEATURES_SHAPE; c++) {
    const char *name = ts_feature_names[c];
    bool is_x = strcmp(name, "box_x") == 0 || strcmp(name, "centroid_x") == 0;
    bool is_y = strcmp(name, "box_y") == 0 || strcmp(name, "centroid_y") == 0;
    double shift = is_x ? (double)image->x : is_y ? (double)image->y : 0;
    for (size_t r = 0; r < table->object_count; r++) table->values[r * TS_FEATURES_COUNT + c] += shift;
  }
}

/* Label and place say nothing on average. */
static bool has_a_mean(const char *name) {
  return strcmp(name, "label") != 0 && strncmp(name, "box_", 4) != 0 && strncmp(name, "centroid_", 9) != 0;
}

/* Count, then the mean of each feature but label and place; sums in the order of the objects. Means of nothing are
 * missing: a 0 would pull the mean over tiles down. */
static int write_summary(struct ts_op_call *call, const struct ts_feature_table *table) {
  const char *names[TS_FEATURES_COUNT + 1] = {"count"};
  size_t columns[TS_FEATURES_COUNT + 1] = {0};
  size_t count = 1;
  for (size_t c = 0; c < TS_FEATURES_COUNT; c++) {
    if (!has_a_mean(ts_feature_names[c])) continue;
    names[count] = ts_feature_names[c];
    columns[count++] = c;
  }
  double *cells = call->host->output_table(call, 1, 1, count, names);
  if (!cells) return -1;
  cells[0] = (double)table->object_count;
  for (size_t i = 1; i < count; i++) {
    double sum = 0;
    for (size_t r = 0; r < table->object_count; r++) sum += table->values[r * TS_FEATURES_COUNT + columns[i]];
    cells[i] = table->object_count ? sum / (double)table->object_count : NAN;
  }
  return 0;
}

static int run_features(struct ts_op_call *call) {
  const struct ts_op_view *image = call->inputs[0];
  if (!ts_nuclei_same_size(call, 2)) return -1;
  uint32_t *labels = ts_nuclei_labels(call, call->inputs[1]);
  if (!labels) return -1;
  struct ts_feature_table table = {0};
  struct ts_error err = {0};
  struct ts_kernel_threads threads = ts_nuclei_threads(call);
  bool ok = ts_features(image->data, labels, image->width, image->height, &table, &threads, &err);
  int result = ts_nuclei_done(call, ok, &err);
  ts_block_give(labels);
  if (ok) {
    move_to_image(&table, image);
    double *cells = call->host->output_table(call, 0, table.object_count, TS_FEATURES_COUNT, ts_feature_names);
    result = cells ? write_summary(call, &table) : -1;
    if (cells && table.object_count > 0)
      memcpy(cells, table.values, table.object_count * TS_FEATURES_COUNT * sizeof *cells);
  }
  ts_feature_table_release(&table);
  return result;
}

const struct ts_op_descriptor ts_nuclei_op_features = {NUCLEI_OPERATION_OF("features", 2),
                                                       .scratch_per_input_byte = 1.5,
                                                       .help = "measures every nucleus",
                                                       .inputs = features_in,
                                                       .input_count = NUCLEI_COUNT(features_in),
                                                       .outputs = features_out,
                                                       .output_count = NUCLEI_COUNT(features_out),
                                                       .reach = TS_OP_REACH_TILE,
                                                       .run = run_features,
                                                       .columns = features_columns,
                                                       .column_count = NUCLEI_COUNT(features_columns),
                                                       .counts = features_counts,
                                                       .counts_count = NUCLEI_COUNT(features_counts),
                                                       .objects = features_columns,
                                                       .objects_count = NUCLEI_COUNT(features_columns)};
