/* The Morris method in the common table: mu, mu* and sigma of trajectories and radial designs, with intervals.
 * SPDX-License-Identifier: Apache-2.0 */
#include "analysis/method.h"
#include "analysis/morris_int.h"

#include "base/alloc.h"
#include "base/str.h"

#include <math.h>

enum { MU, MU_STAR, SIGMA, COLUMNS };

static bool check_groups(const struct ts_runs *runs, struct ts_error *err) {
  if (!runs->group_of) return true;
  ts_auto_free bool *used = ts_calloc(runs->group_count + 1, sizeof *used);
  for (size_t i = 0; i < runs->parameter_count; i++) {
    if (runs->group_of[i] >= runs->group_count) TS_BUG("parameter %zu is in an unknown group", i);
    used[runs->group_of[i]] = true;
  }
  for (size_t g = 0; g < runs->group_count; g++) {
    if (used[g]) continue;
    ts_fail(err, TS_ERR_BAD_VALUE, "group '%s' has no parameter", runs->group_names[g]);
    return ts_error_help(err, "give every group at least one parameter, and every parameter one group");
  }
  return true;
}

static struct ts_morris_input make_input(const struct ts_runs *runs, const struct ts_analysis_options *options) {
  struct ts_morris_input input = {.names = runs->names,
                                  .parameter_count = runs->parameter_count,
                                  .row_count = runs->row_count,
                                  .radial = runs->layout == TS_LAYOUT_RADIAL,
                                  .scaled = options->scaled,
                                  .group_of = runs->group_of,
                                  .group_count = runs->group_count,
                                  .group_names = runs->group_names,
                                  .unit = runs->unit,
                                  .outputs = runs->outputs,
                                  .levels = options->levels,
                                  .resamples = options->resamples,
                                  .confidence = options->confidence,
                                  .normal_intervals = options->interval == TS_INTERVAL_NORMAL,
                                  .seed = options->seed};
  if (runs->layout == TS_LAYOUT_FREE) input.radial = ts_morris_looks_radial(&input);
  return input;
}

static void take(const struct ts_morris_index *index, struct ts_index *cells) {
  cells[MU] = (struct ts_index){index->mu, index->mu_low, index->mu_high};
  cells[MU_STAR] = (struct ts_index){index->mu_star, index->mu_star_low, index->mu_star_high};
  cells[SIGMA] = (struct ts_index){index->sigma, index->sigma_low, index->sigma_high};
}

static bool has_common_groups(const struct ts_runs *runs) {
  return runs->group_of && runs->group_count < runs->parameter_count;
}

/* A number of levels that does not fit the design makes all effects wrong by the same factor. */
static void note_wrong_levels(struct ts_indices *indices, const struct ts_morris_input *input) {
  if (input->levels == 0 || input->radial || input->scaled) return;
  double p = (double)input->levels, delta = p / (2 * (p - 1)), step = 0;
  for (size_t i = 0; i < input->parameter_count; i++) {
    step = fmax(step, fabs(input->unit[input->parameter_count + i] - input->unit[i]));
  }
  if (fabs(step - delta) <= 1e-6) return;
  ts_indices_note(indices,
                  "the first step of the design is %s of the range, but %zu levels step by %s: the effects are "
                  "divided by the latter",
                  TS_SIGNIFICANT(step, 4), input->levels, TS_SIGNIFICANT(delta, 4));
}

static void note_lost_effects(struct ts_indices *indices) {
  for (size_t i = 0; i < indices->name_count; i++) {
    if (indices->usable[i] == 0) {
      ts_indices_note(indices, "'%s' has no usable effect: nothing is known about it", indices->names[i]);
    } else if (indices->usable[i] == 1) {
      ts_indices_note(indices, "'%s' has one usable effect: too few for sigma and intervals", indices->names[i]);
    }
  }
}

static bool analyse(const struct ts_runs *runs, const struct ts_analysis_options *options, struct ts_pool *pool,
                    struct ts_indices *indices, struct ts_error *err) {
  if (!check_groups(runs, err) || !ts_indices_check_outputs(indices, runs, err)) return false;
  struct ts_morris_input input = make_input(runs, options);
  ts_auto_free struct ts_morris_index *found = ts_calloc(indices->name_count, sizeof *found);
  if (!ts_analysis_morris(&input, pool, found, err)) return false;
  for (size_t i = 0; i < indices->name_count; i++) {
    take(&found[i], indices->cells + i * COLUMNS);
    indices->usable[i] = found[i].effect_count;
  }
  if (options->resamples != TS_NO_RESAMPLES) indices->resamples = options->resamples ? options->resamples : 1000;
  note_wrong_levels(indices, &input);
  note_lost_effects(indices);
  if (has_common_groups(runs)) {
    ts_indices_note(indices,
                    "the members of a group move together, each up or down: mu and sigma are not defined for it");
  }
  return true;
}

static const enum ts_layout layouts[] = {TS_LAYOUT_TRAJECTORIES, TS_LAYOUT_RADIAL, TS_LAYOUT_FREE};

const struct ts_method ts_method_morris = {
    .name = "morris",
    .alias = "moat",
    .title = "Elementary effects (Morris 1991, Campolongo 2007)",
    .assumes = "the runs are trajectories or a radial design, in their order; effects are per unit range, independent "
               "inputs",
    .interval =
        "bootstrap over trajectories: covers the chance of which trajectories were drawn, not the region between "
        "them",
    .columns = {"mu", "mu_star", "sigma"},
    .rank_by = "mu_star",
    .has_classes = true,
    .zero_is_exact = true,
    .layouts = layouts,
    .layout_count = sizeof layouts / sizeof *layouts,
    .needs = TS_NEEDS_UNIT,
    .analyse = analyse,
};
