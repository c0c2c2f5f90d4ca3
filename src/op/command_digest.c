/* The identity of a command: digests of its program, scripts and declared files, and whether they still hold.
 * SPDX-License-Identifier: Apache-2.0 */
#include "op/op_int.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

static bool read_state(const struct ts_command_file *file, struct ts_command_file *state, struct ts_error *err) {
  struct stat status = {0};
  bool there = stat(file->path, &status) == 0;
  if (!there || !S_ISREG(status.st_mode)) {
    ts_fail(err, TS_ERR_FILE_NOT_FOUND, "file '%s' of a command cannot be read: %s", file->name,
            there ? "not a regular file" : strerror(errno));
    return ts_error_help(err, "check the name; it is relative to the folder of the manifest");
  }
  *state = *file;
  state->device = (int64_t)status.st_dev;
  state->inode = (int64_t)status.st_ino;
  state->size_bytes = (int64_t)status.st_size;
  state->modified_ns = (int64_t)status.st_mtim.tv_sec * 1000000000 + status.st_mtim.tv_nsec;
  state->changed_ns = (int64_t)status.st_ctim.tv_sec * 1000000000 + status.st_ctim.tv_nsec;
  return true;
}

bool ts_command_file_measure(struct ts_command_file *file, struct ts_error *err) {
  struct ts_command_file state;
  if (!read_state(file, &state, err) || !ts_sha256_of_file(file->path, &state.digest, err)) return false;
  *file = state;
  return true;
}

static void add_item(struct ts_sha256_stream *stream, const char *name, const struct ts_sha256 *digest) {
  ts_op_digest_number(stream, strlen(name));
  ts_sha256_stream_add(stream, name, strlen(name));
  ts_sha256_stream_add(stream, digest->bytes, sizeof(digest->bytes));
}

void ts_command_digest(const struct ts_command *command, const struct ts_json_doc *manifest, struct ts_sha256 *digest) {
  struct ts_sha256 text;
  ts_sha256_of(manifest->text, manifest->length, &text);
  struct ts_sha256_stream *stream = ts_sha256_stream_create();
  add_item(stream, "", &text);
  for (size_t i = 0; i < command->file_count; i++) add_item(stream, command->files[i].name, &command->files[i].digest);
  ts_sha256_stream_finish(stream, digest);
}

static bool same_state(const struct ts_command_file *a, const struct ts_command_file *b) {
  return a->device == b->device && a->inode == b->inode && a->size_bytes == b->size_bytes &&
         a->modified_ns == b->modified_ns && a->changed_ns == b->changed_ns;
}

bool ts_command_unchanged(const struct ts_command *command, struct ts_error *err) {
  for (size_t i = 0; i < command->file_count; i++) {
    const struct ts_command_file *file = &command->files[i];
    struct ts_command_file now = {0};
    if (!read_state(file, &now, err)) return false;
    if (same_state(file, &now)) continue;
    if (!ts_sha256_of_file(file->path, &now.digest, err)) return false;
    if (memcmp(now.digest.bytes, file->digest.bytes, sizeof(now.digest.bytes)) == 0) continue;
    ts_fail(err, TS_ERR_COMMAND, "file '%s' of a command was changed during the run", file->name);
    return ts_error_help(err, "start again, so that results of the old and the new file are not mixed");
  }
  return true;
}
