/* Components: numbering, selecting, holes and areas against naive flooding on random masks.
 * SPDX-License-Identifier: Apache-2.0 */
#include "unit/kernels/each_variant.h"
#include "unit/kernels/planes.h"

#include "kernels/cpu/bits.h"
#include "kernels/kernels.h"

static const int connectivities[3] = {4, 8, 5}; /* 5 acts as 4 */

static void test_label(void **state) {
  (void)state;
  for (int round = 0; round < 400; round++) {
    struct shape_px s = shape_for(round, 40);
    int connectivity = connectivities[round % 3];
    uint8_t *mask = random_mask(s, round);
    uint32_t *want = naive_components(mask, s, connectivity);
    uint32_t *got = plane_of(s, sizeof *got);
    uint32_t count;
    assert_true(ts_label(mask, s.w, s.h, connectivity, got, &count, threads, NULL));
    uint32_t next = 0; /* the naive label of a component is its first pixel: number them in raster order */
    uint32_t *number = calloc((size_t)(s.w * s.h) + 1, sizeof *number);
    for (int64_t i = 0; i < s.w * s.h; i++) {
      if (want[i] == (uint32_t)i + 1) number[want[i]] = ++next;
      assert_int_equal(got[i], number[want[i]]);
    }
    assert_int_equal(count, next);
    free(number);
    free(got);
    free(want);
    free(mask);
  }
}

/* The union of those components of mask that hold at least one pixel with seed != 0. */
static bool select_seeded(const uint8_t *mask, const uint8_t *seed, int64_t width, int64_t height, int connectivity,
                          uint8_t *out, struct ts_error *err) {
  struct ts_bits bits = {0};
  struct ts_bits seeds = {0};
  bool ok = ts_bits_reserve(&bits, width, height, err) && ts_bits_reserve(&seeds, width, height, err);
  if (ok) {
    ts_bits_from_plane(&bits, mask, 0, threads);
    ts_bits_from_plane(&seeds, seed, 0, threads);
    ok = ts_bits_select(&bits, &seeds, connectivity, threads, err);
  }
  if (ok) ts_bits_to_plane(&bits, out, threads);
  ts_bits_release(&seeds);
  ts_bits_release(&bits);
  return ok;
}

static void test_select(void **state) {
  (void)state;
  for (int round = 0; round < 300; round++) {
    struct shape_px s = shape_for(round, 40);
    int connectivity = connectivities[round % 3];
    uint8_t *mask = random_mask(s, round);
    uint8_t *seed = random_mask(s, round);
    for (int64_t i = 0; i < s.w * s.h; i++)
      if (random_below(8)) seed[i] = 0;
    uint32_t *component = naive_components(mask, s, connectivity);
    uint8_t *seeded = calloc((size_t)(s.w * s.h) + 1, 1);
    for (int64_t i = 0; i < s.w * s.h; i++)
      if (mask[i] && seed[i]) seeded[component[i]] = 1;
    assert_true(select_seeded(mask, seed, s.w, s.h, connectivity, seed, NULL)); /* in place of the seed */
    for (int64_t i = 0; i < s.w * s.h; i++) assert_int_equal(seed[i], mask[i] && seeded[component[i]] ? 255 : 0);
    free(seeded);
    free(component);
    free(seed);
    free(mask);
  }
}

/* Floods the background of a larger plane with a ring around the mask, from the ring. */
static uint8_t *naive_fill(const uint8_t *mask, struct shape_px s, int connectivity) {
  struct shape_px ringed = {s.w + 2, s.h + 2};
  uint8_t *background = plane_of(ringed, 1);
  memset(background, 1, (size_t)(ringed.w * ringed.h));
  for (int64_t y = 0; y < s.h; y++)
    for (int64_t x = 0; x < s.w; x++) background[(y + 1) * ringed.w + x + 1] = mask[y * s.w + x] == 0;
  uint32_t *component = naive_components(background, ringed, connectivity);
  uint8_t *filled = plane_of(s, 1);
  for (int64_t y = 0; y < s.h; y++)
    for (int64_t x = 0; x < s.w; x++)
      filled[y * s.w + x] = component[(y + 1) * ringed.w + x + 1] == component[0] ? 0 : 255;
  free(component);
  free(background);
  return filled;
}

static bool fill_holes(const uint8_t *mask, int64_t width, int64_t height, int connectivity, uint8_t *out,
                       struct ts_error *err) {
  struct ts_bits bits = {0};
  bool ok = ts_bits_reserve(&bits, width, height, err);
  if (ok) ts_bits_from_plane(&bits, mask, 0, threads);
  ok = ok && ts_bits_fill_holes(&bits, connectivity, threads, err);
  if (ok) ts_bits_to_plane(&bits, out, threads);
  ts_bits_release(&bits);
  return ok;
}

static void test_fill_holes(void **state) {
  (void)state;
  for (int round = 0; round < 300; round++) {
    struct shape_px s = shape_for(round, 40);
    int connectivity = connectivities[round % 3];
    uint8_t *mask = random_mask(s, round);
    uint8_t *want = naive_fill(mask, s, connectivity);
    assert_true(fill_holes(mask, s.w, s.h, connectivity, mask, NULL));
    assert_memory_equal(mask, want, (size_t)(s.w * s.h));
    free(want);
    free(mask);
  }
}

static void test_area_filter(void **state) {
  (void)state;
  for (int round = 0; round < 300; round++) {
    struct shape_px s = shape_for(round, 40);
    int connectivity = connectivities[round % 3];
    uint8_t *mask = random_mask(s, round);
    uint32_t *component = naive_components(mask, s, connectivity);
    int64_t *area = calloc((size_t)(s.w * s.h) + 1, sizeof *area);
    for (int64_t i = 0; i < s.w * s.h; i++) area[component[i]]++;
    int64_t low = random_below(6);
    int64_t high = low + random_below(30);
    uint8_t *got = plane_of(s, 1);
    assert_true(ts_area_filter(mask, s.w, s.h, low, high, connectivity, got, threads, NULL));
    for (int64_t i = 0; i < s.w * s.h; i++) {
      int64_t a = area[component[i]];
      assert_int_equal(got[i], mask[i] && low <= a && a < high ? 255 : 0);
    }
    free(got);
    free(area);
    free(component);
    free(mask);
  }
}

/* Upper limits are exclusive, lower ones inclusive; diagonal gaps leak with 8-connectivity only. */
static void test_by_hand(void **state) {
  (void)state;
  const uint8_t bar[3] = {255, 255, 255};
  uint8_t out[16];
  assert_true(ts_area_filter(bar, 3, 1, 3, 4, 4, out, threads, NULL));
  assert_int_equal(out[1], 255);
  assert_true(ts_area_filter(bar, 3, 1, 1, 3, 4, out, threads, NULL));
  assert_int_equal(out[1], 0);
  const uint8_t diamond[16] = {0, 1, 0, 0, 1, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0};
  assert_true(fill_holes(diamond, 4, 4, 4, out, NULL));
  assert_int_equal(out[5], 255);
  assert_true(fill_holes(diamond, 4, 4, 8, out, NULL));
  assert_int_equal(out[5], 0);
}

static void test_sizes_are_checked(void **state) {
  (void)state;
  uint8_t pixel = 1;
  struct ts_error err = {0};
  assert_false(fill_holes(&pixel, 0, 1, 4, &pixel, &err));
  assert_int_equal(err.code, TS_ERR_BAD_IMAGE);
  err = (struct ts_error){0};
  assert_false(fill_holes(&pixel, 1, -1, 4, &pixel, &err));
  assert_int_equal(err.code, TS_ERR_BAD_IMAGE);
  err = (struct ts_error){0};
  assert_false(ts_area_filter(&pixel, 50000, 50000, 0, 1, 4, &pixel, threads, &err));
  assert_int_equal(err.code, TS_ERR_BAD_IMAGE);
  assert_true(strlen(err.help) > 0);
  err = (struct ts_error){0};
  assert_false(ts_kernels_check_size(INT64_MAX, INT64_MAX, &err));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_label),       cmocka_unit_test(test_select),  cmocka_unit_test(test_fill_holes),
      cmocka_unit_test(test_area_filter), cmocka_unit_test(test_by_hand), cmocka_unit_test(test_sizes_are_checked),
  };
  return RUN_FOR_EACH_VARIANT(tests);
}
