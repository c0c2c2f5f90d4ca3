/* The strip plot: one dot per slide, and a square per group of slides, around the value of all slides together.
 * SPDX-License-Identifier: Apache-2.0 */
#include "report/chart/chart.h"

#include "base/alloc.h"
#include "report/chart/chart_rows.h"
#include "report/chart/svg.h"
#include "report/text.h"

#include <math.h>

#define RADIUS_PX 4.0
#define LANE_PX   30.0 /* dots above, the pooled value below them */
#define GROUPS_PX 12.0 /* more for the squares of groups, between the two */

const struct ts_look ts_strip_looks[3] = {{"one slide", "#0072B2", TS_SHAPE_CIRCLE},
                                          {"all slides together, with its interval", "#D55E00", TS_SHAPE_TRIANGLE},
                                          {"one group of slides", "#009E73", TS_SHAPE_SQUARE}};

static void widen(double value, double *low, double *high) {
  if (!isfinite(value)) return;
  *low = fmin(*low, value);
  *high = fmax(*high, value);
}

static void value_range(const struct ts_strips *strips, double *low, double *high) {
  *low = *high = 0; /* an index says most when zero is in sight */
  for (size_t i = 0; i < strips->count; i++) {
    const struct ts_strip *strip = &strips->items[i];
    widen(strip->pooled.value, low, high);
    widen(strip->pooled.low, low, high);
    widen(strip->pooled.high, low, high);
    for (size_t k = 0; k < strips->slide_count; k++) widen(strip->dots[k], low, high);
    for (size_t k = 0; k < strips->group_count; k++) widen(strip->squares[k], low, high);
  }
  if (!(*high > *low)) *high = *low + 1;
}

/* A mark with what it is as its title. */
static void add_title(struct ts_str *title, const struct ts_strip *strip, const char *what, double value) {
  char number[TS_NUMBER_SIZE];
  ts_str_addf(title, "%s, %s: %s", strip->name, what, ts_format_number(value, 3, number));
}

static void draw_groups(struct ts_str *out, const struct ts_strips *strips, const struct ts_strip *strip,
                        const struct ts_rows *rows, const struct ts_axis *axis, double y) {
  const double half = RADIUS_PX * 0.9;
  for (size_t k = 0; k < strips->group_count; k++) {
    if (!isfinite(strip->squares[k])) continue;
    ts_auto(ts_str_release) struct ts_str title = {0};
    add_title(&title, strip, strips->groups[k], strip->squares[k]);
    const double x = ts_axis_map(axis, strip->squares[k], rows->left, rows->right);
    /* Groups with nearly equal values stay visible beside each other. */
    const double middle = y + (k % 2 ? 2 : -2);
    ts_svg_rect_titled(out, &(struct ts_box){x - half, middle - half, 2 * half, 2 * half}, ts_strip_looks[2].colour,
                       ts_str_get(&title));
  }
}

static void draw_strip(struct ts_str *out, const struct ts_strips *strips, const struct ts_rows *rows,
                       const struct ts_axis *axis, size_t i) {
  const struct ts_strip *strip = &strips->items[i];
  const double extra = strips->group_count > 0 ? GROUPS_PX / 2 : 0;
  double y = ts_rows_middle(rows, i) - extra;
  ts_rows_name(out, rows, i, strip->name, NULL);
  for (size_t k = 0; k < strips->slide_count; k++) {
    if (!isfinite(strip->dots[k])) continue;
    ts_auto(ts_str_release) struct ts_str title = {0};
    add_title(&title, strip, strips->slides[k], strip->dots[k]);
    /* Slides with equal values lie at different heights, each slide always at its own. */
    double lane = strips->slide_count > 1 ? (double)(k % 3) * 5 - 5 : 0;
    ts_svg_dot_titled(out, ts_axis_map(axis, strip->dots[k], rows->left, rows->right), y - 5 + lane, RADIUS_PX,
                      ts_strip_looks[0].colour, ts_str_get(&title));
  }
  draw_groups(out, strips, strip, rows, axis, y + 9);
  if (!isfinite(strip->pooled.value)) return;
  double below = y + 9 + 2 * extra;
  if (isfinite(strip->pooled.low) && isfinite(strip->pooled.high) && strip->pooled.high > strip->pooled.low)
    ts_svg_interval(out, ts_axis_map(axis, strip->pooled.low, rows->left, rows->right),
                    ts_axis_map(axis, strip->pooled.high, rows->left, rows->right), below, 3);
  ts_svg_marker(out, &ts_strip_looks[1], ts_axis_map(axis, strip->pooled.value, rows->left, rows->right), below,
                RADIUS_PX + 0.5);
}

void ts_draw_strips(struct ts_str *out, const struct ts_chart *chart, const char *class_name, double width) {
  const struct ts_strips *strips = chart->data;
  double longest = 0, low, high;
  for (size_t i = 0; i < strips->count; i++)
    longest = fmax(longest, ts_text_width(strips->items[i].name, TS_CHART_FONT_PX));
  value_range(strips, &low, &high);
  struct ts_rows rows;
  char number[TS_NUMBER_SIZE];
  double tick = ts_text_width(ts_format_number(fmax(high, -low), 3, number), TS_CHART_FONT_PX);
  const double lane = LANE_PX + (strips->group_count > 0 ? GROUPS_PX : 0);
  ts_rows_fit(&rows, width, longest, fmax(ceil(tick / 2) + 4, 20), 0, lane, strips->count);
  for (size_t i = 0; i < strips->count; i++) ts_rows_wrap(&rows, strips->items[i].name, strips->count);
  rows.left += RADIUS_PX + 1; /* dots at the end of the axis are whole */
  struct ts_axis axis;
  ts_axis_fit_tight(&axis, low, high, ts_svg_tick_room(fmax(high, -low), rows.right - rows.left));
  ts_svg_open(out, class_name, width, rows.bottom + TS_SVG_AXIS_PX, chart->label);
  ts_rows_axis(out, &rows, &axis, strips->axis_title);
  for (size_t i = 0; i < strips->count; i++) draw_strip(out, strips, &rows, &axis, i);
  ts_svg_close(out);
}
