/* Whole CSV tables in memory, and the writing of cells; csv/scan.c is the tokenizer.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Lines that are wholly empty are skipped; a single empty cell is therefore written as "". */
#include "csv/csv.h"

#include "base/alloc.h"
#include "base/file.h"
#include "csv/scan.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct reader {
  const char *name; /* borrowed, the file in messages */
  const char *end;  /* borrowed, behind the last byte */
  const char *p;    /* borrowed, the next byte */
  const char *row;  /* borrowed, the start of the current row or line */
  int line;         /* in which it starts */
  struct ts_str cell;
  struct ts_csv *csv; /* borrowed */
  char **cells;       /* owned, of the current row; the strings belong to the arena */
  size_t cell_count;
  size_t cell_capacity;
  size_t row_capacity;
  size_t line_capacity;
};

static bool place_at(const struct reader *reader, const char *spot, struct ts_error *err) {
  int line = reader->line, column;
  ts_csv_place(reader->row, spot, &line, &column);
  ts_error_place(err, reader->name, line, column, NULL);
  return false;
}

static bool complain(struct reader *reader, const char *text, const char *help, struct ts_error *err) {
  ts_fail(err, TS_ERR_CSV_SYNTAX, "%s", text);
  ts_error_help(err, "%s", help);
  return place_at(reader, reader->row, err);
}

static void next_line(struct reader *reader, const char *start) {
  reader->p = reader->row = start;
  reader->line++;
}

static bool read_cell(struct reader *reader, struct ts_error *err) {
  struct ts_csv_cell cell;
  const char *spot;
  if (!ts_csv_scan_cell(reader->p, reader->end, &reader->cell, &cell, &spot, err)) return place_at(reader, spot, err);
  reader->p = cell.behind;
  reader->cells = ts_grow(reader->cells, reader->cell_count, &reader->cell_capacity, sizeof *reader->cells);
  reader->cells[reader->cell_count++] =
      ts_arena_strndup(&reader->csv->arena, cell.start, (size_t)(cell.end - cell.start));
  return true;
}

/* Up to the line end. */
static bool read_row(struct reader *reader, struct ts_error *err) {
  reader->cell_count = 0;
  for (;; reader->p++) {
    if (!read_cell(reader, err)) return false;
    if (reader->p == reader->end || *reader->p != ',') return true;
  }
}

/* Behind the line end of a row, whose cells may have had line ends too. */
static void finish_row(struct reader *reader) {
  int unused;
  size_t size = ts_csv_line_end(reader->p, reader->end);
  if (memchr(reader->row, '"', (size_t)(reader->p - reader->row))) {
    ts_csv_place(reader->row, reader->p, &reader->line, &unused);
  }
  if (size > 0) next_line(reader, reader->p + size);
}

static bool check_cell_count(struct reader *reader, int line, struct ts_error *err) {
  size_t wanted = reader->csv->column_count;
  if (reader->cell_count == wanted) return true;
  ts_fail(err, TS_ERR_CSV_SYNTAX, "%zu %s where the header has %zu", reader->cell_count,
          reader->cell_count == 1 ? "cell" : "cells", wanted);
  ts_error_help(err, "give every row as many cells as the header; put cells with commas in quotation marks");
  ts_error_place(err, reader->name, line, 1, NULL);
  return false;
}

static void keep_row(struct reader *reader, int line) {
  struct ts_csv *csv = reader->csv;
  char **cells = ts_arena_memdup(&csv->arena, reader->cells, reader->cell_count * sizeof *cells);
  if (!csv->header) {
    csv->header = cells;
    csv->header_line = line;
    csv->column_count = reader->cell_count;
    return;
  }
  csv->rows = ts_grow(csv->rows, csv->row_count, &reader->row_capacity, sizeof *csv->rows);
  csv->lines = ts_grow(csv->lines, csv->row_count, &reader->line_capacity, sizeof *csv->lines);
  csv->rows[csv->row_count] = cells;
  csv->lines[csv->row_count] = line;
  csv->row_count++;
}

static bool read_rows(struct reader *reader, struct ts_error *err) {
  while (reader->p < reader->end) {
    size_t empty = ts_csv_line_end(reader->p, reader->end);
    if (empty) {
      next_line(reader, reader->p + empty);
      continue;
    }
    int line = reader->line;
    if (!read_row(reader, err)) return false;
    if (reader->csv->header && !check_cell_count(reader, line, err)) return false;
    keep_row(reader, line);
    finish_row(reader);
  }
  return true;
}

/* The next line, with any content. */
static const char *line_behind(const struct reader *reader, const char *p) {
  while (p < reader->end && ts_csv_line_end(p, reader->end) == 0) p++;
  return p + ts_csv_line_end(p, reader->end);
}

/* Cells become C strings in JSON and keys: no NUL, and UTF-8. Reported by line. */
static bool check_characters(struct reader *reader, struct ts_error *err) {
  if (ts_csv_is_text(reader->p, reader->end)) return true;
  while (reader->p < reader->end) {
    const char *stop = line_behind(reader, reader->p);
    if (!ts_csv_is_text(reader->p, stop)) {
      return complain(reader, "the line is not UTF-8 text", "save the table as CSV in UTF-8", err);
    }
    next_line(reader, stop);
  }
  TS_BUG("bad characters vanished from '%s'", reader->name);
}

static bool parse(struct reader *reader, struct ts_error *err) {
  struct reader checker = *reader;
  if (!check_characters(&checker, err) || !read_rows(reader, err)) return false;
  if (reader->csv->header) return true;
  return complain(reader, "there is no header line", "write the names of the columns into line 1", err);
}

static struct reader reader_of(const char *name, const char *text, size_t length, struct ts_csv *csv) {
  bool is_marked = length >= 3 && memcmp(text, TS_BYTE_ORDER_MARK, 3) == 0;
  struct reader reader = {.name = name, .end = text + length, .line = 1, .csv = csv};
  reader.p = reader.row = is_marked ? text + 3 : text;
  return reader;
}

bool ts_csv_parse(struct ts_csv *csv, const char *name, const char *text, size_t length, struct ts_error *err) {
  memset(csv, 0, sizeof *csv);
  struct reader reader = reader_of(name, text, length, csv);
  bool ok = parse(&reader, err);
  ts_str_release(&reader.cell);
  free(reader.cells);
  if (!ok) ts_csv_release(csv);
  return ok;
}

bool ts_csv_read(struct ts_csv *csv, const char *file, struct ts_error *err) {
  memset(csv, 0, sizeof *csv);
  struct ts_str text = {0};
  bool ok = ts_file_read(file, 0, &text, err) && ts_csv_parse(csv, file, ts_str_get(&text), text.length, err);
  ts_str_release(&text);
  return ok;
}

/* Steps to the start of the row that starts in the given line. */
static bool seek_row(struct reader *reader, int row_line) {
  struct ts_error ignored = {0};
  while (reader->p < reader->end && reader->line < row_line) {
    size_t empty = ts_csv_line_end(reader->p, reader->end);
    if (empty) {
      next_line(reader, reader->p + empty);
    } else if (read_row(reader, &ignored)) {
      finish_row(reader);
    } else {
      return false;
    }
  }
  return reader->p < reader->end && reader->line == row_line;
}

bool ts_csv_locate(const char *file, int row_line, size_t cell, int *line, int *column) {
  struct ts_str text = {0};
  struct ts_csv scratch = {0};
  struct ts_error ignored = {0};
  bool is_read = ts_file_read(file, 0, &text, &ignored);
  struct reader reader = reader_of(file, ts_str_get(&text), text.length, &scratch);
  bool has_row = is_read && seek_row(&reader, row_line);
  const char *found = has_row ? ts_csv_find_cell(reader.row, reader.end, cell) : NULL;
  if (found) {
    *line = reader.line;
    ts_csv_place(reader.row, found, line, column);
  }
  ts_str_release(&reader.cell);
  free(reader.cells);
  ts_csv_release(&scratch);
  ts_str_release(&text);
  return found != NULL;
}

void ts_csv_release(struct ts_csv *csv) {
  free(csv->rows);
  free(csv->lines);
  ts_arena_release(&csv->arena);
  memset(csv, 0, sizeof *csv);
}

static void add_quoted(struct ts_str *out, const char *text) {
  for (const char *p = text; *p; p++) {
    if (*p == '"') ts_str_add_char(out, '"');
    ts_str_add_char(out, *p);
  }
}

static bool is_number(const char *text) {
  double unused;
  return ts_parse_double(text, &unused) || strcmp(text, "-inf") == 0 || strcmp(text, "+inf") == 0;
}

void ts_csv_add_cell(struct ts_str *out, const char *text, bool first) {
  if (!ts_csv_formula(text, strlen(text)) || is_number(text)) {
    ts_csv_add_raw_cell(out, text, first);
    return;
  }
  ts_str_add(out, first ? "\"'" : ",\"'");
  add_quoted(out, text);
  ts_str_add_char(out, '"');
}

/* Which a reader would take away. */
static bool has_blanks_around(const char *text) {
  size_t length = strlen(text);
  return length > 0 && (strchr(" \t", text[0]) || strchr(" \t", text[length - 1]));
}

void ts_csv_add_raw_cell(struct ts_str *out, const char *text, bool first) {
  if (!first) ts_str_add_char(out, ',');
  /* A byte order mark at the start of a name would be taken for the file's. */
  bool marked = first && ts_str_starts_with(text, TS_BYTE_ORDER_MARK);
  bool quoted = strpbrk(text, ",\"\r\n") || (first && text[0] == '\0') || marked || has_blanks_around(text);
  if (!quoted) {
    ts_str_add(out, text);
    return;
  }
  ts_str_add_char(out, '"');
  add_quoted(out, text);
  ts_str_add_char(out, '"');
}
