/* The normal distribution, exponentials and natural logarithms with the same bits on every machine.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Values that designs draw end up in the keys of runs, hence no function of libm but sqrt. Only additions,
 * multiplications, divisions and square roots of IEEE doubles in a fixed order; build with -ffp-contract=off.
 * Accuracy: relative error below 1e-15 everywhere (tests/unit/base/test_exact_normal.c). */
#ifndef TS_BASE_EXACT_NORMAL_H
#define TS_BASE_EXACT_NORMAL_H

/* A number as the sum of two doubles, the second below half a unit in the last place of the first. */
struct ts_exact_pair {
  double high, low;
};

/* The natural logarithm of a positive finite number; the absolute error is below 2e-16 whatever the size. */
struct ts_exact_pair ts_exact_ln(double x);
/* e to the power x; 0 and +infinity beyond the range of a double. */
double ts_exact_exp(struct ts_exact_pair x);
/* The product, error-free but for the last bits of the second part. */
struct ts_exact_pair ts_exact_times(double factor, struct ts_exact_pair x);

/* The number below which a standard normal variable lies with probability p; -infinity and +infinity outside 0 < p < 1.
 * For probabilities near 1 take minus the quantile of 1 - p, if that is known better. */
double ts_normal_quantile(double p);
/* The probability that a standard normal variable lies below z. */
double ts_normal_below(double z);

#endif
