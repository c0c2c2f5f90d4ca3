/* The worker timeline: what every worker did when, however many tasks there were.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Thousands of tasks are not thousands of shapes: time is cut into bins of a pixel or two, each bin takes the group
 * that filled most of it, and neighbours of one group become one box. */
#include "report/chart/chart.h"

#include "base/alloc.h"
#include "report/chart/svg.h"
#include "report/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define MAX_CELLS 4000 /* bins of all workers together; keeps a drawing below 100 kB */

static void fill_bins(const struct ts_timeline *timeline, const struct ts_span *span, size_t bin_count,
                      double *filled) {
  double bin = timeline->end / (double)bin_count;
  size_t first = (size_t)fmax(span->start / bin, 0);
  for (size_t b = first; b < bin_count && (double)b * bin < span->end; b++) {
    double from = fmax(span->start, (double)b * bin), to = fmin(span->end, (double)(b + 1) * bin);
    if (to > from) filled[(span->worker * bin_count + b) * timeline->group_count + span->group] += (to - from) / bin;
  }
}

void ts_timeline_bins(const struct ts_timeline *timeline, size_t bin_count, size_t *cells) {
  size_t groups = timeline->group_count, count = timeline->worker_count * bin_count;
  ts_auto_free double *filled = ts_calloc(count * groups + 1, sizeof *filled);
  for (size_t i = 0; i < timeline->span_count; i++) fill_bins(timeline, &timeline->spans[i], bin_count, filled);
  for (size_t c = 0; c < count; c++) {
    double busy = 0;
    size_t most = groups;
    for (size_t g = 0; g < groups; g++) {
      double share = filled[c * groups + g];
      busy += share;
      if (share > 0 && (most == groups || share > filled[c * groups + most])) most = g;
    }
    cells[c] = busy >= 0.5 ? most : groups;
  }
}

struct lanes {
  double left, right, top, bottom;
  double row_height, box_height;
  size_t label_step; /* every how many workers a name fits */
  size_t bin_count;
};

static void fit(struct lanes *lanes, const struct ts_timeline *timeline, double width) {
  size_t workers = timeline->worker_count;
  lanes->row_height = workers <= 16 ? 22 : workers <= 64 ? 9 : fmax(576.0 / (double)workers, 1.5);
  lanes->box_height = lanes->row_height > 12 ? 16 : lanes->row_height * 0.85;
  lanes->label_step = (size_t)ceil(18 / lanes->row_height);
  char name[32];
  snprintf(name, sizeof name, "w%zu", workers);
  lanes->left = ceil(ts_text_width(name, TS_CHART_FONT_PX)) + 8;
  lanes->right = width - 14;
  lanes->top = 2;
  lanes->bottom = fmax(lanes->top + lanes->row_height * (double)workers, 24);
  double bin_px = fmax(1.5, (lanes->right - lanes->left) * (double)workers / MAX_CELLS);
  lanes->bin_count = (size_t)fmax((lanes->right - lanes->left) / bin_px, 1);
}

static void add_name(struct ts_str *names, const struct lanes *lanes, const struct ts_look *group, double x, double y,
                     double width) {
  if (lanes->box_height < 16 || ts_text_width(group->name, TS_CHART_FONT_PX) + 8 > width) return;
  ts_svg_text(names, x + width / 2, y + lanes->box_height / 2 + 4.5, TS_ANCHOR_MIDDLE, ts_colour_text_on(group->colour),
              group->name);
}

/* The boxes of one group as one path, so that a box costs about twenty bytes. */
static void draw_group(struct ts_str *out, const struct ts_timeline *timeline, const struct lanes *lanes,
                       const size_t *cells, size_t group) {
  ts_auto(ts_str_release) struct ts_str path = {0};
  ts_auto(ts_str_release) struct ts_str names = {0};
  double bin_px = (lanes->right - lanes->left) / (double)lanes->bin_count;
  for (size_t w = 0; w < timeline->worker_count; w++) {
    const size_t *row = cells + w * lanes->bin_count;
    double y = lanes->top + lanes->row_height * (double)w + (lanes->row_height - lanes->box_height) / 2;
    for (size_t b = 0; b < lanes->bin_count; b++) {
      if (row[b] != group) continue;
      size_t end = b + 1;
      while (end < lanes->bin_count && row[end] == group) end++;
      double x = lanes->left + (double)b * bin_px, width = (double)(end - b) * bin_px;
      ts_svg_path_rect(&path, x, y, width, lanes->box_height);
      add_name(&names, lanes, &timeline->groups[group], x, y, width);
      b = end - 1;
    }
  }
  if (path.length == 0) return;
  ts_str_addf(out, "<path fill=\"%s\" d=\"", timeline->groups[group].colour);
  ts_str_add(out, ts_str_get(&path));
  ts_str_add(out, "\"/>\n");
  ts_str_add(out, ts_str_get(&names));
}

void ts_draw_timeline(struct ts_str *out, const struct ts_chart *chart, const char *class_name, double width) {
  const struct ts_timeline *timeline = chart->data;
  struct lanes lanes;
  fit(&lanes, timeline, width);
  ts_svg_open(out, class_name, width, lanes.bottom + TS_SVG_AXIS_PX, chart->label);
  struct ts_axis axis;
  ts_axis_fit_tight(&axis, 0, timeline->end, ts_svg_tick_room(timeline->end, lanes.right - lanes.left));
  ts_svg_x_axis(out, &axis, lanes.left, lanes.right, lanes.top, lanes.bottom, "seconds since the start \xe2\x86\x92");
  for (size_t w = 0; w < timeline->worker_count; w++) {
    char name[32];
    double y = lanes.top + lanes.row_height * ((double)w + 0.5);
    snprintf(name, sizeof name, "w%zu", w);
    if (w % lanes.label_step == 0) ts_svg_text(out, lanes.left - 6, fmax(y + 4.5, 13), TS_ANCHOR_END, NULL, name);
  }
  ts_auto_free size_t *cells = ts_calloc(timeline->worker_count * lanes.bin_count + 1, sizeof *cells);
  ts_timeline_bins(timeline, lanes.bin_count, cells);
  for (size_t g = 0; g < timeline->group_count; g++) draw_group(out, timeline, &lanes, cells, g);
  ts_svg_close(out);
}
