/* The chart module: small SVG charts for reports, each drawn for a given width so that text never shrinks.
 * SPDX-License-Identifier: Apache-2.0
 *
 * A chart is data plus a draw function. The page shows one of two drawings, for wide and for narrow screens; a drawing
 * lays itself out for its width (labels beside or above the bars, as many ticks as fit). Text that has no room is left
 * out, never cut or drawn over other text: the table below each chart has every number. */
#ifndef TS_REPORT_CHART_H
#define TS_REPORT_CHART_H

#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>

#define TS_CHART_FONT_PX   13.0
#define TS_CHART_HALF_PX   438.0 /* one of two columns on a wide screen */
#define TS_CHART_FULL_PX   900.0 /* the whole width of a wide screen */
#define TS_CHART_NARROW_PX 340.0 /* a telephone */

/* ---- mathematics (chart.c) ---- */

/* An axis from low to high with ticks at first + i * step, i < tick_count; all ticks lie within. */
struct ts_axis {
  double low, high;
  double first, step;
  size_t tick_count;
  int decimals; /* what tick labels need */
};

/* Steps of 1, 2 or 5 times a power of ten, at most max_ticks ticks (>= 2, or >= 3 with zero inside);
 * low and high are rounded outwards to ticks. */
void ts_axis_fit(struct ts_axis *axis, double low, double high, size_t max_ticks);
/* The axis ends where the data end and has the ticks between; there may be none if zero is not inside. */
void ts_axis_fit_tight(struct ts_axis *axis, double low, double high, size_t max_ticks);
double ts_axis_tick(const struct ts_axis *axis, size_t index);
/* Where a value lies between from_px and to_px. */
double ts_axis_map(const struct ts_axis *axis, double value, double from_px, double to_px);

/* An upper estimate of the width of a text in a usual sans-serif font. */
double ts_text_width(const char *text, double font_px);
/* The longest beginning of the text that fits, with "…" if anything is missing; "" if not even one character fits.
 * Owned result. */
char *ts_text_fit(const char *text, double font_px, double room_px);

/* Bytes of the beginning of the text that fit on one line; breaks after a space or a sign of punctuation if there is
 * one near the end. At least one character. */
size_t ts_text_break(const char *text, double font_px, double room_px);

struct ts_box {
  double x, y, width, height;
};
bool ts_box_overlaps(const struct ts_box *a, const struct ts_box *b);

struct ts_label {
  const char *text;  /* borrowed */
  double x, y;       /* what it names */
  double radius;     /* of the marker there */
  bool placed;       /* result */
  struct ts_box box; /* result, if placed */
};
/* Finds a place beside its point for each label in turn, inside `frame`, clear of the obstacles and of the labels
 * before it; a label without such a place stays unplaced. */
void ts_labels_place(struct ts_label *labels, size_t count, const struct ts_box *obstacles, size_t obstacle_count,
                     const struct ts_box *frame, double font_px);

/* ---- drawing ---- */

enum ts_shape { TS_SHAPE_SQUARE, TS_SHAPE_CIRCLE, TS_SHAPE_TRIANGLE };

/* How a class of marks looks: colour and shape always go together. */
struct ts_look {
  const char *name;   /* for the legend */
  const char *colour; /* "#0072B2" */
  enum ts_shape shape;
};

/* Okabe and Ito's colours, which most people can tell apart; the last one is a grey for everything beyond. */
#define TS_COLOUR_COUNT 7
const char *ts_colour_get(size_t index);
/* Black or white, whichever reads better on the colour. */
const char *ts_colour_text_on(const char *colour);

struct ts_chart {
  const char *label; /* borrowed; what the chart shows, in one sentence */
  const void *data;  /* borrowed; one of the structures below */
  void (*draw)(struct ts_str *out, const struct ts_chart *chart, const char *class_name, double width);
};

/* Ranked bars with intervals: ts_draw_bars. */
struct ts_bar {
  const char *name;           /* borrowed */
  double value;               /* NaN: unknown */
  double low, high;           /* interval; NaN: none */
  const struct ts_look *look; /* borrowed; one without a name puts no marker beside the bar's */
};
struct ts_bars {
  const struct ts_bar *items; /* borrowed */
  size_t count;
  const char *axis_title; /* borrowed */
  bool has_sign;          /* the axis reaches below zero if values or intervals do */
};
void ts_draw_bars(struct ts_str *out, const struct ts_chart *chart, const char *class_name, double width);

/* A number with its interval; NaN: not known. */
struct ts_estimate {
  double value, low, high;
};

/* Two bars per name, side by side, S1 above ST: ts_draw_pairs. The part of ST beyond S1 stands out: it is
 * interaction. */
struct ts_pair_bar {
  const char *name; /* borrowed */
  struct ts_estimate first, total;
};
struct ts_pair_bars {
  const struct ts_pair_bar *items; /* borrowed */
  size_t count;
  const char *axis_title; /* borrowed */
};
void ts_draw_pairs(struct ts_str *out, const struct ts_chart *chart, const char *class_name, double width);
/* The looks of S1, of ST, and of the part of ST beyond S1. */
extern const struct ts_look ts_pair_looks[3];

/* A value for every two names, symmetric: ts_draw_heat. Columns are named by the numbers of the rows. */
struct ts_heat {
  const char *const *names;        /* borrowed */
  const struct ts_estimate *cells; /* borrowed; row by row, count * count; the diagonal is not looked at */
  size_t count;
  double high; /* of the colours, which begin at zero */
};
void ts_draw_heat(struct ts_str *out, const struct ts_chart *chart, const char *class_name, double width);
/* Whether the rows have room for their names at this width; else they have their numbers only. */
bool ts_heat_has_names(const struct ts_heat *heat, double width);

/* Lines with a band each, over a growing number of samples: ts_draw_lines. */
struct ts_line {
  const char *name;                /* borrowed */
  const struct ts_look *look;      /* borrowed */
  const struct ts_estimate *cells; /* borrowed; one per place */
};
struct ts_lines {
  const double *places; /* borrowed; above zero, growing */
  size_t place_count;
  const struct ts_line *items; /* borrowed; the most important ones last to be covered come first */
  size_t count;
  const char *x_title, *y_title; /* borrowed */
};
void ts_draw_lines(struct ts_str *out, const struct ts_chart *chart, const char *class_name, double width);
/* Moves texts of the given height apart that would overlap, within top and bottom, and keeps their order; y:
 * middles. */
void ts_spread(double *y, size_t count, double height, double top, double bottom);

/* One dot per slide and a square per group of slides around the value of all slides together, a row per name:
 * ts_draw_strips. */
struct ts_strip {
  const char *name; /* borrowed */
  struct ts_estimate pooled;
  const double *dots;    /* borrowed; one per slide, NaN: none */
  const double *squares; /* the same per group */
};
struct ts_strips {
  const struct ts_strip *items; /* borrowed */
  size_t count;
  const char *const *slides; /* borrowed */
  size_t slide_count;
  const char *const *groups; /* borrowed: "site north" */
  size_t group_count;        /* 0: the slides have none */
  const char *axis_title;    /* borrowed */
};
void ts_draw_strips(struct ts_str *out, const struct ts_chart *chart, const char *class_name, double width);
/* The looks of one slide, of all together, and of a group of slides, which is left out where there are none. */
extern const struct ts_look ts_strip_looks[3];

/* mu* against sigma: ts_draw_scatter. Items come in order of importance: the first ones get labels. */
struct ts_point {
  const char *name; /* borrowed */
  double x, y;
  double low, high;           /* interval of x; NaN: none */
  const struct ts_look *look; /* borrowed */
};
struct ts_scatter {
  const struct ts_point *items; /* borrowed; without NaN in x and y */
  size_t count;
};
void ts_draw_scatter(struct ts_str *out, const struct ts_chart *chart, const char *class_name, double width);

/* Steps from a total to what is left: ts_draw_waterfall. */
struct ts_fall {
  const char *name; /* borrowed */
  double value;     /* a total, or a change (negative: taken away) */
  bool is_total;
};
struct ts_waterfall {
  const struct ts_fall *items; /* borrowed */
  size_t count;
  const char *axis_title; /* borrowed */
};
void ts_draw_waterfall(struct ts_str *out, const struct ts_chart *chart, const char *class_name, double width);

/* Which runs share a task: ts_draw_icicle. One level per task, boxes from left to right. */
struct ts_icicle_box {
  double from, to; /* runs */
  double runs;     /* that share it */
};
struct ts_icicle_level {
  const char *name;                  /* borrowed */
  const char *colour;                /* borrowed */
  const struct ts_icicle_box *boxes; /* borrowed, in order */
  size_t box_count;
};
struct ts_icicle {
  const struct ts_icicle_level *levels; /* borrowed */
  size_t level_count;
  double run_count;
};
void ts_draw_icicle(struct ts_str *out, const struct ts_chart *chart, const char *class_name, double width);

/* Which worker did what when: ts_draw_timeline. */
struct ts_span {
  size_t worker;
  double start, end; /* seconds */
  size_t group;      /* < group_count */
};
struct ts_timeline {
  const struct ts_span *spans; /* borrowed, in any order */
  size_t span_count;
  size_t worker_count;
  const struct ts_look *groups; /* borrowed */
  size_t group_count;
  double end; /* seconds */
};
void ts_draw_timeline(struct ts_str *out, const struct ts_chart *chart, const char *class_name, double width);
/* Cuts the time into bins and finds the group that filled most of each: cells[worker * bin_count + bin] is a group, or
 * group_count where the worker was idle for more than half of the bin. */
void ts_timeline_bins(const struct ts_timeline *timeline, size_t bin_count, size_t *cells);

/* Values of tiles where they lie on the slide: ts_draw_tiles. */
struct ts_tile_cell {
  double x, y;  /* px of the slide */
  double value; /* NaN: none */
};
struct ts_tiles {
  const struct ts_tile_cell *cells; /* borrowed */
  size_t count;
  double low, high; /* of the colours, the same for all slides */
};
void ts_draw_tiles(struct ts_str *out, const struct ts_chart *chart, const char *class_name, double width);
/* Cividis, from dark blue (0) to yellow (1): "#rrggbb". */
char *ts_colour_scale(double share, char buffer[8]);

#endif
