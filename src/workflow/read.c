/* Reads a workflow: its head and operation files, then pass after pass over its parts; all faults come out together.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/alloc.h"
#include "base/file.h"
#include "workflow/workflow_int.h"

#include <stdlib.h>
#include <string.h>

#define FORMAT 1

enum { TESSERA, NAME, OPERATIONS, INPUTS, PARAMETERS, CONSTRAINTS, STAGES, FIELD_COUNT };

/* With another format number every other complaint would be a guess. */
static bool check_format(struct ts_reader *reader, const json_t *root) {
  const json_t *number = json_object_get(root, "tessera");
  if (!json_is_number(number) || json_number_value(number) == FORMAT) return true;
  ts_auto_free char *text = ts_json_dump(number, false, false);
  struct ts_error *err =
      ts_reader_fault(reader, TS_ERR_FORMAT_VERSION, "/tessera", TS_JSON_VALUE,
                      "this workflow has the format number %s, but this program reads %d", text, FORMAT);
  return ts_error_help(err, "write \"tessera\": %d, or use a version of tessera that knows format %s", FORMAT, text);
}

static void load_operations(struct ts_builder *builder, const json_t *list) {
  struct ts_reader *reader = &builder->reader;
  ts_auto_free char *folder = ts_path_folder(reader->doc->file);
  for (size_t i = 0; i < json_array_size(list); i++) {
    const json_t *item = json_array_get(list, i);
    const char *pointer = ts_reader_item(reader, "/operations", i);
    if (!ts_reader_want(reader, item, pointer, "a file in 'operations'", TS_WANT_STRING, "\"libfit.so\"")) {
      builder->operations_known = false;
      continue;
    }
    ts_auto_free char *path = ts_path_join(folder, json_string_value(item));
    if (!ts_file_exists(path)) {
      struct ts_error *err = ts_reader_fault(reader, TS_ERR_FILE_NOT_FOUND, pointer, TS_JSON_VALUE,
                                             "there is no file of operations '%s'", json_string_value(item));
      ts_error_help(err, "%s; it is relative to the folder of the workflow",
                    ts_str_ends_with(path, ".so") ? "build the plugin, or correct the name" : "correct the name");
      builder->operations_known = false;
    } else if (!ts_registry_load(builder->registry, path, reader->faults)) {
      builder->operations_known = false;
    }
  }
}

/* Parameters and inputs share -p and --data on the command line and the tables of results. */
static void check_shared_names(struct ts_builder *builder) {
  for (size_t i = 0; i < builder->parameter_count; i++) {
    const char *name = builder->parameters[i].parameter.name;
    for (size_t j = 0; j < builder->input_count; j++) {
      if (strcmp(builder->inputs[j].input.name, name) != 0) continue;
      struct ts_error *err = ts_reader_fault(&builder->reader, TS_ERR_DUPLICATE_NAME, builder->parameters[i].pointer,
                                             TS_JSON_KEY, "'%s' is the name of a parameter and of an input", name);
      ts_error_help(err, "give one of them another name");
    }
  }
}

static void read_parts(struct ts_builder *builder, const struct ts_field *fields) {
  builder->inputs_known = !fields[INPUTS].faulty;
  builder->parameters_known = !fields[PARAMETERS].faulty;
  builder->stages_known = builder->uses_known = !fields[STAGES].faulty;
  builder->operations_known = !fields[OPERATIONS].faulty;
  if (!ts_registry_is_complete(builder->registry)) load_operations(builder, fields[OPERATIONS].value);
  builder->inputs = ts_read_inputs(&builder->reader, &builder->scratch, fields[INPUTS].value, "/inputs");
  builder->input_count = json_object_size(fields[INPUTS].value);
  builder->parameters =
      ts_read_parameters(&builder->reader, &builder->scratch, fields[PARAMETERS].value, "/parameters");
  builder->parameter_count = json_object_size(fields[PARAMETERS].value);
  check_shared_names(builder);
  if (fields[STAGES].value) ts_read_stages(builder, fields[STAGES].value, "/stages");
  ts_connect(builder);
  ts_check_types(builder);
  ts_bind_parameters(builder);
  ts_read_constraints(builder, fields[CONSTRAINTS].value, "/constraints");
  ts_order(builder);
}

static void read_root(struct ts_builder *builder, const json_t *root) {
  struct ts_reader *reader = &builder->reader;
  struct ts_field fields[FIELD_COUNT] = {
      [TESSERA] = {"tessera", TS_WANT_ANY, true, "1", NULL, false},
      [NAME] = {"name", TS_WANT_STRING, true, "\"nuclei\"", NULL, false},
      [OPERATIONS] = {"operations", TS_WANT_LIST, false, "[\"libfit.so\"]", NULL, false},
      [INPUTS] = {"inputs", TS_WANT_OBJECT, false, "{\"image\": {\"type\": \"image/rgb8\"}}", NULL, false},
      [PARAMETERS] = {"parameters", TS_WANT_OBJECT, false, "{\"RC\": {\"type\": \"integer\", \"default\": 8}}", NULL,
                      false},
      [CONSTRAINTS] = {"constraints", TS_WANT_LIST, false, "[\"minSize < maxSize\"]", NULL, false},
      [STAGES] = {"stages", TS_WANT_LIST, true, "[{\"name\": \"segment\", \"per\": \"tile\", \"tasks\": []}]", NULL,
                  false},
  };
  if (!ts_reader_want(reader, root, "", "a workflow", TS_WANT_OBJECT, "{\"tessera\": 1, \"name\": \"nuclei\"}")) return;
  if (!check_format(reader, root)) return;
  ts_reader_fields(reader, root, "", "a workflow", fields, FIELD_COUNT);
  if (fields[TESSERA].value && !json_is_number(fields[TESSERA].value)) {
    struct ts_error *err =
        ts_reader_fault(reader, TS_ERR_WRONG_TYPE, "/tessera", TS_JSON_VALUE,
                        "'tessera' must be a number, but it is %s", ts_json_kind(fields[TESSERA].value));
    ts_error_help(err, "write it as in \"tessera\": %d", FORMAT);
  }
  if (fields[NAME].value) {
    const char *name = json_string_value(fields[NAME].value);
    ts_reader_name(reader, name, "/name", TS_JSON_VALUE, "a workflow");
    builder->workflow->name = ts_arena_strdup(reader->arena, name);
  }
  builder->workflow->help = ts_reader_help(reader, root);
  read_parts(builder, fields);
}

struct ts_workflow *ts_workflow_parse(const struct ts_json_doc *doc, struct ts_registry *registry,
                                      struct ts_faults *faults) {
  size_t before = faults->count;
  struct ts_builder builder = {.registry = registry};
  builder.workflow = ts_calloc(1, sizeof *builder.workflow);
  builder.reader = (struct ts_reader){.doc = doc, .arena = &builder.workflow->arena, .faults = faults};
  builder.workflow->file = ts_arena_strdup(builder.reader.arena, doc->file);
  read_root(&builder, doc->root);
  bool ok = faults->count == before;
  if (ok) ts_build(&builder);
  ts_arena_release(&builder.scratch);
  if (ok) return builder.workflow;
  ts_workflow_destroy(builder.workflow);
  ts_faults_sort(faults);
  return NULL;
}

bool ts_workflow_open(struct ts_json_doc *doc, const char *file, struct ts_faults *faults) {
  struct ts_error err = {0};
  ts_auto(ts_str_release) struct ts_str text = {0};
  bool ok = ts_file_read(file, 0, &text, &err) && ts_json_doc_parse(doc, file, ts_str_get(&text), text.length, &err);
  if (!ok && err.code == TS_ERR_JSON_SYNTAX) ok = ts_parse_with_duplicates(doc, file, text.data, text.length, faults);
  if (!ok) *ts_faults_add(faults) = err;
  return ok;
}

struct ts_workflow *ts_workflow_read(const char *file, struct ts_registry *registry, struct ts_faults *faults) {
  struct ts_json_doc doc = {0};
  struct ts_workflow *workflow = ts_workflow_read_doc(&doc, file, registry, faults);
  ts_json_doc_close(&doc);
  return workflow;
}

struct ts_workflow *ts_workflow_read_doc(struct ts_json_doc *doc, const char *file, struct ts_registry *registry,
                                         struct ts_faults *faults) {
  size_t before = faults->count;
  if (!ts_workflow_open(doc, file, faults)) return NULL;
  bool repeated = faults->count > before;
  struct ts_workflow *workflow = ts_workflow_parse(doc, registry, faults);
  if (!repeated || !workflow) return workflow;
  ts_workflow_destroy(workflow);
  ts_faults_sort(faults);
  return NULL;
}

void ts_workflow_destroy(struct ts_workflow *workflow) {
  if (!workflow) return;
  /* The arena is part of what is freed, but owns nothing of it. */
  ts_arena_release(&workflow->arena);
  free(workflow);
}
