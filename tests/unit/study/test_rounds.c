/* Rounds of a study: how much each kind of design grows, which ones keep their rows, where the budget ends it and what
 * the sentence about it says.
 * SPDX-License-Identifier: Apache-2.0
 * test-label: one-thread */
#include "unit/base/testing.h"

#include "base/alloc.h"
#include "project/study_method.h"
#include "support/study_case.h"

#include <math.h>

static const struct toy_image image[] = {{"one", 4, 4}};

struct subject {
  struct study_case c;
  struct study_result r;
  struct study_phase *phase;
};

/* The first round is planned, as if it were run. */
static void subject_init(struct subject *subject, const char *method) {
  *subject = (struct subject){0};
  if (!study_case_init(&subject->c, probe_workflow, method, NULL)) fail_msg("%s", study_case_faults(&subject->c));
  study_case_images(&subject->c, image, 1, 0);
  subject->phase = &subject->r.phases[0];
  if (!ts_study_methods_settle(&subject->c.project, &subject->c.issues) ||
      !ts_study_begin_phase(&subject->c.work, &subject->r, &subject->c.issues) ||
      !ts_study_plan_round(&subject->c.work, &subject->r, subject->phase, &subject->c.issues))
    fail_msg("%s", study_case_faults(&subject->c));
}

static void subject_release(struct subject *subject) {
  ts_study_result_release(&subject->r);
  study_case_release(&subject->c);
}

/* Grows once and plans the round; NULL, or the reason why not. */
static const char *grow(struct subject *subject) {
  const char *reason = NULL;
  if (!ts_study_grow(&subject->c.work, &subject->r, subject->phase, &reason, &subject->c.issues)) {
    assert_string_equal(study_case_faults(&subject->c), "");
    assert_non_null(reason);
    return reason;
  }
  if (!ts_study_plan_round(&subject->c.work, &subject->r, subject->phase, &subject->c.issues))
    fail_msg("%s", study_case_faults(&subject->c));
  return NULL;
}

/* ---- Sizes. ---- */

/* `sizes` ends with 0; every round keeps the rows of those before it, or all rows are new. */
static void check_sizes(const char *method, const size_t *sizes, size_t rows_per_size, bool keeps, const char *end) {
  struct subject subject;
  subject_init(&subject, method);
  size_t total = 0;
  for (size_t i = 0; sizes[i]; i++) {
    const char *reason = i > 0 ? grow(&subject) : NULL;
    if (reason) fail_msg("%s: ends before %zu: %s", method, sizes[i], reason);
    total = (keeps ? 0 : total) + sizes[i] * rows_per_size;
    if (ts_study_phase_size(subject.phase) != sizes[i])
      fail_msg("%s: size %zu, not %zu", method, ts_study_phase_size(subject.phase), sizes[i]);
    assert_int_equal(subject.r.sets.count, total);
    assert_int_equal(subject.phase->first, keeps ? 0 : total - sizes[i] * rows_per_size);
    assert_int_equal(subject.phase->rounds, i + 1);
    assert_int_equal(subject.r.round_count, i + 1);
    const struct study_round *round = &subject.r.rounds[i];
    assert_int_equal(round->first + round->count, total);
    assert_int_equal(round->first, i > 0 ? subject.r.rounds[i - 1].first + subject.r.rounds[i - 1].count : 0);
  }
  const char *reason = grow(&subject);
  if (!reason || strcmp(reason, end) != 0) fail_msg("%s: '%s', not '%s'", method, reason ? reason : "", end);
  subject_release(&subject);
}

/* Half as many again, rounded up; the last round takes what the budget leaves. Four parameters: 5 runs per
 * trajectory. */
static void morris_grows_by_half(void **state) {
  (void)state;
  static const size_t from_two[] = {2, 3, 5, 8, 12, 18, 27, 40, 0},
                      from_ten[] = {10, 15, 23, 35, 53, 80, 120, 180, 200, 0};
  check_sizes("{\"name\": \"morris\", \"trajectories\": 2}", from_two, 5, true,
              "the next round would need 300 runs in all, more than 20 times those of the first round, of 200");
  check_sizes("{\"name\": \"morris\", \"trajectories\": 10}", from_ten, 5, true,
              "the next round would need 1500 runs in all, more than 20 times those of the first round, of 1000");
}

static void others_double(void **state) {
  (void)state;
  static const size_t four[] = {4, 8, 16, 32, 64, 0}, three[] = {3, 6, 12, 24, 48, 0};
  check_sizes("{\"name\": \"vbd\", \"samples\": 4}", four, 6, true,
              "the next round would need 768 runs in all, more than 20 times those of the first round, of 480");
  check_sizes("{\"name\": \"vbd\", \"samples\": 4, \"second_order\": true}", four, 10, true,
              "the next round would need 1280 runs in all, more than 20 times those of the first round, of 800");
  check_sizes("{\"name\": \"dgsm\", \"samples\": 3}", three, 5, true,
              "the next round would need 480 runs in all, more than 20 times those of the first round, of 300");
  const char *const sequences[] = {"mc", "halton", "sobol-sequence"};
  for (size_t i = 0; i < COUNT_OF(sequences); i++) {
    char method[80];
    snprintf(method, sizeof method, "{\"name\": \"%s\", \"samples\": 4}", sequences[i]);
    check_sizes(method, four, 1, true,
                "the next round would need 128 runs in all, more than 20 times those of the first round, of 80");
  }
}

/* Runs of earlier rounds count against the budget: 4 + 8 + 16 + 32 runs are less than 80, 64 more are not. */
static void some_designs_start_again(void **state) {
  (void)state;
  static const size_t four[] = {4, 8, 16, 32, 0}, curves[] = {65, 130, 260, 520, 0};
  check_sizes("{\"name\": \"lhs\", \"samples\": 4}", four, 1, false,
              "the next round would need 124 runs in all, more than 20 times those of the first round, of 80");
  check_sizes("{\"name\": \"vbd\", \"samples\": 4, \"base\": \"lhs\"}", four, 6, false,
              "the next round would need 744 runs in all, more than 20 times those of the first round, of 480");
  check_sizes("{\"name\": \"fast\", \"samples\": 65}", curves, 4, false,
              "the next round would need 8060 runs in all, more than 20 times those of the first round, of 5200");
}

/* Rows that are kept are the same ones; the sets of the study hold each once. */
static void kept_rows_are_the_same(void **state) {
  (void)state;
  const size_t small = 192, large = 384; /* values: 8 and 16 base samples of 6 runs of 4 parameters */
  struct subject subject;
  subject_init(&subject, "{\"name\": \"vbd\", \"samples\": 8}");
  ts_auto_free struct ts_value *before = ts_calloc(small, sizeof *before);
  memcpy(before, subject.r.sets.values, small * sizeof *before);
  assert_null(grow(&subject));
  for (size_t i = 0; i < small; i++) assert_true(ts_value_equal(&before[i], &subject.r.sets.values[i]));
  for (size_t i = 0; i < large; i++)
    assert_true(ts_value_equal(&subject.phase->sets.values[i], &subject.r.sets.values[i]));
  subject_release(&subject);
}

static void a_limit_of_runs_ends_it(void **state) {
  (void)state;
  static const size_t cut[] = {4, 6, 7, 0}, none[] = {4, 0}, doubled[] = {4, 8, 0};
  check_sizes("{\"name\": \"morris\", \"trajectories\": 4, \"max_runs\": 39}", cut, 5, true,
              "the next round would need 55 runs in all, more than the limit of 39");
  check_sizes("{\"name\": \"morris\", \"trajectories\": 4, \"max_runs\": 24}", none, 5, true,
              "the next round would need 30 runs in all, more than the limit of 24");
  check_sizes("{\"name\": \"vbd\", \"samples\": 4, \"max_runs\": 48}", doubled, 6, true,
              "the next round would need 96 runs in all, more than the limit of 48");
  check_sizes("{\"name\": \"vbd\", \"samples\": 4, \"max_runs\": 47}", none, 6, true,
              "the next round would need 48 runs in all, more than the limit of 47");
  check_sizes("{\"name\": \"lhs\", \"samples\": 4, \"max_runs\": 11}", none, 1, true,
              "the next round would need 12 runs in all, more than the limit of 11");
}

static void a_grid_does_not_grow(void **state) {
  (void)state;
  static const size_t grid[] = {16, 0};
  check_sizes("{\"name\": \"grid\", \"levels\": 2}", grid, 1, true, "runs cannot be added to a grid");
}

/* The rounds of a second phase have what the first one left. */
static void earlier_phases_count(void **state) {
  (void)state;
  struct subject subject;
  subject_init(&subject, "{\"name\": \"vbd\", \"samples\": 4, \"max_runs\": 148}");
  subject.phase->first = 100; /* as if another phase had had so many runs */
  subject.r.sets.count = 124;
  const char *reason = NULL;
  assert_true(ts_study_grow(&subject.c.work, &subject.r, subject.phase, &reason, &subject.c.issues));
  assert_int_equal(subject.phase->first, 100);
  assert_int_equal(subject.phase->sets.count, 48);
  assert_false(ts_study_grow(&subject.c.work, &subject.r, subject.phase, &reason, &subject.c.issues));
  assert_string_equal(reason, "the next round would need 196 runs in all, more than the limit of 148");
  subject_release(&subject);
}

/* ---- Numbers of all runs. ---- */

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
  subject_init(&subject, "{\"name\": \"mc\", \"samples\": 4}");
  deliver(&subject, 0);
  assert_null(grow(&subject));
  deliver(&subject, 0);
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
      cmocka_unit_test(morris_grows_by_half),
      cmocka_unit_test(others_double),
      cmocka_unit_test(some_designs_start_again),
      cmocka_unit_test(kept_rows_are_the_same),
      cmocka_unit_test(a_limit_of_runs_ends_it),
      cmocka_unit_test(a_grid_does_not_grow),
      cmocka_unit_test(earlier_phases_count),
      cmocka_unit_test(a_loss_above_five_percent_is_reported),
      cmocka_unit_test(runs_are_numbered_through_all_rounds),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
