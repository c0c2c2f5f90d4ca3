/* The curve y = a e^(bt) + c e^(d(t-1)), one falling and one rising term, fitted to a few measured times.
 * SPDX-License-Identifier: Apache-2.0
 *
 * t = (x - low) / (high - low). The curve is convex, because a and c are not negative and b < 0 < d; so it has one
 * minimum, and the values close to it are an interval. Every result is the same on every machine
 * (base/exact_math.h). */
#ifndef TS_TUNE_DOUBLE_EXPONENTIAL_H
#define TS_TUNE_DOUBLE_EXPONENTIAL_H

#include <stddef.h>
#include <stdint.h>

#define TS_DOUBLE_EXPONENTIAL_SAMPLES 64   /* most that a fit takes */
#define TS_NEIGHBOURHOOD              1.02 /* of the least time: what still counts as good */

struct ts_double_exponential {
  int64_t low, high; /* where t is 0 and 1 */
  double a, b, c, d; /* a term that the times do not need has the amplitude 0 */
  double error;      /* sum of squared relative errors */
  double r_squared;  /* of the times themselves, not weighted */
};

/* Least squares of the relative errors. 3 to 64 samples, not all at one x, times above 0 and finite. low < high need
 * not be samples. */
void ts_double_exponential_fit(struct ts_double_exponential *curve, int64_t low, int64_t high, const int64_t *x,
                               const double *seconds, size_t count);
double ts_double_exponential_at(const struct ts_double_exponential *curve, double x);
/* The best integer of the range. */
int64_t ts_double_exponential_minimum(const struct ts_double_exponential *curve);
/* The first and last integer of the range whose time is at most TS_NEIGHBOURHOOD times that at `best`, the minimum. */
void ts_double_exponential_neighbourhood(const struct ts_double_exponential *curve, int64_t best, int64_t *first,
                                         int64_t *last);
/* Median over the samples of |predicted / measured - 1|, each predicted by a fit to the others. The median, because a
 * prediction of the first or last sample is an extrapolation, which says nothing about the range between. At least 4
 * samples. */
double ts_double_exponential_left_out_error(int64_t low, int64_t high, const int64_t *x, const double *seconds,
                                            size_t count);

#endif
