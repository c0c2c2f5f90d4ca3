/* A design that somebody else made: its sets are run once, and no indices are computed.
 * SPDX-License-Identifier: Apache-2.0 */
#include "strategy/strategy_int.h"

#include "base/alloc.h"

struct given {
  struct ts_phase phase; /* its design is that of the options, not its own */
  bool is_asked;
};

static void *begin(const struct ts_strategy_problem *problem, const struct ts_strategy_options *options,
                   struct ts_faults *faults) {
  (void)faults;
  struct given *g = ts_calloc(1, sizeof *g);
  g->phase = (struct ts_phase){.options = options,
                               .space = problem->space,
                               .design = *options->given,
                               .block_rows = 1,
                               .groups.count = options->given->column_count};
  return g;
}

static bool next(void *state, const struct ts_history *history, struct ts_strategy_batch *batch, const char **reason,
                 struct ts_error *err) {
  struct given *g = state;
  const struct ts_design *design = &g->phase.design;
  const size_t cells = design->row_count * design->column_count;
  (void)err;
  *reason = "the design is complete";
  if (g->is_asked) return true;
  g->is_asked = true;
  g->phase.first = history->count;
  g->phase.rounds = 1;
  batch->count = design->row_count;
  batch->values = ts_memdup(design->values, cells * sizeof *batch->values);
  return true;
}

static struct ts_phase *look(void *state) { return &((struct given *)state)->phase; }

static void finish(void *state, const struct ts_history *history, struct ts_strategy_result *result) {
  (void)history;
  result->phases[result->phase_count++] = look(state);
}

const struct ts_strategy ts_strategy_given = {
    .name = "given",
    .title = "sets from a file",
    .begin = begin,
    .next = next,
    .look = look,
    .finish = finish,
    .destroy = free,
};
