/* The files that a study means when it names a folder.
 * SPDX-License-Identifier: Apache-2.0 */
#include "project/data/data_list.h"
#include "project/data/pairing.h"

#include "base/alloc.h"
#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char *const data_endings[] = {".png",  ".tif",  ".tiff", ".svs", ".ndpi", ".jpg",
                                           ".jpeg", ".mrxs", ".scn",  ".bif", ".csv"};
#define DATA_ENDINGS (sizeof data_endings / sizeof *data_endings)
#define TABLE_ENDING ".csv" /* not an image: a manifest beside them, or the data of a workflow that reads tables */

#define POLYGON_ENDING ".geojson" /* in a folder without images: an export often lies beside its slide */

static bool ends_in(const char *name, const char *ending) {
  const size_t length = strlen(name), tail = strlen(ending);
  return length > tail && ts_word_equal(name + length - tail, ending);
}

bool ts_is_data_file(const char *name) {
  for (size_t i = 0; i < DATA_ENDINGS; i++)
    if (ends_in(name, data_endings[i])) return true;
  return false;
}

bool ts_is_table_file(const char *name) { return ends_in(name, TABLE_ENDING); }
bool ts_is_polygon_file(const char *name) { return ends_in(name, POLYGON_ENDING); }

static int compare_names(const void *a, const void *b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* `pointer` is the place of the entry in the study file; NULL: it is from the command line. */
static void fail_folder(struct ts_project *project, const char *folder, int number, const char *pointer,
                        struct ts_issues *issues) {
  struct ts_error *fault = ts_faults_add(&issues->faults);
  const char *list = "";
  for (size_t i = 0; i < DATA_ENDINGS; i++)
    list = ts_arena_printf(&project->arena, "%s%s%s", list, i ? ", " : "", data_endings[i]);
  if (number) {
    ts_fail(fault, TS_ERR_FILE_NOT_FOUND, "folder '%s' cannot be read: %s", folder, strerrordesc_np(number));
    ts_error_help(fault, "change its permissions, or name another folder");
  } else {
    ts_fail(fault, TS_ERR_NO_TILES, "folder '%s' contains no image files", folder);
    ts_error_help(fault, "files directly in it that end in %s are read; without any, " POLYGON_ENDING, list);
  }
  if (pointer) ts_json_place(fault, &project->doc, pointer, TS_JSON_VALUE);
}

/* Whether a file of a folder is data: where images are read, a table beside them is a manifest or a result. */
static bool is_listed(const struct ts_project *project, const char *name, bool polygons) {
  if (name[0] == '.') return false;
  if (polygons) return ts_is_polygon_file(name);
  return ts_is_data_file(name) && !(ts_is_table_file(name) && ts_data_is_images(project));
}

/* Lists the images in a folder, or the files of polygons; 0 or the errno. */
static int list_folder(struct ts_project *project, struct paths *paths, const char *folder, bool polygons) {
  DIR *dir = opendir(folder);
  int number = dir ? 0 : errno;
  for (struct dirent *entry; dir && (entry = readdir(dir));) {
    if (!is_listed(project, entry->d_name, polygons)) continue;
    ts_auto_free char *path = ts_path_join(folder, entry->d_name);
    ts_paths_add(project, paths, path);
  }
  if (dir) closedir(dir);
  return number;
}

/* X_labels.png beside X.png is the truth of it, never an image: the list becomes that of the images, and `truths` gets
 * one for each of them, "" where there is none. */
static void separate_truths(struct ts_project *project, struct paths *paths, size_t first, struct paths *truths) {
  static const struct ts_truth_pattern usual = {0};
  const size_t count = paths->count - first;
  struct ts_paired_file *files = ts_arena_array(&project->arena, count, sizeof *files);
  for (size_t i = 0; i < count; i++) files[i] = (struct ts_paired_file){.path = paths->items[first + i]};
  ts_pair_files(&project->arena, files, count, &usual);
  paths->count = first;
  for (size_t i = 0; i < count; i++) {
    if (files[i].is_truth) continue;
    paths->items[paths->count++] = files[i].path;
    ts_paths_add(project, truths, files[i].truth == SIZE_MAX ? "" : files[files[i].truth].path);
  }
}

void ts_add_folder(struct ts_project *project, struct paths *paths, struct paths *truths, const char *folder,
                   const char *pointer, struct ts_issues *issues) {
  size_t first = paths->count;
  int number = list_folder(project, paths, folder, false);
  const bool polygons = number == 0 && paths->count == first;
  if (polygons) number = list_folder(project, paths, folder, true);
  if (paths->count == first) {
    fail_folder(project, folder, number, pointer, issues);
    return;
  }
  qsort(paths->items + first, paths->count - first, sizeof(const char *), compare_names);
  if (truths && !polygons) separate_truths(project, paths, first, truths);
}
