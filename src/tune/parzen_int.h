/* A Parzen estimator over a space: the density of a group of trials, as a mixture of kernels, one per trial.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Each kernel is a product over the parameters: a normal distribution cut off at the ends of the range, its mass on
 * each value for integers and grids, and a preference for its own value where values have no order. One kernel more,
 * as wide as the space, stands for what is believed before any trial. */
#ifndef TS_TUNE_PARZEN_INT_H
#define TS_TUNE_PARZEN_INT_H

#include "base/random.h"
#include "design/design.h"

struct ts_parzen {
  const struct ts_space *space; /* borrowed */
  size_t columns, count;        /* kernels, the prior the last */
  double *weights;              /* owned; sum 1 */
  double *log_weights;          /* owned */
  double *means, *widths;       /* owned; kernel by kernel */
  double *log_norms;            /* owned; kernel by kernel: what makes a density of a cut-off normal curve */
  size_t *values;               /* owned; per column: how many values, 0: not a table */
  double **tables;              /* owned; per column: log probability, kernel by kernel, of each value; NULL: reals */
};
/* `trials` are rows of `unit`, the oldest first: of many, the oldest count less. */
void ts_parzen_init(struct ts_parzen *parzen, const struct ts_space *space, const double *unit, const size_t *trials,
                    size_t count);
void ts_parzen_release(struct ts_parzen *parzen);
void ts_parzen_draw(const struct ts_parzen *parzen, struct ts_random *random, double *unit);
double ts_parzen_log_density(const struct ts_parzen *parzen, const double *unit);

#endif
