/* From samples to predictions: a curve per operation, implementation and machine; the best one that is known answers.
 * SPDX-License-Identifier: Apache-2.0 */
#include "sched/cost_model.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/order.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FENCE       3.0 /* interquartile ranges; values beyond are far out (J. W. Tukey) */
#define NEAR_FACTOR 4.0 /* a size this far beyond those seen is a guess */
#define QUANTITIES  3

enum { SECONDS, BYTES, PEAK };

/* The point of one bin. */
struct point {
  double size, value[QUANTITIES];
  double weight; /* calls */
  size_t port_count;
  double port_share[TS_COST_PORTS]; /* of the bytes; of the calls that know */
};

struct curve {
  struct ts_cost_key key; /* texts in the arena */
  struct point *points;   /* in the arena; by size, no value falls */
  size_t count;
  uint64_t calls, asked, cut;
  double size_min, size_max;
  double mean_size, mean[QUANTITIES]; /* of a call, as it was measured */
};

struct ts_cost_model {
  struct ts_arena arena;
  struct curve *curves; /* in the arena */
  size_t count;
};

/* Linear between the order statistics. */
static double quantile(const double *sorted, size_t count, double p) {
  double place = p * (double)(count - 1);
  size_t below = (size_t)place;
  double above = below + 1 < count ? sorted[below + 1] : sorted[below];
  return sorted[below] + (place - (double)below) * (above - sorted[below]);
}

/* The fences of values that count. */
static void find_fences(const double *values, size_t count, double *low, double *high) {
  ts_auto_free double *sorted = ts_memdup(values, count * sizeof *values);
  qsort(sorted, count, sizeof *sorted, ts_compare_doubles);
  double first = quantile(sorted, count, 0.25), third = quantile(sorted, count, 0.75);
  *low = first - FENCE * (third - first);
  *high = third + FENCE * (third - first);
}

double ts_robust_mean(const double *values, size_t count) {
  double low = 0, high = 0, sum = 0;
  size_t kept = 0;
  find_fences(values, count, &low, &high);
  for (size_t i = 0; i < count; i++) {
    if (values[i] < low || values[i] > high) continue;
    sum += values[i];
    kept++;
  }
  return sum / (double)kept; /* the quartiles lie within */
}

/* The share of each port in the bytes of the calls that know it. */
static void share_ports(const struct ts_cost_bin *bin, struct point *point) {
  double bytes = 0;
  for (size_t i = 0; i < bin->count; i++) {
    const struct ts_cost_sample *sample = &bin->samples[i];
    if (sample->port_count > point->port_count) point->port_count = sample->port_count;
    if (sample->port_count > 0) bytes += sample->bytes;
    for (size_t p = 0; p < sample->port_count; p++) point->port_share[p] += sample->port_bytes[p];
  }
  for (size_t p = 0; p < point->port_count; p++) point->port_share[p] /= bytes > 0 ? bytes : 1;
}

static struct point make_point(const struct ts_cost_bin *bin) {
  double values[QUANTITIES][TS_COST_SAMPLES];
  struct point point = {.weight = (double)bin->calls};
  for (size_t i = 0; i < bin->count; i++) {
    values[SECONDS][i] = bin->samples[i].seconds;
    values[BYTES][i] = bin->samples[i].bytes;
    values[PEAK][i] = bin->samples[i].peak_bytes;
  }
  for (int q = 0; q < QUANTITIES; q++) point.value[q] = ts_robust_mean(values[q], bin->count);
  double low = 0, high = 0, kept = 0; /* a call whose seconds are left out does not count for the size either */
  find_fences(values[SECONDS], bin->count, &low, &high);
  for (size_t i = 0; i < bin->count; i++) {
    if (values[SECONDS][i] < low || values[SECONDS][i] > high) continue;
    point.size += bin->samples[i].size;
    kept++;
  }
  point.size /= kept;
  share_ports(bin, &point);
  return point;
}

/* Pools neighbours that fall until nothing does: the nearest curve that never falls, by weighted squares. */
static void make_rising(struct point *points, size_t count, int q) {
  ts_auto_free double *mean = ts_calloc(count + 1, sizeof *mean);
  ts_auto_free double *weight = ts_calloc(count + 1, sizeof *weight);
  ts_auto_free size_t *length = ts_calloc(count + 1, sizeof *length);
  size_t blocks = 0;
  for (size_t i = 0; i < count; i++) {
    mean[blocks] = points[i].value[q];
    weight[blocks] = points[i].weight;
    length[blocks++] = 1;
    while (blocks > 1 && mean[blocks - 2] > mean[blocks - 1]) {
      double both = weight[blocks - 2] + weight[blocks - 1];
      mean[blocks - 2] = (mean[blocks - 2] * weight[blocks - 2] + mean[blocks - 1] * weight[blocks - 1]) / both;
      weight[blocks - 2] = both;
      length[blocks - 2] += length[blocks - 1];
      blocks--;
    }
  }
  for (size_t b = 0, i = 0; b < blocks; b++) {
    for (size_t k = 0; k < length[b]; k++) points[i++].value[q] = mean[b];
  }
}

bool ts_cost_key_equal(const struct ts_cost_key *a, const struct ts_cost_key *b) {
  return strcmp(a->operation, b->operation) == 0 && strcmp(a->machine, b->machine) == 0 &&
         strcmp(a->measure, b->measure) == 0 && strcmp(a->device, b->device) == 0 &&
         memcmp(&a->implementation, &b->implementation, sizeof a->implementation) == 0;
}

static int compare_points(const void *a, const void *b) {
  return ts_compare_doubles(&((const struct point *)a)->size, &((const struct point *)b)->size);
}

static void add_bin(struct curve *curve, const struct ts_cost_bin *bin) {
  struct point point = make_point(bin);
  double before = (double)curve->calls, both = before + point.weight;
  if (curve->count == 0) curve->size_min = curve->size_max = bin->samples[0].size;
  for (size_t i = 0; i < bin->count; i++) {
    curve->size_min = fmin(curve->size_min, bin->samples[i].size);
    curve->size_max = fmax(curve->size_max, bin->samples[i].size);
  }
  for (int q = 0; q < QUANTITIES; q++)
    curve->mean[q] = (curve->mean[q] * before + point.value[q] * point.weight) / both;
  curve->mean_size = (curve->mean_size * before + point.size * point.weight) / both;
  curve->points[curve->count++] = point;
  curve->calls += bin->calls;
}

static void finish(struct curve *curve) {
  qsort(curve->points, curve->count, sizeof *curve->points, compare_points);
  for (int q = 0; q < QUANTITIES; q++) make_rising(curve->points, curve->count, q);
}

static struct curve *find_curve(struct ts_cost_model *model, const struct ts_cost_key *key, size_t most_points) {
  for (size_t i = 0; i < model->count; i++) {
    if (ts_cost_key_equal(&model->curves[i].key, key)) return &model->curves[i];
  }
  struct curve *curve = &model->curves[model->count++];
  curve->key = *key;
  curve->key.operation = ts_arena_strdup(&model->arena, key->operation);
  curve->key.machine = ts_arena_strdup(&model->arena, key->machine);
  curve->key.measure = ts_arena_strdup(&model->arena, key->measure);
  curve->key.device = ts_arena_strdup(&model->arena, key->device);
  curve->points = ts_arena_array(&model->arena, most_points, sizeof *curve->points);
  return curve;
}

static size_t count_bins(const struct ts_cost_entry *entries, size_t count, const struct ts_cost_key *key) {
  size_t bins = 0;
  for (size_t i = 0; i < count; i++) bins += ts_cost_key_equal(&entries[i].key, key);
  return bins;
}

struct ts_cost_model *ts_cost_model_create(const struct ts_cost_entry *entries, size_t count) {
  struct ts_cost_model *model = ts_calloc(1, sizeof *model);
  model->curves = ts_arena_array(&model->arena, count, sizeof *model->curves);
  for (size_t i = 0; i < count; i++) {
    const struct ts_cost_bin *bin = entries[i].bin;
    if (bin->count == 0) continue;
    struct curve *curve = find_curve(model, &entries[i].key, count_bins(entries, count, &entries[i].key));
    add_bin(curve, bin);
    curve->asked += bin->asked;
    curve->cut += bin->cut;
  }
  for (size_t i = 0; i < model->count; i++) finish(&model->curves[i]);
  return model;
}

void ts_cost_model_destroy(struct ts_cost_model *model) {
  if (!model) return;
  ts_arena_release(&model->arena);
  free(model);
}

/* How well a curve fits a question; 0: not at all, as for another device. The processor matters more than the version
 * of an operation: most versions differ in a detail. */
static int fit(const struct curve *curve, const struct ts_cost_key *key) {
  if (strcmp(curve->key.operation, key->operation) != 0 || strcmp(curve->key.measure, key->measure) != 0 ||
      strcmp(curve->key.device, key->device) != 0)
    return 0;
  bool machine = strcmp(curve->key.machine, key->machine) == 0;
  bool implementation = memcmp(&curve->key.implementation, &key->implementation, sizeof key->implementation) == 0;
  return 1 + (implementation ? 1 : 0) + (machine ? 2 : 0);
}

static const struct curve *best_curve(const struct ts_cost_model *model, const struct ts_cost_key *key, int *best) {
  const struct curve *found = NULL;
  *best = 0;
  for (size_t i = 0; i < model->count; i++) {
    int how = fit(&model->curves[i], key);
    if (how == 0 || how < *best || (how == *best && found && found->calls >= model->curves[i].calls)) continue;
    found = &model->curves[i];
    *best = how;
  }
  return found;
}

static double in_proportion(const struct point *point, int q, double size) {
  return point->size > 0 ? point->value[q] * size / point->size : point->value[q];
}

static double value_at(const struct curve *curve, int q, double size) {
  const struct point *points = curve->points;
  size_t last = curve->count - 1;
  if (size <= points[0].size) return in_proportion(&points[0], q, size);
  if (size >= points[last].size) return in_proportion(&points[last], q, size);
  size_t i = 1;
  while (points[i].size < size) i++;
  double share = (size - points[i - 1].size) / (points[i].size - points[i - 1].size);
  return points[i - 1].value[q] + share * (points[i].value[q] - points[i - 1].value[q]);
}

/* Bytes per port, by the shares at the nearest size at which they are known; their number. */
static size_t port_bytes_at(const struct curve *curve, double size, double bytes, double port_bytes[TS_COST_PORTS]) {
  const struct point *nearest = NULL;
  for (size_t i = 0; i < curve->count; i++) {
    const struct point *point = &curve->points[i];
    if (point->port_count > 0 && (!nearest || fabs(point->size - size) < fabs(nearest->size - size))) nearest = point;
  }
  for (size_t p = 0; nearest && p < nearest->port_count; p++) port_bytes[p] = bytes * nearest->port_share[p];
  return nearest ? nearest->port_count : 0;
}

struct ts_cost_estimate ts_cost_model_predict(const struct ts_cost_model *model, const struct ts_cost_key *key,
                                              double size) {
  int how = 0;
  const struct curve *curve = best_curve(model, key, &how);
  if (!curve) return (struct ts_cost_estimate){.executed_share = 1};
  bool is_near = size * NEAR_FACTOR >= curve->size_min && size <= curve->size_max * NEAR_FACTOR;
  struct ts_cost_estimate estimate = {.knowledge = how == 4 && is_near ? TS_COST_MEASURED : TS_COST_GUESS,
                                      .seconds = value_at(curve, SECONDS, size),
                                      .bytes = value_at(curve, BYTES, size),
                                      .peak_bytes = value_at(curve, PEAK, size),
                                      .executed_share =
                                          curve->asked > 0 ? 1 - (double)curve->cut / (double)curve->asked : 1};
  estimate.port_count = port_bytes_at(curve, size, estimate.bytes, estimate.port_bytes);
  return estimate;
}

size_t ts_cost_model_count(const struct ts_cost_model *model) { return model->count; }

struct ts_cost_summary ts_cost_model_at(const struct ts_cost_model *model, size_t index) {
  const struct curve *curve = &model->curves[index];
  struct ts_cost_summary summary = {.key = curve->key,
                                    .calls = curve->calls,
                                    .asked = curve->asked,
                                    .cut = curve->cut,
                                    .size_min = curve->size_min,
                                    .size_max = curve->size_max,
                                    .size = curve->mean_size,
                                    .seconds = curve->mean[SECONDS],
                                    .bytes = curve->mean[BYTES],
                                    .peak_bytes = curve->mean[PEAK]};
  summary.port_count = port_bytes_at(curve, summary.size, summary.bytes, summary.port_bytes);
  return summary;
}
