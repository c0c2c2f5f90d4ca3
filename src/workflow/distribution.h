/* How the values of a varied parameter are distributed: probabilities and quantiles, the same bits on every machine.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_WORKFLOW_DISTRIBUTION_H
#define TS_WORKFLOW_DISTRIBUTION_H

#include "base/exact_normal.h"

#include <stdbool.h>

enum ts_distribution_kind { TS_UNIFORM, TS_LOG_UNIFORM, TS_NORMAL, TS_LOGNORMAL, TS_TRIANGULAR };

/* A distribution of real numbers, cut off at two ends. Zero is the uniform one, which needs no settling. */
struct ts_distribution {
  enum ts_distribution_kind kind;
  double mean, sd;        /* normal; log-normal: of the natural logarithm */
  double low, mode, high; /* triangular */
  /* Filled in by ts_distribution_settle. */
  double from, to;                /* the ends */
  double below_from, above_from;  /* probabilities of the whole distribution on both sides of the lower end ... */
  double below_to, above_to;      /* ... and of the upper end: the smaller of each pair is the exact one */
  double inside;                  /* probability between the ends */
  struct ts_exact_pair log_ratio; /* log-uniform: ln(to / from) */
};

/* Distributions without ends end here and at 1 minus this: some 8.29 standard deviations from the mean. */
#define TS_TINY_PROBABILITY 0x1p-54

/* "log-uniform" */
const char *ts_distribution_name(enum ts_distribution_kind kind);
/* Cuts the distribution off; infinite ends leave it whole. False if (almost) nothing is left, or a log-uniform one
 * would reach zero. */
bool ts_distribution_settle(struct ts_distribution *distribution, double from, double to);
/* The value below which a share u of the probability between the ends lies, always finite and between the ends.
 * Uniform: from (1 - u) + to u. */
double ts_distribution_quantile(const struct ts_distribution *distribution, double u);
/* The inverse: the share below x; 0 and 1 beyond the ends. */
double ts_distribution_share(const struct ts_distribution *distribution, double x);

#endif
