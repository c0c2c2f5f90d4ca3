/* Distances against the search over all pixels.
 * SPDX-License-Identifier: Apache-2.0 */
#include "unit/kernels/planes.h"

#include <float.h>
#include <math.h>

#include "kernels/kernels.h"

static float naive_distance(const uint8_t *mask, struct shape_px s, int64_t at) {
  int64_t best = -1;
  for (int64_t i = 0; i < s.w * s.h; i++) {
    if (mask[i]) continue;
    int64_t dx = i % s.w - at % s.w;
    int64_t dy = i / s.w - at / s.w;
    int64_t d = dx * dx + dy * dy;
    if (best < 0 || d < best) best = d;
  }
  return best < 0 ? FLT_MAX : sqrtf((float)best);
}

static void test_all_pairs(void **state) {
  (void)state;
  for (int round = 0; round < 300; round++) {
    struct shape_px s = shape_for(round, 36);
    uint8_t *mask = random_mask(s, round);
    if (round % 2)
      for (int64_t i = 0; i < s.w * s.h; i++)
        if (random_below(30)) mask[i] = 1; /* few background pixels: long distances */
    float *got = plane_of(s, sizeof *got);
    assert_true(ts_edt(mask, s.w, s.h, got, NULL));
    for (int64_t i = 0; i < s.w * s.h; i++) assert_true(got[i] == naive_distance(mask, s, i));
    free(got);
    free(mask);
  }
}

/* Squared distances beyond 2^31 and beyond 24 bits. */
static void test_long_row(void **state) {
  (void)state;
  struct shape_px s = {70000, 1};
  uint8_t *mask = plane_of(s, 1);
  float *got = plane_of(s, sizeof *got);
  memset(mask, 1, 70000);
  mask[0] = 0;
  assert_true(ts_edt(mask, s.w, s.h, got, NULL));
  for (int64_t i = 0; i < s.w; i += 977) assert_true(got[i] == sqrtf((float)(i * i)));
  assert_true(got[69999] == 69999.0f);
  free(got);
  free(mask);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_all_pairs), cmocka_unit_test(test_long_row)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
