/* What the engine costs beside the operations: CPU time per trivial task, with products in memory and with SQLite
 * records.
 * SPDX-License-Identifier: Apache-2.0
 * test-label: long */
#include "support/growth.h"
#include "support/toy_run.h"

#include "base/clock.h"
#include "base/str.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

/* The aims in microseconds of CPU time of all threads, and how much more a busy machine and the flags of a debugging
 * build may take: time in a shared cache is not our own. */
#define AIM_MEMORY_US 5.0
#define AIM_SQLITE_US 15.0
#define ALLOWANCE     2.0
#define TRIES         3

#define CHAIN    10
#define DIGITS   4 /* the first tasks of the chain take one decimal digit of the run's number each */
#define SETS     10000
#define FEW_SETS (SETS / GROWTH_TIMES)

static struct ts_registry *registry;

/* A chain of tasks; from the fourth on every run has its own. */
static void make_chain(struct toy_case *toy, size_t sets) {
  struct ts_str json = {0};
  ts_str_add(&json,
             "{\"tessera\": 1, \"name\": \"chain\", \"inputs\": {\"a\": {\"type\": \"table\"}}, \"parameters\": {"
             "\"D0\": {\"type\": \"integer\", \"default\": 0}, \"D1\": {\"type\": \"integer\", \"default\": 0}, "
             "\"D2\": {\"type\": \"integer\", \"default\": 0}, \"D3\": {\"type\": \"integer\", \"default\": 0}}, "
             "\"stages\": [{"
             "\"name\": \"s\", \"per\": \"file\", \"in\": {\"a\": \"a\"}, \"out\": {\"out\": \"t9.out\"}, "
             "\"tasks\": [");
  for (int i = 0; i < CHAIN; i++) {
    ts_str_addf(&json, "%s{\"name\": \"t%d\", \"op\": \"toy.mix\", \"in\": {\"a\": \"", i ? "," : "", i);
    if (i == 0)
      ts_str_add(&json, "a");
    else
      ts_str_addf(&json, "t%d.out", i - 1);
    if (i < DIGITS)
      ts_str_addf(&json, "\"}, \"params\": {\"p\": \"D%d\"}}", i);
    else
      ts_str_add(&json, "\"}, \"params\": {\"p\": {\"value\": 1}}}");
  }
  ts_str_add(&json, "]}]}");
  toy_case_init(toy, ts_str_get(&json), registry);
  ts_str_release(&json);
  toy->sets = ts_arena_array(&toy->arena, sets * toy->workflow->parameter_count, sizeof *toy->sets);
  toy->set_count = sets;
  for (size_t s = 0; s < sets; s++) {
    int64_t rest = (int64_t)s;
    for (size_t d = 0; d < DIGITS; d++, rest /= 10)
      toy->sets[s * toy->workflow->parameter_count + d] = ts_value_integer(rest % 10);
  }
}

static void ignore_product(void *user, uint32_t node, uint32_t port, size_t unit, struct ts_data *data) {
  (void)node, (void)port, (void)unit, (void)data;
  ++*(size_t *)user;
}

/* How many of the numbers below `sets` differ in their first digits: so many tasks of the chain there are at that
 * place. */
static size_t distinct_tasks(size_t sets) {
  size_t sum = 0, values = 10;
  for (size_t t = 0; t < CHAIN; t++, values = values < SETS ? 10 * values : values)
    sum += values < sets ? values : sets;
  return sum;
}

static double run_chain(struct ts_store *store, size_t threads, size_t sets) {
  struct toy_case toy;
  struct toy_dataset data;
  make_chain(&toy, sets);
  toy_dataset_init(&data, &toy, (struct toy_image[]){{"one", 4, 4}}, 1, 0, 0);
  struct ts_plan *plan = toy_case_plan(&toy);
  size_t products = 0;
  struct ts_run_options options = {.threads = threads,
                                   .registry = registry,
                                   .store = store,
                                   .run_id = "",
                                   .user = &products,
                                   .on_product = ignore_product};
  struct ts_run_result result;
  struct ts_error err = {0};
  uint64_t start_ns = ts_clock_process_cpu_ns();
  assert_true(ts_run(plan, &data.dataset, &options, &result, &err));
  if (store) assert_true(ts_store_flush(store, &err));
  double spent_s = (double)(ts_clock_process_cpu_ns() - start_ns) * 1e-9;
  uint64_t executed = 0;
  for (size_t t = 0; t < CHAIN; t++) executed += result.tasks[t].by_outcome[TS_OUTCOME_EXECUTED];
  assert_int_equal(executed, distinct_tasks(sets));
  assert_int_equal(products, sets);
  ts_run_result_release(&result);
  ts_plan_destroy(plan);
  toy_dataset_release(&data);
  toy_case_release(&toy);
  return spent_s / (double)executed;
}

/* A kind of store, and a number of threads. */
struct setting {
  bool has_store, has_folder;
  size_t threads;
};

/* Of a task, times the number of sets: fewer sets have more tasks in common. */
static double cost_of_sets(void *user, size_t sets) {
  const struct setting *setting = user;
  char folder[256];
  if (setting->has_folder) toy_folder_create(folder);
  struct ts_store *store = setting->has_store ? toy_store_open(setting->has_folder ? folder : NULL) : NULL;
  double each_s = run_chain(store, setting->threads, sets);
  ts_store_close(store);
  if (setting->has_folder) toy_folder_remove(folder);
  return each_s * (double)sets;
}

/* Builds that are not optimised are not held to the aim. */
static void judge(const char *what, bool has_store, bool has_folder, double aim_us) {
  for (size_t threads = 1; threads <= 2; threads++) {
    struct setting setting = {has_store, has_folder, threads};
    double spent_us = growth_check(what, cost_of_sets, &setting, FEW_SETS, 2);
    for (int i = 1; i < TRIES && spent_us > ALLOWANCE * aim_us; i++)
      spent_us = fmin(spent_us, growth_check(what, cost_of_sets, &setting, FEW_SETS, 2));
    print_message("%s, %zu thread%s: %.2f us CPU per task (aim: %g)\n", what, threads, threads == 1 ? "" : "s",
                  spent_us, aim_us);
#ifdef __OPTIMIZE__
    if (spent_us > ALLOWANCE * aim_us) fail_msg("%s: %.2f us per task is far beyond the aim", what, spent_us);
#endif
  }
}

static void test_without_store(void **state) {
  (void)state;
  judge("no store", false, false, AIM_MEMORY_US);
}

static void test_memory_store(void **state) {
  (void)state;
  judge("memory store", true, false, AIM_MEMORY_US);
}

static void test_sqlite_store(void **state) {
  (void)state;
  judge("SQLite store", true, true, AIM_SQLITE_US);
}

int main(int argc, char **argv) {
  if (argc > 1) cmocka_set_test_filter(argv[1]); /* for profiles of one kind of store */
  registry = toy_registry_create();
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_without_store), cmocka_unit_test(test_memory_store),
                                     cmocka_unit_test(test_sqlite_store)};
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  ts_registry_destroy(registry);
  return failed;
}
