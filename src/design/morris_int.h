/* What the files of the Morris designs share.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_DESIGN_MORRIS_INT_H
#define TS_DESIGN_MORRIS_INT_H

#include "design/points.h"

/* Whether a row of unit coordinates may be run. */
struct ts_row_judge {
  bool (*allows)(void *user, const double *unit); /* NULL: every row */
  void *user;                                     /* borrowed */
};

/* Trajectories on p levels, all or the best of many (options->candidates); see design.h on ts_design_morris. */
bool ts_morris_trajectories(struct ts_points *points, const struct ts_space *space,
                            const struct ts_sample_options *options, const struct ts_row_judge *judge,
                            struct ts_error *err);
/* Radial designs; see design/morris_radial.c. */
bool ts_morris_radial(struct ts_points *points, const struct ts_space *space, const struct ts_sample_options *options,
                      const struct ts_row_judge *judge, struct ts_error *err);

#endif
