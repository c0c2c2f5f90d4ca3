/* The two kinds of Morris designs.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_DESIGN_MORRIS_INT_H
#define TS_DESIGN_MORRIS_INT_H

#include "design/points.h"

/* Trajectories on p levels, all or the best of many (options->candidates), k+1 rows each.
 * M. D. Morris, "Factorial sampling plans for preliminary computational experiments", 1991, doi:10.2307/1269043.
 * A trajectory with a row that the constraints forbid is drawn again (at most 1000 times, then CONSTRAINT).
 * Trajectory i depends on the seed, p, the space and i alone: more trajectories keep the earlier ones. */
bool ts_morris_trajectories(struct ts_points *points, const struct ts_space *space,
                            const struct ts_sample_options *options, struct ts_error *err);
/* Radial designs; see design/morris_radial.c. */
bool ts_morris_radial(struct ts_points *points, const struct ts_space *space, const struct ts_sample_options *options,
                      struct ts_error *err);

#endif
