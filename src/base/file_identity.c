/* Which state of a file this is.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/file_identity.h"

#include "base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define SECOND_NS INT64_C(1000000000)
/* Two ticks of the slowest kernel clock (100 Hz): times of files are those of the last tick. */
#define TICKS_NS INT64_C(20000000)
/* FAT counts in steps of two seconds, older file systems in seconds. */
#define COARSE_NS (2 * SECOND_NS)
/* The kernel writes memory that is mapped to a file back after 30 s (vm.dirty_expire_centisecs) and looks every 5 s:
 * what was changed longer ago than this is written back. Until then a further write through the same mapping leaves no
 * trace. */
#define WRITTEN_BACK_NS (120 * SECOND_NS)
#define ATTEMPT_MAX     3 /* for files that change while they are read */

static int64_t time_ns(const struct timespec *time) { return (int64_t)time->tv_sec * SECOND_NS + time->tv_nsec; }

bool ts_file_identify(const char *path, struct ts_file_identity *identity, struct ts_error *err) {
  struct stat status;
  if (stat(path, &status) != 0) {
    const bool is_missing = errno == ENOENT || errno == ENOTDIR;
    ts_fail(err, is_missing ? TS_ERR_FILE_NOT_FOUND : TS_ERR_FILE_IO, "'%s' cannot be read: %s", path,
            strerrordesc_np(errno));
    ts_error_help(err, "check the path and its permissions");
    ts_error_place(err, path, 0, 0, NULL);
    return false;
  }
  if (!S_ISREG(status.st_mode)) { /* reading a pipe would wait for a writer */
    ts_fail(err, TS_ERR_FILE_NOT_FOUND, "'%s' is not a regular file", path);
    ts_error_help(err, "give the name of a file");
    ts_error_place(err, path, 0, 0, NULL);
    return false;
  }
  *identity = (struct ts_file_identity){.device = (uint64_t)status.st_dev,
                                        .inode = (uint64_t)status.st_ino,
                                        .size_bytes = (uint64_t)status.st_size,
                                        .mtime_ns = time_ns(&status.st_mtim),
                                        .ctime_ns = time_ns(&status.st_ctim)};
  return true;
}

bool ts_file_identity_equal(const struct ts_file_identity *a, const struct ts_file_identity *b) {
  return a->device == b->device && a->inode == b->inode && a->size_bytes == b->size_bytes &&
         a->mtime_ns == b->mtime_ns && a->ctime_ns == b->ctime_ns;
}

/* A time that lies ahead was set by hand, or the clock was: the next write gives another one. */
static int64_t rest_ns(int64_t changed_ns, int64_t now_ns, int64_t grain_ns) {
  const int64_t age_ns = now_ns - changed_ns;
  return age_ns >= 0 && age_ns < grain_ns ? grain_ns - age_ns : 0;
}

int64_t ts_file_identity_wait_ns(const struct ts_file_identity *identity, int64_t now_ns) {
  const bool counts_seconds = identity->mtime_ns % SECOND_NS == 0 && identity->ctime_ns % SECOND_NS == 0;
  const int64_t grain_ns = counts_seconds ? COARSE_NS : TICKS_NS;
  const int64_t by_mtime = rest_ns(identity->mtime_ns, now_ns, grain_ns);
  const int64_t by_ctime = rest_ns(identity->ctime_ns, now_ns, grain_ns);
  return by_mtime > by_ctime ? by_mtime : by_ctime;
}

bool ts_file_identity_is_fresh(const struct ts_file_identity *identity, int64_t now_ns) {
  return rest_ns(identity->ctime_ns, now_ns, WRITTEN_BACK_NS) > 0;
}

/* After the writing back of a page the next write to it through a mapping is seen by the kernel and changes the times.
 * Should this not be possible, nothing is lost but that. */
static void write_back(const char *path) {
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return;
  fdatasync(fd);
  close(fd);
}

bool ts_file_identify_settled(const char *path, struct ts_file_identity *identity, struct ts_error *err) {
  if (!ts_file_identify(path, identity, err)) return false;
  if (ts_file_identity_is_fresh(identity, ts_clock_unix_ns())) {
    write_back(path);
    if (!ts_file_identify(path, identity, err)) return false;
  }
  for (int attempt = 0; attempt < ATTEMPT_MAX; attempt++) {
    const int64_t wait_ns = ts_file_identity_wait_ns(identity, ts_clock_unix_ns());
    if (wait_ns == 0) return true;
    struct timespec rest = {.tv_sec = wait_ns / SECOND_NS, .tv_nsec = wait_ns % SECOND_NS};
    while (nanosleep(&rest, &rest) != 0 && errno == EINTR) continue; /* a signal */
    if (!ts_file_identify(path, identity, err)) return false;
  }
  return ts_file_keeps_changing(path, err);
}

bool ts_file_keeps_changing(const char *path, struct ts_error *err) {
  ts_fail(err, TS_ERR_DATA_CHANGED, "'%s' changes while it is read", path);
  ts_error_help(err, "wait until the program that writes it has ended");
  ts_error_place(err, path, 0, 0, NULL);
  return false;
}

bool ts_file_digest(const char *path, struct ts_sha256 *digest, struct ts_file_identity *identity,
                    struct ts_error *err) {
  for (int attempt = 0; attempt < ATTEMPT_MAX; attempt++) {
    struct ts_file_identity after;
    if (!ts_file_identify_settled(path, identity, err) || !ts_sha256_of_file(path, digest, err) ||
        !ts_file_identify(path, &after, err))
      return false;
    if (ts_file_identity_equal(identity, &after)) return true;
  }
  return ts_file_keeps_changing(path, err);
}
