/* Designs as CSV files: given by the user, checked cell by cell.
 * SPDX-License-Identifier: Apache-2.0 */
#include "design/design_int.h"

#include "base/alloc.h"
#include "base/file.h"
#include "base/map.h"
#include "base/memory.h"
#include "csv/csv.h"
#include "csv/scan.h"

#include <math.h>
#include <string.h>

#define UNIT_PREFIX   "u_"
#define LARGEST_EXACT 9007199254740992.0 /* up to 2^53 doubles hold every integer */
#define FAULTS_MAX    100 /* reading ends after this many: a file of another kind would give one per cell */

enum role { ROLE_UNKNOWN, ROLE_VALUE, ROLE_UNIT };

/* The meaning of a column of the file. */
struct role_of_column {
  enum role role;
  size_t parameter; /* of the workflow */
  size_t column;    /* of the design */
};

/* One reading. */
struct reader {
  const struct ts_workflow *workflow; /* borrowed */
  const char *file;                   /* borrowed */
  struct ts_str text;                 /* owned; the file's bytes, rescanned for the place of a fault */
  struct ts_csv csv;                  /* owned */
  struct role_of_column *roles;       /* owned */
  size_t column_count;                /* of the design */
  struct ts_faults *faults;           /* borrowed */
  struct ts_map parameter_of;         /* owned; index of each parameter's name */
  size_t *value_columns;              /* owned; per parameter the column of the file with its values, or TS_NONE */
  const char *known_start;            /* borrowed from the text: the start of a line, NULL: not known yet */
  int known_line;                     /* its number; faults come in the order of rows, so the next is not far */
};

/* Where a cell starts: scans from the start of its row, since the parsed cells have lost their quotes. */
static void locate_cell(struct reader *reader, int row_line, size_t cell, int *line, int *column) {
  const char *end = ts_str_get(&reader->text) + reader->text.length;
  bool is_near = reader->known_start && reader->known_line <= row_line;
  const char *p = is_near ? reader->known_start : ts_str_get(&reader->text);
  if (!is_near && ts_str_starts_with(p, TS_BYTE_ORDER_MARK)) p += strlen(TS_BYTE_ORDER_MARK);
  for (*line = is_near ? reader->known_line : 1; *line < row_line && p < end;) {
    size_t size = ts_csv_line_end(p, end);
    *line += size > 0;
    p += size > 0 ? size : 1;
  }
  reader->known_start = p;
  reader->known_line = *line;
  const char *found = ts_csv_find_cell(p, end, cell);
  ts_csv_place(p, found ? found : p, line, column);
}

/* Adds a fault with the place of a cell; row TS_NONE is the header. */
static void report(struct reader *reader, size_t row, size_t cell, const struct ts_error *fault) {
  struct ts_error *err = ts_faults_add(reader->faults);
  *err = *fault;
  err->where = (struct ts_place){0}; /* the place is in the design, not in the workflow that forbids it */
  int line, column;
  locate_cell(reader, row == TS_NONE ? reader->csv.header_line : reader->csv.lines[row], cell, &line, &column);
  ts_error_place(err, reader->file, line, column, "");
}

static void report_unknown(struct reader *reader, size_t column) {
  const char *name = reader->csv.header[column];
  struct ts_error fault = {0};
  ts_fail(&fault, TS_ERR_UNKNOWN_PARAMETER, "workflow '%s' has no parameter '%s'", reader->workflow->name, name);
  const size_t count = reader->workflow->parameter_count;
  ts_auto_free const char **names = ts_calloc(count + 1, sizeof *names);
  for (size_t i = 0; i < count; i++) names[i] = reader->workflow->parameters[i].name;
  ts_auto(ts_str_release) struct ts_str near = {0};
  if (ts_add_nearest_words(&near, name, names, count)) {
    ts_error_help(&fault, "did you mean %s?", ts_str_get(&near));
  } else {
    ts_error_help(&fault, "name one parameter of the workflow per column, or remove this column");
  }
  report(reader, TS_NONE, column, &fault);
}

static size_t find_parameter(const struct reader *reader, const char *name) {
  const union ts_map_value *found = ts_map_find_name(&reader->parameter_of, name);
  return found ? (size_t)found->number : TS_NONE;
}

/* NAME, or u_NAME for its unit coordinate. */
static struct role_of_column role_of(const struct reader *reader, const char *name) {
  size_t index = find_parameter(reader, name);
  if (index != TS_NONE) return (struct role_of_column){.role = ROLE_VALUE, .parameter = index};
  if (ts_str_starts_with(name, UNIT_PREFIX)) index = find_parameter(reader, name + strlen(UNIT_PREFIX));
  if (index != TS_NONE) return (struct role_of_column){.role = ROLE_UNIT, .parameter = index};
  return (struct role_of_column){.role = ROLE_UNKNOWN};
}

static void report_twice(struct reader *reader, size_t column) {
  struct ts_error fault = {0};
  ts_fail(&fault, TS_ERR_DUPLICATE_NAME, "column '%s' occurs twice", reader->csv.header[column]);
  ts_error_help(&fault, "remove one of the two columns");
  report(reader, TS_NONE, column, &fault);
}

static void report_rest(struct reader *reader, size_t left_out) {
  struct ts_error fault = {0};
  ts_fail(&fault, TS_ERR_UNKNOWN_PARAMETER, "%zu more columns are unknown or occur twice", left_out);
  ts_error_help(&fault, "check that this is the right file");
  report(reader, TS_NONE, 0, &fault);
}

static void read_names(struct reader *reader) {
  ts_auto(ts_map_release) struct ts_map seen = {0};
  size_t wrong = 0;
  for (size_t c = 0; c < reader->csv.column_count; c++) {
    bool is_new = false;
    struct role_of_column *role = &reader->roles[c];
    *role = role_of(reader, reader->csv.header[c]);
    ts_map_insert_name(&seen, reader->csv.header[c], &is_new);
    if (role->role == ROLE_VALUE && is_new) reader->value_columns[role->parameter] = c;
    if (role->role != ROLE_UNKNOWN && is_new) continue;
    if (++wrong > FAULTS_MAX) continue;
    if (role->role == ROLE_UNKNOWN) {
      report_unknown(reader, c);
    } else {
      report_twice(reader, c);
    }
  }
  if (wrong > FAULTS_MAX) report_rest(reader, wrong - FAULTS_MAX);
}

static void index_parameters(struct reader *reader) {
  const struct ts_workflow *workflow = reader->workflow;
  reader->value_columns = ts_calloc(workflow->parameter_count + 1, sizeof *reader->value_columns);
  for (size_t i = 0; i < workflow->parameter_count; i++) {
    reader->value_columns[i] = TS_NONE;
    ts_map_insert_name(&reader->parameter_of, workflow->parameters[i].name, NULL)->number = i;
  }
}

/* The design has the columns of the file, in its order; a parameter without a column keeps its default. */
static void place_columns(struct reader *reader) {
  for (size_t c = 0; c < reader->csv.column_count; c++) {
    if (reader->roles[c].role == ROLE_VALUE) reader->roles[c].column = reader->column_count++;
  }
  for (size_t c = 0; c < reader->csv.column_count; c++) {
    struct role_of_column *role = &reader->roles[c];
    if (role->role != ROLE_UNIT) continue;
    size_t values = reader->value_columns[role->parameter];
    if (values == TS_NONE) {
      report_unknown(reader, c);
      role->role = ROLE_UNKNOWN;
    } else {
      role->column = reader->roles[values].column;
    }
  }
}

static void read_header(struct reader *reader) {
  reader->roles = ts_calloc(reader->csv.column_count + 1, sizeof *reader->roles);
  index_parameters(reader);
  read_names(reader);
  place_columns(reader);
  if (reader->csv.row_count > 0) return;
  struct ts_error fault = {0};
  ts_fail(&fault, TS_ERR_BAD_VALUE, "design '%s' has no rows", reader->file);
  ts_error_help(&fault, "write one line of values per run below the header");
  report(reader, TS_NONE, 0, &fault);
}

/* Also what other programs write, as analyse reads it: True and 1 for true, 5.0 for 5. */
static bool value_from_cell(const char *text, enum ts_value_type type, struct ts_arena *arena, struct ts_value *value,
                            struct ts_error *err) {
  int64_t whole;
  double number;
  if (type == TS_VALUE_BOOLEAN) {
    bool is_number = ts_parse_double(text, &number);
    bool is_true = ts_word_equal(text, "true") || (is_number && number == 1);
    *value = ts_value_boolean(is_true);
    if (is_true || ts_word_equal(text, "false") || (is_number && number == 0)) return true;
  }
  if (type == TS_VALUE_INTEGER && !ts_parse_int64(text, &whole) && ts_parse_double(text, &number) &&
      fabs(number) <= LARGEST_EXACT && floor(number) == number) {
    *value = ts_value_integer((int64_t)number);
    return true;
  }
  return ts_value_from_text(text, type, arena, value, err);
}

/* The value of a cell, its level, and its unit coordinate as far as the value determines it. */
static bool read_value(struct reader *reader, struct ts_design *design, size_t row, size_t c, size_t cell) {
  const struct ts_parameter *parameter = &reader->workflow->parameters[reader->roles[c].parameter];
  struct ts_value *value = &design->values[cell];
  struct ts_error fault = {0};
  if (!value_from_cell(reader->csv.rows[row][c], parameter->type, &design->arena, value, &fault) ||
      !ts_parameter_check(parameter, value, &fault)) {
    ts_error_context(&fault, "reading parameter '%s'", parameter->name);
    report(reader, row, c, &fault);
    return false;
  }
  size_t level = ts_space_level(parameter, value);
  design->levels[cell] = level == TS_NONE ? -1 : (int64_t)level;
  if (isnan(design->unit[cell])) design->unit[cell] = ts_space_unit(parameter, value);
  return true;
}

static bool read_unit(struct reader *reader, struct ts_design *design, size_t row, size_t c, size_t cell) {
  const char *text = reader->csv.rows[row][c];
  double unit;
  if (!*text) return true;
  if (ts_parse_double(text, &unit) && unit >= 0 && unit <= 1) {
    design->unit[cell] = unit;
    return true;
  }
  struct ts_error fault = {0};
  ts_fail(&fault, TS_ERR_BAD_VALUE, "'%.80s' in column '%s' is not a number from 0 to 1", text, reader->csv.header[c]);
  ts_error_help(&fault, "give the unit coordinate, or remove the column to have it derived from the value");
  report(reader, row, c, &fault);
  return false;
}

/* Whether the values go together. `set` holds the workflow's defaults and takes the values of the row. */
static bool check_row(const struct reader *reader, const struct ts_value *row, struct ts_value *set,
                      struct ts_error *err) {
  for (size_t c = 0; c < reader->csv.column_count; c++) {
    const struct role_of_column *role = &reader->roles[c];
    if (role->role == ROLE_VALUE) set[role->parameter] = row[role->column];
  }
  return ts_workflow_check_set(reader->workflow, set, err);
}

static void read_row(struct reader *reader, struct ts_design *design, size_t row, struct ts_value *set) {
  bool complete = true;
  size_t start = row * design->column_count;
  for (size_t i = 0; i < design->column_count; i++) design->unit[start + i] = NAN;
  for (size_t c = 0; c < reader->csv.column_count; c++) {
    const struct role_of_column *role = &reader->roles[c];
    if (role->role == ROLE_UNIT) complete = read_unit(reader, design, row, c, start + role->column) && complete;
  }
  for (size_t c = 0; c < reader->csv.column_count; c++) {
    const struct role_of_column *role = &reader->roles[c];
    if (role->role == ROLE_UNKNOWN) complete = false;
    if (role->role == ROLE_VALUE) complete = read_value(reader, design, row, c, start + role->column) && complete;
  }
  struct ts_error fault = {0};
  if (complete && !check_row(reader, design->values + start, set, &fault)) report(reader, row, 0, &fault);
}

static void read_rows(struct reader *reader, struct ts_design *design) {
  const struct ts_csv *csv = &reader->csv;
  ts_design_init(design, csv->row_count, reader->column_count);
  for (size_t c = 0; c < csv->column_count; c++) {
    const struct role_of_column *role = &reader->roles[c];
    if (role->role == ROLE_VALUE) design->names[role->column] = ts_arena_strdup(&design->arena, csv->header[c]);
  }
  ts_auto_free struct ts_value *set = ts_calloc(reader->workflow->parameter_count + 1, sizeof *set);
  for (size_t i = 0; i < reader->workflow->parameter_count; i++) {
    set[i] = reader->workflow->parameters[i].default_value;
  }
  size_t before = reader->faults->count;
  for (size_t r = 0; r < csv->row_count && reader->faults->count - before < FAULTS_MAX; r++) {
    read_row(reader, design, r, set);
  }
}

/* Later allocations are many and small, and a failure of one would end the program: so the sum is checked before. A
 * cell is a pointer, a text of 16 bytes or more, and a value, a level and a number of the design; when the texts are
 * gone, each row becomes a set of all parameters. */
static bool fits_memory(const struct reader *reader, struct ts_error *err) {
  size_t cells = 1, rows = 1;
  for (const char *p = ts_str_get(&reader->text); *p; p++) {
    cells += *p == ',' || *p == '\n';
    rows += *p == '\n';
  }
  const size_t text_bytes = cells * (sizeof(char *) + 16) + rows * (sizeof(char **) + sizeof(int));
  const size_t design_bytes = cells * (sizeof(struct ts_value) + sizeof(int64_t) + sizeof(double));
  const size_t set_bytes = rows * reader->workflow->parameter_count * sizeof(struct ts_value);
  const size_t bytes = design_bytes + (text_bytes > set_bytes ? text_bytes : set_bytes);
  if (ts_memory_has_room(bytes)) return true;
  char size[32];
  ts_fail(err, TS_ERR_NO_MEMORY, "the design '%s' has about %zu rows and needs %s of memory or more", reader->file,
          rows, ts_format_bytes(bytes, size));
  ts_error_help(err, "split it, or allow the program more memory (ulimit -v)");
  return ts_error_place(err, reader->file, 0, 0, "");
}

/* Releases the reader. */
static bool read_design(struct reader *reader, struct ts_design *design) {
  *design = (struct ts_design){0};
  size_t before = reader->faults->count;
  struct ts_error err = {0};
  if (!ts_file_read(reader->file, 0, &reader->text, &err) || !fits_memory(reader, &err) ||
      !ts_csv_parse(&reader->csv, reader->file, ts_str_get(&reader->text), reader->text.length, &err)) {
    *ts_faults_add(reader->faults) = err;
  } else {
    read_header(reader);
    read_rows(reader, design);
  }
  ts_csv_release(&reader->csv);
  ts_str_release(&reader->text);
  free(reader->roles);
  free(reader->value_columns);
  ts_map_release(&reader->parameter_of);
  if (reader->faults->count == before) return true;
  ts_design_release(design);
  return false;
}

bool ts_design_read_csv(struct ts_design *design, const struct ts_workflow *workflow, const char *file,
                        struct ts_faults *faults) {
  struct reader reader = {.workflow = workflow, .file = file, .faults = faults};
  return read_design(&reader, design);
}
