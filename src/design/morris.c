/* Morris designs: the sampler, and designs of values for studies.
 * SPDX-License-Identifier: Apache-2.0 */
#include "design/morris_int.h"

#include "base/alloc.h"
#include "base/const.h"
#include "design/design_int.h"

/* Values of a whole design: some gigabytes. A slip of the hand must not ask for all memory. */
#define MAX_VALUES ((size_t)1 << 26)

static bool allowed_by_space(void *user, const double *unit) { return ts_space_allows(user, unit); }

static bool draw(struct ts_points *points, const struct ts_space *space, const struct ts_sample_options *options,
                 struct ts_error *err) {
  struct ts_row_judge judge = {.user = ts_without_const(space)};
  if (space->constraint_count > 0) judge.allows = allowed_by_space;
  return options->radial ? ts_morris_radial(points, space, options, &judge, err)
                         : ts_morris_trajectories(points, space, options, &judge, err);
}

const struct ts_sampler ts_sampler_morris = {
    .name = "morris",
    .title = "Morris trajectories or radial design for elementary effects",
    .help = "screens many parameters with few runs, (k + 1) per trajectory; reads levels, radial, candidates, groups",
    .draw = draw,
};

/* Asks a judge of values about a row of unit coordinates. */
struct value_judge {
  const struct ts_space *space; /* borrowed */
  struct ts_value *row;         /* owned; scratch */
  bool (*accept)(void *user, const struct ts_value *row);
  void *user; /* borrowed */
};

static bool allowed_by_values(void *user, const double *unit) {
  struct value_judge *judge = user;
  for (size_t i = 0; i < judge->space->count; i++) {
    judge->row[i] = ts_space_value(judge->space->parameters[i], unit[i], NULL);
  }
  return judge->accept(judge->user, judge->row);
}

bool ts_design_morris(struct ts_design *design, const struct ts_space *space, const struct ts_morris_options *options,
                      bool (*accept)(void *user, const struct ts_value *row), void *user, struct ts_error *err) {
  *design = (struct ts_design){0};
  if (options->trajectories > MAX_VALUES / (space->count + 1) / (space->count + 1)) {
    ts_fail(err, TS_ERR_BAD_VALUE, "'%zu' trajectories are too many", options->trajectories);
    ts_error_help(err, "5 to 15 are usual, 1000 are a lot");
    return false;
  }
  struct ts_sample_options all = {.count = options->trajectories, .levels = options->levels, .seed = options->seed};
  struct value_judge values = {.space = space, .accept = accept, .user = user};
  values.row = ts_calloc(space->count + 1, sizeof *values.row);
  struct ts_row_judge judge = {.allows = accept ? allowed_by_values : NULL, .user = &values};
  struct ts_points points;
  bool ok = ts_morris_trajectories(&points, space, &all, &judge, err);
  free(values.row);
  if (!ok) return false;
  ts_design_of_points(design, space, &points);
  ts_points_release(&points);
  return true;
}
