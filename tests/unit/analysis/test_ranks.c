/* Tests of analysis/ranks.c: orders against qsort, ties, resamples.
 * SPDX-License-Identifier: Apache-2.0 */
#include "samples.h"

#include "analysis/ranks.h"

#include <float.h>

static void orders_are_stable(void **state) {
  (void)state;
  double values[500];
  uint32_t order[500];
  struct ts_random random;
  ts_random_init(&random, 1, 0);
  for (size_t i = 0; i < 500; i++)
    values[i] = floor(40 * (ts_random_unit(&random) - 0.5)) * pow(10, (double)(i % 5) * 60);
  values[7] = -0.0;
  values[8] = 0.0;
  values[9] = -DBL_MAX;
  values[10] = DBL_MAX;
  values[11] = DBL_MIN / 4;
  values[12] = -DBL_MIN / 4;
  ts_sort_order(values, 500, order);
  bool seen[500] = {false};
  for (size_t i = 0; i < 500; i++) {
    assert_false(seen[order[i]]);
    seen[order[i]] = true;
    if (i == 0) continue;
    double before = values[order[i - 1]], now = values[order[i]];
    assert_true(before < now || (before == now && order[i - 1] < order[i]));
  }
  assert_int_equal(order[0], 9);
  ts_sort_order(values, 0, order);
  ts_sort_order(values, 1, order);
  assert_int_equal(order[0], 0);
}

/* 30 | 10 10 10 | 20 20 -> ranks 6, 2, 2, 2, 4.5, 4.5. */
static void ties_share_the_mean_rank(void **state) {
  (void)state;
  const double values[] = {30, 10, 20, 10, 20, 10};
  const uint32_t wanted[] = {12, 4, 9, 4, 9, 4};
  uint32_t order[6], ranks[6];
  ts_sort_order(values, 6, order);
  ts_twice_ranks(values, order, 6, ranks);
  assert_memory_equal(ranks, wanted, sizeof wanted);
}

/* Drawn: 30 once, the first 10 twice, a 20 three times: 10 10 20 20 20 30. */
static void resamples_have_the_ranks_of_their_copies(void **state) {
  (void)state;
  const double values[] = {30, 10, 20, 10, 20, 10};
  const uint32_t counts[] = {1, 2, 3, 0, 0, 0};
  uint32_t order[6];
  double ranks[12] = {0};
  ts_sort_order(values, 6, order);
  ts_weighted_ranks(values, order, 6, counts, ranks, 2);
  near(ranks[0], 6);
  near(ranks[2], 1.5);
  near(ranks[4], 4);
  assert_true(ranks[1] == 0 && ranks[3] == 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(orders_are_stable),
      cmocka_unit_test(ties_share_the_mean_rank),
      cmocka_unit_test(resamples_have_the_ranks_of_their_copies),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
