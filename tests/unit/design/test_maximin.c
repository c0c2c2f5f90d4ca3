/* Tests of design/maximin.c: the closest points move apart, never closer, and columns keep their values.
 * SPDX-License-Identifier: Apache-2.0 */
#include "sample_support.h"

#include "design/sequence_int.h"

static double smallest_distance(const double *unit, size_t rows, size_t columns) {
  double best = INFINITY;
  for (size_t a = 0; a < rows; a++) {
    for (size_t b = 0; b < a; b++) {
      double sum = 0;
      for (size_t i = 0; i < columns; i++) sum += pow(unit[a * columns + i] - unit[b * columns + i], 2);
      best = fmin(best, sqrt(sum));
    }
  }
  return best;
}

static void more_rounds_are_never_worse(void **state) {
  (void)state;
  enum { N = 60, D = 4 };
  for (uint64_t seed = 0; seed < 10; seed++) {
    double plain[N * D], improved[N * D];
    fill("lhs", D, 0, N, &(struct ts_sample_options){.seed = seed}, plain);
    double before = smallest_distance(plain, N, D), first = before;
    for (size_t rounds = 1; rounds <= 64; rounds *= 2) {
      memcpy(improved, plain, sizeof plain);
      ts_maximin_improve(improved, N, D, rounds, seed, 1);
      double now = smallest_distance(improved, N, D);
      assert_true(now >= before);
      before = now;
      for (size_t i = 0; i < D; i++) assert_true(one_per_stratum(improved + i, N, D));
    }
    assert_true(before > 1.3 * first);
  }
}

static int by_value(const void *a, const void *b) {
  double left = *(const double *)a, right = *(const double *)b;
  return left < right ? -1 : left > right;
}

static void columns_keep_their_values(void **state) {
  (void)state;
  enum { N = 50, D = 3 };
  double before[N * D], after[N * D];
  fill("mc", D, 0, N, &(struct ts_sample_options){.seed = 6}, before);
  memcpy(after, before, sizeof after);
  ts_maximin_improve(after, N, D, 50, 6, 1);
  assert_memory_not_equal(before, after, sizeof after);
  for (size_t i = 0; i < D; i++) {
    double x[N], y[N];
    for (size_t row = 0; row < N; row++) {
      x[row] = before[row * D + i];
      y[row] = after[row * D + i];
    }
    qsort(x, N, sizeof *x, by_value);
    qsort(y, N, sizeof *y, by_value);
    assert_memory_equal(x, y, sizeof x);
  }
}

/* The smallest distance of two given rows to all others. */
static double nearest_of_two(const double *unit, size_t rows, size_t columns, size_t a, size_t b) {
  double best = INFINITY;
  for (size_t other = 0; other < rows; other++) {
    for (size_t k = 0; k < 2; k++) {
      size_t row = k ? a : b;
      if (row == other) continue;
      double sum = 0;
      for (size_t i = 0; i < columns; i++) sum += pow(unit[row * columns + i] - unit[other * columns + i], 2);
      best = fmin(best, sqrt(sum));
    }
  }
  return best;
}

/* After many rounds no exchange of one coordinate takes the closest pair further apart without bringing others as
 * close. */
static void ends_where_no_swap_helps(void **state) {
  (void)state;
  enum { N = 20, D = 3 };
  double points[N * D];
  fill("lhs", D, 0, N, &(struct ts_sample_options){.seed = 5}, points);
  ts_maximin_improve(points, N, D, 500, 5, 1);
  double limit = smallest_distance(points, N, D);
  size_t helped = 0;
  for (size_t a = 0; a < N; a++) {
    if (nearest_of_two(points, N, D, a, a) > limit + 1e-12) continue; /* not of the closest pair */
    for (size_t b = 0; b < N; b++) {
      for (size_t i = 0; i < D; i++) {
        double kept = points[a * D + i];
        points[a * D + i] = points[b * D + i];
        points[b * D + i] = kept;
        helped += a != b && nearest_of_two(points, N, D, a, b) > limit + 1e-12;
        points[b * D + i] = points[a * D + i];
        points[a * D + i] = kept;
      }
    }
  }
  assert_int_equal(helped, 0);
}

static void small_samples_stay_as_they_are(void **state) {
  (void)state;
  double pair[4] = {0.1, 0.2, 0.3, 0.4}, column[3] = {0.1, 0.5, 0.9};
  ts_maximin_improve(pair, 2, 2, 10, 1, 1);
  assert_true(pair[0] == 0.1 && pair[3] == 0.4);
  ts_maximin_improve(column, 3, 1, 10, 1, 1);
  assert_true(column[1] == 0.5);
}

static void sampler_improves(void **state) {
  (void)state;
  struct cube cube;
  cube_init(&cube, 3);
  struct ts_points plain, improved;
  draw("lhs", &cube.space, &(struct ts_sample_options){.count = 40, .seed = 3}, &plain);
  draw("lhs", &cube.space, &(struct ts_sample_options){.count = 40, .seed = 3, .improve = 50}, &improved);
  assert_true(smallest_distance(improved.a, 40, 3) > smallest_distance(plain.a, 40, 3));
  ts_points_release(&plain);
  ts_points_release(&improved);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(more_rounds_are_never_worse),
      cmocka_unit_test(columns_keep_their_values),
      cmocka_unit_test(ends_where_no_swap_helps),
      cmocka_unit_test(small_samples_stay_as_they_are),
      cmocka_unit_test(sampler_improves),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
