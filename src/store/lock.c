/* The lock file of a store folder.
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/lock.h"

#include "base/alloc.h"
#include "base/file.h"
#include "store/access.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static void fail_busy(int fd, const char *folder, struct ts_error *err) {
  char holder[32] = "";
  ssize_t length = pread(fd, holder, sizeof holder - 1, 0);
  holder[length > 0 ? length : 0] = '\0';
  holder[strspn(holder, "0123456789")] = '\0';
  if (holder[0] != '\0') {
    ts_fail(err, TS_ERR_STORE_BUSY, "the store '%s' is being written by process %s", folder, holder);
  } else {
    ts_fail(err, TS_ERR_STORE_BUSY, "the store '%s' is being written by another process", folder);
  }
  ts_error_help(err, "wait until that process ends, stop it, or choose another store; reading works meanwhile");
}

static void write_holder(int fd) {
  char text[32];
  int length = snprintf(text, sizeof text, "%ld\n", (long)getpid());
  /* The number only serves the message to others: the lock holds without it. */
  if (ftruncate(fd, 0) != 0 || pwrite(fd, text, (size_t)length, 0) < 0) return;
}

int ts_store_lock_open(const char *folder, struct ts_error *err) {
  ts_auto_free char *path = ts_path_join(folder, "lock");
  int fd = ts_store_file_open(folder, path, err);
  if (fd < 0) return -1;
  if (flock(fd, LOCK_EX | LOCK_NB) == 0) {
    write_holder(fd);
    return fd;
  }
  if (errno == EWOULDBLOCK) {
    fail_busy(fd, folder, err);
  } else {
    ts_fail(err, TS_ERR_STORE, "the store '%s' cannot be locked: %s", folder, strerrordesc_np(errno));
    ts_error_help(err, "choose a folder on a disk of this machine");
  }
  close(fd);
  return -1;
}

bool ts_store_lock_check(int fd, const char *folder, struct ts_error *err) {
  ts_auto_free char *path = ts_path_join(folder, "lock");
  struct stat held, there;
  if (fstat(fd, &held) == 0 && stat(path, &there) == 0 && held.st_dev == there.st_dev && held.st_ino == there.st_ino) {
    return true;
  }
  ts_fail(err, TS_ERR_STORE, "the store '%s' was removed or replaced while it was in use", folder);
  ts_error_help(err, "put it back, or run again: missing products are computed again");
  return false;
}

void ts_store_lock_close(int fd) {
  if (fd >= 0) close(fd);
}
