/* The design of a phase: drawn by a sampler, larger in every round, handed out set by set.
 * SPDX-License-Identifier: Apache-2.0 */
#include "strategy/strategy_int.h"

#include "base/alloc.h"

#define MAX_VALUES ((size_t)1 << 26)

/* Values of a whole design: some gigabytes. A typing error must not claim all memory. */
static bool is_affordable(const struct ts_phase *phase, size_t count, struct ts_error *err) {
  const struct ts_strategy *strategy = phase->options->strategy;
  size_t rows = strategy->has_blocks ? phase->space->count + 1 : 1;
  if (count <= MAX_VALUES / (phase->space->count + 1) / rows) return true;
  ts_fail(err, TS_ERR_BAD_VALUE, "'%zu' %s are too many", count, strategy->count_key);
  return ts_error_help(err, "%s", strategy->usual);
}

static struct ts_sample_options options_of(const struct ts_phase *phase, const struct ts_strategy_problem *problem,
                                           size_t count) {
  const struct ts_strategy_options *options = phase->options;
  return (struct ts_sample_options){.count = count,
                                    .seed = problem->seed,
                                    .skip = options->skip,
                                    .scramble = options->scramble,
                                    .base = options->base,
                                    .second_order = options->second_order,
                                    .levels = options->levels,
                                    .radial = options->radial,
                                    .candidates = options->candidates,
                                    .improve = options->improve,
                                    .correlation = options->strategy->takes_correlation ? problem->correlation : NULL,
                                    .group_of = phase->groups.of,
                                    .group_count = phase->groups.of ? phase->groups.count : 0,
                                    .harmonics = options->harmonics,
                                    .step = options->step};
}

bool ts_phase_draw(struct ts_phase *phase, const struct ts_strategy_problem *problem, size_t count,
                   struct ts_error *err) {
  const struct ts_sample_options options = options_of(phase, problem, count);
  struct ts_points points = {0};
  const struct ts_sampler *sampler = ts_sampler_find(phase->options->strategy->sampler, err);
  if (!sampler || !is_affordable(phase, count, err)) return false;
  if (!sampler->draw(&points, phase->space, &options, err)) {
    if (phase->options->place) ts_error_place(err, "", 0, 0, phase->options->place);
    return false;
  }
  if (points.note) ts_strategy_note(problem, "%s", points.note);
  phase->layout = points.layout;
  phase->block_rows = points.block_rows;
  ts_design_release(&phase->design);
  ts_design_of_points(&phase->design, phase->space, &points);
  ts_points_release(&points);
  return true;
}

bool ts_phase_keeps_sets(const struct ts_phase *small, const struct ts_phase *large) {
  const size_t cells = small->design.row_count * small->design.column_count;
  if (large->design.row_count < small->design.row_count) return false;
  for (size_t i = 0; i < cells; i++) {
    if (!ts_value_equal(&small->design.values[i], &large->design.values[i])) return false;
  }
  return true;
}

/* A design owns its strings and lists, and a larger one takes its place; those of the parameters stay. */
static struct ts_value lasting_value(const struct ts_phase *phase, size_t cell) {
  const struct ts_value *value = &phase->design.values[cell];
  const struct ts_parameter *parameter = phase->space->parameters[cell % phase->design.column_count];
  const int64_t level = phase->design.levels[cell];
  if (level < 0 || (value->type != TS_VALUE_STRING && value->type != TS_VALUE_LIST)) return *value;
  return parameter->levels[level];
}

void ts_phase_ask(const struct ts_phase *phase, size_t first, struct ts_strategy_batch *batch) {
  const size_t columns = phase->design.column_count, count = phase->design.row_count - first;
  batch->count = count;
  batch->values = ts_calloc(count * columns + 1, sizeof *batch->values);
  for (size_t i = 0; i < count * columns; i++) batch->values[i] = lasting_value(phase, first * columns + i);
}

void ts_phase_release(struct ts_phase *phase) {
  ts_phase_analyses_release(phase);
  ts_design_release(&phase->design);
  free(phase->candidates);
}

size_t ts_phase_size(const struct ts_phase *phase) {
  return phase->layout == TS_LAYOUT_FAST ? phase->block_rows : phase->design.row_count / phase->block_rows;
}

const struct ts_phase_analysis *ts_phase_answer(const struct ts_phase *phase, size_t output) {
  for (size_t i = 0; i < phase->analysis_count; i++) {
    const struct ts_phase_analysis *analysis = &phase->analyses[i];
    if (analysis->output == output && analysis->subset == TS_NONE) return analysis;
  }
  return NULL;
}
