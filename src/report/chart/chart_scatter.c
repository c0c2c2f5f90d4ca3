/* The Morris plane: mu* against sigma, with lines of equal sigma/mu* and labels that do not collide.
 * SPDX-License-Identifier: Apache-2.0 */
#include "report/chart/chart.h"

#include "base/alloc.h"
#include "report/chart/svg.h"
#include "report/text.h"

#include <math.h>

#define RADIUS_PX 5.0
#define TOP_PX    44.0 /* title of the y axis and the ends of steep lines */

static const struct {
  double slope;
  const char *text;
} guides[] = {{0.1, "sigma = 0.1 mu*"}, {0.5, "sigma = 0.5 mu*"}, {1, "sigma = mu*"}};
#define GUIDE_COUNT (sizeof guides / sizeof *guides)

struct plane {
  struct ts_axis x, y;
  double left, right, top, bottom;
};

static double px(const struct plane *plane, double x) { return ts_axis_map(&plane->x, x, plane->left, plane->right); }

static double py(const struct plane *plane, double y) { return ts_axis_map(&plane->y, y, plane->bottom, plane->top); }

static void fit_plane(struct plane *plane, const struct ts_scatter *scatter, double width) {
  double x = 0, y = 0;
  for (size_t i = 0; i < scatter->count; i++) {
    x = fmax(x, fmax(scatter->items[i].x, isnan(scatter->items[i].high) ? 0 : scatter->items[i].high));
    y = fmax(y, scatter->items[i].y);
  }
  if (!(x > 0)) x = 1;
  /* Flat data would squeeze the lines of equal sigma/mu* into one corner. */
  y = fmax(y * 1.04, 0.35 * x);
  double height = width > 400 ? 300 : 250;
  plane->top = TOP_PX;
  plane->bottom = plane->top + height;
  ts_axis_fit(&plane->y, 0, y, 6);
  char number[TS_NUMBER_SIZE];
  ts_format_fixed(plane->y.high, plane->y.decimals, number);
  plane->left = ceil(ts_text_width(number, TS_CHART_FONT_PX)) + 10;
  plane->right = width - ceil(ts_text_width(guides[0].text, TS_CHART_FONT_PX)) - 8;
  ts_axis_fit(&plane->x, 0, x, ts_svg_tick_room(x, plane->right - plane->left));
}

static void draw_y_axis(struct ts_str *out, const struct plane *plane) {
  for (size_t i = 0; i < plane->y.tick_count; i++) {
    double value = ts_axis_tick(&plane->y, i), y = py(plane, value);
    char number[TS_NUMBER_SIZE];
    ts_svg_line(out, value == 0 ? "axis" : "grid", plane->left, y, plane->right, y);
    if (value == 0) continue; /* the zero of the other axis is there */
    ts_svg_text(out, plane->left - 6, y + 4.5, TS_ANCHOR_END, NULL, ts_format_fixed(value, plane->y.decimals, number));
  }
  ts_svg_text(out, 0, 13, TS_ANCHOR_START, NULL, "\xe2\x86\x91 sigma (effect differs from place to place)");
}

/* A line through the origin, named where it leaves the plane: at the right edge, or above the top one. */
static void draw_guide(struct ts_str *out, const struct plane *plane, size_t index, struct ts_label *label,
                       const struct ts_label *before, size_t before_count) {
  double slope = guides[index].slope, x = plane->x.high, y = slope * x;
  bool leaves_right = y <= plane->y.high;
  if (!leaves_right) {
    y = plane->y.high;
    x = y / slope;
  }
  ts_svg_line(out, "dash", plane->left, plane->bottom, px(plane, x), py(plane, y));
  double width = ts_text_width(guides[index].text, TS_CHART_FONT_PX), height = TS_CHART_FONT_PX * 1.2;
  label->text = guides[index].text;
  label->box = (struct ts_box){.width = width, .height = height};
  if (leaves_right) {
    label->box.x = plane->right + 5;
    label->box.y = py(plane, y) - height / 2;
  } else {
    label->box.x = fmin(px(plane, x) - width / 2, plane->right - width / 2);
    label->box.y = plane->top - height - 3;
  }
  label->placed = true;
  for (size_t i = 0; i < before_count; i++) {
    if (ts_box_overlaps(&label->box, &before[i].box)) label->placed = false;
  }
  if (!label->placed) return;
  ts_svg_text(out, label->box.x, label->box.y + height - 3.5, TS_ANCHOR_START, "#4b5563", guides[index].text);
}

/* Every marker, interval and guide name is in the way of labels. */
static size_t collect_obstacles(const struct plane *plane, const struct ts_scatter *scatter, struct ts_box *boxes) {
  size_t count = 0;
  for (size_t i = 0; i < scatter->count; i++) {
    const struct ts_point *point = &scatter->items[i];
    double x = px(plane, point->x), y = py(plane, point->y), reach = RADIUS_PX + 1;
    boxes[count++] = (struct ts_box){x - reach, y - reach, 2 * reach, 2 * reach};
    if (isnan(point->low) || isnan(point->high)) continue;
    double from = px(plane, fmax(point->low, 0)), to = px(plane, point->high);
    boxes[count++] = (struct ts_box){from, y - 1.5, to - from, 3};
  }
  return count;
}

static void draw_points(struct ts_str *out, const struct plane *plane, const struct ts_scatter *scatter, double width) {
  for (size_t i = 0; i < scatter->count; i++) {
    const struct ts_point *point = &scatter->items[i];
    if (isnan(point->low) || isnan(point->high) || point->high <= point->low) continue;
    ts_svg_interval(out, px(plane, fmax(point->low, 0)), px(plane, point->high), py(plane, point->y), 0);
  }
  for (size_t i = scatter->count; i-- > 0;) { /* the most important ones on top */
    const struct ts_point *point = &scatter->items[i];
    ts_svg_marker(out, point->look, px(plane, point->x), py(plane, point->y), RADIUS_PX);
  }
  size_t label_count = width > 400 ? 8 : 5;
  if (label_count > scatter->count) label_count = scatter->count;
  ts_auto_free struct ts_label *labels = ts_calloc(label_count + 1, sizeof *labels);
  ts_auto_free struct ts_box *obstacles = ts_calloc(2 * scatter->count + 1, sizeof *obstacles);
  size_t obstacle_count = collect_obstacles(plane, scatter, obstacles);
  for (size_t i = 0; i < label_count; i++) {
    const struct ts_point *point = &scatter->items[i];
    labels[i] =
        (struct ts_label){.text = point->name, .x = px(plane, point->x), .y = py(plane, point->y), .radius = RADIUS_PX};
  }
  struct ts_box frame = {plane->left + 2, plane->top + 1, plane->right - plane->left - 3,
                         plane->bottom - plane->top - 3};
  ts_labels_place(labels, label_count, obstacles, obstacle_count, &frame, TS_CHART_FONT_PX);
  for (size_t i = 0; i < label_count; i++) {
    if (!labels[i].placed) continue;
    double x = labels[i].box.x + labels[i].box.width / 2, y = labels[i].box.y + labels[i].box.height - 4;
    ts_svg_label(out, x, y, labels[i].text);
  }
}

void ts_draw_scatter(struct ts_str *out, const struct ts_chart *chart, const char *class_name, double width) {
  const struct ts_scatter *scatter = chart->data;
  struct plane plane;
  fit_plane(&plane, scatter, width);
  ts_svg_open(out, class_name, width, plane.bottom + TS_SVG_AXIS_PX, chart->label);
  ts_svg_x_axis(out, &plane.x, plane.left, plane.right, plane.top, plane.bottom,
                "mu* (size of the effect) \xe2\x86\x92");
  draw_y_axis(out, &plane);
  struct ts_label names[GUIDE_COUNT] = {{0}};
  for (size_t i = 0; i < GUIDE_COUNT; i++) draw_guide(out, &plane, i, &names[i], names, i);
  draw_points(out, &plane, scatter, width);
  ts_svg_close(out);
}
