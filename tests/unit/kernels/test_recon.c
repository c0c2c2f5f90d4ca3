/* Reconstruction against the fixed point of its definition.
 * SPDX-License-Identifier: Apache-2.0 */
#include "unit/kernels/each_variant.h"
#include "unit/kernels/naive_recon.h"

#include "kernels/kernels.h"

static float *to_floats(const uint8_t *bytes, struct shape_px s) {
  float *floats = plane_of(s, sizeof *floats);
  for (int64_t i = 0; i < s.w * s.h; i++) floats[i] = bytes[i];
  return floats;
}

static void test_u8(void **state) {
  (void)state;
  for (int round = 0; round < 160; round++) {
    struct shape_px s = shape_for(round, round % 16 ? 30 : 70);
    int connectivity = round % 2 ? 8 : 4;
    uint8_t *mask = random_bytes(s, 1, round % 5 == 0 ? 2 : 2 + random_below(250));
    uint8_t *marker = random_bytes(s, 1, 256);
    for (int64_t i = 0; i < s.w * s.h; i++)
      if (random_below(20)) marker[i] = 0; /* few sources, so that values travel far */
    float *mask_f = to_floats(mask, s);
    float *marker_f = to_floats(marker, s);
    float *want = naive_recon(marker_f, mask_f, s, connectivity);
    assert_true(ts_recon_u8(marker, mask, s.w, s.h, connectivity, marker, threads, NULL));
    for (int64_t i = 0; i < s.w * s.h; i++) assert_int_equal(marker[i], (int)want[i]);
    free(want);
    free(marker_f);
    free(mask_f);
    free(marker);
    free(mask);
  }
}

/* Rows of more than 64 blocks: values travel from block to block and from word to word, to both sides. */
static void test_u8_in_wide_rows(void **state) {
  (void)state;
  for (int round = 0; round < 2; round++) {
    struct shape_px s = {4033 + random_below(4200), 2 + random_below(8)};
    uint8_t *mask = plane_of(s, 1);
    uint8_t *marker = zero_plane(s);
    for (int64_t i = 0; i < s.w * s.h; i++) mask[i] = (uint8_t)(random_below(200) ? 150 + random_below(20) : 0);
    for (int k = 0; k < 5; k++) marker[random_below((uint32_t)(s.w * s.h))] = (uint8_t)(100 + random_below(80));
    float *mask_f = to_floats(mask, s);
    float *marker_f = to_floats(marker, s);
    float *want = naive_recon(marker_f, mask_f, s, round % 2 ? 8 : 4);
    assert_true(ts_recon_u8(marker, mask, s.w, s.h, round % 2 ? 8 : 4, marker, threads, NULL));
    int64_t different = 0;
    for (int64_t i = 0; i < s.w * s.h; i++) different += marker[i] != (int)want[i];
    assert_int_equal(different, 0);
    free(want);
    free(marker_f);
    free(mask_f);
    free(marker);
    free(mask);
  }
}

/* A corridor that winds through the plane: only the queue can follow it against both scans. */
static void test_u8_follows_a_spiral(void **state) {
  (void)state;
  enum { N = 41 };
  struct shape_px s = {N, N};
  uint8_t mask[N * N] = {0};
  uint8_t marker[N * N] = {0};
  int64_t x = 0, y = 0, dx = 1, dy = 0;
  int64_t run = N - 1;
  mask[0] = 90;
  int length = 1;
  for (int turn = 0; run > 0; turn++) {
    for (int64_t i = 0; i < run; i++) {
      x += dx;
      y += dy;
      mask[y * N + x] = 90;
      length++;
    }
    int64_t old = dx;
    dx = -dy;
    dy = old;
    if (turn >= 2 && turn % 2 == 0) run -= 2;
  }
  marker[y * N + x] = 70; /* the inner end */
  uint8_t out[N * N];
  assert_true(ts_recon_u8(marker, mask, s.w, s.h, 4, out, threads, NULL));
  int reached = 0;
  for (int i = 0; i < N * N; i++) reached += out[i] == 70;
  assert_int_equal(reached, length);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_u8),
      cmocka_unit_test(test_u8_in_wide_rows),
      cmocka_unit_test(test_u8_follows_a_spiral),
  };
  return RUN_FOR_EACH_VARIANT(tests);
}
