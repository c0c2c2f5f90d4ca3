/* Settings of the Gaussian process: the maximum of marginal likelihood times prior, by resilient steps along signs.
 * SPDX-License-Identifier: Apache-2.0
 *
 * The mean and the variance are integrated or maximised in closed form, so that only relative settings are searched. C.
 * Igel and M. Huesken, "Empirical evaluation of the improved Rprop learning algorithms", Neurocomputing 50 (2003),
 * doi:10.1016/S0925-2312(01)00700-7: the steps need no line search and keep their progress from batch to batch. */
#include "base/alloc.h"
#include "tune/gp_int.h"

#include <string.h>

/* Standard deviations of the logarithms about the centres of ts_gp_init. Lengths: of 0.5, 0.7, 1 and 1.5, 0.5 and 0.7
 * left the least gap on synthetic pools (auto.c); the others were never varied. */
#define LENGTH_SPREAD 0.5
#define OTHER_SPREAD  2.0

#define SETTINGS (TS_GP_MAX_COLUMNS + 2) /* lengths, nugget, trend */

struct fit {
  const struct ts_gp *gp; /* borrowed */
  const double *points, *targets;
  size_t count;
  double *factor, *inverse, *distances, *trends; /* count x count; one allocation */
  double *weights, *ones;
  double centres[SETTINGS];
};

static void settings_to_array(const struct ts_gp *gp, double *array) {
  memcpy(array, gp->settings.lengths, gp->columns * sizeof *array);
  array[gp->columns] = gp->settings.nugget;
  array[gp->columns + 1] = gp->settings.trend;
}

static struct ts_gp_settings settings_of_array(const struct ts_gp *gp, const double *array) {
  struct ts_gp_settings settings = {.nugget = array[gp->columns], .trend = array[gp->columns + 1]};
  memcpy(settings.lengths, array, gp->columns * sizeof *array);
  return settings;
}

static double add_prior(const struct fit *fit, const double *settings, double *gradient) {
  double value = 0;
  for (size_t s = 0; s < fit->gp->columns + 2; s++) {
    double spread = s < fit->gp->columns ? LENGTH_SPREAD : OTHER_SPREAD;
    double off = (settings[s] - fit->centres[s]) / spread;
    value -= off * off / 2;
    gradient[s] -= off / spread;
  }
  return value;
}

static bool factorise(struct fit *fit, const struct shape *shape) {
  size_t count = fit->count, columns = fit->gp->columns;
  for (size_t i = 0; i < count; i++) {
    for (size_t j = 0; j <= i; j++) {
      double distance = ts_gp_distance(fit->gp, shape, &fit->points[i * columns], &fit->points[j * columns]);
      fit->distances[i * count + j] = distance;
      fit->factor[i * count + j] = matern(distance) + shape->trend * fit->trends[i * count + j];
    }
    fit->factor[i * count + i] += shape->nugget;
  }
  return ts_lower_factor(fit->factor, count);
}

/* Row j of `inverse`: column j of the inverse of the factor, from the diagonal on. */
static void invert_factor(struct fit *fit) {
  size_t count = fit->count;
  for (size_t j = 0; j < count; j++) {
    double *column = &fit->inverse[j * count];
    for (size_t i = j; i < count; i++) {
      const double *row = &fit->factor[i * count];
      double sum = i == j;
      for (size_t k = j; k < i; k++) sum -= row[k] * column[k];
      column[i] = sum / row[i];
    }
  }
}

/* What the covariance of rows i and j contributes to the gradient. */
static void add_pair(const struct fit *fit, const struct shape *shape, size_t i, size_t j, double variance,
                     double *gradient) {
  size_t count = fit->count, columns = fit->gp->columns;
  const double *p = &fit->inverse[i * count], *q = &fit->inverse[j * count];
  double inverse = 0;
  for (size_t k = i; k < count; k++) inverse += p[k] * q[k];
  double slope = fit->weights[i] * fit->weights[j] / variance - inverse; /* of both halves, times 1/2 */
  if (i == j) {
    gradient[columns] += slope * shape->nugget / 2;
    gradient[columns + 1] += slope * shape->trend * fit->trends[i * count + j] / 2;
    return;
  }
  gradient[columns + 1] += slope * shape->trend * fit->trends[i * count + j];
  slope *= -2 * matern_slope(fit->distances[i * count + j]);
  for (size_t c = 0; c < columns; c++) {
    double a = fit->points[i * columns + c], b = fit->points[j * columns + c];
    double step = fit->gp->is_category[c] ? a != b : a - b;
    gradient[c] += slope * shape->inverse[c] * step * step;
  }
}

/* Logarithm of the posterior of settings, and its gradient; -infinity where the covariance is singular. */
static double posterior(struct fit *fit, const double *array, double *gradient) {
  size_t count = fit->count;
  struct ts_gp_settings settings = settings_of_array(fit->gp, array);
  struct shape shape = ts_gp_shape(fit->gp, &settings);
  memset(gradient, 0, SETTINGS * sizeof *gradient);
  if (!factorise(fit, &shape)) return -INFINITY;
  invert_factor(fit);
  memcpy(fit->weights, fit->targets, count * sizeof *fit->weights);
  double mean, variance = ts_gp_centre(fit->factor, count, fit->weights, fit->ones, &mean);
  double value = -((double)count + PRIOR_TARGETS) / 2 * log(variance);
  for (size_t i = 0; i < count; i++) {
    value -= log(fit->factor[i * count + i]);
    for (size_t j = 0; j <= i; j++) add_pair(fit, &shape, i, j, variance, gradient);
  }
  return value + add_prior(fit, array, gradient);
}

/* Ends of the settings: beyond them nothing changes any more. */
static double clamp_setting(const struct ts_gp *gp, size_t index, double value) {
  double low = index < gp->columns ? 0.02 : 1e-6;
  double high = index < gp->columns ? 50 : index == gp->columns ? 1 : 1000;
  return fmin(fmax(value, log(low)), log(high));
}

static void climb(struct fit *fit, double *settings, int steps) {
  double at[SETTINGS], gradient[SETTINGS], before[SETTINGS] = {0}, length[SETTINGS], best = -INFINITY;
  size_t settings_count = fit->gp->columns + 2;
  memcpy(at, settings, sizeof at);
  for (size_t s = 0; s < settings_count; s++) length[s] = 0.2;
  for (int step = 0; step < steps; step++) {
    double value = posterior(fit, at, gradient);
    if (!isfinite(value)) return;
    if (value > best) {
      best = value;
      memcpy(settings, at, sizeof at);
    }
    for (size_t s = 0; s < settings_count; s++) {
      double turn = gradient[s] * before[s];
      if (turn > 0) length[s] = fmin(1.2 * length[s], 1);
      if (turn < 0) {
        length[s] = fmax(0.5 * length[s], 1e-3);
        gradient[s] = 0;
      }
      at[s] = clamp_setting(fit->gp, s, at[s] + (gradient[s] > 0 ? length[s] : gradient[s] < 0 ? -length[s] : 0));
      before[s] = gradient[s];
    }
  }
}

void ts_gp_learn(struct ts_gp *gp, const double *points, const double *targets, size_t count, int steps) {
  struct fit fit = {.gp = gp, .points = points, .targets = targets, .count = count};
  size_t square = count * count, columns = gp->columns;
  ts_auto_free double *room = ts_calloc(4 * square + 2 * count, sizeof *room);
  fit.factor = room;
  fit.inverse = room + square;
  fit.distances = room + 2 * square;
  fit.trends = room + 3 * square;
  fit.weights = room + 4 * square;
  fit.ones = fit.weights + count;
  for (size_t i = 0; i < count; i++) {
    for (size_t j = 0; j <= i; j++)
      fit.trends[i * count + j] = ts_gp_trend(gp, &points[i * columns], &points[j * columns]);
  }
  struct ts_gp fresh;
  ts_gp_init(&fresh, columns, gp->is_category);
  settings_to_array(&fresh, fit.centres);
  double settings[SETTINGS] = {0};
  settings_to_array(gp, settings);
  climb(&fit, settings, steps);
  gp->settings = settings_of_array(gp, settings);
}
