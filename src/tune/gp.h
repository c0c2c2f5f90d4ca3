/* Gaussian process regression with one length scale per column, fitted by its marginal likelihood.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_TUNE_GP_H
#define TS_TUNE_GP_H

#include <stdbool.h>
#include <stddef.h>

#define TS_GP_MAX_COLUMNS 64
#define TS_GP_SETTINGS    (TS_GP_MAX_COLUMNS + 2)

struct ts_gp {
  size_t columns;
  const bool *is_category;             /* borrowed */
  double settings[TS_GP_SETTINGS];     /* logs: length per column, noise, trend */
  bool has_settings;
  size_t count;
  double *points;  /* owned */
  double *factor;  /* owned */
  double *weights; /* owned */
  double mean, variance;
  double likelihood;
};

void ts_gp_init(struct ts_gp *gp, size_t columns, const bool *is_category);
void ts_gp_release(struct ts_gp *gp);
void ts_gp_learn(struct ts_gp *gp, const double *points, const double *targets, size_t count, int steps);
bool ts_gp_condition(struct ts_gp *gp, const double *points, const double *targets, size_t count);
void ts_gp_predict(const struct ts_gp *gp, const double *point, double *mean, double *variance);
/* Means and upper bounds of variances */
void ts_gp_screen(const struct ts_gp *gp, const double *points, size_t count, double *means, double *bounds);
double ts_gp_correlation(const struct ts_gp *gp, const double *a, const double *b);
#endif
