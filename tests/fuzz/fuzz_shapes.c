/* Fuzz target: the objects of a file as runs of pixels, as a store may hand them back damaged; what is read is outlined
 * and written again.
 * SPDX-License-Identifier: Apache-2.0 */
#include "fuzz.h"

#include "data/shapes.h"
#include "kernels/outline.h"

#include <stdlib.h>
#include <string.h>

#define LARGEST_BOX_PX (1 << 20)

int LLVMFuzzerInitialize(int *argc, char ***argv) {
  (void)argc;
  (void)argv;
  return 0;
}

/* Runs are in raster order, and those of a row are apart. */
static void check_order(const struct ts_shape *shape) {
  for (size_t i = 0; i < shape->count; i++) {
    const struct ts_pixel_run *run = &shape->runs[i];
    if (run->begin >= run->end) abort();
    if (i > 0 && (run->y < run[-1].y || (run->y == run[-1].y && run->begin <= run[-1].end))) abort();
  }
}

/* A walk around an object takes as many steps as it has pixels at its edge, and a few bytes can be a run of 2^30. */
static bool is_small(const struct ts_shape *shape) {
  int32_t left = shape->runs[0].begin, right = shape->runs[0].end;
  for (size_t i = 0; i < shape->count; i++) {
    left = shape->runs[i].begin < left ? shape->runs[i].begin : left;
    right = shape->runs[i].end > right ? shape->runs[i].end : right;
  }
  const int64_t width = (int64_t)right - left, height = (int64_t)shape->runs[shape->count - 1].y - shape->runs[0].y + 1;
  return width < LARGEST_BOX_PX && height < LARGEST_BOX_PX && width * height < LARGEST_BOX_PX;
}

/* With and without a plane it is the same. */
static void outline(const struct ts_shape *shape) {
  struct ts_outlines with, without;
  struct ts_error err = {0};
  const bool ok = ts_outline_runs(shape->runs, shape->count, &with, &err);
  if (ok != ts_outline_sparse(shape->runs, shape->count, &without, NULL)) abort();
  if (!ok) fuzz_check_error(&err);
  if (with.ring_count != without.ring_count || with.vertex_count != without.vertex_count) abort();
  if (ok && memcmp(with.vertices, without.vertices, with.vertex_count * sizeof *with.vertices) != 0) abort();
  ts_outlines_release(&with);
  ts_outlines_release(&without);
}

/* All objects, which the writer gets too; false: damaged. */
static bool read_all(const void *bytes, size_t size, struct ts_shapes_writer *writer) {
  struct ts_shapes reader;
  struct ts_shape shape;
  struct ts_error err = {0};
  uint64_t number = 0, count = 0;
  if (ts_shapes_open(&reader, bytes, size, &err)) {
    ts_shapes_write_begin(writer, reader.level);
    for (; ts_shapes_next(&reader, &shape, &err); count++) {
      if (shape.number <= number || shape.count == 0) abort();
      number = shape.number;
      check_order(&shape);
      if (is_small(&shape)) outline(&shape);
      ts_shapes_write_next(writer, &shape);
    }
    ts_shapes_write_end(writer);
    if (err.code == TS_ERR_OK && count != reader.count) abort();
  }
  if (err.code != TS_ERR_OK) fuzz_check_error(&err);
  ts_shapes_close(&reader);
  return err.code == TS_ERR_OK;
}

/* What was written from what was read is the shortest form of it, and gives itself. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct ts_shapes_writer once = {0}, twice = {0};
  if (read_all(data, size, &once)) {
    if (once.bytes.length > size || !read_all(once.bytes.data, once.bytes.length, &twice)) abort();
    if (once.bytes.length != twice.bytes.length || memcmp(once.bytes.data, twice.bytes.data, once.bytes.length) != 0)
      abort();
  }
  ts_shapes_writer_release(&once);
  ts_shapes_writer_release(&twice);
  return 0;
}
