/* The one tokenizer of CSV (RFC 4180): cells, line ends and places in a text that is in memory.
 * SPDX-License-Identifier: Apache-2.0
 *
 * csv/csv.h keeps whole tables of texts, design/read_table.h streams tables of numbers; both read what this file
 * reads. Lines end with LF, CRLF or a lone CR. Blanks around a cell do not count. A cell in quotation marks is kept as
 * it is and may hold commas, line ends and doubled marks; the apostrophe that ts_csv_add_cell puts before a formula is
 * removed. */
#ifndef TS_CSV_SCAN_H
#define TS_CSV_SCAN_H

#include "base/error.h"
#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>

#define TS_BYTE_ORDER_MARK "\xEF\xBB\xBF"

struct ts_csv_cell {
  const char *start, *end; /* its text; that of a quoted cell is in the scratch string */
  const char *behind;      /* the comma, the line end or the end of the text */
};

/* UTF-8 without NUL. */
bool ts_csv_is_text(const char *text, const char *end);
/* Bytes of the line end at p, 0 if there is none. */
size_t ts_csv_line_end(const char *p, const char *end);
/* The cell that starts at p. CSV_SYNTAX without a place, and *spot, the byte at fault, if quotation marks are wrong. */
bool ts_csv_scan_cell(const char *p, const char *end, struct ts_str *scratch, struct ts_csv_cell *cell,
                      const char **spot, struct ts_error *err);
/* Line and column of a byte; `row` starts in line *line. Columns count characters, as editors do. */
void ts_csv_place(const char *row, const char *spot, int *line, int *column);
/* Where cell number `cell` of a row starts; NULL if the row has no such cell. */
const char *ts_csv_find_cell(const char *row, const char *end, size_t cell);
/* 0: a spreadsheet takes the text as text; else 1 and the number of apostrophes before what it takes for a formula. */
size_t ts_csv_formula(const char *text, size_t length);

#endif
