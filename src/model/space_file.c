/* Opens the space that a design is drawn from: a space file, or the varied parameters of a workflow or study.
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/model.h"

#include "base/alloc.h"
#include "base/digest.h"
#include "base/json.h"
#include "design/groups.h"
#include "model/origin.h"
#include "project/operand.h"

#include <string.h>

/* A file with any of these keys is not a space file, unless it is a problem of SALib or beside a design. */
static bool is_space(const json_t *root) {
  if (ts_space_is_problem(root) || ts_origin_space(root)) return true;
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

/* The space in a document: all of it, or what is kept in the file beside a design. */
static bool read_plain(struct space_file *file, const struct ts_json_doc *doc, struct ts_issues *issues) {
  const json_t *object = ts_origin_space(doc->root);
  const char *pointer = object ? TS_ORIGIN_SPACE : "";
  if (!object) object = doc->root;
  if (!ts_space_read_object(&file->space, doc, object, pointer, &issues->faults)) return false;
  ts_space_file_name(file);
  return ts_space_correlations_read(doc, object, pointer, file, issues);
}

bool ts_space_file_open(struct space_file *file, const struct ts_request *request, struct ts_issues *issues) {
  *file = (struct space_file){0};
  struct ts_error err = {0};
  struct ts_json_doc doc = {0};
  if (!request->space)
    return ts_issues_usage(issues, "name a space file, a problem of SALib, a workflow or a study: --space FILE",
                           "no space was given: which parameters are varied, and how far");
  const char *path = ts_request_path(request, &file->arena, request->space);
  if (!ts_operand_refuse_data(path, "a space, a workflow or a study", issues)) return false;
  if (!ts_json_doc_open(&doc, path, &err)) return ts_issues_fault(issues, &err);
  bool ok;
  if (is_space(doc.root)) {
    ok = read_plain(file, &doc, issues);
  } else {
    ok = open_workflow(file, request, issues);
    if (ok) ts_space_file_name(file);
  }
  ts_json_doc_close(&doc);
  return ok;
}

/* Above the diagonal: what "correlations" says. */
static json_t *correlations_json(const struct space_file *file) {
  json_t *list = json_array();
  size_t count = file->space.count;
  for (size_t a = 0; a < count; a++) {
    for (size_t b = a + 1; b < count; b++) {
      double rank = file->correlation[a * count + b];
      if (rank != 0)
        json_array_append_new(list,
                              json_pack("{s:[s, s], s:f}", "between", file->names[a], file->names[b], "rank", rank));
    }
  }
  return list;
}

json_t *ts_space_file_to_json(const struct space_file *file) {
  json_t *object = ts_space_to_json(&file->space);
  if (file->correlation) json_object_set_new(object, "correlations", correlations_json(file));
  return object;
}

void ts_space_file_digest(const struct space_file *file, char text[TS_SPACE_DIGEST_SIZE]) {
  json_t *object = ts_space_file_to_json(file);
  ts_auto_free char *canonical = ts_json_dump(object, true, false);
  json_decref(object);
  struct ts_sha256 digest;
  ts_sha256_of(canonical, strlen(canonical), &digest);
  ts_hex_encode(digest.bytes, sizeof digest.bytes, text);
}

void ts_space_file_release(struct space_file *file) {
  ts_space_release(&file->space);
  ts_project_release(&file->project);
  ts_arena_release(&file->arena);
}
