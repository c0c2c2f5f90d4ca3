/* Rows of parameter values: defaults where nothing varies, rows of later phases appended to those of the first, single
 * values of -p, and sets from a CSV file.
 * SPDX-License-Identifier: Apache-2.0
 * test-label: one-thread */
#include "unit/base/testing.h"

#include "base/file.h"
#include "project/study_method.h"
#include "support/study_case.h"

enum { PARAMETERS = 4 }; /* A, B, C and D of the probes, each 0.5 by default */

static void case_init(struct study_case *c, const char *workflow, const char *method) {
  if (!study_case_init(c, workflow, method, NULL) || !ts_study_methods_settle(&c->project, &c->issues))
    fail_msg("%s", study_case_faults(c));
}

static double value(const struct parameter_sets *sets, size_t row, size_t parameter) {
  const struct ts_value *v = &sets->values[row * PARAMETERS + parameter];
  assert_int_equal(v->type, TS_VALUE_REAL);
  return v->as.real;
}

static double cell(const struct parameter_sets *sets, size_t row, size_t column) {
  return sets->design.values[row * sets->design.column_count + column].as.real;
}

/* ---- Drawn. ---- */

static void what_is_not_varied_has_its_default(void **state) {
  (void)state;
  static const char *const only[] = {"B", "D"};
  struct study_case c = {0};
  struct parameter_sets sets;
  case_init(&c, probe_workflow, "{\"name\": \"mc\", \"samples\": 20}");
  assert_true(ts_sets_draw(&c.project, &c.project.study.methods[0], only, 2, 0, &sets, &c.issues));
  assert_int_equal(sets.count, 20);
  assert_int_equal(sets.design.column_count, 2);
  double least[PARAMETERS] = {1, 1, 1, 1}, most[PARAMETERS] = {0};
  for (size_t r = 0; r < sets.count; r++) {
    assert_true(value(&sets, r, 0) == 0.5 && value(&sets, r, 2) == 0.5);
    assert_true(value(&sets, r, 1) == cell(&sets, r, 0) && value(&sets, r, 3) == cell(&sets, r, 1));
    for (size_t p = 0; p < PARAMETERS; p++) {
      assert_true(value(&sets, r, p) >= 0 && value(&sets, r, p) <= 1);
      if (value(&sets, r, p) < least[p]) least[p] = value(&sets, r, p);
      if (value(&sets, r, p) > most[p]) most[p] = value(&sets, r, p);
    }
  }
  assert_true(least[1] < 0.4 && most[1] > 0.6 && least[3] < 0.4 && most[3] > 0.6); /* 20 draws, a fixed seed */
  ts_sets_release(&sets);
  study_case_release(&c);
}

/* Trajectories of k + 1 rows, base samples of k + 2, or 2 k + 2 with pairs; a count of the call comes before the
 * method's. */
static void rows_belong_together(void **state) {
  (void)state;
  static const struct {
    const char *method;
    size_t count, rows, block;
  } cases[] = {{"{\"name\": \"morris\", \"trajectories\": 3}", 0, 15, 5},
               {"{\"name\": \"morris\", \"trajectories\": 3}", 7, 35, 5},
               {"{\"name\": \"vbd\", \"samples\": 4}", 0, 24, 6},
               {"{\"name\": \"vbd\", \"samples\": 4, \"second_order\": true}", 0, 40, 10},
               {"{\"name\": \"lhs\", \"samples\": 9}", 0, 9, 1}};
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    struct study_case c = {0};
    struct parameter_sets sets;
    case_init(&c, probe_workflow, cases[i].method);
    assert_true(ts_sets_draw(&c.project, &c.project.study.methods[0], NULL, 0, cases[i].count, &sets, &c.issues));
    assert_int_equal(sets.count, cases[i].rows);
    assert_int_equal(sets.design.row_count, cases[i].rows);
    assert_int_equal(sets.block_rows, cases[i].block);
    assert_int_equal(sets.group_count, PARAMETERS);
    assert_false(sets.is_given);
    ts_sets_release(&sets);
    study_case_release(&c);
  }
}

static void groups_are_counted_where_they_move(void **state) {
  (void)state;
  static const struct {
    const char *method;
    size_t groups;
  } cases[] = {{"{\"name\": \"morris\"}", 3}, {"{\"name\": \"lhs\", \"samples\": 4}", 4}};
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    struct study_case c = {0};
    struct parameter_sets sets;
    case_init(&c, probe_grouped_workflow, cases[i].method);
    assert_true(ts_sets_draw(&c.project, &c.project.study.methods[0], NULL, 0, 0, &sets, &c.issues));
    assert_int_equal(sets.group_count, cases[i].groups);
    assert_int_equal(sets.group_of != NULL, cases[i].groups < PARAMETERS);
    ts_sets_release(&sets);
    study_case_release(&c);
  }
}

static void a_slip_does_not_take_all_memory(void **state) {
  (void)state;
  static const char *const methods[] = {"{\"name\": \"morris\"}", "{\"name\": \"vbd\"}", "{\"name\": \"lhs\"}"};
  for (size_t i = 0; i < COUNT_OF(methods); i++) {
    struct study_case c = {0};
    struct parameter_sets sets;
    case_init(&c, probe_workflow, methods[i]);
    assert_false(ts_sets_draw(&c.project, &c.project.study.methods[0], NULL, 0, (size_t)1 << 40, &sets, &c.issues));
    assert_int_equal(c.issues.faults.count, 1);
    assert_error(&c.issues.faults.items[0], TS_ERR_BAD_VALUE);
    assert_non_null(strstr(c.issues.faults.items[0].text, "'1099511627776'"));
    ts_sets_release(&sets);
    study_case_release(&c);
  }
}

/* ---- Appended. ---- */

/* Rows of both, from `first` on; columns that the second lacks have their defaults. */
static void check_appended(const struct parameter_sets *all, size_t from, const struct parameter_sets *more,
                           size_t first) {
  assert_int_equal(all->design.row_count, all->count);
  assert_int_equal(all->count, from + more->count - first);
  for (size_t r = 0; r < more->count - first; r++) {
    for (size_t p = 0; p < PARAMETERS; p++) {
      assert_true(value(all, from + r, p) == value(more, first + r, p));
      assert_true(cell(all, from + r, p) == value(more, first + r, p));
    }
  }
}

static void rows_are_appended_with_all_columns(void **state) {
  (void)state;
  static const char *const only[] = {"D", "B"};
  static const char *const names[PARAMETERS] = {"A", "B", "C", "D"};
  struct study_case c = {0};
  struct parameter_sets first, second, all = {0};
  case_init(&c, probe_workflow, "{\"name\": \"mc\", \"samples\": 5}");
  assert_true(ts_sets_draw(&c.project, &c.project.study.methods[0], NULL, 0, 0, &first, &c.issues));
  assert_true(ts_sets_draw(&c.project, &c.project.study.methods[0], only, 2, 7, &second, &c.issues));
  ts_sets_append(&c.project, &all, &first, 0);
  check_appended(&all, 0, &first, 0);
  ts_sets_append(&c.project, &all, &second, 3);
  check_appended(&all, 5, &second, 3);
  ts_sets_append(&c.project, &all, &first, 5); /* nothing */
  ts_sets_append(&c.project, &all, &first, 4);
  check_appended(&all, 9, &first, 4);
  assert_int_equal(all.count, 5 + 4 + 1);
  assert_int_equal(all.design.column_count, PARAMETERS);
  for (size_t p = 0; p < PARAMETERS; p++) assert_string_equal(all.design.names[p], names[p]);
  for (size_t r = 0; r < first.count; r++) /* the earlier ones are as they were */
    for (size_t p = 0; p < PARAMETERS; p++) assert_true(cell(&all, r, p) == value(&first, r, p));
  for (size_t r = 5; r < 9; r++) assert_true(cell(&all, r, 0) == 0.5 && cell(&all, r, 2) == 0.5);
  ts_sets_release(&first);
  ts_sets_release(&second);
  ts_sets_release(&all); /* owns all that it has */
  study_case_release(&c);
}

/* ---- One set, from the command line. ---- */

#define TYPED                                                                                                          \
  "{\"tessera\": 1, \"name\": \"typed\", \"inputs\": {\"data\": {\"type\": \"table\"}}, \"parameters\": {"             \
  "\"n\": {\"type\": \"integer\", \"range\": [0, 9], \"default\": 3}, "                                                \
  "\"m\": {\"type\": \"integer\", \"range\": [0, 9], \"default\": 5}, "                                                \
  "\"flag\": {\"type\": \"boolean\", \"default\": false}, "                                                            \
  "\"word\": {\"type\": \"string\", \"grid\": [\"red\", \"green\"], \"default\": \"red\"}}, "                          \
  "\"constraints\": [\"n <= m\"], \"stages\": ["                                                                       \
  "{\"name\": \"tile\", \"per\": \"file\", \"in\": {\"data\": \"data\"}, "                                             \
  "\"out\": {\"table\": \"u.out\", \"more\": \"v.out\", \"rest\": \"w.first\"}, \"tasks\": ["                          \
  "{\"name\": \"u\", \"op\": \"toy.mix\", \"in\": {\"a\": \"data\"}, \"params\": {\"p\": \"n\"}}, "                    \
  "{\"name\": \"v\", \"op\": \"toy.mix\", \"in\": {\"a\": \"data\"}, \"params\": {\"p\": \"m\"}}, "                    \
  "{\"name\": \"w\", \"op\": \"toy.pair\", \"in\": {\"a\": \"data\"}, \"params\": {\"s\": \"word\", \"flag\": "        \
  "\"flag\"}}]}]}"

static bool single(struct study_case *c, const struct ts_parameter_setting *settings, size_t count,
                   struct parameter_sets *sets) {
  *c = (struct study_case){.request = {.parameters = settings, .parameter_count = count}};
  case_init(c, TYPED, NULL);
  return ts_sets_single(&c->project, sets, &c->issues);
}

static void settings_are_read_by_type(void **state) {
  (void)state;
  static const struct ts_parameter_setting settings[] = {{"word", "green"}, {"n", "4"}, {"flag", "true"}};
  struct study_case c;
  struct parameter_sets sets;
  for (int given = 0; given < 2; given++) {
    if (!single(&c, settings, given ? COUNT_OF(settings) : 0, &sets)) fail_msg("%s", study_case_faults(&c));
    const struct ts_value wanted[] = {ts_value_integer(given ? 4 : 3), ts_value_integer(5), ts_value_boolean(given),
                                      ts_value_string(given ? "green" : "red")};
    assert_int_equal(sets.count, 1);
    for (size_t p = 0; p < COUNT_OF(wanted); p++) assert_true(ts_value_equal(&sets.values[p], &wanted[p]));
    ts_sets_release(&sets);
    study_case_release(&c);
  }
}

static void every_wrong_setting_is_reported(void **state) {
  (void)state;
  static const struct ts_parameter_setting settings[] = {{"wort", "red"}, {"n", "10"}, {"m", "much"}, {"flag", "true"}};
  static const enum ts_error_code codes[] = {TS_ERR_UNKNOWN_PARAMETER, TS_ERR_OUTSIDE_DOMAIN, TS_ERR_BAD_VALUE};
  struct study_case c;
  struct parameter_sets sets;
  assert_false(single(&c, settings, COUNT_OF(settings), &sets));
  assert_int_equal(c.issues.faults.count, COUNT_OF(codes));
  for (size_t i = 0; i < COUNT_OF(codes); i++) {
    assert_error(&c.issues.faults.items[i], codes[i]);
    assert_non_null(strstr(c.issues.faults.items[i].text, settings[i].name));
  }
  assert_non_null(strstr(c.issues.faults.items[0].help, "'word'"));
  ts_sets_release(&sets);
  study_case_release(&c);
}

/* Each value is allowed, and the default of the other as well; both together are not. */
static void constraints_hold_for_the_whole_set(void **state) {
  (void)state;
  static const struct ts_parameter_setting settings[] = {{"n", "6"}, {"m", "6"}};
  struct study_case c;
  struct parameter_sets sets;
  assert_true(single(&c, settings, 2, &sets));
  ts_sets_release(&sets);
  study_case_release(&c);
  assert_false(single(&c, settings, 1, &sets)); /* n = 6, m = 5 */
  assert_int_equal(c.issues.faults.count, 1);
  assert_int_equal(c.issues.faults.items[0].code, TS_ERR_CONSTRAINT);
  ts_sets_release(&sets);
  study_case_release(&c);
}

/* ---- Given as a file. ---- */

static bool read_design(struct study_case *c, const char *text, struct parameter_sets *sets) {
  static char path[80]; /* the request borrows it */
  char folder[64];
  struct ts_error err = {0};
  snprintf(path, sizeof path, "%s/d.csv", scratch_create(folder));
  assert_true(ts_file_write(path, text, strlen(text), &err));
  *c = (struct study_case){.request = {.design = path}};
  case_init(c, probe_workflow, NULL);
  bool read = ts_sets_of_study(&c->project, sets, &c->issues);
  scratch_remove(folder);
  return read;
}

static void columns_of_a_file_are_found_by_name(void **state) {
  (void)state;
  static const double wanted[][PARAMETERS] = {{1, 0.5, 0.125, 0.5}, {0.25, 0.5, 0, 0.5}, {1, 0.5, 0.125, 0.5}};
  struct study_case c;
  struct parameter_sets sets;
  if (!read_design(&c, "C,A\n0.125,1\n\"0\",0.25\n0.125,1\n", &sets)) fail_msg("%s", study_case_faults(&c));
  assert_string_equal(study_case_warnings(&c), "");
  assert_true(sets.is_given);
  assert_int_equal(sets.block_rows, 1);
  assert_int_equal(sets.count, COUNT_OF(wanted)); /* equal rows are kept: results have one each */
  assert_string_equal(sets.design.names[0], "C");
  assert_string_equal(sets.design.names[1], "A");
  for (size_t r = 0; r < COUNT_OF(wanted); r++)
    for (size_t p = 0; p < PARAMETERS; p++) assert_true(value(&sets, r, p) == wanted[r][p]);
  ts_sets_release(&sets);
  study_case_release(&c);
}

static void a_wrong_file_is_refused(void **state) {
  (void)state;
  static const struct {
    const char *text;
    enum ts_error_code code;
    int line, column;
  } cases[] = {{"A,E\n0.5,0.5\n", TS_ERR_UNKNOWN_PARAMETER, 1, 3},
               {"A,B\n0.5,0.5\n0.5,x\n", TS_ERR_BAD_VALUE, 3, 5},
               {"A,A\n0.5,0.5\n", TS_ERR_DUPLICATE_NAME, 1, 3}};
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    struct study_case c;
    struct parameter_sets sets;
    assert_false(read_design(&c, cases[i].text, &sets));
    assert_int_equal(c.issues.faults.count, 1);
    assert_error(&c.issues.faults.items[0], cases[i].code);
    assert_int_equal(c.issues.faults.items[0].where.line, cases[i].line);
    assert_int_equal(c.issues.faults.items[0].where.column, cases[i].column);
    ts_sets_release(&sets);
    study_case_release(&c);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_not_varied_has_its_default),  cmocka_unit_test(rows_belong_together),
      cmocka_unit_test(groups_are_counted_where_they_move),  cmocka_unit_test(a_slip_does_not_take_all_memory),
      cmocka_unit_test(rows_are_appended_with_all_columns),  cmocka_unit_test(settings_are_read_by_type),
      cmocka_unit_test(every_wrong_setting_is_reported),     cmocka_unit_test(constraints_hold_for_the_whole_set),
      cmocka_unit_test(columns_of_a_file_are_found_by_name), cmocka_unit_test(a_wrong_file_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
