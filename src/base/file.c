/* Whole reads and whole writes of files.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/file.h"

#include "base/alloc.h"
#include "base/file_int.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define READ_BYTES     ((size_t)64 * 1024)
#define MAX_READ_BYTES ((size_t)1 << 30) /* one read(2) takes no more than 2 GiB */

bool ts_file_fail(struct ts_error *err, const char *path, const char *action, int number) {
  ts_fail(err, TS_ERR_FILE_IO, "'%s' cannot %s: %s", path, action, strerrordesc_np(number));
  if (number == EACCES || number == EPERM || number == EROFS) {
    ts_error_help(err, "change the permissions, or choose another place");
  } else if (number == ENOSPC || number == EDQUOT) {
    ts_error_help(err, "free some space, or choose another place");
  } else {
    ts_error_help(err, "check the path and the file system");
  }
  ts_error_place(err, path, 0, 0, NULL);
  return false;
}

static bool not_found(struct ts_error *err, const char *path) {
  ts_fail(err, TS_ERR_FILE_NOT_FOUND, "there is no file '%s'", path);
  ts_error_help(err, "check the spelling; relative paths start at the current folder");
  ts_error_place(err, path, 0, 0, NULL);
  return false;
}

int ts_fd_open_read(const char *path, struct ts_error *err) {
  int fd;
  do {
    fd = open(path, O_RDONLY | O_CLOEXEC);
  } while (fd < 0 && errno == EINTR);
  if (fd < 0) {
    if (errno == ENOENT || errno == ENOTDIR) {
      not_found(err, path);
    } else {
      ts_file_fail(err, path, "be opened", errno);
    }
    return -1;
  }
  struct stat status;
  int number = fstat(fd, &status) != 0 ? errno : S_ISDIR(status.st_mode) ? EISDIR : 0;
  if (number) {
    close(fd);
    ts_file_fail(err, path, "be read", number);
    return -1;
  }
  return fd;
}

bool ts_fd_read(int fd, const char *path, void *buffer, size_t size, size_t *got, struct ts_error *err) {
  ssize_t count;
  do {
    count = read(fd, buffer, size < MAX_READ_BYTES ? size : MAX_READ_BYTES);
  } while (count < 0 && errno == EINTR);
  if (count < 0) return ts_file_fail(err, path, "be read", errno);
  *got = (size_t)count;
  return true;
}

/* Reads on to the end; sizes from stat are not trusted, because pipes and /proc have none and files may grow. */
static bool read_all(int fd, const char *path, size_t max_bytes, struct ts_str *out, struct ts_error *err) {
  size_t total = 0;
  char *chunk = ts_malloc(READ_BYTES);
  bool ok;
  for (;;) {
    size_t got;
    ok = ts_fd_read(fd, path, chunk, READ_BYTES, &got, err);
    if (!ok || got == 0) break;
    total += got;
    if (max_bytes && total > max_bytes) {
      ok = ts_fail(err, TS_ERR_FILE_IO, "'%s' is larger than %zu bytes", path, max_bytes);
      ts_error_help(err, "check that this is the right file");
      ts_error_place(err, path, 0, 0, NULL);
      break;
    }
    ts_str_add_bytes(out, chunk, got);
  }
  free(chunk);
  return ok;
}

bool ts_file_read(const char *path, size_t max_bytes, struct ts_str *out, struct ts_error *err) {
  int fd = ts_fd_open_read(path, err);
  if (fd < 0) return false;
  size_t length_before = out->length;
  bool ok = read_all(fd, path, max_bytes, out, err);
  close(fd);
  if (!ok && out->data) {
    out->length = length_before;
    out->data[length_before] = '\0';
  }
  return ok;
}

int ts_file_write_all(int fd, const void *data, size_t size) {
  const char *bytes = data;
  while (size > 0) {
    ssize_t count = write(fd, bytes, size < MAX_READ_BYTES ? size : MAX_READ_BYTES);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return count < 0 ? errno : EIO;
    bytes += count;
    size -= (size_t)count;
  }
  return 0;
}

char *ts_path_temporary(const char *folder) {
  static atomic_ullong counter;
  char unique[64];
  snprintf(unique, sizeof unique, ".tessera-%ld-%llu.tmp", (long)getpid(), atomic_fetch_add(&counter, 1));
  return ts_path_join(folder, unique);
}

bool ts_name_is_temporary(const char *name) {
  static const char digits[] = "0123456789";
  const char *at = name;
  if (!ts_str_starts_with(name, ".tessera-")) return false;
  at += strlen(".tessera-");
  const size_t process = strspn(at, digits);
  if (process == 0 || at[process] != '-') return false;
  at += process + 1;
  const size_t number = strspn(at, digits);
  return number > 0 && strcmp(at + number, ".tmp") == 0;
}

/* O_EXCL guards against the files of other processes and hosts. */
int ts_file_create_temporary(const char *folder, char **name) {
  for (int attempt = 0; attempt < 1000; attempt++) {
    *name = ts_path_temporary(folder);
    int fd = open(*name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd >= 0) return fd;
    int number = errno;
    free(ts_steal(*name));
    errno = number;
    if (number != EEXIST && number != EINTR) return -1;
  }
  return -1;
}

/* Makes a rename durable. 0 or the errno; file systems that cannot sync folders say EINVAL. */
static int sync_folder(const char *folder) {
  int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return errno == EACCES ? 0 : errno; /* a folder one may write to but not list */
  int number = fsync(fd) != 0 && errno != EINVAL ? errno : 0;
  close(fd);
  return number;
}

/* 0 or the errno; closes the descriptor in any case. */
static int fill_and_close(int fd, const void *data, size_t size, bool sync) {
  int number = ts_file_write_all(fd, data, size);
  if (!number && sync && fsync(fd) != 0) number = errno;
  if (close(fd) != 0 && !number && errno != EINTR) number = errno;
  return number;
}

static int replace_file(const char *path, const void *data, size_t size, bool sync) {
  ts_auto_free char *folder = ts_path_folder(path);
  ts_auto_free char *temporary = NULL;
  int fd = ts_file_create_temporary(folder, &temporary);
  if (fd < 0) return errno;
  int number = fill_and_close(fd, data, size, sync);
  if (!number && rename(temporary, path) != 0) number = errno;
  if (number) {
    unlink(temporary);
    return number;
  }
  return sync ? sync_folder(folder) : 0;
}

/* Devices and pipes (/dev/stdout) are written to, never replaced. */
static int write_in_place(const char *path, const void *data, size_t size) {
  int fd = open(path, O_WRONLY | O_CLOEXEC);
  return fd < 0 ? errno : fill_and_close(fd, data, size, false);
}

static bool write_file(const char *path, const void *data, size_t size, bool sync, struct ts_error *err) {
  struct stat status;
  bool there = stat(path, &status) == 0;
  int number;
  if (there && S_ISDIR(status.st_mode)) {
    number = EISDIR;
  } else if (there && !S_ISREG(status.st_mode)) {
    number = write_in_place(path, data, size);
  } else {
    number = replace_file(path, data, size, sync);
  }
  return number ? ts_file_fail(err, path, "be written", number) : true;
}

bool ts_file_write_atomic(const char *path, const void *data, size_t size, struct ts_error *err) {
  return write_file(path, data, size, true, err);
}

bool ts_file_write(const char *path, const void *data, size_t size, struct ts_error *err) {
  return write_file(path, data, size, false, err);
}
