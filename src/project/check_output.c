/* Tests whether results can be written to their place, before anything is computed for them.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Permissions alone do not suffice (other users, read-only and network file systems, quotas), so a file is made
 * there and removed. Where the folder is not there yet, it is made in the nearest folder that is. */
#include "project/data/check_data.h"

#include "base/alloc.h"
#include "base/file.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *ts_output_run_folder(const struct ts_project *project, const char *run, struct ts_arena *arena) {
  const struct ts_request *request = project->request;
  const char *usual = ts_arena_printf(arena, "out/%s-run.%s", project->study.name, run ? run : "new");
  return ts_request_path(request, arena, request->output ? request->output : usual);
}

const char *ts_output_study_folder(const struct ts_project *project, struct ts_arena *arena) {
  const struct ts_request *request = project->request;
  const char *usual = ts_arena_printf(arena, "out/%s", project->study.name);
  return ts_request_path(request, arena, request->output ? request->output : usual);
}

/* 0 or the errno of making a file with a byte in it, which is removed again. */
static int try_file_in(const char *folder) {
  ts_auto_free char *name = NULL;
  int fd = ts_file_create_temporary(folder, &name);
  if (fd < 0) return errno;
  int number = ts_file_write_all(fd, "", 1);
  if (close(fd) != 0 && !number && errno != EINTR) number = errno;
  unlink(name);
  return number;
}

/* The path itself or the nearest thing above it that exists. Owned. */
static char *nearest_existing(const char *path) {
  char *nearest = ts_strdup(path);
  struct stat status;
  while (stat(nearest, &status) != 0 && (errno == ENOENT || errno == ENOTDIR)) {
    char *above = ts_path_folder(nearest);
    bool ends = strcmp(above, nearest) == 0;
    free(nearest);
    nearest = above;
    if (ends) break;
  }
  return nearest;
}

static const char *first_help(int number, bool is_file) {
  if (is_file) return "remove or rename it, or ";
  switch (number) {
  case ENOSPC:
  case EDQUOT: return "free some space, or ";
  case ENOENT: return "make the folder first, or ";
  case EISDIR: return "";
  default: return "change the permissions, or ";
  }
}

static bool fail_output(const struct ts_request *request, const char *path, const char *nearest, int number,
                        struct ts_issues *issues) {
  struct ts_error *fault = ts_faults_add(&issues->faults);
  struct stat status;
  bool is_file = stat(nearest, &status) == 0 && !S_ISDIR(status.st_mode);
  if (is_file) {
    ts_fail(fault, TS_ERR_OUTPUT_FOLDER, "results cannot be written to '%s': '%s' is not a folder", path, nearest);
  } else {
    ts_fail(fault, TS_ERR_OUTPUT_FOLDER, "results cannot be written to '%s': %s", path, strerrordesc_np(number));
  }
  ts_error_help(fault, "%schoose another place with %s", first_help(number, is_file),
                request->picture ? "--picture" : "-o");
  return ts_error_place(fault, path, 0, 0, NULL);
}

bool ts_check_output_folder(const struct ts_request *request, const char *folder, struct ts_issues *issues) {
  ts_auto_free char *nearest = nearest_existing(folder);
  int number = ts_folder_exists(nearest) ? try_file_in(nearest) : ENOTDIR;
  return number == 0 || fail_output(request, folder, nearest, number, issues);
}

bool ts_is_device(const char *path) {
  struct stat status;
  return stat(path, &status) == 0 && !S_ISDIR(status.st_mode) && !S_ISREG(status.st_mode);
}

bool ts_check_output_apart(const char *path, const char *const *inputs, size_t count, struct ts_issues *issues) {
  struct stat output, input;
  if (stat(path, &output) != 0 || !S_ISREG(output.st_mode)) return true;
  for (size_t i = 0; i < count; i++) {
    if (!inputs[i] || stat(inputs[i], &input) != 0) continue;
    if (input.st_dev != output.st_dev || input.st_ino != output.st_ino) continue;
    struct ts_error err = {0};
    ts_fail(&err, TS_ERR_OUTPUT_FOLDER, "results would replace '%s', which is read here", path);
    ts_error_help(&err, "choose another place with -o");
    ts_error_place(&err, path, 0, 0, NULL);
    return ts_issues_fault(issues, &err);
  }
  return true;
}

bool ts_check_output_file(const struct ts_request *request, const char *path, struct ts_issues *issues) {
  struct stat status;
  if (ts_is_device(path)) return true; /* it is just opened */
  bool there = stat(path, &status) == 0;
  ts_auto_free char *folder = ts_path_folder(path);
  int number = there && S_ISDIR(status.st_mode) ? EISDIR : ts_folder_exists(folder) ? try_file_in(folder) : ENOENT;
  return number == 0 || fail_output(request, path, folder, number, issues);
}
