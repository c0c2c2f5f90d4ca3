/* Morris indices: mean and spread of elementary effects, with bootstrap intervals over trajectories.
 * SPDX-License-Identifier: Apache-2.0
 *
 * F. Campolongo et al., "An effective screening design for sensitivity analysis of large models", 2007,
 * doi:10.1016/j.envsoft.2006.10.004 (mu*). Whole trajectories are resampled, since the effects of one trajectory share runs. */
#include "analysis/analysis.h"

#include "base/alloc.h"
#include "base/random.h"

#include <math.h>
#include <string.h>

/* Keeps these streams apart from those of other users of the same seed. */
#define BOOTSTRAP_STREAM (UINT64_C(0x426f6f74) << 32)

/* The elementary effects, trajectory by trajectory: effects[t * k + i], NaN where a run failed. */
struct effects {
  size_t trajectories;
  size_t k;
  double *values; /* owned */
};

/* The one parameter that differs between a row and the next. */
static bool find_step(const struct ts_morris_input *input, size_t row, size_t *changed, struct ts_error *err) {
  size_t k = input->parameter_count, count = 0;
  const double *before = input->unit + row * k, *after = before + k;
  for (size_t i = 0; i < k; i++) {
    if (before[i] == after[i]) continue;
    *changed = i;
    count++;
  }
  if (count == 1 && isfinite(after[*changed] - before[*changed])) return true;
  ts_fail(err, TS_ERR_BAD_VALUE, "rows %zu and %zu of the Morris design differ in %zu parameters instead of one",
          row + 1, row + 2, count);
  ts_error_help(err, "give the rows in the order of the design: trajectory after trajectory, k + 1 rows each");
  return false;
}

static bool trajectory_effects(const struct ts_morris_input *input, size_t first_row, double *effects,
                               struct ts_error *err) {
  size_t k = input->parameter_count;
  ts_auto_free bool *seen = ts_calloc(k, sizeof *seen);
  for (size_t row = first_row; row < first_row + k; row++) {
    size_t changed;
    if (!find_step(input, row, &changed, err)) return false;
    if (seen[changed]) {
      ts_fail(err, TS_ERR_BAD_VALUE, "parameter '%s' changes twice in the trajectory that starts at row %zu",
              input->names[changed], first_row + 1);
      ts_error_help(err, "give the rows in the order of the design: trajectory after trajectory, k + 1 rows each");
      return false;
    }
    seen[changed] = true;
    double step = input->unit[(row + 1) * k + changed] - input->unit[row * k + changed];
    double p = (double)input->levels;
    double delta = input->levels ? p / (2 * (p - 1)) : fabs(step);
    double change = input->outputs[row + 1] - input->outputs[row];
    double effect = (step > 0 ? change : -change) / delta;
    effects[changed] = isfinite(effect) ? effect : NAN;
  }
  return true;
}

static bool check_input(const struct ts_morris_input *input, struct ts_error *err) {
  size_t k = input->parameter_count;
  if (k == 0 || input->row_count == 0 || input->row_count % (k + 1) != 0) {
    ts_fail(err, TS_ERR_BAD_VALUE, "a Morris design of %zu parameters has a multiple of %zu rows, not %zu", k, k + 1,
            input->row_count);
    ts_error_help(err, "give all runs of the design, failed ones too (as empty or NaN)");
    return false;
  }
  if (input->levels % 2 != 0) {
    ts_fail(err, TS_ERR_BAD_VALUE, "a Morris design has an even number of levels, not '%zu'", input->levels);
    ts_error_help(err, "use the number of levels that the design was made with");
    return false;
  }
  if (input->confidence < 0 || input->confidence >= 1) {
    ts_fail(err, TS_ERR_BAD_VALUE, "the confidence must lie between 0 and 1, not at '%g'", input->confidence);
    ts_error_help(err, "use 0.95");
    return false;
  }
  return true;
}

static struct ts_morris_index unknown_index(const char *name) {
  return (struct ts_morris_index){.name = name,
                                  .mu = NAN,
                                  .mu_star = NAN,
                                  .sigma = NAN,
                                  .mu_star_low = NAN,
                                  .mu_star_high = NAN,
                                  .mu_low = NAN,
                                  .mu_high = NAN,
                                  .sigma_low = NAN,
                                  .sigma_high = NAN};
}

/* mu, mu*, sigma of one parameter over the chosen trajectories (NULL: all of them, once each). */
static void summarise(const struct effects *effects, size_t parameter, const size_t *chosen,
                      struct ts_morris_index *index) {
  double sum = 0, sum_star = 0, squares = 0;
  size_t count = 0;
  for (size_t t = 0; t < effects->trajectories; t++) {
    double effect = effects->values[(chosen ? chosen[t] : t) * effects->k + parameter];
    if (isnan(effect)) continue;
    sum += effect;
    sum_star += fabs(effect);
    count++;
  }
  index->effect_count = count;
  if (count == 0) return;
  index->mu = sum / (double)count;
  index->mu_star = sum_star / (double)count;
  for (size_t t = 0; t < effects->trajectories; t++) {
    double deviation = effects->values[(chosen ? chosen[t] : t) * effects->k + parameter] - index->mu;
    if (!isnan(deviation)) squares += deviation * deviation;
  }
  if (count > 1) index->sigma = sqrt(squares / (double)(count - 1));
}

/* One bootstrap: every resample has its own random stream and its own rows of results, so that the order of work is free. */
struct bootstrap {
  const struct effects *effects; /* borrowed */
  uint64_t seed;
  double *mu;      /* owned; parameter by parameter, one value per resample */
  double *mu_star; /* owned; the same */
  double *sigma;   /* owned; the same */
  size_t resamples;
};

static void resample(void *argument, size_t index_of_resample) {
  const struct bootstrap *work = argument;
  const struct effects *effects = work->effects;
  size_t k = effects->k;
  ts_auto_free size_t *chosen = ts_calloc(effects->trajectories, sizeof *chosen);
  struct ts_random random;
  ts_random_init(&random, work->seed, BOOTSTRAP_STREAM + index_of_resample);
  for (size_t t = 0; t < effects->trajectories; t++) {
    chosen[t] = (size_t)ts_random_below(&random, effects->trajectories);
  }
  for (size_t i = 0; i < k; i++) {
    struct ts_morris_index index = unknown_index(NULL);
    summarise(effects, i, chosen, &index);
    work->mu[i * work->resamples + index_of_resample] = index.mu;
    work->mu_star[i * work->resamples + index_of_resample] = index.mu_star;
    work->sigma[i * work->resamples + index_of_resample] = index.sigma;
  }
}

static int compare_doubles(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* The value below which `share` of the sorted values lie, linear between neighbours. */
static double quantile(const double *sorted, size_t count, double share) {
  double position = share * (double)(count - 1);
  size_t below = (size_t)position;
  if (below + 1 >= count) return sorted[count - 1];
  double rest = position - (double)below;
  return sorted[below] + rest * (sorted[below + 1] - sorted[below]);
}

/* The z for which a standard normal number lies in -z..z with the given probability, by bisection. */
static double normal_quantile(double confidence) {
  double low = 0, high = 40;
  for (int i = 0; i < 100; i++) {
    double middle = (low + high) / 2;
    if (erf(middle / sqrt(2)) < confidence) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return (low + high) / 2;
}

/* A resample that drew no usable effect says nothing and is left out. */
static size_t drop_unknown(double *values, size_t count) {
  size_t usable = 0;
  for (size_t i = 0; i < count; i++) {
    if (!isnan(values[i])) values[usable++] = values[i];
  }
  return usable;
}

/* Sorts the values. */
static void percentile_interval(double *values, size_t count, double confidence, double *low, double *high) {
  size_t usable = drop_unknown(values, count);
  if (usable == 0) return;
  qsort(values, usable, sizeof *values, compare_doubles);
  double tail = (1 - confidence) / 2;
  *low = quantile(values, usable, tail);
  *high = quantile(values, usable, 1 - tail);
}

static void normal_interval(double *values, size_t count, double confidence, double centre, double *low, double *high) {
  size_t usable = drop_unknown(values, count);
  if (usable < 2) return;
  double sum = 0, squares = 0;
  for (size_t i = 0; i < usable; i++) sum += values[i];
  double mean = sum / (double)usable;
  for (size_t i = 0; i < usable; i++) squares += (values[i] - mean) * (values[i] - mean);
  double reach = normal_quantile(confidence) * sqrt(squares / (double)(usable - 1));
  *low = centre - reach;
  *high = centre + reach;
}

static void find_interval(const struct ts_morris_input *input, double *values, size_t count, double centre, double *low,
                          double *high) {
  double confidence = input->confidence > 0 ? input->confidence : 0.95;
  if (input->normal_intervals) {
    normal_interval(values, count, confidence, centre, low, high);
  } else {
    percentile_interval(values, count, confidence, low, high);
  }
}

static void find_intervals(const struct ts_morris_input *input, const struct effects *effects, struct ts_pool *pool,
                           struct ts_morris_index *indices) {
  size_t count = input->resamples ? input->resamples : 1000;
  struct bootstrap work = {.effects = effects, .seed = input->seed, .resamples = count};
  work.mu = ts_calloc(effects->k * count, sizeof *work.mu);
  work.mu_star = ts_calloc(effects->k * count, sizeof *work.mu_star);
  work.sigma = ts_calloc(effects->k * count, sizeof *work.sigma);
  if (pool) {
    ts_pool_for(pool, count, resample, &work);
  } else {
    for (size_t i = 0; i < count; i++) resample(&work, i);
  }
  for (size_t i = 0; i < effects->k; i++) {
    struct ts_morris_index *index = &indices[i];
    if (index->effect_count < 2) continue;
    find_interval(input, work.mu + i * count, count, index->mu, &index->mu_low, &index->mu_high);
    find_interval(input, work.mu_star + i * count, count, index->mu_star, &index->mu_star_low, &index->mu_star_high);
    find_interval(input, work.sigma + i * count, count, index->sigma, &index->sigma_low, &index->sigma_high);
  }
  free(work.mu);
  free(work.mu_star);
  free(work.sigma);
}

bool ts_analysis_morris(const struct ts_morris_input *input, struct ts_pool *pool, struct ts_morris_index *indices,
                        struct ts_error *err) {
  if (!check_input(input, err)) return false;
  size_t k = input->parameter_count;
  struct effects effects = {.trajectories = input->row_count / (k + 1), .k = k};
  effects.values = ts_calloc(effects.trajectories * k, sizeof *effects.values);
  bool ok = true;
  for (size_t t = 0; ok && t < effects.trajectories; t++) {
    ok = trajectory_effects(input, t * (k + 1), effects.values + t * k, err);
  }
  if (ok) {
    for (size_t i = 0; i < k; i++) {
      indices[i] = unknown_index(input->names[i]);
      summarise(&effects, i, NULL, &indices[i]);
    }
    find_intervals(input, &effects, pool, indices);
  }
  free(effects.values);
  return ok;
}
