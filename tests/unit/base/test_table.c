/* The table against a plain list, with hashes that collide often.
 * test-label: one-thread
 * SPDX-License-Identifier: Apache-2.0 */
#include "unit/base/testing.h"

#include "base/random.h"
#include "base/table.h"

#define NUMBERS 500

struct slot {
  uint32_t number_plus_1; /* 0: free */
  uint32_t value;
};

static bool is_free(const void *slot) { return ((const struct slot *)slot)->number_plus_1 == 0; }

/* The context says how many hashes there are. */
static uint64_t hash_of(uint32_t number_plus_1, const void *context) {
  return number_plus_1 % *(const uint32_t *)context;
}

static uint64_t hash_of_slot(const void *slot, const void *context) {
  return hash_of(((const struct slot *)slot)->number_plus_1, context);
}

static bool matches(const void *slot, const void *key, const void *context) {
  (void)context;
  return ((const struct slot *)slot)->number_plus_1 == *(const uint32_t *)key;
}

static const struct ts_table_type type = {sizeof(struct slot), 4, is_free, hash_of_slot, matches};

static void change(struct ts_table *table, uint32_t *values, uint32_t number, uint32_t value, const uint32_t *hashes) {
  const uint32_t key = number + 1;
  struct slot *found = ts_table_find(&type, table, hash_of(key, hashes), &key, hashes);
  assert_int_equal(found != NULL, values[number] != 0);
  if (found) {
    assert_int_equal(found->value, values[number]);
    ts_table_remove(&type, table, found, hashes);
    table->count--;
    values[number] = 0;
    return;
  }
  ts_table_reserve(&type, table, table->count + 1, hashes);
  struct slot *slot = ts_table_probe(&type, table, hash_of(key, hashes), &key, hashes);
  assert_true(is_free(slot));
  *slot = (struct slot){key, value};
  table->count++;
  values[number] = value;
}

static void behaves_like_a_list(void **state) {
  (void)state;
  static const uint32_t spreads[] = {1, 3, 64, 1000000};
  for (size_t s = 0; s < 4; s++) {
    struct ts_table table = {0};
    uint32_t values[NUMBERS] = {0};
    struct ts_random random;
    ts_random_init(&random, 7, s);
    for (uint32_t step = 1; step <= 5000; step++)
      change(&table, values, (uint32_t)ts_random_below(&random, NUMBERS), step, &spreads[s]);
    size_t count = 0;
    for (uint32_t n = 0; n < NUMBERS; n++) {
      const uint32_t key = n + 1;
      const struct slot *slot = ts_table_find(&type, &table, hash_of(key, &spreads[s]), &key, &spreads[s]);
      assert_int_equal(slot ? slot->value : 0, values[n]);
      count += values[n] != 0;
    }
    assert_int_equal(table.count, count);
    ts_table_release(&table);
    assert_int_equal(table.slot_count, 0);
  }
}

/* A power of two of slots, and at most half of them taken: probing always ends at a free one. */
static void grows_by_doubling(void **state) {
  (void)state;
  static const uint32_t hashes = 1;
  static const size_t wanted[][2] = {{1, 4}, {2, 4}, {3, 8}, {4, 8}, {5, 16}, {64, 128}, {65, 256}, {10, 256}};
  struct ts_table table = {0};
  assert_null(ts_table_find(&type, &table, 0, &hashes, &hashes));
  for (size_t i = 0; i < 8; i++) {
    ts_table_reserve(&type, &table, wanted[i][0], &hashes);
    assert_int_equal(table.slot_count, wanted[i][1]);
  }
  ts_table_release(&table);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(behaves_like_a_list),
      cmocka_unit_test(grows_by_doubling),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
