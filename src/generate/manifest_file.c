/* The manifest of a generated command or script, and JSON that the generated files share.
 * SPDX-License-Identifier: Apache-2.0 */
#include "generate/generate_int.h"

#include "base/alloc.h"

#include <string.h>

static json_t *port_json(const struct ts_op_port *port) {
  json_t *object = json_pack("{s:s}", "type", port->type);
  if (port->help) json_object_set_new(object, "help", json_string(port->help));
  if (port->optional) json_object_set_new(object, "optional", json_true());
  return object;
}

static json_t *columns_json(const struct new_operation *op) {
  json_t *columns = json_object();
  for (size_t i = 0; i < op->output_count; i++) {
    if (op->outputs[i].column_count == 0) continue;
    json_t *list = json_array();
    for (size_t c = 0; c < op->outputs[i].column_count; c++)
      json_array_append_new(list, json_string(op->outputs[i].columns[c].name));
    json_object_set_new(columns, op->outputs[i].port->name, list);
  }
  return columns;
}

json_t *ts_new_parameter_json(const struct ts_op_parameter *parameter) {
  static const char *const types[] = {"", "integer", "real", "boolean", "string"};
  json_t *object = json_pack("{s:s}", "type", types[parameter->type]);
  if (parameter->choices) {
    json_t *list = json_array();
    for (size_t i = 0; parameter->choices[i]; i++) json_array_append_new(list, json_string(parameter->choices[i]));
    json_object_set_new(object, "choices", list);
  } else if (parameter->low <= parameter->high && parameter->type == TS_OP_INTEGER) {
    json_object_set_new(object, "domain", json_pack("[I, I]", (json_int_t)parameter->low, (json_int_t)parameter->high));
  } else if (parameter->low <= parameter->high && parameter->type == TS_OP_REAL) {
    json_object_set_new(object, "domain", json_pack("[f, f]", parameter->low, parameter->high));
  }
  if (parameter->help) json_object_set_new(object, "help", json_string(parameter->help));
  return object;
}

void ts_new_add_json(json_t *object, struct ts_str *out) {
  ts_auto_free char *text = ts_json_dump(object, false, true);
  ts_str_add(out, text);
  ts_str_add_char(out, '\n');
  json_decref(object);
}

void ts_new_manifest(const struct new_operation *op, struct ts_str *out) {
  ts_auto(ts_str_release) struct ts_str script = {0};
  ts_str_addf(&script, "%s.py", op->stem);
  json_t *inputs = json_object(), *outputs = json_object(), *parameters = json_object();
  for (size_t i = 0; i < op->input_count; i++)
    json_object_set_new(inputs, op->inputs[i].port->name, port_json(op->inputs[i].port));
  for (size_t i = 0; i < op->output_count; i++)
    json_object_set_new(outputs, op->outputs[i].port->name, port_json(op->outputs[i].port));
  for (size_t i = 0; i < op->parameter_count; i++)
    json_object_set_new(parameters, op->parameters[i].parameter->name,
                        ts_new_parameter_json(op->parameters[i].parameter));
  /* A program that is started may change without being declared: then results are not shared with other users. */
  ts_new_add_json(json_pack("{s:i, s:s, s:I, s:s, s:[s, s, s], s:[s], s:b, s:s, s:o, s:o, s:o, s:o}",
                            "tessera_operation", 1, "name", op->name, "version", (json_int_t)op->version, "help",
                            op->help, "command", "python3", "-I", ts_str_get(&script), "files", ts_str_get(&script),
                            "complete", op->kind == NEW_SCRIPT, "numeric", op->numeric ? op->numeric : "exact",
                            "inputs", inputs, "outputs", outputs, "parameters", parameters, "columns",
                            columns_json(op)),
                  out);
}
