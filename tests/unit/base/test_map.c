/* The hash map against a table that needs no hashing, its order, binary keys, and many readers at once.
 * SPDX-License-Identifier: Apache-2.0 */
#include "unit/base/testing.h"

#include "base/map.h"
#include "base/random.h"

#include <pthread.h>

static void names_are_found(void **state) {
  (void)state;
  struct ts_map map = {0};
  assert_null(ts_map_find_name(&map, "a"));
  bool inserted = false;
  union ts_map_value *value = ts_map_insert_name(&map, "a", &inserted);
  assert_true(inserted);
  assert_true(value->number == 0);
  value->number = 7;
  value = ts_map_insert_name(&map, "a", &inserted);
  assert_false(inserted);
  assert_true(value->number == 7);
  assert_int_equal(ts_map_count(&map), 1);
  assert_null(ts_map_find_name(&map, "b"));
  assert_null(ts_map_find_name(&map, ""));
  ts_map_insert_name(&map, "", NULL)->number = 9;
  assert_true(ts_map_find_name(&map, "")->number == 9);
  ts_map_release(&map);
  assert_null(ts_map_find_name(&map, "a"));
}

static void keys_may_hold_any_byte(void **state) {
  (void)state;
  struct ts_map map = {0};
  ts_map_insert(&map, "a\0b", 3, NULL)->number = 1;
  ts_map_insert(&map, "a\0c", 3, NULL)->number = 2;
  ts_map_insert(&map, "a", 1, NULL)->number = 3;
  ts_map_insert(&map, "a\0", 2, NULL)->number = 4;
  ts_map_insert(&map, NULL, 0, NULL)->number = 5;
  assert_int_equal(ts_map_count(&map), 5);
  assert_true(ts_map_find(&map, "a\0b", 3)->number == 1);
  assert_true(ts_map_find(&map, "a\0c", 3)->number == 2);
  assert_true(ts_map_find(&map, "a", 1)->number == 3);
  assert_true(ts_map_find(&map, "a\0", 2)->number == 4);
  assert_true(ts_map_find(&map, NULL, 0)->number == 5);
  ts_map_release(&map);
}

#define NUMBERS 20000

/* Keys are the numbers below NUMBERS, written as text or as bytes; first_seen needs no hashing to know them. */
static void many_keys_agree_with_a_table(void **state) {
  (void)state;
  static size_t first_seen[NUMBERS]; /* 1 + order of insertion, 0 never */
  struct ts_map map = {0};
  struct ts_random random;
  ts_random_init(&random, 4, 0);
  size_t count = 0;
  for (int i = 0; i < 3 * NUMBERS; i++) {
    uint32_t number = (uint32_t)ts_random_below(&random, NUMBERS);
    char key[16];
    int length = snprintf(key, sizeof key, "%u", number);
    bool inserted;
    union ts_map_value *value = ts_map_insert(&map, key, (size_t)length, &inserted);
    assert_true(inserted == (first_seen[number] == 0));
    if (inserted) {
      first_seen[number] = ++count;
      value->number = number;
    }
    assert_true(value->number == number);
    memset(key, 'x', sizeof key); /* the map has its own copy */
  }
  assert_int_equal(ts_map_count(&map), count);
  for (uint32_t number = 0; number < NUMBERS; number++) {
    char key[16];
    snprintf(key, sizeof key, "%u", number);
    union ts_map_value *value = ts_map_find_name(&map, key);
    assert_true((value != NULL) == (first_seen[number] != 0));
    if (!value) continue;
    assert_ptr_equal(value, ts_map_value_at(&map, first_seen[number] - 1));
    size_t size;
    const char *stored = ts_map_key_at(&map, first_seen[number] - 1, &size);
    assert_int_equal(size, strlen(key));
    assert_string_equal(stored, key); /* a NUL follows every key */
    assert_int_equal((uintptr_t)stored % 8, 0);
  }
  ts_map_release(&map);
}

static void pointers_are_not_owned(void **state) {
  (void)state;
  struct ts_map map = {0};
  int target = 3;
  ts_map_insert_name(&map, "p", NULL)->pointer = &target;
  assert_ptr_equal(ts_map_find_name(&map, "p")->pointer, &target);
  ts_map_release(&map);
  assert_int_equal(target, 3);
}

static void *read_all(void *argument) {
  const struct ts_map *map = argument;
  size_t wrong = 0;
  for (uint64_t i = 0; i < 5000; i++) {
    const union ts_map_value *value = ts_map_find(map, &i, sizeof i);
    wrong += i < 2500 ? !value || value->number != i * i : value != NULL;
  }
  return wrong ? argument : NULL;
}

static void readers_share_a_map(void **state) {
  (void)state;
  struct ts_map map = {0};
  for (uint64_t i = 0; i < 2500; i++) ts_map_insert(&map, &i, sizeof i, NULL)->number = i * i;
  pthread_t threads[4];
  for (size_t i = 0; i < COUNT_OF(threads); i++) assert_int_equal(pthread_create(&threads[i], NULL, read_all, &map), 0);
  for (size_t i = 0; i < COUNT_OF(threads); i++) {
    void *wrong = &map;
    pthread_join(threads[i], &wrong);
    assert_null(wrong);
  }
  ts_map_release(&map);
}

static void read_past_the_end(void) {
  struct ts_map map = {0};
  ts_map_value_at(&map, 0);
}

static void a_bad_index_is_a_bug(void **state) {
  (void)state;
  assert_true(aborts(read_past_the_end));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(names_are_found),
      cmocka_unit_test(keys_may_hold_any_byte),
      cmocka_unit_test(many_keys_agree_with_a_table),
      cmocka_unit_test(pointers_are_not_owned),
      cmocka_unit_test(readers_share_a_map),
      cmocka_unit_test(a_bad_index_is_a_bug),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
