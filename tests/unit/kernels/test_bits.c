/* Masks of bits: conversion, ranges and the cross, against planes of bytes.
 * SPDX-License-Identifier: Apache-2.0 */
#include "unit/kernels/each_variant.h"
#include "unit/kernels/planes.h"

#include "kernels/cpu/bits.h"

static void test_planes(void **state) {
  (void)state;
  static const int limits[] = {-1, 0, 6, 7, 254, 255, 1000};
  for (int round = 0; round < 140; round++) {
    struct shape_px s = shape_for(round, 150);
    uint8_t *plane = random_mask(s, round);
    uint8_t *got = plane_of(s, 1);
    int limit = limits[round % 7];
    struct ts_bits bits = {0};
    assert_true(ts_bits_reserve(&bits, s.w, s.h, NULL));
    ts_bits_from_plane(&bits, plane, limit, threads);
    ts_bits_to_plane(&bits, got, threads);
    for (int64_t i = 0; i < s.w * s.h; i++) assert_int_equal(got[i], plane[i] > limit ? 255 : 0);
    for (int64_t y = 0; y < s.h; y++) /* nothing behind the width */
      assert_true((ts_bits_row(&bits, y)[bits.stride - 1] & ~ts_bits_tail(s.w)) == 0);
    ts_bits_release(&bits);
    free(got);
    free(plane);
  }
}

static void test_ranges(void **state) {
  (void)state;
  for (int begin = 0; begin < 200; begin += 1 + (int)random_below(4)) {
    for (int end = begin + 1; end <= 200; end++) {
      uint64_t row[4] = {0};
      ts_bits_set_range(row, begin, end);
      for (int x = 0; x < 256; x++) assert_int_equal(row[x / 64] >> x % 64 & 1, x >= begin && x < end);
      int one = (int)random_below(256);
      uint64_t single[4] = {0};
      single[one / 64] = UINT64_C(1) << one % 64;
      assert_int_equal(ts_bits_any_in_range(single, begin, end), one >= begin && one < end);
    }
  }
}

/* Whether a pixel and those of its four neighbours that are in the image are all set (erosion) or one is (dilation). */
static bool naive_cross(const uint8_t *mask, struct shape_px s, int64_t at, bool erosion) {
  int64_t beside[8];
  int count = neighbours_of(s, at, 4, beside);
  bool result = mask[at] != 0;
  for (int k = 0; k < count; k++) result = erosion ? result && mask[beside[k]] : result || mask[beside[k]];
  return result;
}

static void test_cross(void **state) {
  (void)state;
  for (int round = 0; round < 120; round++) {
    struct shape_px s = shape_for(round, round % 3 ? 70 : 200);
    uint8_t *mask = random_mask(s, round);
    uint8_t *got = plane_of(s, 1);
    struct ts_bits in = {0};
    struct ts_bits out = {0};
    assert_true(ts_bits_reserve(&in, s.w, s.h, NULL) && ts_bits_reserve(&out, s.w, s.h, NULL));
    ts_bits_from_plane(&in, mask, 0, threads);
    for (int erosion = 0; erosion < 2; erosion++) {
      if (erosion) {
        ts_bits_erode_cross(&in, &out, threads);
      } else {
        ts_bits_dilate_cross(&in, &out, threads);
      }
      ts_bits_to_plane(&out, got, threads);
      for (int64_t i = 0; i < s.w * s.h; i++) assert_int_equal(got[i] != 0, naive_cross(mask, s, i, erosion));
      for (int64_t y = 0; y < s.h; y++) assert_true((ts_bits_row(&out, y)[out.stride - 1] & ~ts_bits_tail(s.w)) == 0);
    }
    ts_bits_release(&out);
    ts_bits_release(&in);
    free(got);
    free(mask);
  }
}

static void test_wrong_size(void **state) {
  (void)state;
  struct ts_bits bits = {0};
  struct ts_error err = {0};
  assert_false(ts_bits_reserve(&bits, 0, 5, &err));
  assert_int_equal(err.code, TS_ERR_BAD_IMAGE);
  ts_bits_release(&bits);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_planes),
      cmocka_unit_test(test_ranges),
      cmocka_unit_test(test_cross),
      cmocka_unit_test(test_wrong_size),
  };
  return RUN_FOR_EACH_VARIANT(tests);
}
