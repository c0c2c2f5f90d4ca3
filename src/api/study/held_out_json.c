/* The held-out files of a study in its result object: outputs at the defaults and at the best set.
 * SPDX-License-Identifier: Apache-2.0 */
#include "api/api_int.h"

#include "base/alloc.h"
#include "base/json.h"

/* The number of one output, with what the study found for the same set over its own files. */
static json_t *output_json(const struct ts_project *project, const struct study_result *r,
                           const struct held_out_set *found, size_t output) {
  const struct ts_total *total = &found->totals[output];
  json_t *object = json_pack("{s:s, s:o, s:o, s:o, s:I}", "output", project->study.outputs[output].name, "value",
                             ts_json_real(total->value), "lo", ts_json_real(found->ranges[output].low), "hi",
                             ts_json_real(found->ranges[output].high), "n", (json_int_t)total->n);
  if (found->set != TS_NONE)
    json_object_set_new(object, "studied", ts_json_real(ts_study_value(r, found->set, output)));
  return object;
}

static json_t *params_json(const struct ts_project *project, const struct study_result *r, size_t number) {
  const struct ts_workflow *w = project->workflow;
  const struct ts_value *values = r->held_out.sets.values + number * w->parameter_count;
  json_t *object = json_object();
  for (size_t p = 0; p < w->parameter_count; p++)
    json_object_set_new(object, w->parameters[p].name, ts_value_to_json(&values[p]));
  return object;
}

static json_t *set_json(const struct ts_project *project, const struct study_result *r, size_t number) {
  const struct held_out_set *found = &r->held_out.items[number];
  json_t *outputs = json_array(), *object = json_object();
  for (size_t o = 0; o < project->study.output_count; o++)
    if (project->study.outputs[o].cost == COST_NONE) json_array_append_new(outputs, output_json(project, r, found, o));
  const bool is_default = found->set == TS_NONE;
  json_object_set_new(object, "role", json_string(is_default ? "default" : "best"));
  if (!is_default) json_object_set_new(object, "set", json_integer((json_int_t)found->set));
  json_object_set_new(object, "params", params_json(project, r, number));
  json_object_set_new(object, "outputs", outputs);
  return object;
}

json_t *ts_study_held_out_json(const struct ts_project *project, const struct study_result *r) {
  const struct study_held_out *h = &r->held_out;
  if (project->held_out.item_count == 0) return NULL;
  json_t *names = json_array(), *sets = json_array();
  for (size_t i = 0; i < project->held_out.item_count; i++)
    json_array_append_new(names, json_string(project->held_out.items[i].name));
  for (size_t i = 0; h->is_run && i < h->count; i++) json_array_append_new(sets, set_json(project, r, i));
  json_t *object = json_pack("{s:I, s:o, s:o, s:I}", "files", (json_int_t)project->held_out.item_count, "names", names,
                             "sets", sets, "executed", (json_int_t)h->executed);
  if (h->is_run && h->goal != TS_NONE)
    json_object_set_new(object, "goal", json_string(project->study.outputs[h->goal].name));
  return object;
}
