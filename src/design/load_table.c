/* Loads chosen columns of a table of numbers into arrays that grow as rows come in.
 * SPDX-License-Identifier: Apache-2.0 */
#include "design/read_table.h"

#include "base/alloc.h"

#include <stdint.h>
#include <string.h>

#define FIRST_ROWS 1024

static bool grow(struct ts_table_block *blocks, size_t block_count, size_t rows, struct ts_error *err) {
  for (size_t i = 0; i < block_count; i++) {
    size_t row_bytes = (blocks[i].count > 0 ? blocks[i].count : 1) * sizeof *blocks[i].values;
    double *values = rows <= SIZE_MAX / row_bytes ? realloc(blocks[i].values, rows * row_bytes) : NULL;
    if (!values) {
      ts_fail(err, TS_ERR_NO_MEMORY, "no memory for a table of %zu rows", rows);
      ts_error_help(err, "choose fewer columns, or a method that needs the outputs only");
      return false;
    }
    blocks[i].values = values;
  }
  return true;
}

static bool choose(struct ts_table_reader *reader, const struct ts_table_block *blocks, size_t block_count,
                   struct ts_error *err) {
  size_t total = 0;
  for (size_t i = 0; i < block_count; i++) total += blocks[i].count;
  ts_auto_free const char **names = ts_calloc(total + 1, sizeof *names);
  size_t place = 0;
  for (size_t i = 0; i < block_count; i++) {
    for (size_t c = 0; c < blocks[i].count; c++) names[place++] = blocks[i].names[c];
  }
  if (!ts_table_reader_choose(reader, names, total, err)) return false;
  place = 0;
  for (size_t i = 0; i < block_count; i++) {
    for (size_t c = 0; c < blocks[i].count; c++, place++) {
      if (blocks[i].parameters) ts_table_reader_set_parameter(reader, place, blocks[i].parameters[c]);
    }
  }
  return true;
}

static bool load_rows(struct ts_table_reader *reader, struct ts_table_block *blocks, size_t block_count, double *row,
                      struct ts_error *err) {
  size_t capacity = 0;
  for (;;) {
    bool has_row;
    if (!ts_table_reader_next(reader, row, &has_row, err)) return false;
    if (!has_row) return true;
    size_t index = reader->row_count - 1;
    if (index >= capacity) {
      /* Large arrays move by remapping pages, and pages that were never written take no memory. */
      capacity = capacity > 0 ? capacity + capacity / 2 : FIRST_ROWS;
      if (!grow(blocks, block_count, capacity, err)) return false;
    }
    const double *cell = row;
    for (size_t i = 0; i < block_count; i++) {
      memcpy(blocks[i].values + index * blocks[i].count, cell, blocks[i].count * sizeof *cell);
      cell += blocks[i].count;
    }
  }
}

bool ts_table_load(const char *file, struct ts_table_block *blocks, size_t block_count, size_t *row_count,
                   struct ts_error *err) {
  struct ts_table_reader reader;
  for (size_t i = 0; i < block_count; i++) blocks[i].values = NULL;
  if (!ts_table_reader_open(&reader, file, err)) return false;
  bool ok = choose(&reader, blocks, block_count, err);
  if (ok) {
    ts_auto_free double *row = ts_calloc(reader.chosen_count + 1, sizeof *row);
    ok = load_rows(&reader, blocks, block_count, row, err);
  }
  *row_count = reader.row_count;
  ts_table_reader_close(&reader);
  for (size_t i = 0; !ok && i < block_count; i++) {
    free(blocks[i].values);
    blocks[i].values = NULL;
  }
  return ok;
}
