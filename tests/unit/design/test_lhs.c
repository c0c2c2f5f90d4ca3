/* Tests of design/lhs.c and design/mc.c: strata, independent columns and samples, parts of a stream.
 * SPDX-License-Identifier: Apache-2.0 */
#include "sample_support.h"

static void every_stratum_holds_one_point(void **state) {
  (void)state;
  const size_t counts[] = {1, 2, 3, 7, 10, 49, 100, 1000, 6561};
  for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
    size_t n = counts[k];
    double *points = malloc(n * 5 * sizeof *points);
    for (uint64_t seed = 0; seed < 5; seed++) {
      fill("lhs", 5, 0, n, &(struct ts_sample_options){.seed = seed}, points);
      for (size_t i = 0; i < 5; i++) assert_true(one_per_stratum(points + i, n, 5));
    }
    free(points);
  }
}

static double correlation(const double *points, size_t n, size_t columns, size_t a, size_t b) {
  double mean_a = 0, mean_b = 0, ab = 0, aa = 0, bb = 0;
  for (size_t i = 0; i < n; i++) {
    mean_a += points[i * columns + a] / (double)n;
    mean_b += points[i * columns + b] / (double)n;
  }
  for (size_t i = 0; i < n; i++) {
    double x = points[i * columns + a] - mean_a, y = points[i * columns + b] - mean_b;
    ab += x * y;
    aa += x * x;
    bb += y * y;
  }
  return ab / sqrt(aa * bb);
}

static void columns_are_independent(void **state) {
  (void)state;
  enum { N = 2000, D = 6 };
  const char *const sources[] = {"mc", "lhs"};
  double *points = malloc(N * D * sizeof *points);
  for (size_t s = 0; s < 2; s++) {
    fill(sources[s], D, 0, N, &(struct ts_sample_options){.seed = 17}, points);
    for (size_t a = 0; a < D; a++) {
      for (size_t b = 0; b < a; b++) assert_true(fabs(correlation(points, N, D, a, b)) < 5 / sqrt(N));
    }
  }
  free(points);
}

/* Where in its stratum a point lies is uniform: mean 1/2, variance 1/12. */
static void points_are_uniform_in_their_strata(void **state) {
  (void)state;
  enum { N = 10000 };
  static double points[N];
  fill("lhs", 1, 0, N, &(struct ts_sample_options){.seed = 2}, points);
  double sum = 0, squares = 0;
  for (size_t i = 0; i < N; i++) {
    double offset = points[i] * N - floor(points[i] * N);
    sum += offset / N;
    squares += offset * offset / N;
  }
  assert_true(fabs(sum - 0.5) < 5 * 0.289 / sqrt(N));
  assert_true(fabs(squares - 1.0 / 3) < 5 * 0.298 / sqrt(N));
}

static void samples_follow_each_other(void **state) {
  (void)state;
  enum { N = 40, D = 3 };
  double three[3 * N * D], part[N * D];
  struct ts_sample_options options = {.seed = 4, .count = N};
  fill("lhs", D, 0, 3 * N, &options, three);
  for (size_t sample = 0; sample < 3; sample++) {
    for (size_t i = 0; i < D; i++) assert_true(one_per_stratum(three + sample * N * D + i, N, D));
  }
  assert_memory_not_equal(three, three + N * D, N * D * sizeof *three);
  fill("lhs", D, 25, N, &options, part);
  assert_memory_equal(part, three + 25 * D, sizeof part);
}

static void more_monte_carlo_points_keep_the_earlier_ones(void **state) {
  (void)state;
  enum { N = 101, D = 3 };
  double whole[N * D], part[N * D];
  struct ts_sample_options options = {.seed = 8};
  fill("mc", D, 0, N, &options, whole);
  fill("mc", D, 0, 50, &options, part);
  assert_memory_equal(part, whole, 50 * D * sizeof *part);
  fill("mc", D, 51, 50, &options, part);
  assert_memory_equal(part, whole + 51 * D, 50 * D * sizeof *part);
  options.seed = 9;
  fill("mc", D, 0, 50, &options, part);
  assert_memory_not_equal(part, whole, 50 * D * sizeof *part);
}

/* Chi-square of 64 boxes in three dimensions, 64,000 points: 63 degrees of freedom, sd 11.2. */
static void monte_carlo_points_are_uniform(void **state) {
  (void)state;
  enum { N = 64000, D = 3 };
  double *points = malloc(N * D * sizeof *points), statistic = 0;
  size_t counts[64] = {0};
  fill("mc", D, 0, N, &(struct ts_sample_options){.seed = 21}, points);
  for (size_t i = 0; i < N; i++) {
    const double *x = points + i * D;
    counts[(size_t)(x[0] * 4) * 16 + (size_t)(x[1] * 4) * 4 + (size_t)(x[2] * 4)]++;
  }
  for (size_t i = 0; i < 64; i++) statistic += ((double)counts[i] - 1000) * ((double)counts[i] - 1000) / 1000;
  assert_true(statistic > 63 - 5 * 11.2 && statistic < 63 + 5 * 11.2);
  free(points);
}

static void refuses_what_makes_no_sense(void **state) {
  (void)state;
  struct cube cube;
  cube_init(&cube, 2);
  const double wanted[] = {1, 0.5, 0.5, 1};
  refuse("lhs", &cube.space, &(struct ts_sample_options){.count = 50, .improve = 5, .correlation = wanted},
         TS_ERR_BAD_VALUE);
  refuse("lhs", &cube.space, &(struct ts_sample_options){.count = 100000, .improve = 1}, TS_ERR_BAD_VALUE);
  refuse("lhs", &cube.space, &(struct ts_sample_options){.count = SIZE_MAX}, TS_ERR_BAD_VALUE);
  refuse("mc", &cube.space, &(struct ts_sample_options){.count = SIZE_MAX / 2}, TS_ERR_BAD_VALUE);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_stratum_holds_one_point),
      cmocka_unit_test(columns_are_independent),
      cmocka_unit_test(points_are_uniform_in_their_strata),
      cmocka_unit_test(samples_follow_each_other),
      cmocka_unit_test(more_monte_carlo_points_keep_the_earlier_ones),
      cmocka_unit_test(monte_carlo_points_are_uniform),
      cmocka_unit_test(refuses_what_makes_no_sense),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
