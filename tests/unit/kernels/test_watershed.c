/* The watershed against a plain transcription of its definition.
 * SPDX-License-Identifier: Apache-2.0 */
#include "unit/kernels/naive_watershed.h"

#include "kernels/kernels.h"

static uint32_t *random_seeds(struct shape_px s, uint32_t rarity) {
  uint32_t *seeds = plane_of(s, sizeof *seeds);
  for (int64_t i = 0; i < s.w * s.h; i++) seeds[i] = random_below(rarity) ? 0 : 1 + random_below(9);
  return seeds;
}

static void test_flooding(void **state) {
  (void)state;
  for (int round = 0; round < 400; round++) {
    struct shape_px s = shape_for(round, 36);
    uint8_t *rgb = random_bytes(s, 3, 1 + random_below(round % 3 ? 6 : 256)); /* few colours: long queues */
    uint32_t *seeds = random_seeds(s, 2 + random_below(60));
    int32_t *got = plane_of(s, sizeof *got);
    int *want = naive_flood(rgb, seeds, s);
    assert_true(ts_watershed(rgb, seeds, s.w, s.h, got, NULL));
    for (int64_t y = 0; y < s.h; y++)
      for (int64_t x = 0; x < s.w; x++) assert_int_equal(got[y * s.w + x], want[(y + 1) * (s.w + 2) + x + 1]);
    free(want);
    free(got);
    free(seeds);
    free(rgb);
  }
}

/* Two seeds at the ends of a flat row meet in the middle; without seeds nothing happens. */
static void test_by_hand(void **state) {
  (void)state;
  const uint8_t rgb[7 * 3] = {0};
  const uint32_t seeds[7] = {1, 0, 0, 0, 0, 0, 2};
  const int32_t want[7] = {1, 1, 1, -1, 2, 2, 2};
  int32_t got[7];
  assert_true(ts_watershed(rgb, seeds, 7, 1, got, NULL));
  for (int i = 0; i < 7; i++) assert_int_equal(got[i], want[i]);
  const uint32_t none[7] = {0};
  assert_true(ts_watershed(rgb, none, 7, 1, got, NULL));
  for (int i = 0; i < 7; i++) assert_int_equal(got[i], 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_flooding), cmocka_unit_test(test_by_hand)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
