/* Files of products: written beside their place, synced, renamed.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Writing a batch overlaps its input and output: all files are written and started on their way to the disk first, then
 * each is waited for, then each folder once. */
#include "store/objects.h"

#include "base/alloc.h"
#include "base/file.h"
#include "store/access.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_WRITE_BYTES ((size_t)1 << 30) /* one write(2) takes no more than 2 GiB */
#define OPEN_FILES_MAX  64                /* written before the first of them is waited for */

static bool fail_write(struct ts_error *err, const char *path, int number) {
  ts_fail(err, number == ENOMEM ? TS_ERR_NO_MEMORY : TS_ERR_STORE, "product file '%s' cannot be written: %s", path,
          strerrordesc_np(number));
  if (number == ENOSPC || number == EDQUOT || number == EFBIG)
    return ts_error_help(err, "free some space on the disk of the store, or choose another store");
  return number == ENOMEM ? ts_error_help(err, "use fewer threads (-j), or free some memory")
                          : ts_error_help(err, "check the permissions and the disk of the store");
}

static char *object_path(const struct ts_objects *objects, const struct ts_sha256 *digest) {
  char hex[65];
  ts_hex_encode(digest->bytes, sizeof digest->bytes, hex);
  struct ts_str path = {0};
  ts_str_addf(&path, "%s/%.2s/%s", objects->folder, hex, hex + 2);
  return ts_str_detach(&path);
}

void ts_objects_open_read(struct ts_objects *objects, const char *store_folder) {
  objects->folder = ts_path_join(store_folder, "objects");
}

void ts_objects_close(struct ts_objects *objects) { free(ts_steal(objects->folder)); }

#define FOLDER_FLAGS (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)

/* A folder of the store, never one that a link leads to; -1 with errno. */
static int open_folder(const char *path) { return open(path, FOLDER_FLAGS); }

/* Files below tmp belong to no one: their writer died before it named them. Takes over the descriptor. */
static void sweep(int folder_fd) {
  DIR *directory = fdopendir(folder_fd);
  if (!directory) {
    close(folder_fd);
    return;
  }
  const struct dirent *entry;
  while ((entry = readdir(directory))) {
    if (entry->d_name[0] != '.') unlinkat(dirfd(directory), entry->d_name, 0);
  }
  closedir(directory);
}

/* Makes a folder that only its owner may look into, unless it is there. 0 or the errno. */
static int make_folder(const char *path) {
  return mkdir(path, TS_STORE_FOLDER_MODE) == 0 || errno == EEXIST ? 0 : errno;
}

/* Empties the folder for unfinished files, made if it is not there. 0 or the errno. */
static int prepare_temporary(const char *folder) {
  const int folder_fd = open_folder(folder);
  if (folder_fd < 0) return errno;
  int number = mkdirat(folder_fd, "tmp", TS_STORE_FOLDER_MODE) == 0 || errno == EEXIST ? 0 : errno;
  const int fd = number == 0 ? openat(folder_fd, "tmp", FOLDER_FLAGS) : -1;
  if (number == 0 && fd < 0) number = errno;
  close(folder_fd);
  if (fd >= 0) sweep(fd);
  return number;
}

bool ts_objects_open(struct ts_objects *objects, const char *store_folder, struct ts_error *err) {
  ts_objects_open_read(objects, store_folder);
  int number = make_folder(objects->folder);
  if (number == 0) number = prepare_temporary(objects->folder);
  if (number == 0) return true;
  ts_fail(err, TS_ERR_STORE, "the folder '%s' cannot be used for products: %s", objects->folder,
          strerrordesc_np(number));
  ts_error_help(err, number == ELOOP || number == ENOTDIR
                         ? "it, and 'tmp' in it, must be folders, not links; to move products, move the whole store"
                         : "check the permissions and the disk of the store");
  ts_objects_close(objects);
  return false;
}

/* A file that is being written. */
struct pending {
  int fd;
  char *temporary; /* owned */
};

#define RANDOM_BYTES 16

/* A new file below tmp. 0 or the errno. */
static int create_temporary(const struct ts_objects *objects, struct pending *pending) {
  unsigned char random[RANDOM_BYTES];
  char hex[2 * RANDOM_BYTES + 1];
  struct ts_str path = {0};
  if (getrandom(random, sizeof random, 0) != (ssize_t)sizeof random) return EAGAIN;
  ts_hex_encode(random, sizeof random, hex);
  ts_str_addf(&path, "%s/tmp/%s", objects->folder, hex);
  pending->temporary = ts_str_detach(&path);
  pending->fd = open(pending->temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, TS_STORE_FILE_MODE);
  return pending->fd < 0 ? errno : 0;
}

static void abandon(struct pending *pending) {
  if (pending->fd >= 0) {
    close(pending->fd);
    unlink(pending->temporary);
  }
  free(ts_steal(pending->temporary));
}

/* 0 or the errno. */
static int write_bytes(int fd, const void *data, size_t size) {
  const char *bytes = data;
  while (size > 0) {
    ssize_t count = write(fd, bytes, size < MAX_WRITE_BYTES ? size : MAX_WRITE_BYTES);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno;
    bytes += count;
    size -= (size_t)count;
  }
  return 0;
}

/* Writes the temporary file, which after true has a name. */
static bool begin_file(const struct ts_objects *objects, const struct ts_batch_product *product,
                       struct pending *pending, struct ts_error *err) {
  *pending = (struct pending){.fd = -1};
  int number = create_temporary(objects, pending);
  if (number == 0) number = write_bytes(pending->fd, product->packed, product->packed_bytes);
  if (number == 0) {
    /* Only a hint to start: only fsync says whether the bytes arrived. */
    sync_file_range(pending->fd, 0, 0, SYNC_FILE_RANGE_WRITE);
    return true;
  }
  fail_write(err, pending->temporary ? pending->temporary : objects->folder, number);
  abandon(pending);
  return false;
}

/* Gives a finished file its name, in place of what may have it. 0 or the errno. */
static int name_file(const char *temporary, const char *path, bool *is_new) {
  ts_auto_free char *folder = ts_path_folder(path);
  int fd = open_folder(folder);
  if (fd < 0 && errno == ENOENT) {
    const int number = make_folder(folder);
    if (number != 0) return number;
    fd = open_folder(folder);
  }
  if (fd < 0) return errno;
  struct stat there;
  *is_new = fstatat(fd, ts_path_name(path), &there, AT_SYMLINK_NOFOLLOW) != 0;
  const int number = renameat(AT_FDCWD, temporary, fd, ts_path_name(path)) != 0 ? errno : 0;
  close(fd);
  if (number != 0) *is_new = false;
  return number;
}

/* Waits for the file's bytes, closes it and gives it its name. */
static bool finish_file(const struct ts_objects *objects, const struct ts_batch_product *product,
                        struct pending *pending, bool *is_new, struct ts_error *err) {
  ts_auto_free char *path = object_path(objects, &product->digest);
  int number = fsync(pending->fd) != 0 ? errno : 0;
  if (close(pending->fd) != 0 && number == 0) number = errno;
  if (number == 0) number = name_file(pending->temporary, path, is_new);
  if (number != 0) unlink(pending->temporary);
  free(ts_steal(pending->temporary));
  return number == 0 || fail_write(err, path, number);
}

/* Makes the names in a folder durable; file systems that cannot sync folders say EINVAL. */
static bool sync_folder(const char *path, struct ts_error *err) {
  int fd = open_folder(path);
  if (fd < 0) return fail_write(err, path, errno);
  int number = fsync(fd) != 0 && errno != EINVAL ? errno : 0;
  close(fd);
  return number == 0 || fail_write(err, path, number);
}

static bool sync_folders(const struct ts_objects *objects, const struct ts_batch_product *const *products, size_t count,
                         struct ts_error *err) {
  bool synced[256] = {false};
  for (size_t i = 0; i < count; i++) {
    const unsigned first = products[i]->digest.bytes[0];
    if (synced[first]) continue;
    synced[first] = true;
    ts_auto_free char *path = object_path(objects, &products[i]->digest);
    ts_auto_free char *folder = ts_path_folder(path);
    if (!sync_folder(folder, err)) return false;
  }
  return sync_folder(objects->folder, err);
}

/* Writes some files and waits for them. After a fault the rest is closed and removed. */
static bool write_group(const struct ts_objects *objects, const struct ts_batch_product *const *products, size_t count,
                        bool *is_new, struct ts_error *err) {
  struct pending files[OPEN_FILES_MAX];
  size_t begun = 0;
  while (begun < count && begin_file(objects, products[begun], &files[begun], err)) begun++;
  bool ok = begun == count;
  for (size_t i = 0; i < begun; i++) {
    if (ok) {
      ok = finish_file(objects, products[i], &files[i], &is_new[i], err);
    } else {
      abandon(&files[i]);
    }
  }
  return ok;
}

bool ts_objects_write(struct ts_objects *objects, const struct ts_batch_product *const *products, size_t count,
                      bool *is_new, struct ts_error *err) {
  if (count == 0) return true;
  memset(is_new, 0, count * sizeof *is_new);
  bool ok = true;
  for (size_t first = 0; ok && first < count; first += OPEN_FILES_MAX) {
    const size_t left = count - first;
    ok = write_group(objects, products + first, left < OPEN_FILES_MAX ? left : OPEN_FILES_MAX, is_new + first, err);
  }
  if (ok && sync_folders(objects, products, count, err)) return true;
  ts_objects_remove_new(objects, products, count, is_new);
  return false;
}

void ts_objects_remove_new(const struct ts_objects *objects, const struct ts_batch_product *const *products,
                           size_t count, const bool *is_new) {
  for (size_t i = 0; i < count; i++) {
    if (is_new[i]) ts_objects_remove(objects, &products[i]->digest);
  }
}

static bool fail_read(struct ts_error *err, const char *path, int number) {
  /* A disk error, a missing file and a link in its place are lost products; anything else (too many open files) may
   * pass. */
  if (number == ENOENT || number == EIO || number == ELOOP) {
    return ts_fail(err, TS_ERR_BAD_PRODUCT, "product file '%s': %s", path, strerrordesc_np(number));
  }
  ts_fail(err, TS_ERR_FILE_IO, "product file '%s' cannot be read: %s", path, strerrordesc_np(number));
  return ts_error_help(err, "check the permissions of the store");
}

/* Reads up to `size` bytes; 0 or the errno. */
static int read_bytes(int fd, char *bytes, size_t size, size_t *got) {
  *got = 0;
  while (*got < size) {
    const size_t left = size - *got;
    ssize_t count = read(fd, bytes + *got, left < MAX_WRITE_BYTES ? left : MAX_WRITE_BYTES);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno;
    if (count == 0) return 0;
    *got += (size_t)count;
  }
  return 0;
}

bool ts_objects_read(const struct ts_objects *objects, const struct ts_sha256 *digest, uint64_t packed_bytes,
                     struct ts_str *packed, struct ts_error *err) {
  ts_auto_free char *path = object_path(objects, digest);
  int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC); /* a pipe would be waited for */
  if (fd < 0) return fail_read(err, path, errno);
  struct stat status;
  if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) {
    close(fd);
    return ts_fail(err, TS_ERR_BAD_PRODUCT, "'%s' is in the place of a product, but is not a file", path);
  }
  if ((uint64_t)status.st_size != packed_bytes) {
    close(fd);
    return ts_fail(err, TS_ERR_BAD_PRODUCT, "product file '%s' has another size than it should", path);
  }
  const size_t size = (size_t)packed_bytes;
  ts_auto_free char *bytes = malloc(size + 1);
  if (!bytes) {
    close(fd);
    return ts_fail(err, TS_ERR_NO_MEMORY, "no memory to load a product of %zu bytes", size);
  }
  size_t got;
  int number = read_bytes(fd, bytes, size, &got);
  close(fd);
  if (number != 0) return fail_read(err, path, number);
  if (got != size) return ts_fail(err, TS_ERR_BAD_PRODUCT, "product file '%s' is cut", path);
  bytes[size] = '\0';
  ts_str_release(packed);
  *packed = (struct ts_str){.data = ts_steal(bytes), .length = size, .capacity = size + 1};
  return true;
}

void ts_objects_remove(const struct ts_objects *objects, const struct ts_sha256 *digest) {
  ts_auto_free char *path = object_path(objects, digest);
  unlink(path);
}
