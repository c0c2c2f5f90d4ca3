/* Writes and reads the objects of a file as runs of pixels.
 * SPDX-License-Identifier: Apache-2.0 */
#include "data/shapes.h"

#include "base/alloc.h"

#include <string.h>

static const char magic[4] = {'S', 'H', 'P', '1'};

/* What stands before the objects, as it lies in the file. */
struct head {
  char magic[4];
  int32_t level;
  uint64_t count;
  uint64_t bytes;
};
_Static_assert(sizeof(struct head) == 24, "the head has no padding");
enum { OBJECT_LEAST_BYTES = 5 }; /* step, count of runs, one run */

static bool damaged(struct ts_error *err) {
  ts_fail(err, TS_ERR_BAD_PRODUCT, "these shapes of objects are damaged");
  return ts_error_help(err, "make them again: run without the store, or remove the product from it");
}

bool ts_shapes_open(struct ts_shapes *shapes, const void *bytes, size_t size, struct ts_error *err) {
  *shapes = (struct ts_shapes){0};
  struct head head;
  struct ts_cursor cursor = {.at = bytes, .end = (const uint8_t *)bytes + size};
  if (!ts_cursor_bytes(&cursor, &head, sizeof head) || memcmp(head.magic, magic, sizeof magic) != 0)
    return damaged(err);
  size_t rest = (size_t)(cursor.end - cursor.at);
  if (head.bytes != rest || head.count > rest / OBJECT_LEAST_BYTES) return damaged(err);
  shapes->level = head.level;
  shapes->count = head.count;
  shapes->rest = cursor;
  return true;
}

bool ts_shapes_next(struct ts_shapes *shapes, struct ts_shape *shape, struct ts_error *err) {
  if (shapes->done == shapes->count) return shapes->rest.at == shapes->rest.end ? false : damaged(err);
  uint64_t step;
  shapes->runs.count = 0;
  if (!ts_cursor_number(&shapes->rest, &step) || step == 0 ||
      __builtin_add_overflow(shapes->number, step, &shapes->number) ||
      !ts_cursor_runs(&shapes->rest, &shapes->base, &shapes->runs))
    return damaged(err);
  shapes->done++;
  *shape = (struct ts_shape){.number = shapes->number, .runs = shapes->runs.items, .count = shapes->runs.count};
  return true;
}

void ts_shapes_close(struct ts_shapes *shapes) {
  ts_run_list_release(&shapes->runs);
  *shapes = (struct ts_shapes){0};
}

void ts_shapes_write_begin(struct ts_shapes_writer *writer, int32_t level) {
  *writer = (struct ts_shapes_writer){0};
  struct head head = {.level = level};
  memcpy(head.magic, magic, sizeof magic);
  ts_str_add_bytes(&writer->bytes, &head, sizeof head);
}

void ts_shapes_write_next(struct ts_shapes_writer *writer, const struct ts_shape *shape) {
  if (shape->number <= writer->number || shape->count == 0) TS_BUG("shapes must come in the order of their numbers");
  ts_code_number(&writer->bytes, shape->number - writer->number);
  ts_code_runs(&writer->bytes, shape->runs, shape->count, &writer->base);
  writer->number = shape->number;
  writer->count++;
}

void ts_shapes_write_end(struct ts_shapes_writer *writer) {
  struct head head;
  memcpy(&head, writer->bytes.data, sizeof head);
  head.count = writer->count;
  head.bytes = writer->bytes.length - sizeof head;
  memcpy(writer->bytes.data, &head, sizeof head);
}

void ts_shapes_writer_release(struct ts_shapes_writer *writer) { ts_str_release(&writer->bytes); }
