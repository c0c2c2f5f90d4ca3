/* Variance-based indices by the textbook, and functions whose indices are known.
 * SPDX-License-Identifier: Apache-2.0 */
#include "support/vbd_oracle.h"

#include "base/alloc.h"
#include "base/random.h"

#include <math.h>
#include <string.h>

static size_t block_rows(const struct oracle_data *data) {
  return (data->second_order ? 2 : 1) * data->group_count + 2;
}

static double at(const struct oracle_data *data, size_t sample, size_t row) {
  return data->outputs[sample * block_rows(data) + row];
}

static double a_of(const struct oracle_data *data, size_t sample) { return at(data, sample, 0); }
static double b_of(const struct oracle_data *data, size_t sample) { return at(data, sample, block_rows(data) - 1); }
static double ab_of(const struct oracle_data *data, size_t sample, size_t group) { return at(data, sample, 1 + group); }
static double ba_of(const struct oracle_data *data, size_t sample, size_t group) {
  return at(data, sample, 1 + data->group_count + group);
}

double *oracle_standardise(const struct oracle_data *data) {
  size_t rows = block_rows(data), total = data->sample_count * rows, count = 0;
  double *result = ts_memdup(data->outputs, total * sizeof *result), mean = 0, squares = 0;
  for (int pass = 0; pass < 2; pass++) {
    for (size_t i = 0; i < total; i++) {
      double y = data->outputs[i];
      if (!isfinite(y) || !isfinite(a_of(data, i / rows)) || !isfinite(b_of(data, i / rows))) continue;
      if (pass == 0) {
        mean += y;
        count++;
      } else {
        squares += (y - mean) * (y - mean);
      }
    }
    if (pass == 0) mean /= (double)count;
  }
  for (size_t i = 0; i < total; i++) result[i] = (result[i] - mean) / sqrt(squares / (double)count);
  return result;
}

/* The chosen base samples that have A, B and the two given rows. */
static size_t gather(const struct oracle_data *data, const size_t *rows, size_t row_count, const uint32_t *chosen,
                     size_t count, uint32_t *usable) {
  size_t found = 0;
  for (size_t i = 0; i < count; i++) {
    uint32_t sample = chosen ? chosen[i] : (uint32_t)i;
    bool ok = isfinite(a_of(data, sample)) && isfinite(b_of(data, sample));
    for (size_t r = 0; r < row_count; r++) ok = ok && isfinite(at(data, sample, rows[r]));
    if (ok) usable[found++] = sample;
  }
  return found;
}

static double variance(const struct oracle_data *data, const uint32_t *samples, size_t count) {
  double mean = 0, squares = 0;
  for (size_t i = 0; i < count; i++) mean += (a_of(data, samples[i]) + b_of(data, samples[i])) / (2 * (double)count);
  for (size_t i = 0; i < count; i++) {
    squares += pow(a_of(data, samples[i]) - mean, 2) + pow(b_of(data, samples[i]) - mean, 2);
  }
  return squares / (2 * (double)count);
}

static double saltelli(const struct oracle_data *data, size_t group, const uint32_t *samples, size_t count) {
  double sum = 0;
  for (size_t i = 0; i < count; i++) {
    sum += b_of(data, samples[i]) * (ab_of(data, samples[i], group) - a_of(data, samples[i]));
  }
  return sum / (double)count / variance(data, samples, count);
}

static double jansen(const struct oracle_data *data, size_t group, const uint32_t *samples, size_t count) {
  double sum = 0;
  for (size_t i = 0; i < count; i++) sum += pow(b_of(data, samples[i]) - ab_of(data, samples[i], group), 2);
  return 1 - sum / (2 * (double)count) / variance(data, samples, count);
}

/* Janon pools mean and variance of B and AB, Martinez takes those of each. */
static double correlation(const struct oracle_data *data, size_t group, const uint32_t *samples, size_t count,
                          bool pooled) {
  double mean_b = 0, mean_ab = 0, product = 0, square_b = 0, square_ab = 0, n = (double)count;
  for (size_t i = 0; i < count; i++) {
    mean_b += b_of(data, samples[i]) / n;
    mean_ab += ab_of(data, samples[i], group) / n;
  }
  if (pooled) mean_b = mean_ab = (mean_b + mean_ab) / 2;
  for (size_t i = 0; i < count; i++) {
    double b = b_of(data, samples[i]) - mean_b, ab = ab_of(data, samples[i], group) - mean_ab;
    product += b * ab;
    square_b += b * b;
    square_ab += ab * ab;
  }
  return pooled ? product / ((square_b + square_ab) / 2) : product / sqrt(square_b * square_ab);
}

double oracle_first(const struct oracle_data *data, enum oracle_estimator estimator, size_t group,
                    const uint32_t *chosen, size_t count) {
  ts_auto_free uint32_t *samples = ts_calloc(count + 1, sizeof *samples);
  size_t rows[] = {1 + group}, usable = gather(data, rows, 1, chosen, count, samples);
  switch (estimator) {
  case ORACLE_SALTELLI: return saltelli(data, group, samples, usable);
  case ORACLE_JANSEN: return jansen(data, group, samples, usable);
  case ORACLE_JANON: return correlation(data, group, samples, usable, true);
  case ORACLE_MARTINEZ: return correlation(data, group, samples, usable, false);
  }
  return NAN;
}

double oracle_total(const struct oracle_data *data, size_t group, const uint32_t *chosen, size_t count) {
  ts_auto_free uint32_t *samples = ts_calloc(count + 1, sizeof *samples);
  size_t rows[] = {1 + group}, usable = gather(data, rows, 1, chosen, count, samples);
  double sum = 0;
  for (size_t i = 0; i < usable; i++) sum += pow(a_of(data, samples[i]) - ab_of(data, samples[i], group), 2);
  return sum / (2 * (double)usable) / variance(data, samples, usable);
}

double oracle_second(const struct oracle_data *data, size_t a, size_t b, const uint32_t *chosen, size_t count) {
  ts_auto_free uint32_t *samples = ts_calloc(count + 1, sizeof *samples);
  size_t rows[] = {1 + a, 1 + b, 1 + data->group_count + a}, usable = gather(data, rows, 3, chosen, count, samples);
  double sum = 0;
  for (size_t i = 0; i < usable; i++) {
    uint32_t s = samples[i];
    sum += ba_of(data, s, a) * ab_of(data, s, b) - a_of(data, s) * b_of(data, s);
  }
  return sum / (double)usable / variance(data, samples, usable) - saltelli(data, a, samples, usable) -
         saltelli(data, b, samples, usable);
}

double oracle_ishigami(const double *unit) {
  double pi = acos(-1), x[3];
  for (int i = 0; i < 3; i++) x[i] = (2 * unit[i] - 1) * pi;
  return sin(x[0]) + 7 * sin(x[1]) * sin(x[1]) + 0.1 * x[2] * x[2] * x[2] * x[2] * sin(x[0]);
}

double oracle_sobol_g(const double *unit) {
  static const double a[8] = {0, 1, 4.5, 9, 99, 99, 99, 99};
  double product = 1;
  for (int i = 0; i < 8; i++) product *= (fabs(4 * unit[i] - 2) + a[i]) / (1 + a[i]);
  return product;
}

const double oracle_ishigami_s1[3] = {0.31390519114781146, 0.4424111447900409, 0};
const double oracle_ishigami_st[3] = {0.5575888552099592, 0.4424111447900409, 0.2436836640621477};
const double oracle_sobol_g_s1[8] = {0.7161921688790338,    0.17904804221975845,   0.0236757741778193,
                                     0.007161921688790339,  7.161921688790338e-05, 7.161921688790338e-05,
                                     7.161921688790338e-05, 7.161921688790338e-05};
const double oracle_sobol_g_st[8] = {0.7871441266592755,     0.24219819281823862,    0.03431691015408285,
                                     0.01046038706523954,    0.00010494905191950606, 0.00010494905191950606,
                                     0.00010494905191950606, 0.00010494905191950606};

/* Row `place` of a base sample: A, or B, or one with the columns of a group from the other. */
static void make_row(const double *a, const double *b, size_t k, const size_t *group_of, size_t group_count,
                     size_t place, size_t rows, double *row) {
  bool from_a = place <= group_count;
  size_t group = place == 0 || place == rows - 1 ? (size_t)-1 : (place - 1) % group_count;
  if (place == rows - 1) from_a = false;
  for (size_t c = 0; c < k; c++) {
    bool swapped = (group_of ? group_of[c] : c) == group;
    row[c] = from_a != swapped ? a[c] : b[c];
  }
}

double *oracle_run(double (*function)(const double *), size_t k, const size_t *group_of, size_t group_count, size_t n,
                   bool second_order, uint64_t seed, double *unit) {
  size_t rows = (second_order ? 2 : 1) * group_count + 2;
  double *outputs = ts_calloc(n * rows, sizeof *outputs), a[ORACLE_MAX_K], b[ORACLE_MAX_K], row[ORACLE_MAX_K];
  struct ts_random random;
  ts_random_init(&random, seed, 99);
  for (size_t i = 0; i < n; i++) {
    for (size_t c = 0; c < k; c++) {
      a[c] = ts_random_unit(&random);
      b[c] = ts_random_unit(&random);
    }
    for (size_t place = 0; place < rows; place++) {
      make_row(a, b, k, group_of, group_count, place, rows, row);
      outputs[i * rows + place] = function(row);
      if (unit) memcpy(unit + (i * rows + place) * k, row, k * sizeof *row);
    }
  }
  return outputs;
}
