/* Quantiles and shares of cut-off distributions against values of 45 digits and closed forms.
 * SPDX-License-Identifier: Apache-2.0
 *
 * The expected numbers were found with mpmath 1.3 by bisection of the cut-off probability and rounded once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "workflow/distribution.h"

#include <math.h>

static const struct {
  struct ts_distribution distribution;
  double from, to;
  double u, x;
} expected[] = {
    {{.kind = TS_NORMAL, .mean = 3, .sd = 2}, -INFINITY, INFINITY, 0.0625, -0.06824108870509263},
    {{.kind = TS_NORMAL, .mean = 3, .sd = 2}, -INFINITY, INFINITY, 0.3, 1.9511989745839184},
    {{.kind = TS_NORMAL, .mean = 3, .sd = 2}, -INFINITY, INFINITY, 0.5, 3.0},
    {{.kind = TS_NORMAL, .mean = 3, .sd = 2}, -INFINITY, INFINITY, 0.875, 5.300698760752017},
    {{.kind = TS_NORMAL, .mean = 3, .sd = 2}, -INFINITY, INFINITY, 0.9990234375, 9.194538156397568},
    {{.kind = TS_NORMAL, .mean = 3, .sd = 2}, 4, 10, 0.0625, 4.11104605542669},
    {{.kind = TS_NORMAL, .mean = 3, .sd = 2}, 4, 10, 0.3, 4.571233215997224},
    {{.kind = TS_NORMAL, .mean = 3, .sd = 2}, 4, 10, 0.5, 5.035611967495765},
    {{.kind = TS_NORMAL, .mean = 3, .sd = 2}, 4, 10, 0.875, 6.530265168079262},
    {{.kind = TS_NORMAL, .mean = 3, .sd = 2}, 4, 10, 0.9990234375, 9.544253987521442},
    {{.kind = TS_NORMAL, .mean = 3, .sd = 2}, -1, 1, 0.0625, -0.7256285044274917},
    {{.kind = TS_NORMAL, .mean = 3, .sd = 2}, -1, 1, 0.3, -0.05173121792205603},
    {{.kind = TS_NORMAL, .mean = 3, .sd = 2}, -1, 1, 0.5, 0.3271193045095062},
    {{.kind = TS_NORMAL, .mean = 3, .sd = 2}, -1, 1, 0.875, 0.8542813013180146},
    {{.kind = TS_NORMAL, .mean = 3, .sd = 2}, -1, 1, 0.9990234375, 0.9989027080524423},
    {{.kind = TS_NORMAL, .mean = 3, .sd = 2}, 15, 17, 0.0625, 15.020913814319174},
    {{.kind = TS_NORMAL, .mean = 3, .sd = 2}, 15, 17, 0.3, 15.115126382606865},
    {{.kind = TS_NORMAL, .mean = 3, .sd = 2}, 15, 17, 0.5, 15.22271643101777},
    {{.kind = TS_NORMAL, .mean = 3, .sd = 2}, 15, 17, 0.875, 15.655345110507021},
    {{.kind = TS_NORMAL, .mean = 3, .sd = 2}, 15, 17, 0.9990234375, 16.842038563007034},
    {{.kind = TS_NORMAL, .mean = 3, .sd = 2}, -80, -60, 0.0625, -60.175616220726496},
    {{.kind = TS_NORMAL, .mean = 3, .sd = 2}, -80, -60, 0.3, -60.076319774551436},
    {{.kind = TS_NORMAL, .mean = 3, .sd = 2}, -80, -60, 0.5, -60.04394982582466},
    {{.kind = TS_NORMAL, .mean = 3, .sd = 2}, -80, -60, 0.875, -60.00846909685087},
    {{.kind = TS_NORMAL, .mean = 3, .sd = 2}, -80, -60, 0.9990234375, -60.00006197190223},
    {{.kind = TS_LOGNORMAL, .mean = 0.5, .sd = 0.25}, -INFINITY, INFINITY, 0.0625, 1.1235236513492353},
    {{.kind = TS_LOGNORMAL, .mean = 0.5, .sd = 0.25}, -INFINITY, INFINITY, 0.3, 1.4461427967832974},
    {{.kind = TS_LOGNORMAL, .mean = 0.5, .sd = 0.25}, -INFINITY, INFINITY, 0.5, 1.6487212707001282},
    {{.kind = TS_LOGNORMAL, .mean = 0.5, .sd = 0.25}, -INFINITY, INFINITY, 0.875, 2.198086798783226},
    {{.kind = TS_LOGNORMAL, .mean = 0.5, .sd = 0.25}, -INFINITY, INFINITY, 0.9990234375, 3.576258955540282},
    {{.kind = TS_LOGNORMAL, .mean = 0.5, .sd = 0.25}, 1, 2, 0.0625, 1.140208897564025},
    {{.kind = TS_LOGNORMAL, .mean = 0.5, .sd = 0.25}, 1, 2, 0.3, 1.3928420011702312},
    {{.kind = TS_LOGNORMAL, .mean = 0.5, .sd = 0.25}, 1, 2, 0.5, 1.5489704302818195},
    {{.kind = TS_LOGNORMAL, .mean = 0.5, .sd = 0.25}, 1, 2, 0.875, 1.8603150159747543},
    {{.kind = TS_LOGNORMAL, .mean = 0.5, .sd = 0.25}, 1, 2, 0.9990234375, 1.9987522540624982},
    {{.kind = TS_LOGNORMAL, .mean = 0.5, .sd = 0.25}, 0, 1.5, 0.0625, 0.996680175397267},
    {{.kind = TS_LOGNORMAL, .mean = 0.5, .sd = 0.25}, 0, 1.5, 0.3, 1.2064765864580103},
    {{.kind = TS_LOGNORMAL, .mean = 0.5, .sd = 0.25}, 0, 1.5, 0.5, 1.3068780630335237},
    {{.kind = TS_LOGNORMAL, .mean = 0.5, .sd = 0.25}, 0, 1.5, 0.875, 1.4550358274242574},
    {{.kind = TS_LOGNORMAL, .mean = 0.5, .sd = 0.25}, 0, 1.5, 0.9990234375, 1.4996522578331193},
    {{.kind = TS_LOGNORMAL, .mean = 0.5, .sd = 0.25}, 3, 9, 0.0625, 3.0177338827785314},
    {{.kind = TS_LOGNORMAL, .mean = 0.5, .sd = 0.25}, 3, 9, 0.3, 3.0976070655542514},
    {{.kind = TS_LOGNORMAL, .mean = 0.5, .sd = 0.25}, 3, 9, 0.5, 3.188889693014683},
    {{.kind = TS_LOGNORMAL, .mean = 0.5, .sd = 0.25}, 3, 9, 0.875, 3.5594902711539667},
    {{.kind = TS_LOGNORMAL, .mean = 0.5, .sd = 0.25}, 3, 9, 0.9990234375, 4.843987666098275},
    {{.kind = TS_TRIANGULAR, .low = 0, .mode = 2, .high = 5}, 0, 5, 0.0625, 0.7905694150420949},
    {{.kind = TS_TRIANGULAR, .low = 0, .mode = 2, .high = 5}, 0, 5, 0.3, 1.7320508075688772},
    {{.kind = TS_TRIANGULAR, .low = 0, .mode = 2, .high = 5}, 0, 5, 0.5, 2.2613872124741694},
    {{.kind = TS_TRIANGULAR, .low = 0, .mode = 2, .high = 5}, 0, 5, 0.875, 3.630693606237085},
    {{.kind = TS_TRIANGULAR, .low = 0, .mode = 2, .high = 5}, 0, 5, 0.9990234375, 4.878969270431019},
    {{.kind = TS_TRIANGULAR, .low = 0, .mode = 2, .high = 5}, 1, 4, 0.0625, 1.2332207155790618},
    {{.kind = TS_TRIANGULAR, .low = 0, .mode = 2, .high = 5}, 1, 4, 0.3, 1.8708286933869707},
    {{.kind = TS_TRIANGULAR, .low = 0, .mode = 2, .high = 5}, 1, 4, 0.5, 2.307417596432748},
    {{.kind = TS_TRIANGULAR, .low = 0, .mode = 2, .high = 5}, 1, 4, 0.875, 3.399218940641788},
    {{.kind = TS_TRIANGULAR, .low = 0, .mode = 2, .high = 5}, 1, 4, 0.9990234375, 3.993914997999672},
    {{.kind = TS_LOG_UNIFORM}, 1e-6, 1e3, 0.0625, 3.651741272548377e-06},
    {{.kind = TS_LOG_UNIFORM}, 1e-6, 1e3, 0.3, 0.0005011872336272722},
    {{.kind = TS_LOG_UNIFORM}, 1e-6, 1e3, 0.5, 0.03162277660168379},
    {{.kind = TS_LOG_UNIFORM}, 1e-6, 1e3, 0.875, 74.98942093324558},
    {{.kind = TS_LOG_UNIFORM}, 1e-6, 1e3, 0.9990234375, 979.9658407585014},
    {{.kind = TS_LOG_UNIFORM}, 1e-200, 1e250, 0.0625, 1.333521432163324e-172},
    {{.kind = TS_LOG_UNIFORM}, 1e-200, 1e250, 0.3, 9.999999999999885e-66},
    {{.kind = TS_LOG_UNIFORM}, 1e-200, 1e250, 0.5, 9.999999999999999e+24},
    {{.kind = TS_LOG_UNIFORM}, 1e-200, 1e250, 0.875, 5.623413251903491e+193},
    {{.kind = TS_LOG_UNIFORM}, 1e-200, 1e250, 0.9990234375, 3.635355401559122e+249},
};

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

static void test_quantiles(void **state) {
  (void)state;
  for (size_t i = 0; i < COUNT_OF(expected); i++) {
    struct ts_distribution d = expected[i].distribution;
    assert_true(ts_distribution_settle(&d, expected[i].from, expected[i].to));
    double x = ts_distribution_quantile(&d, expected[i].u);
    double scale = fabs(expected[i].x) + (d.kind == TS_NORMAL ? fabs(d.mean) : 0); /* what was added up */
    if (fabs(x - expected[i].x) > 2e-15 * scale) {
      fail_msg("%zu: the %s quantile of %g is %.17g, not %.17g", i, ts_distribution_name(d.kind), expected[i].u, x,
               expected[i].x);
    }
  }
}

static void test_shares(void **state) {
  (void)state;
  for (size_t i = 0; i < COUNT_OF(expected); i++) {
    struct ts_distribution d = expected[i].distribution;
    assert_true(ts_distribution_settle(&d, expected[i].from, expected[i].to));
    double u = ts_distribution_share(&d, expected[i].x);
    /* Rounding x to a double alone moves the share by this much. */
    double step = fabs(ts_distribution_share(&d, expected[i].x * (1 + 0x1p-50)) - u);
    if (fabs(u - expected[i].u) > 4e-15 + step) {
      fail_msg("%zu: the share of %.17g is %.17g, not %.17g", i, expected[i].x, u, expected[i].u);
    }
  }
}

/* Never infinite: where there is no end, a coordinate of 0 or 1 counts as 2^-54 from it, 8.29 standard deviations
 * out. */
static void test_ends(void **state) {
  (void)state;
  struct ts_distribution normal = {.kind = TS_NORMAL, .mean = 3, .sd = 2};
  assert_true(ts_distribution_settle(&normal, -INFINITY, INFINITY));
  const double reach = 2 * 8.292361075813595;
  assert_true(fabs(ts_distribution_quantile(&normal, 0) - (3 - reach)) < 1e-14);
  assert_true(fabs(ts_distribution_quantile(&normal, 1) - (3 + reach)) < 1e-14);
  assert_true(ts_distribution_quantile(&normal, 1e-300) == ts_distribution_quantile(&normal, 0));
  assert_true(ts_distribution_quantile(&normal, -5) == ts_distribution_quantile(&normal, 0));
  assert_true(isfinite(ts_distribution_quantile(&normal, 2)));
  assert_true(ts_distribution_quantile(&normal, 0.5) == 3);
  assert_true(ts_distribution_settle(&normal, 1, 4)); /* ends that are met */
  assert_true(fabs(ts_distribution_quantile(&normal, 0) - 1) < 1e-15 && ts_distribution_quantile(&normal, 0) >= 1);
  assert_true(fabs(ts_distribution_quantile(&normal, 1) - 4) < 1e-15 && ts_distribution_quantile(&normal, 1) <= 4);
  assert_true(ts_distribution_share(&normal, 0.5) == 0 && ts_distribution_share(&normal, 9) == 1);
  struct ts_distribution triangle = {.kind = TS_TRIANGULAR, .low = -1, .mode = -1, .high = 3};
  assert_true(ts_distribution_settle(&triangle, -1, 3));
  assert_true(ts_distribution_quantile(&triangle, 0) == -1 && ts_distribution_quantile(&triangle, 1) == 3);
  assert_true(fabs(ts_distribution_quantile(&triangle, 0.75) - 1) < 1e-15); /* 3 - 4 sqrt(1/4) */
  struct ts_distribution right = {.kind = TS_TRIANGULAR, .low = -1, .mode = 3, .high = 3};
  assert_true(ts_distribution_settle(&right, -1, 3));
  assert_true(fabs(ts_distribution_quantile(&right, 0.25) - 1) < 1e-15); /* -1 + 4 sqrt(1/4) */
  assert_true(ts_distribution_quantile(&right, 0) == -1 && ts_distribution_quantile(&right, 1) == 3);
  struct ts_distribution logs = {.kind = TS_LOG_UNIFORM};
  assert_true(ts_distribution_settle(&logs, 0.1, 0.7));
  assert_true(ts_distribution_quantile(&logs, 0) == 0.1 && ts_distribution_quantile(&logs, 1) == 0.7);
  struct ts_distribution uniform = {0};
  assert_true(ts_distribution_settle(&uniform, -1.7e308, 1.7e308)); /* the width is no double */
  assert_true(ts_distribution_share(&uniform, 0) == 0.5 && ts_distribution_quantile(&uniform, 0.5) == 0);
}

static void test_round_trips(void **state) {
  (void)state;
  struct ts_distribution all[] = {{.kind = TS_UNIFORM},
                                  {.kind = TS_LOG_UNIFORM},
                                  {.kind = TS_NORMAL, .mean = 0.5, .sd = 2},
                                  {.kind = TS_LOGNORMAL, .mean = 0, .sd = 1},
                                  {.kind = TS_TRIANGULAR, .low = 0.25, .mode = 1, .high = 8}};
  for (size_t i = 0; i < COUNT_OF(all); i++) {
    assert_true(ts_distribution_settle(&all[i], 0.5, 6));
    double before = 0;
    for (int step = 1; step < 4096; step++) {
      double u = step / 4096.0;
      double x = ts_distribution_quantile(&all[i], u);
      assert_true(x > before && x > 0.5 && x < 6);
      before = x;
      assert_true(fabs(ts_distribution_share(&all[i], x) - u) < 1e-14);
    }
  }
}

static void test_nothing_left(void **state) {
  (void)state;
  struct ts_distribution normal = {.kind = TS_NORMAL, .mean = 0, .sd = 1};
  assert_false(ts_distribution_settle(&normal, 50, 60));
  assert_false(ts_distribution_settle(&normal, -60, -50));
  assert_true(ts_distribution_settle(&normal, 30, 31));
  struct ts_distribution logs = {.kind = TS_LOG_UNIFORM};
  assert_false(ts_distribution_settle(&logs, 0, 1));
  struct ts_distribution lognormal = {.kind = TS_LOGNORMAL, .mean = 0, .sd = 1};
  assert_false(ts_distribution_settle(&lognormal, -2, -1));
  assert_true(ts_distribution_settle(&lognormal, -2, 1));
  assert_true(ts_distribution_quantile(&lognormal, 0.5) > 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_quantiles),   cmocka_unit_test(test_shares),       cmocka_unit_test(test_ends),
      cmocka_unit_test(test_round_trips), cmocka_unit_test(test_nothing_left),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
