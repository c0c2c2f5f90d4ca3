/* The sets of a work order: those of the first round in the order itself, those of further ones in documents beside it.
 * SPDX-License-Identifier: Apache-2.0
 *
 * A run is begun before all its sets are known: studies in phases, or with a condition to stop at, ask for more when
 * they have seen results. The order stays as it was, and so does its fingerprint; each further round is a document
 * "tessera.order-round/1" (docs/schema/round.schema.json, docs/decisions/0017-rounds-beside-the-order.md). */
#include "order/order.h"

#include "base/alloc.h"

#include <string.h>

/* ---- writing ---- */
/* Parameters that are not at their default in every set. */
static size_t find_varied(const struct ts_workflow *w, const struct ts_value *values, size_t set_count,
                          size_t *columns) {
  size_t count = 0;
  for (size_t p = 0; p < w->parameter_count; p++) {
    size_t row = 0;
    while (row < set_count && ts_value_equal(&values[row * w->parameter_count + p], &w->parameters[p].default_value))
      row++;
    if (row < set_count) columns[count++] = p;
  }
  return count;
}

void ts_order_sets_write(json_t *document, const struct ts_workflow *w, const struct ts_value *values,
                         size_t set_count) {
  ts_auto_free size_t *columns = ts_calloc(w->parameter_count + 1, sizeof *columns);
  const size_t column_count = find_varied(w, values, set_count, columns);
  json_t *names = json_array(), *sets = json_array();
  for (size_t c = 0; c < column_count; c++) json_array_append_new(names, json_string(w->parameters[columns[c]].name));
  for (size_t r = 0; r < set_count; r++) {
    json_t *row = json_array();
    for (size_t c = 0; c < column_count; c++)
      json_array_append_new(row, ts_value_to_json(&values[r * w->parameter_count + columns[c]]));
    json_array_append_new(sets, row);
  }
  json_object_set_new(document, "space", json_pack("{s:o}", "parameters", names));
  json_object_set_new(document, "sets", sets);
}

json_t *ts_order_round_write(const struct ts_workflow *w, const struct ts_value *values, size_t first, size_t count) {
  json_t *round = json_pack("{s:s, s:I}", "schema", TS_ORDER_ROUND_SCHEMA, "first", (json_int_t)first);
  ts_order_sets_write(round, w, values + first * w->parameter_count, count);
  return round;
}

/* ---- reading ---- */
static bool fail_unfit(struct ts_error *err) {
  ts_fail(err, TS_ERR_STORE_FORMAT, "the parameter sets of the work order do not fit its workflow");
  ts_error_help(err, "start the run again; if that happens often, check the store with: tessera store verify");
  return false;
}

/* The sets of one document. Columns that it lacks have their defaults. */
static bool read_sets(const struct ts_workflow *w, const json_t *document, struct ts_arena *arena,
                      struct ts_value *values, struct ts_error *err) {
  const json_t *rows = json_object_get(document, "sets");
  const json_t *names = json_object_get(json_object_get(document, "space"), "parameters");
  size_t *columns = ts_arena_array(arena, json_array_size(names) + 1, sizeof *columns);
  for (size_t c = 0; c < json_array_size(names); c++) {
    const char *name = json_string_value(json_array_get(names, c));
    if (!name || !ts_workflow_find_parameter(w, name, &columns[c])) return fail_unfit(err);
  }
  for (size_t r = 0; r < json_array_size(rows); r++) {
    struct ts_value *row = values + r * w->parameter_count;
    const json_t *cells = json_array_get(rows, r);
    if (json_array_size(cells) != json_array_size(names)) return fail_unfit(err);
    for (size_t p = 0; p < w->parameter_count; p++) row[p] = w->parameters[p].default_value;
    for (size_t c = 0; c < json_array_size(cells); c++) {
      const enum ts_value_type type = w->parameters[columns[c]].type;
      if (!ts_value_from_json(json_array_get(cells, c), type, arena, &row[columns[c]], err)) return false;
    }
  }
  return true;
}

static size_t sets_of(const json_t *document) { return json_array_size(json_object_get(document, "sets")); }

struct ts_value *ts_order_sets(const struct ts_project *project, struct ts_arena *arena, size_t *count,
                               struct ts_error *err) {
  const struct ts_workflow *w = project->workflow;
  const struct ts_order *order = project->order;
  size_t i;
  json_t *round;
  *count = sets_of(order->root);
  json_array_foreach(order->rounds, i, round) *count += sets_of(round);
  struct ts_value *values = ts_arena_array(arena, *count * w->parameter_count + 1, sizeof *values);
  bool ok = read_sets(w, order->root, arena, values, err);
  size_t first = sets_of(order->root);
  json_array_foreach(order->rounds, i, round) {
    ok = ok && read_sets(w, round, arena, values + first * w->parameter_count, err);
    first += sets_of(round);
  }
  return ok ? values : NULL;
}
