/* Two phases: a screening of all parameters, then a strategy that varies those that matter.
 * SPDX-License-Identifier: Apache-2.0 */
#include "strategy/strategy_int.h"

#include "base/alloc.h"

enum { SCREENING, SECOND };

struct two_phase {
  const struct ts_strategy_problem *problem; /* borrowed */
  const struct ts_strategy_options *options; /* borrowed */
  void *parts[TS_STRATEGY_PHASES];           /* owned: states; NULL: not begun */
  struct ts_arena arena;
  struct ts_strategy_problem narrowed; /* that of the second phase */
  struct ts_space space;               /* what it varies */
  size_t *columns;                     /* owned: of the whole space, per column of it */
};

static const struct ts_strategy *strategy_of(const struct two_phase *t, size_t part) {
  return t->options->parts[part].strategy;
}

static void destroy(void *state) {
  struct two_phase *t = state;
  if (!t) return;
  for (size_t p = 0; p < TS_STRATEGY_PHASES; p++) strategy_of(t, p)->destroy(t->parts[p]);
  ts_space_release(&t->space);
  ts_arena_release(&t->arena);
  free(t->columns);
  free(t);
}

static void *begin(const struct ts_strategy_problem *problem, const struct ts_strategy_options *options,
                   struct ts_faults *faults) {
  struct two_phase *t = ts_calloc(1, sizeof *t);
  t->problem = problem;
  t->options = options;
  t->parts[SCREENING] = strategy_of(t, SCREENING)->begin(problem, &options->parts[SCREENING], faults);
  if (t->parts[SCREENING] &&
      ts_screening_check_names(strategy_of(t, SCREENING)->look(t->parts[SCREENING]), &options->keep, faults))
    return t;
  destroy(t);
  return NULL;
}

/* ---- The second phase begins. ---- */

/* The same options with another size. */
static const struct ts_strategy_options *resize(struct ts_arena *arena, const struct ts_strategy_options *options,
                                                size_t count) {
  struct ts_strategy_options *copy = ts_arena_memdup(arena, options, sizeof *options);
  if (copy->part_count > 0)
    copy->parts = resize(arena, copy->parts, count);
  else
    copy->count = count;
  return copy;
}

static bool begin_part(struct two_phase *t, const struct ts_strategy_options *options, struct ts_error *err) {
  ts_auto(ts_faults_release) struct ts_faults faults = {0};
  t->parts[SECOND] = strategy_of(t, SECOND)->begin(&t->narrowed, options, &faults);
  if (!t->parts[SECOND]) *err = faults.items[0];
  return t->parts[SECOND] != NULL;
}

/* A second phase that is too large for the limit is made as large as fits. */
static bool fit_limit(struct two_phase *t, size_t done, struct ts_error *err) {
  const struct ts_phase *phase = strategy_of(t, SECOND)->look(t->parts[SECOND]);
  const struct ts_strategy *drawn = phase->options->strategy;
  const size_t most = t->problem->max_sets, sets = phase->design.row_count, size = ts_phase_size(phase);
  size_t fits = 1;
  if (most == 0 || done + sets <= most) return true;
  const size_t left = most > done ? (most - done) / (sets / size) : 0;
  while (2 * fits <= left) fits *= 2; /* sequences are balanced for powers of two */
  if (fits < drawn->least) {
    ts_fail(err, TS_ERR_BAD_VALUE, "after the screening, the limit of %zu runs leaves none for the second phase", most);
    return ts_error_help(err,
                         "allow more runs with --max-runs, or screen with fewer trajectories; finished runs are kept");
  }
  ts_strategy_note(t->problem, "the limit of %zu runs leaves %zu %s for the second phase, instead of %zu", most, fits,
                   drawn->count_key, size);
  strategy_of(t, SECOND)->destroy(t->parts[SECOND]);
  return begin_part(t, resize(&t->arena, &t->options->parts[SECOND], fits), err);
}

static bool begin_second(struct two_phase *t, const struct ts_history *history, struct ts_error *err) {
  struct ts_phase *screening = strategy_of(t, SCREENING)->look(t->parts[SCREENING]);
  ts_screening_decide(screening, t->problem, &t->options->keep);
  t->columns = ts_calloc(t->problem->space->count + 1, sizeof *t->columns);
  const size_t count = ts_screening_columns(screening, t->columns);
  ts_space_subset(&t->space, t->problem->space, t->columns, count);
  t->narrowed = *t->problem;
  t->narrowed.space = &t->space;
  return begin_part(t, &t->options->parts[SECOND], err) && fit_limit(t, history->count, err);
}

/* Sets of the second phase as sets of the whole space: what it does not vary stays at the defaults. */
static void widen(const struct two_phase *t, struct ts_strategy_batch *batch) {
  const struct ts_space *whole = t->problem->space;
  const size_t narrow = t->space.count;
  struct ts_value *values = ts_calloc(batch->count * whole->count + 1, sizeof *values);
  for (size_t i = 0; i < batch->count; i++) {
    struct ts_value *row = values + i * whole->count;
    for (size_t c = 0; c < whole->count; c++) row[c] = whole->parameters[c]->default_value;
    for (size_t c = 0; c < narrow; c++) row[t->columns[c]] = batch->values[i * narrow + c];
  }
  free(batch->values);
  batch->values = values;
  batch->phase = SECOND;
}

static bool next(void *state, const struct ts_history *history, struct ts_strategy_batch *batch, const char **reason,
                 struct ts_error *err) {
  struct two_phase *t = state;
  t->narrowed.pool = t->problem->pool;
  if (!t->parts[SECOND]) {
    if (!strategy_of(t, SCREENING)->next(t->parts[SCREENING], history, batch, reason, err)) return false;
    if (batch->count > 0) return true;
    if (!begin_second(t, history, err)) return false;
  }
  if (!strategy_of(t, SECOND)->next(t->parts[SECOND], history, batch, reason, err)) return false;
  if (batch->count > 0) widen(t, batch);
  return true;
}

static struct ts_phase *look(void *state) {
  struct two_phase *t = state;
  const size_t part = t->parts[SECOND] ? SECOND : SCREENING;
  return strategy_of(t, part)->look(t->parts[part]);
}

static void finish(void *state, const struct ts_history *history, struct ts_strategy_result *result) {
  struct two_phase *t = state;
  t->narrowed.pool = t->problem->pool;
  for (size_t p = 0; p < TS_STRATEGY_PHASES; p++) {
    if (t->parts[p]) strategy_of(t, p)->finish(t->parts[p], history, result);
  }
}

const struct ts_strategy ts_strategy_two_phase = {
    .name = "two-phase",
    .aliases = {"two_phase"},
    .title = "morris screens all parameters, then vbd analyses those that matter, on the same products",
    .keys = {"screen", "then", "keep", "parameters"},
    .parts =
        {{.key = "screen", .usual = &ts_strategy_morris, .is_fixed = true, .help = "screening is done with morris"},
         {.key = "then", .usual = &ts_strategy_variance, .help = "write the method of the second phase, such as vbd"}},
    .begin = begin,
    .next = next,
    .look = look,
    .finish = finish,
    .destroy = destroy,
};
