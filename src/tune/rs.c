/* Random search: as many random points as the budget allows.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/alloc.h"
#include "base/random.h"
#include "tune/tuner.h"

struct state {
  const struct ts_tune_problem *problem; /* borrowed */
  struct ts_random random;
};

static void *begin(const struct ts_tune_problem *problem, const struct ts_tune_options *options, struct ts_error *err) {
  (void)options;
  (void)err;
  struct state *state = ts_calloc(1, sizeof *state);
  state->problem = problem;
  ts_random_init(&state->random, problem->seed, TS_STREAM_RANDOM);
  return state;
}

static bool next(void *opaque, const struct ts_tune_history *history, struct ts_tune_batch *batch, const char **reason,
                 struct ts_error *err) {
  struct state *state = opaque;
  (void)history;
  (void)err;
  *reason = "the budget is spent";
  size_t room = ts_batch_room(batch);
  for (size_t tries = 0; ts_batch_count(batch) < room && tries < 100 * room; tries++)
    ts_batch_add_row(batch, (size_t)ts_random_below(&state->random, state->problem->pool.count), NULL);
  return true;
}

const struct ts_tuner ts_tuner_rs = {
    .name = "rs",
    .title = "Random search",
    .help = "Draws candidates at random; what every other tuner must beat.",
    .flags = TS_TUNER_CANDIDATES,
    .begin = begin,
    .next = next,
    .destroy = free,
};
