/* Costs that two writers have read and both want to write: the backends that keep costs, plain and traced.
 * SPDX-License-Identifier: Apache-2.0 */
#include "unit/store/support.h"

#include "base/log.h"
#include "store/store_int.h"

static const struct ts_store_backend *backend; /* the one under test */
static char folder[SCRATCH_SIZE];
static struct ts_store *store;

static int setup(void **state) {
  (void)state;
  struct ts_error err = {0};
  scratch_create(folder);
  store = ts_store_open(
      &(struct ts_store_options){.path = backend->has_folder ? folder : NULL, .backend = backend->name}, &err);
  assert_no_error(&err);
  return 0;
}

static int teardown(void **state) {
  (void)state;
  ts_store_close(store);
  scratch_remove(folder);
  return 0;
}

static struct ts_cost_row make_cost(const char *operation) {
  return (struct ts_cost_row){.operation = operation,
                              .machine = "x",
                              .measure = "px",
                              .bin = 1,
                              .calls = UINT64_C(5000000000),
                              .asked = 7,
                              .samples = "one",
                              .samples_bytes = 3};
}

static uint64_t calls_of_first_row(void) {
  ts_auto(ts_arena_release) struct ts_arena arena = {0};
  struct ts_error err = {0};
  struct ts_cost_row *found;
  size_t count = 0;
  assert_true(ts_store_cost_list(store, &arena, &found, &count, &err) && count > 0);
  return found[0].calls;
}

/* Two writers have read the same rows: the second one must read again. */
static void costs_that_changed_since_they_were_read_are_not_replaced(void **state) {
  (void)state;
  struct ts_error err = {0};
  bool outdated = false;
  struct ts_cost_row rows[] = {make_cost("a"), make_cost("b")};
  assert_true(ts_store_cost_put(store, rows, 2, &outdated, &err) && !outdated);
  const uint64_t calls = rows[0].calls;
  assert_true(ts_store_cost_put(store, rows, 1, &outdated, &err) && outdated); /* it has seen none */
  rows[0].seen_calls = rows[1].seen_calls = calls;
  rows[0].seen_asked = rows[1].seen_asked = 7;
  rows[0].calls = rows[1].calls = calls + 1;
  assert_true(ts_store_cost_put(store, rows, 2, &outdated, &err) && !outdated); /* the first */
  rows[0].calls = rows[1].calls = calls + 5;
  rows[1].seen_calls = calls + 1;
  assert_true(ts_store_cost_put(store, rows, 2, &outdated, &err) && outdated); /* the second: all or none */
  assert_int_equal(calls_of_first_row(), calls + 1);
  rows[0].seen_calls = calls + 1;
  rows[0].seen_asked = 6;
  assert_true(ts_store_cost_put(store, rows, 2, &outdated, &err) && outdated);
  rows[0].seen_asked = 7;
  assert_true(ts_store_cost_put(store, rows, 2, &outdated, &err) && !outdated);
  assert_int_equal(calls_of_first_row(), calls + 5);
  assert_no_error(&err);
}

static int run_suite(const char *name) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(costs_that_changed_since_they_were_read_are_not_replaced, setup, teardown),
  };
  return cmocka_run_group_tests_name(name, tests, NULL, NULL);
}

int main(void) {
  int failed = 0;
  size_t count = 0;
  const struct ts_store_backend *const *backends = ts_store_backend_list(&count);
  ts_log_set_level(TS_LOG_QUIET);
  for (size_t i = 0; i < count; i++) {
    backend = backends[i];
    if (!backend->cost_put) continue;
    unsetenv("TESSERA_STORE_TRACE");
    failed += run_suite(backend->name);
    setenv("TESSERA_STORE_TRACE", "1", 1);
    failed += run_suite("traced");
  }
  return failed;
}
