/* Strategies that draw one design: the sets are those of the sampler, the indices those of the method, for any pool;
 * failed sets, files, groups and what cannot be drawn.
 * SPDX-License-Identifier: Apache-2.0 */
#include "strategy_case.h"

/* Linear in A and B, a little curved in C, D has no part in it. */
static double curved(const double *x, size_t output) {
  return output == 0 ? 8 * x[0] - 4 * x[1] + x[2] * x[2] : x[3] * x[0];
}

/* ---- The same numbers as without a strategy. ---- */

static void draw_directly(const struct strategy_case *c, struct ts_points *points) {
  struct ts_error err = {0};
  const struct ts_strategy_options *o = &c->options;
  const struct ts_sample_options options = {.count = o->count, .seed = c->problem.seed, .levels = o->levels};
  const struct ts_sampler *sampler = ts_sampler_find(o->strategy->sampler, &err);
  if (!sampler || !sampler->draw(points, &c->space, &options, &err)) fail_msg("%s", err.text);
}

static void assert_same_indices(const struct ts_indices *a, const struct ts_indices *b) {
  assert_ptr_equal(a->method, b->method);
  assert_int_equal(a->name_count, b->name_count);
  assert_int_equal(a->column_count, b->column_count);
  assert_int_equal(a->lost_count, b->lost_count);
  assert_memory_equal(a->cells, b->cells, a->name_count * a->column_count * sizeof *a->cells);
}

/* Every analysis of the result equals a direct call with the same rows. */
static void check_analyses(const struct strategy_case *c, const struct ts_points *points,
                           const struct ts_design *design) {
  const struct ts_phase *phase = c->result.phases[0];
  const size_t rows = points->row_count;
  ts_auto_free double *outputs = ts_calloc(rows + 1, sizeof *outputs);
  ts_auto_free double *values = ts_calloc(rows * CASE_COLUMNS + 1, sizeof *values);
  for (size_t i = 0; i < rows * CASE_COLUMNS; i++) values[i] = design->values[i].as.real;
  assert_int_equal(phase->analysis_count, c->options.analysis_count * c->problem.series_count);
  for (size_t i = 0; i < phase->analysis_count; i++) {
    const struct ts_phase_analysis *analysis = &phase->analyses[i];
    for (size_t r = 0; r < rows; r++) outputs[r] = c->model(values + r * CASE_COLUMNS, analysis->output);
    const struct ts_runs runs = {.names = design->names,
                                 .parameter_count = CASE_COLUMNS,
                                 .row_count = rows,
                                 .layout = points->layout,
                                 .unit = design->unit,
                                 .values = values,
                                 .outputs = outputs,
                                 .group_count = CASE_COLUMNS};
    const bool by_levels = strcmp(c->options.strategy->name, "morris") == 0;
    const struct ts_analysis_options options = {
        .resamples = 100, .confidence = 0.95, .seed = 1, .levels = by_levels ? 4 : 0, .convergence = true};
    struct ts_indices direct;
    struct ts_error err = {0};
    const struct ts_method *method = c->options.analyses[i / c->problem.series_count];
    if (!ts_analyse(method, &runs, &options, NULL, &direct, &err)) fail_msg("%s", err.text);
    assert_true(analysis->is_known);
    assert_same_indices(&analysis->indices, &direct);
    ts_indices_release(&direct);
  }
}

static void check_strategy(const char *name, size_t count, size_t levels) {
  struct strategy_case c;
  struct ts_points points = {0};
  struct ts_design design = {0};
  case_init(&c, name);
  c.model = curved;
  c.problem.output_count = c.problem.series_count = CASE_OUTPUTS;
  c.options.count = count;
  if (levels > 0) c.options.levels = levels;
  case_drive(&c);
  draw_directly(&c, &points);
  ts_design_of_points(&design, &c.space, &points);
  assert_int_equal(c.history.count, points.row_count);
  assert_int_equal(c.history.round_count, 1);
  for (size_t i = 0; i < points.row_count * CASE_COLUMNS; i++)
    assert_true(ts_value_equal(&c.history.points[i], &design.values[i]));
  assert_int_equal(c.result.phase_count, 1);
  assert_int_equal(c.result.phases[0]->layout, points.layout);
  assert_string_equal(c.reason, "the design is complete");
  assert_false(c.result.until.is_used);
  check_analyses(&c, &points, &design);
  ts_points_release(&points);
  ts_design_release(&design);
  case_release(&c);
}

static void sets_and_indices_are_those_of_sampler_and_method(void **state) {
  (void)state;
  check_strategy("morris", 5, 0);
  check_strategy("vbd", 16, 0);
  check_strategy("lhs", 40, 0);
  check_strategy("mc", 40, 0);
  check_strategy("halton", 40, 0);
  check_strategy("sobol-sequence", 32, 0);
  check_strategy("grid", 0, 3);
  check_strategy("fast", 129, 0);
  check_strategy("dgsm", 12, 0);
}

/* mu* of a linear model is the size of its slope, without any spread. */
static double linear(const double *x, size_t output) {
  (void)output;
  return 8 * x[0] - 4 * x[1] + 0 * x[2] + x[3] / 2;
}

static void slopes_are_found(void **state) {
  (void)state;
  static const double slopes[CASE_COLUMNS] = {8, 4, 0, 0.5};
  struct strategy_case c;
  case_init(&c, "morris");
  c.model = linear;
  case_drive(&c);
  const struct ts_phase_analysis *answer = ts_phase_answer(c.result.phases[0], 0);
  const size_t column = ts_indices_column(&answer->indices, "mu_star");
  for (size_t i = 0; i < CASE_COLUMNS; i++)
    assert_true(fabs(answer->indices.cells[i * answer->indices.column_count + column].value - slopes[i]) < 1e-12);
  assert_int_equal(c.history.count, 50);
  case_release(&c);
}

/* ---- Pools. ---- */

static void any_pool_gives_the_same(void **state) {
  (void)state;
  struct strategy_case alone, many;
  struct ts_error err = {0};
  struct ts_pool *pool = ts_pool_create(3, &err);
  assert_non_null(pool);
  struct strategy_case *const cases[] = {&alone, &many};
  for (size_t i = 0; i < 2; i++) {
    case_init(cases[i], "vbd");
    cases[i]->model = curved;
    cases[i]->options.count = 32;
    cases[i]->problem.pool = i == 0 ? NULL : pool;
    case_drive(cases[i]);
  }
  assert_same_indices(&alone.result.phases[0]->analyses[0].indices, &many.result.phases[0]->analyses[0].indices);
  case_release(&alone);
  case_release(&many);
  ts_pool_destroy(pool);
}

/* ---- Sets that failed. ---- */

static double lost_below_a_tenth(const double *x, size_t output) { return x[0] < 0.1 ? NAN : curved(x, output); }
static double lost(const double *x, size_t output) {
  (void)output;
  return x[0] * NAN;
}

static void failed_sets_are_left_out(void **state) {
  (void)state;
  struct strategy_case c;
  case_init(&c, "mc");
  c.model = lost_below_a_tenth;
  c.options.count = 100;
  case_drive(&c);
  size_t missing = 0;
  for (size_t i = 0; i < 100; i++) missing += c.history.points[i * CASE_COLUMNS].as.real < 0.1 ? 1 : 0;
  assert_true(missing > 5);
  for (size_t i = 0; i < c.result.phases[0]->analysis_count; i++)
    assert_int_equal(c.result.phases[0]->analyses[i].indices.lost_count, missing);
  assert_null(strstr(ts_str_get(&c.notes), "have no usable output")); /* the study reports losses itself */
  case_release(&c);
}

/* A set that is marked as failed has no output, whatever the array holds. */
static void a_mark_counts_as_a_loss(void **state) {
  (void)state;
  struct strategy_case c;
  case_init(&c, "mc");
  c.model = curved;
  c.options.count = 50;
  assert_true(case_begin(&c));
  assert_int_equal(case_step(&c), 50);
  c.history.failed[7] = true;
  assert_int_equal(case_step(&c), 0);
  ts_loop_finish(c.loop, &c.history, &c.result);
  assert_int_equal(c.result.phases[0]->analyses[0].indices.lost_count, 1);
  case_release(&c);
}

/* Nothing can be said, and the notes of the analysis say why; the strategy ends as usual. */
static void all_sets_may_fail(void **state) {
  (void)state;
  struct strategy_case c;
  case_init(&c, "morris");
  c.model = lost;
  case_drive(&c);
  const struct ts_phase_analysis *answer = ts_phase_answer(c.result.phases[0], 0);
  assert_false(answer->is_known);
  assert_true(answer->indices.note_count > 0);
  assert_int_equal(answer->indices.lost_count, 50);
  assert_true(isnan(answer->indices.cells[0].value));
  case_release(&c);
}

/* ---- Files. ---- */

/* Single files are analysed at the end, each after the output it belongs to. */
static void files_follow_their_output(void **state) {
  (void)state;
  static const struct ts_series series[] = {{0, TS_NONE}, {0, 0}, {0, 1}, {1, TS_NONE}};
  static const size_t outputs[] = {0, 0, 0, 1}, files[] = {TS_NONE, 0, 1, TS_NONE};
  struct strategy_case c;
  case_init(&c, "lhs");
  c.model = curved;
  c.options.count = 30;
  c.problem.output_count = 2;
  c.problem.series = series;
  c.problem.series_count = COUNT_OF(series);
  case_drive(&c);
  const struct ts_phase *phase = c.result.phases[0];
  assert_int_equal(phase->analysis_count, 3 * COUNT_OF(series));
  for (size_t i = 0; i < phase->analysis_count; i++) {
    assert_int_equal(phase->analyses[i].output, outputs[i % 4]);
    assert_int_equal(phase->analyses[i].subset, files[i % 4]);
    assert_ptr_equal(phase->analyses[i].indices.method, c.options.analyses[i / 4]);
  }
  ts_loop_finish(c.loop, &c.history, &c.result); /* again: nothing is doubled */
  assert_int_equal(c.result.phase_count, 1);
  assert_int_equal(c.result.phases[0]->analysis_count, 3 * COUNT_OF(series));
  case_release(&c);
}

/* ---- Groups, words, refusals. ---- */

static void groups_move_where_the_design_can(void **state) {
  (void)state;
  static const struct {
    const char *strategy;
    size_t groups, sets; /* 3 of its counts */
  } cases[] = {{"morris", 3, 12}, {"vbd", 3, 15}, {"lhs", 4, 3}};
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    struct strategy_case c;
    case_init(&c, cases[i].strategy);
    c.parameters[2].group = c.parameters[3].group = "pair";
    c.options.count = 3;
    case_drive(&c);
    assert_int_equal(c.result.phases[0]->groups.count, cases[i].groups);
    assert_int_equal(c.history.count, cases[i].sets);
    case_release(&c);
  }
}

/* Values of a grid outlive the design that they came from. */
static void words_are_borrowed_from_their_parameter(void **state) {
  (void)state;
  static const struct ts_value levels[] = {{.type = TS_VALUE_STRING, .as.string = "thin"},
                                           {.type = TS_VALUE_STRING, .as.string = "thick"}};
  struct strategy_case c;
  case_init(&c, "mc");
  c.parameters[1] = (struct ts_parameter){
      .name = "B", .help = "", .type = TS_VALUE_STRING, .levels = levels, .level_count = 2, .default_value = levels[0]};
  c.options.count = 12;
  assert_true(case_begin(&c));
  struct ts_strategy_batch batch = {0};
  struct ts_error err = {0};
  const char *reason = NULL;
  assert_true(ts_loop_next(c.loop, &c.history, &batch, &reason, &err));
  for (size_t i = 0; i < batch.count; i++) {
    const char *word = batch.values[i * CASE_COLUMNS + 1].as.string;
    assert_true(word == levels[0].as.string || word == levels[1].as.string);
  }
  ts_strategy_batch_release(&batch);
  case_release(&c);
}

static void check_refusal(struct strategy_case *c, enum ts_error_code code, const char *text, const char *path) {
  assert_false(case_begin(c));
  assert_string_equal(case_faults(c), text);
  assert_error(&c->faults.items[0], code);
  assert_string_equal(c->faults.items[0].where.path, path);
  case_release(c);
}

static void what_cannot_be_drawn_is_refused(void **state) {
  (void)state;
  struct strategy_case c;
  case_init(&c, "morris");
  c.options.count = 10000000;
  check_refusal(&c, TS_ERR_BAD_VALUE, "'10000000' trajectories are too many", "");
  case_init(&c, "fast");
  c.options.count = 12;
  check_refusal(&c, TS_ERR_BAD_VALUE, "a FAST curve of '12' rows is too short for 4 harmonics", "/method");
  case_init(&c, "morris");
  c.problem.max_sets = 49;
  check_refusal(&c, TS_ERR_BAD_VALUE, "the first round has 50 runs, but at most 49 are allowed", "/method/max_runs");
  case_init(&c, "vbd");
  c.problem.max_sets = 49;
  c.problem.max_sets_place = NULL;
  check_refusal(&c, TS_ERR_USAGE, "the first round has 768 runs, but at most 49 are allowed", "");
}

/* ---- Given designs. ---- */

static void a_given_design_is_run_as_it_is(void **state) {
  (void)state;
  static const char *names[] = {"B", "D"};
  struct ts_value values[] = {ts_value_real(0.1), ts_value_real(0.2), ts_value_real(0.3),
                              ts_value_real(0.4), ts_value_real(0.5), ts_value_real(0.6)};
  const struct ts_design design = {.row_count = 3, .column_count = 2, .names = names, .values = values};
  struct strategy_case c;
  case_init(&c, "morris");
  c.space.count = 2;
  c.options = (struct ts_strategy_options){.strategy = &ts_strategy_given, .given = &design};
  struct ts_error err = {0};
  c.problem.max_sets = 1; /* limits are for designs that are drawn */
  assert_true(ts_until_read(&c.options.until, "ci(mu_star) < 0.1", &c.space.arena, &err));
  case_drive(&c);
  assert_int_equal(c.history.count, 3);
  for (size_t i = 0; i < COUNT_OF(values); i++) assert_true(ts_value_equal(&c.history.points[i], &values[i]));
  assert_int_equal(c.result.phases[0]->analysis_count, 0);
  assert_false(c.result.until.is_used);
  ts_arena_release(&c.space.arena);
  case_release(&c);
}

/* ---- The table. ---- */

static void strategies_are_found_by_name_and_alias(void **state) {
  (void)state;
  struct ts_arena arena = {0};
  assert_string_equal(ts_strategy_find("moat")->name, "morris");
  assert_string_equal(ts_strategy_find("saltelli")->name, "vbd");
  assert_string_equal(ts_strategy_find("two_phase")->name, "two-phase");
  assert_null(ts_strategy_find("until")); /* a condition, not a method */
  assert_string_equal(ts_strategy_help(&arena, "moris"), "did you mean 'morris'?");
  assert_string_equal(ts_strategy_help(&arena, "xxxxxxxx"),
                      "methods: morris, vbd, lhs, mc, halton, sobol-sequence, grid, fast, dgsm, two-phase");
  assert_true(ts_strategy_takes(ts_strategy_find("morris"), "trajectories"));
  assert_true(ts_strategy_takes(ts_strategy_find("vbd"), "second_order"));
  assert_false(ts_strategy_takes(ts_strategy_find("lhs"), "second_order"));
  ts_arena_release(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sets_and_indices_are_those_of_sampler_and_method),
      cmocka_unit_test(slopes_are_found),
      cmocka_unit_test(any_pool_gives_the_same),
      cmocka_unit_test(failed_sets_are_left_out),
      cmocka_unit_test(a_mark_counts_as_a_loss),
      cmocka_unit_test(all_sets_may_fail),
      cmocka_unit_test(files_follow_their_output),
      cmocka_unit_test(groups_move_where_the_design_can),
      cmocka_unit_test(words_are_borrowed_from_their_parameter),
      cmocka_unit_test(what_cannot_be_drawn_is_refused),
      cmocka_unit_test(a_given_design_is_run_as_it_is),
      cmocka_unit_test(strategies_are_found_by_name_and_alias),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
