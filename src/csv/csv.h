/* CSV text (RFC 4180, header line, UTF-8) as rows of cells that remember their line.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_CSV_CSV_H
#define TS_CSV_CSV_H

#include "base/arena.h"
#include "base/error.h"
#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>

struct ts_csv {
  struct ts_arena arena;
  char **header; /* owned by the arena */
  size_t column_count;
  int header_line; /* line in the file where the header starts */
  char ***rows;    /* owned; rows[r][c], the cells belong to the arena */
  int *lines;      /* owned; line in the file where row r starts */
  size_t row_count;
};

/* Every row must have as many cells as the header (CSV_SYNTAX with line and column otherwise). A BOM is fine, empty
 * lines are skipped; csv/scan.h says what a cell is. */
bool ts_csv_read(struct ts_csv *csv, const char *file, struct ts_error *err);
bool ts_csv_parse(struct ts_csv *csv, const char *name, const char *text, size_t length, struct ts_error *err);
void ts_csv_release(struct ts_csv *csv);
/* Where a cell begins, for messages: reads the file again up to the row that starts in the given line. False if the
 * file no longer has such a cell. */
bool ts_csv_locate(const char *file, int row_line, size_t cell, int *line, int *column);
/* Appends a cell, quoted when needed (with blanks around it, and an empty first one: a row of one empty cell must not
 * be an empty line). Text that a spreadsheet would take for a formula gets an apostrophe in front and quotation
 * marks: it starts with '=', '+', '-', '@', a tab or a carriage return and is not a number. So does such text with
 * apostrophes in front, and the readers remove one: what was written is read back unchanged. */
void ts_csv_add_cell(struct ts_str *out, const char *text, bool first);
/* The same as it is, for programs that take names literally. */
void ts_csv_add_raw_cell(struct ts_str *out, const char *text, bool first);

#endif
