/* The analyses of a study as its result object contains them.
 * SPDX-License-Identifier: Apache-2.0 */
#include "api/api_int.h"
#include "model/model.h"

#include "base/alloc.h"
#include "base/json.h"

#include <math.h>
#include <string.h>

static void move(json_t *object, const char *from, const char *to) {
  json_t *value = json_incref(json_object_get(object, from));
  json_object_del(object, from);
  if (value) json_object_set_new(object, to, value);
}

static json_t *columns_json(const struct ts_indices *indices) {
  json_t *list = json_array();
  for (size_t i = 0; i < indices->column_count; i++)
    json_array_append_new(list, json_string(indices->method->columns[i]));
  return list;
}

/* {"a", "b", "more_blocks", "more_runs"}; unknown ones are left out. */
static void complete_unsettled(json_t *list, size_t block_rows) {
  for (size_t i = 0; i < json_array_size(list); i++) {
    json_t *pair = json_array_get(list, i);
    json_int_t more = json_integer_value(json_object_get(pair, "more"));
    json_object_del(pair, "more");
    if (more <= 0) continue;
    json_object_set_new(pair, "more_blocks", json_integer(more));
    json_object_set_new(pair, "more_runs", json_integer(more * (json_int_t)block_rows));
  }
}

static void complete_pairs(json_t *object) {
  move(object, "S2", "pairs");
  json_t *pairs = json_object_get(object, "pairs");
  for (size_t i = 0; i < json_array_size(pairs); i++) {
    move(json_array_get(pairs, i), "value_lo", "lo");
    move(json_array_get(pairs, i), "value_hi", "hi");
  }
}

static enum ts_scope scope_of(const struct ts_project *project, const struct study_output *output) {
  const struct ts_workflow *w = project->workflow;
  return w->stages[w->tasks[output->source.index].stage].scope;
}

const char *ts_study_over_tiles(const struct ts_project *project, const struct study_output *output) {
  const bool has_tiles = output->cost == COST_NONE && ts_scope_is_tile(scope_of(project, output));
  return has_tiles ? ts_over_names[output->over_tiles] : "";
}

const char *ts_study_over_files(const struct ts_project *project, const struct study_output *output) {
  const bool has_files = output->cost == COST_NONE && ts_scope_is_in_item(scope_of(project, output));
  return has_files ? ts_over_names[output->over_files] : "";
}

json_t *ts_study_output_notes(const struct ts_project *project, size_t output) {
  const struct study_output *o = &project->study.outputs[output];
  const char *note = ts_study_outputs_cut_objects(project, &o->source, o->column);
  return note ? json_pack("[s]", note) : json_array();
}

static void add_head(const struct ts_project *project, const struct study_result *r, size_t number,
                     const struct ts_phase_analysis *analysis, json_t *object) {
  const struct ts_method *method = analysis->indices.method;
  const struct study_output *output = &project->study.outputs[analysis->output];
  const struct ts_phase *phase = r->found.phases[number];
  const struct study_subset *subset = analysis->subset == TS_NONE ? NULL : &r->course.subsets.items[analysis->subset];
  const bool is_file = subset && subset->kind == SUBSET_FILE;
  json_object_set_new(object, "phase", json_integer((json_int_t)number + 1));
  json_object_set_new(object, "method", json_string(method->name));
  json_object_set_new(object, "title", json_string(method->title));
  json_object_set_new(object, "assumes", json_string(method->assumes));
  json_object_set_new(object, "interval", json_string(method->interval));
  json_object_set_new(object, "output", json_string(output->name));
  json_object_set_new(object, "label", json_string(output->label));
  if (output->against) json_object_set_new(object, "against", json_string(output->against));
  json_object_set_new(object, "over_tiles", json_string(ts_study_over_tiles(project, output)));
  json_object_set_new(object, "output_notes", ts_study_output_notes(project, analysis->output));
  json_object_set_new(object, "over_files", json_string(ts_study_over_files(project, output)));
  json_object_set_new(object, "scope", json_string(is_file ? "file" : subset ? "group" : "pooled"));
  json_object_set_new(object, "file", json_string(is_file ? project->dataset.items[subset->files[0]].name : ""));
  json_object_set_new(object, "runs", json_integer((json_int_t)phase->design.row_count));
  bool has_blocks = phase->block_rows > 1 && phase->layout != TS_LAYOUT_FAST;
  size_t blocks = has_blocks ? ts_phase_size(phase) : 0;
  json_object_set_new(object, "blocks", json_integer((json_int_t)blocks));
  json_object_set_new(object, "resamples", json_integer((json_int_t)analysis->indices.resamples));
  json_object_set_new(object, "confidence", json_real(analysis->indices.confidence));
  json_object_set_new(object, "columns", columns_json(&analysis->indices));
  json_object_set_new(object, "rank_by", json_string(method->rank_by));
}

json_t *ts_study_analysis_json(const struct ts_project *project, const struct study_result *r, size_t phase,
                               const struct ts_phase_analysis *analysis) {
  const struct ts_phase *of = r->found.phases[phase];
  json_t *object = json_object();
  json_t *told = ts_analysis_output_json("", &analysis->indices);
  add_head(project, r, phase, analysis, object);
  json_object_del(told, "name");
  json_object_update(object, told);
  json_decref(told);
  complete_pairs(object);
  complete_unsettled(json_object_get(object, "unsettled"), of->design.row_count / ts_phase_size(of));
  return object;
}

static bool is_of_file(const struct study_result *r, const struct ts_phase_analysis *analysis) {
  return analysis->subset != TS_NONE && r->course.subsets.items[analysis->subset].kind == SUBSET_FILE;
}

/* The lowest and the highest index of each parameter among the files. */
static json_t *spread_json(const struct study_result *r, const struct ts_phase *phase,
                           const struct ts_phase_analysis *pooled) {
  const struct ts_indices *indices = &pooled->indices;
  size_t column = ts_indices_column(indices, indices->method->rank_by);
  const struct ts_phase_analysis *end = pooled + 1; /* of the single files, which come first */
  while (end < phase->analyses + phase->analysis_count && is_of_file(r, end)) end++;
  if (pooled + 1 == end) return NULL;
  json_t *list = json_array();
  for (size_t i = 0; i < indices->name_count; i++) {
    double lowest = INFINITY, highest = -INFINITY;
    for (const struct ts_phase_analysis *file = pooled + 1; file < end; file++) {
      double value = file->indices.cells[i * indices->column_count + column].value;
      lowest = fmin(lowest, value);
      highest = fmax(highest, value);
    }
    json_array_append_new(list, json_pack("{s:s, s:o, s:o}", "name", indices->names[i], "lowest", ts_json_real(lowest),
                                          "highest", ts_json_real(highest)));
  }
  return list;
}

json_t *ts_study_analyses_json(const struct ts_project *project, const struct study_result *r) {
  json_t *list = json_array();
  for (size_t p = 0; p < r->found.phase_count; p++) {
    const struct ts_phase *phase = r->found.phases[p];
    for (size_t i = 0; i < phase->analysis_count; i++) {
      const struct ts_phase_analysis *analysis = &phase->analyses[i];
      if (analysis->subset != TS_NONE && !is_of_file(r, analysis)) continue; /* groups_json.c has them */
      json_t *object = ts_study_analysis_json(project, r, p, analysis);
      json_t *spread = analysis->subset == TS_NONE ? spread_json(r, phase, analysis) : NULL;
      if (spread) json_object_set_new(object, "spread", spread);
      json_array_append_new(list, object);
    }
  }
  return list;
}
