/* The tile map: a value per tile where the tile lies on its slide.
 * SPDX-License-Identifier: Apache-2.0 */
#include "report/chart/chart.h"

#include "report/chart/svg.h"
#include "report/text.h"

#include <math.h>

/* The smallest distance between two different coordinates, or 0 if all are equal. */
static double pitch(const struct ts_tiles *tiles, bool along_x) {
  double smallest = 0;
  for (size_t i = 0; i < tiles->count; i++) {
    for (size_t j = i + 1; j < tiles->count; j++) {
      double distance =
          along_x ? fabs(tiles->cells[i].x - tiles->cells[j].x) : fabs(tiles->cells[i].y - tiles->cells[j].y);
      if (distance > 0 && (smallest == 0 || distance < smallest)) smallest = distance;
    }
  }
  return smallest;
}

/* Slide pixels to drawing pixels. */
struct map_layout {
  double x, y;           /* of the slide, left and top */
  double tile_x, tile_y; /* size of a tile on the slide */
  double scale;
  double height;
};

static void fit(struct map_layout *layout, const struct ts_tiles *tiles, double width) {
  double right = -INFINITY, bottom = -INFINITY;
  layout->x = layout->y = INFINITY;
  for (size_t i = 0; i < tiles->count; i++) {
    layout->x = fmin(layout->x, tiles->cells[i].x);
    layout->y = fmin(layout->y, tiles->cells[i].y);
    right = fmax(right, tiles->cells[i].x);
    bottom = fmax(bottom, tiles->cells[i].y);
  }
  layout->tile_x = pitch(tiles, true);
  layout->tile_y = pitch(tiles, false);
  /* A single row or column: tiles are taken to be square. */
  if (layout->tile_x == 0) layout->tile_x = layout->tile_y > 0 ? layout->tile_y : 1;
  if (layout->tile_y == 0) layout->tile_y = layout->tile_x;
  double slide_width = right - layout->x + layout->tile_x, slide_height = bottom - layout->y + layout->tile_y;
  layout->scale = fmin(width / slide_width, 420 / slide_height);
  layout->scale = fmin(layout->scale, 110 / layout->tile_x);
  layout->height = slide_height * layout->scale;
}

/* Numbers in some cells but not in others would look like missing values: all fit, or none is written. */
static bool numbers_fit(const struct ts_tiles *tiles, double width, double height) {
  if (height < 18) return false;
  for (size_t i = 0; i < tiles->count; i++) {
    char number[TS_NUMBER_SIZE];
    if (ts_text_width(ts_format_number(tiles->cells[i].value, 3, number), TS_CHART_FONT_PX) + 6 > width) return false;
  }
  return true;
}

void ts_draw_tiles(struct ts_str *out, const struct ts_chart *chart, const char *class_name, double width) {
  const struct ts_tiles *tiles = chart->data;
  struct map_layout layout;
  fit(&layout, tiles, width);
  ts_svg_open(out, class_name, width, layout.height + TS_SVG_SCALE_PX, chart->label);
  double range = tiles->high > tiles->low ? tiles->high - tiles->low : 1;
  double cell_width = layout.tile_x * layout.scale - 1, cell_height = layout.tile_y * layout.scale - 1;
  bool numbers = numbers_fit(tiles, cell_width, cell_height);
  for (size_t i = 0; i < tiles->count; i++) {
    const struct ts_tile_cell *cell = &tiles->cells[i];
    char scale[8], number[TS_NUMBER_SIZE];
    const char *colour = isnan(cell->value) ? "#e5e7eb" : ts_colour_scale((cell->value - tiles->low) / range, scale);
    struct ts_box box = {(cell->x - layout.x) * layout.scale, (cell->y - layout.y) * layout.scale, cell_width,
                         cell_height};
    ts_svg_rect(out, &box, colour);
    if (!numbers) continue;
    ts_svg_text(out, box.x + cell_width / 2, box.y + cell_height / 2 + 4.5, TS_ANCHOR_MIDDLE, ts_colour_text_on(colour),
                ts_format_number(cell->value, 3, number));
  }
  ts_svg_scale(out, tiles->low, tiles->high, layout.height + 10, width);
  ts_svg_close(out);
}
