/* A file that is written piece by piece beside its place and renamed when it is whole.
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/model.h"

#include "base/alloc.h"
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_ATTEMPTS 1000

static bool fail_writing(struct ts_error *err, const char *path, int number) {
  ts_fail(err, TS_ERR_FILE_IO, "'%s' cannot be written: %s", path, strerrordesc_np(number));
  if (number == ENOSPC || number == EDQUOT || number == EFBIG) {
    ts_error_help(err, "free some space, or choose another place; nothing was left behind");
  } else if (number == ENOENT || number == ENOTDIR) {
    ts_error_help(err, "make the folder first, or choose another place");
  } else {
    ts_error_help(err, "check the path and its permissions, or choose another place");
  }
  return ts_error_place(err, path, 0, 0, NULL);
}

/* A file without a name, which disappears when the program ends, for any reason. -1 where the system has none, or
 * could not name it afterwards. */
static int create_nameless(const char *folder) {
  if (access("/proc/self/fd", X_OK) != 0) return -1;
  return open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
}

/* Names a nameless file: at once if nothing has that name, otherwise beside it, to be renamed. 0 or the errno. */
static int give_name(struct piecewise_file *file) {
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file->fd);
  if (linkat(AT_FDCWD, link, AT_FDCWD, file->path, AT_SYMLINK_FOLLOW) == 0) return 0;
  ts_auto_free char *folder = ts_path_folder(file->path);
  for (int attempt = 0; errno == EEXIST && attempt < MAX_ATTEMPTS; attempt++) {
    free(file->temporary);
    file->temporary = ts_path_temporary(folder);
    if (linkat(AT_FDCWD, link, AT_FDCWD, file->temporary, AT_SYMLINK_FOLLOW) == 0) return 0;
  }
  int number = errno;
  free(ts_steal(file->temporary));
  return number;
}

/* Ctrl-C comes before or after, never between the two names. Closes the file. 0 or the errno. */
static int put_in_place(struct piecewise_file *file) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  int number = file->is_nameless ? give_name(file) : 0;
  if (close(file->fd) != 0 && errno != EINTR && !number) number = errno;
  if (!number && file->temporary && rename(file->temporary, file->path) != 0) number = errno;
  if (number && file->temporary) unlink(file->temporary);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return number;
}

bool ts_piecewise_open(struct piecewise_file *file, const char *path, struct ts_error *err) {
  *file = (struct piecewise_file){.path = path, .fd = -1};
  struct stat status;
  bool there = stat(path, &status) == 0;
  if (there && S_ISDIR(status.st_mode)) return fail_writing(err, path, EISDIR);
  if (there && !S_ISREG(status.st_mode)) {
    file->fd = open(path, O_WRONLY | O_CLOEXEC);
  } else {
    ts_auto_free char *folder = ts_path_folder(path);
    file->fd = create_nameless(folder);
    file->is_nameless = file->fd >= 0;
    if (!file->is_nameless) file->fd = ts_file_create_temporary(folder, &file->temporary);
  }
  return file->fd >= 0 || fail_writing(err, path, errno);
}

bool ts_piecewise_write(struct piecewise_file *file, const char *text, size_t length, struct ts_error *err) {
  int number = ts_file_write_all(file->fd, text, length);
  return number == 0 || fail_writing(err, file->path, number);
}

bool ts_piecewise_close(struct piecewise_file *file, bool keep, struct ts_error *err) {
  int number = keep ? put_in_place(file) : 0;
  if (!keep && file->fd >= 0) close(file->fd);
  if (!keep && file->temporary) unlink(file->temporary);
  free(file->temporary);
  const char *path = file->path;
  *file = (struct piecewise_file){.fd = -1};
  return number == 0 || fail_writing(err, path, number);
}
