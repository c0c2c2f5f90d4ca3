/* First-order and total indices side by side, the gap between them marked as interaction.
 * SPDX-License-Identifier: Apache-2.0 */
#include "report/chart/chart.h"

#include "report/chart/chart_rows.h"
#include "report/chart/svg.h"
#include "report/text.h"

#include <math.h>
#include <stdio.h>

#define BAR_PX     14.0
#define BETWEEN_PX 2.0

const struct ts_look ts_pair_looks[3] = {{"S1: the parameter alone", "#56B4E9", TS_SHAPE_SQUARE},
                                         {"ST: with all its interactions", "#0072B2", TS_SHAPE_CIRCLE},
                                         {"ST beyond S1: interaction", "#E69F00", TS_SHAPE_TRIANGLE}};

static void widen(const struct ts_estimate *estimate, double *low, double *high) {
  const double values[] = {estimate->value, estimate->low, estimate->high};
  for (size_t i = 0; i < 3; i++) {
    if (values[i] < *low) *low = values[i];
    if (values[i] > *high) *high = values[i];
  }
}

/* "S1 0.38": the name in front tells the bars apart without their colours. */
static const char *value_text(const char *name, double value, char *buffer, size_t size) {
  char number[TS_NUMBER_SIZE];
  snprintf(buffer, size, "%s %s", name, isnan(value) ? "unknown" : ts_format_number(value, 3, number));
  return buffer;
}

struct room {
  double name, value; /* px */
  double low, high;   /* of the axis */
};

static struct room measure(const struct ts_pair_bars *bars) {
  struct room room = {0};
  char text[TS_NUMBER_SIZE + 16];
  for (size_t i = 0; i < bars->count; i++) {
    const struct ts_pair_bar *bar = &bars->items[i];
    room.name = fmax(room.name, ts_text_width(bar->name, TS_CHART_FONT_PX));
    value_text("S1", bar->first.value, text, sizeof text);
    room.value = fmax(room.value, ts_text_width(text, TS_CHART_FONT_PX));
    value_text("ST", bar->total.value, text, sizeof text);
    room.value = fmax(room.value, ts_text_width(text, TS_CHART_FONT_PX));
    widen(&bar->first, &room.low, &room.high);
    widen(&bar->total, &room.low, &room.high);
  }
  return room;
}

/* One bar from zero with its interval and value; `split`: where another colour begins, NaN for nowhere. */
static void draw_bar(struct ts_str *out, const struct ts_rows *rows, const struct ts_axis *axis, double y,
                     const struct ts_estimate *estimate, const char *name, const struct ts_look *look, double split) {
  double zero = ts_axis_map(axis, 0, rows->left, rows->right), end = zero;
  if (isfinite(estimate->value)) {
    double tip = ts_axis_map(axis, estimate->value, rows->left, rows->right), from = fmin(zero, tip);
    double until = fmax(zero, tip), cut = isnan(split) ? until : ts_axis_map(axis, split, rows->left, rows->right);
    ts_svg_rect(out, &(struct ts_box){from, y - BAR_PX / 2, cut - from, BAR_PX}, look->colour);
    if (cut < until)
      ts_svg_rect(out, &(struct ts_box){cut, y - BAR_PX / 2, until - cut, BAR_PX}, ts_pair_looks[2].colour);
    end = until;
  }
  if (isfinite(estimate->low) && isfinite(estimate->high) && estimate->high > estimate->low) {
    double to = ts_axis_map(axis, estimate->high, rows->left, rows->right);
    ts_svg_interval(out, ts_axis_map(axis, estimate->low, rows->left, rows->right), to, y, 3);
    end = fmax(end, to);
  }
  char text[TS_NUMBER_SIZE + 16];
  ts_svg_text(out, end + TS_ROW_GAP_PX, y + 4.5, TS_ANCHOR_START, NULL,
              value_text(name, estimate->value, text, sizeof text));
}

void ts_draw_pairs(struct ts_str *out, const struct ts_chart *chart, const char *class_name, double width) {
  const struct ts_pair_bars *bars = chart->data;
  struct room room = measure(bars);
  struct ts_rows rows;
  ts_rows_fit(&rows, width, room.name, ceil(room.value) + TS_ROW_GAP_PX + 2, 0, 2 * BAR_PX + BETWEEN_PX, bars->count);
  for (size_t i = 0; i < bars->count; i++) ts_rows_wrap(&rows, bars->items[i].name, bars->count);
  struct ts_axis axis;
  ts_axis_fit_tight(&axis, room.low, room.high > room.low ? room.high : 1,
                    ts_svg_tick_room(fmax(room.high, -room.low), rows.right - rows.left));
  ts_svg_open(out, class_name, width, rows.bottom + TS_SVG_AXIS_PX, chart->label);
  ts_rows_axis(out, &rows, &axis, bars->axis_title);
  for (size_t i = 0; i < bars->count; i++) {
    const struct ts_pair_bar *bar = &bars->items[i];
    double y = ts_rows_middle(&rows, i), shift = (BAR_PX + BETWEEN_PX) / 2;
    double alone = fmax(bar->first.value, 0); /* an estimate of a share may fall below zero */
    ts_rows_name(out, &rows, i, bar->name, NULL);
    draw_bar(out, &rows, &axis, y - shift, &bar->first, "S1", &ts_pair_looks[0], NAN);
    bool split = isfinite(bar->first.value) && bar->total.value > alone;
    draw_bar(out, &rows, &axis, y + shift, &bar->total, "ST", &ts_pair_looks[1], split ? alone : NAN);
  }
  ts_svg_close(out);
}
