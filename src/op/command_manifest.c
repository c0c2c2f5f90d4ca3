/* Command manifests: a JSON file that makes a program in any language an operation.
 * SPDX-License-Identifier: Apache-2.0
 *
 * The format is described in docs/how-to-add-an-operation.md. All faults of a manifest are listed at once. The
 * registry's arena owns everything that is read. */
#include "op/op_int.h"

#include "base/alloc.h"
#include "base/const.h"
#include "base/file.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#define FORMAT_NUMBER 1

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void check_word(const struct ts_reader *reader, const char *what, const char *name, const char *pointer) {
  if (ts_op_word_allowed(name)) return;
  struct ts_error *err = ts_reader_fault(reader, TS_ERR_BAD_NAME, pointer, TS_JSON_KEY,
                                         "%s '%s' has a name that is not allowed", what, name);
  ts_error_help(err, "use letters, digits and '_', a letter first");
}

/* ---- Ports. ---- */

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
                      bool is_output, struct ts_op_port *port) {
  check_word(reader, is_output ? "output" : "input", name, pointer);
  port->name = ts_arena_strdup(reader->arena, name);
  struct ts_field fields[] = {{.name = "type", .want = TS_WANT_STRING, .required = true, .example = "\"mask\""},
                              {.name = "optional", .want = TS_WANT_BOOLEAN, .example = "true"}};
  const char *what = ts_arena_printf(reader->arena, "%s '%s'", is_output ? "output" : "input", name);
  if (!ts_reader_want(reader, object, pointer, what, TS_WANT_OBJECT, "{\"type\": \"mask\"}")) return;
  ts_reader_fields(reader, object, pointer, what, fields, is_output ? 1 : COUNT(fields));
  port->type = ts_reader_string(reader, object, "type");
  port->help = ts_reader_string(reader, object, "help");
  port->optional = json_is_true(json_object_get(object, "optional"));
  if (port->type) check_type(reader, port->type, ts_reader_child(reader, pointer, "type"), is_output);
}

static const struct ts_op_port *const *read_ports(const struct ts_reader *reader, const json_t *manifest,
                                                  const char *key, size_t *count) {
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
    read_port(reader, name, json_object_iter_value(at), ts_reader_child(reader, pointer, name), is_output, port);
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
                           struct ts_op_parameter *parameter) {
  check_word(reader, "parameter", name, pointer);
  parameter->name = ts_arena_strdup(reader->arena, name);
  struct ts_field fields[] = {{.name = "type", .want = TS_WANT_STRING, .required = true, .example = "\"integer\""},
                              {.name = "domain", .want = TS_WANT_LIST, .example = "[0, 255]"},
                              {.name = "choices", .want = TS_WANT_LIST, .example = "[\"fast\", \"exact\"]"}};
  const char *what = ts_arena_printf(reader->arena, "parameter '%s'", name);
  if (!ts_reader_want(reader, object, pointer, what, TS_WANT_OBJECT, "{\"type\": \"integer\"}")) return;
  ts_reader_fields(reader, object, pointer, what, fields, COUNT(fields));
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

static const struct ts_op_parameter *const *read_parameters(const struct ts_reader *reader, const json_t *manifest,
                                                            size_t *count) {
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
    read_parameter(reader, name, json_object_iter_value(at), ts_reader_child(reader, "/parameters", name), parameter);
    parameters[(*count)++] = parameter;
  }
  return parameters;
}

/* ---- The whole. ---- */

static bool check_keys(const struct ts_reader *reader, const json_t *manifest) {
  struct ts_field fields[] = {
      {.name = "tessera_operation", .want = TS_WANT_INTEGER, .required = true, .example = "1"},
      {.name = "name", .want = TS_WANT_STRING, .required = true, .example = "\"demo.total\""},
      {.name = "version", .want = TS_WANT_INTEGER, .required = true, .example = "1"},
      {.name = "command", .want = TS_WANT_LIST, .required = true, .example = "[\"python3\", \"total.py\"]"},
      {.name = "files", .want = TS_WANT_LIST, .example = "[\"limits.json\"]"},
      {.name = "complete", .want = TS_WANT_BOOLEAN, .example = "true"},
      {.name = "numeric", .want = TS_WANT_STRING, .example = "\"exact\""},
      {.name = "timeout_s", .want = TS_WANT_NUMBER, .example = "60"},
      {.name = "reads_pixel_size", .want = TS_WANT_BOOLEAN, .example = "true"},
      {.name = "needs", .want = TS_WANT_OBJECT, .example = "{\"memory\": \"8G\"}"},
      {.name = "inputs", .want = TS_WANT_OBJECT, .example = "{\"table\": {\"type\": \"table\"}}"},
      {.name = "outputs", .want = TS_WANT_OBJECT, .required = true, .example = "{\"sums\": {\"type\": \"table\"}}"},
      {.name = "parameters", .want = TS_WANT_OBJECT, .example = "{\"scale\": {\"type\": \"real\"}}"},
      {.name = "columns", .want = TS_WANT_OBJECT, .example = "{\"sums\": [\"area\"]}"},
      {.name = "ratios", .want = TS_WANT_OBJECT, .example = "{\"share\": [{\"part\": 1}, {\"whole\": 1}]}"},
      {.name = "counts", .want = TS_WANT_LIST, .example = "[\"nuclei\"]"},
      {.name = "objects", .want = TS_WANT_LIST, .example = "[\"nuclei\"]"},
  };
  if (!ts_reader_want(reader, manifest, "", "a manifest", TS_WANT_OBJECT, "{\"tessera_operation\": 1}")) return false;
  ts_reader_fields(reader, manifest, "", "a manifest", fields, COUNT(fields));
  return true;
}

static void check_head(const struct ts_reader *reader, const json_t *manifest) {
  const json_t *format = ts_reader_get(manifest, "tessera_operation", TS_WANT_INTEGER);
  if (format && json_integer_value(format) != FORMAT_NUMBER) {
    struct ts_error *err = ts_reader_fault(reader, TS_ERR_FORMAT_VERSION, "/tessera_operation", TS_JSON_VALUE,
                                           "manifest format %lld is unknown", (long long)json_integer_value(format));
    ts_error_help(err, "this tessera reads format %d", FORMAT_NUMBER);
  }
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
  const json_t *timeout = ts_reader_get(manifest, "timeout_s", TS_WANT_NUMBER);
  if (timeout && !(json_number_value(timeout) > 0 && json_number_value(timeout) <= 1e9))
    ts_error_help(
        ts_reader_fault(reader, TS_ERR_BAD_VALUE, "/timeout_s", TS_JSON_VALUE, "a time limit must be above 0"),
        "give seconds, or remove it for no limit");
}

static struct ts_op_descriptor *make_descriptor(const struct ts_reader *reader, const json_t *manifest) {
  struct ts_op_descriptor *descriptor = ts_arena_alloc(reader->arena, sizeof(*descriptor));
  descriptor->api = TESSERA_OP_API;
  descriptor->struct_bytes = sizeof(*descriptor);
  descriptor->name = ts_reader_string(reader, manifest, "name");
  descriptor->version = (uint32_t)json_integer_value(json_object_get(manifest, "version"));
  descriptor->numeric = ts_reader_string(reader, manifest, "numeric");
  descriptor->help = ts_reader_string(reader, manifest, "help");
  descriptor->inputs = read_ports(reader, manifest, "inputs", &descriptor->input_count);
  descriptor->outputs = read_ports(reader, manifest, "outputs", &descriptor->output_count);
  descriptor->parameters = read_parameters(reader, manifest, &descriptor->parameter_count);
  descriptor->reads_pixel_size = json_is_true(json_object_get(manifest, "reads_pixel_size"));
  ts_command_read_needs(reader, manifest, descriptor);
  ts_command_read_tables(reader, manifest, descriptor);
  descriptor->run = ts_command_run;
  return descriptor;
}

static void add_command(struct ts_registry *registry, const struct ts_json_doc *doc, const char *real_path,
                        struct ts_faults *faults) {
  struct ts_reader reader = {.doc = doc, .arena = ts_registry_arena(registry), .faults = faults};
  size_t before = faults->count;
  if (!check_keys(&reader, doc->root)) return;
  check_head(&reader, doc->root);
  struct ts_op_descriptor *descriptor = make_descriptor(&reader, doc->root);
  struct ts_command *command = ts_command_resolve(&reader, doc->root, real_path);
  if (faults->count != before || ts_registry_is_taken(registry, descriptor->name, doc->file, faults)) return;
  descriptor->user = command;
  struct ts_sha256 digest;
  ts_command_digest(command, doc, &digest);
  struct ts_op_entry entry = {descriptor, TS_OP_COMMAND, doc->file, &digest, command->complete, NULL};
  ts_registry_add(registry, &entry);
}

void ts_command_load(struct ts_registry *registry, const char *path, const char *real_path, struct ts_faults *faults) {
  struct ts_json_doc doc = {0};
  struct ts_error err = {0};
  if (!ts_json_doc_open(&doc, path, &err)) {
    *ts_faults_add(faults) = err;
    return;
  }
  add_command(registry, &doc, real_path, faults);
  ts_json_doc_close(&doc);
}
