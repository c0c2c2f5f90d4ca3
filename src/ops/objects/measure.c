/* objects.measure: the objects of a whole file from those of its tiles: a table, means, shapes.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Finished objects are copied. Pieces that belong together become one list of runs, on which form is measured, and one
 * count of values. Objects are numbered by their first pixels, row by row, whatever the order of tiles. */
#include "ops/objects/objects_int.h"

#include "base/alloc.h"
#include "data/shapes.h"
#include "ops/objects/measure_code.h"
#include "ops/objects/measured.h"

#include <stdlib.h>
#include <string.h>

static const struct ts_op_port *const measure_in[] = {OBJECTS_PIECES_PORT("the objects of all tiles of a file")};
static const struct ts_op_port *const measure_out[] = {
    TS_OP_PORT(.name = "objects", .type = "table", .help = "one row per object: place, shape, intensity, gradient"),
    TS_OP_PORT(.name = "summary", .type = "table",
               .help = "one row: number of objects and the means of their features"),
    TS_OP_PORT(.name = "shapes", .type = "shapes", .help = "the pixels of every object")};

/* A finished object, or a piece. */
struct piece {
  const struct ts_chain_tile *tile; /* borrowed from the chain */
  struct ts_cursor at;              /* behind its label */
  int32_t y, x;                     /* first pixel */
  uint32_t object;                  /* of a piece: the first one of its object; of a finished object: not used */
};

struct pieces {
  struct piece *items; /* owned */
  size_t count, capacity;
};

struct joining {
  struct ts_chain chain;
  struct pieces finished, open;
  struct ts_stitcher *stitcher; /* owned: pieces as in `open` */
  struct ts_run_list runs;      /* owned: of the object that is looked at */
};

static void joining_release(struct joining *j) {
  ts_chain_close(&j->chain);
  free(j->finished.items);
  free(j->open.items);
  ts_stitcher_destroy(j->stitcher);
  ts_run_list_release(&j->runs);
}

/* ---- Reading. ---- */

static void add_piece(struct pieces *pieces, const struct ts_chain_tile *tile, struct ts_cursor at,
                      const struct ts_pixel_run *first) {
  pieces->items = ts_grow(pieces->items, pieces->count, &pieces->capacity, sizeof *pieces->items);
  pieces->items[pieces->count++] = (struct piece){.tile = tile, .at = at, .y = first->y, .x = first->begin};
}

static bool read_object(struct joining *j, const struct ts_chain_tile *tile, struct ts_cursor *body) {
  return ts_chain_read_runs(body, &tile->box, &j->runs) && j->runs.count > 0;
}

static int64_t area_of(const struct ts_run_list *runs) {
  int64_t area = 0;
  for (size_t i = 0; i < runs->count; i++) area += runs->items[i].end - runs->items[i].begin;
  return area;
}

static bool read_finished(struct joining *j, const struct ts_chain_tile *tile, struct ts_cursor *body) {
  double row[TS_MEASURED_COLUMNS];
  const struct ts_cursor at = *body;
  if (!read_object(j, tile, body) || !ts_cursor_bytes(body, row, TS_MEASURE_ROW_BYTES)) return false;
  add_piece(&j->finished, tile, at, &j->runs.items[0]);
  return true;
}

static bool read_open(struct joining *j, const struct ts_chain_tile *tile, struct ts_cursor *body) {
  uint64_t label;
  if (!ts_cursor_number(body, &label)) return false;
  const struct ts_cursor at = *body;
  if (!read_object(j, tile, body) || !ts_measure_read_counts(body, area_of(&j->runs), NULL)) return false;
  add_piece(&j->open, tile, at, &j->runs.items[0]);
  ts_stitcher_add(j->stitcher, &tile->box, label, j->runs.items, j->runs.count);
  return true;
}

static bool read_tile(struct joining *j, const struct ts_chain_tile *tile) {
  struct ts_cursor body = tile->body;
  size_t count;
  if (!ts_cursor_count(&body, TS_MEASURE_ROW_BYTES, &count)) return false;
  for (size_t i = 0; i < count; i++)
    if (!read_finished(j, tile, &body)) return false;
  if (!ts_cursor_count(&body, 1, &count)) return false;
  for (size_t i = 0; i < count; i++)
    if (!read_open(j, tile, &body)) return false;
  return body.at == body.end;
}

/* ---- Objects of several pieces. ---- */

static int by_object(const void *a, const void *b) {
  const struct piece *p = a, *q = b;
  if (p->object != q->object) return p->object < q->object ? -1 : 1;
  if (p->y != q->y) return p->y < q->y ? -1 : 1;
  return (p->x > q->x) - (p->x < q->x);
}

static void join(struct joining *j) {
  if (j->open.count == 0) return;
  ts_stitcher_join(j->stitcher, j->chain.tiles[0].stitch[0]);
  for (size_t i = 0; i < j->open.count; i++) j->open.items[i].object = ts_stitcher_first(j->stitcher, (uint32_t)i);
  qsort(j->open.items, j->open.count, sizeof *j->open.items, by_object);
}

static int by_raster(const void *a, const void *b) {
  const struct ts_pixel_run *p = a, *q = b;
  if (p->y != q->y) return p->y < q->y ? -1 : 1;
  return (p->begin > q->begin) - (p->begin < q->begin);
}

/* Runs that tiles cut become one again. */
static void merge_runs(struct ts_run_list *runs) {
  size_t to = 0;
  qsort(runs->items, runs->count, sizeof *runs->items, by_raster);
  for (size_t i = 0; i < runs->count; i++) {
    if (to > 0 && runs->items[to - 1].y == runs->items[i].y && runs->items[to - 1].end == runs->items[i].begin)
      runs->items[to - 1].end = runs->items[i].end;
    else
      runs->items[to++] = runs->items[i];
  }
  runs->count = to;
}

/* The runs of the object that begins with this piece are left in j->runs. */
static bool measure_pieces(struct joining *j, const struct piece *pieces, size_t count, struct ts_bits *scratch,
                           double *row, struct ts_error *err) {
  struct ts_feature_counts counts = {0};
  struct ts_run_list part = {0};
  double features[TS_FEATURES_COUNT];
  j->runs.count = 0;
  for (size_t i = 0; i < count; i++) {
    struct ts_cursor at = pieces[i].at;
    ts_chain_read_runs(&at, &pieces[i].tile->box, &part); /* they were read before */
    ts_measure_read_counts(&at, area_of(&part), &counts);
    for (size_t r = 0; r < part.count; r++) ts_run_list_add(&j->runs, part.items[r]);
  }
  ts_run_list_release(&part);
  merge_runs(&j->runs);
  if (!ts_features_shape(j->runs.items, j->runs.count, scratch, features, err)) return false;
  ts_features_finish(&counts, area_of(&j->runs), features);
  ts_measured_row(features, row);
  return true;
}

/* ---- All objects in their order. ---- */

/* An object: a finished one, or `count` pieces. */
struct object {
  int32_t y, x;               /* first pixel: here as well, because sorting would look all over memory for it */
  const struct piece *pieces; /* borrowed */
  size_t count;               /* 0: finished */
};

static int by_first_pixel(const void *a, const void *b) {
  const struct object *p = a, *q = b;
  if (p->y != q->y) return p->y < q->y ? -1 : 1;
  return (p->x > q->x) - (p->x < q->x);
}

/* To free. */
static struct object *list_objects(const struct joining *j, size_t *count) {
  struct object *objects = ts_calloc(j->finished.count + j->open.count + 1, sizeof *objects);
  *count = 0;
  for (size_t i = 0; i < j->finished.count; i++) {
    const struct piece *piece = &j->finished.items[i];
    objects[(*count)++] = (struct object){piece->y, piece->x, piece, 0};
  }
  for (size_t i = 0; i < j->open.count;) {
    struct object *object = &objects[(*count)++];
    *object = (struct object){j->open.items[i].y, j->open.items[i].x, &j->open.items[i], 0};
    while (i < j->open.count && j->open.items[i].object == object->pieces->object) {
      object->count++;
      i++;
    }
  }
  if (*count > 0) qsort(objects, *count, sizeof *objects, by_first_pixel);
  return objects;
}

static bool write_object(struct joining *j, const struct object *object, struct ts_bits *scratch, double *row,
                         struct ts_shapes_writer *shapes, struct ts_error *err) {
  if (object->count == 0) {
    struct ts_cursor at = object->pieces->at;
    ts_chain_read_runs(&at, &object->pieces->tile->box, &j->runs);
    ts_cursor_bytes(&at, row + 1, TS_MEASURE_ROW_BYTES);
  } else if (!measure_pieces(j, object->pieces, object->count, scratch, row, err)) {
    return false;
  }
  ts_shapes_write_next(shapes, &(struct ts_shape){(uint64_t)row[0], j->runs.items, j->runs.count});
  return true;
}

static int write_outputs(struct joining *j, struct ts_op_call *call) {
  size_t count;
  struct ts_error err = {0};
  struct ts_bits scratch = {0};
  struct ts_shapes_writer shapes;
  ts_auto_free struct object *objects = list_objects(j, &count);
  double *rows = call->host->output_table(call, 0, count, TS_MEASURED_COLUMNS, ts_measured_names);
  bool ok = rows != NULL;
  if (!ok) return -1;
  ts_shapes_write_begin(&shapes, j->chain.count > 0 ? j->chain.tiles[0].level : 0);
  for (size_t i = 0; ok && i < count; i++) {
    double *row = rows + i * TS_MEASURED_COLUMNS;
    row[TS_MEASURED_ID] = (double)i + 1;
    ok = write_object(j, &objects[i], &scratch, row, &shapes, &err);
  }
  ts_bits_release(&scratch);
  ts_shapes_write_end(&shapes);
  int result = ts_objects_done(call, ok, &err);
  if (ok) result = ts_measured_summary(call, 1, rows, count);
  if (result == 0 && !ts_objects_output(call, 2, &shapes.bytes)) result = -1;
  ts_shapes_writer_release(&shapes);
  return result;
}

static int run_measure(struct ts_op_call *call) {
  const struct ts_op_view *pieces = call->inputs[0];
  struct ts_error err = {0};
  struct joining j = {.stitcher = ts_stitcher_create()};
  bool ok = ts_chain_open(&j.chain, (const char[])TS_MEASURE_LETTERS, pieces->data, pieces->size_bytes, &err);
  for (size_t i = 0; ok && i < j.chain.count; i++) ok = read_tile(&j, &j.chain.tiles[i]) || ts_chain_is_damaged(&err);
  if (ok) join(&j);
  const int result = ok ? write_outputs(&j, call) : ts_objects_done(call, false, &err);
  joining_release(&j);
  return result;
}

#define OBJECTS_COLUMN(column, name) TS_OP_COLUMN("objects", (name))
static const struct ts_op_column *const measure_columns[] = {TS_OP_COLUMN("objects", "id"),
                                                             TS_OP_COLUMN("objects", "x"),
                                                             TS_OP_COLUMN("objects", "y"),
                                                             TS_MEASURED_LIST_OF_FORM(OBJECTS_COLUMN),
                                                             TS_MEASURED_LIST_OF_CHANNELS(OBJECTS_COLUMN),
                                                             TS_MEASURED_SUMMARY_LIST};

const struct ts_op_descriptor ts_objects_op_measure = {OBJECTS_OPERATION("measure"),
                                                       .scratch_per_input_byte = 1.0,
                                                       .help = "joins and measures the objects of a file",
                                                       OBJECTS_PORTS(measure_in, measure_out),
                                                       .run = run_measure,
                                                       .columns = measure_columns,
                                                       .column_count = OBJECTS_COUNT(measure_columns),
                                                       .counts = ts_measured_summary_counts,
                                                       .counts_count = 1};
