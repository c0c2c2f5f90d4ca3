/* Tests of design/correlate.c: wanted rank correlations are met, columns keep their values, contradictions are refused.
 * SPDX-License-Identifier: Apache-2.0 */
#include "sample_support.h"

#include "design/sequence_int.h"

static int by_value(const void *a, const void *b) {
  double left = *(const double *)a, right = *(const double *)b;
  return left < right ? -1 : left > right;
}

/* Spearman's coefficient of two columns without ties, by counting: 1 - 6 sum d^2 / (n (n^2 - 1)). */
static double spearman(const double *unit, size_t rows, size_t columns, size_t a, size_t b) {
  double sum = 0, n = (double)rows;
  for (size_t i = 0; i < rows; i++) {
    double rank_a = 0, rank_b = 0;
    for (size_t j = 0; j < rows; j++) {
      rank_a += unit[j * columns + a] < unit[i * columns + a];
      rank_b += unit[j * columns + b] < unit[i * columns + b];
    }
    sum += (rank_a - rank_b) * (rank_a - rank_b);
  }
  return 1 - 6 * sum / (n * (n * n - 1));
}

static const double wanted[16] = {1, 0.7, -0.3, 0, 0.7, 1, 0.2, 0, -0.3, 0.2, 1, 0.9, 0, 0, 0.9, 1};
/* The same made consistent: the last pair is weaker. */
static const double consistent[16] = {1,    0.7, -0.3, 0,   //
                                      0.7,  1,   0.2,  0.1, //
                                      -0.3, 0.2, 1,    0.6, //
                                      0,    0.1, 0.6,  1};

static void ranks_have_the_wanted_correlations(void **state) {
  (void)state;
  enum { N = 1000, D = 4 };
  double *unit = malloc(N * D * sizeof *unit);
  struct ts_error err = {0};
  for (uint64_t seed = 0; seed < 5; seed++) {
    fill("lhs", D, 0, N, &(struct ts_sample_options){.seed = seed}, unit);
    assert_true(ts_correlate(unit, N, D, consistent, seed, 1, &err));
    for (size_t a = 0; a < D; a++) {
      assert_true(one_per_stratum(unit + a, N, D));
      for (size_t b = 0; b < a; b++) {
        double difference = spearman(unit, N, D, a, b) - consistent[a * D + b];
        if (fabs(difference) > 0.02) fail_msg("seed %d, %zu and %zu: off by %g", (int)seed, a, b, difference);
      }
    }
  }
  free(unit);
}

static void strong_correlations_are_met(void **state) {
  (void)state;
  enum { N = 500 };
  double unit[N * 2];
  struct ts_error err = {0};
  const double strengths[] = {0.99, -0.95, 0.5, 0};
  for (size_t k = 0; k < 4; k++) {
    const double matrix[4] = {1, strengths[k], strengths[k], 1};
    fill("mc", 2, 0, N, &(struct ts_sample_options){.seed = k}, unit);
    assert_true(ts_correlate(unit, N, 2, matrix, k, 1, &err));
    assert_true(fabs(spearman(unit, N, 2, 0, 1) - strengths[k]) < 0.02);
  }
}

static void columns_keep_their_values(void **state) {
  (void)state;
  enum { N = 200, D = 4 };
  double before[N * D], after[N * D], x[N], y[N];
  struct ts_error err = {0};
  fill("mc", D, 0, N, &(struct ts_sample_options){.seed = 1}, before);
  memcpy(after, before, sizeof after);
  assert_true(ts_correlate(after, N, D, consistent, 1, 1, &err));
  for (size_t i = 0; i < D; i++) {
    for (size_t row = 0; row < N; row++) {
      x[row] = before[row * D + i];
      y[row] = after[row * D + i];
    }
    qsort(x, N, sizeof *x, by_value);
    qsort(y, N, sizeof *y, by_value);
    assert_memory_equal(x, y, sizeof x);
  }
}

static void is_refused(const double *matrix, size_t rows, size_t columns, const char *text) {
  double unit[400];
  fill("mc", columns, 0, rows, &(struct ts_sample_options){0}, unit);
  struct ts_error err = {0};
  assert_false(ts_correlate(unit, rows, columns, matrix, 1, 1, &err));
  assert_int_equal(err.code, TS_ERR_BAD_VALUE);
  assert_true(err.help[0] != 0);
  if (!strstr(err.text, text)) fail_msg("'%s' instead of '... %s ...'", err.text, text);
}

static void contradictions_are_refused(void **state) {
  (void)state;
  /* Its determinant is negative: x3 follows x4 closely, x1 and x2 each other, but their pairs disagree. */
  is_refused(wanted, 100, 4, "positive definite");
  is_refused((const double[]){1, 0.5, 0.4, 1}, 100, 2, "row 1, column 2");
  is_refused((const double[]){0.9, 0, 0, 1}, 100, 2, "row 1, column 1");
  is_refused((const double[]){1, 1.5, 1.5, 1}, 100, 2, "row 1, column 2");
  is_refused((const double[]){1, NAN, NAN, 1}, 100, 2, "row 1, column 2");
  is_refused((const double[]){1, 1, 1, 1}, 100, 2, "row 1, column 2");
  is_refused(consistent, 4, 4, "too few");
  is_refused(consistent, 1, 4, "too few");
}

static void samplers_correlate(void **state) {
  (void)state;
  struct cube cube;
  cube_init(&cube, 4);
  const char *const samplers[] = {"lhs", "mc"};
  for (size_t k = 0; k < 2; k++) {
    struct ts_points points;
    draw(samplers[k], &cube.space, &(struct ts_sample_options){.count = 400, .seed = 2, .correlation = consistent},
         &points);
    assert_true(fabs(spearman(points.a, 400, 4, 0, 1) - 0.7) < 0.03);
    assert_non_null(strstr(points.note, "correlated"));
    ts_points_release(&points);
  }
  refuse("sobol-sequence", &cube.space, &(struct ts_sample_options){.count = 64, .correlation = consistent},
         TS_ERR_BAD_VALUE);
  refuse("halton", &cube.space, &(struct ts_sample_options){.count = 64, .correlation = consistent}, TS_ERR_BAD_VALUE);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ranks_have_the_wanted_correlations),
      cmocka_unit_test(strong_correlations_are_met),
      cmocka_unit_test(columns_keep_their_values),
      cmocka_unit_test(contradictions_are_refused),
      cmocka_unit_test(samplers_correlate),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
