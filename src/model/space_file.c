/* Opens the space that a design is drawn from: a space file, or the varied parameters of a workflow or study.
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/model.h"

#include "base/alloc.h"

#include <string.h>

/* A file with any of these keys is not a space file. */
static bool is_space(const json_t *root) {
  static const char *const others[] = {"stages", "workflow", "method", "outputs", "data", "inputs"};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
    if (json_object_get(root, others[i])) return false;
  }
  return true;
}

static bool open_workflow(struct space_file *file, const struct ts_request *request, struct ts_issues *issues) {
  struct ts_error err = {0};
  struct ts_project *project = &file->project;
  const struct study_file *study = &project->study;
  file->request = *request;
  file->request.file = request->space;
  ts_project_init(project, &file->request);
  if (!ts_project_read(project, issues)) return false;
  if (ts_space_of_workflow(&file->space, project->workflow, study->varied, study->varied_count, &err)) return true;
  if (study->varied_count > 0) ts_json_place(&err, &project->doc, "/parameters", TS_JSON_VALUE);
  return ts_issues_fault(issues, &err);
}

/* A parameter without a group is a group of its own, as soon as there are groups at all. */
static void number_groups(struct space_file *file) {
  const struct ts_space *space = &file->space;
  bool any = false;
  for (size_t i = 0; i < space->count; i++) any |= space->parameters[i]->group != NULL;
  file->group_count = space->count;
  if (!any) return;
  file->group_count = 0;
  file->group_of = ts_arena_array(&file->arena, space->count, sizeof *file->group_of);
  file->group_names = ts_arena_array(&file->arena, space->count, sizeof *file->group_names);
  for (size_t i = 0; i < space->count; i++) {
    const struct ts_parameter *parameter = space->parameters[i];
    size_t group = file->group_count;
    for (size_t before = 0; parameter->group && before < i; before++) {
      const char *other = space->parameters[before]->group;
      if (other && strcmp(other, parameter->group) == 0) group = file->group_of[before];
    }
    if (group == file->group_count) {
      file->group_names[file->group_count++] = parameter->group ? parameter->group : parameter->name;
    }
    file->group_of[i] = group;
  }
}

void ts_space_file_name(struct space_file *file) {
  file->names = ts_arena_array(&file->arena, file->space.count, sizeof *file->names);
  for (size_t i = 0; i < file->space.count; i++) file->names[i] = file->space.parameters[i]->name;
  number_groups(file);
}

bool ts_space_file_open(struct space_file *file, const struct ts_request *request, struct ts_issues *issues) {
  *file = (struct space_file){0};
  struct ts_error err = {0};
  struct ts_json_doc doc = {0};
  if (!request->space)
    return ts_issues_usage(issues, "name a space file, a workflow or a study: --space FILE",
                           "no space was given: which parameters are varied, and how far");
  const char *path = ts_request_path(request, &file->arena, request->space);
  if (!ts_json_doc_open(&doc, path, &err)) return ts_issues_fault(issues, &err);
  bool plain = is_space(doc.root);
  bool ok = plain ? ts_space_read(&file->space, path, &issues->faults) : open_workflow(file, request, issues);
  if (ok) ts_space_file_name(file);
  ok = ok && (!plain || ts_space_correlations_read(&doc, file, issues));
  ts_json_doc_close(&doc);
  return ok;
}

void ts_space_file_release(struct space_file *file) {
  ts_space_release(&file->space);
  ts_project_release(&file->project);
  ts_arena_release(&file->arena);
}
