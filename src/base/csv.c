/* Reading and writing CSV as RFC 4180 has it, strictly enough that no cell is misread.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Lines that are wholly empty are skipped; a single empty cell is therefore written as "". */
#include "base/csv.h"

#include "base/alloc.h"
#include "base/file.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define BYTE_ORDER_MARK "\xEF\xBB\xBF"
#define FORMULA_STARTS  "=+-@\t\r" /* OWASP, "CSV Injection" */

struct reader {
  const char *name; /* borrowed, the file in messages */
  const char *end;  /* borrowed, behind the last byte */
  const char *p;    /* borrowed, the next byte */
  const char *line_start;
  int line;
  struct ts_str cell;
  struct ts_csv *csv; /* borrowed */
  char **cells;       /* owned, of the current row; the strings belong to the arena */
  size_t cell_count;
  size_t cell_capacity;
  size_t row_capacity;
  size_t line_capacity;
};

/* Columns count characters, as editors do. */
static int column_of(const struct reader *reader, const char *place) {
  int column = 1;
  for (const char *p = reader->line_start; p < place; p++) column += ((unsigned char)*p & 0xC0) != 0x80;
  return column;
}

static bool complain(struct reader *reader, const char *place, const char *text, const char *help,
                     struct ts_error *err) {
  ts_fail(err, TS_ERR_CSV_SYNTAX, "%s", text);
  ts_error_help(err, "%s", help);
  ts_error_place(err, reader->name, reader->line, column_of(reader, place), NULL);
  return false;
}

/* Bytes of the line end at p (LF, CRLF, CR), 0 if there is none. */
static size_t line_end_size(const struct reader *reader, const char *p) {
  if (p == reader->end) return 0;
  if (*p == '\n') return 1;
  if (*p != '\r') return 0;
  return p + 1 < reader->end && p[1] == '\n' ? 2 : 1;
}

static void next_line(struct reader *reader, size_t size) {
  reader->p += size;
  reader->line++;
  reader->line_start = reader->p;
}

/* From the opening quotation mark to behind the closing one. */
static bool read_quoted(struct reader *reader, struct ts_error *err) {
  struct reader opening = *reader;
  reader->p++;
  while (reader->p < reader->end) {
    size_t size = line_end_size(reader, reader->p);
    if (size) {
      ts_str_add_bytes(&reader->cell, reader->p, size);
      next_line(reader, size);
      continue;
    }
    bool quote = *reader->p == '"';
    bool doubled = quote && reader->p + 1 < reader->end && reader->p[1] == '"';
    if (quote && !doubled) {
      reader->p++;
      bool cell_end = reader->p == reader->end || *reader->p == ',' || line_end_size(reader, reader->p);
      return cell_end ? true
                      : complain(reader, reader->p, "text after a closing quotation mark",
                                 "put the whole cell in quotation marks, and double those inside it", err);
    }
    ts_str_add_char(&reader->cell, *reader->p);
    reader->p += doubled ? 2 : 1;
  }
  return complain(&opening, opening.p, "a quotation mark is never closed", "close it, or double it to mean the mark",
                  err);
}

static bool read_plain(struct reader *reader, struct ts_error *err) {
  const char *start = reader->p;
  while (reader->p < reader->end && *reader->p != ',' && !line_end_size(reader, reader->p)) {
    if (*reader->p == '"') {
      return complain(reader, reader->p, "a quotation mark inside a cell that has none around it",
                      "put the whole cell in quotation marks, and double those inside it", err);
    }
    reader->p++;
  }
  ts_str_add_bytes(&reader->cell, start, (size_t)(reader->p - start));
  return true;
}

static bool read_cell(struct reader *reader, struct ts_error *err) {
  ts_str_clear(&reader->cell);
  bool quoted = reader->p < reader->end && *reader->p == '"';
  if (!(quoted ? read_quoted(reader, err) : read_plain(reader, err))) return false;
  reader->cells = ts_grow(reader->cells, reader->cell_count, &reader->cell_capacity, sizeof *reader->cells);
  size_t skipped = ts_csv_apostrophe(ts_str_get(&reader->cell), reader->cell.length);
  reader->cells[reader->cell_count++] =
      ts_arena_memdup(&reader->csv->arena, ts_str_get(&reader->cell) + skipped, reader->cell.length - skipped + 1);
  return true;
}

/* Up to and including the line end. */
static bool read_row(struct reader *reader, struct ts_error *err) {
  reader->cell_count = 0;
  for (;;) {
    if (!read_cell(reader, err)) return false;
    if (reader->p == reader->end) return true;
    if (*reader->p == ',') {
      reader->p++;
      continue;
    }
    next_line(reader, line_end_size(reader, reader->p));
    return true;
  }
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
    size_t empty = line_end_size(reader, reader->p);
    if (empty) {
      next_line(reader, empty);
      continue;
    }
    int line = reader->line;
    if (!read_row(reader, err)) return false;
    if (reader->csv->header && !check_cell_count(reader, line, err)) return false;
    keep_row(reader, line);
  }
  return true;
}

/* Cells become C strings in JSON and keys: no NUL, and UTF-8. Reported by line. */
static bool check_characters(struct reader *reader, struct ts_error *err) {
  const char *nul = memchr(reader->p, '\0', (size_t)(reader->end - reader->p));
  if (!nul && ts_utf8_valid(reader->p, (size_t)(reader->end - reader->p))) return true;
  while (reader->p < reader->end) {
    const char *stop = memchr(reader->p, '\n', (size_t)(reader->end - reader->p));
    stop = stop ? stop + 1 : reader->end;
    bool bad =
        memchr(reader->p, '\0', (size_t)(stop - reader->p)) || !ts_utf8_valid(reader->p, (size_t)(stop - reader->p));
    if (bad) return complain(reader, reader->p, "the line is not UTF-8 text", "save the table as CSV in UTF-8", err);
    next_line(reader, (size_t)(stop - reader->p));
  }
  TS_BUG("bad characters vanished from '%s'", reader->name);
}

static bool parse(struct reader *reader, struct ts_error *err) {
  struct reader checker = *reader;
  if (!check_characters(&checker, err) || !read_rows(reader, err)) return false;
  if (reader->csv->header) return true;
  return complain(reader, reader->line_start, "there is no header line", "write the names of the columns into line 1",
                  err);
}

bool ts_csv_parse(struct ts_csv *csv, const char *name, const char *text, size_t length, struct ts_error *err) {
  memset(csv, 0, sizeof *csv);
  const char *start = length >= 3 && memcmp(text, BYTE_ORDER_MARK, 3) == 0 ? text + 3 : text;
  struct reader reader = {.name = name, .end = text + length, .line = 1, .csv = csv};
  reader.p = reader.line_start = start;
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
    size_t empty = line_end_size(reader, reader->p);
    if (empty)
      next_line(reader, empty);
    else if (!read_row(reader, &ignored))
      return false;
  }
  return reader->p < reader->end && reader->line == row_line;
}

bool ts_csv_locate(const char *file, int row_line, size_t cell, int *line, int *column) {
  struct ts_str text = {0};
  struct ts_csv scratch = {0};
  struct ts_error ignored = {0};
  bool found = ts_file_read(file, 0, &text, &ignored);
  const char *start = ts_str_get(&text);
  struct reader reader = {.name = file, .end = start + text.length, .line = 1, .csv = &scratch};
  bool marked = text.length >= 3 && memcmp(start, BYTE_ORDER_MARK, 3) == 0;
  reader.p = reader.line_start = marked ? start + 3 : start;
  found = found && seek_row(&reader, row_line);
  for (size_t i = 0; found && i < cell; i++) {
    found = read_cell(&reader, &ignored) && reader.p < reader.end && *reader.p == ',';
    reader.p += found ? 1 : 0;
  }
  if (found) {
    *line = reader.line;
    *column = column_of(&reader, reader.p);
  }
  ts_str_release(&reader.cell);
  free(reader.cells);
  ts_csv_release(&scratch);
  ts_str_release(&text);
  return found;
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

/* Where the text behind leading apostrophes starts a formula; 0: it does not, else 1 and the number of apostrophes. */
static size_t formula_at(const char *text, size_t length) {
  size_t i = 0;
  while (i < length && text[i] == '\'') i++;
  return i < length && text[i] != '\0' && strchr(FORMULA_STARTS, text[i]) ? i + 1 : 0;
}

size_t ts_csv_apostrophe(const char *text, size_t length) { return formula_at(text, length) > 1 ? 1 : 0; }

static bool is_number(const char *text) {
  double unused;
  return ts_parse_double(text, &unused) || strcmp(text, "-inf") == 0 || strcmp(text, "+inf") == 0;
}

void ts_csv_add_cell(struct ts_str *out, const char *text, bool first) {
  if (!formula_at(text, strlen(text)) || is_number(text)) {
    ts_csv_add_raw_cell(out, text, first);
    return;
  }
  ts_str_add(out, first ? "\"'" : ",\"'");
  add_quoted(out, text);
  ts_str_add_char(out, '"');
}

void ts_csv_add_raw_cell(struct ts_str *out, const char *text, bool first) {
  if (!first) ts_str_add_char(out, ',');
  /* A byte order mark at the start of a name would be taken for the file's. */
  bool marked = first && strncmp(text, BYTE_ORDER_MARK, strlen(BYTE_ORDER_MARK)) == 0;
  bool quoted = strpbrk(text, ",\"\r\n") || (first && text[0] == '\0') || marked;
  if (!quoted) {
    ts_str_add(out, text);
    return;
  }
  ts_str_add_char(out, '"');
  add_quoted(out, text);
  ts_str_add_char(out, '"');
}
