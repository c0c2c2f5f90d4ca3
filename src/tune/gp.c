/* Gaussian process regression: kernel, marginal likelihood and its gradient, predictions.
 * SPDX-License-Identifier: Apache-2.0 */
#include "tune/gp.h"

#include "base/alloc.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
static double knob(const char *n, double d) { const char *s = getenv(n); return s ? atof(s) : d; }

struct shape { /* settings in use */
  double inverse[TS_GP_MAX_COLUMNS]; /* squared inverse lengths */
  double noise, trend;
};
static struct shape shape_of(const struct ts_gp *gp, const double *settings) {
  struct shape s;
  for (size_t c = 0; c < gp->columns; c++) s.inverse[c] = exp(-2 * settings[c]);
  s.noise = exp(settings[gp->columns]) + 1e-8; s.trend = exp(settings[gp->columns + 1]);
  if (knob("NOTREND", 0) > 0) s.trend = 0;
  return s;
}
void ts_gp_init(struct ts_gp *gp, size_t columns, const bool *is_category) {
  *gp = (struct ts_gp){.columns = columns, .is_category = is_category};
}
void ts_gp_release(struct ts_gp *gp) { free(gp->points); free(gp->factor); free(gp->weights); }
static double matern(double s) { double r = sqrt(5 * s); return (1 + r + r * r / 3) * exp(-r); }
static double matern_slope(double s) { double r = sqrt(5 * s); return -5.0 / 6 * (1 + r) * exp(-r); }

static double difference(const struct ts_gp *gp, size_t c, double a, double b) {
  if (gp->is_category[c]) return a == b ? 0 : 1;
  return a - b;
}
static double distance(const struct ts_gp *gp, const struct shape *shape, const double *a, const double *b) {
  double s = 0;
  for (size_t c = 0; c < gp->columns; c++) { double d = difference(gp, c, a[c], b[c]); s += shape->inverse[c] * d * d; }
  return s;
}
/* trend features: centred coordinate and its square */
static double bend(double x) { return 4 * x * x - 1.0 / 3; }
static double product(const struct ts_gp *gp, const double *a, const double *b) {
  double sum = 0;
  for (size_t c = 0; c < gp->columns; c++) {
    if (gp->is_category[c]) { sum += a[c] == b[c] ? 0.5 : -0.5; continue; }
    double x = a[c] - 0.5, y = b[c] - 0.5;
    sum += 4 * x * y + bend(x) * bend(y);
  }
  return sum / (double)gp->columns;
}
static double kernel(const struct ts_gp *gp, const struct shape *shape, const double *a, const double *b) {
  double k = matern(distance(gp, shape, a, b));
  if (shape->trend > 0) k += shape->trend * product(gp, a, b);
  return k;
}
double ts_gp_correlation(const struct ts_gp *gp, const double *a, const double *b) {
  struct shape shape = shape_of(gp, gp->settings);
  return matern(distance(gp, &shape, a, b));
}
static bool cholesky(double *a, size_t n) {
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j <= i; j++) {
      double sum = a[i * n + j];
      const double *p = &a[i * n], *q = &a[j * n];
      for (size_t k = 0; k < j; k++) sum -= p[k] * q[k];
      if (i == j) { if (!(sum > 0)) return false; a[i * n + i] = sqrt(sum); }
      else a[i * n + j] = sum / a[j * n + j];
    }
  }
  return true;
}
static void solve_lower(const double *l, size_t n, double *b) {
  for (size_t i = 0; i < n; i++) { double s = b[i]; for (size_t k = 0; k < i; k++) s -= l[i * n + k] * b[k]; b[i] = s / l[i * n + i]; }
}
static void solve_upper(const double *l, size_t n, double *b) {
  for (size_t i = n; i-- > 0;) { b[i] /= l[i * n + i]; for (size_t k = 0; k < i; k++) b[k] -= l[i * n + k] * b[i]; }
}

struct fit { const struct ts_gp *gp; const double *x, *y; size_t n; double *l, *inv, *a, *one, *sq, *pr; };

static double centre_of(const struct ts_gp *gp, size_t c) {
  size_t D = gp->columns;
  if (c == D) return log(knob("NMU", 1e-3));
  if (c == D + 1) return log(knob("TMU", 1));
  return log(knob("PL", 0.3)) + knob("PD", 0.5) * log((double)D) + (gp->is_category[c] ? log(2.0) : 0);
}
static double prior(const struct ts_gp *gp, const double *theta, double *gradient) {
  size_t D = gp->columns;
  double value = 0;
  for (size_t c = 0; c < D + 2; c++) {
    double sd = c < D ? knob("PSD", 0.7) : c == D ? knob("NSD", 2) : knob("TSD", 2);
    double t = (theta[c] - centre_of(gp, c)) / sd;
    value -= t * t / 2; gradient[c] -= t / sd;
  }
  return value;
}

static double posterior(struct fit *f, const double *theta, double *gradient) {
  size_t n = f->n, D = f->gp->columns;
  struct shape shape = shape_of(f->gp, theta);
  memset(gradient, 0, (D + 2) * sizeof *gradient);
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j <= i; j++) {
      double s = distance(f->gp, &shape, &f->x[i * D], &f->x[j * D]);
      f->sq[i * n + j] = s;
      f->l[i * n + j] = matern(s) + shape.trend * f->pr[i * n + j] + (i == j ? shape.noise : 0);
    }
  if (!cholesky(f->l, n)) return -INFINITY;
  for (size_t j = 0; j < n; j++) {
    for (size_t i = j; i < n; i++) {
      double s = i == j ? 1 : 0;
      for (size_t k = j; k < i; k++) s -= f->l[i * n + k] * f->inv[j * n + k];
      f->inv[j * n + i] = s / f->l[i * n + i];
    }
  }
  for (size_t i = 0; i < n; i++) { f->a[i] = f->y[i]; f->one[i] = 1; }
  solve_lower(f->l, n, f->a); solve_lower(f->l, n, f->one);
  double num = 0, den = 0;
  for (size_t i = 0; i < n; i++) { num += f->one[i] * f->a[i]; den += f->one[i] * f->one[i]; }
  double mean = num / den, q = 0, logdet = 0;
  for (size_t i = 0; i < n; i++) { f->a[i] -= mean * f->one[i]; q += f->a[i] * f->a[i]; logdet += log(f->l[i * n + i]); }
  solve_upper(f->l, n, f->a);
  double a0 = knob("A0", 1), b0 = knob("B0", 1);
  double var = (q + 2 * b0) / ((double)n + 2 * a0);
  double value = -((double)n / 2 + a0) * log(var) - logdet;
  double gt = 0, gn = 0;
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j <= i; j++) {
      double rinv = 0;
      for (size_t k = i; k < n; k++) rinv += f->inv[i * n + k] * f->inv[j * n + k];
      double g = f->a[i] * f->a[j] / var - rinv;
      if (i == j) { gn += 0.5 * g; gt += 0.5 * g * f->pr[i * n + j]; continue; }
      gt += g * f->pr[i * n + j];
      double slope = -2 * matern_slope(f->sq[i * n + j]) * g;
      for (size_t c = 0; c < D; c++) {
        double d = difference(f->gp, c, f->x[i * D + c], f->x[j * D + c]);
        gradient[c] += slope * shape.inverse[c] * d * d;
      }
    }
  gradient[D] = gn * shape.noise; gradient[D + 1] = gt * shape.trend;
  return value + prior(f->gp, theta, gradient);
}

void ts_gp_learn(struct ts_gp *gp, const double *points, const double *targets, size_t count, int steps) {
  size_t D = gp->columns, n = count;
  struct fit f = {.gp = gp, .x = points, .y = targets, .n = n};
  f.l = ts_calloc(4 * n * n + 2 * n, sizeof(double));
  f.inv = f.l + n * n; f.sq = f.inv + n * n; f.pr = f.sq + n * n; f.a = f.pr + n * n; f.one = f.a + n;
  for (size_t i = 0; i < n; i++) for (size_t j = 0; j <= i; j++) f.pr[i * n + j] = product(gp, &points[i * D], &points[j * D]);
  double theta[TS_GP_SETTINGS], g[TS_GP_SETTINGS], old[TS_GP_SETTINGS] = {0}, step[TS_GP_SETTINGS], best[TS_GP_SETTINGS];
  double best_value = -INFINITY;
  if (!gp->has_settings) {
    for (size_t c = 0; c < D + 2; c++) gp->settings[c] = centre_of(gp, c);
    gp->has_settings = true; steps *= 2;
  }
  memcpy(theta, gp->settings, sizeof theta);
  for (size_t c = 0; c < D + 2; c++) step[c] = 0.2;
  memcpy(best, theta, sizeof best);
  for (int it = 0; it < steps; it++) {
    double value = posterior(&f, theta, g);
    if (value > best_value) { best_value = value; memcpy(best, theta, sizeof best); }
    if (!isfinite(value)) break;
    for (size_t c = 0; c < D + 2; c++) {
      double sign = g[c] * old[c];
      if (sign > 0) step[c] = fmin(step[c] * 1.2, 1);
      if (sign < 0) { step[c] = fmax(step[c] * 0.5, 1e-3); g[c] = 0; }
      theta[c] += g[c] > 0 ? step[c] : g[c] < 0 ? -step[c] : 0;
      old[c] = g[c];
      double lo = c < D ? log(0.02) : log(1e-6), hi = c < D ? log(50.) : c == D ? log(1.0) : log(1e3);
      theta[c] = fmin(fmax(theta[c], lo), hi);
    }
  }
  memcpy(gp->settings, best, sizeof best);
  gp->likelihood = best_value;
  free(f.l);
}

bool ts_gp_condition(struct ts_gp *gp, const double *points, const double *targets, size_t n) {
  size_t D = gp->columns;
  struct shape shape = shape_of(gp, gp->settings);
  gp->points = ts_realloc_array(gp->points, n * D, sizeof(double));
  gp->factor = ts_realloc_array(gp->factor, n * n, sizeof(double));
  gp->weights = ts_realloc_array(gp->weights, n, sizeof(double));
  memcpy(gp->points, points, n * D * sizeof(double));
  gp->count = n;
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j <= i; j++)
      gp->factor[i * n + j] = kernel(gp, &shape, &points[i * D], &points[j * D]) + (i == j ? shape.noise : 0);
  if (!cholesky(gp->factor, n)) return false;
  double *one = ts_calloc(n, sizeof *one);
  for (size_t i = 0; i < n; i++) { gp->weights[i] = targets[i]; one[i] = 1; }
  solve_lower(gp->factor, n, gp->weights); solve_lower(gp->factor, n, one);
  double num = 0, den = 0, q = 0;
  for (size_t i = 0; i < n; i++) { num += one[i] * gp->weights[i]; den += one[i] * one[i]; }
  gp->mean = num / den;
  for (size_t i = 0; i < n; i++) { gp->weights[i] -= gp->mean * one[i]; q += gp->weights[i] * gp->weights[i]; }
  solve_upper(gp->factor, n, gp->weights);
  gp->variance = (q + 2 * knob("B0", 1)) / ((double)n + 2 * knob("A0", 1));
  free(one);
  return true;
}

void ts_gp_predict(const struct ts_gp *gp, const double *point, double *mean, double *variance) {
  size_t D = gp->columns, n = gp->count;
  static double k[4096];
  struct shape shape = shape_of(gp, gp->settings);
  double m = gp->mean, v = kernel(gp, &shape, point, point);
  for (size_t i = 0; i < n; i++) { k[i] = kernel(gp, &shape, &gp->points[i * D], point); m += k[i] * gp->weights[i]; }
  solve_lower(gp->factor, n, k);
  for (size_t i = 0; i < n; i++) v -= k[i] * k[i];
  *mean = m;
  *variance = gp->variance * fmax(v, 1e-9);
}

#define BLOCK 256
#define CELLS 8192
#define REACH 60.0f
static float table[CELLS + 2];
void ts_gp_screen(const struct ts_gp *gp, const double *points, size_t count, double *means, double *bounds) {
  size_t D = gp->columns, n = gp->count;
  struct shape shape = shape_of(gp, gp->settings);
  if (table[0] == 0) for (size_t i = 0; i <= CELLS; i++) table[i] = (float)matern((double)i * (double)REACH / CELLS);
  float x[TS_GP_MAX_COLUMNS][BLOCK], s[BLOCK], t[BLOCK], m[BLOCK], most[BLOCK], own[BLOCK];
  float scale[TS_GP_MAX_COLUMNS];
  for (size_t c = 0; c < D; c++) scale[c] = (float)sqrt(shape.inverse[c]);
  float trend = (float)(shape.trend / (double)D);
  for (size_t first = 0; first < count; first += BLOCK) {
    size_t size = count - first < BLOCK ? count - first : BLOCK;
    for (size_t j = 0; j < BLOCK; j++) {
      const double *p = &points[(first + (j < size ? j : 0)) * D];
      for (size_t c = 0; c < D; c++) x[c][j] = (float)p[c];
      own[j] = (float)kernel(gp, &shape, p, p); m[j] = 0; most[j] = 0;
    }
    for (size_t i = 0; i < n; i++) {
      memset(s, 0, sizeof s); memset(t, 0, sizeof t);
      for (size_t c = 0; c < D; c++) {
        float at = (float)gp->points[i * D + c], w = scale[c] * scale[c];
        const float *xc = x[c];
        if (gp->is_category[c]) {
          for (size_t j = 0; j < BLOCK; j++) { s[j] += xc[j] == at ? 0 : w; t[j] += xc[j] == at ? 0.5f : -0.5f; }
        } else {
          for (size_t j = 0; j < BLOCK; j++) { float d = xc[j] - at; s[j] += w * d * d; }
          if (trend > 0) {
            float a4 = 4 * (at - 0.5f), bb = (float)bend(at - 0.5);
            for (size_t j = 0; j < BLOCK; j++) { float y = xc[j] - 0.5f; t[j] += a4 * y + bb * (4 * y * y - 1.0f / 3); }
          }
        }
      }
      float weight = (float)gp->weights[i];
      float self = (float)(1 + shape.noise + shape.trend * product(gp, &gp->points[i * D], &gp->points[i * D]));
      float selfi = 1 / self;
      for (size_t j = 0; j < BLOCK; j++) {
        float at = s[j] * (CELLS / REACH); at = at < CELLS ? at : CELLS;
        int cell = (int)at; float part = at - (float)cell;
        float k = table[cell] + part * (table[cell + 1] - table[cell]) + trend * t[j];
        m[j] += weight * k;
        float kk = k * k * selfi; most[j] = kk > most[j] ? kk : most[j];
      }
    }
    for (size_t j = 0; j < size; j++) {
      means[first + j] = gp->mean + (double)m[j];
      bounds[first + j] = gp->variance * fmax((double)(own[j] - most[j]), 1e-9);
    }
  }
}
