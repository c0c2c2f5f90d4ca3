/* Tests of masks as runs: bytes written by hand, random masks there and back, damage.
 * SPDX-License-Identifier: Apache-2.0 */
#include "data/data_int.h"

#include "base/alloc.h"
#include "base/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <xxhash.h>

#include <cmocka.h>

#define HEAD_BYTES 12

/* 5 times 0, 3 times 1, 200 times 0, 1 to the end: changes at 5, 8 and 208. */
static void test_format(void **state) {
  (void)state;
  uint8_t bits[32] = {0xe0};
  for (size_t i = 208; i < 256; i++) bits[i / 8] |= (uint8_t)(1U << i % 8);
  const uint8_t runs[] = {5, 3, 0xc8, 0x01}; /* 200 = 72 + 128 * 1 */
  ts_auto(ts_str_release) struct ts_str out = {0};
  ts_str_add(&out, "before");
  assert_true(ts_mask_runs_pack(bits, sizeof bits, 100, &out));
  assert_int_equal(out.length, 6 + HEAD_BYTES + sizeof runs);
  assert_memory_equal(out.data, "beforeRUN1", 10);
  uint64_t checksum = XXH64(runs, sizeof runs, 0);
  assert_memory_equal(out.data + 10, &checksum, sizeof checksum);
  assert_memory_equal(out.data + 18, runs, sizeof runs);
}

static void fill(uint8_t *bits, size_t size, uint64_t seed, unsigned density) {
  struct ts_random random;
  ts_random_init(&random, seed, 0);
  bool inside = false;
  for (size_t i = 0; i < size * 8; i++) {
    if (ts_random_below(&random, 1000) < density) inside = !inside;
    bits[i / 8] = (uint8_t)(i % 8 == 0 ? inside : bits[i / 8] | (unsigned)inside << i % 8);
  }
}

static void test_there_and_back(void **state) {
  (void)state;
  const unsigned densities[] = {0, 1, 20, 300, 1000};
  for (size_t size = 1; size < 3000; size += size < 40 ? 1 : 977) {
    for (size_t d = 0; d < sizeof densities / sizeof *densities; d++) {
      ts_auto_free uint8_t *bits = ts_malloc(size), *back = ts_malloc(size);
      fill(bits, size, size * 10 + d, densities[d]);
      ts_auto(ts_str_release) struct ts_str out = {0};
      assert_true(ts_mask_runs_pack(bits, size, 100 + size * 8, &out));
      const uint8_t *packed = (const uint8_t *)out.data;
      assert_true(ts_mask_runs_is(packed, out.length));
      memset(back, 0x5a, size);
      assert_true(ts_mask_runs_unpack(packed, out.length, back, size));
      assert_memory_equal(back, bits, size);
    }
  }
}

/* Noise does not fit into the room it is given, and leaves no trace. */
static void test_too_large(void **state) {
  (void)state;
  const size_t size = 20000;
  ts_auto_free uint8_t *bits = ts_malloc(size);
  fill(bits, size, 1, 500);
  ts_auto(ts_str_release) struct ts_str out = {0};
  ts_str_add(&out, "before");
  assert_false(ts_mask_runs_pack(bits, size, size / 4, &out));
  assert_int_equal(out.length, 6);
}

static void test_damage(void **state) {
  (void)state;
  uint8_t bits[64], back[64];
  fill(bits, sizeof bits, 3, 100);
  ts_auto(ts_str_release) struct ts_str out = {0};
  assert_true(ts_mask_runs_pack(bits, sizeof bits, 1000, &out));
  uint8_t *packed = (uint8_t *)out.data;
  for (size_t i = 4; i < out.length; i++) {
    packed[i] ^= 4;
    assert_false(ts_mask_runs_unpack(packed, out.length, back, sizeof back));
    packed[i] ^= 4;
  }
  for (size_t cut = HEAD_BYTES; cut < out.length; cut++)
    assert_false(ts_mask_runs_unpack(packed, cut, back, sizeof back));
  /* Whole, but of a larger mask. */
  assert_false(ts_mask_runs_unpack(packed, out.length, back, 8));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_format),
      cmocka_unit_test(test_there_and_back),
      cmocka_unit_test(test_too_large),
      cmocka_unit_test(test_damage),
  };
  return cmocka_run_group_tests_name("mask_runs", tests, NULL, NULL);
}
