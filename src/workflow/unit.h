/* Units of parameters: what users give in micrometres, and the pixels that operations get for it.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Users, studies and results see the value in the unit; the operation gets pixels of the level that is read, converted
 * for each file. Pure arithmetic. */
#ifndef TS_WORKFLOW_UNIT_H
#define TS_WORKFLOW_UNIT_H

#include "base/value.h"
#include "data/data.h"
#include "op/op.h"

enum ts_unit { TS_UNIT_NONE, TS_UNIT_UM, TS_UNIT_UM2 };

/* "um", "um2", and with the Greek letter and the raised two. */
bool ts_unit_parse(const char *text, enum ts_unit *unit);
const char *ts_unit_name(enum ts_unit unit);   /* as in files and replies: "um", "um2"; "" for none */
const char *ts_unit_symbol(enum ts_unit unit); /* for people: "µm", "µm²"; "" for none */
const char *ts_unit_pixels(enum ts_unit unit); /* what becomes of it: "px", "px²" */

/* Whether both edges of a pixel are known. */
bool ts_pixel_size_is_known(const struct ts_pixel_size *size);
/* A number of the unit in pixels: a length over the geometric mean of the edges of a pixel, an area over their product.
 * Needs a known size. */
double ts_unit_to_pixels(enum ts_unit unit, double number, const struct ts_pixel_size *size);
/* The canonical value that an operation gets for a number of the unit: a real parameter the exact quotient, an integer
 * one the nearest whole number, half away from zero. Not checked against the domain. */
struct ts_value ts_unit_value(enum ts_unit unit, const struct ts_value *value, const struct ts_pixel_size *size,
                              const struct ts_op_parameter *parameter);

#endif
