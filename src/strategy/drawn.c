/* Strategies that draw one design with a sampler and analyse it; asked to grow, they draw a larger one.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Sets that a larger design shares with the one before are not asked for again. Where a larger design has other sets
 * (Latin hypercubes, curves), all of them are new. */
#include "strategy/strategy_int.h"

#include "base/alloc.h"

#include <string.h>

struct drawn {
  const struct ts_strategy_problem *problem; /* borrowed */
  struct ts_arena arena;                     /* groups, reasons */
  struct ts_phase phase;
  size_t asked;    /* sets of the design that were asked for */
  size_t analysed; /* sets of the design that the analyses know */
};

void *ts_drawn_begin(const struct ts_strategy_problem *problem, const struct ts_strategy_options *options,
                     struct ts_faults *faults) {
  struct drawn *d = ts_calloc(1, sizeof *d);
  struct ts_error err = {0};
  d->problem = problem;
  d->phase.options = options;
  d->phase.space = problem->space;
  d->phase.groups.count = problem->space->count;
  if (options->strategy->moves_groups) d->phase.groups = ts_space_groups(problem->space, &d->arena);
  if (ts_phase_draw(&d->phase, problem, options->count, &err)) return d;
  *ts_faults_add(faults) = err;
  ts_drawn_destroy(d);
  return NULL;
}

void ts_drawn_destroy(void *state) {
  struct drawn *d = state;
  if (!d) return;
  ts_phase_release(&d->phase);
  ts_arena_release(&d->arena);
  free(d);
}

/* Sets of the design that were run. */
static bool is_run(const struct drawn *d, const struct ts_history *history) {
  return d->asked > 0 && d->asked == d->phase.design.row_count && history->count >= d->phase.first + d->asked;
}

static void ask(struct drawn *d, const struct ts_history *history, struct ts_strategy_batch *batch) {
  if (d->asked == 0) d->phase.first = history->count;
  ts_phase_ask(&d->phase, d->asked, batch);
  d->asked = d->phase.design.row_count;
  d->phase.rounds++;
}

bool ts_drawn_next(void *state, const struct ts_history *history, struct ts_strategy_batch *batch, const char **reason,
                   struct ts_error *err) {
  struct drawn *d = state;
  (void)err;
  *reason = "the design is complete";
  if (d->asked < d->phase.design.row_count) {
    ask(d, history, batch);
  } else if (is_run(d, history) && d->analysed != d->asked) {
    ts_phase_analyse(&d->phase, d->problem, history);
    d->analysed = d->asked;
  }
  return true;
}

struct ts_phase *ts_drawn_look(void *state) {
  struct drawn *d = state;
  return &d->phase;
}

void ts_drawn_finish(void *state, const struct ts_history *history, struct ts_strategy_result *result) {
  struct drawn *d = state;
  result->phases[result->phase_count++] = &d->phase;
  if (d->analysed > 0 && d->analysed == d->asked) ts_phase_analyse_subsets(&d->phase, d->problem, history);
}

/* ---- Growing. ---- */

static size_t budget_of(const struct drawn *d, const struct ts_history *history) {
  return d->problem->max_sets ? d->problem->max_sets : TS_ROUNDS_BUDGET * history->rounds[0].count;
}

static const char *over_budget(struct drawn *d, const struct ts_history *history, size_t sets) {
  const char *limit = d->problem->max_sets
                          ? "the limit of"
                          : ts_arena_printf(&d->arena, "%d times those of the first round, of", TS_ROUNDS_BUDGET);
  return ts_arena_printf(&d->arena, "the next round would need %zu runs in all, more than %s %zu", sets, limit,
                         budget_of(d, history));
}

/* Designs of which a larger one has other sets. */
static bool starts_again(const struct ts_strategy_options *options) {
  return options->strategy->starts_again || options->candidates > 0 ||
         (options->base && strcmp(options->base, "lhs") == 0);
}

static size_t next_size(const struct ts_phase *phase, size_t most) {
  const struct ts_strategy *strategy = phase->options->strategy;
  const size_t size = ts_phase_size(phase);
  return strategy->grown ? strategy->grown(size, most) : 2 * size;
}

/* The larger design takes the place of the one before. */
static void replace(struct drawn *d, struct ts_phase *larger, bool keeps) {
  if (!keeps) d->asked = 0; /* all sets are new; the store knows equal ones */
  ts_design_release(&d->phase.design);
  d->phase.design = larger->design;
  d->phase.layout = larger->layout;
  d->phase.block_rows = larger->block_rows;
}

bool ts_drawn_grow(void *state, const struct ts_history *history, struct ts_strategy_batch *batch, const char **reason,
                   struct ts_error *err) {
  struct drawn *d = state;
  const struct ts_strategy_options *options = d->phase.options;
  const size_t budget = budget_of(d, history), left = budget > d->phase.first ? budget - d->phase.first : 0;
  const size_t rows = d->phase.design.row_count / ts_phase_size(&d->phase); /* per unit of size */
  const size_t size = next_size(&d->phase, left / rows);
  if (options->strategy->is_whole) {
    *reason = ts_arena_printf(&d->arena, "runs cannot be added to a %s", options->strategy->name);
    return true;
  }
  if (size > left / rows) {
    *reason = over_budget(d, history, (starts_again(options) ? history->count : d->phase.first) + size * rows);
    return true;
  }
  struct ts_phase larger = {.options = options, .space = d->phase.space, .groups = d->phase.groups};
  if (!ts_phase_draw(&larger, d->problem, size, err)) return false;
  const bool keeps = ts_phase_keeps_sets(&d->phase, &larger);
  if (!keeps && history->count + larger.design.row_count > budget) {
    *reason = over_budget(d, history, history->count + larger.design.row_count);
    ts_phase_release(&larger);
    return true;
  }
  replace(d, &larger, keeps);
  ask(d, history, batch);
  return true;
}
