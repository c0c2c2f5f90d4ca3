/* Calls that several runs add to the costs of one store at the same time: none is lost.
 * SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "support/toy_run.h"
#include "work/costs.h"

#include <pthread.h>

#define WRITERS 4
#define RUNS    100 /* of each writer */

static const struct ts_cost_key key = {
    .operation = "op", .machine = "this one", .measure = "px", .device = TS_DEVICE_CPU};

struct writer {
  pthread_t thread;
  struct ts_store *store;   /* borrowed */
  pthread_barrier_t *start; /* borrowed */
  bool failed;
};

/* Each run has one call of an operation that all have, and one of another size. */
static void *add_runs(void *argument) {
  struct writer *writer = argument;
  pthread_barrier_wait(writer->start);
  for (int i = 0; i < RUNS; i++) {
    struct ts_error err = {0};
    struct ts_cost_bin bins[2] = {{.number = ts_cost_bin_number(1000), .asked = 2, .cut = 1},
                                  {.number = ts_cost_bin_number(8000)}};
    ts_cost_bin_add(&bins[0], &(struct ts_cost_sample){.size = 1000, .seconds = 1, .bytes = 10});
    ts_cost_bin_add(&bins[1], &(struct ts_cost_sample){.size = 8000, .seconds = 2, .bytes = 20});
    const struct ts_cost_entry learnt[] = {{key, &bins[0]}, {key, &bins[1]}};
    writer->failed = writer->failed || !ts_costs_add(writer->store, learnt, 2, &err);
  }
  return NULL;
}

static void check(struct ts_store *store) {
  ts_auto(ts_arena_release) struct ts_arena arena = {0};
  struct ts_error err = {0};
  struct ts_cost_row *rows = NULL;
  size_t row_count = 0, count = 0, damaged = 0;
  assert_true(ts_store_cost_list(store, &arena, &rows, &row_count, &err));
  const struct ts_cost_entry *entries = ts_cost_entries(rows, row_count, &arena, &count, &damaged);
  assert_int_equal(count, 2);
  assert_int_equal(damaged, 0);
  for (size_t i = 0; i < 2; i++) {
    const struct ts_cost_bin *bin = entries[i].bin;
    assert_int_equal(bin->calls, WRITERS * RUNS);
    assert_int_equal(bin->asked, i == 0 ? 2 * WRITERS * RUNS : 0);
    assert_int_equal(bin->cut, i == 0 ? WRITERS * RUNS : 0);
    assert_int_equal(bin->count, TS_COST_SAMPLES);
  }
}

static void add_at_once(struct ts_store *store) {
  struct writer writers[WRITERS];
  pthread_barrier_t start;
  pthread_barrier_init(&start, NULL, WRITERS);
  for (int i = 0; i < WRITERS; i++) {
    writers[i] = (struct writer){.store = store, .start = &start};
    assert_int_equal(pthread_create(&writers[i].thread, NULL, add_runs, &writers[i]), 0);
  }
  for (int i = 0; i < WRITERS; i++) {
    pthread_join(writers[i].thread, NULL);
    assert_false(writers[i].failed);
  }
  pthread_barrier_destroy(&start);
  check(store);
}

static void writers_at_once_lose_nothing_in_memory(void **state) {
  (void)state;
  struct ts_store *store = toy_store_open(NULL);
  add_at_once(store);
  ts_store_close(store);
}

static void nor_on_disk(void **state) {
  (void)state;
  char folder[256];
  toy_folder_create(folder);
  struct ts_store *store = toy_store_open(folder);
  add_at_once(store);
  ts_store_close(store);
  store = toy_store_open(folder);
  check(store);
  ts_store_close(store);
  toy_folder_remove(folder);
}

/* Samples that cannot be read are replaced, not counted on. */
static void a_row_of_unreadable_samples_is_replaced(void **state) {
  (void)state;
  ts_auto(ts_arena_release) struct ts_arena arena = {0};
  struct ts_store *store = toy_store_open(NULL);
  struct ts_error err = {0};
  struct ts_cost_row *rows = NULL;
  size_t row_count = 0;
  bool outdated = false;
  const struct ts_cost_row broken = {.operation = "op",
                                     .machine = "this one",
                                     .measure = "px",
                                     .bin = ts_cost_bin_number(1000),
                                     .calls = 9,
                                     .samples = "broken",
                                     .samples_bytes = 6};
  assert_true(ts_store_cost_put(store, &broken, 1, &outdated, &err) && !outdated);
  struct ts_cost_bin bin = {.number = ts_cost_bin_number(1000)};
  ts_cost_bin_add(&bin, &(struct ts_cost_sample){.size = 1000, .seconds = 1});
  assert_true(ts_costs_add(store, &(struct ts_cost_entry){key, &bin}, 1, &err));
  assert_true(ts_store_cost_list(store, &arena, &rows, &row_count, &err));
  assert_int_equal(row_count, 1);
  assert_int_equal(rows[0].calls, 1);
  ts_store_close(store);
}

/* Rows of the CPU are those of earlier versions; another device is named behind the machine. */
static void devices_have_rows_of_their_own(void **state) {
  (void)state;
  ts_auto(ts_arena_release) struct ts_arena arena = {0};
  struct ts_store *store = toy_store_open(NULL);
  struct ts_error err = {0};
  struct ts_cost_row *rows = NULL;
  size_t row_count = 0, count = 0, damaged = 0;
  struct ts_cost_key gpu = key;
  gpu.device = "gpu";
  struct ts_cost_bin bin = {.number = ts_cost_bin_number(1000)};
  ts_cost_bin_add(&bin, &(struct ts_cost_sample){.size = 1000, .seconds = 1});
  for (int i = 0; i < 3; i++)
    assert_true(ts_costs_add(store, &(struct ts_cost_entry){i < 2 ? gpu : key, &bin}, 1, &err));
  assert_true(ts_store_cost_list(store, &arena, &rows, &row_count, &err));
  const struct ts_cost_entry *entries = ts_cost_entries(rows, row_count, &arena, &count, &damaged);
  assert_int_equal(count, 2);
  assert_string_equal(rows[0].machine, "this one");
  assert_string_equal(rows[1].machine, "this one; device gpu");
  assert_true(ts_cost_key_equal(&entries[0].key, &key) && entries[0].bin->calls == 1);
  assert_true(ts_cost_key_equal(&entries[1].key, &gpu) && entries[1].bin->calls == 2);
  ts_store_close(store);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(writers_at_once_lose_nothing_in_memory),
      cmocka_unit_test(nor_on_disk),
      cmocka_unit_test(a_row_of_unreadable_samples_is_replaced),
      cmocka_unit_test(devices_have_rows_of_their_own),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
