/* First-order indices of any sample: how much of the variance a broken line along each input follows.
 * SPDX-License-Identifier: Apache-2.0
 *
 * The correlation ratio of K. Pearson (1905) in the use of E. Plischke, E. Borgonovo, C. L. Smith, "Global sensitivity
 * measures from given data", 2013, doi:10.1016/j.ejor.2012.11.047, with two changes. A straight line is fitted within
 * each slice instead of a mean, so that slices may be wide without blurring a curved effect. Variances are divided by
 * their degrees of freedom (T. L. Kelley, 1935), so that an inert input has 0 on average however many slices there are.
 * Equal values of an input are never separated: on a grid a slice holds whole levels. A nearest-neighbour estimate (F.
 * Gamboa et al., 2022) needs no slices but is noisier at equal size. */
#include "analysis/given_data_rows.h"
#include "base/alloc.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_SLICES 500
#define RESAMPLES   200
#define PART_ROWS   20000

struct prepared {
  const struct ts_given *given; /* borrowed */
  size_t slices;
  uint32_t *orders; /* owned; of each input */
};

static double input_of(const struct ts_given *given, size_t row, size_t parameter) {
  return given->values[given->rows[row] * given->parameter_count + parameter];
}

/* Sums of squares around the overall mean and, slice by slice, around a line along the places of the rows. Places
 * instead of values: an input with a long tail would hang the line on a few rows. */
struct split {
  double total, within;
  size_t rows, used; /* used: means and slopes fitted */
};

struct slice {
  size_t index, rows;
  double sum, squares;                          /* of the deviations from the overall mean */
  double origin, places, place_squares, common; /* places count from the origin */
};

static void close_slice(struct slice *slice, struct split *split) {
  if (slice->rows == 0) return;
  double rows = (double)slice->rows;
  double width = slice->place_squares - slice->places * slice->places / rows;
  double rise = slice->common - slice->places * slice->sum / rows;
  bool sloped = width > 1e-9 * slice->place_squares;
  double followed = slice->sum * slice->sum / rows + (sloped ? rise * rise / width : 0);
  split->total += slice->squares;
  split->within += fmax(slice->squares - followed, 0);
  split->rows += slice->rows;
  split->used += sloped ? 2 : 1;
  *slice = (struct slice){0};
}

/* Adds rows that share one place. */
static void add_rows(struct slice *slice, double place, double rows, double sum, double squares) {
  if (slice->rows == 0) slice->origin = place;
  place -= slice->origin;
  slice->rows += (size_t)rows;
  slice->sum += sum;
  slice->squares += squares;
  slice->places += rows * place;
  slice->place_squares += rows * place * place;
  slice->common += place * sum;
}

static size_t copies_of(const uint32_t *counts, size_t row) { return counts ? counts[row] : 1; }

/* The rows of equal input go to the slice that holds the middle of the places they take. */
static struct split split_variance(const struct ts_given *given, size_t parameter, const uint32_t *order,
                                   const uint32_t *counts, size_t slices, double mean, size_t total) {
  struct split split = {0};
  struct slice slice = {0};
  size_t place = 0;
  for (size_t first = 0, end; first < given->count; first = end) {
    double x = input_of(given, order[first], parameter), sum = 0, squares = 0;
    size_t copies = 0;
    for (end = first; end < given->count && input_of(given, order[end], parameter) == x; end++) {
      double weight = (double)copies_of(counts, order[end]), deviation = given->outputs[order[end]] - mean;
      copies += copies_of(counts, order[end]);
      sum += weight * deviation;
      squares += weight * deviation * deviation;
    }
    if (copies == 0) continue;
    double middle = (double)place + (double)copies / 2;
    size_t index = (size_t)(middle * (double)slices / (double)total);
    if (index != slice.index) close_slice(&slice, &split);
    slice.index = index;
    add_rows(&slice, middle, (double)copies, sum, squares);
    place += copies;
  }
  close_slice(&slice, &split);
  return split;
}

static double first_order(const struct split *split) {
  if (split->rows <= split->used) return NAN;
  if (!(split->total > 0)) return 0;
  double n = (double)split->rows;
  return 1 - split->within / (n - (double)split->used) / (split->total / (n - 1));
}

static double mean_of(const struct ts_given *given, const uint32_t *counts, size_t *total) {
  double sum = 0, base = given->outputs[0];
  *total = 0;
  for (size_t i = 0; i < given->count; i++) {
    size_t copies = copies_of(counts, i);
    *total += copies;
    sum += (double)copies * (given->outputs[i] - base);
  }
  return base + sum / (double)*total;
}

static void *prepare(const struct ts_given *given, const void *settings) {
  struct prepared *prepared = ts_calloc(1, sizeof *prepared);
  prepared->given = given;
  prepared->slices = *(const size_t *)settings;
  prepared->orders = ts_given_orders(given);
  return prepared;
}

static void destroy(void *argument) {
  struct prepared *prepared = argument;
  free(prepared->orders);
  free(prepared);
}

static void estimate(const void *argument, const uint32_t *counts, double *statistics) {
  const struct prepared *prepared = argument;
  const struct ts_given *given = prepared->given;
  size_t total;
  double mean = mean_of(given, counts, &total);
  for (size_t j = 0; j < given->parameter_count; j++) {
    struct split split =
        split_variance(given, j, prepared->orders + j * given->count, counts, prepared->slices, mean, total);
    statistics[j] = given->constant[j] ? NAN : first_order(&split);
  }
}

static const struct ts_estimator estimator = {.prepare = prepare, .estimate = estimate, .destroy = destroy};

static size_t choose_slices(const struct ts_given *given, const struct ts_analysis_options *options) {
  if (options->slices) return options->slices;
  size_t slices = (size_t)(sqrt((double)given->count) / 2);
  return slices > MOST_SLICES ? MOST_SLICES : slices;
}

static bool analyse(const struct ts_runs *runs, const struct ts_analysis_options *options, struct ts_pool *pool,
                    struct ts_indices *indices, struct ts_error *err) {
  struct ts_given given;
  size_t least = options->slices > 1 ? 3 * options->slices : 4;
  if (!ts_given_init(&given, runs, options, least, false, indices, err)) return false;
  size_t slices = choose_slices(&given, options), total;
  double mean = mean_of(&given, NULL, &total);
  ts_auto_free uint32_t *order = ts_malloc(given.count * sizeof *order);
  for (size_t j = 0; j < given.parameter_count; j++) {
    if (given.constant[j]) continue;
    ts_given_order(&given, j, order);
    struct split split = split_variance(&given, j, order, NULL, slices, mean, total);
    indices->cells[j].value = given.output_constant ? 0 : first_order(&split);
  }
  struct ts_given_bootstrap bootstrap = {.estimator = &estimator,
                                         .settings = &slices,
                                         .resamples = RESAMPLES,
                                         .largest = PART_ROWS,
                                         .kind = TS_INTERVAL_NORMAL,
                                         .statistic_count = given.parameter_count};
  ts_given_intervals(&bootstrap, &given, options, pool, indices, indices->cells, NULL);
  ts_given_release(&given);
  return true;
}

const struct ts_method ts_method_given_data = {
    .name = "given-data",
    .title = "First-order indices of any sample, by lines in slices of each input",
    .assumes =
        "the runs are a random or space-filling sample of independent inputs; with inputs that depend on each other "
        "an index also counts what an input shares with the others",
    .interval =
        "the index and 1.96 (for 95 %) standard deviations of its bootstrap values to either side; it covers the "
        "chance of which runs were drawn",
    .columns = {"S1"},
    .rank_by = "S1",
    .needs = TS_NEEDS_VALUES,
    .analyse = analyse,
};
