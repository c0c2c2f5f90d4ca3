/* A session: reads the file the user named, the workflow behind it, and opens the store.
 * SPDX-License-Identifier: Apache-2.0 */
#include "project/session.h"

#include "base/alloc.h"
#include "base/file.h"
#include "op/implementation.h"
#include "ops/nuclei/nuclei.h"
#include "ops/source/source.h"
#include "sched/resources.h"

#include <stdio.h>
#include <string.h>

void ts_session_init(struct session *s, const struct ts_request *request) {
  *s = (struct session){.request = request};
  s->warnings = json_array();
  s->folder = request->folder ? request->folder : ".";
}

void ts_session_release(struct session *s) {
  ts_store_close(s->store);
  ts_workflow_destroy(s->workflow);
  ts_registry_destroy(s->registry);
  ts_json_doc_close(&s->doc);
  ts_json_doc_close(&s->workflow_doc);
  ts_faults_release(&s->faults);
  json_decref(s->warnings);
  json_decref(s->skipped);
  ts_arena_release(&s->arena);
}

struct ts_registry *ts_session_registry(void) {
  struct ts_registry *registry = ts_registry_create();
  ts_registry_add_built_in(registry, ts_source_operations, ts_source_operation_count, ts_implementations,
                           ts_implementation_count);
  ts_registry_add_built_in(registry, ts_nuclei_operations, ts_nuclei_operation_count, ts_implementations,
                           ts_implementation_count);
  return registry;
}

const char *ts_session_path(struct session *s, const char *path) {
  if (path[0] == '/' || strcmp(s->folder, ".") == 0) return ts_arena_strdup(&s->arena, path);
  char *joined = ts_path_join(s->folder, path);
  const char *copy = ts_arena_strdup(&s->arena, joined);
  free(joined);
  return copy;
}

void ts_session_warn(struct session *s, const char *format, ...) {
  char text[512];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  json_array_append_new(s->warnings, json_string(text));
}

void ts_session_warn_once(struct session *s, const char *format, ...) {
  char text[512];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  for (size_t i = 0; i < json_array_size(s->warnings); i++) {
    if (strcmp(json_string_value(json_array_get(s->warnings, i)), text) == 0) return;
  }
  json_array_append_new(s->warnings, json_string(text));
}

/* Every task that reads a changed file reports it. */
void ts_session_fault(struct session *s, const struct ts_error *err) {
  for (size_t i = 0; err->code == TS_ERR_DATA_CHANGED && i < s->faults.count; i++) {
    if (s->faults.items[i].code == err->code && strcmp(s->faults.items[i].text, err->text) == 0) return;
  }
  *ts_faults_add(&s->faults) = *err;
}

bool ts_session_ok(const struct session *s) { return s->faults.count == 0; }

/* The file to work on: the one named, or what a project usually has. */
static const char *find_file(struct session *s, struct ts_error *err) {
  if (s->request->file) return ts_session_path(s, s->request->file);
  const char *const usual[] = {"study.json", "workflow.json"};
  for (size_t i = 0; i < 2; i++) {
    const char *path = ts_session_path(s, usual[i]);
    if (ts_file_exists(path)) return path;
  }
  ts_fail(err, TS_ERR_FILE_NOT_FOUND, "there is no study.json or workflow.json in '%s'", s->folder);
  ts_error_help(err, "name the file, go to the project with -C DIR, or make one with: tessera init --demo nuclei DIR");
  return NULL;
}

/* A file that names none of these is meant as a workflow, however broken it is. */
static bool is_study(const json_t *root) {
  const char *const keys[] = {"workflow", "method", "outputs", "data"};
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
    if (json_object_get(root, keys[i])) return true;
  }
  return false;
}

/* A workflow that is not there is a fault of the study that names it. */
static bool has_workflow_file(struct session *s) {
  if (ts_file_exists(s->study.workflow)) return true;
  struct ts_error *fault = ts_faults_add(&s->faults);
  ts_fail(fault, TS_ERR_FILE_NOT_FOUND, "there is no workflow '%s'", s->study.workflow);
  ts_error_help(fault, "names in a study file are relative to its folder; check the spelling");
  ts_json_place(fault, &s->doc, "/workflow", TS_JSON_VALUE);
  return false;
}

static bool read_machine(struct session *s) {
  struct ts_error err = {0};
  if (!s->request->has) return true;
  s->machine = ts_arena_alloc(&s->arena, sizeof *s->machine);
  if (ts_worker_class_parse(s->machine, s->request->has, &err)) return true;
  ts_session_fault(s, &err);
  return false;
}

bool ts_session_read(struct session *s) {
  struct ts_error err = {0};
  if (!read_machine(s)) return false;
  if (s->order) return s->order_reader->read(s);
  const char *path = find_file(s, &err);
  if (!path) {
    ts_session_fault(s, &err);
    return false;
  }
  if (!ts_workflow_open(&s->doc, path, &s->faults)) return false;
  s->registry = ts_session_registry();
  s->study.is_bare_workflow = !is_study(s->doc.root);
  bool parsed = ts_study_file_parse(s);
  if (s->study.is_bare_workflow)
    s->workflow = ts_workflow_parse(&s->doc, s->registry, &s->faults);
  else if (s->study.workflow && has_workflow_file(s))
    s->workflow = ts_workflow_read_doc(&s->workflow_doc, s->study.workflow, s->registry, &s->faults);
  if (s->workflow) ts_study_outputs_resolve(s);
  return parsed && s->workflow && ts_session_ok(s);
}

bool ts_session_open_store(struct session *s, bool read_only, bool must_exist) {
  const char *asked = s->request->store ? s->request->store : ".tessera";
  bool memory = strcmp(asked, "memory") == 0;
  struct ts_store_options options = {.path = memory ? NULL : ts_session_path(s, asked), .read_only = read_only};
  struct ts_error err = {0};
  if (must_exist && (memory || !ts_folder_exists(options.path))) {
    ts_fail(&err, TS_ERR_NO_SUCH_RUN, "there is no store in '%s', hence no run", memory ? "memory" : options.path);
    ts_error_help(&err, "run a study first, or name the project with -C DIR");
    ts_session_fault(s, &err);
    return false;
  }
  s->store = ts_store_open(&options, &err);
  if (!s->store) {
    ts_session_fault(s, &err);
    return false;
  }
  return true;
}
