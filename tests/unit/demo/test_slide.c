/* Tests of the synthetic slide: reproducible, labelled exactly, and such that the nuclei workflow has work to do.
 * SPDX-License-Identifier: Apache-2.0
 * test-needs: kernels */
#include "base/alloc.h"
#include "demo/slide.h"
#include "kernels/compare.h"
#include "kernels/nuclei.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define WIDTH  512
#define HEIGHT 384
#define PIXELS (WIDTH * HEIGHT)

/* The slide that most tests look at, drawn once. */
static struct ts_data *slide;
static struct ts_data *truth;

static int draw(void **state) {
  (void)state;
  return ts_demo_slide(WIDTH, HEIGHT, 1, &slide, &truth, NULL) ? 0 : -1;
}

static int release(void **state) {
  (void)state;
  ts_data_unref(slide);
  ts_data_unref(truth);
  return 0;
}

static const uint8_t *colours(void) {
  size_t size = 0;
  return ts_data_bytes(slide, &size);
}

static const uint32_t *ids(void) {
  size_t size = 0;
  return ts_data_bytes(truth, &size);
}

static uint32_t nucleus_count(void) {
  uint32_t most = 0;
  for (size_t i = 0; i < PIXELS; i++) most = ids()[i] > most ? ids()[i] : most;
  return most;
}

static bool same(const struct ts_data *a, const struct ts_data *b) {
  struct ts_xxh128 x = ts_data_run_digest(a);
  struct ts_xxh128 y = ts_data_run_digest(b);
  return x.low == y.low && x.high == y.high;
}

static void test_the_seed_decides(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 2; seed++) {
    struct ts_data *rgb = NULL;
    struct ts_data *labels = NULL;
    assert_true(ts_demo_slide(WIDTH, HEIGHT, seed, &rgb, &labels, NULL));
    assert_int_equal(same(rgb, slide), seed == 1);
    assert_int_equal(same(labels, truth), seed == 1);
    ts_data_unref(rgb);
    ts_data_unref(labels);
  }
}

static void test_types_and_sizes(void **state) {
  (void)state;
  assert_string_equal(ts_data_type(slide)->name, "image/rgb8");
  assert_string_equal(ts_data_type(truth)->name, "labels");
  assert_int_equal(ts_data_region(slide)->width, WIDTH);
  assert_int_equal(ts_data_region(truth)->height, HEIGHT);
}

static void test_odd_sizes(void **state) {
  (void)state;
  static const int64_t good[][2] = {{64, 64}, {65, 300}, {301, 64}};
  for (size_t i = 0; i < 3; i++) {
    struct ts_data *rgb = NULL;
    struct ts_data *labels = NULL;
    assert_true(ts_demo_slide(good[i][0], good[i][1], 7, &rgb, &labels, NULL));
    ts_data_unref(rgb);
    ts_data_unref(labels);
  }
  static const int64_t bad[][2] = {{63, 64}, {64, 0}, {-1, 64}, {64, 32769}, {INT64_MAX, INT64_MAX}};
  for (size_t i = 0; i < 5; i++) {
    struct ts_error err = {0};
    struct ts_data *rgb = NULL;
    struct ts_data *labels = NULL;
    assert_false(ts_demo_slide(bad[i][0], bad[i][1], 7, &rgb, &labels, &err));
    assert_int_equal(err.code, TS_ERR_BAD_VALUE);
    assert_null(rgb);
  }
}

/* Every number from 1 to the last is there, and each belongs to something as large as a nucleus. */
static void test_labels_are_complete(void **state) {
  (void)state;
  uint32_t count = nucleus_count();
  assert_in_range(count, 100, 500);
  int64_t *areas = ts_calloc(count + 1, sizeof *areas);
  for (size_t i = 0; i < PIXELS; i++) areas[ids()[i]]++;
  for (uint32_t id = 1; id <= count; id++) assert_in_range(areas[id], 20, 500);
  assert_in_range(areas[0], PIXELS / 2, PIXELS);
  free(areas);
}

/* Labels lie on what is dark in red: that is what haematoxylin does. */
static void test_nuclei_are_darker_than_the_rest(void **state) {
  (void)state;
  double sums[2] = {0, 0};
  double counts[2] = {0, 0};
  for (size_t i = 0; i < PIXELS; i++) {
    int nucleus = ids()[i] != 0;
    sums[nucleus] += colours()[3 * i];
    counts[nucleus]++;
  }
  assert_true(sums[1] / counts[1] + 60 < sums[0] / counts[0]);
}

static void test_glass_and_blood_are_there(void **state) {
  (void)state;
  size_t glass = 0;
  size_t blood = 0;
  for (size_t i = 0; i < PIXELS; i++) {
    const uint8_t *p = colours() + 3 * i;
    glass += p[0] > 230 && p[1] > 230 && p[2] > 230;
    blood += p[0] > 5 * p[1] && p[0] > p[2];
  }
  assert_in_range(glass, PIXELS / 50, PIXELS / 2);
  assert_in_range(blood, 100, PIXELS / 20);
}

struct settings {
  int g1, min_size;
  double t1, t2;
};

/* The nuclei workflow with the defaults of the study but for the settings. */
static double dice_with(const struct settings *settings) {
  uint8_t *planes = ts_calloc(12, PIXELS);
  uint8_t *image = planes;
  uint8_t *p[9];
  for (size_t i = 0; i < 9; i++) p[i] = planes + (3 + i) * PIXELS;
  struct ts_nuclei_red_cells_params red = {220, 220, 220, settings->t1, settings->t2};
  enum ts_nuclei_status status = TS_NUCLEI_BACKGROUND;
  struct ts_error err = {0};
  bool good = ts_nuclei_normalise(colours(), WIDTH, HEIGHT, &ts_nuclei_default_target, NULL, image, NULL, &err) &&
              ts_nuclei_red_cells(image, WIDTH, HEIGHT, &red, p[0], &status, NULL, &err) &&
              ts_nuclei_background(image, WIDTH, HEIGHT, 8, p[1], p[2], p[3], NULL, &err) &&
              ts_nuclei_candidates(p[1], p[3], WIDTH, HEIGHT, 4, settings->g1, p[4], p[5], NULL, &err) &&
              ts_nuclei_candidate_size(p[5], WIDTH, HEIGHT, settings->min_size, 1000, p[6], NULL, &err) &&
              ts_nuclei_refine(p[4], p[6], p[0], WIDTH, HEIGHT, 45, p[7], NULL, &err) &&
              ts_nuclei_split(image, p[7], WIDTH, HEIGHT, 30, 8, p[8], NULL, NULL, &err) &&
              ts_nuclei_final_size(p[8], WIDTH, HEIGHT, 21, 1000, 4, p[2], NULL, &err);
  if (!good) fail_msg("%s", err.text);
  assert_int_equal(status, TS_NUCLEI_TISSUE);
  struct ts_compare_plane found = {.mask = p[2], .width = WIDTH, .height = HEIGHT};
  struct ts_compare_plane reference = {.labels = ids(), .width = WIDTH, .height = HEIGHT};
  struct ts_comparison comparison;
  assert_true(ts_compare(&found, &reference, &comparison, NULL, &err));
  free(planes);
  return comparison.dice;
}

/* Good but not perfect with the defaults, and the parameters matter: much, some, little. */
static void test_the_workflow_has_work_to_do(void **state) {
  (void)state;
  const struct settings defaults = {.g1 = 80, .min_size = 11, .t1 = 5, .t2 = 4};
  const struct settings low_g1 = {.g1 = 10, .min_size = 11, .t1 = 5, .t2 = 4};
  const struct settings large_only = {.g1 = 80, .min_size = 40, .t1 = 5, .t2 = 4};
  const struct settings no_blood = {.g1 = 80, .min_size = 11, .t1 = 7.5, .t2 = 7.5};
  double dice = dice_with(&defaults);
  double by_g1 = dice - dice_with(&low_g1);
  double by_size = dice - dice_with(&large_only);
  double by_blood = dice - dice_with(&no_blood);
  print_message("dice %.3f; lost by g1 %.3f, min_size %.3f, t1 and t2 %.3f\n", dice, by_g1, by_size, by_blood);
  assert_true(dice > 0.6 && dice < 0.9);
  assert_true(by_g1 > 0.1);
  assert_true(by_size > 0.01 && by_size < by_g1);
  assert_true(by_blood > 0.003 && by_blood < by_g1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_the_seed_decides),
      cmocka_unit_test(test_types_and_sizes),
      cmocka_unit_test(test_odd_sizes),
      cmocka_unit_test(test_labels_are_complete),
      cmocka_unit_test(test_nuclei_are_darker_than_the_rest),
      cmocka_unit_test(test_glass_and_blood_are_there),
      cmocka_unit_test(test_the_workflow_has_work_to_do),
  };
  return cmocka_run_group_tests_name("slide", tests, draw, release);
}
