/* What the tests of strategies share: a space of reals, a loop that runs a model in closed form, what it saw.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_TESTS_UNIT_STRATEGY_STRATEGY_CASE_H
#define TS_TESTS_UNIT_STRATEGY_STRATEGY_CASE_H

#include "strategy/strategy_int.h"
#include "unit/base/testing.h"

#include "base/alloc.h"
#include "base/str.h"

#include <math.h>

enum { CASE_COLUMNS = 4, CASE_OUTPUTS = 2 };

/* Output `output` of a set of numbers; NaN: it failed. */
typedef double case_model(const double *x, size_t output);

struct strategy_case {
  struct ts_parameter parameters[CASE_COLUMNS]; /* A, B, C, D: 0 to 1, default 0.5 */
  const struct ts_parameter *list[CASE_COLUMNS];
  struct ts_space space;
  struct ts_strategy_problem problem; /* one output, "size" */
  struct ts_strategy_options options, parts[TS_STRATEGY_PHASES];
  struct ts_loop *loop;
  struct ts_history history;
  struct ts_strategy_result result;
  struct ts_faults faults;
  struct ts_str notes; /* a line each */
  char reason[512];
  case_model *model;
};

static const char *const case_outputs[CASE_OUTPUTS] = {"size", "cells"};
static const struct ts_series case_series[CASE_OUTPUTS] = {{0, TS_NONE}, {1, TS_NONE}};

static inline void case_note(void *user, const char *text) { ts_str_addf(user, "%s\n", text); }

static inline double case_flat(const double *x, size_t output) {
  (void)x;
  (void)output;
  return 1;
}

static inline void case_init(struct strategy_case *c, const char *strategy) {
  static const char *const names[CASE_COLUMNS] = {"A", "B", "C", "D"};
  *c = (struct strategy_case){.model = case_flat};
  for (size_t i = 0; i < CASE_COLUMNS; i++) {
    c->parameters[i] = (struct ts_parameter){.name = names[i],
                                             .help = "",
                                             .type = TS_VALUE_REAL,
                                             .has_range = true,
                                             .range_high = 1,
                                             .default_value = ts_value_real(0.5)};
    c->list[i] = &c->parameters[i];
  }
  c->space = (struct ts_space){.parameters = c->list, .count = CASE_COLUMNS};
  c->problem = (struct ts_strategy_problem){.space = &c->space,
                                            .outputs = case_outputs,
                                            .output_count = 1,
                                            .series = case_series,
                                            .series_count = 1,
                                            .seed = 1,
                                            .resamples = 100,
                                            .confidence = 0.95,
                                            .max_sets_place = "/method/max_runs",
                                            .note = case_note,
                                            .user = &c->notes};
  const struct ts_strategy *found = ts_strategy_find(strategy);
  assert_non_null(found);
  ts_strategy_options_init(&c->options, found, "/method");
  for (size_t p = 0; p < TS_STRATEGY_PHASES && found->parts[p].usual; p++) {
    ts_strategy_options_init(&c->parts[p], found->parts[p].usual, "/method/part");
    c->options.part_count = p + 1;
  }
  c->options.parts = c->options.part_count > 0 ? c->parts : NULL;
  c->options.keep.share = 0.1;
}

static inline bool case_begin(struct strategy_case *c) {
  c->loop = ts_loop_begin(&c->problem, &c->options, &c->faults);
  ts_history_init(&c->history, c->space.count, c->problem.series_count);
  return c->loop != NULL;
}

/* Texts of the faults, a line each; valid until the next call. */
static inline const char *case_faults(const struct strategy_case *c) {
  static char text[2048];
  text[0] = '\0';
  for (size_t i = 0; i < c->faults.count; i++)
    snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", i ? "\n" : "", c->faults.items[i].text);
  return text;
}

static inline void case_run_model(struct strategy_case *c, const struct ts_strategy_batch *batch) {
  const size_t columns = c->space.count, series = c->problem.series_count;
  size_t first = c->history.count;
  ts_history_add(&c->history, batch->values, batch->count);
  for (size_t i = 0; i < batch->count; i++) {
    double x[CASE_COLUMNS];
    for (size_t k = 0; k < columns; k++) x[k] = ts_space_number(c->list[k], &batch->values[i * columns + k]);
    for (size_t s = 0; s < series; s++)
      c->history.outputs[(first + i) * series + s] = c->model(x, c->problem.series[s].output);
  }
}

/* Asks once and runs the batch; its sets, 0: done (the reason is kept). */
static inline size_t case_step(struct strategy_case *c) {
  struct ts_strategy_batch batch = {0};
  struct ts_error err = {0};
  const char *reason = NULL;
  if (!ts_loop_next(c->loop, &c->history, &batch, &reason, &err)) fail_msg("%s", err.text);
  const size_t count = batch.count;
  if (count > 0) case_run_model(c, &batch);
  snprintf(c->reason, sizeof c->reason, "%s", count == 0 && reason ? reason : "");
  ts_strategy_batch_release(&batch);
  return count;
}

/* To the end, with the result. */
static inline void case_drive(struct strategy_case *c) {
  if (!case_begin(c)) fail_msg("%s", case_faults(c));
  while (case_step(c) > 0) continue;
  ts_loop_finish(c->loop, &c->history, &c->result);
}

static inline void case_release(struct strategy_case *c) {
  ts_loop_destroy(c->loop);
  ts_history_release(&c->history);
  ts_faults_release(&c->faults);
  ts_str_release(&c->notes);
}

/* ---- Phases made by hand. ---- */

/* An analysis of an output, all cells unknown (NaN) and backed by ten blocks. Eight at most. */
static inline struct ts_indices *case_analysis(struct ts_phase *phase, size_t output, const char *const *names,
                                               size_t count) {
  const struct ts_runs runs = {.names = names, .parameter_count = count, .row_count = 1, .group_count = count};
  const struct ts_analysis_options options = {.confidence = 0.95};
  if (!phase->analyses) phase->analyses = ts_calloc(8, sizeof *phase->analyses);
  assert_true(phase->analysis_count < 8);
  struct ts_phase_analysis *analysis = &phase->analyses[phase->analysis_count++];
  *analysis = (struct ts_phase_analysis){.output = output, .subset = TS_NONE, .is_known = true};
  ts_indices_init(&analysis->indices, phase->options->analyses[0], &runs, &options);
  for (size_t i = 0; i < count; i++) analysis->indices.usable[i] = 10;
  return &analysis->indices;
}

static inline void case_index(struct ts_indices *indices, size_t name, const char *column, double value, double low,
                              double high) {
  size_t at = ts_indices_column(indices, column);
  assert_true(at < indices->column_count && name < indices->name_count);
  indices->cells[name * indices->column_count + at] = (struct ts_index){value, low, high};
}

#endif
