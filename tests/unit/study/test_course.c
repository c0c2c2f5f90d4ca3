/* The strategy of a study: what it varies and sees, faults at their places in the file, sets from a CSV file.
 * SPDX-License-Identifier: Apache-2.0
 * test-label: one-thread */
#include "unit/base/testing.h"

#include "base/file.h"
#include "support/study_case.h"

static const struct toy_image images[] = {{"one", 4, 4}, {"two", 4, 4}};

struct subject {
  struct study_case c;
  struct study_course course;
  struct ts_strategy_batch batch;
};

static bool subject_open(struct subject *subject, const char *workflow, const char *method, const char *outputs) {
  if (!study_case_init(&subject->c, workflow, method, outputs)) fail_msg("%s", study_case_faults(&subject->c));
  study_case_images(&subject->c, images, 2, 0);
  return ts_study_methods_settle(&subject->c.project, &subject->c.issues) &&
         ts_course_open(&subject->course, &subject->c.project, &subject->c.issues);
}

static void subject_release(struct subject *subject) {
  ts_strategy_batch_release(&subject->batch);
  ts_course_release(&subject->course);
  study_case_release(&subject->c);
}

/* ---- What a strategy sees. ---- */

static void outputs_have_files_where_these_have_values(void **state) {
  (void)state;
  static const struct ts_series wanted[] = {{0, TS_NONE}, {0, 0}, {0, 1}, {1, TS_NONE}};
  struct subject subject = {0};
  if (!subject_open(&subject, probe_workflow, NULL, "[\"tile.table:size\", \"all.table:cells\"]"))
    fail_msg("%s", study_case_faults(&subject.c));
  const struct ts_strategy_problem *problem = &subject.course.problem;
  assert_int_equal(problem->series_count, COUNT_OF(wanted));
  for (size_t i = 0; i < COUNT_OF(wanted); i++) {
    assert_int_equal(problem->series[i].output, wanted[i].output);
    assert_int_equal(problem->series[i].subset, wanted[i].subset);
  }
  assert_string_equal(problem->outputs[1], "all.table:cells");
  subject_release(&subject);
}

static void the_first_sets_are_those_of_the_method(void **state) {
  (void)state;
  static const struct {
    const char *method;
    size_t sets;
  } cases[] = {{"{\"name\": \"morris\", \"trajectories\": 3}", 15},
               {"{\"name\": \"vbd\", \"samples\": 4}", 24},
               {"{\"name\": \"vbd\", \"samples\": 4, \"second_order\": true}", 40},
               {"{\"name\": \"two-phase\", \"screen\": {\"trajectories\": 2}}", 10},
               {"{\"name\": \"lhs\", \"samples\": 9}", 9}};
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    struct subject subject = {0};
    if (!subject_open(&subject, probe_workflow, cases[i].method, NULL)) fail_msg("%s", study_case_faults(&subject.c));
    assert_true(ts_course_ask(&subject.course, &subject.batch));
    assert_int_equal(subject.batch.count, cases[i].sets);
    assert_int_equal(subject.course.column_count, 4);
    assert_string_equal(subject.course.columns[3], "D");
    assert_false(ts_course_is_given(&subject.course));
    subject_release(&subject);
  }
}

static void sets_of_another_phase_are_counted(void **state) {
  (void)state;
  static const char *const only[] = {"A", "C"};
  struct subject subject = {0};
  size_t count = 0;
  assert_true(subject_open(&subject, probe_workflow, "{\"name\": \"two-phase\", \"then\": {\"samples\": 8}}", NULL));
  const struct ts_strategy_options *second = &subject.c.project.study.methods[1];
  assert_true(ts_course_count_sets(&subject.c.project, second, only, 2, &count, &subject.c.issues));
  assert_int_equal(count, 8 * 4);
  assert_true(ts_course_count_sets(&subject.c.project, second, NULL, 0, &count, &subject.c.issues));
  assert_int_equal(count, 8 * 6);
  subject_release(&subject);
}

/* ---- Faults. ---- */

static void check_refusal(const char *method, enum ts_error_code code, const char *text, const char *path) {
  struct subject subject = {0};
  assert_false(subject_open(&subject, probe_workflow, method, NULL));
  assert_string_equal(study_case_faults(&subject.c), text);
  const struct ts_error *fault = &subject.c.issues.faults.items[0];
  assert_error(fault, code);
  assert_string_equal(fault->where.path, path);
  assert_string_equal(fault->where.file, *path ? "study.json" : "");
  assert_true(!*path || fault->where.line == 1);
  subject_release(&subject);
}

static void faults_have_their_places(void **state) {
  (void)state;
  check_refusal("{\"name\": \"two-phase\", \"keep\": {\"parameters\": [\"A\", \"E\"]}}", TS_ERR_UNKNOWN_PARAMETER,
                "the study does not vary 'E'", "/method/keep/parameters");
  check_refusal("{\"name\": \"morris\", \"until\": \"ci(mu_sta) < 0.1\"}", TS_ERR_BAD_VALUE,
                "morris has no index 'mu_sta'", "/method/until");
  check_refusal("{\"name\": \"morris\", \"trajectories\": 12, \"max_runs\": 59}", TS_ERR_BAD_VALUE,
                "the first round has 60 runs, but at most 59 are allowed", "/method/max_runs");
  check_refusal("{\"name\": \"fast\", \"samples\": 65, \"harmonics\": 5}", TS_ERR_BAD_VALUE,
                "a FAST curve of '65' rows is too short for 5 harmonics", "/method");
  check_refusal("{\"name\": \"vbd\", \"samples\": 9999999}", TS_ERR_BAD_VALUE, "'9999999' samples are too many", "");
}

/* ---- Given as a file. ---- */

static bool read_design(struct subject *subject, const char *text) {
  static char path[80]; /* the request borrows it */
  char folder[64];
  struct ts_error err = {0};
  snprintf(path, sizeof path, "%s/d.csv", scratch_create(folder));
  assert_true(ts_file_write(path, text, strlen(text), &err));
  *subject = (struct subject){.c.request = {.design = path}};
  bool read = subject_open(subject, probe_workflow, NULL, NULL);
  scratch_remove(folder);
  return read;
}

static void columns_of_a_file_are_found_by_name(void **state) {
  (void)state;
  static const double wanted[][2] = {{0.125, 1}, {0, 0.25}, {0.125, 1}};
  struct subject subject;
  if (!read_design(&subject, "C,A\n0.125,1\n\"0\",0.25\n0.125,1\n")) fail_msg("%s", study_case_faults(&subject.c));
  assert_string_equal(study_case_warnings(&subject.c), "");
  assert_true(ts_course_is_given(&subject.course));
  assert_true(ts_course_ask(&subject.course, &subject.batch));
  assert_int_equal(subject.batch.count, COUNT_OF(wanted)); /* equal rows are kept: results have one each */
  assert_int_equal(subject.course.column_count, 2);
  assert_string_equal(subject.course.columns[0], "C");
  assert_string_equal(subject.course.columns[1], "A");
  for (size_t i = 0; i < 2 * COUNT_OF(wanted); i++)
    assert_true(subject.batch.values[i].as.real == wanted[i / 2][i % 2]);
  subject_release(&subject);
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
    struct subject subject;
    assert_false(read_design(&subject, cases[i].text));
    assert_int_equal(subject.c.issues.faults.count, 1);
    assert_error(&subject.c.issues.faults.items[0], cases[i].code);
    assert_int_equal(subject.c.issues.faults.items[0].where.line, cases[i].line);
    assert_int_equal(subject.c.issues.faults.items[0].where.column, cases[i].column);
    subject_release(&subject);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(outputs_have_files_where_these_have_values),
      cmocka_unit_test(the_first_sets_are_those_of_the_method),
      cmocka_unit_test(sets_of_another_phase_are_counted),
      cmocka_unit_test(faults_have_their_places),
      cmocka_unit_test(columns_of_a_file_are_found_by_name),
      cmocka_unit_test(a_wrong_file_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
