/* Rows of a unit design, put together when they are needed, and the values that belong to them.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Rows of one base sample of a Saltelli design: A, AB_1..AB_g (A with the columns of one group from B), with second
 * order BA_1..BA_g (the other way round), B. */
#include "design/points.h"

#include "base/alloc.h"
#include "design/design_int.h"
#include "design/sequence_int.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char *const layout_names[] = {
    [TS_LAYOUT_FREE] = "free",
    [TS_LAYOUT_TRAJECTORIES] = "trajectories",
    [TS_LAYOUT_RADIAL] = "radial",
    [TS_LAYOUT_SALTELLI] = "saltelli",
    [TS_LAYOUT_SALTELLI_2] = "saltelli-second-order",
    [TS_LAYOUT_FAST] = "fast",
    [TS_LAYOUT_DERIVATIVE] = "derivative",
};

const char *ts_layout_name(enum ts_layout layout) { return layout_names[layout]; }

bool ts_layout_parse(const char *name, enum ts_layout *layout) {
  for (size_t i = 0; i < sizeof layout_names / sizeof *layout_names; i++) {
    if (strcmp(layout_names[i], name) != 0) continue;
    *layout = (enum ts_layout)i;
    return true;
  }
  return false;
}

void ts_points_release(struct ts_points *points) {
  ts_arena_release(&points->arena);
  *points = (struct ts_points){0};
}

void ts_points_add_note(struct ts_points *points, const char *format, ...) {
  char text[512];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  points->note = points->note ? ts_arena_printf(&points->arena, "%s; %s", points->note, text)
                              : ts_arena_strdup(&points->arena, text);
}

/* `unit` becomes the row of `base` with the columns of `group` from `other`. */
static void mix(const struct ts_points *points, const double *base, const double *other, size_t group, double *unit) {
  memcpy(unit, base, points->column_count * sizeof *unit);
  if (!points->group_of) {
    unit[group] = other[group];
    return;
  }
  for (size_t i = 0; i < points->column_count; i++) {
    if (points->group_of[i] == group) unit[i] = other[i];
  }
}

void ts_points_row(const struct ts_points *points, size_t index, double *unit) {
  size_t width = points->column_count;
  if (!points->b) {
    memcpy(unit, points->a + index * width, width * sizeof *unit);
    return;
  }
  size_t sample = index / points->block_rows, place = index % points->block_rows;
  const double *a = points->a + sample * width, *b = points->b + sample * width;
  if (place == 0) {
    memcpy(unit, a, width * sizeof *unit);
  } else if (place == points->block_rows - 1) {
    memcpy(unit, b, width * sizeof *unit);
  } else if (place <= points->group_count) {
    mix(points, a, b, place - 1, unit);
  } else {
    mix(points, b, a, place - 1 - points->group_count, unit);
  }
}

/* The design outlives the space: strings and lists are copied, those of a grid once per level. */
struct level_copies {
  struct ts_value *values; /* owned; one per grid level of the column */
  bool *made;              /* owned */
};

static struct ts_value own_value(struct ts_arena *arena, struct level_copies *copies, size_t level_count,
                                 struct ts_value value, int64_t level) {
  if (value.type != TS_VALUE_STRING && value.type != TS_VALUE_LIST) return value;
  if (level < 0 || (size_t)level >= level_count) return ts_design_copy_value(arena, &value);
  if (!copies->made) {
    copies->made = ts_calloc(level_count, sizeof *copies->made);
    copies->values = ts_calloc(level_count, sizeof *copies->values);
  }
  if (!copies->made[level]) copies->values[level] = ts_design_copy_value(arena, &value);
  copies->made[level] = true;
  return copies->values[level];
}

void ts_design_of_points(struct ts_design *design, const struct ts_space *space, const struct ts_points *points) {
  size_t width = points->column_count;
  ts_design_init(design, points->row_count, width);
  for (size_t i = 0; i < width; i++) design->names[i] = ts_arena_strdup(&design->arena, space->parameters[i]->name);
  ts_auto_free struct level_copies *copies = ts_calloc(width + 1, sizeof *copies);
  for (size_t row = 0; row < points->row_count; row++) {
    size_t start = row * width;
    ts_points_row(points, row, design->unit + start);
    for (size_t i = 0; i < width; i++) {
      const struct ts_parameter *parameter = space->parameters[i];
      struct ts_value value = ts_space_value(parameter, design->unit[start + i], &design->levels[start + i]);
      design->values[start + i] =
          own_value(&design->arena, &copies[i], parameter->level_count, value, design->levels[start + i]);
    }
  }
  for (size_t i = 0; i < width; i++) {
    free(copies[i].made);
    free(copies[i].values);
  }
}
