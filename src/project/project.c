/* Reads the file that the user named and the workflow behind it.
 * SPDX-License-Identifier: Apache-2.0 */
#include "project/project.h"
#include "project/built_in.h"
#include "project/operand.h"

#include "base/alloc.h"
#include "base/const.h"
#include "base/file.h"
#include "op/implementation.h"
#include "ops/nuclei/nuclei.h"
#include "ops/objects/objects.h"
#include "ops/pixels/pixels.h"
#include "ops/source/source.h"

#include <string.h>

void ts_project_init(struct ts_project *project, const struct ts_request *request) {
  *project = (struct ts_project){.request = request, .phases = ts_phases_create(request->observer)};
}

void ts_project_release(struct ts_project *project) {
  ts_budget_set(&project->budget, 0, 0);
  ts_workflow_destroy(project->workflow);
  ts_registry_destroy(project->registry);
  ts_json_doc_close(&project->doc);
  ts_json_doc_close(&project->workflow_doc);
  ts_arena_release(&project->arena);
  ts_phases_destroy(project->phases);
}

struct ts_registry *ts_project_registry(void) {
  struct ts_registry *registry = ts_registry_create();
  ts_registry_add_built_in(registry, ts_source_operations, ts_source_operation_count, ts_implementations,
                           ts_implementation_count);
  ts_registry_add_built_in(registry, ts_nuclei_operations, ts_nuclei_operation_count, ts_implementations,
                           ts_implementation_count);
  ts_registry_add_built_in(registry, ts_pixels_operations, ts_pixels_operation_count, ts_implementations,
                           ts_implementation_count);
  ts_registry_add_built_in(registry, ts_objects_operations, ts_objects_operation_count, ts_implementations,
                           ts_implementation_count);
  return registry;
}

/* The file to work on: the one named, or what a project usually has; NULL: neither. */
static const char *find_file(struct ts_project *project) {
  if (project->request->file) return ts_request_path(project->request, &project->arena, project->request->file);
  const char *const usual[] = {"study.json", "workflow.json"};
  for (size_t i = 0; i < 2; i++) {
    const char *path = ts_request_path(project->request, &project->arena, usual[i]);
    if (ts_file_exists(path)) return path;
  }
  return NULL;
}

static bool fail_nothing(const struct ts_project *project, struct ts_issues *issues) {
  struct ts_error *fault = ts_faults_add(&issues->faults);
  ts_fail(fault, TS_ERR_FILE_NOT_FOUND, "there is no study.json or workflow.json in '%s'",
          ts_request_folder(project->request));
  return ts_error_help(fault,
                       "name a file, or an image, a folder of images or a manifest (CSV), which needs no project; "
                       "go to the project with -C DIR, or make one: tessera init --demo nuclei DIR");
}

static bool has_key(const json_t *root, const char *const *keys, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (json_object_get(root, keys[i])) return true;
  return false;
}

/* A file that names none of these is meant as a workflow, however broken it is. */
static bool is_study(const json_t *root) {
  static const char *const keys[] = {"workflow", "method", "outputs", "data"};
  return has_key(root, keys, sizeof keys / sizeof *keys);
}

/* Whether there is nothing in a file that begins like ours from which one could guess what it is meant as. */
static bool is_neither(const json_t *root) {
  const char *key;
  json_t *value;
  json_object_foreach(ts_without_const(root), key, value) {
    if (strcmp(key, "tessera") != 0 && strcmp(key, "help") != 0 && strcmp(key, "comment") != 0) return false;
  }
  return json_is_object(root);
}

static bool fail_neither(const struct ts_project *project, struct ts_issues *issues) {
  struct ts_error *fault = ts_faults_add(&issues->faults);
  ts_fail(fault, TS_ERR_MISSING_KEY, "'%s' is neither a workflow nor a study", project->doc.file);
  ts_error_help(fault, "a workflow has \"name\" and \"stages\" (tessera help workflow); a study names a \"workflow\", "
                       "\"data\" and \"outputs\" (tessera help study)");
  return ts_error_place(fault, project->doc.file, 0, 0, NULL);
}

/* A workflow that is not there is a fault of the study that names it. */
static bool has_workflow_file(const struct ts_project *project, struct ts_issues *issues) {
  if (ts_file_exists(project->study.workflow)) return true;
  struct ts_error *fault = ts_faults_add(&issues->faults);
  ts_fail(fault, TS_ERR_FILE_NOT_FOUND, "there is no workflow '%s'", project->study.workflow);
  ts_error_help(fault, "names in a study file are relative to its folder; check the spelling");
  ts_json_place(fault, &project->doc, "/workflow", TS_JSON_VALUE);
  return false;
}

/* The study or workflow of the document that is open. */
static bool read_file(struct ts_project *project, struct ts_issues *issues) {
  if (is_neither(project->doc.root)) return fail_neither(project, issues);
  project->registry = ts_project_registry();
  project->study.is_bare_workflow = !is_study(project->doc.root);
  bool parsed = ts_study_file_parse(project, issues);
  if (project->study.is_bare_workflow)
    project->workflow = ts_workflow_parse(&project->doc, project->registry, &issues->faults);
  else if (project->study.workflow && has_workflow_file(project, issues))
    project->workflow =
        ts_workflow_read_doc(&project->workflow_doc, project->study.workflow, project->registry, &issues->faults);
  if (project->workflow) ts_study_outputs_resolve(project, issues);
  return parsed && project->workflow && ts_issues_ok(issues);
}

bool ts_project_read(struct ts_project *project, struct ts_issues *issues) {
  bool is_data = false;
  ts_phase_begin(project->phases, TS_PHASE_READING, 0);
  if (project->order) return project->order_reader->read(project, issues);
  if (!ts_operand_settle(project, &is_data, issues)) return false;
  const char *path = find_file(project);
  if (!path)
    return project->request->data_count > 0 ? ts_built_in_read(project, issues) : fail_nothing(project, issues);
  if (is_data) ts_issues_note(issues, "using '%s', with '%s' in place of its data", path, project->request->data[0]);
  return ts_workflow_open(&project->doc, path, &issues->faults) && read_file(project, issues);
}
