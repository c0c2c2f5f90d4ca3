/* A file that results are computed from, and whether it still is the one whose digest is in their keys.
 * SPDX-License-Identifier: Apache-2.0
 *
 * A key contains the digest of a file, which was taken once; the pixels are read later, tile by tile. Each read is
 * therefore enclosed by two looks at the file's identity (base/file_identity.h). Equal identities before and after, and
 * equal to that of the digest: what was read is what was digested. Where only the identity changed (the file was
 * touched, linked or put back) the digest is taken again, and a read that this happened to is repeated. */
#ifndef TS_DATA_SOURCE_FILE_H
#define TS_DATA_SOURCE_FILE_H

#include "base/arena.h"
#include "base/file_identity.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One file on the disk; a slide may consist of several. */
struct ts_source_part {
  const char *path;  /* as the user wrote it, for messages */
  const char *place; /* absolute */
  struct ts_sha256 digest;
  struct ts_file_identity identity; /* when the digest was taken */
};

struct ts_source_file; /* shared by threads */

/* In the arena, with a copy of the parts (their texts are borrowed); nothing is to be released. The first part is the
 * file that the user named. */
struct ts_source_file *ts_source_file_create(struct ts_arena *arena, const struct ts_source_part *parts, size_t count);

/* That of the only part, or one over the names and digests of all. */
void ts_source_parts_digest(const struct ts_source_part *parts, size_t count, struct ts_sha256 *digest);

/* The size of the file that the user named, when its digest was taken; 0 for NULL. */
uint64_t ts_source_file_bytes(const struct ts_source_file *file);

/* The number of the state that the file is in, from 1; 0 with DATA_CHANGED if it has other content than was digested.
 * Equal numbers: nobody wrote in between. */
uint64_t ts_source_file_state(struct ts_source_file *file, struct ts_error *err);

/* Calls `read` between two looks at the file; again, up to three times, if it was touched meanwhile, so `read` first
 * drops what an earlier call made. Also where `read` fails a change of the file is the reason that is reported. A NULL
 * file is not looked at. When false is returned, what `read` made is of no use. */
bool ts_source_file_read(struct ts_source_file *file, bool (*read)(void *user, struct ts_error *err), void *user,
                         struct ts_error *err);

/* Before results are reported: the file has the content that was digested. Reads a file again that was fresh when its
 * digest was taken; looks at the identity of others. */
bool ts_source_file_confirm(struct ts_source_file *file, struct ts_error *err);

#endif
