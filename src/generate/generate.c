/* Makes the folder of a new operation: the descriptor is read and checked, then every file is written.
 * SPDX-License-Identifier: Apache-2.0 */
#include "generate/generate.h"

#include "generate/generate_int.h"

#include "base/alloc.h"
#include "base/file.h"

#include <stdio.h>
#include <string.h>

void ts_generated_release(struct ts_generated *generated) {
  free(generated->folder);
  json_decref(generated->files);
  *generated = (struct ts_generated){0};
}

static bool write_bytes(struct ts_generated *made, const char *name, const void *bytes, size_t size,
                        struct ts_error *err) {
  ts_auto_free char *path = ts_path_join(made->folder, name);
  if (!ts_file_write(path, bytes, size, err)) return false;
  json_array_append_new(made->files, json_string(name));
  return true;
}

static bool write_text(const struct new_operation *op, struct ts_generated *made, const char *name,
                       void (*print)(const struct new_operation *op, struct ts_str *out), struct ts_error *err) {
  ts_auto(ts_str_release) struct ts_str text = {0};
  print(op, &text);
  return write_bytes(made, name, ts_str_get(&text), text.length, err);
}

static bool write_source(const struct new_operation *op, const struct ts_generate_request *request,
                         struct ts_generated *made, struct ts_error *err) {
  if (op->kind == NEW_C)
    return write_text(op, made, ts_arena_printf(op->arena, "%s.c", op->stem), ts_new_c_source, err) &&
           write_bytes(made, "tessera_op.h", request->header, request->header_bytes, err);
  return write_text(op, made, ts_arena_printf(op->arena, "%s.py", op->stem), ts_new_python_source, err) &&
         write_text(op, made, ts_new_operation_file(op), ts_new_manifest, err);
}

static bool write_data(const struct new_operation *op, struct ts_generated *made, struct ts_error *err) {
  ts_auto_free char *folder = ts_path_join(made->folder, "data");
  if (!ts_folder_create(folder, err) || !write_text(op, made, "data.csv", ts_new_data_table, err)) return false;
  for (size_t i = 0; i < op->input_count; i++) {
    for (int number = 1; number <= NEW_EXAMPLES; number++) {
      char name[128];
      ts_new_example_name(&op->inputs[i], number, name);
      ts_auto_free char *path = ts_path_join(made->folder, name);
      if (!ts_new_write_example(&op->inputs[i], number, path, err)) return false;
      json_array_append_new(made->files, json_string(name));
    }
  }
  return true;
}

static bool write_all(const struct new_operation *op, const struct ts_generate_request *request,
                      struct ts_generated *made, struct ts_error *err) {
  return ts_folder_create(made->folder, err) && write_source(op, request, made, err) &&
         write_text(op, made, "Makefile", ts_new_makefile, err) &&
         write_text(op, made, "workflow.json", ts_new_workflow, err) &&
         write_text(op, made, "study.json", ts_new_study, err) && write_data(op, made, err) &&
         write_text(op, made, "test.sh", ts_new_test, err) && write_text(op, made, "README.md", ts_new_readme, err) &&
         write_bytes(made, "descriptor.json", request->descriptor->text, request->descriptor->length, err);
}

/* "zlib-crc", below the parent, unless a folder is named. Owned. */
static char *folder_of(const struct new_operation *op, const struct ts_generate_request *request) {
  if (request->folder) return ts_strdup(request->folder);
  ts_auto_free char *name = ts_strdup(op->name);
  for (char *c = name; *c; c++)
    if (*c == '.') *c = '-';
  const bool is_here = !request->parent || strcmp(request->parent, ".") == 0;
  return is_here ? ts_strdup(name) : ts_path_join(request->parent, name);
}

bool ts_generate(const struct ts_generate_request *request, struct ts_generated *generated, struct ts_faults *faults) {
  ts_auto(ts_arena_release) struct ts_arena arena = {0};
  const struct ts_reader reader = {.doc = request->descriptor, .arena = &arena, .faults = faults};
  struct new_operation op = {0};
  struct ts_error err = {0};
  *generated = (struct ts_generated){.files = json_array()};
  if (!ts_new_read(&reader, &op)) return false;
  generated->folder = folder_of(&op, request);
  if (!ts_folder_is_empty(generated->folder)) {
    ts_fail(&err, TS_ERR_OUTPUT_FOLDER, "'%s' is not empty: nothing is overwritten", generated->folder);
    ts_error_help(&err, "name a new folder: tessera new operation %s DIR", request->descriptor->file);
  } else {
    write_all(&op, request, generated, &err);
  }
  if (err.code != TS_ERR_OK) *ts_faults_add(faults) = err;
  return err.code == TS_ERR_OK;
}
