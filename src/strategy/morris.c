/* Elementary effects: a screening in which few sets say which of many parameters matter at all.
 * SPDX-License-Identifier: Apache-2.0 */
#include "strategy/strategy_int.h"

#define TRAJECTORIES_MAX 10000 /* a limit that no sensible study reaches: a number beyond it is a typing error */

/* Half as many again, or what the budget leaves: a trajectory more is always of use. */
static size_t grow_by_half(size_t size, size_t most) {
  const size_t next = size + (size + 1) / 2;
  return next > most && most > size ? most : next;
}

const struct ts_strategy ts_strategy_morris = {
    .name = "morris",
    .aliases = {"moat"},
    .title = "elementary effects: which of many parameters matter at all; (k + 1) runs per trajectory",
    .sampler = "morris",
    .analyses = {"morris"},
    .count_key = "trajectories",
    .usual = "5 to 15 are usual, 1000 are a lot",
    .count = 10,
    .least = 2,
    .most = TRAJECTORIES_MAX,
    .levels = TS_MORRIS_LEVELS,
    .even_levels = true,
    .steps_by_levels = true,
    .has_blocks = true,
    .moves_groups = true,
    .grown = grow_by_half,
    .keys = {"levels", "radial", "candidates"},
    TS_DRAWN_DESIGN,
};
