/* The surrogate gives xgboost's own predictions (vectors), twice the same, whatever else was trained in between.
 * SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/json.h"
#include "csv/csv.h"
#include "support/vectors.h"
#include "tune/surrogate.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define COLUMNS  7
#define TRAINING 50 /* the rows that the vectors were trained on; all are predicted */

static struct ts_json_doc expected;
static struct ts_csv table;
static double *features, *targets;

static void read_numbers(void) {
  features = ts_calloc(table.row_count * COLUMNS, sizeof *features);
  targets = ts_calloc(table.row_count, sizeof *targets);
  for (size_t r = 0; r < table.row_count; r++) {
    for (size_t c = 0; c < COLUMNS; c++) assert_true(ts_parse_double(table.rows[r][c], &features[r * COLUMNS + c]));
    assert_true(ts_parse_double(table.rows[r][COLUMNS], &targets[r]));
  }
}

static struct ts_surrogate_settings settings_of(const json_t *model) {
  const json_t *parameters = json_object_get(model, "params");
  const json_t *lambda = json_object_get(parameters, "reg_lambda");
  return (struct ts_surrogate_settings){
      .depth = (int)json_integer_value(json_object_get(parameters, "max_depth")),
      .rounds = (int)json_integer_value(json_object_get(model, "rounds")),
      .eta = json_number_value(json_object_get(parameters, "eta")),
      .no_l2 = lambda && json_number_value(lambda) == 0,
  };
}

static void predictions_are_those_of_the_vectors(void **state) {
  (void)state;
  if (!expected.root) skip();
  struct ts_error err = {0};
  struct ts_matrix *all = ts_matrix_create(features, table.row_count, COLUMNS, &err);
  assert_non_null(all);
  ts_auto_free double *predicted = ts_calloc(table.row_count, sizeof *predicted);
  const char *name;
  json_t *model;
  json_object_foreach(expected.root, name, model) {
    struct ts_surrogate_settings settings = settings_of(model);
    struct ts_surrogate *surrogate = ts_surrogate_train(&settings, features, TRAINING, COLUMNS, targets, &err);
    assert_non_null(surrogate);
    assert_true(ts_surrogate_predict(surrogate, all, predicted, &err));
    const json_t *wanted = json_object_get(model, "pred");
    assert_int_equal(json_array_size(wanted), table.row_count);
    for (size_t r = 0; r < table.row_count; r++) {
      double value = json_number_value(json_array_get(wanted, r));
      if (fabs(predicted[r] - value) > 1e-6 * fabs(value))
        fail_msg("%s, row %zu: %.9g, expected %.9g", name, r, predicted[r], value);
    }
    ts_surrogate_destroy(surrogate);
  }
  ts_matrix_destroy(all);
}

/* Closed form: one tree of depth 1, eta 1, lambda 0 predicts the mean of each side of the best split. */
static void stump_predicts_means(void **state) {
  (void)state;
  const double x[] = {1, 2, 3, 4, 5, 6}, y[] = {1, 2, 3, 10, 11, 12};
  struct ts_surrogate_settings settings = {.depth = 1, .rounds = 1, .eta = 1, .no_l2 = true};
  struct ts_error err = {0};
  struct ts_surrogate *surrogate = ts_surrogate_train(&settings, x, 6, 1, y, &err);
  struct ts_matrix *matrix = ts_matrix_create(x, 6, 1, &err);
  double predicted[6];
  assert_true(ts_surrogate_predict(surrogate, matrix, predicted, &err));
  for (size_t i = 0; i < 6; i++) assert_true(fabs(predicted[i] - (i < 3 ? 2 : 11)) < 1e-5);
  ts_matrix_destroy(matrix);
  ts_surrogate_destroy(surrogate);
}

int main(void) {
  const char *shared = vectors_parent("tuning/xgb_expected.json");
  struct ts_error err = {0};
  if (shared) {
    char path[1024];
    snprintf(path, sizeof path, "%s/vectors/tuning/xgb_expected.json", shared);
    if (!ts_json_doc_open(&expected, path, &err)) expected.root = NULL;
    snprintf(path, sizeof path, "%s/vectors/tuning/xgb_data250.csv", shared);
    if (expected.root && ts_csv_read(&table, path, &err)) read_numbers();
  }
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(predictions_are_those_of_the_vectors),
      cmocka_unit_test(stump_predicts_means),
  };
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  if (expected.root) ts_json_doc_close(&expected);
  ts_csv_release(&table);
  free(features);
  free(targets);
  return failed;
}
