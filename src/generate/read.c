/* Reads a descriptor of a new operation; every fault of it with its place.
 * SPDX-License-Identifier: Apache-2.0 */
#include "generate/descriptor.h"

#include "op/manifest.h"
#include "op/op.h"

#include "base/alloc.h"
#include "base/const.h"

#include <string.h>

#define FORMAT_NUMBER 1

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const char *const kinds[] = {"c", "command", "script"};

enum { FOR_C = 1 << NEW_C, FOR_COMMAND = 1 << NEW_COMMAND, FOR_SCRIPT = 1 << NEW_SCRIPT };
#define FOR_ALL    (FOR_C | FOR_COMMAND | FOR_SCRIPT)
#define FOR_PYTHON (FOR_COMMAND | FOR_SCRIPT)

/* Keys of the descriptor, and the kinds that have them. */
static const struct {
  struct ts_field field;
  int kinds;
} keys[] = {
    {{.name = "tessera_new", .want = TS_WANT_INTEGER, .required = true, .example = "1"}, FOR_ALL},
    {{.name = "name", .want = TS_WANT_STRING, .required = true, .example = "\"zlib.crc\""}, FOR_ALL},
    {{.name = "version", .want = TS_WANT_INTEGER, .required = true, .example = "1"}, FOR_ALL},
    {{.name = "kind", .want = TS_WANT_STRING, .required = true, .example = "\"c\""}, FOR_ALL},
    {{.name = "numeric", .want = TS_WANT_STRING, .example = "\"exact\""}, FOR_ALL},
    {{.name = "inputs",
      .want = TS_WANT_OBJECT,
      .required = true,
      .example = "{\"image\": {\"type\": \"image/gray8\"}}"},
     FOR_ALL},
    {{.name = "outputs", .want = TS_WANT_OBJECT, .required = true, .example = "{\"table\": {\"type\": \"table\"}}"},
     FOR_ALL},
    {{.name = "parameters", .want = TS_WANT_OBJECT, .example = "{\"level\": {\"type\": \"integer\", \"default\": 6}}"},
     FOR_ALL},
    {{.name = "library", .want = TS_WANT_OBJECT, .example = "{\"pkg_config\": [\"zlib\"], \"headers\": [\"zlib.h\"]}"},
     FOR_C},
    {{.name = "open", .want = TS_WANT_STRING, .example = "\"library_init()\""}, FOR_C},
    {{.name = "thread_safe", .want = TS_WANT_BOOLEAN, .example = "false"}, FOR_C},
    {{.name = "reach", .want = TS_WANT_STRING, .example = "\"pixel\""}, FOR_C},
    {{.name = "radius_px", .want = TS_WANT_INTEGER, .example = "16"}, FOR_C},
    {{.name = "before", .want = TS_WANT_LIST, .example = "[\"int size = 0;\"]"}, FOR_C},
    {{.name = "call", .want = TS_WANT_STRING, .example = "\"crc32(0, {image.data}, {image.bytes})\""}, FOR_C},
    {{.name = "returns", .want = TS_WANT_STRING, .example = "\"int\""}, FOR_C},
    {{.name = "after", .want = TS_WANT_LIST, .example = "[\"free(list);\"]"}, FOR_C},
    {{.name = "fails", .want = TS_WANT_OBJECT, .example = "{\"if\": \"{result} != 0\"}"}, FOR_C},
    {{.name = "command", .want = TS_WANT_LIST, .example = "[\"gzip\", \"-c\", \"{image.path}\"]"}, FOR_COMMAND},
    {{.name = "stdin", .want = TS_WANT_STRING, .example = "\"image\""}, FOR_COMMAND},
    {{.name = "stdout", .want = TS_WANT_STRING, .example = "\"packed\""}, FOR_COMMAND},
    {{.name = "imports", .want = TS_WANT_LIST, .example = "[\"statistics\"]"}, FOR_PYTHON},
    {{.name = "lines", .want = TS_WANT_LIST, .example = "[\"values = {cells[area]}\"]"}, FOR_PYTHON},
};

/* What ports and parameters have here and not in manifests. */
static const struct ts_field output_keys[] = {
    {.name = "columns", .want = TS_WANT_OBJECT, .example = "{\"crc\": \"{result}\"}"},
    {.name = "size", .want = TS_WANT_STRING, .example = "\"compressBound({image.bytes})\""},
    {.name = "like", .want = TS_WANT_STRING, .example = "\"image\""},
    {.name = "starts_as", .want = TS_WANT_STRING, .example = "\"image\""}};
static const struct ts_field parameter_keys[] = {
    {.name = "default", .want = TS_WANT_ANY, .required = true, .example = "6"},
    {.name = "range", .want = TS_WANT_LIST, .example = "[0, 10]"},
    {.name = "grid", .want = TS_WANT_LIST, .example = "[1, 3, 5]"}};
static const struct ts_field library_keys[] = {
    {.name = "pkg_config", .want = TS_WANT_LIST, .example = "[\"zlib\"]"},
    {.name = "headers", .want = TS_WANT_LIST, .required = true, .example = "[\"zlib.h\"]"},
    {.name = "libs", .want = TS_WANT_LIST, .example = "[\"-lz\"]"},
    {.name = "cflags", .want = TS_WANT_LIST, .example = "[\"-I/opt/include\"]"}};
static const struct ts_field fails_keys[] = {
    {.name = "if", .want = TS_WANT_STRING, .required = true, .example = "\"{result} != 0\""},
    {.name = "reason", .want = TS_WANT_STRING, .example = "\"zError({result})\""}};

/* One descriptor while it is read. */
struct reading {
  const struct ts_reader *reader; /* borrowed */
  const json_t *root;             /* borrowed */
  struct new_operation *op;       /* borrowed */
};

/* ---- Texts and words ---- */

static struct new_text note_text(struct reading *r, const char *text, const char *pointer) {
  struct new_operation *op = r->op;
  const struct new_text noted = {text, pointer};
  if (op->text_count == op->text_capacity) {
    op->text_capacity = 2 * op->text_capacity + 16;
    struct new_text *longer = ts_arena_array(op->arena, op->text_capacity, sizeof *longer);
    if (op->text_count > 0) memcpy(longer, op->texts, op->text_count * sizeof *longer);
    op->texts = longer;
  }
  op->texts[op->text_count++] = noted;
  return noted;
}

static struct new_text read_text(struct reading *r, const json_t *object, const char *pointer, const char *key) {
  const char *text = ts_reader_string(r->reader, object, key);
  return text ? note_text(r, text, ts_reader_child(r->reader, pointer, key)) : (struct new_text){0};
}

static const char *read_item(struct reading *r, const json_t *item, const char *pointer, const char *key) {
  const char *label = ts_arena_printf(r->op->arena, "an entry of '%s'", key);
  if (!ts_reader_want(r->reader, item, pointer, label, TS_WANT_STRING, "\"...\"")) return NULL;
  return ts_arena_strdup(r->op->arena, json_string_value(item));
}

static struct new_texts read_texts(struct reading *r, const char *key) {
  const json_t *list = ts_reader_get(r->root, key, TS_WANT_LIST);
  const char *pointer = ts_reader_child(r->reader, "", key);
  struct new_texts texts = {.items = ts_arena_array(r->op->arena, json_array_size(list) + 1, sizeof *texts.items)};
  for (size_t i = 0; i < json_array_size(list); i++) {
    const char *place = ts_reader_item(r->reader, pointer, i);
    const char *text = read_item(r, json_array_get(list, i), place, key);
    if (text) texts.items[texts.count++] = note_text(r, text, place);
  }
  return texts;
}

/* Words that go into a Makefile or an #include as they are. */
static struct new_words read_words(struct reading *r, const json_t *object, const char *above, const char *key,
                                   const char *allowed) {
  const json_t *list = ts_reader_get(object, key, TS_WANT_LIST);
  const char *pointer = ts_reader_child(r->reader, above, key);
  struct new_words words = {.items = ts_arena_array(r->op->arena, json_array_size(list) + 1, sizeof *words.items)};
  for (size_t i = 0; i < json_array_size(list); i++) {
    const char *place = ts_reader_item(r->reader, pointer, i);
    const char *word = read_item(r, json_array_get(list, i), place, key);
    if (!word) continue;
    words.items[words.count++] = word;
    const size_t good = strspn(word, allowed);
    if (*word && !word[good]) continue;
    struct ts_error *err = ts_reader_fault(r->reader, TS_ERR_BAD_NAME, place, TS_JSON_VALUE,
                                           "'%s' in '%s' has a character that is not allowed", word, key);
    ts_error_help(err, "use letters, digits and %s", allowed + 62);
  }
  return words;
}

#define PLAIN "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

/* ---- Ports ---- */

static const char *stem_of(struct ts_arena *arena, const char *name) {
  char *stem = ts_arena_strdup(arena, name);
  for (char *c = stem; *c; c++)
    if (*c == '.' || *c == '-') *c = '_';
  return stem;
}

/* Kinds of files that an example can be made of, and one type each: the source is written for it. */
static const struct ts_type *read_type(struct reading *r, const char *key, const struct ts_op_port *port) {
  const struct ts_type *type = port->type ? ts_type_find(port->type) : NULL;
  const char *above = ts_reader_child(r->reader, ts_reader_child(r->reader, "", key), port->name);
  const char *pointer = ts_reader_child(r->reader, above, "type");
  if (port->type && strchr(port->type, '|')) {
    struct ts_error *err = ts_reader_fault(r->reader, TS_ERR_PORT_TYPE, pointer, TS_JSON_VALUE,
                                           "'%s' must have one type, not '%s'", port->name, port->type);
    ts_error_help(err, "choose one of them; alternatives can be added to what is written");
  } else if (type && (type->internal || strcmp(type->name, "shapes") == 0)) {
    struct ts_error *err =
        ts_reader_fault(r->reader, TS_ERR_PORT_TYPE, pointer, TS_JSON_VALUE,
                        "'%s' is of type '%s', which has no files of its own", port->name, type->name);
    ts_error_help(err, "use 'objects' for outlines");
    return NULL;
  } else if (type && strcmp(key, "inputs") == 0 && (strcmp(type->name, "objects") == 0 || type->kind == TS_DATA_FILE)) {
    struct ts_error *err =
        ts_reader_fault(r->reader, TS_ERR_PORT_TYPE, pointer, TS_JSON_VALUE,
                        "a workflow reads no file as '%s', which '%s' takes", type->name, port->name);
    ts_error_help(err, "use 'bytes': the content of the file");
  }
  return type;
}

/* Columns of a manifest that have a meaning of their own, and what a workflow takes for a truth. */
static const char *file_name_of(struct ts_arena *arena, const char *port) {
  static const char *const taken[] = {"mpp", "level", "tissue", "split", "reference", "baseline"};
  for (size_t i = 0; i < COUNT(taken); i++)
    if (strcmp(taken[i], port) == 0) return ts_arena_printf(arena, "%s_file", port);
  return port;
}

static void read_inputs(struct reading *r) {
  const struct ts_op_port *const *ports = ts_manifest_ports(r->reader, r->root, "inputs", NULL, &r->op->input_count);
  r->op->inputs = ts_arena_array(r->op->arena, r->op->input_count + 1, sizeof *r->op->inputs);
  for (size_t i = 0; i < r->op->input_count; i++)
    r->op->inputs[i] = (struct new_input){.port = ports[i],
                                          .type = read_type(r, "inputs", ports[i]),
                                          .file_name = file_name_of(r->op->arena, ports[i]->name)};
  if (r->op->input_count > 0 || !json_is_object(json_object_get(r->root, "inputs"))) return;
  ts_error_help(ts_reader_fault(r->reader, TS_ERR_MISSING_KEY, "/inputs", TS_JSON_VALUE, "the operation has no input"),
                "add one: a study runs over files");
}

static void read_columns(struct reading *r, const json_t *object, const char *pointer, struct new_output *output) {
  json_t *columns = ts_without_const(ts_reader_get(object, "columns", TS_WANT_OBJECT));
  const char *above = ts_reader_child(r->reader, pointer, "columns"), *name;
  json_t *value;
  output->columns = ts_arena_array(r->op->arena, json_object_size(columns) + 1, sizeof *output->columns);
  json_object_foreach(columns, name, value) {
    const char *place = ts_reader_child(r->reader, above, name);
    const char *label = ts_arena_printf(r->op->arena, "column '%s'", name);
    if (!ts_reader_want(r->reader, value, place, label, TS_WANT_STRING, "\"{result}\"")) continue;
    const char *text = ts_arena_strdup(r->op->arena, json_string_value(value));
    output->columns[output->column_count++] =
        (struct new_column){ts_arena_strdup(r->op->arena, name), note_text(r, text, place)};
  }
}

static bool has_pixels(const struct ts_type *type) { return type && type->kind == TS_DATA_PIXELS; }

/* A key that outputs of other kinds or types do not have. */
static void refuse_key(struct reading *r, const char *pointer, const char *key, const char *what) {
  struct ts_error *err = ts_reader_fault(r->reader, TS_ERR_UNKNOWN_KEY, ts_reader_child(r->reader, pointer, key),
                                         TS_JSON_KEY, "'%s' is for %s", key, what);
  ts_error_help(err, "remove it");
}

static void check_output(struct reading *r, const json_t *object, const char *pointer,
                         const struct new_output *output) {
  const bool is_c = r->op->kind == NEW_C, is_table = output->type && output->type->kind == TS_DATA_TABLE;
  const bool is_bytes = output->type && output->type->kind == TS_DATA_BYTES;
  if (!output->type) return;
  if (!is_table && json_object_get(object, "columns")) refuse_key(r, pointer, "columns", "tables");
  if (!(is_c && is_bytes) && json_object_get(object, "size")) refuse_key(r, pointer, "size", "bytes that C writes");
  for (size_t i = 2; i < COUNT(output_keys); i++)
    if (!(is_c && has_pixels(output->type)) && json_object_get(object, output_keys[i].name))
      refuse_key(r, pointer, output_keys[i].name, "pixels that C writes");
  if (is_c && is_table && output->column_count == 0)
    ts_error_help(ts_reader_fault(r->reader, TS_ERR_MISSING_KEY, pointer, TS_JSON_VALUE,
                                  "the table '%s' has no columns", output->port->name),
                  "add \"columns\": {\"NAME\": \"EXPRESSION\"}");
  if (is_c && is_bytes && !output->size.text)
    ts_error_help(ts_reader_fault(r->reader, TS_ERR_MISSING_KEY, pointer, TS_JSON_VALUE,
                                  "the most bytes of '%s' are not known", output->port->name),
                  "add \"size\": \"EXPRESSION\"");
}

/* The input that an output is like must have pixels; the same elements if it starts as a copy. */
static void read_like(struct reading *r, const json_t *object, const char *pointer, struct new_output *output) {
  const char *key = json_object_get(object, "starts_as") ? "starts_as" : "like";
  ts_auto(ts_names_release) struct ts_names names = {0};
  output->like = ts_reader_string(r->reader, object, key);
  output->starts_as_like = strcmp(key, "starts_as") == 0;
  const bool is_found_first = !output->like;
  for (size_t i = 0; i < r->op->input_count; i++) {
    const struct new_input *input = &r->op->inputs[i];
    if (!has_pixels(input->type)) continue;
    if (is_found_first && !output->like) output->like = input->port->name;
    if (output->starts_as_like &&
        (input->type->element != output->type->element || input->type->channels != output->type->channels))
      continue;
    ts_names_add(&names, input->port->name);
    if (output->like && strcmp(output->like, input->port->name) == 0) return;
  }
  const char *place = is_found_first ? pointer : ts_reader_child(r->reader, pointer, key);
  struct ts_error *err =
      output->like ? ts_reader_fault(r->reader, TS_ERR_NO_PRODUCER, place, TS_JSON_VALUE,
                                     "'%s' is not an input with pixels of the same kind", output->like)
                   : ts_reader_fault(r->reader, TS_ERR_NO_PRODUCER, place, TS_JSON_VALUE,
                                     "there is no input with pixels that says how large '%s' is", output->port->name);
  ts_names_suggest(&names, err, output->like ? output->like : "", "there are", "add an input with pixels");
}

static void read_outputs(struct reading *r) {
  const struct ts_manifest_fields more = {output_keys, COUNT(output_keys)};
  struct new_operation *op = r->op;
  const struct ts_op_port *const *ports = ts_manifest_ports(r->reader, r->root, "outputs", &more, &op->output_count);
  op->outputs = ts_arena_array(op->arena, op->output_count + 1, sizeof *op->outputs);
  for (size_t i = 0; i < op->output_count; i++) {
    struct new_output *output = &op->outputs[i];
    const json_t *object = json_object_get(json_object_get(r->root, "outputs"), ports[i]->name);
    const char *pointer = ts_reader_child(r->reader, "/outputs", ports[i]->name);
    *output = (struct new_output){.port = ports[i], .type = read_type(r, "outputs", ports[i])};
    if (!json_is_object(object)) continue;
    output->size = read_text(r, object, pointer, "size");
    read_columns(r, object, pointer, output);
    check_output(r, object, pointer, output);
    if (op->kind == NEW_C && has_pixels(output->type)) read_like(r, object, pointer, output);
  }
}

/* ---- Parameters ---- */

static void check_value(struct reading *r, const struct ts_op_parameter *parameter, const json_t *json,
                        const char *pointer) {
  struct ts_error err = {0};
  struct ts_value value;
  if (!json || (ts_value_from_json(json, ts_op_plain_type(parameter->type), r->op->arena, &value, &err) &&
                ts_op_check_value(parameter, &value, &err)))
    return;
  ts_json_place(&err, r->reader->doc, pointer, TS_JSON_VALUE);
  *ts_faults_add(r->reader->faults) = err;
}

static void check_list(struct reading *r, const struct ts_op_parameter *parameter, const json_t *list,
                       const char *pointer, const char *key) {
  const char *place = ts_reader_child(r->reader, pointer, key);
  const bool is_range = strcmp(key, "range") == 0;
  for (size_t i = 0; i < json_array_size(list); i++)
    check_value(r, parameter, json_array_get(list, i), ts_reader_item(r->reader, place, i));
  const bool is_number = parameter->type == TS_OP_INTEGER || parameter->type == TS_OP_REAL;
  const bool rises = json_number_value(json_array_get(list, 0)) < json_number_value(json_array_get(list, 1));
  if (list && is_range && !(is_number && json_array_size(list) == 2 && rises))
    ts_error_help(ts_reader_fault(r->reader, TS_ERR_EMPTY_RANGE, place, TS_JSON_VALUE,
                                  "the range of '%s' must be two rising numbers", parameter->name),
                  is_number ? "write [LOWEST, HIGHEST]" : "list the values as \"grid\"");
  if (list && !is_range && json_array_size(list) == 0)
    ts_error_help(ts_reader_fault(r->reader, TS_ERR_EMPTY_RANGE, place, TS_JSON_VALUE, "the grid of '%s' is empty",
                                  parameter->name),
                  "list the values that a study tries");
}

static void read_parameters(struct reading *r) {
  const struct ts_manifest_fields more = {parameter_keys, COUNT(parameter_keys)};
  struct new_operation *op = r->op;
  const struct ts_op_parameter *const *list = ts_manifest_parameters(r->reader, r->root, &more, &op->parameter_count);
  op->parameters = ts_arena_array(op->arena, op->parameter_count + 1, sizeof *op->parameters);
  for (size_t i = 0; i < op->parameter_count; i++) {
    const json_t *object = json_object_get(json_object_get(r->root, "parameters"), list[i]->name);
    const char *pointer = ts_reader_child(r->reader, "/parameters", list[i]->name);
    struct new_parameter *parameter = &op->parameters[i];
    *parameter = (struct new_parameter){.parameter = list[i],
                                        .default_value = json_object_get(object, "default"),
                                        .range = ts_reader_get(object, "range", TS_WANT_LIST),
                                        .grid = ts_reader_get(object, "grid", TS_WANT_LIST)};
    if (list[i]->type == 0) continue; /* reported */
    check_value(r, list[i], parameter->default_value, ts_reader_child(r->reader, pointer, "default"));
    check_list(r, list[i], parameter->range, pointer, "range");
    check_list(r, list[i], parameter->grid, pointer, "grid");
  }
}

/* A workflow has one name for each of its inputs and parameters, and placeholders have, too. */
static void check_names(struct reading *r) {
  const struct new_operation *op = r->op;
  for (size_t i = 0; i < op->input_count + op->output_count; i++) {
    const bool is_output = i >= op->input_count;
    const char *name = is_output ? op->outputs[i - op->input_count].port->name : op->inputs[i].port->name;
    const char *pointer = ts_reader_child(r->reader, is_output ? "/outputs" : "/inputs", name);
    bool is_taken = strcmp(name, "result") == 0;
    for (size_t p = 0; p < op->parameter_count; p++)
      is_taken = is_taken || strcmp(op->parameters[p].parameter->name, name) == 0;
    for (size_t p = 0; is_output && p < op->input_count; p++)
      is_taken = is_taken || strcmp(op->inputs[p].port->name, name) == 0;
    if (!is_taken) continue;
    struct ts_error *err = ts_reader_fault(r->reader, TS_ERR_DUPLICATE_NAME, pointer, TS_JSON_KEY,
                                           "'%s' would name two things in placeholders", name);
    ts_error_help(err, "give each port and parameter a name of its own, and none the name 'result'");
  }
}

/* ---- Kinds ---- */

static void read_library(struct reading *r) {
  const json_t *library = ts_reader_get(r->root, "library", TS_WANT_OBJECT);
  struct ts_field fields[COUNT(library_keys)];
  memcpy(fields, library_keys, sizeof fields);
  if (!library) return;
  ts_reader_fields(r->reader, library, "/library", "a library", fields, COUNT(fields));
  r->op->packages = read_words(r, library, "/library", "pkg_config", PLAIN ".+-_");
  r->op->headers = read_words(r, library, "/library", "headers", PLAIN "./+-_");
  r->op->libraries = read_words(r, library, "/library", "libs", PLAIN "./+-_=,:");
  r->op->flags = read_words(r, library, "/library", "cflags", PLAIN "./+-_=,:");
}

/* The reach 'radius' has a radius, 'component' may have one as its largest extent. */
static void check_radius(struct reading *r) {
  const bool is_radius = r->op->reach && strcmp(r->op->reach, "radius") == 0;
  const bool may_have = is_radius || (r->op->reach && strcmp(r->op->reach, "component") == 0);
  const bool is_given = json_object_get(r->root, "radius_px") != NULL;
  if (is_given && (!may_have || r->op->radius_px < 1))
    ts_error_help(ts_reader_fault(r->reader, TS_ERR_BAD_VALUE, "/radius_px", TS_JSON_VALUE,
                                  "a radius goes with the reach 'radius' or 'component', and is at least 1"),
                  "add \"reach\": \"radius\", or remove the radius");
  if (is_radius && !is_given)
    ts_error_help(ts_reader_fault(r->reader, TS_ERR_MISSING_KEY, "/reach", TS_JSON_VALUE,
                                  "the reach 'radius' does not say how far it is"),
                  "add \"radius_px\": 16, for example");
}

static void read_reach(struct reading *r) {
  static const char *const words[] = {"pixel", "radius", "component", "tile"};
  ts_auto(ts_names_release) struct ts_names names = {0};
  r->op->reach = ts_reader_string(r->reader, r->root, "reach");
  r->op->radius_px = json_integer_value(json_object_get(r->root, "radius_px"));
  check_radius(r);
  for (size_t i = 0; i < COUNT(words); i++) {
    if (!r->op->reach || strcmp(words[i], r->op->reach) == 0) return;
    ts_names_add(&names, words[i]);
  }
  ts_names_suggest(
      &names,
      ts_reader_fault(r->reader, TS_ERR_BAD_VALUE, "/reach", TS_JSON_VALUE, "there is no reach '%s'", r->op->reach),
      r->op->reach, "it is one of", "");
}

static void read_c(struct reading *r) {
  struct new_operation *op = r->op;
  const json_t *fails = ts_reader_get(r->root, "fails", TS_WANT_OBJECT);
  struct ts_field fields[COUNT(fails_keys)];
  memcpy(fields, fails_keys, sizeof fields);
  read_library(r);
  read_reach(r);
  op->open = read_text(r, r->root, "", "open");
  op->before = read_texts(r, "before");
  op->call = read_text(r, r->root, "", "call");
  op->after = read_texts(r, "after");
  op->returns = ts_reader_string(r->reader, r->root, "returns");
  op->not_thread_safe = json_is_false(json_object_get(r->root, "thread_safe"));
  if (fails) ts_reader_fields(r->reader, fails, "/fails", "'fails'", fields, COUNT(fields));
  op->fails_if = read_text(r, fails, "/fails", "if");
  op->fails_reason = read_text(r, fails, "/fails", "reason");
  if (!json_object_get(r->root, "library"))
    ts_error_help(ts_reader_fault(r->reader, TS_ERR_MISSING_KEY, "", TS_JSON_VALUE, "no library is named"),
                  "add \"library\": {\"pkg_config\": [\"zlib\"], \"headers\": [\"zlib.h\"]}");
  if (op->returns && !op->call.text)
    ts_error_help(
        ts_reader_fault(r->reader, TS_ERR_MISSING_KEY, "/returns", TS_JSON_KEY, "there is no 'call' that returns it"),
        "add \"call\", or remove \"returns\"");
}

static const char *read_stream(struct reading *r, const char *key, bool is_output) {
  const char *name = ts_reader_string(r->reader, r->root, key);
  ts_auto(ts_names_release) struct ts_names names = {0};
  const size_t count = is_output ? r->op->output_count : r->op->input_count;
  for (size_t i = 0; name && i < count; i++) {
    const char *port = is_output ? r->op->outputs[i].port->name : r->op->inputs[i].port->name;
    if (strcmp(port, name) == 0) return name;
    ts_names_add(&names, port);
  }
  if (name)
    ts_names_suggest(&names,
                     ts_reader_fault(r->reader, TS_ERR_NO_PRODUCER, ts_reader_child(r->reader, "", key), TS_JSON_VALUE,
                                     "'%s' is not an %s", name, is_output ? "output" : "input"),
                     name, "there are", "add one");
  return name;
}

static void read_python(struct reading *r) {
  r->op->imports = read_words(r, r->root, "", "imports", PLAIN "._");
  r->op->lines = read_texts(r, "lines");
  if (r->op->kind != NEW_COMMAND) return;
  r->op->command = read_texts(r, "command");
  r->op->standard_input = read_stream(r, "stdin", false);
  r->op->standard_output = read_stream(r, "stdout", true);
  if (r->op->command.count == 0 && !json_array_size(json_object_get(r->root, "command")))
    ts_error_help(ts_reader_fault(r->reader, TS_ERR_MISSING_KEY, "", TS_JSON_VALUE, "no command is given"),
                  "add \"command\": [\"PROGRAM\", \"ARGUMENT\"]");
}

/* ---- The whole ---- */

static void check_format(struct reading *r) {
  const json_t *format = ts_reader_get(r->root, "tessera_new", TS_WANT_INTEGER);
  if (!format || json_integer_value(format) == FORMAT_NUMBER) return;
  struct ts_error *err = ts_reader_fault(r->reader, TS_ERR_FORMAT_VERSION, "/tessera_new", TS_JSON_VALUE,
                                         "descriptor format %lld is unknown", (long long)json_integer_value(format));
  ts_error_help(err, "this tessera reads format %d", FORMAT_NUMBER);
}

/* False if the kind is not known: then its keys cannot be checked. */
static bool read_kind(struct reading *r) {
  ts_auto(ts_names_release) struct ts_names names = {0};
  const char *kind = ts_reader_string(r->reader, r->root, "kind");
  for (size_t i = 0; kind && i < COUNT(kinds); i++) {
    ts_names_add(&names, kinds[i]);
    if (strcmp(kinds[i], kind) != 0) continue;
    r->op->kind = (enum new_kind)i;
    return true;
  }
  if (kind)
    ts_names_suggest(
        &names, ts_reader_fault(r->reader, TS_ERR_BAD_VALUE, "/kind", TS_JSON_VALUE, "there is no kind '%s'", kind),
        kind, "kinds", "");
  return false;
}

static void check_kind_of_keys(struct reading *r) {
  for (size_t i = 0; i < COUNT(keys); i++) {
    const char *key = keys[i].field.name;
    if ((keys[i].kinds & (1 << r->op->kind)) || !json_object_get(r->root, key)) continue;
    struct ts_error *err =
        ts_reader_fault(r->reader, TS_ERR_UNKNOWN_KEY, ts_reader_child(r->reader, "", key), TS_JSON_KEY,
                        "'%s' is not for operations of kind '%s'", key, kinds[r->op->kind]);
    ts_error_help(err, "remove it, or change the kind");
  }
}

static void read_head(struct reading *r) {
  struct new_operation *op = r->op;
  const char *name = ts_reader_string(r->reader, r->root, "name");
  op->name = name ? name : "";
  op->stem = stem_of(op->arena, op->name);
  op->version = (uint32_t)json_integer_value(json_object_get(r->root, "version"));
  op->numeric = ts_reader_string(r->reader, r->root, "numeric");
  op->help = ts_reader_help(r->reader, r->root);
}

bool ts_new_read(const struct ts_reader *reader, struct new_operation *op) {
  struct reading r = {.reader = reader, .root = reader->doc->root, .op = op};
  struct ts_field fields[COUNT(keys)];
  const size_t before = reader->faults->count;
  op->arena = reader->arena;
  for (size_t i = 0; i < COUNT(keys); i++) fields[i] = keys[i].field;
  if (!ts_reader_want(reader, r.root, "", "a descriptor", TS_WANT_OBJECT, "{\"tessera_new\": 1}")) return false;
  ts_reader_fields(reader, r.root, "", "a descriptor", fields, COUNT(fields));
  check_format(&r);
  ts_manifest_head(reader, r.root);
  read_head(&r);
  if (!read_kind(&r)) return false;
  check_kind_of_keys(&r);
  read_inputs(&r);
  read_outputs(&r);
  read_parameters(&r);
  check_names(&r);
  if (op->kind == NEW_C)
    read_c(&r);
  else
    read_python(&r);
  for (size_t i = 0; i < op->text_count; i++) ts_placeholder_check(reader, op, &op->texts[i]);
  for (size_t i = 0; i < op->text_count; i++) ts_placeholder_note_columns(op, &op->texts[i]);
  return reader->faults->count == before;
}
