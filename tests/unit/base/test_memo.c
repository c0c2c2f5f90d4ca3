/* The bounded memo: against a plain table, its limits, what it forgets and what it keeps, and many threads at once.
 * SPDX-License-Identifier: Apache-2.0 */
#include "unit/base/testing.h"

#include "base/block.h"
#include "base/memo.h"
#include "base/random.h"

#include <pthread.h>

#define LIMIT ((uint64_t)1 << 20)

static struct ts_xxh128 key_of(uint64_t number) { return ts_xxh128_of(&number, sizeof number, 0); }

/* The value of a number: up to 99 bytes that nothing else has. */
static size_t value_of(uint64_t number, unsigned char value[128]) {
  struct ts_random random;
  ts_random_init(&random, 7, number);
  size_t size = (size_t)ts_random_below(&random, 100);
  for (size_t i = 0; i < size; i++) value[i] = (unsigned char)ts_random_u64(&random);
  return size;
}

static void put(struct ts_memo *memo, uint64_t number) {
  unsigned char value[128];
  struct ts_xxh128 key = key_of(number);
  size_t size = value_of(number, value);
  ts_memo_put(memo, &key, value, size);
}

/* Whether it is known; if so the value must be right. */
static bool is_known(struct ts_memo *memo, uint64_t number) {
  unsigned char found[128], want[128];
  struct ts_xxh128 key = key_of(number);
  size_t size = ts_memo_get(memo, &key, found, sizeof found);
  if (size == TS_MEMO_UNKNOWN) return false;
  assert_int_equal(size, value_of(number, want));
  assert_memory_equal(found, want, size);
  return true;
}

static void what_was_put_is_found(void **state) {
  (void)state;
  static bool is_put[2000];
  struct ts_memo *memo = ts_memo_create(LIMIT); /* room for some 4000 in a generation */
  struct ts_random random;
  ts_random_init(&random, 1, 0);
  uint64_t recalled = 0;
  for (int i = 0; i < 10000; i++) {
    uint64_t number = ts_random_below(&random, 2000);
    assert_int_equal(is_known(memo, number), is_put[number]);
    recalled += is_put[number];
    put(memo, number);
    is_put[number] = true;
  }
  struct ts_memo_counts counts = ts_memo_counts(memo);
  assert_int_equal(counts.asked, 10000);
  assert_int_equal(counts.recalled, recalled);
  assert_true(recalled > 7000);
  ts_memo_destroy(memo);
}

static void it_stays_within_its_limit(void **state) {
  (void)state;
  uint64_t before = ts_blocks_used_bytes();
  struct ts_memo *memo = ts_memo_create(LIMIT);
  assert_true(ts_memo_bytes(memo) < LIMIT / 16); /* nothing is taken before it is needed */
  size_t known = 0;
  for (uint64_t number = 0; number < 100000; number++) {
    put(memo, number);
    assert_true(is_known(memo, number));
    if (number % 1000 == 0) assert_true(ts_memo_bytes(memo) <= LIMIT + LIMIT / 64);
  }
  assert_true(ts_memo_bytes(memo) > LIMIT / 2);
  for (uint64_t number = 100000; number-- > 0;) known += is_known(memo, number);
  assert_true(known > 3000 && known < 20000); /* a generation at least, and by far not all */
  ts_memo_destroy(memo);
  assert_int_equal(ts_blocks_used_bytes(), before);
}

/* What is asked for again and again outlives any number of others. */
static void what_is_used_stays(void **state) {
  (void)state;
  struct ts_memo *memo = ts_memo_create(LIMIT);
  for (uint64_t number = 0; number < 100; number++) put(memo, number);
  for (uint64_t number = 1000; number < 100000; number++) {
    put(memo, number);
    if (number % 1000 != 0) continue;
    for (uint64_t old = 0; old < 50; old++) assert_true(is_known(memo, old));
  }
  for (uint64_t old = 50; old < 100; old++) assert_false(is_known(memo, old));
  ts_memo_destroy(memo);
}

static void sizes_at_the_edges(void **state) {
  (void)state;
  static unsigned char large[LIMIT], found[LIMIT];
  struct ts_memo *memo = ts_memo_create(LIMIT);
  struct ts_xxh128 key = key_of(1);
  ts_memo_put(memo, &key, large, sizeof large); /* more than it may hold */
  assert_true(ts_memo_get(memo, &key, found, sizeof found) == TS_MEMO_UNKNOWN);
  ts_memo_put(memo, &key, NULL, 0);
  assert_int_equal(ts_memo_get(memo, &key, NULL, 0), 0);
  ts_memo_put(memo, &key, large, 3); /* the first value counts */
  assert_int_equal(ts_memo_get(memo, &key, found, sizeof found), 0);
  key = key_of(2);
  memset(large, 5, 64);
  memset(found, 9, 64);
  ts_memo_put(memo, &key, large, 64);
  assert_true(ts_memo_get(memo, &key, found, 63) == TS_MEMO_UNKNOWN);
  for (int i = 0; i < 64; i++) assert_int_equal(found[i], 9);
  assert_int_equal(ts_memo_get(memo, &key, found, 64), 64);
  assert_memory_equal(found, large, 64);
  ts_memo_destroy(memo);
  assert_null(ts_memo_create(0));
  assert_null(ts_memo_create(1000));
  ts_memo_destroy(NULL);
  assert_int_equal(ts_memo_counts(NULL).asked, 0);
}

enum { THREADS = 4, TURNS = 20000 };

struct turns {
  struct ts_memo *memo; /* borrowed */
  uint64_t stream;
};

static void *take_turns(void *argument) {
  struct turns *turns = argument;
  struct ts_random random;
  ts_random_init(&random, 3, turns->stream);
  for (int i = 0; i < TURNS; i++) {
    uint64_t number = ts_random_below(&random, 12000); /* more than it can hold */
    if (!is_known(turns->memo, number)) put(turns->memo, number);
  }
  return NULL;
}

static void many_threads_at_once(void **state) {
  (void)state;
  struct ts_memo *memo = ts_memo_create(LIMIT);
  pthread_t threads[THREADS];
  struct turns turns[THREADS];
  for (size_t i = 0; i < THREADS; i++) {
    turns[i] = (struct turns){memo, i};
    assert_int_equal(pthread_create(&threads[i], NULL, take_turns, &turns[i]), 0);
  }
  for (size_t i = 0; i < THREADS; i++) assert_int_equal(pthread_join(threads[i], NULL), 0);
  struct ts_memo_counts counts = ts_memo_counts(memo);
  assert_int_equal(counts.asked, THREADS * TURNS);
  assert_true(counts.recalled > 0 && counts.recalled < counts.asked);
  ts_memo_destroy(memo);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_was_put_is_found), cmocka_unit_test(it_stays_within_its_limit),
      cmocka_unit_test(what_is_used_stays),    cmocka_unit_test(sizes_at_the_edges),
      cmocka_unit_test(many_threads_at_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
