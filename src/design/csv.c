/* Designs as CSV files: given by the user, checked cell by cell, and written for other programs.
 * SPDX-License-Identifier: Apache-2.0 */
#include "design/design_int.h"

#include "base/alloc.h"
#include "base/csv.h"
#include "base/file.h"

#include <math.h>
#include <string.h>

#define FAULTS_MAX 100 /* rows are not read on after so many: a file of another kind would give one per cell */

/* One reading. */
struct reader {
  const struct ts_workflow *workflow; /* borrowed */
  const char *file;                   /* borrowed */
  struct ts_str text;                 /* owned; the file's bytes, rescanned for the place of a fault */
  struct ts_csv csv;                  /* owned */
  size_t *parameters;                 /* owned; parameter of each column, TS_NONE for an unknown one */
  struct ts_faults *faults;           /* borrowed */
};

/* Where a cell starts: scans from the start of its row, since the parsed cells have lost their quotes. Columns count
 * characters from 1. */
static void locate_cell(const char *text, int row_line, size_t cell, int *line, int *column) {
  const char *p = text;
  if (strncmp(p, "\xef\xbb\xbf", 3) == 0) p += 3;
  for (*line = 1; *line < row_line && *p; p++) {
    if (*p == '\n') ++*line;
  }
  *column = 1;
  bool quoted = false;
  for (; *p && cell > 0; p++) {
    if (*p == '"') quoted = !quoted;
    if (*p == ',' && !quoted) cell--;
    if (*p == '\n') {
      ++*line;
      *column = 1;
    } else if (((unsigned char)*p & 0xc0) != 0x80) { /* not the continuation of a UTF-8 character */
      ++*column;
    }
  }
}

/* Adds a fault with the place of a cell; row TS_NONE is the header. */
static void report(struct reader *reader, size_t row, size_t cell, const struct ts_error *fault) {
  struct ts_error *err = ts_faults_add(reader->faults);
  *err = *fault;
  err->where = (struct ts_place){0}; /* the place is in the design, not in the workflow that forbids it */
  int line, column;
  locate_cell(ts_str_get(&reader->text), row == TS_NONE ? 1 : reader->csv.lines[row], cell, &line, &column);
  ts_error_place(err, reader->file, line, column, "");
}

static void report_unknown(struct reader *reader, size_t column) {
  const struct ts_workflow *workflow = reader->workflow;
  const char *name = reader->csv.header[column];
  struct ts_error fault = {0};
  ts_fail(&fault, TS_ERR_UNKNOWN_PARAMETER, "workflow '%s' has no parameter '%s'", workflow->name, name);
  ts_auto_free const char **names = ts_calloc(workflow->parameter_count + 1, sizeof *names);
  for (size_t i = 0; i < workflow->parameter_count; i++) names[i] = workflow->parameters[i].name;
  const char *near = ts_nearest_word(name, names, workflow->parameter_count);
  if (near) {
    ts_error_help(&fault, "did you mean '%s'?", near);
  } else {
    ts_error_help(&fault, "name one parameter of the workflow per column, or remove this column");
  }
  report(reader, TS_NONE, column, &fault);
}

static void read_header(struct reader *reader) {
  size_t count = reader->csv.column_count;
  reader->parameters = ts_calloc(count + 1, sizeof *reader->parameters);
  for (size_t c = 0; c < count; c++) {
    reader->parameters[c] = TS_NONE;
    size_t index;
    if (!ts_workflow_find_parameter(reader->workflow, reader->csv.header[c], &index)) {
      report_unknown(reader, c);
      continue;
    }
    for (size_t before = 0; before < c; before++) {
      if (reader->parameters[before] != index) continue;
      struct ts_error fault = {0};
      ts_fail(&fault, TS_ERR_DUPLICATE_NAME, "column '%s' is there twice", reader->csv.header[c]);
      ts_error_help(&fault, "remove one of the two columns");
      report(reader, TS_NONE, c, &fault);
      break;
    }
    reader->parameters[c] = index;
  }
  if (reader->csv.row_count > 0) return;
  struct ts_error fault = {0};
  ts_fail(&fault, TS_ERR_BAD_VALUE, "design '%s' has no rows", reader->file);
  ts_error_help(&fault, "write one line of values per run below the header");
  report(reader, TS_NONE, 0, &fault);
}

static int64_t find_level(const struct ts_parameter *parameter, const struct ts_value *value) {
  for (size_t i = 0; i < parameter->level_count; i++) {
    if (ts_value_equal(&parameter->levels[i], value)) return (int64_t)i;
  }
  return -1;
}

/* `set` holds the defaults and takes the values of the row. */
static void read_row(struct reader *reader, struct ts_design *design, size_t row, struct ts_value *set) {
  bool complete = true;
  for (size_t c = 0; c < design->column_count; c++) {
    size_t cell = row * design->column_count + c;
    design->unit[cell] = NAN;
    if (reader->parameters[c] == TS_NONE) continue;
    const struct ts_parameter *parameter = &reader->workflow->parameters[reader->parameters[c]];
    struct ts_error fault = {0};
    struct ts_value *value = &design->values[cell];
    if (ts_value_from_text(reader->csv.rows[row][c], parameter->type, &design->arena, value, &fault) &&
        ts_parameter_check(parameter, value, &fault)) {
      design->levels[cell] = find_level(parameter, value);
      set[reader->parameters[c]] = *value;
      continue;
    }
    ts_error_context(&fault, "reading parameter '%s'", parameter->name);
    report(reader, row, c, &fault);
    complete = false;
  }
  struct ts_error fault = {0};
  if (complete && !ts_workflow_check_set(reader->workflow, set, &fault)) report(reader, row, 0, &fault);
}

static void read_rows(struct reader *reader, struct ts_design *design) {
  const struct ts_workflow *workflow = reader->workflow;
  const struct ts_csv *csv = &reader->csv;
  ts_design_init(design, csv->row_count, csv->column_count);
  for (size_t c = 0; c < csv->column_count; c++) design->names[c] = ts_arena_strdup(&design->arena, csv->header[c]);
  ts_auto_free struct ts_value *set = ts_calloc(workflow->parameter_count + 1, sizeof *set);
  size_t before = reader->faults->count;
  for (size_t r = 0; r < csv->row_count && reader->faults->count - before < FAULTS_MAX; r++) {
    for (size_t i = 0; i < workflow->parameter_count; i++) set[i] = workflow->parameters[i].default_value;
    read_row(reader, design, r, set);
  }
}

bool ts_design_read_csv(struct ts_design *design, const struct ts_workflow *workflow, const char *file,
                        struct ts_faults *faults) {
  *design = (struct ts_design){0};
  size_t before = faults->count;
  struct reader reader = {.workflow = workflow, .file = file, .faults = faults};
  struct ts_error err = {0};
  if (!ts_file_read(file, 0, &reader.text, &err) ||
      !ts_csv_parse(&reader.csv, file, ts_str_get(&reader.text), reader.text.length, &err)) {
    *ts_faults_add(faults) = err;
  } else {
    read_header(&reader);
    read_rows(&reader, design);
  }
  ts_csv_release(&reader.csv);
  ts_str_release(&reader.text);
  free(reader.parameters);
  if (faults->count == before) return true;
  ts_design_release(design);
  return false;
}

void ts_design_write_csv(const struct ts_design *design, struct ts_str *out) {
  for (size_t c = 0; c < design->column_count; c++) ts_csv_add_cell(out, design->names[c], c == 0);
  ts_str_add_char(out, '\n');
  ts_auto(ts_str_release) struct ts_str text = {0};
  for (size_t r = 0; r < design->row_count; r++) {
    for (size_t c = 0; c < design->column_count; c++) {
      ts_str_clear(&text);
      ts_value_print(&design->values[r * design->column_count + c], &text);
      ts_csv_add_cell(out, ts_str_get(&text), c == 0);
    }
    ts_str_add_char(out, '\n');
  }
}
