/* Tests of analysis/pce.c: test functions with known indices, brute-force quadrature, groups, levels, intervals.
 * SPDX-License-Identifier: Apache-2.0
 * test-label: long */
#include "analysis/pce_int.h"

#include "base/alloc.h"
#include "base/random.h"
#include "vectors.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define PI    3.14159265358979323846
#define MAX_K 15

extern const struct ts_method ts_method_pce;

static const char *const names[MAX_K] = {"x1", "x2",  "x3",  "x4",  "x5",  "x6",  "x7", "x8",
                                         "x9", "x10", "x11", "x12", "x13", "x14", "x15"};

struct model {
  size_t k;
  double (*f)(const double *unit);
  const double *s1, *st;
};

static double ishigami(const double *u) {
  double x1 = (2 * u[0] - 1) * PI, x2 = (2 * u[1] - 1) * PI, x3 = (2 * u[2] - 1) * PI;
  return sin(x1) + 7 * sin(x2) * sin(x2) + 0.1 * pow(x3, 4) * sin(x1);
}

static double sobol_g8(const double *u) {
  const double a[] = {0, 1, 4.5, 9, 99, 99, 99, 99};
  double product = 1;
  for (size_t i = 0; i < 8; i++) product *= (fabs(4 * u[i] - 2) + a[i]) / (1 + a[i]);
  return product;
}

static double add15(const double *x) {
  const double c[MAX_K] = {8, 6, 5, 4, 3, 2, 1.5, 1, .5, .25};
  double sum = 6 * x[0] * x[1] + 4 * x[2] * x[10] + 24 * (x[3] - .5) * (x[11] - .5) + 5 * (x[12] - .5) * (x[12] - .5);
  for (size_t i = 0; i < MAX_K; i++) sum += c[i] * x[i];
  return sum;
}

/* Closed forms: Ishigami with a = 7, b = 0.1; the product formula of Sobol' G; the last two by hand from the terms. */
static const double ishigami_s1[] = {0.31390519114781146, 0.4424111447900409, 0};
static const double ishigami_st[] = {0.5575888552099592, 0.4424111447900409, 0.2436836640621477};
static const double g8_s1[] = {0.7161921688790338,    0.17904804221975845,   0.0236757741778193,
                               0.007161921688790339,  7.161921688790338e-05, 7.161921688790338e-05,
                               7.161921688790338e-05, 7.161921688790338e-05};
static const double g8_st[] = {0.7871441266592755,     0.24219819281823862,    0.03431691015408285,
                               0.01046038706523954,    0.00010494905191950606, 0.00010494905191950606,
                               0.00010494905191950606, 0.00010494905191950606};
static const double add15_s1[] = {0.35425434583714543,
                                  0.2371454711802379,
                                  0.1434583714547118,
                                  0.04684354986276304,
                                  0.02634949679780421,
                                  0.01171088746569076,
                                  0.006587374199451053,
                                  0.00292772186642269,
                                  0.0007319304666056725,
                                  0.00018298261665141812,
                                  0.01171088746569076,
                                  0,
                                  0.004879536444037818,
                                  0,
                                  0};
static const double add15_st[] = {0.36303751143641355,
                                  0.24592863677950597,
                                  0.14736200060994203,
                                  0.18737419945105216,
                                  0.02634949679780421,
                                  0.01171088746569076,
                                  0.006587374199451053,
                                  0.00292772186642269,
                                  0.0007319304666056725,
                                  0.00018298261665141812,
                                  0.015614516620921013,
                                  0.14053064958828912,
                                  0.004879536444037818,
                                  0,
                                  0};
static const struct model models[] = {
    {3, ishigami, ishigami_s1, ishigami_st}, {8, sobol_g8, g8_s1, g8_st}, {15, add15, add15_s1, add15_st}};

/* Latin hypercube, or independent points. */
static void draw(double *unit, size_t count, size_t k, bool latin, uint64_t seed) {
  struct ts_random random;
  size_t *order = ts_calloc(count, sizeof *order);
  ts_random_init(&random, seed, 11);
  for (size_t j = 0; j < k; j++) {
    for (size_t i = 0; i < count; i++) order[i] = i;
    ts_random_shuffle(&random, order, count);
    for (size_t i = 0; i < count; i++) {
      double u = ts_random_unit(&random);
      unit[i * k + j] = latin ? ((double)order[i] + u) / (double)count : u;
    }
  }
  free(order);
}

struct sample {
  struct ts_runs runs;
  double *unit, *outputs; /* owned */
};

static void sample_init(struct sample *sample, size_t k, double (*f)(const double *), size_t count, bool latin,
                        uint64_t seed) {
  *sample = (struct sample){0};
  sample->unit = ts_calloc(count * k, sizeof *sample->unit);
  sample->outputs = ts_calloc(count, sizeof *sample->outputs);
  draw(sample->unit, count, k, latin, seed);
  for (size_t i = 0; i < count; i++) sample->outputs[i] = f(sample->unit + i * k);
  sample->runs = (struct ts_runs){.names = names,
                                  .parameter_count = k,
                                  .row_count = count,
                                  .unit = sample->unit,
                                  .values = sample->unit,
                                  .outputs = sample->outputs,
                                  .group_count = k};
}

static void sample_release(struct sample *sample) {
  free(sample->unit);
  free(sample->outputs);
}

static void analyse(const struct ts_runs *runs, const struct ts_analysis_options *options, struct ts_pool *pool,
                    struct ts_indices *indices) {
  struct ts_error err = {0};
  if (ts_analyse(&ts_method_pce, runs, options, pool, indices, &err)) return;
  print_error("%s\n", err.text);
  fail();
}

/* The largest error of S1 and ST. */
static double worst_error(const struct ts_indices *indices, const double *s1, const double *st) {
  double worst = 0;
  for (size_t j = 0; j < indices->name_count; j++) {
    worst = fmax(worst, fabs(indices->cells[2 * j].value - s1[j]));
    worst = fmax(worst, fabs(indices->cells[2 * j + 1].value - st[j]));
    if (isnan(indices->cells[2 * j].value)) return NAN;
  }
  return worst;
}

static double error_of(const struct model *model, size_t count, bool latin, uint64_t seed) {
  struct sample sample;
  struct ts_indices indices;
  sample_init(&sample, model->k, model->f, count, latin, seed);
  analyse(&sample.runs, &(struct ts_analysis_options){.resamples = TS_NO_RESAMPLES}, NULL, &indices);
  double worst = worst_error(&indices, model->s1, model->st);
  ts_indices_release(&indices);
  sample_release(&sample);
  return worst;
}

static void below(double value, double limit) {
  if (value < limit) return;
  print_error("%g, but less than %g was expected\n", value, limit);
  fail();
}

static void ishigami_is_within_a_hundredth_from_300_runs(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 20; seed++) below(error_of(&models[0], 300, true, seed), 0.001);
  for (uint64_t seed = 1; seed <= 5; seed++) below(error_of(&models[0], 300, false, seed), 0.001);
}

static void functions_that_are_not_smooth_are_close(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 3; seed++) below(error_of(&models[1], 300, true, seed), 0.04);
}

static void polynomials_are_exact(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 10; seed++) below(error_of(&models[2], 300, seed % 2, seed), 1e-10);
}

/* Nodes of Gauss-Legendre with five points: exact up to degree 9. */
static const double nodes[] = {0.5 - 0.9061798459386640 / 2, 0.5 - 0.5384693101056831 / 2, 0.5,
                               0.5 + 0.5384693101056831 / 2, 0.5 + 0.9061798459386640 / 2};
static const double weights[] = {0.2369268850561891 / 2, 0.4786286704993665 / 2, 0.5688888888888889 / 2,
                                 0.4786286704993665 / 2, 0.2369268850561891 / 2};

static double tangled(const double *u) {
  double x = u[0], y = u[1], z = u[2];
  return x + 2 * x * y + 3 * x * y * z + z * z * y - 4 * x * x * z + y * y + 0.5;
}

/* Variance of the mean of `f` given the parameters in `fixed` (bits), by summing over all nodes. */
static double variance_given(double (*f)(const double *), unsigned fixed) {
  double sums[125] = {0}, masses[125] = {0}, mean = 0, square = 0;
  for (unsigned code = 0; code < 125; code++) {
    unsigned digits[3] = {code % 5, code / 5 % 5, code / 25}, cell = 0;
    double u[3], weight = 1;
    for (unsigned j = 0; j < 3; j++) {
      u[j] = nodes[digits[j]];
      weight *= weights[digits[j]];
      if (fixed >> j & 1) cell = cell * 5 + digits[j];
    }
    sums[cell] += weight * f(u);
    masses[cell] += weight;
    mean += weight * f(u);
  }
  for (unsigned cell = 0; cell < 125; cell++) {
    if (masses[cell] > 0) square += sums[cell] * sums[cell] / masses[cell];
  }
  return square - mean * mean;
}

static void near(double value, double reference, double limit) {
  if (fabs(value - reference) <= limit) return;
  print_error("%.17g, but %.17g is right\n", value, reference);
  fail();
}

static void indices_agree_with_quadrature(void **state) {
  (void)state;
  double total = variance_given(tangled, 7);
  struct sample sample;
  struct ts_indices indices;
  sample_init(&sample, 3, tangled, 200, true, 5);
  analyse(&sample.runs, &(struct ts_analysis_options){0}, NULL, &indices);
  for (unsigned j = 0; j < 3; j++) {
    near(indices.cells[2 * j].value, variance_given(tangled, 1U << j) / total, 1e-9);
    near(indices.cells[2 * j + 1].value, 1 - variance_given(tangled, 7U - (1U << j)) / total, 1e-9);
    assert_int_equal(indices.usable[j], 200);
  }
  assert_int_equal(indices.pair_count, 3);
  for (size_t p = 0; p < 3; p++) {
    unsigned a = 1U << indices.pairs[p].a, b = 1U << indices.pairs[p].b;
    double both = variance_given(tangled, a | b) - variance_given(tangled, a) - variance_given(tangled, b);
    near(indices.pairs[p].index.value, both / total, 1e-9);
    assert_true(indices.pairs[p].a < indices.pairs[p].b);
  }
  ts_indices_release(&indices);
  sample_release(&sample);
}

static void groups_agree_with_quadrature(void **state) {
  (void)state;
  const size_t group_of[] = {0, 1, 0};
  const char *const group_names[] = {"outer", "middle"};
  double total = variance_given(tangled, 7);
  struct sample sample;
  struct ts_indices indices;
  sample_init(&sample, 3, tangled, 200, true, 6);
  sample.runs.group_of = group_of;
  sample.runs.group_count = 2;
  sample.runs.group_names = group_names;
  analyse(&sample.runs, &(struct ts_analysis_options){0}, NULL, &indices);
  assert_int_equal(indices.name_count, 2);
  near(indices.cells[0].value, variance_given(tangled, 5) / total, 1e-9);
  near(indices.cells[1].value, 1 - variance_given(tangled, 2) / total, 1e-9);
  near(indices.cells[2].value, variance_given(tangled, 2) / total, 1e-9);
  near(indices.cells[3].value, 1 - variance_given(tangled, 5) / total, 1e-9);
  assert_int_equal(indices.pair_count, 1);
  near(indices.pairs[0].index.value, 1 - (variance_given(tangled, 5) + variance_given(tangled, 2)) / total, 1e-9);
  ts_indices_release(&indices);
  sample_release(&sample);
}

/* Per index, the true value lies in the interval as often as it should: of nominally 95 %, at least 90 %. */
static void check_coverage(const struct model *model, size_t count, size_t seeds) {
  size_t covered[2 * MAX_K] = {0};
  for (uint64_t seed = 1; seed <= seeds; seed++) {
    struct sample sample;
    struct ts_indices indices;
    sample_init(&sample, model->k, model->f, count, false, 100 + seed);
    analyse(&sample.runs, &(struct ts_analysis_options){.resamples = 200, .seed = seed}, NULL, &indices);
    assert_int_equal(indices.resamples, 200);
    for (size_t c = 0; c < 2 * model->k; c++) {
      double truth = c % 2 ? model->st[c / 2] : model->s1[c / 2];
      covered[c] += indices.cells[c].low <= truth && truth <= indices.cells[c].high;
      assert_true(indices.cells[c].low >= 0 && indices.cells[c].high <= 1);
    }
    ts_indices_release(&indices);
    sample_release(&sample);
  }
  for (size_t c = 0; c < 2 * model->k; c++) assert_true((double)covered[c] >= 0.9 * (double)seeds);
}

static void intervals_cover_the_truth(void **state) {
  (void)state;
  check_coverage(&models[0], 80, 40);
  check_coverage(&models[0], 300, 20);
  check_coverage(&models[1], 100, 20);
}

static double steps(const double *u) {
  double a = floor(u[0] * 4), b = floor(u[1] * 2), c = floor(u[2] * 3);
  return a * a + 3 * (b == 1) + (c == 1 ? 2 : 0) * a;
}

/* Sums over the 24 combinations of levels. */
static void reference_of_steps(double *s1, double *st) {
  double mean = 0, square = 0, given[3][4] = {{0}}, others[3][12] = {{0}};
  const size_t levels[] = {4, 2, 3};
  for (size_t code = 0; code < 24; code++) {
    size_t l[3] = {code % 4, code / 4 % 2, code / 8};
    double u[3];
    for (size_t j = 0; j < 3; j++) u[j] = ((double)l[j] + 0.5) / (double)levels[j];
    double y = steps(u);
    mean += y / 24;
    square += y * y / 24;
    for (size_t j = 0; j < 3; j++) given[j][l[j]] += y * (double)levels[j] / 24;
    others[0][l[1] + 2 * l[2]] += y / 4;
    others[1][l[0] + 4 * l[2]] += y / 2;
    others[2][l[0] + 4 * l[1]] += y / 3;
  }
  double variance = square - mean * mean;
  for (size_t j = 0; j < 3; j++) {
    double own = 0, rest = 0;
    size_t cells = 24 / levels[j];
    for (size_t i = 0; i < levels[j]; i++) own += given[j][i] * given[j][i] / (double)levels[j];
    for (size_t i = 0; i < cells; i++) rest += others[j][i] * others[j][i] / (double)cells;
    s1[j] = (own - mean * mean) / variance;
    st[j] = 1 - (rest - mean * mean) / variance;
  }
}

/* A staircase that no polynomial in the unit coordinate follows; every point of the grid occurs several times. */
static void parameters_with_levels_are_exact(void **state) {
  (void)state;
  double s1[3], st[3];
  const double levels[] = {4, 2, 3};
  struct sample sample;
  struct ts_indices indices;
  reference_of_steps(s1, st);
  sample_init(&sample, 3, steps, 120, false, 8);
  double *values = ts_calloc(360, sizeof *values);
  for (size_t i = 0; i < 360; i++) values[i] = 100 - 5 * floor(sample.unit[i] * levels[i % 3]);
  sample.runs.values = values;
  analyse(&sample.runs, &(struct ts_analysis_options){0}, NULL, &indices);
  below(worst_error(&indices, s1, st), 1e-9);
  assert_int_equal(indices.usable[0], 120);
  ts_indices_release(&indices);
  free(values);
  sample_release(&sample);
}

static double number(const json_t *record, const char *name, size_t index) {
  return json_number_value(json_array_get(json_object_get(record, name), index));
}

/* Grid values of the segmentation workflow, levels from the vector of values: 15 parameters, 1024 runs. */
static void segmentation_grid_agrees(void **state) {
  (void)state;
  if (!vectors_doc.root) skip();
  const double low[MAX_K] = {210, 210, 210, 2.5, 2.5, 5, 2, 2, 900, 5, 2, 900, 4, 4, 4};
  const double step[MAX_K] = {10, 10, 10, .5, .5, 5, 2, 2, 50, 5, 2, 50, 4, 4, 4};
  const double levels[MAX_K] = {4, 4, 4, 11, 11, 16, 20, 20, 13, 16, 20, 13, 2, 2, 2};
  struct ts_csv csv = vectors_csv("seggrid15_sobol2_N32.csv");
  size_t count = csv.row_count;
  double *unit = ts_calloc(count * MAX_K, sizeof *unit), *values = ts_calloc(count * MAX_K, sizeof *values);
  double *outputs = ts_calloc(count, sizeof *outputs), s1[MAX_K], st[MAX_K];
  for (size_t i = 0; i < count; i++) {
    for (size_t j = 0; j < MAX_K; j++) {
      double *value = &values[i * MAX_K + j];
      assert_true(ts_parse_double(csv.rows[i][j], value));
      unit[i * MAX_K + j] = ((*value - low[j]) / step[j] + 0.5) / levels[j];
    }
    assert_true(ts_parse_double(csv.rows[i][MAX_K], &outputs[i]));
  }
  struct ts_runs runs = {.names = names,
                         .parameter_count = MAX_K,
                         .row_count = count,
                         .layout = TS_LAYOUT_SALTELLI_2,
                         .unit = unit,
                         .values = values,
                         .outputs = outputs};
  struct ts_indices indices;
  analyse(&runs, &(struct ts_analysis_options){0}, NULL, &indices);
  const json_t *record = NULL;
  const char *key;
  json_t *value;
  json_object_foreach(vectors_doc.root, key, value) {
    if (strncmp(key, "seggrid15", 9) == 0) record = value;
  }
  for (size_t j = 0; j < MAX_K; j++) {
    s1[j] = number(record, "S1", j);
    st[j] = number(record, "ST", j);
  }
  below(worst_error(&indices, s1, st), 0.01);
  ts_indices_release(&indices);
  ts_csv_release(&csv);
  free(unit);
  free(values);
  free(outputs);
}

int main(void) {
  vectors_open("analytic.json");
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ishigami_is_within_a_hundredth_from_300_runs),
      cmocka_unit_test(functions_that_are_not_smooth_are_close),
      cmocka_unit_test(polynomials_are_exact),
      cmocka_unit_test(indices_agree_with_quadrature),
      cmocka_unit_test(groups_agree_with_quadrature),
      cmocka_unit_test(intervals_cover_the_truth),
      cmocka_unit_test(parameters_with_levels_are_exact),
      cmocka_unit_test(segmentation_grid_agrees),
  };
  return vectors_close(cmocka_run_group_tests(tests, NULL, NULL));
}
