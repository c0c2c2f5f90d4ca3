/* The icicle: which runs share which task; one row per task, one box per execution, width = runs that share it.
 * SPDX-License-Identifier: Apache-2.0 */
#include "report/chart/chart.h"

#include "base/alloc.h"
#include "report/chart/svg.h"
#include "report/text.h"

#include <math.h>
#include <stdio.h>

#define THIN_PX 3.0 /* narrower boxes are drawn as one block */

struct icicle_layout {
  double left, right;
  double row_height, box_height;
  double name_width;
  bool stacked; /* names above the rows */
};

static void fit(struct icicle_layout *layout, const struct ts_icicle *icicle, double width) {
  double longest = 0;
  for (size_t i = 0; i < icicle->level_count; i++) {
    longest = fmax(longest, ts_text_width(icicle->levels[i].name, TS_CHART_FONT_PX));
  }
  layout->stacked = longest > 0.22 * width;
  layout->left = layout->stacked ? 0 : ceil(longest) + 10;
  layout->right = width;
  layout->name_width = layout->stacked ? width : longest + 1;
  layout->box_height = 24;
  layout->row_height = layout->box_height + (layout->stacked ? 20 : 2);
}

/* One box, or a block of boxes too thin to tell apart, from x1 to x2. A white line separates it from the next. */
static void draw_box(struct ts_str *out, double x1, double x2, double y, const struct icicle_layout *layout,
                     const char *colour, double runs, size_t boxes) {
  double width = x2 - x1 > 2 ? x2 - x1 - 1 : x2 - x1;
  ts_svg_rect(out, &(struct ts_box){x1, y, width, layout->box_height}, colour);
  char number[TS_NUMBER_SIZE], text[TS_NUMBER_SIZE + 16];
  ts_format_number(boxes > 1 ? (double)boxes : runs, 3, number);
  snprintf(text, sizeof text, boxes > 1 ? "%s boxes" : "\xc3\x97%s", number);
  if (ts_text_width(text, TS_CHART_FONT_PX) + 6 > width) return;
  ts_svg_text(out, x1 + width / 2, y + layout->box_height / 2 + 4.5, TS_ANCHOR_MIDDLE, ts_colour_text_on(colour), text);
}

static void draw_level(struct ts_str *out, const struct ts_icicle *icicle, const struct icicle_layout *layout,
                       size_t index) {
  const struct ts_icicle_level *level = &icicle->levels[index];
  double top = layout->row_height * (double)index, y = top + layout->row_height - layout->box_height - 1;
  char *name = ts_text_fit(level->name, TS_CHART_FONT_PX, layout->name_width);
  if (layout->stacked) {
    ts_svg_text(out, 0, y - 5, TS_ANCHOR_START, NULL, name);
  } else {
    ts_svg_text(out, layout->left - 8, y + layout->box_height / 2 + 4.5, TS_ANCHOR_END, NULL, name);
  }
  free(name);
  double scale = (layout->right - layout->left) / icicle->run_count;
  for (size_t i = 0; i < level->box_count;) {
    double x1 = layout->left + level->boxes[i].from * scale, x2 = layout->left + level->boxes[i].to * scale;
    size_t next = i + 1;
    while (x2 - x1 < 40 && next < level->box_count && (level->boxes[i].to - level->boxes[i].from) * scale < THIN_PX &&
           (level->boxes[next].to - level->boxes[next].from) * scale < THIN_PX &&
           level->boxes[next].from == level->boxes[next - 1].to) {
      x2 = layout->left + level->boxes[next++].to * scale;
    }
    draw_box(out, x1, x2, y, layout, level->colour, level->boxes[i].runs, next - i);
    i = next;
  }
}

void ts_draw_icicle(struct ts_str *out, const struct ts_chart *chart, const char *class_name, double width) {
  const struct ts_icicle *icicle = chart->data;
  struct icicle_layout layout;
  fit(&layout, icicle, width);
  ts_svg_open(out, class_name, width, layout.row_height * (double)icicle->level_count + 2, chart->label);
  for (size_t i = 0; i < icicle->level_count; i++) draw_level(out, icicle, &layout, i);
  ts_svg_close(out);
}
