/* Logarithms and powers from plain IEEE double operations in a fixed order.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Logarithm: x = m * 2^k with m between sqrt(1/2) and sqrt(2); ln(m) = 2 artanh((m-1)/(m+1)) by its power series.
 * Power: x = k log10(2) + r with |r| <= log10(2)/2; 10^x = 2^k * exp(r ln 10) by the series of exp.
 * Both series are cut where the next term is below a quarter of a unit in the last place. */
#include "base/exact_math.h"

#include "base/exact_series_int.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

static const double log10_of_2_high = TS_EXACT_LOG10_OF_2_HIGH;
static const double log10_of_2_low = TS_EXACT_LOG10_OF_2_LOW;
static const double log10_of_e = TS_EXACT_LOG10_OF_E;
static const double log2_of_e = 0x1.71547652b82fep+0;
static const double log2_of_10 = TS_EXACT_LOG2_OF_10;
static const double ln_of_10 = TS_EXACT_LN_OF_10;

/* The result of every logarithm for arguments that have no finite one. */
static double log_special(double x) {
  if (x == 0) return -INFINITY;
  return x > 0 ? x : NAN;
}

static int is_ordinary(double x) { return x > 0 && x <= DBL_MAX; }

double ts_exact_log2(double x) {
  if (!is_ordinary(x)) return log_special(x);
  int k;
  double m = split(x, &k);
  return (double)k + ln_near_one(m) * log2_of_e;
}

double ts_exact_exp10(double x) {
  if (!(x > -400.0)) return x <= -400.0 ? 0.0 : NAN;
  if (x > 400.0) return INFINITY;
  double t = x * log2_of_10;
  int k = (int)(t < 0 ? t - 0.5 : t + 0.5);
  double r = (x - (double)k * log10_of_2_high) - (double)k * log10_of_2_low;
  double y = exp_near_zero(r * ln_of_10);
  int half = k / 2; /* in two steps: 2^k alone, |k| <= 1329, may lie outside the range of a double */
  return y * power_of_two(half) * power_of_two(k - half);
}

/* ---- Floats ----
 * Shorter series suffice, and the range of a float needs no special care in double. Written without branches, so that
 * the compiler can do several at once; all values are the same either way. */

enum { CHUNK = 64 };

static const uint64_t mantissa_of_sqrt_2 = TS_EXACT_MANTISSA_OF_SQRT_2;

#define INFINITE       0x7f800000u
#define MINUS_INFINITY 0xff800000u
#define NOT_A_NUMBER   0x7fc00000u
#define SIXTY          0x42700000u

static inline uint32_t float_bits(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

static inline float float_of(uint32_t bits) {
  float x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

static inline float log10_of(float x) {
  uint64_t bits = bits_of((double)x);
  uint64_t mantissa = bits & 0x000fffffffffffffu;
  uint64_t large = (mantissa + (0x0010000000000000u - mantissa_of_sqrt_2)) >> 52; /* 1 if at least sqrt(2), else 0 */
  double m = double_of(mantissa | (0x3ff0000000000000u - (large << 52)));
  double k =
      double_of(((bits >> 52) + large) | 0x4330000000000000u) - (0x1p52 + 1023.0); /* the exponent, as a double */
  double s = (m - 1.0) / (m + 1.0);
  double z = s * s;
  double p = 1.0 / 13.0;
  p = p * z + 1.0 / 11.0;
  p = p * z + 1.0 / 9.0;
  p = p * z + 1.0 / 7.0;
  p = p * z + 1.0 / 5.0;
  p = p * z + 1.0 / 3.0;
  double ln = 2.0 * s + 2.0 * s * z * p;
  float y = (float)(k * log10_of_2_high + (k * log10_of_2_low + ln * log10_of_e));
  uint32_t argument = float_bits(x);
  uint32_t ordinary = 0u - (argument - 1 < INFINITE - 1); /* all bits if positive and finite, else none */
  uint32_t zero = 0u - ((argument << 1) == 0);
  uint32_t infinite = 0u - (argument == INFINITE);
  uint32_t other = ~(ordinary | zero | infinite);
  return float_of((float_bits(y) & ordinary) | (MINUS_INFINITY & zero) | (INFINITE & infinite) |
                  (NOT_A_NUMBER & other));
}

static inline float exp10_of(float x) {
  uint32_t bits = float_bits(x);
  uint32_t magnitude = bits & 0x7fffffffu;
  uint32_t beyond = 0u - ((magnitude > SIXTY) & (magnitude <= INFINITE)); /* of a float's range, not of a double's */
  double d = (double)float_of((bits & 0x80000000u) | (SIXTY & beyond) | (magnitude & ~beyond));
  /* Adding 1.5 * 2^52 rounds to an integer and leaves it in the lowest bits. NaN stays NaN. */
  double shifted = d * log2_of_10 + 0x1.8p52;
  double k = shifted - 0x1.8p52;
  double r = ((d - k * log10_of_2_high) - k * log10_of_2_low) * ln_of_10;
  double p = 1.0 / 3628800.0;
  p = p * r + 1.0 / 362880.0;
  p = p * r + 1.0 / 40320.0;
  p = p * r + 1.0 / 5040.0;
  p = p * r + 1.0 / 720.0;
  p = p * r + 1.0 / 120.0;
  p = p * r + 1.0 / 24.0;
  p = p * r + 1.0 / 6.0;
  p = p * r + 0.5;
  return (float)((1.0 + (r + r * r * p)) * double_of((bits_of(shifted) + 1023) << 52));
}

void ts_exact_log10f_all(const float *restrict x, float *restrict y, size_t count) {
  size_t done = 0;
  for (; done + CHUNK <= count; done += CHUNK)
    for (int i = 0; i < CHUNK; i++) y[done + i] = log10_of(x[done + i]);
  for (; done < count; done++) y[done] = log10_of(x[done]);
}

void ts_exact_exp10f_all(const float *restrict x, float *restrict y, size_t count) {
  size_t done = 0;
  for (; done + CHUNK <= count; done += CHUNK)
    for (int i = 0; i < CHUNK; i++) y[done + i] = exp10_of(x[done + i]);
  for (; done < count; done++) y[done] = exp10_of(x[done]);
}
