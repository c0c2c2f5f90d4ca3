/* The indices of an analysis as a table: CSV with a row per output and parameter.
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/model.h"

#include "csv/csv.h"

#include <stdio.h>
#include <string.h>

static void add_text(struct ts_str *csv, const json_t *object, const char *name) {
  const char *text = json_string_value(json_object_get(object, name));
  ts_csv_add_cell(csv, text ? text : "", false);
}

/* Shortest text that reads back as the same number; unknown ones are empty cells. */
static void add_number(struct ts_str *csv, const json_t *object, const char *name, const char *suffix) {
  char key[64];
  snprintf(key, sizeof key, "%s%s", name, suffix);
  const json_t *value = json_object_get(object, key);
  ts_str_add_char(csv, ',');
  if (json_is_number(value)) ts_str_add_double(csv, json_number_value(value));
}

static void add_header(struct ts_str *csv, const json_t *columns) {
  ts_str_add(csv, "output,parameter,rank");
  for (size_t c = 0; c < json_array_size(columns); c++) {
    const char *name = json_string_value(json_array_get(columns, c));
    ts_str_addf(csv, ",%s,%s_lo,%s_hi", name, name, name);
  }
  ts_str_add(csv, ",n,finding\n");
}

/* From 1; 0: it has none. */
static size_t rank_of(const json_t *order, const char *name) {
  for (size_t i = 0; i < json_array_size(order); i++) {
    const char *other = json_string_value(json_array_get(order, i));
    if (other && name && strcmp(other, name) == 0) return i + 1;
  }
  return 0;
}

static void add_row(struct ts_str *csv, const json_t *columns, const json_t *output, const json_t *index) {
  const char *name = json_string_value(json_object_get(output, "name"));
  size_t rank = rank_of(json_object_get(output, "order"), json_string_value(json_object_get(index, "name")));
  ts_csv_add_cell(csv, name ? name : "", true);
  add_text(csv, index, "name");
  ts_str_add_char(csv, ',');
  if (rank > 0) ts_str_addf(csv, "%zu", rank);
  for (size_t c = 0; c < json_array_size(columns); c++) {
    const char *column = json_string_value(json_array_get(columns, c));
    add_number(csv, index, column, "");
    add_number(csv, index, column, "_lo");
    add_number(csv, index, column, "_hi");
  }
  add_number(csv, index, "n", "");
  add_text(csv, index, "finding");
  ts_str_add_char(csv, '\n');
}

void ts_analysis_table(const json_t *reply, struct ts_str *csv) {
  const json_t *columns = json_object_get(reply, "columns"), *outputs = json_object_get(reply, "outputs");
  add_header(csv, columns);
  for (size_t o = 0; o < json_array_size(outputs); o++) {
    const json_t *output = json_array_get(outputs, o), *indices = json_object_get(output, "indices");
    for (size_t i = 0; i < json_array_size(indices); i++) add_row(csv, columns, output, json_array_get(indices, i));
  }
}
