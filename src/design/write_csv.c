/* Unit designs as CSV text of values, streamed: each coordinate becomes text once, rows are put together by copying.
 * SPDX-License-Identifier: Apache-2.0
 *
 * A line is a row of cells, each with its comma in front. The rows of a Saltelli base sample take whole runs of cells
 * from the lines of A and B; other designs keep the last row and the first one of its block, from which rows of Morris
 * and derivative designs differ in few cells. */
#include "base/alloc.h"
#include "base/decimal.h"
#include "csv/csv.h"
#include "design/design_int.h"
#include "design/points.h"

#include <stdio.h>
#include <string.h>

#define EXACT_INTEGERS ((int64_t)1 << 53)  /* beyond, doubles skip some */
#define PIECE_BYTES    ((size_t)100 << 10) /* handed to the caller at a time, and a row more */

/* Cells of one row, one after another. */
struct line {
  char *text;    /* owned; with room for every row */
  size_t *ends;  /* owned; where cell i ends */
  double *unit;  /* owned; coordinates the cells were made from */
  bool *is_made; /* owned; per column: whether there is a text at all */
};

struct column {
  const struct ts_parameter *parameter; /* borrowed */
  char *texts;                          /* owned; of all levels, with commas; NULL for a range */
  size_t *ends;                         /* owned; where level i ends */
};

struct writer {
  const struct ts_points *points; /* borrowed */
  struct column *columns;         /* owned */
  size_t column_count;
  size_t cell_count;     /* columns, twice with unit coordinates */
  size_t *group_of_cell; /* owned */
  size_t line_bytes;     /* the longest line, with its end */
  struct line lines[3];
  char *piece; /* owned */
  size_t piece_length;
  bool (*write)(void *user, const char *text, size_t length, struct ts_error *err);
  void *user;
  struct ts_error *err; /* borrowed */
};

/* Room for any text of a column. */
static size_t prepare_column(struct column *column, const struct ts_parameter *parameter, bool is_first) {
  *column = (struct column){.parameter = parameter};
  if (parameter->level_count == 0) return TS_DECIMAL_SIZE + 1;
  column->ends = ts_calloc(parameter->level_count, sizeof *column->ends);
  struct ts_str texts = {0};
  struct ts_str text = {0};
  size_t longest = 0;
  for (size_t i = 0; i < parameter->level_count; i++) {
    size_t start = texts.length;
    ts_str_clear(&text);
    ts_value_print(&parameter->levels[i], &text);
    ts_csv_add_cell(&texts, ts_str_get(&text), is_first);
    column->ends[i] = texts.length;
    if (texts.length - start > longest) longest = texts.length - start;
  }
  ts_str_release(&text);
  column->texts = ts_str_detach(&texts);
  return longest;
}

static void init_writer(struct writer *writer, const struct ts_points *points, const struct ts_space *space,
                        bool with_unit) {
  size_t count = points->column_count;
  writer->points = points;
  writer->column_count = count;
  writer->cell_count = with_unit ? 2 * count : count;
  writer->columns = ts_calloc(count + 1, sizeof *writer->columns);
  writer->line_bytes = 1;
  for (size_t i = 0; i < count; i++) {
    writer->line_bytes += prepare_column(&writer->columns[i], space->parameters[i], i == 0);
    if (with_unit) writer->line_bytes += TS_DECIMAL_SIZE + 1;
  }
  writer->group_of_cell = ts_calloc(writer->cell_count + 1, sizeof *writer->group_of_cell);
  for (size_t i = 0; i < writer->cell_count; i++) {
    writer->group_of_cell[i] = points->group_of ? points->group_of[i % count] : i % count;
  }
  for (size_t i = 0; i < 3; i++) {
    struct line *line = &writer->lines[i];
    line->text = ts_malloc(writer->line_bytes);
    line->ends = ts_calloc(writer->cell_count + 1, sizeof *line->ends);
    line->unit = ts_calloc(count + 1, sizeof *line->unit);
    line->is_made = ts_calloc(count + 1, sizeof *line->is_made);
  }
  writer->piece = ts_malloc(PIECE_BYTES + writer->line_bytes);
}

static void release_writer(struct writer *writer) {
  for (size_t i = 0; i < writer->column_count; i++) {
    free(writer->columns[i].texts);
    free(writer->columns[i].ends);
  }
  free(writer->columns);
  free(writer->group_of_cell);
  for (size_t i = 0; i < 3; i++) {
    free(writer->lines[i].text);
    free(writer->lines[i].ends);
    free(writer->lines[i].unit);
    free(writer->lines[i].is_made);
  }
  free(writer->piece);
}

static bool flush(struct writer *writer) {
  size_t length = writer->piece_length;
  writer->piece_length = 0;
  return length == 0 || writer->write(writer->user, writer->piece, length, writer->err);
}

static bool end_row(struct writer *writer) {
  writer->piece[writer->piece_length++] = '\n';
  return writer->piece_length < PIECE_BYTES || flush(writer);
}

static size_t put_number(char *text, double number, bool is_first) {
  text[0] = ',';
  return ts_decimal_write(number, text + !is_first) + !is_first;
}

static size_t put_integer(char *text, int64_t number, bool is_first) {
  if (number > -EXACT_INTEGERS && number < EXACT_INTEGERS) return put_number(text, (double)number, is_first);
  return (size_t)snprintf(text, TS_DECIMAL_SIZE, "%s%lld", is_first ? "" : ",", (long long)number);
}

static size_t put_value(const struct column *column, double unit, char *text, bool is_first) {
  int64_t level;
  struct ts_value value = ts_space_value(column->parameter, unit, &level);
  if (value.type == TS_VALUE_INTEGER && level < 0) return put_integer(text, value.as.integer, is_first);
  if (level < 0) return put_number(text, value.as.real, is_first);
  size_t start = level > 0 ? column->ends[level - 1] : 0;
  size_t length = column->ends[level] - start;
  memcpy(text, column->texts + start, length);
  return length;
}

static size_t cell_start(const struct line *line, size_t cell) { return cell > 0 ? line->ends[cell - 1] : 0; }

/* Appends the text of a cell to a line, copied from another line if that has the same coordinate. */
static void add_cell(const struct writer *writer, struct line *line, size_t cell, double unit,
                     const struct line *const others[2]) {
  size_t column = cell % writer->column_count;
  size_t start = cell_start(line, cell);
  for (size_t i = 0; i < 2; i++) {
    const struct line *other = others[i];
    if (!other || !other->is_made[column] || other->unit[column] != unit) continue;
    size_t from = cell_start(other, cell);
    size_t length = other->ends[cell] - from;
    memcpy(line->text + start, other->text + from, length);
    line->ends[cell] = start + length;
    return;
  }
  char *text = line->text + start;
  size_t length = cell < writer->column_count ? put_value(&writer->columns[column], unit, text, cell == 0)
                                              : put_number(text, unit, false);
  line->ends[cell] = start + length;
}

static void make_line(const struct writer *writer, struct line *line, const double *unit,
                      const struct line *const others[2]) {
  for (size_t cell = 0; cell < writer->cell_count; cell++) {
    add_cell(writer, line, cell, unit[cell % writer->column_count], others);
  }
  memcpy(line->unit, unit, writer->column_count * sizeof *unit);
  memset(line->is_made, true, writer->column_count * sizeof *line->is_made);
}

static void add_cells(struct writer *writer, const struct line *line, size_t first, size_t after) {
  size_t start = cell_start(line, first);
  size_t length = cell_start(line, after) - start;
  memcpy(writer->piece + writer->piece_length, line->text + start, length);
  writer->piece_length += length;
}

static bool write_plain(struct writer *writer) {
  const struct ts_points *points = writer->points;
  const struct line *none[2] = {NULL, NULL};
  /* The first row of the block, the row before, and the one in the making; the latter two change places. */
  struct line *first = &writer->lines[0];
  struct line *before = &writer->lines[1];
  struct line *line = &writer->lines[2];
  size_t block = points->block_rows > 0 && points->layout != TS_LAYOUT_FAST ? points->block_rows : 1;
  for (size_t row = 0; row < points->row_count; row++) {
    const struct line *others[2] = {before, first};
    const double *unit = points->a + row * points->column_count;
    bool starts = row % block == 0;
    struct line *made = starts ? first : line;
    make_line(writer, made, unit, starts ? none : others);
    add_cells(writer, made, 0, writer->cell_count);
    if (!end_row(writer)) return false;
    if (starts) {
      memset(before->is_made, false, writer->column_count * sizeof *before->is_made);
      continue;
    }
    line = before;
    before = made;
  }
  return true;
}

/* `base` with the cells of one group from `other`: whole runs at a time. */
static bool write_mixed(struct writer *writer, const struct line *base, const struct line *other, size_t group) {
  size_t start = 0;
  while (start < writer->cell_count) {
    bool is_other = writer->group_of_cell[start] == group;
    size_t after = start + 1;
    while (after < writer->cell_count && (writer->group_of_cell[after] == group) == is_other) after++;
    add_cells(writer, is_other ? other : base, start, after);
    start = after;
  }
  return end_row(writer);
}

static bool write_base_sample(struct writer *writer, size_t sample) {
  const struct ts_points *points = writer->points;
  const struct line *none[2] = {NULL, NULL};
  struct line *a = &writer->lines[0];
  struct line *b = &writer->lines[1];
  make_line(writer, a, points->a + sample * points->column_count, none);
  make_line(writer, b, points->b + sample * points->column_count, none);
  bool both = points->layout == TS_LAYOUT_SALTELLI_2;
  bool ok = write_mixed(writer, a, b, TS_NONE);
  for (size_t group = 0; ok && group < points->group_count; group++) ok = write_mixed(writer, a, b, group);
  for (size_t group = 0; ok && both && group < points->group_count; group++) ok = write_mixed(writer, b, a, group);
  return ok && write_mixed(writer, b, a, TS_NONE);
}

static bool write_rows(struct writer *writer) {
  const struct ts_points *points = writer->points;
  if (!points->b) return write_plain(writer);
  for (size_t sample = 0; sample * points->block_rows < points->row_count; sample++) {
    if (!write_base_sample(writer, sample)) return false;
  }
  return true;
}

static bool write_header(struct writer *writer) {
  ts_auto(ts_str_release) struct ts_str header = {0};
  ts_auto(ts_str_release) struct ts_str name = {0};
  for (size_t i = 0; i < writer->column_count; i++) {
    ts_csv_add_cell(&header, writer->columns[i].parameter->name, i == 0);
  }
  for (size_t i = 0; i < writer->column_count && writer->cell_count > writer->column_count; i++) {
    ts_str_clear(&name);
    ts_str_addf(&name, "u_%s", writer->columns[i].parameter->name);
    ts_csv_add_cell(&header, ts_str_get(&name), false);
  }
  ts_str_add_char(&header, '\n');
  return writer->write(writer->user, ts_str_get(&header), header.length, writer->err);
}

bool ts_points_write_csv(const struct ts_points *points, const struct ts_space *space, bool with_unit,
                         bool (*write)(void *user, const char *text, size_t length, struct ts_error *err), void *user,
                         struct ts_error *err) {
  ts_auto(release_writer) struct writer writer = {.write = write, .user = user, .err = err};
  init_writer(&writer, points, space, with_unit);
  return write_header(&writer) && write_rows(&writer) && flush(&writer);
}
