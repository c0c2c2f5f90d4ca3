/* The normal distribution from rational approximations in plain IEEE double operations.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Each table is the quotient of two polynomials, lowest power first, that meets the function at the Chebyshev nodes of
 * its interval; the coefficients were computed with 60 digits. The quantile: around the middle z / (p - 1/2) as a
 * function of (p - 1/2)^2, in the tails z as a function of sqrt(-ln p), which is nearly a straight line (M. J. Wichura,
 * "Algorithm AS 241", 1988, doi:10.2307/2347330, chose the same variables). The probability: around the middle (P(z) -
 * 1/2) / z, in the tails exp(z^2 / 2) P(-z), which varies slowly. */
#include "base/exact_normal.h"

#include "base/exact_series_int.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#define COUNT(table)   (int)(sizeof(table) / sizeof(table)[0])
#define RATIO(name, x) ratio(name##_p, name##_q, COUNT(name##_p), x)

/* ln 2; the first part has 32 bits, so that its product with an exponent is exact. */
static const double ln_2_high = 0x1.62e42feep-1;
static const double ln_2_low = 0x1.a39ef35793c76p-33;
static const double log2_of_e = 0x1.71547652b82fep+0;

/* ---- Tables, with the largest relative error of each ---- */

static const double middle_end = 0.180625; /* 0.425^2 */
/* x = 0.180625 - (p - 1/2)^2 from 0 to 0.180625; 7e-17 */
static const double middle_p[] = {0x1.b18d91e9eef75p+1,  0x1.2983594fd7e7fp+7,  0x1.3e873207f0ef8p+11,
                                  0x1.51edecb555ec5p+14, 0x1.75ccbc4a8f65fp+16, 0x1.a11714cc49c9bp+17,
                                  0x1.a273b0aa578a2p+17, 0x1.214cd08b4e4e1p+16, 0x1.e8603e9431aedp+11};
static const double middle_q[] = {1,
                                  0x1.776318ab2437dp+5,
                                  0x1.b3a456a404a18p+9,
                                  0x1.ff0e0daee92acp+12,
                                  0x1.41a3f69d2d15ap+15,
                                  0x1.aabcb49f39b9cp+16,
                                  0x1.122c69e2df947p+17,
                                  0x1.1a96b28ee4223p+16,
                                  0x1.25b3b754cc15ep+13};
/* x = sqrt(-ln p) - 1.6 from 0 to 2; 5e-18 */
static const double near_tail_p[] = {0x1.6c665fde9526ap+0, 0x1.2272713eb506fp+2, 0x1.5fb189f1af75ap+2,
                                     0x1.ad5dcfbc443ffp+1, 0x1.2058b9de1a082p+0, 0x1.aaf4859cd002ep-3,
                                     0x1.3f93cbb71e0ccp-6, 0x1.68b06b793cd80p-11};
static const double near_tail_q[] = {1,
                                     0x1.fd0d7d6c305dbp+0,
                                     0x1.8fb2b117a3a41p+0,
                                     0x1.3b6f4283b5115p-1,
                                     0x1.05dad5bc20adbp-3,
                                     0x1.aaa989cdc3698p-7,
                                     0x1.fdfbfb58b4800p-12,
                                     0x1.77a6fea3784edp-30};
/* x = sqrt(-ln p) - 3.6 from 0 to 4.4; 8e-19 */
static const double far_tail_p[] = {0x1.24f62138ce829p+2,  0x1.562c68b928409p+2, 0x1.40c97d07adf4fp+1,
                                    0x1.389d41c68fdbdp-1,  0x1.55b55b4dbbdd2p-4, 0x1.a1fd47c9b1f22p-8,
                                    0x1.064f0566780cap-12, 0x1.f8fc82663bd10p-19};
static const double far_tail_q[] = {1,
                                    0x1.ad7d064c7793cp-1,
                                    0x1.1a3881aa0ac5fp-2,
                                    0x1.72e206b6c0385p-5,
                                    0x1.009e35db3a993p-8,
                                    0x1.5ee85f4e8c15cp-13,
                                    0x1.65109002717f9p-19,
                                    0x1.7485179e9d2f3p-41};
/* x = sqrt(-ln p) - 8 from 0 to 19.5; 8e-19 */
static const double last_tail_p[] = {0x1.60813bbbe9318p+3,  0x1.97edc5c01437cp+2,  0x1.860541efdc72bp+0,
                                     0x1.8e21bdec9fb67p-3,  0x1.d3f84a9a0b3f1p-7,  0x1.3e3f5dae69f22p-11,
                                     0x1.dccbad10dcfd4p-17, 0x1.5b3434ce0a10ep-23, 0x1.65dd0a4a16848p-31};
static const double last_tail_q[] = {1,
                                     0x1.ca91ef12f92c8p-2,
                                     0x1.4793c2c75e3bcp-4,
                                     0x1.dc7b64e567e79p-8,
                                     0x1.758996caa5d63p-12,
                                     0x1.3380bbe8e4110p-17,
                                     0x1.db35315029115p-24,
                                     0x1.fa181e5d90153p-32,
                                     0x1.973929f1052c1p-60};
/* x = z^2 from 0 to 1; 5e-22 */
static const double area_p[] = {0x1.9884533d43651p-2,  0x1.9075abcafb8ecp-6,  0x1.03a04e167c715p-8,
                                0x1.38b4780e02fd2p-14, 0x1.1a449eb668b00p-18, -0x1.5146f104f1476p-29};
static const double area_q[] = {
    1, 0x1.d2cf0b81ecfafp-3, 0x1.77821ead2068dp-6, 0x1.50bf5d9bb0289p-10, 0x1.55490d0bfaafcp-15, 0x1.3e4d54cf73b43p-21};
/* x = -z - 1 from 0 to 5; 7e-20 */
static const double mills_p[] = {
    0x1.0bdb2e039df32p-2, 0x1.58de8cb8c6b99p-2,  0x1.a409b3f3bddddp-3,  0x1.37213f4886df2p-4,  0x1.3095cb9a30083p-6,
    0x1.9266bf9b595a1p-9, 0x1.5e320af4a5a95p-12, 0x1.6fafc2864c9f5p-16, 0x1.65e72b13e76ffp-21, -0x1.075024329cfbcp-51};
static const double mills_q[] = {1,
                                 0x1.d009f856e4f2ep+0,
                                 0x1.7f9f958d2f063p+0,
                                 0x1.7c55422631ecfp-1,
                                 0x1.f354868933232p-3,
                                 0x1.c32d3a740d337p-5,
                                 0x1.195839f9b3b53p-7,
                                 0x1.d49529927fbe2p-11,
                                 0x1.dad82e054ea13p-15,
                                 0x1.c0909afd5c1a9p-20};
/* x = 1 / z^2 from 0 to 1/36, for exp(z^2 / 2) P(-z) z; 2e-17 */
static const double mills_far_p[] = {0x1.9884533d43650p-2,  0x1.16d544af8f5d4p+4,  0x1.e588812811fabp+7,
                                     0x1.381ba2f8acf29p+10, 0x1.f72b972b02426p+10, 0x1.ca21bcb0c9ecdp+8};
static const double mills_far_q[] = {
    1, 0x1.65772717a7d13p+5, 0x1.451abaef02bcdp+9, 0x1.c99070ff15997p+11, 0x1.c982dab0f1951p+12, 0x1.b4acaab059d25p+11};
/* ---- Parts ---- */

static inline double ratio(const double *p, const double *q, int count, double x) {
  double top = p[count - 1];
  double bottom = q[count - 1];
  for (int i = count - 2; i >= 0; i--) {
    top = top * x + p[i];
    bottom = bottom * x + q[i];
  }
  return top / bottom;
}

/* The sum of two numbers, the first not smaller than the second or 0. */
static struct ts_exact_pair sum(double large, double small) {
  double high = large + small;
  return (struct ts_exact_pair){high, small - (high - large)};
}

/* The product without error: both factors are cut into halves of 26 bits (Dekker 1971). */
static struct ts_exact_pair product(double a, double b) {
  double c = a * 0x1.0000002p27;
  double a_high = c - (c - a);
  double a_low = a - a_high;
  c = b * 0x1.0000002p27;
  double b_high = c - (c - b);
  double b_low = b - b_high;
  double high = a * b;
  double low = ((a_high * b_high - high) + a_high * b_low + a_low * b_high) + a_low * b_low;
  return (struct ts_exact_pair){high, low};
}

/* ---- Logarithm and power ---- */

struct ts_exact_pair ts_exact_ln(double x) {
  int k;
  double ln_m = ln_near_one(split(x, &k));
  if (k == 0) return (struct ts_exact_pair){ln_m, 0};
  return sum(k * ln_2_high, k * ln_2_low + ln_m);
}

struct ts_exact_pair ts_exact_times(double factor, struct ts_exact_pair x) {
  struct ts_exact_pair y = product(factor, x.high);
  return sum(y.high, y.low + factor * x.low);
}

double ts_exact_exp(struct ts_exact_pair x) {
  if (!(x.high > -800)) return x.high <= -800 ? 0 : NAN;
  if (x.high > 800) return INFINITY;
  double t = x.high * log2_of_e;
  int k = (int)(t < 0 ? t - 0.5 : t + 0.5);
  /* The first difference is exact: both have few bits below the other's last. */
  double r = (x.high - k * ln_2_high) - (k * ln_2_low - x.low);
  double y = exp_near_zero(r);
  int half = k / 2; /* in two steps: 2^k alone may lie outside the range of a double */
  return y * power_of_two(half) * power_of_two(k - half);
}

/* ---- The normal distribution ---- */

double ts_normal_quantile(double p) {
  if (!(p > 0)) return p <= 0 ? -INFINITY : NAN;
  if (p >= 1) return INFINITY;
  double q = p - 0.5;
  double x = middle_end - q * q;
  if (x >= 0) return q * RATIO(middle, x);
  double r = sqrt(-ts_exact_ln(q < 0 ? p : 1 - p).high);
  double z = r < 3.6 ? RATIO(near_tail, r - 1.6) : r < 8 ? RATIO(far_tail, r - 3.6) : RATIO(last_tail, r - 8);
  return q < 0 ? -z : z;
}

/* P(-z) for z >= 1. */
static double tail(double z) {
  if (z > 40) return 0;
  struct ts_exact_pair square = product(z, z);
  double e = ts_exact_exp((struct ts_exact_pair){-0.5 * square.high, -0.5 * square.low});
  return z < 6 ? e * RATIO(mills, z - 1) : e * (RATIO(mills_far, 1 / (z * z)) / z);
}

double ts_normal_below(double z) {
  if (z <= -1) return tail(-z);
  if (z >= 1) return 1 - tail(z);
  return 0.5 + z * RATIO(area, z * z);
}
