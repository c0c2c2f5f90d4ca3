/* Sensitivity indices as JSON: per output the indices with their intervals, pairs, ranks, convergence and notes.
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/analyse_int.h"

#include "analysis/rank.h"
#include "base/alloc.h"
#include "base/json.h"
#include "report/findings.h"

#include <stdio.h>

#define ADVICE_TIMES 100 /* beyond this many times the runs, a number is not useful advice */

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

static size_t most_usable(const struct ts_indices *indices) {
  size_t most = 0;
  for (size_t i = 0; i < indices->name_count; i++) most = indices->usable[i] > most ? indices->usable[i] : most;
  return most;
}

/* The order of the parameters, and which neighbours the runs cannot distinguish. */
static void set_ranks(json_t *object, const struct ts_indices *indices) {
  ts_auto_free size_t *order = ts_calloc(indices->name_count + 1, sizeof *order);
  ts_auto_free bool *unsettled = ts_calloc(indices->name_count + 1, sizeof *unsettled);
  ts_rank(indices, NULL, order, unsettled);
  json_t *names = json_array(), *open = json_array();
  for (size_t i = 0; i < indices->name_count; i++) {
    json_array_append_new(names, json_string(indices->names[order[i]]));
    if (!unsettled[i]) continue;
    size_t more = ts_rank_more_blocks(indices, NULL, order[i], order[i + 1], ADVICE_TIMES * most_usable(indices));
    json_t *pair = json_pack("{s:I, s:s, s:s}", "rank", (json_int_t)i + 1, "a", indices->names[order[i]], "b",
                             indices->names[order[i + 1]]);
    if (more > 0) json_object_set_new(pair, "more", json_integer((json_int_t)more));
    json_array_append_new(open, pair);
  }
  json_object_set_new(object, "order", names);
  json_object_set_new(object, "unsettled", open);
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

json_t *ts_analysis_output_json(const char *name, const struct ts_indices *indices) {
  json_t *object = json_pack("{s:s, s:I, s:o}", "name", name, "lost", (json_int_t)indices->lost_count, "indices",
                             cells_json(indices, indices->cells, true));
  set_findings(json_object_get(object, "indices"), indices);
  if (indices->pair_count > 0) json_object_set_new(object, "S2", pairs_json(indices));
  set_ranks(object, indices);
  if (indices->convergence_count > 0) json_object_set_new(object, "convergence", convergence_json(indices));
  if (indices->fact_count > 0) json_object_set_new(object, "facts", facts_json(indices));
  json_t *notes = json_array();
  for (size_t i = 0; i < indices->note_count; i++) json_array_append_new(notes, json_string(indices->notes[i]));
  json_object_set_new(object, "notes", notes);
  return object;
}

static json_t *texts(const char *const *items, size_t most) {
  json_t *list = json_array();
  for (size_t i = 0; i < most && items[i]; i++) json_array_append_new(list, json_string(items[i]));
  return list;
}

json_t *ts_analysis_list(void) {
  json_t *list = json_array();
  for (size_t i = 0; ts_methods[i]; i++) {
    const struct ts_method *method = ts_methods[i];
    json_t *object = json_pack("{s:s, s:s, s:s, s:s, s:s}", "name", method->name, "title", method->title, "help",
                               method->assumes, "interval", method->interval, "rank_by", method->rank_by);
    if (method->alias) json_object_set_new(object, "alias", json_string(method->alias));
    json_object_set_new(object, "columns", texts(method->columns, sizeof method->columns / sizeof *method->columns));
    json_t *layouts = json_array();
    for (size_t l = 0; l < method->layout_count; l++) {
      json_array_append_new(layouts, json_string(ts_layout_name(method->layouts[l])));
    }
    json_object_set_new(object, "layouts", layouts);
    json_array_append_new(list, object);
  }
  return list;
}
