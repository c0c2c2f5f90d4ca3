/* Draws a schedule of a stream into an SVG document of its own.
 * SPDX-License-Identifier: Apache-2.0 */
#include "report/schedule_picture.h"

#include "base/alloc.h"
#include "report/chart/chart.h"
#include "report/chart/svg.h"

#include <math.h>

#define MARGIN_PX   20.0
#define NAMES_PX    190.0
#define LANE_PX     22.0
#define BAR_PX      18.0
#define THIN_BAR_PX 10.0 /* transfers */
#define TITLE_PX    34.0
#define TOP_PX      78.0
#define NODE_PX     46.0 /* between the rows of the graph */
#define RADIUS_PX   13.0
#define TICKS       10

static const char style[] =
    "<style>text{font-family:system-ui,-apple-system,'Segoe UI',Roboto,'DejaVu Sans',sans-serif}"
    ".axis{stroke:#6b7280}.grid{stroke:#d1d5db}</style>\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n";

static const char *colour_of(size_t cluster) { return ts_colour_get(cluster % (TS_COLOUR_COUNT - 1)); }

static double panel_height(const struct ts_schedule_panel *panel) {
  return TITLE_PX + LANE_PX * (double)panel->lane_count + TS_SVG_AXIS_PX + 16;
}

static size_t row_count(const struct ts_schedule_picture *picture) {
  size_t most = 0;
  for (size_t i = 0; i < picture->node_count; i++)
    most = picture->nodes[i].row >= most ? picture->nodes[i].row + 1 : most;
  return most;
}

static void draw_name(struct ts_str *out, double x, double y, double room, const char *fill, const char *name) {
  ts_auto_free char *text = ts_text_fit(name, TS_CHART_FONT_PX, room);
  if (*text) ts_svg_text(out, x, y, TS_ANCHOR_MIDDLE, fill, text);
}

static void draw_bar(struct ts_str *out, const struct ts_schedule_bar *bar, const struct ts_axis *axis, double top) {
  double left = ts_axis_map(axis, bar->start, NAMES_PX, TS_SCHEDULE_PICTURE_PX - MARGIN_PX);
  double right = ts_axis_map(axis, bar->end, NAMES_PX, TS_SCHEDULE_PICTURE_PX - MARGIN_PX);
  double height = bar->is_transfer ? THIN_BAR_PX : BAR_PX;
  struct ts_box box = {left, top + LANE_PX * (double)bar->lane + (LANE_PX - height) / 2, fmax(right - left, 0.5),
                       height};
  struct ts_str title = {0};
  ts_str_add(&title, bar->name);
  ts_str_addf(&title, ": %s to %s%s", TS_SIGNIFICANT(bar->start, 6), TS_SIGNIFICANT(bar->end, 6),
              bar->is_critical ? ", on the longest path" : "");
  ts_svg_rect_titled(out, &box, colour_of(bar->cluster), ts_str_get(&title));
  ts_str_release(&title);
  if (bar->is_critical) {
    struct ts_box mark = {box.x, box.y + box.height, box.width, 2};
    ts_svg_rect(out, &mark, "#111827");
  }
  if (!bar->is_transfer && box.width > 8)
    draw_name(out, box.x + box.width / 2, box.y + 13.5, box.width - 4, ts_colour_text_on(colour_of(bar->cluster)),
              bar->name);
}

static void draw_panel(struct ts_str *out, const struct ts_schedule_panel *panel, double top) {
  struct ts_axis axis;
  double end = 0, lanes = top + TITLE_PX, bottom = lanes + LANE_PX * (double)panel->lane_count;
  for (size_t i = 0; i < panel->bar_count; i++) end = fmax(end, panel->bars[i].end);
  ts_axis_fit_tight(&axis, 0, end > 0 ? end : 1, TICKS);
  ts_str_add(out, "<g font-weight=\"600\">");
  ts_svg_text(out, MARGIN_PX, top + 20, TS_ANCHOR_START, NULL, panel->title);
  ts_str_add(out, "</g>\n");
  ts_svg_x_axis(out, &axis, NAMES_PX, TS_SCHEDULE_PICTURE_PX - MARGIN_PX, lanes, bottom, panel->axis);
  for (size_t i = 0; i < panel->lane_count; i++) {
    ts_auto_free char *name = ts_text_fit(panel->lanes[i], TS_CHART_FONT_PX, NAMES_PX - MARGIN_PX - 10);
    ts_svg_text(out, NAMES_PX - 10, lanes + LANE_PX * (double)i + 15, TS_ANCHOR_END, NULL, name);
  }
  for (size_t i = 0; i < panel->bar_count; i++) draw_bar(out, &panel->bars[i], &axis, lanes);
}

/* Where a node lies: layers from left to right. */
static struct ts_xy place_of(const struct ts_schedule_node *node, double top, double step) {
  return (struct ts_xy){MARGIN_PX + 30 + step * (double)node->layer,
                        top + TITLE_PX + NODE_PX * ((double)node->row + 0.5)};
}

static void draw_node(struct ts_str *out, const struct ts_schedule_node *node, struct ts_xy at) {
  struct ts_str title = {0};
  ts_str_addf(&title, "task %s, cluster %zu", node->name, node->cluster);
  if (node->duplicates > 0)
    ts_str_addf(&title, ", %zu more %s", node->duplicates, node->duplicates == 1 ? "copy" : "copies");
  /* Dots are translucent: lines behind them must not cross the names. */
  ts_str_addf(out, "<circle cx=\"%s\" cy=\"%s\" r=\"%s\" fill=\"#ffffff\"/>", TS_DECIMALS(at.x, 1),
              TS_DECIMALS(at.y, 1), TS_DECIMALS(RADIUS_PX, 1));
  ts_svg_dot_titled(out, at.x, at.y, RADIUS_PX, colour_of(node->cluster), ts_str_get(&title));
  ts_str_release(&title);
  draw_name(out, at.x, at.y + 4.5, 2 * RADIUS_PX - 2, "#111827", node->name);
  if (node->duplicates == 0) return;
  ts_auto(ts_str_release) struct ts_str copies = {0};
  ts_str_addf(&copies, "+%zu", node->duplicates);
  ts_svg_text(out, at.x + RADIUS_PX + 2, at.y - 7, TS_ANCHOR_START, NULL, ts_str_get(&copies));
}

static void draw_graph(struct ts_str *out, const struct ts_schedule_picture *picture, double top) {
  size_t layers = 1;
  for (size_t i = 0; i < picture->node_count; i++)
    layers = picture->nodes[i].layer >= layers ? picture->nodes[i].layer + 1 : layers;
  double step = (TS_SCHEDULE_PICTURE_PX - 2 * MARGIN_PX - 60) / (double)(layers > 1 ? layers - 1 : 1);
  ts_str_add(out, "<g font-weight=\"600\">");
  ts_svg_text(out, MARGIN_PX, top + 20, TS_ANCHOR_START, NULL,
              "The graph: colours are clusters; solid lines stay inside a cluster, dashed ones are transfers; +1: "
              "one more copy of the task");
  ts_str_add(out, "</g>\n");
  for (size_t i = 0; i < picture->edge_count; i++) {
    const struct ts_schedule_edge *edge = &picture->edges[i];
    struct ts_xy a = place_of(&picture->nodes[edge->from], top, step);
    struct ts_xy b = place_of(&picture->nodes[edge->to], top, step);
    ts_str_addf(out, "<line x1=\"%s\" y1=\"%s\" ", TS_DECIMALS(a.x, 1), TS_DECIMALS(a.y, 1));
    ts_str_addf(out, "x2=\"%s\" y2=\"%s\" ", TS_DECIMALS(b.x, 1), TS_DECIMALS(b.y, 1));
    ts_str_add(out, edge->is_cut ? "stroke=\"#6B7280\" stroke-dasharray=\"4 3\"/>\n"
                                 : "stroke=\"#111827\" stroke-width=\"2\"/>\n");
  }
  for (size_t i = 0; i < picture->node_count; i++)
    draw_node(out, &picture->nodes[i], place_of(&picture->nodes[i], top, step));
}

void ts_draw_schedule(struct ts_str *out, const struct ts_schedule_picture *picture) {
  double height = TOP_PX, top = TOP_PX;
  for (size_t i = 0; i < picture->panel_count; i++) height += panel_height(&picture->panels[i]);
  height += TITLE_PX + NODE_PX * (double)row_count(picture) + MARGIN_PX;
  ts_svg_open_file(out, TS_SCHEDULE_PICTURE_PX, height, picture->title);
  ts_str_add(out, style);
  ts_str_add(out, "<g font-weight=\"700\" font-size=\"18\">");
  ts_svg_text(out, MARGIN_PX, 32, TS_ANCHOR_START, NULL, picture->title);
  ts_str_add(out, "</g>\n");
  ts_svg_text(out, MARGIN_PX, 56, TS_ANCHOR_START, NULL, picture->subtitle);
  for (size_t i = 0; i < picture->panel_count; i++) {
    draw_panel(out, &picture->panels[i], top);
    top += panel_height(&picture->panels[i]);
  }
  draw_graph(out, picture, top);
  ts_svg_close(out);
}
