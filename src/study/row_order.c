/* Whether the rows of a design stand in the order that a method needs, checked as they stream by.
 * SPDX-License-Identifier: Apache-2.0 */
#include "study/row_order.h"

#include "base/alloc.h"

#include <stdio.h>
#include <string.h>

size_t ts_layout_block_rows(enum ts_layout layout, size_t group_count) {
  switch (layout) {
  case TS_LAYOUT_TRAJECTORIES:
  case TS_LAYOUT_RADIAL:
  case TS_LAYOUT_DERIVATIVE: return group_count + 1;
  case TS_LAYOUT_SALTELLI: return group_count + 2;
  case TS_LAYOUT_SALTELLI_2: return 2 * group_count + 2;
  case TS_LAYOUT_FAST: /* curves are as long as the design says */
  case TS_LAYOUT_FREE: break;
  }
  return 1;
}

void ts_row_order_init(struct row_order *order, const char *const *names, size_t column_count, const size_t *group_of,
                       const char *const *group_names, size_t group_count) {
  *order = (struct row_order){.names = names,
                              .group_of = group_of,
                              .group_names = group_names,
                              .column_count = column_count,
                              .group_count = group_of ? group_count : column_count};
}

void ts_row_order_add(struct row_order *order, enum ts_layout layout) {
  if (order->candidate_count == TS_ORDER_MAX) TS_BUG("more than %d layouts", TS_ORDER_MAX);
  struct order_candidate *candidate = &order->candidates[order->candidate_count++];
  *candidate = (struct order_candidate){
      .layout = layout, .block_rows = ts_layout_block_rows(layout, order->group_count), .bad_row = TS_NONE};
  if (candidate->block_rows > 1) {
    candidate->block = ts_calloc(candidate->block_rows * order->column_count, sizeof *candidate->block);
  }
}

void ts_row_order_release(struct row_order *order) {
  for (size_t i = 0; i < order->candidate_count; i++) free(order->candidates[i].block);
  *order = (struct row_order){0};
}

static size_t group_of(const struct row_order *order, size_t column) {
  return order->group_of ? order->group_of[column] : column;
}

static const char *group_name(const struct row_order *order, size_t group) {
  return order->group_of ? order->group_names[group] : order->names[group];
}

/* The group in which two rows differ; TS_NONE if they are equal, *second another one if there is. */
static size_t differing(const struct row_order *order, const double *a, const double *b, size_t *second) {
  size_t first = TS_NONE;
  *second = TS_NONE;
  for (size_t c = 0; c < order->column_count; c++) {
    size_t group = group_of(order, c);
    if (a[c] == b[c] || group == first) continue;
    if (first != TS_NONE) {
      *second = group;
      return first;
    }
    first = group;
  }
  return first;
}

/* Says what is wrong with a row of the design. */
static void note_fault(struct order_candidate *candidate, size_t row, const char *format, ...) TS_PRINTF(3, 4);
static void note_fault(struct order_candidate *candidate, size_t row, const char *format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(candidate->fault, sizeof candidate->fault, format, args);
  va_end(args);
  candidate->bad_row = row;
}

/* Steps from the row before (trajectory) or from the first one (radial, derivative); each group moves at most once, and for
 * derivatives in the order of the groups. Equal rows may be: two coordinates can fall onto the same grid level. */
static void check_steps(const struct row_order *order, struct order_candidate *candidate, size_t first_row) {
  bool chained = candidate->layout == TS_LAYOUT_TRAJECTORIES;
  ts_auto_free bool *moved = ts_calloc(order->group_count, sizeof *moved);
  for (size_t place = 1; place < candidate->block_rows; place++) {
    const double *row = candidate->block + place * order->column_count;
    const double *base = chained ? row - order->column_count : candidate->block;
    size_t second;
    size_t group = differing(order, base, row, &second);
    if (group == TS_NONE) continue;
    const char *name = group_name(order, group);
    if (second != TS_NONE) {
      note_fault(candidate, first_row + place, "it differs from the %s in both '%s' and '%s'",
                 chained ? "row before" : "first row of its block", name, group_name(order, second));
      return;
    }
    if (candidate->layout == TS_LAYOUT_DERIVATIVE && group != place - 1) {
      note_fault(candidate, first_row + place, "'%s' changes where it is the turn of '%s'", name,
                 group_name(order, place - 1));
      return;
    }
    if (moved[group]) {
      note_fault(candidate, first_row + place, "'%s' changes twice in its block", name);
      return;
    }
    moved[group] = true;
  }
}

/* A, AB_1..AB_g, (BA_1..BA_g,) B. */
static void check_saltelli(const struct row_order *order, struct order_candidate *candidate, size_t first_row) {
  size_t width = order->column_count, last = candidate->block_rows - 1;
  const double *a = candidate->block, *b = candidate->block + last * width;
  for (size_t place = 1; place < last; place++) {
    const double *row = candidate->block + place * width;
    bool from_a = place <= order->group_count;
    size_t group = place - 1 - (from_a ? 0 : order->group_count);
    for (size_t c = 0; c < width; c++) {
      bool other = group_of(order, c) == group;
      double expected = (from_a != other) ? a[c] : b[c];
      if (row[c] == expected) continue;
      note_fault(candidate, first_row + place, "its '%s' is not that of row %s of its base sample", order->names[c],
                 from_a != other ? "A" : "B");
      return;
    }
  }
}

static void check_block(const struct row_order *order, struct order_candidate *candidate, size_t first_row) {
  if (candidate->layout == TS_LAYOUT_SALTELLI || candidate->layout == TS_LAYOUT_SALTELLI_2) {
    check_saltelli(order, candidate, first_row);
  } else {
    check_steps(order, candidate, first_row);
  }
}

void ts_row_order_row(struct row_order *order, const double *row) {
  for (size_t i = 0; i < order->candidate_count; i++) {
    struct order_candidate *candidate = &order->candidates[i];
    if (!candidate->block || candidate->bad_row != TS_NONE) continue;
    memcpy(candidate->block + candidate->filled * order->column_count, row, order->column_count * sizeof *row);
    if (++candidate->filled < candidate->block_rows) continue;
    candidate->filled = 0;
    check_block(order, candidate, order->row_count + 1 - candidate->block_rows);
  }
  order->row_count++;
}

static bool fits(const struct row_order *order, const struct order_candidate *candidate) {
  size_t unit = candidate->layout == TS_LAYOUT_FAST ? order->group_count : candidate->block_rows;
  return candidate->bad_row == TS_NONE && order->row_count > 0 && order->row_count % unit == 0;
}

static const char *block_word(enum ts_layout layout) {
  switch (layout) {
  case TS_LAYOUT_TRAJECTORIES: return "trajectory";
  case TS_LAYOUT_RADIAL:
  case TS_LAYOUT_DERIVATIVE: return "base point";
  case TS_LAYOUT_FAST: return "parameter";
  default: return "base sample";
  }
}

/* The layout that was most likely meant: the one that fits for longest. */
static const struct order_candidate *likeliest(const struct row_order *order) {
  const struct order_candidate *best = &order->candidates[0];
  for (size_t i = 1; i < order->candidate_count; i++) {
    if (order->candidates[i].bad_row > best->bad_row) best = &order->candidates[i];
  }
  return best;
}

bool ts_row_order_find(const struct row_order *order, const char *method, enum ts_layout *layout, size_t *row,
                       struct ts_error *err) {
  *layout = TS_LAYOUT_FREE;
  *row = TS_NONE;
  if (order->candidate_count == 0) return true;
  for (size_t i = 0; i < order->candidate_count; i++) {
    *layout = order->candidates[i].layout;
    if (fits(order, &order->candidates[i])) return true;
  }
  const struct order_candidate *candidate = likeliest(order);
  *row = candidate->bad_row;
  if (candidate->bad_row != TS_NONE) {
    ts_fail(err, TS_ERR_BAD_VALUE, "row %zu of the design is not where '%s' needs it: %s", candidate->bad_row + 1,
            method, candidate->fault);
    ts_error_help(err, "give the rows in the order in which 'tessera sample' wrote them, neither sorted, shuffled nor "
                       "filtered; outputs of failed runs stay empty");
    return false;
  }
  if (candidate->layout == TS_LAYOUT_FAST) {
    ts_fail(err, TS_ERR_BAD_VALUE, "the design has %zu rows, which %zu curves cannot share equally", order->row_count,
            order->group_count);
  } else {
    ts_fail(err, TS_ERR_BAD_VALUE, "the design has %zu rows, but '%s' needs %zu for every %s", order->row_count, method,
            candidate->block_rows, block_word(candidate->layout));
  }
  ts_error_help(err, "give all rows of the design; runs that failed have a row with an empty output");
  return false;
}
