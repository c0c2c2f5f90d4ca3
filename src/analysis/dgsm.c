/* Derivative-based measures: the mean square of the output's slope, and the bound on total indices from it.
 * SPDX-License-Identifier: Apache-2.0
 *
 * I. M. Sobol', S. Kucherenko, "Derivative based global sensitivity measures and their link with global sensitivity
 * indices", 2009, doi:10.1016/j.matcom.2009.01.023. vi = mean (dy/dx)^2 in units of the parameter; ST <= dgsm =
 * mean (dy/du)^2 / (pi^2 V) with the unit coordinate u, which for a uniform parameter is vi range^2 / (pi^2 V). */
#include "analysis/given_data_rows.h"
#include "base/alloc.h"

#include <math.h>
#include <stdlib.h>

#define RESAMPLES  100
#define PI_SQUARED 9.86960440108935861883

enum { VI, VI_STD, DGSM, COLUMNS };

/* Squared slopes base point by base point; NaN where a run failed or the value did not move. */
struct slopes {
  size_t bases, k;
  double *by_value, *by_unit; /* owned; bases x k */
  double *base_outputs;       /* owned; NaN: failed */
};

static bool refuse(const char *name, size_t row, struct ts_error *err) {
  ts_fail(err, TS_ERR_BAD_VALUE, "row %zu of the derivative design does not differ from its base point in '%s' alone",
          row + 1, name);
  return ts_error_help(err, "give the rows in the order of the design: a base point, then one row per parameter");
}

/* The row of parameter j in the block of base point b. */
static bool find_slope(const struct ts_runs *runs, size_t b, size_t j, struct slopes *slopes, struct ts_error *err) {
  size_t k = runs->parameter_count, base = b * (k + 1), row = base + 1 + j;
  const double *from = runs->unit + base * k, *to = runs->unit + row * k;
  for (size_t i = 0; i < k; i++) {
    if (i != j && from[i] != to[i]) return refuse(runs->names[j], row, err);
  }
  double change = runs->outputs[row] - runs->outputs[base];
  double step = runs->values[row * k + j] - runs->values[base * k + j], unit_step = to[j] - from[j];
  bool moved = step != 0 && unit_step != 0 && isfinite(step) && isfinite(unit_step) && isfinite(change);
  slopes->by_value[b * k + j] = moved ? change / step * (change / step) : NAN;
  slopes->by_unit[b * k + j] = moved ? change / unit_step * (change / unit_step) : NAN;
  return true;
}

static bool find_slopes(const struct ts_runs *runs, struct slopes *slopes, struct ts_error *err) {
  for (size_t b = 0; b < slopes->bases; b++) {
    double output = runs->outputs[b * (slopes->k + 1)];
    slopes->base_outputs[b] = isfinite(output) ? output : NAN;
    for (size_t j = 0; j < slopes->k; j++) {
      if (!find_slope(runs, b, j, slopes, err)) return false;
    }
  }
  return true;
}

/* Mean and standard deviation (dividing by n) of numbers with counts (NULL: once each), NaN left out. */
static size_t moments(const double *numbers, size_t count, size_t stride, const uint32_t *counts, double *mean,
                      double *deviation) {
  double sum = 0, squares = 0;
  size_t total = 0;
  *mean = *deviation = NAN;
  for (size_t i = 0; i < count; i++) {
    size_t copies = counts ? counts[i] : 1;
    if (copies == 0 || isnan(numbers[i * stride])) continue;
    sum += (double)copies * numbers[i * stride];
    total += copies;
  }
  if (total == 0) return 0;
  *mean = sum / (double)total;
  for (size_t i = 0; i < count; i++) {
    size_t copies = counts ? counts[i] : 1;
    double apart = numbers[i * stride] - *mean;
    if (copies > 0 && !isnan(apart)) squares += (double)copies * apart * apart;
  }
  *deviation = sqrt(squares / (double)total);
  return total;
}

static void *prepare(const struct ts_given *given, const void *settings) {
  (void)given;
  struct slopes *slopes = ts_calloc(1, sizeof *slopes);
  *slopes = *(const struct slopes *)settings;
  return slopes;
}

static void estimate(const void *argument, const uint32_t *counts, double *statistics) {
  const struct slopes *slopes = argument;
  double mean, deviation, unused;
  moments(slopes->base_outputs, slopes->bases, 1, counts, &mean, &deviation);
  for (size_t j = 0; j < slopes->k; j++) {
    double *out = statistics + j * COLUMNS;
    moments(slopes->by_value + j, slopes->bases, slopes->k, counts, &out[VI], &out[VI_STD]);
    double slope;
    moments(slopes->by_unit + j, slopes->bases, slopes->k, counts, &slope, &unused);
    double variance = deviation * deviation;
    out[DGSM] = variance > 0 ? slope / (PI_SQUARED * variance) : slope == 0 ? 0 : NAN;
  }
}

static const struct ts_estimator estimator = {.prepare = prepare, .estimate = estimate, .destroy = free};

static void count_usable(const struct slopes *slopes, const struct ts_runs *runs, struct ts_indices *indices) {
  size_t k = slopes->k;
  for (size_t j = 0; j < k; j++) {
    size_t still = 0;
    for (size_t b = 0; b < slopes->bases; b++) {
      indices->usable[j] += !isnan(slopes->by_value[b * k + j]);
      size_t base = b * (k + 1);
      still += runs->values[base * k + j] == runs->values[(base + 1 + j) * k + j];
    }
    if (still == 0) continue;
    ts_indices_note(
        indices,
        "the step of '%s' did not change its value in %zu of %zu cases: slopes of a parameter on a grid mean "
        "little, prefer morris or vbd",
        runs->names[j], still, slopes->bases);
  }
}

static void find_indices(const struct slopes *slopes, const struct ts_analysis_options *options, struct ts_pool *pool,
                         struct ts_indices *indices) {
  size_t cell_count = slopes->k * COLUMNS;
  ts_auto_free double *statistics = ts_calloc(cell_count, sizeof *statistics);
  estimate(slopes, NULL, statistics);
  for (size_t i = 0; i < cell_count; i++) indices->cells[i].value = statistics[i];
  struct ts_given bases = {.count = slopes->bases, .parameter_count = slopes->k};
  struct ts_given_bootstrap bootstrap = {.estimator = &estimator,
                                         .settings = slopes,
                                         .resamples = RESAMPLES,
                                         .kind = TS_INTERVAL_PERCENTILE,
                                         .statistic_count = cell_count};
  ts_given_intervals(&bootstrap, &bases, options, pool, indices, indices->cells, NULL);
}

static bool analyse(const struct ts_runs *runs, const struct ts_analysis_options *options, struct ts_pool *pool,
                    struct ts_indices *indices, struct ts_error *err) {
  size_t k = runs->parameter_count;
  if (runs->row_count % (k + 1) != 0) {
    ts_fail(err, TS_ERR_BAD_VALUE, "a derivative design of %zu parameters has a multiple of %zu rows, not %zu", k,
            k + 1, runs->row_count);
    return ts_error_help(err, "give all runs of the design, failed ones too (as empty or NaN)");
  }
  if (isnan(runs->unit[0])) {
    ts_fail(err, TS_ERR_BAD_VALUE, "the rows have no unit coordinates, which 'dgsm' needs");
    return ts_error_help(err, "draw the design with 'tessera sample', and name the space when analysing it");
  }
  ts_leave_groups_aside(runs, options, indices);
  if (!ts_indices_check_outputs(indices, runs, err)) return false;
  size_t bases = runs->row_count / (k + 1);
  ts_auto_free double *by_value = ts_calloc(bases * k, sizeof *by_value);
  ts_auto_free double *by_unit = ts_calloc(bases * k, sizeof *by_unit);
  ts_auto_free double *base_outputs = ts_calloc(bases, sizeof *base_outputs);
  struct slopes slopes = {
      .bases = bases, .k = k, .by_value = by_value, .by_unit = by_unit, .base_outputs = base_outputs};
  if (!find_slopes(runs, &slopes, err)) return false;
  count_usable(&slopes, runs, indices);
  find_indices(&slopes, options, pool, indices);
  return true;
}

static const enum ts_layout layouts[] = {TS_LAYOUT_DERIVATIVE};

const struct ts_method ts_method_dgsm = {
    .name = "dgsm",
    .title = "Derivative-based measures and their bound on total indices",
    .assumes =
        "the output has a slope everywhere, the step is small against its curves, and the inputs are independent; "
        "dgsm is an upper bound of ST, far above it where the output swings fast",
    .interval =
        "range of the middle share (95 %) of the values that bootstrap resamples of the base points give; it covers "
        "the chance of which base points were drawn",
    .columns = {"vi", "vi_std", "dgsm"},
    .rank_by = "dgsm",
    .zero_is_exact = true,
    .layouts = layouts,
    .layout_count = 1,
    .needs = TS_NEEDS_UNIT | TS_NEEDS_VALUES,
    .analyse = analyse,
};
