/* Usable rows of given data, and bootstrap intervals of any statistic of them.
 * SPDX-License-Identifier: Apache-2.0 */
#include "analysis/given_data_rows.h"

#include "analysis/ranks.h"
#include "base/alloc.h"
#include "base/random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Keeps this stream apart from those of other users of the same seed. */
#define PART_STREAM (UINT64_C(0x50617274) << 32)

/* With more rows the resamples are made one after the other: each needs two numbers per row. */
#define MOST_ROWS_AT_ONCE ((size_t)1 << 20)

static bool row_is_usable(const struct ts_runs *runs, size_t row) {
  const double *values = runs->values + row * runs->parameter_count;
  for (size_t j = 0; j < runs->parameter_count; j++) {
    if (!isfinite(values[j])) return false;
  }
  return true;
}

static void collect_rows(struct ts_given *given, const struct ts_runs *runs, struct ts_indices *indices) {
  size_t without_input = 0;
  for (size_t row = 0; row < runs->row_count; row++) {
    if (!isfinite(runs->outputs[row])) continue;
    if (!row_is_usable(runs, row)) {
      without_input++;
      continue;
    }
    given->outputs[given->count] = runs->outputs[row];
    given->rows[given->count++] = (uint32_t)row;
  }
  indices->lost_count += without_input;
  if (without_input) {
    ts_indices_note(indices, "%zu runs are left out because an input is missing or no number", without_input);
  }
}

static void find_constants(struct ts_given *given, struct ts_indices *indices, const struct ts_runs *runs) {
  size_t k = given->parameter_count;
  for (size_t j = 0; j < k; j++) given->constant[j] = true;
  given->output_constant = true;
  for (size_t i = 1; i < given->count; i++) {
    const double *row = given->values + given->rows[i] * k, *first = given->values + given->rows[0] * k;
    for (size_t j = 0; j < k; j++) given->constant[j] &= row[j] == first[j];
    given->output_constant &= given->outputs[i] == given->outputs[0];
  }
  for (size_t j = 0; j < k; j++) {
    if (!given->constant[j]) continue;
    ts_indices_note(indices, "'%s' has the same value in every usable run: nothing can be said about it",
                    runs->names[j]);
  }
}

void ts_leave_groups_aside(const struct ts_runs *runs, const struct ts_analysis_options *options,
                           struct ts_indices *indices) {
  if (!runs->group_of) return;
  const struct ts_method *method = indices->method;
  struct ts_runs single = *runs;
  single.group_of = NULL;
  single.group_names = NULL;
  single.group_count = runs->parameter_count;
  ts_indices_release(indices);
  ts_indices_init(indices, method, &single, options);
  ts_indices_note(indices, "groups are left aside: '%s' tells about single parameters", method->name);
}

static bool check_count(const struct ts_given *given, const char *method, size_t least, struct ts_error *err) {
  if (given->count >= least) return true;
  ts_fail(err, TS_ERR_BAD_VALUE, "method '%s' needs at least %zu usable runs here, not %zu", method, least,
          given->count);
  return ts_error_help(err, "make more runs, or ask for fewer slices or harmonics; failed runs do not count");
}

bool ts_given_init(struct ts_given *given, const struct ts_runs *runs, const struct ts_analysis_options *options,
                   size_t least, bool with_groups, struct ts_indices *indices, struct ts_error *err) {
  size_t k = runs->parameter_count;
  *given = (struct ts_given){.parameter_count = k, .values = runs->values};
  if (runs->row_count > UINT32_MAX / 4) {
    ts_fail(err, TS_ERR_BAD_VALUE, "method '%s' takes at most %u rows, not %zu", indices->method->name, UINT32_MAX / 4,
            runs->row_count);
    return ts_error_help(err, "analyse a part of the rows");
  }
  if (!with_groups) ts_leave_groups_aside(runs, options, indices);
  if (!ts_indices_check_outputs(indices, runs, err)) return false;
  given->rows = ts_malloc((runs->row_count + 1) * sizeof *given->rows);
  given->outputs = ts_malloc((runs->row_count + 1) * sizeof *given->outputs);
  given->constant = ts_calloc(k, sizeof *given->constant);
  collect_rows(given, runs, indices);
  if (!check_count(given, indices->method->name, least, err)) {
    ts_given_release(given);
    return false;
  }
  for (size_t i = 0; i < indices->name_count; i++) indices->usable[i] = given->count;
  find_constants(given, indices, runs);
  if (runs->layout != TS_LAYOUT_FREE && options->resamples != TS_NO_RESAMPLES) {
    ts_indices_note(indices,
                    "rows of a '%s' design share values: intervals that take rows as independent are too narrow",
                    ts_layout_name(runs->layout));
  }
  return true;
}

void ts_given_release(struct ts_given *given) {
  free(given->rows);
  free(given->outputs);
  free(given->constant);
  *given = (struct ts_given){0};
}

void ts_given_column(const struct ts_given *given, size_t parameter, double *column) {
  size_t k = given->parameter_count;
  for (size_t i = 0; i < given->count; i++) column[i] = given->values[given->rows[i] * k + parameter];
}

void ts_given_order(const struct ts_given *given, size_t parameter, uint32_t *order) {
  ts_auto_free double *column = ts_malloc((given->count + 1) * sizeof *column);
  ts_given_column(given, parameter, column);
  ts_sort_order(column, given->count, order);
}

uint32_t *ts_given_orders(const struct ts_given *given) {
  uint32_t *orders = ts_malloc(given->count * given->parameter_count * sizeof *orders);
  for (size_t j = 0; j < given->parameter_count; j++) ts_given_order(given, j, orders + j * given->count);
  return orders;
}

/* Draws rows without replacement, in their order (D. E. Knuth, TAOCP 3.4.2, algorithm S). */
static void take_part(struct ts_given *part, const struct ts_given *whole, size_t count, uint64_t seed) {
  *part = *whole;
  part->rows = ts_malloc(count * sizeof *part->rows);
  part->outputs = ts_malloc(count * sizeof *part->outputs);
  part->constant = ts_memdup(whole->constant, whole->parameter_count * sizeof *whole->constant);
  part->count = 0;
  struct ts_random random;
  ts_random_init(&random, seed, PART_STREAM);
  for (size_t i = 0; part->count < count; i++) {
    if (ts_random_below(&random, whole->count - i) >= count - part->count) continue;
    part->rows[part->count] = whole->rows[i];
    part->outputs[part->count++] = whole->outputs[i];
  }
}

struct work {
  const struct ts_estimator *estimator;
  const void *prepared;
  uint64_t seed;
  size_t population, draws, count;
  double *samples; /* borrowed; resample by resample */
};

static void resample(void *argument, size_t index) {
  const struct work *work = argument;
  ts_auto_free uint32_t *draws = ts_malloc((work->draws + 1) * sizeof *draws);
  ts_auto_free uint32_t *counts = ts_calloc(work->population, sizeof *counts);
  ts_bootstrap_draw(work->seed, index, work->population, work->draws, draws);
  for (size_t i = 0; i < work->draws; i++) counts[draws[i]]++;
  work->estimator->estimate(work->prepared, counts, work->samples + index * work->count);
}

/* The spread of `largest` rows, moved to the values of all rows and made as narrow as theirs. */
static void rescale(const struct work *work, size_t resamples, double factor, const struct ts_index *cells) {
  ts_auto_free uint32_t *once = ts_malloc(work->population * sizeof *once);
  ts_auto_free double *centre = ts_malloc(work->count * sizeof *centre);
  for (size_t i = 0; i < work->population; i++) once[i] = 1;
  work->estimator->estimate(work->prepared, once, centre);
  for (size_t r = 0; r < resamples; r++) {
    for (size_t s = 0; s < work->count; s++) {
      double *sample = &work->samples[r * work->count + s];
      *sample = cells[s].value + (*sample - centre[s]) * factor;
    }
  }
}

static void find_means(const struct work *work, size_t resamples, double *mean) {
  for (size_t s = 0; s < work->count; s++) {
    double sum = 0;
    size_t usable = 0;
    for (size_t r = 0; r < resamples; r++) {
      double sample = work->samples[r * work->count + s];
      if (isnan(sample)) continue;
      sum += sample;
      usable++;
    }
    mean[s] = usable ? sum / (double)usable : NAN;
  }
}

void ts_given_intervals(const struct ts_given_bootstrap *bootstrap, const struct ts_given *given,
                        const struct ts_analysis_options *options, struct ts_pool *pool, struct ts_indices *indices,
                        struct ts_index *cells, double *mean) {
  if (options->resamples == TS_NO_RESAMPLES || given->count < 2) return;
  size_t resamples = options->resamples ? options->resamples : bootstrap->resamples;
  bool partly = bootstrap->largest && given->count > bootstrap->largest;
  ts_auto(ts_given_release) struct ts_given part = {0};
  if (partly) take_part(&part, given, bootstrap->largest, options->seed);
  const struct ts_given *used = partly ? &part : given;
  void *prepared = bootstrap->estimator->prepare(used, bootstrap->settings);
  double share = bootstrap->share > 0 ? bootstrap->share : 1;
  struct work work = {.estimator = bootstrap->estimator,
                      .prepared = prepared,
                      .seed = options->seed,
                      .population = used->count,
                      .draws = (size_t)((double)used->count * share),
                      .count = bootstrap->statistic_count};
  work.samples = ts_calloc(resamples * work.count, sizeof *work.samples);
  if (pool && used->count <= MOST_ROWS_AT_ONCE) {
    ts_pool_for(pool, resamples, resample, &work);
  } else {
    for (size_t r = 0; r < resamples; r++) resample(&work, r);
  }
  if (partly) rescale(&work, resamples, sqrt((double)used->count / (double)given->count), cells);
  if (mean) find_means(&work, resamples, mean);
  enum ts_interval kind = options->interval == TS_INTERVAL_DEFAULT ? bootstrap->kind : options->interval;
  ts_interval_of(work.samples, resamples, work.count, indices->confidence, kind, cells);
  indices->resamples = resamples;
  bootstrap->estimator->destroy(prepared);
  free(work.samples);
}
