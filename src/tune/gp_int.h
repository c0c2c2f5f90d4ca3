/* The covariance of the Gaussian process, shared by its files.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_TUNE_GP_INT_H
#define TS_TUNE_GP_INT_H

#include "tune/gp.h"

#include <math.h>

/* Settings in use. */
struct shape {
  double inverse[TS_GP_MAX_COLUMNS]; /* 1 / length^2 */
  double nugget, trend;
};
struct shape ts_gp_shape(const struct ts_gp *gp, const struct ts_gp_settings *settings);

/* Matern 5/2 as a function of the squared scaled distance, and its derivative. */
static inline double matern(double distance) {
  double r = sqrt(5 * distance);
  return (1 + r + r * r / 3) * exp(-r);
}
static inline double matern_slope(double distance) {
  double r = sqrt(5 * distance);
  return -5.0 / 6 * (1 + r) * exp(-r);
}

/* Weight of the products of two columns beside the columns themselves in the trend. Of 0 (with squares of single
 * columns instead), 1, 2, 3 and 5, 3 left the least gap on synthetic workflows and kernels (auto.c): interactions such
 * as processes / processes per node are nearly linear in the product of logarithms. */
#define QUADRATIC 3.0

double ts_gp_distance(const struct ts_gp *gp, const struct shape *shape, const double *a, const double *b);
/* Covariance of the trend for a trend of 1. */
double ts_gp_trend(const struct ts_gp *gp, const double *a, const double *b);

/* In place: the lower triangle of a symmetric matrix becomes its factor; false if it is not positive definite. */
bool ts_lower_factor(double *matrix, size_t order);
/* In place: solve L x = b, and L' x = b. */
void ts_lower_solve(const double *factor, size_t order, double *b);
void ts_lower_solve_transposed(const double *factor, size_t order, double *b);

/* The best constant mean of the targets, by generalised least squares: `weights` (in: targets) becomes the covariance's
 * inverse times (targets - mean). Returns the variance of the smooth part; `ones` is scratch. */
double ts_gp_centre(const double *factor, size_t count, double *weights, double *ones, double *mean);

/* An inverse gamma prior of the variance, worth two targets of a standard deviation of 1: three measurements alone must
 * not look certain. */
#define PRIOR_TARGETS 2.0

#endif
