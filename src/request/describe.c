/* The table of commands as JSON: for each call a JSON Schema of its options, from which bindings can be made.
 * SPDX-License-Identifier: Apache-2.0 */
#include "request/table.h"

#include <string.h>

#include "base/json.h"

/* ---- one option ---- */

static json_t *words(const char *const *choices) {
  json_t *list = json_array();
  for (size_t i = 0; choices[i]; i++) json_array_append_new(list, json_string(choices[i]));
  return list;
}

/* Numbers of 64 bits do not all fit into those of JSON libraries: a limit that nobody reaches is left out. */
static json_t *integer_of(const struct tessera_option *option) {
  json_t *schema = json_pack("{s:s, s:I}", "type", "integer", "minimum", (json_int_t)option->least);
  if (option->kind != TESSERA_OPTION_SEED)
    json_object_set_new(schema, "maximum", json_integer((json_int_t)option->most));
  return schema;
}

static json_t *type_of(const struct tessera_option *option) {
  switch (option->kind) {
  case TESSERA_OPTION_FLAG: return json_pack("{s:s}", "type", "boolean");
  case TESSERA_OPTION_TALLY:
  case TESSERA_OPTION_COUNT:
  case TESSERA_OPTION_PIXELS:
  case TESSERA_OPTION_SEED: return integer_of(option);
  case TESSERA_OPTION_REAL:
    return json_pack("{s:s, s:f, s:f}", "type", "number", "exclusiveMinimum", option->above, "exclusiveMaximum",
                     option->below);
  case TESSERA_OPTION_WORD:
  case TESSERA_OPTION_SWITCH: return json_pack("{s:s, s:o}", "type", "string", "enum", words(option->choices));
  case TESSERA_OPTION_LIST:
    return json_pack("{s:s, s:{s:s, s:i}}", "type", "array", "items", "type", "string", "minLength", 1);
  case TESSERA_OPTION_SETTING:
    return json_pack("{s:s, s:{s:s}}", "type", "object", "additionalProperties", "type", "string");
  case TESSERA_OPTION_OPTIONAL: return json_pack("{s:[s, s]}", "type", "boolean", "string");
  case TESSERA_OPTION_BYTES: return json_pack("{s:[s, s]}", "type", "integer", "string");
  case TESSERA_OPTION_TEXT: break;
  }
  return json_pack("{s:s, s:i}", "type", "string", "minLength", 1);
}

static json_t *described(json_t *schema, const char *help) {
  json_object_set_new(schema, "description", json_string(help));
  return schema;
}

/* ---- one command ---- */

static json_t *request_of(const struct tessera_command *command) {
  json_t *properties = json_object(), *required = json_array();
  for (size_t i = 0; i < ts_option_row_count; i++) {
    const struct tessera_option *option = &ts_option_rows[i].shown;
    if (option->is_program || !tessera_option_applies(option, command)) continue;
    json_object_set_new(properties, option->name, described(type_of(option), option->help));
  }
  for (const struct tessera_operand *operand = command->operands; operand->name; operand++) {
    if (json_object_get(properties, operand->sets)) continue; /* it adds to the list of an option */
    json_t *schema = operand->choices ? json_pack("{s:s, s:o}", "type", "string", "enum", words(operand->choices))
                                      : json_pack("{s:s, s:i}", "type", "string", "minLength", 1);
    if (tessera_operand_repeats(command, operand)) schema = json_pack("{s:s, s:o}", "type", "array", "items", schema);
    json_object_set_new(properties, operand->sets, described(schema, operand->help));
    if (!operand->optional) json_array_append_new(required, json_string(operand->sets));
  }
  return json_pack("{s:s, s:o, s:o, s:b}", "type", "object", "properties", properties, "required", required,
                   "additionalProperties", 0);
}

json_t *ts_table_json(void) {
  json_t *list = json_array();
  for (size_t i = 0; i < TS_COMMAND_COUNT; i++) {
    const struct tessera_command *command = &ts_commands[i];
    if (command->is_program || !command->group) continue;
    json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:o}", "name", command->name, "summary", command->summary,
                                          "description", command->description, "request", request_of(command)));
  }
  return list;
}
