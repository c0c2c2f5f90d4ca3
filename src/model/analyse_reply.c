/* Sensitivity indices as JSON: per output the indices with their intervals, pairs, ranks, convergence and notes.
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/analyse_int.h"

#include "analysis/rank.h"
#include "base/alloc.h"
#include "base/json.h"
#include "report/findings.h"

#include <math.h>
#include <stdio.h>

/* Unknown values are null. */
static void set_index(json_t *object, const char *name, const struct ts_index *index) {
  char key[64];
  json_object_set_new(object, name, ts_json_real(index->value));
  snprintf(key, sizeof key, "%s_lo", name);
  json_object_set_new(object, key, ts_json_real(index->low));
  snprintf(key, sizeof key, "%s_hi", name);
  json_object_set_new(object, key, ts_json_real(index->high));
}

static json_t *cells_json(const struct ts_indices *indices, const struct ts_index *cells, bool with_count) {
  json_t *list = json_array();
  for (size_t i = 0; i < indices->name_count; i++) {
    json_t *object = json_pack("{s:s}", "name", indices->names[i]);
    for (size_t c = 0; c < indices->column_count; c++) {
      set_index(object, indices->method->columns[c], &cells[i * indices->column_count + c]);
    }
    if (with_count) json_object_set_new(object, "n", json_integer((json_int_t)indices->usable[i]));
    json_array_append_new(list, object);
  }
  return list;
}

static json_t *pairs_json(const struct ts_indices *indices) {
  json_t *list = json_array();
  for (size_t i = 0; i < indices->pair_count; i++) {
    const struct ts_pair_index *pair = &indices->pairs[i];
    json_t *object = json_pack("{s:s, s:s}", "a", indices->names[pair->a], "b", indices->names[pair->b]);
    set_index(object, "value", &pair->index);
    json_array_append_new(list, object);
  }
  return list;
}

static json_t *convergence_json(const struct ts_indices *indices) {
  json_t *list = json_array();
  for (size_t i = 0; i < indices->convergence_count; i++) {
    const struct ts_convergence *step = &indices->convergence[i];
    json_array_append_new(
        list, json_pack("{s:I, s:o}", "n", (json_int_t)step->n, "indices", cells_json(indices, step->cells, false)));
  }
  return list;
}

static json_t *facts_json(const struct ts_indices *indices) {
  json_t *object = json_object();
  for (size_t i = 0; i < indices->fact_count; i++) {
    json_object_set_new(object, indices->facts[i].name, ts_json_real(indices->facts[i].value));
  }
  return object;
}

/* The order of the parameters, and which neighbours the runs cannot distinguish. */
static void set_ranks(json_t *object, const struct ts_indices *indices) {
  ts_auto_free size_t *order = ts_calloc(indices->name_count + 1, sizeof *order);
  ts_auto_free bool *unsettled = ts_calloc(indices->name_count + 1, sizeof *unsettled);
  ts_auto_free struct ts_open_rank *open = ts_calloc(indices->name_count + 1, sizeof *open);
  json_t *names = json_array(), *pairs = json_array();
  ts_rank(indices, NULL, order, unsettled);
  for (size_t i = 0; i < indices->name_count; i++) json_array_append_new(names, json_string(indices->names[order[i]]));
  const size_t count = ts_rank_open(indices, open);
  for (size_t i = 0; i < count; i++) {
    json_t *pair = json_pack("{s:I, s:s, s:s}", "rank", (json_int_t)open[i].rank + 1, "a", indices->names[open[i].a],
                             "b", indices->names[open[i].b]);
    if (open[i].more > 0) json_object_set_new(pair, "more", json_integer((json_int_t)open[i].more));
    json_array_append_new(pairs, pair);
  }
  json_object_set_new(object, "order", names);
  json_object_set_new(object, "unsettled", pairs);
}

/* The value of the ranking index for each parameter. */
static void set_findings(json_t *list, const struct ts_indices *indices) {
  ts_auto(ts_findings_release) struct ts_findings findings = {0};
  ts_findings_of_indices(&findings, indices);
  for (size_t i = 0; i < indices->name_count; i++) {
    enum ts_finding finding = ts_findings_of_name(&findings, indices->names[i]);
    json_object_set_new(json_array_get(list, i), "finding", json_string(ts_finding_name(finding)));
  }
}

struct ts_morris_index *ts_morris_of_indices(const struct ts_indices *indices) {
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

static void add_classes(const struct ts_indices *indices, json_t *list) {
  ts_auto_free struct ts_morris_index *morris = ts_morris_of_indices(indices);
  double largest = ts_morris_largest(morris, indices->name_count);
  for (size_t i = 0; i < indices->name_count; i++) {
    const char *name =
        isnan(morris[i].mu_star) ? "unknown" : ts_effect_class_name(ts_morris_classify(&morris[i], largest, 0));
    json_object_set_new(json_array_get(list, i), "class", json_string(name));
  }
}

json_t *ts_analysis_output_json(const char *name, const struct ts_indices *indices) {
  json_t *object = json_pack("{s:s, s:I, s:o}", "name", name, "lost", (json_int_t)indices->lost_count, "indices",
                             cells_json(indices, indices->cells, true));
  set_findings(json_object_get(object, "indices"), indices);
  if (indices->method->has_classes) add_classes(indices, json_object_get(object, "indices"));
  if (indices->pair_count > 0) json_object_set_new(object, "S2", pairs_json(indices));
  set_ranks(object, indices);
  if (indices->convergence_count > 0) json_object_set_new(object, "convergence", convergence_json(indices));
  if (indices->fact_count > 0) json_object_set_new(object, "facts", facts_json(indices));
  json_t *notes = json_array();
  for (size_t i = 0; i < indices->note_count; i++) json_array_append_new(notes, json_string(indices->notes[i]));
  json_object_set_new(object, "notes", notes);
  return object;
}
