/* RBD-FAST: first-order indices of any sample, read off the low harmonics of the output sorted by each input.
 * SPDX-License-Identifier: Apache-2.0
 *
 * S. Tarantola, D. Gatelli, T. Mara, 2006, doi:10.1016/j.ress.2005.06.003; E. Plischke, 2010 (sorting),
 * doi:10.1016/j.ress.2009.11.005; J.-Y. Tissot, C. Prieur, 2012 (bias correction), doi:10.1016/j.ress.2012.06.010. */
#include "analysis/fast_spectrum.h"
#include "analysis/given_data_rows.h"
#include "base/alloc.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define HARMONICS  10
#define RESAMPLES  200
#define PART_ROWS  20000
#define HALF_SHARE 0.5 /* resamples of the normal interval draw half of the rows, as SALib's do */

struct prepared {
  size_t count, parameter_count, harmonics;
  const struct ts_given *given; /* borrowed */
  uint32_t *orders;             /* owned; of each input */
};

static void *prepare(const struct ts_given *given, const void *settings) {
  struct prepared *prepared = ts_calloc(1, sizeof *prepared);
  prepared->count = given->count;
  prepared->parameter_count = given->parameter_count;
  prepared->harmonics = *(const size_t *)settings;
  prepared->given = given;
  prepared->orders = ts_given_orders(given);
  return prepared;
}

static void destroy(void *argument) {
  struct prepared *prepared = argument;
  free(prepared->orders);
  free(prepared);
}

/* The series goes up through the even places of the sorted rows and back through the odd ones: along it the input makes
 * one period. `place` is that of the next row, `total` their number. */
static size_t fold(size_t place, size_t total) { return place % 2 == 0 ? place / 2 : total - 1 - place / 2; }

static double variance_of(const double *series, size_t count) {
  double mean = 0, squares = 0;
  for (size_t i = 0; i < count; i++) mean += series[i];
  mean /= (double)count;
  for (size_t i = 0; i < count; i++) squares += (series[i] - mean) * (series[i] - mean);
  return squares / (double)count;
}

/* Share of the variance in the first M harmonics, less what noise alone would put there. */
static double first_order(const double *series, size_t count, size_t harmonics) {
  if (count <= 2 * harmonics) return NAN;
  ts_auto_free double *power = ts_calloc(harmonics, sizeof *power);
  ts_low_spectrum(series, count, harmonics, power);
  double own = 0, variance = variance_of(series, count), noise = 2 * (double)harmonics / (double)count;
  if (!(variance > 0)) return 0;
  for (size_t f = 0; f < harmonics; f++) own += 2 * power[f];
  double s1 = own / variance;
  return s1 - noise / (1 - noise) * (1 - s1);
}

static void estimate(const void *argument, const uint32_t *counts, double *statistics) {
  const struct prepared *prepared = argument;
  size_t total = 0;
  for (size_t i = 0; i < prepared->count; i++) total += counts[i];
  ts_auto_free double *series = ts_malloc((total + 1) * sizeof *series);
  for (size_t j = 0; j < prepared->parameter_count; j++) {
    const uint32_t *order = prepared->orders + j * prepared->count;
    size_t place = 0;
    for (size_t i = 0; i < prepared->count; i++) {
      double output = prepared->given->outputs[order[i]];
      for (uint32_t copy = 0; copy < counts[order[i]]; copy++) series[fold(place++, total)] = output;
    }
    statistics[j] = prepared->given->constant[j] ? NAN : first_order(series, total, prepared->harmonics);
  }
}

static const struct ts_estimator estimator = {.prepare = prepare, .estimate = estimate, .destroy = destroy};

static bool analyse(const struct ts_runs *runs, const struct ts_analysis_options *options, struct ts_pool *pool,
                    struct ts_indices *indices, struct ts_error *err) {
  size_t harmonics = options->harmonics ? options->harmonics : HARMONICS;
  struct ts_given given;
  if (!ts_given_init(&given, runs, options, 2 * harmonics + 1, false, indices, err)) return false;
  ts_auto_free double *series = ts_malloc(given.count * sizeof *series);
  ts_auto_free uint32_t *order = ts_malloc(given.count * sizeof *order);
  for (size_t j = 0; j < given.parameter_count; j++) {
    if (given.constant[j]) continue;
    ts_given_order(&given, j, order);
    for (size_t i = 0; i < given.count; i++) series[fold(i, given.count)] = given.outputs[order[i]];
    indices->cells[j].value = given.output_constant ? 0 : first_order(series, given.count, harmonics);
  }
  struct ts_given_bootstrap bootstrap = {.estimator = &estimator,
                                         .settings = &harmonics,
                                         .resamples = RESAMPLES,
                                         .largest = PART_ROWS,
                                         .share = options->interval == TS_INTERVAL_NORMAL ? HALF_SHARE : 1,
                                         .kind = TS_INTERVAL_NORMAL,
                                         .statistic_count = given.parameter_count};
  ts_given_intervals(&bootstrap, &given, options, pool, indices, indices->cells, NULL);
  ts_given_release(&given);
  return true;
}

const struct ts_method ts_method_rbd_fast = {
    .name = "rbd-fast",
    .title = "Random balance designs FAST: first-order indices of any sample",
    .assumes =
        "the inputs are independent, and each one's own effect is smooth enough for M harmonics; inputs with few "
        "distinct values are better served by 'given-data'",
    .interval =
        "the index and 1.96 (for 95 %) standard deviations of its bootstrap values to either side; it covers the "
        "chance of which runs were drawn, not what lies beyond M harmonics",
    .columns = {"S1"},
    .rank_by = "S1",
    .needs = TS_NEEDS_VALUES,
    .analyse = analyse,
};
