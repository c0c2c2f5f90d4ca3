/* The watershed against a plain transcription of its definition.
 * SPDX-License-Identifier: Apache-2.0 */
#include "unit/kernels/naive_watershed.h"

#include "kernels/cpu/flood.h"

static uint32_t *random_seeds(struct shape_px s, uint32_t rarity) {
  uint32_t *seeds = plane_of(s, sizeof *seeds);
  for (int64_t i = 0; i < s.w * s.h; i++) seeds[i] = random_below(rarity) ? 0 : 1 + random_below(9);
  return seeds;
}

/* Floods copies with a ring, which is black and a line. labels: the seed's label, -1 on lines, 0 where nothing arrived.
 */
static void flood(const uint8_t *rgb, const uint32_t *seeds, struct shape_px s, int32_t *labels) {
  struct shape_px ringed = {s.w + 2, s.h + 2};
  struct ts_flood f = {.stride = (int32_t)ringed.w, .total = (int32_t)(ringed.w * ringed.h)};
  f.colour = calloc((size_t)f.total, sizeof *f.colour);
  f.label = plane_of(ringed, sizeof *f.label);
  f.follows = malloc((size_t)(f.total + TS_FLOOD_LEVELS) * sizeof *f.follows);
  for (int32_t i = 0; i < f.total; i++) f.label[i] = TS_FLOOD_LINE;
  for (int64_t i = 0; i < s.w * s.h; i++) {
    int64_t to = (i / s.w + 1) * ringed.w + i % s.w + 1;
    f.colour[to] = rgb[3 * i] | (uint32_t)rgb[3 * i + 1] << 8 | (uint32_t)rgb[3 * i + 2] << 16;
    f.label[to] = (int32_t)seeds[i];
  }
  ts_flood_start(&f);
  for (int32_t p = 0; p < f.total; p++)
    if (f.label[p] == 0) ts_flood_offer(&f, p);
  ts_flood_run(&f);
  for (int64_t i = 0; i < s.w * s.h; i++) labels[i] = f.label[(i / s.w + 1) * ringed.w + i % s.w + 1];
  free(f.follows);
  free(f.label);
  free(f.colour);
}

static void test_flooding(void **state) {
  (void)state;
  for (int round = 0; round < 400; round++) {
    struct shape_px s = shape_for(round, 36);
    uint8_t *rgb = random_bytes(s, 3, 1 + random_below(round % 3 ? 6 : 256)); /* few colours: long queues */
    uint32_t *seeds = random_seeds(s, 2 + random_below(60));
    int32_t *got = plane_of(s, sizeof *got);
    int *want = naive_flood(rgb, seeds, s);
    flood(rgb, seeds, s, got);
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
  flood(rgb, seeds, (struct shape_px){7, 1}, got);
  for (int i = 0; i < 7; i++) assert_int_equal(got[i], want[i]);
  const uint32_t none[7] = {0};
  flood(rgb, none, (struct shape_px){7, 1}, got);
  for (int i = 0; i < 7; i++) assert_int_equal(got[i], 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_flooding), cmocka_unit_test(test_by_hand)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
