/* The coefficients of correlation_table.c for bootstrap resamples: weighted moments instead of rows.
 * SPDX-License-Identifier: Apache-2.0 */
#include "analysis/correlation_table.h"

#include "analysis/ranks.h"
#include "base/alloc.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_RESAMPLES  500
#define LEAST_RESAMPLES 100
#define FREE_INPUTS     30   /* up to here all resamples are made */
#define ENOUGH_ROWS     4000 /* from here on a part of the rows shows the spread */

struct settings {
  bool regression;
  const bool *values_left_out; /* borrowed */
  const bool *rank_left_out;   /* borrowed */
};

struct prepared {
  struct settings settings;
  size_t count, order; /* rows; inputs and the output */
  double *rows;        /* owned; row by row, centred and scaled, so that moments can be taken without loss */
  double *columns;     /* owned; column by column as given, to see ties */
  uint32_t *orders;    /* owned; of each column */
};

static void prepare_column(struct prepared *prepared, size_t c) {
  size_t n = prepared->count;
  const double *column = prepared->columns + c * n;
  ts_sort_order(column, n, prepared->orders + c * n);
  double low = column[prepared->orders[c * n]], high = column[prepared->orders[c * n + n - 1]], mean = 0;
  double range = high > low ? high - low : 1;
  for (size_t i = 0; i < n; i++) mean += (column[i] - low) / range;
  mean /= (double)n;
  for (size_t i = 0; i < n; i++) prepared->rows[i * prepared->order + c] = (column[i] - low) / range - mean;
}

static void *prepare(const struct ts_given *given, const void *settings) {
  struct prepared *prepared = ts_calloc(1, sizeof *prepared);
  size_t n = given->count, order = given->parameter_count + 1;
  prepared->settings = *(const struct settings *)settings;
  prepared->count = n;
  prepared->order = order;
  prepared->rows = ts_calloc(n * order, sizeof *prepared->rows);
  prepared->columns = ts_calloc(n * order, sizeof *prepared->columns);
  prepared->orders = ts_calloc(n * order, sizeof *prepared->orders);
  for (size_t j = 0; j + 1 < order; j++) ts_given_column(given, j, prepared->columns + j * n);
  memcpy(prepared->columns + (order - 1) * n, given->outputs, n * sizeof *given->outputs);
  for (size_t c = 0; c < order; c++) prepare_column(prepared, c);
  return prepared;
}

static void destroy(void *argument) {
  struct prepared *prepared = argument;
  free(prepared->rows);
  free(prepared->columns);
  free(prepared->orders);
  free(prepared);
}

/* Upper half of the correlation matrix of the rows, each counted as often as it was drawn; zeros for constant
 * columns. */
static void correlate(const double *rows, size_t count, size_t order, const uint32_t *counts, double *matrix) {
  ts_auto_free double *sums = ts_calloc(order, sizeof *sums);
  ts_auto_free double *scales = ts_calloc(order, sizeof *scales);
  double total = 0;
  memset(matrix, 0, order * order * sizeof *matrix);
  for (size_t i = 0; i < count; i++) {
    if (counts[i] == 0) continue;
    const double *row = rows + i * order;
    double weight = counts[i];
    total += weight;
    for (size_t a = 0; a < order; a++) {
      double value = weight * row[a];
      sums[a] += value;
      for (size_t b = a; b < order; b++) matrix[a * order + b] += value * row[b];
    }
  }
  for (size_t a = 0; a < order; a++) {
    double square = matrix[a * order + a], variance = square - sums[a] * sums[a] / total;
    scales[a] = variance > 1e-14 * square ? 1 / sqrt(variance) : 0;
  }
  for (size_t a = 0; a < order; a++) {
    for (size_t b = a; b < order; b++) {
      matrix[a * order + b] = (matrix[a * order + b] - sums[a] * sums[b] / total) * scales[a] * scales[b];
    }
  }
}

/* The factor of the columns that are part of the regression, spread over all columns (zeros for the others). False if
 * they depend on each other in this resample: then nothing partial can be said. */
static bool factorise(const double *matrix, size_t order, const bool *left_out, struct ts_triangle *triangle) {
  ts_auto_free size_t *used = ts_calloc(order, sizeof *used);
  ts_auto_free double *small = ts_calloc(order * order, sizeof *small);
  size_t count = 0;
  for (size_t a = 0; a < order; a++) {
    if (a + 1 == order || !left_out[a]) used[count++] = a;
  }
  for (size_t a = 0; a < count; a++) {
    for (size_t b = a; b < count; b++) small[a * count + b] = matrix[used[a] * order + used[b]];
  }
  if (ts_cholesky(small, count) + 1 < count) return false;
  for (size_t a = 0; a < count; a++) {
    for (size_t b = a; b < count; b++) triangle->r[used[a] * order + used[b]] = small[a * count + b];
  }
  return true;
}

/* simple, partial, standardised of each input at out[j * 3 ..]. */
static void relations_of(const double *rows, const struct prepared *prepared, const uint32_t *counts,
                         const bool *left_out, double *out) {
  size_t order = prepared->order;
  ts_auto_free double *matrix = ts_calloc(order * order, sizeof *matrix);
  correlate(rows, prepared->count, order, counts, matrix);
  for (size_t j = 0; j + 1 < order; j++) {
    bool varies = matrix[j * order + j] > 0 && matrix[order * order - 1] > 0;
    out[j * 3] = varies ? matrix[j * order + order - 1] : NAN;
    out[j * 3 + 1] = out[j * 3 + 2] = NAN;
  }
  ts_auto(ts_triangle_release) struct ts_triangle triangle;
  ts_triangle_init(&triangle, order);
  if (factorise(matrix, order, left_out, &triangle)) {
    ts_auto(ts_relations_release) struct ts_relations relations;
    ts_relations_init(&relations, &triangle);
    for (size_t j = 0; j + 1 < order; j++) {
      out[j * 3 + 1] = relations.partial[j];
      out[j * 3 + 2] = relations.standardised[j];
    }
  }
}

static void estimate(const void *argument, const uint32_t *counts, double *statistics) {
  const struct prepared *prepared = argument;
  size_t n = prepared->count, order = prepared->order, k = order - 1;
  const struct settings *settings = &prepared->settings;
  ts_auto_free double *ranks = ts_calloc(n * order, sizeof *ranks);
  ts_auto_free double *on_values = ts_calloc(3 * order, sizeof *on_values);
  ts_auto_free double *on_ranks = ts_calloc(3 * order, sizeof *on_ranks);
  for (size_t c = 0; c < order; c++) {
    ts_weighted_ranks(prepared->columns + c * n, prepared->orders + c * n, n, counts, ranks + c, order);
  }
  for (size_t i = 0; i < n * order; i++) ranks[i] = ranks[i] / (double)n - 0.5;
  relations_of(prepared->rows, prepared, counts, settings->values_left_out, on_values);
  relations_of(ranks, prepared, counts, settings->rank_left_out, on_ranks);
  for (size_t j = 0; j < k; j++) {
    if (settings->regression) {
      statistics[j * 2] = on_values[j * 3 + 2];
      statistics[j * 2 + 1] = on_ranks[j * 3 + 2];
    } else {
      statistics[j * 4] = on_values[j * 3];
      statistics[j * 4 + 1] = on_ranks[j * 3];
      statistics[j * 4 + 2] = on_values[j * 3 + 1];
      statistics[j * 4 + 3] = on_ranks[j * 3 + 1];
    }
  }
}

static const struct ts_estimator estimator = {.prepare = prepare, .estimate = estimate, .destroy = destroy};

/* Fewer from 31 inputs on, since a resample costs their square. */
static size_t count_resamples(size_t input_count) {
  if (input_count <= FREE_INPUTS) return MOST_RESAMPLES;
  double share = (double)FREE_INPUTS / (double)input_count;
  size_t affordable = (size_t)(share * share * MOST_RESAMPLES);
  return affordable < LEAST_RESAMPLES ? LEAST_RESAMPLES : affordable;
}

void ts_relations_intervals(const struct ts_relations *values, const struct ts_relations *ranks, bool regression,
                            const struct ts_given *given, const struct ts_analysis_options *options,
                            struct ts_pool *pool, struct ts_indices *indices) {
  struct settings settings = {
      .regression = regression, .values_left_out = values->left_out, .rank_left_out = ranks->left_out};
  struct ts_given_bootstrap bootstrap = {.estimator = &estimator,
                                         .settings = &settings,
                                         .resamples = count_resamples(given->parameter_count),
                                         .largest = ENOUGH_ROWS,
                                         .kind = TS_INTERVAL_PERCENTILE,
                                         .statistic_count = given->parameter_count * (regression ? 2 : 4)};
  ts_given_intervals(&bootstrap, given, options, pool, indices, indices->cells, NULL);
}
