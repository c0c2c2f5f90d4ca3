/* Erosion, dilation and opening against the definition, pixel by pixel of the structuring element.
 * SPDX-License-Identifier: Apache-2.0 */
#include "unit/kernels/each_variant.h"
#include "unit/kernels/planes.h"

#include "kernels/kernels.h"

static bool in_element(enum ts_structuring_element element, int64_t dx, int64_t dy) {
  int64_t ax = dx < 0 ? -dx : dx;
  int64_t ay = dy < 0 ? -dy : dy;
  if (element == TS_ELEMENT_CROSS3) return ax + ay <= 1;
  static const int64_t half_width[10] = {9, 9, 9, 9, 9, 9, 8, 7, 6, 5};
  return ay <= 9 && ax <= half_width[ay];
}

static uint8_t naive_at(const uint8_t *in, struct shape_px s, enum ts_structuring_element element, bool dilate,
                        int64_t x, int64_t y) {
  uint8_t best = dilate ? 0 : 255;
  for (int64_t dy = -9; dy <= 9; dy++)
    for (int64_t dx = -9; dx <= 9; dx++) {
      if (!in_element(element, dx, dy) || x + dx < 0 || x + dx >= s.w || y + dy < 0 || y + dy >= s.h) continue;
      uint8_t v = in[(y + dy) * s.w + x + dx];
      if (dilate ? v > best : v < best) best = v;
    }
  return best;
}

static uint8_t *naive(const uint8_t *in, struct shape_px s, enum ts_structuring_element element, bool dilate) {
  uint8_t *out = plane_of(s, 1);
  for (int64_t y = 0; y < s.h; y++)
    for (int64_t x = 0; x < s.w; x++) out[y * s.w + x] = naive_at(in, s, element, dilate, x, y);
  return out;
}

static void check(enum ts_structuring_element element, int rounds) {
  for (int round = 0; round < rounds; round++) {
    struct shape_px s = shape_for(round, round % 4 == 0 ? 150 : 45);
    uint8_t *in = round % 2 ? random_mask(s, round) : random_bytes(s, 1, 256);
    uint8_t *got = plane_of(s, 1);
    uint8_t *eroded = naive(in, s, element, false);
    uint8_t *dilated = naive(in, s, element, true);
    uint8_t *opened = naive(eroded, s, element, true);
    size_t bytes = (size_t)(s.w * s.h);
    assert_true(ts_erode(in, s.w, s.h, element, got, threads, NULL));
    assert_memory_equal(got, eroded, bytes);
    assert_true(ts_dilate(in, s.w, s.h, element, got, threads, NULL));
    assert_memory_equal(got, dilated, bytes);
    memcpy(got, in, bytes);
    assert_true(ts_open(got, s.w, s.h, element, got, threads, NULL)); /* in place */
    assert_memory_equal(got, opened, bytes);
    free(opened);
    free(dilated);
    free(eroded);
    free(got);
    free(in);
  }
}

static void test_cross(void **state) {
  (void)state;
  check(TS_ELEMENT_CROSS3, 60);
}

static void test_disk(void **state) {
  (void)state;
  check(TS_ELEMENT_DISK19, 40);
}

/* One bright pixel dilates to the element itself: 361 pixels less ten at each corner. */
static void test_disk_has_its_shape(void **state) {
  (void)state;
  struct shape_px s = {33, 31};
  uint8_t *plane = zero_plane(s);
  plane[15 * s.w + 16] = 200;
  assert_true(ts_dilate(plane, s.w, s.h, TS_ELEMENT_DISK19, plane, threads, NULL));
  int count = 0;
  for (int64_t i = 0; i < s.w * s.h; i++) count += plane[i] == 200;
  assert_int_equal(count, 361 - 4 * 10);
  free(plane);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_cross),
      cmocka_unit_test(test_disk),
      cmocka_unit_test(test_disk_has_its_shape),
  };
  return RUN_FOR_EACH_VARIANT(tests);
}
