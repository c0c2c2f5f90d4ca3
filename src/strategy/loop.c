/* The loop that drives a strategy: wraps it in its condition, checks it before the first set is run, asks and finishes.
 * SPDX-License-Identifier: Apache-2.0 */
#include "strategy/strategy_int.h"

#include "base/alloc.h"

#include <stdarg.h>
#include <stdio.h>

struct ts_loop {
  struct ts_arena arena; /* options */
  const struct ts_strategy_options *options;
  void *state; /* owned; of options->strategy */
};

void ts_strategy_note(const struct ts_strategy_problem *problem, const char *format, ...) {
  char text[TS_NOTE_BYTES];
  va_list args;
  if (!problem->note) return;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  problem->note(problem->user, text);
}

void ts_strategy_batch_release(struct ts_strategy_batch *batch) {
  free(batch->values);
  *batch = (struct ts_strategy_batch){0};
}

/* The options with the condition around every strategy that it concerns; *found: whether there is one. */
static const struct ts_strategy_options *wrap(struct ts_arena *arena, const struct ts_strategy_options *options,
                                              const struct ts_until *until, bool is_last, bool *found) {
  struct ts_strategy_options *copy = ts_arena_memdup(arena, options, sizeof *options);
  if (options->part_count > 0) {
    struct ts_strategy_options *parts = ts_arena_array(arena, options->part_count, sizeof *parts);
    for (size_t p = 0; p < options->part_count; p++)
      parts[p] = *wrap(arena, &options->parts[p], until, is_last && p + 1 == options->part_count, found);
    copy->parts = parts;
    return copy;
  }
  if (!ts_until_concerns(until, options, is_last)) return copy;
  struct ts_strategy_options *around = ts_arena_alloc(arena, sizeof *around);
  *around = (struct ts_strategy_options){
      .strategy = &ts_strategy_until, .place = options->place, .until = *until, .parts = copy, .part_count = 1};
  *found = true;
  return around;
}

/* The first, or the last, strategy that draws sets. */
static const struct ts_strategy_options *drawn_of(const struct ts_strategy_options *options, bool last) {
  while (options->part_count > 0) options = &options->parts[last ? options->part_count - 1 : 0];
  return options;
}

static void check_limit(const struct ts_loop *loop, const struct ts_strategy_problem *problem,
                        struct ts_faults *faults) {
  const struct ts_phase *first = loop->options->strategy->look(loop->state);
  const size_t sets = first->design.row_count, most = problem->max_sets;
  const char *counted = drawn_of(loop->options, false)->strategy->count_key;
  if (most == 0 || sets <= most || !counted) return;
  struct ts_error *err = ts_faults_add(faults);
  ts_fail(err, problem->max_sets_place ? TS_ERR_BAD_VALUE : TS_ERR_USAGE,
          "the first round has %zu runs, but at most %zu are allowed", sets, most);
  ts_error_help(err, "begin with fewer %s, or allow more runs", counted);
  if (problem->max_sets_place) ts_error_place(err, "", 0, 0, problem->max_sets_place);
}

struct ts_loop *ts_loop_begin(const struct ts_strategy_problem *problem, const struct ts_strategy_options *options,
                              struct ts_faults *faults) {
  const size_t before = faults->count;
  const struct ts_strategy_options *last = drawn_of(options, true);
  struct ts_loop *loop = ts_calloc(1, sizeof *loop);
  bool found = false;
  loop->options = wrap(&loop->arena, options, &options->until, true, &found);
  loop->state = loop->options->strategy->begin(problem, loop->options, faults);
  if (loop->state) {
    if (options->until.column && !found && last->analysis_count > 0)
      ts_until_fail_column(&options->until, last, faults);
    check_limit(loop, problem, faults);
  }
  if (faults->count == before) return loop;
  ts_loop_destroy(loop);
  return NULL;
}

bool ts_loop_next(struct ts_loop *loop, const struct ts_history *history, struct ts_strategy_batch *batch,
                  const char **reason, struct ts_error *err) {
  ts_strategy_batch_release(batch);
  return loop->options->strategy->next(loop->state, history, batch, reason, err);
}

void ts_loop_finish(struct ts_loop *loop, const struct ts_history *history, struct ts_strategy_result *result) {
  *result = (struct ts_strategy_result){0};
  loop->options->strategy->finish(loop->state, history, result);
}

void ts_loop_destroy(struct ts_loop *loop) {
  if (!loop) return;
  loop->options->strategy->destroy(loop->state);
  ts_arena_release(&loop->arena);
  free(loop);
}
