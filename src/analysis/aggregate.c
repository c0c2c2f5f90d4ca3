/* From cells to the number of a slide and of a run.
 * SPDX-License-Identifier: Apache-2.0 */
#include "analysis/aggregate.h"

#include "base/alloc.h"
#include "base/error.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const ts_over_names[] = {"pool", "sum", "mean", "median", "weighted", NULL};

/* ---- Tables. ---- */

static double side_of(const struct ts_terms *terms, const double *row) {
  double sum = 0;
  for (size_t i = 0; i < terms->count; i++) sum += terms->factors[i] * row[terms->columns[i]];
  return sum;
}

/* A row of which a term is missing adds to neither side. */
static struct ts_portion pool_rows(const struct ts_column_view *view) {
  struct ts_portion portion = {.more.lowest = NAN};
  for (size_t r = 0; r < view->rows; r++) {
    const double *row = view->cells + r * view->columns;
    double numerator = side_of(&view->numerator, row), denominator = side_of(&view->denominator, row);
    if (isnan(numerator) || isnan(denominator)) continue;
    portion.sum += numerator;
    portion.weight += denominator;
    portion.more.lowest = fmin(portion.more.lowest, row[view->column]); /* fmin leaves NaN out */
  }
  return portion;
}

struct ts_portion ts_portion_absent(void) {
  return (struct ts_portion){.weight = NAN};
}

struct ts_portion ts_portion_of(enum ts_over over, const struct ts_column_view *view) {
  if (over == TS_OVER_POOL) return pool_rows(view);
  struct ts_portion portion = {0};
  if (over == TS_OVER_SUM) portion.more.rows = (double)view->rows;
  if (over == TS_OVER_MEDIAN) portion.more.cells = ts_calloc(view->rows + 1, sizeof *portion.more.cells);
  size_t count = 0;
  for (size_t r = 0; r < view->rows; r++) {
    double cell = view->cells[r * view->columns + view->column];
    if (isnan(cell)) continue;
    portion.sum += cell;
    if (over == TS_OVER_MEDIAN) portion.more.cells[count] = cell;
    count++;
  }
  portion.weight = (double)count;
  return portion;
}

void ts_portion_release(enum ts_over over, struct ts_portion *portion) {
  if (over == TS_OVER_MEDIAN) free(portion->more.cells);
  *portion = ts_portion_absent();
}

/* ---- Tiles of a file. ---- */

static const struct ts_portion *portion_at(const struct ts_portions *p, size_t i) { return p->first + i * p->stride; }

static double px_at(const struct ts_portions *p, size_t i) { return p->px ? p->px[i] : 0; }

/* Whether pixels can weigh: otherwise (tables without an image) every part weighs the same. */
static double weight_of(double px, double all_px) { return all_px > 0 ? px : 1; }

static int compare_numbers(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Sorts the numbers. */
static double median_of(double *numbers, size_t count) {
  if (count == 0) return NAN;
  qsort(numbers, count, sizeof *numbers, compare_numbers);
  return count % 2 ? numbers[count / 2] : (numbers[count / 2 - 1] + numbers[count / 2]) / 2;
}

static double median_of_tiles(const struct ts_portions *p) {
  size_t count = 0;
  for (size_t i = 0; i < p->count; i++) count += (size_t)portion_at(p, i)->weight;
  ts_auto_free double *cells = ts_calloc(count + 1, sizeof *cells);
  count = 0;
  for (size_t i = 0; i < p->count; i++) {
    const struct ts_portion *portion = portion_at(p, i);
    const size_t own = (size_t)portion->weight;
    if (own > 0) memcpy(cells + count, portion->more.cells, own * sizeof *cells);
    count += own;
  }
  return median_of(cells, count);
}

static double weighted_of_tiles(const struct ts_portions *p, double all_px) {
  double sum = 0, weights = 0;
  for (size_t i = 0; i < p->count; i++) {
    const struct ts_portion *portion = portion_at(p, i);
    if (portion->weight == 0) continue;
    const double weight = weight_of(px_at(p, i), all_px);
    sum += weight * (portion->sum / portion->weight);
    weights += weight;
  }
  return weights > 0 ? sum / weights : NAN;
}

/* Where nothing was counted, the operation's own value is taken, the lowest where rows differ. */
static double ratio_of(double numerator, double denominator, double lowest) {
  return denominator != 0 ? numerator / denominator : lowest;
}

static bool has_value(enum ts_over over, const struct ts_portion *portion) {
  if (over == TS_OVER_POOL) return portion->weight != 0 || !isnan(portion->more.lowest);
  return portion->weight > 0 || (over == TS_OVER_SUM && portion->more.rows == 0);
}

static double sum_of_tiles(const struct ts_portions *p, double *weights) {
  double sum = 0;
  *weights = 0;
  for (size_t i = 0; i < p->count; i++) {
    sum += portion_at(p, i)->sum;
    *weights += portion_at(p, i)->weight;
  }
  return sum;
}

static double lowest_of_tiles(const struct ts_portions *p) {
  double lowest = NAN;
  for (size_t i = 0; i < p->count; i++) lowest = fmin(lowest, portion_at(p, i)->more.lowest);
  return lowest;
}

struct ts_total ts_total_of_tiles(enum ts_over over, const struct ts_portions *p) {
  struct ts_total total = {.value = NAN, .numerator = NAN, .denominator = NAN, .lowest = NAN};
  for (size_t i = 0; i < p->count; i++) {
    total.px += px_at(p, i);
    total.failed = total.failed || isnan(portion_at(p, i)->weight);
    total.n += !isnan(portion_at(p, i)->weight) && has_value(over, portion_at(p, i)) ? 1 : 0;
  }
  if (total.failed || p->count == 0) return total;
  double weights = 0;
  const double sum = sum_of_tiles(p, &weights);
  switch (over) {
  case TS_OVER_POOL:
    total.numerator = sum;
    total.denominator = weights;
    total.lowest = lowest_of_tiles(p);
    total.value = ratio_of(sum, weights, total.lowest);
    break;
  case TS_OVER_SUM: total.value = total.n > 0 ? sum : NAN; break; /* rows, but no cell: nothing is known */
  case TS_OVER_MEAN: total.value = weights > 0 ? sum / weights : NAN; break;
  case TS_OVER_MEDIAN: total.value = median_of_tiles(p); break;
  case TS_OVER_WEIGHTED: total.value = weighted_of_tiles(p, total.px); break;
  case TS_OVER_COUNT: TS_BUG("no way to go over tiles");
  }
  return total;
}

/* ---- Files of a run. ---- */

static struct ts_total pool_files(const struct ts_total *files, size_t count, struct ts_total total) {
  total.numerator = total.denominator = 0;
  for (size_t i = 0; i < count; i++) {
    total.numerator += files[i].numerator;
    total.denominator += files[i].denominator;
    total.lowest = fmin(total.lowest, files[i].lowest);
  }
  total.value = ratio_of(total.numerator, total.denominator, total.lowest);
  return total;
}

static double median_of_files(const struct ts_total *files, size_t count) {
  ts_auto_free double *values = ts_calloc(count + 1, sizeof *values);
  size_t known = 0;
  for (size_t i = 0; i < count; i++) {
    if (!isnan(files[i].value)) values[known++] = files[i].value;
  }
  return median_of(values, known);
}

static double mean_of_files(const struct ts_total *files, size_t count, double all_px) {
  double sum = 0, weights = 0;
  for (size_t i = 0; i < count; i++) {
    if (isnan(files[i].value)) continue;
    const double weight = weight_of(files[i].px, all_px);
    sum += weight * files[i].value;
    weights += weight;
  }
  return weights > 0 ? sum / weights : NAN;
}

struct ts_total ts_total_of_files(enum ts_over over, const struct ts_total *files, size_t count) {
  struct ts_total total = {.value = NAN, .numerator = NAN, .denominator = NAN, .lowest = NAN};
  double sum = 0;
  for (size_t i = 0; i < count; i++) {
    total.px += files[i].px;
    total.failed = total.failed || files[i].failed;
    total.n += isnan(files[i].value) ? 0 : 1;
    sum += isnan(files[i].value) ? 0 : files[i].value;
  }
  if (total.failed || total.n == 0) return total;
  switch (over) {
  case TS_OVER_POOL: return pool_files(files, count, total);
  case TS_OVER_SUM: total.value = sum; break;
  case TS_OVER_MEAN: total.value = mean_of_files(files, count, 0); break;
  case TS_OVER_MEDIAN: total.value = median_of_files(files, count); break;
  case TS_OVER_WEIGHTED: total.value = mean_of_files(files, count, total.px); break;
  case TS_OVER_COUNT: TS_BUG("no way to go over files");
  }
  return total;
}
