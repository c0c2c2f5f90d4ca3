/* The operations of workflows/decay against closed forms: a plugin and a command working together.
 * SPDX-License-Identifier: Apache-2.0 */
#include "unit/op/helpers.h"

#include <math.h>

static struct ts_registry *registry;

static int setup(void **state) {
  (void)state;
  const char *build = getenv("TESSERA_BUILD_DIR"), *source = getenv("TESSERA_SOURCE_DIR");
  if (!build || !source) return -1;
  char *plugin = ts_path_join(build, "plugins/decay.so"), *manifest = ts_path_join(source, "workflows/decay/fit.json");
  struct ts_faults faults = {0};
  registry = ts_registry_create();
  ts_registry_load(registry, plugin, &faults);
  ts_registry_load(registry, manifest, &faults);
  print_faults(&faults);
  free(plugin);
  free(manifest);
  int result = faults.count == 0 ? 0 : -1;
  ts_faults_release(&faults);
  return result;
}

static int teardown(void **state) {
  (void)state;
  ts_registry_destroy(registry);
  return 0;
}

static struct ts_data *call(const char *name, struct ts_data *first, struct ts_data *second,
                            const struct ts_value *values) {
  struct ts_data *inputs[] = {first, second}, *out = NULL;
  struct ts_error err = {0};
  ts_op_execute(ts_registry_find(registry, name), inputs, values, &out, NULL, &err);
  assert_no_error(&err);
  return out;
}

static struct ts_data *simulate(struct ts_data *series, double rate, double step, int64_t order) {
  struct ts_value values[] = {ts_value_real(rate), ts_value_real(100), ts_value_real(5), ts_value_real(step),
                              ts_value_integer(order)};
  return call("decay.simulate", series, NULL, values);
}

/* y = 100 exp(-rate t) + 5 without noise at t = 0, 0.5, ... 12. */
static struct ts_data *exact_series(double rate) {
  struct ts_str csv = {0};
  ts_str_add(&csv, "t,y\n");
  for (int i = 0; i < 25; i++) ts_str_addf(&csv, "%.17g,%.17g\n", i * 0.5, 100 * exp(-rate * i * 0.5) + 5);
  struct ts_data *series = make_table(ts_str_get(&csv));
  ts_str_release(&csv);
  return series;
}

static double largest_difference(const struct ts_data *a, const struct ts_data *b) {
  double largest = 0;
  assert_int_equal(ts_data_rows(a), ts_data_rows(b));
  for (size_t i = 0; i < ts_data_rows(a); i++)
    largest = fmax(largest, fabs(table_cell(a, i, "y") - table_cell(b, i, "y")));
  return largest;
}

/* The error of a method of order n falls by 2 to the n when the step is halved. */
static void test_order_of_integration(void **state) {
  (void)state;
  struct ts_data *series = exact_series(0.8);
  static const int64_t orders[] = {1, 2, 4};
  for (size_t i = 0; i < COUNT(orders); i++) {
    struct ts_data *coarse = simulate(series, 0.8, 0.25, orders[i]), *fine = simulate(series, 0.8, 0.125, orders[i]);
    double ratio = largest_difference(coarse, series) / largest_difference(fine, series);
    assert_true(fabs(log2(ratio) - (double)orders[i]) < 0.25);
    ts_data_unref(coarse);
    ts_data_unref(fine);
  }
  struct ts_data *best = simulate(series, 0.8, 0.01, 4);
  assert_true(largest_difference(best, series) < 1e-8);
  ts_data_unref(best);
  ts_data_unref(series);
}

static void test_orders_that_act_alike(void **state) {
  (void)state;
  const struct ts_op *op = ts_registry_find(registry, "decay.simulate");
  size_t index = 0;
  assert_true(ts_op_find_parameter(op, "order", &index));
  static const int64_t expected[] = {0, 1, 2, 2, 4, 4, 4};
  for (int64_t given = 1; given <= 6; given++) {
    struct ts_value value = ts_value_integer(given);
    assert_int_equal(ts_op_canonical(op->descriptor->parameters[index], &value).as.integer, expected[given]);
  }
}

static void test_residuals_and_score(void **state) {
  (void)state;
  struct ts_data *observed = make_table("t,y\n0,4\n1,0\n"), *simulated = make_table("t,y\n0,7\n1,4\n");
  struct ts_value weight = ts_value_string("poisson"), rate = ts_value_real(0.5);
  struct ts_data *weighted = call("decay.residual", observed, simulated, &weight);
  assert_true(table_cell(weighted, 0, "residual") == 1.5 && table_cell(weighted, 1, "residual") == 4);
  weight = ts_value_string("uniform");
  struct ts_data *plain = call("decay.residual", observed, simulated, &weight);
  assert_true(table_cell(plain, 0, "residual") == 3 && table_cell(plain, 1, "residual") == 4);
  struct ts_data *fits = make_table("amplitude,rate\n1,0.25\n1,0.5\n");
  struct ts_data *score = call("decay.score", plain, fits, &rate);
  assert_int_equal(ts_data_rows(score), 1);
  assert_true(table_cell(score, 0, "error") == sqrt(12.5));
  assert_true(table_cell(score, 0, "rate_fitted") == 0.375 && table_cell(score, 0, "rate_error") == 0.125);
  assert_true(table_cell(score, 0, "rows") == 2);
  ts_data_unref(observed);
  ts_data_unref(simulated);
  ts_data_unref(weighted);
  ts_data_unref(plain);
  ts_data_unref(fits);
  ts_data_unref(score);
}

static void test_fit_finds_the_truth(void **state) {
  (void)state;
  struct ts_data *series = exact_series(0.4);
  struct ts_value values[] = {ts_value_string("background"), ts_value_real(0), ts_value_integer(40)};
  struct ts_data *fit = call("decay.fit", series, NULL, values);
  assert_true(fabs(table_cell(fit, 0, "rate") - 0.4) < 1e-9);
  assert_true(fabs(table_cell(fit, 0, "amplitude") - 100) < 1e-6);
  assert_true(fabs(table_cell(fit, 0, "background") - 5) < 1e-6);
  /* More rounds than it needs change nothing, not even a bit. */
  values[2] = ts_value_integer(20);
  struct ts_data *again = call("decay.fit", series, NULL, values);
  assert_memory_equal(ts_data_cells(fit), ts_data_cells(again), ts_data_size_bytes(fit));
  ts_data_unref(fit);
  ts_data_unref(again);
  ts_data_unref(series);
}

static void test_fit_explains_itself(void **state) {
  (void)state;
  struct ts_data *series = make_table("t,y\n0,1\n1,2\n"), *out = NULL;
  struct ts_value values[] = {ts_value_string("plain"), ts_value_real(0), ts_value_integer(40)};
  struct ts_error err = {0};
  assert_false(ts_op_execute(ts_registry_find(registry, "decay.fit"), &series, values, &out, NULL, &err));
  assert_error(&err, TS_ERR_COMMAND, "exit status 1");
  assert_contains(err.text, "2 rows are too few to fit");
  ts_data_unref(series);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_order_of_integration), cmocka_unit_test(test_orders_that_act_alike),
      cmocka_unit_test(test_residuals_and_score),  cmocka_unit_test(test_fit_finds_the_truth),
      cmocka_unit_test(test_fit_explains_itself),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
