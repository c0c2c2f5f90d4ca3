/* Tests of design/halton.c: the radical inverse, permuted digits, skipping, extending.
 * SPDX-License-Identifier: Apache-2.0 */
#include "sample_support.h"

static const struct ts_sample_options plain = {.scramble = TS_SCRAMBLE_NONE};

/* By the definition, with whole numbers: the digits of the index mirrored, over a power of the base. */
static double radical_inverse(uint64_t index, uint64_t base) {
  uint64_t mirrored = 0, power = 1;
  for (; index > 0; index /= base) {
    mirrored = mirrored * base + index % base;
    power *= base;
  }
  return (double)mirrored / (double)power;
}

static bool is_prime(uint64_t number) {
  for (uint64_t i = 2; i * i <= number; i++) {
    if (number % i == 0) return false;
  }
  return true;
}

static void points_are_radical_inverses_in_prime_bases(void **state) {
  (void)state;
  enum { N = 1000, D = 50 };
  double *points = malloc(N * D * sizeof *points);
  fill("halton", D, 0, N, &plain, points);
  uint64_t base = 1;
  for (size_t i = 0; i < D; i++) {
    do base++;
    while (!is_prime(base));
    for (size_t row = 0; row < N; row++) {
      assert_true(fabs(points[row * D + i] - radical_inverse(row, base)) < 4e-16);
    }
  }
  free(points);
}

static void any_part_is_the_same_as_the_whole(void **state) {
  (void)state;
  enum { N = 200, D = 9 };
  static double whole[N * D], part[N * D];
  for (int kind = TS_SCRAMBLE_NONE; kind <= TS_SCRAMBLE_SHIFT; kind++) {
    struct ts_sample_options options = {.seed = 3, .scramble = (enum ts_scramble)kind};
    fill("halton", D, 0, N, &options, whole);
    for (size_t first = 0; first < N; first += 29) {
      fill("halton", D, first, N - first, &options, part);
      assert_memory_equal(part, whole + first * D, (N - first) * D * sizeof *part);
      options.skip = first;
      fill("halton", D, 0, N - first, &options, part);
      assert_memory_equal(part, whole + first * D, (N - first) * D * sizeof *part);
      options.skip = 0;
    }
  }
}

/* base^2 points have one in each of base^2 strata, before and after scrambling; strata are found with some slack. */
static void scrambled_columns_stay_stratified(void **state) {
  (void)state;
  enum { D = 6 };
  const size_t bases[D] = {2, 3, 5, 7, 11, 13};
  static double points[169 * D];
  for (int kind = TS_SCRAMBLE_OWEN; kind <= TS_SCRAMBLE_SHIFT; kind++) {
    for (uint64_t seed = 0; seed < 20; seed++) {
      struct ts_sample_options options = {.seed = seed, .scramble = (enum ts_scramble)kind};
      fill("halton", D, 0, 169, &options, points);
      for (size_t i = 0; i < D; i++) assert_true(one_per_stratum(points + i, bases[i] * bases[i], D));
    }
  }
}

static void scrambled_points_are_uniform_over_seeds(void **state) {
  (void)state;
  enum { SEEDS = 4000, D = 12 };
  double sum[D] = {0}, squares[D] = {0};
  for (uint64_t seed = 0; seed < SEEDS; seed++) {
    double point[D];
    fill("halton", D, 5, 1, &(struct ts_sample_options){.seed = seed, .scramble = TS_SCRAMBLE_OWEN}, point);
    for (size_t i = 0; i < D; i++) {
      assert_true(point[i] >= 0 && point[i] < 1);
      sum[i] += point[i] / SEEDS;
      squares[i] += point[i] * point[i] / SEEDS;
    }
  }
  for (size_t i = 0; i < D; i++) {
    /* Five standard deviations of the mean (sd 0.289) and of the mean square (sd 0.298). */
    assert_true(fabs(sum[i] - 0.5) < 5 * 0.289 / sqrt(SEEDS));
    assert_true(fabs(squares[i] - 1.0 / 3) < 5 * 0.298 / sqrt(SEEDS));
  }
}

static void many_dimensions_want_scrambling(void **state) {
  (void)state;
  struct cube cube;
  struct ts_points points;
  cube_init(&cube, 21);
  draw("halton", &cube.space, &(struct ts_sample_options){.count = 10}, &points);
  assert_non_null(strstr(points.note, "scrambling"));
  assert_true(points.a[0] == 0); /* unscrambled by default, from point 0 on */
  ts_points_release(&points);
  draw("halton", &cube.space, &(struct ts_sample_options){.count = 10, .scramble = TS_SCRAMBLE_OWEN}, &points);
  assert_null(points.note);
  ts_points_release(&points);
}

static void refuses_what_it_cannot_do(void **state) {
  (void)state;
  struct ts_error err = {0}, too_wide = {0};
  double unit;
  assert_false(ts_source_fill("halton", 1, (size_t)1 << 53, 1, &plain, &unit, &err));
  assert_int_equal(err.code, TS_ERR_BAD_VALUE);
  assert_false(ts_source_fill("halton", 10001, 0, 1, &plain, &unit, &too_wide));
  assert_int_equal(too_wide.code, TS_ERR_BAD_VALUE);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(points_are_radical_inverses_in_prime_bases),
      cmocka_unit_test(any_part_is_the_same_as_the_whole),
      cmocka_unit_test(scrambled_columns_stay_stratified),
      cmocka_unit_test(scrambled_points_are_uniform_over_seeds),
      cmocka_unit_test(many_dimensions_want_scrambling),
      cmocka_unit_test(refuses_what_it_cannot_do),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
