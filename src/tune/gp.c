/* Gaussian process regression: covariance, data, and predictions one by one.
 * SPDX-License-Identifier: Apache-2.0 */
#include "tune/gp.h"

#include "base/alloc.h"
#include "tune/gp_int.h"

#include <string.h>

#define JITTER 1e-8 /* keeps equal points apart for the factor */

/* Centres of the settings' prior: lengths grow with the root of the number of columns, so that distances stay alike in
 * any number; a category is as far as two thirds of a range. */
void ts_gp_init(struct ts_gp *gp, size_t columns, const bool *is_category) {
  *gp = (struct ts_gp){.columns = columns, .is_category = is_category};
  for (size_t c = 0; c < columns; c++)
    gp->settings.lengths[c] = log((is_category[c] ? 0.6 : 0.3) * sqrt((double)columns));
  gp->settings.nugget = log(1e-3);
  gp->settings.trend = 0;
}

void ts_gp_release(struct ts_gp *gp) {
  free(gp->points);
  free(gp->factor);
  free(gp->weights);
  free(gp->scratch);
}

struct shape ts_gp_shape(const struct ts_gp *gp, const struct ts_gp_settings *settings) {
  struct shape shape = {.nugget = exp(settings->nugget) + JITTER, .trend = exp(settings->trend)};
  for (size_t c = 0; c < gp->columns; c++) shape.inverse[c] = exp(-2 * settings->lengths[c]);
  return shape;
}

double ts_gp_distance(const struct ts_gp *gp, const struct shape *shape, const double *a, const double *b) {
  double sum = 0;
  for (size_t c = 0; c < gp->columns; c++) {
    double step = gp->is_category[c] ? a[c] != b[c] : a[c] - b[c];
    sum += shape->inverse[c] * step * step;
  }
  return sum;
}

double ts_gp_trend(const struct ts_gp *gp, const double *a, const double *b) {
  double sum = 0;
  for (size_t c = 0; c < gp->columns; c++)
    sum += gp->is_category[c] ? (a[c] == b[c] ? 0.5 : -0.5) : 4 * (a[c] - 0.5) * (b[c] - 0.5);
  sum /= (double)gp->columns;
  return sum + QUADRATIC * sum * sum;
}

static double covariance(const struct ts_gp *gp, const struct shape *shape, const double *a, const double *b) {
  return matern(ts_gp_distance(gp, shape, a, b)) + shape->trend * ts_gp_trend(gp, a, b);
}

bool ts_lower_factor(double *matrix, size_t order) {
  for (size_t i = 0; i < order; i++) {
    double *row = &matrix[i * order];
    for (size_t j = 0; j <= i; j++) {
      const double *other = &matrix[j * order];
      double sum = row[j];
      for (size_t k = 0; k < j; k++) sum -= row[k] * other[k];
      if (i == j && !(sum > 0)) return false;
      row[j] = i == j ? sqrt(sum) : sum / other[j];
    }
  }
  return true;
}

void ts_lower_solve(const double *factor, size_t order, double *b) {
  for (size_t i = 0; i < order; i++) {
    const double *row = &factor[i * order];
    double sum = b[i];
    for (size_t k = 0; k < i; k++) sum -= row[k] * b[k];
    b[i] = sum / row[i];
  }
}

void ts_lower_solve_transposed(const double *factor, size_t order, double *b) {
  for (size_t i = order; i-- > 0;) {
    const double *row = &factor[i * order];
    b[i] /= row[i];
    for (size_t k = 0; k < i; k++) b[k] -= row[k] * b[i];
  }
}

double ts_gp_centre(const double *factor, size_t count, double *weights, double *ones, double *mean) {
  double above = 0, below = 0, sum = 0;
  for (size_t i = 0; i < count; i++) ones[i] = 1;
  ts_lower_solve(factor, count, weights);
  ts_lower_solve(factor, count, ones);
  for (size_t i = 0; i < count; i++) {
    above += ones[i] * weights[i];
    below += ones[i] * ones[i];
  }
  *mean = above / below;
  for (size_t i = 0; i < count; i++) {
    weights[i] -= *mean * ones[i];
    sum += weights[i] * weights[i];
  }
  ts_lower_solve_transposed(factor, count, weights);
  return (sum + PRIOR_TARGETS) / ((double)count + PRIOR_TARGETS);
}

bool ts_gp_condition(struct ts_gp *gp, const double *points, const double *targets, size_t count) {
  size_t columns = gp->columns;
  struct shape shape = ts_gp_shape(gp, &gp->settings);
  gp->count = count;
  gp->points = ts_realloc_array(gp->points, count * columns, sizeof *gp->points);
  gp->factor = ts_realloc_array(gp->factor, count * count, sizeof *gp->factor);
  gp->weights = ts_realloc_array(gp->weights, count, sizeof *gp->weights);
  gp->scratch = ts_realloc_array(gp->scratch, count, sizeof *gp->scratch);
  memcpy(gp->points, points, count * columns * sizeof *points);
  memcpy(gp->weights, targets, count * sizeof *targets);
  for (size_t i = 0; i < count; i++) {
    for (size_t j = 0; j <= i; j++)
      gp->factor[i * count + j] = covariance(gp, &shape, &points[i * columns], &points[j * columns]);
    gp->factor[i * count + i] += shape.nugget;
  }
  if (!ts_lower_factor(gp->factor, count)) return false;
  gp->variance = ts_gp_centre(gp->factor, count, gp->weights, gp->scratch, &gp->mean);
  return true;
}

void ts_gp_predict(struct ts_gp *gp, const double *point, double *mean, double *variance) {
  struct shape shape = ts_gp_shape(gp, &gp->settings);
  double left = covariance(gp, &shape, point, point);
  *mean = gp->mean;
  for (size_t i = 0; i < gp->count; i++) {
    gp->scratch[i] = covariance(gp, &shape, &gp->points[i * gp->columns], point);
    *mean += gp->scratch[i] * gp->weights[i];
  }
  ts_lower_solve(gp->factor, gp->count, gp->scratch);
  for (size_t i = 0; i < gp->count; i++) left -= gp->scratch[i] * gp->scratch[i];
  *variance = gp->variance * (fmax(left, 0) + shape.nugget);
}
