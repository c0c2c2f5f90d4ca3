/* Folders and the parts of paths.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/alloc.h"
#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool ts_file_exists(const char *path) {
  struct stat status;
  return stat(path, &status) == 0 && !S_ISDIR(status.st_mode);
}

bool ts_folder_exists(const char *path) {
  struct stat status;
  return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

static bool make_one(const char *path, struct ts_error *err) {
  if (mkdir(path, 0777) == 0) return true;
  int number = errno;
  if (ts_folder_exists(path)) return true; /* another process may have been quicker, and / or a mount is EROFS */
  if (number == EEXIST) number = ENOTDIR;
  ts_fail(err, TS_ERR_FILE_IO, "folder '%s' cannot be created: %s", path, strerrordesc_np(number));
  ts_error_help(err, "check the path and its permissions, or choose another place");
  ts_error_place(err, path, 0, 0, NULL);
  return false;
}

bool ts_folder_create(const char *path, struct ts_error *err) {
  ts_auto_free char *prefix = ts_strdup(path);
  for (char *p = prefix; *p; p++) {
    if (*p != '/' || p == prefix) continue;
    *p = '\0';
    bool ok = make_one(prefix, err);
    *p = '/';
    if (!ok) return false;
  }
  return make_one(path, err);
}

bool ts_folder_is_empty(const char *path) {
  DIR *folder = opendir(path);
  if (!folder) return errno == ENOENT;
  bool empty = true;
  const struct dirent *entry;
  while (empty && (entry = readdir(folder))) {
    empty = strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0;
  }
  closedir(folder);
  return empty;
}

char *ts_path_join(const char *folder, const char *name) {
  if (name[0] == '/' || folder[0] == '\0') return ts_strdup(name);
  if (name[0] == '\0') return ts_strdup(folder);
  struct ts_str path = {0};
  ts_str_add(&path, folder);
  if (!ts_str_ends_with(folder, "/")) ts_str_add_char(&path, '/');
  ts_str_add(&path, name);
  return ts_str_detach(&path);
}

char *ts_path_absolute(const char *path) {
  char folder[PATH_MAX];
  return ts_path_join(path[0] != '/' && getcwd(folder, sizeof folder) ? folder : "", path);
}

char *ts_path_folder(const char *path) {
  const char *slash = strrchr(path, '/');
  if (!slash) return ts_strdup(".");
  while (slash > path && slash[-1] == '/') slash--;
  return slash == path ? ts_strdup("/") : ts_strndup(path, (size_t)(slash - path));
}

const char *ts_path_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

char *ts_path_stem(const char *path) {
  const char *name = ts_path_name(path);
  const char *dot = strrchr(name, '.');
  return !dot || dot == name ? ts_strdup(name) : ts_strndup(name, (size_t)(dot - name));
}

#define SAFE_BYTES 200 /* names of files end at 255, and numbers and endings may follow */

char *ts_path_safe_stem(const char *path) {
  char *stem = ts_path_stem(path);
  size_t length = strlen(stem);
  bool is_utf8 = ts_utf8_valid(stem, length);
  if (length > SAFE_BYTES) {
    length = SAFE_BYTES;
    while (is_utf8 && length > 0 && ((unsigned char)stem[length] & 0xC0) == 0x80) length--;
    stem[length] = '\0';
  }
  for (size_t i = 0; i < length && stem[i] == '.'; i++) stem[i] = '_';
  for (size_t i = 0; i < length; i++) {
    unsigned char c = (unsigned char)stem[i];
    if (c < ' ' || c == 127 || (c >= 128 && !is_utf8)) stem[i] = '_';
  }
  if (length > 0) return stem;
  free(stem);
  return ts_strdup("_");
}
