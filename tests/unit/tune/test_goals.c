/* Two goals: fronts dominate more than those of random search.
 * SPDX-License-Identifier: Apache-2.0
 *
 * `test_tune goals fronts 30` prints with how many of 30 seeds, for `make soak`. */
#include "functions.h"

#include "base/alloc.h"
#include "base/str.h"

#include <stdio.h>

#define TABLE      "data/tuning/tables/lv/workflow.csv"
#define PARAMETERS 6
#define MOST_ROWS  4000
#define RUNS       100
#define SEEDS      10
#define LEAST      9 /* of them */

/* Runs of a workflow of two components: parameters, execution time and core hours. */
struct table {
  size_t rows;
  double *numbers, *outputs; /* owned */
  double worst[2];           /* of each goal */
  struct ts_value *levels;   /* owned; of all parameters */
  struct ts_parameter parameters[PARAMETERS];
  const struct ts_parameter *list[PARAMETERS];
  struct ts_space space;
};

static void table_release(struct table *table) {
  free(table->numbers);
  free(table->outputs);
  free(table->levels);
}

static bool table_read_rows(struct table *table, const char *path) {
  FILE *file = fopen(path, "r");
  if (!file) return false;
  double row[PARAMETERS + 2];
  char line[1000];
  if (!fgets(line, sizeof line, file)) fail_msg("%s is empty", path);
  while (fgets(line, sizeof line, file)) {
    char *at = line;
    for (size_t c = 0; c < PARAMETERS + 2; c++) {
      row[c] = strtod(at, &at);
      if (*at == ',') at++;
    }
    if (table->rows == MOST_ROWS) fail_msg("%s has more than %d rows", path, MOST_ROWS);
    memcpy(&table->numbers[PARAMETERS * table->rows], row, PARAMETERS * sizeof *row);
    memcpy(&table->outputs[2 * table->rows], row + PARAMETERS, 2 * sizeof *row);
    for (size_t g = 0; g < 2; g++) table->worst[g] = fmax(table->worst[g], row[PARAMETERS + g]);
    table->rows++;
  }
  fclose(file);
  return table->rows > 0;
}

static int compare_levels(const void *a, const void *b) {
  const struct ts_value *x = a, *y = b;
  return (x->as.real > y->as.real) - (x->as.real < y->as.real);
}

/* Every value of a column is a level of its parameter. */
static void table_make_space(struct table *table) {
  for (size_t c = 0; c < PARAMETERS; c++) {
    struct ts_value *levels = &table->levels[c * table->rows];
    size_t count = 0;
    for (size_t r = 0; r < table->rows; r++) levels[r] = ts_value_real(table->numbers[r * PARAMETERS + c]);
    qsort(levels, table->rows, sizeof *levels, compare_levels);
    for (size_t r = 0; r < table->rows; r++) {
      if (count == 0 || levels[r].as.real != levels[count - 1].as.real) levels[count++] = levels[r];
    }
    table->parameters[c] = (struct ts_parameter){
        .name = function_column_names[c], .help = "", .type = TS_VALUE_REAL, .levels = levels, .level_count = count};
    table->list[c] = &table->parameters[c];
  }
  table->space = (struct ts_space){.parameters = table->list, .count = PARAMETERS};
}

/* False: the table is not here. */
static bool table_open(struct table *table) {
  const char *parent = getenv("TESSERA_SHARED");
  char path[600];
  *table = (struct table){0};
  if (!parent) return false;
  snprintf(path, sizeof path, "%s/" TABLE, parent);
  table->numbers = ts_calloc(MOST_ROWS * PARAMETERS, sizeof *table->numbers);
  table->outputs = ts_calloc(MOST_ROWS * 2, sizeof *table->outputs);
  table->levels = ts_calloc(MOST_ROWS * PARAMETERS, sizeof *table->levels);
  if (!table_read_rows(table, path)) {
    table_release(table);
    return false;
  }
  table_make_space(table);
  return true;
}

static struct ts_tune *table_tune(const struct table *table, const char *tuner, size_t runs, uint64_t seed) {
  static const struct ts_tune_goal goals[] = {{.name = "exec_s"}, {.name = "core_h"}};
  struct ts_tune_problem problem = {.space = &table->space, .goals = goals, .goal_count = 2, .seed = seed};
  problem.pool = (struct ts_tune_points){.count = table->rows, .numbers = table->numbers};
  problem.budget = (double)runs;
  struct ts_error err = {0};
  struct ts_tune *tune = ts_tune_create(ts_tuner_find(tuner, &err), &problem, NULL, &err);
  if (!tune) fail_msg("%s: %s", tuner, err.text);
  size_t first, count;
  for (;;) {
    if (!ts_tune_next(tune, &first, &count, &err)) fail_msg("%s: %s", tuner, err.text);
    if (count == 0) return tune;
    for (size_t t = first; t < first + count; t++)
      ts_tune_report(tune, t, &table->outputs[2 * ts_tune_history(tune)->rows[t]], 1);
  }
}

/* The area that the front dominates below a reference point; the tune is destroyed. */
static double hypervolume(struct ts_tune *tune, const double reference[2]) {
  struct ts_tune_result result;
  ts_tune_result(tune, &result);
  double area = 0, above = reference[1];
  for (size_t i = 0; i < result.front_count; i++) {
    const double *point = &ts_tune_history(tune)->outputs[2 * result.front[i]];
    if (point[0] >= reference[0] || point[1] >= above) continue;
    area += (reference[0] - point[0]) * (above - point[1]);
    above = point[1];
  }
  ts_tune_destroy(tune);
  return area;
}

/* Seeds with which a tuner's front dominates more than that of as many random runs: of the table, or of ZDT1 without
 * one. ZDT1 lies within [0, 1] x [0, 10]. */
static size_t count_above(const struct table *table, const char *tuner, size_t runs, size_t seeds) {
  static const double corner[] = {1.1, 11};
  struct function_space space;
  size_t above = 0;
  function_space_make(&space, &zdt1);
  for (uint64_t seed = 0; seed < seeds; seed++) {
    double areas[2];
    for (size_t i = 0; i < 2; i++) {
      const char *name = i == 0 ? tuner : "rs";
      areas[i] = table ? hypervolume(table_tune(table, name, runs, seed), table->worst)
                       : hypervolume(function_tune(&zdt1, &space, name, runs, seed), corner);
    }
    above += areas[0] > areas[1];
  }
  return above;
}

/* The tuners that are good for several goals. */
static const char *const able[] = {"auto", "al", "geist"};
#define ABLE (sizeof able / sizeof *able)

static bool takes_two_goals(const struct ts_tuner *tuner) {
  return !(tuner->flags & (TS_TUNER_ONE_GOAL | TS_TUNER_COMPONENTS)) && strcmp(tuner->name, "rs") != 0;
}

static void check_fronts(const struct table *table) {
  for (size_t i = 0; i < ABLE; i++) {
    size_t above = count_above(table, able[i], RUNS, SEEDS);
    if (above < LEAST) fail_msg("%s: above random search with %zu of %d seeds", able[i], above, SEEDS);
  }
}

static void fronts_of_zdt1_beat_random_search(void **state) {
  (void)state;
  check_fronts(NULL);
}

static void fronts_of_a_workflow_beat_random_search(void **state) {
  (void)state;
  struct table table;
  if (!table_open(&table)) {
    print_message("the shared tables are not here: " TABLE "\n");
    skip();
  }
  check_fronts(&table);
  table_release(&table);
}

static int print_fronts(size_t seeds) {
  static const size_t runs[] = {50, 100};
  struct table table;
  bool has_table = table_open(&table);
  for (size_t i = 0; ts_tuners[i]; i++) {
    if (!takes_two_goals(ts_tuners[i])) continue;
    for (size_t k = 0; k < 2; k++) {
      printf("%-12s %3zu runs: zdt1 %zu", ts_tuners[i]->name, runs[k],
             count_above(NULL, ts_tuners[i]->name, runs[k], seeds));
      if (has_table) printf(", workflow %zu", count_above(&table, ts_tuners[i]->name, runs[k], seeds));
      printf(" of %zu seeds above random search\n", seeds);
      fflush(stdout);
    }
  }
  if (has_table) table_release(&table);
  return 0;
}

int main(int count, char **words) {
  double seeds = 30;
  if (count > 2 && strcmp(words[count - 2], "fronts") == 0 && ts_parse_double(words[count - 1], &seeds))
    return print_fronts((size_t)seeds);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(fronts_of_zdt1_beat_random_search),
      cmocka_unit_test(fronts_of_a_workflow_beat_random_search),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
