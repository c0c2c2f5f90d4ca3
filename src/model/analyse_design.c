/* Reads the design of an analysis row by row: keeps needed values, and checks the order of the rows.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Where the file has columns u_NAME, they are the unit coordinates; otherwise these are worked out from the values. */
#include "model/analyse_int.h"
#include "project/data/check_data.h"

#include "base/alloc.h"
#include "base/str.h"
#include "design/read_table.h"
#include "model/row_order.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_ROWS     1024
#define ROWS_PER_TELL  4096
#define RANGE_SLACK    1e-9 /* of the width: what rounding may add to an end */
#define STEP_TOLERANCE 1e-6

struct design_reader {
  struct analysis *a;
  struct ts_table_reader table;
  struct row_order order;
  size_t count;       /* parameters */
  size_t *unit_place; /* in the arena of the space; where in a row u_NAME is, TS_NONE: not in the file */
  double *row;        /* in the arena of the space; numbers as chosen */
  double *unit;       /* in the arena of the space; of this row */
  double *before;     /* in the arena of the space; unit coordinates of the row before */
  size_t capacity;    /* rows there is room for */
  bool needs_unit;
  bool has_units; /* the file has unit coordinates of some parameters */
  struct design_misfits misfits;
  struct ts_error wrong_step; /* the first; reported if the rows are in order */
};

/* Chooses the parameters and, where they are there, their unit coordinates. */
static bool choose_columns(struct design_reader *r, struct ts_error *err) {
  struct ts_arena *arena = &r->a->file.arena;
  const char **names = ts_arena_array(arena, 2 * r->count, sizeof *names);
  r->unit_place = ts_arena_array(arena, r->count, sizeof *r->unit_place);
  size_t chosen = r->count;
  for (size_t i = 0; i < r->count; i++) {
    names[i] = r->a->file.names[i];
    const char *unit_name = ts_arena_printf(arena, "u_%s", names[i]);
    bool there = ts_table_reader_find(&r->table, unit_name) != TS_NONE;
    for (size_t p = 0; p < r->count; p++) there = there && strcmp(r->a->file.names[p], unit_name) != 0;
    r->unit_place[i] = there ? chosen : TS_NONE;
    if (there) names[chosen++] = unit_name;
    r->has_units = r->has_units || there;
  }
  if (!ts_table_reader_choose(&r->table, names, chosen, err)) return false;
  for (size_t i = 0; i < r->count; i++) {
    ts_table_reader_set_parameter(&r->table, i, r->a->file.space.parameters[i]);
  }
  r->row = ts_arena_array(arena, chosen, sizeof *r->row);
  r->unit = ts_arena_array(arena, r->count, sizeof *r->unit);
  r->before = ts_arena_array(arena, r->count, sizeof *r->before);
  return true;
}

static void add_candidates(struct design_reader *r) {
  const struct ts_method *method = r->a->method;
  bool second = r->a->request->second_order;
  for (size_t i = 0; i < method->layout_count; i++) {
    enum ts_layout layout = method->layouts[i];
    if ((second && layout == TS_LAYOUT_SALTELLI) || layout == TS_LAYOUT_FREE) continue;
    ts_row_order_add(&r->order, layout);
  }
  ts_row_order_add_others(&r->order);
}

static bool grow(struct design_reader *r, double **rows, size_t capacity, struct ts_error *err) {
  double *larger =
      r->count <= SIZE_MAX / sizeof(double) / capacity ? realloc(*rows, capacity * r->count * sizeof(double)) : NULL;
  if (larger) {
    *rows = larger;
    return true;
  }
  ts_fail(err, TS_ERR_NO_MEMORY, "there is no memory for %zu rows of %zu parameters", capacity, r->count);
  return ts_error_help(err, "choose a method that needs less, such as 'vbd', or analyse fewer rows");
}

static bool make_room(struct design_reader *r, struct ts_error *err) {
  if (r->a->row_count < r->capacity) return true;
  size_t capacity = r->capacity ? 2 * r->capacity : FIRST_ROWS;
  unsigned needs = r->a->method->needs;
  if ((needs & TS_NEEDS_UNIT) && !grow(r, &r->a->unit, capacity, err)) return false;
  if ((needs & TS_NEEDS_VALUES) && !grow(r, &r->a->values, capacity, err)) return false;
  r->capacity = capacity;
  return true;
}

static bool fail_at(struct design_reader *r, size_t place, struct ts_error *err) {
  ts_table_reader_place(&r->table, place, err);
  return false;
}

/* Ends of a range that were rounded outwards are still its ends. */
static double inside(const struct ts_parameter *parameter, double number) {
  if (parameter->level_count > 0 || !parameter->has_range) return number;
  double slack = RANGE_SLACK * (parameter->range_high - parameter->range_low);
  if (number < parameter->range_low && number >= parameter->range_low - slack) return parameter->range_low;
  if (number > parameter->range_high && number <= parameter->range_high + slack) return parameter->range_high;
  return number;
}

/* The unit coordinate of parameter i in this row. */
static bool find_unit(struct design_reader *r, size_t i, struct ts_error *err) {
  const struct ts_parameter *parameter = r->a->file.space.parameters[i];
  size_t place = r->unit_place[i];
  if (place != TS_NONE) {
    r->unit[i] = r->row[place];
    if (r->unit[i] >= 0 && r->unit[i] <= 1) return true;
    ts_fail(err, TS_ERR_OUTSIDE_DOMAIN, "'u_%s' = %s is not between 0 and 1", parameter->name,
            TS_SIGNIFICANT(r->unit[i], 6));
    ts_error_help(err, "leave the column out, or write it as 'tessera sample --unit' does");
    return fail_at(r, place, err);
  }
  r->unit[i] = ts_space_unit_of_number(parameter, inside(parameter, r->row[i]));
  if (!isnan(r->unit[i])) return true;
  ts_fail(err, TS_ERR_OUTSIDE_DOMAIN, "parameter '%s' = %s is outside its %s", parameter->name,
          TS_SIGNIFICANT(r->row[i], 6), parameter->level_count > 0 ? "grid" : "range");
  ts_error_help(err, "the space must be the one that the design was drawn from");
  return fail_at(r, i, err);
}

static bool read_units(struct design_reader *r, struct ts_error *err) {
  for (size_t i = 0; i < r->count; i++) {
    if (!isfinite(r->row[i])) {
      ts_fail(err, TS_ERR_BAD_VALUE, "parameter '%s' has no value", r->a->file.names[i]);
      ts_error_help(err, "a run has a value for every parameter; only outputs may be missing");
      return fail_at(r, i, err);
    }
    if (r->needs_unit && !find_unit(r, i, err)) return false;
  }
  return true;
}

static bool is_smooth(const struct design_reader *r, size_t i) {
  const struct ts_parameter *parameter = r->a->file.space.parameters[i];
  return r->unit_place[i] != TS_NONE || (parameter->level_count == 0 && parameter->type == TS_VALUE_REAL);
}

/* With --levels every step of a trajectory has the size that belongs to it, as far as the coordinates show. */
static bool check_step(struct design_reader *r, size_t i, struct ts_error *err) {
  size_t levels = r->a->request->levels;
  double expected = (double)levels / (2 * (double)(levels - 1));
  double step = fabs(r->unit[i] - r->before[i]);
  if (step == 0 || fabs(step - expected) <= STEP_TOLERANCE) return true;
  ts_fail(err, TS_ERR_BAD_VALUE, "'%s' moves by %s of its range here, but --levels %zu means steps of %s",
          r->a->file.names[i], TS_SIGNIFICANT(step, 4), levels, TS_SIGNIFICANT(expected, 4));
  double fitting = 2 * step / (2 * step - 1);
  bool known = step > 0.5 && fabs(fitting - round(fitting)) < 1e-3 && fmod(round(fitting), 2) == 0;
  if (known) {
    ts_error_help(err, "these are the steps of --levels %s", TS_SIGNIFICANT(round(fitting), 6));
  } else {
    ts_error_help(err, "leave --levels out: then the steps are taken from the design");
  }
  return fail_at(r, i, err);
}

static bool check_steps(struct design_reader *r, struct ts_error *err) {
  size_t groups = r->a->file.group_of ? r->a->file.group_count : r->count;
  bool begins = r->a->row_count % (groups + 1) == 0; /* a trajectory; its first row follows no other */
  for (size_t i = 0; i < r->count && !begins; i++) {
    if (is_smooth(r, i) && !check_step(r, i, err)) return false;
  }
  memcpy(r->before, r->unit, r->count * sizeof *r->before);
  return true;
}

/* Where values are used as they are, any number is taken; methods that need unit coordinates have refused it by now. */
static void note_misfits(struct design_reader *r) {
  if (r->needs_unit && !r->has_units) return;
  size_t before = r->misfits.count;
  ts_misfits_row(&r->misfits, r->a->file.space.parameters, r->row, r->count);
  if (before > 0 || r->misfits.count == 0) return;
  struct ts_error place = {.code = TS_ERR_OUTSIDE_DOMAIN};
  ts_table_reader_place(&r->table, r->misfits.column, &place);
  r->misfits.line = place.where.line;
  r->misfits.line_column = place.where.column;
}

/* The order is that of the unit coordinates where they are in the file: on a grid different ones share a value. */
static void check_order(struct design_reader *r) {
  if (r->order.candidate_count == 0) {
    r->order.row_count++;
    return;
  }
  for (size_t i = 0; i < r->count; i++) {
    if (r->unit_place[i] != TS_NONE) r->row[i] = r->row[r->unit_place[i]];
  }
  ts_row_order_row(&r->order, r->row);
}

static bool add_row(struct design_reader *r, struct ts_error *err) {
  struct analysis *a = r->a;
  bool walks = a->method->layout_count > 0 && a->method->layouts[0] == TS_LAYOUT_TRAJECTORIES;
  if (!read_units(r, err) || !make_room(r, err)) return false;
  size_t start = a->row_count * r->count;
  if (a->values) memcpy(a->values + start, r->row, r->count * sizeof *r->row);
  if (a->unit) memcpy(a->unit + start, r->unit, r->count * sizeof *r->unit);
  note_misfits(r);
  check_order(r);
  bool is_told = r->wrong_step.code != TS_ERR_OK;
  if (walks && !is_told && r->needs_unit && a->request->levels > 1) check_steps(r, &r->wrong_step);
  a->row_count++;
  return a->row_count % ROWS_PER_TELL != 0 || ts_meter_add(&a->meter, ROWS_PER_TELL, err);
}

/* The line of a row, found by reading the file once more: this happens only when something is wrong. */
static void place_row(const struct analysis *a, size_t row, struct ts_error *err) {
  struct ts_table_reader table = {0};
  struct ts_error ignored = {0};
  if (strcmp(a->design_path, "-") == 0 || !ts_table_reader_open(&table, a->design_path, &ignored)) return;
  ts_table_reader_skip_empty_lines(&table);
  ts_auto_free double *numbers = ts_calloc(table.column_count + 1, sizeof *numbers);
  bool has_row = ts_table_reader_choose(&table, a->file.names, a->file.space.count, &ignored);
  for (size_t i = 0; i < a->file.space.count && has_row; i++) {
    ts_table_reader_set_parameter(&table, i, a->file.space.parameters[i]);
  }
  for (size_t i = 0; i <= row && has_row; i++) {
    if (!ts_table_reader_next(&table, numbers, &has_row, &ignored)) break;
  }
  if (has_row) ts_error_place(err, a->design_path, (int)table.line, 1, NULL);
  ts_table_reader_close(&table);
}

/* Steps between grid values are not those of the design; with --levels only their direction counts. */
static void warn_about_grids(const struct design_reader *r) {
  const struct analysis *a = r->a;
  bool morris = a->layout == TS_LAYOUT_TRAJECTORIES || a->layout == TS_LAYOUT_RADIAL;
  if (!morris || (a->layout == TS_LAYOUT_TRAJECTORIES && a->request->levels > 0)) return;
  for (size_t i = 0; i < r->count; i++) {
    if (is_smooth(r, i)) continue;
    ts_issues_warn(a->issues,
                   "the values of '%s' do not determine the unit coordinates of the design, so its effects are per "
                   "distance of values; draw the design with --unit%s",
                   a->file.names[i],
                   a->layout == TS_LAYOUT_TRAJECTORIES ? ", or give the --levels it was drawn with" : "");
    return;
  }
}

static bool read_rows(struct design_reader *r, struct ts_error *err) {
  for (;;) {
    bool has_row = false;
    if (!ts_table_reader_next(&r->table, r->row, &has_row, err)) return false;
    if (!has_row) break;
    if (!add_row(r, err)) return false;
  }
  if (r->a->row_count == 0) {
    ts_fail(err, TS_ERR_BAD_VALUE, "the design '%s' has no rows", r->a->design_path);
    ts_error_help(err, "write one line of values per run below the header");
    return ts_error_place(err, r->a->design_path, 0, 0, NULL);
  }
  size_t row;
  if (!ts_row_order_find(&r->order, r->a->method->name, &r->a->layout, &row, err)) {
    if (row != TS_NONE) place_row(r->a, row, err);
    return ts_error_place(err, r->a->design_path, 0, 0, NULL);
  }
  warn_about_grids(r);
  ts_misfits_warn(&r->misfits, r->a->design_path, r->a->issues);
  if (r->wrong_step.code == TS_ERR_OK) return true;
  *err = r->wrong_step;
  return false;
}

bool ts_analysis_read_design(struct analysis *a) {
  struct ts_error err = {0};
  struct design_reader r = {
      .a = a, .count = a->file.space.count, .needs_unit = (a->method->needs & TS_NEEDS_UNIT) != 0};
  bool opened = ts_table_reader_open(&r.table, a->design_path, &err);
  if (opened) ts_table_reader_skip_empty_lines(&r.table);
  ts_row_order_init(&r.order, a->file.names, r.count, a->file.group_of, a->file.group_names, a->file.group_count);
  add_candidates(&r);
  bool ok = opened && choose_columns(&r, &err) && read_rows(&r, &err);
  if (!ok) ts_issues_fault(a->issues, &err);
  if (opened) ts_table_reader_close(&r.table);
  ts_row_order_release(&r.order);
  return ok;
}
