/* Which files a dataset is made of: those of the request, of the study, of a manifest or of a work order.
 * SPDX-License-Identifier: Apache-2.0 */
#include "project/data/data_list.h"
#include "project/data/check_data.h"
#include "project/data/resolution.h"
#include "project/data/split.h"

#include "base/alloc.h"
#include "base/file.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>

/* One entry: a file, a folder or a pattern. A pattern that matches nothing, or a file that is not there, is a fault.
 * `truths`: of the images in folders, as in ts_add_folder. */
static void add_entry(struct ts_project *project, struct paths *paths, struct paths *truths, const char *entry,
                      const char *pointer, struct ts_issues *issues) {
  if (ts_folder_exists(entry)) {
    ts_add_folder(project, paths, truths, entry, pointer, issues);
    return;
  }
  if (ts_file_exists(entry)) {
    ts_paths_add(project, paths, entry);
    return;
  }
  glob_t matches = {0};
  size_t first = paths->count;
  if (strpbrk(entry, "*?[") && glob(entry, 0, NULL, &matches) == 0) {
    for (size_t i = 0; i < matches.gl_pathc; i++) ts_paths_add(project, paths, matches.gl_pathv[i]);
  }
  globfree(&matches);
  if (paths->count > first) return;
  struct ts_error *fault = ts_faults_add(&issues->faults);
  ts_fail(fault, TS_ERR_FILE_NOT_FOUND, strpbrk(entry, "*?[") ? "no file matches '%s'" : "there is no file '%s'",
          entry);
  ts_error_help(fault, pointer ? "names in a study file are relative to its folder; check the spelling"
                               : "names on the command line are relative to the project folder; check the spelling");
  if (pointer) ts_json_place(fault, &project->doc, pointer, TS_JSON_VALUE);
}

static void add_study_entries(struct ts_project *project, struct paths *paths, struct paths *truths,
                              const char **entries, size_t count, const char *key, struct ts_issues *issues) {
  for (size_t i = 0; i < count; i++) {
    const char *pointer = ts_arena_printf(&project->arena, "%s/%zu", key, i);
    const char *entry = ts_path_below(&project->arena, project->study.folder, entries[i]);
    add_entry(project, paths, truths, entry, pointer, issues);
    while (truths && truths->count < paths->count) ts_paths_add(project, truths, "");
  }
}

static void add_request_entries(struct ts_project *project, struct paths *paths, struct paths *truths,
                                struct ts_issues *issues) {
  for (size_t i = 0; i < project->request->data_count; i++) {
    const char *entry = ts_request_path(project->request, &project->arena, project->request->data[i]);
    add_entry(project, paths, truths, entry, NULL, issues);
    while (truths->count < paths->count) ts_paths_add(project, truths, "");
  }
}

void ts_data_add_request(struct ts_project *project, struct paths *paths, struct ts_issues *issues) {
  struct paths truths = {0};
  add_request_entries(project, paths, &truths, issues);
  free(truths.items);
}

size_t ts_data_primary_input(const struct ts_workflow *w) {
  for (size_t i = 0; i < w->input_count; i++) {
    if (!ts_is_reference_input(&w->inputs[i])) return i;
  }
  for (size_t i = 0; i < w->input_count; i++) {
    if (w->inputs[i].default_run.kind == TS_SOURCE_NONE) return i;
  }
  return TS_NONE;
}

bool ts_data_is_images(const struct ts_project *project) {
  if (!project->workflow) return true;
  const size_t primary = ts_data_primary_input(project->workflow);
  return primary != TS_NONE && ts_input_is_image(&project->workflow->inputs[primary]);
}

static bool is_manifest(const struct ts_project *project, const char *path) {
  if (!ts_is_table_file(path) || !ts_file_exists(path)) return false;
  if (ts_data_is_images(project)) return true;
  const size_t primary = ts_data_primary_input(project->workflow);
  return primary != TS_NONE && ts_manifest_names_input(path, project->workflow->inputs[primary].name);
}

const char *ts_data_manifest(struct ts_project *project) {
  for (size_t i = 0; i < project->request->data_count; i++) {
    const char *path = ts_request_path(project->request, &project->arena, project->request->data[i]);
    if (is_manifest(project, path)) return path;
  }
  return NULL;
}

/* Truths that lie beside the images of folders: the reference, if every image has one. */
static void use_truths(struct ts_project *project, struct paths *files, const struct paths *truths,
                       struct ts_issues *issues) {
  const struct study_file *study = &project->study;
  const size_t reference = ts_reference_input(project->workflow);
  size_t count = 0;
  const char *example = NULL;
  for (size_t i = 0; i < truths->count; i++) {
    if (truths->items[i][0] && count++ == 0) example = truths->items[i];
  }
  if (count == 0) return;
  const bool wanted = study->reference == REFERENCE_ANY || study->reference == REFERENCE_TRUTH;
  if (!wanted || reference == TS_NONE || files[reference].count > 0 || count < truths->count) {
    ts_issues_note(issues, "%zu of the files are named after an image, such as '%s': %s", count, example,
                   "a truth, not an image, and it is not compared with");
    return;
  }
  for (size_t i = 0; i < truths->count; i++) ts_paths_add(project, &files[reference], truths->items[i]);
  ts_issues_note(issues, "the truth of each image is taken from the file named after it, such as '%s'", example);
}

/* Files that the study names as its reference. */
static void add_reference_files(struct ts_project *project, struct paths *files, struct ts_issues *issues) {
  size_t reference = ts_reference_input(project->workflow);
  if (project->study.reference != REFERENCE_FILES || project->request->data_count > 0 || reference == TS_NONE) return;
  if (files[reference].count > 0) {
    struct ts_error *fault = ts_faults_add(&issues->faults);
    ts_fail(fault, TS_ERR_DATA_COLUMNS, "the manifest and the study both name files for '%s'",
            project->workflow->inputs[reference].name);
    ts_error_help(fault, "remove the column from the manifest, or \"reference\" from the study");
    ts_json_place(fault, &project->doc, "/reference", TS_JSON_VALUE);
    return;
  }
  add_study_entries(project, &files[reference], NULL, project->study.reference_files,
                    project->study.reference_file_count, "/reference/files", issues);
}

/* A manifest names all of the data. */
static void read_given_manifest(struct ts_project *project, const char *path, struct paths *files,
                                struct item_facts *facts, struct ts_issues *issues) {
  if (project->request->data_count == 1) {
    ts_manifest_read(project, path, NULL, files, facts, issues);
    return;
  }
  struct ts_error *fault = ts_faults_add(&issues->faults);
  ts_fail(fault, TS_ERR_DATA_COLUMNS, "'%s' is a manifest, and names all of the data", path);
  ts_error_help(fault, "give it alone, or add the other files to it, one to a row");
}

static void list_named_files(struct ts_project *project, struct paths *files, struct item_facts *facts,
                             struct paths *truths, struct ts_issues *issues) {
  const struct study_file *study = &project->study;
  const size_t primary = ts_data_primary_input(project->workflow);
  const char *manifest = ts_data_manifest(project);
  if (manifest)
    read_given_manifest(project, manifest, files, facts, issues);
  else if (project->request->data_count > 0 && primary != TS_NONE)
    add_request_entries(project, &files[primary], truths, issues);
  else if (study->manifest)
    ts_manifest_read(project, ts_path_below(&project->arena, study->folder, study->manifest), "/data/manifest", files,
                     facts, issues);
  else if (primary != TS_NONE)
    add_study_entries(project, &files[primary], truths, study->data_files, study->data_file_count, "/data/files",
                      issues);
}

static bool list_project_files(struct ts_project *project, struct paths *files, struct item_facts *facts,
                               struct ts_issues *issues) {
  struct paths truths = {0};
  list_named_files(project, files, facts, &truths, issues);
  if (ts_issues_ok(issues)) ts_hold_out_apply(project, facts, issues);
  add_reference_files(project, files, issues);
  if (ts_issues_ok(issues)) use_truths(project, files, &truths, issues);
  free(truths.items);
  ts_resolution_check_levels(project, files, facts, issues);
  return ts_issues_ok(issues);
}

/* Whether an option or the environment says where data is. */
static bool has_data_roots(const struct ts_request *request) {
  const char *text = getenv("TESSERA_DATA");
  return request->data_root_count > 0 || (text && *text);
}

static void forget_files(const struct ts_project *project, struct paths *files) {
  for (size_t i = 0; i < project->workflow->input_count; i++) files[i].count = 0;
}

/* The files of the run that is continued, by digest; without a fault if they are not there. */
static bool list_begun_files(struct ts_project *project, struct paths *files, struct item_facts *facts,
                             struct ts_issues *issues) {
  const size_t before = issues->faults.count;
  forget_files(project, files);
  if (project->begun && project->order_reader->list_files(project, project->begun, files, facts, issues)) return true;
  forget_files(project, files);
  issues->faults.count = before;
  return false;
}

bool ts_data_list(struct ts_project *project, struct paths *files, struct item_facts *facts, struct ts_issues *issues) {
  if (project->order) return project->order_reader->list_files(project, project->order, files, facts, issues);
  if (has_data_roots(project->request) && list_begun_files(project, files, facts, issues)) return true;
  const size_t before = issues->faults.count;
  if (list_project_files(project, files, facts, issues)) return true;
  ts_auto(ts_faults_release) struct ts_faults kept = {0};
  for (size_t i = before; project->begun && i < issues->faults.count; i++)
    *ts_faults_add(&kept) = issues->faults.items[i];
  if (project->begun) issues->faults.count = before;
  const bool ok = list_begun_files(project, files, facts, issues);
  for (size_t i = 0; !ok && i < kept.count; i++) ts_issues_fault(issues, &kept.items[i]);
  return ok;
}
