/* The files that 'init --data' is given: those of folders, with the folders of truths beside or in them.
 * SPDX-License-Identifier: Apache-2.0 */
#include "api/init/init_int.h"
#include "project/data/data_list.h"
#include "project/data/pairing.h"

#include "base/alloc.h"
#include "base/file.h"

#include <dirent.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>

struct listing {
  struct ts_arena *arena;       /* borrowed */
  struct ts_paired_file *files; /* owned */
  size_t count, capacity;
};

static void add(struct listing *list, const char *path, bool in_truths) {
  list->files = ts_grow(list->files, list->count, &list->capacity, sizeof *list->files);
  list->files[list->count++] =
      (struct ts_paired_file){.path = ts_arena_strdup(list->arena, path), .in_truths = in_truths};
}

static int compare_paths(const void *a, const void *b) {
  const struct ts_paired_file *left = a, *right = b;
  return strcmp(left->path, right->path);
}

static bool is_wanted(const char *name) {
  return name[0] != '.' && !ts_is_table_file(name) && (ts_is_data_file(name) || ts_is_polygon_file(name));
}

/* The images and polygons in a folder, by name; how many there are. */
static size_t add_folder(struct listing *list, const char *folder, bool in_truths) {
  const size_t first = list->count;
  DIR *dir = opendir(folder);
  for (struct dirent *entry; dir && (entry = readdir(dir));) {
    ts_auto_free char *path = ts_path_join(folder, entry->d_name);
    if (is_wanted(entry->d_name) && ts_file_exists(path)) add(list, path, in_truths);
  }
  if (dir) closedir(dir);
  if (list->count > first) qsort(list->files + first, list->count - first, sizeof *list->files, compare_paths);
  return list->count - first;
}

/* Folders in a folder that have truths, or images, by their names. */
static bool is_image_folder(const char *name) {
  static const char *const names[] = {"images", "image", "slides", "img"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (ts_word_equal(name, names[i])) return true;
  return false;
}

static size_t add_inner(struct listing *list, const char *folder, bool truths) {
  size_t count = 0;
  DIR *dir = opendir(folder);
  for (struct dirent *entry; dir && (entry = readdir(dir));) {
    if (truths ? !ts_is_truth_folder(entry->d_name) : !is_image_folder(entry->d_name)) continue;
    ts_auto_free char *inner = ts_path_join(folder, entry->d_name);
    if (ts_folder_exists(inner)) count += add_folder(list, inner, truths);
  }
  if (dir) closedir(dir);
  return count;
}

/* images/ and masks/ lie in the folder that is named, or masks/ lies in it, or beside it. */
static bool add_data_folder(struct listing *list, const char *folder, bool with_truths, struct ts_error *err) {
  size_t images = add_folder(list, folder, false);
  if (images == 0) images = add_inner(list, folder, false);
  if (images == 0) {
    ts_fail(err, TS_ERR_NO_TILES, "folder '%s' contains no image files", folder);
    return ts_error_help(err, "name a folder that has images (PNG, TIFF, SVS, NDPI, JPEG, ...) in it or in 'images'");
  }
  if (!with_truths || add_inner(list, folder, true) > 0) return true;
  ts_auto_free char *inside = ts_path_join(folder, "..");
  if (!ts_is_truth_folder(ts_path_name(folder))) add_inner(list, inside, true);
  return true;
}

static bool add_pattern(struct listing *list, const char *pattern) {
  glob_t matches = {0};
  size_t count = 0;
  if (strpbrk(pattern, "*?[") && glob(pattern, 0, NULL, &matches) == 0) count = matches.gl_pathc;
  for (size_t i = 0; i < count; i++) add(list, matches.gl_pathv[i], false);
  globfree(&matches);
  return count > 0;
}

static bool add_entry(struct listing *list, const char *path, bool with_truths, struct ts_error *err) {
  if (ts_folder_exists(path)) return add_data_folder(list, path, with_truths, err);
  if (ts_is_table_file(path)) {
    ts_fail(err, TS_ERR_USAGE, "'%s' is a manifest, which init writes itself", path);
    return ts_error_help(err, "name the images or their folder; or use the manifest as it is: tessera study %s", path);
  }
  if (ts_file_exists(path)) {
    add(list, path, false);
    return true;
  }
  if (add_pattern(list, path)) return true;
  ts_fail(err, TS_ERR_FILE_NOT_FOUND, strpbrk(path, "*?[") ? "no file matches '%s'" : "there is no file or folder '%s'",
          path);
  return ts_error_help(err, "--data is relative to the current folder; check the spelling");
}

/* The files of a folder that fit a pattern are truths. */
static void add_fitting(struct listing *list, const char *folder, const char *pattern) {
  const size_t first = list->count;
  size_t kept = first;
  add_folder(list, folder, true);
  for (size_t i = first; i < list->count; i++)
    if (ts_truth_pattern_fits(pattern, list->files[i].path)) list->files[kept++] = list->files[i];
  list->count = kept;
}

/* The folder that --truth names: from the current folder, or else from that of the data. In the arena; NULL: there is
 * none. */
static const char *find_truth_folder(const struct ts_request *request, struct ts_arena *arena, const char *folder) {
  ts_auto_free char *below = ts_path_join(request->data[0], folder);
  if (ts_folder_exists(folder)) return folder;
  return ts_folder_exists(below) ? ts_arena_strdup(arena, below) : NULL;
}

/* --truth is a folder of truths, a pattern in a folder, or a pattern for the files of the data. */
static bool add_truths(struct listing *list, const struct ts_request *request, struct ts_truth_pattern *pattern,
                       struct ts_error *err) {
  const char *whole = find_truth_folder(request, list->arena, request->truth);
  if (whole) {
    if (add_folder(list, whole, true) > 0) return true;
    ts_fail(err, TS_ERR_NO_TILES, "folder '%s' contains no image files", whole);
    return ts_error_help(err, "--truth names a folder of truths, or files such as '*_labels.png' in the data");
  }
  pattern->name = ts_path_name(request->truth);
  pattern->only_in_truths = pattern->name != request->truth;
  if (!pattern->only_in_truths) return true;
  ts_auto_free char *named = ts_path_folder(request->truth);
  const char *folder = find_truth_folder(request, list->arena, named);
  if (folder) {
    add_fitting(list, folder, pattern->name);
    return true;
  }
  ts_fail(err, TS_ERR_FILE_NOT_FOUND, "there is no folder '%s'", named);
  return ts_error_help(err, "--truth is relative to the current folder, or to that of --data; check the spelling");
}

/* A file that is named twice counts once; in a folder of truths it is a truth. */
static void drop_repeated(struct listing *list) {
  size_t kept = 0;
  for (size_t i = 0; i < list->count; i++) {
    size_t same = 0;
    while (same < kept && strcmp(list->files[same].path, list->files[i].path) != 0) same++;
    if (same < kept)
      list->files[same].in_truths |= list->files[i].in_truths;
    else
      list->files[kept++] = list->files[i];
  }
  list->count = kept;
}

static bool check_found(const struct listing *list, const char *truth, struct ts_error *err) {
  size_t found = 0;
  for (size_t i = 0; i < list->count; i++) found += list->files[i].image != SIZE_MAX;
  if (!truth || found > 0) return true;
  ts_fail(err, TS_ERR_FILE_NOT_FOUND, "no file named like '%s' belongs to an image", truth);
  return ts_error_help(err, "'*' is the name of an image without its ending: '*_labels.png' pairs "
                            "a_labels.png with a.png");
}

struct ts_paired_file *ts_init_list(const struct ts_request *request, struct ts_arena *arena, size_t *count,
                                    struct ts_issues *issues) {
  struct listing list = {.arena = arena};
  struct ts_error err = {0};
  struct ts_truth_pattern pattern = {0};
  bool ok = true;
  for (size_t i = 0; ok && i < request->data_count; i++)
    ok = add_entry(&list, request->data[i], request->truth == NULL, &err);
  if (ok && request->truth) ok = add_truths(&list, request, &pattern, &err);
  drop_repeated(&list);
  if (ok) ts_pair_files(arena, list.files, list.count, &pattern);
  ok = ok && check_found(&list, request->truth, &err);
  struct ts_paired_file *files = ts_arena_memdup(arena, list.files, list.count * sizeof *list.files);
  *count = list.count;
  free(list.files);
  if (!ok) ts_issues_fault(issues, &err);
  return ok ? files : NULL;
}
