/* Writing SVG elements: short coordinates, escaped text, markers by shape.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_REPORT_SVG_H
#define TS_REPORT_SVG_H

#include "base/str.h"
#include "report/chart/chart.h"

enum ts_anchor { TS_ANCHOR_START, TS_ANCHOR_MIDDLE, TS_ANCHOR_END };

/* An image for screen readers: role img with the label as its name. */
void ts_svg_open(struct ts_str *out, const char *class_name, double width, double height, const char *label);
/* The same as a document of its own. */
void ts_svg_open_file(struct ts_str *out, double width, double height, const char *label);
void ts_svg_close(struct ts_str *out);
/* A number with at most one decimal. */
void ts_svg_number(struct ts_str *out, double number);
void ts_svg_path_rect(struct ts_str *path, double x, double y, double width, double height); /* "M12 4h30v16h-30z" */
void ts_svg_rect(struct ts_str *out, const struct ts_box *box, const char *fill);
/* With a text that a pointing device brings up. */
void ts_svg_rect_titled(struct ts_str *out, const struct ts_box *box, const char *fill, const char *title);
void ts_svg_dot_titled(struct ts_str *out, double x, double y, double radius, const char *fill, const char *title);
struct ts_xy {
  double x, y;
};
/* A line through the points, and a faint area within them. */
void ts_svg_path(struct ts_str *out, const struct ts_xy *points, size_t count, const char *colour);
void ts_svg_area(struct ts_str *out, const struct ts_xy *points, size_t count, const char *colour);
/* class_name: one of the line styles of the page: "axis", "grid", "dash", "whisker", "halo". */
void ts_svg_line(struct ts_str *out, const char *class_name, double x1, double y1, double x2, double y2);
/* Text on a baseline; fill NULL: the colour of text. */
void ts_svg_text(struct ts_str *out, double x, double y, enum ts_anchor anchor, const char *fill, const char *text);
/* Centred text over lines and grid: with a white rim that keeps it readable. */
void ts_svg_label(struct ts_str *out, double x, double y, const char *text);
void ts_svg_marker(struct ts_str *out, const struct ts_look *look, double x, double y, double radius);
/* A horizontal interval with end marks, drawn so that it shows on bars too. */
void ts_svg_interval(struct ts_str *out, double from, double to, double y, double cap);
/* Vertical grid lines with tick labels below, and the title at the right end under them. Needs TS_SVG_AXIS_PX of height
 * below `bottom`. Labels that would touch are left out. */
#define TS_SVG_AXIS_PX 40.0
void ts_svg_x_axis(struct ts_str *out, const struct ts_axis *axis, double left, double right, double top, double bottom,
                   const char *title);
/* The colours of ts_colour_scale with the numbers at their ends; needs TS_SVG_SCALE_PX with 10 px above `top`. */
#define TS_SVG_SCALE_PX 46.0
void ts_svg_scale(struct ts_str *out, double low, double high, double top, double width);
/* How many tick labels as long as those of 0..high fit. */
size_t ts_svg_tick_room(double high, double width_px);

#endif
