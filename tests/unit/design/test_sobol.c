/* Tests of design/sobol.c and design/joe_kuo.c: direction numbers, nets, skipping, extending.
 * SPDX-License-Identifier: Apache-2.0 */
#include "sample_support.h"

#include "design/sequence_int.h"

/* The first 20 numbers m_j of some dimensions: those of the published table new-joe-kuo-6.21201, continued with the
 * recurrence of Bratley and Fox by an independent program. */
static const struct {
  size_t dimension;
  uint32_t m[20];
} known[] = {
    {1, {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}},
    {2, {1, 3, 5, 15, 17, 51, 85, 255, 257, 771, 1285, 3855, 4369, 13107, 21845, 65535, 65537, 196611, 327685, 983055}},
    {10, {1, 1, 7, 11, 19, 37, 69, 91, 103, 871, 913, 1009, 6199, 10683, 10691, 10741, 5237, 27819, 433303, 434167}},
    {1111, {1, 1, 5, 15, 19, 1, 7, 211, 157, 603, 403, 1387, 1583, 1851, 12291, 4103, 102405, 110605, 299047, 888837}},
    {2048, {1, 1, 3, 15, 9, 7, 25, 25, 357, 247, 477, 421, 7679, 5987, 30079, 13169, 12497, 83795, 18719, 329593}},
    {5000, {1, 1, 3, 1, 19, 37, 67, 85, 11, 817, 869, 2249, 4111, 12411, 10405, 20055, 26423, 105991, 215669, 438419}},
    {21201,
     {1, 1, 7, 11, 15, 7, 37, 239, 337, 245, 1557, 3681, 7357, 9639, 27367, 26869, 114603, 86317, 224527, 180227}},
};

static const struct ts_sample_options plain = {.scramble = TS_SCRAMBLE_NONE};

static void direction_numbers_are_those_of_joe_and_kuo(void **state) {
  (void)state;
  size_t dimensions = TS_JOE_KUO_DIMENSIONS;
  double *point = malloc(dimensions * sizeof *point);
  for (size_t j = 1; j <= 20; j++) {
    /* The Gray code of 2^j - 1 is the one bit j-1, so this point is the direction number itself. */
    fill("sobol-sequence", dimensions, ((size_t)1 << j) - 1, 1, &plain, point);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
      double expected = known[i].m[j - 1] / (double)((size_t)1 << j);
      assert_true(point[known[i].dimension - 1] == expected);
    }
  }
  free(point);
}

static void every_column_is_stratified_in_all_dimensions(void **state) {
  (void)state;
  size_t dimensions = TS_JOE_KUO_DIMENSIONS, count = 128;
  double *points = malloc(count * dimensions * sizeof *points);
  const enum ts_scramble kinds[] = {TS_SCRAMBLE_NONE, TS_SCRAMBLE_OWEN, TS_SCRAMBLE_SHIFT};
  for (size_t k = 0; k < 3; k++) {
    fill("sobol-sequence", dimensions, 0, count, &(struct ts_sample_options){.seed = 5, .scramble = kinds[k]}, points);
    for (size_t i = 0; i < dimensions; i++) {
      if (!one_per_stratum(points + i, count, dimensions)) fail_msg("scramble %zu, dimension %zu", k, i + 1);
    }
  }
  free(points);
}

static int by_number(const void *a, const void *b) {
  size_t left = *(const size_t *)a, right = *(const size_t *)b;
  return left < right ? -1 : left > right;
}

/* How many of 2^m points lie in each elementary interval of 2^a by 2^(m-a), in increasing order. */
static void count_boxes(const double *points, size_t dimensions, size_t x, size_t y, unsigned m, unsigned a,
                        size_t *counts) {
  size_t size = (size_t)1 << m;
  memset(counts, 0, size * sizeof *counts);
  for (size_t i = 0; i < size; i++) {
    size_t column = (size_t)(points[i * dimensions + x] * (double)((size_t)1 << a));
    size_t row = (size_t)(points[i * dimensions + y] * (double)((size_t)1 << (m - a)));
    counts[column << (m - a) | row]++;
  }
  qsort(counts, size, sizeof *counts, by_number);
}

static void first_two_dimensions_are_a_net_of_quality_zero(void **state) {
  (void)state;
  enum { M = 10, N = 1 << M };
  static double points[N * 2];
  size_t counts[N];
  const enum ts_scramble kinds[] = {TS_SCRAMBLE_NONE, TS_SCRAMBLE_OWEN, TS_SCRAMBLE_SHIFT};
  for (size_t k = 0; k < 3; k++) {
    for (uint64_t seed = 0; seed < 10; seed++) {
      fill("sobol-sequence", 2, 0, N, &(struct ts_sample_options){.seed = seed, .scramble = kinds[k]}, points);
      for (unsigned a = 0; a <= M; a++) {
        count_boxes(points, 2, 0, 1, M, a, counts);
        assert_int_equal(counts[0], 1); /* the smallest count: every box has a point */
      }
    }
  }
}

/* Scrambling exchanges elementary intervals: the counts must stay the same but for their order, for every shape. */
static void scrambling_keeps_the_quality_of_every_projection(void **state) {
  (void)state;
  enum { M = 8, N = 1 << M, D = 20 };
  static double before[N * D], after[N * D];
  size_t counts[2][N];
  fill("sobol-sequence", D, 0, N, &plain, before);
  for (int kind = TS_SCRAMBLE_OWEN; kind <= TS_SCRAMBLE_SHIFT; kind++) {
    fill("sobol-sequence", D, 0, N, &(struct ts_sample_options){.seed = 11, .scramble = (enum ts_scramble)kind}, after);
    for (size_t x = 0; x < D; x++) {
      for (size_t y = x + 1; y < D; y++) {
        for (unsigned a = 0; a <= M; a++) {
          count_boxes(before, D, x, y, M, a, counts[0]);
          count_boxes(after, D, x, y, M, a, counts[1]);
          assert_memory_equal(counts[0], counts[1], sizeof counts[0]);
        }
      }
    }
  }
}

static void any_part_is_the_same_as_the_whole(void **state) {
  (void)state;
  enum { N = 300, D = 7 };
  static double whole[N * D], part[N * D];
  for (int kind = TS_SCRAMBLE_NONE; kind <= TS_SCRAMBLE_SHIFT; kind++) {
    struct ts_sample_options options = {.seed = 3, .scramble = (enum ts_scramble)kind};
    fill("sobol-sequence", D, 0, N, &options, whole);
    for (size_t first = 0; first < N; first += 37) {
      fill("sobol-sequence", D, first, N - first, &options, part);
      assert_memory_equal(part, whole + first * D, (N - first) * D * sizeof *part);
      options.skip = first;
      fill("sobol-sequence", D, 0, N - first, &options, part);
      assert_memory_equal(part, whole + first * D, (N - first) * D * sizeof *part);
      options.skip = 0;
    }
  }
}

#define LAST ((size_t)9007199254740991)
/* The last point has the number 2^53 - 1; one more is refused, whether skipped, asked for late or counted. */
static void sequences_end_after_two_to_the_53_points(void **state) {
  (void)state;
  static const char *const names[] = {"sobol-sequence", "halton"};
  static const struct {
    size_t skip, first, count;
    bool fits;
  } ranges[] = {{0, LAST, 1, true},      {LAST, 0, 1, true},      {1, LAST, 1, false},
                {SIZE_MAX, 0, 1, false}, {0, SIZE_MAX, 1, false}, {0, LAST, 2, false}};
  for (size_t i = 0; i < 2 * sizeof ranges / sizeof *ranges; i++) {
    struct ts_sample_options options = {.skip = ranges[i / 2].skip, .scramble = TS_SCRAMBLE_NONE};
    struct ts_error err = {0};
    double unit[2];
    bool ok = ts_source_fill(names[i % 2], 1, ranges[i / 2].first, ranges[i / 2].count, &options, unit, &err);
    assert_int_equal(ok, ranges[i / 2].fits);
    assert_int_equal(err.code, ok ? TS_ERR_OK : TS_ERR_BAD_VALUE);
  }
}

/* Point i of the first dimension is the mirrored Gray code of i. */
static void points_far_out_are_right(void **state) {
  (void)state;
  const size_t far[] = {((size_t)1 << 53) - 1, ((size_t)1 << 53) - 2, (size_t)123456789012345};
  for (size_t k = 0; k < 3; k++) {
    uint64_t gray = far[k] ^ far[k] >> 1;
    double expected = 0;
    for (int bit = 52; bit >= 0; bit--) expected += (double)(gray >> bit & 1) * ldexp(1, -bit - 1);
    double unit;
    fill("sobol-sequence", 1, far[k], 1, &plain, &unit);
    assert_true(unit == expected);
  }
}

static void refuses_what_it_cannot_do(void **state) {
  (void)state;
  struct ts_error err = {0};
  double unit;
  assert_false(ts_source_fill("sobol-sequence", 1, (size_t)1 << 53, 1, &plain, &unit, &err));
  assert_int_equal(err.code, TS_ERR_BAD_VALUE);
  struct ts_error too_wide = {0};
  assert_false(ts_source_fill("sobol-sequence", TS_JOE_KUO_DIMENSIONS + 1, 0, 1, &plain, &unit, &too_wide));
  assert_int_equal(too_wide.code, TS_ERR_BAD_VALUE);
}

static void sampler_warns_of_counts_that_are_no_power_of_two(void **state) {
  (void)state;
  struct cube cube;
  cube_init(&cube, 3);
  struct ts_points points;
  draw("sobol-sequence", &cube.space, &(struct ts_sample_options){.count = 64}, &points);
  assert_int_equal(points.row_count, 64);
  assert_null(points.note);
  ts_points_release(&points);
  draw("sobol-sequence", &cube.space, &(struct ts_sample_options){.count = 65}, &points);
  assert_non_null(strstr(points.note, "power of two"));
  ts_points_release(&points);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(direction_numbers_are_those_of_joe_and_kuo),
      cmocka_unit_test(every_column_is_stratified_in_all_dimensions),
      cmocka_unit_test(first_two_dimensions_are_a_net_of_quality_zero),
      cmocka_unit_test(scrambling_keeps_the_quality_of_every_projection),
      cmocka_unit_test(any_part_is_the_same_as_the_whole),
      cmocka_unit_test(sequences_end_after_two_to_the_53_points),
      cmocka_unit_test(points_far_out_are_right),
      cmocka_unit_test(refuses_what_it_cannot_do),
      cmocka_unit_test(sampler_warns_of_counts_that_are_no_power_of_two),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
