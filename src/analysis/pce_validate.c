/* Polynomial chaos: cross-validation that chooses the terms again for every fold.
 * SPDX-License-Identifier: Apache-2.0
 *
 * The terms were chosen because they fit: an error that keeps them is too small. Here the held-out points had no part
 * in the choice either. */
#include "analysis/pce_int.h"

#include "base/alloc.h"
#include "base/random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FOLD_STREAM UINT64_C(0x506365466f6c64)
#define FOLD_COUNT  5

/* The points outside one fold. Axes are borrowed from the whole. */
static void take_others(struct ts_pce_data *part, const struct ts_pce_data *whole, const size_t *fold_of, size_t fold) {
  size_t n = whole->point_count, k = whole->parameter_count, count = 0;
  *part = (struct ts_pce_data){.parameter_count = k, .axes = whole->axes};
  for (size_t i = 0; i < n; i++) count += fold_of[i] != fold;
  part->point_count = part->run_count = count;
  part->coordinates = ts_calloc(count * k, sizeof *part->coordinates);
  part->roots = ts_calloc(count, sizeof *part->roots);
  part->outputs = ts_calloc(count, sizeof *part->outputs);
  size_t to = 0;
  for (size_t i = 0; i < n; i++) {
    if (fold_of[i] == fold) continue;
    part->roots[to] = whole->roots[i];
    part->outputs[to] = whole->outputs[i];
    for (size_t j = 0; j < k; j++) part->coordinates[j * count + to] = whole->coordinates[j * n + i];
    to++;
  }
  ts_pce_data_tabulate(part, whole->degree);
}

static void release_part(struct ts_pce_data *part) {
  part->axes = NULL; /* borrowed */
  ts_pce_data_release(part);
}

static size_t room_for_terms(const struct ts_pce_data *data, size_t candidates) {
  size_t n = data->point_count, room = n - n / 4;
  if (room > TS_PCE_MAX_CHOSEN) room = TS_PCE_MAX_CHOSEN;
  return (room < candidates ? room : candidates) + 1;
}

/* Chooses and fits on `part`; coefficients (the constant first) go with choice->terms. */
static void fit_part(const struct ts_pce_data *part, const struct ts_pce_basis *basis, struct ts_pce_matrix *scratch,
                     struct ts_pce_choice *choice, double *coefficients) {
  ts_auto(ts_pce_fit_release) struct ts_pce_fit fit;
  ts_pce_fit_init(&fit, part, room_for_terms(part, basis->count));
  scratch->point_count = part->point_count;
  scratch->count = basis->count;
  for (size_t t = 0; t < basis->count; t++) {
    ts_pce_basis_column(basis, t, part, scratch->columns + t * part->point_count);
  }
  ts_pce_lars(scratch, part, &fit, choice);
  ts_pce_fit_reset(&fit, part);
  for (size_t i = 0; i < choice->count; i++) {
    if (!ts_pce_fit_add(&fit, scratch->columns + choice->terms[i] * part->point_count)) {
      choice->count = i;
      break;
    }
  }
  ts_pce_fit_coefficients(&fit, coefficients);
}

/* Errors of the points of one fold, as outputs are: times the root of the weight. */
static void predict_fold(const struct ts_pce_data *data, const struct ts_pce_basis *basis, const size_t *fold_of,
                         size_t fold, struct ts_pce_matrix *scratch, double *errors) {
  size_t n = data->point_count;
  ts_auto_free double *coefficients = ts_calloc(TS_PCE_MAX_CHOSEN + 1, sizeof *coefficients);
  ts_auto_free double *column = ts_calloc(n, sizeof *column);
  ts_auto(release_part) struct ts_pce_data part;
  ts_auto(ts_pce_choice_release) struct ts_pce_choice choice;
  take_others(&part, data, fold_of, fold);
  fit_part(&part, basis, scratch, &choice, coefficients);
  for (size_t i = 0; i < n; i++) {
    if (fold_of[i] == fold) errors[i] = data->outputs[i] - coefficients[0] * data->roots[i];
  }
  for (size_t t = 0; t < choice.count; t++) {
    ts_pce_basis_column(basis, choice.terms[t], data, column);
    for (size_t i = 0; i < n; i++) {
      if (fold_of[i] == fold) errors[i] -= coefficients[t + 1] * column[i];
    }
  }
}

static double variation(const struct ts_pce_data *data) {
  size_t n = data->point_count;
  double mean = ts_pce_dot(data->outputs, data->roots, n) / (double)n, sum = 0;
  for (size_t i = 0; i < n; i++) {
    double deviation = data->outputs[i] - mean * data->roots[i];
    sum += deviation * deviation;
  }
  return sum;
}

double ts_pce_cross_validate(const struct ts_pce_data *data, const struct ts_pce_basis *basis, uint64_t seed,
                             struct ts_pce_matrix *scratch, double *errors) {
  size_t n = data->point_count;
  ts_auto_free size_t *order = ts_calloc(n, sizeof *order);
  ts_auto_free size_t *fold_of = ts_calloc(n, sizeof *fold_of);
  for (size_t i = 0; i < n; i++) order[i] = i;
  struct ts_random random;
  ts_random_init(&random, seed, FOLD_STREAM);
  ts_random_shuffle(&random, order, n);
  for (size_t i = 0; i < n; i++) fold_of[order[i]] = i % FOLD_COUNT;
  for (size_t fold = 0; fold < FOLD_COUNT; fold++) predict_fold(data, basis, fold_of, fold, scratch, errors);
  double error = ts_pce_dot(errors, errors, n) / variation(data);
  for (size_t i = 0; i < n; i++) errors[i] /= data->roots[i];
  return error;
}
