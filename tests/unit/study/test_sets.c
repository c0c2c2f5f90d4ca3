/* Rows of parameter values: defaults where nothing varies, and single values of -p.
 * SPDX-License-Identifier: Apache-2.0
 * test-label: one-thread */
#include "unit/base/testing.h"

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

/* ---- Of a design. ---- */

static void what_is_not_varied_has_its_default(void **state) {
  (void)state;
  static const char *const columns[] = {"D", "B"};
  const struct ts_value points[] = {ts_value_real(0.1), ts_value_real(0.2), ts_value_real(0.3), ts_value_real(0.4)};
  static const double wanted[][PARAMETERS] = {{0.5, 0.2, 0.5, 0.1}, {0.5, 0.4, 0.5, 0.3}, {0.5, 0.4, 0.5, 0.3}};
  struct study_case c = {0};
  struct parameter_sets sets = {0};
  case_init(&c, probe_workflow, NULL);
  ts_sets_append(c.project.workflow, &sets, columns, 2, points, 2);
  ts_sets_append(c.project.workflow, &sets, columns, 2, points, 0); /* nothing */
  ts_sets_append(c.project.workflow, &sets, columns, 2, points + 2, 1);
  assert_int_equal(sets.count, 3);
  for (size_t r = 0; r < 3; r++)
    for (size_t p = 0; p < PARAMETERS; p++) assert_true(value(&sets, r, p) == wanted[r][p]);
  ts_sets_release(&sets);
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

static bool single(struct study_case *c, const struct tessera_setting *settings, size_t count,
                   struct parameter_sets *sets) {
  *c = (struct study_case){.request = {.parameters = settings, .parameter_count = count}};
  case_init(c, TYPED, NULL);
  return ts_sets_single(&c->project, sets, &c->issues);
}

static void settings_are_read_by_type(void **state) {
  (void)state;
  static const struct tessera_setting settings[] = {{"word", "green"}, {"n", "4"}, {"flag", "true"}};
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
  static const struct tessera_setting settings[] = {{"wort", "red"}, {"n", "10"}, {"m", "much"}, {"flag", "true"}};
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
  static const struct tessera_setting settings[] = {{"n", "6"}, {"m", "6"}};
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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_not_varied_has_its_default),
      cmocka_unit_test(settings_are_read_by_type),
      cmocka_unit_test(every_wrong_setting_is_reported),
      cmocka_unit_test(constraints_hold_for_the_whole_set),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
