/* Bootstrap: which units a resample draws, and intervals from the values of all resamples.
 * SPDX-License-Identifier: Apache-2.0 */
#include "analysis/method.h"

#include "base/alloc.h"
#include "base/order.h"
#include "base/random.h"

#include <math.h>
#include <stdlib.h>

/* Keeps these streams apart from those of other users of the same seed. */
#define DRAW_STREAM (UINT64_C(0x44726177) << 32)

/* Four draws from each block of the generator. A draw is the high half of a 32-bit number times the population; the few
 * numbers that would make some results more likely are refused (D. Lemire, 2019, doi:10.1145/3230636). */
void ts_bootstrap_draw(uint64_t seed, size_t resample, size_t population, size_t count, uint32_t *draws) {
  if (population == 0 || population > UINT32_MAX) TS_BUG("a resample of %zu units", population);
  uint64_t stream = DRAW_STREAM + resample;
  uint32_t bound = (uint32_t)population, refused = -bound % bound;
  uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
  size_t drawn = 0;
  for (uint64_t block = 0; drawn < count; block++) {
    uint32_t counter[4] = {(uint32_t)block, (uint32_t)(block >> 32), (uint32_t)stream, (uint32_t)(stream >> 32)};
    uint32_t numbers[4];
    ts_philox4x32(counter, key, numbers);
    for (int i = 0; i < 4 && drawn < count; i++) {
      uint64_t product = (uint64_t)numbers[i] * bound;
      if ((uint32_t)product >= refused) draws[drawn++] = (uint32_t)(product >> 32);
    }
  }
}

/* The value below which a further draw of the same kind would lie with probability `share`: place share (count + 1) of
 * the sorted values, linear between neighbours. Places counted from the smallest to the largest value instead would
 * make intervals of few resamples too short (100 resamples: 93 % instead of 95 %). */
static double quantile(const double *sorted, size_t count, double share) {
  double position = share * (double)(count + 1) - 1;
  if (position <= 0) return sorted[0];
  size_t below = (size_t)position;
  if (below + 1 >= count) return sorted[count - 1];
  double rest = position - (double)below;
  return sorted[below] + rest * (sorted[below + 1] - sorted[below]);
}

/* The z for which a standard normal number lies in -z..z with the given probability, by bisection. */
static double normal_reach(double confidence) {
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

/* Sorts the values. */
static void percentile_interval(double *values, size_t count, double confidence, struct ts_index *index) {
  qsort(values, count, sizeof *values, ts_compare_doubles);
  double tail = (1 - confidence) / 2;
  index->low = quantile(values, count, tail);
  index->high = quantile(values, count, 1 - tail);
}

static void normal_interval(const double *values, size_t count, double reach, struct ts_index *index) {
  double sum = 0, squares = 0;
  for (size_t i = 0; i < count; i++) sum += values[i];
  double mean = sum / (double)count;
  for (size_t i = 0; i < count; i++) squares += (values[i] - mean) * (values[i] - mean);
  double deviation = sqrt(squares / (double)(count - 1));
  index->low = index->value - reach * deviation;
  index->high = index->value + reach * deviation;
}

void ts_interval_of(const double *samples, size_t resamples, size_t count, double confidence, enum ts_interval kind,
                    struct ts_index *indices) {
  ts_auto_free double *values = ts_malloc((resamples ? resamples : 1) * sizeof *values);
  double reach = normal_reach(confidence);
  for (size_t s = 0; s < count; s++) {
    size_t usable = 0;
    for (size_t r = 0; r < resamples; r++) {
      double value = samples[r * count + s];
      if (!isnan(value)) values[usable++] = value;
    }
    indices[s].low = indices[s].high = NAN;
    if (usable < 2 || isnan(indices[s].value)) continue;
    if (kind == TS_INTERVAL_NORMAL) {
      normal_interval(values, usable, reach, &indices[s]);
    } else {
      percentile_interval(values, usable, confidence, &indices[s]);
    }
  }
}
