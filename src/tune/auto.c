/* auto draft.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/alloc.h"
#include "base/random.h"
#include "tune/gp.h"
#include "tune/tuner.h"
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <stdlib.h>
static double knob(const char *n, double d) { const char *s = getenv(n); return s ? atof(s) : d; }

struct state {
  const struct ts_tune_problem *problem;
  const struct ts_tune_options *options;
  struct ts_random random;
  size_t columns;
  bool is_category[TS_GP_MAX_COLUMNS];
  double *coords; /* of the pool */
  bool *tried;
  struct ts_gp gp;
  size_t first;
};

static double coordinate(const struct ts_tune_problem *p, size_t c, double number, double unit) {
  int mode = (int)knob("COORD", 0);
  const struct ts_parameter *par = p->space->parameters[c];
  if (mode == 0 || par->level_count < 3) return unit;
  double lo = ts_space_number(par, &par->levels[0]), hi = ts_space_number(par, &par->levels[par->level_count - 1]);
  if (mode == 1) return (number - lo) / (hi - lo);
  if (lo <= 0 || hi < 4 * lo) return mode == 3 ? unit : (number - lo) / (hi - lo);
  double l = log(number / lo) / log(hi / lo);
  return mode == 2 ? l : 0.5 * l + 0.5 * unit;
}

static void *begin(const struct ts_tune_problem *problem, const struct ts_tune_options *options, struct ts_error *err) {
  (void)err;
  struct state *s = ts_calloc(1, sizeof *s);
  s->problem = problem; s->options = options;
  s->columns = problem->space->count;
  ts_random_init(&s->random, problem->seed, TS_STREAM_RANDOM);
  size_t D = s->columns;
  for (size_t c = 0; c < D; c++) { enum ts_value_type t = problem->space->parameters[c]->type; s->is_category[c] = t == TS_VALUE_STRING || t == TS_VALUE_BOOLEAN; }
  s->coords = ts_calloc(problem->pool.count * D, sizeof(double));
  for (size_t r = 0; r < problem->pool.count; r++) for (size_t c = 0; c < D; c++)
    s->coords[r * D + c] = coordinate(problem, c, problem->pool.numbers[r * D + c], problem->pool.unit[r * D + c]);
  s->tried = ts_calloc(problem->pool.count, sizeof(bool));
  ts_gp_init(&s->gp, D, s->is_category);
  return s;
}
static void destroy(void *o) { struct state *s = o; if (!s) return; ts_gp_release(&s->gp); free(s->coords); free(s->tried); free(s); }

static int cmp(const void *a, const void *b) { double x = *(const double *)a, y = *(const double *)b; return (x > y) - (x < y); }

static void warp(const double *y, size_t n, double *z) {
  int mode = (int)knob("WARP", 0);
  double *sorted = ts_calloc(n, sizeof(double));
  memcpy(sorted, y, n * sizeof *y); qsort(sorted, n, sizeof *sorted, cmp);
  double lo = sorted[0], hi = sorted[n - 1], med = sorted[n / 2];
  for (size_t i = 0; i < n; i++) {
    if (mode == 0) z[i] = lo > 0 ? log(y[i]) : log((y[i] - lo) + (med > lo ? med - lo : 1));
    else if (mode == 1) z[i] = y[i];
    else if (mode == 2) z[i] = log((y[i] - lo) + knob("WS", 1) * (med > lo ? med - lo : hi > lo ? hi - lo : 1));
    else { size_t k = 0; while (sorted[k] < y[i]) k++; z[i] = (double)k / (double)n; }
  }
  double mean = 0, var = 0;
  for (size_t i = 0; i < n; i++) mean += z[i] / (double)n;
  for (size_t i = 0; i < n; i++) var += (z[i] - mean) * (z[i] - mean) / (double)n;
  double sd = var > 0 ? sqrt(var) : 1;
  for (size_t i = 0; i < n; i++) z[i] = (z[i] - mean) / sd;
  free(sorted);
}

static double log_ei(double mean, double sd, double best) {
  double u = (best - mean) / sd;
  if (u > -5) return log(sd) + log(fmax(1e-300, u * 0.5 * erfc(-u / sqrt(2)) + exp(-u * u / 2) / sqrt(2 * M_PI)));
  return log(sd) - u * u / 2 - 0.5 * log(2 * M_PI) - 2 * log(-u);
}

static bool model(struct state *s, const struct ts_tune_history *h, double *best) {
  size_t D = s->columns, n = 0;
  double *x = ts_calloc(h->count * D + 1, sizeof *x), *y = ts_calloc(2 * h->count + 1, sizeof *y), *z = y + h->count;
  for (size_t t = 0; t < h->count; t++) {
    if (!ts_history_is_measured(h, t)) continue;
    for (size_t c = 0; c < D; c++) x[n * D + c] = coordinate(s->problem, c, h->numbers[t * D + c], h->unit[t * D + c]);
    y[n++] = h->scores[t];
  }
  bool ok = n >= 2;
  if (ok) {
    warp(y, n, z);
    ts_gp_learn(&s->gp, x, z, n, (int)knob("STEPS", 10));
    ok = ts_gp_condition(&s->gp, x, z, n);
    *best = INFINITY;
    for (size_t i = 0; i < n; i++) *best = fmin(*best, z[i]);
    if (getenv("NOISYBEST")) { *best = INFINITY; for (size_t i = 0; i < n; i++) { double m, v; ts_gp_predict(&s->gp, &x[i * D], &m, &v); *best = fmin(*best, m); } }
  }
  free(x); free(y);
  return ok;
}

struct ranked { double bound; size_t row; };
static int cmpr(const void *a, const void *b) { const struct ranked *x = a, *y = b; return x->bound > y->bound ? -1 : x->bound < y->bound ? 1 : x->row < y->row ? -1 : 1; }
static size_t search(struct state *s, double best, double *value) {
  size_t rows = s->problem->pool.count, D = s->columns, n = 0;
  double *m = ts_calloc(2 * rows, sizeof *m), *v = m + rows;
  struct ranked *rk = ts_calloc(rows, sizeof *rk);
  ts_gp_screen(&s->gp, s->coords, rows, m, v);
  for (size_t r = 0; r < rows; r++) if (!s->tried[r]) rk[n++] = (struct ranked){log_ei(m[r], sqrt(v[r]), best), r};
  qsort(rk, n, sizeof *rk, cmpr);
  size_t pick = TS_NONE, k; *value = -INFINITY;
  for (k = 0; k < n && k < 500 && rk[k].bound > *value; k++) {
    double mm, vv; ts_gp_predict(&s->gp, &s->coords[rk[k].row * D], &mm, &vv);
    double a = log_ei(mm, sqrt(vv), best);
    if (a > *value) *value = a, pick = rk[k].row;
  }
  if (getenv("SHOW")) fprintf(stderr, "n %zu evaluated %zu logei %.3f\n", s->gp.count, k, *value);
  free(m); free(rk);
  return pick;
}

static bool next(void *o, const struct ts_tune_history *h, struct ts_tune_batch *batch, const char **reason, struct ts_error *err) {
  struct state *s = o; (void)err;
  size_t room = ts_batch_room(batch), D = s->columns, rows = s->problem->pool.count;
  *reason = room == 0 ? "the budget is spent" : "every candidate was tried";
  if (room == 0) return true;
  double best;
  size_t total = ts_tune_expected_runs(s->problem);
  size_t m0 = (size_t)fmax(knob("M0MIN", 3), fmin(knob("M0D", 1) * (double)D, knob("M0", 0.15) * (double)total));
  if (h->count == 0) {
    for (size_t i = 0, tries = 0; i < m0 && tries < 1000; tries++) {
      size_t pick = 0; double far = -1;
      for (int k = 0; k < (int)knob("SPREAD", 5); k++) {
        size_t r = (size_t)ts_random_below(&s->random, rows);
        double near = INFINITY;
        for (size_t q = 0; q < i; q++) { double d = 0; for (size_t c = 0; c < D; c++) d += fabs(s->coords[r * D + c] - h->unit[ts_batch_trial(batch, q) * D + c]); near = fmin(near, d); }
        if (near > far) far = near, pick = r;
      }
      i += ts_batch_add_row(batch, pick, NULL) == TS_ADDED;
    }
    return true;
  }
  for (size_t t = 0; t < h->count; t++) if (h->rows[t] != TS_NONE && h->kinds[t] != TS_TRIAL_COMPONENT) s->tried[h->rows[t]] = true;
  if (!model(s, h, &best)) {
    for (int k = 0; k < 100; k++) if (ts_batch_add_row(batch, (size_t)ts_random_below(&s->random, rows), NULL) == TS_ADDED) break;
    return true;
  }
  double value; size_t pick = search(s, best, &value);
  if (pick != TS_NONE) ts_batch_add_row(batch, pick, NULL);
  return true;
}

static bool finish(void *o, const struct ts_tune_history *h, struct ts_tune_forecast *f, struct ts_error *err) {
  struct state *s = o; (void)err; size_t D = s->columns;
  double best;
  if (!model(s, h, &best)) return true;
  for (size_t t = 0; t < h->count; t++) if (h->rows[t] != TS_NONE && h->kinds[t] != TS_TRIAL_COMPONENT) s->tried[h->rows[t]] = true;
  double value, least = INFINITY; size_t rows = s->problem->pool.count;
  f->spare_row = search(s, best, &value);
  double *v = ts_calloc(rows, sizeof *v);
  ts_gp_screen(&s->gp, s->coords, rows, f->scores, v);
  free(v);
  for (size_t r = 0; r < rows; r++) if (f->scores[r] < least) least = f->scores[r], f->best_row = r;
  f->has_best = f->best_row != TS_NONE; f->has_spare = f->spare_row != TS_NONE;
  f->best_score = least;
  return true;
}

const struct ts_tuner ts_tuner_auto = {
    .name = "auto", .title = "auto", .help = "auto.", .flags = TS_TUNER_CANDIDATES | TS_TUNER_PREDICTS,
    .begin = begin, .next = next, .finish = finish, .destroy = destroy,
};
