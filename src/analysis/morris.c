/* Morris indices: mean and spread of elementary effects, with bootstrap intervals over trajectories.
 * SPDX-License-Identifier: Apache-2.0
 *
 * F. Campolongo et al., "An effective screening design for sensitivity analysis of large models", 2007,
 * doi:10.1016/j.envsoft.2006.10.004 (mu*). Whole trajectories are resampled, since the effects of one trajectory share
 * runs. */
#include "analysis/method.h"
#include "analysis/morris_int.h"

#include "base/alloc.h"
#include "base/random.h"
#include "base/str.h"

#include <math.h>

/* Keeps these streams apart from those of other users of the same seed. */
#define BOOTSTRAP_STREAM (UINT64_C(0x426f6f74) << 32)

static bool check_input(const struct ts_morris_input *input, struct ts_error *err) {
  size_t names = ts_morris_name_count(input);
  if (names == 0 || input->row_count == 0 || input->row_count % (names + 1) != 0) {
    ts_fail(err, TS_ERR_BAD_VALUE, "a Morris design of %zu %s has a multiple of %zu rows, not %zu", names,
            input->group_of ? "groups" : "parameters", names + 1, input->row_count);
    return ts_error_help(err, "give all runs of the design, failed ones too (as empty or NaN)");
  }
  if (input->levels % 2 != 0) {
    ts_fail(err, TS_ERR_BAD_VALUE, "a Morris design has an even number of levels, not '%zu'", input->levels);
    return ts_error_help(err, "use the number of levels that the design was made with");
  }
  if (input->confidence < 0 || input->confidence >= 1) {
    ts_fail(err, TS_ERR_BAD_VALUE, "the confidence must lie between 0 and 1, not at '%s'",
            TS_SIGNIFICANT(input->confidence, 6));
    return ts_error_help(err, "use 0.95");
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

/* mu, mu*, sigma of one parameter over all trajectories. */
static void summarise(const struct ts_effects *effects, size_t parameter, struct ts_morris_index *index) {
  double sum = 0, sum_star = 0, squares = 0;
  size_t count = 0;
  for (size_t t = 0; t < effects->blocks; t++) {
    double effect = effects->values[t * effects->count + parameter];
    if (isnan(effect)) continue;
    sum += effect;
    sum_star += fabs(effect);
    count++;
  }
  index->effect_count = count;
  if (count == 0) return;
  index->mu_star = sum_star / (double)count;
  if (effects->unsigned_effects[parameter]) return;
  index->mu = sum / (double)count;
  for (size_t t = 0; t < effects->blocks; t++) {
    double deviation = effects->values[t * effects->count + parameter] - index->mu;
    if (!isnan(deviation)) squares += deviation * deviation;
  }
  if (count > 1) index->sigma = sqrt(squares / (double)(count - 1));
}

/* mu, mu*, sigma of one parameter as three neighbouring statistics. */
#define STATISTICS 3

/* One bootstrap: every resample has its own random stream and its own row of results, so that the order of work is
 * free. */
struct bootstrap {
  const struct ts_effects *effects;      /* borrowed */
  const struct ts_morris_index *indices; /* borrowed; of all trajectories */
  uint64_t seed;
  double *samples; /* owned; resample by resample, STATISTICS per parameter */
};

/* Sums of one parameter in a resample; deviations are from its mu over all trajectories, so that their squares lose no
 * digits. */
struct sums {
  double count, size, deviation, square;
};

/* How often a resample draws each trajectory. In the order of the trajectories it reads large designs at full speed. */
static uint32_t *draw_weights(const struct bootstrap *work, size_t number) {
  size_t blocks = work->effects->blocks;
  uint32_t *weights = ts_calloc(blocks, sizeof *weights);
  struct ts_random random;
  ts_random_init(&random, work->seed, BOOTSTRAP_STREAM + number);
  for (size_t t = 0; t < blocks; t++) weights[ts_random_below(&random, blocks)]++;
  return weights;
}

static void add_block(const double *effects, double weight, const struct ts_morris_index *indices, size_t count,
                      struct sums *sums) {
  for (size_t i = 0; i < count; i++) {
    if (isnan(effects[i])) continue;
    double deviation = effects[i] - indices[i].mu;
    sums[i].count += weight;
    sums[i].size += weight * fabs(effects[i]);
    sums[i].deviation += weight * deviation;
    sums[i].square += weight * deviation * deviation;
  }
}

static void resample(void *argument, size_t number) {
  const struct bootstrap *work = argument;
  const struct ts_effects *effects = work->effects;
  ts_auto_free uint32_t *weights = draw_weights(work, number);
  ts_auto_free struct sums *sums = ts_calloc(effects->count, sizeof *sums);
  for (size_t t = 0; t < effects->blocks; t++) {
    if (weights[t] == 0) continue;
    add_block(effects->values + t * effects->count, weights[t], work->indices, effects->count, sums);
  }
  for (size_t i = 0; i < effects->count; i++) {
    double *samples = work->samples + (number * effects->count + i) * STATISTICS, count = sums[i].count;
    /* Nothing drawn gives 0 / 0, a single one no spread: NaN is left out of the interval. The mu of groups is NaN. */
    double mean = sums[i].deviation / count;
    double variance = (sums[i].square - count * mean * mean) / (count - 1);
    samples[0] = work->indices[i].mu + mean;
    samples[1] = sums[i].size / count;
    samples[2] = count > 1 ? sqrt(fmax(variance, 0)) : NAN;
  }
}

static void get_statistics(const struct ts_morris_index *index, struct ts_index *statistics) {
  const double values[STATISTICS] = {index->mu, index->mu_star, index->sigma};
  for (size_t i = 0; i < STATISTICS; i++) statistics[i] = (struct ts_index){values[i], NAN, NAN};
}

static void set_intervals(struct ts_morris_index *index, const struct ts_index *statistics) {
  index->mu_low = statistics[0].low;
  index->mu_high = statistics[0].high;
  index->mu_star_low = statistics[1].low;
  index->mu_star_high = statistics[1].high;
  index->sigma_low = statistics[2].low;
  index->sigma_high = statistics[2].high;
}

static void find_intervals(const struct ts_morris_input *input, const struct ts_effects *effects, struct ts_pool *pool,
                           struct ts_morris_index *indices) {
  size_t count = input->resamples ? input->resamples : 1000, statistics_count = effects->count * STATISTICS;
  struct bootstrap work = {.effects = effects, .indices = indices, .seed = input->seed};
  work.samples = ts_calloc(statistics_count * count, sizeof *work.samples);
  if (pool) {
    ts_pool_for(pool, count, resample, &work);
  } else {
    for (size_t i = 0; i < count; i++) resample(&work, i);
  }
  ts_auto_free struct ts_index *statistics = ts_calloc(statistics_count, sizeof *statistics);
  for (size_t i = 0; i < effects->count; i++) get_statistics(&indices[i], statistics + i * STATISTICS);
  ts_interval_of(work.samples, count, statistics_count, input->confidence > 0 ? input->confidence : 0.95,
                 input->normal_intervals ? TS_INTERVAL_NORMAL : TS_INTERVAL_PERCENTILE, statistics);
  for (size_t i = 0; i < effects->count; i++) {
    if (indices[i].effect_count >= 2) set_intervals(&indices[i], statistics + i * STATISTICS);
  }
  free(work.samples);
}

bool ts_analysis_morris(const struct ts_morris_input *input, struct ts_pool *pool, struct ts_morris_index *indices,
                        struct ts_error *err) {
  if (!check_input(input, err)) return false;
  struct ts_effects effects;
  if (!ts_morris_effects(input, &effects, err)) return false;
  for (size_t i = 0; i < effects.count; i++) {
    bool grouped = input->group_of && input->group_names;
    indices[i] = unknown_index(grouped ? input->group_names[i] : input->names[i]);
    summarise(&effects, i, &indices[i]);
  }
  if (input->resamples != TS_NO_RESAMPLES) find_intervals(input, &effects, pool, indices);
  ts_morris_effects_release(&effects);
  return true;
}
