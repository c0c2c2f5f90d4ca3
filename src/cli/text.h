/* Text for people on a terminal: numbers in few digits, safe strings, aligned tables, bars.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Nothing here depends on the decimal sign of the locale. */
#ifndef TS_CLI_TEXT_H
#define TS_CLI_TEXT_H

#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TS_BOLD  "\x1b[1m"
#define TS_DIM   "\x1b[2m"
#define TS_RED   "\x1b[31m"
#define TS_PLAIN "\x1b[0m"

/* Text from a file or an operation, which may not drive the terminal: control characters become '?', line ends and
 * no-break spaces become spaces. */
void ts_cli_text_add_safe(struct ts_str *out, const char *text);
/* The same over several lines, each indented; ends with a line end. */
void ts_cli_text_add_lines(struct ts_str *out, const char *text, const char *indent);
/* Columns on the screen, one per character. */
size_t ts_cli_text_width(const char *text);
/* Bytes of the first `width` characters, or all. */
size_t ts_cli_text_cut(const char *text, size_t width);
void ts_cli_text_add_repeated(struct ts_str *out, const char *text, size_t count);

/* "12 000 tasks", "1 task". */
void ts_cli_text_add_count(struct ts_str *out, uint64_t count, const char *noun);
/* Three digits that count: "0.912", "12.3", "3.1e-05"; whole from 100 on: "12 346"; a dash for NaN. */
void ts_cli_text_add_number(struct ts_str *out, double value);
/* Without decimals in groups of thousands. */
void ts_cli_text_add_fixed(struct ts_str *out, double value, int decimals);
/* "70 %"; below 10 % with one decimal; "0 %" and "100 %" only if it is exactly so. */
void ts_cli_text_add_share(struct ts_str *out, uint64_t part, uint64_t whole);
/* "4.2 ms", "0.4 s", "14 s", "2 min 11 s", "3 h 05 min". */
void ts_cli_text_add_time(struct ts_str *out, double seconds);
/* A bar of at most `width` columns, in eighths of a block, or in '#'. */
void ts_cli_text_add_bar(struct ts_str *out, double share, size_t width, bool unicode);
/* Text wrapped between words at `width` columns (0: never); every line after the first starts with `indent`. */
void ts_cli_text_add_wrapped(struct ts_str *out, const char *text, size_t width, size_t at, const char *indent);

#define TS_CLI_TABLE_MAX_COLUMNS 24

/* Cells in rows; a column is as wide as its widest cell. */
struct ts_cli_table {
  char **cells; /* owned, row after row */
  size_t count, capacity;
  size_t column_count;
  bool right[TS_CLI_TABLE_MAX_COLUMNS]; /* aligned to the right */
};

/* One letter per column: 'l' or 'r'. */
void ts_cli_table_init(struct ts_cli_table *table, const char *alignment);
void ts_cli_table_release(struct ts_cli_table *table);
/* The next cell, row after row; made safe. */
void ts_cli_table_add(struct ts_cli_table *table, const char *text);
void ts_cli_table_addf(struct ts_cli_table *table, const char *format, ...) TS_PRINTF(2, 3);
void ts_cli_table_add_count(struct ts_cli_table *table, uint64_t count);
/* Gives the text away. */
void ts_cli_table_take(struct ts_cli_table *table, struct ts_str *text);
/* Two spaces between columns, none at the end of a line; columns that are empty in every row but the first are left
 * out. */
void ts_cli_table_print(const struct ts_cli_table *table, const char *indent, struct ts_str *out);

#endif
