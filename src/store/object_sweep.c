/* Looks through the folders of products: for what belongs to none, and for what they take.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/alloc.h"
#include "base/file.h"
#include "store/objects.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PREFIX_DIGITS 2
#define REST_DIGITS   62

struct sweep {
  const struct ts_objects *objects; /* borrowed */
  ts_objects_is_wanted *is_wanted;
  void *user;
  struct ts_objects_counts *counts; /* borrowed */
};

static bool is_hex(const char *name, size_t digits) {
  return strlen(name) == digits && strspn(name, "0123456789abcdef") == digits;
}

/* Whether this is the file of a product that a row names. */
static bool is_product(const struct sweep *sweep, int folder_fd, const char *prefix, const char *name) {
  char hex[PREFIX_DIGITS + REST_DIGITS + 1];
  struct ts_sha256 digest;
  struct stat status;
  if (!is_hex(name, REST_DIGITS)) return false;
  if (fstatat(folder_fd, name, &status, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(status.st_mode)) return false;
  memcpy(hex, prefix, PREFIX_DIGITS);
  memcpy(hex + PREFIX_DIGITS, name, REST_DIGITS + 1);
  return ts_hex_decode(hex, digest.bytes, sizeof digest.bytes) && sweep->is_wanted(sweep->user, &digest);
}

/* Folders in the place of files are not ours, and stay. */
static void sweep_folder(const struct sweep *sweep, int folder_fd, const char *prefix) {
  DIR *directory = fdopendir(folder_fd);
  if (!directory) {
    close(folder_fd);
    return;
  }
  const struct dirent *entry;
  while ((entry = readdir(directory))) {
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
    if (is_product(sweep, dirfd(directory), prefix, entry->d_name)) {
      sweep->counts->kept++;
    } else if (unlinkat(dirfd(directory), entry->d_name, 0) == 0) {
      sweep->counts->removed++;
    }
  }
  closedir(directory);
}

bool ts_objects_sweep(const struct ts_objects *objects, ts_objects_is_wanted *is_wanted, void *user,
                      struct ts_objects_counts *counts, struct ts_error *err) {
  const struct sweep sweep = {objects, is_wanted, user, counts};
  DIR *directory = opendir(objects->folder);
  if (!directory) {
    ts_fail(err, TS_ERR_STORE, "the folder '%s' cannot be read: %s", objects->folder, strerrordesc_np(errno));
    return ts_error_help(err, "check the permissions of the store");
  }
  const struct dirent *entry;
  while ((entry = readdir(directory))) {
    if (!is_hex(entry->d_name, PREFIX_DIGITS)) continue;
    const int fd = openat(dirfd(directory), entry->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd >= 0) sweep_folder(&sweep, fd, entry->d_name);
  }
  closedir(directory);
  return true;
}

static void measure_folder(int folder_fd, uint64_t *files, uint64_t *bytes) {
  DIR *directory = fdopendir(folder_fd);
  if (!directory) {
    close(folder_fd);
    return;
  }
  const struct dirent *entry;
  while ((entry = readdir(directory))) {
    struct stat status;
    if (fstatat(dirfd(directory), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(status.st_mode))
      continue;
    ++*files;
    *bytes += (uint64_t)status.st_size;
  }
  closedir(directory);
}

void ts_objects_measure(const struct ts_objects *objects, uint64_t *files, uint64_t *bytes) {
  DIR *directory = opendir(objects->folder);
  if (!directory) return;
  const struct dirent *entry;
  while ((entry = readdir(directory))) {
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
    const int fd = openat(dirfd(directory), entry->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd >= 0) measure_folder(fd, files, bytes);
  }
  closedir(directory);
}
