/* Writing SVG elements: short coordinates, escaped text, markers by shape.
 * SPDX-License-Identifier: Apache-2.0 */
#include "report/chart/svg.h"

#include "report/text.h"

#include <math.h>

static const char *const colours[TS_COLOUR_COUNT + 1] = {"#0072B2", "#E69F00", "#009E73", "#CC79A7",
                                                         "#56B4E9", "#D55E00", "#F0E442", "#6B7280"};

const char *ts_colour_get(size_t index) { return colours[index < TS_COLOUR_COUNT ? index : TS_COLOUR_COUNT]; }

static int hex_digit(char c) { return c >= 'a' ? c - 'a' + 10 : c >= 'A' ? c - 'A' + 10 : c - '0'; }

/* Relative luminance as WCAG defines it, of "#rrggbb". */
static double luminance(const char *colour) {
  static const double weights[] = {0.2126, 0.7152, 0.0722};
  double sum = 0;
  for (size_t i = 0; i < 3; i++) {
    double share = (16 * hex_digit(colour[1 + 2 * i]) + hex_digit(colour[2 + 2 * i])) / 255.0;
    sum += weights[i] * (share <= 0.04045 ? share / 12.92 : pow((share + 0.055) / 1.055, 2.4));
  }
  return sum;
}

const char *ts_colour_text_on(const char *colour) {
  double light = luminance(colour) + 0.05;
  return 1.05 / light > light / 0.05 ? "#ffffff" : "#000000";
}

char *ts_colour_scale(double share, char buffer[8]) {
  /* Cividis at eighths (J. R. Nunez et al., 2018, doi:10.1371/journal.pone.0199239); linear in between. */
  static const unsigned char stops[9][3] = {{0, 32, 81},     {17, 54, 108},   {60, 77, 110},
                                            {98, 100, 111},  {127, 124, 117}, {154, 148, 120},
                                            {187, 175, 113}, {226, 203, 92},  {253, 234, 69}};
  static const char digits[] = "0123456789abcdef";
  double position = fmin(fmax(share, 0), 1) * 8;
  size_t below = position >= 8 ? 7 : (size_t)position;
  double rest = position - (double)below;
  buffer[0] = '#';
  for (size_t i = 0; i < 3; i++) {
    int level = (int)lround(stops[below][i] + rest * (stops[below + 1][i] - stops[below][i]));
    buffer[1 + 2 * i] = digits[level >> 4 & 15];
    buffer[2 + 2 * i] = digits[level & 15];
  }
  buffer[7] = '\0';
  return buffer;
}

void ts_svg_number(struct ts_str *out, double number) {
  double rounded = round(number * 10) / 10;
  ts_str_add_double(out, rounded == 0 ? 0 : rounded);
}

void ts_svg_path_rect(struct ts_str *path, double x, double y, double width, double height) {
  ts_str_add_char(path, 'M');
  ts_svg_number(path, x);
  ts_str_add_char(path, ' ');
  ts_svg_number(path, y);
  ts_str_add_char(path, 'h');
  ts_svg_number(path, width);
  ts_str_add_char(path, 'v');
  ts_svg_number(path, height);
  ts_str_add_char(path, 'h');
  ts_svg_number(path, -width);
  ts_str_add_char(path, 'z');
}

/* name="12.3" */
static void attribute(struct ts_str *out, const char *name, double number) {
  ts_str_addf(out, " %s=\"", name);
  ts_svg_number(out, number);
  ts_str_add_char(out, '"');
}

/* From the view box to the end of the tag. */
static void finish_opening(struct ts_str *out, double width, double height, const char *label) {
  ts_str_add(out, " role=\"img\" viewBox=\"0 0 ");
  ts_svg_number(out, width);
  ts_str_add_char(out, ' ');
  ts_svg_number(out, height);
  ts_str_add_char(out, '"');
  attribute(out, "width", width);
  attribute(out, "height", height);
  ts_html_addf(out, " aria-label=\"%s\">\n", label);
}

void ts_svg_open(struct ts_str *out, const char *class_name, double width, double height, const char *label) {
  ts_str_addf(out, "<svg class=\"%s\"", class_name);
  finish_opening(out, width, height, label);
}

void ts_svg_open_file(struct ts_str *out, double width, double height, const char *label) {
  ts_str_add(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\"");
  finish_opening(out, width, height, label);
}

void ts_svg_close(struct ts_str *out) { ts_str_add(out, "</svg>\n"); }

static void rect_open(struct ts_str *out, const struct ts_box *box, const char *fill) {
  ts_str_add(out, "<rect");
  attribute(out, "x", box->x);
  attribute(out, "y", box->y);
  attribute(out, "width", fmax(box->width, 0));
  attribute(out, "height", fmax(box->height, 0));
  ts_str_addf(out, " fill=\"%s\"", fill);
}

void ts_svg_rect(struct ts_str *out, const struct ts_box *box, const char *fill) {
  rect_open(out, box, fill);
  ts_str_add(out, "/>\n");
}

static void add_title(struct ts_str *out, const char *title) { ts_html_addf(out, "><title>%s</title></", title); }

void ts_svg_rect_titled(struct ts_str *out, const struct ts_box *box, const char *fill, const char *title) {
  rect_open(out, box, fill);
  add_title(out, title);
  ts_str_add(out, "rect>\n");
}

void ts_svg_dot_titled(struct ts_str *out, double x, double y, double radius, const char *fill, const char *title) {
  ts_str_add(out, "<circle");
  attribute(out, "cx", x);
  attribute(out, "cy", y);
  attribute(out, "r", radius);
  ts_str_addf(out, " fill=\"%s\" fill-opacity=\"0.7\"", fill);
  add_title(out, title);
  ts_str_add(out, "circle>\n");
}

static void path_open(struct ts_str *out, const struct ts_xy *points, size_t count) {
  ts_str_add(out, "<path d=\"");
  for (size_t i = 0; i < count; i++) {
    ts_str_add_char(out, i == 0 ? 'M' : 'L');
    ts_svg_number(out, points[i].x);
    ts_str_add_char(out, ' ');
    ts_svg_number(out, points[i].y);
  }
}

void ts_svg_path(struct ts_str *out, const struct ts_xy *points, size_t count, const char *colour) {
  if (count < 2) return;
  path_open(out, points, count);
  ts_str_addf(out, "\" fill=\"none\" stroke=\"%s\" stroke-width=\"2\"/>\n", colour);
}

void ts_svg_area(struct ts_str *out, const struct ts_xy *points, size_t count, const char *colour) {
  if (count < 3) return;
  path_open(out, points, count);
  ts_str_addf(out, "z\" fill=\"%s\" fill-opacity=\"0.15\"/>\n", colour);
}

void ts_svg_line(struct ts_str *out, const char *class_name, double x1, double y1, double x2, double y2) {
  ts_str_addf(out, "<line class=\"%s\"", class_name);
  attribute(out, "x1", x1);
  attribute(out, "y1", y1);
  attribute(out, "x2", x2);
  attribute(out, "y2", y2);
  ts_str_add(out, "/>\n");
}

void ts_svg_text(struct ts_str *out, double x, double y, enum ts_anchor anchor, const char *fill, const char *text) {
  static const char *const anchors[] = {"", " text-anchor=\"middle\"", " text-anchor=\"end\""};
  if (!*text) return;
  ts_str_add(out, "<text");
  attribute(out, "x", x);
  attribute(out, "y", y);
  ts_str_add(out, anchors[anchor]);
  if (fill) ts_str_addf(out, " fill=\"%s\"", fill);
  ts_str_add_char(out, '>');
  ts_html_addf(out, "%s</text>\n", text);
}

void ts_svg_label(struct ts_str *out, double x, double y, const char *text) {
  ts_str_add(out, "<text class=\"rim\"");
  attribute(out, "x", x);
  attribute(out, "y", y);
  ts_html_addf(out, " text-anchor=\"middle\">%s</text>\n", text);
}

void ts_svg_marker(struct ts_str *out, const struct ts_look *look, double x, double y, double radius) {
  if (look->shape == TS_SHAPE_SQUARE) {
    double half = radius * 0.85;
    ts_svg_rect(out, &(struct ts_box){x - half, y - half, 2 * half, 2 * half}, look->colour);
    return;
  }
  if (look->shape == TS_SHAPE_CIRCLE) {
    ts_str_add(out, "<circle");
    attribute(out, "cx", x);
    attribute(out, "cy", y);
    attribute(out, "r", radius);
  } else {
    ts_str_add(out, "<path d=\"M");
    ts_svg_number(out, x);
    ts_str_add_char(out, ' ');
    ts_svg_number(out, y - 1.2 * radius);
    ts_str_add_char(out, 'l');
    ts_svg_number(out, 1.1 * radius);
    ts_str_add_char(out, ' ');
    ts_svg_number(out, 2 * radius);
    ts_str_add_char(out, 'h');
    ts_svg_number(out, -2.2 * radius);
    ts_str_add(out, "z\"");
  }
  ts_str_addf(out, " fill=\"%s\"/>\n", look->colour);
}

void ts_svg_interval(struct ts_str *out, double from, double to, double y, double cap) {
  static const char *const layers[] = {"halo", "whisker"};
  for (size_t i = 0; i < 2; i++) {
    ts_svg_line(out, layers[i], from, y, to, y);
    if (cap <= 0) continue;
    ts_svg_line(out, layers[i], from, y - cap, from, y + cap);
    ts_svg_line(out, layers[i], to, y - cap, to, y + cap);
  }
}

void ts_svg_scale(struct ts_str *out, double low, double high, double top, double width) {
  double length = fmin(width - 2, 240);
  char number[TS_NUMBER_SIZE];
  for (int i = 0; i < 24; i++) {
    char colour[8];
    ts_svg_rect(out, &(struct ts_box){length * i / 24, top, length / 24 + 0.5, 10},
                ts_colour_scale((i + 0.5) / 24, colour));
  }
  ts_svg_text(out, 0, top + 26, TS_ANCHOR_START, NULL, ts_format_number(low, 3, number));
  ts_svg_text(out, length, top + 26, TS_ANCHOR_END, NULL, ts_format_number(high, 3, number));
}

size_t ts_svg_tick_room(double high, double width_px) {
  char number[TS_NUMBER_SIZE];
  ts_format_number(high, 2, number);
  double each = fmax(ts_text_width(number, TS_CHART_FONT_PX), 24) + 22;
  double room = floor(width_px / each);
  return room < 2 ? 2 : room > 9 ? 9 : (size_t)room;
}

void ts_svg_x_axis(struct ts_str *out, const struct ts_axis *axis, double left, double right, double top, double bottom,
                   const char *title) {
  double free_from = -1e9;
  for (size_t i = 0; i < axis->tick_count; i++) {
    double value = ts_axis_tick(axis, i), x = ts_axis_map(axis, value, left, right);
    ts_svg_line(out, value == 0 ? "axis" : "grid", x, top, x, bottom);
    char number[TS_NUMBER_SIZE];
    ts_format_fixed(value, axis->decimals, number);
    double half = ts_text_width(number, TS_CHART_FONT_PX) / 2;
    double middle = fmax(x, half); /* the first one may be at the very edge */
    if (middle - half < free_from) continue;
    ts_svg_text(out, middle, bottom + 16, TS_ANCHOR_MIDDLE, NULL, number);
    free_from = middle + half + 4;
  }
  ts_svg_text(out, right, bottom + 34, TS_ANCHOR_END, NULL, title);
}
