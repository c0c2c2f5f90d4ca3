/* Two goals: the hypervolume of the genetic algorithm beside that of random search, and who refuses them.
 * SPDX-License-Identifier: Apache-2.0
 * test-label: one-thread
 * test-timeout: 240
 *
 * 100 runs, seeds that no setting was chosen with. Random search runs random trials only, no forecast of its own. */
#include "functions.h"

#include "base/random.h"

#include <stdio.h>

#define RUNS       100
#define FIRST_SEED 1001
#define SEEDS      40 /* 36 must win: nine of ten */

/* The area that the front of two goals dominates below a reference point. */
static double hypervolume(const struct ts_tune *tune, const double *reference) {
  struct ts_tune_result result;
  ts_tune_result(tune, &result);
  const double *outputs = ts_tune_history(tune)->outputs;
  double area = 0, above = reference[1];
  for (size_t i = 0; i < result.front_count; i++) {
    const double *point = &outputs[2 * result.front[i]];
    if (point[0] < reference[0] && point[1] < above) {
      area += (reference[0] - point[0]) * (above - point[1]);
      above = point[1];
    }
  }
  return area;
}

/* A table of six integers and two outputs. */
#define TABLE_COLUMNS 6
#define MOST_ROWS     2000
static struct {
  size_t count;
  double rows[MOST_ROWS * TABLE_COLUMNS], outputs[MOST_ROWS * 2];
  struct ts_value levels[TABLE_COLUMNS][MOST_ROWS];
  struct ts_parameter parameters[TABLE_COLUMNS];
  const struct ts_parameter *list[TABLE_COLUMNS];
} table;

static int compare(const void *a, const void *b) {
  int64_t x = ((const struct ts_value *)a)->as.integer, y = ((const struct ts_value *)b)->as.integer;
  return (x > y) - (x < y);
}

static void make_parameter(size_t column) {
  struct ts_value *levels = table.levels[column];
  size_t kept = 0;
  for (size_t r = 0; r < table.count; r++)
    levels[r] = ts_value_integer((int64_t)table.rows[r * TABLE_COLUMNS + column]);
  qsort(levels, table.count, sizeof *levels, compare);
  for (size_t r = 0; r < table.count; r++) {
    if (kept == 0 || levels[kept - 1].as.integer != levels[r].as.integer) levels[kept++] = levels[r];
  }
  table.parameters[column] = (struct ts_parameter){.name = function_column_names[column],
                                                   .help = "",
                                                   .type = TS_VALUE_INTEGER,
                                                   .levels = levels,
                                                   .level_count = kept};
  table.list[column] = &table.parameters[column];
}

/* The recorded runs of a workflow: execution time and computer time. False if they are not here. */
static bool read_table(void) {
  const char *shared = getenv("TESSERA_SHARED");
  char path[600], line[300];
  snprintf(path, sizeof path, "%s/data/tuning/tables/lv/workflow.csv", shared ? shared : ".");
  FILE *file = fopen(path, "r");
  if (!file) return false;
  assert_non_null(fgets(line, sizeof line, file));
  while (fgets(line, sizeof line, file) && table.count < MOST_ROWS) {
    char *at = line;
    for (size_t c = 0; c < TABLE_COLUMNS + 2; c++, at++) {
      double number = strtod(at, &at);
      if (c < TABLE_COLUMNS)
        table.rows[table.count * TABLE_COLUMNS + c] = number;
      else
        table.outputs[table.count * 2 + c - TABLE_COLUMNS] = number;
    }
    table.count++;
  }
  fclose(file);
  assert_int_equal(table.count, 1835);
  for (size_t c = 0; c < TABLE_COLUMNS; c++) make_parameter(c);
  return true;
}

static const struct ts_tune_goal goals[] = {{.name = "first"}, {.name = "second"}};

/* The tuner's hypervolume on the table, or on ZDT1. */
static double volume(const char *tuner, bool on_table, uint64_t seed, const double *reference) {
  struct function_space made;
  function_space_make(&made, &zdt1);
  const struct ts_space columns = {.parameters = table.list, .count = TABLE_COLUMNS};
  struct ts_tune_problem problem = {
      .space = on_table ? &columns : &made.space, .goals = goals, .goal_count = 2, .budget = RUNS, .seed = seed};
  if (on_table) problem.pool = (struct ts_tune_points){table.count, table.rows, NULL};
  const struct ts_tune_options options = {.no_confirmation = strcmp(tuner, "rs") == 0};
  struct ts_error err = {0};
  struct ts_tune *tune = ts_tune_create(ts_tuner_find(tuner, &err), &problem, &options, &err);
  if (!tune) fail_msg("%s: %s", tuner, err.text);
  const struct ts_tune_history *history = ts_tune_history(tune);
  for (size_t first = 0, count = 1; count > 0;) {
    if (!ts_tune_next(tune, &first, &count, &err)) fail_msg("%s", err.text);
    for (size_t t = first; t < first + count; t++) {
      double outputs[2];
      zdt1_at(&history->numbers[t * history->column_count], history->column_count, outputs);
      ts_tune_report(tune, t, on_table ? &table.outputs[2 * history->rows[t]] : outputs, 1);
    }
  }
  double found = hypervolume(tune, reference);
  ts_tune_destroy(tune);
  return found;
}

static void check_wins(const char *tuner, bool on_table, const double *reference) {
  size_t wins = 0;
  for (uint64_t seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++)
    wins += volume(tuner, on_table, seed, reference) > volume("rs", on_table, seed, reference);
  printf("%s beats random search on %s with %zu of %d seeds\n", tuner, on_table ? "LV" : "ZDT1", wins, SEEDS);
  if (10 * wins < 9 * SEEDS) fail_msg("%s: %zu of %d", tuner, wins, SEEDS);
}

/* ZDT1 lies within [0, 1] x [0, 10]; random points of 30 columns never come near its front. */
static void two_goals_of_a_function(void **state) {
  (void)state;
  const double reference[] = {1.1, 11};
  check_wins("genetic", false, reference);
}

/* A tenth beyond the worst of each goal on the front of the table, as is usual. */
static void two_goals_of_a_workflow(void **state) {
  (void)state;
  if (!read_table()) skip();
  size_t least[2] = {0, 0};
  for (size_t r = 0; r < table.count; r++) {
    for (size_t g = 0; g < 2; g++) least[g] = table.outputs[2 * r + g] < table.outputs[2 * least[g] + g] ? r : least[g];
  }
  const double reference[] = {1.1 * table.outputs[2 * least[1]], 1.1 * table.outputs[2 * least[0] + 1]};
  check_wins("genetic", true, reference);
}

static void searches_that_lose_refuse_two_goals(void **state) {
  (void)state;
  struct function_space made;
  function_space_make(&made, &zdt1);
  const struct ts_tune_problem problem = {.space = &made.space, .goals = goals, .goal_count = 2, .budget = RUNS};
  const char *const names[] = {"nelder-mead", "pro", "tpe"};
  for (size_t i = 0; i < 3; i++) {
    struct ts_error err = {0};
    char expected[80];
    snprintf(expected, sizeof expected, "tuner '%s' tunes for one goal, not for 2", names[i]);
    assert_null(ts_tune_create(ts_tuner_find(names[i], &err), &problem, NULL, &err));
    assert_string_equal(err.text, expected);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(two_goals_of_a_function),
      cmocka_unit_test(two_goals_of_a_workflow),
      cmocka_unit_test(searches_that_lose_refuse_two_goals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
