/* Shared by the files of the strategy module: strategies that draw one design with a sampler.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Morris, variance and all kinds of sampling differ in the data of their entries, not in code: TS_DRAWN_DESIGN. */
#ifndef TS_STRATEGY_STRATEGY_INT_H
#define TS_STRATEGY_STRATEGY_INT_H

#include "strategy/strategy.h"

/* What the entries of the table name. */
extern const struct ts_strategy ts_strategy_morris, ts_strategy_variance, ts_strategy_lhs, ts_strategy_mc,
    ts_strategy_halton, ts_strategy_sequence, ts_strategy_grid, ts_strategy_fast, ts_strategy_dgsm,
    ts_strategy_two_phase;

#define TS_SAMPLES_MAX   10000000 /* a limit that no sensible study reaches: a number beyond it is a typing error */
#define TS_SOME_HUNDREDS "some hundreds are usual"

/* ---- drawn.c: one design of a sampler. ---- */

void *ts_drawn_begin(const struct ts_strategy_problem *problem, const struct ts_strategy_options *options,
                     struct ts_faults *faults);
bool ts_drawn_next(void *state, const struct ts_history *history, struct ts_strategy_batch *batch, const char **reason,
                   struct ts_error *err);
bool ts_drawn_grow(void *state, const struct ts_history *history, struct ts_strategy_batch *batch, const char **reason,
                   struct ts_error *err);
struct ts_phase *ts_drawn_look(void *state);
void ts_drawn_finish(void *state, const struct ts_history *history, struct ts_strategy_result *result);
void ts_drawn_destroy(void *state);
#define TS_DRAWN_DESIGN                                                                                                \
  .begin = ts_drawn_begin, .next = ts_drawn_next, .grow = ts_drawn_grow, .look = ts_drawn_look,                        \
  .finish = ts_drawn_finish, .destroy = ts_drawn_destroy

/* ---- phase.c: designs. ---- */

/* Draws the design of a phase, `count` large; the phase keeps what it had if that fails. */
bool ts_phase_draw(struct ts_phase *phase, const struct ts_strategy_problem *problem, size_t count,
                   struct ts_error *err);
/* Whether the larger design begins with the sets of the smaller one. */
bool ts_phase_keeps_sets(const struct ts_phase *small, const struct ts_phase *large);
/* Adds the sets of a phase from `first` on to an empty batch. */
void ts_phase_ask(const struct ts_phase *phase, size_t first, struct ts_strategy_batch *batch);
void ts_phase_release(struct ts_phase *phase);

/* ---- phase_analyse.c ---- */

/* Replaces the analyses by those of every output over all files. Notes of the methods go to problem->note. */
void ts_phase_analyse(struct ts_phase *phase, const struct ts_strategy_problem *problem,
                      const struct ts_history *history);
/* Adds those of subsets of the files to the analyses over all files. */
void ts_phase_analyse_subsets(struct ts_phase *phase, const struct ts_strategy_problem *problem,
                              const struct ts_history *history);
void ts_phase_analyses_release(struct ts_phase *phase);

/* ---- screening.c: what a second phase varies. ---- */

/* Decides by the analyses of a phase. */
void ts_screening_decide(struct ts_phase *phase, const struct ts_strategy_problem *problem, const struct ts_keep *keep);
/* Before anything is run: a fault for every name that the phase does not vary. */
bool ts_screening_check_names(const struct ts_phase *phase, const struct ts_keep *keep, struct ts_faults *faults);
/* The columns of the kept groups, in the order of the space; their number. */
size_t ts_screening_columns(const struct ts_phase *phase, size_t *columns);

/* ---- until.c ---- */

/* Whether a condition belongs to a strategy: a column to those that have it, ranks to the last one. */
bool ts_until_concerns(const struct ts_until *until, const struct ts_strategy_options *options, bool is_last);
/* Whether the indices of a phase meet the condition; the sentence is the arena's. */
bool ts_until_is_met(const struct ts_until *until, const struct ts_phase *phase,
                     const struct ts_strategy_problem *problem, struct ts_arena *arena, const char **reason);
/* The fault of a condition on a column that no strategy has; `options` are those of the last one. */
void ts_until_fail_column(const struct ts_until *until, const struct ts_strategy_options *options,
                          struct ts_faults *faults);

#define TS_NOTE_BYTES 1024
/* Passes a sentence on to problem->note. */
void ts_strategy_note(const struct ts_strategy_problem *problem, const char *format, ...) TS_PRINTF(2, 3);

#endif
