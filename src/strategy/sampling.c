/* Samples of single points, curves and small steps: one entry for each way to draw them.
 * SPDX-License-Identifier: Apache-2.0 */
#include "strategy/strategy_int.h"

#define FREE_ANALYSES                                                                                                  \
  { "correlation", "given-data", "pce" }
#define SAMPLES TS_DRAWN_DESIGN, .count_key = "samples", .usual = TS_SOME_HUNDREDS, .least = 2, .most = TS_SAMPLES_MAX

const struct ts_strategy ts_strategy_lhs = {
    SAMPLES,
    .name = "lhs",
    .title = "Latin hypercube, analysed by correlations, given data and polynomial chaos",
    .sampler = "lhs",
    .analyses = FREE_ANALYSES,
    .count = 256,
    .takes_correlation = true,
    .starts_again = true,
    .keys = {"improve", "degree", "slices"},
};

const struct ts_strategy ts_strategy_mc = {
    SAMPLES,
    .name = "mc",
    .title = "independent random points, analysed like lhs",
    .sampler = "mc",
    .analyses = FREE_ANALYSES,
    .count = 256,
    .takes_correlation = true,
    .keys = {"degree", "slices"},
};

const struct ts_strategy ts_strategy_halton = {
    SAMPLES,
    .name = "halton",
    .title = "Halton sequence, analysed like lhs; more points keep the earlier ones",
    .sampler = "halton",
    .analyses = FREE_ANALYSES,
    .count = 256,
    .keys = {"scramble", "skip", "degree", "slices"},
};

const struct ts_strategy ts_strategy_sequence = {
    SAMPLES,
    .name = "sobol-sequence",
    .title = "Sobol' sequence, analysed like lhs; more points keep the earlier ones",
    .sampler = "sobol-sequence",
    .analyses = FREE_ANALYSES,
    .count = 256,
    .keys = {"scramble", "skip", "degree", "slices"},
};

const struct ts_strategy ts_strategy_grid = {
    SAMPLES,
    .name = "grid",
    .title = "every combination of the levels (or a number of them), analysed by correlations and given data",
    .sampler = "grid",
    .analyses = {"correlation", "given-data"},
    .is_whole = true,
    .keys = {"levels", "degree", "slices"},
};

const struct ts_strategy ts_strategy_fast = {
    TS_DRAWN_DESIGN,
    .name = "fast",
    .title = "Fourier amplitudes: S1 and ST from one search curve per parameter",
    .sampler = "fast",
    .analyses = {"fast"},
    .count_key = "samples",
    .usual = TS_SOME_HUNDREDS,
    .least = 65, /* the shortest curve from which four harmonics can be read: 4 M^2 + 1 */
    .most = TS_SAMPLES_MAX,
    .has_blocks = true,
    .starts_again = true,
    .keys = {"harmonics"},
};

const struct ts_strategy ts_strategy_dgsm = {
    SAMPLES,
    .name = "dgsm",
    .title = "derivatives: upper bounds of total effects from small steps; for ranges of reals",
    .sampler = "dgsm",
    .analyses = {"dgsm"},
    .count = 64,
    .has_blocks = true,
    .keys = {"step"},
};
