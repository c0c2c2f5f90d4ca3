/* The heat map of pairs: how much two parameters do together, for every two of them.
 * SPDX-License-Identifier: Apache-2.0 */
#include "report/chart/chart.h"

#include "report/chart/svg.h"
#include "report/text.h"

#include <math.h>
#include <stdio.h>

#define HEAD_PX  20.0
#define EMPTY    "#e5e7eb"
#define MAX_CELL 56.0

struct grid {
  double left, cell_width, cell_height;
  bool names;
};

static double widest_label(const struct ts_heat *heat, bool names) {
  double widest = 0;
  for (size_t i = 0; i < heat->count; i++) {
    char number[32];
    snprintf(number, sizeof number, "%zu", i + 1);
    double width = ts_text_width(number, TS_CHART_FONT_PX);
    if (names) width += ts_text_width(heat->names[i], TS_CHART_FONT_PX) + 8;
    widest = fmax(widest, width);
  }
  return ceil(widest);
}

bool ts_heat_has_names(const struct ts_heat *heat, double width) { return widest_label(heat, true) <= 0.42 * width; }

static void fit(struct grid *grid, const struct ts_heat *heat, double width) {
  grid->names = ts_heat_has_names(heat, width);
  grid->left = widest_label(heat, grid->names) + 8;
  grid->cell_width = fmin((width - grid->left) / (double)(heat->count ? heat->count : 1), MAX_CELL);
  grid->cell_height = fmin(fmax(grid->cell_width, 20), 34);
}

/* Two decimals: the table and the titles have more. */
static const char *cell_text(const struct ts_estimate *cell, char *buffer) {
  return isnan(cell->value) ? ts_format_number(NAN, 2, buffer) : ts_format_fixed(cell->value, 2, buffer);
}

/* Either every number has room, or none is written: some alone would look as if the rest were missing. */
static bool numbers_fit(const struct ts_heat *heat, const struct grid *grid) {
  for (size_t i = 0; i < heat->count * heat->count; i++) {
    char number[TS_NUMBER_SIZE];
    if (i % (heat->count + 1) == 0) continue;
    if (ts_text_width(cell_text(&heat->cells[i], number), TS_CHART_FONT_PX) + 1 > grid->cell_width) return false;
  }
  return true;
}

/* "G1 with T1: 0.12 (0.08 to 0.16)" */
static void add_title(const struct ts_heat *heat, size_t row, size_t column, struct ts_str *out) {
  const struct ts_estimate *cell = &heat->cells[row * heat->count + column];
  char number[TS_NUMBER_SIZE];
  ts_str_addf(out, "%s with %s: ", heat->names[row], heat->names[column]);
  ts_str_add(out, isnan(cell->value) ? "unknown" : ts_format_number(cell->value, 3, number));
  if (isnan(cell->low) || isnan(cell->high)) return;
  ts_str_addf(out, " (%s to ", ts_format_number(cell->low, 3, number));
  ts_str_addf(out, "%s)", ts_format_number(cell->high, 3, number));
}

static void draw_row(struct ts_str *out, const struct ts_heat *heat, const struct grid *grid, size_t row,
                     bool numbers) {
  double y = HEAD_PX + (double)row * grid->cell_height;
  for (size_t column = 0; column < heat->count; column++) {
    const struct ts_estimate *cell = &heat->cells[row * heat->count + column];
    struct ts_box box = {grid->left + (double)column * grid->cell_width, y, grid->cell_width - 1,
                         grid->cell_height - 1};
    if (column == row) continue; /* nothing interacts with itself */
    char scale[8], number[TS_NUMBER_SIZE];
    const char *colour = isnan(cell->value) ? EMPTY : ts_colour_scale(cell->value / heat->high, scale);
    struct ts_str title = {0};
    add_title(heat, row, column, &title);
    ts_svg_rect_titled(out, &box, colour, ts_str_get(&title));
    ts_str_release(&title);
    if (numbers)
      ts_svg_text(out, box.x + box.width / 2, y + grid->cell_height / 2 + 4, TS_ANCHOR_MIDDLE,
                  ts_colour_text_on(colour), cell_text(cell, number));
  }
}

static void draw_labels(struct ts_str *out, const struct ts_heat *heat, const struct grid *grid) {
  double free_from = 0;
  for (size_t i = 0; i < heat->count; i++) {
    char number[32];
    snprintf(number, sizeof number, "%zu", i + 1);
    double half = ts_text_width(number, TS_CHART_FONT_PX) / 2;
    double x = grid->left + ((double)i + 0.5) * grid->cell_width - 0.5;
    if (x - half >= free_from) {
      ts_svg_text(out, x, 14, TS_ANCHOR_MIDDLE, NULL, number);
      free_from = x + half + 2;
    }
    double y = HEAD_PX + ((double)i + 0.5) * grid->cell_height + 4;
    ts_svg_text(out, grid->left - 6, y, TS_ANCHOR_END, NULL, number);
    if (!grid->names) continue;
    ts_svg_text(out, 0, y, TS_ANCHOR_START, NULL, heat->names[i]);
  }
}

void ts_draw_heat(struct ts_str *out, const struct ts_chart *chart, const char *class_name, double width) {
  const struct ts_heat *heat = chart->data;
  struct grid grid;
  fit(&grid, heat, width);
  double height = HEAD_PX + (double)heat->count * grid.cell_height;
  ts_svg_open(out, class_name, width, height + TS_SVG_SCALE_PX, chart->label);
  bool numbers = numbers_fit(heat, &grid);
  draw_labels(out, heat, &grid);
  for (size_t row = 0; row < heat->count; row++) draw_row(out, heat, &grid, row, numbers);
  ts_svg_scale(out, 0, heat->high, height + 10, width);
  ts_svg_close(out);
}
