/* Rows along one axis: the places of names, marks and values of bars and dots. For the charts of the report alone.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_REPORT_CHART_ROWS_H
#define TS_REPORT_CHART_ROWS_H

#include "base/str.h"
#include "report/chart/chart.h"

#include <stdbool.h>
#include <stddef.h>

#define TS_ROW_MARKER_PX 5.0
#define TS_ROW_GAP_PX    6.0

/* Where rows are. Names are left of the marks if the longest leaves them most of the width, else above them. */
struct ts_rows {
  double left, right; /* of the marks */
  double top, bottom;
  double row_height;
  double bar_height; /* of all marks in one row */
  double name_width;
  size_t name_lines; /* as many as the longest name takes */
  bool stacked;
};

/* bar_height: of the marks in a row; value_room: right of them; marker_room: of a marker beside the name. */
void ts_rows_fit(struct ts_rows *rows, double width, double longest_name, double value_room, double marker_room,
                 double bar_height, size_t count);
/* Afterwards, for every name, if names may take several lines: without it one that is too long ends in a sign for what
 * is missing. */
void ts_rows_wrap(struct ts_rows *rows, const char *name, size_t count);
/* Middle of the marks in row i. */
double ts_rows_middle(const struct ts_rows *rows, size_t i);
/* The name of row i, with a marker beside it unless `look` is NULL. */
void ts_rows_name(struct ts_str *out, const struct ts_rows *rows, size_t i, const char *name,
                  const struct ts_look *look);
/* The axis below all rows, with grid lines where no name is in their way. */
void ts_rows_axis(struct ts_str *out, const struct ts_rows *rows, const struct ts_axis *axis, const char *title);

#endif
