/* Phases in words: what the screening kept and why, by which rule, how a condition ended.
 * SPDX-License-Identifier: Apache-2.0
 * test-label: one-thread */
#include "api/api_int.h"
#include "unit/base/testing.h"

#include "base/alloc.h"
#include "support/study_case.h"

#include <math.h>

static struct ts_candidate candidates[] = {
    {"A", 0, 1.1, {10, 9, 11}, 10, true},
    {"B", 0, 0.099, {0.9, 0.8, 0.99}, 10, false},
    {"C", 1, 1.0625, {64, 61.25, 68}, 64, true},
    {"D", 1, INFINITY, {NAN, NAN, NAN}, 0, true},
};

struct subject {
  struct study_case c;
  struct study_result r;
  struct ts_phase screening, second;
  json_t *phases; /* owned */
};

static void subject_init(struct subject *subject, const char *keep) {
  static const char *names[] = {"A", "B", "C", "D"};
  *subject = (struct subject){0};
  char method[200];
  snprintf(method, sizeof method, "{\"name\": \"two-phase\"%s}", keep);
  if (!study_case_init(&subject->c, probe_workflow, method, "[\"tile.table:size\", \"tile.table:cells\"]"))
    fail_msg("%s", study_case_faults(&subject->c));
  subject->screening =
      (struct ts_phase){.candidates = candidates, .candidate_count = COUNT_OF(candidates), .rounds = 2};
  subject->second = (struct ts_phase){.first = 50, .rounds = 1};
  subject->screening.design = subject->second.design = (struct ts_design){.names = names, .column_count = 4};
  subject->r.found.phases[0] = &subject->screening;
  subject->r.found.phases[1] = &subject->second;
  subject->r.found.phase_count = 2;
  subject->r.efforts[0] = (struct study_effort){100, 70};
  subject->phases = ts_study_phases_json(&subject->c.project, &subject->r);
}

static void subject_release(struct subject *subject) {
  json_decref(subject->phases);
  study_case_release(&subject->c);
}

static const char *text(const json_t *phase, const char *key) { return json_string_value(json_object_get(phase, key)); }

static void assert_names(const json_t *list, const char *const *names, size_t count) {
  assert_int_equal(json_array_size(list), count);
  for (size_t i = 0; i < count; i++) assert_string_equal(json_string_value(json_array_get(list, i)), names[i]);
}

static void every_parameter_has_a_reason(void **state) {
  (void)state;
  static const char *const kept[] = {"A", "C", "D"}, *const dropped[] = {"B"};
  struct subject subject;
  subject_init(&subject, "");
  const json_t *first = json_array_get(subject.phases, 0), *why = json_object_get(first, "why");
  assert_names(json_object_get(first, "kept"), kept, 3);
  assert_names(json_object_get(first, "dropped"), dropped, 1);
  assert_string_equal(text(why, "A"), "mu* 10 (9 to 11) of tile.table:size, whose largest is 10");
  assert_string_equal(text(why, "B"), "mu* 0.9 (0.8 to 0.99) of tile.table:size, whose largest is 10");
  assert_string_equal(text(why, "C"), "mu* 64 (61.3 to 68) of tile.table:cells, whose largest is 64");
  assert_string_equal(text(why, "D"), "nothing is known about its effect on tile.table:cells");
  subject_release(&subject);
}

static void check_rule(const char *keep, const char *rule) {
  struct subject subject;
  subject_init(&subject, keep);
  assert_string_equal(text(json_array_get(subject.phases, 0), "rule"), rule);
  subject_release(&subject);
}

static void the_rule_is_named(void **state) {
  (void)state;
  check_rule("", "the upper end of the mu* interval reaches 10 % of the largest mu*");
  check_rule(", \"keep\": {\"share\": 0.05}", "the upper end of the mu* interval reaches 5 % of the largest mu*");
  check_rule(", \"keep\": {\"share\": 0.099, \"max\": 2}",
             "the upper end of the mu* interval reaches 9.9 % of the largest mu*; at most 2 parameters");
  check_rule(", \"keep\": {\"parameters\": [\"D\", \"B\"]}", "named by the user");
}

static void phases_have_names_and_counts(void **state) {
  (void)state;
  struct subject subject;
  subject_init(&subject, ", \"then\": {\"name\": \"lhs\"}");
  const json_t *first = json_array_get(subject.phases, 0), *second = json_array_get(subject.phases, 1);
  assert_string_equal(text(first, "name"), "screening");
  assert_string_equal(text(first, "method"), "morris");
  assert_string_equal(text(second, "name"), "then");
  assert_string_equal(text(second, "method"), "lhs");
  assert_int_equal(json_integer_value(json_object_get(first, "rounds")), 2);
  assert_int_equal(json_integer_value(json_object_get(second, "first_run")), 50);
  assert_int_equal(json_integer_value(json_object_get(first, "reused")), 30);
  assert_null(json_object_get(second, "rule"));
  subject_release(&subject);
}

static void how_a_condition_ended(void **state) {
  (void)state;
  struct subject subject;
  subject_init(&subject, ", \"until\": \"ci(ST) < 0.2\"");
  const struct ts_verdict verdict = {.is_used = true, .rounds = 3, .blocks = 12, .reason = "too wide"};
  json_t *found = ts_study_until_json(&subject.c.project, &verdict);
  json_t *wanted = json_pack("{s:s, s:b, s:i, s:i, s:s}", "text", "ci(ST) < 0.2", "met", 0, "rounds", 3, "blocks", 12,
                             "reason", "too wide");
  assert_true(json_equal(found, wanted));
  json_decref(found);
  json_decref(wanted);
  subject_release(&subject);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_parameter_has_a_reason),
      cmocka_unit_test(the_rule_is_named),
      cmocka_unit_test(phases_have_names_and_counts),
      cmocka_unit_test(how_a_condition_ended),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
