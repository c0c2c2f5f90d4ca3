/* The workflow, the study and the table of data of a generated operation: they run as they are.
 * SPDX-License-Identifier: Apache-2.0
 *
 * A study needs a number for each run. Columns of a table are such numbers; pixels are thresholded and compared with
 * those of the defaults; where there is neither, the time that a run takes is measured. */
#include "generate/generate_int.h"

#include "base/alloc.h"

#include <string.h>

#define OUTPUTS_MAX 4 /* of the study: more make a long report of an example */

#define TASK  "work"
#define STAGE "main"

static bool is_type(const struct ts_type *type, const char *name) { return strcmp(type->name, name) == 0; }

static bool is_mask(const struct ts_type *type) { return is_type(type, "mask") || is_type(type, "labels"); }

/* The output whose pixels are compared with those of the defaults; NULL: a table has numbers, or nothing has. */
static const struct new_output *compared(const struct new_operation *op) {
  const struct new_output *found = NULL;
  for (size_t i = 0; i < op->output_count; i++) {
    const struct new_output *output = &op->outputs[i];
    if (output->type->kind == TS_DATA_TABLE && output->column_count > 0) return NULL;
    const bool fits =
        is_mask(output->type) || is_type(output->type, "image/gray8") || is_type(output->type, "image/rgb8");
    if (fits && !found) found = output;
  }
  return found;
}

static bool is_varied(const struct new_parameter *parameter) {
  const struct ts_op_parameter *p = parameter->parameter;
  const bool has_domain = (p->type == TS_OP_INTEGER || p->type == TS_OP_REAL) && p->low < p->high;
  return parameter->range || parameter->grid || p->choices || p->type == TS_OP_BOOLEAN || has_domain;
}

/* ---- The workflow ---- */

/* What a study tries: as the descriptor says; otherwise all of the domain, all choices, or both truth values. */
static json_t *parameter_json(const struct new_parameter *parameter) {
  const struct ts_op_parameter *p = parameter->parameter;
  json_t *object = ts_new_parameter_json(p);
  const json_t *domain = json_object_get(object, "domain"), *choices = json_object_get(object, "choices");
  json_object_set_new(object, "default", json_deep_copy(parameter->default_value));
  if (parameter->range)
    json_object_set_new(object, "range", json_deep_copy(parameter->range));
  else if (parameter->grid)
    json_object_set_new(object, "grid", json_deep_copy(parameter->grid));
  else if (domain)
    json_object_set_new(object, "range", json_deep_copy(domain));
  else if (choices)
    json_object_set_new(object, "grid", json_deep_copy(choices));
  else if (p->type == TS_OP_BOOLEAN)
    json_object_set_new(object, "grid", json_pack("[b, b]", 0, 1));
  return object;
}

static json_t *main_stage(const struct new_operation *op) {
  json_t *given = json_object(), *made = json_object(), *wired = json_object(), *values = json_array();
  for (size_t i = 0; i < op->input_count; i++) {
    const char *port = op->inputs[i].port->name;
    json_object_set_new(given, port, json_string(op->inputs[i].file_name));
    json_object_set_new(wired, port, json_string(port));
  }
  for (size_t i = 0; i < op->output_count; i++) {
    ts_auto(ts_str_release) struct ts_str source = {0};
    ts_str_addf(&source, TASK ".%s", op->outputs[i].port->name);
    json_object_set_new(made, op->outputs[i].port->name, json_string(ts_str_get(&source)));
  }
  for (size_t i = 0; i < op->parameter_count; i++)
    json_array_append_new(values, json_string(op->parameters[i].parameter->name));
  return json_pack("{s:s, s:s, s:s, s:o, s:o, s:[{s:s, s:s, s:o, s:o}]}", "name", STAGE, "per", "file", "help",
                   op->help, "in", given, "out", made, "tasks", "name", TASK, "op", op->name, "in", wired, "params",
                   values);
}

/* Pixels as a mask: grey values below 128 are marked. Nothing for a mask. */
static void add_mask_tasks(const struct ts_type *type, json_t *tasks) {
  const bool is_rgb = is_type(type, "image/rgb8");
  if (is_rgb)
    json_array_append_new(
        tasks, json_pack("{s:s, s:s, s:{s:s}}", "name", "gray", "op", "pixels.gray", "in", "image", "pixels"));
  if (!is_mask(type))
    json_array_append_new(tasks,
                          json_pack("{s:s, s:s, s:{s:s}, s:{s:{s:i}}}", "name", "mask", "op", "pixels.threshold", "in",
                                    "gray", is_rgb ? "gray.gray" : "pixels", "params", "below", "value", 128));
}

/* The stage that makes a mask, and the one that compares it with that of the default run. */
static void add_compare_stages(const struct new_output *output, json_t *stages) {
  ts_auto(ts_str_release) struct ts_str pixels = {0};
  ts_str_addf(&pixels, STAGE ".%s", output->port->name);
  const bool is_ready = is_mask(output->type);
  if (!is_ready) {
    json_t *tasks = json_array();
    add_mask_tasks(output->type, tasks);
    json_array_append_new(stages, json_pack("{s:s, s:s, s:s, s:{s:s}, s:{s:s}, s:o}", "name", "mark", "per", "file",
                                            "help", "marks dark pixels, so that there is something to compare", "in",
                                            "pixels", ts_str_get(&pixels), "out", "mask", "mask.mask", "tasks", tasks));
  }
  const char *mask = is_ready ? ts_str_get(&pixels) : "mark.mask";
  json_t *task = json_pack("{s:s, s:s, s:{s:s, s:s}}", "name", "scores", "op", "nuclei.compare", "in", "mask", "mask",
                           "reference", "reference");
  json_array_append_new(stages, json_pack("{s:s, s:s, s:s, s:{s:s, s:s}, s:{s:s}, s:[o]}", "name", "compare", "per",
                                          "file", "help", "compares with what the defaults give", "in", "mask", mask,
                                          "reference", "baseline", "out", "table", "scores.table", "tasks", task));
}

static json_t *inputs_json(const struct new_operation *op) {
  const struct new_output *output = compared(op);
  json_t *inputs = json_object();
  for (size_t i = 0; i < op->input_count; i++)
    json_object_set_new(inputs, op->inputs[i].file_name,
                        json_pack("{s:s, s:s}", "type", op->inputs[i].port->type, "help",
                                  op->inputs[i].port->help ? op->inputs[i].port->help : ""));
  if (!output) return inputs;
  ts_auto(ts_str_release) struct ts_str source = {0};
  if (is_mask(output->type))
    ts_str_addf(&source, STAGE ".%s", output->port->name);
  else
    ts_str_add(&source, "mark.mask");
  json_object_set_new(inputs, "baseline",
                      json_pack("{s:s, s:s}", "type", "mask|labels", "default_run", ts_str_get(&source)));
  return inputs;
}

const char *ts_new_operation_file(const struct new_operation *op) {
  return op->kind == NEW_C ? ts_arena_printf(op->arena, "lib%s.so", op->stem)
                           : ts_arena_printf(op->arena, "%s.json", op->stem);
}

void ts_new_workflow(const struct new_operation *op, struct ts_str *out) {
  json_t *parameters = json_object(), *stages = json_array();
  for (size_t i = 0; i < op->parameter_count; i++)
    json_object_set_new(parameters, op->parameters[i].parameter->name, parameter_json(&op->parameters[i]));
  json_array_append_new(stages, main_stage(op));
  if (compared(op)) add_compare_stages(compared(op), stages);
  ts_new_add_json(json_pack("{s:i, s:s, s:s, s:[s], s:o, s:o, s:o}", "tessera", 1, "name", op->stem, "help", op->help,
                            "operations", ts_new_operation_file(op), "inputs", inputs_json(op), "parameters",
                            parameters, "stages", stages),
                  out);
}

/* ---- The study ---- */

static json_t *outputs_json(const struct new_operation *op) {
  json_t *list = json_array();
  if (compared(op)) {
    json_array_append_new(list, json_string("compare.table:dice"));
    return list;
  }
  for (size_t i = 0; i < op->output_count; i++) {
    for (size_t c = 0; c < op->outputs[i].column_count && json_array_size(list) < OUTPUTS_MAX; c++) {
      ts_auto(ts_str_release) struct ts_str name = {0};
      ts_str_addf(&name, STAGE ".%s:%s", op->outputs[i].port->name, op->outputs[i].columns[c].name);
      json_array_append_new(list, json_string(ts_str_get(&name)));
    }
  }
  if (json_array_size(list) == 0) json_array_append_new(list, json_string("run:seconds"));
  return list;
}

bool ts_new_has_study(const struct new_operation *op) {
  for (size_t i = 0; i < op->parameter_count; i++)
    if (is_varied(&op->parameters[i])) return true;
  return false;
}

void ts_new_study(const struct new_operation *op, struct ts_str *out) {
  ts_auto(ts_str_release) struct ts_str question = {0};
  ts_str_addf(&question, "Which parameters decide what %s gives?", op->name);
  ts_new_add_json(json_pack("{s:i, s:s, s:s, s:s, s:{s:s}, s:{s:s, s:i, s:i}, s:o}", "tessera", 1, "name", op->stem,
                            "question", ts_str_get(&question), "workflow", "workflow.json", "data", "manifest",
                            "data.csv", "method", "name", "morris", "trajectories", 6, "seed", 1, "outputs",
                            outputs_json(op)),
                  out);
}

/* ---- The data ---- */

void ts_new_data_table(const struct new_operation *op, struct ts_str *out) {
  char name[128];
  for (size_t i = 0; i < op->input_count; i++) ts_str_addf(out, "%s%s", i ? "," : "", op->inputs[i].file_name);
  ts_str_add_char(out, '\n');
  for (int number = 1; number <= NEW_EXAMPLES; number++) {
    for (size_t i = 0; i < op->input_count; i++) {
      ts_new_example_name(&op->inputs[i], number, name);
      ts_str_addf(out, "%s%s", i ? "," : "", name);
    }
    ts_str_add_char(out, '\n');
  }
}
