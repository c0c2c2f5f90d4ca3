/* Designs that grow: how much each kind grows, which ones keep their sets, where the limit ends it and what the
 * sentence about it says.
 * SPDX-License-Identifier: Apache-2.0
 * test-label: one-thread */
#include "strategy_case.h"

/* Of one sign and never the same twice: intervals stay wide, so that no condition below is ever met. */
static double rough(const double *x, size_t output) {
  (void)output;
  return sin(1e4 * (x[0] + 2 * x[1] + 3 * x[2] + 5 * x[3]));
}

static void begin(struct strategy_case *c, struct ts_arena *arena, const char *until) {
  struct ts_error err = {0};
  c->model = rough;
  if (!ts_until_read(&c->options.until, until, arena, &err)) fail_msg("%s", err.text);
  if (!case_begin(c)) fail_msg("%s", case_faults(c));
}

/* `sizes` ends with 0; every round keeps the sets of those before it, or all are new. The reason ends with `end`. */
static void check_sizes(struct strategy_case *c, const char *until, const size_t *sizes, size_t rows, bool keeps,
                        const char *end) {
  struct ts_arena arena = {0};
  begin(c, &arena, until);
  size_t total = 0;
  for (size_t i = 0; sizes[i]; i++) {
    if (case_step(c) == 0) fail_msg("ends before %zu: %s", sizes[i], c->reason);
    total = (keeps ? 0 : total) + sizes[i] * rows;
    assert_int_equal(c->history.count, total);
    assert_int_equal(c->history.round_count, i + 1);
  }
  assert_int_equal(case_step(c), 0);
  ts_loop_finish(c->loop, &c->history, &c->result);
  const struct ts_phase *phase = c->result.phases[0];
  assert_int_equal(phase->first, keeps ? 0 : total - phase->design.row_count);
  assert_int_equal(phase->rounds, c->history.round_count);
  assert_true(c->result.until.is_used && !c->result.until.is_met);
  assert_int_equal(c->result.until.blocks, ts_phase_size(phase));
  assert_string_equal(c->result.until.reason, c->reason);
  if (!ts_str_ends_with(c->reason, end)) fail_msg("'%s', not '... %s'", c->reason, end);
  /* The design of the phase is what the history holds. */
  for (size_t i = 0; i < phase->design.row_count * CASE_COLUMNS; i++)
    assert_true(ts_value_equal(&phase->design.values[i], &c->history.points[phase->first * CASE_COLUMNS + i]));
  ts_arena_release(&arena);
  case_release(c);
}

static void check(const char *strategy, const char *until, size_t count, size_t max_sets, const size_t *sizes,
                  size_t rows, bool keeps, const char *end) {
  struct strategy_case c;
  case_init(&c, strategy);
  c.options.count = count;
  c.problem.max_sets = max_sets;
  check_sizes(&c, until, sizes, rows, keeps, end);
}

#define MORRIS "ci(mu_star) < 1e-9"
#define VBD    "ci(ST) < 1e-9"
#define RANK   "rank(3)" /* overlap, or their intervals are not known */

/* Half as many again, rounded up; the last round takes what the budget leaves. Four parameters: 5 sets per
 * trajectory. */
static void morris_grows_by_half(void **state) {
  (void)state;
  static const size_t from_two[] = {2, 3, 5, 8, 12, 18, 27, 40, 0},
                      from_ten[] = {10, 15, 23, 35, 53, 80, 120, 180, 200, 0};
  check("morris", MORRIS, 2, 0, from_two, 5, true,
        "; the next round would need 300 runs in all, more than 20 times those of the first round, of 200");
  check("morris", MORRIS, 10, 0, from_ten, 5, true,
        "; the next round would need 1500 runs in all, more than 20 times those of the first round, of 1000");
}

static void others_double(void **state) {
  (void)state;
  static const size_t four[] = {4, 8, 16, 32, 64, 0};
  check("vbd", VBD, 4, 0, four, 6, true,
        "; the next round would need 768 runs in all, more than 20 times those of the first round, of 480");
  struct strategy_case c;
  case_init(&c, "vbd");
  c.options.count = 4;
  c.options.second_order = true;
  check_sizes(&c, VBD, four, 10, true,
              "; the next round would need 1280 runs in all, more than 20 times those of the first round, of 800");
  const char *const sequences[] = {"mc", "halton", "sobol-sequence"};
  for (size_t i = 0; i < COUNT_OF(sequences); i++)
    check(sequences[i], "ci(spearman) < 1e-9", 4, 0, four, 1, true,
          "; the next round would need 128 runs in all, more than 20 times those of the first round, of 80");
}

/* Sets of earlier rounds count against the budget: 4 + 8 + 16 + 32 are less than 80, 64 more are not. */
static void some_designs_start_again(void **state) {
  (void)state;
  static const size_t four[] = {4, 8, 16, 32, 0}, curves[] = {65, 130, 260, 520, 0};
  check("lhs", "ci(spearman) < 1e-9", 4, 0, four, 1, false,
        "; the next round would need 124 runs in all, more than 20 times those of the first round, of 80");
  check("fast", "ci(ST) < 1e-9", 65, 0, curves, 4, false,
        "; the next round would need 8060 runs in all, more than 20 times those of the first round, of 5200");
  struct strategy_case c;
  case_init(&c, "vbd");
  c.options.count = 4;
  c.options.base = "lhs";
  check_sizes(&c, VBD, four, 6, false,
              "; the next round would need 744 runs in all, more than 20 times those of the first round, of 480");
}

static void a_limit_ends_it(void **state) {
  (void)state;
  static const size_t cut[] = {4, 6, 7, 0}, none[] = {4, 0}, doubled[] = {4, 8, 0};
  check("morris", MORRIS, 4, 39, cut, 5, true, "; the next round would need 55 runs in all, more than the limit of 39");
  check("morris", MORRIS, 4, 24, none, 5, true,
        "; the next round would need 30 runs in all, more than the limit of 24");
  check("vbd", VBD, 4, 48, doubled, 6, true, "; the next round would need 96 runs in all, more than the limit of 48");
  check("vbd", VBD, 4, 47, none, 6, true, "; the next round would need 48 runs in all, more than the limit of 47");
  check("lhs", RANK, 4, 11, none, 1, true, "; the next round would need 12 runs in all, more than the limit of 11");
}

static void a_grid_does_not_grow(void **state) {
  (void)state;
  static const size_t grid[] = {16, 0};
  struct strategy_case c;
  case_init(&c, "grid");
  c.options.levels = 2;
  check_sizes(&c, "ci(spearman) < 1e-9", grid, 1, true, "; runs cannot be added to a grid");
}

/* A condition that the first round meets asks for nothing more. */
static double linear(const double *x, size_t output) {
  (void)output;
  return 3 * x[0] + 2 * x[1] + x[2];
}

static void a_condition_that_is_met_ends_it(void **state) {
  (void)state;
  struct strategy_case c;
  struct ts_arena arena = {0};
  case_init(&c, "morris");
  begin(&c, &arena, "ci(mu_star) < 0.01");
  c.model = linear;
  while (case_step(&c) > 0) continue;
  ts_loop_finish(c.loop, &c.history, &c.result);
  assert_int_equal(c.history.round_count, 1);
  assert_true(c.result.until.is_used && c.result.until.is_met);
  assert_int_equal(c.result.until.rounds, 1);
  assert_int_equal(c.result.until.blocks, 10);
  const char *known[] = {"the widest interval is +-", "every interval of mu_star of size has width 0"};
  assert_true(strncmp(c.reason, known[0], strlen(known[0])) == 0 || strcmp(c.reason, known[1]) == 0);
  ts_arena_release(&arena);
  case_release(&c);
}

/* The rounds of a second phase have what the first one left. With its 50 sets and 4 base samples of 3 (one parameter
 * is kept), 8 base samples are 74 in all, 16 are 98. */
static double one_matters(const double *x, size_t output) { return rough(x, output) * 1e-3 + 100 * x[1]; }

static void earlier_phases_count(void **state) {
  (void)state;
  struct strategy_case c;
  struct ts_arena arena = {0};
  case_init(&c, "two-phase");
  c.parts[1].count = 4;
  c.problem.max_sets = 97;
  begin(&c, &arena, VBD);
  c.model = one_matters;
  while (case_step(&c) > 0) continue;
  ts_loop_finish(c.loop, &c.history, &c.result);
  assert_int_equal(c.history.count, 50 + 8 * 3);
  assert_int_equal(c.result.phases[1]->first, 50);
  assert_int_equal(c.result.phases[1]->rounds, 2);
  assert_true(ts_str_ends_with(c.reason, "; the next round would need 98 runs in all, more than the limit of 97"));
  ts_arena_release(&arena);
  case_release(&c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(morris_grows_by_half),     cmocka_unit_test(others_double),
      cmocka_unit_test(some_designs_start_again), cmocka_unit_test(a_limit_ends_it),
      cmocka_unit_test(a_grid_does_not_grow),     cmocka_unit_test(a_condition_that_is_met_ends_it),
      cmocka_unit_test(earlier_phases_count),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
