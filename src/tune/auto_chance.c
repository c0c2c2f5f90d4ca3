/* The chance that a trial succeeds: a second Gaussian process, of the outcomes.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Least-squares classification (C. E. Rasmussen and C. K. I. Williams, "Gaussian Processes for Machine Learning", 6.5):
 * 1 failed, -1 succeeded, with lengths of its own, since where runs fail has little to do with how good they are. */
#include "base/alloc.h"
#include "base/order.h"
#include "tune/auto_int.h"

#include <math.h>
#include <string.h>

#define CHANCE_ROWS    200 /* failed and succeeded trials; the best of these and the latest of those */
#define CHANCE_LEARNED 80  /* rows whose likelihood is evaluated */
#define CHANCE_STEPS   8

/* Rows that are spread evenly over all of them. */
static size_t thin(const double *points, const double *outcomes, size_t count, size_t columns, double *thinned,
                   double *labels) {
  size_t kept = 0, wanted = ts_smaller_size(count, CHANCE_LEARNED);
  for (size_t i = 0; i < count; i++) {
    if (i * wanted / count == (i + 1) * wanted / count) continue;
    memcpy(&thinned[kept * columns], &points[i * columns], columns * sizeof *points);
    labels[kept++] = outcomes[i];
  }
  return kept;
}

void ts_auto_fit_chance(struct ts_auto *state) {
  size_t columns = state->column_count;
  state->has_chance = false;
  if (state->failure_count == 0 || state->count == 0) return;
  size_t failed = ts_smaller_size(state->failure_count, CHANCE_ROWS / 2);
  size_t succeeded = ts_smaller_size(state->count, CHANCE_ROWS - failed), count = failed + succeeded;
  ts_auto_free double *points = ts_calloc(2 * count * columns, sizeof *points);
  ts_auto_free double *outcomes = ts_calloc(2 * count, sizeof *outcomes);
  memcpy(points, &state->failures[(state->failure_count - failed) * columns], failed * columns * sizeof *points);
  memcpy(&points[failed * columns], state->points, succeeded * columns * sizeof *points);
  for (size_t i = 0; i < count; i++) outcomes[i] = i < failed ? 1 : -1;
  double *thinned = &points[count * columns], *labels = &outcomes[count];
  size_t kept = thin(points, outcomes, count, columns, thinned, labels);
  ts_gp_learn(&state->chance, thinned, labels, kept, CHANCE_STEPS);
  state->has_chance = ts_gp_condition(&state->chance, points, outcomes, count);
}

/* A step between outcomes is never smooth: beside the variance of the process, outcomes differ from its mean by this
 * variance (-1 to 1). Without it the process was certain half-way between a success and a failure. */
#define STEP_VARIANCE 0.25
/* A failed run costs as much as another and says nothing about the output, so trials that may well fail count for far
 * less than their chance says, and those below the least chance come last. Five functions of six columns with the
 * optimum at the border of what fails (40 runs, 16 seeds): 20.0 failures and a gap of 0.0057 with the plain chance (20
 * seeds), 8.7 and 0.0021 with these; 10.5 and 0.0018 with a power of 4 and a least chance of 0.7, 11.5 and 0.0015 with
 * a power of 6 alone (12 seeds). */
#define CHANCE_POWER 6.0
#define LEAST_CHANCE 0.8

static double log_weight(double mean, double variance) {
  double chance = erfc(mean / sqrt(2 * (variance + STEP_VARIANCE))) / 2;
  return CHANCE_POWER * log(fmax(chance, 1e-12)) - (chance < LEAST_CHANCE ? TS_AUTO_UNLIKELY : 0);
}

double ts_auto_log_chance(struct ts_auto *state, const double *point) {
  if (!state->has_chance) return 0;
  double mean, variance;
  ts_gp_predict(&state->chance, point, &mean, &variance);
  return log_weight(mean, variance);
}

/* The chance falls with the variance where success is likely, and 1 bounds it there; elsewhere it grows. */
void ts_auto_screen_chances(struct ts_auto *state, size_t first) {
  size_t count = state->candidate_count - first;
  memset(&state->chances[first], 0, count * sizeof *state->chances);
  if (!state->has_chance) return;
  ts_auto_free double *means = ts_calloc(2 * count, sizeof *means);
  ts_gp_screen(&state->chance, &state->candidates[first * state->column_count], count, means, means + count);
  for (size_t i = 0; i < count; i++) {
    if (means[i] > 0) state->chances[first + i] = log_weight(means[i], means[count + i]);
  }
}
