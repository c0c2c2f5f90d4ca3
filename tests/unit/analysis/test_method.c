/* Tests of analysis/method.c and methods.c: finding a method, the checks before it runs, and the table of results.
 * SPDX-License-Identifier: Apache-2.0 */
#include "analysis/method.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char *const names[] = {"width", "height"};
static const double some_outputs[] = {1, 2, 3, 4};

static size_t calls;

/* Counts its calls; fails on negative outputs. */
static bool fake_analyse(const struct ts_runs *runs, const struct ts_analysis_options *options, struct ts_pool *pool,
                         struct ts_indices *indices, struct ts_error *err) {
  (void)options;
  (void)pool;
  calls++;
  if (!ts_indices_check_outputs(indices, runs, err)) return false;
  if (runs->outputs[0] < 0) return ts_fail(err, TS_ERR_BAD_VALUE, "a negative output");
  ts_indices_note(indices, "note %d", 1);
  ts_indices_note(indices, "note %d", 2);
  return true;
}

static const enum ts_layout fake_layouts[] = {TS_LAYOUT_RADIAL, TS_LAYOUT_FAST};
static const struct ts_method any = {.name = "any", .columns = {"a", "b"}, .analyse = fake_analyse};
static const struct ts_method strict = {.name = "strict",
                                        .columns = {"a", "b"},
                                        .layouts = fake_layouts,
                                        .layout_count = 2,
                                        .needs = TS_NEEDS_UNIT | TS_NEEDS_VALUES,
                                        .analyse = fake_analyse};

static struct ts_runs some_runs(void) {
  return (struct ts_runs){
      .names = names, .parameter_count = 2, .group_count = 2, .row_count = 4, .outputs = some_outputs};
}

static void refused(const struct ts_method *method, const struct ts_runs *runs,
                    const struct ts_analysis_options *options, const char *part) {
  struct ts_error err = {0};
  struct ts_indices indices;
  size_t before = calls;
  assert_false(ts_analyse(method, runs, options, NULL, &indices, &err));
  assert_int_equal(calls, before);
  assert_int_equal(err.code, TS_ERR_BAD_VALUE);
  assert_true(err.help[0]);
  if (strstr(err.text, part)) return;
  print_error("'%s' does not say '%s'\n", err.text, part);
  fail();
}

static void methods_are_found_by_name_and_alias(void **state) {
  (void)state;
  struct ts_error err = {0};
  const struct ts_method *method = ts_method_find("vbd", &err);
  assert_non_null(method);
  assert_ptr_equal(method, ts_method_find("sobol", &err));
  assert_null(ts_method_find("sobl", &err));
  assert_int_equal(err.code, TS_ERR_USAGE);
  assert_non_null(strstr(err.text, "'sobl'"));
  assert_non_null(strstr(err.help, "'sobol'"));
  struct ts_error other = {0};
  assert_null(ts_method_find("qqqqqqqqqqqqqqqq", &other));
  assert_non_null(strstr(other.help, "vbd"));
}

/* What every entry of the table owes to those who print it. */
static void every_method_describes_itself(void **state) {
  (void)state;
  for (size_t i = 0; ts_methods[i]; i++) {
    const struct ts_method *method = ts_methods[i];
    assert_true(method->name && method->title && method->assumes && method->interval && method->analyse);
    assert_non_null(method->columns[0]);
    assert_null(method->columns[7]);
    struct ts_error err = {0};
    assert_ptr_equal(ts_method_find(method->name, &err), method);
    if (method->alias) assert_ptr_equal(ts_method_find(method->alias, &err), method);
    bool ranked = false;
    for (size_t c = 0; method->columns[c]; c++) ranked |= strcmp(method->columns[c], method->rank_by) == 0;
    assert_true(ranked);
    assert_true((method->layout_count == 0) == (method->layouts == NULL));
  }
}

static void layouts_and_needs_are_checked(void **state) {
  (void)state;
  struct ts_runs runs = some_runs();
  double table[8] = {0};
  runs.unit = table;
  runs.values = table;
  refused(&strict, &runs, NULL, "method 'strict' needs the rows of a 'radial' or 'fast' design, not 'free'");
  runs.layout = TS_LAYOUT_FAST;
  struct ts_error err = {0};
  struct ts_indices indices;
  assert_true(ts_analyse(&strict, &runs, NULL, NULL, &indices, &err));
  ts_indices_release(&indices);
  runs.unit = NULL;
  refused(&strict, &runs, NULL, "unit coordinates");
  runs.unit = table;
  runs.values = NULL;
  refused(&strict, &runs, NULL, "parameter values");
}

static void empty_input_is_refused(void **state) {
  (void)state;
  struct ts_runs runs = some_runs();
  runs.row_count = 0;
  refused(&any, &runs, NULL, "no runs");
  runs = some_runs();
  runs.parameter_count = runs.group_count = 0;
  refused(&any, &runs, NULL, "no varied parameter");
  runs = some_runs();
  static const double wrong[] = {1, 1.5, -0.1, NAN, INFINITY};
  for (size_t i = 0; i < 5; i++) {
    struct ts_analysis_options options = {.confidence = wrong[i]};
    refused(&any, &runs, &options, "between 0 and 1");
  }
}

static void results_start_unknown(void **state) {
  (void)state;
  struct ts_runs runs = some_runs();
  struct ts_error err = {0};
  struct ts_indices indices;
  struct ts_analysis_options options = {.confidence = 0.8};
  assert_true(ts_analyse(&any, &runs, &options, NULL, &indices, &err));
  assert_int_equal(indices.name_count, 2);
  assert_int_equal(indices.column_count, 2);
  assert_int_equal(indices.row_count, 4);
  assert_true(indices.confidence == 0.8);
  assert_string_equal(indices.names[1], "height");
  for (size_t i = 0; i < 4; i++) assert_true(isnan(indices.cells[i].value) && isnan(indices.cells[i].high));
  assert_int_equal(indices.usable[1], 0);
  assert_int_equal(ts_indices_column(&indices, "b"), 1);
  assert_true(ts_indices_column(&indices, "c") == TS_NONE);
  assert_int_equal(indices.note_count, 2);
  assert_string_equal(indices.notes[0], "note 1");
  assert_string_equal(indices.notes[1], "note 2");
  ts_indices_release(&indices);
}

static void groups_give_the_names(void **state) {
  (void)state;
  static const size_t group_of[] = {0, 0};
  static const char *const group_names[] = {"size"};
  struct ts_runs runs = some_runs();
  runs.group_of = group_of;
  runs.group_count = 1;
  runs.group_names = group_names;
  struct ts_error err = {0};
  struct ts_indices indices;
  assert_true(ts_analyse(&any, &runs, NULL, NULL, &indices, &err));
  assert_int_equal(indices.name_count, 1);
  assert_string_equal(indices.names[0], "size");
  ts_indices_release(&indices);
}

static void a_failing_method_leaves_nothing_behind(void **state) {
  (void)state;
  static const double negative[] = {-1, 2, 3, 4};
  struct ts_runs runs = some_runs();
  runs.outputs = negative;
  struct ts_error err = {0};
  struct ts_indices indices;
  assert_false(ts_analyse(&any, &runs, NULL, NULL, &indices, &err));
  assert_null(indices.names);
  assert_null(indices.arena.blocks);
}

/* One of 20 is not above 5 %, two are. */
static void losses_and_constants_are_noted(void **state) {
  (void)state;
  double outputs[20];
  for (size_t i = 0; i < 20; i++) outputs[i] = (double)i;
  struct ts_runs runs = some_runs();
  runs.outputs = outputs;
  runs.row_count = 20;
  struct ts_error err = {0};
  struct ts_analysis_options options = {0};
  for (size_t lost = 1; lost <= 20; lost++) {
    outputs[20 - lost] = lost % 2 ? NAN : INFINITY;
    struct ts_indices indices;
    ts_indices_init(&indices, &any, &runs, &options);
    assert_int_equal(ts_indices_check_outputs(&indices, &runs, &err), lost < 20);
    assert_int_equal(indices.lost_count, lost);
    /* A single output that is left never changes. */
    assert_int_equal(indices.note_count, lost == 20 ? 0 : (lost > 1) + (lost == 19));
    ts_indices_release(&indices);
  }
  assert_int_equal(err.code, TS_ERR_BAD_VALUE);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(methods_are_found_by_name_and_alias),
      cmocka_unit_test(every_method_describes_itself),
      cmocka_unit_test(layouts_and_needs_are_checked),
      cmocka_unit_test(empty_input_is_refused),
      cmocka_unit_test(results_start_unknown),
      cmocka_unit_test(groups_give_the_names),
      cmocka_unit_test(a_failing_method_leaves_nothing_behind),
      cmocka_unit_test(losses_and_constants_are_noted),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
