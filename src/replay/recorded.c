/* Reads recorded measurements: which columns are parameters, what was measured, which runs failed.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Every column is a parameter but the objectives, `valid` and those that the request ignores. A run failed if `valid`
 * is 0 or its objective is empty or not finite. */
#include "base/alloc.h"
#include "base/map.h"
#include "csv/csv.h"
#include "csv/scan.h"
#include "replay/replay_int.h"

#include <math.h>
#include <string.h>

#define VALID       "valid"
#define MOST_FAULTS 20 /* of one file; the rest would say the same */

struct reading {
  const struct ts_request *request; /* borrowed */
  struct ts_arena *arena;           /* borrowed; owns what the table keeps */
  struct ts_issues *issues;         /* borrowed */
  struct recorded *table;           /* borrowed */
  const struct recorded *of;        /* borrowed; NULL: the table of the workflow */
  struct ts_str text;               /* owned */
  struct ts_csv csv;                /* owned */
  size_t objective, valid;          /* columns; TS_NONE: none */
  size_t *columns;                  /* owned by the arena; of the parameters */
  size_t fault_count;
};

/* ---- Faults with their places. ---- */

static const char *start_of_line(const struct reading *r, int line) {
  const char *p = ts_str_get(&r->text), *end = p + r->text.length;
  for (int at = 1; at < line && p < end;) {
    size_t length = ts_csv_line_end(p, end);
    at += length > 0;
    p += length ? length : 1;
  }
  return p;
}

/* Adds the fault with the place of a cell, or of a row (cell TS_NONE). */
static bool fault(struct reading *r, struct ts_error *err, int line, size_t cell) {
  const char *end = ts_str_get(&r->text) + r->text.length, *row = start_of_line(r, line);
  const char *spot = cell == TS_NONE ? row : ts_csv_find_cell(row, end, cell);
  int column = 1;
  if (spot) ts_csv_place(row, spot, &line, &column);
  ts_error_place(err, r->table->path, line, column, NULL);
  ts_issues_fault(r->issues, err);
  r->fault_count++;
  return false;
}

/* ---- The header. ---- */

static size_t find_column(const struct reading *r, const char *name) {
  for (size_t c = 0; c < r->csv.column_count; c++) {
    if (strcmp(r->csv.header[c], name) == 0) return c;
  }
  return TS_NONE;
}

static bool is_named(const char *const *names, size_t count, const char *name) {
  for (size_t i = 0; i < count; i++) {
    if (strcmp(names[i], name) == 0) return true;
  }
  return false;
}

static bool fail_no_column(struct reading *r, const char *name, const char *what) {
  struct ts_error err = {0};
  ts_fail(&err, TS_ERR_MISSING_KEY, "there is no column '%s'%s", name, what);
  const char *near = ts_nearest_word(name, (const char *const *)r->csv.header, r->csv.column_count);
  if (near) {
    ts_error_help(&err, "did you mean '%s'?", near);
  } else {
    ts_error_help(&err, "the first line names the columns");
  }
  return fault(r, &err, r->csv.header_line, TS_NONE);
}

static bool check_names(struct reading *r) {
  ts_auto(ts_map_release) struct ts_map seen = {0};
  for (size_t c = 0; c < r->csv.column_count; c++) {
    bool is_new = false;
    struct ts_error err = {0};
    ts_map_insert_name(&seen, r->csv.header[c], &is_new);
    if (is_new) continue;
    ts_fail(&err, TS_ERR_DUPLICATE_NAME, "there are two columns '%s'", r->csv.header[c]);
    ts_error_help(&err, "give every column a name of its own");
    return fault(r, &err, r->csv.header_line, c);
  }
  const struct ts_request *request = r->request;
  for (size_t i = 0; i < request->objective_count; i++) {
    if (i > 0 && r->of) break; /* components have the objective that is tuned */
    if (find_column(r, request->objectives[i]) == TS_NONE)
      return fail_no_column(r, request->objectives[i], ", the objective");
  }
  for (size_t i = 0; i < request->ignored_count && !r->of; i++) {
    if (find_column(r, request->ignored[i]) == TS_NONE) return fail_no_column(r, request->ignored[i], " to ignore");
  }
  return true;
}

static bool fail_foreign_column(struct reading *r, size_t column) {
  struct ts_error err = {0};
  ts_fail(&err, TS_ERR_UNKNOWN_PARAMETER, "column '%s' is not a parameter of the workflow", r->csv.header[column]);
  const char *near = ts_nearest_word(r->csv.header[column], r->of->names, r->of->column_count);
  if (near) {
    ts_error_help(&err, "did you mean '%s'?", near);
  } else {
    ts_error_help(&err, "leave it out with --ignore %s", r->csv.header[column]);
  }
  return fault(r, &err, r->csv.header_line, column);
}

/* The columns of parameters. */
static bool choose_columns(struct reading *r) {
  const struct ts_request *request = r->request;
  struct ts_arena *arena = r->arena;
  struct recorded *table = r->table;
  if (!check_names(r)) return false;
  r->objective = find_column(r, r->request->objectives[0]);
  r->valid = find_column(r, VALID);
  r->columns = ts_arena_array(arena, r->csv.column_count, sizeof *r->columns);
  table->names = ts_arena_array(arena, r->csv.column_count, sizeof *table->names);
  for (size_t c = 0; c < r->csv.column_count; c++) {
    const char *name = r->csv.header[c];
    if (c == r->valid || is_named(request->objectives, request->objective_count, name) ||
        is_named(request->ignored, request->ignored_count, name))
      continue;
    if (r->of && !is_named(r->of->names, r->of->column_count, name)) return fail_foreign_column(r, c);
    r->columns[table->column_count] = c;
    table->names[table->column_count++] = ts_arena_strdup(arena, name);
  }
  if (table->column_count > 0 || r->of) return true;
  struct ts_error err = {0};
  ts_fail(&err, TS_ERR_BAD_VALUE, "there is no parameter: no column besides the objective");
  ts_error_help(&err, "write one row per run, with a column for each parameter");
  return fault(r, &err, r->csv.header_line, TS_NONE);
}

/* ---- The rows. ---- */

static bool fail_text(struct reading *r, size_t row, size_t column, const char *what) {
  struct ts_error err = {0};
  ts_fail(&err, TS_ERR_BAD_VALUE, "'%s' is not a number (%s '%s')", r->csv.rows[row][column], what,
          r->csv.header[column]);
  if (column == r->objective) {
    ts_error_help(&err, "leave the cell of a failed run empty, or write inf");
  } else {
    ts_error_help(&err, "number the values, or leave the column out with --ignore %s", r->csv.header[column]);
  }
  return fault(r, &err, r->csv.lines[row], column);
}

static bool is_failure_word(const char *text) {
  static const char *const words[] = {"", "inf", "+inf", "-inf", "infinity", "nan", "na"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    if (ts_word_equal(text, words[i])) return true;
  }
  return false;
}

/* NaN: the run failed. */
static bool read_output(struct reading *r, size_t row, double *output) {
  const char *text = r->csv.rows[row][r->objective];
  double valid = 1;
  *output = NAN;
  if (r->valid != TS_NONE && !ts_parse_double(r->csv.rows[row][r->valid], &valid))
    return fail_text(r, row, r->valid, "column");
  if (is_failure_word(text)) return true;
  if (!ts_parse_double(text, output)) return fail_text(r, row, r->objective, "objective");
  if (valid == 0) *output = NAN;
  return true;
}

static bool read_numbers(struct reading *r, size_t row, double *numbers) {
  bool fine = true;
  for (size_t c = 0; c < r->table->column_count; c++) {
    if (!ts_parse_double(r->csv.rows[row][r->columns[c]], &numbers[c]))
      fine = fail_text(r, row, r->columns[c], "parameter");
    numbers[c] += 0.0; /* -0 is 0 */
  }
  return fine;
}

static bool fail_contradiction(struct reading *r, size_t row, int earlier_line) {
  struct ts_error err = {0};
  ts_fail(&err, TS_ERR_BAD_VALUE, "the same parameters as in line %d, but another '%s'", earlier_line,
          r->request->objectives[0]);
  ts_error_help(&err, "keep one row of each configuration, such as the mean of its runs");
  return fault(r, &err, r->csv.lines[row], r->objective);
}

/* Takes a row unless an earlier one has the same parameters. */
static bool take_row(struct reading *r, struct ts_map *seen, size_t row) {
  struct recorded *table = r->table;
  double *numbers = &table->numbers[table->row_count * table->column_count], output;
  if (!read_numbers(r, row, numbers) || !read_output(r, row, &output)) return false;
  bool is_new = false;
  union ts_map_value *entry = ts_map_insert(seen, table->column_count ? (const void *)numbers : "",
                                            table->column_count * sizeof *numbers, &is_new);
  if (!is_new) {
    size_t earlier = (size_t)(entry->number >> 32);
    double before = table->outputs[earlier];
    table->repeated_count++;
    if (before == output || (isnan(before) && isnan(output))) return true;
    return fail_contradiction(r, row, (int)(entry->number & UINT32_MAX));
  }
  entry->number = (uint64_t)table->row_count << 32 | (uint32_t)r->csv.lines[row];
  table->outputs[table->row_count++] = output;
  table->failed_count += isnan(output);
  return true;
}

static bool fail_file(struct reading *r, const char *text, const char *help) {
  struct ts_error err = {0};
  ts_fail(&err, TS_ERR_BAD_VALUE, "%s", text);
  ts_error_help(&err, "%s", help);
  int line = r->csv.row_count ? r->csv.lines[0] : r->csv.header_line;
  return fault(r, &err, line, r->csv.row_count && r->objective != TS_NONE ? r->objective : TS_NONE);
}

static bool check_rows(struct reading *r) {
  const struct recorded *table = r->table;
  if (table->row_count == 0) return fail_file(r, "there are no rows", "write one row per run");
  if (table->failed_count == table->row_count)
    return fail_file(r, "every run failed", "a table needs rows with an objective to choose from");
  if (!r->of && table->row_count == 1)
    return fail_file(r, "there is one row only", "a table needs several configurations to choose from");
  return true;
}

static bool read_rows(struct reading *r) {
  struct recorded *table = r->table;
  struct ts_arena *arena = r->arena;
  table->numbers = ts_arena_array(arena, r->csv.row_count * table->column_count + 1, sizeof *table->numbers);
  table->outputs = ts_arena_array(arena, r->csv.row_count + 1, sizeof *table->outputs);
  ts_auto(ts_map_release) struct ts_map seen = {0};
  bool fine = true;
  for (size_t row = 0; row < r->csv.row_count && r->fault_count < MOST_FAULTS; row++)
    fine = take_row(r, &seen, row) && fine;
  if (!fine || !check_rows(r)) return false;
  if (table->repeated_count > 0)
    ts_issues_warn(r->issues, "%s: %zu rows repeat earlier ones and are left out", table->path, table->repeated_count);
  return true;
}

bool ts_recorded_read(const struct ts_request *request, const char *file, const struct recorded *of,
                      struct recorded *table, struct ts_arena *arena, struct ts_issues *issues) {
  struct reading r = {.request = request,
                      .arena = arena,
                      .issues = issues,
                      .table = table,
                      .of = of,
                      .objective = TS_NONE,
                      .valid = TS_NONE};
  struct ts_error err = {0};
  table->path = ts_request_path(request, arena, file);
  bool made = ts_table_text_read(table->path, &r.text, &err) &&
              ts_csv_parse(&r.csv, table->path, ts_str_get(&r.text), r.text.length, &err);
  if (!made) ts_issues_fault(issues, &err);
  made = made && choose_columns(&r) && read_rows(&r);
  ts_csv_release(&r.csv);
  ts_str_release(&r.text);
  return made;
}
