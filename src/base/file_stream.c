/* Files that are written piece by piece, and files without a name.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/file_stream.h"

#include "base/alloc.h"
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define BUFFER_BYTES ((size_t)256 * 1024)

bool ts_file_stream_open(struct ts_file_stream *stream, const char *path, struct ts_error *err) {
  *stream = (struct ts_file_stream){0};
  ts_auto_free char *folder = ts_path_folder(path);
  stream->fd = ts_file_create_temporary(folder, &stream->temporary);
  if (stream->fd < 0) return ts_file_fail(err, path, "be written", errno);
  stream->path = ts_strdup(path);
  return true;
}

static void flush(struct ts_file_stream *stream) {
  if (!stream->number)
    stream->number = ts_file_write_all(stream->fd, ts_str_get(&stream->buffer), stream->buffer.length);
  ts_str_clear(&stream->buffer);
}

void ts_file_stream_add(struct ts_file_stream *stream, const void *data, size_t size) {
  ts_str_add_bytes(&stream->buffer, data, size);
  if (stream->buffer.length >= BUFFER_BYTES) flush(stream);
}

void ts_file_stream_copy(struct ts_file_stream *stream, int from, uint64_t offset, uint64_t size) {
  ts_auto_free char *bytes = ts_malloc(BUFFER_BYTES);
  while (size > 0 && !stream->number) {
    const size_t step = size < BUFFER_BYTES ? (size_t)size : BUFFER_BYTES;
    stream->number = ts_file_read_at(from, offset, bytes, step);
    if (!stream->number) ts_file_stream_add(stream, bytes, step);
    offset += step;
    size -= step;
  }
}

bool ts_file_stream_commit(struct ts_file_stream *stream, struct ts_error *err) {
  flush(stream);
  if (close(stream->fd) != 0 && !stream->number && errno != EINTR) stream->number = errno;
  if (!stream->number && rename(stream->temporary, stream->path) != 0) stream->number = errno;
  if (stream->number) {
    unlink(stream->temporary);
    ts_file_fail(err, stream->path, "be written", stream->number);
  }
  const bool ok = stream->number == 0;
  free(ts_steal(stream->temporary));
  ts_file_stream_release(stream);
  return ok;
}

void ts_file_stream_release(struct ts_file_stream *stream) {
  if (stream->temporary) {
    close(stream->fd);
    unlink(stream->temporary);
  }
  free(stream->temporary);
  free(stream->path);
  ts_str_release(&stream->buffer);
  *stream = (struct ts_file_stream){0};
}

/* Not every file system has files that never had a name. */
int ts_file_create_nameless(const char *folder, struct ts_error *err) {
  int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (fd >= 0) return fd;
  ts_auto_free char *name = NULL;
  const int maker = ts_file_create_temporary(folder, &name);
  int number = errno;
  if (maker >= 0) {
    fd = open(name, O_RDWR | O_CLOEXEC);
    number = errno;
    close(maker);
    unlink(name);
  }
  if (fd < 0) ts_file_fail(err, folder, "hold a temporary file", number);
  return fd;
}

int ts_file_write_at(int fd, uint64_t offset, const void *data, size_t size) {
  const char *bytes = data;
  while (size > 0) {
    const ssize_t count = pwrite(fd, bytes, size, (off_t)offset);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return count < 0 ? errno : EIO;
    bytes += count;
    offset += (uint64_t)count;
    size -= (size_t)count;
  }
  return 0;
}

int ts_file_read_at(int fd, uint64_t offset, void *data, size_t size) {
  char *bytes = data;
  while (size > 0) {
    const ssize_t count = pread(fd, bytes, size, (off_t)offset);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno;
    if (count == 0) {
      memset(bytes, 0, size);
      return 0;
    }
    bytes += count;
    offset += (uint64_t)count;
    size -= (size_t)count;
  }
  return 0;
}
