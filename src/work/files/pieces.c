/* Joins texts in the order of their places.
 * SPDX-License-Identifier: Apache-2.0 */
#include "work/files/pieces.h"

#include "base/alloc.h"
#include "base/file.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct piece {
  uint64_t place, offset, length;
};

struct ts_pieces {
  int file;
  char *folder;        /* owned: for messages */
  uint64_t end;        /* of the file */
  struct piece *items; /* owned */
  size_t count, capacity;
};

struct ts_pieces *ts_pieces_create(const char *folder, struct ts_error *err) {
  const int file = ts_file_create_nameless(folder, err);
  if (file < 0) return NULL;
  struct ts_pieces *pieces = ts_calloc(1, sizeof *pieces);
  pieces->file = file;
  pieces->folder = ts_strdup(folder);
  return pieces;
}

void ts_pieces_destroy(struct ts_pieces *pieces) {
  if (!pieces) return;
  close(pieces->file);
  free(pieces->folder);
  free(pieces->items);
  free(pieces);
}

bool ts_pieces_add(struct ts_pieces *pieces, uint64_t place, const char *text, size_t length, struct ts_error *err) {
  const int number = ts_file_write_at(pieces->file, pieces->end, text, length);
  if (number) return ts_file_fail(err, pieces->folder, "hold a temporary file", number);
  pieces->items = ts_grow(pieces->items, pieces->count, &pieces->capacity, sizeof *pieces->items);
  pieces->items[pieces->count++] = (struct piece){place, pieces->end, length};
  pieces->end += length;
  return true;
}

static int compare_places(const void *a, const void *b) {
  const struct piece *p = a, *q = b;
  if (p->place != q->place) return p->place < q->place ? -1 : 1;
  return (p->offset > q->offset) - (p->offset < q->offset);
}

void ts_pieces_write(struct ts_pieces *pieces, const char *between, struct ts_file_stream *stream) {
  bool is_first = true;
  if (pieces->count > 1) qsort(pieces->items, pieces->count, sizeof *pieces->items, compare_places);
  for (size_t i = 0; i < pieces->count; i++) {
    if (pieces->items[i].length == 0) continue;
    if (!is_first) ts_file_stream_add(stream, between, strlen(between));
    ts_file_stream_copy(stream, pieces->file, pieces->items[i].offset, pieces->items[i].length);
    is_first = false;
  }
}
