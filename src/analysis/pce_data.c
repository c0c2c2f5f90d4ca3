/* Polynomial chaos: from runs to distinct points with weights.
 * SPDX-License-Identifier: Apache-2.0 */
#include "analysis/pce_int.h"

#include "base/alloc.h"
#include "base/const.h"
#include "base/random.h"
#include "base/str.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define THIN_STREAM     (UINT64_C(0x5063655468696e) << 8)
#define RANGE_TOLERANCE 1e-9

/* Usable runs, gathered: unit coordinates and values row by row. */
struct gathered {
  size_t count, k;
  double *unit, *values, *outputs; /* owned; values NULL if there are none */
};

static void release_gathered(struct gathered *gathered) {
  free(gathered->unit);
  free(gathered->values);
  free(gathered->outputs);
}

static size_t count_usable(const struct ts_runs *runs) {
  size_t usable = 0;
  for (size_t i = 0; i < runs->row_count; i++) usable += isfinite(runs->outputs[i]) ? 1 : 0;
  return usable;
}

static bool copy_run(struct gathered *to, const struct ts_runs *runs, size_t row, struct ts_error *err) {
  size_t k = to->k;
  for (size_t j = 0; j < k; j++) {
    double u = runs->unit[row * k + j];
    if (!(u >= -RANGE_TOLERANCE && u <= 1 + RANGE_TOLERANCE)) {
      ts_fail(err, TS_ERR_BAD_VALUE, "run %zu has no unit coordinate of '%s' between 0 and 1 (%s)", row + 1,
              runs->names[j], TS_SIGNIFICANT(u, 6));
      return ts_error_help(err,
                           "'pce' needs the place of every value in its range: keep the columns u_NAME of the design");
    }
    to->unit[to->count * k + j] = fmin(fmax(u, 0), 1);
  }
  if (to->values) memcpy(to->values + to->count * k, runs->values + row * k, k * sizeof *to->values);
  to->outputs[to->count++] = runs->outputs[row];
  return true;
}

/* All usable runs, or TS_PCE_MAX_RUNS of them, each set equally likely. */
static bool gather(struct gathered *to, const struct ts_runs *runs, uint64_t seed, struct ts_error *err) {
  size_t usable = count_usable(runs), k = runs->parameter_count;
  size_t wanted = usable < TS_PCE_MAX_RUNS ? usable : TS_PCE_MAX_RUNS;
  *to = (struct gathered){.k = k};
  to->unit = ts_calloc(wanted * k, sizeof *to->unit);
  if (runs->values) to->values = ts_calloc(wanted * k, sizeof *to->values);
  to->outputs = ts_calloc(wanted, sizeof *to->outputs);
  struct ts_random random;
  ts_random_init(&random, seed, THIN_STREAM);
  size_t left = usable;
  for (size_t row = 0; row < runs->row_count && to->count < wanted; row++) {
    if (!isfinite(runs->outputs[row])) continue;
    bool taken = left == wanted - to->count || ts_random_below(&random, left) < wanted - to->count;
    left--;
    if (taken && !copy_run(to, runs, row, err)) return false;
  }
  return true;
}

struct sorter {
  const double *coordinates; /* parameter by parameter */
  const double *outputs;
  size_t count, k;
};

static int compare_points(const struct sorter *sorter, size_t a, size_t b) {
  for (size_t j = 0; j < sorter->k; j++) {
    double x = sorter->coordinates[j * sorter->count + a], y = sorter->coordinates[j * sorter->count + b];
    if (x != y) return x < y ? -1 : 1;
  }
  return 0;
}

/* Outputs decide between equal points, so that their mean does not depend on the order of the runs. */
static int compare_runs(const void *a, const void *b, void *user) {
  const struct sorter *sorter = user;
  size_t i = *(const size_t *)a, j = *(const size_t *)b;
  int order = compare_points(sorter, i, j);
  if (order != 0) return order;
  return (sorter->outputs[i] > sorter->outputs[j]) - (sorter->outputs[i] < sorter->outputs[j]);
}

/* Sorts the runs and makes one point of equal ones. */
static void merge_runs(struct ts_pce_data *data, const struct sorter *sorter) {
  size_t n = sorter->count, k = sorter->k;
  ts_auto_free size_t *order = ts_calloc(n, sizeof *order);
  ts_auto_free size_t *starts = ts_calloc(n + 1, sizeof *starts);
  for (size_t i = 0; i < n; i++) order[i] = i;
  qsort_r(order, n, sizeof *order, compare_runs, ts_without_const(sorter));
  size_t points = 0;
  for (size_t i = 0; i < n; i++) {
    if (i == 0 || compare_points(sorter, order[i - 1], order[i]) != 0) starts[points++] = i;
  }
  starts[points] = n;
  data->point_count = points;
  data->coordinates = ts_calloc(points * k, sizeof *data->coordinates);
  data->roots = ts_calloc(points, sizeof *data->roots);
  data->outputs = ts_calloc(points, sizeof *data->outputs);
  for (size_t p = 0; p < points; p++) {
    size_t times = starts[p + 1] - starts[p];
    double sum = 0;
    for (size_t i = starts[p]; i < starts[p + 1]; i++) sum += sorter->outputs[order[i]];
    data->roots[p] = sqrt((double)times * (double)points / (double)n);
    data->outputs[p] = data->roots[p] * (sum / (double)times);
    for (size_t j = 0; j < k; j++) {
      data->coordinates[j * points + p] = sorter->coordinates[j * n + order[starts[p]]];
    }
  }
}

bool ts_pce_data_init(struct ts_pce_data *data, const struct ts_runs *runs, uint64_t seed, struct ts_error *err) {
  size_t k = runs->parameter_count;
  *data = (struct ts_pce_data){.parameter_count = k};
  struct gathered gathered;
  if (!gather(&gathered, runs, seed, err)) {
    release_gathered(&gathered);
    return false;
  }
  size_t n = data->run_count = gathered.count;
  data->axes = ts_calloc(k, sizeof *data->axes);
  ts_auto_free double *coordinates = ts_calloc(n * k, sizeof *coordinates);
  for (size_t j = 0; j < k; j++) {
    ts_pce_axis_init(&data->axes[j], gathered.unit + j, gathered.values ? gathered.values + j : NULL, n, k,
                     coordinates + j * n);
  }
  merge_runs(data, &(struct sorter){.coordinates = coordinates, .outputs = gathered.outputs, .count = n, .k = k});
  release_gathered(&gathered);
  return true;
}

void ts_pce_data_release(struct ts_pce_data *data) {
  for (size_t j = 0; data->axes && j < data->parameter_count; j++) ts_pce_axis_release(&data->axes[j]);
  free(data->axes);
  free(data->coordinates);
  free(data->roots);
  free(data->outputs);
  free(data->tables);
  *data = (struct ts_pce_data){0};
}

void ts_pce_data_tabulate(struct ts_pce_data *data, size_t degree) {
  size_t n = data->point_count, stride = (degree + 1) * n;
  free(data->tables);
  data->degree = degree;
  data->tables = ts_calloc(data->parameter_count * stride, sizeof *data->tables);
  for (size_t j = 0; j < data->parameter_count; j++) {
    size_t limit = data->axes[j].degree_limit < degree ? data->axes[j].degree_limit : degree;
    ts_pce_axis_table(&data->axes[j], limit, data->coordinates + j * n, n, data->tables + j * stride);
  }
}
