/* Checks, row by row, whether a design has the order that a method needs.
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/row_order.h"

#include "base/alloc.h"
#include "model/model.h"

#include <stdio.h>
#include <string.h>

/* Of the neighbours that a design has in any order; below that it is not one that was sorted, shuffled or filtered. A
 * filter that keeps half of the rows of a base sample at random keeps a quarter of the pairs. */
#define LEAST_SHARE 0.25

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

static void add_candidate(struct row_order *order, enum ts_layout layout, bool is_accepted) {
  if (order->candidate_count == TS_ORDER_MAX) TS_BUG("more than %d layouts", TS_ORDER_MAX);
  struct order_candidate *candidate = &order->candidates[order->candidate_count++];
  *candidate = (struct order_candidate){.layout = layout,
                                        .is_accepted = is_accepted,
                                        .block_rows = ts_layout_block_rows(layout, order->group_count),
                                        .bad_row = TS_NONE};
  if (candidate->block_rows > 1) {
    candidate->block = ts_calloc(candidate->block_rows * order->column_count, sizeof *candidate->block);
  }
}

void ts_row_order_add(struct row_order *order, enum ts_layout layout) { add_candidate(order, layout, true); }

void ts_row_order_add_others(struct row_order *order) {
  static const enum ts_layout layouts[] = {TS_LAYOUT_DERIVATIVE, TS_LAYOUT_TRAJECTORIES, TS_LAYOUT_RADIAL,
                                           TS_LAYOUT_SALTELLI, TS_LAYOUT_SALTELLI_2};
  size_t accepted = order->candidate_count;
  if (accepted == 0 || order->group_count < 2) return; /* with one parameter any rows are those of a trajectory */
  bool derivative = order->candidates[0].layout == TS_LAYOUT_DERIVATIVE;
  for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++) {
    size_t known = 0;
    while (known < accepted && order->candidates[known].layout != layouts[i]) known++;
    /* Base points whose steps are in another order are still meant as such. */
    if (known == accepted && !(derivative && layouts[i] == TS_LAYOUT_RADIAL)) add_candidate(order, layouts[i], false);
  }
}

void ts_row_order_release(struct row_order *order) {
  for (size_t i = 0; i < order->candidate_count; i++) free(order->candidates[i].block);
  ts_row_neighbours_release(&order->neighbours);
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

/* Describes the fault of a row of the design. */
static void note_fault(struct order_candidate *candidate, size_t row, const char *format, ...) TS_PRINTF(3, 4);
static void note_fault(struct order_candidate *candidate, size_t row, const char *format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(candidate->fault, sizeof candidate->fault, format, args);
  va_end(args);
  candidate->bad_row = row;
}

/* Steps from the row before (trajectory) or from the first one (radial, derivative); each group moves at most once,
 * and for derivatives in the order of the groups. Equal rows are allowed: two coordinates can fall onto the same
 * grid level. */
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

static void add_neighbours(struct row_order *order, const double *row) {
  ts_row_neighbours_add(&order->neighbours, row, order->column_count, order->group_of, order->group_count);
}

/* When the last accepted layout fails, the rows of its block are the first whose neighbours count. */
static void note_loss(struct row_order *order, const struct order_candidate *last) {
  order->is_lost = true;
  for (size_t i = 0; i < order->candidate_count; i++) {
    if (order->candidates[i].is_accepted && order->candidates[i].bad_row == TS_NONE) order->is_lost = false;
  }
  for (size_t i = 0; i < last->block_rows && order->is_lost; i++)
    add_neighbours(order, last->block + i * order->column_count);
}

void ts_row_order_row(struct row_order *order, const double *row) {
  if (order->is_lost) add_neighbours(order, row);
  for (size_t i = 0; i < order->candidate_count; i++) {
    struct order_candidate *candidate = &order->candidates[i];
    if (!candidate->block || candidate->bad_row != TS_NONE) continue;
    memcpy(candidate->block + candidate->filled * order->column_count, row, order->column_count * sizeof *row);
    if (++candidate->filled < candidate->block_rows) continue;
    candidate->filled = 0;
    check_block(order, candidate, order->row_count + 1 - candidate->block_rows);
    if (candidate->is_accepted && candidate->bad_row != TS_NONE) note_loss(order, candidate);
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

static const char *method_of(enum ts_layout layout) {
  switch (layout) {
  case TS_LAYOUT_TRAJECTORIES:
  case TS_LAYOUT_RADIAL: return "morris";
  case TS_LAYOUT_DERIVATIVE: return "dgsm";
  default: return "vbd";
  }
}

/* The layout that was most likely meant: the accepted one that fits for longest. */
static const struct order_candidate *likeliest(const struct row_order *order) {
  const struct order_candidate *best = &order->candidates[0];
  for (size_t i = 1; i < order->candidate_count; i++) {
    if (order->candidates[i].is_accepted && order->candidates[i].bad_row > best->bad_row) best = &order->candidates[i];
  }
  return best;
}

/* The first layout that fits, of those that the method accepts or of the others; NULL if none does. */
static const struct order_candidate *fitting(const struct row_order *order, bool is_accepted) {
  for (size_t i = 0; i < order->candidate_count; i++) {
    const struct order_candidate *candidate = &order->candidates[i];
    if (candidate->is_accepted == is_accepted && fits(order, candidate)) return candidate;
  }
  return NULL;
}

static bool fail_other_design(const struct order_candidate *wanted, const struct order_candidate *found,
                              const char *method, struct ts_error *err) {
  bool second = wanted->layout == TS_LAYOUT_SALTELLI_2 && found->layout == TS_LAYOUT_SALTELLI;
  ts_fail(err, TS_ERR_WRONG_DESIGN, "this is not a %s (its rows are those of a %s%s)", ts_layout_design(wanted->layout),
          second ? "plain " : "", ts_layout_design(found->layout));
  if (second) {
    ts_error_help(
        err, "leave --second-order out, or draw the design with: tessera sample --method sobol; given-data and pce "
             "take any design");
  } else {
    ts_auto(ts_str_release) struct ts_str others = {0};
    ts_add_free_analyses(&others);
    ts_error_help(err,
                  "for this design use --method %s, or one that takes any design: %s; '%s' needs the rows of: "
                  "tessera sample --method %s",
                  method_of(found->layout), ts_str_get(&others), method, ts_layout_sampler(wanted->layout));
  }
  return false;
}

/* Whether the rows are the wanted design in no order at all: the first block does not fit, and neighbours are few. */
static bool is_another_design(struct row_order *order, const struct order_candidate *wanted) {
  if (wanted->bad_row == TS_NONE || wanted->bad_row >= wanted->block_rows || order->group_count < 2) return false;
  bool saltelli = wanted->layout == TS_LAYOUT_SALTELLI;
  double expected = 2 / (double)(order->group_count + (saltelli ? 2 : 1));
  return ts_row_neighbours_share(&order->neighbours) < LEAST_SHARE * expected;
}

static bool fail_no_design(const struct row_order *order, const struct order_candidate *wanted, const char *method,
                           struct ts_error *err) {
  ts_fail(err, TS_ERR_WRONG_DESIGN,
          "this is not a %s (too few of its %zu rows differ from another in one %s only); row %zu of the design is not "
          "where '%s' needs it: %s",
          ts_layout_design(wanted->layout), order->row_count, order->group_of ? "group" : "parameter",
          wanted->bad_row + 1, method, wanted->fault);
  ts_auto(ts_str_release) struct ts_str others = {0};
  ts_add_free_analyses(&others);
  return ts_error_help(err, "for this design use --method %s; '%s' needs the rows of: tessera sample --method %s",
                       ts_str_get(&others), method, ts_layout_sampler(wanted->layout));
}

bool ts_row_order_find(struct row_order *order, const char *method, enum ts_layout *layout, size_t *row,
                       struct ts_error *err) {
  *layout = TS_LAYOUT_FREE;
  *row = TS_NONE;
  if (order->candidate_count == 0) return true;
  const struct order_candidate *found = fitting(order, true), *other = fitting(order, false);
  if (found) {
    *layout = found->layout;
    return true;
  }
  const struct order_candidate *candidate = likeliest(order);
  if (other) return fail_other_design(candidate, other, method, err);
  *row = candidate->bad_row;
  if (is_another_design(order, candidate)) return fail_no_design(order, candidate, method, err);
  if (candidate->bad_row != TS_NONE) {
    ts_fail(err, TS_ERR_BAD_VALUE, "row %zu of the design is not where '%s' needs it: %s", candidate->bad_row + 1,
            method, candidate->fault);
    return ts_error_help(
        err, "give the rows in the order in which 'tessera sample' wrote them, neither sorted, shuffled nor "
             "filtered; outputs of failed runs stay empty");
  }
  if (candidate->layout == TS_LAYOUT_FAST) {
    ts_fail(err, TS_ERR_BAD_VALUE, "the design has %zu rows, which %zu curves cannot share equally", order->row_count,
            order->group_count);
  } else {
    ts_fail(err, TS_ERR_BAD_VALUE, "the design has %zu rows, but '%s' needs %zu for every %s", order->row_count, method,
            candidate->block_rows, block_word(candidate->layout));
  }
  return ts_error_help(err, "give all rows of the design; runs that failed have a row with an empty output");
}
