/* Polynomial chaos: the polynomials of one parameter, continuous or with levels.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Every distribution is uniform in its unit coordinate, so that Legendre polynomials are orthonormal for all of them. A
 * parameter with levels is a staircase in that coordinate, which no polynomial follows: it gets the polynomials that
 * are orthonormal over its levels instead (Gram polynomials when all are equally likely). */
#include "analysis/pce_int.h"

#include "base/alloc.h"
#include "base/order.h"

#include <math.h>
#include <stdlib.h>

#define TOLERANCE 1e-9 /* of coordinates */

void ts_pce_legendre(double u, size_t degree, double *values) {
  double x = 2 * u - 1, before = 0, now = 1;
  for (size_t d = 0; d <= degree; d++) {
    values[d] = now * sqrt(2 * (double)d + 1);
    double next = ((2 * (double)d + 1) * x * now - (double)d * before) / ((double)d + 1);
    before = now;
    now = next;
  }
}

struct entry {
  double unit, value;
  size_t run;
};

static int compare_entries(const void *a, const void *b) {
  const struct entry *x = a, *y = b;
  if (x->unit != y->unit) return x->unit < y->unit ? -1 : 1;
  return (x->value > y->value) - (x->value < y->value);
}

static size_t count_units(const struct entry *entries, size_t count) {
  size_t distinct = 1;
  for (size_t i = 1; i < count; i++) distinct += entries[i].unit != entries[i - 1].unit;
  return distinct;
}

/* Where each stretch of equal values starts (count + 1 entries at most); the number of stretches. */
static size_t find_levels(const struct entry *entries, size_t count, size_t *starts) {
  size_t levels = 0;
  for (size_t i = 0; i < count; i++) {
    if (i == 0 || entries[i].value != entries[i - 1].value) starts[levels++] = i;
  }
  starts[levels] = count;
  return levels;
}

/* A value that comes in two stretches is not a level of a staircase. */
static bool values_differ(const struct entry *entries, const size_t *starts, size_t levels) {
  ts_auto_free double *values = ts_calloc(levels, sizeof *values);
  for (size_t i = 0; i < levels; i++) values[i] = entries[starts[i]].value;
  qsort(values, levels, sizeof *values, ts_compare_doubles);
  for (size_t i = 1; i < levels; i++) {
    if (values[i] == values[i - 1]) return false;
  }
  return true;
}

/* Borders of shares of [0, 1] whose middles are the coordinates; false if there are none. */
static bool borders_of_middles(const struct entry *entries, const size_t *starts, size_t levels, double *borders) {
  borders[0] = 0;
  for (size_t i = 0; i < levels; i++) {
    borders[i + 1] = 2 * entries[starts[i]].unit - borders[i];
    if (borders[i + 1] <= borders[i] + TOLERANCE) return false;
  }
  return fabs(borders[levels] - 1) <= TOLERANCE * (double)levels;
}

/* Borders between levels lie between the last coordinate of one and the first of the next: at equal shares if that can
 * be, halfway otherwise (off by about 1 / runs). */
static void borders_of_stretches(const struct entry *entries, const size_t *starts, size_t levels, double *borders) {
  bool equal = true;
  borders[0] = 0;
  borders[levels] = 1;
  for (size_t i = 1; i < levels; i++) {
    double last = entries[starts[i] - 1].unit, first = entries[starts[i]].unit, border = (double)i / (double)levels;
    equal = equal && last <= border && border <= first;
    borders[i] = (last + first) / 2;
  }
  for (size_t i = 1; equal && i < levels; i++) borders[i] = (double)i / (double)levels;
}

static void alloc_levels(struct ts_pce_axis *axis, size_t levels) {
  axis->level_count = levels;
  axis->middles = ts_calloc(levels, sizeof *axis->middles);
  axis->weights = ts_calloc(levels, sizeof *axis->weights);
}

static void set_levels(struct ts_pce_axis *axis, const double *borders, const struct entry *entries,
                       const size_t *starts, size_t levels, double *coordinates) {
  alloc_levels(axis, levels);
  for (size_t level = 0; level < levels; level++) {
    axis->middles[level] = (borders[level] + borders[level + 1]) / 2;
    axis->weights[level] = borders[level + 1] - borders[level];
    for (size_t i = starts[level]; i < starts[level + 1]; i++) coordinates[entries[i].run] = axis->middles[level];
  }
  axis->degree_limit = levels - 1;
}

/* How many equal shares have their middles at the coordinates, though not every share has a run; 0: there are none. */
static size_t count_equal_shares(const struct entry *entries, size_t count) {
  double gap = 1;
  for (size_t i = 1; i < count; i++) {
    double distance = entries[i].unit - entries[i - 1].unit;
    if (distance > 0 && distance < gap) gap = distance;
  }
  double shares = floor(1 / gap + 0.5);
  if (shares > (double)count) return 0;
  for (size_t i = 0; i < count; i++) {
    double place = entries[i].unit * shares - 0.5;
    if (fabs(place - floor(place + 0.5)) > TOLERANCE * shares) return 0;
  }
  return (size_t)shares;
}

static void set_equal_shares(struct ts_pce_axis *axis, size_t shares) {
  alloc_levels(axis, shares);
  for (size_t i = 0; i < shares; i++) {
    axis->middles[i] = ((double)i + 0.5) / (double)shares;
    axis->weights[i] = 1 / (double)shares;
  }
}

static void find_shares(struct ts_pce_axis *axis, const struct entry *entries, size_t count, double *coordinates) {
  ts_auto_free size_t *starts = ts_calloc(count + 1, sizeof *starts);
  ts_auto_free double *borders = ts_calloc(count + 1, sizeof *borders);
  size_t units = count_units(entries, count), levels = find_levels(entries, count, starts);
  axis->degree_limit = units - 1;
  if (levels * TS_PCE_LEVEL_SHARE > count || !values_differ(entries, starts, levels)) return;
  if (levels < units) {
    borders_of_stretches(entries, starts, levels, borders);
    set_levels(axis, borders, entries, starts, levels, coordinates);
  } else if (borders_of_middles(entries, starts, levels, borders)) {
    set_levels(axis, borders, entries, starts, levels, coordinates);
  } else {
    size_t shares = count_equal_shares(entries, count);
    if (shares > 0 && shares * TS_PCE_LEVEL_SHARE <= count) set_equal_shares(axis, shares);
  }
}

void ts_pce_axis_init(struct ts_pce_axis *axis, const double *unit, const double *values, size_t count, size_t stride,
                      double *coordinates) {
  *axis = (struct ts_pce_axis){0};
  ts_auto_free struct entry *entries = ts_calloc(count, sizeof *entries);
  for (size_t i = 0; i < count; i++) {
    double u = unit[i * stride];
    coordinates[i] = u;
    entries[i] = (struct entry){.unit = u, .value = values ? values[i * stride] : u, .run = i};
  }
  qsort(entries, count, sizeof *entries, compare_entries);
  find_shares(axis, entries, count, coordinates);
}

void ts_pce_axis_release(struct ts_pce_axis *axis) {
  free(axis->middles);
  free(axis->weights);
  *axis = (struct ts_pce_axis){0};
}

/* Monic polynomials by the three-term recurrence (Stieltjes), each then divided by its norm over the levels. */
struct recurrence {
  double alpha, beta, norm;
};

static double level_sum(const struct ts_pce_axis *axis, const double *values, bool times_x) {
  double sum = 0;
  for (size_t i = 0; i < axis->level_count; i++) {
    double x = times_x ? 2 * axis->middles[i] - 1 : 1;
    sum += axis->weights[i] * x * values[i] * values[i];
  }
  return sum;
}

static void find_recurrence(const struct ts_pce_axis *axis, size_t degree, struct recurrence *steps) {
  size_t levels = axis->level_count;
  ts_auto_free double *before = ts_calloc(levels, sizeof *before);
  ts_auto_free double *now = ts_calloc(levels, sizeof *now);
  for (size_t i = 0; i < levels; i++) now[i] = 1;
  double last_square = 1;
  for (size_t d = 0; d <= degree; d++) {
    double square = level_sum(axis, now, false);
    steps[d].norm = sqrt(square);
    steps[d].alpha = level_sum(axis, now, true) / square;
    steps[d].beta = d > 0 ? square / last_square : 0;
    last_square = square;
    for (size_t i = 0; i < levels; i++) {
      double next = (2 * axis->middles[i] - 1 - steps[d].alpha) * now[i] - steps[d].beta * before[i];
      before[i] = now[i];
      now[i] = next;
    }
  }
}

void ts_pce_axis_table(const struct ts_pce_axis *axis, size_t degree, const double *coordinates, size_t count,
                       double *table) {
  ts_auto_free double *values = ts_calloc(degree + 1, sizeof *values);
  if (axis->level_count == 0) {
    for (size_t i = 0; i < count; i++) {
      ts_pce_legendre(coordinates[i], degree, values);
      for (size_t d = 0; d <= degree; d++) table[d * count + i] = values[d];
    }
    return;
  }
  ts_auto_free struct recurrence *steps = ts_calloc(degree + 1, sizeof *steps);
  find_recurrence(axis, degree, steps);
  for (size_t i = 0; i < count; i++) {
    double x = 2 * coordinates[i] - 1, before = 0, now = 1;
    for (size_t d = 0; d <= degree; d++) {
      table[d * count + i] = now / steps[d].norm;
      double next = (x - steps[d].alpha) * now - steps[d].beta * before;
      before = now;
      now = next;
    }
  }
}
