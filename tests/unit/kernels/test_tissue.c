/* Tests of the tissue mask: Otsu's threshold against a search over raw values, and made pictures of tissue on glass.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernels/tissue.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define SIDE 120

static uint32_t state_of_noise = 1;

static uint32_t noise(uint32_t below) {
  state_of_noise = state_of_noise * 1664525U + 1013904223U;
  return (state_of_noise >> 8) % below;
}

/* ---- Otsu ---- */

/* The sum of squared distances from the mean, over the values from `low` to `high`, in two passes. */
static double scatter(const uint8_t *values, size_t count, int low, int high) {
  double sum = 0, n = 0, squares = 0;
  for (size_t i = 0; i < count; i++) {
    if (values[i] < low || values[i] > high) continue;
    sum += values[i];
    n += 1;
  }
  if (n == 0) return NAN;
  for (size_t i = 0; i < count; i++)
    if (values[i] >= low && values[i] <= high) squares += (values[i] - sum / n) * (values[i] - sum / n);
  return squares;
}

/* The definition: the least variance within the two classes. */
static int best_level(const uint8_t *values, size_t count) {
  int best = -1;
  double least = INFINITY;
  for (int t = 0; t < 255; t++) {
    const double within = scatter(values, count, 0, t) + scatter(values, count, t + 1, 255);
    if (isnan(within) || within >= least - 1e-6 * fmax(1, within)) continue;
    least = within;
    best = t;
  }
  return best;
}

static void count_values(const uint8_t *values, size_t count, uint64_t histogram[256]) {
  memset(histogram, 0, 256 * sizeof *histogram);
  for (size_t i = 0; i < count; i++) histogram[values[i]]++;
}

static void test_otsu_equals_a_search(void **state) {
  (void)state;
  uint8_t values[3000];
  uint64_t histogram[256];
  for (int round = 0; round < 60; round++) {
    const uint32_t low = noise(100), high = low + 1 + noise(150), share = 1 + noise(9);
    for (size_t i = 0; i < sizeof values; i++)
      values[i] = (uint8_t)(noise(10) < share ? noise(low + 1) : high > 5 ? high - noise(5) : high);
    count_values(values, sizeof values, histogram);
    assert_int_equal(ts_otsu(histogram), best_level(values, sizeof values));
  }
}

static void test_otsu_of_few_levels(void **state) {
  (void)state;
  uint64_t histogram[256] = {0};
  assert_int_equal(ts_otsu(histogram), -1);
  histogram[7] = 50;
  assert_int_equal(ts_otsu(histogram), -1);
  histogram[200] = 1; /* every level from 7 to 199 separates the two equally well: the smallest */
  assert_int_equal(ts_otsu(histogram), 7);
  memset(histogram, 0, sizeof histogram);
  histogram[0] = histogram[255] = UINT64_C(1) << 40;
  assert_int_equal(ts_otsu(histogram), 0);
}

/* ---- Saturation ---- */

static void test_saturation(void **state) {
  (void)state;
  static const uint8_t rgb[] = {10, 20, 30, 30, 20, 10, 20, 30, 10, 5, 5, 5, 255, 0, 128, 0, 255, 254};
  static const uint8_t expected[] = {20, 20, 20, 0, 255, 255};
  uint8_t out[6];
  ts_saturation(rgb, 6, out);
  assert_memory_equal(out, expected, 6);
}

/* ---- Masks ---- */

struct picture {
  uint8_t rgb[SIDE * SIDE * 3], mask[SIDE * SIDE];
};

static void paint(struct picture *p, int x0, int y0, int width, int height, int saturation) {
  for (int y = y0; y < y0 + height; y++)
    for (int x = x0; x < x0 + width; x++) {
      uint8_t *pixel = p->rgb + ((size_t)y * SIDE + (size_t)x) * 3;
      pixel[0] = 240;
      pixel[1] = (uint8_t)(240 - saturation - (int)noise(3));
      pixel[2] = 238;
    }
}

static struct picture *glass(int saturation) {
  struct picture *p = calloc(1, sizeof *p);
  assert_non_null(p);
  paint(p, 0, 0, SIDE, SIDE, saturation);
  return p;
}

static int share(struct picture *p, int x0, int y0, int width, int height) {
  int set = 0;
  for (int y = y0; y < y0 + height; y++)
    for (int x = x0; x < x0 + width; x++) {
      assert_true(p->mask[y * SIDE + x] == 0 || p->mask[y * SIDE + x] == 255);
      set += p->mask[y * SIDE + x] != 0;
    }
  return set;
}

static void make(struct picture *p) {
  struct ts_error err = {0};
  assert_true(ts_tissue_mask(p->rgb, SIDE, SIDE, p->mask, &err));
}

/* A square of pale eosin on glass: the square and a margin of 3 pixels, nothing else. */
static void test_tissue_on_glass(void **state) {
  (void)state;
  static const int saturations[] = {35, 60, 150};
  for (size_t i = 0; i < 3; i++) {
    struct picture *p = glass(2);
    paint(p, 30, 40, 50, 20, saturations[i]);
    make(p);
    assert_int_equal(share(p, 27, 37, 56, 26), 56 * 26);
    assert_int_equal(share(p, 0, 0, SIDE, SIDE), 56 * 26);
    free(p);
  }
}

/* A little tissue on much glass: Otsu alone would put the threshold between the two stains. */
static void test_pale_tissue_beside_dark(void **state) {
  (void)state;
  struct picture *p = glass(3);
  paint(p, 10, 10, 20, 20, 200);
  paint(p, 60, 60, 20, 20, 35);
  make(p);
  assert_int_equal(share(p, 10, 10, 20, 20), 400);
  assert_int_equal(share(p, 60, 60, 20, 20), 400);
  free(p);
}

static void test_nothing_but_tissue(void **state) {
  (void)state;
  struct picture *p = glass(45); /* eosin, with nuclei */
  paint(p, 0, 0, SIDE, SIDE / 2, 120);
  make(p);
  assert_int_equal(share(p, 0, 0, SIDE, SIDE), SIDE * SIDE);
  free(p);
}

static void test_nothing_but_glass(void **state) {
  (void)state;
  static const int tints[] = {0, 2, 9};
  for (size_t i = 0; i < 3; i++) {
    struct picture *p = glass(tints[i]);
    make(p);
    assert_int_equal(share(p, 0, 0, SIDE, SIDE), 0);
    free(p);
  }
}

/* A grey image that is stored as RGB has no stain to look for. */
static void test_greys_are_kept(void **state) {
  (void)state;
  struct picture *p = calloc(1, sizeof *p);
  assert_non_null(p);
  for (size_t i = 0; i < (size_t)SIDE * SIDE; i++) memset(p->rgb + 3 * i, (int)noise(256), 3);
  make(p);
  assert_int_equal(share(p, 0, 0, SIDE, SIDE), SIDE * SIDE);
  free(p);
}

/* 7 pixels are dust, 8 are not; diagonal neighbours hold together. */
static void test_specks_are_removed(void **state) {
  (void)state;
  struct picture *p = glass(2);
  paint(p, 20, 20, 7, 1, 60);
  make(p);
  assert_int_equal(share(p, 0, 0, SIDE, SIDE), 0);
  paint(p, 27, 21, 1, 1, 60);
  make(p);
  assert_int_equal(share(p, 20, 20, 7, 1), 7);
  free(p);
}

/* A hole of 31 x 33 = 1023 pixels is closed, one of 32 x 32 is not; of that the margin covers 3 pixels at each side. */
static void test_small_holes_are_closed(void **state) {
  (void)state;
  for (int large = 0; large < 2; large++) {
    struct picture *p = glass(2);
    paint(p, 20, 20, 80, 80, 60);
    paint(p, 40, 40, 32 - !large, 32 + !large, 2);
    make(p);
    assert_int_equal(share(p, 17, 17, 86, 86), 86 * 86 - (large ? 26 * 26 : 0));
    free(p);
  }
}

static void test_margin_at_the_edge(void **state) {
  (void)state;
  struct picture *p = glass(2);
  paint(p, SIDE - 4, 0, 4, 10, 60);
  make(p);
  assert_int_equal(share(p, 0, 0, SIDE, SIDE), 7 * 13);
  assert_int_equal(share(p, SIDE - 7, 0, 7, 13), 7 * 13);
  free(p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_otsu_equals_a_search),
      cmocka_unit_test(test_otsu_of_few_levels),
      cmocka_unit_test(test_saturation),
      cmocka_unit_test(test_tissue_on_glass),
      cmocka_unit_test(test_pale_tissue_beside_dark),
      cmocka_unit_test(test_nothing_but_tissue),
      cmocka_unit_test(test_nothing_but_glass),
      cmocka_unit_test(test_greys_are_kept),
      cmocka_unit_test(test_specks_are_removed),
      cmocka_unit_test(test_small_holes_are_closed),
      cmocka_unit_test(test_margin_at_the_edge),
  };
  return cmocka_run_group_tests_name("tissue", tests, NULL, NULL);
}
