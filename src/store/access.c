/* Opening of a store's files, and words about their owners.
 * SPDX-License-Identifier: Apache-2.0
 *
 * In a folder that others may write to, a link or a pipe may wait under the name of any file. */
#include "store/access.h"

#include "base/alloc.h"
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAME_BYTES 64

/* "alice", or the number of a user without a name. */
static void owner_name(uid_t owner, char name[NAME_BYTES]) {
  char buffer[4096];
  struct passwd entry;
  struct passwd *found = NULL;
  getpwuid_r(owner, &entry, buffer, sizeof buffer, &found);
  if (found) {
    snprintf(name, NAME_BYTES, "%s", found->pw_name);
  } else {
    snprintf(name, NAME_BYTES, "user %lu", (unsigned long)owner);
  }
}

static bool fail_kind(const char *folder, const char *path, struct ts_error *err) {
  ts_fail(err, TS_ERR_STORE, "the store '%s' cannot be used: '%s' is not a plain file", folder, path);
  return ts_error_help(err, "find out who put it there, and remove it; or choose another store");
}

/* The file if there is one, otherwise the folder, says whose the store is. */
static bool fail_access(const char *folder, const char *path, int number, struct ts_error *err) {
  struct stat status;
  if (number == ELOOP) return fail_kind(folder, path, err);
  ts_fail(err, TS_ERR_STORE, "the store '%s' cannot be used: '%s' cannot be opened: %s", folder, path,
          strerrordesc_np(number));
  const bool is_foreign = (number == EACCES || number == EPERM) &&
                          (lstat(path, &status) == 0 || stat(folder, &status) == 0) && status.st_uid != geteuid();
  if (is_foreign) {
    char owner[NAME_BYTES];
    owner_name(status.st_uid, owner);
    ts_error_help(
        err, "the files of a store are private, and this one belongs to %s: choose another store with --store", owner);
  } else {
    ts_error_help(err, "change the permissions of that file and its folder, or choose another store");
  }
  return false;
}

bool ts_store_folder_create(const char *path, struct ts_error *err) {
  ts_auto_free char *parent = ts_path_folder(path);
  if (ts_folder_exists(path)) return true;
  if (ts_folder_create(parent, err) && (mkdir(path, TS_STORE_FOLDER_MODE) == 0 || ts_folder_exists(path))) return true;
  return ts_folder_create(path, err); /* fails for the same reason, and says it */
}

int ts_store_file_open(const char *folder, const char *path, struct ts_error *err) {
  struct stat status;
  const int flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
  const int fd = open(path, flags, TS_STORE_FILE_MODE);
  if (fd < 0) {
    fail_access(folder, path, errno, err);
    return -1;
  }
  if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode)) return fd;
  close(fd);
  fail_kind(folder, path, err);
  return -1;
}

bool ts_store_file_check(const char *folder, const char *path, struct ts_error *err) {
  struct stat status;
  if (lstat(path, &status) != 0) return errno == ENOENT || fail_access(folder, path, errno, err);
  if (!S_ISREG(status.st_mode)) return fail_kind(folder, path, err);
  return access(path, R_OK) == 0 || fail_access(folder, path, errno, err);
}
