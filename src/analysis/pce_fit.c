/* Polynomial chaos: least squares that grows by one column at a time, with its leave-one-out error.
 * SPDX-License-Identifier: Apache-2.0 */
#include "analysis/pce_int.h"

#include "base/alloc.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COLLINEAR   1e-8  /* what is left of a column, as a share of it */
#define FULL_WEIGHT 1e-10 /* 1 - leverage: the point alone decides its value */

double ts_pce_dot(const double *x, const double *y, size_t count) {
  double s0 = 0, s1 = 0, s2 = 0, s3 = 0, s4 = 0, s5 = 0, s6 = 0, s7 = 0; /* an array would be kept in memory */
  size_t i = 0;
  for (; i + 8 <= count; i += 8) {
    s0 += x[i] * y[i];
    s1 += x[i + 1] * y[i + 1];
    s2 += x[i + 2] * y[i + 2];
    s3 += x[i + 3] * y[i + 3];
    s4 += x[i + 4] * y[i + 4];
    s5 += x[i + 5] * y[i + 5];
    s6 += x[i + 6] * y[i + 6];
    s7 += x[i + 7] * y[i + 7];
  }
  for (; i < count; i++) s0 += x[i] * y[i];
  return ((s0 + s1) + (s2 + s3)) + ((s4 + s5) + (s6 + s7));
}

static size_t packed(size_t column) { return column * (column + 1) / 2; }

void ts_pce_fit_init(struct ts_pce_fit *fit, const struct ts_pce_data *data, size_t capacity) {
  size_t n = data->point_count;
  *fit = (struct ts_pce_fit){.point_count = n, .capacity = capacity};
  fit->q = ts_calloc(n * capacity, sizeof *fit->q);
  fit->r = ts_calloc(packed(capacity), sizeof *fit->r);
  fit->inverse = ts_calloc(packed(capacity), sizeof *fit->inverse);
  fit->projections = ts_calloc(capacity, sizeof *fit->projections);
  fit->residuals = ts_calloc(n, sizeof *fit->residuals);
  fit->leverages = ts_calloc(n, sizeof *fit->leverages);
  fit->work = ts_calloc(n, sizeof *fit->work);
  ts_pce_fit_reset(fit, data);
}

void ts_pce_fit_release(struct ts_pce_fit *fit) {
  free(fit->q);
  free(fit->r);
  free(fit->inverse);
  free(fit->projections);
  free(fit->residuals);
  free(fit->leverages);
  free(fit->work);
  *fit = (struct ts_pce_fit){0};
}

void ts_pce_fit_reset(struct ts_pce_fit *fit, const struct ts_pce_data *data) {
  fit->count = 0;
  fit->inverse_squares = 0;
  memcpy(fit->residuals, data->outputs, fit->point_count * sizeof *fit->residuals);
  memset(fit->leverages, 0, fit->point_count * sizeof *fit->leverages);
  ts_pce_fit_add(fit, data->roots);
  fit->total = ts_pce_dot(fit->residuals, fit->residuals, fit->point_count);
}

/* Takes the parts along the earlier columns out of work; once is not enough when little is left. */
static void orthogonalise(struct ts_pce_fit *fit, double *parts) {
  size_t n = fit->point_count;
  for (int pass = 0; pass < 2; pass++) {
    for (size_t c = 0; c < fit->count; c++) {
      const double *q = fit->q + c * n;
      double part = ts_pce_dot(q, fit->work, n);
      parts[c] += part;
      for (size_t i = 0; i < n; i++) fit->work[i] -= part * q[i];
    }
  }
}

/* The new last column of the inverse of R: -inverse * parts / rest, then 1 / rest. */
static void extend_inverse(struct ts_pce_fit *fit, const double *parts, double rest) {
  size_t last = fit->count;
  double *column = fit->inverse + packed(last);
  for (size_t i = 0; i < last; i++) column[i] = 0;
  for (size_t c = 0; c < last; c++) {
    const double *earlier = fit->inverse + packed(c);
    for (size_t i = 0; i <= c; i++) column[i] -= earlier[i] * parts[c] / rest;
  }
  column[last] = 1 / rest;
  for (size_t i = 0; i <= last; i++) fit->inverse_squares += column[i] * column[i];
}

bool ts_pce_fit_add(struct ts_pce_fit *fit, const double *column) {
  size_t n = fit->point_count;
  if (fit->count == fit->capacity) TS_BUG("a fit with room for %zu columns", fit->capacity);
  memcpy(fit->work, column, n * sizeof *column);
  double length = sqrt(ts_pce_dot(column, column, n));
  double *parts = fit->r + packed(fit->count);
  memset(parts, 0, (fit->count + 1) * sizeof *parts);
  orthogonalise(fit, parts);
  double rest = sqrt(ts_pce_dot(fit->work, fit->work, n));
  if (!(rest > COLLINEAR * length)) return false;
  parts[fit->count] = rest;
  extend_inverse(fit, parts, rest);
  double *q = fit->q + fit->count * n;
  for (size_t i = 0; i < n; i++) {
    q[i] = fit->work[i] / rest;
    fit->leverages[i] += q[i] * q[i];
  }
  double projection = ts_pce_dot(q, fit->residuals, n);
  for (size_t i = 0; i < n; i++) fit->residuals[i] -= projection * q[i];
  fit->projections[fit->count++] = projection;
  return true;
}

double ts_pce_fit_loo(const struct ts_pce_fit *fit, bool corrected) {
  double n = (double)fit->point_count, p = (double)fit->count, sum = 0;
  if (fit->count >= fit->point_count || fit->total <= 0) return INFINITY;
  for (size_t i = 0; i < fit->point_count; i++) {
    double left = 1 - fit->leverages[i];
    if (left < FULL_WEIGHT) return INFINITY;
    double error = fit->residuals[i] / left;
    sum += error * error;
  }
  double loo = sum / fit->total;
  return corrected ? loo * n / (n - p) * (1 + fit->inverse_squares) : loo;
}

void ts_pce_fit_coefficients(const struct ts_pce_fit *fit, double *coefficients) {
  for (size_t i = 0; i < fit->count; i++) coefficients[i] = 0;
  for (size_t c = 0; c < fit->count; c++) {
    const double *column = fit->inverse + packed(c);
    for (size_t i = 0; i <= c; i++) coefficients[i] += column[i] * fit->projections[c];
  }
}
