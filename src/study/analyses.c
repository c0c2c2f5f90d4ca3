/* Indices of a phase: for every analysis and output over all files, and for every file where there are several.
 * SPDX-License-Identifier: Apache-2.0 */
#include "project/study_method.h"
#include "study/study_result.h"

#include "analysis/rank.h"
#include "base/alloc.h"
#include "report/findings.h"

#include <math.h>
#include <string.h>

/* The runs of a phase as a method sees them. */
struct analyser {
  const struct ts_project *project; /* borrowed */
  const struct study_result *r;
  struct study_phase *phase;
  struct ts_pool *pool; /* owned */
  double *values;       /* owned; row by row */
  double *outputs;      /* owned; of the output at hand */
};

static double *number_values(const struct parameter_sets *sets) {
  size_t columns = sets->design.column_count;
  double *values = ts_calloc(sets->count * columns + 1, sizeof *values);
  for (size_t i = 0; i < sets->count * columns; i++)
    values[i] = ts_space_number(sets->space.parameters[i % columns], &sets->design.values[i]);
  return values;
}

static struct ts_runs runs_of(const struct analyser *a) {
  const struct parameter_sets *sets = &a->phase->sets;
  return (struct ts_runs){.names = sets->design.names,
                          .parameter_count = sets->design.column_count,
                          .row_count = sets->count,
                          .layout = sets->layout,
                          .unit = sets->design.unit,
                          .values = a->values,
                          .outputs = a->outputs,
                          .group_of = sets->group_of,
                          .group_count = sets->group_count,
                          .group_names = sets->group_names};
}

static struct ts_analysis_options options_of(const struct analyser *a, bool pooled) {
  const struct study_method *method = a->phase->method;
  return (struct ts_analysis_options){.resamples = a->project->study.resamples,
                                      .confidence = a->project->study.confidence,
                                      .seed = ts_study_seed(a->project),
                                      .levels = method->kind->levels ? method->levels : 0,
                                      .estimator = method->estimator,
                                      .convergence = pooled,
                                      .harmonics = method->harmonics,
                                      .slices = method->slices,
                                      .degree = method->degree,
                                      .step = method->step};
}

/* An analysis that fails does not end the study: its notes say why. */
static void note_failure(const struct analyser *a, const struct ts_method *method, const struct ts_runs *runs,
                         const struct ts_analysis_options *options, const struct ts_error *err,
                         struct study_analysis *analysis) {
  ts_indices_init(&analysis->indices, method, runs, options);
  for (size_t i = 0; i < runs->row_count; i++) analysis->indices.lost_count += isfinite(a->outputs[i]) ? 0 : 1;
  analysis->indices.row_count = runs->row_count;
  ts_indices_note(&analysis->indices, "%s; %s", err->text, err->help);
}

static void analyse(const struct analyser *a, const struct ts_method *method, size_t output, size_t file) {
  struct study_phase *phase = a->phase;
  struct study_analysis *analysis = &phase->analyses[phase->analysis_count++];
  *analysis = (struct study_analysis){.output = output, .file = file};
  for (size_t i = 0; i < phase->sets.count; i++) {
    size_t set = phase->first + i;
    a->outputs[i] = file == TS_NONE ? ts_study_value(a->r, set, output) : ts_study_file_value(a->r, set, output, file);
  }
  const struct ts_runs runs = runs_of(a);
  const struct ts_analysis_options options = options_of(a, file == TS_NONE);
  struct ts_error err = {0};
  analysis->is_known = ts_analyse(method, &runs, &options, a->pool, &analysis->indices, &err);
  if (!analysis->is_known) note_failure(a, method, &runs, &options, &err, analysis);
}

size_t ts_study_file_count(const struct ts_project *project, size_t output) {
  size_t stage = project->workflow->tasks[project->study.outputs[output].source.index].stage;
  return ts_scope_is_in_item(project->workflow->stages[stage].scope) ? project->dataset.item_count : 0;
}

/* A single file is the whole study. */
static size_t file_count(const struct ts_project *project, size_t output) {
  size_t count = ts_study_file_count(project, output);
  return count > 1 ? count : 0;
}

/* Notes of the methods; losses of runs are reported once for the whole study. */
static void warn(const struct ts_project *project, const struct study_phase *phase, struct ts_issues *issues) {
  for (size_t i = 0; i < phase->analysis_count; i++) {
    const struct study_analysis *analysis = &phase->analyses[i];
    if (analysis->file != TS_NONE) continue;
    for (size_t n = 0; n < analysis->indices.note_count; n++) {
      if (strstr(analysis->indices.notes[n], "have no usable output")) continue;
      ts_issues_warn_once(issues, "%s, %s: %s", project->study.outputs[analysis->output].name,
                          analysis->indices.method->name, analysis->indices.notes[n]);
    }
  }
}

static void analyse_all(struct analyser *a) {
  const struct study_method *method = a->phase->method;
  size_t outputs = a->project->study.output_count;
  size_t most = method->analysis_count * outputs * (a->project->dataset.item_count + 1);
  a->phase->analyses = ts_calloc(most + 1, sizeof *a->phase->analyses);
  for (size_t m = 0; m < method->analysis_count; m++) {
    for (size_t o = 0; o < outputs; o++) {
      analyse(a, method->analyses[m], o, TS_NONE);
      for (size_t f = 0; f < file_count(a->project, o); f++) analyse(a, method->analyses[m], o, f);
    }
  }
}

bool ts_study_analyse(const struct ts_project *project, struct study_result *r, struct study_phase *phase,
                      struct ts_issues *issues) {
  struct ts_error err = {0};
  ts_study_analyses_release(phase);
  if (phase->sets.is_given) return true; /* a given design has no indices */
  struct analyser a = {
      .project = project, .r = r, .phase = phase, .pool = ts_pool_create(project->request->threads, &err)};
  if (!a.pool) return ts_issues_fault(issues, &err);
  a.values = number_values(&phase->sets);
  a.outputs = ts_calloc(phase->sets.count + 1, sizeof *a.outputs);
  analyse_all(&a);
  warn(project, phase, issues);
  ts_pool_destroy(a.pool);
  free(a.values);
  free(a.outputs);
  return true;
}

const struct study_analysis *ts_study_answer_of(const struct study_phase *phase, size_t output) {
  for (size_t i = 0; i < phase->analysis_count; i++) {
    const struct study_analysis *analysis = &phase->analyses[i];
    if (analysis->output == output && analysis->file == TS_NONE) return analysis;
  }
  return NULL;
}

void ts_study_analyses_release(struct study_phase *phase) {
  for (size_t i = 0; i < phase->analysis_count; i++) ts_indices_release(&phase->analyses[i].indices);
  free(phase->analyses);
  phase->analyses = NULL;
  phase->analysis_count = 0;
}

struct ts_morris_index *ts_study_morris_indices(const struct ts_indices *indices) {
  struct ts_morris_index *morris = ts_calloc(indices->name_count + 1, sizeof *morris);
  for (size_t i = 0; i < indices->name_count; i++) {
    const struct ts_index *cells = indices->cells + i * indices->column_count;
    const struct ts_index mu = cells[ts_indices_column(indices, "mu")];
    const struct ts_index star = cells[ts_indices_column(indices, "mu_star")];
    const struct ts_index sigma = cells[ts_indices_column(indices, "sigma")];
    morris[i] = (struct ts_morris_index){.name = indices->names[i],
                                         .mu = mu.value,
                                         .mu_low = mu.low,
                                         .mu_high = mu.high,
                                         .mu_star = star.value,
                                         .mu_star_low = star.low,
                                         .mu_star_high = star.high,
                                         .sigma = sigma.value,
                                         .sigma_low = sigma.low,
                                         .sigma_high = sigma.high,
                                         .effect_count = indices->usable[i]};
  }
  return morris;
}

/* ---- Ranks. ---- */

#define PAIRS_NAMED 4 /* in the warning; the report has them all */

/* Neighbouring ranks whose intervals overlap, as far as one of the two may matter; none if the method has no
 * intervals. */
static size_t find_open(const struct ts_indices *indices, struct ts_open_rank *open) {
  ts_auto(ts_findings_release) struct ts_findings findings = {0};
  ts_findings_of_indices(&findings, indices);
  const size_t all = findings.has_intervals ? ts_rank_open(indices, open) : 0;
  size_t count = 0;
  for (size_t i = 0; i < all; i++) {
    if (ts_findings_pair_matters(&findings, indices->names[open[i].a], indices->names[open[i].b]))
      open[count++] = open[i];
  }
  return count;
}

static void add_pair(const struct ts_indices *indices, const struct ts_open_rank *open, struct ts_str *text) {
  ts_str_addf(text, "%s and %s", indices->names[open->a], indices->names[open->b]);
}

/* "12 more trajectories", "1 more base sample". */
static void add_blocks(const struct study_method *method, size_t more, struct ts_str *text) {
  const char *name = ts_study_method_count_name(method);
  const bool ies = ts_str_ends_with(name, "ies");
  if (more == 1)
    ts_str_addf(text, "1 more %.*s%s", (int)strlen(name) - (ies ? 3 : 1), name, ies ? "y" : "");
  else
    ts_str_addf(text, "%zu more %s", more, name);
}

void ts_study_warn_unsettled(const struct study_result *r, struct ts_issues *issues) {
  const struct study_phase *last = &r->phases[r->phase_count - 1];
  const struct study_analysis *analysis = ts_study_answer_of(last, 0);
  if (!analysis) return;
  const struct ts_indices *indices = &analysis->indices;
  ts_auto_free struct ts_open_rank *open = ts_calloc(indices->name_count + 1, sizeof *open);
  size_t count = find_open(indices, open), named = count > PAIRS_NAMED ? PAIRS_NAMED : count;
  if (count == 0) return;
  ts_auto(ts_str_release) struct ts_str text = {0};
  for (size_t i = 0; i < named; i++) {
    if (i > 0) ts_str_add(&text, ", ");
    add_pair(indices, &open[i], &text);
  }
  if (named < count) ts_str_addf(&text, ", and %zu more", count - named);
  ts_str_add_char(&text, ')');
  if (open[0].more > 0) {
    ts_str_add(&text, "; about ");
    add_blocks(last->method, open[0].more, &text);
    ts_str_add(&text, " would likely separate ");
    add_pair(indices, &open[0], &text);
  }
  ts_issues_warn(issues, "neighbouring ranks overlap (%s", ts_str_get(&text));
}
