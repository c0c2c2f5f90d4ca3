/* The files that a study means when it names a folder.
 * SPDX-License-Identifier: Apache-2.0 */
#include "project/data/manifest.h"

#include "base/alloc.h"
#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char *const data_endings[] = {".png",  ".tif",  ".tiff", ".svs", ".ndpi", ".jpg",
                                           ".jpeg", ".mrxs", ".scn",  ".bif", ".csv"};
#define DATA_ENDINGS (sizeof data_endings / sizeof *data_endings)

#define POLYGON_ENDING ".geojson" /* in a folder without images: an export often lies beside its slide */

static bool ends_in(const char *name, const char *ending) {
  const size_t length = strlen(name), tail = strlen(ending);
  return length > tail && ts_word_equal(name + length - tail, ending);
}

static bool is_data_file(const char *name) {
  for (size_t i = 0; i < DATA_ENDINGS; i++)
    if (ends_in(name, data_endings[i])) return true;
  return false;
}

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

/* Lists the images in a folder, or the files of polygons; 0 or the errno. */
static int list_folder(struct ts_project *project, struct paths *paths, const char *folder, bool polygons) {
  DIR *dir = opendir(folder);
  int number = dir ? 0 : errno;
  for (struct dirent *entry; dir && (entry = readdir(dir));) {
    if (entry->d_name[0] != '.' && (polygons ? ends_in(entry->d_name, POLYGON_ENDING) : is_data_file(entry->d_name))) {
      ts_auto_free char *path = ts_path_join(folder, entry->d_name);
      ts_paths_add(project, paths, path);
    }
  }
  if (dir) closedir(dir);
  return number;
}

void ts_add_folder(struct ts_project *project, struct paths *paths, const char *folder, const char *pointer,
                   struct ts_issues *issues) {
  size_t first = paths->count;
  int number = list_folder(project, paths, folder, false);
  if (number == 0 && paths->count == first) number = list_folder(project, paths, folder, true);
  if (paths->count > first)
    qsort(paths->items + first, paths->count - first, sizeof(const char *), compare_names);
  else
    fail_folder(project, folder, number, pointer, issues);
}
