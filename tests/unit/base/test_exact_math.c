/* The exact logarithms and powers: accuracy against libm, special values, equal bits under other compiler flags.
 * SPDX-License-Identifier: Apache-2.0
 * test-label: one-thread */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/exact_math.h"

/* Copies of the code compiled with other flags: not optimised, and with vector and fused instructions allowed. */
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__)
#define HAVE_COPIES 1
double plain_log2(double x);
double plain_exp10(double x);
void plain_log10f_all(const float *restrict x, float *restrict y, size_t count);
void plain_exp10f_all(const float *restrict x, float *restrict y, size_t count);
double wide_log2(double x);
double wide_exp10(double x);
void wide_log10f_all(const float *restrict x, float *restrict y, size_t count);
void wide_exp10f_all(const float *restrict x, float *restrict y, size_t count);

#pragma GCC push_options
#pragma GCC optimize("O0")
#define ts_exact_log2       plain_log2
#define ts_exact_exp10      plain_exp10
#define log10_of_2_high     plain_c1
#define log10_of_2_low      plain_c2
#define log10_of_e          plain_c3
#define log2_of_e           plain_c4
#define log2_of_10          plain_c5
#define ln_of_10            plain_c6
#define sqrt_of_2           plain_c7
#define bits_of             plain_bits_of
#define double_of           plain_double_of
#define split               plain_split
#define ln_near_one         plain_ln_near_one
#define log_special         plain_log_special
#define is_ordinary         plain_is_ordinary
#define exp_near_zero       plain_exp_near_zero
#define power_of_two        plain_power_of_two
#define log10_of            plain_log10_of
#define exp10_of            plain_exp10_of
#define float_bits          plain_float_bits
#define float_of            plain_float_of
#define mantissa_of_sqrt_2  plain_mantissa_of_sqrt_2
#define CHUNK               PLAIN_CHUNK
#define ts_exact_log10f_all plain_log10f_all
#define ts_exact_exp10f_all plain_exp10f_all
#include "base/exact_math.c"
#pragma GCC pop_options
#undef TS_BASE_EXACT_SERIES_INT_H /* the series once more, under other names */
#undef ts_exact_log2
#undef ts_exact_exp10
#undef log10_of_2_high
#undef log10_of_2_low
#undef log10_of_e
#undef log2_of_e
#undef log2_of_10
#undef ln_of_10
#undef sqrt_of_2
#undef bits_of
#undef double_of
#undef split
#undef ln_near_one
#undef log_special
#undef is_ordinary
#undef exp_near_zero
#undef power_of_two
#undef log10_of
#undef exp10_of
#undef float_bits
#undef float_of
#undef mantissa_of_sqrt_2
#undef CHUNK
#undef ts_exact_log10f_all
#undef ts_exact_exp10f_all
#undef INFINITE
#undef MINUS_INFINITY
#undef NOT_A_NUMBER
#undef SIXTY

#pragma GCC push_options
#pragma GCC optimize("O3")
#pragma GCC target("avx2,fma")
#define ts_exact_log2       wide_log2
#define ts_exact_exp10      wide_exp10
#define ts_exact_log10f_all wide_log10f_all
#define ts_exact_exp10f_all wide_exp10f_all
#include "base/exact_math.c"
#pragma GCC pop_options
#undef TS_BASE_EXACT_SERIES_INT_H /* the series once more, under other names */
#undef ts_exact_log2
#undef ts_exact_exp10
#undef ts_exact_log10f_all
#undef ts_exact_exp10f_all
#endif

/* Distance in units in the last place; equal signs assumed. */
static int64_t ulps_between(float a, float b) {
  int32_t i;
  int32_t j;
  memcpy(&i, &a, sizeof i);
  memcpy(&j, &b, sizeof j);
  return i > j ? (int64_t)i - j : (int64_t)j - i;
}

static float log10_of_float(float x) {
  float y;
  ts_exact_log10f_all(&x, &y, 1);
  return y;
}

static float exp10_of_float(float x) {
  float y;
  ts_exact_exp10f_all(&x, &y, 1);
  return y;
}

static double relative_error(double got, long double want) {
  return want == 0 ? fabs(got) : (double)fabsl(((long double)got - want) / want);
}

/* Positive floats of all magnitudes: every 1009th bit pattern. */
static void test_log10f_is_within_one_ulp(void **state) {
  (void)state;
  for (uint32_t bits = 1; bits < 0x7f800000u; bits += 1009) {
    float x;
    memcpy(&x, &bits, sizeof x);
    assert_true(ulps_between(log10_of_float(x), (float)log10l((long double)x)) <= 1);
  }
}

static void test_exp10f_is_within_one_ulp(void **state) {
  (void)state;
  for (int i = -450000; i <= 385000; i++) {
    float x = (float)i * 1e-4f;
    float want = (float)powl(10.0L, (long double)x);
    assert_true(ulps_between(exp10_of_float(x), want) <= 1);
  }
}

static void test_doubles_are_close(void **state) {
  (void)state;
  for (int i = 1; i < 200000; i++) {
    double x = (double)i * 1.7e-5;
    assert_true(fabsl((long double)ts_exact_log2(x) - log2l(x)) <= 8e-16 * fmaxl(1, fabsl(log2l(x))));
  }
  for (int i = -300000; i <= 300000; i++) {
    double x = (double)i * 1e-3;
    assert_true(relative_error(ts_exact_exp10(x), powl(10.0L, (long double)x)) < 2e-15);
  }
}

static void test_near_one_keeps_digits(void **state) {
  (void)state;
  for (int i = 1; i < 1000; i++) {
    double x = 1.0 + (double)i * 0x1p-50;
    assert_true(relative_error(ts_exact_log2(x), log2l(x)) < 1e-15);
  }
}

static void test_special_values(void **state) {
  (void)state;
  assert_true(ts_exact_log2(0.0) == -INFINITY && ts_exact_log2(-0.0) == -INFINITY);
  assert_true(isnan(ts_exact_log2(-1.0)) && isnan(ts_exact_log2(NAN)) && isnan(ts_exact_log2(-INFINITY)));
  assert_true(ts_exact_log2(INFINITY) == INFINITY);
  assert_true(ts_exact_log2(1.0) == 0.0 && log10_of_float(1.0f) == 0.0f);
  assert_true(log10_of_float(0.0f) == -INFINITY && log10_of_float(-0.0f) == -INFINITY);
  assert_true(isnan(log10_of_float(-1.0f)) && isnan(log10_of_float(NAN)) && isnan(log10_of_float(-INFINITY)));
  assert_true(log10_of_float(INFINITY) == INFINITY);
  for (int k = -1074; k < 1024; k++) assert_true(ts_exact_log2(ldexp(1.0, k)) == (double)k);
  assert_true(ts_exact_exp10(-INFINITY) == 0.0 && ts_exact_exp10(INFINITY) == INFINITY);
  assert_true(isnan(ts_exact_exp10(NAN)) && isnan(exp10_of_float(NAN)));
  assert_true(ts_exact_exp10(0.0) == 1.0);
  assert_true(ts_exact_exp10(-400.0) == 0.0 && ts_exact_exp10(309.0) == INFINITY);
  assert_true(ts_exact_exp10(-399.9) == 0.0 && ts_exact_exp10(399.9) == INFINITY);
  assert_true(relative_error(ts_exact_exp10(308.2), powl(10.0L, 308.2)) < 1e-14);
  assert_true(ts_exact_exp10(-320.0) > 0.0 && ts_exact_exp10(-320.0) < 2e-320);
  assert_true(exp10_of_float(39.0f) == INFINITY && exp10_of_float(-46.0f) == 0.0f);
  for (int k = -10; k <= 10; k++) assert_true(exp10_of_float((float)k) == (float)powl(10.0L, k));
}

/* Many at once, over every 499th float of both signs: the same as one by one, bit for bit (NaN too). */
enum { MANY = 1000 };

static uint32_t next_floats(float x[MANY], uint32_t bits) {
  for (int i = 0; i < MANY; i++, bits += 499) memcpy(&x[i], &bits, sizeof bits);
  return bits;
}

static void test_many_at_once(void **state) {
  (void)state;
  float x[MANY], logs[MANY], powers[MANY];
  uint32_t bits = 0;
  for (int round = 0; round < 8600; round++) {
    bits = next_floats(x, bits); /* goes round through all patterns */
    ts_exact_log10f_all(x, logs, MANY);
    ts_exact_exp10f_all(x, powers, MANY);
    for (int i = 0; i < MANY; i += 37) {
      float one = log10_of_float(x[i]);
      assert_memory_equal(&one, &logs[i], sizeof one);
      one = exp10_of_float(x[i]);
      if (!isnan(one) || !isnan(powers[i])) assert_memory_equal(&one, &powers[i], sizeof one);
    }
  }
}

#ifdef HAVE_COPIES
static void check_same_bits(double a, double b) { assert_memory_equal(&a, &b, sizeof a); }

static void test_flags_do_not_change_bits(void **state) {
  (void)state;
  int wide = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  for (int i = 1; i < 300000; i++) {
    double x = (double)i * 3.7e-6;
    double y = (double)(i - 150000) * 1.3e-3;
    check_same_bits(ts_exact_log2(x), plain_log2(x));
    check_same_bits(ts_exact_exp10(y), plain_exp10(y));
    if (!wide) continue;
    check_same_bits(ts_exact_log2(x), wide_log2(x));
    check_same_bits(ts_exact_exp10(y), wide_exp10(y));
  }
  float many[MANY], a[MANY], b[MANY];
  uint32_t bits = 0;
  for (int round = 0; round < 2000; round++) {
    bits = next_floats(many, bits);
    if (bits >= 0x7f800000u) bits = 0; /* the sign of a NaN is not ours */
    ts_exact_log10f_all(many, a, MANY);
    plain_log10f_all(many, b, MANY);
    assert_memory_equal(a, b, sizeof a);
    if (wide) wide_log10f_all(many, b, MANY);
    assert_memory_equal(a, b, sizeof a);
    ts_exact_exp10f_all(many, a, MANY);
    plain_exp10f_all(many, b, MANY);
    assert_memory_equal(a, b, sizeof a);
    if (wide) wide_exp10f_all(many, b, MANY);
    assert_memory_equal(a, b, sizeof a);
  }
}
#endif

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_log10f_is_within_one_ulp), cmocka_unit_test(test_exp10f_is_within_one_ulp),
      cmocka_unit_test(test_doubles_are_close),        cmocka_unit_test(test_near_one_keeps_digits),
      cmocka_unit_test(test_special_values),           cmocka_unit_test(test_many_at_once),
#ifdef HAVE_COPIES
      cmocka_unit_test(test_flags_do_not_change_bits),
#endif
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
