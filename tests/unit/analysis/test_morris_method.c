/* Tests of analysis/morris_method.c: every Morris vector, groups, radial designs, scaled effects, failures, wrong rows.
 * SPDX-License-Identifier: Apache-2.0 */
#include "analysis/method.h"

#include "base/alloc.h"
#include "base/file.h"
#include "vectors.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MU, MU_STAR, SIGMA, COLUMNS };

static const struct ts_method *method(void) {
  struct ts_error err = {0};
  const struct ts_method *found = ts_method_find("morris", &err);
  assert_non_null(found);
  assert_ptr_equal(ts_method_find("moat", &err), found);
  return found;
}

static struct ts_indices analyse(const struct ts_runs *runs, struct ts_analysis_options options) {
  struct ts_indices indices;
  struct ts_error err = {0};
  if (!ts_analyse(method(), runs, &options, NULL, &indices, &err)) fail_msg("%s", err.text);
  return indices;
}

static void refused(const struct ts_runs *runs, struct ts_analysis_options options, const char *part) {
  struct ts_indices indices;
  struct ts_error err = {0};
  assert_false(ts_analyse(method(), runs, &options, NULL, &indices, &err));
  assert_int_equal(err.code, TS_ERR_BAD_VALUE);
  assert_true(err.help[0]);
  if (!strstr(err.text, part)) fail_msg("'%s' is not in '%s'", part, err.text);
}

static bool has_note(const struct ts_indices *indices, const char *part) {
  for (size_t i = 0; i < indices->note_count; i++) {
    if (strstr(indices->notes[i], part)) return true;
  }
  return false;
}

static double value(const struct ts_indices *indices, size_t name, size_t column) {
  return indices->cells[name * COLUMNS + column].value;
}

static void near(double found, double reference) {
  if (fabs(found - reference) <= 1e-10 * fmax(1, fabs(reference))) return;
  fail_msg("%.17g, but the reference is %.17g", found, reference);
}

/* A vector file as runs; x in (-pi, pi) where the unit design is not given. */
struct vector {
  struct ts_csv csv;
  struct ts_runs runs;
  double *unit;
  double *outputs;
};

static struct vector read_vector(const char *name, size_t k) {
  struct vector v = {0};
  char file[256];
  snprintf(file, sizeof file, "%s.csv", name);
  v.csv = vectors_csv(file);
  bool has_unit = v.csv.column_count == 2 * k + 1;
  v.unit = ts_calloc(v.csv.row_count * k, sizeof *v.unit);
  v.outputs = ts_calloc(v.csv.row_count, sizeof *v.outputs);
  for (size_t r = 0; r < v.csv.row_count; r++) {
    for (size_t i = 0; i < k; i++) {
      double x;
      assert_true(ts_parse_double(v.csv.rows[r][has_unit ? k + i : i], &x));
      v.unit[r * k + i] = has_unit ? x : (x + acos(-1)) / (2 * acos(-1));
    }
    assert_true(ts_parse_double(v.csv.rows[r][v.csv.column_count - 1], &v.outputs[r]));
  }
  v.runs = (struct ts_runs){.names = (const char *const *)v.csv.header,
                            .parameter_count = k,
                            .row_count = v.csv.row_count,
                            .layout = TS_LAYOUT_TRAJECTORIES,
                            .unit = v.unit,
                            .outputs = v.outputs,
                            .group_count = k};
  return v;
}

static void vector_release(struct vector *v) {
  free(v->unit);
  free(v->outputs);
  ts_csv_release(&v->csv);
}

static double reference(const json_t *record, const char *name, size_t index) {
  const json_t *number = json_array_get(json_object_get(record, name), index);
  assert_true(json_is_number(number));
  return json_number_value(number);
}

static void check_indices(const struct ts_indices *indices, const json_t *record, size_t r) {
  for (size_t i = 0; i < indices->name_count; i++) {
    near(value(indices, i, MU), reference(record, "mu", i));
    near(value(indices, i, MU_STAR), reference(record, "mu_star", i));
    near(value(indices, i, SIGMA), reference(record, "sigma", i));
    assert_int_equal(indices->usable[i], r);
  }
}

static void check_widths(const struct ts_indices *indices, const json_t *record, double share) {
  for (size_t i = 0; i < indices->name_count; i++) {
    const struct ts_index *cell = &indices->cells[i * COLUMNS + MU_STAR];
    double wanted = reference(record, "mu_star_conf95_R1000", i), width = (cell->high - cell->low) / 2;
    if (fabs(width - wanted) > fmax(1e-9, share * wanted)) fail_msg("half width %g instead of %g", width, wanted);
  }
}

/* All records of the vectors: with and without the number of levels, plain and scaled, with the intervals. */
static void every_vector_is_met(void **state) {
  (void)state;
  if (!vectors_doc.root) skip();
  size_t checked = 0;
  const char *name;
  json_t *record;
  json_object_foreach(vectors_doc.root, name, record) {
    const char *kind = json_string_value(json_object_get(record, "kind"));
    if (!kind || strcmp(kind, "morris") != 0) continue;
    struct vector v = read_vector(name, (size_t)json_integer_value(json_object_get(record, "D")));
    size_t r = (size_t)json_integer_value(json_object_get(record, "r"));
    struct ts_analysis_options options = {.levels = (size_t)json_integer_value(json_object_get(record, "levels")),
                                          .interval = TS_INTERVAL_NORMAL,
                                          .seed = 1};
    struct ts_indices indices = analyse(&v.runs, options);
    check_indices(&indices, record, r);
    check_widths(&indices, record, 0.15);
    assert_int_equal(indices.note_count, 0);
    assert_int_equal(indices.resamples, 1000);
    ts_indices_release(&indices);
    options.levels = 0;
    v.runs.layout = TS_LAYOUT_FREE; /* recognised from its rows */
    indices = analyse(&v.runs, options);
    check_indices(&indices, record, r);
    ts_indices_release(&indices);
    options.scaled = true;
    indices = analyse(&v.runs, options);
    check_indices(&indices, json_object_get(record, "scaled"), r);
    ts_indices_release(&indices);
    vector_release(&v);
    checked++;
  }
  assert_int_equal(checked, 4);
}

static const char *const group_names[] = {"a", "b"};

static void groups_of_the_vector_are_met(void **state) {
  (void)state;
  if (!vectors_doc.root) skip();
  const json_t *record = json_object_get(vectors_doc.root, "ishigami_morris_groups_p4_r12");
  const json_t *mu_star = json_object_get(record, "mu_star");
  struct vector v = read_vector("ishigami_morris_groups_p4_r12", 3);
  static const size_t group_of[] = {0, 0, 1};
  v.runs.group_of = group_of;
  v.runs.group_count = 2;
  v.runs.group_names = group_names;
  for (size_t levels = 0; levels <= 4; levels += 4) {
    struct ts_indices indices = analyse(&v.runs, (struct ts_analysis_options){.levels = levels});
    assert_int_equal(indices.name_count, 2);
    assert_string_equal(indices.names[1], "b");
    near(value(&indices, 0, MU_STAR), json_number_value(json_object_get(mu_star, "a")));
    near(value(&indices, 1, MU_STAR), json_number_value(json_object_get(mu_star, "b")));
    assert_int_equal(indices.usable[0], 12);
    const struct ts_index *cell = &indices.cells[MU_STAR];
    assert_true(cell->low < cell->value && cell->value < cell->high);
    assert_true(isnan(value(&indices, 0, MU)) && isnan(value(&indices, 0, SIGMA)));
    assert_true(isnan(indices.cells[MU].low) && isnan(indices.cells[SIGMA].high));
    /* A group of one is a parameter: its effects have a sign. */
    assert_false(isnan(value(&indices, 1, MU)) || isnan(value(&indices, 1, SIGMA)));
    assert_true(has_note(&indices, "not defined for it"));
    ts_indices_release(&indices);
  }
  v.runs.group_of = NULL;
  v.runs.group_count = 3;
  refused(&v.runs, (struct ts_analysis_options){0}, "differ in 2 parameters");
  vector_release(&v);
}

/* y = 3 a - 2 b, exactly linear: every design must give mu = 3 and -2, mu* = 3 and 2, sigma = 0. */
static const char *const names[] = {"a", "b"};
static const double radial_unit[] = {0.2, 0.9, 0.7, 0.9, 0.2, 0.4,  /* a up .5, b down .5 */
                                     0.5, 0.1, 0.1, 0.1, 0.5, 0.35, /* a down .4, b up .25 */
                                     1,   0,   0,   0,   1,   1};
static double radial_outputs[9];
static struct ts_runs radial_runs(void) {
  for (size_t i = 0; i < 9; i++) radial_outputs[i] = 3 * radial_unit[2 * i] - 2 * radial_unit[2 * i + 1];
  return (struct ts_runs){.names = names,
                          .parameter_count = 2,
                          .row_count = 9,
                          .layout = TS_LAYOUT_RADIAL,
                          .unit = radial_unit,
                          .outputs = radial_outputs,
                          .group_count = 2};
}

static void radial_effects_use_their_own_steps(void **state) {
  (void)state;
  struct ts_runs runs = radial_runs();
  for (int free_layout = 0; free_layout < 2; free_layout++) {
    if (free_layout) runs.layout = TS_LAYOUT_FREE;
    struct ts_indices indices = analyse(&runs, (struct ts_analysis_options){.levels = 4});
    near(value(&indices, 0, MU), 3);
    near(value(&indices, 0, MU_STAR), 3);
    near(value(&indices, 0, SIGMA), 0);
    near(value(&indices, 1, MU), -2);
    near(value(&indices, 1, MU_STAR), 2);
    assert_int_equal(indices.note_count, 0);
    ts_indices_release(&indices);
  }
  runs.layout = TS_LAYOUT_TRAJECTORIES;
  refused(&runs, (struct ts_analysis_options){0}, "rows 2 and 3 of the Morris design differ in 2 parameters");
}

/* By the definition: dy/dx std(x)/std(y), with the standard deviations over the three rows of the block (ddof 0). */
static double plain_deviation(const double *numbers, size_t stride, size_t count) {
  double sum = 0, squares = 0;
  for (size_t i = 0; i < count; i++) sum += numbers[i * stride];
  for (size_t i = 0; i < count; i++) squares += pow(numbers[i * stride] - sum / (double)count, 2);
  return sqrt(squares / (double)count);
}

static void scaled_radial_effects_follow_the_definition(void **state) {
  (void)state;
  struct ts_runs runs = radial_runs();
  double mu[2] = {0};
  for (size_t block = 0; block < 3; block++) {
    const double *x = radial_unit + block * 6, *y = radial_outputs + block * 3;
    for (size_t i = 0; i < 2; i++) {
      double slope = (y[1 + i] - y[0]) / (x[2 * (1 + i) + i] - x[i]);
      mu[i] += slope * plain_deviation(x + i, 2, 3) / plain_deviation(y, 1, 3) / 3;
    }
  }
  struct ts_indices indices = analyse(&runs, (struct ts_analysis_options){.scaled = true});
  near(value(&indices, 0, MU), mu[0]);
  near(value(&indices, 1, MU), mu[1]);
  ts_indices_release(&indices);
}

/* Both move by different steps: the step of the group is their root mean square. */
static void radial_groups_use_the_mean_step(void **state) {
  (void)state;
  static const double unit[] = {0.1, 0.2, 0.4, 0.6, 0.9, 0.9, 0.6, 0.5};
  static const double outputs[] = {1, 3, 5, 1};
  static const size_t group_of[] = {0, 0};
  struct ts_runs runs = {.names = names,
                         .parameter_count = 2,
                         .row_count = 4,
                         .layout = TS_LAYOUT_RADIAL,
                         .unit = unit,
                         .outputs = outputs,
                         .group_of = group_of,
                         .group_count = 1,
                         .group_names = group_names};
  struct ts_indices indices = analyse(&runs, (struct ts_analysis_options){0});
  double step = sqrt((0.3 * 0.3 + 0.4 * 0.4) / 2);
  near(value(&indices, 0, MU_STAR), (2 / step + 4 / step) / 2);
  ts_indices_release(&indices);
}

/* A failed base point of a radial block costs all its effects, another row only its own. */
static void failed_runs_cost_only_what_touches_them(void **state) {
  (void)state;
  struct ts_runs runs = radial_runs();
  radial_outputs[1] = NAN;
  radial_outputs[3] = INFINITY;
  struct ts_indices indices = analyse(&runs, (struct ts_analysis_options){0});
  assert_int_equal(indices.usable[0], 1);
  assert_int_equal(indices.usable[1], 2);
  near(value(&indices, 0, MU), 3);
  near(value(&indices, 1, MU), -2);
  assert_true(isnan(value(&indices, 0, SIGMA)) && isnan(indices.cells[MU_STAR].low));
  assert_int_equal(indices.lost_count, 2);
  assert_true(has_note(&indices, "2 of 9 runs"));
  assert_true(has_note(&indices, "'a' has one usable effect"));
  ts_indices_release(&indices);
  for (size_t i = 0; i < 9; i += 3) radial_outputs[i] = NAN;
  radial_outputs[1] = 1;
  indices = analyse(&runs, (struct ts_analysis_options){.scaled = true});
  assert_int_equal(indices.usable[0], 0);
  assert_true(isnan(value(&indices, 0, MU_STAR)));
  assert_true(has_note(&indices, "'b' has no usable effect"));
  ts_indices_release(&indices);
  for (size_t i = 0; i < 9; i++) radial_outputs[i] = NAN;
  refused(&runs, (struct ts_analysis_options){0}, "none of the 9 runs");
}

static void constant_outputs_have_no_effects(void **state) {
  (void)state;
  struct ts_runs runs = radial_runs();
  for (size_t i = 0; i < 9; i++) radial_outputs[i] = 7;
  for (int scaled = 0; scaled < 2; scaled++) {
    struct ts_indices indices = analyse(&runs, (struct ts_analysis_options){.scaled = scaled != 0});
    for (size_t i = 0; i < 6; i++) {
      assert_true(indices.cells[i].value == 0 && indices.cells[i].low == 0 && indices.cells[i].high == 0);
    }
    assert_true(has_note(&indices, "in every run"));
    ts_indices_release(&indices);
  }
}

static void intervals_follow_the_options(void **state) {
  (void)state;
  struct ts_runs runs = radial_runs();
  for (size_t i = 0; i < 9; i++) radial_outputs[i] *= 1 + 0.3 * (double)(i % 4);
  struct ts_indices wide = analyse(&runs, (struct ts_analysis_options){.confidence = 0.99});
  struct ts_indices narrow = analyse(&runs, (struct ts_analysis_options){.confidence = 0.5, .resamples = 200});
  struct ts_indices none = analyse(&runs, (struct ts_analysis_options){.resamples = TS_NO_RESAMPLES});
  assert_true(wide.cells[MU_STAR].high - wide.cells[MU_STAR].low >
              narrow.cells[MU_STAR].high - narrow.cells[MU_STAR].low);
  assert_int_equal(wide.resamples, 1000);
  assert_int_equal(narrow.resamples, 200);
  assert_int_equal(none.resamples, 0);
  assert_true(isnan(none.cells[MU_STAR].low) && none.cells[MU_STAR].value == wide.cells[MU_STAR].value);
  struct ts_error err = {0};
  struct ts_pool *pool = ts_pool_create(3, &err);
  struct ts_indices pooled;
  assert_true(ts_analyse(method(), &runs, &(struct ts_analysis_options){.confidence = 0.99}, pool, &pooled, &err));
  assert_memory_equal(pooled.cells, wide.cells, 6 * sizeof *wide.cells);
  ts_pool_destroy(pool);
  ts_indices_release(&wide);
  ts_indices_release(&narrow);
  ts_indices_release(&none);
  ts_indices_release(&pooled);
}

/* Three trajectories of p = 4. */
static const double unit[] = {0,      0,      2. / 3, 0, 2. / 3, 2. / 3, 1, 1,      1,
                              1. / 3, 1. / 3, 1. / 3, 0, 1,      2. / 3, 1, 2. / 3, 1. / 3};
static const double outputs[] = {0, 2, 2, 3, 3, 1, 0, 2, 2};
static struct ts_runs trajectory_runs(const double *design) {
  return (struct ts_runs){.names = names,
                          .parameter_count = 2,
                          .row_count = 9,
                          .layout = TS_LAYOUT_TRAJECTORIES,
                          .unit = design,
                          .outputs = outputs,
                          .group_count = 2};
}

static void levels_that_do_not_fit_are_noted(void **state) {
  (void)state;
  struct ts_runs runs = trajectory_runs(unit);
  struct ts_indices fit = analyse(&runs, (struct ts_analysis_options){.levels = 4});
  assert_int_equal(fit.note_count, 0);
  near(value(&fit, 0, MU_STAR), 3);
  ts_indices_release(&fit);
  struct ts_indices unfit = analyse(&runs, (struct ts_analysis_options){.levels = 20});
  assert_true(has_note(&unfit, "20 levels"));
  near(value(&unfit, 0, MU_STAR), 2 / (20. / 38));
  ts_indices_release(&unfit);
}

static void wrong_rows_are_named(void **state) {
  (void)state;
  double shuffled[18];
  memcpy(shuffled, unit, sizeof unit);
  memcpy(shuffled + 8, unit + 10, 2 * sizeof *unit); /* rows 5 and 6 exchanged */
  memcpy(shuffled + 10, unit + 8, 2 * sizeof *unit);
  struct ts_runs runs = trajectory_runs(shuffled);
  refused(&runs, (struct ts_analysis_options){0}, "rows 4 and 5 of the Morris design differ in 2 parameters");
  runs.layout = TS_LAYOUT_FREE;
  refused(&runs, (struct ts_analysis_options){0}, "rows 4 and 5");
  memcpy(shuffled, unit, sizeof unit);
  shuffled[15] = NAN;
  refused(&runs, (struct ts_analysis_options){0}, "row 8 of the Morris design has no coordinate of 'b'");
  memcpy(shuffled, unit, sizeof unit);
  memcpy(shuffled + 16, unit + 12, 2 * sizeof *unit);
  refused(&runs, (struct ts_analysis_options){0}, "'a' changes twice in the trajectory that starts at row 7");
  runs.row_count = 8;
  refused(&runs, (struct ts_analysis_options){0}, "a multiple of 3 rows, not 8");
  runs = trajectory_runs(unit);
  refused(&runs, (struct ts_analysis_options){.levels = 5}, "even number of levels");
  runs.layout = TS_LAYOUT_SALTELLI;
  refused(&runs, (struct ts_analysis_options){0}, "'trajectories'");
  static const size_t empty_group[] = {1, 1};
  runs = trajectory_runs(unit);
  runs.group_of = empty_group;
  runs.group_names = group_names;
  refused(&runs, (struct ts_analysis_options){0}, "group 'a' has no parameter");
}

/* From the sampler to the indices: a linear model of a real, a grid of 7 levels (by level) and another real. The slope
 * of the grid parameter per unit range is its value per level times the levels, as long as its coordinates are
 * middles. */
static void drawn_designs_are_analysed(void **state) {
  (void)state;
  struct ts_value numbers[7];
  for (size_t i = 0; i < 7; i++) numbers[i] = ts_value_integer((int64_t)i);
  struct ts_parameter real = {.name = "x", .type = TS_VALUE_REAL, .has_range = true, .range_high = 1};
  struct ts_parameter grid = {.name = "g", .type = TS_VALUE_INTEGER, .levels = numbers, .level_count = 7};
  const struct ts_parameter *list[] = {&real, &grid, &real};
  const char *const three[] = {"x", "g", "z"};
  struct ts_space space = {.parameters = list, .count = 3};
  struct ts_error err = {0};
  const struct ts_sampler *sampler = ts_sampler_find("morris", &err);
  for (int radial = 0; radial < 2; radial++) {
    struct ts_points points;
    struct ts_sample_options options = {.count = 20, .seed = 8, .radial = radial != 0};
    assert_true(sampler->draw(&points, &space, &options, &err));
    double model[80];
    for (size_t row = 0; row < 80; row++) {
      const double *at = points.a + row * 3;
      double level = (double)ts_space_value(&grid, at[1], NULL).as.integer;
      model[row] = 2 * at[0] + (radial ? level / 7 : 0) - 5 * at[2];
    }
    struct ts_runs runs = {.names = three,
                           .parameter_count = 3,
                           .row_count = 80,
                           .layout = points.layout,
                           .unit = points.a,
                           .outputs = model,
                           .group_count = 3};
    struct ts_indices indices = analyse(&runs, (struct ts_analysis_options){0});
    const double slopes[] = {2, radial ? 1 : 0, -5};
    for (size_t i = 0; i < 3; i++) {
      near(value(&indices, i, MU), slopes[i]);
      near(value(&indices, i, MU_STAR), fabs(slopes[i]));
      near(value(&indices, i, SIGMA), 0);
    }
    ts_indices_release(&indices);
    ts_points_release(&points);
  }
}

int main(void) {
  vectors_open("expected.json");
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_vector_is_met),
      cmocka_unit_test(groups_of_the_vector_are_met),
      cmocka_unit_test(radial_effects_use_their_own_steps),
      cmocka_unit_test(scaled_radial_effects_follow_the_definition),
      cmocka_unit_test(radial_groups_use_the_mean_step),
      cmocka_unit_test(failed_runs_cost_only_what_touches_them),
      cmocka_unit_test(constant_outputs_have_no_effects),
      cmocka_unit_test(intervals_follow_the_options),
      cmocka_unit_test(levels_that_do_not_fit_are_noted),
      cmocka_unit_test(wrong_rows_are_named),
      cmocka_unit_test(drawn_designs_are_analysed),
  };
  return vectors_close(cmocka_run_group_tests(tests, NULL, NULL));
}
