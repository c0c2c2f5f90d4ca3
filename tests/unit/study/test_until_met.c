/* Whether a condition to stop at is met, and the sentence that says how far away it is: half widths, ranks, several
 * outputs, two phases, what is not known.
 * SPDX-License-Identifier: Apache-2.0
 * test-label: one-thread */
#include "unit/base/testing.h"

#include "base/alloc.h"
#include "support/study_case.h"

#include <math.h>

static const char *const names[] = {"A", "B", "C", "D"};

struct subject {
  struct study_case c;
  struct study_result r;
  struct study_phase *phase; /* of the result; with 12 blocks after 3 rounds */
};

static void subject_init(struct subject *subject, const char *method, const char *outputs, const char *until) {
  struct ts_error err = {0};
  *subject = (struct subject){0};
  if (!study_case_init(&subject->c, probe_workflow, method, outputs)) fail_msg("%s", study_case_faults(&subject->c));
  struct ts_project *project = &subject->c.project;
  if (until && !ts_until_parse(&project->arena, until, &project->study.until, &err)) fail_msg("%s", err.text);
  subject->phase = &subject->r.phases[0];
  *subject->phase =
      (struct study_phase){.method = &project->study.methods[0], .rounds = 3, .sets = {.count = 60, .block_rows = 5}};
}

static void subject_release(struct subject *subject) {
  ts_study_analyses_release(subject->phase);
  study_case_release(&subject->c);
}

/* Sets the value and the half width of one column, for as many names as there are. */
static void fill(struct subject *subject, size_t output, const char *column, const double (*rows)[2], size_t count) {
  struct ts_indices *indices = study_case_analysis(&subject->c, subject->phase, output, names, count);
  for (size_t i = 0; i < count; i++)
    study_case_index(indices, i, column, rows[i][0], rows[i][0] - rows[i][1], rows[i][0] + rows[i][1]);
}

static void assert_verdict(struct subject *subject, bool met, const char *reason) {
  bool more = ts_until_wants_more(&subject->c.work, &subject->r, subject->phase);
  if (strcmp(subject->r.until.reason, reason) != 0)
    fail_msg("%s: '%s', not '%s'", subject->c.project.study.until.text, subject->r.until.reason, reason);
  assert_int_equal(more, !met);
  assert_true(subject->r.until.is_used);
  assert_int_equal(subject->r.until.is_met, met);
}

/* ---- ci ---- */

static void check_widths(const char *until, const double (*rows)[2], size_t count, bool met, const char *reason) {
  struct subject subject;
  subject_init(&subject, NULL, NULL, until);
  fill(&subject, 0, "mu_star", rows, count);
  assert_verdict(&subject, met, reason);
  subject_release(&subject);
}

static void half_the_widest_interval_counts(void **state) {
  (void)state;
  /* Widths are 0.8, 1 and 0.2; the largest index is 10: the widest is half of 1 over 10. */
  static const double rows[][2] = {{10, 0.4}, {2, 0.5}, {0, 0.1}};
  const char *reason = "the widest interval is +-0.05 of the largest mu_star: B of tile.table:size";
  check_widths("ci(mu_star) < 0.051", rows, 3, true, reason);
  check_widths("ci(mu_star) < 0.05", rows, 3, false, reason); /* below, not at most */
  check_widths("ci(mu_star) < 0.049", rows, 3, false, reason);
  check_widths("ci(mu_star) < 0.041", rows, 1, true,
               "the widest interval is +-0.04 of the largest mu_star: A of tile.table:size");
  static const double signs[][2] = {{-8, 0.25}, {4, 0.5}};
  check_widths("ci(mu_star) < 0.07", signs, 2, true,
               "the widest interval is +-0.0625 of the largest mu_star: B of tile.table:size");
}

static void intervals_may_lean_to_one_side(void **state) {
  (void)state;
  struct subject subject;
  subject_init(&subject, NULL, NULL, "ci(mu_star) < 0.3");
  struct ts_indices *indices = study_case_analysis(&subject.c, subject.phase, 0, names, 1);
  study_case_index(indices, 0, "mu_star", 4, 4, 6);
  assert_verdict(&subject, true, "the widest interval is +-0.25 of the largest mu_star: A of tile.table:size");
  subject_release(&subject);
}

static void intervals_without_width_are_sharp(void **state) {
  (void)state;
  static const double rows[][2] = {{0, 0}, {0, 0}};
  check_widths("ci(mu_star) < 0.01", rows, 2, true, "every interval of mu_star of tile.table:size has width 0");
}

static void intervals_that_are_not_known_are_not_sharp(void **state) {
  (void)state;
  const char *reason = "the interval of mu_star is not known: B of tile.table:size";
  static const double unknown[][2] = {{10, 0.1}, {1, NAN}, {2, 0.1}}, nothing[][2] = {{0, 0}, {0, 1}};
  check_widths("ci(mu_star) < 100", unknown, 3, false, reason);
  check_widths("ci(mu_star) < 100", nothing, 2, false, reason); /* no index to be a share of */
}

static void the_named_column_counts(void **state) {
  (void)state;
  static const double wide[][2] = {{0.5, 0.4}}, sharp[][2] = {{0.5, 0.01}};
  struct subject subject;
  subject_init(&subject, "{\"name\": \"vbd\"}", NULL, "ci(ST) < 0.03");
  fill(&subject, 0, "ST", sharp, 1);
  study_case_index(&subject.phase->analyses[0].indices, 0, "S1", wide[0][0], 0.1, 0.9);
  assert_verdict(&subject, true, "the widest interval is +-0.02 of the largest ST: A of tile.table:size");
  subject_release(&subject);
}

/* ---- rank ---- */

static void check_ranks(const char *until, const double (*rows)[2], bool met, const char *reason) {
  struct subject subject;
  subject_init(&subject, NULL, NULL, until);
  fill(&subject, 0, "mu_star", rows, 4);
  assert_verdict(&subject, met, reason);
  subject_release(&subject);
}

static void the_first_ranks_must_be_apart(void **state) {
  (void)state;
  /* In order: C (20), A (10), D (9), B (2); only A and D overlap. */
  static const double rows[][2] = {{10, 0.6}, {2, 1}, {20, 3}, {9, 0.6}};
  check_ranks("rank(1)", rows, true, "0 of the first 1 ranks of tile.table:size overlap with the next");
  check_ranks("rank(2)", rows, false, "1 of the first 2 ranks of tile.table:size overlap with the next");
  check_ranks("rank(3) settled", rows, false, "1 of the first 3 ranks of tile.table:size overlap with the next");
  static const double all[][2] = {{10, 10}, {9, 10}, {8, 10}, {7, 10}};
  check_ranks("rank(4)", all, false, "3 of the first 4 ranks of tile.table:size overlap with the next");
  check_ranks("rank(99)", all, false, "3 of the first 99 ranks of tile.table:size overlap with the next");
}

static void intervals_that_touch_overlap(void **state) {
  (void)state;
  static const double touching[][2] = {{10, 1}, {8, 1}, {4, 1}, {1, 1}},
                      apart[][2] = {{10, 1}, {7.5, 1}, {4, 1}, {1, 1}};
  check_ranks("rank(1)", touching, false, "1 of the first 1 ranks of tile.table:size overlap with the next");
  check_ranks("rank(4)", touching, false, "1 of the first 4 ranks of tile.table:size overlap with the next");
  check_ranks("rank(4)", apart, true, "0 of the first 4 ranks of tile.table:size overlap with the next");
}

/* ---- Outputs and phases. ---- */

static void every_output_must_meet_it(void **state) {
  (void)state;
  static const double sharp[][2] = {{10, 0.1}}, wide[][2] = {{10, 3}};
  struct subject subject;
  subject_init(&subject, NULL, "[\"tile.table:size\", \"tile.table:cells\", \"all.table:size\"]", "ci(mu_star) < 0.2");
  fill(&subject, 0, "mu_star", sharp, 1);
  fill(&subject, 1, "mu_star", wide, 1);
  fill(&subject, 2, "mu_star", sharp, 1);
  assert_verdict(&subject, false, "the widest interval is +-0.3 of the largest mu_star: A of tile.table:cells");
  study_case_index(&subject.phase->analyses[1].indices, 0, "mu_star", 10, 9.5, 10.5);
  assert_verdict(&subject, true, "the widest interval is +-0.01 of the largest mu_star: A of all.table:size");
  subject.phase->analyses[2].is_known = false;
  assert_verdict(&subject, false, "nothing is known about all.table:size");
  subject_release(&subject);
}

static void rounds_and_blocks_are_reported(void **state) {
  (void)state;
  static const double wide[][2] = {{10, 3}};
  struct subject subject;
  subject_init(&subject, NULL, NULL, "ci(mu_star) < 0.2");
  fill(&subject, 0, "mu_star", wide, 1);
  assert_true(ts_until_wants_more(&subject.c.work, &subject.r, subject.phase));
  json_t *found = ts_until_json(&subject.c.project, &subject.r);
  json_t *wanted = json_pack("{s:s, s:b, s:i, s:i, s:s}", "text", "ci(mu_star) < 0.2", "met", 0, "rounds", 3, "blocks",
                             12, "reason", "the widest interval is +-0.3 of the largest mu_star: A of tile.table:size");
  assert_true(json_equal(found, wanted));
  json_decref(found);
  json_decref(wanted);
  subject_release(&subject);
}

static bool asks(struct subject *subject, size_t phase) {
  subject->phase->method = &subject->c.project.study.methods[phase];
  subject->r.until = (struct study_until_state){0};
  bool more = ts_until_wants_more(&subject->c.work, &subject->r, subject->phase);
  assert_int_equal(more, subject->r.until.is_used); /* all indices below are too wide */
  return more;
}

/* A column belongs to the phase that has it, ranks to the last one. */
static void one_phase_is_concerned(void **state) {
  (void)state;
  static const struct {
    const char *until;
    bool screening, second;
  } cases[] = {{"ci(mu_star) < 0.1", true, false},
               {"ci(ST) < 0.1", false, true},
               {"rank(1)", false, true},
               {NULL, false, false}};
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    static const double wide[][2] = {{10, 3}, {10, 3}};
    struct subject subject;
    subject_init(&subject, "{\"name\": \"two-phase\"}", NULL, cases[i].until);
    const char *column = cases[i].second ? "ST" : "mu_star";
    subject.phase->method = &subject.c.project.study.methods[cases[i].second];
    fill(&subject, 0, column, wide, 2);
    assert_int_equal(asks(&subject, 0), cases[i].screening);
    assert_int_equal(asks(&subject, 1), cases[i].second);
    subject.phase->sets.is_given = true; /* runs cannot be added to a given design */
    assert_false(asks(&subject, cases[i].second));
    subject_release(&subject);
  }
}

/* ---- Before anything is run. ---- */

static void check_refusal(const char *method, const char *until, size_t max_runs, const char *text, const char *help) {
  struct subject subject;
  subject_init(&subject, method, NULL, until);
  subject.c.project.study.max_runs = max_runs;
  assert_int_equal(ts_until_check(&subject.c.project, &subject.phase->sets, &subject.c.issues), !*text);
  assert_string_equal(study_case_faults(&subject.c), text);
  if (*text) assert_string_equal(subject.c.issues.faults.items[0].help, help);
  if (*text) assert_error(&subject.c.issues.faults.items[0], TS_ERR_BAD_VALUE);
  subject_release(&subject);
}

static void conditions_fit_the_method(void **state) {
  (void)state;
  const char *vbd = "{\"name\": \"vbd\"}", *two = "{\"name\": \"two-phase\"}";
  check_refusal(NULL, "ci(mu_star) < 0.1", 0, "", "");
  check_refusal(NULL, "ci(mu_sta) < 0.1", 0, "morris has no index 'mu_sta'", "did you mean 'mu_star'?");
  check_refusal(vbd, "ci(mu_star) < 0.1", 0, "vbd has no index 'mu_star'", "it has: S1, ST");
  check_refusal(two, "ci(mu_star) < 0.1", 0, "", "");
  check_refusal(two, "ci(S1) < 0.1", 0, "", "");
  check_refusal(vbd, "rank(2)", 0, "", "");
  check_refusal(NULL, NULL, 60, "", "");
  check_refusal(NULL, NULL, 59, "the first round has 60 runs, but at most 59 are allowed",
                "begin with fewer trajectories, or allow more runs");
  check_refusal(vbd, NULL, 59, "the first round has 60 runs, but at most 59 are allowed",
                "begin with fewer samples, or allow more runs");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(half_the_widest_interval_counts),   cmocka_unit_test(intervals_may_lean_to_one_side),
      cmocka_unit_test(intervals_without_width_are_sharp), cmocka_unit_test(intervals_that_are_not_known_are_not_sharp),
      cmocka_unit_test(the_named_column_counts),           cmocka_unit_test(the_first_ranks_must_be_apart),
      cmocka_unit_test(intervals_that_touch_overlap),      cmocka_unit_test(every_output_must_meet_it),
      cmocka_unit_test(rounds_and_blocks_are_reported),    cmocka_unit_test(one_phase_is_concerned),
      cmocka_unit_test(conditions_fit_the_method),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
