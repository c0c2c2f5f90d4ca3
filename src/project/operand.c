/* What the user named: a file of a project, or data.
 * SPDX-License-Identifier: Apache-2.0
 *
 * A study or workflow is JSON: it has the ending, or begins with a brace. Everything else that exists is meant as data,
 * and what is wrong with it is said where data is read. */
#include "project/operand.h"
#include "project/data/data_list.h"

#include "base/alloc.h"
#include "base/file.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define BYTE_ORDER_MARK "\xEF\xBB\xBF"

/* Whether the first character of a file is that of a JSON object; true also for a file that is empty or cannot be read,
 * which its reader reports, and for a pipe, which can be read only once. */
static bool begins_like_json(const char *path) {
  char head[256] = {0};
  struct stat status;
  if (stat(path, &status) != 0 || !S_ISREG(status.st_mode)) return true;
  FILE *file = fopen(path, "rb");
  if (!file) return true;
  const size_t length = fread(head, 1, sizeof head - 1, file);
  fclose(file);
  const char *text = strncmp(head, BYTE_ORDER_MARK, 3) == 0 ? head + 3 : head;
  text += strspn(text, " \t\r\n");
  return length == 0 || *text == '{';
}

static bool names_data(const char *path) {
  if (ts_folder_exists(path)) return true;
  if (!ts_file_exists(path)) return strpbrk(path, "*?[") != NULL;
  return !ts_str_ends_with(path, ".json") && !begins_like_json(path);
}

/* "study.json" or "workflow.json", the first that is in the folder; NULL: none is. */
static const char *project_file_in(const char *folder) {
  static const char *const usual[] = {"study.json", "workflow.json"};
  for (size_t i = 0; i < sizeof usual / sizeof *usual; i++) {
    ts_auto_free char *path = ts_path_join(folder, usual[i]);
    if (ts_file_exists(path)) return usual[i];
  }
  return NULL;
}

static bool fail_project_folder(const char *folder, const char *file, struct ts_issues *issues) {
  struct ts_error *fault = ts_faults_add(&issues->faults);
  ts_fail(fault, TS_ERR_USAGE, "'%s' is the folder of a project, not a folder of images: it has a %s", folder, file);
  return ts_error_help(fault, "to work in it, write -C %s instead; to take its images as data, name them or --data %s",
                       folder, folder);
}

bool ts_operand_settle(struct ts_project *project, bool *is_data, struct ts_issues *issues) {
  const struct ts_request *request = project->request;
  struct ts_arena *arena = &project->arena;
  *is_data = false;
  if (!request->file) return true;
  const char *path = ts_request_path(request, arena, request->file);
  if (!names_data(path)) return true;
  const char *file = ts_folder_exists(path) ? project_file_in(path) : NULL;
  if (file) return fail_project_folder(request->file, file, issues);
  struct ts_request *changed = ts_arena_memdup(arena, request, sizeof *request);
  const char **data = ts_arena_array(arena, request->data_count + 1, sizeof *data);
  data[0] = request->file;
  for (size_t i = 0; i < request->data_count; i++) data[i + 1] = request->data[i];
  changed->data = data;
  changed->data_count++;
  changed->file = NULL;
  project->request = changed;
  *is_data = true;
  return true;
}

bool ts_operand_refuse_data(const char *path, const char *needed, struct ts_issues *issues) {
  if (!names_data(path)) return true;
  struct ts_error *fault = ts_faults_add(&issues->faults);
  ts_fail(fault, TS_ERR_JSON_SYNTAX, "'%s' is %s, not %s (JSON)", path,
          ts_folder_exists(path)   ? "a folder"
          : ts_is_table_file(path) ? "a table (CSV)"
          : ts_is_data_file(path)  ? "an image"
                                   : "another file",
          needed);
  ts_error_help(fault,
                "images, folders of images and manifests (CSV) are data: 'run', 'study', 'plan' and 'check' take "
                "them");
  return ts_error_place(fault, path, 0, 0, NULL);
}
