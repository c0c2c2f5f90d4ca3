/* objects.measure_tile: the objects of one tile, measured, and what is needed to join those that its edges cut.
 * SPDX-License-Identifier: Apache-2.0
 *
 * An object that lies within the tile is finished here: its runs and its row. One that may go on in another tile leaves
 * its runs and how often each value occurs in it: both can be added. */
#include "ops/objects/objects_int.h"

#include "base/alloc.h"
#include "base/block.h"
#include "kernels/objects.h"
#include "ops/objects/measure_code.h"
#include "ops/objects/measured.h"

#include <string.h>

static const struct ts_op_port *const tile_in[] = {
    TS_OP_PORT(.name = "image", .type = "image/rgb8", .help = "what is measured, with a halo of a pixel or more"),
    TS_OP_PORT(.name = "mask", .type = "mask|labels", .help = "objects, without halo")};
static const struct ts_op_port *const tile_out[] = {
    OBJECTS_PIECES_PORT("the objects, to be joined by objects.measure per file"),
    TS_OP_PORT(.name = "summary", .type = "table",
               .help = "one row: number and means of the objects as the tile cuts them")};
static const struct ts_op_parameter *const tile_parameters[] = {
    OBJECTS_STITCH("stitch", "how objects of labels are joined across tiles; those of a mask are its components")};

static bool find(const struct ts_op_view *mask, struct ts_objects *objects, const struct ts_kernel_threads *threads,
                 struct ts_error *err) {
  if (mask->element == TS_OP_U32) return ts_objects_of_labels(mask->data, mask->width, mask->height, objects, err);
  return ts_objects_of_mask(mask->data, mask->width, mask->height, objects, threads, err);
}

static void move_to_image(struct ts_objects *objects, const struct ts_tile_box *box) {
  for (size_t i = 0; i < objects->run_count; i++) {
    objects->runs[i].y += box->top;
    objects->runs[i].begin += box->left;
    objects->runs[i].end += box->left;
  }
}

/* What one call works on. */
struct tile {
  struct ts_chain_tile chain;
  struct ts_feature_image image;
  const struct ts_objects *objects; /* borrowed */
  double *rows;                     /* owned block: of all objects, with the columns of measured.h */
};

static bool measure(struct tile *tile, const struct ts_kernel_threads *threads, struct ts_error *err) {
  const size_t count = tile->objects->count;
  double *features = ts_block_take((count + 1) * TS_FEATURES_COUNT * sizeof *features);
  tile->rows = ts_block_take((count + 1) * TS_MEASURED_COLUMNS * sizeof *tile->rows);
  bool ok = features && tile->rows;
  if (!ok) ts_fail(err, TS_ERR_NO_MEMORY, "not enough memory for the rows of %zu objects", count);
  ok = ok && ts_features_rows(&tile->image, tile->objects->items, count, features, threads, err);
  for (size_t i = 0; ok && i < count; i++) {
    tile->rows[i * TS_MEASURED_COLUMNS] = (double)i + 1;
    ts_measured_row(features + i * TS_FEATURES_COUNT, tile->rows + i * TS_MEASURED_COLUMNS);
  }
  ts_block_give(features);
  return ok;
}

static bool is_open(const struct tile *tile, const struct ts_object *object) {
  return ts_stitch_is_open(tile->chain.stitch[0], &tile->chain.box, object->runs, object->count);
}

static void code_tile(const struct tile *tile, struct ts_str *out) {
  size_t open_count = 0;
  struct ts_feature_counts counts;
  for (size_t i = 0; i < tile->objects->count; i++) open_count += is_open(tile, &tile->objects->items[i]);
  ts_chain_begin(out, &tile->chain);
  ts_code_number(out, tile->objects->count - open_count);
  for (size_t i = 0; i < tile->objects->count; i++) {
    const struct ts_object *o = &tile->objects->items[i];
    if (is_open(tile, o)) continue;
    ts_chain_code_runs(out, &tile->chain.box, o->runs, o->count);
    ts_str_add_bytes(out, tile->rows + i * TS_MEASURED_COLUMNS + 1, TS_MEASURE_ROW_BYTES);
  }
  ts_code_number(out, open_count);
  for (size_t i = 0; i < tile->objects->count; i++) {
    const struct ts_object *o = &tile->objects->items[i];
    if (!is_open(tile, o)) continue;
    memset(&counts, 0, sizeof counts);
    ts_features_count(&tile->image, o->runs, o->count, &counts);
    ts_code_number(out, o->label);
    ts_chain_code_runs(out, &tile->chain.box, o->runs, o->count);
    ts_measure_code_counts(out, &counts);
  }
  ts_chain_end(out);
}

static bool is_inside(const struct ts_op_view *mask, const struct ts_op_view *image) {
  return mask->level == image->level && mask->x >= image->x && mask->y >= image->y &&
         mask->x + mask->width <= image->x + image->width && mask->y + mask->height <= image->y + image->height;
}

static int run_measure_tile(struct ts_op_call *call) {
  const struct ts_op_view *image = call->inputs[0], *mask = call->inputs[1];
  const struct ts_kernel_threads threads = ts_objects_threads(call);
  struct ts_error err = {0};
  struct ts_objects objects = {0};
  struct tile tile = {.chain = {.letters = TS_MEASURE_LETTERS,
                                .level = mask->level,
                                .stitch = {ts_objects_stitch(mask, call->parameters[0])}},
                      .image = {.rgb = image->data, .width = image->width, .height = image->height},
                      .objects = &objects};
  if (!is_inside(mask, image)) return call->host->fail(call, "its mask is not a part of its image");
  if (!ts_objects_box(call, image, &tile.chain.box) || !ts_objects_box(call, mask, &tile.chain.box)) return -1;
  tile.image.x = -image->x;
  tile.image.y = -image->y;
  bool ok = find(mask, &objects, &threads, &err);
  if (ok) move_to_image(&objects, &tile.chain.box);
  ok = ok && measure(&tile, &threads, &err);
  int result = ts_objects_done(call, ok, &err);
  if (ok) {
    ts_auto(ts_str_release) struct ts_str out = {0};
    code_tile(&tile, &out);
    result = ts_objects_output(call, 0, &out) ? ts_measured_summary(call, 1, tile.rows, objects.count) : -1;
  }
  ts_block_give(tile.rows);
  ts_objects_release(&objects);
  return result;
}

const struct ts_op_descriptor ts_objects_op_measure_tile = {OBJECTS_OPERATION("measure_tile"),
                                                            .scratch_per_input_byte = 1.0,
                                                            .help = "measures the objects of a tile",
                                                            OBJECTS_PORTS(tile_in, tile_out),
                                                            OBJECTS_PARAMETERS(tile_parameters),
                                                            .reach = TS_OP_REACH_RADIUS,
                                                            .radius_px = 1, /* gradients */
                                                            .run = run_measure_tile,
                                                            .columns = ts_measured_summary_columns,
                                                            .column_count = TS_MEASURED_SUMMARY_COLUMNS,
                                                            .counts = ts_measured_summary_counts,
                                                            .counts_count = 1,
                                                            .objects = ts_measured_summary_columns,
                                                            .objects_count = TS_MEASURED_SUMMARY_COLUMNS};
