/* What a project consists of, as JSON: tessera.project/1, docs/schema/project.schema.json.
 * SPDX-License-Identifier: Apache-2.0 */
#include "handles/handles_int.h"

#include "base/json.h"
#include "project/data/resolution.h"
#include "project/data/tissue.h"

/* ---- items ---- */

static json_t *files_of(const struct ts_project *project, const struct ts_item *item) {
  json_t *files = json_object();
  for (size_t k = 0; k < project->workflow->input_count; k++) {
    const struct ts_item_source *source = &item->sources[k];
    if (!source->path) continue;
    json_object_set_new(files, project->workflow->inputs[k].name,
                        json_pack("{s:s, s:s}", "path", source->path, "type", source->type ? source->type->name : ""));
  }
  return files;
}

/* An item without pixels has one empty tile, and no width. */
static json_t *items_of(const struct ts_project *project) {
  const struct ts_dataset *dataset = &project->dataset;
  json_t *list = json_array();
  for (size_t i = 0; i < dataset->item_count; i++) {
    const struct ts_item *item = &dataset->items[i];
    const json_int_t width = item->grid.whole.width, height = item->grid.whole.height;
    json_t *object = json_pack("{s:s, s:I, s:I, s:I, s:I, s:o}", "name", item->name, "width", width, "height", height,
                               "first_tile", (json_int_t)item->first_tile, "tiles", (json_int_t)item->tile_count,
                               "inputs", files_of(project, item));
    if (item->groups) json_object_set_new(object, "groups", ts_project_groups_json(project, item));
    ts_resolution_write(&item->given, object);
    ts_tissue_write(&item->tissue, object);
    json_array_append_new(list, object);
  }
  return list;
}

static json_t *grid_of(const struct ts_project *project) {
  const int64_t tile = project->request->has_tile ? project->request->tile_px : project->study.tile_px;
  return json_pack("{s:I, s:I, s:I}", "tile", (json_int_t)tile, "halo", (json_int_t)project->halo.px, "level",
                   (json_int_t)project->study.level);
}

/* ---- the workflow ---- */

static json_t *values_of(const struct ts_value *values, size_t count) {
  json_t *list = json_array();
  for (size_t i = 0; i < count; i++) json_array_append_new(list, ts_value_to_json(&values[i]));
  return list;
}

static json_t *ends_of(double low, double high) {
  json_t *list = json_array();
  json_array_append_new(list, ts_json_real(low));
  json_array_append_new(list, ts_json_real(high));
  return list;
}

static json_t *parameters_of(const struct ts_workflow *w) {
  json_t *list = json_array();
  for (size_t i = 0; i < w->parameter_count; i++) {
    const struct ts_parameter *p = &w->parameters[i];
    json_t *object = json_pack("{s:s, s:s, s:s, s:o}", "name", p->name, "type", ts_value_type_name(p->type), "help",
                               p->help, "default", ts_value_to_json(&p->default_value));
    if (p->unit != TS_UNIT_NONE) json_object_set_new(object, "unit", json_string(ts_unit_name(p->unit)));
    if (p->has_domain) json_object_set_new(object, "domain", ends_of(p->domain_low, p->domain_high));
    if (p->choices) json_object_set_new(object, "choices", values_of(p->choices, p->choice_count));
    if (p->levels) json_object_set_new(object, "grid", values_of(p->levels, p->level_count));
    if (p->has_range) json_object_set_new(object, "range", ends_of(p->range_low, p->range_high));
    if (p->group) json_object_set_new(object, "group", json_string(p->group));
    json_array_append_new(list, object);
  }
  return list;
}

static json_t *inputs_of(const struct ts_project *project) {
  const struct ts_workflow *w = project->workflow;
  json_t *list = json_array();
  for (size_t i = 0; i < w->input_count; i++)
    json_array_append_new(list,
                          json_pack("{s:s, s:s, s:s, s:b}", "name", w->inputs[i].name, "type", w->inputs[i].declaration,
                                    "help", w->inputs[i].help, "supplied", project->supplied && project->supplied[i]));
  return list;
}

static json_t *outputs_of(const struct ts_workflow *w, const struct ts_stage *stage) {
  json_t *list = json_array();
  for (size_t i = 0; i < stage->output_count; i++) {
    const struct ts_source *source = &stage->outputs[i].source;
    const struct ts_op_port *port = w->tasks[source->index].op->descriptor->outputs[source->port];
    json_array_append_new(list, json_pack("{s:s, s:s}", "name", stage->outputs[i].name, "type", port->type));
  }
  return list;
}

static json_t *stages_of(const struct ts_project *project) {
  const struct ts_workflow *w = project->workflow;
  json_t *list = json_array();
  for (size_t i = 0; i < w->stage_count; i++) {
    const struct ts_stage *stage = &w->stages[i];
    json_t *tasks = json_array();
    for (size_t t = stage->first_task; t < stage->first_task + stage->task_count; t++)
      json_array_append_new(tasks,
                            json_pack("{s:s, s:s}", "name", w->tasks[t].name, "op", w->tasks[t].op->descriptor->name));
    json_array_append_new(list, json_pack("{s:s, s:s, s:I, s:o, s:o}", "name", stage->name, "per",
                                          ts_scope_name(stage->scope), "units",
                                          (json_int_t)ts_dataset_units(&project->dataset, stage->scope), "tasks", tasks,
                                          "outputs", outputs_of(w, stage)));
  }
  return list;
}

/* ---- the study ---- */

static json_t *numbers_of(const struct study_file *study) {
  json_t *list = json_array();
  for (size_t i = 0; i < study->output_count; i++) {
    const struct study_output *output = &study->outputs[i];
    json_array_append_new(list, json_pack("{s:s, s:s, s:s}", "name", output->name, "label", output->label, "better",
                                          output->better ? output->better : ""));
  }
  return list;
}

void ts_handle_describe(const struct ts_project *project, json_t *object) {
  json_object_set_new(object, "name", json_string(project->study.name));
  json_object_set_new(object, "workflow", json_string(project->workflow->name));
  json_object_set_new(object, "question", json_string(project->study.question ? project->study.question : ""));
  json_object_set_new(object, "grid", grid_of(project));
  json_object_set_new(object, "items", items_of(project));
  json_object_set_new(object, "inputs", inputs_of(project));
  json_object_set_new(object, "parameters", parameters_of(project->workflow));
  json_object_set_new(object, "stages", stages_of(project));
  json_object_set_new(object, "outputs", numbers_of(&project->study));
}
