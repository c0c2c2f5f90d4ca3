/* Tests of analysis/rank.c: classes, order, and what is unsettled.
 * SPDX-License-Identifier: Apache-2.0 */
#include "analysis/analysis.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static struct ts_morris_index index_of(double mu_star, double low, double high, double sigma) {
  return (struct ts_morris_index){.name = "x",
                                  .mu = mu_star,
                                  .mu_star = mu_star,
                                  .sigma = sigma,
                                  .mu_star_low = low,
                                  .mu_star_high = high,
                                  .effect_count = 10};
}

static void classifies(void **state) {
  (void)state;
  struct ts_morris_index small = index_of(0.02, 0.01, 0.049, 0.01), reaching = index_of(0.02, 0.0, 0.05, 0.005);
  struct ts_morris_index linear = index_of(1, 0.9, 1.1, 0.49), bent = index_of(1, 0.9, 1.1, 0.5);
  assert_int_equal(ts_morris_classify(&small, 1, 0), TS_EFFECT_NEGLIGIBLE);
  assert_int_equal(ts_morris_classify(&reaching, 1, 0), TS_EFFECT_LINEAR);
  assert_int_equal(ts_morris_classify(&reaching, 1, 0.1), TS_EFFECT_NEGLIGIBLE);
  assert_int_equal(ts_morris_classify(&linear, 1, 0), TS_EFFECT_LINEAR);
  assert_int_equal(ts_morris_classify(&bent, 1, 0), TS_EFFECT_INTERACTING);
  assert_string_equal(ts_effect_class_name(TS_EFFECT_NEGLIGIBLE), "negligible");
  assert_string_equal(ts_effect_class_name(TS_EFFECT_LINEAR), "influential");
  assert_string_equal(ts_effect_class_name(TS_EFFECT_INTERACTING), "interacting");
}

static void the_unknown_is_not_negligible(void **state) {
  (void)state;
  struct ts_morris_index unknown = index_of(NAN, NAN, NAN, NAN), single = index_of(0, NAN, NAN, NAN);
  single.effect_count = 1;
  assert_int_not_equal(ts_morris_classify(&unknown, 1, 0), TS_EFFECT_NEGLIGIBLE);
  assert_int_not_equal(ts_morris_classify(&single, 1, 0), TS_EFFECT_NEGLIGIBLE);
}

static void without_any_effect_all_are_negligible(void **state) {
  (void)state;
  struct ts_morris_index none[] = {index_of(0, 0, 0, 0), index_of(0, 0, 0, 0)};
  size_t order[2];
  bool unsettled[2];
  assert_true(ts_morris_largest(none, 2) == 0);
  assert_int_equal(ts_morris_classify(&none[0], 0, 0), TS_EFFECT_NEGLIGIBLE);
  ts_morris_rank(none, 2, order, unsettled);
  assert_int_equal(order[0], 0);
  assert_false(unsettled[0]); /* equal, not unsettled */
}

static void ranks_by_size_and_keeps_ties_in_order(void **state) {
  (void)state;
  struct ts_morris_index indices[] = {index_of(0.2, 0.15, 0.25, 0), index_of(NAN, NAN, NAN, NAN),
                                      index_of(0.5, 0.4, 0.6, 0),   index_of(0.2, 0.1, 0.3, 0),
                                      index_of(0.45, 0.3, 0.55, 0), index_of(0.05, 0.01, 0.09, 0)};
  size_t order[6];
  bool unsettled[6];
  ts_morris_rank(indices, 6, order, unsettled);
  const size_t expected[] = {2, 4, 0, 3, 5, 1};
  const bool expected_unsettled[] = {true, false, true, false, true, false};
  for (size_t i = 0; i < 6; i++) {
    assert_int_equal(order[i], expected[i]);
    assert_int_equal(unsettled[i], expected_unsettled[i]);
  }
  assert_true(ts_morris_largest(indices, 6) == 0.5);
}

/* Gap 0.1; the ends reach 0.1 + 0.1 over it: the widths must halve, which takes four times as many. */
static void tells_how_many_more_would_part_two(void **state) {
  (void)state;
  struct ts_morris_index a = index_of(0.5, 0.4, 0.6, 0), b = index_of(0.4, 0.3, 0.5, 0), c = index_of(0.1, 0.1, 0.2, 0);
  assert_in_range(ts_morris_more_trajectories(&a, &b), 30, 31); /* 0.5 - 0.4 is not quite 0.1 */
  assert_int_equal(ts_morris_more_trajectories(&a, &b), ts_morris_more_trajectories(&b, &a));
  assert_int_equal(ts_morris_more_trajectories(&a, &c), 0);
  struct ts_morris_index same = a, nearly = index_of(0.4999, 0.4, 0.6, 0);
  assert_int_equal(ts_morris_more_trajectories(&a, &same), 0);
  assert_int_equal(ts_morris_more_trajectories(&a, &nearly), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(classifies),
      cmocka_unit_test(the_unknown_is_not_negligible),
      cmocka_unit_test(without_any_effect_all_are_negligible),
      cmocka_unit_test(ranks_by_size_and_keeps_ties_in_order),
      cmocka_unit_test(tells_how_many_more_would_part_two),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
