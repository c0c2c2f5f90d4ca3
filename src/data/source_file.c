/* Whether a file still is the one whose digest is in the keys.
 * SPDX-License-Identifier: Apache-2.0 */
#include "data/source_file.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/lock.h"

#include <pthread.h>
#include <string.h>

#define READ_MAX 3 /* of a file that is touched while it is read */

struct part {
  const char *path;        /* borrowed; for messages */
  const char *place;       /* borrowed; absolute: operations may change the current folder meanwhile */
  struct ts_sha256 digest; /* never changes */
  struct ts_file_identity identity;
  bool is_fresh; /* a program may have been writing it without a trace */
};

struct ts_source_file {
  pthread_mutex_t lock; /* guards what changes; held while a digest is taken again; no other lock is taken under it */
  uint64_t state;
  struct ts_error trouble; /* DATA_CHANGED once it was seen to have changed */
  struct part *parts;      /* borrowed from the arena */
  size_t part_count;
};

uint64_t ts_source_file_bytes(const struct ts_source_file *file) {
  return file && file->part_count > 0 ? file->parts[0].identity.size_bytes : 0;
}

struct ts_source_file *ts_source_file_create(struct ts_arena *arena, const struct ts_source_part *parts, size_t count) {
  struct ts_source_file *file = ts_arena_alloc(arena, sizeof *file);
  const int64_t now_ns = ts_clock_unix_ns();
  *file = (struct ts_source_file){.lock = PTHREAD_MUTEX_INITIALIZER,
                                  .state = 1,
                                  .parts = ts_arena_array(arena, count, sizeof *file->parts),
                                  .part_count = count};
  for (size_t i = 0; i < count; i++)
    file->parts[i] = (struct part){.path = parts[i].path,
                                   .place = parts[i].place,
                                   .digest = parts[i].digest,
                                   .identity = parts[i].identity,
                                   .is_fresh = ts_file_identity_is_fresh(&parts[i].identity, now_ns)};
  return file;
}

void ts_source_parts_digest(const struct ts_source_part *parts, size_t count, struct ts_sha256 *digest) {
  if (count == 1) {
    *digest = parts[0].digest;
    return;
  }
  struct ts_sha256_stream *stream = ts_sha256_stream_create();
  for (size_t i = 0; i < count; i++) {
    const char *name = i == 0 ? "" : ts_path_name(parts[i].path); /* the slide itself may be renamed */
    ts_sha256_stream_add(stream, name, strlen(name) + 1);
    ts_sha256_stream_add(stream, &parts[i].digest, sizeof parts[i].digest);
  }
  ts_sha256_stream_finish(stream, digest);
}

/* Under the lock: once changed it counts as changed, also when it is put back: what was read meanwhile is not known. */
static bool refuse(struct ts_source_file *file, const struct part *part, const char *how) {
  ts_fail(&file->trouble, TS_ERR_DATA_CHANGED, "'%s' was %s while it was being read", part->path, how);
  ts_error_help(&file->trouble,
                "put the old file back and continue with --resume, or start again with the file as it is "
                "now; nothing that was read after the change has been stored");
  return ts_error_place(&file->trouble, part->path, 0, 0, NULL);
}

/* Under the lock: takes the digest again; the file may stay if it is the same. */
static bool digest_again(struct ts_source_file *file, struct part *part) {
  struct ts_sha256 digest;
  struct ts_file_identity identity;
  struct ts_error why = {0};
  if (!ts_file_digest(part->place, &digest, &identity, &why))
    return refuse(file, part, why.code == TS_ERR_FILE_NOT_FOUND ? "removed" : "changed");
  if (memcmp(&digest, &part->digest, sizeof digest) != 0) return refuse(file, part, "changed");
  if (!ts_file_identity_equal(&identity, &part->identity)) file->state++;
  part->identity = identity;
  part->is_fresh = ts_file_identity_is_fresh(&identity, ts_clock_unix_ns());
  return true;
}

/* Under the lock. */
static bool look_again(struct ts_source_file *file, struct part *part) {
  struct ts_file_identity now;
  struct ts_error ignored = {0};
  if (file->trouble.code != TS_ERR_OK) return false;
  if (ts_file_identify(part->place, &now, &ignored) && ts_file_identity_equal(&now, &part->identity))
    return true; /* another thread has looked meanwhile */
  return digest_again(file, part);
}

/* Under the lock. */
static uint64_t state_of(const struct ts_source_file *file, struct ts_error *err) {
  if (file->trouble.code == TS_ERR_OK) return file->state;
  if (err && err->code == TS_ERR_OK) *err = file->trouble;
  return 0;
}

/* The file is looked at without the lock: on a network that takes its time. The state is asked for last, so that one
 * that was found meanwhile counts as a later one. */
uint64_t ts_source_file_state(struct ts_source_file *file, struct ts_error *err) {
  bool ok = true;
  for (size_t i = 0; ok && i < file->part_count; i++) {
    struct part *part = &file->parts[i];
    struct ts_file_identity now;
    struct ts_error ignored = {0};
    const bool is_there = ts_file_identify(part->place, &now, &ignored);
    ts_hold(&file->lock);
    if (!is_there || !ts_file_identity_equal(&now, &part->identity)) ok = look_again(file, part);
  }
  ts_hold(&file->lock);
  return state_of(file, err);
}

bool ts_source_file_read(struct ts_source_file *file, bool (*read)(void *user, struct ts_error *err), void *user,
                         struct ts_error *err) {
  if (!file) return read(user, err);
  struct ts_error changed = {0}, why = {0};
  for (int attempt = 0; attempt < READ_MAX; attempt++) {
    const uint64_t before = ts_source_file_state(file, &changed);
    if (before == 0) break;
    why = (struct ts_error){0};
    const bool ok = read(user, &why);
    const uint64_t after = ts_source_file_state(file, &changed);
    if (ok && after == before) return true;
    if (after == 0 || after == before) break;
  }
  if (changed.code == TS_ERR_OK && why.code == TS_ERR_OK) ts_file_keeps_changing(file->parts[0].path, &changed);
  if (err && err->code == TS_ERR_OK) *err = changed.code != TS_ERR_OK ? changed : why;
  return false;
}

bool ts_source_file_confirm(struct ts_source_file *file, struct ts_error *err) {
  if (!file) return true;
  if (ts_source_file_state(file, err) == 0) return false;
  ts_hold(&file->lock);
  for (size_t i = 0; i < file->part_count && file->trouble.code == TS_ERR_OK; i++)
    if (file->parts[i].is_fresh) digest_again(file, &file->parts[i]);
  return state_of(file, err) != 0;
}
