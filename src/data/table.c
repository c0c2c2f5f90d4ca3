/* Tables as CSV text and back.
 * SPDX-License-Identifier: Apache-2.0 */
#include "data/data.h"

#include "base/alloc.h"
#include "base/map.h"
#include "csv/csv.h"

#include <math.h>
#include <string.h>

/* A missing value is an empty cell; alone in its row it is written out, as an empty line is not a row. */
static void add_number(struct ts_str *out, double number, bool alone) {
  if (isnan(number)) {
    if (alone) ts_str_add(out, "nan");
  } else if (isinf(number)) {
    ts_str_add(out, number > 0 ? "inf" : "-inf");
  } else {
    ts_str_add_double(out, number);
  }
}

/* With a last column that has one text in every row, unless its name is NULL. */
static void add_table(const struct ts_data *data, const char *name, const char *text,
                      void (*add_cell)(struct ts_str *, const char *, bool), struct ts_str *out) {
  size_t columns = ts_data_columns(data);
  const char *const *names = ts_data_column_names(data);
  const double *cells = ts_data_cells(data);
  for (size_t c = 0; c < columns; c++) add_cell(out, names[c], c == 0);
  if (name) add_cell(out, name, columns == 0);
  ts_str_add_char(out, '\n');
  for (size_t r = 0; r < ts_data_rows(data); r++) {
    for (size_t c = 0; c < columns; c++) {
      if (c > 0) ts_str_add_char(out, ',');
      add_number(out, cells[r * columns + c], columns == 1 && !name);
    }
    if (name) ts_csv_add_cell(out, text, columns == 0);
    ts_str_add_char(out, '\n');
  }
}

void ts_table_to_csv(const struct ts_data *data, const char *name, const char *text, struct ts_str *out) {
  add_table(data, name, text, ts_csv_add_cell, out);
}

void ts_table_to_raw_csv(const struct ts_data *data, struct ts_str *out) {
  add_table(data, NULL, NULL, ts_csv_add_raw_cell, out);
}

static bool read_number(const char *text, double *number) {
  if (text[0] == '\0' || ts_word_equal(text, "nan")) {
    *number = NAN;
  } else if (ts_word_equal(text, "inf") || ts_word_equal(text, "-inf")) {
    *number = text[0] == '-' ? -INFINITY : INFINITY;
  } else {
    return ts_parse_double(text, number);
  }
  return true;
}

static bool check_header(const struct ts_csv *csv, const char *name, struct ts_error *err) {
  ts_auto(ts_map_release) struct ts_map names = {0};
  for (size_t c = 0; c < csv->column_count; c++) {
    bool is_new = false;
    ts_map_insert_name(&names, csv->header[c], &is_new);
    if (is_new) continue;
    ts_fail(err, TS_ERR_CSV_SYNTAX, "two columns are called '%s'", csv->header[c]);
    ts_error_help(err, "give every column a name of its own");
    ts_error_place(err, name, 1, 0, NULL);
    return false;
  }
  return true;
}

static bool read_cells(const struct ts_csv *csv, const char *name, double *cells, struct ts_error *err) {
  for (size_t r = 0; r < csv->row_count; r++) {
    for (size_t c = 0; c < csv->column_count; c++) {
      if (read_number(csv->rows[r][c], &cells[r * csv->column_count + c])) continue;
      ts_fail(err, TS_ERR_CSV_SYNTAX, "'%s' in column '%s' is not a number", csv->rows[r][c], csv->header[c]);
      ts_error_help(err, "a table holds numbers; leave the cell empty if the value is missing");
      ts_error_place(err, name, csv->lines[r], 0, NULL);
      return false;
    }
  }
  return true;
}

struct ts_data *ts_table_from_csv(const char *name, const char *text, size_t length, struct ts_error *err) {
  ts_auto(ts_csv_release) struct ts_csv csv = {0};
  if (!ts_csv_parse(&csv, name, text, length, err) || !check_header(&csv, name, err)) return NULL;
  ts_auto(ts_data_unref_pointer) struct ts_data *data =
      ts_data_create_table(csv.row_count, csv.column_count, (const char *const *)csv.header, err);
  if (!data || !read_cells(&csv, name, ts_data_writable(data), err)) return NULL;
  ts_data_finish(data);
  return ts_steal(data);
}
