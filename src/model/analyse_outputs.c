/* Reads the outputs of an analysis: which columns, and their numbers, a few columns at a time.
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/analyse_int.h"

#include "base/alloc.h"
#include "design/read_table.h"

#include <math.h>
#include <string.h>

#define ROWS_PER_TELL 4096

/* Parameters and unit coordinates are not outputs: one file may contain both. */
static bool is_input(const struct analysis *a, const char *name) {
  for (size_t i = 0; i < a->file.space.count; i++) {
    if (strcmp(a->file.names[i], name) == 0) return true;
    if (ts_str_starts_with(name, "u_") && strcmp(a->file.names[i], name + 2) == 0) return true;
  }
  return false;
}

static void choose_all(struct analysis *a, const struct ts_table_reader *table) {
  for (size_t i = 0; i < table->column_count; i++) {
    if (is_input(a, table->names[i])) continue;
    a->output_names[a->output_count++] = ts_arena_strdup(&a->file.arena, table->names[i]);
  }
}

static bool choose(struct analysis *a, struct ts_table_reader *table, struct ts_error *err) {
  const struct ts_request *request = a->request;
  size_t most = request->output_column_count > table->column_count ? request->output_column_count : table->column_count;
  a->output_names = ts_arena_array(&a->file.arena, most, sizeof *a->output_names);
  if (request->output_column_count == 0) choose_all(a, table);
  for (size_t i = 0; i < request->output_column_count; i++) {
    a->output_names[a->output_count++] = request->output_columns[i];
  }
  if (a->output_count > 0) return ts_table_reader_choose(table, a->output_names, a->output_count, err);
  ts_fail(err, TS_ERR_BAD_VALUE, "'%s' has no columns besides those of the parameters", a->outputs_path);
  ts_error_help(err, "write each output of the runs into a column of its own");
  return ts_error_place(err, a->outputs_path, 1, 1, NULL);
}

bool ts_analysis_choose_outputs(struct analysis *a) {
  struct ts_table_reader table = {0};
  struct ts_error err = {0};
  bool ok = ts_table_reader_open(&table, a->outputs_path, &err);
  if (ok) {
    ok = choose(a, &table, &err);
    ts_table_reader_close(&table);
  }
  if (!ok) ts_issues_fault(a->issues, &err);
  return ok;
}

static bool fail_count(const struct analysis *a, size_t rows, struct ts_error *err) {
  ts_fail(err, TS_ERR_BAD_VALUE, "'%s' has %zu rows, but the design '%s' has %zu", a->outputs_path, rows,
          a->design_path, a->row_count);
  ts_error_help(err, "write one row per run, in the order of the design; a run that failed has an empty cell");
  return ts_error_place(err, a->outputs_path, 0, 0, NULL);
}

static bool read_rows(struct analysis *a, struct ts_table_reader *table, double *row, double *outputs,
                      struct ts_error *err) {
  size_t rows = 0;
  for (;; rows++) {
    bool has_row = false;
    if (!ts_table_reader_next(table, row, &has_row, err)) return false;
    if (!has_row) break;
    for (size_t c = 0; c < table->chosen_count && rows < a->row_count; c++) {
      outputs[c * a->row_count + rows] = isfinite(row[c]) ? row[c] : NAN;
    }
    if (rows % ROWS_PER_TELL == 0 && !ts_meter_add(&a->meter, 0, err)) return false;
  }
  return rows == a->row_count || fail_count(a, rows, err);
}

bool ts_analysis_read_outputs(struct analysis *a, size_t first, size_t count, double *outputs) {
  struct ts_table_reader table = {0};
  struct ts_error err = {0};
  bool ok = ts_table_reader_open(&table, a->outputs_path, &err);
  if (ok) {
    ts_auto_free double *row = ts_calloc(count, sizeof *row);
    ok = ts_table_reader_choose(&table, a->output_names + first, count, &err) &&
         read_rows(a, &table, row, outputs, &err);
    ts_table_reader_close(&table);
  }
  if (!ok) ts_issues_fault(a->issues, &err);
  return ok;
}
