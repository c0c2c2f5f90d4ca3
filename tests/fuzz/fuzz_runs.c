/* Fuzz target: a streamed table of designs and outputs; a column that is chosen has the same numbers as among all.
 * SPDX-License-Identifier: Apache-2.0 */
#include "fuzz.h"

#include "base/alloc.h"
#include "design/read_table.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerInitialize(int *argc, char ***argv) {
  (void)argc;
  (void)argv;
  fuzz_start();
  return 0;
}

/* The first named column, chosen alone, against the same column of whole rows. */
static void read_column(const char *name, const double *wanted, size_t count) {
  struct ts_error err = {0};
  struct ts_table_reader reader;
  if (!ts_table_reader_open(&reader, "runs.csv", &err) || !ts_table_reader_choose(&reader, &name, 1, &err)) abort();
  for (bool has_row = true; has_row;) {
    double number;
    if (!ts_table_reader_next(&reader, &number, &has_row, &err)) abort();
    if (!has_row) break;
    if (reader.row_count > count || memcmp(&number, &wanted[reader.row_count - 1], sizeof number) != 0) abort();
  }
  if (reader.row_count != count) abort();
  ts_table_reader_close(&reader);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz_write("runs.csv", data, size);
  struct ts_table_reader reader;
  struct ts_error err = {0};
  if (!ts_table_reader_open(&reader, "runs.csv", &err)) {
    fuzz_check_error(&err);
    return 0;
  }
  double *row = ts_calloc(reader.chosen_count + 1, sizeof *row), *first = NULL;
  size_t capacity = 0, count = 0;
  bool has_row = true;
  while (has_row && ts_table_reader_next(&reader, row, &has_row, &err)) {
    if (!has_row) break;
    first = ts_grow(first, count, &capacity, sizeof *first);
    first[count++] = row[0];
  }
  if (err.code != TS_ERR_OK) fuzz_check_error(&err);
  const char *name = NULL;
  for (size_t i = 0; !name && i < reader.column_count; i++) name = *reader.names[i] ? reader.names[i] : NULL;
  if (err.code == TS_ERR_OK && name) read_column(name, first, count);
  free(first);
  free(row);
  ts_table_reader_close(&reader);
  return 0;
}
