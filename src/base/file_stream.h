/* A file that is written piece by piece under a temporary name and appears under its own when it is complete.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_BASE_FILE_STREAM_H
#define TS_BASE_FILE_STREAM_H

#include "base/error.h"
#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>

/* All zero: not open. A failed write is remembered and reported by the commit, so that pieces need no check each. */
struct ts_file_stream {
  char *path;           /* owned: the name to be */
  char *temporary;      /* owned: the name until the commit; other writers may fill it in place of the stream */
  struct ts_str buffer; /* not yet written */
  int fd;
  int number; /* errno of the first write that failed; 0: none */
};

bool ts_file_stream_open(struct ts_file_stream *stream, const char *path, struct ts_error *err);
void ts_file_stream_add(struct ts_file_stream *stream, const void *data, size_t size);
/* The bytes from `offset` on of another open file. */
void ts_file_stream_copy(struct ts_file_stream *stream, int from, uint64_t offset, uint64_t size);
/* Gives the file its name, in place of what had it; FILE_IO if anything could not be written. */
bool ts_file_stream_commit(struct ts_file_stream *stream, struct ts_error *err);
/* Without a commit nothing remains of the file. */
void ts_file_stream_release(struct ts_file_stream *stream);

/* A file in the folder without a name, for reading and writing: it vanishes with its descriptor, also when the process
 * is killed. -1 with FILE_IO. */
int ts_file_create_nameless(const char *folder, struct ts_error *err);
/* All bytes at a place of an open file; what was never written reads as zero, also behind the end. 0 or the errno. */
int ts_file_write_at(int fd, uint64_t offset, const void *data, size_t size);
int ts_file_read_at(int fd, uint64_t offset, void *data, size_t size);

#endif
