/* Aligned tables in plain text.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli/text.h"

#include "base/alloc.h"

#include <stdio.h>
#include <string.h>

void ts_cli_table_init(struct ts_cli_table *table, const char *alignment) {
  memset(table, 0, sizeof *table);
  table->column_count = strlen(alignment);
  if (table->column_count == 0 || table->column_count > TS_CLI_TABLE_MAX_COLUMNS) TS_BUG("a table of '%s'", alignment);
  for (size_t i = 0; i < table->column_count; i++) table->right[i] = alignment[i] == 'r';
}

void ts_cli_table_release(struct ts_cli_table *table) {
  for (size_t i = 0; i < table->count; i++) free(table->cells[i]);
  free(table->cells);
  memset(table, 0, sizeof *table);
}

void ts_cli_table_take(struct ts_cli_table *table, struct ts_str *text) {
  struct ts_str safe = {0};
  ts_cli_text_add_safe(&safe, ts_str_get(text));
  ts_str_release(text);
  table->cells = ts_grow(table->cells, table->count, &table->capacity, sizeof *table->cells);
  table->cells[table->count++] = ts_str_detach(&safe);
}

void ts_cli_table_add(struct ts_cli_table *table, const char *text) {
  struct ts_str cell = {0};
  ts_str_add(&cell, text);
  ts_cli_table_take(table, &cell);
}

void ts_cli_table_addf(struct ts_cli_table *table, const char *format, ...) {
  char text[512];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  ts_cli_table_add(table, text);
}

void ts_cli_table_add_count(struct ts_cli_table *table, uint64_t count) {
  char text[32];
  ts_cli_table_add(table, ts_format_count(count, text));
}

/* The widest cell; 0 if there is nothing below the heading. */
static size_t column_width(const struct ts_cli_table *table, size_t column) {
  size_t widest = 0;
  bool any = false;
  for (size_t i = column; i < table->count; i += table->column_count) {
    size_t width = ts_cli_text_width(table->cells[i]);
    any |= i >= table->column_count && width > 0;
    if (width > widest) widest = width;
  }
  return any ? widest : 0;
}

static void add_cell(struct ts_str *line, const char *cell, size_t width, bool right) {
  size_t gap = width - ts_cli_text_width(cell);
  if (right) ts_cli_text_add_repeated(line, " ", gap);
  ts_str_add(line, cell);
  if (!right) ts_cli_text_add_repeated(line, " ", gap);
}

void ts_cli_table_print(const struct ts_cli_table *table, const char *indent, struct ts_str *out) {
  if (table->count % table->column_count != 0) TS_BUG("a table with half a row");
  size_t widths[TS_CLI_TABLE_MAX_COLUMNS];
  for (size_t c = 0; c < table->column_count; c++) widths[c] = column_width(table, c);
  struct ts_str line = {0};
  for (size_t row = 0; row < table->count; row += table->column_count) {
    ts_str_clear(&line);
    bool first = true;
    for (size_t c = 0; c < table->column_count; c++) {
      if (widths[c] == 0) continue;
      if (!first) ts_str_add(&line, "  ");
      add_cell(&line, table->cells[row + c], widths[c], table->right[c]);
      first = false;
    }
    size_t length = line.length;
    while (length > 0 && line.data[length - 1] == ' ') length--;
    ts_str_add(out, indent);
    ts_str_add_bytes(out, ts_str_get(&line), length);
    ts_str_add_char(out, '\n');
  }
  ts_str_release(&line);
}
