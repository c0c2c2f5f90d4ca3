/* Files and folders that stay inside a folder, whatever others put there: links, pipes and devices are not followed.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/alloc.h"
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *kind_of(mode_t mode) {
  if (S_ISLNK(mode)) return "a symbolic link";
  if (S_ISDIR(mode)) return "a folder";
  if (S_ISFIFO(mode)) return "a named pipe";
  if (S_ISSOCK(mode)) return "a socket";
  if (S_ISCHR(mode) || S_ISBLK(mode)) return "a device";
  return "not a regular file";
}

int ts_file_open_inside(int folder, const char *name, uint64_t *size_bytes, const char **kind) {
  struct stat status;
  *kind = NULL;
  if (strchr(name, '/')) TS_BUG("'%s' is more than a name", name);
  /* Checked first, so that no device is ever opened; the open file is checked again, as the name may lead
   * elsewhere. */
  if (fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) != 0) return -1;
  int file = -1;
  if (S_ISREG(status.st_mode)) {
    file = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (file < 0) return -1;
    if (fstat(file, &status) == 0 && S_ISREG(status.st_mode)) {
      *size_bytes = (uint64_t)status.st_size;
      return file;
    }
    close(file);
  }
  *kind = kind_of(status.st_mode);
  return -1;
}

bool ts_file_read_exactly(int file, void *bytes, size_t size) {
  char *to = bytes;
  while (size > 0) {
    ssize_t count = read(file, to, size < ((size_t)1 << 30) ? size : (size_t)1 << 30);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    to += count;
    size -= (size_t)count;
  }
  return true;
}

/* Opens the folder `name` in another one, made if it is not there. */
static int enter(int folder, const char *name) {
  if (strcmp(name, "..") == 0) {
    errno = EXDEV;
    return -1;
  }
  if (mkdirat(folder, name, 0777) != 0 && errno != EEXIST) return -1;
  return openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

static bool refuse(const char *outer, const char *inner, int number, struct ts_error *err) {
  bool link = number == ELOOP || number == ENOTDIR || number == EXDEV;
  ts_auto_free char *path = ts_path_join(outer, inner);
  ts_fail(err, TS_ERR_FILE_IO, "folder '%s' cannot be created: %s", path,
          link ? "a part of it is a link or a file, not a folder" : strerrordesc_np(number));
  ts_error_help(err, link ? "remove what is in its place, or choose another output folder"
                          : "check the path and its permissions, or choose another place");
  return ts_error_place(err, path, 0, 0, NULL);
}

bool ts_folder_create_inside(const char *outer, const char *inner, struct ts_error *err) {
  ts_auto_free char *names = ts_strdup(inner);
  char *rest = names;
  int folder = open(outer, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  for (char *name; folder >= 0 && (name = strsep(&rest, "/"));) {
    if (*name == '\0' || strcmp(name, ".") == 0) continue;
    int next = enter(folder, name);
    int number = errno;
    close(folder);
    errno = number;
    folder = next;
  }
  if (folder < 0) return refuse(outer, inner, errno, err);
  close(folder);
  return true;
}

static _Thread_local uint64_t used_bytes; /* nftw has no place for it */

static int add_entry(const char *path, const struct stat *status, int type, struct FTW *place) {
  (void)path;
  (void)place;
  if (type != FTW_NS) used_bytes += (uint64_t)status->st_blocks * 512;
  return 0;
}

uint64_t ts_folder_used_bytes(const char *path) {
  used_bytes = 0;
  nftw(path, add_entry, 16, FTW_PHYS);
  return used_bytes;
}
