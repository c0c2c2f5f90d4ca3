/* Draws a scale bar with its length, in letters of a small font of its own.
 * SPDX-License-Identifier: Apache-2.0 */
#include "image/spool_overlay.h"

#include "base/order.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define GLYPH_WIDTH  5
#define GLYPH_HEIGHT 7
#define SMALLEST     128 /* pixels of the shorter side below which a bar would hide the image */

/* Rows from top to bottom, the leftmost pixel in bit 4. The micro sign has its own place here: the text is ours. */
static const struct {
  char sign;
  uint8_t rows[GLYPH_HEIGHT];
} font[] = {{'0', {14, 17, 19, 21, 25, 17, 14}}, {'1', {4, 12, 4, 4, 4, 4, 14}},    {'2', {14, 17, 1, 2, 4, 8, 31}},
            {'5', {31, 16, 30, 1, 1, 17, 14}},   {'.', {0, 0, 0, 0, 0, 12, 12}},    {'u', {0, 0, 17, 17, 19, 29, 16}},
            {'m', {0, 0, 26, 21, 21, 21, 21}},   {'n', {0, 0, 30, 17, 17, 17, 17}}, {' ', {0}}};

struct canvas {
  uint8_t *rgb;
  int64_t width, height;
};

static void draw_box(const struct canvas *canvas, int64_t x, int64_t y, int64_t width, int64_t height, uint8_t grey) {
  for (int64_t j = ts_larger(0, y); j < ts_smaller(y + height, canvas->height); j++)
    for (int64_t i = ts_larger(0, x); i < ts_smaller(x + width, canvas->width); i++)
      memset(canvas->rgb + 3 * (j * canvas->width + i), grey, 3);
}

static void draw_sign(const struct canvas *canvas, char sign, int64_t x, int64_t y, int64_t scale) {
  for (size_t i = 0; i < sizeof font / sizeof *font; i++) {
    for (int row = 0; font[i].sign == sign && row < GLYPH_HEIGHT; row++)
      for (int column = 0; column < GLYPH_WIDTH; column++)
        if (font[i].rows[row] >> (GLYPH_WIDTH - 1 - column) & 1)
          draw_box(canvas, x + column * scale, y + row * scale, scale, scale, 0);
  }
}

/* The longest 1, 2 or 5 times a power of ten that is not longer. */
static double round_length(double most) {
  const double power = pow(10, floor(log10(most)));
  const double digits = most / power;
  return power * (digits >= 5 ? 5 : digits >= 2 ? 2 : 1);
}

/* "200 um", "1 mm", "500 nm"; u is drawn as the micro sign. */
static void print_length(double um, char text[32]) {
  if (um >= 999.5)
    snprintf(text, 32, "%.0f mm", um / 1000);
  else if (um >= 0.95)
    snprintf(text, 32, "%.0f um", um);
  else
    snprintf(text, 32, "%.0f nm", um * 1000);
}

void ts_image_draw_scale_bar(struct ts_data *rgb, double pixel_um) {
  const struct ts_region *size = ts_data_region(rgb);
  const struct canvas canvas = {ts_data_writable(rgb), size->width, size->height};
  const double most = (double)size->width * pixel_um / 5;
  if (!(pixel_um > 0) || !(most >= 0.001) || ts_smaller(size->width, size->height) < SMALLEST) return;
  char text[32];
  const double length_um = round_length(most);
  print_length(length_um, text);
  const int64_t scale = ts_larger(1, ts_smaller(size->width, size->height) / 512);
  const int64_t bar = (int64_t)lround(length_um / pixel_um), thick = 3 * scale, gap = 4 * scale;
  const int64_t letters = (int64_t)strlen(text) * (GLYPH_WIDTH + 1) * scale;
  const int64_t box_width = ts_larger(bar, letters) + 2 * gap, box_height = GLYPH_HEIGHT * scale + thick + 3 * gap;
  const int64_t x = 2 * gap, y = size->height - 2 * gap - box_height;
  draw_box(&canvas, x, y, box_width, box_height, 255);
  draw_box(&canvas, x + gap, y + box_height - gap - thick, bar, thick, 0);
  for (size_t i = 0; text[i]; i++)
    draw_sign(&canvas, text[i], x + gap + (int64_t)i * (GLYPH_WIDTH + 1) * scale, y + gap, scale);
}
