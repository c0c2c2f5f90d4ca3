/* Private copies of plugin files: what was loaded stays as it was, whatever becomes of the file.
 * SPDX-License-Identifier: Apache-2.0
 *
 * The system maps a library into memory, so that writing to its file changes code that runs. A copy lies in memory of
 * its own (memfd) and has a name in /proc, by which workers of a run read the very bytes that its process has. Copies
 * stay until the process ends: the system's loader knows libraries by their names, and a number that is used again
 * would name another library. */
#include "op/op_int.h"

#include "base/alloc.h"
#include "base/file.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct ts_plugin_image **images; /* owned, each of them owned too; in use until the process ends */
static size_t image_count, image_capacity;

/* SHA-256 over the build id (length, bytes) and the SHA-256 of the whole file. */
static bool digest_of(const char *path, struct ts_sha256 *digest, struct ts_error *err) {
  uint8_t build_id[64];
  size_t build_id_size = 0;
  struct ts_sha256 file;
  if (!ts_elf_build_id(path, build_id, &build_id_size, err)) return false;
  if (!ts_sha256_of_file(path, &file, err)) return false;
  struct ts_sha256_stream *stream = ts_sha256_stream_create();
  ts_op_digest_number(stream, build_id_size);
  ts_sha256_stream_add(stream, build_id, build_id_size);
  ts_sha256_stream_add(stream, file.bytes, sizeof(file.bytes));
  ts_sha256_stream_finish(stream, digest);
  return true;
}

/* A descriptor of a copy that nobody can change any more; -1 where the system has no such memory. */
static int copy_of(const char *name, const struct ts_str *bytes) {
  int fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (fd < 0) return -1;
  const int seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL;
  if (ts_file_write_all(fd, bytes->data, bytes->length) == 0 && fcntl(fd, F_ADD_SEALS, seals) == 0) return fd;
  close(fd);
  return -1;
}

/* A library that looks for others beside itself must be loaded from where it lies. */
static bool wants_its_folder(const struct ts_str *bytes) {
  return bytes->length > 0 && memmem(bytes->data, bytes->length, "$ORIGIN", strlen("$ORIGIN")) != NULL;
}

/* Under the lock. */
static const struct ts_plugin_image *find(const struct ts_sha256 *digest, const char *path) {
  for (size_t i = 0; i < image_count; i++) {
    const bool is_same = memcmp(&images[i]->digest, digest, sizeof *digest) == 0;
    if (is_same && (images[i]->loads_copy || strcmp(images[i]->load_path, path) == 0)) return images[i];
  }
  return NULL;
}

static const struct ts_plugin_image *add(const char *path, int fd, bool loads_copy, const struct ts_sha256 *digest) {
  struct ts_plugin_image *image = ts_calloc(1, sizeof *image);
  char copy[64] = "";
  if (fd >= 0) snprintf(copy, sizeof copy, "/proc/self/fd/%d", fd);
  if (fd >= 0) snprintf(image->shared_path, sizeof image->shared_path, "/proc/%ld/fd/%d", (long)getpid(), fd);
  image->load_path = ts_strdup(loads_copy ? copy : path);
  image->loads_copy = loads_copy;
  image->digest = *digest;
  images = ts_grow(images, image_count, &image_capacity, sizeof(struct ts_plugin_image *));
  images[image_count++] = image;
  return image;
}

const struct ts_plugin_image *ts_plugin_image_open(const char *path, struct ts_error *err) {
  ts_auto(ts_str_release) struct ts_str bytes = {0};
  struct ts_sha256 digest;
  char copy[64] = "";
  if (!ts_file_read(path, 0, &bytes, err)) return NULL;
  int fd = copy_of(ts_path_name(path), &bytes);
  if (fd >= 0) snprintf(copy, sizeof copy, "/proc/self/fd/%d", fd);
  if (!digest_of(fd >= 0 ? copy : path, &digest, err)) {
    if (fd >= 0) close(fd);
    return NULL;
  }
  pthread_mutex_lock(&lock);
  const struct ts_plugin_image *image = find(&digest, path);
  const bool is_known = image != NULL;
  if (!image) image = add(path, fd, fd >= 0 && !wants_its_folder(&bytes), &digest);
  pthread_mutex_unlock(&lock);
  if (is_known && fd >= 0) close(fd);
  return image;
}
