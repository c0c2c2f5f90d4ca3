/* Delta: half the area by which fixing an input moves the density of the output, independent of its moments.
 * SPDX-License-Identifier: Apache-2.0
 *
 * E. Borgonovo, "A new uncertainty importance measure", 2007, doi:10.1016/j.ress.2006.04.015; estimated from given data
 * as in E. Plischke, E. Borgonovo, C. L. Smith, 2013, doi:10.1016/j.ejor.2012.11.047: classes of equally many rows,
 * densities by Gaussian kernels (Silverman's width) on 100 points between the smallest and the largest output, bias
 * taken off by the bootstrap (equation 30). */
#include "analysis/given_data_rows.h"
#include "base/alloc.h"
#include "base/random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define GRID            100
#define MOST_CLASSES    48
#define FEW_CLASSES     10 /* of Ishigami's x2, which goes up and down twice, 5 leave half of S1, 12 nine tenths */
#define RESAMPLES       100
#define LEAST_RESAMPLES 10
#define ROW_BUDGET      5000000 /* rows times resamples by default: with more rows fewer resamples do */
#define NEGLIGIBLE      1e-20   /* of a kernel's peak */
#define ROOT_TWO_PI     2.50662827463100050242
#define INERT_FACT      "delta of an inert input"
/* Inputs that do nothing, by shuffled runs: the mean of four has half the scatter of one, and costs as much as four
 * inputs. */
#define DUMMIES      4
#define DUMMY_STREAM (UINT64_C(0x44756d6d) << 32)

enum { DELTA, S1, COLUMNS };

struct settings {
  size_t classes;
  double low, step; /* of the grid of outputs */
  uint64_t seed;
};

struct prepared {
  const struct ts_given *given; /* borrowed */
  struct settings settings;
  uint32_t *orders;   /* owned; of each input */
  uint32_t *shuffled; /* owned; of each input that does nothing */
};

/* A number of classes that grows slower above 1500 rows, 48 at most (Plischke et al. 2013, as in SALib). */
static size_t count_classes(size_t rows) {
  double n = (double)rows, exponent = 2.0 / (7.0 + tanh((1500.0 - n) / 500.0));
  return (size_t)fmin(ceil(pow(n, exponent)), MOST_CLASSES);
}

static double mean_of(const double *outputs, size_t count) {
  double sum = 0;
  for (size_t i = 0; i < count; i++) sum += outputs[i];
  return sum / (double)count;
}

static double squares_around(const double *outputs, size_t count, double mean) {
  double squares = 0;
  for (size_t i = 0; i < count; i++) squares += (outputs[i] - mean) * (outputs[i] - mean);
  return squares;
}

static bool all_equal(const double *outputs, size_t count) {
  for (size_t i = 1; i < count; i++) {
    if (outputs[i] != outputs[0]) return false;
  }
  return true;
}

/* Adds the kernel of one output to the grid points on one side. On an even grid e^(-d^2/2) changes from point to point
 * by a factor that itself changes by a fixed factor, so that three exponentials do for all points. */
static void add_tail(double *density, size_t start, size_t points, int direction, double peak, double ratio,
                     double change) {
  double value = peak;
  double *at = density + start;
  for (size_t i = 0; i < points; i++) {
    value *= ratio;
    if (value < NEGLIGIBLE) return;
    ratio *= change;
    at += direction;
    *at += value;
  }
}

/* Kernel density of outputs at the grid points. */
static void find_density(const double *outputs, size_t count, const struct settings *settings, double *density) {
  double n = (double)count, mean = mean_of(outputs, count);
  double width = sqrt(squares_around(outputs, count, mean) / (n - 1)) * pow(n * 0.75, -0.2);
  double spacing = settings->step / width, change = exp(-spacing * spacing);
  memset(density, 0, GRID * sizeof *density);
  for (size_t i = 0; i < count; i++) {
    double place = (outputs[i] - settings->low) / settings->step;
    size_t nearest = (size_t)fmin(fmax(round(place), 0), GRID - 1);
    double d = (settings->low + (double)nearest * settings->step - outputs[i]) / width;
    double peak = exp(-d * d / 2), half = spacing * spacing / 2;
    density[nearest] += peak;
    add_tail(density, nearest, GRID - 1 - nearest, 1, peak, exp(-spacing * d - half), change);
    add_tail(density, nearest, nearest, -1, peak, exp(spacing * d - half), change);
  }
  for (size_t g = 0; g < GRID; g++) density[g] /= n * width * ROOT_TWO_PI;
}

/* Area between two densities (`other` may be NULL: none) by the trapezoid rule. */
static double area_between(const double *density, const double *other, double step) {
  double area = 0;
  for (size_t g = 0; g < GRID; g++) {
    double height = fabs(density[g] - (other ? other[g] : 0));
    area += g == 0 || g == GRID - 1 ? height / 2 : height;
  }
  return area * step;
}

/* The outputs of a resample in the order of an input (NULL: of the rows). */
static void expand(const struct ts_given *given, const uint32_t *order, const uint32_t *counts, double *outputs) {
  size_t place = 0;
  for (size_t i = 0; i < given->count; i++) {
    size_t row = order ? order[i] : i;
    for (uint32_t copy = 0; copy < (counts ? counts[row] : 1); copy++) outputs[place++] = given->outputs[row];
  }
}

/* Both indices of one input from the outputs in its order. `density` is that of all of them, NULL if they are all
 * equal. */
static void indices_of(const double *outputs, size_t count, const struct settings *settings, const double *density,
                       double *out) {
  out[DELTA] = density ? 0 : NAN;
  out[S1] = 0;
  if (!density) return;
  double n = (double)count, mean = mean_of(outputs, count), variance = squares_around(outputs, count, mean) / n;
  double step = n / (double)settings->classes, own[GRID];
  for (size_t c = 0; c < settings->classes; c++) {
    size_t first = (size_t)((double)c * step);
    size_t end = c + 1 == settings->classes ? count : (size_t)((double)(c + 1) * step), rows = end - first;
    if (rows == 0) continue;
    bool single = all_equal(outputs + first, rows); /* no density of its own */
    if (!single) find_density(outputs + first, rows, settings, own);
    out[DELTA] += (double)rows / (2 * n) * area_between(density, single ? NULL : own, settings->step);
    double apart = mean_of(outputs + first, rows) - mean;
    out[S1] += (double)rows / n * apart * apart / variance;
  }
}

/* Orders by inputs that have nothing to do with the output. */
static uint32_t *shuffle(size_t count, uint64_t seed) {
  uint32_t *orders = ts_calloc(DUMMIES * count, sizeof *orders);
  struct ts_random random;
  ts_random_init(&random, seed, DUMMY_STREAM);
  for (size_t d = 0; d < DUMMIES; d++) {
    uint32_t *order = orders + d * count;
    for (size_t i = 0; i < count; i++) { /* Fisher and Yates, from inside out */
      size_t at = (size_t)ts_random_below(&random, i + 1);
      order[i] = order[at];
      order[at] = (uint32_t)i;
    }
  }
  return orders;
}

static void *prepare(const struct ts_given *given, const void *settings) {
  struct prepared *prepared = ts_calloc(1, sizeof *prepared);
  prepared->given = given;
  prepared->settings = *(const struct settings *)settings;
  prepared->orders = ts_given_orders(given);
  prepared->shuffled = shuffle(given->count, prepared->settings.seed);
  return prepared;
}

static void destroy(void *argument) {
  struct prepared *prepared = argument;
  free(prepared->orders);
  free(prepared->shuffled);
  free(prepared);
}

static void estimate(const void *argument, const uint32_t *counts, double *statistics) {
  const struct prepared *prepared = argument;
  const struct ts_given *given = prepared->given;
  double density[GRID];
  ts_auto_free double *outputs = ts_malloc(given->count * sizeof *outputs);
  expand(given, NULL, counts, outputs);
  bool varies = !all_equal(outputs, given->count);
  if (varies) find_density(outputs, given->count, &prepared->settings, density);
  size_t parameters = given->parameter_count;
  for (size_t j = 0; j < parameters + DUMMIES; j++) {
    double *out = statistics + j * COLUMNS;
    out[DELTA] = out[S1] = NAN;
    if (j < parameters && given->constant[j]) continue;
    const uint32_t *order =
        j < parameters ? prepared->orders + j * given->count : prepared->shuffled + (j - parameters) * given->count;
    expand(given, order, counts, outputs);
    indices_of(outputs, given->count, &prepared->settings, varies ? density : NULL, out);
  }
}

static const struct ts_estimator estimator = {.prepare = prepare, .estimate = estimate, .destroy = destroy};

static void find_range(const struct ts_given *given, struct settings *settings) {
  double low = INFINITY, high = -INFINITY;
  for (size_t i = 0; i < given->count; i++) {
    low = fmin(low, given->outputs[i]);
    high = fmax(high, given->outputs[i]);
  }
  settings->low = low;
  settings->step = (high - low) / (GRID - 1);
}

/* The bootstrap shows by how much the estimate of a sample lies above that of its population. */
static void reduce_bias(struct ts_index *cell, double mean, bool percentile) {
  double raw = cell->value, low = cell->low, high = cell->high;
  if (isnan(mean) || isnan(raw)) return;
  cell->value = 2 * raw - mean;
  cell->low = percentile ? 2 * raw - high : low + (raw - mean);
  cell->high = percentile ? 2 * raw - low : high + (raw - mean);
}

/* The mean of the inputs that do nothing, which follow the parameters. */
static void tell_inert(const struct ts_index *cells, size_t parameter_count, struct ts_indices *indices) {
  double sum = 0;
  for (size_t d = 0; d < DUMMIES; d++) sum += cells[(parameter_count + d) * COLUMNS + DELTA].value;
  indices->facts[indices->fact_count].name = INERT_FACT;
  indices->facts[indices->fact_count++].value = fmax(sum / DUMMIES, 0);
}

static void find_intervals(const struct ts_given *given, const struct settings *settings,
                           const struct ts_analysis_options *options, struct ts_pool *pool, struct ts_indices *indices,
                           struct ts_index *cells) {
  size_t cell_count = (given->parameter_count + DUMMIES) * COLUMNS, affordable = ROW_BUDGET / given->count;
  ts_auto_free double *means = ts_calloc(cell_count, sizeof *means);
  if (affordable > RESAMPLES) affordable = RESAMPLES;
  struct ts_given_bootstrap bootstrap = {.estimator = &estimator,
                                         .settings = settings,
                                         .resamples = affordable < LEAST_RESAMPLES ? LEAST_RESAMPLES : affordable,
                                         .kind = TS_INTERVAL_NORMAL,
                                         .statistic_count = cell_count};
  ts_given_intervals(&bootstrap, given, options, pool, indices, cells, means);
  if (indices->resamples == 0) {
    ts_indices_note(indices, "without resamples the bias of delta is not taken off: inert inputs lie above 0");
    return;
  }
  for (size_t i = DELTA; i < cell_count; i += COLUMNS) {
    reduce_bias(&cells[i], means[i], options->interval == TS_INTERVAL_PERCENTILE);
  }
}

static void find_indices(const struct ts_given *given, const struct settings *settings,
                         const struct ts_analysis_options *options, struct ts_pool *pool, struct ts_indices *indices) {
  size_t cell_count = (given->parameter_count + DUMMIES) * COLUMNS;
  ts_auto_free double *statistics = ts_calloc(cell_count, sizeof *statistics);
  ts_auto_free struct ts_index *cells = ts_calloc(cell_count, sizeof *cells);
  void *prepared = prepare(given, settings);
  estimate(prepared, NULL, statistics);
  destroy(prepared);
  for (size_t i = 0; i < cell_count; i++) cells[i] = (struct ts_index){statistics[i], NAN, NAN};
  find_intervals(given, settings, options, pool, indices, cells);
  tell_inert(cells, given->parameter_count, indices);
  memcpy(indices->cells, cells, given->parameter_count * COLUMNS * sizeof *cells);
}

static bool analyse(const struct ts_runs *runs, const struct ts_analysis_options *options, struct ts_pool *pool,
                    struct ts_indices *indices, struct ts_error *err) {
  struct ts_given given;
  size_t least = options->slices > 2 ? 2 * options->slices : 4;
  if (!ts_given_init(&given, runs, options, least, false, indices, err)) return false;
  struct settings settings = {.classes = options->slices ? options->slices : count_classes(given.count),
                              .seed = options->seed};
  if (settings.classes < FEW_CLASSES && options->slices == 0 && !given.output_constant) {
    ts_indices_note(
        indices,
        "%zu runs give %zu classes for each parameter: S1 and delta come out too small where an effect goes up "
        "and down; 'pce' or 'rbd-fast' show it, or more runs",
        given.count, settings.classes);
  }
  find_range(&given, &settings);
  if (given.output_constant) {
    for (size_t i = 0; i < given.parameter_count * COLUMNS; i++) indices->cells[i].value = 0;
  } else {
    find_indices(&given, &settings, options, pool, indices);
  }
  ts_given_release(&given);
  return true;
}

const struct ts_method ts_method_delta = {
    .name = "delta",
    .title = "Delta: moment-independent importance (Borgonovo)",
    .assumes =
        "the output has a density that kernels can draw (not a handful of distinct values), and the runs are a "
        "sample of independent inputs, many enough that its classes (5 for 500 runs, 22 for 10,000) do not blur an "
        "effect that goes up and down",
    .interval =
        "the index and 1.96 (for 95 %) standard deviations of its bootstrap values to either side; it covers the "
        "chance of which runs were drawn, not the blur of few classes; the bootstrap also takes a part of the "
        "upward bias off delta",
    .columns = {"delta", "S1"},
    .rank_by = "delta",
    .inert_fact = INERT_FACT,
    .needs = TS_NEEDS_VALUES,
    .analyse = analyse,
};
