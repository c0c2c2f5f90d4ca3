/* Reads tables of numbers row by row from a buffer that always holds a whole row.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Most cells are plain numbers followed by a comma: these are read in place. read_other reads all other cells (quoted,
 * missing, words). */
#include "design/read_table.h"

#include "base/alloc.h"
#include "base/decimal.h"
#include "csv/scan.h"
#include "design/design.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#define BUFFER_BYTES ((size_t)1 << 20)
#define LONGEST_ROW  ((size_t)1 << 28) /* a file of another kind may have no line ends at all */

/* The use of the cells of a column. */
struct ts_table_cell {
  size_t place;                         /* in the row; TS_NONE: passed over */
  const struct ts_parameter *parameter; /* borrowed; NULL: numbers only */
};

/* ---- Places ---- */

/* Line and column of a byte of the row last read. */
static bool place_at(const struct ts_table_reader *reader, const char *spot, struct ts_error *err) {
  int line = reader->line < INT_MAX ? (int)reader->line : INT_MAX, column;
  ts_csv_place(reader->buffer + reader->row_start, spot, &line, &column);
  return ts_error_place(err, reader->file, line, column, "");
}

static bool complain(const struct ts_table_reader *reader, const char *spot, const char *text, const char *help,
                     struct ts_error *err) {
  ts_fail(err, TS_ERR_CSV_SYNTAX, "%s", text);
  ts_error_help(err, "%s", help);
  return place_at(reader, spot, err);
}

/* ---- Rows ---- */

/* Whether all bytes are characters of ASCII, and none is NUL: eight at a time. */
static bool is_plain_text(const char *text, size_t length) {
  uint64_t word, high = 0;
  size_t i = 0;
  for (; i + sizeof word <= length; i += sizeof word) {
    memcpy(&word, text + i, sizeof word);
    high |= word | (word - 0x0101010101010101u); /* a borrow sets the top bit of a byte that is 0 */
  }
  for (; i < length; i++) high |= text[i] == '\0' ? 0x80 : (unsigned char)text[i];
  return (high & 0x8080808080808080u) == 0;
}

/* More bytes behind those of the row that has begun. */
static bool refill(struct ts_table_reader *reader, struct ts_error *err) {
  if (reader->position > 0) {
    memmove(reader->buffer, reader->buffer + reader->position, reader->length - reader->position);
    reader->length -= reader->position;
    reader->position = 0;
  }
  reader->next_return = 0;
  if (reader->length == reader->capacity) {
    if (reader->capacity >= LONGEST_ROW) {
      reader->row_start = 0;
      reader->line = reader->next_line;
      return complain(reader, reader->buffer, "a line is longer than 256 MB", "give a CSV file with a line per run",
                      err);
    }
    reader->capacity *= 2;
    reader->buffer = ts_realloc(reader->buffer, reader->capacity);
  }
  ssize_t size;
  do {
    size = read(reader->descriptor, reader->buffer + reader->length, reader->capacity - reader->length);
  } while (size < 0 && errno == EINTR);
  if (size < 0) {
    ts_fail(err, TS_ERR_FILE_IO, "'%s' could not be read: %s", reader->file, strerror(errno));
    ts_error_help(err, "give a file that can be read");
    return ts_error_place(err, reader->file, 0, 0, "");
  }
  if (!is_plain_text(reader->buffer + reader->length, (size_t)size)) reader->has_wide_text = true;
  reader->length += (size_t)size;
  reader->is_at_end = size == 0;
  return true;
}

static size_t count_byte(const char *text, const char *end, char byte) {
  size_t count = 0;
  while (text < end && (text = memchr(text, byte, (size_t)(end - text))) != NULL) {
    count++;
    text++;
  }
  return count;
}

/* Line ends in the quoted cells of a row. */
static size_t lines_inside(const char *start, const char *end) {
  int line = 0, unused;
  if (!memchr(start, '"', (size_t)(end - start))) return 0;
  ts_csv_place(start, end, &line, &unused);
  return (size_t)line;
}

/* The first line end from there on, or the end of the buffer. Few files have carriage returns: one look for the next
 * one serves many rows. */
static size_t next_line_end(struct ts_table_reader *reader, size_t from) {
  if (reader->next_return <= from) {
    const char *found = memchr(reader->buffer + from, '\r', reader->length - from);
    reader->next_return = found ? (size_t)(found - reader->buffer) : reader->length;
  }
  const char *feed = memchr(reader->buffer + from, '\n', reader->next_return - from);
  return feed ? (size_t)(feed - reader->buffer) : reader->next_return;
}

/* The end of the row that starts at `position`: a line end outside quotation marks, or that of the file. Also fetches
 * it. */
static bool find_row_end(struct ts_table_reader *reader, size_t *row_end, struct ts_error *err) {
  size_t searched = 0; /* bytes of the row without a line end that counts */
  size_t marks = 0;    /* quotation marks in them */
  for (;;) {
    const char *start = reader->buffer + reader->position;
    size_t found = next_line_end(reader, reader->position + searched);
    /* Behind a carriage return that is the last byte there may come a line feed. */
    bool is_whole = found + 1 < reader->length || (found < reader->length && reader->buffer[found] == '\n');
    if (is_whole || reader->is_at_end) {
      *row_end = found;
      marks += count_byte(start + searched, reader->buffer + found, '"');
      if (marks % 2 == 0 || found == reader->length) return true;
      searched = found + 1 - reader->position;
      continue;
    }
    marks += count_byte(start + searched, reader->buffer + found, '"');
    searched = found - reader->position;
    if (!refill(reader, err)) return false;
  }
}

static bool check_text(const struct ts_table_reader *reader, const char *start, const char *end, struct ts_error *err) {
  if (!reader->has_wide_text || ts_csv_is_text(start, end)) return true;
  return complain(reader, start, "the line is not UTF-8 text", "save the table as CSV in UTF-8", err);
}

/* The next row, without its line end; *has_row is false at the end of the file. */
static bool next_row(struct ts_table_reader *reader, const char **start, const char **end, bool *has_row,
                     struct ts_error *err) {
  for (;;) {
    size_t row_end;
    if (!find_row_end(reader, &row_end, err)) return false;
    *has_row = reader->position < reader->length;
    if (!*has_row) return true;
    reader->row_start = reader->position;
    reader->line = reader->next_line;
    *start = reader->buffer + reader->row_start;
    *end = reader->buffer + row_end;
    reader->position = row_end + ts_csv_line_end(*end, reader->buffer + reader->length);
    reader->next_line += 1 + lines_inside(*start, *end);
    if (*end > *start || reader->is_alone) return check_text(reader, *start, *end, err);
  }
}

/* ---- Cells ---- */

/* The cell at p of the row last read. */
static bool scan_cell(struct ts_table_reader *reader, const char *p, const char *end, struct ts_csv_cell *cell,
                      struct ts_error *err) {
  const char *spot;
  return ts_csv_scan_cell(p, end, &reader->text, cell, &spot, err) || place_at(reader, spot, err);
}

static bool is_word(const struct ts_csv_cell *text, const char *word) {
  const char *p = text->start;
  for (; p < text->end && *word && ts_char_upper(*p) == ts_char_upper(*word); p++) word++;
  return p == text->end && *word == '\0';
}

static bool special_number(const struct ts_csv_cell *text, double *number) {
  if (text->start == text->end || is_word(text, "nan") || is_word(text, "na")) {
    *number = NAN;
  } else if (is_word(text, "inf") || is_word(text, "+inf") || is_word(text, "infinity")) {
    *number = INFINITY;
  } else if (is_word(text, "-inf") || is_word(text, "-infinity")) {
    *number = -INFINITY;
  } else {
    return false;
  }
  return true;
}

/* The value of a parameter that is not a number: the level of a string, 0 or 1 for a boolean. */
static bool word_of_parameter(const struct ts_parameter *parameter, const struct ts_csv_cell *text, double *number) {
  if (!parameter) return false;
  if (parameter->type == TS_VALUE_BOOLEAN && (is_word(text, "true") || is_word(text, "false"))) {
    *number = is_word(text, "true") ? 1 : 0;
    return true;
  }
  if (parameter->type != TS_VALUE_STRING) return false;
  size_t length = (size_t)(text->end - text->start);
  for (size_t i = 0; i < parameter->level_count; i++) {
    const char *level = parameter->levels[i].as.string;
    if (strlen(level) != length || memcmp(level, text->start, length) != 0) continue;
    *number = (double)i;
    return true;
  }
  return false;
}

static void fail_word(const struct ts_parameter *parameter, const char *word, struct ts_error *err) {
  ts_fail(err, TS_ERR_BAD_VALUE, "parameter '%s' has no value '%.80s'", parameter->name, word);
  ts_auto_free const char **levels = ts_calloc(parameter->level_count + 1, sizeof *levels);
  for (size_t i = 0; i < parameter->level_count; i++) levels[i] = parameter->levels[i].as.string;
  const char *near = ts_nearest_word(word, levels, parameter->level_count);
  if (near) {
    ts_error_help(err, "did you mean '%s'?", near);
  } else {
    ts_error_help(err, "write one of the values of its grid");
  }
}

/* A cell that is not a plain number followed by a comma. */
static bool read_other(struct ts_table_reader *reader, const char **p, const char *end, size_t column, double *number,
                       struct ts_error *err) {
  const struct ts_parameter *parameter = reader->cells[column].parameter;
  const char *spot = *p;
  struct ts_csv_cell text;
  if (!scan_cell(reader, *p, end, &text, err)) return false;
  *p = text.behind;
  if (word_of_parameter(parameter, &text, number) || special_number(&text, number)) return true;
  bool is_string = parameter && parameter->type == TS_VALUE_STRING;
  if (!is_string && ts_decimal_read(text.start, text.end, number) == text.end) return true;
  ts_auto_free char *word = ts_strndup(text.start, (size_t)(text.end - text.start));
  if (is_string) {
    fail_word(parameter, word, err);
  } else {
    ts_fail(err, TS_ERR_BAD_VALUE, "'%.80s' in column '%s' is not a number", word, reader->names[column]);
    ts_error_help(err, "write numbers as in 12.5 or 1e-3; leave the cell empty if there is none");
  }
  return place_at(reader, spot, err);
}

static bool is_plain(const struct ts_table_cell *cell) {
  return !cell->parameter || cell->parameter->type != TS_VALUE_STRING;
}

/* Passes over a cell without reading its value. */
static bool skip_cell(struct ts_table_reader *reader, const char **p, const char *end, struct ts_error *err) {
  struct ts_csv_cell text;
  if (!scan_cell(reader, *p, end, &text, err)) return false;
  *p = text.behind;
  return true;
}

static bool fail_cell_count(struct ts_table_reader *reader, const char *start, const char *end, struct ts_error *err) {
  size_t count = 1;
  for (const char *p = start;; p++, count++) {
    if (!skip_cell(reader, &p, end, err)) return false;
    if (p == end) break;
  }
  ts_fail(err, TS_ERR_CSV_SYNTAX, "%zu %s where the header has %zu", count, count == 1 ? "cell" : "cells",
          reader->column_count);
  ts_error_help(err, "give every row as many cells as the header; put cells with commas in quotation marks");
  return place_at(reader, start, err);
}

static bool read_row(struct ts_table_reader *reader, const char *start, const char *end, double *row,
                     struct ts_error *err) {
  const char *p = start;
  for (size_t column = 0; column < reader->column_count; column++) {
    if (column > 0) {
      if (p == end) return fail_cell_count(reader, start, end, err);
      p++;
    }
    const struct ts_table_cell *cell = &reader->cells[column];
    if (cell->place == TS_NONE) {
      if (!skip_cell(reader, &p, end, err)) return false;
      continue;
    }
    const char *stop = is_plain(cell) ? ts_decimal_read(p, end, &row[cell->place]) : NULL;
    if (stop && (stop == end || *stop == ',')) {
      p = stop;
    } else if (!read_other(reader, &p, end, column, &row[cell->place], err)) {
      return false;
    }
  }
  return p == end || fail_cell_count(reader, start, end, err);
}

bool ts_table_reader_next(struct ts_table_reader *reader, double *row, bool *has_row, struct ts_error *err) {
  const char *start;
  const char *end;
  if (!next_row(reader, &start, &end, has_row, err)) return false;
  if (!*has_row) return true;
  reader->row_count++;
  return read_row(reader, start, end, row, err);
}

void ts_table_reader_place(const struct ts_table_reader *reader, size_t place, struct ts_error *err) {
  const char *row = reader->buffer + reader->row_start;
  size_t column = 0;
  while (column < reader->column_count && reader->cells[column].place != place) column++;
  const char *found = ts_csv_find_cell(row, reader->buffer + reader->position, column);
  place_at(reader, found ? found : row, err);
}

void ts_table_reader_skip_empty_lines(struct ts_table_reader *reader) { reader->is_alone = false; }

/* ---- The header ---- */

static bool add_name(struct ts_table_reader *reader, const char **names, const struct ts_csv_cell *text,
                     const char *spot, struct ts_error *err) {
  const char *name = ts_arena_strndup(&reader->arena, text->start, (size_t)(text->end - text->start));
  bool is_new = true;
  if (*name) ts_map_insert_name(&reader->by_name, name, &is_new)->number = reader->column_count;
  if (!is_new) {
    ts_fail(err, TS_ERR_DUPLICATE_NAME, "column '%s' occurs twice", name);
    ts_error_help(err, "remove or rename one of the two columns");
    return place_at(reader, spot, err);
  }
  names[reader->column_count++] = name;
  return true;
}

/* A header that is none: numbers, or another separator. */
static bool check_header(const struct ts_table_reader *reader, const char *start, struct ts_error *err) {
  size_t numbers = 0;
  for (size_t i = 0; i < reader->column_count; i++) {
    const char *end = reader->names[i] + strlen(reader->names[i]);
    double unused;
    numbers += end > reader->names[i] && ts_decimal_read(reader->names[i], end, &unused) == end ? 1 : 0;
  }
  if (numbers == reader->column_count) {
    return complain(reader, start, "the first line has numbers where the names of the columns should be",
                    "put a line with the names of the columns first", err);
  }
  if (reader->column_count == 1 && strpbrk(reader->names[0], ";\t")) {
    return complain(reader, start, "the columns are not separated by commas",
                    "write commas between the names and between the numbers, and points in numbers", err);
  }
  return true;
}

static bool read_header(struct ts_table_reader *reader, struct ts_error *err) {
  const char *start;
  const char *end;
  bool has_row;
  if (!next_row(reader, &start, &end, &has_row, err)) return false;
  if (!has_row) {
    ts_fail(err, TS_ERR_CSV_SYNTAX, "'%s' is empty", reader->file);
    ts_error_help(err, "the first line has the names of the columns, each other line the numbers of a run");
    return ts_error_place(err, reader->file, 1, 1, "");
  }
  const char **names = ts_arena_array(&reader->arena, count_byte(start, end, ',') + 1, sizeof *names);
  reader->names = names;
  for (const char *p = start;; p++) {
    struct ts_csv_cell text;
    const char *spot = p;
    if (!scan_cell(reader, p, end, &text, err) || !add_name(reader, names, &text, spot, err)) return false;
    p = text.behind;
    if (p == end) break;
  }
  return check_header(reader, start, err);
}

static bool skip_byte_order_mark(struct ts_table_reader *reader, struct ts_error *err) {
  while (reader->length < 3 && !reader->is_at_end) {
    if (!refill(reader, err)) return false;
  }
  if (reader->length >= 3 && memcmp(reader->buffer, TS_BYTE_ORDER_MARK, 3) == 0) reader->position = 3;
  return true;
}

static void choose_all(struct ts_table_reader *reader) {
  reader->cells = ts_arena_array(&reader->arena, reader->column_count, sizeof *reader->cells);
  for (size_t i = 0; i < reader->column_count; i++) {
    reader->cells[i].place = *reader->names[i] ? reader->chosen_count++ : TS_NONE;
  }
}

static void fail_open(const char *file, struct ts_error *err) {
  if (errno == ENOENT) {
    ts_fail(err, TS_ERR_FILE_NOT_FOUND, "'%s' was not found", file);
    ts_error_help(err, "check the name and the folder");
  } else {
    ts_fail(err, TS_ERR_FILE_IO, "'%s' could not be opened: %s", file, strerror(errno));
    ts_error_help(err, "give a file that can be read");
  }
  ts_error_place(err, file, 0, 0, "");
}

bool ts_table_reader_open(struct ts_table_reader *reader, const char *file, struct ts_error *err) {
  bool is_input = strcmp(file, "-") == 0;
  *reader = (struct ts_table_reader){.next_line = 1, .capacity = BUFFER_BYTES};
  reader->file = ts_arena_strdup(&reader->arena, is_input ? "standard input" : file);
  reader->descriptor = is_input ? STDIN_FILENO : open(file, O_RDONLY | O_CLOEXEC);
  if (reader->descriptor < 0) {
    fail_open(file, err);
    ts_arena_release(&reader->arena);
    return false;
  }
  reader->buffer = ts_malloc(reader->capacity);
  if (!skip_byte_order_mark(reader, err) || !read_header(reader, err)) {
    ts_table_reader_close(reader);
    return false;
  }
  reader->is_alone = reader->column_count == 1;
  choose_all(reader);
  return true;
}

void ts_table_reader_close(struct ts_table_reader *reader) {
  if (reader->buffer && reader->descriptor > STDIN_FILENO) close(reader->descriptor);
  free(reader->buffer);
  ts_str_release(&reader->text);
  ts_map_release(&reader->by_name);
  ts_arena_release(&reader->arena);
  *reader = (struct ts_table_reader){0};
}

/* ---- Choosing columns ---- */

size_t ts_table_reader_find(const struct ts_table_reader *reader, const char *name) {
  const union ts_map_value *found = *name ? ts_map_find_name(&reader->by_name, name) : NULL;
  return found ? (size_t)found->number : TS_NONE;
}

/* What is asked for under its own name is not what was meant. */
static bool fail_unknown(const struct ts_table_reader *reader, const char *name, const char *const *names, size_t count,
                         struct ts_error *err) {
  ts_auto_free const char **others = ts_calloc(reader->column_count + 1, sizeof *others);
  size_t other_count = 0;
  for (size_t c = 0; c < reader->column_count; c++) {
    bool is_asked = false;
    for (size_t i = 0; i < count; i++) is_asked = is_asked || strcmp(names[i], reader->names[c]) == 0;
    if (!is_asked) others[other_count++] = reader->names[c];
  }
  ts_fail(err, TS_ERR_MISSING_KEY, "'%s' has no column '%s'", reader->file, name);
  const char *near = ts_nearest_word(name, others, other_count);
  if (near && *near) {
    ts_error_help(err, "did you mean '%s'?", near);
  } else {
    ts_error_help(err, "the first line names the columns; add one with this name");
  }
  return ts_error_place(err, reader->file, 1, 1, "");
}

bool ts_table_reader_choose(struct ts_table_reader *reader, const char *const *names, size_t count,
                            struct ts_error *err) {
  for (size_t i = 0; i < reader->column_count; i++) reader->cells[i] = (struct ts_table_cell){.place = TS_NONE};
  for (size_t i = 0; i < count; i++) {
    size_t column = ts_table_reader_find(reader, names[i]);
    if (column == TS_NONE) return fail_unknown(reader, names[i], names, count, err);
    if (reader->cells[column].place != TS_NONE) {
      ts_fail(err, TS_ERR_DUPLICATE_NAME, "column '%s' was requested twice", names[i]);
      return ts_error_help(err, "name each column once");
    }
    reader->cells[column].place = i;
  }
  reader->chosen_count = count;
  return true;
}

void ts_table_reader_set_parameter(struct ts_table_reader *reader, size_t place, const struct ts_parameter *parameter) {
  for (size_t i = 0; i < reader->column_count; i++) {
    if (reader->cells[i].place == place) reader->cells[i].parameter = parameter;
  }
}
