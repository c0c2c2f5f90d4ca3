/* What manifests of commands and descriptors of new operations have in common: head, ports and parameters.
 * SPDX-License-Identifier: Apache-2.0 */
#include "op/manifest.h"

#include "op/op_int.h"

#include "base/alloc.h"
#include "base/const.h"

#include <math.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define MAX_FIELDS   16 /* of a port or parameter, those of the caller included */

/* ---- Head. ---- */

void ts_manifest_head(const struct ts_reader *reader, const json_t *manifest) {
  const char *name = ts_reader_string(reader, manifest, "name");
  if (name && !ts_op_name_allowed(name)) {
    struct ts_error *err =
        ts_reader_fault(reader, TS_ERR_BAD_NAME, "/name", TS_JSON_VALUE, "the name '%s' is not allowed", name);
    ts_error_help(err, "name it 'library.operation', in letters, digits, '_' and '-'");
  }
  const json_t *version = ts_reader_get(manifest, "version", TS_WANT_INTEGER);
  if (version && (json_integer_value(version) < 1 || json_integer_value(version) > UINT32_MAX))
    ts_error_help(ts_reader_fault(reader, TS_ERR_BAD_VALUE, "/version", TS_JSON_VALUE, "versions start at 1"),
                  "write 1, and raise it when results change");
  const char *numeric = ts_reader_string(reader, manifest, "numeric");
  if (numeric && !ts_op_numeric_allowed(numeric)) {
    struct ts_error *err =
        ts_reader_fault(reader, TS_ERR_BAD_VALUE, "/numeric", TS_JSON_VALUE, "unknown numeric class '%s'", numeric);
    ts_error_help(err, "%s", ts_op_numeric_words());
  }
}

/* ---- Ports. ---- */

static void check_word(const struct ts_reader *reader, const char *what, const char *name, const char *pointer) {
  if (ts_op_word_allowed(name)) return;
  struct ts_error *err = ts_reader_fault(reader, TS_ERR_BAD_NAME, pointer, TS_JSON_KEY,
                                         "%s '%s' has a name that is not allowed", what, name);
  ts_error_help(err, "use letters, digits and '_', a letter first");
}

/* Of `more` only those that the caller has; the rest of the array is his. */
static size_t join_fields(struct ts_field *fields, size_t count, const struct ts_manifest_fields *more) {
  if (!more) return count;
  if (count + more->count > MAX_FIELDS) TS_BUG("%zu keys of a part of a manifest", count + more->count);
  memcpy(fields + count, more->fields, more->count * sizeof *fields);
  return count + more->count;
}

/* Types that a file for a program can hold: fields of floats have no picture format, and an output has one type. */
static void check_type(const struct ts_reader *reader, const char *type, const char *pointer, bool is_output) {
  char name[64];
  if (!ts_op_declaration_allowed(type, name)) {
    struct ts_error *err =
        ts_reader_fault(reader, TS_ERR_PORT_TYPE, pointer, TS_JSON_VALUE, "unknown port type '%s'", name);
    ts_error_help(err, "types: image/rgb8, image/gray8, image/gray16, mask, labels, table, objects, bytes, file");
    return;
  }
  for (const char *rest = type; ts_op_next_type(&rest, name);) {
    bool refused = strcmp(name, "field/f32") == 0 || (is_output && strcmp(name, "file") == 0);
    if (!refused) continue;
    struct ts_error *err =
        ts_reader_fault(reader, TS_ERR_PORT_TYPE, pointer, TS_JSON_VALUE, "a command cannot have %s of type '%s'",
                        is_output ? "an output" : "an input", name);
    ts_error_help(err, "use 'bytes' and a format of your own");
  }
  if (!is_output || !strchr(type, '|')) return;
  struct ts_error *err = ts_reader_fault(reader, TS_ERR_PORT_TYPE, pointer, TS_JSON_VALUE,
                                         "the output of a command must have one type, not '%s'", type);
  ts_error_help(err, "choose one of them");
}

static void read_port(const struct ts_reader *reader, const char *name, const json_t *object, const char *pointer,
                      bool is_output, const struct ts_manifest_fields *more, struct ts_op_port *port) {
  check_word(reader, is_output ? "output" : "input", name, pointer);
  port->name = ts_arena_strdup(reader->arena, name);
  struct ts_field fields[MAX_FIELDS] = {
      {.name = "type", .want = TS_WANT_STRING, .required = true, .example = "\"mask\""},
      {.name = "optional", .want = TS_WANT_BOOLEAN, .example = "true"}};
  const char *what = ts_arena_printf(reader->arena, "%s '%s'", is_output ? "output" : "input", name);
  if (!ts_reader_want(reader, object, pointer, what, TS_WANT_OBJECT, "{\"type\": \"mask\"}")) return;
  ts_reader_fields(reader, object, pointer, what, fields, join_fields(fields, is_output ? 1 : 2, more));
  port->type = ts_reader_string(reader, object, "type");
  port->help = ts_reader_string(reader, object, "help");
  port->optional = json_is_true(json_object_get(object, "optional"));
  if (port->type) check_type(reader, port->type, ts_reader_child(reader, pointer, "type"), is_output);
}

const struct ts_op_port *const *ts_manifest_ports(const struct ts_reader *reader, const json_t *manifest,
                                                  const char *key, const struct ts_manifest_fields *more,
                                                  size_t *count) {
  const json_t *object = ts_reader_get(manifest, key, TS_WANT_OBJECT);
  const char *pointer = ts_reader_child(reader, "", key);
  bool is_output = strcmp(key, "outputs") == 0;
  size_t size = json_object_size(object);
  if (is_output && object && size == 0)
    ts_error_help(ts_reader_fault(reader, TS_ERR_MISSING_KEY, pointer, TS_JSON_VALUE, "an operation needs an output"),
                  "add \"NAME\": {\"type\": \"table\"}, for example");
  if (size > TS_OP_MAX_PORTS) {
    struct ts_error *err = ts_reader_fault(reader, TS_ERR_BAD_VALUE, pointer, TS_JSON_VALUE,
                                           "%zu ports; %d are possible", size, TS_OP_MAX_PORTS);
    ts_error_help(err, "split the operation in two, or pass several files as one");
    return NULL;
  }
  const struct ts_op_port **ports = ts_arena_array(reader->arena, size + 1, sizeof(*ports));
  void *at = json_object_iter(ts_without_const(object));
  for (; at; at = json_object_iter_next(ts_without_const(object), at)) {
    const char *name = json_object_iter_key(at);
    struct ts_op_port *port = ts_arena_alloc(reader->arena, sizeof *port);
    port->struct_bytes = sizeof *port;
    read_port(reader, name, json_object_iter_value(at), ts_reader_child(reader, pointer, name), is_output, more, port);
    ports[(*count)++] = port;
  }
  return ports;
}

/* ---- Parameters. ---- */

static bool parse_value_type(const char *name, enum ts_op_value_type *type) {
  for (int i = TS_OP_INTEGER; i <= TS_OP_STRING; i++) {
    if (strcmp(name, ts_op_value_type_name((enum ts_op_value_type)i)) != 0) continue;
    *type = (enum ts_op_value_type)i;
    return true;
  }
  return false;
}

static void read_domain(const struct ts_reader *reader, const json_t *object, const char *pointer,
                        struct ts_op_parameter *parameter) {
  parameter->low = 1;
  parameter->high = 0;
  const json_t *domain = ts_reader_get(object, "domain", TS_WANT_LIST);
  if (!domain) return;
  const char *place = ts_reader_child(reader, pointer, "domain");
  const json_t *low = json_array_get(domain, 0), *high = json_array_get(domain, 1);
  bool whole = parameter->type == TS_OP_INTEGER;
  struct ts_error *err = NULL;
  if (!whole && parameter->type != TS_OP_REAL) {
    err = ts_reader_fault(reader, TS_ERR_BAD_VALUE, place, TS_JSON_KEY, "only numbers have a 'domain'");
    ts_error_help(err, "list the allowed strings as 'choices'");
  } else if (json_array_size(domain) != 2 || !json_is_number(low) || !json_is_number(high) ||
             (whole && !(json_is_integer(low) && json_is_integer(high)))) {
    err = ts_reader_fault(reader, TS_ERR_WRONG_TYPE, place, TS_JSON_VALUE, "the domain must be two %s numbers",
                          whole ? "whole" : "finite");
    ts_error_help(err, "write [LOWEST, HIGHEST]");
  } else if (!(json_number_value(low) < json_number_value(high))) {
    err = ts_reader_fault(reader, TS_ERR_EMPTY_RANGE, place, TS_JSON_VALUE, "the domain is not a range");
    ts_error_help(err, "the first number must be below the second");
  }
  if (err) return;
  parameter->low = json_number_value(low);
  parameter->high = json_number_value(high);
}

static void read_choices(const struct ts_reader *reader, const json_t *object, const char *pointer,
                         struct ts_op_parameter *parameter) {
  const json_t *choices = ts_reader_get(object, "choices", TS_WANT_LIST);
  if (!choices) return;
  const char *place = ts_reader_child(reader, pointer, "choices");
  size_t count = json_array_size(choices);
  if (parameter->type != TS_OP_STRING || count == 0) {
    struct ts_error *err = ts_reader_fault(reader, TS_ERR_BAD_VALUE, place, TS_JSON_KEY,
                                           count == 0 ? "'choices' is empty" : "only strings have 'choices'");
    ts_error_help(err, "numbers have a 'domain': [LOWEST, HIGHEST]");
    return;
  }
  const char **list = ts_arena_array(reader->arena, count + 1, sizeof(*list));
  for (size_t i = 0; i < count; i++) {
    const json_t *choice = json_array_get(choices, i);
    if (!json_is_string(choice)) {
      struct ts_error *err = ts_reader_fault(reader, TS_ERR_WRONG_TYPE, place, TS_JSON_VALUE,
                                             "every choice must be a string, not %s", ts_json_kind(choice));
      ts_error_help(err, "put it in double quotation marks");
      return;
    }
    list[i] = ts_arena_strdup(reader->arena, json_string_value(choice));
  }
  parameter->choices = list;
}

static void read_parameter(const struct ts_reader *reader, const char *name, const json_t *object, const char *pointer,
                           const struct ts_manifest_fields *more, struct ts_op_parameter *parameter) {
  check_word(reader, "parameter", name, pointer);
  parameter->name = ts_arena_strdup(reader->arena, name);
  struct ts_field fields[MAX_FIELDS] = {
      {.name = "type", .want = TS_WANT_STRING, .required = true, .example = "\"integer\""},
      {.name = "domain", .want = TS_WANT_LIST, .example = "[0, 255]"},
      {.name = "choices", .want = TS_WANT_LIST, .example = "[\"fast\", \"exact\"]"}};
  const char *what = ts_arena_printf(reader->arena, "parameter '%s'", name);
  if (!ts_reader_want(reader, object, pointer, what, TS_WANT_OBJECT, "{\"type\": \"integer\"}")) return;
  ts_reader_fields(reader, object, pointer, what, fields, join_fields(fields, 3, more));
  parameter->help = ts_reader_string(reader, object, "help");
  const char *type = ts_reader_string(reader, object, "type");
  if (!type) return;
  if (!parse_value_type(type, &parameter->type)) {
    struct ts_error *err = ts_reader_fault(reader, TS_ERR_BAD_VALUE, ts_reader_child(reader, pointer, "type"),
                                           TS_JSON_VALUE, "unknown parameter type '%s'", type);
    ts_error_help(err, "types: integer, real, boolean, string");
    return;
  }
  read_domain(reader, object, pointer, parameter);
  read_choices(reader, object, pointer, parameter);
}

const struct ts_op_parameter *const *ts_manifest_parameters(const struct ts_reader *reader, const json_t *manifest,
                                                            const struct ts_manifest_fields *more, size_t *count) {
  const json_t *object = ts_reader_get(manifest, "parameters", TS_WANT_OBJECT);
  size_t size = json_object_size(object);
  if (size > TS_OP_MAX_PARAMETERS) {
    struct ts_error *err = ts_reader_fault(reader, TS_ERR_BAD_VALUE, "/parameters", TS_JSON_VALUE,
                                           "%zu parameters; %d are possible", size, TS_OP_MAX_PARAMETERS);
    ts_error_help(err, "remove those that are never varied");
    return NULL;
  }
  const struct ts_op_parameter **parameters = ts_arena_array(reader->arena, size + 1, sizeof(*parameters));
  void *at = json_object_iter(ts_without_const(object));
  for (; at; at = json_object_iter_next(ts_without_const(object), at)) {
    const char *name = json_object_iter_key(at);
    struct ts_op_parameter *parameter = ts_arena_alloc(reader->arena, sizeof *parameter);
    parameter->struct_bytes = sizeof *parameter;
    read_parameter(reader, name, json_object_iter_value(at), ts_reader_child(reader, "/parameters", name), more,
                   parameter);
    parameters[(*count)++] = parameter;
  }
  return parameters;
}
