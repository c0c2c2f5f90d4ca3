/* The normal distribution against values of 45 digits, libm's erfc, and itself under other compiler flags.
 * SPDX-License-Identifier: Apache-2.0
 *
 * The expected numbers were computed with mpmath 1.3 and rounded once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/exact_normal.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

/* A copy of the code compiled with vector and fused instructions allowed: the bits must not change. */
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__)
#define HAVE_COPY 1
struct ts_exact_pair wide_ln(double x);
double wide_exp(struct ts_exact_pair x);
struct ts_exact_pair wide_times(double factor, struct ts_exact_pair x);
double wide_quantile(double p);
double wide_below(double z);

#pragma GCC push_options
#pragma GCC optimize("O3")
#pragma GCC target("avx2,fma")
#define ts_exact_ln        wide_ln
#define ts_exact_exp       wide_exp
#define ts_exact_times     wide_times
#define ts_normal_quantile wide_quantile
#define ts_normal_below    wide_below
#include "base/exact_normal.c"
#undef ts_exact_ln
#undef ts_exact_exp
#undef ts_exact_times
#undef ts_normal_quantile
#undef ts_normal_below
#undef COUNT
#undef RATIO
#pragma GCC pop_options
#endif

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

struct expected {
  double x, y;
};

static const struct expected quantiles[] = {
    {0x1.0000000000000p-54, -8.292361075813595},     {0x0.0000000000001p-1022, -38.467405617144344},
    {0x1.56e1fc2f8f359p-997, -37.0470962993612},     {0x1.bff2ee48e0530p-333, -21.273453560965326},
    {0x1.4484bfeebc2a0p-100, -11.464024688443615},   {0x1.12e0be826d695p-30, -5.9978070150076865},
    {0x1.0624dd2f1a9fcp-10, -3.0902323061678136},    {0x1.32ca57a786c22p-4, -1.4402382675279637},
    {0x1.339c0ebedfa44p-4, -1.43882539275254},       {0x1.0000000000000p-2, -0.6744897501960817},
    {0x1.fffff94a03595p-2, -2.5066282747031063e-07}, {0x1.0000000000000p-1, 0.0},
    {0x1.8000000000000p-1, 0.6744897501960817},      {0x1.d999bb2788db0p-1, 1.4395385353452304},
    {0x1.ff7ced916872bp-1, 3.090232306167813},       {0x1.fffffffffffffp-1, 8.209536151601387},
};
static const struct expected probabilities[] = {
    {-38.0, 2.88542835e-316},        {-20.0, 2.7536241186062337e-89},
    {-8.25, 7.919726314642477e-17},  {-6.0, 9.86587645037698e-10},
    {-5.999, 9.926817910289037e-10}, {-3.0, 0.0013498980316300946},
    {-1.0, 0.15865525393145705},     {-0.999, 0.1588973456413183},
    {-1e-10, 0.49999999996010575},   {0.0, 0.5},
    {0.5, 0.6914624612740131},       {1.0, 0.8413447460685429},
    {2.5, 0.9937903346742238},       {8.0, 0.9999999999999993},
};
static const struct expected logarithms[] = {
    {5e-324, -744.4400719213812},   {1e-300, -690.7755278982137},       {0.1, -2.3025850929940455},
    {0.7, -0.35667494393873245},    {1.0000001, 9.999999505838704e-08}, {2.0, 0.6931471805599453},
    {12345.678, 9.421061321291832}, {1e+300, 690.7755278982137},
};
static const struct expected powers[] = {
    {-745.0, 5e-324},
    {-700.5, 5.980196118639791e-305},
    {-20.25, 1.6052280551856116e-09},
    {-1e-05, 0.9999900000499998},
    {0.0, 1.0},
    {0.3, 1.3498588075760032},
    {1.0, 2.718281828459045},
    {100.125, 3.0460357809113723e+43},
    {709.7, 1.6549840276802644e+308},
};

/* Within 1e-15 of the expected value, or a unit of the smallest doubles. */
static void assert_near(double found, double expected, const char *what, double x) {
  double error = fabs(found - expected);
  if (!(error <= 1e-15 * fabs(expected) || error <= 0x1p-1074)) {
    fail_msg("%s of %.17g is %.17g, not %.17g", what, x, found, expected);
  }
}

static void test_quantiles(void **state) {
  (void)state;
  for (size_t i = 0; i < COUNT_OF(quantiles); i++) {
    assert_near(ts_normal_quantile(quantiles[i].x), quantiles[i].y, "the quantile", quantiles[i].x);
  }
  assert_true(ts_normal_quantile(0) == -INFINITY && ts_normal_quantile(-1) == -INFINITY);
  assert_true(ts_normal_quantile(1) == INFINITY);
  assert_true(isnan(ts_normal_quantile(NAN)));
}

static void test_probabilities(void **state) {
  (void)state;
  for (size_t i = 0; i < COUNT_OF(probabilities); i++) {
    assert_near(ts_normal_below(probabilities[i].x), probabilities[i].y, "the probability", probabilities[i].x);
  }
  assert_true(ts_normal_below(-INFINITY) == 0 && ts_normal_below(INFINITY) == 1);
}

static void test_logarithms_and_powers(void **state) {
  (void)state;
  for (size_t i = 0; i < COUNT_OF(logarithms); i++) {
    struct ts_exact_pair ln = ts_exact_ln(logarithms[i].x);
    assert_near(ln.high + ln.low, logarithms[i].y, "the logarithm", logarithms[i].x);
  }
  for (size_t i = 0; i < COUNT_OF(powers); i++) {
    assert_near(ts_exact_exp((struct ts_exact_pair){powers[i].x, 0}), powers[i].y, "the power", powers[i].x);
  }
  assert_true(ts_exact_exp((struct ts_exact_pair){900, 0}) == INFINITY);
  assert_true(ts_exact_exp((struct ts_exact_pair){-900, 0}) == 0);
  /* The second part counts: e^(700 ln x / 700) = x, which a single double misses by hundreds of units. */
  struct ts_exact_pair large = ts_exact_ln(1.2345e299);
  assert_near(ts_exact_exp(large), 1.2345e299, "the power of the logarithm", 1.2345e299);
  assert_near(ts_exact_exp(ts_exact_times(0.5, large)), sqrt(1.2345e299), "half the logarithm", 1.2345e299);
}

/* Another program's error function: P(z) = erfc(-z / sqrt 2) / 2. */
static void test_round_trip_with_erfc(void **state) {
  (void)state;
  for (int i = -3700; i <= 820; i++) {
    double z = i / 100.0 + 0.001;
    double p = erfc(-z / sqrt(2)) / 2;
    /* The condition of erfc in its own argument is z^2: rounding -z / sqrt 2 alone costs that many units. */
    double allowed = (2 + z * z) * 4e-16;
    if (fabs(ts_normal_below(z) - p) > allowed * p) fail_msg("P(%g) is %.17g, not %.17g", z, ts_normal_below(z), p);
    if (z > 1) continue; /* near 1 a probability has lost the digits of the other side */
    double back = ts_normal_quantile(p);
    if (fabs(back - z) > 1e-14 * (1 + fabs(z))) fail_msg("quantile of P(%g) is %.17g", z, back);
  }
}

static void test_quantiles_rise(void **state) {
  (void)state;
  double before = -INFINITY;
  for (int i = 1; i < 200000; i++) {
    double z = ts_normal_quantile(i / 200000.0);
    assert_true(z > before);
    before = z;
    assert_true(fabs(z + ts_normal_quantile(1 - i / 200000.0)) < 1e-9);
  }
}

static void test_same_bits_with_other_flags(void **state) {
  (void)state;
#ifdef HAVE_COPY
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) skip();
  for (int i = 1; i < 20000; i++) {
    double p = i / 20000.0;
    double tiny = ldexp(p, -i % 1000);
    assert_true(wide_quantile(p) == ts_normal_quantile(p) && wide_quantile(tiny) == ts_normal_quantile(tiny));
    assert_true(wide_below(-40 * p) == ts_normal_below(-40 * p) && wide_below(4 * p) == ts_normal_below(4 * p));
    assert_true(wide_ln(tiny).low == ts_exact_ln(tiny).low);
  }
#else
  skip();
#endif
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_quantiles),
      cmocka_unit_test(test_probabilities),
      cmocka_unit_test(test_logarithms_and_powers),
      cmocka_unit_test(test_round_trip_with_erfc),
      cmocka_unit_test(test_quantiles_rise),
      cmocka_unit_test(test_same_bits_with_other_flags),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
