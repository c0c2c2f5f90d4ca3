/* Two phases: which parameters pass from the screening to the second phase, and which columns and sets that then has.
 * SPDX-License-Identifier: Apache-2.0
 * test-label: one-thread */
#include "strategy_case.h"

static const char *const names[] = {"A", "B", "C", "D"};
static const char *const groups[] = {"A", "B", "pair"};

/* ---- The rule, on indices made by hand. ---- */

struct rule_case {
  struct strategy_case c;
  struct ts_phase phase;
};

static void rule_init(struct rule_case *r) {
  static const char *columns[] = {"A", "B", "C", "D"};
  case_init(&r->c, "morris");
  r->phase = (struct ts_phase){.options = &r->c.options, .space = &r->c.space, .groups.count = CASE_COLUMNS};
  r->phase.design.names = columns;
  r->phase.design.column_count = CASE_COLUMNS;
}

static void rule_release(struct rule_case *r) {
  r->phase.design = (struct ts_design){0};
  ts_phase_release(&r->phase);
  case_release(&r->c);
}

/* mu* and the ends of its interval. */
static void screen(struct rule_case *r, size_t output, const double (*rows)[3], size_t count) {
  struct ts_indices *indices = case_analysis(&r->phase, output, count == 3 ? groups : names, count);
  for (size_t i = 0; i < count; i++) case_index(indices, i, "mu_star", rows[i][0], rows[i][1], rows[i][2]);
}

/* Names joined; valid until the next call. */
static const char *kept_names(const struct ts_phase *phase) {
  static char text[64];
  text[0] = '\0';
  for (size_t i = 0; i < phase->candidate_count; i++)
    if (phase->candidates[i].kept) strcat(text, phase->candidates[i].name);
  return text;
}

/* The largest mu* is 10; upper ends 11, 1, 0.99 and 0.5. B reaches exactly a tenth of it. */
static const double usual[][3] = {{10, 9, 11}, {0.5, 0.2, 1}, {0.9, 0.8, 0.99}, {0.4, 0.3, 0.5}};

static void check_rule(struct ts_keep keep, const double (*rows)[3], const char *kept) {
  struct rule_case r;
  rule_init(&r);
  screen(&r, 0, rows, 4);
  ts_screening_decide(&r.phase, &r.c.problem, &keep);
  assert_string_equal(kept_names(&r.phase), kept);
  rule_release(&r);
}

static void the_upper_end_decides(void **state) {
  (void)state;
  static const char *const chosen[] = {"D", "B"};
  check_rule((struct ts_keep){.share = 0.1}, usual, "AB");
  check_rule((struct ts_keep){.share = 0.05}, usual, "ABCD");
  check_rule((struct ts_keep){.share = 0.099, .most = 2}, usual, "AB");
  check_rule((struct ts_keep){.share = 0.1, .names = chosen, .name_count = 2}, usual, "BD");
  static const double none[][3] = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
  check_rule((struct ts_keep){.share = 0.1}, none, "A"); /* at least one */
  static const double unknown[][3] = {{10, 9, 11}, {0, 0, 0}, {NAN, NAN, NAN}, {0, 0, 0}};
  check_rule((struct ts_keep){.share = 0.1}, unknown, "AC");
}

static void any_output_suffices(void **state) {
  (void)state;
  static const double other[][3] = {{0.1, 0, 0.2}, {0.2, 0.1, 0.3}, {0.1, 0.1, 0.1}, {64, 61.25, 68}};
  struct rule_case r;
  rule_init(&r);
  r.c.problem.output_count = 2;
  screen(&r, 0, usual, 4);
  screen(&r, 1, other, 4);
  ts_screening_decide(&r.phase, &r.c.problem, &(struct ts_keep){.share = 0.1});
  assert_string_equal(kept_names(&r.phase), "ABD");
  const struct ts_candidate *d = &r.phase.candidates[3];
  assert_int_equal(d->output, 1);
  assert_true(d->index.value == 64 && d->index.low == 61.25 && d->index.high == 68 && d->largest == 64);
  assert_true(d->reach == 68. / 64);
  assert_int_equal(r.phase.candidates[2].output, 0);
  assert_true(r.phase.candidates[2].reach == 0.99 / 10);
  rule_release(&r);
}

/* Without the index of the rule nothing is known about any parameter. */
static void other_indices_decide_nothing(void **state) {
  (void)state;
  struct ts_error err = {0};
  struct rule_case r;
  rule_init(&r);
  r.c.options.analyses[0] = ts_method_find("correlation", &err);
  case_analysis(&r.phase, 0, names, 4);
  ts_screening_decide(&r.phase, &r.c.problem, &(struct ts_keep){.share = 0.1});
  assert_string_equal(kept_names(&r.phase), "ABCD");
  assert_true(isinf(r.phase.candidates[0].reach));
  rule_release(&r);
}

/* ---- Driven to the end. ---- */

/* B and D matter, A is 1/1000 of that, C has no part. */
static double two_matter(const double *x, size_t output) {
  (void)output;
  return 10 * x[1] + 8 * x[3] * x[3] + 0.01 * x[0];
}

static void the_second_phase_varies_what_matters(void **state) {
  (void)state;
  struct strategy_case c;
  case_init(&c, "two-phase");
  c.model = two_matter;
  c.parts[1].count = 8;
  case_drive(&c);
  assert_int_equal(c.result.phase_count, 2);
  assert_string_equal(kept_names(c.result.phases[0]), "BD");
  const struct ts_phase *second = c.result.phases[1];
  assert_int_equal(second->design.column_count, 2);
  assert_string_equal(second->design.names[0], "B");
  assert_string_equal(second->design.names[1], "D");
  assert_int_equal(second->first, 50);
  assert_int_equal(c.history.count, 50 + 8 * 4);
  for (size_t i = 50; i < c.history.count; i++) {
    const struct ts_value *set = c.history.points + i * CASE_COLUMNS;
    assert_true(set[0].as.real == 0.5 && set[2].as.real == 0.5); /* the others stay at their defaults */
    assert_true(ts_value_equal(&set[1], &second->design.values[2 * (i - 50)]));
    assert_true(ts_value_equal(&set[3], &second->design.values[2 * (i - 50) + 1]));
  }
  const struct ts_indices *indices = &ts_phase_answer(second, 0)->indices;
  assert_string_equal(indices->method->name, "vbd");
  assert_int_equal(indices->name_count, 2);
  case_release(&c);
}

/* S1 of an additive model, from enough base samples: 100/12 and 64 (1/5 - 1/9), each over their sum. */
static void shares_of_variance_are_found(void **state) {
  (void)state;
  const double b = 100. / 12, d = 64 * (1. / 5 - 1. / 9);
  struct strategy_case c;
  case_init(&c, "two-phase");
  c.model = two_matter;
  c.parts[1].count = 1024;
  case_drive(&c);
  const struct ts_indices *indices = &ts_phase_answer(c.result.phases[1], 0)->indices;
  const size_t column = ts_indices_column(indices, "S1");
  assert_true(fabs(indices->cells[column].value - b / (b + d)) < 0.02);
  assert_true(fabs(indices->cells[indices->column_count + column].value - d / (b + d)) < 0.02);
  case_release(&c);
}

static double pair_matters(const double *x, size_t output) {
  (void)output;
  return 10 * x[2] + 8 * x[3] + 0.01 * x[0];
}

static void groups_go_on_with_all_members(void **state) {
  (void)state;
  struct strategy_case c;
  case_init(&c, "two-phase");
  c.parameters[2].group = c.parameters[3].group = "pair";
  c.model = pair_matters;
  c.parts[1].count = 4;
  case_drive(&c);
  assert_string_equal(kept_names(c.result.phases[0]), "pair");
  assert_int_equal(c.result.phases[1]->design.column_count, 2);
  assert_string_equal(c.result.phases[1]->design.names[0], "C");
  assert_int_equal(c.result.phases[1]->groups.count, 1);
  case_release(&c);
}

/* ---- Constraints reach the second phase. ---- */

/* A < B; when only B is varied, A counts with its default. */
static void constraints_hold_with_defaults(void **state) {
  (void)state;
  static const struct ts_constraint constraint = {.text = "A < B", .left = 0, .right = 1, .comparison = TS_LESS};
  struct strategy_case c;
  case_init(&c, "two-phase");
  c.space.constraints = &constraint;
  c.space.constraint_count = 1;
  c.model = two_matter;
  static const char *const chosen[] = {"B", "D"};
  c.options.keep.names = chosen;
  c.options.keep.name_count = 2;
  c.parts[1].count = 64;
  case_drive(&c);
  for (size_t i = c.result.phases[1]->first; i < c.history.count; i++)
    assert_true(c.history.points[i * CASE_COLUMNS + 1].as.real > 0.5);
  assert_true(c.notes.length > 0); /* what the constraint does to the method */
  case_release(&c);
}

/* ---- Limits and names. ---- */

/* The screening has 50 sets; with two kept parameters a base sample has 4. Sizes are powers of two. */
static void the_limit_shrinks_the_second_phase(void **state) {
  (void)state;
  static const struct {
    size_t most, samples;
    const char *text;
  } cases[] = {
      {50 + 512, 128, ""},
      {50 + 511, 64, "the limit of 561 runs leaves 64 samples for the second phase, instead of 128\n"},
      {50 + 8, 2, "the limit of 58 runs leaves 2 samples for the second phase, instead of 128\n"},
      {50 + 7, 0, "after the screening, the limit of 57 runs leaves none for the second phase"},
  };
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    struct strategy_case c;
    case_init(&c, "two-phase");
    c.model = two_matter;
    c.problem.max_sets = cases[i].most;
    assert_true(case_begin(&c));
    assert_int_equal(case_step(&c), 50);
    struct ts_strategy_batch batch = {0};
    struct ts_error err = {0};
    const char *reason = NULL;
    assert_int_equal(ts_loop_next(c.loop, &c.history, &batch, &reason, &err), cases[i].samples > 0);
    assert_int_equal(batch.count, 4 * cases[i].samples);
    if (cases[i].samples > 0)
      assert_string_equal(ts_str_get(&c.notes), cases[i].text);
    else
      assert_string_equal(err.text, cases[i].text);
    ts_strategy_batch_release(&batch);
    case_release(&c);
  }
}

static void names_to_keep_are_checked_before_anything_is_run(void **state) {
  (void)state;
  static const char *const chosen[] = {"A", "E", "BB"};
  for (size_t i = 0; i < 2; i++) {
    struct strategy_case c;
    case_init(&c, "two-phase");
    c.options.keep = (struct ts_keep){.share = 0.1, .names = chosen, .name_count = 3};
    c.options.keep.place = i == 0 ? "/method/keep/parameters" : NULL;
    assert_false(case_begin(&c));
    assert_string_equal(case_faults(&c), "the study does not vary 'E'\nthe study does not vary 'BB'");
    assert_error(&c.faults.items[0], i == 0 ? TS_ERR_UNKNOWN_PARAMETER : TS_ERR_USAGE);
    assert_string_equal(c.faults.items[1].where.path, i == 0 ? "/method/keep/parameters" : "");
    case_release(&c);
  }
}

/* A study that is stopped on the way has the phases that began. */
static void the_result_can_be_had_early(void **state) {
  (void)state;
  struct strategy_case c;
  case_init(&c, "two-phase");
  c.model = two_matter;
  assert_true(case_begin(&c));
  ts_loop_finish(c.loop, &c.history, &c.result);
  assert_int_equal(c.result.phase_count, 1);
  assert_int_equal(c.result.phases[0]->analysis_count, 0);
  assert_int_equal(case_step(&c), 50);
  assert_true(case_step(&c) > 0);
  ts_loop_finish(c.loop, &c.history, &c.result);
  assert_int_equal(c.result.phase_count, 2);
  assert_int_equal(c.result.phases[0]->analysis_count, 1);
  case_release(&c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_upper_end_decides),
      cmocka_unit_test(any_output_suffices),
      cmocka_unit_test(other_indices_decide_nothing),
      cmocka_unit_test(the_second_phase_varies_what_matters),
      cmocka_unit_test(shares_of_variance_are_found),
      cmocka_unit_test(groups_go_on_with_all_members),
      cmocka_unit_test(constraints_hold_with_defaults),
      cmocka_unit_test(the_limit_shrinks_the_second_phase),
      cmocka_unit_test(names_to_keep_are_checked_before_anything_is_run),
      cmocka_unit_test(the_result_can_be_had_early),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
