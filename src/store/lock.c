/* The lock file of a store folder.
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/lock.h"

#include "base/alloc.h"
#include "base/file.h"
#include "base/process/process.h"
#include "store/access.h"

#include <errno.h>
#include <fcntl.h>
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
  char identity[TS_PROCESS_IDENTITY_SIZE] = "", text[TS_PROCESS_IDENTITY_SIZE + 32];
  ts_process_identity(getpid(), identity);
  int length = snprintf(text, sizeof text, "%ld\n%s\n", (long)getpid(), identity);
  /* The text only serves others: the lock holds without it. */
  if (ftruncate(fd, 0) != 0 || pwrite(fd, text, (size_t)length, 0) < 0) return;
}

static struct flock whole_file(void) { return (struct flock){.l_type = F_WRLCK, .l_whence = SEEK_SET}; }

int ts_store_lock_open(const char *folder, struct ts_error *err) {
  ts_auto_free char *path = ts_path_join(folder, "lock");
  int fd = ts_store_file_open(folder, path, err);
  if (fd < 0) return -1;
  if (flock(fd, LOCK_EX | LOCK_NB) == 0) {
    struct flock asked = whole_file();
    fcntl(fd, F_OFD_SETLK, &asked); /* nobody else takes it: where it cannot be had, readers ask the system */
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
  return ts_error_help(err, "put it back, or run again: missing products are computed again");
}

/* The identity of the last holder, behind its number; "" if the file has none, as programs without it left it. */
static void read_identity(int fd, char identity[TS_PROCESS_IDENTITY_SIZE]) {
  char text[TS_PROCESS_IDENTITY_SIZE + 32];
  ssize_t length = pread(fd, text, sizeof text - 1, 0);
  text[length > 0 ? length : 0] = '\0';
  const char *second = strchr(text, '\n');
  snprintf(identity, TS_PROCESS_IDENTITY_SIZE, "%.*s", second ? (int)strcspn(second + 1, "\n") : 0,
           second ? second + 1 : "");
}

bool ts_store_lock_is_held_by(const char *folder, int64_t process_id, const char *identity) {
  ts_auto_free char *path = ts_path_join(folder, "lock");
  char holder[TS_PROCESS_IDENTITY_SIZE] = "";
  struct flock asked = whole_file();
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (fd < 0 && errno == ENOENT) return false; /* a store without a lock was never written */
  if (fd < 0) return ts_process_is_alive(process_id, identity);
  read_identity(fd, holder);
  const bool is_known = fcntl(fd, F_OFD_GETLK, &asked) == 0 && holder[0] != '\0';
  close(fd);
  if (!is_known) return ts_process_is_alive(process_id, identity);
  return asked.l_type != F_UNLCK && strcmp(holder, identity) == 0;
}

void ts_store_lock_close(int fd) {
  if (fd >= 0) close(fd);
}
