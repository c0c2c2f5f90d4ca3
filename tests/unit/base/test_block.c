/* Tests of large blocks: alignment, counting, idle blocks and their limit, watches, many threads.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/block.h"
#include "base/memory.h"
#include "base/pool.h"
#include "base/sanitizers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct ts_block_limit limit;

#define MEGA ((size_t)1 << 20)

static void test_blocks_hold_their_bytes(void **state) {
  (void)state;
  const size_t sizes[] = {0, 1, 63, 64, 65, 4096, 65535, 65536, 65537, 3 * MEGA, 5 * MEGA + 17};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    uint64_t before = ts_blocks_used_bytes();
    uint8_t *block = ts_block_take(sizes[i]);
    assert_non_null(block);
    assert_int_equal((uintptr_t)block % TS_BLOCK_ALIGNMENT, 0);
    assert_true(ts_blocks_used_bytes() >= before + sizes[i]);
    memset(block, 0x5a, sizes[i]);
    ts_block_give(block);
    assert_int_equal(ts_blocks_used_bytes(), before);
  }
  ts_block_give(NULL);
}

static void test_impossible_sizes(void **state) {
  (void)state;
  uint64_t before = ts_blocks_used_bytes();
  assert_null(ts_block_take(SIZE_MAX));
  assert_null(ts_block_take(SIZE_MAX / 2 + 1));
  assert_int_equal(ts_blocks_used_bytes(), before);
}

static void test_resize_keeps_bytes(void **state) {
  (void)state;
  uint8_t *block = ts_block_resize(NULL, 100);
  for (size_t i = 0; i < 100; i++) block[i] = (uint8_t)i;
  const size_t sizes[] = {200, 70000, 2 * MEGA, 150, 50};
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
    block = ts_block_resize(block, sizes[s]);
    for (size_t i = 0; i < (sizes[s] < 100 ? sizes[s] : 100); i++) assert_int_equal(block[i], i);
  }
  assert_null(ts_block_resize(block, SIZE_MAX));
  assert_int_equal(block[49], 49);
  ts_block_give(block);
}

static void test_idle_blocks_are_used_again(void **state) {
  (void)state;
  if (TS_HAS_ADDRESS_SANITIZER) return; /* malloc serves everything there */
  ts_blocks_trim();
  assert_int_equal(ts_blocks_idle_bytes(), 0);
  void *first = ts_block_take(4 * MEGA);
  ts_block_give(first);
  assert_true(ts_blocks_idle_bytes() >= 4 * MEGA);
  void *second = ts_block_take(4 * MEGA);
  assert_ptr_equal(first, second);
  assert_int_equal(ts_blocks_idle_bytes(), 0);
  ts_block_give(second);
  void *far_smaller = ts_block_take(1 * MEGA); /* a large block is not wasted on it */
  assert_ptr_not_equal(far_smaller, first);
  ts_block_give(far_smaller);
  ts_blocks_trim();
  assert_int_equal(ts_blocks_idle_bytes(), 0);
}

/* Of several idle blocks that are large enough, the smallest is taken; of equal ones, the one given back last. */
static void test_the_best_fit_is_taken(void **state) {
  (void)state;
  if (TS_HAS_ADDRESS_SANITIZER) return;
  const size_t unit = MEGA / 16;
  void *used = ts_block_take(2048 * MEGA);             /* half of that may be idle */
  for (size_t scale = 1; scale <= 128; scale *= 128) { /* below and above the sizes that have a list of their own */
    ts_blocks_trim();
    void *blocks[4];
    const size_t sizes[4] = {18 * unit, 17 * unit, 17 * unit, 20 * unit};
    for (size_t i = 0; i < 4; i++) blocks[i] = ts_block_take(scale * sizes[i] - 64);
    for (size_t i = 0; i < 4; i++) ts_block_give(blocks[i]);
    assert_ptr_equal(ts_block_take(scale * 16 * unit - 64), blocks[2]);
    assert_ptr_equal(ts_block_take(scale * 16 * unit - 64), blocks[1]);
    assert_ptr_equal(ts_block_take(scale * 16 * unit - 64), blocks[0]);
    assert_ptr_equal(ts_block_take(scale * 19 * unit - 64), blocks[3]); /* more than an eighth above the others */
    for (size_t i = 0; i < 4; i++) ts_block_give(blocks[i]);
  }
  ts_block_give(used);
  ts_blocks_trim();
}

/* A tile of a study has more planes than a few hundred: all wait for the next tile, and the longest idle go first. */
static void test_many_idle_blocks_wait(void **state) {
  (void)state;
  if (TS_HAS_ADDRESS_SANITIZER) return;
  enum { COUNT = 1000 };
  static void *blocks[COUNT];
  ts_blocks_trim();
  for (size_t i = 0; i < COUNT; i++) blocks[i] = ts_block_take(100000);
  for (size_t i = 0; i < COUNT; i++) ts_block_give(blocks[i]);
  const uint64_t all = ts_blocks_idle_bytes();
  assert_true(all >= COUNT * 100000);
  ts_blocks_set_limit(&limit, ts_blocks_used_bytes() + all / 2);
  assert_true(ts_blocks_idle_bytes() <= all / 2);
  ts_blocks_set_limit(&limit, 0);
  for (size_t i = 0; i < COUNT / 2; i++) assert_ptr_equal(ts_block_take(100000), blocks[COUNT - 1 - i]);
  assert_int_equal(ts_blocks_idle_bytes(), 0);
  for (size_t i = 0; i < COUNT / 2; i++) ts_block_give(blocks[COUNT - 1 - i]);
  ts_blocks_trim();
}

static void test_limit_holds_for_used_and_idle(void **state) {
  (void)state;
  void *blocks[8];
  ts_blocks_trim();
  uint64_t others = ts_blocks_used_bytes();
  ts_blocks_set_limit(&limit, others + 10 * MEGA);
  for (int round = 0; round < 3; round++) {
    size_t size = (size_t)(round + 1) * MEGA / 2;
    for (size_t i = 0; i < 6; i++) blocks[i] = ts_block_take(size);
    for (size_t i = 0; i < 6; i++) {
      ts_block_give(blocks[i]);
      assert_true(ts_blocks_used_bytes() + ts_blocks_idle_bytes() <= others + 10 * MEGA);
    }
    for (size_t i = 0; i < 4; i++) { /* another size: idle ones make way before it is taken */
      blocks[i] = ts_block_take(2 * MEGA);
      assert_true(ts_blocks_used_bytes() + ts_blocks_idle_bytes() <= others + 10 * MEGA);
    }
    for (size_t i = 0; i < 4; i++) ts_block_give(blocks[i]);
  }
  ts_blocks_set_limit(&limit, others + 1);
  assert_int_equal(ts_blocks_idle_bytes(), 0);
  ts_blocks_set_limit(&limit, 0);
}

/* Two runs in one process. */
static void test_limits_add_up(void **state) {
  (void)state;
  if (TS_HAS_ADDRESS_SANITIZER) return; /* keeps no idle blocks */
  struct ts_block_limit other = {0};
  void *blocks[8];
  ts_blocks_trim();
  const uint64_t others = ts_blocks_used_bytes();
  for (size_t i = 0; i < 8; i++) blocks[i] = ts_block_take(MEGA);
  for (size_t i = 0; i < 8; i++) ts_block_give(blocks[i]);
  ts_blocks_set_limit(&limit, others + 6 * MEGA);
  const uint64_t six = ts_blocks_idle_bytes();
  assert_in_range(six, 4 * MEGA, 6 * MEGA);
  ts_blocks_set_limit(&other, 3 * MEGA);
  ts_blocks_set_limit(&limit, others + 3 * MEGA);
  assert_int_equal(ts_blocks_idle_bytes(), six); /* the sum is what it was */
  ts_blocks_set_limit(&other, 0);
  assert_in_range(ts_blocks_idle_bytes(), MEGA, 3 * MEGA);
  ts_blocks_set_limit(&limit, 0);
  ts_blocks_trim();
}

static void test_memory_goes_back_to_the_system(void **state) {
  (void)state;
  if (TS_HAS_ADDRESS_SANITIZER) return; /* keeps freed memory in quarantine */
  uint64_t before = ts_memory_resident_bytes();
  assert_true(before > 0);
  void *block = ts_block_take(64 * MEGA);
  memset(block, 1, 64 * MEGA);
  assert_true(ts_memory_resident_bytes() >= before + 60 * MEGA);
  ts_block_give(block);
  ts_blocks_trim();
  assert_true(ts_memory_resident_bytes() <= before + 4 * MEGA);
}

static void test_watch_counts_one_thread(void **state) {
  (void)state;
  struct ts_block_watch watch = {0};
  assert_int_equal(ts_block_watch_mark(), 0);
  assert_null(ts_block_watch_set(&watch));
  void *kept = ts_block_take(1000);
  int64_t kept_bytes = watch.now_bytes;
  assert_true(kept_bytes >= 1000 && kept_bytes < 1200);
  void *scratch = ts_block_take(3 * MEGA);
  ts_block_give(scratch);
  assert_int_equal(watch.now_bytes, kept_bytes);
  assert_true(watch.peak_bytes >= (int64_t)(3 * MEGA));
  assert_int_equal(ts_block_watch_mark(), kept_bytes);
  assert_int_equal(watch.peak_bytes, kept_bytes);
  assert_ptr_equal(ts_block_watch_set(NULL), &watch);
  ts_block_give(kept);
  assert_int_equal(watch.now_bytes, kept_bytes); /* nobody looks any more */
}

/* Fills blocks with a mark of their own and looks whether another thread wrote into them. */
static void take_and_give(void *argument, size_t index) {
  (void)argument;
  uint8_t *blocks[4];
  for (size_t round = 0; round < 50; round++) {
    for (size_t i = 0; i < 4; i++) {
      blocks[i] = ts_block_take(60000 + 9000 * ((index + i + round) % 5));
      memset(blocks[i], (int)(index + i) & 0xff, 60000);
    }
    for (size_t i = 0; i < 4; i++) {
      for (size_t k = 0; k < 60000; k += 999) assert_int_equal(blocks[i][k], (index + i) & 0xff);
      ts_block_give(blocks[i]);
    }
  }
}

static void test_many_threads(void **state) {
  (void)state;
  uint64_t before = ts_blocks_used_bytes();
  struct ts_pool *pool = ts_pool_create(8, NULL);
  ts_pool_for_helped(pool, 64, take_and_give, NULL);
  ts_pool_destroy(pool);
  assert_int_equal(ts_blocks_used_bytes(), before);
  ts_blocks_trim();
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_blocks_hold_their_bytes),
      cmocka_unit_test(test_impossible_sizes),
      cmocka_unit_test(test_resize_keeps_bytes),
      cmocka_unit_test(test_idle_blocks_are_used_again),
      cmocka_unit_test(test_the_best_fit_is_taken),
      cmocka_unit_test(test_many_idle_blocks_wait),
      cmocka_unit_test(test_limit_holds_for_used_and_idle),
      cmocka_unit_test(test_limits_add_up),
      cmocka_unit_test(test_memory_goes_back_to_the_system),
      cmocka_unit_test(test_watch_counts_one_thread),
      cmocka_unit_test(test_many_threads),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
