/* Digests of the user's files, computed once per state of the file.
 * SPDX-License-Identifier: Apache-2.0
 *
 * A file is taken to be unchanged if device, inode, size, mtime and ctime are. Times have the grain of the kernel's
 * clock tick, so the digest of a file that changed less than a moment ago is not remembered: it could change again
 * without a trace. */
#include "base/clock.h"
#include "store/store_int.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#define SETTLED_NS  INT64_C(100000000) /* several ticks of the slowest kernel clock */
#define ATTEMPT_MAX 3                  /* for files that change while they are read */

static int64_t time_ns(const struct timespec *time) {
  return (int64_t)time->tv_sec * INT64_C(1000000000) + time->tv_nsec;
}

static bool identify(const char *path, struct ts_file_identity *file, struct ts_error *err) {
  struct stat status;
  if (stat(path, &status) != 0) {
    const bool is_missing = errno == ENOENT || errno == ENOTDIR;
    ts_fail(err, is_missing ? TS_ERR_FILE_NOT_FOUND : TS_ERR_FILE_IO, "'%s' cannot be read: %s", path,
            strerrordesc_np(errno));
    ts_error_help(err, "check the path and its permissions");
    ts_error_place(err, path, 0, 0, NULL);
    return false;
  }
  *file = (struct ts_file_identity){.device = (uint64_t)status.st_dev,
                                    .inode = (uint64_t)status.st_ino,
                                    .size_bytes = (uint64_t)status.st_size,
                                    .mtime_ns = time_ns(&status.st_mtim),
                                    .ctime_ns = time_ns(&status.st_ctim)};
  return true;
}

static bool is_settled(const struct ts_file_identity *file, int64_t before_ns) {
  return file->mtime_ns < before_ns - SETTLED_NS && file->ctime_ns < before_ns - SETTLED_NS;
}

/* Digests the file; *is_stable tells whether it can be remembered for this identity. */
static bool compute(const char *path, const struct ts_file_identity *file, struct ts_sha256 *digest, bool *is_stable,
                    struct ts_error *err) {
  struct ts_file_identity after;
  if (!ts_sha256_of_file(path, digest, err) || !identify(path, &after, err)) return false;
  *is_stable = memcmp(file, &after, sizeof after) == 0;
  return true;
}

bool ts_store_file_digest(struct ts_store *store, const char *path, struct ts_sha256 *digest, struct ts_error *err) {
  struct ts_error ignored = {0}; /* without the store's help the digest is computed */
  for (int attempt = 0; attempt < ATTEMPT_MAX; attempt++) {
    struct ts_file_identity file;
    if (!identify(path, &file, err)) return false;
    if (store->backend->file_find(store->state, &file, digest, &ignored)) return true;
    const int64_t before_ns = ts_clock_unix_ns();
    bool is_stable = false;
    if (!compute(path, &file, digest, &is_stable, err)) return false;
    if (!is_stable) continue;
    if (!store->read_only && is_settled(&file, before_ns)) {
      store->backend->file_put(store->state, &file, digest, &ignored);
    }
    return true;
  }
  ts_fail(err, TS_ERR_FILE_IO, "'%s' changes while it is read", path);
  ts_error_help(err, "wait until the program that writes it has ended");
  ts_error_place(err, path, 0, 0, NULL);
  return false;
}
