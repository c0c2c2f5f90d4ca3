/* Lines with bands over a growing number of samples: whether an index has settled.
 * SPDX-License-Identifier: Apache-2.0 */
#include "report/chart/chart.h"

#include "base/alloc.h"
#include "report/chart/svg.h"
#include "report/text.h"

#include <math.h>
#include <stdlib.h>

#define TOP_PX    26.0
#define RADIUS_PX 4.0
#define LABEL_PX  16.0

struct plane {
  struct ts_axis y;
  double from, to; /* of the places, logarithms */
  double left, right, top, bottom;
  bool named; /* the lines, at their ends */
};

static double px(const struct plane *plane, double place) {
  if (!(plane->to > plane->from)) return (plane->left + plane->right) / 2;
  double inset = RADIUS_PX + 2;
  return plane->left + inset +
         (log(place) - plane->from) / (plane->to - plane->from) * (plane->right - plane->left - 2 * inset);
}

static double py(const struct plane *plane, double value) {
  return ts_axis_map(&plane->y, value, plane->bottom, plane->top);
}

static bool has_band(const struct ts_estimate *cell) {
  return isfinite(cell->low) && isfinite(cell->high) && cell->high > cell->low;
}

static void value_range(const struct ts_lines *lines, double *low, double *high) {
  *low = *high = 0;
  for (size_t i = 0; i < lines->count; i++) {
    for (size_t p = 0; p < lines->place_count; p++) {
      const struct ts_estimate *cell = &lines->items[i].cells[p];
      const double values[] = {cell->value, cell->low, cell->high};
      for (size_t k = 0; k < 3; k++) {
        if (isfinite(values[k]) && values[k] < *low) *low = values[k];
        if (isfinite(values[k]) && values[k] > *high) *high = values[k];
      }
    }
  }
  if (!(*high > *low)) *high = *low + 1;
}

static void fit_plane(struct plane *plane, const struct ts_lines *lines, double width) {
  double low, high, longest = 0;
  value_range(lines, &low, &high);
  ts_axis_fit(&plane->y, low, high, 6);
  double tick_room = 0;
  for (size_t i = 0; i < plane->y.tick_count; i++) {
    char number[TS_NUMBER_SIZE];
    ts_format_fixed(ts_axis_tick(&plane->y, i), plane->y.decimals, number);
    tick_room = fmax(tick_room, ts_text_width(number, TS_CHART_FONT_PX));
  }
  for (size_t i = 0; i < lines->count; i++)
    longest = fmax(longest, ts_text_width(lines->items[i].name, TS_CHART_FONT_PX));
  plane->named = longest <= 0.3 * width;
  plane->left = ceil(tick_room) + 8;
  char last[TS_NUMBER_SIZE];
  ts_format_number(lines->places[lines->place_count - 1], 3, last);
  double half = ceil(ts_text_width(last, TS_CHART_FONT_PX) / 2); /* the last number reaches beyond its place */
  plane->right = width - (plane->named ? fmax(ceil(longest) + 24, half) : half);
  plane->top = TOP_PX;
  plane->bottom = TOP_PX + (width > 400 ? 260 : 230);
  plane->from = log(lines->places[0]);
  plane->to = log(lines->places[lines->place_count - 1]);
}

static void draw_axes(struct ts_str *out, const struct plane *plane, const struct ts_lines *lines) {
  char number[TS_NUMBER_SIZE];
  for (size_t i = 0; i < plane->y.tick_count; i++) {
    double value = ts_axis_tick(&plane->y, i), y = py(plane, value);
    ts_svg_line(out, value == 0 ? "axis" : "grid", plane->left, y, plane->right, y);
    ts_svg_text(out, plane->left - 6, y + 4.5, TS_ANCHOR_END, NULL, ts_format_fixed(value, plane->y.decimals, number));
  }
  ts_svg_text(out, 0, 13, TS_ANCHOR_START, NULL, lines->y_title);
  /* From the right: the last place, with all the data, always has its number. */
  double free_until = INFINITY;
  for (size_t p = lines->place_count; p-- > 0;) {
    double x = px(plane, lines->places[p]);
    ts_svg_line(out, "grid", x, plane->bottom, x, plane->bottom + 4);
    ts_format_number(lines->places[p], 3, number);
    double half = ts_text_width(number, TS_CHART_FONT_PX) / 2;
    if (x + half > free_until || x - half < 0) continue;
    ts_svg_text(out, x, plane->bottom + 18, TS_ANCHOR_MIDDLE, NULL, number);
    free_until = x - half - 6;
  }
  ts_svg_text(out, plane->right, plane->bottom + 36, TS_ANCHOR_END, NULL, lines->x_title);
}

/* Forth along the upper ends and back along the lower ones; places without an interval part the band. */
static void draw_band(struct ts_str *out, const struct plane *plane, const struct ts_lines *lines,
                      const struct ts_line *line, struct ts_xy *points) {
  for (size_t p = 0; p < lines->place_count;) {
    size_t end = p, count = 0;
    while (end < lines->place_count && has_band(&line->cells[end])) end++;
    for (size_t i = p; i < end; i++)
      points[count++] = (struct ts_xy){px(plane, lines->places[i]), py(plane, line->cells[i].high)};
    for (size_t i = end; i-- > p;)
      points[count++] = (struct ts_xy){px(plane, lines->places[i]), py(plane, line->cells[i].low)};
    ts_svg_area(out, points, count, line->look->colour);
    if (end == p + 1) { /* a band without width */
      double x = px(plane, lines->places[p]);
      ts_svg_line(out, "whisker", x, points[0].y, x, points[1].y);
    }
    p = end > p ? end : p + 1;
  }
}

static void draw_line(struct ts_str *out, const struct plane *plane, const struct ts_lines *lines,
                      const struct ts_line *line, struct ts_xy *points) {
  size_t count = 0;
  for (size_t p = 0; p < lines->place_count; p++) {
    if (!isfinite(line->cells[p].value)) continue;
    points[count++] = (struct ts_xy){px(plane, lines->places[p]), py(plane, line->cells[p].value)};
  }
  ts_svg_path(out, points, count, line->look->colour);
  for (size_t i = 0; i < count; i++) ts_svg_marker(out, line->look, points[i].x, points[i].y, RADIUS_PX);
}

void ts_spread(double *y, size_t count, double height, double top, double bottom) {
  /* Indices in the order of y: few, so a simple sort. */
  ts_auto_free size_t *order = ts_calloc(count + 1, sizeof *order);
  for (size_t i = 0; i < count; i++) {
    size_t k = i;
    while (k > 0 && y[order[k - 1]] > y[i]) {
      order[k] = order[k - 1];
      k--;
    }
    order[k] = i;
  }
  double least = top + height / 2;
  for (size_t i = 0; i < count; i++) {
    if (y[order[i]] < least) y[order[i]] = least;
    least = y[order[i]] + height;
  }
  double most = bottom - height / 2;
  for (size_t i = count; i-- > 0;) {
    if (y[order[i]] > most) y[order[i]] = most;
    most = y[order[i]] - height;
  }
}

/* Names at the right, moved apart, each joined to the end of its line. */
static void draw_names(struct ts_str *out, const struct plane *plane, const struct ts_lines *lines) {
  ts_auto_free double *ends = ts_calloc(lines->count + 1, sizeof *ends);
  ts_auto_free double *middles = ts_calloc(lines->count + 1, sizeof *middles);
  ts_auto_free size_t *which = ts_calloc(lines->count + 1, sizeof *which);
  size_t count = 0;
  for (size_t i = 0; i < lines->count; i++) {
    double last = lines->items[i].cells[lines->place_count - 1].value;
    if (!isfinite(last)) continue;
    which[count] = i;
    ends[count] = middles[count] = py(plane, last);
    count++;
  }
  ts_spread(middles, count, LABEL_PX, plane->top - LABEL_PX / 2, plane->bottom);
  double x = px(plane, lines->places[lines->place_count - 1]);
  for (size_t i = 0; i < count; i++) {
    ts_svg_line(out, "axis", x + RADIUS_PX + 2, ends[i], plane->right + 16, middles[i]);
    ts_svg_text(out, plane->right + 20, middles[i] + 4.5, TS_ANCHOR_START, NULL, lines->items[which[i]].name);
  }
}

void ts_draw_lines(struct ts_str *out, const struct ts_chart *chart, const char *class_name, double width) {
  const struct ts_lines *lines = chart->data;
  struct plane plane;
  fit_plane(&plane, lines, width);
  ts_svg_open(out, class_name, width, plane.bottom + TS_SVG_AXIS_PX + 2, chart->label);
  draw_axes(out, &plane, lines);
  ts_auto_free struct ts_xy *points = ts_calloc(2 * lines->place_count + 1, sizeof *points);
  for (size_t i = lines->count; i-- > 0;) draw_band(out, &plane, lines, &lines->items[i], points);
  for (size_t i = lines->count; i-- > 0;) draw_line(out, &plane, lines, &lines->items[i], points);
  if (plane.named) draw_names(out, &plane, lines);
  ts_svg_close(out);
}
