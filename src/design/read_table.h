/* Tables of numbers as CSV, streamed row by row: designs and outputs of any length.
 * SPDX-License-Identifier: Apache-2.0
 *
 * The first line names the columns, in any order. Cells are numbers; an empty cell, NaN, nan or NA is a missing value
 * and read as NaN, inf and -inf as infinities. csv/scan.h says what a cell is; a byte order mark is fine; empty
 * lines are skipped, except in a table of one column, where each is a row with a missing value.
 * Memory: one row and a buffer. Call order: open, choose (else all columns), set_parameter, next ..., close. */
#ifndef TS_DESIGN_READ_TABLE_H
#define TS_DESIGN_READ_TABLE_H

#include "base/arena.h"
#include "base/error.h"
#include "base/map.h"
#include "workflow/workflow.h"

#include <stdbool.h>
#include <stddef.h>

struct ts_table_cell;

struct ts_table_reader {
  struct ts_arena arena; /* owns the strings and arrays below */
  const char *file;
  const char *const *names; /* of the columns of the file */
  size_t column_count;
  size_t chosen_count;         /* numbers per row */
  struct ts_table_cell *cells; /* per column of the file: where its number goes */
  size_t row_count;            /* rows read so far */
  size_t line;                 /* of the row last read, from 1 */
  /* The rest is for read_table.c. */
  int descriptor;
  bool is_at_end;     /* of the file; the buffer may hold more */
  bool is_alone;      /* one column: empty lines are rows */
  bool has_wide_text; /* bytes that are not ASCII were met: rows are checked to be UTF-8 */
  char *buffer;       /* owned */
  size_t capacity, length;
  size_t row_start;      /* in the buffer: the row last read */
  size_t position;       /* in the buffer: the next row */
  size_t next_line;      /* its line */
  size_t next_return;    /* in the buffer: no carriage return comes from `position` up to there */
  struct ts_str text;    /* owned; a cell without its quotation marks */
  struct ts_map by_name; /* owned; column of each name */
};

/* Opens a file ("-": standard input) and reads its header. FILE_NOT_FOUND, FILE_IO, CSV_SYNTAX (no header) or
 * DUPLICATE_NAME. Columns may lack a name (the row numbers that some programs write); these can only be passed over. */
bool ts_table_reader_open(struct ts_table_reader *reader, const char *file, struct ts_error *err);
void ts_table_reader_close(struct ts_table_reader *reader);
/* The column of the file with that name, or TS_NONE. */
size_t ts_table_reader_find(const struct ts_table_reader *reader, const char *name);
/* Rows have the named columns from now on, in that order; MISSING_KEY with the nearest word if one is not there. Cells
 * of other columns are not read. Without a choice rows have all columns that have a name. */
bool ts_table_reader_choose(struct ts_table_reader *reader, const char *const *names, size_t count,
                            struct ts_error *err);
/* Cells of the chosen column `place` are values of a parameter (borrowed): strings and booleans are allowed and read as
 * ts_space_number has them. */
void ts_table_reader_set_parameter(struct ts_table_reader *reader, size_t place, const struct ts_parameter *parameter);
/* Also in a table of one column: for designs, which have no missing values. */
void ts_table_reader_skip_empty_lines(struct ts_table_reader *reader);
/* The next row (chosen_count numbers); *has_row is false at the end. BAD_VALUE or CSV_SYNTAX with line and column. */
bool ts_table_reader_next(struct ts_table_reader *reader, double *row, bool *has_row, struct ts_error *err);
/* The place of a chosen column in the row last read, for faults that the caller finds in its number. */
void ts_table_reader_place(const struct ts_table_reader *reader, size_t place, struct ts_error *err);

#endif
