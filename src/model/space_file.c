/* Opens the space that a design is drawn from: a space file, or the varied parameters of a workflow or study.
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/model.h"

#include "base/alloc.h"
#include "design/groups.h"
#include "project/operand.h"

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

void ts_space_file_name(struct space_file *file) {
  file->names = ts_arena_array(&file->arena, file->space.count, sizeof *file->names);
  for (size_t i = 0; i < file->space.count; i++) file->names[i] = file->space.parameters[i]->name;
  const struct ts_groups groups = ts_space_groups(&file->space, &file->arena);
  file->group_of = groups.of;
  file->group_names = groups.names;
  file->group_count = groups.count;
}

bool ts_space_file_open(struct space_file *file, const struct ts_request *request, struct ts_issues *issues) {
  *file = (struct space_file){0};
  struct ts_error err = {0};
  struct ts_json_doc doc = {0};
  if (!request->space)
    return ts_issues_usage(issues, "name a space file, a workflow or a study: --space FILE",
                           "no space was given: which parameters are varied, and how far");
  const char *path = ts_request_path(request, &file->arena, request->space);
  if (!ts_operand_refuse_data(path, "a space, a workflow or a study", issues)) return false;
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
