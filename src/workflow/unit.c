/* Conversion of micrometres to pixels.
 * SPDX-License-Identifier: Apache-2.0 */
#include "workflow/unit.h"

#include <math.h>
#include <string.h>

/* The micro sign and the Greek letter look alike, and keyboards have either. */
static const struct {
  const char *text;
  enum ts_unit unit;
} spellings[] = {
    {"um", TS_UNIT_UM},   {"\u00b5m", TS_UNIT_UM},   {"\u03bcm", TS_UNIT_UM},
    {"um2", TS_UNIT_UM2}, {"\u00b5m2", TS_UNIT_UM2}, {"\u03bcm2", TS_UNIT_UM2},
    {"um²", TS_UNIT_UM2}, {"\u00b5m²", TS_UNIT_UM2}, {"\u03bcm²", TS_UNIT_UM2},
};

bool ts_unit_parse(const char *text, enum ts_unit *unit) {
  for (size_t i = 0; i < sizeof spellings / sizeof *spellings; i++) {
    if (strcmp(text, spellings[i].text) != 0) continue;
    *unit = spellings[i].unit;
    return true;
  }
  return false;
}

const char *ts_unit_name(enum ts_unit unit) {
  static const char *const names[] = {[TS_UNIT_NONE] = "", [TS_UNIT_UM] = "um", [TS_UNIT_UM2] = "um2"};
  return names[unit];
}

const char *ts_unit_symbol(enum ts_unit unit) {
  static const char *const symbols[] = {[TS_UNIT_NONE] = "", [TS_UNIT_UM] = "µm", [TS_UNIT_UM2] = "µm²"};
  return symbols[unit];
}

const char *ts_unit_pixels(enum ts_unit unit) { return unit == TS_UNIT_UM2 ? "px²" : "px"; }

bool ts_pixel_size_is_known(const struct ts_pixel_size *size) { return size->x_um > 0 && size->y_um > 0; }

/* Square pixels are divided by their edge itself: sqrt(x * x) is not always x. */
double ts_unit_to_pixels(enum ts_unit unit, double number, const struct ts_pixel_size *size) {
  if (unit == TS_UNIT_UM2) return number / (size->x_um * size->y_um);
  if (unit == TS_UNIT_NONE) return number;
  return number / (size->x_um == size->y_um ? size->x_um : sqrt(size->x_um * size->y_um));
}

/* Beyond the integers that the operation's type has, the ends of that type; no domain of an operation reaches there. */
static int64_t nearest_integer(double pixels) {
  const double rounded = round(pixels);
  if (rounded >= 0x1p63) return INT64_MAX;
  return rounded < -0x1p63 ? INT64_MIN : (int64_t)rounded;
}

struct ts_value ts_unit_value(enum ts_unit unit, const struct ts_value *value, const struct ts_pixel_size *size,
                              const struct ts_op_parameter *parameter) {
  double number = 0;
  ts_value_number(value, &number);
  const double pixels = ts_unit_to_pixels(unit, number, size);
  const struct ts_value converted =
      parameter->type == TS_OP_INTEGER ? ts_value_integer(nearest_integer(pixels)) : ts_value_real(pixels);
  return ts_op_canonical(parameter, &converted);
}
