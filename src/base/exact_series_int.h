/* The series of the logarithm and of the power that exact_math.c and exact_normal.c share.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Plain IEEE double operations in a fixed order. Both series are cut where the next term is below a quarter of a unit
 * in the last place. */
#ifndef TS_BASE_EXACT_SERIES_INT_H
#define TS_BASE_EXACT_SERIES_INT_H

#include <float.h>
#include <stdint.h>
#include <string.h>

#if FLT_EVAL_METHOD != 0
#error "exact results need arithmetic without excess precision (on x86: SSE2, not the x87 unit)"
#endif

static inline uint64_t bits_of(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

static inline double double_of(uint64_t bits) {
  double x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

/* x positive and finite: x = m * 2^k, m in [sqrt(1/2), sqrt(2)). */
static inline double split(double x, int *k) {
  int exponent = 0;
  if (x < DBL_MIN) {
    x *= 0x1p54; /* a subnormal number becomes a normal one */
    exponent = -54;
  }
  uint64_t bits = bits_of(x);
  exponent += (int)(bits >> 52) - 1023;
  double m = double_of((bits & 0x000fffffffffffffu) | 0x3ff0000000000000u);
  if (m >= 0x1.6a09e667f3bcdp+0) { /* sqrt(2) */
    m *= 0.5;
    exponent++;
  }
  *k = exponent;
  return m;
}

/* ln m for m from sqrt(1/2) to sqrt(2): 2 artanh((m-1)/(m+1)) by its power series. */
static inline double ln_near_one(double m) {
  double s = (m - 1.0) / (m + 1.0);
  double z = s * s; /* at most 0.0295 */
  double p = 1.0 / 23.0;
  p = p * z + 1.0 / 21.0;
  p = p * z + 1.0 / 19.0;
  p = p * z + 1.0 / 17.0;
  p = p * z + 1.0 / 15.0;
  p = p * z + 1.0 / 13.0;
  p = p * z + 1.0 / 11.0;
  p = p * z + 1.0 / 9.0;
  p = p * z + 1.0 / 7.0;
  p = p * z + 1.0 / 5.0;
  p = p * z + 1.0 / 3.0;
  return 2.0 * s + 2.0 * s * z * p;
}

/* |x| <= 0.35 */
static inline double exp_near_zero(double x) {
  double p = 1.0 / 6227020800.0;
  p = p * x + 1.0 / 479001600.0;
  p = p * x + 1.0 / 39916800.0;
  p = p * x + 1.0 / 3628800.0;
  p = p * x + 1.0 / 362880.0;
  p = p * x + 1.0 / 40320.0;
  p = p * x + 1.0 / 5040.0;
  p = p * x + 1.0 / 720.0;
  p = p * x + 1.0 / 120.0;
  p = p * x + 1.0 / 24.0;
  p = p * x + 1.0 / 6.0;
  p = p * x + 0.5;
  return 1.0 + (x + x * x * p);
}

static inline double power_of_two(int k) { return double_of((uint64_t)(k + 1023) << 52); }

#endif
