/* The Morris sampler: trajectories or a radial design.
 * SPDX-License-Identifier: Apache-2.0 */
#include "design/morris_int.h"

static bool draw(struct ts_points *points, const struct ts_space *space, const struct ts_sample_options *options,
                 struct ts_error *err) {
  return options->radial ? ts_morris_radial(points, space, options, err)
                         : ts_morris_trajectories(points, space, options, err);
}

const struct ts_sampler ts_sampler_morris = {
    .name = "morris",
    .title = "Morris trajectories or radial design for elementary effects",
    .help = "screens many parameters with few runs, (k + 1) per trajectory; reads levels, radial, candidates, groups",
    .draw = draw,
};
