/* Which parameters pass from the screening to the second phase, the sentences that say why, and which columns and runs
 * the second phase then has.
 * SPDX-License-Identifier: Apache-2.0
 * test-label: one-thread */
#include "unit/base/testing.h"

#include "base/alloc.h"
#include "project/study_method.h"
#include "support/study_case.h"

#include <math.h>

static const struct toy_image image[] = {{"one", 4, 4}};
static const char *const names[] = {"A", "B", "C", "D"};

struct subject {
  struct study_case c;
  struct study_result r;
};

static void subject_init(struct subject *subject, const char *workflow, const char *method, const char *outputs) {
  *subject = (struct subject){0};
  if (!study_case_init(&subject->c, workflow, method, outputs)) fail_msg("%s", study_case_faults(&subject->c));
  study_case_images(&subject->c, image, 1, 0);
  if (!ts_study_methods_settle(&subject->c.project, &subject->c.issues) ||
      !ts_study_begin_phase(&subject->c.work, &subject->r, &subject->c.issues) ||
      !ts_study_plan_round(&subject->c.work, &subject->r, &subject->r.phases[0], &subject->c.issues))
    fail_msg("%s", study_case_faults(&subject->c));
}

static void subject_release(struct subject *subject) {
  ts_study_result_release(&subject->r);
  study_case_release(&subject->c);
}

/* mu* and the ends of its interval. */
static void screen(struct subject *subject, size_t output, const double (*rows)[3], size_t count) {
  const char *const groups[] = {"A", "B", "pair"};
  struct ts_indices *indices =
      study_case_analysis(&subject->c, &subject->r.phases[0], output, count == 3 ? groups : names, count);
  for (size_t i = 0; i < count; i++) study_case_index(indices, i, "mu_star", rows[i][0], rows[i][1], rows[i][2]);
}

/* Names joined by blanks; valid until the next call. */
static const char *joined(const char *const *list, size_t count) {
  static char text[200];
  text[0] = '\0';
  for (size_t i = 0; i < count; i++)
    snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", i ? " " : "", list[i]);
  return text;
}

static void assert_split(const struct subject *subject, const char *kept, const char *dropped) {
  const struct study_phase *first = &subject->r.phases[0];
  assert_string_equal(joined(first->kept, first->kept_count), kept);
  assert_string_equal(joined(first->dropped, first->dropped_count), dropped);
}

/* The largest mu* is 10; upper ends 11, 1, 0.99 and 0.5. B reaches exactly a tenth of it. */
static const double usual[][3] = {{10, 9, 11}, {0.5, 0.2, 1}, {0.9, 0.8, 0.99}, {0.4, 0.3, 0.5}};

static void check_rule(const char *keep, const double (*rows)[3], const char *kept, const char *dropped,
                       const char *rule) {
  struct subject subject;
  char method[200];
  snprintf(method, sizeof method, "{\"name\": \"two-phase\", \"then\": {\"name\": \"vbd\", \"samples\": 4}%s}", keep);
  subject_init(&subject, probe_workflow, method, NULL);
  screen(&subject, 0, rows, 4);
  assert_true(ts_study_begin_phase(&subject.c.work, &subject.r, &subject.c.issues));
  assert_split(&subject, kept, dropped);
  assert_string_equal(subject.r.phases[0].rule, rule);
  const struct parameter_sets *sets = &subject.r.phases[1].sets;
  assert_string_equal(joined(sets->design.names, sets->design.column_count), kept);
  assert_int_equal(sets->count, 4 * (subject.r.phases[0].kept_count + 2));
  assert_int_equal(subject.r.phases[1].first, 50);
  subject_release(&subject);
}

static void the_upper_end_decides(void **state) {
  (void)state;
  const char *tenth = "the upper end of the mu* interval reaches 10 % of the largest mu*";
  check_rule("", usual, "A B", "C D", tenth);
  check_rule(", \"keep\": {\"share\": 0.05}", usual, "A B C D", "",
             "the upper end of the mu* interval reaches 5 % of the largest mu*");
  check_rule(", \"keep\": {\"share\": 0.099, \"max\": 2}", usual, "A B", "C D",
             "the upper end of the mu* interval reaches 9.9 % of the largest mu*; at most 2 parameters");
  check_rule(", \"keep\": {\"parameters\": [\"D\", \"B\"]}", usual, "B D", "A C", "named by the user");
  static const double none[][3] = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
  check_rule("", none, "A", "B C D", tenth); /* at least one */
  static const double unknown[][3] = {{10, 9, 11}, {0, 0, 0}, {NAN, NAN, NAN}, {0, 0, 0}};
  check_rule("", unknown, "A C", "B D", tenth);
}

static void any_output_suffices(void **state) {
  (void)state;
  static const double other[][3] = {{0.1, 0, 0.2}, {0.2, 0.1, 0.3}, {0.1, 0.1, 0.1}, {64, 61.25, 68}};
  struct subject subject;
  subject_init(&subject, probe_workflow, "{\"name\": \"two-phase\"}", "[\"tile.table:size\", \"tile.table:cells\"]");
  screen(&subject, 0, usual, 4);
  screen(&subject, 1, other, 4);
  assert_true(ts_study_begin_phase(&subject.c.work, &subject.r, &subject.c.issues));
  assert_split(&subject, "A B D", "C");
  const char *const *why = subject.r.phases[0].why;
  assert_string_equal(why[0], "mu* 10 (9 to 11) of tile.table:size, whose largest is 10");
  assert_string_equal(why[1], "mu* 0.5 (0.2 to 1) of tile.table:size, whose largest is 10");
  assert_string_equal(why[2], "mu* 64 (61.3 to 68) of tile.table:cells, whose largest is 64");
  assert_string_equal(why[3], "mu* 0.9 (0.8 to 0.99) of tile.table:size, whose largest is 10");
  subject_release(&subject);
}

static void groups_go_on_with_all_members(void **state) {
  (void)state;
  static const double rows[][3] = {{0.1, 0, 0.2}, {0.1, 0, 0.2}, {9, 8, 10}};
  struct subject subject;
  subject_init(&subject, probe_grouped_workflow, "{\"name\": \"two-phase\"}", NULL);
  screen(&subject, 0, rows, 3);
  assert_true(ts_study_begin_phase(&subject.c.work, &subject.r, &subject.c.issues));
  assert_split(&subject, "pair", "A B");
  const struct parameter_sets *sets = &subject.r.phases[1].sets;
  assert_string_equal(joined(sets->design.names, sets->design.column_count), "C D");
  for (size_t i = 0; i < sets->count; i++) { /* the others stay at their defaults */
    assert_true(sets->values[4 * i].as.real == 0.5);
    assert_true(sets->values[4 * i + 1].as.real == 0.5);
  }
  subject_release(&subject);
}

/* The screening has 50 runs; with two kept parameters a base sample has 4. Sizes are powers of two. */
static void the_limit_of_runs_shrinks_the_second_phase(void **state) {
  (void)state;
  static const struct {
    size_t most, samples;
    const char *text;
  } cases[] = {
      {50 + 512, 128, ""},
      {50 + 511, 64, "the limit of 561 runs leaves 64 samples for the second phase, instead of 128"},
      {50 + 8, 2, "the limit of 58 runs leaves 2 samples for the second phase, instead of 128"},
      {50 + 7, 0, "after the screening, the limit of 57 runs leaves none for the second phase"},
  };
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    struct subject subject;
    subject_init(&subject, probe_workflow, "{\"name\": \"two-phase\"}", NULL);
    screen(&subject, 0, usual, 4);
    subject.c.project.study.max_runs = cases[i].most;
    assert_int_equal(ts_study_begin_phase(&subject.c.work, &subject.r, &subject.c.issues), cases[i].samples > 0);
    if (cases[i].samples > 0) assert_int_equal(subject.r.phases[1].sets.count, 4 * cases[i].samples);
    assert_string_equal(cases[i].samples ? study_case_warnings(&subject.c) : study_case_faults(&subject.c),
                        cases[i].text);
    subject_release(&subject);
  }
}

static void names_to_keep_are_checked_before_anything_is_run(void **state) {
  (void)state;
  struct study_case c = {0};
  struct study_result r = {0};
  assert_true(study_case_init(&c, probe_workflow,
                              "{\"name\": \"two-phase\", \"keep\": {\"parameters\": [\"A\", \"E\"]}}", NULL));
  assert_false(ts_study_begin_phase(&c.work, &r, &c.issues));
  assert_string_equal(study_case_faults(&c), "the study does not vary 'E'");
  assert_error(&c.issues.faults.items[0], TS_ERR_UNKNOWN_PARAMETER);
  ts_study_result_release(&r);
  study_case_release(&c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_upper_end_decides),
      cmocka_unit_test(any_output_suffices),
      cmocka_unit_test(groups_go_on_with_all_members),
      cmocka_unit_test(the_limit_of_runs_shrinks_the_second_phase),
      cmocka_unit_test(names_to_keep_are_checked_before_anything_is_run),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
