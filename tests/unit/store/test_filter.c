/* The filter before the database: it never hides a record, whenever it is filled and whoever writes meanwhile.
 * SPDX-License-Identifier: Apache-2.0 */
#include "unit/store/support.h"

#include <pthread.h>

#define PRODUCT_BYTES 20

static char folder[SCRATCH_SIZE];

static int make_folder(void **state) {
  (void)state;
  scratch_create(folder);
  return 0;
}

static int remove_folder(void **state) {
  (void)state;
  scratch_remove(folder);
  return 0;
}

static bool has_content(struct ts_store *store, uint64_t number) {
  ts_auto(ts_arena_release) struct ts_arena arena = {0};
  struct ts_error err = {0};
  struct ts_record record;
  const struct ts_key key = key_of("content", number);
  const bool found = ts_store_find_content(store, &key, &arena, &record, &err);
  assert_no_error(&err);
  return found;
}

/* Exactly the records below `count`, by both keys. */
static void assert_holds(struct ts_store *store, uint64_t count) {
  for (uint64_t i = 0; i < count + 50; i++) {
    assert_int_equal(has_record(store, i), i < count);
    assert_int_equal(has_content(store, i), i < count);
  }
}

static void ask_in_vain(struct ts_store *store, uint64_t questions) {
  for (uint64_t i = 0; i < questions; i++) assert_false(has_record(store, 1000000 + i));
}

/* Each opening finds more rows; the questions in vain come before, between and after what is put. */
static void nothing_is_hidden(void **state) {
  (void)state;
  uint64_t count = 0;
  for (uint64_t round = 0; round < 9; round++) {
    struct ts_store *store = open_store(folder);
    ask_in_vain(store, round * 40);
    assert_holds(store, count);
    for (uint64_t i = 0; i < 100; i++) put_sample(store, count++, PRODUCT_BYTES);
    if (round % 2) flush(store);
    ask_in_vain(store, round * 7);
    assert_holds(store, count);
    flush(store);
    assert_holds(store, count);
    ts_store_close(store);
  }
  struct ts_store *reader = open_to_read(folder);
  ask_in_vain(reader, 2000);
  assert_holds(reader, count);
  ts_store_close(reader);
}

/* Who reads a store does not know what another writes: no answer may be kept. */
static void a_reader_sees_what_is_added(void **state) {
  (void)state;
  struct ts_store *writer = open_store(folder);
  put_sample(writer, 0, PRODUCT_BYTES);
  flush(writer);
  struct ts_store *reader = open_to_read(folder);
  ask_in_vain(reader, 500);
  put_sample(writer, 1, PRODUCT_BYTES);
  flush(writer);
  assert_holds(reader, 2);
  ts_store_close(reader);
  ts_store_close(writer);
}

static void *ask_meanwhile(void *argument) {
  struct ts_store *store = argument;
  for (uint64_t i = 0; i < 4000; i++) {
    if (has_record(store, 2000000 + i) || !has_record(store, i % 300)) return argument;
  }
  return NULL;
}

/* It is filled while batches are written. */
static void writing_goes_on_while_it_is_filled(void **state) {
  (void)state;
  struct ts_store *store = open_store(folder);
  for (uint64_t i = 0; i < 300; i++) put_sample(store, i, PRODUCT_BYTES);
  ts_store_close(store);
  store = open_store(folder);
  pthread_t threads[2];
  for (size_t i = 0; i < 2; i++) assert_int_equal(pthread_create(&threads[i], NULL, ask_meanwhile, store), 0);
  for (uint64_t i = 300; i < 900; i++) {
    put_sample(store, i, PRODUCT_BYTES);
    if (i % 10 == 0) flush(store);
  }
  for (size_t i = 0; i < 2; i++) {
    void *wrong = store;
    pthread_join(threads[i], &wrong);
    assert_null(wrong);
  }
  flush(store);
  assert_holds(store, 900);
  ts_store_close(store);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(nothing_is_hidden, make_folder, remove_folder),
      cmocka_unit_test_setup_teardown(a_reader_sees_what_is_added, make_folder, remove_folder),
      cmocka_unit_test_setup_teardown(writing_goes_on_while_it_is_filled, make_folder, remove_folder),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
