/* Ranked bars with intervals, and the waterfall: both are rows of bars along one axis.
 * SPDX-License-Identifier: Apache-2.0 */
#include "report/chart/chart.h"

#include "base/alloc.h"
#include "report/chart/chart_rows.h"
#include "report/chart/svg.h"
#include "report/text.h"

#include <math.h>

#define BAR_PX 16.0

static double longest_bar_name(const struct ts_bars *bars) {
  double longest = 0;
  for (size_t i = 0; i < bars->count; i++)
    longest = fmax(longest, ts_text_width(bars->items[i].name, TS_CHART_FONT_PX));
  return longest;
}

/* What the axis must span beside zero; its lower end is zero unless the values have a sign. */
static void bar_range(const struct ts_bars *bars, double *smallest, double *largest) {
  *smallest = *largest = 0;
  for (size_t i = 0; i < bars->count; i++) {
    const struct ts_bar *bar = &bars->items[i];
    if (bar->value > *largest) *largest = bar->value;
    if (bar->high > *largest) *largest = bar->high;
    if (!bars->has_sign) continue;
    if (bar->value < *smallest) *smallest = bar->value;
    if (bar->low < *smallest) *smallest = bar->low;
  }
}

static void draw_bar(struct ts_str *out, const struct ts_rows *rows, const struct ts_axis *axis, size_t i,
                     const struct ts_bar *bar) {
  double y = ts_rows_middle(rows, i), zero = ts_axis_map(axis, 0, rows->left, rows->right), end = zero;
  ts_rows_name(out, rows, i, bar->name, *bar->look->name ? bar->look : NULL);
  if (isfinite(bar->value)) {
    double tip = ts_axis_map(axis, bar->value, rows->left, rows->right);
    ts_svg_rect(out, &(struct ts_box){fmin(zero, tip), y - rows->bar_height / 2, fabs(tip - zero), rows->bar_height},
                bar->look->colour);
    end = fmax(zero, tip);
  }
  if (isfinite(bar->low) && isfinite(bar->high) && bar->high > bar->low) {
    double from = ts_axis_map(axis, fmax(bar->low, axis->low), rows->left, rows->right);
    double to = ts_axis_map(axis, bar->high, rows->left, rows->right);
    ts_svg_interval(out, from, to, y, 4);
    end = fmax(end, to);
  }
  char number[TS_NUMBER_SIZE];
  ts_svg_text(out, end + TS_ROW_GAP_PX, y + 4.5, TS_ANCHOR_START, NULL,
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
  return ceil(room) + TS_ROW_GAP_PX + 2;
}

void ts_draw_bars(struct ts_str *out, const struct ts_chart *chart, const char *class_name, double width) {
  const struct ts_bars *bars = chart->data;
  struct ts_rows rows;
  bool marked = bars->count > 0 && *bars->items[0].look->name;
  ts_rows_fit(&rows, width, longest_bar_name(bars), value_room(bars), marked ? 2 * TS_ROW_MARKER_PX + TS_ROW_GAP_PX : 0,
              BAR_PX, bars->count);
  for (size_t i = 0; i < bars->count; i++) ts_rows_wrap(&rows, bars->items[i].name, bars->count);
  struct ts_axis axis;
  double smallest, largest;
  bar_range(bars, &smallest, &largest);
  ts_axis_fit_tight(&axis, smallest, largest > smallest ? largest : 1,
                    ts_svg_tick_room(fmax(largest, -smallest), rows.right - rows.left));
  ts_svg_open(out, class_name, width, rows.bottom + TS_SVG_AXIS_PX, chart->label);
  ts_rows_axis(out, &rows, &axis, bars->axis_title);
  for (size_t i = 0; i < bars->count; i++) draw_bar(out, &rows, &axis, i, &bars->items[i]);
  ts_svg_close(out);
}

/* ---- waterfall ---- */

static char *fall_text(const struct ts_fall *fall, char *buffer) { return ts_format_number(fall->value, 3, buffer); }

static void draw_falls(struct ts_str *out, const struct ts_waterfall *fall, const struct ts_rows *rows,
                       const struct ts_axis *axis) {
  double level = 0;
  for (size_t i = 0; i < fall->count; i++) {
    const struct ts_fall *item = &fall->items[i];
    double from = item->is_total ? 0 : level, to = item->is_total ? item->value : level + item->value;
    double y = ts_rows_middle(rows, i);
    double x1 = ts_axis_map(axis, fmin(from, to), rows->left, rows->right);
    double x2 = ts_axis_map(axis, fmax(from, to), rows->left, rows->right);
    ts_rows_name(out, rows, i, item->name, NULL);
    const char *colour = item->is_total ? ts_colour_get(0) : item->value <= 0 ? ts_colour_get(2) : ts_colour_get(5);
    /* A step that is too small to see still leaves a mark. */
    ts_svg_rect(out, &(struct ts_box){x1, y - rows->bar_height / 2, fmax(x2 - x1, 1.5), rows->bar_height}, colour);
    char number[TS_NUMBER_SIZE];
    ts_svg_text(out, fmax(x2, x1 + 1.5) + TS_ROW_GAP_PX, y + 4.5, TS_ANCHOR_START, NULL, fall_text(item, number));
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
  struct ts_rows rows;
  ts_rows_fit(&rows, width, longest, ceil(room) + TS_ROW_GAP_PX + 2, 0, BAR_PX, fall->count);
  struct ts_axis axis;
  ts_axis_fit_tight(&axis, 0, largest > 0 ? largest : 1, ts_svg_tick_room(largest, rows.right - rows.left));
  ts_svg_open(out, class_name, width, rows.bottom + TS_SVG_AXIS_PX, chart->label);
  ts_rows_axis(out, &rows, &axis, fall->axis_title);
  draw_falls(out, fall, &rows, &axis);
  ts_svg_close(out);
}
