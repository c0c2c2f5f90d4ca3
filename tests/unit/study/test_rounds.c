/* Rounds of a study: the sets that its strategy asks for are planned, and their numbers go through all rounds.
 * SPDX-License-Identifier: Apache-2.0 */
#include "unit/base/testing.h"

#include "base/alloc.h"
#include "support/study_case.h"

#include <math.h>

static const struct toy_image image[] = {{"one", 4, 4}};

struct subject {
  struct study_case c;
  struct study_result r;
};

static bool plan(struct subject *subject) {
  bool done = false;
  if (!ts_study_plan_round(&subject->c.work, &subject->r, &done, &subject->c.issues))
    fail_msg("%s", study_case_faults(&subject->c));
  return !done;
}

/* The first round is planned. */
static void subject_init(struct subject *subject, const char *method) {
  *subject = (struct subject){0};
  if (!study_case_init(&subject->c, probe_workflow, method, NULL)) fail_msg("%s", study_case_faults(&subject->c));
  study_case_images(&subject->c, image, 1, 0);
  if (!ts_study_methods_settle(&subject->c.project, &subject->c.issues) ||
      !ts_course_open(&subject->r.course, &subject->c.project, &subject->c.issues))
    fail_msg("%s", study_case_faults(&subject->c));
  assert_true(plan(subject));
}

static void subject_release(struct subject *subject) {
  ts_study_result_release(&subject->r);
  study_case_release(&subject->c);
}

/* Delivers the number `set` as size of every run but those that `lost` names. */
static void deliver(struct subject *subject, size_t lost) {
  struct ts_error err = {0};
  const struct study_round *round = &subject->r.rounds[subject->r.round_count - 1];
  for (size_t i = 0; i < round->count; i++) {
    struct ts_data *table = ts_data_create_table(1, PROBE_COLUMNS, probe_columns, &err);
    double *cells = ts_data_writable(table);
    for (size_t c = 0; c < PROBE_COLUMNS; c++) cells[c] = c == PROBE_SIZE ? (double)(round->first + i) : 0;
    if (round->first + i >= lost)
      assert_true(ts_collector_product(round->collector, round->plan->products[i].node, 0, 0, table));
    ts_data_unref(table);
  }
}

static void check_losses(size_t lost, const char *warning) {
  struct subject subject;
  subject_init(&subject, "{\"name\": \"mc\", \"samples\": 40}");
  deliver(&subject, lost);
  assert_true(ts_study_sum_up(&subject.c.work, &subject.r, true, &subject.c.issues));
  for (size_t i = 0; i < 40; i++) {
    assert_int_equal(isnan(subject.r.outputs[i]), i < lost);
    if (i >= lost) assert_true(subject.r.outputs[i] == (double)i);
    assert_true(i < lost || ts_study_value(&subject.r, i, 0) == (double)i);
  }
  assert_string_equal(study_case_warnings(&subject.c), warning);
  subject_release(&subject);
}

/* 2 of 40 are 5 %, which is no reason to warn; 3 are more. */
static void a_loss_above_five_percent_is_reported(void **state) {
  (void)state;
  check_losses(0, "");
  check_losses(2, "");
  check_losses(3, "3 of 40 runs gave no value; the effects that touch them are left out");
}

static void runs_are_numbered_through_all_rounds(void **state) {
  (void)state;
  struct subject subject;
  subject_init(&subject, "{\"name\": \"mc\", \"samples\": 4, \"until\": \"ci(pearson) < 1e-9\"}");
  deliver(&subject, 0);
  assert_true(plan(&subject)); /* nothing is known: more are asked for */
  deliver(&subject, 0);
  assert_int_equal(subject.r.sets.count, 8);
  assert_int_equal(subject.r.course.history.count, 8);
  assert_int_equal(subject.r.round_count, 2);
  assert_int_equal(subject.r.rounds[1].first, 4);
  for (size_t i = 0; i < 8 * 4; i++) /* A, B, C and D are all parameters */
    assert_true(ts_value_equal(&subject.r.sets.values[i], &subject.r.course.history.points[i]));
  for (size_t i = 0; i < 8; i++) {
    assert_true(ts_study_value(&subject.r, i, 0) == (double)i);
    assert_true(ts_study_file_value(&subject.r, i, 0, 0) == (double)i);
    assert_true(ts_study_tile_value(&subject.r, i, 0, 0) == (double)i);
  }
  assert_true(ts_study_is_per_tile(&subject.r, 0));
  subject_release(&subject);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_loss_above_five_percent_is_reported),
      cmocka_unit_test(runs_are_numbered_through_all_rounds),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
