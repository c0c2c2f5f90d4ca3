/* Extended FAST: first-order and total indices from the spectrum of one search curve per parameter.
 * SPDX-License-Identifier: Apache-2.0
 *
 * A. Saltelli, S. Tarantola, K. Chan, "A quantitative model-independent method for global sensitivity analysis of model
 * output", 1999, doi:10.1080/00401706.1999.10485594. Along curve i parameter i runs at the frequency w = floor((n - 1)
 * / 2M), the others at most at w / 2M: the output's power at w, 2w .. Mw is the parameter's own, that up to w / 2
 * belongs to the others. */
#include "analysis/fast_spectrum.h"
#include "analysis/given_data_rows.h"
#include "base/alloc.h"
#include "base/str.h"

#include <math.h>

#define HARMONICS         4
#define SHUFFLE_RESAMPLES 100
#define LEAST_SHARE       0.5 /* of a curve's runs: with fewer there is no spectrum to speak of */

enum { S1, ST, COLUMNS };

struct curves {
  size_t n, harmonics, frequency;
};

/* Indices of a curve in which `usable` of the n runs are there; the others hold the mean of these, which dampens every
 * amplitude by usable / n and the variance too. Nothing is changed for a full curve. */
static void indices_of(const double *outputs, const struct curves *curves, size_t usable, double *first,
                       double *total) {
  size_t n = curves->n, w = curves->frequency, last = (n + 1) / 2 - 1;
  ts_auto_free double *power = ts_calloc(n / 2 + 1, sizeof *power);
  ts_spectrum(outputs, n, power);
  double all = 0, own = 0, others = 0, loss = (double)usable / (double)n;
  for (size_t f = 1; f <= last; f++) all += power[f];
  for (size_t p = 1; p <= curves->harmonics; p++) own += power[p * w];
  for (size_t f = 1; f <= w / 2; f++) others += power[f];
  *first = all > 0 ? own / all / loss : 0;
  *total = all > 0 ? 1 - others / all / loss : 0;
}

/* Copies a curve with the mean in the place of failed runs; returns how many runs are usable. */
static size_t fill_curve(const double *outputs, size_t n, double *curve, bool *constant) {
  double sum = 0, low = INFINITY, high = -INFINITY;
  size_t usable = 0;
  for (size_t i = 0; i < n; i++) {
    if (!isfinite(outputs[i])) continue;
    sum += outputs[i];
    low = fmin(low, outputs[i]);
    high = fmax(high, outputs[i]);
    usable++;
  }
  for (size_t i = 0; i < n; i++) curve[i] = isfinite(outputs[i]) ? outputs[i] : sum / (double)usable;
  *constant = usable == 0 || low == high;
  return usable;
}

/* How often a parameter turns from rising to falling or back along its curve. */
static size_t count_turns(const struct ts_runs *runs, size_t parameter, size_t n) {
  const double *column = runs->values + parameter * n * runs->parameter_count + parameter;
  int direction = 0;
  size_t turns = 0;
  for (size_t i = 1; i < n; i++) {
    double step = column[i * runs->parameter_count] - column[(i - 1) * runs->parameter_count];
    int now = (step > 0) - (step < 0);
    if (now == 0) continue;
    if (direction && now != direction) turns++;
    direction = now;
  }
  return turns;
}

/* Shuffled rows, or a design for another M, would give numbers that mean nothing. */
static bool check_order(const struct ts_runs *runs, const struct curves *curves, struct ts_error *err) {
  if (curves->harmonics < 2) return true;
  double wanted = 2 * (double)curves->frequency;
  for (size_t j = 0; j < runs->parameter_count; j++) {
    double turns = (double)count_turns(runs, j, curves->n);
    if (turns == 0 || fabs(turns - wanted) <= 0.2 * wanted + 2) continue;
    ts_fail(err, TS_ERR_BAD_VALUE, "'%s' turns %s times along its rows, not about %s as on a FAST curve for M = %zu",
            runs->names[j], TS_SIGNIFICANT(turns, 6), TS_SIGNIFICANT(wanted, 6), curves->harmonics);
    return ts_error_help(err, "give the rows in the order of the design, and the number of harmonics it was made for");
  }
  return true;
}

static bool find_curves(struct curves *curves, const struct ts_runs *runs, const struct ts_analysis_options *options,
                        struct ts_indices *indices, struct ts_error *err) {
  size_t k = runs->parameter_count, m = options->harmonics ? options->harmonics : HARMONICS;
  *curves = (struct curves){.n = runs->row_count / k, .harmonics = m};
  if (runs->row_count % k != 0) {
    ts_fail(err, TS_ERR_BAD_VALUE, "a FAST design of %zu parameters has a multiple of %zu rows, not %zu", k, k,
            runs->row_count);
    return ts_error_help(err, "give all runs of the design, failed ones too (as empty or NaN)");
  }
  if (m > runs->row_count || curves->n < 2 * m + 1) {
    ts_fail(err, TS_ERR_BAD_VALUE, "a FAST curve for M = %zu needs at least %zu runs, not %zu", m, 2 * m + 1,
            curves->n);
    return ts_error_help(err, "draw the design with more runs per parameter; more than %zu keep the frequencies apart",
                         4 * m * m);
  }
  curves->frequency = (curves->n - 1) / (2 * m);
  if (curves->n <= 4 * m * m) {
    ts_indices_note(indices,
                    "curves of %zu runs are short for M = %zu: the frequencies of the parameters overlap below %zu",
                    curves->n, m, 4 * m * m + 1);
  }
  return check_order(runs, curves, err);
}

/* The figures that SALib prints as confidence: indices of half of the runs of a curve, drawn in random order. */
static void shuffled_interval(const double *curve, const struct curves *whole, size_t parameter,
                              const struct ts_analysis_options *options, struct ts_indices *indices) {
  size_t resamples = indices->resamples, half = (whole->n + 1) / 2;
  struct curves curves = {.n = half, .harmonics = whole->harmonics, .frequency = (half - 1) / (2 * whole->harmonics)};
  if (curves.frequency == 0) return;
  ts_auto_free double *samples = ts_calloc(resamples * COLUMNS, sizeof *samples);
  ts_auto_free double *drawn = ts_calloc(half, sizeof *drawn);
  ts_auto_free uint32_t *draws = ts_calloc(half, sizeof *draws);
  for (size_t r = 0; r < resamples; r++) {
    ts_bootstrap_draw(options->seed, parameter * resamples + r, whole->n, half, draws);
    for (size_t i = 0; i < half; i++) drawn[i] = curve[draws[i]];
    indices_of(drawn, &curves, half, &samples[r * COLUMNS + S1], &samples[r * COLUMNS + ST]);
  }
  ts_interval_of(samples, resamples, COLUMNS, indices->confidence, TS_INTERVAL_NORMAL,
                 indices->cells + parameter * COLUMNS);
}

static bool analyse(const struct ts_runs *runs, const struct ts_analysis_options *options, struct ts_pool *pool,
                    struct ts_indices *indices, struct ts_error *err) {
  (void)pool;
  struct curves curves;
  ts_leave_groups_aside(runs, options, indices);
  if (!ts_indices_check_outputs(indices, runs, err) || !find_curves(&curves, runs, options, indices, err)) return false;
  bool shuffle = options->interval == TS_INTERVAL_NORMAL && options->resamples != TS_NO_RESAMPLES;
  if (shuffle) {
    indices->resamples = options->resamples ? options->resamples : SHUFFLE_RESAMPLES;
    ts_indices_note(indices, "these intervals shuffle each curve, as SALib does, which destroys what the method reads: "
                             "compare designs with several seeds instead");
  }
  ts_auto_free double *curve = ts_calloc(curves.n, sizeof *curve);
  for (size_t j = 0; j < runs->parameter_count; j++) {
    struct ts_index *cells = indices->cells + j * COLUMNS;
    bool constant;
    size_t usable = fill_curve(runs->outputs + j * curves.n, curves.n, curve, &constant);
    indices->usable[j] = usable;
    if ((double)usable < LEAST_SHARE * (double)curves.n) {
      ts_indices_note(indices, "only %zu of %zu runs on the curve of '%s' are usable: no index", usable, curves.n,
                      runs->names[j]);
    } else if (count_turns(runs, j, curves.n) == 0) {
      ts_indices_note(indices, "'%s' does not move along its curve: nothing can be said about it", runs->names[j]);
    } else if (constant) {
      cells[S1].value = cells[ST].value = 0;
    } else {
      indices_of(curve, &curves, usable, &cells[S1].value, &cells[ST].value);
      if (shuffle) shuffled_interval(curve, &curves, j, options, indices);
    }
  }
  return true;
}

static const enum ts_layout layouts[] = {TS_LAYOUT_FAST};

const struct ts_method ts_method_fast = {
    .name = "fast",
    .alias = "efast",
    .title = "Extended Fourier amplitude sensitivity test (eFAST)",
    .assumes =
        "the inputs are independent, and the output varies smoothly enough along each curve that M harmonics hold a "
        "parameter's effect",
    .interval =
        "none: one curve per parameter holds no repetition to see a spread in; draw the design with other seeds "
        "and compare",
    .columns = {"S1", "ST"},
    .rank_by = "ST",
    .layouts = layouts,
    .layout_count = 1,
    .needs = TS_NEEDS_VALUES,
    .analyse = analyse,
};
