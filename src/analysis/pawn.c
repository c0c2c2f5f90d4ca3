/* PAWN: how far the distribution of the output moves when an input is held within a slice of its range.
 * SPDX-License-Identifier: Apache-2.0
 *
 * F. Pianosi, T. Wagener, "Distribution-based sensitivity analysis from a generic input-output sample", 2018,
 * doi:10.1016/j.envsoft.2018.07.019. Slices lie between quantiles of the input (lower end included, upper end not, so
 * that the largest value belongs to none); the Kolmogorov-Smirnov distance of each slice to all runs is summarised. */
#include "analysis/given_data_rows.h"
#include "analysis/ranks.h"
#include "base/alloc.h"
#include "base/order.h"
#include "base/str.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SLICES        10
#define RESAMPLES     200
#define PART_ROWS     20000
#define FEW_PER_SLICE 20
#define MEAN_DISTANCE 0.8687311606361592 /* mean of the Kolmogorov distribution: sqrt(pi / 2) ln 2 */
#define NO_SLICE      UINT32_MAX
#define INERT_FACT    "mean of an inert input"

enum { MINIMUM, MEAN, MEDIAN, MAXIMUM, CV, COLUMNS };

struct settings {
  size_t slices;
  const size_t *group_of; /* borrowed; NULL: no groups */
  size_t name_count;
};

struct prepared {
  const struct ts_given *given; /* borrowed */
  struct settings settings;
  uint32_t *output_order; /* owned */
  uint32_t *orders;       /* owned; of each input */
};

/* Working memory of one thread, which finds the distances of one input. */
struct scratch {
  uint32_t *slice_of; /* owned; per row */
  double *bounds;     /* owned; slices + 1 */
  double *distances;  /* owned; per slice; NaN: empty */
  size_t *sizes;      /* owned; rows per slice */
  size_t *seen;       /* owned; of these, how many have an output up to here */
};

static void scratch_init(struct scratch *scratch, size_t rows, size_t slices) {
  scratch->slice_of = ts_malloc((rows + 1) * sizeof *scratch->slice_of);
  scratch->bounds = ts_calloc(slices + 1, sizeof *scratch->bounds);
  scratch->distances = ts_calloc(slices, sizeof *scratch->distances);
  scratch->sizes = ts_calloc(slices, sizeof *scratch->sizes);
  scratch->seen = ts_calloc(slices, sizeof *scratch->seen);
}

static void scratch_release(struct scratch *scratch) {
  free(scratch->slice_of);
  free(scratch->bounds);
  free(scratch->distances);
  free(scratch->sizes);
  free(scratch->seen);
}

static size_t total_of(const uint32_t *counts, size_t count) {
  size_t total = 0;
  for (size_t i = 0; i < count; i++) total += counts[i];
  return total;
}

/* Walks through the sorted rows of a resample, in which a row takes as many places as it was drawn. */
struct walk {
  const struct ts_given *given;
  const uint32_t *order, *counts;
  size_t parameter, position, passed;
};

static double value_at(struct walk *walk, size_t place) {
  while (walk->passed + walk->counts[walk->order[walk->position]] <= place) {
    walk->passed += walk->counts[walk->order[walk->position++]];
  }
  const struct ts_given *given = walk->given;
  return given->values[given->rows[walk->order[walk->position]] * given->parameter_count + walk->parameter];
}

/* Quantiles at i / slices, linear between neighbours and interpolated from the nearer one, as numpy does. */
static void find_bounds(struct walk walk, size_t total, size_t slices, double *bounds) {
  double step = 1 / (double)slices;
  for (size_t s = 0; s <= slices; s++) {
    double position = fmin((double)s * step, 1) * (double)(total - 1);
    size_t below = (size_t)position, above = below + 1 < total ? below + 1 : below;
    double share = position - (double)below, a = value_at(&walk, below);
    struct walk next = walk;
    double b = value_at(&next, above);
    bounds[s] = share >= 0.5 ? b - (b - a) * (1 - share) : a + (b - a) * share;
  }
}

static void assign_slices(struct walk walk, size_t slices, struct scratch *scratch) {
  const struct ts_given *given = walk.given;
  memset(scratch->sizes, 0, slices * sizeof *scratch->sizes);
  size_t s = 0;
  for (size_t i = 0; i < given->count; i++) {
    size_t row = walk.order[i];
    double x = given->values[given->rows[row] * given->parameter_count + walk.parameter];
    while (s < slices && x >= scratch->bounds[s + 1]) s++;
    bool inside = s < slices && x >= scratch->bounds[0];
    scratch->slice_of[row] = inside ? (uint32_t)s : NO_SLICE;
    if (inside) scratch->sizes[s] += walk.counts[row];
  }
}

/* Distance of slice s between its distribution and that of all runs, here; positive or negative side. */
static void compare(struct scratch *scratch, size_t s, double all, double side) {
  double own = (double)scratch->seen[s] / (double)scratch->sizes[s];
  scratch->distances[s] = fmax(scratch->distances[s], side * (own - all));
}

/* Between two runs of a slice its distribution stays the same while that of all runs grows: the largest distances lie
 * right before and right after its own runs. Equal outputs count at once. */
static void find_distances(const struct prepared *prepared, const uint32_t *counts, size_t total,
                           struct scratch *scratch) {
  const struct ts_given *given = prepared->given;
  const uint32_t *order = prepared->output_order;
  size_t slices = prepared->settings.slices, before = 0;
  memset(scratch->seen, 0, slices * sizeof *scratch->seen);
  for (size_t s = 0; s < slices; s++) scratch->distances[s] = scratch->sizes[s] ? 0 : NAN;
  for (size_t first = 0; first < given->count;) {
    size_t end = first, after = before;
    while (end < given->count && given->outputs[order[end]] == given->outputs[order[first]]) {
      after += counts[order[end++]];
    }
    for (size_t i = first; i < end; i++) {
      uint32_t s = scratch->slice_of[order[i]];
      if (s != NO_SLICE && counts[order[i]]) compare(scratch, s, (double)before / (double)total, -1);
    }
    for (size_t i = first; i < end; i++) {
      uint32_t s = scratch->slice_of[order[i]];
      if (s != NO_SLICE) scratch->seen[s] += counts[order[i]];
    }
    for (size_t i = first; i < end; i++) {
      uint32_t s = scratch->slice_of[order[i]];
      if (s != NO_SLICE && counts[order[i]]) compare(scratch, s, (double)after / (double)total, 1);
    }
    first = end;
    before = after;
  }
}

/* Over the slices that hold runs. Sorts the distances. */
static void summarise(double *distances, size_t slices, double *out) {
  size_t count = 0;
  double sum = 0, squares = 0;
  for (size_t s = 0; s < slices; s++) {
    if (isnan(distances[s])) continue;
    sum += distances[s];
    distances[count++] = distances[s];
  }
  for (size_t c = 0; c < COLUMNS; c++) out[c] = NAN;
  if (count == 0) return;
  qsort(distances, count, sizeof *distances, ts_compare_doubles);
  double mean = sum / (double)count;
  for (size_t i = 0; i < count; i++) squares += (distances[i] - mean) * (distances[i] - mean);
  out[MINIMUM] = distances[0];
  out[MEAN] = mean;
  out[MEDIAN] = (distances[(count - 1) / 2] + distances[count / 2]) / 2;
  out[MAXIMUM] = distances[count - 1];
  if (mean > 0) out[CV] = sqrt(squares / (double)count) / mean;
}

static void *prepare(const struct ts_given *given, const void *settings) {
  struct prepared *prepared = ts_calloc(1, sizeof *prepared);
  prepared->given = given;
  prepared->settings = *(const struct settings *)settings;
  prepared->output_order = ts_malloc(given->count * sizeof *prepared->output_order);
  prepared->orders = ts_given_orders(given);
  ts_sort_order(given->outputs, given->count, prepared->output_order);
  return prepared;
}

static void destroy(void *argument) {
  struct prepared *prepared = argument;
  free(prepared->output_order);
  free(prepared->orders);
  free(prepared);
}

/* A group's value is the mean of its members'. */
static void add_to_group(const struct prepared *prepared, size_t parameter, const double *own, double *statistics) {
  const struct settings *settings = &prepared->settings;
  size_t group = settings->group_of ? settings->group_of[parameter] : parameter, members = 0;
  for (size_t j = 0; settings->group_of && j < prepared->given->parameter_count; j++) {
    members += settings->group_of[j] == group;
  }
  for (size_t c = 0; c < COLUMNS; c++) statistics[group * COLUMNS + c] += own[c] / (double)(members ? members : 1);
}

static void estimate(const void *argument, const uint32_t *counts, double *statistics) {
  const struct prepared *prepared = argument;
  const struct ts_given *given = prepared->given;
  size_t slices = prepared->settings.slices, total = total_of(counts, given->count);
  ts_auto(scratch_release) struct scratch scratch;
  scratch_init(&scratch, given->count, slices);
  for (size_t i = 0; i < prepared->settings.name_count * COLUMNS; i++) statistics[i] = 0;
  for (size_t j = 0; j < given->parameter_count; j++) {
    struct walk walk = {.given = given, .order = prepared->orders + j * given->count, .counts = counts, .parameter = j};
    find_bounds(walk, total, slices, scratch.bounds);
    assign_slices(walk, slices, &scratch);
    find_distances(prepared, counts, total, &scratch);
    double own[COLUMNS];
    summarise(scratch.distances, slices, own);
    add_to_group(prepared, j, own, statistics);
  }
}

static const struct ts_estimator estimator = {.prepare = prepare, .estimate = estimate, .destroy = destroy};

static void find_values(const struct ts_given *given, const struct settings *settings, struct ts_indices *indices) {
  size_t cell_count = settings->name_count * COLUMNS;
  ts_auto_free uint32_t *once = ts_malloc(given->count * sizeof *once);
  ts_auto_free double *statistics = ts_calloc(cell_count, sizeof *statistics);
  for (size_t i = 0; i < given->count; i++) once[i] = 1;
  void *prepared = prepare(given, settings);
  estimate(prepared, once, statistics);
  destroy(prepared);
  for (size_t i = 0; i < cell_count; i++) indices->cells[i].value = statistics[i];
}

static void tell_noise(const struct ts_given *given, size_t slices, struct ts_indices *indices) {
  double n = (double)given->count, per_slice = n / (double)slices;
  indices->facts[indices->fact_count].name = INERT_FACT;
  indices->facts[indices->fact_count++].value = MEAN_DISTANCE * sqrt(1 / per_slice - 1 / n);
  if (per_slice < FEW_PER_SLICE) {
    ts_indices_note(indices, "%s runs per slice are few: even an inert input then shows distances of about %s",
                    TS_SIGNIFICANT(per_slice, 3), TS_DECIMALS(MEAN_DISTANCE * sqrt(1 / per_slice - 1 / n), 2));
  }
}

static bool analyse(const struct ts_runs *runs, const struct ts_analysis_options *options, struct ts_pool *pool,
                    struct ts_indices *indices, struct ts_error *err) {
  struct settings settings = {.slices = options->slices ? options->slices : SLICES,
                              .group_of = runs->group_of,
                              .name_count = indices->name_count};
  struct ts_given given;
  if (!ts_given_init(&given, runs, options, settings.slices + 1, true, indices, err)) return false;
  find_values(&given, &settings, indices);
  tell_noise(&given, settings.slices, indices);
  struct ts_given_bootstrap bootstrap = {.estimator = &estimator,
                                         .settings = &settings,
                                         .resamples = RESAMPLES,
                                         .largest = PART_ROWS,
                                         .kind = TS_INTERVAL_NORMAL,
                                         .statistic_count = settings.name_count * COLUMNS};
  ts_given_intervals(&bootstrap, &given, options, pool, indices, indices->cells, NULL);
  ts_given_release(&given);
  return true;
}

const struct ts_method ts_method_pawn = {
    .name = "pawn",
    .title = "PAWN: distances between output distributions",
    .assumes =
        "the inputs are independent and every slice holds enough runs for a distribution; an inert input does not "
        "reach 0 but the stated level of noise",
    .interval =
        "the index and 1.96 (for 95 %) standard deviations of its bootstrap values to either side; it covers the "
        "chance of which runs were drawn, not the upward bias of small slices",
    .columns = {"minimum", "mean", "median", "maximum", "CV"},
    .rank_by = "median",
    .inert_fact = INERT_FACT,
    .needs = TS_NEEDS_VALUES,
    .analyse = analyse,
};
