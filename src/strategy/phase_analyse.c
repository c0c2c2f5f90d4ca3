/* Indices of a phase: for every analysis and output over all files, and over the subsets of them that a study names.
 * SPDX-License-Identifier: Apache-2.0 */
#include "strategy/strategy_int.h"

#include "base/alloc.h"

#include <math.h>
#include <string.h>

/* The sets of a phase as a method sees them. */
struct analyser {
  const struct ts_strategy_problem *problem;
  const struct ts_history *history;
  struct ts_phase *phase;
  double *values;  /* owned; row by row */
  double *outputs; /* owned; of the series at hand */
};

static double *number_values(const struct ts_phase *phase) {
  size_t columns = phase->design.column_count, cells = phase->design.row_count * columns;
  double *values = ts_calloc(cells + 1, sizeof *values);
  for (size_t i = 0; i < cells; i++)
    values[i] = ts_space_number(phase->space->parameters[i % columns], &phase->design.values[i]);
  return values;
}

static struct ts_runs runs_of(const struct analyser *a) {
  const struct ts_phase *phase = a->phase;
  return (struct ts_runs){.names = phase->design.names,
                          .parameter_count = phase->design.column_count,
                          .row_count = phase->design.row_count,
                          .layout = phase->layout,
                          .unit = phase->design.unit,
                          .values = a->values,
                          .outputs = a->outputs,
                          .group_of = phase->groups.of,
                          .group_count = phase->groups.count,
                          .group_names = phase->groups.names};
}

static struct ts_analysis_options options_of(const struct analyser *a, bool pooled) {
  const struct ts_strategy_options *options = a->phase->options;
  return (struct ts_analysis_options){.resamples = a->problem->resamples,
                                      .confidence = a->problem->confidence,
                                      .seed = a->problem->seed,
                                      .levels = options->strategy->steps_by_levels ? options->levels : 0,
                                      .estimator = options->estimator,
                                      .convergence = pooled,
                                      .harmonics = options->harmonics,
                                      .slices = options->slices,
                                      .degree = options->degree,
                                      .step = options->step};
}

/* An analysis that fails does not end the study: its notes say why. */
static void note_failure(const struct analyser *a, const struct ts_method *method, const struct ts_runs *runs,
                         const struct ts_analysis_options *options, const struct ts_error *err,
                         struct ts_phase_analysis *analysis) {
  ts_indices_init(&analysis->indices, method, runs, options);
  for (size_t i = 0; i < runs->row_count; i++) analysis->indices.lost_count += isfinite(a->outputs[i]) ? 0 : 1;
  analysis->indices.row_count = runs->row_count;
  ts_indices_note(&analysis->indices, "%s; %s", err->text, err->help);
}

static void analyse(const struct analyser *a, const struct ts_method *method, size_t series) {
  struct ts_phase *phase = a->phase;
  const struct ts_series *s = &a->problem->series[series];
  struct ts_phase_analysis *analysis = &phase->analyses[phase->analysis_count++];
  *analysis = (struct ts_phase_analysis){.output = s->output, .subset = s->subset};
  for (size_t i = 0; i < phase->design.row_count; i++)
    a->outputs[i] = ts_history_output(a->history, phase->first + i, series);
  const struct ts_runs runs = runs_of(a);
  const struct ts_analysis_options options = options_of(a, s->subset == TS_NONE);
  struct ts_error err = {0};
  analysis->is_known = ts_analyse(method, &runs, &options, a->problem->pool, &analysis->indices, &err);
  if (!analysis->is_known) note_failure(a, method, &runs, &options, &err, analysis);
}

/* Notes of the methods over all files; losses of sets are reported once for the whole study. */
static void pass_notes(const struct analyser *a) {
  for (size_t i = 0; i < a->phase->analysis_count; i++) {
    const struct ts_phase_analysis *analysis = &a->phase->analyses[i];
    for (size_t n = 0; analysis->subset == TS_NONE && n < analysis->indices.note_count; n++) {
      if (strstr(analysis->indices.notes[n], "have no usable output")) continue;
      ts_strategy_note(a->problem, "%s, %s: %s", a->problem->outputs[analysis->output], analysis->indices.method->name,
                       analysis->indices.notes[n]);
    }
  }
}

/* Moves the analyses over all files of an earlier call to their places, so that they are made once. */
static bool take_known(struct ts_phase *phase, struct ts_phase_analysis *known, size_t count,
                       const struct ts_method *method, const struct ts_series *series) {
  for (size_t i = 0; i < count; i++) {
    if (known[i].indices.method != method || known[i].output != series->output || known[i].subset != series->subset)
      continue;
    phase->analyses[phase->analysis_count++] = known[i];
    known[i] = (struct ts_phase_analysis){0};
    return true;
  }
  return false;
}

static bool is_analysed(const struct ts_series *series, bool of_subsets) {
  return series->subset == TS_NONE || of_subsets;
}

static void report(const struct analyser *a, bool of_subsets) {
  const struct ts_strategy_problem *problem = a->problem;
  size_t total = 0;
  if (!problem->analysed) return;
  for (size_t s = 0; s < problem->series_count; s++) total += is_analysed(&problem->series[s], of_subsets);
  problem->analysed(problem->user, a->phase->analysis_count, total * a->phase->options->analysis_count);
}

static void analyse_all(const struct analyser *a, bool of_subsets, struct ts_phase_analysis *known,
                        size_t known_count) {
  const struct ts_strategy_options *options = a->phase->options;
  const size_t most = options->analysis_count * a->problem->series_count;
  a->phase->analyses = ts_calloc(most + 1, sizeof *a->phase->analyses);
  a->phase->analysis_count = 0;
  for (size_t m = 0; m < options->analysis_count; m++) {
    for (size_t s = 0; s < a->problem->series_count; s++) {
      const struct ts_series *series = &a->problem->series[s];
      if (!is_analysed(series, of_subsets)) continue;
      report(a, of_subsets);
      if (!take_known(a->phase, known, known_count, options->analyses[m], series)) analyse(a, options->analyses[m], s);
    }
  }
  report(a, of_subsets);
}

/* Analyses what is not known yet; `known` are earlier analyses of the same sets. */
static void complete(struct ts_phase *phase, const struct ts_strategy_problem *problem,
                     const struct ts_history *history, bool of_subsets, struct ts_phase_analysis *known,
                     size_t known_count) {
  struct analyser a = {.problem = problem, .history = history, .phase = phase, .values = number_values(phase)};
  a.outputs = ts_calloc(phase->design.row_count + 1, sizeof *a.outputs);
  analyse_all(&a, of_subsets, known, known_count);
  if (known_count == 0) pass_notes(&a);
  free(a.values);
  free(a.outputs);
}

void ts_phase_analyse(struct ts_phase *phase, const struct ts_strategy_problem *problem,
                      const struct ts_history *history) {
  ts_phase_analyses_release(phase);
  complete(phase, problem, history, false, NULL, 0);
}

void ts_phase_analyse_subsets(struct ts_phase *phase, const struct ts_strategy_problem *problem,
                              const struct ts_history *history) {
  ts_auto_free struct ts_phase_analysis *known = phase->analyses; /* its entries move */
  complete(phase, problem, history, true, known, phase->analysis_count);
}

void ts_phase_analyses_release(struct ts_phase *phase) {
  for (size_t i = 0; i < phase->analysis_count; i++) ts_indices_release(&phase->analyses[i].indices);
  free(phase->analyses);
  phase->analyses = NULL;
  phase->analysis_count = 0;
}
