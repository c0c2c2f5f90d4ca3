/* Ranked bars with intervals, and the waterfall: both are rows of bars along one axis.
 * SPDX-License-Identifier: Apache-2.0 */
#include "report/chart.h"

#include "base/alloc.h"
#include "report/svg.h"
#include "report/text.h"

#include <math.h>

#define MARKER_PX 5.0
#define GAP_PX    6.0

/* Where rows stand. Names stand left of the bars if the longest leaves the bars most of the width, else above them. */
struct rows {
  double left, right; /* of the bars */
  double top, bottom;
  double row_height;
  double bar_height;
  double name_width;
  bool stacked;
};

static void rows_fit(struct rows *rows, double width, double longest_name, double value_room, double marker_room,
                     size_t count) {
  rows->stacked = longest_name + marker_room > 0.36 * width;
  rows->row_height = rows->stacked ? 42 : 26;
  rows->bar_height = 16;
  rows->left = rows->stacked ? 1 : ceil(longest_name) + marker_room + GAP_PX;
  rows->right = width - value_room;
  rows->name_width = rows->stacked ? width - marker_room : longest_name + 1;
  rows->top = 4;
  rows->bottom = rows->top + rows->row_height * (double)count;
}

/* Middle of the bar in row i. */
static double row_middle(const struct rows *rows, size_t i) {
  return rows->top + rows->row_height * (double)i + (rows->stacked ? 18 : 5) + rows->bar_height / 2;
}

static void draw_name(struct ts_str *out, const struct rows *rows, size_t i, const char *name,
                      const struct ts_look *look) {
  char *fitted = ts_text_fit(name, TS_CHART_FONT_PX, rows->name_width);
  double y = row_middle(rows, i);
  if (rows->stacked) {
    if (look) ts_svg_marker(out, look, rows->left + MARKER_PX, y - 18.5, MARKER_PX);
    ts_svg_text(out, rows->left + (look ? 2 * MARKER_PX + GAP_PX : 0), y - 14, TS_ANCHOR_START, NULL, fitted);
  } else {
    if (look) ts_svg_marker(out, look, rows->left - GAP_PX - MARKER_PX, y, MARKER_PX);
    double end = rows->left - GAP_PX - (look ? 2 * MARKER_PX + GAP_PX : 0);
    ts_svg_text(out, end, y + 4.5, TS_ANCHOR_END, NULL, fitted);
  }
  free(fitted);
}

static double longest_bar_name(const struct ts_bars *bars) {
  double longest = 0;
  for (size_t i = 0; i < bars->count; i++)
    longest = fmax(longest, ts_text_width(bars->items[i].name, TS_CHART_FONT_PX));
  return longest;
}

static double largest_bar(const struct ts_bars *bars) {
  double largest = 0;
  for (size_t i = 0; i < bars->count; i++) {
    if (bars->items[i].value > largest) largest = bars->items[i].value;
    if (bars->items[i].high > largest) largest = bars->items[i].high;
  }
  return largest;
}

static void draw_bar(struct ts_str *out, const struct rows *rows, const struct ts_axis *axis, size_t i,
                     const struct ts_bar *bar) {
  double y = row_middle(rows, i), end = rows->left;
  draw_name(out, rows, i, bar->name, bar->look);
  if (isfinite(bar->value)) {
    end = ts_axis_map(axis, bar->value, rows->left, rows->right);
    ts_svg_rect(out, &(struct ts_box){rows->left, y - rows->bar_height / 2, end - rows->left, rows->bar_height},
                bar->look->colour);
  }
  if (isfinite(bar->low) && isfinite(bar->high) && bar->high > bar->low) {
    double from = ts_axis_map(axis, fmax(bar->low, axis->low), rows->left, rows->right);
    double to = ts_axis_map(axis, bar->high, rows->left, rows->right);
    ts_svg_interval(out, from, to, y, 4);
    end = fmax(end, to);
  }
  char number[TS_NUMBER_SIZE];
  ts_svg_text(out, end + GAP_PX, y + 4.5, TS_ANCHOR_START, NULL,
              isnan(bar->value) ? "unknown" : ts_format_number(bar->value, 3, number));
}

static double value_room(const struct ts_bars *bars) {
  double room = 0;
  for (size_t i = 0; i < bars->count; i++) {
    char number[TS_NUMBER_SIZE];
    bool unknown = isnan(bars->items[i].value);
    const char *text = unknown ? "unknown" : ts_format_number(bars->items[i].value, 3, number);
    room = fmax(room, ts_text_width(text, TS_CHART_FONT_PX));
  }
  return ceil(room) + GAP_PX + 2;
}

void ts_draw_bars(struct ts_str *out, const struct ts_chart *chart, const char *class_name, double width) {
  const struct ts_bars *bars = chart->data;
  struct rows rows;
  rows_fit(&rows, width, longest_bar_name(bars), value_room(bars), 2 * MARKER_PX + GAP_PX, bars->count);
  struct ts_axis axis;
  double largest = largest_bar(bars);
  ts_axis_fit_tight(&axis, 0, largest > 0 ? largest : 1, ts_svg_tick_room(largest, rows.right - rows.left));
  ts_svg_open(out, class_name, width, rows.bottom + TS_SVG_AXIS_PX, chart->label);
  if (rows.stacked) {
    /* Grid lines would run through the names that stand above the bars: ticks only below. */
    ts_svg_x_axis(out, &axis, rows.left, rows.right, rows.bottom - 4, rows.bottom, bars->axis_title);
  } else {
    ts_svg_x_axis(out, &axis, rows.left, rows.right, rows.top, rows.bottom, bars->axis_title);
  }
  for (size_t i = 0; i < bars->count; i++) draw_bar(out, &rows, &axis, i, &bars->items[i]);
  ts_svg_close(out);
}

/* ---- waterfall ---- */

static char *fall_text(const struct ts_fall *fall, char *buffer) { return ts_format_number(fall->value, 3, buffer); }

static void draw_falls(struct ts_str *out, const struct ts_waterfall *fall, const struct rows *rows,
                       const struct ts_axis *axis) {
  double level = 0;
  for (size_t i = 0; i < fall->count; i++) {
    const struct ts_fall *item = &fall->items[i];
    double from = item->is_total ? 0 : level, to = item->is_total ? item->value : level + item->value;
    double y = row_middle(rows, i);
    double x1 = ts_axis_map(axis, fmin(from, to), rows->left, rows->right);
    double x2 = ts_axis_map(axis, fmax(from, to), rows->left, rows->right);
    draw_name(out, rows, i, item->name, NULL);
    const char *colour = item->is_total ? ts_colour_get(0) : item->value <= 0 ? ts_colour_get(2) : ts_colour_get(5);
    /* A step that is too small to see still leaves a mark. */
    ts_svg_rect(out, &(struct ts_box){x1, y - rows->bar_height / 2, fmax(x2 - x1, 1.5), rows->bar_height}, colour);
    char number[TS_NUMBER_SIZE];
    ts_svg_text(out, fmax(x2, x1 + 1.5) + GAP_PX, y + 4.5, TS_ANCHOR_START, NULL, fall_text(item, number));
    if (i + 1 < fall->count && !rows->stacked) { /* it would run through the names above the bars */
      double x = ts_axis_map(axis, to, rows->left, rows->right);
      ts_svg_line(out, "dash", x, y + rows->bar_height / 2, x, y + rows->row_height - rows->bar_height / 2);
    }
    level = to;
  }
}

void ts_draw_waterfall(struct ts_str *out, const struct ts_chart *chart, const char *class_name, double width) {
  const struct ts_waterfall *fall = chart->data;
  double longest = 0, largest = 0, room = 0;
  for (size_t i = 0; i < fall->count; i++) {
    char number[TS_NUMBER_SIZE];
    longest = fmax(longest, ts_text_width(fall->items[i].name, TS_CHART_FONT_PX));
    largest = fmax(largest, fall->items[i].value);
    room = fmax(room, ts_text_width(fall_text(&fall->items[i], number), TS_CHART_FONT_PX));
  }
  struct rows rows;
  rows_fit(&rows, width, longest, ceil(room) + GAP_PX + 2, 0, fall->count);
  struct ts_axis axis;
  ts_axis_fit_tight(&axis, 0, largest > 0 ? largest : 1, ts_svg_tick_room(largest, rows.right - rows.left));
  ts_svg_open(out, class_name, width, rows.bottom + TS_SVG_AXIS_PX, chart->label);
  ts_svg_x_axis(out, &axis, rows.left, rows.right, rows.stacked ? rows.bottom - 4 : rows.top, rows.bottom,
                fall->axis_title);
  draw_falls(out, fall, &rows, &axis);
  ts_svg_close(out);
}
