/* Variance-based indices from a Saltelli design.
 * SPDX-License-Identifier: Apache-2.0 */
#include "strategy/strategy_int.h"

const struct ts_strategy ts_strategy_variance = {
    .name = "vbd",
    .aliases = {"sobol", "saltelli"},
    .title = "variance-based indices: how much of the variance each parameter explains; n (k + 2) runs",
    .sampler = "saltelli",
    .analyses = {"vbd"},
    .count_key = "samples",
    .usual = TS_SOME_HUNDREDS,
    .count = 128,
    .least = 2,
    .most = TS_SAMPLES_MAX,
    .phase_name = "variance",
    .has_blocks = true,
    .moves_groups = true,
    .keys = {"base", "scramble", "second_order", "estimator"},
    TS_DRAWN_DESIGN,
};
