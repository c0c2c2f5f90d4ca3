/* Conditions to stop at: read strictly and the same way in every locale; whether one is met, and the sentence that says
 * how far away it is: half widths, ranks, several outputs, two phases, what is not known.
 * SPDX-License-Identifier: Apache-2.0
 * test-label: one-thread */
#include "strategy_case.h"
#include "support/test_file.h"
#include "unit/base/comma_locale.h"

static const char *const names[] = {"A", "B", "C", "D"};

/* ---- Reading. ---- */

static bool parse(const char *text, struct ts_until *until) {
  static char column[64];
  struct ts_arena arena = {0};
  struct ts_error err = {0};
  bool ok = ts_until_read(until, text, &arena, &err);
  if (!ok) assert_error(&err, TS_ERR_USAGE);
  snprintf(column, sizeof column, "%s", ok && until->column ? until->column : "");
  until->column = column; /* survives the arena */
  ts_arena_release(&arena);
  return ok;
}

static void check_interval(const char *text, double limit) {
  struct ts_until until;
  if (!parse(text, &until)) fail_msg("'%s' was refused", text);
  assert_string_equal(until.column, "mu_star");
  assert_true(until.limit == limit);
}

static void check_all(void) {
  check_interval("ci(mu_star) < 0.05", 0.05);
  check_interval(" ci ( mu_star )<5e-2 ", 0.05);
  check_interval("ci(mu_star) < .5\n", 0.5);
  check_interval("ci(mu_star) < 2", 2);
  struct ts_until until;
  assert_true(parse("rank(3) settled", &until) && until.top == 3);
  const char *const bad[] = {"ci(mu_star) < 0x1p-4",
                             "ci(mu_star) < 0X10",
                             "ci(mu_star) < 0,05",
                             "ci(mu_star) < 0",
                             "ci(mu_star) < -1",
                             "ci(mu_star) < inf",
                             "ci(mu_star) < nan",
                             "ci(mu_star) < 1e999",
                             "ci(mu_star) < 1 2",
                             "ci(mu_star) <",
                             "ci(mu_star) < 0.05x",
                             "rank(0)",
                             "rank(0x3)"};
  for (size_t i = 0; i < COUNT_OF(bad); i++) {
    if (parse(bad[i], &until)) fail_msg("'%s' was accepted", bad[i]);
  }
}

static void conditions_are_read_strictly(void **state) {
  (void)state;
  check_all();
}

static void a_decimal_comma_changes_nothing(void **state) {
  (void)state;
  struct comma_locale locale;
  bool entered = comma_locale_enter(&locale);
  if (entered) check_all();
  comma_locale_leave(&locale);
  if (!entered) {
    test_skip_part("no locale with a decimal comma can be made here");
    skip();
  }
}

/* ---- A phase with 12 blocks after 3 rounds. ---- */

struct subject {
  struct strategy_case c;
  struct ts_arena arena;
  struct ts_until until;
  struct ts_phase phase;
};

static void subject_init(struct subject *subject, const char *strategy, size_t outputs, const char *until) {
  static const char *const three[] = {"size", "cells", "all"};
  struct ts_error err = {0};
  *subject = (struct subject){0};
  case_init(&subject->c, strategy);
  subject->c.problem.outputs = three;
  subject->c.problem.output_count = outputs;
  if (!ts_until_read(&subject->until, until, &subject->arena, &err)) fail_msg("%s", err.text);
  subject->phase = (struct ts_phase){.options = &subject->c.options, .block_rows = 5};
}

static void subject_release(struct subject *subject) {
  ts_phase_release(&subject->phase);
  ts_arena_release(&subject->arena);
  case_release(&subject->c);
}

/* Sets the value and the half width of one column, for as many names as there are. */
static void fill(struct subject *subject, size_t output, const char *column, const double (*rows)[2], size_t count) {
  struct ts_indices *indices = case_analysis(&subject->phase, output, names, count);
  for (size_t i = 0; i < count; i++)
    case_index(indices, i, column, rows[i][0], rows[i][0] - rows[i][1], rows[i][0] + rows[i][1]);
}

static void assert_verdict(struct subject *subject, bool met, const char *reason) {
  const char *found = "";
  bool is_met = ts_until_is_met(&subject->until, &subject->phase, &subject->c.problem, &subject->arena, &found);
  if (strcmp(found, reason) != 0) fail_msg("%s: '%s', not '%s'", subject->until.text, found, reason);
  assert_int_equal(is_met, met);
}

/* ---- ci ---- */

static void check_widths(const char *until, const double (*rows)[2], size_t count, bool met, const char *reason) {
  struct subject subject;
  subject_init(&subject, "morris", 1, until);
  fill(&subject, 0, "mu_star", rows, count);
  assert_verdict(&subject, met, reason);
  subject_release(&subject);
}

static void half_the_widest_interval_counts(void **state) {
  (void)state;
  /* Widths are 0.8, 1 and 0.2; the largest index is 10: the widest is half of 1 over 10. */
  static const double rows[][2] = {{10, 0.4}, {2, 0.5}, {0, 0.1}};
  const char *reason = "the widest interval is +-0.05 of the largest mu_star: B of size";
  check_widths("ci(mu_star) < 0.051", rows, 3, true, reason);
  check_widths("ci(mu_star) < 0.05", rows, 3, false, reason); /* below, not at most */
  check_widths("ci(mu_star) < 0.049", rows, 3, false, reason);
  check_widths("ci(mu_star) < 0.041", rows, 1, true, "the widest interval is +-0.04 of the largest mu_star: A of size");
  static const double signs[][2] = {{-8, 0.25}, {4, 0.5}};
  check_widths("ci(mu_star) < 0.07", signs, 2, true,
               "the widest interval is +-0.0625 of the largest mu_star: B of size");
}

static void intervals_may_lean_to_one_side(void **state) {
  (void)state;
  struct subject subject;
  subject_init(&subject, "morris", 1, "ci(mu_star) < 0.3");
  struct ts_indices *indices = case_analysis(&subject.phase, 0, names, 1);
  case_index(indices, 0, "mu_star", 4, 4, 6);
  assert_verdict(&subject, true, "the widest interval is +-0.25 of the largest mu_star: A of size");
  subject_release(&subject);
}

static void intervals_without_width_are_sharp(void **state) {
  (void)state;
  static const double rows[][2] = {{0, 0}, {0, 0}};
  check_widths("ci(mu_star) < 0.01", rows, 2, true, "every interval of mu_star of size has width 0");
}

static void intervals_that_are_not_known_are_not_sharp(void **state) {
  (void)state;
  const char *reason = "the interval of mu_star is not known: B of size";
  static const double unknown[][2] = {{10, 0.1}, {1, NAN}, {2, 0.1}}, nothing[][2] = {{0, 0}, {0, 1}};
  check_widths("ci(mu_star) < 100", unknown, 3, false, reason);
  check_widths("ci(mu_star) < 100", nothing, 2, false, reason); /* no index to be a share of */
}

static void the_named_column_counts(void **state) {
  (void)state;
  static const double wide[][2] = {{0.5, 0.4}}, sharp[][2] = {{0.5, 0.01}};
  struct subject subject;
  subject_init(&subject, "vbd", 1, "ci(ST) < 0.03");
  fill(&subject, 0, "ST", sharp, 1);
  case_index(&subject.phase.analyses[0].indices, 0, "S1", wide[0][0], 0.1, 0.9);
  assert_verdict(&subject, true, "the widest interval is +-0.02 of the largest ST: A of size");
  subject_release(&subject);
}

/* ---- rank ---- */

static void check_ranks(const char *until, const double (*rows)[2], bool met, const char *reason) {
  struct subject subject;
  subject_init(&subject, "morris", 1, until);
  fill(&subject, 0, "mu_star", rows, 4);
  assert_verdict(&subject, met, reason);
  subject_release(&subject);
}

static void the_first_ranks_must_be_apart(void **state) {
  (void)state;
  /* In order: C (20), A (10), D (9), B (2); only A and D overlap. */
  static const double rows[][2] = {{10, 0.6}, {2, 1}, {20, 3}, {9, 0.6}};
  check_ranks("rank(1)", rows, true, "0 of the first 1 ranks of size overlap with the next");
  check_ranks("rank(2)", rows, false, "1 of the first 2 ranks of size overlap with the next");
  check_ranks("rank(3) settled", rows, false, "1 of the first 3 ranks of size overlap with the next");
  static const double all[][2] = {{10, 10}, {9, 10}, {8, 10}, {7, 10}};
  check_ranks("rank(4)", all, false, "3 of the first 4 ranks of size overlap with the next");
  check_ranks("rank(99)", all, false, "3 of the first 99 ranks of size overlap with the next");
}

static void intervals_that_touch_overlap(void **state) {
  (void)state;
  static const double touching[][2] = {{10, 1}, {8, 1}, {4, 1}, {1, 1}},
                      apart[][2] = {{10, 1}, {7.5, 1}, {4, 1}, {1, 1}};
  check_ranks("rank(1)", touching, false, "1 of the first 1 ranks of size overlap with the next");
  check_ranks("rank(4)", touching, false, "1 of the first 4 ranks of size overlap with the next");
  check_ranks("rank(4)", apart, true, "0 of the first 4 ranks of size overlap with the next");
}

/* ---- Outputs and phases. ---- */

static void every_output_must_meet_it(void **state) {
  (void)state;
  static const double sharp[][2] = {{10, 0.1}}, wide[][2] = {{10, 3}};
  struct subject subject;
  subject_init(&subject, "morris", 3, "ci(mu_star) < 0.2");
  fill(&subject, 0, "mu_star", sharp, 1);
  fill(&subject, 1, "mu_star", wide, 1);
  fill(&subject, 2, "mu_star", sharp, 1);
  assert_verdict(&subject, false, "the widest interval is +-0.3 of the largest mu_star: A of cells");
  case_index(&subject.phase.analyses[1].indices, 0, "mu_star", 10, 9.5, 10.5);
  assert_verdict(&subject, true, "the widest interval is +-0.01 of the largest mu_star: A of all");
  subject.phase.analyses[2].is_known = false;
  assert_verdict(&subject, false, "nothing is known about all");
  subject_release(&subject);
}

/* ---- Which strategy it is about, and which it fits. ---- */

/* A column belongs to the phase that has it, ranks to the last one. */
static void one_phase_is_concerned(void **state) {
  (void)state;
  static const struct {
    const char *until;
    bool screening, second;
  } cases[] = {{"ci(mu_star) < 0.1", true, false}, {"ci(ST) < 0.1", false, true}, {"rank(1)", false, true}};
  const struct ts_until none = {0};
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    struct subject subject;
    subject_init(&subject, "two-phase", 1, cases[i].until);
    assert_int_equal(ts_until_concerns(&subject.until, &subject.c.parts[0], false), cases[i].screening);
    assert_int_equal(ts_until_concerns(&subject.until, &subject.c.parts[1], true), cases[i].second);
    assert_false(ts_until_concerns(&none, &subject.c.parts[1], true));
    subject_release(&subject);
  }
}

static void check_fit(const char *strategy, const char *until, const char *place, const char *text, const char *help) {
  struct strategy_case c;
  struct ts_arena arena = {0};
  struct ts_error err = {0};
  case_init(&c, strategy);
  assert_true(ts_until_read(&c.options.until, until, &arena, &err));
  c.options.until.place = place;
  assert_int_equal(case_begin(&c), !*text);
  assert_string_equal(case_faults(&c), text);
  if (*text) assert_string_equal(c.faults.items[0].help, help);
  if (*text) assert_error(&c.faults.items[0], place ? TS_ERR_BAD_VALUE : TS_ERR_USAGE);
  if (*text) assert_string_equal(c.faults.items[0].where.path, place ? place : "");
  ts_arena_release(&arena);
  case_release(&c);
}

static void conditions_fit_the_strategy(void **state) {
  (void)state;
  const char *place = "/method/until";
  check_fit("morris", "ci(mu_star) < 0.1", place, "", "");
  check_fit("morris", "ci(mu_sta) < 0.1", place, "morris has no index 'mu_sta'", "did you mean 'mu_star'?");
  check_fit("vbd", "ci(mu_star) < 0.1", NULL, "vbd has no index 'mu_star'", "it has: S1, ST");
  check_fit("two-phase", "ci(mu_star) < 0.1", place, "", "");
  check_fit("two-phase", "ci(S1) < 0.1", place, "", "");
  check_fit("vbd", "rank(2)", place, "", "");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(conditions_are_read_strictly),
      cmocka_unit_test(a_decimal_comma_changes_nothing),
      cmocka_unit_test(half_the_widest_interval_counts),
      cmocka_unit_test(intervals_may_lean_to_one_side),
      cmocka_unit_test(intervals_without_width_are_sharp),
      cmocka_unit_test(intervals_that_are_not_known_are_not_sharp),
      cmocka_unit_test(the_named_column_counts),
      cmocka_unit_test(the_first_ranks_must_be_apart),
      cmocka_unit_test(intervals_that_touch_overlap),
      cmocka_unit_test(every_output_must_meet_it),
      cmocka_unit_test(one_phase_is_concerned),
      cmocka_unit_test(conditions_fit_the_strategy),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
