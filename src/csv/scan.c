/* The one tokenizer of CSV: cells, line ends and places in a text that is in memory.
 * SPDX-License-Identifier: Apache-2.0 */
#include "csv/scan.h"

#include "base/alloc.h"

#include <limits.h>
#include <string.h>

#define FORMULA_STARTS "=+-@\t\r" /* OWASP, "CSV Injection" */

bool ts_csv_is_text(const char *text, const char *end) {
  size_t length = (size_t)(end - text);
  return !memchr(text, '\0', length) && ts_utf8_valid(text, length);
}

size_t ts_csv_line_end(const char *p, const char *end) {
  if (p == end) return 0;
  if (*p == '\n') return 1;
  if (*p != '\r') return 0;
  return p + 1 < end && p[1] == '\n' ? 2 : 1;
}

void ts_csv_place(const char *row, const char *spot, int *line, int *column) {
  *column = 1;
  for (const char *p = row; p < spot;) {
    size_t size = ts_csv_line_end(p, spot);
    if (size > 0) {
      *line += *line < INT_MAX ? 1 : 0;
      *column = 1;
    } else {
      *column += ((unsigned char)*p & 0xC0) != 0x80;
    }
    p += size > 0 ? size : 1;
  }
}

size_t ts_csv_formula(const char *text, size_t length) {
  size_t i = 0;
  while (i < length && text[i] == '\'') i++;
  return i < length && text[i] != '\0' && strchr(FORMULA_STARTS, text[i]) ? i + 1 : 0;
}

/* Without the apostrophe that the writer added. */
static void finish(struct ts_csv_cell *cell, const char *start, const char *end, const char *behind) {
  bool is_marked = start < end && *start == '\'' && ts_csv_formula(start, (size_t)(end - start)) > 1;
  *cell = (struct ts_csv_cell){start + (is_marked ? 1 : 0), end, behind};
}

static bool complain(const char **spot, const char *place, const char *text, const char *help, struct ts_error *err) {
  *spot = place;
  ts_fail(err, TS_ERR_CSV_SYNTAX, "%s", text);
  ts_error_help(err, "%s", help);
  return false;
}

static bool scan_quoted(const char *p, const char *end, struct ts_str *scratch, struct ts_csv_cell *cell,
                        const char **spot, struct ts_error *err) {
  const char *opening = p++;
  ts_str_clear(scratch);
  for (;;) {
    const char *mark = p < end ? memchr(p, '"', (size_t)(end - p)) : NULL;
    if (!mark) {
      return complain(spot, opening, "a quotation mark is never closed", "close it, or double it to mean the mark",
                      err);
    }
    bool is_doubled = mark + 1 < end && mark[1] == '"';
    ts_str_add_bytes(scratch, p, (size_t)(mark - p) + (is_doubled ? 1 : 0));
    p = mark + (is_doubled ? 2 : 1);
    if (!is_doubled) break;
  }
  if (p < end && *p != ',' && ts_csv_line_end(p, end) == 0) {
    return complain(spot, p, "text after a closing quotation mark",
                    "put the whole cell in quotation marks, and double those inside it", err);
  }
  finish(cell, ts_str_get(scratch), ts_str_get(scratch) + scratch->length, p);
  return true;
}

static bool is_blank(char c) { return c == ' ' || c == '\t'; }

bool ts_csv_scan_cell(const char *p, const char *end, struct ts_str *scratch, struct ts_csv_cell *cell,
                      const char **spot, struct ts_error *err) {
  if (p < end && *p == '"') return scan_quoted(p, end, scratch, cell, spot, err);
  const char *behind = p;
  for (; behind < end && *behind != ',' && *behind != '\n' && *behind != '\r'; behind++) {
    if (*behind != '"') continue;
    return complain(spot, behind, "a quotation mark inside a cell that has none around it",
                    "put the whole cell in quotation marks, and double those inside it", err);
  }
  const char *stop = behind;
  while (p < stop && is_blank(*p)) p++;
  while (p < stop && is_blank(stop[-1])) stop--;
  finish(cell, p, stop, behind);
  return true;
}

const char *ts_csv_find_cell(const char *row, const char *end, size_t cell) {
  ts_auto(ts_str_release) struct ts_str scratch = {0};
  struct ts_error ignored = {0};
  const char *p = row;
  for (; cell > 0; cell--) {
    struct ts_csv_cell passed;
    const char *spot;
    if (!ts_csv_scan_cell(p, end, &scratch, &passed, &spot, &ignored)) return NULL;
    if (passed.behind == end || *passed.behind != ',') return NULL;
    p = passed.behind + 1;
  }
  return p;
}
