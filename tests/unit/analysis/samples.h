/* Samples for the tests of the analysis methods: reference vectors, random inputs, and functions with known indices.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_ANALYSIS_SAMPLES_H
#define TESTS_UNIT_ANALYSIS_SAMPLES_H

#include "analysis/method.h"

#include "base/alloc.h"
#include "base/file.h"
#include "base/random.h"
#include "vectors.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define PI 3.14159265358979323846

static const char *const sample_names[] = {"x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8"};

/* Rows of inputs and one output that the test owns. */
struct sample {
  size_t k, n;
  double *unit, *values, *outputs; /* owned */
};

static inline struct sample sample_create(size_t k, size_t n) {
  return (struct sample){.k = k,
                         .n = n,
                         .unit = ts_calloc(k * n, sizeof(double)),
                         .values = ts_calloc(k * n, sizeof(double)),
                         .outputs = ts_calloc(n, sizeof(double))};
}

static inline void sample_destroy(struct sample *sample) {
  free(sample->unit);
  free(sample->values);
  free(sample->outputs);
}

/* Independent uniform inputs in (low, high). */
static inline void sample_draw(struct sample *sample, double low, double high, uint64_t seed) {
  struct ts_random random;
  ts_random_init(&random, seed, 77);
  for (size_t i = 0; i < sample->n * sample->k; i++) {
    sample->unit[i] = ts_random_unit(&random);
    sample->values[i] = low + (high - low) * sample->unit[i];
  }
}

static inline double ishigami(const double *x) {
  return sin(x[0]) + 7 * sin(x[1]) * sin(x[1]) + 0.1 * pow(x[2], 4) * sin(x[0]);
}
#define ISHIGAMI_VARIANCE (49. / 8 + 0.1 * pow(PI, 4) / 5 + 0.01 * pow(PI, 8) / 18 + 0.5)

static inline struct sample sample_ishigami(size_t n, uint64_t seed) {
  struct sample sample = sample_create(3, n);
  sample_draw(&sample, -PI, PI, seed);
  for (size_t i = 0; i < n; i++) sample.outputs[i] = ishigami(sample.values + i * 3);
  return sample;
}

static inline struct ts_runs sample_runs(const struct sample *sample, enum ts_layout layout) {
  return (struct ts_runs){.names = sample_names,
                          .parameter_count = sample->k,
                          .row_count = sample->n,
                          .layout = layout,
                          .unit = sample->unit,
                          .values = sample->values,
                          .outputs = sample->outputs,
                          .group_count = sample->k};
}

/* Analyses and fails the test on an error. */
static inline struct ts_indices sample_analyse(const struct sample *sample, enum ts_layout layout, const char *method,
                                               const struct ts_analysis_options *options) {
  struct ts_runs runs = sample_runs(sample, layout);
  struct ts_error err = {0};
  struct ts_indices indices;
  const struct ts_method *found = ts_method_find(method, &err);
  assert_non_null(found);
  if (!ts_analyse(found, &runs, options, NULL, &indices, &err)) fail_msg("%s", err.text);
  return indices;
}

static inline struct ts_index sample_index(const struct ts_indices *indices, size_t name, const char *column) {
  size_t c = ts_indices_column(indices, column);
  assert_true(c < indices->column_count);
  return indices->cells[name * indices->column_count + c];
}

static inline double sample_fact(const struct ts_indices *indices, const char *name) {
  for (size_t i = 0; i < indices->fact_count; i++) {
    if (strcmp(indices->facts[i].name, name) == 0) return indices->facts[i].value;
  }
  fail_msg("no fact '%s'", name);
  return NAN;
}

static inline bool sample_has_note(const struct ts_indices *indices, const char *part) {
  for (size_t i = 0; i < indices->note_count; i++) {
    if (strstr(indices->notes[i], part)) return true;
  }
  return false;
}

/* The method must refuse the sample with this text. */
static inline void sample_refused(const struct sample *sample, enum ts_layout layout, const char *method,
                                  const struct ts_analysis_options *options, const char *part) {
  struct ts_runs runs = sample_runs(sample, layout);
  struct ts_error err = {0};
  struct ts_indices indices;
  assert_false(ts_analyse(ts_method_find(method, &err), &runs, options, NULL, &indices, &err));
  assert_int_equal(err.code, TS_ERR_BAD_VALUE);
  assert_true(err.help[0]);
  if (!strstr(err.text, part)) fail_msg("'%s' is not in '%s'", part, err.text);
}

static inline void close_to(double value, double reference, double limit) {
  if (fabs(value - reference) <= limit) return;
  print_error("%.17g, but the reference is %.17g\n", value, reference);
  fail();
}

/* The tolerance of the reference vectors. */
static inline void near(double value, double reference) {
  close_to(value, reference, 1e-10 * fmax(1, fabs(reference)));
}

/* Inputs in the first k columns, the output in the last; `unit` stays zero. */
static inline struct sample vectors_sample(const char *file, size_t k) {
  if (!vectors_doc.root) skip();
  struct ts_csv csv = vectors_csv(file);
  struct sample sample = sample_create(k, csv.row_count);
  for (size_t r = 0; r < csv.row_count; r++) {
    for (size_t j = 0; j < k; j++) assert_true(ts_parse_double(csv.rows[r][j], &sample.values[r * k + j]));
    assert_true(ts_parse_double(csv.rows[r][csv.column_count - 1], &sample.outputs[r]));
  }
  ts_csv_release(&csv);
  return sample;
}

/* Compares a column of all names with an array of expected.json. */
static inline void vectors_column(const struct ts_indices *indices, const char *column, const json_t *array) {
  assert_int_equal(json_array_size(array), indices->name_count);
  for (size_t i = 0; i < indices->name_count; i++) {
    near(sample_index(indices, i, column).value, json_number_value(json_array_get(array, i)));
  }
}

static inline const json_t *vectors_record(const char *name) {
  const json_t *record = json_object_get(vectors_doc.root, name);
  assert_non_null(record);
  return record;
}

#endif
