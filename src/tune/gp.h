/* Gaussian process regression for tuning: a smooth part with one length per column, a quadratic trend, and a nugget.
 * SPDX-License-Identifier: Apache-2.0
 *
 * C. E. Rasmussen and C. K. I. Williams, "Gaussian Processes for Machine Learning", MIT Press 2006: 2.2 (regression),
 * 4.2 (Matern 5/2 and polynomial covariances), 5.4 (marginal likelihood and its gradient). Points are coordinates in
 * [0, 1]; a column that is a category only knows equal and different. Targets are standardised by the caller. All
 * settings are relative to the variance of the smooth part, which follows in closed form. Legal order: ts_gp_init,
 * ts_gp_learn (settings), ts_gp_condition (data), then predictions; learning and conditioning may see different
 * rows. */
#ifndef TS_TUNE_GP_H
#define TS_TUNE_GP_H

#include <stdbool.h>
#include <stddef.h>

#define TS_GP_MAX_COLUMNS 64 /* more columns than a tuner can learn anything about */

/* Logarithms of the settings. */
struct ts_gp_settings {
  double lengths[TS_GP_MAX_COLUMNS];
  double nugget; /* variance of what no neighbour shares */
  double trend;  /* variance of the quadratic trend */
};

struct ts_gp {
  size_t columns;
  const bool *is_category; /* borrowed; per column */
  struct ts_gp_settings settings;
  size_t count;
  double *points;  /* owned; count x columns */
  double *factor;  /* owned; lower triangular, count x count */
  double *weights; /* owned; of the data in a mean */
  double *scratch; /* owned; count */
  double mean;
  double variance; /* of the smooth part */
};

void ts_gp_init(struct ts_gp *gp, size_t columns, const bool *is_category);
void ts_gp_release(struct ts_gp *gp);
/* Moves the settings towards the maximum of their posterior, from where they are: `steps` evaluations of the marginal
 * likelihood, of count^3 each. */
void ts_gp_learn(struct ts_gp *gp, const double *points, const double *targets, size_t count, int steps);
/* Takes the data; at least one row. False if the covariance is numerically singular. */
bool ts_gp_condition(struct ts_gp *gp, const double *points, const double *targets, size_t count);
/* Mean and variance of a measurement at a point: the nugget is part of the variance, since a measurement is what a
 * tuner recommends. */
void ts_gp_predict(struct ts_gp *gp, const double *point, double *mean, double *variance);
/* Means (to some 1e-4, in floats) and upper bounds of the variances (what is left beside the one most informative row)
 * of many points, far faster than one by one. */
void ts_gp_screen(const struct ts_gp *gp, const double *points, size_t count, double *means, double *bounds);

#endif
