/* From runs to answers: sensitivity indices with honest intervals.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_ANALYSIS_ANALYSIS_H
#define TS_ANALYSIS_ANALYSIS_H

#include "base/error.h"
#include "base/pool.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* NaN means unknown: everything without effects; sigma and the intervals with a single one. */
struct ts_morris_index {
  const char *name; /* borrowed from the input */
  double mu, mu_star, sigma;
  double mu_star_low, mu_star_high; /* bootstrap interval over trajectories */
  double mu_low, mu_high;
  double sigma_low, sigma_high;
  size_t effect_count; /* usable elementary effects */
};

struct ts_morris_input {
  const char *const *names; /* borrowed; of the parameters */
  size_t parameter_count;   /* k */
  size_t row_count;         /* r (k+1), trajectory after trajectory; r (g+1) with g groups */
  bool radial;              /* steps start at the first row of each block instead of the row before */
  bool scaled;              /* effects times std(x) / std(y) of their trajectory (ddof 0), so that outputs compare */
  const size_t *group_of;   /* borrowed; per parameter; NULL: every parameter moves alone */
  size_t group_count;
  const char *const *group_names; /* borrowed; NULL without groups */
  const double *unit;             /* borrowed; unit-cube design, row by row */
  const double *outputs;          /* borrowed; one per row; NaN: failed run, drops the effects that touch it */
  size_t levels;     /* p: delta = p / (2 (p - 1)), only the sign of a step is taken from the design; 0: its size too;
                    radial: ignored, steps have many sizes */
  size_t resamples;  /* bootstrap; 0: 1000; (size_t)-1: none, no intervals */
  double confidence; /* 0: 0.95 */
  bool normal_intervals; /* index +- z standard deviations of the bootstrap (as SALib does) instead of percentiles */
  uint64_t seed;
};

/* Elementary effects (y_after - y_before) / delta in the increasing direction; mu their mean, mu* the mean of their
 * absolute values, sigma their standard deviation (ddof 1). Fills parameter_count indices in the order of the
 * parameters, or group_count in that of the groups. The members of a group move at once, up or down each: their effect
 * has no sign, so that mu and sigma are NaN for a group of several; its step is the root mean square of theirs.
 * Deterministic for a seed with any pool (may be NULL). BAD_VALUE if the rows are not trajectories. */
bool ts_analysis_morris(const struct ts_morris_input *input, struct ts_pool *pool, struct ts_morris_index *indices,
                        struct ts_error *err);

/* Effect classes used in texts and plots. */
enum ts_effect_class { TS_EFFECT_NEGLIGIBLE, TS_EFFECT_LINEAR, TS_EFFECT_INTERACTING };

#define TS_NEGLIGIBLE_SHARE  0.05 /* of the largest mu* */
#define TS_INTERACTING_RATIO 0.5  /* sigma / mu* */

/* The rule, in this order:
 * negligible:  the upper end of the mu* interval is below `share` (0: 0.05) of the largest mu*, or mu* itself is zero
 *              with no effect seen at all. A parameter whose interval still reaches above that is not negligible.
 * interacting: sigma >= 0.5 mu*: the effect depends on the values of the other parameters, or is not linear.
 * influential: everything else (TS_EFFECT_LINEAR): the effect is about the same everywhere.
 * A parameter without effects or interval (NaN) is never negligible: nothing is known about it. */
enum ts_effect_class ts_morris_classify(const struct ts_morris_index *index, double largest_mu_star, double share);
const char *ts_effect_class_name(enum ts_effect_class effect_class); /* "negligible", "influential", "interacting" */
/* The largest mu* (0 if there is none). */
double ts_morris_largest(const struct ts_morris_index *indices, size_t count);

/* Order of the parameters by mu*, largest first (stable by index, NaN last); unsettled[i] is set when ranks i and i+1
 * overlap in their intervals, unless both parameters had no effect at all. order and unsettled hold parameter_count
 * entries; the last entry of unsettled is false. */
void ts_morris_rank(const struct ts_morris_index *indices, size_t count, size_t *order, bool *unsettled);

#endif
