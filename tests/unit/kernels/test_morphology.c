/* Opening against the definition, pixel by pixel of the structuring element.
 * SPDX-License-Identifier: Apache-2.0 */
#include "unit/kernels/each_variant.h"
#include "unit/kernels/planes.h"

#include "kernels/kernels.h"

static bool in_octagon(int64_t dx, int64_t dy) {
  int64_t ax = dx < 0 ? -dx : dx;
  int64_t ay = dy < 0 ? -dy : dy;
  static const int64_t half_width[10] = {9, 9, 9, 9, 9, 9, 8, 7, 6, 5};
  return ay <= 9 && ax <= half_width[ay];
}

static uint8_t naive_at(const uint8_t *in, struct shape_px s, bool dilate, int64_t x, int64_t y) {
  uint8_t best = dilate ? 0 : 255;
  for (int64_t dy = -9; dy <= 9; dy++)
    for (int64_t dx = -9; dx <= 9; dx++) {
      if (!in_octagon(dx, dy) || x + dx < 0 || x + dx >= s.w || y + dy < 0 || y + dy >= s.h) continue;
      uint8_t v = in[(y + dy) * s.w + x + dx];
      if (dilate ? v > best : v < best) best = v;
    }
  return best;
}

static uint8_t *naive(const uint8_t *in, struct shape_px s, bool dilate) {
  uint8_t *out = plane_of(s, 1);
  for (int64_t y = 0; y < s.h; y++)
    for (int64_t x = 0; x < s.w; x++) out[y * s.w + x] = naive_at(in, s, dilate, x, y);
  return out;
}

static void test_opening(void **state) {
  (void)state;
  for (int round = 0; round < 40; round++) {
    struct shape_px s = shape_for(round, round % 4 == 0 ? 150 : 45);
    uint8_t *in = round % 2 ? random_mask(s, round) : random_bytes(s, 1, 256);
    uint8_t *got = plane_of(s, 1);
    uint8_t *eroded = naive(in, s, false);
    uint8_t *opened = naive(eroded, s, true);
    size_t bytes = (size_t)(s.w * s.h);
    assert_true(ts_open(in, s.w, s.h, got, threads, NULL));
    assert_memory_equal(got, opened, bytes);
    assert_true(ts_open(in, s.w, s.h, in, threads, NULL)); /* in place */
    assert_memory_equal(in, opened, bytes);
    free(opened);
    free(eroded);
    free(got);
    free(in);
  }
}

/* The octagon itself, 361 pixels less ten at each corner, stays; with a pixel less all of it goes. */
static void test_the_octagon_has_its_shape(void **state) {
  (void)state;
  struct shape_px s = {33, 31};
  uint8_t *plane = zero_plane(s);
  uint8_t *got = plane_of(s, 1);
  int count = 0;
  for (int64_t i = 0; i < s.w * s.h; i++) {
    if (!in_octagon(i % s.w - 16, i / s.w - 15)) continue;
    plane[i] = 200;
    count++;
  }
  assert_int_equal(count, 361 - 4 * 10);
  assert_true(ts_open(plane, s.w, s.h, got, threads, NULL));
  assert_memory_equal(got, plane, (size_t)(s.w * s.h));
  plane[6 * s.w + 21] = 0; /* at a corner: nine rows above the centre, five columns beside it */
  assert_true(ts_open(plane, s.w, s.h, got, threads, NULL));
  for (int64_t i = 0; i < s.w * s.h; i++) assert_int_equal(got[i], 0);
  free(got);
  free(plane);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_opening),
      cmocka_unit_test(test_the_octagon_has_its_shape),
  };
  return RUN_FOR_EACH_VARIANT(tests);
}
