/* Rows along one axis: the places of names, marks and values of bars and dots.
 * SPDX-License-Identifier: Apache-2.0 */
#include "report/chart/chart_rows.h"

#include "base/alloc.h"
#include "report/chart/svg.h"

#include <math.h>

#define LINE_PX   16.0
#define MAX_LINES 6

void ts_rows_fit(struct ts_rows *rows, double width, double longest_name, double value_room, double marker_room,
                 double bar_height, size_t count) {
  rows->stacked = longest_name + marker_room > 0.36 * width;
  rows->bar_height = bar_height;
  rows->row_height = bar_height + (rows->stacked ? 26 : 10);
  rows->left = rows->stacked ? 1 : ceil(longest_name) + marker_room + TS_ROW_GAP_PX;
  rows->right = width - value_room;
  rows->name_width = rows->stacked ? width - marker_room : longest_name + 1;
  rows->name_lines = 1;
  rows->top = 4;
  rows->bottom = rows->top + rows->row_height * (double)count;
}

void ts_rows_wrap(struct ts_rows *rows, const char *name, size_t count) {
  size_t lines = 0;
  for (const char *p = name; *p && lines < MAX_LINES; lines++) {
    p += ts_text_break(p, TS_CHART_FONT_PX, rows->name_width);
  }
  if (lines <= rows->name_lines) return;
  rows->row_height += LINE_PX * (double)(lines - rows->name_lines);
  rows->name_lines = lines;
  rows->bottom = rows->top + rows->row_height * (double)count;
}

double ts_rows_middle(const struct ts_rows *rows, size_t i) {
  double above = rows->stacked ? 18 + LINE_PX * (double)(rows->name_lines - 1) : 5;
  return rows->top + rows->row_height * (double)i + above + rows->bar_height / 2;
}

/* Above the marks, the last line next to them. */
static void stacked_name(struct ts_str *out, const struct ts_rows *rows, double above, const char *name,
                         const struct ts_look *look) {
  double x = rows->left + (look ? 2 * TS_ROW_MARKER_PX + TS_ROW_GAP_PX : 0);
  char *lines[MAX_LINES];
  size_t count = 0;
  for (const char *p = name; *p && count + 1 < rows->name_lines;) {
    size_t length = ts_text_break(p, TS_CHART_FONT_PX, rows->name_width);
    lines[count++] = ts_strndup(p, length);
    p += length;
    name = p;
  }
  if (*name || count == 0) lines[count++] = ts_text_fit(name, TS_CHART_FONT_PX, rows->name_width);
  double first = above - 6 - LINE_PX * (double)(count - 1);
  if (look) ts_svg_marker(out, look, rows->left + TS_ROW_MARKER_PX, first - 4.5, TS_ROW_MARKER_PX);
  for (size_t i = 0; i < count; i++) {
    ts_svg_text(out, x, first + LINE_PX * (double)i, TS_ANCHOR_START, NULL, lines[i]);
    free(lines[i]);
  }
}

void ts_rows_name(struct ts_str *out, const struct ts_rows *rows, size_t i, const char *name,
                  const struct ts_look *look) {
  double y = ts_rows_middle(rows, i);
  if (rows->stacked) {
    stacked_name(out, rows, y - rows->bar_height / 2, name, look);
    return;
  }
  if (look) ts_svg_marker(out, look, rows->left - TS_ROW_GAP_PX - TS_ROW_MARKER_PX, y, TS_ROW_MARKER_PX);
  ts_auto_free char *fitted = ts_text_fit(name, TS_CHART_FONT_PX, rows->name_width);
  double end = rows->left - TS_ROW_GAP_PX - (look ? 2 * TS_ROW_MARKER_PX + TS_ROW_GAP_PX : 0);
  ts_svg_text(out, end, y + 4.5, TS_ANCHOR_END, NULL, fitted);
}

void ts_rows_axis(struct ts_str *out, const struct ts_rows *rows, const struct ts_axis *axis, const char *title) {
  /* Grid lines would run through the names above the bars: ticks only below. */
  ts_svg_x_axis(out, axis, rows->left, rows->right, rows->stacked ? rows->bottom - 4 : rows->top, rows->bottom, title);
  if (!rows->stacked || axis->low >= 0) return;
  double zero = ts_axis_map(axis, 0, rows->left, rows->right), half = rows->bar_height / 2 + 1;
  size_t count = (size_t)lround((rows->bottom - rows->top) / rows->row_height);
  for (size_t i = 0; i < count; i++) {
    double y = ts_rows_middle(rows, i);
    ts_svg_line(out, "axis", zero, y - half, zero, y + half);
  }
}
